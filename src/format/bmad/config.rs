//! The store's config in its two shapes (§9.1; §6.2 and §7.3), and its effect on decay.
//!
//! palimp obeys: half-lives and rates by type, the floor, `decay.enabled` and its interval, the
//! size limit of a session, the settings of compaction, the days of retention and `auto_purge`,
//! locks, and delays of writes. `check` reports a format, an encoding, a packing or a
//! strategy that palimp does not have. Other settings are shown and ignored.

use std::path::Path;
use std::time::Duration;

use super::auto_redaction::unsafe_patterns;
use crate::format::tuning::{self, Backoff, LONGEST_MS, StoreTuning};
use crate::model::{Code, DecayTable, Problem, Severity};
use crate::text::json::{Json, JsonKind};

/// The half-lives by type, in hours (§6.2).
const HALF_LIVES: [(&str, f64); 4] =
    [("conversation", 168.0), ("decision", 720.0), ("finding", 336.0), ("preference", 1440.0)];
/// How far half-life and rate may differ. The specification's own values differ by up to a sixth.
const APART: f64 = 1.0 / 6.0;
/// By type, the setting of a fragment for the days that records are kept (§7.3).
const RETENTION_DAYS: [(&str, [&str; 3]); 4] = [
    ("conversation", ["privacy_config", "retention_limits", "conversation_days"]),
    ("decision", ["privacy_config", "retention_limits", "decisions_days"]),
    ("finding", ["privacy_config", "retention_limits", "findings_days"]),
    ("preference", ["privacy_config", "retention_limits", "preferences_days"]),
];
/// The size limit of a session, and the size at which it is compacted, in MiB (§9.1).
const SIZES: (f64, f64) = (10.0, 9.0);
/// The share of records that a compaction keeps (§9.1).
const KEPT: f64 = 0.8;

/// Defaults of §9.1: the pause between two looks at a lock, and the number of records after which the index is written.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const BATCH: usize = 100;
/// The longest of these times: a day, in seconds.
const LONGEST_S: f64 = LONGEST_MS / 1000.0;

/// Returns the half-lives of §6.2, with the boost of §6.1.
pub fn default_decay() -> DecayTable {
    let half_lives = HALF_LIVES.map(|(kind, hours)| (kind, Some(hours)));
    let mut table = DecayTable::new(&half_lives, Some(HALF_LIVES[0].1), 0.1);
    table.set_half_life("knowledge", None);
    table.boost();
    table
}

/// Returns a session's size limit and the size from which it is near the limit, in bytes.
pub fn size_limits(config: Option<Json<'_>>) -> (u64, u64) {
    let megabytes = |path: [&str; 3], default: f64| {
        let own = config.and_then(|config| positive(config, &path));
        (own.unwrap_or(default) * f64::from(1 << 20)) as u64
    };
    let limit = megabytes(["memory_config", "storage", "max_session_size_mb"], SIZES.0);
    (limit, megabytes(["memory_config", "compaction", "trigger_threshold_mb"], SIZES.1).min(limit))
}

/// Returns the settings of locks, and of what an open store writes later.
pub fn tuning(config: Option<Json<'_>>) -> StoreTuning {
    let value = |section: &str, name: &str| config?.path(&["memory_config", section, name]);
    let usual = StoreTuning::default();
    let look_every = tuning::millis(value("concurrency", "lock_retry_interval_ms")).unwrap_or(LOOK_EVERY);
    let batch = tuning::positive(value("performance", "batch_write_size"));
    StoreTuning {
        lock_timeout: tuning::millis(value("concurrency", "lock_timeout_ms")).unwrap_or(usual.lock_timeout),
        lock_backoff: Some(Backoff { first: look_every, doublings: 0 }),
        index_after_records: batch.map_or(BATCH, |own| own.ceil() as usize),
        ..usual
    }
}

/// True unless the config says that sessions have no index.
pub fn indexes(config: Option<Json<'_>>) -> bool {
    tuning::flag(config, &["memory_config", "indexing", "enabled"]) != Some(false)
}

/// True if the config says that an `add` compacts a session that it fills.
pub fn compacts(config: Option<Json<'_>>) -> bool {
    tuning::flag(config, &["memory_config", "compaction", "enabled"]) == Some(true)
}

/// Returns the share of a session's records that a compaction keeps.
pub fn keep_share(config: Option<Json<'_>>) -> f64 {
    let own = config.and_then(|config| positive(config, &["memory_config", "compaction", "keep_percentage"]));
    own.filter(|share| *share <= 1.0).unwrap_or(KEPT)
}

