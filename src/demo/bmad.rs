//! The demo's `bmad` store: one session in use, one that is archived.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::File;
use super::chance::Chance;
use super::json::Object;
use super::log::Planted;
use super::material::{About, Material, column, tags};
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};

/// Where the store is in the demo's folder.
const ROOT: &str = "project/.bmad/memory";
const LIVE: &str = "sess-review-orders";
const ARCHIVED: &str = "sess-review-search";
const AGENTS: [&str; 3] = ["architect", "analyst", "reviewer"];
/// How many messages, decisions, findings and preferences a session holds.
const COUNTS: [usize; 4] = [22, 8, 10, 4];

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let root = Path::new(ROOT);
    let mut files = Vec::new();
    let mut planted = Vec::new();
    let mut live = Session { material, chance, now: now.plus(-HOUR), ids: Vec::new() };
    let mut logs = live.logs();
    let ids = std::mem::take(&mut live.ids);
    // A crash tore the last finding.
    if let Some((name, log)) = logs.get_mut(2) {
        log.push_str("{\"id\":\"finding-011\",\"timestamp\":\"");
        let line = log.lines().count() as u32;
        planted.push((root.join("sessions").join(LIVE).join(*name), Some(line), Code::TornLine));
    }
    let folder = root.join("sessions").join(LIVE);
    files.push((folder.join("manifest.json"), manifest(LIVE, &logs, now, None)));
    files.push((folder.join("index.json"), index(LIVE, &ids, now)));
    files.extend(logs.into_iter().map(|(name, log)| (folder.join(name), log.into_bytes())));
    let mut old = Session { material, chance, now: now.plus(-150 * DAY), ids: Vec::new() };
    files.extend(archive(root, &old.logs(), now.plus(-149 * DAY)));
    let config = r#"{"memory_config":{"version":"1.0","decay":{"enabled":true,"minimum_factor":0.1}}}"#;
    files.push((root.join("config.json"), config.as_bytes().to_vec()));
    (files, planted)
}

struct Session<'a> {
    material: &'a mut Material,
    chance: &'a mut Chance,
    now: Moment,
    /// Each record's id and the hour in which it was made.
    ids: Vec<(String, String)>,
}

impl Session<'_> {
    fn logs(&mut self) -> Vec<(&'static str, String)> {
        let names = ["conversation.jsonl", "decisions.jsonl", "findings.jsonl", "preferences.jsonl"];
        let log = |(at, name): (usize, &'static str)| {
            let lines: Vec<String> = (0..COUNTS[at]).map(|number| self.record(at, number)).collect();
            (name, lines.concat())
        };
        names.into_iter().enumerate().map(log).collect()
    }

    fn record(&mut self, log: usize, number: usize) -> String {
        let prefix = ["msg", "dec", "finding", "pref"][log];
        let id = format!("{prefix}-{:03}", number + 1);
        let back = (COUNTS[log] - number) as i64 * (9 * HOUR) + self.chance.below(HOUR as usize) as i64;
        let when = self.now.plus(-back).to_rfc3339();
        self.ids.push((id.clone(), when.chars().take(13).collect()));
        let object = Object::new().text("id", &id).text("timestamp", &when);
        let agent = self.chance.pick(&AGENTS).unwrap_or_default();
        let object = match log {
            0 => self.message(object, number, agent),
            1 => self.decision(object, agent),
            2 => self.finding(object, agent),
            _ => self.preference(object),
        };
        object.raw("decay_factor", "1.0").finish() + "\n"
    }

    fn message(&mut self, object: Object, number: usize, agent: &str) -> Object {
        let told = self.material.tell(About::Conversation, self.chance);
        let (role, text) = if number.is_multiple_of(2) { ("user", 1) } else { ("assistant", 2) };
        let text = match number {
            6 => super::told_with_secret(self.material, self.chance),
            _ => column(&told, text).to_owned(),
        };
        let mut context = Object::new().text("conversation_id", &format!("conv-{}", number / 4));
        if !number.is_multiple_of(4) {
            context = context.text("parent_message_id", &format!("msg-{number:03}"));
        }
        let topic = tags(column(&told, 0)).into_iter().next().unwrap_or_else(|| "review".into());
        object
            .text("agent_id", agent)
            .text("role", role)
            .text("content", &text)
            .object("context", context.text("topic", &topic))
    }

    fn decision(&mut self, object: Object, agent: &str) -> Object {
        let told = self.material.tell(About::Decision, self.chance);
        let approved: &[&str] = if self.chance.percent(60) { &["lead"] } else { &[] };
        let references =
            Object::new().texts("conversations", &["msg-003"]).texts("findings", &["finding-002"]);
        object
            .text("made_by", agent)
            .texts("approved_by", approved)
            .text("decision", column(&told, 2))
            .text("rationale", column(&told, 3))
            .text("impact", self.chance.pick(&["low", "medium", "high"]).unwrap_or_default())
            .texts("tags", &tags(column(&told, 0)))
            .object("references", references)
    }

    fn finding(&mut self, object: Object, agent: &str) -> Object {
        let told = self.material.tell(About::Finding, self.chance);
        object
            .text("discovered_by", agent)
            .text("category", self.chance.pick(&["scalability", "security", "cost"]).unwrap_or_default())
            .text("severity", self.chance.pick(&["low", "medium", "high", "critical"]).unwrap_or_default())
            .text("description", column(&told, 2))
            .text("evidence", column(&told, 3))
            .text("status", self.chance.pick(&["open", "resolved"]).unwrap_or_default())
            .texts("tags", &tags(column(&told, 0)))
    }

    fn preference(&mut self, object: Object) -> Object {
        let told = self.material.tell(About::Preference, self.chance);
        let key = tags(column(&told, 0)).into_iter().next().unwrap_or_else(|| "style".into());
        object
            .text("category", "communication")
            .text("key", &key)
            .text("value", column(&told, 2))
            .raw("confidence", "0.8")
            .texts("learned_from", &[ARCHIVED])
    }
}

