//! The demo's `session-log` store.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::damage::{Damage, LONG_TAG};
use super::json::{ids_by, list, object, quoted};
use super::log::{Log, Placed, Planted};
use super::material::{About, Material, column, tags};
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};
use crate::text::canonical;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

/// Where the store is in the demo's folder.
const ROOT: &str = "project/memory";
const CONFIG: &str = include_str!("../../assets/demo/session_log_config.json");

/// A session: its name, how many days ago it began and ended, how many entries it has.
struct Plan {
    name: &'static str,
    began: i64,
    ended: i64,
    entries: usize,
    half_life: u32,
}

const SESSIONS: [Plan; 6] = [
    Plan { name: "sess_payments_outage", began: 190, ended: 178, entries: 44, half_life: 168 },
    Plan { name: "sess_oauth_spike", began: 120, ended: 95, entries: 52, half_life: 168 },
    Plan { name: "sess_search_index", began: 70, ended: 52, entries: 40, half_life: 336 },
    Plan { name: "sess_ci_cleanup", began: 40, ended: 21, entries: 46, half_life: 168 },
    Plan { name: "sess_checkout_rework", began: 18, ended: 3, entries: 58, half_life: 168 },
    Plan { name: "sess_today", began: 2, ended: 0, entries: 36, half_life: 168 },
];

/// What is wrong with which entries.
const DAMAGE: [(&str, usize, Damage); 7] = [
    ("sess_oauth_spike", 20, Damage::DanglingReference),
    ("sess_oauth_spike", 33, Damage::Nuls),
    ("sess_ci_cleanup", 11, Damage::Torn),
    ("sess_ci_cleanup", 28, Damage::ChecksumLegacy),
    ("sess_ci_cleanup", 36, Damage::RawNewline),
    ("sess_checkout_rework", 25, Damage::ChecksumMismatch),
    ("sess_checkout_rework", 40, Damage::LongTag),
];

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let mut files = vec![(Path::new(ROOT).join("config.json"), CONFIG.into())];
    let mut planted = Vec::new();
    for plan in &SESSIONS {
        let mut session = Session { plan, material, chance, now, deleted: Vec::new() };
        let log = session.log();
        planted.extend(log.planted.clone());
        let stale = plan.name == "sess_search_index";
        if stale {
            planted.push((session.path("index.json"), None, Code::IndexStale));
        }
        files.extend(session.files(&log, stale));
    }
    let names = list(SESSIONS.map(|plan| plan.name));
    let global = format!(r#"{{"version":1,"sessions":{names}}}"#);
    files.push((Path::new(ROOT).join("indices/global_index.json"), global.into()));
    (files, planted)
}

struct Session<'a> {
    plan: &'a Plan,
    material: &'a mut Material,
    chance: &'a mut Chance,
    now: Moment,
    deleted: Vec<String>,
}

