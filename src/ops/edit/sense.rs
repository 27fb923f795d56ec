//! Whether what is to be set makes sense, whatever the schema lets through: a memory without a
//! text says nothing.

use crate::format::writing::Setting;
use crate::format::{self, Format};
use crate::model::{Entry, Store};
use crate::ops::{Refusal, Scene, is_json, writes};
use crate::text::edit::scan;
use crate::text::scan::Tape;

/// Refuses an empty main text.
pub(super) fn makes_sense(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<(), Refusal> {
    let store = scene.store;
    let (format, _) = writes(store)?;
    let main = main_field(format, store, entry);
    let is_main = |name: &str| name == "text" || main == Some(name);
    let says = || format::text_of(store, entry).text;
    if let Some(own) = set.iter().find(|own| is_main(own.name) && own.value.trim().is_empty())
        && !says().trim().is_empty()
    {
        let why = "is the text of the memory, and can't be empty: `palimp delete` deletes a memory.";
        return Err(Refusal::invalid(format!("`{}` {why}", own.name)));
    }
    Ok(())
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