/// True if the config says how often decay factors are written back, and does not disable decay.
pub fn updates_decay(config: Option<Json<'_>>) -> bool {
    let Some(config) = config else { return false };
    let often = [&["memory_config", "decay", "update_interval_hours"][..], &["update_interval_hours"]];
    is_on(config) && often.iter().any(|path| positive(config, path).is_some())
}

/// The number of days that records are kept, by type.
#[derive(Debug, Default)]
pub struct Retention {
    days: Vec<(&'static str, i64)>,
}

impl Retention {
    /// Returns the days of a type, if it has a limit.
    pub fn of(&self, kind: &str) -> Option<i64> {
        self.days.iter().find(|(own, _)| *own == kind).map(|(_, days)| *days)
    }

    /// Returns in words how long each type is kept.
    pub fn told(&self) -> String {
        let each: Vec<String> =
            self.days.iter().map(|(kind, days)| format!("a {kind} {days} days")).collect();
        each.join(", ")
    }

    /// Returns the longest time of all types, in days.
    pub fn longest(&self) -> Option<i64> {
        self.days.iter().map(|(_, days)| *days).max()
    }
}

/// Returns the ages at which records are deleted; `None` without `auto_purge`. The whole config
/// overrides the fragment (§9.1 over §7.3).
pub fn retention(config: Option<Json<'_>>) -> Option<Retention> {
    let purges = tuning::flag(config, &["memory_config", "privacy", "auto_purge"])
        .or_else(|| tuning::flag(config, &["privacy_config", "auto_purge", "enabled"]));
    let config = config?;
    let days = RETENTION_DAYS.iter().filter_map(|(kind, fragment)| {
        let own = positive(config, &retention_of(kind)).or_else(|| positive(config, fragment))?;
        // A limit of a thousand years or more means that nothing is deleted.
        (own < 365_000.0).then_some((*kind, own.ceil() as i64))
    });
    (purges == Some(true)).then(|| Retention { days: days.collect() })
}

/// Applies the config. Priority: `half_life_hours`, the rate of `memory_config`, the rate of the fragment.
pub fn apply(table: &mut DecayTable, config: Json<'_>) {
    for (kind, _) in HALF_LIVES {
        let half_life = positive(config, &["decay_config", kind, "half_life_hours"]);
        let rate = positive(config, &["memory_config", "decay", "rates", kind])
            .or_else(|| positive(config, &["decay_config", kind, "decay_rate"]));
        if let Some(hours) = half_life.or_else(|| rate.map(half_life_of)) {
            table.set_half_life(kind, Some(hours));
        }
    }
    let floors = [&["memory_config", "decay", "minimum_factor"][..], &["minimum_decay_factor"]];
    let floor = floors.iter().find_map(|path| config.path(path)?.number());
    if let Some(floor) = floor.filter(|floor| (0.0..=1.0).contains(floor)) {
        table.set_min(floor);
    }
    if !is_on(config) {
        table.disable();
    }
}

/// True unless the config disables decay.
fn is_on(config: Json<'_>) -> bool {
    tuning::flag(Some(config), &["memory_config", "decay", "enabled"]) != Some(false)
}

fn half_life_of(rate: f64) -> f64 {
    std::f64::consts::LN_2 / rate * 24.0
}

fn positive(config: Json<'_>, path: &[&str]) -> Option<f64> {
    tuning::positive(config.path(path))
}

pub fn check(config: Json<'_>, path: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |code, message: String| {
        problems.push(Problem::of_file(code, Severity::Warning, path, message));
    };
    for (path, does, code) in ONLY {
        if let Some(message) = tuning::other_value(config, path, does) {
            add(code, message);
        }
    }
    for (section, name, wanted) in KINDS {
        let value = config.path(&["memory_config", section, name]);
        if let Some(value) = value.filter(|own| own.kind() != wanted && !own.is_null()) {
            let name = format!("memory_config.{section}.{name}");
            add(Code::WrongType, tuning::wrong_kind(&name, wanted, value));
        }
    }
    for (names, largest) in numbers() {
        let Some(value) = config.path(&names) else { continue };
        let name = names.join(".");
        match value.number() {
            None => add(Code::WrongType, tuning::wrong_kind(&name, JsonKind::Number, value)),
            Some(number) if number <= 0.0 || number > largest => {
                add(Code::OutOfRange, format!("`{name}` is {number}; it is ignored."));
            }
            Some(_) => {}
        }
    }
    let rates = HALF_LIVES.iter().flat_map(|(kind, _)| contradictions(config, kind));
    for message in rates.chain(overridden(config)).chain(unsafe_patterns(config)) {
        add(Code::ConfigContradiction, message);
    }
    problems
}

