//! The demo's `memory-server` store.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::damage::{Damage, LONG_TAG};
use super::json::{ids_by, list, quoted};
use super::log::{Log, Placed, Planted};
use super::material::{About, Material, column, tags};
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};

/// Where the store is in the demo's folder.
const ROOT: &str = "agents/memories";

/// How many memories each file holds, and over how many days they go back.
const CORE: (usize, i64) = (60, 300);
const LEARNINGS: (usize, i64) = (84, 80);
const TASKS: (usize, i64) = (36, 25);
const ARCHIVED: (usize, i64) = (28, 320);

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let mut writer = Writer { material, chance, now };
    let core = writer.log("core_memories.jsonl", About::Core, CORE, &[(17, Damage::DuplicateId)]);
    let learnings = writer.log(
        "learnings.jsonl",
        About::Learning,
        LEARNINGS,
        &[(12, Damage::ExtraBrace), (31, Damage::LongTag), (55, Damage::Torn), (70, Damage::NoTimezone)],
    );
    let tasks =
        writer.log("tasks.jsonl", About::Task, TASKS, &[(9, Damage::Glued), (30, Damage::FutureTimestamp)]);
    let archived = writer.archives();
    let live = [&core, &learnings, &tasks];
    let index = root("index.json");
    let mut planted: Vec<Planted> = live.iter().flat_map(|log| log.planted.clone()).collect();
    planted.push((index.clone(), None, Code::IndexStale));
    let mut files: Vec<File> = live.iter().map(|log| log.file()).collect();
    files.push((index, index_of(&live, &archived, now)));
    files.extend(backups(&learnings, now));
    files.extend(archived.iter().map(Log::file));
    (files, planted)
}

fn root(file: &str) -> PathBuf {
    Path::new(ROOT).join(file)
}

struct Writer<'a> {
    material: &'a mut Material,
    chance: &'a mut Chance,
    now: Moment,
}

