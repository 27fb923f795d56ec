//! `palimp budget`: what a model gets of the stores when an agent starts.

use serde_json::json;

use super::failure::{Exit, Result, say};
use super::load_stores;
use super::read_scope::ReadScope;
use crate::cli::context::Context;
use crate::detectors::mask;
use crate::format::{store_names, with_family};
use crate::model::plan::count_with_noun;
use crate::model::{LoadedExtent, LoadedFile, PathText, Store};
use crate::usecase::{StoreBudget, budgets, loaded_lines, loaded_size};

/// At most this many files of which nothing is loaded are named.
const NAMED: usize = 3;

/// Prints what is loaded of each store, where it is cut, and what costs most.
pub fn run(context: &mut Context) -> Result {
    let snapshot = load_stores::listing(context, ReadScope::All)?;
    let all = budgets(&snapshot);
    if context.options.json {
        for (store, budget) in all.iter().map(|own| (&snapshot.stores[own.store], own)) {
            for file in &budget.files {
                context.out.json(&row(store, file))?;
            }
        }
        return Ok(if all.is_empty() { Exit::Nothing } else { Exit::Done });
    }
    if all.is_empty() {
        say("no program loads memories of these stores by itself");
        return Ok(Exit::Nothing);
    }
    let names = store_names(&snapshot);
    for own in &all {
        let store = &snapshot.stores[own.store];
        for line in told(store, &names[own.store], own) {
            context.out.line(&line)?;
        }
    }
    Ok(Exit::Done)
}

fn extent(file: &LoadedFile) -> (&'static str, Option<u32>) {
    match file.extent {
        LoadedExtent::Whole => ("whole", None),
        LoadedExtent::UpTo(line) => ("part", Some(line)),
        LoadedExtent::Name => ("name", None),
        LoadedExtent::Nothing => ("nothing", None),
    }
}

fn row(store: &Store, file: &LoadedFile) -> serde_json::Value {
    let (loaded, cut) = extent(file);
    let (format, family) = with_family(store.format);
    json!({
        "store": store.root.to_text(), "format": format, "family": family, "file": file.path.to_text(),
        "loaded": loaded, "bytes": file.bytes(), "lines": file.loaded.len(), "tokens": file.tokens(),
        "cut_line": cut, "lines_beyond": file.beyond.len(),
    })
}

/// Returns the lines about one store.
fn told(store: &Store, name: &str, own: &StoreBudget) -> Vec<String> {
    let mut lines = vec![format!("{name} ({}): {} (4 bytes each)", store.format, own.size())];
    let (unloaded, loaded): (Vec<&LoadedFile>, Vec<&LoadedFile>) =
        own.files.iter().partition(|file| file.extent == LoadedExtent::Nothing);
    let names = loaded.iter().filter(|file| file.extent == LoadedExtent::Name).count();
    if names > 0 {
        lines.push(format!("  the names of {}", count_with_noun(names as u64, "file")));
    }
    for file in loaded.into_iter().filter(|file| file.extent != LoadedExtent::Name) {
        lines.push(format!("  {}: {}", file.path.to_text(), loaded_size(file)));
        if let Some(document) = store.document_at(&file.path) {
            let own = loaded_lines(document, file);
            lines.extend(own.iter().map(|line| format!("    {}", mask(line))));
        }
    }
    if !unloaded.is_empty() {
        let some: Vec<String> =
            unloaded.iter().take(NAMED).map(|file| file.path.to_text().into_owned()).collect();
        let more = if unloaded.len() > NAMED { ", …" } else { "" };
        let count = count_with_noun(unloaded.len() as u64, "file");
        lines.push(format!("  {count} only if an agent opens them: {}{more}", some.join(", ")));
    }
    lines
}
