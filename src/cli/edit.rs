//! `palimp edit`: sets fields of one record, or of those that a query finds.

use std::sync::Arc;

use super::args::RecordSelection;
use super::change_records::is_there;
use super::read_scope::read_for;
use super::run_change::{UserText, confirm_and_execute, plan, request};
use super::selection::{the_one, with_query};
use super::{Context, Exit, Failure, Result, change_records, load_stores, say};
use crate::model::{EntryRef, Snapshot};
use crate::usecase::{ChangeRequest, EditMemory, keep_draft};
use crate::{disk, format, ops};

/// Sets fields, or opens the main text in `$EDITOR`.
pub fn run(
    context: &mut Context,
    id: Option<&str>,
    query: Option<String>,
    set: &[String],
    editor: bool,
) -> Result {
    if set.is_empty() && !editor {
        return Err(Failure::usage("name a field with --set FIELD=VALUE, or use --editor."));
    }
    let mut fields = fields(set, editor)?;
    if query.is_some() {
        let chosen = RecordSelection { ids: Vec::new(), query };
        return change_records::each(context, &chosen, is_there, Arc::new(EditMemory::of(fields)));
    }
    let Some(id) = id else {
        return Err(Failure::usage("name a memory by its id, or several with --query."));
    };
    if editor && context.options.readonly && !context.options.dry_run {
        return Err(Failure::refused("--readonly: nothing was changed."));
    }
    let (snapshot, at) = read_for(
        &[id.to_owned()],
        |about| load_stores::to_change(context, about),
        |snapshot| {
            the_one(context, snapshot, id).map_err(|failure| match editor {
                true => failure,
                false => with_query(context, snapshot, (&[id], failure), |_, entry| is_there(entry)),
            })
        },
    )?;
    if !editor {
        let values: Vec<&str> = fields.iter().map(|(_, value)| value.as_str()).collect();
        let (text, in_editor) = (values.join("\n"), false);
        return save(context, &snapshot, at, fields, UserText { text: &text, in_editor });
    }
    let (store, entry) = snapshot.get(at);
    let before = format::text_of(store, entry).text.into_raw();
    let written = in_the_editor(context, &snapshot, at, &before)?;
    if written == before {
        say("the text is the same; nothing was changed");
        return Ok(Exit::Done);
    }
    if written.trim().is_empty() && !before.trim().is_empty() {
        let why = "the editor left no text; nothing was changed. `palimp delete` deletes a memory.";
        return Err(Failure::refused(why));
    }
    fields.push(("text".to_owned(), written.clone()));
    // Whatever fails, a text that the user wrote is not lost.
    save(context, &snapshot, at, fields, UserText { text: &written, in_editor: true })
        .map_err(|failure| failure.with(&kept(context, &snapshot, at, written.as_bytes())))
}

/// Reads the fields of `--set`, each once: the value that is meant can't be known from two.
fn fields(set: &[String], editor: bool) -> Result<Vec<(String, String)>> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for one in set {
        let Some((name, value)) = one.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::usage(format!("{one:?} is not FIELD=VALUE.")));
        };
        if editor && name == "text" || fields.iter().any(|(other, _)| other == name) {
            return Err(Failure::usage(format!("{name:?} is set twice: name it once.")));
        }
        fields.push((name.to_owned(), value.to_owned()));
    }
    Ok(fields)
}

fn in_the_editor(context: &Context, snapshot: &Snapshot, at: EntryRef, before: &str) -> Result<String> {
    disk::edit_text(before).map_err(|error| {
        let failure = Failure::refused(format!("{error} Nothing was changed."));
        match error.left() {
            Some(left) => failure.with(&kept(context, snapshot, at, left)),
            None => failure,
        }
    })
}

/// Keeps what was written in an editor, and says where, as a sentence.
fn kept(context: &Context, snapshot: &Snapshot, at: EntryRef, text: &[u8]) -> String {
    match load_stores::data_folder(context) {
        Ok(data) => keep_draft(&data, snapshot.get(at), text, context.now),
        Err(failure) => failure.message(),
    }
}

fn save(
    context: &mut Context,
    snapshot: &Snapshot,
    at: EntryRef,
    fields: Vec<(String, String)>,
    written: UserText<'_>,
) -> Result {
    let request = request(context, snapshot, Arc::new(EditMemory::of(fields)));
    let (store, entry) = snapshot.get(at);
    let planned = plan(ChangeRequest { at: vec![at], ..request });
    let coded = |refusal| ops::form::with_code(store, entry, refusal, context.now);
    let planned = planned.map_err(|failed| failed.retold(coded))?;
    confirm_and_execute(context, planned, Some(written))
}
