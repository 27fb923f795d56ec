//! The store's config (§7.1). With a session's metadata it sets decay (§4.4, §7.2).

use std::path::Path;
use std::time::Duration;

pub use crate::format::tuning::flag;
use crate::format::tuning::{self, Backoff, LONGEST_MS, MOST_RETRIES, StoreTuning, positive};
use crate::model::{Code, DecayTable, Problem, Severity};
use crate::text::json::{Json, JsonKind};

/// The half-life and the floor in the metadata of every new session. They override nothing.
const CREATED_WITH: f64 = 168.0;
const CREATED_WITH_MIN: f64 = 0.1;
/// The default size limit of a session in bytes.
const SESSION: u64 = 10 << 20;
/// The default share of that limit at which a session is nearly full.
const NEAR: f64 = 0.9;

/// The defaults of §7.1: retries, and the first pause.
const RETRIES: u32 = 3;
const BACKOFF: Duration = Duration::from_millis(100);

/// Returns the half-lives of §4.4.
pub fn default_decay() -> DecayTable {
    let half_lives = [
        ("conversation", Some(168.0)),
        ("decision", Some(720.0)),
        ("finding", Some(336.0)),
        ("preference", None),
    ];
    DecayTable::new(&half_lives, Some(CREATED_WITH), 0.1)
}

/// Returns a session's size limit in bytes, and the share at which it is nearly full.
pub fn size_limit(config: Option<Json<'_>>) -> (u64, f64) {
    let storage = |name: &str| config?.path(&["storage", name])?.number().filter(|number| *number > 0.0);
    let limit = storage("max_session_size_mb").map_or(SESSION, |mb| (mb * f64::from(1 << 20)) as u64);
    (limit, storage("compaction_threshold").filter(|share| *share <= 1.0).unwrap_or(NEAR))
}

/// True if a session of this size has the share of its limit at which it is nearly full. Its own share comes first.
pub fn is_full(size: u64, (limit, share): (u64, f64), of_session: Option<f64>) -> bool {
    size as f64 >= limit as f64 * of_session.unwrap_or(share)
}

/// True if new entries get a checksum. The config can turn that off.
pub fn signs(config: Option<Json<'_>>) -> bool {
    flag(config, &["integrity", "enable_checksums"]) != Some(false)
}

/// Returns whether a session's metadata says to compact it by itself, and from which share of its limit (§7.2).
pub fn of_session(metadata: Option<Json<'_>>) -> (Option<bool>, Option<f64>) {
    let compaction = metadata.and_then(|metadata| metadata.get("compaction_config"));
    let share = compaction.and_then(|compaction| positive(compaction.get("threshold")));
    (flag(compaction, &["auto_compact"]), share.filter(|share| *share <= 1.0))
}

/// True if a full session is compacted by itself: as its metadata says, or else the config (§7.1), whose default is true.
/// Without a config nothing is.
pub fn compacts(config: Option<Json<'_>>, of_session: Option<bool>) -> bool {
    let of_store = || config.is_some() && flag(config, &["storage", "auto_compact"]) != Some(false);
    of_session.unwrap_or_else(of_store)
}

/// Returns the tuning. `retry_backoff_ms` is the first pause, for a held lock and after a failed
/// write. It doubles `max_retries` times (§4.2). `lock_timeout_ms` is the whole wait (§17.1).
pub fn tuning(config: Option<Json<'_>>) -> StoreTuning {
    let value = |section: &str, name: &str| config?.path(&[section, name]);
    let retries = value("concurrency", "max_retries").and_then(|own| own.number());
    let retries = retries.filter(|own| is_count(*own)).map_or(RETRIES, |own| own as u32);
    let first = tuning::millis(value("concurrency", "retry_backoff_ms")).unwrap_or(BACKOFF);
    let usual = StoreTuning::default();
    StoreTuning {
        lock_timeout: tuning::millis(value("concurrency", "lock_timeout_ms")).unwrap_or(usual.lock_timeout),
        lock_backoff: Some(Backoff { first, doublings: retries }),
        retries,
        index_after: tuning::millis(value("performance", "batch_write_interval_ms"))
            .unwrap_or(usual.index_after),
        defers_indexes: flag(config, &["performance", "index_in_memory"]) != Some(false),
        ..usual
    }
}

