//! `palimp budget`: what a model gets of the stores when an agent starts.

use serde_json::json;

use super::{Context, Exit, ReadScope, Result, load_stores, say};
use crate::detectors::mask;
use crate::disk::RealDisk;
use crate::format::{store_names, with_family};
use crate::model::plan::count_with_noun;
use crate::model::{
    InstructionContent, InstructionFile, LoadedExtent, LoadedFile, PathText, ProjectInstructions, Store,
};
use crate::usecase::{
    StoreBudget, budgets, empty_lines, instruction_lines, loaded_lines, loaded_size, project_instructions,
};

/// At most this many files of which nothing is loaded are named.
const NAMED: usize = 3;

/// Prints what is loaded of each store, where it is cut, and what costs most.
pub fn run(context: &mut Context) -> Result {
    let snapshot = load_stores::memories(context, ReadScope::All)?;
    let all = budgets(&snapshot, context.now);
    let instructions = project_instructions(&RealDisk, &snapshot, load_stores::home().as_deref());
    if context.options.json {
        for (budget, file) in
            all.iter().flat_map(|budget| budget.files.iter().map(move |file| (budget, file)))
        {
            context.out.json(&row(&snapshot.stores[budget.store], file))?;
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
    for budget in &all {
        for line in store_lines(&snapshot.stores[budget.store], &names[budget.store], budget) {
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

/// Returns how much is loaded, and the first and the last line of what is left out in the middle.
fn extent(file: &LoadedFile) -> (&'static str, Option<u32>, Option<u32>) {
    match file.extent {
        LoadedExtent::Whole => ("whole", None, None),
        LoadedExtent::UpTo(line) => ("part", Some(line), None),
        LoadedExtent::Ends(first, last) => ("part", Some(first), Some(last)),
        LoadedExtent::Name => ("name", None, None),
        LoadedExtent::Nothing => ("nothing", None, None),
        LoadedExtent::Unknown => ("unknown", None, None),
    }
}

fn row(store: &Store, file: &LoadedFile) -> serde_json::Value {
    let (loaded, cut, cut_end) = extent(file);
    let (format, family) = with_family(store.format);
    let size = file.excess;
    let excess = (!size.is_none()).then(|| {
        let (empty, is_enough) = empty_lines(store, file);
        json!({"lines": size.lines, "bytes": size.bytes, "characters": size.characters,
               "empty_lines": empty, "fits_without_empty": is_enough})
    });
    json!({
        "store": store.root.to_text(), "format": format, "family": family, "file": file.path.to_text(),
        "loaded": loaded, "bytes": file.bytes(), "lines": file.loaded.len(), "tokens": file.tokens(),
        "cut_line": cut, "cut_end_line": cut_end, "limit_source": file.limit_source, "lines_beyond": file.beyond.len(), "excess": excess,
    })
}

fn store_lines(store: &Store, name: &str, budget: &StoreBudget) -> Vec<String> {
    let each = if budget.not_loaded.is_none() { " (4 bytes each)" } else { "" };
    let mut lines = vec![mask(&format!("{name} ({}): {}{each}", store.format, budget.size())).into_owned()];
    let is_alike = |file: &LoadedFile, extent| file.extent == extent && file.limit.is_none();
    let alike = |extent| budget.files.iter().filter(move |file| is_alike(file, extent)).collect::<Vec<_>>();
    if let names @ 1.. = alike(LoadedExtent::Name).len() {
        lines.push(format!("  the names of {}", count_with_noun(names as u64, "file")));
    }
    let grouped = [LoadedExtent::Name, LoadedExtent::Nothing, LoadedExtent::Unknown];
    for file in budget.files.iter().filter(|file| !grouped.iter().any(|extent| is_alike(file, *extent))) {
        lines.push(format!("  {}: {}", file.path.to_text(), loaded_size(file)));
        lines.extend(loaded_lines(store, file).iter().map(|line| format!("    {}", mask(line))));
    }
    lines.extend(group(&alike(LoadedExtent::Nothing), "only if an agent opens them"));
    lines.extend(group(&alike(LoadedExtent::Unknown), "of which it is unknown what is loaded"));
    lines
}

fn group(files: &[&LoadedFile], what: &str) -> Option<String> {
    let some: Vec<String> = files.iter().take(NAMED).map(|file| file.path.to_text().into_owned()).collect();
    let more = if files.len() > NAMED { ", …" } else { "" };
    let count = count_with_noun(files.len() as u64, "file");
    (!files.is_empty()).then(|| format!("  {count} {what}: {}{more}", some.join(", ")))
}
