//! A new entry as a line of its session's log (§3.1, §14.2).

use std::path::{Path, PathBuf};

use super::config;
use super::write::check_tags;
use crate::format::writing::{
    AppendContext, AppendLines, RecordDraft, RecordMembers, Refusal, Result, list, refuse_taken,
    with_config_of, within_limit,
};
use crate::model::{Moment, is_file_name};
use crate::text::digest::hex;
use crate::text::json_scanner::Tape;
use crate::text::{canonical, json_edit, names};

/// The members of an entry, in the order of §3.1.
const ORDER: [&str; 10] = names(
    "id session_id timestamp type content importance decay_factor tags references \
    checksum",
);
/// The most bytes of an entry (§14.2).
const ENTRY: usize = 1 << 20;
/// The most characters of an entry's id (§14.2).
const ID: usize = 32;

/// The values for what a draft does not have.
pub struct EntryDefaults<'a> {
    pub session: &'a str,
    /// The time that is written.
    pub now: Moment,
    /// Random bytes for the id.
    pub random: [u8; 16],
    /// True if the entry gets a checksum.
    pub signs: bool,
}

/// Returns the line of an entry, with its line end. `has` is true for ids in the log.
pub fn new_entry(
    draft: &RecordDraft<'_>,
    given: &EntryDefaults<'_>,
    has: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>> {
    let mut members = RecordMembers::of(draft.record)?;
    if members.get("session_id").is_some_and(|raw| raw != json_edit::quoted(given.session)) {
        return Err(Refusal::invalid("the memory names another session than --session does."));
    }
    members.or_text("id", &format!("mem_{}", &hex(&given.random)[..16]));
    members.or_text("session_id", given.session);
    members.or_text("timestamp", &given.now.to_millis());
    members.or_text("type", draft.kind);
    if let Some(text) = draft.text {
        members.or("content", content(draft.kind, text));
    }
    if let Some(importance) = draft.importance {
        members.set("importance", importance.to_string());
    }
    members.or("importance", "0.5");
    members.or("decay_factor", "1.0");
    if !draft.tags.is_empty() {
        members.set("tags", list(draft.tags));
    }
    members.or("tags", "[]");
    members.or("references", "[]");
    check_ids(&members, has)?;
    let mut line = members.to_line(&ORDER);
    if given.signs && members.get("checksum").is_none() {
        let mut tape = Tape::default();
        let checksum = canonical::checksum(json_edit::scan(&mut tape, &line)?);
        members.set("checksum", json_edit::quoted(&checksum));
        line = members.to_line(&ORDER);
    }
    if line.len() > ENTRY {
        return Err(Refusal::too_large(format!("the memory has {} bytes; {ENTRY} are allowed.", line.len())));
    }
    Ok(line)
}

/// Returns the line of an entry, if its session is not nearly full.
pub fn appended(context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
    let Some(session) = draft.session.filter(|name| is_file_name(name)) else { return Ok(None) };
    let file = |name: &str| -> PathBuf { Path::new("sessions").join(session).join(name) };
    let lens = ["memory.jsonl", "tombstones.jsonl", "index.json"].map(|name| context.lookup.len(&file(name)));
    let [Ok(Some(len)), Ok(deleted), Ok(index)] = lens else { return Ok(None) };
    let Ok(config) = context.lookup.small(Path::new("config.json")) else { return Ok(None) };
    let Ok(metadata) = context.lookup.small(&file("metadata.json")) else { return Ok(None) };
    let of_session = with_config_of(metadata.as_deref(), config::of_session);
    let (limit, signs, compacts) = with_config_of(config.as_deref(), |config| {
        (config::size_limit(config), config::signs(config), config::compacts(config, of_session.0))
    });
    let given = EntryDefaults { session, now: context.now, random: context.random, signs };
    // An id that palimp makes needs no search.
    let own = RecordMembers::of(draft.record)?.text("id").ok().flatten();
    let is_there = own.as_deref().map(|id| context.lookup.has_id(Some(&file("memory.jsonl")), id));
    if is_there == Some(None) {
        return Ok(None);
    }
    let line = new_entry(draft, &given, &|_| is_there.flatten() == Some(true))?;
    let (log, beside) = (len + line.len() as u64, deleted.unwrap_or(0));
    let index = index.unwrap_or(0);
    if !compacts {
        within_limit(Path::new(session), len + beside + index, log + beside + index, limit.0)?;
    }
    // An index that waits is longer than its file.
    let at_most = index.max((log as f64 * in_index(&line)) as u64);
    let is_full = config::is_full(log + beside + at_most, limit, of_session.1);
    Ok((!is_full).then(|| vec![(file("memory.jsonl"), line)]))
}

/// Returns how many bytes of an index come with a byte of the log, at most, if all entries are like this one. Each tag has
/// a list of ids.
fn in_index(line: &[u8]) -> f64 {
    let mut tape = Tape::default();
    let Ok(entry) = json_edit::scan(&mut tape, line) else { return 1.0 };
    let len = |name: &str| entry.get(name).map_or(0, |own| own.raw().len());
    let tags = entry.get("tags").map_or(0, |own| own.items().count());
    let bytes = 150 + len("timestamp") + len("type") + 2 * len("tags") + (tags + 2) * (len("id") + 4);
    bytes as f64 / line.len() as f64
}

/// Returns the `content` with the main text of a new entry.
fn content(kind: &str, text: &str) -> String {
    let text = json_edit::quoted(text);
    match kind {
        "decision" => format!("{{\"decision\":{text}}}"),
        "finding" => format!("{{\"finding\":{text}}}"),
        "preference" => format!("{{\"preference\":{text}}}"),
        _ => format!("{{\"role\":\"user\",\"message\":{text}}}"),
    }
}

/// Checks what §14.2 requires of new entries. Existing ones may differ.
fn check_ids(members: &RecordMembers, has: &dyn Fn(&str) -> bool) -> Result<()> {
    let mut tape = Tape::default();
    let line = members.to_line(&[]);
    let value = json_edit::scan(&mut tape, &line)?;
    let id = value.get("id").and_then(|id| id.text()).unwrap_or_default().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if id.is_empty() || id.len() > ID || !id.chars().all(plain) {
        return Err(Refusal::invalid(format!(
            "an id has letters, digits and _, {ID} at most; {id:?} has not."
        )));
    }
    refuse_taken(has(&id), format_args!("the id {id}"))?;
    let tags: Vec<String> =
        value.get("tags").iter().flat_map(|tags| tags.items()).map(|tag| tag.plain()).collect();
    check_tags(&tags)
}
