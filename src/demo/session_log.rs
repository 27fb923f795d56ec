//! The demo's `session-log` store.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::damage::{Damage, LONG_TAG};
use super::json::Object;
use super::log::{Log, Placed, Planted};
use super::material::{About, Material, column, tags};
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};
use crate::text::canonical;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

/// Where the store is in the demo's folder.
const ROOT: &str = "project/memory";

/// A session: its name, how many days ago it began and ended, how many entries it has,
/// and what is wrong with which of them.
struct Plan {
    name: &'static str,
    began: i64,
    ended: i64,
    entries: usize,
    half_life_hours: u32,
    damage: &'static [(usize, Damage)],
}

const SESSIONS: [Plan; 6] = [
    Plan {
        name: "sess_payments_outage",
        began: 190,
        ended: 178,
        entries: 44,
        half_life_hours: 168,
        damage: &[],
    },
    Plan {
        name: "sess_oauth_spike",
        began: 120,
        ended: 95,
        entries: 52,
        half_life_hours: 168,
        damage: &[(20, Damage::DanglingReference), (33, Damage::Nuls)],
    },
    Plan { name: "sess_search_index", began: 70, ended: 52, entries: 40, half_life_hours: 336, damage: &[] },
    Plan {
        name: "sess_ci_cleanup",
        began: 40,
        ended: 21,
        entries: 46,
        half_life_hours: 168,
        damage: &[(11, Damage::Torn), (28, Damage::ChecksumLegacy), (36, Damage::RawNewline)],
    },
    Plan {
        name: "sess_checkout_rework",
        began: 18,
        ended: 3,
        entries: 58,
        half_life_hours: 168,
        damage: &[(25, Damage::ChecksumMismatch), (40, Damage::LongTag)],
    },
    Plan { name: "sess_today", began: 2, ended: 0, entries: 36, half_life_hours: 168, damage: &[] },
];

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let mut files = vec![(Path::new(ROOT).join("config.json"), config())];
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
    let global = Object::new().raw("version", 1).texts("sessions", &SESSIONS.map(|plan| plan.name));
    files.push((Path::new(ROOT).join("indices/global_index.json"), global.finish().into_bytes()));
    (files, planted)
}