impl Writer<'_> {
    fn log(
        &mut self,
        file: &str,
        about: About,
        (count, days): (usize, i64),
        damage: &[(usize, Damage)],
    ) -> Log {
        let mut log = Log::new(&root(file));
        for number in 0..count {
            let damage = damage.iter().find(|(at, _)| *at == number).map(|(_, damage)| *damage);
            let age = days * DAY * (count - number) as i64 / count as i64;
            let age = age - self.chance.below(HOUR as usize) as i64;
            self.add(&mut log, about, age, damage, false);
        }
        log
    }

    /// Memories that were moved aside a year to some months ago, by quarter.
    fn archives(&mut self) -> Vec<Log> {
        let mut logs: Vec<Log> = Vec::new();
        for number in 0..ARCHIVED.0 {
            let age = (ARCHIVED.1 - 6 * number as i64) * DAY;
            let (year, quarter) = self.now.plus(-age).quarter().unwrap_or((1970, 1));
            let path = root(&format!("archive/{year}/learnings_{year}_Q{quarter}.jsonl"));
            if logs.last().is_none_or(|log| log.file().0 != path) {
                logs.push(Log::new(&path));
            }
            let Some(mut log) = logs.pop() else { continue };
            self.add(&mut log, About::Learning, age, None, true);
            logs.push(log);
        }
        logs
    }

    fn add(&mut self, log: &mut Log, about: About, age: i64, damage: Option<Damage>, archived: bool) {
        let told = self.material.tell(about, self.chance);
        let task = about == About::Task;
        let kind = match about {
            About::Core => "core",
            About::Task => "task",
            _ => "learning",
        };
        let text = match self.chance.below(24) {
            0 if !task => super::told_with_secret(self.material, self.chance),
            _ => column(&told, 3).to_owned(),
        };
        let mut own_tags = tags(column(&told, 1));
        if damage == Some(Damage::LongTag) {
            own_tags.push(LONG_TAG.into());
        }
        let id = match log.placed.first() {
            Some(first) if damage == Some(Damage::DuplicateId) => first.id.clone(),
            _ => self.chance.uuid(),
        };
        let created = self.created(age, damage);
        let accessed = self.now.plus(-(age / (1 + self.chance.below(6) as i64))).to_rfc3339();
        let category = if task { "task" } else { column(&told, 0) };
        let importance = column(&told, 2).to_owned();
        let text = quoted(&text);
        let accessed = if damage.is_some() { &created } else { &accessed };
        let (count, listed) = (self.chance.below(12), list(&own_tags));
        let mut line = format!(
            r#"{{"id":"{id}","type":"{kind}","content":{text},"category":"{category}","created_at":"{created}","updated_at":"{created}","accessed_at":"{accessed}","access_count":{count},"tags":{listed},"importance":"{importance}","archived":{archived}"#
        );
        if task {
            line += &format!(r#","task_metadata":{}"#, self.task(&told, age));
        }
        let category = category.to_owned();
        let placed =
            Placed { id, kind, when: created, tags: own_tags, importance, category, ..Placed::default() };
        log.add(placed, &(line + "}"), damage);
    }

    fn created(&self, age: i64, damage: Option<Damage>) -> String {
        match damage {
            Some(Damage::FutureTimestamp) => self.now.plus(2 * DAY).to_rfc3339(),
            Some(Damage::NoTimezone) => self.now.plus(-age).to_rfc3339().trim_end_matches('Z').to_owned(),
            _ => self.now.plus(-age).to_rfc3339(),
        }
    }

    fn task(&mut self, told: &[String], age: i64) -> String {
        let (status, said) = (column(told, 0), quoted(column(told, 4)));
        let more = match status {
            "completed" => {
                let done = self.now.plus(-age / 2).to_rfc3339();
                format!(r#","completed_at":"{done}","outcome":{said}"#)
            }
            "blocked" => format!(r#","blockers":[{said}]"#),
            _ => String::new(),
        };
        format!(r#"{{"status":"{status}"{more}}}"#)
    }
}

/// The index as its writer left it before the last learning came: stale.
fn index_of(live: &[&Log; 3], archived: &[Log], now: Moment) -> Vec<u8> {
    let all: Vec<&Placed> = live.iter().flat_map(|log| &log.placed).collect();
    let indexed: Vec<&&Placed> = all.iter().rev().skip(1).rev().collect();
    let count = |kind: &str| all.iter().filter(|placed| placed.kind == kind).count();
    let archived: usize = archived.iter().map(|log| log.placed.len()).sum();
    let bytes: usize = live.iter().map(|log| log.bytes.len()).sum();
    let (core, learning, task) = (count("core"), count("learning"), count("task"));
    let by_tag = ids_by(indexed.iter().flat_map(|placed| placed.tags_and_id()));
    let by = |word: for<'p> fn(&'p Placed) -> &'p str| {
        ids_by(indexed.iter().map(|own| (word(own), own.id.as_str())))
    };
    let (by_category, by_importance) = (by(|own| &own.category), by(|own| &own.importance));
    let (all, now) = (all.len(), now.to_rfc3339());
    let index = format!(
        r#"{{"version":"1.0.0","last_updated":"{now}","statistics":{{"total_memories":{all},"by_type":{{"core":{core},"learning":{learning},"task":{task}}},"archived_count":{archived},"total_storage_bytes":{bytes}}},"tags_index":{by_tag},"category_index":{by_category},"importance_index":{by_importance}}}"#
    );
    (index + "\n").into()
}

/// Two earlier states of the learnings.
fn backups(learnings: &Log, now: Moment) -> Vec<File> {
    let earlier = |days: i64, share: usize| {
        let end = learnings.bytes.len() * share / 10;
        let whole = learnings.bytes[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let stamp: String =
            now.plus(-days * DAY).to_rfc3339().chars().filter(char::is_ascii_digit).take(14).collect();
        let (day, time) = stamp.split_at(8);
        (root(&format!(".backup/learnings.jsonl.backup.{day}_{time}")), learnings.bytes[..whole].to_vec())
    };
    vec![earlier(9, 6), earlier(2, 8)]
}