impl Session<'_> {
    fn path(&self, file: &str) -> PathBuf {
        Path::new(ROOT).join("sessions").join(self.plan.name).join(file)
    }

    fn log(&mut self) -> Log {
        let mut log = Log::new(&self.path("memory.jsonl"));
        let span = (self.plan.began - self.plan.ended) * DAY;
        for number in 0..self.plan.entries {
            let is_here = |own: &&(&str, usize, Damage)| own.0 == self.plan.name && own.1 == number;
            let damage = DAMAGE.iter().find(is_here).map(|own| own.2);
            let age = self.plan.began * DAY - span * number as i64 / self.plan.entries as i64;
            let age = (age - self.chance.below(HOUR as usize) as i64).max(HOUR / 6);
            self.add(&mut log, number, self.now.plus(-age), damage);
        }
        self.deleted = log.placed.iter().skip(7).step_by(19).map(|placed| placed.id.clone()).collect();
        log
    }

    fn about(&mut self, number: usize) -> About {
        match self.chance.below(10) {
            0 | 1 => About::Decision,
            2 | 3 => About::Finding,
            4 if number.is_multiple_of(2) => About::Preference,
            5 if number.is_multiple_of(9) => About::Long,
            _ => About::Conversation,
        }
    }

    fn add(&mut self, log: &mut Log, number: usize, when: Moment, damage: Option<Damage>) {
        let about = self.about(number);
        let told = self.material.tell(about, self.chance);
        let (kind, content, tag_column, importance) = self.content(about, &told, number);
        let mut own_tags = tags(tag_column);
        if number == 4 {
            own_tags.push("pinned".into());
        }
        if damage == Some(Damage::LongTag) {
            own_tags.push(LONG_TAG.into());
        }
        let name = self.plan.name;
        let id = format!("mem_{}_{:03}", &name[5..8], number + 1);
        let when = when.to_rfc3339();
        let (tags, references) = (list(&own_tags), list(self.references(log, damage)));
        let line = format!(
            r#"{{"id":"{id}","session_id":"{name}","timestamp":"{when}","type":"{kind}","content":{content},"importance":{importance},"decay_factor":1.0,"tags":{tags},"references":{references}}}"#
        );
        let placed = Placed { id, kind, when, tags: own_tags, importance, ..Placed::default() };
        log.add(placed, &signed(&line, number, damage), damage);
    }

    /// An entry's type, content, tags and importance.
    fn content<'t>(
        &mut self,
        about: About,
        told: &'t [String],
        number: usize,
    ) -> (&'static str, String, &'t str, String) {
        let quoted_at = |at: usize| quoted(column(told, at));
        let (tags, importance) = (column(told, 0), column(told, 1).to_owned());
        let (first, second) = (quoted_at(2), quoted_at(3));
        match about {
            About::Decision => {
                let others = list(column(told, 4).split(';').map(str::trim));
                let content =
                    format!(r#"{{"decision":{first},"rationale":{second},"alternatives":{others}}}"#);
                ("decision", content, tags, importance)
            }
            About::Finding => {
                ("finding", format!(r#"{{"finding":{first},"evidence":{second}}}"#), tags, importance)
            }
            About::Preference => ("preference", format!(r#"{{"preference":{first}}}"#), tags, importance),
            About::Long => {
                ("finding", format!(r#"{{"description":{}}}"#, quoted_at(0)), "notes", "0.6".into())
            }
            _ => {
                let (role, at) = if number.is_multiple_of(2) { ("user", 1) } else { ("assistant", 2) };
                let said = match self.chance.below(14) {
                    0 => quoted(&super::told_with_secret(self.material, self.chance)),
                    _ => quoted_at(at),
                };
                let importance = format!("0.{}", 3 + self.chance.below(4));
                ("conversation", format!(r#"{{"role":"{role}","message":{said}}}"#), tags, importance)
            }
        }
    }

    /// Now and then an entry refers to one or two before it.
    fn references(&mut self, log: &Log, damage: Option<Damage>) -> Vec<String> {
        if damage == Some(Damage::DanglingReference) {
            return vec!["mem_lost_404".into()];
        }
        if damage.is_some() || !self.chance.percent(45) {
            return Vec::new();
        }
        let ids: Vec<&str> = log.placed.iter().rev().take(8).map(|placed| placed.id.as_str()).collect();
        let mut chosen: Vec<String> =
            (0..=self.chance.below(2)).filter_map(|_| self.chance.pick(&ids)).map(str::to_owned).collect();
        chosen.dedup();
        chosen
    }

    fn files(&self, log: &Log, stale: bool) -> Vec<File> {
        let when = self.now.plus(-self.plan.ended * DAY).to_rfc3339();
        let tombstone = |id: &String| {
            format!("{{\"id\":\"{id}\",\"timestamp\":\"{when}\",\"reason\":\"user-request\"}}\n")
        };
        let tombstones: String = self.deleted.iter().map(tombstone).collect();
        vec![
            log.file(),
            (self.path("tombstones.jsonl"), tombstones.into_bytes()),
            (self.path("index.json"), self.index(log, stale)),
            (self.path("metadata.json"), self.metadata(log)),
        ]
    }

    fn live<'l>(&self, log: &'l Log) -> Vec<&'l Placed> {
        log.placed.iter().filter(|placed| !self.deleted.contains(&placed.id)).collect()
    }

    /// The index; a stale one lacks the last three entries.
    fn index(&self, log: &Log, stale: bool) -> Vec<u8> {
        let mut live = self.live(log);
        live.truncate(live.len() - if stale { 3 } else { 0 });
        let entries = object(live.iter().map(|placed| {
            let Placed { line, offset, kind, when, tags, importance, .. } = placed;
            let tags = list(tags);
            let entry = format!(
                r#"{{"line_number":{line},"byte_offset":{offset},"type":"{kind}","timestamp":"{when}","tags":{tags},"importance":{importance}}}"#
            );
            (placed.id.as_str(), entry)
        }));
        let by_tag = ids_by(live.iter().flat_map(|placed| placed.tags_and_id()));
        let by_type = ids_by(live.iter().map(|placed| (placed.kind, placed.id.as_str())));
        let now = self.now.to_rfc3339();
        let index = format!(
            r#"{{"version":1,"last_updated":"{now}","entries":{entries},"tags":{by_tag},"types":{by_type}}}"#
        );
        index.into()
    }

    fn metadata(&self, log: &Log) -> Vec<u8> {
        let live = self.live(log);
        let count = |kind: &str| live.iter().filter(|placed| placed.kind == kind).count();
        let kinds = ["conversation", "decision", "finding", "preference"];
        let statistics = object(
            ["conversations", "decisions", "findings", "preferences"]
                .into_iter()
                .zip(kinds.map(|kind| count(kind).to_string())),
        );
        let Plan { name, began, ended, half_life, .. } = self.plan;
        let began = self.now.plus(-began * DAY).to_rfc3339();
        let ended = self.now.plus(-ended * DAY - HOUR).to_rfc3339();
        let (entries, bytes) = (live.len(), log.bytes.len());
        let metadata = format!(
            r#"{{"session_id":"{name}","user_id":"user_demo","created_at":"{began}","last_accessed":"{ended}","total_entries":{entries},"total_size_bytes":{bytes},"decay_config":{{"enabled":true,"half_life_hours":{half_life},"min_decay_factor":0.1}},"statistics":{statistics}}}"#
        );
        metadata.into()
    }
}

/// Every third entry has a checksum.
fn signed(unsigned: &str, number: usize, damage: Option<Damage>) -> String {
    let mut tape = Tape::default();
    tape.scan(unsigned.as_bytes(), Newlines::Refused);
    let entry = Json::of(unsigned.as_bytes(), &tape);
    let with = |sum: String| format!("{},\"checksum\":\"{sum}\"}}", unsigned.trim_end_matches('}'));
    match damage {
        Some(Damage::ChecksumLegacy) => with(canonical::legacy_checksum(entry)),
        Some(Damage::ChecksumMismatch) => {
            with(canonical::checksum(entry)).replacen("\"decay_factor\":1.0", "\"decay_factor\":0.9", 1)
        }
        None if number.is_multiple_of(3) => with(canonical::checksum(entry)),
        _ => unsigned.to_owned(),
    }
}