fn config() -> Vec<u8> {
    let half_life = |hours: u32| Object::new().raw("half_life_hours", hours);
    let types = Object::new()
        .object("conversation", half_life(168))
        .object("decision", half_life(720))
        .object("finding", half_life(336))
        .object("preference", Object::new().raw("decay_enabled", false));
    let decay =
        Object::new().raw("enabled", true).object("type_specific", types).raw("min_decay_factor", 0.1);
    let storage = Object::new().raw("max_session_size_mb", 10).raw("compaction_threshold", 0.9);
    let config = Object::new().text("version", "1.0").object("storage", storage).object("decay", decay);
    config.finish().into_bytes()
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
            let damage = self.plan.damage.iter().find(|(at, _)| *at == number).map(|(_, damage)| *damage);
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
        let id = format!("mem_{}_{:03}", &self.plan.name[5..8], number + 1);
        let when = when.to_rfc3339();
        let object = Object::new()
            .text("id", &id)
            .text("session_id", self.plan.name)
            .text("timestamp", &when)
            .text("type", kind)
            .object("content", content)
            .raw("importance", &importance)
            .raw("decay_factor", "1.0")
            .texts("tags", &own_tags)
            .texts("references", &self.references(log, damage));
        let line = self.signed(object, number, damage);
        let placed = Placed {
            id,
            kind,
            line: 0,
            offset: 0,
            when,
            tags: own_tags,
            importance,
            category: String::new(),
        };
        log.add(placed, &line, damage);
    }

    /// An entry's type, content, tags and importance.
    fn content<'t>(
        &mut self,
        about: About,
        told: &'t [String],
        number: usize,
    ) -> (&'static str, Object, &'t str, String) {
        let stated = |at: usize| column(told, at).to_owned();
        match about {
            About::Decision => {
                let alternatives: Vec<&str> = column(told, 4).split(';').map(str::trim).collect();
                let content = Object::new()
                    .text("decision", column(told, 2))
                    .text("rationale", column(told, 3))
                    .texts("alternatives", &alternatives);
                ("decision", content, column(told, 0), stated(1))
            }
            About::Finding => {
                let content =
                    Object::new().text("finding", column(told, 2)).text("evidence", column(told, 3));
                ("finding", content, column(told, 0), stated(1))
            }
            About::Preference => {
                ("preference", Object::new().text("preference", column(told, 2)), column(told, 0), stated(1))
            }
            About::Long => {
                ("finding", Object::new().text("description", column(told, 0)), "notes", "0.6".into())
            }
            _ => {
                let user = number.is_multiple_of(2);
                let said = match self.chance.below(14) {
                    0 => super::told_with_secret(self.material, self.chance),
                    _ => stated(if user { 1 } else { 2 }),
                };
                let content = Object::new()
                    .text("role", if user { "user" } else { "assistant" })
                    .text("message", &said);
                let importance = format!("0.{}", 3 + self.chance.below(4));
                ("conversation", content, column(told, 0), importance)
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

    /// Every third entry has a checksum.
    fn signed(&mut self, object: Object, number: usize, damage: Option<Damage>) -> String {
        let unsigned = object.clone().finish();
        let mut tape = Tape::default();
        tape.scan(unsigned.as_bytes(), Newlines::Refused);
        let entry = Json::of(unsigned.as_bytes(), &tape);
        match damage {
            Some(Damage::ChecksumLegacy) => {
                object.text("checksum", &canonical::legacy_checksum(entry)).finish()
            }
            Some(Damage::ChecksumMismatch) => {
                let line = object.text("checksum", &canonical::checksum(entry)).finish();
                line.replacen("\"decay_factor\":1.0", "\"decay_factor\":0.9", 1)
            }
            None if number.is_multiple_of(3) => object.text("checksum", &canonical::checksum(entry)).finish(),
            _ => unsigned,
        }
    }

    fn files(&self, log: &Log, stale: bool) -> Vec<File> {
        let tombstone = |id: &String| {
            let when = self.now.plus(-self.plan.ended * DAY).to_rfc3339();
            Object::new().text("id", id).text("timestamp", &when).text("reason", "user-request").finish()
                + "\n"
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
        let entries = live.iter().fold(Object::new(), |object, placed| {
            let entry = Object::new()
                .raw("line_number", placed.line)
                .raw("byte_offset", placed.offset)
                .text("type", placed.kind)
                .text("timestamp", &placed.when)
                .texts("tags", &placed.tags)
                .raw("importance", &placed.importance);
            object.object(&placed.id, entry)
        });
        let by_tag =
            live.iter().flat_map(|placed| placed.tags.iter().map(|tag| (tag.as_str(), placed.id.as_str())));
        let index = Object::new()
            .raw("version", 1)
            .text("last_updated", &self.now.to_rfc3339())
            .object("entries", entries)
            .ids_by("tags", by_tag)
            .ids_by("types", live.iter().map(|placed| (placed.kind, placed.id.as_str())));
        index.finish().into_bytes()
    }

    fn metadata(&self, log: &Log) -> Vec<u8> {
        let live = self.live(log);
        let count = |kind: &str| live.iter().filter(|placed| placed.kind == kind).count();
        let decay = Object::new()
            .raw("enabled", true)
            .raw("half_life_hours", self.plan.half_life_hours)
            .raw("min_decay_factor", 0.1);
        let statistics = Object::new()
            .raw("conversations", count("conversation"))
            .raw("decisions", count("decision"))
            .raw("findings", count("finding"))
            .raw("preferences", count("preference"));
        let metadata = Object::new()
            .text("session_id", self.plan.name)
            .text("user_id", "user_demo")
            .text("created_at", &self.now.plus(-self.plan.began * DAY).to_rfc3339())
            .text("last_accessed", &self.now.plus(-self.plan.ended * DAY - HOUR).to_rfc3339())
            .raw("total_entries", live.len())
            .raw("total_size_bytes", log.bytes.len())
            .object("decay_config", decay)
            .object("statistics", statistics);
        metadata.finish().into_bytes()
    }
}