const KINDS: [(&str, &str, JsonKind); 3] = [
    ("indexing", "enabled", JsonKind::Bool),
    ("indexing", "update_strategy", JsonKind::String),
    ("performance", "lazy_load", JsonKind::Bool),
];

/// Settings with one value that palimp knows, in its spellings.
const ONLY: [(&[&str], &[&str], Code); 5] = [
    (&["memory_config", "version"], &["1.0", "1", "1.0.0"], Code::UnsupportedVersion),
    (&["memory_config", "storage", "format"], &["jsonl"], Code::OutOfRange),
    (&["memory_config", "storage", "encoding"], &["utf-8", "utf8"], Code::OutOfRange),
    (&["memory_config", "storage", "compression", "enabled"], &["false"], Code::OutOfRange),
    (&["memory_config", "compaction", "strategy"], &["relevance_based"], Code::OutOfRange),
];

/// Returns the numbers that palimp obeys or never exceeds: path and largest value of each.
fn numbers() -> Vec<(Vec<&'static str>, f64)> {
    let any = f64::INFINITY;
    let mut numbers = vec![
        (vec!["memory_config", "storage", "max_session_size_mb"], any),
        (vec!["memory_config", "compaction", "trigger_threshold_mb"], any),
        (vec!["memory_config", "compaction", "keep_percentage"], 1.0),
        (vec!["memory_config", "decay", "minimum_factor"], 1.0),
        (vec!["minimum_decay_factor"], 1.0),
        (vec!["memory_config", "concurrency", "lock_timeout_ms"], LONGEST_MS),
        (vec!["memory_config", "concurrency", "lock_retry_interval_ms"], LONGEST_MS),
        (vec!["memory_config", "concurrency", "max_concurrent_writes"], any),
        (vec!["memory_config", "indexing", "rebuild_threshold_writes"], any),
        (vec!["memory_config", "indexing", "cache_size_mb"], any),
        (vec!["memory_config", "performance", "batch_write_size"], any),
        (vec!["memory_config", "performance", "index_cache_ttl_seconds"], LONGEST_S),
    ];
    for (kind, _) in HALF_LIVES {
        numbers.push((vec!["memory_config", "decay", "rates", kind], any));
        numbers.push((vec!["decay_config", kind, "decay_rate"], any));
        numbers.push((vec!["decay_config", kind, "half_life_hours"], any));
        numbers.push((vec!["memory_config", "privacy", "retention_days", kind], any));
    }
    numbers
}

/// Returns a message for each value of a type that contradicts the value in use. The first that
/// exists is in use: the half-life, the rate of the whole config, the rate of the fragment.
fn contradictions(config: Json<'_>, kind: &str) -> Vec<String> {
    let hours = positive(config, &["decay_config", kind, "half_life_hours"]);
    let rate = |path: &[&str]| {
        let rate = positive(config, path)?;
        Some((half_life_of(rate), format!("its rate of {rate} a day in `{}`", path.join("."))))
    };
    let said: Vec<(f64, String)> = [
        hours.map(|hours| (hours, format!("its half-life of {hours} h"))),
        rate(&["memory_config", "decay", "rates", kind]),
        rate(&["decay_config", kind, "decay_rate"]),
    ]
    .into_iter()
    .flatten()
    .collect();
    let Some(((used, name), others)) = said.split_first() else { return Vec::new() };
    let apart = |hours: f64| (hours / used - 1.0).abs() > APART && (used / hours - 1.0).abs() > APART;
    let differing = others.iter().filter(|(hours, _)| apart(*hours));
    let told = |(hours, other): &(f64, String)| {
        format!(
            "The half-life of a {kind} is {used:.0} h in {name} and {hours:.0} h in {other}. {used:.0} h is used."
        )
    };
    differing.map(told).collect()
}