fn manifest(session: &str, logs: &[(&str, String)], now: Moment, archived: Option<usize>) -> Vec<u8> {
    let size: usize = logs.iter().map(|(_, log)| log.len()).sum();
    let statistics = Object::new()
        .raw("total_messages", COUNTS[0])
        .raw("total_decisions", COUNTS[1])
        .raw("total_findings", COUNTS[2])
        .raw("size_bytes", size)
        .text("last_accessed", &now.to_rfc3339());
    let mut manifest = Object::new()
        .text("session_id", session)
        .text("created_at", &now.plus(-9 * DAY).to_rfc3339())
        .text("updated_at", &now.to_rfc3339())
        .text("user_id", "lead")
        .texts("agent_ids", &AGENTS)
        .object("metadata", Object::new().text("session_type", "review").texts("tags", &["review"]))
        .object("statistics", statistics)
        .text("version", "1.0");
    if let Some(packed) = archived {
        manifest = manifest
            .text("archived_at", &now.to_rfc3339())
            .raw("original_size_bytes", size)
            .raw("compressed_size_bytes", packed);
    }
    manifest.finish().into_bytes()
}

fn index(session: &str, ids: &[(String, String)], now: Moment) -> Vec<u8> {
    let hours = ids.iter().map(|(id, hour)| (hour.as_str(), id.as_str()));
    Object::new()
        .text("session_id", session)
        .text("created_at", &now.to_rfc3339())
        .raw("inverted_index", "{}")
        .raw("topic_index", "{}")
        .ids_by("temporal_index", hours)
        .raw("version", 1)
        .finish()
        .into_bytes()
}

/// An archived session. Headers name no time and no owner, so that the same seed makes the
/// same bytes.
fn archive(root: &Path, logs: &[(&str, String)], now: Moment) -> Vec<File> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, log) in logs {
        let mut header = tar::Header::new_gnu();
        header.set_size(log.len() as u64);
        header.set_mode(0o600);
        let path = PathBuf::from(ARCHIVED).join(name);
        if tar.append_data(&mut header, path, log.as_bytes()).is_err() {
            return Vec::new();
        }
    }
    let packed =
        tar.into_inner().and_then(|mut gzip| gzip.flush().and_then(|()| gzip.finish())).unwrap_or_default();
    let folder = root.join("archive");
    vec![
        (folder.join(format!("{ARCHIVED}.manifest.json")), manifest(ARCHIVED, logs, now, Some(packed.len()))),
        (folder.join(format!("{ARCHIVED}.tar.gz")), packed),
    ]
}
