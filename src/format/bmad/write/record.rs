//! A new record for one of the logs (§3.2 to §3.5).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::json::{on_one_line, quote, quote_all};
use super::session::check_name;
use super::{Log, Refused, each_piece, json, stamp};
use crate::format::bmad::layout::LOGS;
use crate::format::bmad::view;
use crate::format::reading::{whole_object, without_mark};
use crate::model::{Moment, Severity, meant};
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// Who writes a record where nobody is named.
const WRITER: &str = "palimp";
/// How many digits an id has where none is found.
const DIGITS: usize = 3;
/// Larger numbers in ids were not counted up to.
const LARGEST: u64 = 1_000_000_000_000_000;

/// How the records of a type are written: in the order of the specification's samples.
struct Schema {
    kind: &'static str,
    prefix: &'static str,
    /// The members with the main text and with who wrote it.
    text: &'static str,
    agent: Option<&'static str>,
    /// The order of its members between `timestamp` and `decay_factor`.
    order: &'static [&'static str],
}

const SCHEMAS: [Schema; 4] = [
    Schema {
        kind: "conversation",
        prefix: "msg-",
        text: "content",
        agent: Some("agent_id"),
        order: &["agent_id", "role", "content", "context", "metadata", "tags"],
    },
    Schema {
        kind: "decision",
        prefix: "dec-",
        text: "decision",
        agent: Some("made_by"),
        order: &[
            "made_by",
            "approved_by",
            "decision",
            "rationale",
            "alternatives_considered",
            "impact",
            "tags",
            "references",
        ],
    },
    Schema {
        kind: "finding",
        prefix: "finding-",
        text: "description",
        agent: Some("discovered_by"),
        order: &[
            "discovered_by",
            "category",
            "severity",
            "description",
            "evidence",
            "recommendation",
            "status",
            "tags",
        ],
    },
    Schema {
        kind: "preference",
        prefix: "pref-",
        text: "value",
        agent: None,
        order: &["category", "key", "value", "context", "confidence", "learned_from", "tags"],
    },
];

/// What a new record is to hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draft<'a> {
    /// Its type: `conversation`, `decision`, `finding` or `preference`.
    pub kind: &'a str,
    /// Its main text; of a preference `key: value`, or the value where `extra` has the key.
    pub text: &'a str,
    /// Its tags.
    pub tags: &'a [&'a str],
    /// Who wrote it; not for preferences.
    pub agent: Option<&'a str>,
    /// The role of who wrote a message.
    pub role: Option<&'a str>,
    /// The topic of a message.
    pub topic: Option<&'a str>,
    /// A JSON object with further members, in the schema's names.
    pub extra: Option<&'a [u8]>,
    /// Ids that are not given again, because what they named was deleted.
    pub reserved: &'a [&'a str],
}

/// The log that a new record is appended to, relative to the root, and its line. The
/// record has what the schema requires; a draft that the reader would find a fault in is
/// refused.
pub fn new_record(
    session: &str,
    logs: &[Log<'_>],
    draft: &Draft<'_>,
    now: Moment,
) -> Result<(PathBuf, Vec<u8>), Refused> {
    check_name(session)?;
    let schema = SCHEMAS.iter().find(|schema| schema.kind == draft.kind);
    let schema = schema.ok_or_else(|| Refused::UnknownType(draft.kind.to_owned()))?;
    let log = LOGS.iter().find(|(_, kind)| *kind == schema.kind).map_or("", |(log, _)| log);
    let extra = without_mark(draft.extra.unwrap_or(b"{}"));
    let mut tape = Tape::default();
    let extra =
        whole_object(&mut tape, extra).map_err(|(_, why)| Refused::Unreadable { what: "The record", why })?;
    let mut members = Members(Vec::new());
    for (key, value) in extra.members() {
        members.set(&key.text().unwrap_or_default(), on_one_line(value));
    }
    fill(schema, draft, extra, &mut members)?;
    members.or_else("timestamp", || quote(&stamp(now)));
    members.or_else("decay_factor", || "1.0".into());
    let taken = Ids::of(schema.prefix, logs, draft.reserved);
    if let Some(id) = extra.get("id").and_then(|id| id.text()) {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) || !id.chars().all(plain) {
            return Err(Refused::BadId(id.into_owned()));
        }
        if taken.ids.contains(id.as_ref()) {
            return Err(Refused::IdTaken(id.into_owned()));
        }
    }
    members.or_else("id", || quote(&taken.next(schema.prefix)));
    let path = Path::new("sessions").join(meant(session)).join(log);
    let line = members.write(schema.order) + "\n";
    check(&path, line.as_bytes(), now)?;
    Ok((path, line.into_bytes()))
}