fn is_count(number: f64) -> bool {
    number.fract() == 0.0 && (0.0..=MOST_RETRIES).contains(&number)
}

pub fn apply_config(table: &mut DecayTable, config: Json<'_>) {
    let Some(decay) = config.get("decay") else { return };
    if let Some(types) = decay.get("type_specific") {
        for (kind, settings) in types.members() {
            let (kind, fades) = (kind.text().unwrap_or_default(), !is_false(settings, "decay_enabled"));
            let hours = positive(settings.get("half_life_hours")).filter(|_| fades);
            if hours.is_some() || !fades {
                table.set_half_life(&kind, hours);
            }
        }
    }
    if let Some(min) = fraction(decay, "min_decay_factor") {
        table.set_min(min);
    }
    if is_false(decay, "enabled") {
        table.disable();
    }
}

/// Applies a session's metadata to decay, after the store's config.
pub fn apply_session(table: &mut DecayTable, metadata: Json<'_>) {
    let Some(decay) = metadata.get("decay_config") else { return };
    if let Some(hours) = positive(decay.get("half_life_hours")).filter(|hours| *hours != CREATED_WITH) {
        table.set_every_half_life(hours);
    }
    if let Some(min) = fraction(decay, "min_decay_factor").filter(|min| *min != CREATED_WITH_MIN) {
        table.set_min(min);
    }
    if is_false(decay, "enabled") {
        table.disable();
    }
}

fn is_false(object: Json<'_>, name: &str) -> bool {
    flag(Some(object), &[name]) == Some(false)
}

fn fraction(object: Json<'_>, name: &str) -> Option<f64> {
    object.get(name)?.number().filter(|number| (0.0..=1.0).contains(number))
}

pub fn check(config: Json<'_>, path: &Path) -> Vec<Problem> {
    let mut found = SettingsCheck { path, problems: Vec::new() };
    if let Some(message) = tuning::other_value(config, &["version"], &["1.0", "1", "1.0.0"]) {
        found.add(Code::UnsupportedVersion, Severity::Warning, message);
    }
    for (section, name, range) in NUMBERS {
        if let Some(value) = config.path(&[section, name]) {
            found.number(&format!("{section}.{name}"), value, range);
        }
    }
    for section in ["storage", "concurrency", "decay", "performance", "integrity"] {
        found.is_of(section, config.get(section), JsonKind::Object);
    }
    for (section, name) in [
        ("decay", "enabled"),
        ("performance", "index_in_memory"),
        ("storage", "auto_compact"),
        ("integrity", "enable_checksums"),
    ] {
        found.is_of(&format!("{section}.{name}"), config.path(&[section, name]), JsonKind::Bool);
    }
    let other = tuning::other_value(config, &["integrity", "checksum_algorithm"], &["sha256", "sha-256"]);
    if let Some(message) = other.filter(|_| signs(Some(config))) {
        found.add(Code::OutOfRange, Severity::Error, message);
    }
    found.is_of("decay.type_specific", config.path(&["decay", "type_specific"]), JsonKind::Object);
    if let Some(types) = config.path(&["decay", "type_specific"]) {
        for (kind, settings) in types.members() {
            found.type_specific(&kind.text().unwrap_or_default(), settings);
        }
    }
    found.problems
}