/// Returns messages about fragment settings with other values than the config (§9.1 over §6.2 and §7.3).
fn overridden(config: Json<'_>) -> Vec<String> {
    let pairs: [(&[&str], &[&str]); 3] = [
        (&["memory_config", "decay", "minimum_factor"], &["minimum_decay_factor"]),
        (&["memory_config", "decay", "update_interval_hours"], &["update_interval_hours"]),
        (&["memory_config", "privacy", "auto_purge"], &["privacy_config", "auto_purge", "enabled"]),
    ];
    let differ = |own: &[&str], fragment: &[&str]| {
        let (used, other) = (config.path(own)?, config.path(fragment)?);
        let is_same = match (used.number(), other.number()) {
            (Some(used), Some(other)) => used == other,
            _ => used.raw() == other.raw(),
        };
        let (own, fragment) = (own.join("."), fragment.join("."));
        let (used, other) = (used.plain(), other.plain());
        (!is_same).then(|| format!("`{own}` is {used}, and `{fragment}` is {other}: {used} is used."))
    };
    let days = RETENTION_DAYS.iter().filter_map(|(kind, fragment)| differ(&retention_of(kind), fragment));
    pairs.into_iter().filter_map(|(own, fragment)| differ(own, fragment)).chain(days).collect()
}

fn retention_of(kind: &'static str) -> [&'static str; 4] {
    ["memory_config", "privacy", "retention_days", kind]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::record_reader::whole_object;
    use crate::text::json_scanner::Tape;

    fn with<T>(config: &str, take: impl FnOnce(Json<'_>) -> T) -> T {
        let mut tape = Tape::default();
        take(whole_object(&mut tape, config.as_bytes()).unwrap())
    }

    fn half_life(config: &str, kind: &str) -> Option<f64> {
        let mut table = default_decay();
        with(config, |config| apply(&mut table, config));
        table.rule(kind).half_life_hours
    }

    #[test]
    fn a_half_life_wins_over_a_rate_and_the_whole_config_over_the_fragment() {
        assert_eq!(half_life("{}", "finding"), Some(336.0));
        let fragment = r#"{"decay_config":{"finding":{"decay_rate":0.5,"half_life_hours":48}}}"#;
        assert_eq!(half_life(fragment, "finding"), Some(48.0));
        let both = r#"{"memory_config":{"decay":{"rates":{"finding":0.2}}},"decay_config":{"finding":{"decay_rate":0.5}}}"#;
        assert!((half_life(both, "finding").unwrap() - 83.177).abs() < 0.001);
        assert_eq!(half_life(r#"{"memory_config":{"decay":{"enabled":false}}}"#, "decision"), None);
    }

    #[test]
    fn the_specification_s_own_numbers_do_not_contradict_each_other_and_others_do() {
        let codes = |config: &str| -> Vec<Code> {
            with(config, |config| {
                check(config, Path::new("config.json")).iter().map(|own| own.code).collect()
            })
        };
        let own = r#"{"decay_config":{"conversation":{"decay_rate":0.1,"half_life_hours":168},
            "decision":{"decay_rate":0.02,"half_life_hours":720},"finding":{"decay_rate":0.05,"half_life_hours":336},
            "preference":{"decay_rate":0.01,"half_life_hours":1440}},"minimum_decay_factor":0.1}"#;
        assert_eq!(codes(own), []);
        let apart = r#"{"decay_config":{"finding":{"decay_rate":1,"half_life_hours":336}}}"#;
        assert_eq!(codes(apart), [Code::ConfigContradiction]);
        let fragment = r#"{"memory_config":{"decay":{"rates":{"finding":0.05}}},
            "decay_config":{"finding":{"decay_rate":0.5,"half_life_hours":336}}}"#;
        assert_eq!(codes(fragment), [Code::ConfigContradiction]);
        let rates = r#"{"memory_config":{"decay":{"rates":{"finding":0.05}}},"decay_config":{"finding":{"decay_rate":0.5}}}"#;
        assert_eq!(codes(rates), [Code::ConfigContradiction]);
        let purge = r#"{"memory_config":{"privacy":{"auto_purge":true}},"privacy_config":{"auto_purge":{"enabled":false}}}"#;
        assert_eq!(codes(purge), [Code::ConfigContradiction]);
        assert_eq!(codes(r#"{"minimum_decay_factor":3}"#), [Code::OutOfRange]);
    }

    #[test]
    fn settings_of_what_is_kept_and_written_later_are_read_and_wrong_ones_are_not() {
        let usual = with("{}", |config| tuning(Some(config)));
        let own = r#"{"memory_config":{"performance":{"batch_write_size":7}}}"#;
        let own = with(own, |config| tuning(Some(config)));
        assert_eq!((usual.index_after_records, own.index_after_records), (100, 7));
        let wrong = r#"{"memory_config":{"performance":{"batch_write_size":"7"}}}"#;
        assert_eq!(with(wrong, |config| tuning(Some(config))), usual);
    }
}
