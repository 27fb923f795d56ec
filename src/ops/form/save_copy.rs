//! Saves what was typed as a new record, beside the one that another program changed.

use super::{EditForm, FieldKind, as_settings, is_json, items};
use crate::format::writing::list;
use crate::model::{Entry, Plan, Store};
use crate::ops::edit::{EditResult, after_edit};
use crate::ops::{RecordDraft, Refusal, Result, WriteContext, add};
use crate::text::json_edit::{quoted, remove};

/// Plans a new record with the form's values. `entry` belongs to `old`, the store as the form was
/// opened on it.
pub fn copy(
    context: &WriteContext<'_>,
    old: &Store,
    entry: &Entry,
    form: &EditForm,
    values: &[String],
) -> Result<Plan> {
    let kind = old.memory(entry).map(|memory| memory.kind().to_string()).unwrap_or_default();
    let session = old.session(entry).map(|session| session.name.clone());
    let record = if is_json(old, entry) {
        let before = WriteContext { store: old, ..*context };
        let edited = after_edit(&before, entry, &as_settings(&form.settings(values)))?;
        let EditResult::Record(mut record) = edited else {
            return Err(Refusal::unfit("this memory can't be copied."));
        };
        for name in ["id", "checksum"] {
            record = remove(&record, &[name])?;
        }
        String::from_utf8_lossy(&record).into_owned()
    } else {
        of_note(form, values)
    };
    let draft = RecordDraft {
        session: session.as_deref(),
        kind: &kind,
        record: Some(&record),
        ..RecordDraft::default()
    };
    add::add(context, &draft)
}

/// The note's id is made of its title.
fn of_note(form: &EditForm, values: &[String]) -> String {
    let fields = form.fields.iter().zip(values).filter(|(field, value)| {
        let names_it = matches!(field.name.as_str(), "id" | "created" | "updated");
        !names_it && !value.is_empty() && !matches!(field.kind, FieldKind::Fixed(_))
    });
    let members: Vec<String> = fields
        .map(|(field, value)| {
            let raw = if field.kind.is_list() { list(items(value)) } else { quoted(value) };
            format!("{}:{raw}", quoted(&field.name))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}
