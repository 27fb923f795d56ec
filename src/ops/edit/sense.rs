//! Whether what is to be set makes sense, whatever the schema lets through: a name that nobody
//! knows is a slip, and a memory without a text says nothing.

use crate::format::form::{Asked, Kind};
use crate::format::writing::{Setting, Writes};
use crate::format::{self, Format, Shape};
use crate::model::{Entry, Store};
use crate::ops::{Refusal, Scene, form, is_json, writes};
use crate::text::edit::scan;
use crate::text::front_matter::Note;
use crate::text::json::Kind as JsonKind;
use crate::text::scan::Tape;

/// Refuses a field that neither the record has nor its format knows, and an empty main text.
pub(super) fn makes_sense(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<(), Refusal> {
    let store = scene.store;
    let (format, writes) = writes(store)?;
    let main = main_field(format, store, entry);
    let is_main = |name: &str| name == "text" || main == Some(name);
    let says = || format::text_of(store, entry).text;
    if let Some(own) = set.iter().find(|own| is_main(own.name) && own.value.trim().is_empty())
        && !says().trim().is_empty()
    {
        let why = "is the text of the memory, and can't be empty: `palimp delete` deletes a memory.";
        return Err(Refusal::invalid(format!("`{}` {why}", own.name)));
    }
    let is_strange = |own: &&Setting<'_>| !is_main(own.name) && !has(format, store, entry, writes, own.name);
    let strange: Vec<&Setting<'_>> = set.iter().filter(is_strange).collect();
    if strange.is_empty() {
        return Ok(());
    }
    let kind = store.view(entry).map_or("", |view| &view.kind);
    let asked = format.form(&store.document(entry).path, kind, store.raw(entry), scene.now).fields;
    // A format that says nothing of its fields can't call one unknown.
    let is_unknown = |own: &&Setting<'_>| {
        // Nor does it say what an object of the record's own may hold.
        let outer = own.name.split_once('.').map(|(outer, _)| outer);
        let is_own = |outer: &str| {
            !asked.iter().any(|field| field.name.split('.').next() == Some(outer))
                && has(format, store, entry, writes, outer)
        };
        !asked.is_empty() && !knows(&asked, own.name) && !outer.is_some_and(is_own)
    };
    match strange.into_iter().find(is_unknown) {
        Some(own) => Err(unknown(&asked, own.name)),
        None => Ok(()),
    }
}

fn unknown(asked: &[Asked], name: &str) -> Refusal {
    let names: Vec<String> = asked.iter().map(|field| field.name.clone()).collect();
    let near = form::nearest(name, &names).map(|near| format!(" The nearest that it knows is `{near}`."));
    let near = near.unwrap_or_default();
    Refusal::unfit(format!("the record has no field `{name}`, and its format knows none.{near}"))
}

/// The field that holds the main text.
fn main_field(format: &dyn Format, store: &Store, entry: &Entry) -> Option<&'static str> {
    if !is_json(format, store, entry) {
        return None;
    }
    let mut tape = Tape::default();
    let value = scan(&mut tape, store.raw(entry)).ok()?;
    format.main_text(value).1.first().copied()
}

/// Whether the record has that field.
fn has(format: &dyn Format, store: &Store, entry: &Entry, writes: &dyn Writes, name: &str) -> bool {
    let raw = store.raw(entry);
    if format.shape(&store.document(entry).path) == Shape::Markdown {
        return Note::read(&String::from_utf8_lossy(raw)).field(name).is_some();
    }
    let mut tape = Tape::default();
    // What is no JSON of its own is a text, which is all that there is to set.
    let Ok(value) = scan(&mut tape, raw) else { return true };
    let path = writes.field(value, name);
    let found = path.iter().try_fold(value, |at, step| match at.kind() {
        JsonKind::Array => at.items().nth(step.parse().ok()?),
        _ => at.get(step),
    });
    found.is_some()
}

/// Whether the format knows a field: by its name, as what holds fields that it knows, or within a
/// value of which it does not say what it holds.
fn knows(asked: &[Asked], name: &str) -> bool {
    let within =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    let is_open = |field: &Asked| {
        let is_told = asked.iter().any(|own| within(&own.name, &field.name));
        field.kind.is_list() || field.kind == Kind::Json && !is_told
    };
    asked.iter().any(|field| {
        field.name == name || within(&field.name, name) || within(name, &field.name) && is_open(field)
    })
}