/// What the draft says, and what the schema requires beside it.
fn fill(schema: &Schema, draft: &Draft<'_>, extra: Json<'_>, members: &mut Members) -> Result<(), Refused> {
    let none = |member| Refused::NoSuchMember { kind: schema.kind, member };
    let is_message = schema.kind == "conversation";
    match (schema.agent, draft.agent) {
        (Some(name), Some(agent)) => members.once(name, quote(agent))?,
        (Some(name), None) => members.or_else(name, || quote(WRITER)),
        (None, Some(_)) => return Err(none("agent")),
        (None, None) => {}
    }
    match draft.role {
        Some(role) if is_message => members.once("role", quote(role))?,
        Some(_) => return Err(none("role")),
        None if is_message => members.or_else("role", || quote("user")),
        None => {}
    }
    if let Some(topic) = draft.topic {
        if !is_message {
            return Err(none("topic"));
        }
        members.set("context", topic_in(extra.get("context"), topic)?);
    }
    if !draft.tags.is_empty() {
        members.once("tags", quote_all(draft.tags))?;
    }
    match schema.kind {
        "finding" => {
            members.or_else("severity", || quote("medium"));
            members.or_else("status", || quote("open"));
        }
        "preference" => members.or_else("category", || quote("general")),
        _ => {}
    }
    let mut text = draft.text;
    if schema.kind == "preference" && !members.has("key") {
        let (key, value) = text.split_once(": ").ok_or(Refused::NoKey)?;
        if key.trim().is_empty() {
            return Err(Refused::NoKey);
        }
        members.set("key", quote(key.trim()));
        text = value.trim();
    }
    match text.trim().is_empty() {
        false => members.once(schema.text, quote(text))?,
        true if members.has(schema.text) => {}
        true => return Err(Refused::NoText(schema.kind)),
    }
    Ok(())
}

/// A message's `context` with that topic.
fn topic_in(context: Option<Json<'_>>, topic: &str) -> Result<String, Refused> {
    let members = [("topic", quote(topic))];
    let context = match context {
        None => "{}".to_owned(),
        Some(context) if context.kind() == Kind::Object && context.get("topic").is_none() => {
            on_one_line(context)
        }
        Some(_) => return Err(Refused::GivenTwice("context")),
    };
    let set = json::splice(context.as_bytes(), "The context", |object| json::set(object, &members))?;
    Ok(String::from_utf8_lossy(&set).into_owned())
}

/// Members by name, as JSON.
struct Members(Vec<(String, String)>);

impl Members {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// Of doubled names the last counts.
    fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    fn or_else(&mut self, name: &str, value: impl FnOnce() -> String) {
        if !self.has(name) {
            self.0.push((name.to_owned(), value()));
        }
    }

    /// Sets what the draft gives; another value for it is a contradiction.
    fn once(&mut self, name: &'static str, value: String) -> Result<(), Refused> {
        if self.0.iter().any(|(own, there)| own == name && *there != value) {
            return Err(Refused::GivenTwice(name));
        }
        self.set(name, value);
        Ok(())
    }

    /// The object: the schema's members first, what it does not know before the last.
    fn write(&self, order: &[&str]) -> String {
        let place = |name: &str| match name {
            "id" => 0,
            "timestamp" => 1,
            "decay_factor" => usize::MAX,
            _ => order.iter().position(|own| *own == name).map_or(usize::MAX - 1, |at| at + 2),
        };
        let mut members: Vec<&(String, String)> = self.0.iter().collect();
        members.sort_by_key(|(name, _)| place(name));
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("{}:{value}", quote(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// The ids that are taken, and the largest number among those of one type.
struct Ids {
    ids: HashSet<String>,
    largest: u64,
    digits: usize,
}

impl Ids {
    fn of(prefix: &str, logs: &[Log<'_>], reserved: &[&str]) -> Ids {
        let mut taken = Ids { ids: HashSet::new(), largest: 0, digits: DIGITS };
        each_piece(logs, &mut |log, piece| match piece.object {
            Some(object) => {
                if let Some(id) = object.get("id").and_then(|id| id.text()) {
                    taken.add(prefix, id.into_owned());
                }
            }
            // A torn record keeps its id: it may be repaired.
            None => {
                let bytes = log.bytes.get(piece.start..piece.end).unwrap_or_default();
                let text = String::from_utf8_lossy(bytes);
                for (at, _) in text.match_indices(&format!("\"{prefix}")) {
                    let id = text.get(at + 1..).unwrap_or_default();
                    let end = id.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                    taken.add(prefix, id.get(..end.unwrap_or(id.len())).unwrap_or_default().to_owned());
                }
            }
        });
        reserved.iter().for_each(|id| taken.add(prefix, (*id).to_owned()));
        taken
    }

    fn add(&mut self, prefix: &str, id: String) {
        let digits = id.strip_prefix(prefix).filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| Some((digits.len(), digits.parse::<u64>().ok()?)));
        if let Some((digits, number)) = number.filter(|(_, number)| *number < LARGEST)
            && number >= self.largest
        {
            (self.largest, self.digits) = (number, digits);
        }
        self.ids.insert(id);
    }

    /// The number after the largest: one between may have been a deleted record's.
    fn next(&self, prefix: &str) -> String {
        let numbered = |number| format!("{prefix}{number:0digits$}", digits = self.digits);
        let mut numbers = self.largest + 1..;
        numbers.by_ref().map(numbered).find(|id| !self.ids.contains(id)).unwrap_or_default()
    }
}

fn check(path: &Path, line: &[u8], now: Moment) -> Result<(), Refused> {
    let problems = view::read(path, line, now).problems.into_iter();
    // A word that the samples don't show is no fault.
    let faults = problems.filter(|problem| problem.severity != Severity::Note);
    let faults: Vec<String> = faults.map(|problem| problem.message).collect();
    if faults.is_empty() { Ok(()) } else { Err(Refused::Faulty(faults)) }
}
