//! The files of instructions that models get beside memories, as context. They are never changed.

use std::path::Path;

use crate::disk::Disk;
use crate::format::{self, InstructionBase};
use crate::model::plan::count_with_noun;
use crate::model::{InstructionContent, InstructionFile, PathText, ProjectInstructions, Snapshot};
use crate::store::instruction_files::{LARGEST, MOST, instruction_files};
use crate::text::columns::human_size;

/// Returns the files of instructions of the projects of the stores, each project once.
pub fn project_instructions(
    disk: &dyn Disk,
    snapshot: &Snapshot,
    home: Option<&Path>,
) -> Vec<ProjectInstructions> {
    let mut found: Vec<ProjectInstructions> = Vec::new();
    for store in &snapshot.stores {
        let places = format::by_name(store.format).map_or(&[][..], |own| own.about().instructions);
        let is_within = places.iter().any(|own| own.base == InstructionBase::Store);
        let project = store.project.as_ref().and_then(|project| project.folder());
        let Some(folder) = Some(&*store.root).filter(|_| is_within).or(project) else { continue };
        if !places.is_empty() && found.iter().all(|project| project.folder != *folder) {
            found.push(instruction_files(disk, folder, home, places));
        }
    }
    found.retain(|own| !own.files.is_empty());
    found
}

/// Returns the size of files of instructions in words.
pub fn instructions_size(files: &[InstructionFile]) -> String {
    let bytes: u64 = files.iter().map(InstructionFile::bytes).sum();
    let tokens: u64 = files.iter().map(InstructionFile::tokens).sum();
    format!("{}, about {}", human_size(bytes), count_with_noun(tokens, "token"))
}

/// Returns what is known of a file of instructions in words.
pub fn instruction_text(file: &InstructionFile) -> String {
    match file.content {
        InstructionContent::Read { lines, .. } => {
            format!(
                "{}, {}",
                count_with_noun(lines as u64, "line"),
                instructions_size(std::slice::from_ref(file))
            )
        }
        InstructionContent::Long(bytes) => {
            format!("{}, not read: it is over {}", human_size(bytes), human_size(LARGEST))
        }
        InstructionContent::Outside => "not opened: it is outside the project and the home folder".to_owned(),
        InstructionContent::Missing => "imported, and not there".to_owned(),
        InstructionContent::Unreadable => "can't be read".to_owned(),
    }
}

/// Returns the lines about the files of a project. Untrusted text.
pub fn instruction_lines(own: &ProjectInstructions) -> Vec<String> {
    let mut told =
        vec![format!("Instructions in {}, as context. palimp never changes them.", own.folder.to_text())];
    for (reader, files) in own.readers() {
        told.push(format!("  {reader}: {}", instructions_size(files)));
        let line = |file: &InstructionFile| {
            format!("    {}{}: {}", "  ".repeat(file.depth), own.name(file), instruction_text(file))
        };
        told.extend(files.iter().map(line));
    }
    if own.has_more {
        told.push(format!("  There are more: palimp looks at {MOST} files."));
    }
    told
}
