//! `palimp edit`: fields of one record, or of those that a query finds.

use super::change::{UserText, keep, make_written, scene};
use super::chosen::the_shown;
use super::failure::{Exit, Failure, say};
use super::{Context, open, records};
use crate::disk;
use crate::format;
use crate::model::{Entry, Store};
use crate::ops::{self, Setting};

/// Sets fields, or opens the main text in `$EDITOR`.
pub fn run(
    context: &mut Context,
    id: Option<&str>,
    query: Option<String>,
    set: &[String],
    editor: bool,
) -> Result<Exit, Failure> {
    if set.is_empty() && !editor {
        return Err(Failure::new(Exit::Usage, "name a field with --set FIELD=VALUE, or say --editor."));
    }
    let mut settings = Vec::new();
    for one in set {
        let Some((name, value)) = one.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::new(Exit::Usage, format!("{one:?} is not FIELD=VALUE.")));
        };
        settings.push(Setting { name, value });
    }
    if query.is_some() {
        return records::edit(context, query, &settings);
    }
    let Some(id) = id else {
        return Err(Failure::new(Exit::Usage, "name a record by its id, or several with --query."));
    };
    if editor && context.options.readonly && !context.options.dry_run {
        return Err(Failure::new(Exit::Refused, "--readonly: nothing was changed."));
    }
    let snapshot = open::to_change(context)?;
    let (store, entry) = snapshot.get(the_shown(context, &snapshot, id)?);
    if !editor {
        let values: Vec<&str> = settings.iter().map(|own| own.value).collect();
        return save(context, store, entry, &settings, Some(&values.join("\n")));
    }
    let before = format::text_of(store, entry).text;
    let written = match context.shown.written.take() {
        Some(written) => written,
        None => in_the_editor(context, (store, entry), &before)?,
    };
    context.shown.written = Some(written.clone());
    if written == before {
        say("the text is the same; nothing was changed");
        return Ok(Exit::Done);
    }
    if written.trim().is_empty() && !before.trim().is_empty() {
        let why = "the editor left no text; nothing was changed. `palimp delete` deletes a record.";
        return Err(Failure::new(Exit::Refused, why));
    }
    settings.push(Setting { name: "text", value: &written });
    // Whatever is in the way: a text that the user wrote is not lost.
    save(context, store, entry, &settings, None).map_err(|failure| {
        let (told, path) = keep(context, store, Some(entry), written.as_bytes());
        context.shown.keep_draft(path);
        failure.with(&told)
    })
}

fn in_the_editor(context: &Context, of: (&Store, &Entry), before: &str) -> Result<String, Failure> {
    disk::edit_text(before).map_err(|error| {
        let failure = Failure::new(Exit::Refused, format!("{error} Nothing was changed."));
        match error.left() {
            Some(left) => failure.with(&keep(context, of.0, Some(of.1), left).0),
            None => failure,
        }
    })
}

fn save(
    context: &mut Context,
    store: &Store,
    entry: &Entry,
    set: &[Setting<'_>],
    written: Option<&str>,
) -> Result<Exit, Failure> {
    let plan = ops::edit::edit(&scene(context, store), entry, set)
        .map_err(|refusal| ops::form::with_code(store, entry, refusal, context.now))?;
    let written = written.map(|text| UserText { text, of: Some(entry) });
    make_written(context, &[(store, plan)], &|writer, plan| writer.commit(plan), written)
}
