//! `a-mem`: events by month and by trace, knowledge notes, agent profiles, saved queries (specification 5).
//!
//! Choices for cases where the specification is silent, or real writers differ from it:
//! - Any `.jsonl` below `events/` and `traces/` is an event log, any `.md` below `knowledge/` a
//!   note, any `.json` below `profiles/` a profile.
//! - Usual deviations of real writers have the severity note: missing fields, times without a zone,
//!   pretty-printed records, an extra brace, invalid YAML.
//! - An event that is in a log and in its trace's file is shown once, from the log.
//! - The id of an event is its `event_id`, if it has one; of a note its `id`, its `note_id` or its
//!   file's stem; of a profile its `agent_name`.
//! - A compressed month is archived (§3.4), and so is everything below `archive/`.
//! - The summary of a trace, which some writers keep in the trace's file, is an event.
//! - The time of a profile is `last_active`. A link is `[[id]]`, `[[id|text]]` or `[[id#part]]`,
//!   and may end in `.md`. Code has no links.

mod assembly;
mod event;
mod layout;
mod note;
mod profile;
mod write;

pub use layout::AMem;

use std::path::{Path, PathBuf};

use super::notes::{indexes, note_file};
use super::record_form::RecordForm;
use super::record_reader::Reading;
use super::{AssemblyInput, DerivedFile, Format, FormatInfo, RecordSyntax, SavedQueryTable, StorePlace};
use crate::model::{Code, DecayTable, Moment, Problem, Role, Severity, deleted_from};
use crate::text::json::{Json, JsonKind};
use crate::text::names;

static ABOUT: FormatInfo = FormatInfo {
    name: "a-mem",
    places: &[StorePlace::project(".chora/memory", "its agents")],
    in_checkout: true,
    keys_are_ids: true,
    facets: &names::<9>("status source trace agent confidence capability skill cluster strength"),
    unsearched: &names::<14>(
        "timestamp trace_id start_time end_time created updated last_active \
        linked_to links related_traces related_events learned_patterns note_id \
        events",
    ),
    reading_order: &["title", "description", "summary", "message", "outcome", "metadata"],
    tables: &TABLES,
    // An event's session is its trace.
    is_in_session: |kind| kind == "event",
    is_query: |path| layout::kind_of(path) == "query",
    holds_copies: layout::is_trace,
    evidence: layout::evidence,
    placement: layout::place,
    assemble: assembly::assemble,
    decay: || DecayTable::new(&[("note", None), ("profile", None), ("query", None)], Some(168.0), 0.1),
    main_text,
    ..FormatInfo::USUAL
};

/// The tables of saved queries. The specification names no member of theirs, so they have those of §3.1, §4.1 and §5.1.
static TABLES: [SavedQueryTable; 3] = [
    SavedQueryTable {
        name: "events",
        members: &names::<7>("timestamp trace_id status schema_version event_type source metadata"),
    },
    SavedQueryTable {
        name: "notes",
        members: &names::<10>(
            "id created updated tags confidence source linked_to status author related_traces",
        ),
    },
    SavedQueryTable {
        name: "profiles",
        members: &names::<7>(
            "agent_name agent_version last_active session_count capabilities preferences context_switches",
        ),
    },
];

impl Format for AMem {
    fn about(&self) -> &'static FormatInfo {
        &ABOUT
    }

    fn read(&self, role: Role, path: &Path, bytes: &[u8], now: Moment) -> Reading {
        let mut reading = match (role, layout::kind_of(path)) {
            (Role::Index, _) => indexes::read(path, bytes),
            (_, "note") => note::read(path, bytes, now),
            (_, "profile") => profile::read(path, bytes, now),
            (_, "query") => note::read_query(path, bytes),
            _ => event::read(path, bytes, now),
        };
        let is_read =
            |own: &u32| reading.records.get(*own as usize).is_some_and(|own| own.memory().is_some());
        let of_record = |own: &&mut Problem| own.record.as_ref().is_some_and(is_read);
        reading.problems.iter_mut().filter(of_record).for_each(as_real_writers_do);
        reading.problems.extend(
            misplaced(path)
                .map(|message| Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message)),
        );
        reading
    }

    fn form(&self, path: &Path, _kind: &str, record: &[u8], now: Moment) -> RecordForm {
        match layout::kind_of(path) {
            "note" => note_file::form(record, note::known_fields()),
            "profile" => profile::form(path, record, now),
            "query" => note_file::text_form(),
            _ => RecordForm::default(),
        }
    }

    fn has_text(&self, record: Json<'_>) -> bool {
        event::says(record)
    }

    fn derived(&self, parts: &AssemblyInput<'_>, touched: &[PathBuf], _now: Moment) -> Vec<DerivedFile> {
        write::derived(parts, touched)
    }

    fn is_in_table(&self, path: &Path, table: &str) -> bool {
        let kind = layout::kind_of(deleted_from(path).unwrap_or(path));
        table.strip_suffix('s') == Some(kind)
    }

    fn syntax(&self, path: &Path) -> RecordSyntax {
        // A record that only undo data has is named by its former file.
        match layout::kind_of(deleted_from(path).unwrap_or(path)) {
            "note" => RecordSyntax::Markdown,
            "query" => RecordSyntax::Text,
            _ => RecordSyntax::Json,
        }
    }
}

/// Returns a message about a file in a place that real writers use and the specification does not.
/// palimp reads the file anyway.
fn misplaced(path: &Path) -> Option<&'static str> {
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    let (first, second) = (parts.next()?, parts.next()?);
    let is_flat = parts.next().is_none();
    match (first, is_flat) {
        ("events", true) if second.ends_with(".jsonl") => {
            Some("It is directly in events/, not in the folder of a month; it is read all the same.")
        }
        ("traces", true) if second.ends_with(".jsonl") => {
            Some("It is in traces/ itself, not in that of a month; it is read all the same.")
        }
        ("knowledge", true) if second.ends_with(".md") => {
            Some("It is directly in knowledge/, not in knowledge/notes/; it is read all the same.")
        }
        ("profiles", false) => Some("It is below a folder of profiles/; it is read all the same."),
        _ => None,
    }
}

/// Limits the severity of a usual deviation of real writers to a note.
fn as_real_writers_do(problem: &mut Problem) {
    let usual = matches!(
        problem.code,
        Code::MissingField
            | Code::NoTimezone
            | Code::ExtraBrace
            | Code::MultiLineRecord
            | Code::OutOfRange
            | Code::BadFrontMatter
    );
    if usual {
        problem.severity = Severity::Note;
    }
}

fn main_text(value: Json<'_>) -> (String, Vec<&'static str>) {
    match value.get("agent_name").filter(|_| value.get("event_type").is_none()) {
        Some(name) if name.kind() == JsonKind::String => profile::main_text(value),
        _ => event::main_text(value),
    }
}
