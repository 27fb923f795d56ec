//! `<agent>.json`: one document with three arrays, made by the 1.0 writer. Read-only.

use std::path::Path;

use super::{layout, record};
use crate::format::field_reader::{Fault, FieldReader};
use crate::format::record_reader::{self, DocumentReading, Reading};
use crate::model::{Code, Moment, Problem, Role, Severity};
use crate::text::json::{Json, JsonKind};

/// Reads a `.json` file at the root. It may belong to another program.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    if !layout::is_agent_file(bytes) {
        let message = "The format has no such file. It is kept, but not read.";
        let problem = Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message);
        return Reading { records: Vec::new(), problems: vec![problem] };
    }
    record_reader::read_within(path, bytes, JsonKind::Object, &mut |object, within| {
        let message = "A document of the 1.0 writer: read, and never written.";
        within.of_file(Code::UnsupportedVersion, Severity::Note, message);
        for (key, array) in object.members() {
            if let Some((_, kind)) = layout::ARRAYS.iter().find(|(name, _)| key.is_text(name)) {
                array.items().for_each(|item| memory(item, kind, now, within));
            }
        }
    })
}

fn memory(item: Json<'_>, kind: &'static str, now: Moment, within: &mut DocumentReading<'_>) {
    if item.kind() != JsonKind::Object {
        let found = item.kind().as_str();
        return within.broken(item, format!("An item of `{kind}` should be an object and is {found}."));
    }
    let mut fields = FieldReader::new(item, now);
    let seen = record::memory(&mut fields, Some(kind), Role::Records);
    within.record(item, seen, fields.into_faults().into_iter().map(lenient).collect());
}

/// The 1.0 writer had fewer fields, so a missing one is only a note.
fn lenient((code, severity, message): Fault) -> Fault {
    let severity = if code == Code::MissingField { Severity::Note } else { severity };
    (code, severity, message)
}
