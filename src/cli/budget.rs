//! `palimp budget`: what a model gets of the stores when an agent starts.

use serde_json::json;

use super::failure::{Exit, Result, say};
use super::load_stores;
use super::read_scope::ReadScope;
use crate::cli::context::Context;
use crate::detectors::mask;
use crate::disk::RealDisk;
use crate::format::{store_names, with_family};
use crate::model::plan::count_with_noun;
use crate::model::{
    InstructionContent, InstructionFile, LoadedExtent, LoadedFile, PathText, ProjectInstructions, Store,
};
use crate::usecase::{
    RemovablePart, StoreBudget, budgets, instruction_lines, loaded_lines, loaded_size, project_instructions,
    what_fits,
};

/// At most this many files of which nothing is loaded are named.
const NAMED: usize = 3;

/// Prints what is loaded of each store, where it is cut, and what costs most.
pub fn run(context: &mut Context) -> Result {
    let snapshot = load_stores::listing(context, ReadScope::All)?;
    let all = budgets(&snapshot);
    let instructions = project_instructions(&RealDisk, &snapshot, load_stores::home().as_deref());
    if context.options.json {
        for (store, budget) in all.iter().map(|own| (&snapshot.stores[own.store], own)) {
            for file in &budget.files {
                context.out.json(&row(store, file))?;
            }
        }
        for (own, file) in instructions.iter().flat_map(|own| own.files.iter().map(move |file| (own, file))) {
            context.out.json(&instruction_row(own, file))?;
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
    for line in instructions.iter().flat_map(instruction_lines) {
        context.out.line(&mask(&line))?;
    }
    Ok(Exit::Done)
}

fn instruction_row(own: &ProjectInstructions, file: &InstructionFile) -> serde_json::Value {
    let (content, lines) = match file.content {
        InstructionContent::Read { lines, .. } => ("read", Some(lines)),
        InstructionContent::Long(_) => ("long", None),
        InstructionContent::Outside => ("outside", None),
        InstructionContent::Missing => ("missing", None),
        InstructionContent::Unreadable => ("unreadable", None),
    };
    json!({
        "project": own.folder.to_text(), "reader": file.reader, "file": own.name(file), "loaded": "context",
        "depth": file.depth, "content": content, "bytes": file.bytes(), "lines": lines, "tokens": file.tokens(),
    })
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
    let fits = what_fits(store, file);
    let part = |own: &RemovablePart| {
        json!({"id": own.id, "line": own.line, "lines": own.size.lines, "bytes": own.size.bytes,
               "leads_nowhere": own.leads_nowhere})
    };
    let without = fits.as_ref().map(|own| own.without.iter().map(part).collect::<Vec<_>>());
    let excess = fits.as_ref().map(|own| {
        let size = own.excess;
        json!({"lines": size.lines, "bytes": size.bytes, "characters": size.characters,
               "empty_lines": own.empty_lines, "fits_without_empty": own.fits_without_empty})
    });
    json!({
        "store": store.root.to_text(), "format": format, "family": family, "file": file.path.to_text(),
        "loaded": loaded, "bytes": file.bytes(), "lines": file.loaded.len(), "tokens": file.tokens(),
        "cut_line": cut, "lines_beyond": file.beyond.len(), "excess": excess,
        "fits_without": without.unwrap_or_default(),
    })
}

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
        lines.extend(loaded_lines(store, file).iter().map(|line| format!("    {}", mask(line))));
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
