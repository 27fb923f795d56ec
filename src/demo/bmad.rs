//! The demo's `bmad` store: one session in use, one that is archived.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::File;
use super::chance::Chance;
use super::json::{ids_by, list, quoted};
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
        let agent = self.chance.pick(&AGENTS).unwrap_or_default();
        let said = match log {
            0 => self.message(number, agent),
            1 => self.decision(agent),
            2 => self.finding(agent),
            _ => self.preference(),
        };
        format!("{{\"id\":\"{id}\",\"timestamp\":\"{when}\",{said},\"decay_factor\":1.0}}\n")
    }

    fn message(&mut self, number: usize, agent: &str) -> String {
        let told = self.material.tell(About::Conversation, self.chance);
        let (role, text) = if number.is_multiple_of(2) { ("user", 1) } else { ("assistant", 2) };
        let text = match number {
            6 => super::told_with_secret(self.material, self.chance),
            _ => column(&told, text).to_owned(),
        };
        let (text, conversation) = (quoted(&text), number / 4);
        let parent = match number.is_multiple_of(4) {
            true => String::new(),
            false => format!(r#""parent_message_id":"msg-{number:03}","#),
        };
        let topic = tags(column(&told, 0)).into_iter().next().unwrap_or_else(|| "review".into());
        format!(
            r#""agent_id":"{agent}","role":"{role}","content":{text},"context":{{"conversation_id":"conv-{conversation}",{parent}"topic":"{topic}"}}"#
        )
    }

    fn decision(&mut self, agent: &str) -> String {
        let told = self.material.tell(About::Decision, self.chance);
        let approved = if self.chance.percent(60) { r#"["lead"]"# } else { "[]" };
        let impact = self.chance.pick(&["low", "medium", "high"]).unwrap_or_default();
        let (decision, why) = (quoted(column(&told, 2)), quoted(column(&told, 3)));
        let tags = list(tags(column(&told, 0)));
        format!(
            r#""made_by":"{agent}","approved_by":{approved},"decision":{decision},"rationale":{why},"impact":"{impact}","tags":{tags},"references":{{"conversations":["msg-003"],"findings":["finding-002"]}}"#
        )
    }

    fn finding(&mut self, agent: &str) -> String {
        let told = self.material.tell(About::Finding, self.chance);
        let category = self.chance.pick(&["scalability", "security", "cost"]).unwrap_or_default();
        let severity = self.chance.pick(&["low", "medium", "high", "critical"]).unwrap_or_default();
        let status = self.chance.pick(&["open", "resolved"]).unwrap_or_default();
        let (found, evidence) = (quoted(column(&told, 2)), quoted(column(&told, 3)));
        let tags = list(tags(column(&told, 0)));
        format!(
            r#""discovered_by":"{agent}","category":"{category}","severity":"{severity}","description":{found},"evidence":{evidence},"status":"{status}","tags":{tags}"#
        )
    }

    fn preference(&mut self) -> String {
        let told = self.material.tell(About::Preference, self.chance);
        let key = tags(column(&told, 0)).into_iter().next().unwrap_or_else(|| "style".into());
        let value = quoted(column(&told, 2));
        format!(
            r#""category":"communication","key":"{key}","value":{value},"confidence":0.8,"learned_from":["{ARCHIVED}"]"#
        )
    }
}

fn manifest(session: &str, logs: &[(&str, String)], now: Moment, archived: Option<usize>) -> Vec<u8> {
    let size: usize = logs.iter().map(|(_, log)| log.len()).sum();
    let [messages, decisions, findings, _] = COUNTS;
    let (created, now, agents) = (now.plus(-9 * DAY).to_rfc3339(), now.to_rfc3339(), list(AGENTS));
    let mut manifest = format!(
        r#"{{"session_id":"{session}","created_at":"{created}","updated_at":"{now}","user_id":"lead","agent_ids":{agents},"metadata":{{"session_type":"review","tags":["review"]}},"statistics":{{"total_messages":{messages},"total_decisions":{decisions},"total_findings":{findings},"size_bytes":{size},"last_accessed":"{now}"}},"version":"1.0""#
    );
    if let Some(packed) = archived {
        manifest += &format!(
            r#","archived_at":"{now}","original_size_bytes":{size},"compressed_size_bytes":{packed}"#
        );
    }
    (manifest + "}").into()
}

fn index(session: &str, ids: &[(String, String)], now: Moment) -> Vec<u8> {
    let hours = ids_by(ids.iter().map(|(id, hour)| (hour.as_str(), id.as_str())));
    let now = now.to_rfc3339();
    let index = format!(
        r#"{{"session_id":"{session}","created_at":"{now}","inverted_index":{{}},"topic_index":{{}},"temporal_index":{hours},"version":1}}"#
    );
    index.into()
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
