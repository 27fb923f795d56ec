//! `config.json`: recall, retrieval, automation, retention (§ config.json). Every setting may be
//! absent; the format's own tool then uses its default.

use std::path::Path;

use super::json_shape::{self, JsonShape, ShapeMember};
use crate::format::field_reader::Need::Optional;
use crate::format::record_reader;
use crate::model::{Code, Moment, Problem};
use crate::text::json::Json;
use crate::text::names;

/// The number of events that may wait for a recall if the config does not set it.
const BACKLOG: u64 = 10;

const SECTIONS: JsonShape = JsonShape::Word(&names::<7>(
    "all project project-map current-focus gotchas next-steps validation-commands",
));
const POLICIES: JsonShape =
    JsonShape::Word(&["balanced", "imports-only", "local-only", "project-map-protected"]);
const TEMPLATE: JsonShape = JsonShape::Object(&[("instructions", Optional, JsonShape::Text)]);
const MAX_AGE: ShapeMember = ("maxAgeDays", Optional, JsonShape::Count);

pub const CONFIG: JsonShape = JsonShape::Object(&[
    (
        "recall",
        Optional,
        JsonShape::Object(&[
            ("defaultSection", Optional, SECTIONS),
            ("defaultSource", Optional, JsonShape::Word(&["all", "local", "imports"])),
            ("policy", Optional, POLICIES),
            ("backlogWarnThreshold", Optional, JsonShape::Count),
            ("preview", Optional, JsonShape::Object(&[("showDiffByDefault", Optional, JsonShape::Flag)])),
        ]),
    ),
    (
        "query",
        Optional,
        JsonShape::Object(&[
            ("defaultOutput", Optional, JsonShape::Word(&["text", "json"])),
            (
                "templates",
                Optional,
                JsonShape::Object(&[
                    ("answer", Optional, TEMPLATE),
                    ("changes", Optional, TEMPLATE),
                    ("next", Optional, TEMPLATE),
                    ("traps", Optional, TEMPLATE),
                ]),
            ),
        ]),
    ),
    (
        "automation",
        Optional,
        JsonShape::Object(&[
            ("intervalMinutes", Optional, JsonShape::Count),
            ("provider", Optional, JsonShape::Text),
            ("importSyncBeforeRecall", Optional, JsonShape::Flag),
            ("autoRecall", Optional, JsonShape::Flag),
        ]),
    ),
    (
        "retention",
        Optional,
        JsonShape::Object(&[
            ("enabled", Optional, JsonShape::Flag),
            ("history", Optional, JsonShape::Object(&[MAX_AGE])),
            (
                "checkpoints",
                Optional,
                JsonShape::Object(&[MAX_AGE, ("keepRecent", Optional, JsonShape::Count)]),
            ),
            ("archive", Optional, JsonShape::Object(&[("expireAfterDays", Optional, JsonShape::Count)])),
        ]),
    ),
]);

/// Returns the problems of a file that is one object and holds no records.
pub fn judged(path: &Path, bytes: &[u8], shape: &JsonShape, now: Moment) -> Vec<Problem> {
    record_reader::read_object(path, bytes, Code::BadJson, &mut |object, problems| {
        let feeds: Vec<usize> = memchr::memchr_iter(b'\n', record_reader::without_mark(bytes)).collect();
        problems.extend(json_shape::check(object, "", shape, now).into_iter().map(|found| {
            let (code, severity, message) = found.fault;
            let line = 1 + feeds.partition_point(|feed| *feed < found.at) as u32;
            Problem::of_file(code, severity, path, message).at_line(line)
        }));
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