pub fn check_session(metadata: Json<'_>, path: &Path) -> Vec<Problem> {
    let mut found = SettingsCheck { path, problems: Vec::new() };
    for (section, name) in [("decay_config", "enabled"), ("compaction_config", "auto_compact")] {
        found.is_of(section, metadata.get(section), JsonKind::Object);
        found.is_of(&format!("{section}.{name}"), metadata.path(&[section, name]), JsonKind::Bool);
    }
    for (section, name, range) in [
        ("decay_config", "half_life_hours", ConfigRange::Positive),
        ("decay_config", "min_decay_factor", ConfigRange::Fraction),
        ("compaction_config", "threshold", ConfigRange::Fraction),
    ] {
        if let Some(value) = metadata.path(&[section, name]) {
            found.number(&format!("{section}.{name}"), value, range);
        }
    }
    found.problems
}

#[derive(Clone, Copy)]
enum ConfigRange {
    Positive,
    Fraction,
    /// A time in milliseconds.
    Millis,
    Retries,
}

/// The numbers of the config that have an effect or a range.
const NUMBERS: [(&str, &str, ConfigRange); 9] = [
    ("storage", "max_session_size_mb", ConfigRange::Positive),
    ("storage", "compaction_threshold", ConfigRange::Fraction),
    ("concurrency", "lock_timeout_ms", ConfigRange::Millis),
    ("concurrency", "max_retries", ConfigRange::Retries),
    ("concurrency", "retry_backoff_ms", ConfigRange::Millis),
    ("decay", "min_decay_factor", ConfigRange::Fraction),
    ("decay", "update_interval_minutes", ConfigRange::Positive),
    ("performance", "cache_size", ConfigRange::Positive),
    ("performance", "batch_write_interval_ms", ConfigRange::Millis),
];

struct SettingsCheck<'a> {
    path: &'a Path,
    problems: Vec<Problem>,
}

impl SettingsCheck<'_> {
    fn add(&mut self, code: Code, severity: Severity, message: String) {
        self.problems.push(Problem::of_file(code, severity, self.path, message));
    }

    /// Adds a problem if a setting has the wrong type. It has no effect then.
    fn is_of(&mut self, name: &str, value: Option<Json<'_>>, wanted: JsonKind) {
        if let Some(value) = value.filter(|value| value.kind() != wanted && !value.is_null()) {
            self.add(Code::WrongType, Severity::Error, tuning::wrong_kind(name, wanted, value));
        }
    }

    fn number(&mut self, name: &str, value: Json<'_>, range: ConfigRange) {
        let Some(number) = value.number() else {
            let message = tuning::wrong_kind(name, JsonKind::Number, value);
            return self.add(Code::WrongType, Severity::Error, message);
        };
        let (fits, wanted) = match range {
            ConfigRange::Positive => (number > 0.0, "more than 0"),
            ConfigRange::Fraction => ((0.0..=1.0).contains(&number), "from 0 to 1"),
            ConfigRange::Millis => (number > 0.0 && number <= LONGEST_MS, "more than 0, and a day at most"),
            ConfigRange::Retries => (is_count(number), "a whole number from 0 to 100"),
        };
        if !fits {
            let message = format!("`{name}` is {number}; it should be {wanted}, and is ignored.");
            self.add(Code::OutOfRange, Severity::Error, message);
        }
    }

    fn type_specific(&mut self, kind: &str, settings: Json<'_>) {
        let name = format!("decay.type_specific.{kind}");
        if settings.kind() != JsonKind::Object {
            let message = tuning::wrong_kind(&name, JsonKind::Object, settings);
            return self.add(Code::WrongType, Severity::Error, message);
        }
        self.is_of(&format!("{name}.decay_enabled"), settings.get("decay_enabled"), JsonKind::Bool);
        if let Some(hours) = settings.get("half_life_hours") {
            self.number(&format!("{name}.half_life_hours"), hours, ConfigRange::Positive);
            if is_false(settings, "decay_enabled") {
                let message = format!("`{name}` sets a half-life and turns decay off. It does not fade.");
                self.add(Code::ConfigContradiction, Severity::Warning, message);
            }
        }
    }
}
