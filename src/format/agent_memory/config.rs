//! `config.json`: recall, retrieval, automation, retention (§ config.json). Every setting may be
//! absent; the format's own tool then uses its default.

use std::path::Path;

use super::json_shape::JsonShape::{self, Count, Flag, Object, Text, Word};
use super::json_shape::{self, Misfit};
use crate::format::field_reader::Need::Optional;
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, Moment, Problem};
use crate::text::json::Json;
use crate::text::names;

/// The number of events that may wait for a recall if the config does not set it.
const BACKLOG: u64 = 10;

const SECTIONS: JsonShape =
    Word(&names::<7>("all project project-map current-focus gotchas next-steps validation-commands"));
const POLICIES: JsonShape = Word(&["balanced", "imports-only", "local-only", "project-map-protected"]);
const TEMPLATE: JsonShape = Object(&[(&["instructions"], Optional, Text)]);

pub const CONFIG: JsonShape = Object(&[
    (&["recall"], Optional, RECALL),
    (&["query"], Optional, QUERY),
    (&["automation"], Optional, AUTOMATION),
    (&["retention"], Optional, RETENTION),
]);

const RECALL: JsonShape = Object(&[
    (&["defaultSection"], Optional, SECTIONS),
    (&["defaultSource"], Optional, Word(&["all", "local", "imports"])),
    (&["policy"], Optional, POLICIES),
    (&["backlogWarnThreshold"], Optional, Count),
    (&["preview"], Optional, Object(&[(&["showDiffByDefault"], Optional, Flag)])),
]);

const QUERY: JsonShape = Object(&[
    (&["defaultOutput"], Optional, Word(&["text", "json"])),
    (&["templates"], Optional, Object(&[(&["answer", "changes", "next", "traps"], Optional, TEMPLATE)])),
]);

const AUTOMATION: JsonShape = Object(&[
    (&["intervalMinutes"], Optional, Count),
    (&["provider"], Optional, Text),
    (&["importSyncBeforeRecall", "autoRecall"], Optional, Flag),
]);

const RETENTION: JsonShape = Object(&[
    (&["enabled"], Optional, Flag),
    (&["history"], Optional, Object(&[(&["maxAgeDays"], Optional, Count)])),
    (&["checkpoints"], Optional, Object(&[(&["maxAgeDays", "keepRecent"], Optional, Count)])),
    (&["archive"], Optional, Object(&[(&["expireAfterDays"], Optional, Count)])),
]);

/// Reads a file that is one object of a shape and holds no records.
pub fn read(path: &Path, bytes: &[u8], shape: &JsonShape, now: Moment) -> Reading {
    record_reader::object(path, bytes, Code::BadJson, &|object| {
        let feeds: Vec<usize> = memchr::memchr_iter(b'\n', record_reader::without_mark(bytes)).collect();
        let problem = |Misfit { at, fault: (code, severity, message) }| {
            let line = 1 + feeds.partition_point(|feed| *feed < at) as u32;
            Problem::of_file(code, severity, path, message).at_line(line)
        };
        json_shape::check(object, "", shape, now).into_iter().map(problem).collect()
    })
}

/// The settings that palimp uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionConfig {
    /// The number of events that may wait for a recall.
    pub backlog: u64,
    /// Whether retention moves events and checkpoints to the archive, which leaves gaps.
    pub retention: bool,
    /// The age at which events go to the archive, in days.
    pub history_days: u64,
    /// The age at which checkpoints go to the archive, in days.
    pub checkpoint_days: u64,
    /// The number of newest checkpoints that always stay.
    pub keep_recent: u64,
    /// The age at which an archive batch is removed, in days.
    pub expire_days: u64,
}

impl RetentionConfig {
    /// Reads the settings of a config. The tool's defaults replace missing ones.
    pub fn of(config: Option<Json<'_>>) -> Self {
        let path = |names: &[&str]| config.and_then(|config| config.path(names));
        let count = |names: &[&str], usual| path(names).and_then(|own| own.count()).unwrap_or(usual);
        RetentionConfig {
            backlog: count(&["recall", "backlogWarnThreshold"], BACKLOG),
            retention: path(&["retention", "enabled"]).and_then(|own| own.bool()).unwrap_or(true),
            history_days: count(&["retention", "history", "maxAgeDays"], 90),
            checkpoint_days: count(&["retention", "checkpoints", "maxAgeDays"], 30),
            keep_recent: count(&["retention", "checkpoints", "keepRecent"], 10),
            expire_days: count(&["retention", "archive", "expireAfterDays"], 180),
        }
    }
}
