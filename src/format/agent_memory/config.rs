//! `config.json`: recall, retrieval, automation, retention (§ config.json). Every setting
//! may be absent; the format's own tool then takes its default.

use std::path::Path;

use super::shape::{self, Member, Shape};
use crate::format::fields::Need::Optional;
use crate::format::reading;
use crate::model::{Code, Moment, Problem};
use crate::text::json::Json;
use crate::text::names;

/// So many events may wait for a recall where the config does not say.
const BACKLOG: u64 = 10;

const SECTIONS: Shape =
    Shape::Word(&names::<7>("all project project-map current-focus gotchas next-steps validation-commands"));
const POLICIES: Shape = Shape::Word(&["balanced", "imports-only", "local-only", "project-map-protected"]);
const TEMPLATE: Shape = Shape::Object(&[("instructions", Optional, Shape::Text)]);
const MAX_AGE: Member = ("maxAgeDays", Optional, Shape::Count);

const CONFIG: Shape = Shape::Object(&[
    (
        "recall",
        Optional,
        Shape::Object(&[
            ("defaultSection", Optional, SECTIONS),
            ("defaultSource", Optional, Shape::Word(&["all", "local", "imports"])),
            ("policy", Optional, POLICIES),
            ("backlogWarnThreshold", Optional, Shape::Count),
            ("preview", Optional, Shape::Object(&[("showDiffByDefault", Optional, Shape::Flag)])),
        ]),
    ),
    (
        "query",
        Optional,
        Shape::Object(&[
            ("defaultOutput", Optional, Shape::Word(&["text", "json"])),
            (
                "templates",
                Optional,
                Shape::Object(&[
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
        Shape::Object(&[
            ("intervalMinutes", Optional, Shape::Count),
            ("provider", Optional, Shape::Text),
            ("importSyncBeforeRecall", Optional, Shape::Flag),
            ("autoRecall", Optional, Shape::Flag),
        ]),
    ),
    (
        "retention",
        Optional,
        Shape::Object(&[
            ("enabled", Optional, Shape::Flag),
            ("history", Optional, Shape::Object(&[MAX_AGE])),
            ("checkpoints", Optional, Shape::Object(&[MAX_AGE, ("keepRecent", Optional, Shape::Count)])),
            ("archive", Optional, Shape::Object(&[("expireAfterDays", Optional, Shape::Count)])),
        ]),
    ),
]);

/// What is wrong with the config.
pub fn check(path: &Path, bytes: &[u8], now: Moment) -> Vec<Problem> {
    judged(path, bytes, &CONFIG, now)
}

/// What is wrong with a file that is one object and no record.
pub fn judged(path: &Path, bytes: &[u8], shape: &Shape, now: Moment) -> Vec<Problem> {
    reading::read_object(path, bytes, Code::BadJson, &mut |object, problems| {
        let feeds: Vec<usize> = memchr::memchr_iter(b'\n', reading::without_mark(bytes)).collect();
        problems.extend(shape::check(object, "", shape, now).into_iter().map(|found| {
            let (code, severity, message) = found.fault;
            let line = 1 + feeds.partition_point(|feed| *feed < found.at) as u32;
            Problem::of_file(code, severity, path, message).at_line(line)
        }));
    })
}

/// What of the config counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// So many events may wait for a recall.
    pub backlog: u64,
    /// Whether events and checkpoints are moved to the archive, which leaves gaps.
    pub retention: bool,
    /// How old events and checkpoints become, in days.
    pub history_days: u64,
    /// See [`Self::history_days`].
    pub checkpoint_days: u64,
    /// So many of the newest checkpoints stay.
    pub keep_recent: u64,
    /// After how many days an archive batch goes.
    pub expire_days: u64,
}

impl Settings {
    /// Those of a config; the tool's defaults for what it lacks.
    pub fn of(config: Option<Json<'_>>) -> Self {
        let path = |names: &[&str]| config.and_then(|config| config.path(names));
        let count = |names: &[&str], usual| path(names).and_then(|own| own.count()).unwrap_or(usual);
        Settings {
            backlog: count(&["recall", "backlogWarnThreshold"], BACKLOG),
            retention: path(&["retention", "enabled"]).and_then(|own| own.bool()).unwrap_or(true),
            history_days: count(&["retention", "history", "maxAgeDays"], 90),
            checkpoint_days: count(&["retention", "checkpoints", "maxAgeDays"], 30),
            keep_recent: count(&["retention", "checkpoints", "keepRecent"], 10),
            expire_days: count(&["retention", "archive", "expireAfterDays"], 180),
        }
    }
}
