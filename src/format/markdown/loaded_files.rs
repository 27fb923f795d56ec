//! What a model gets of a folder when an agent starts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry_file;
use super::family::{Family, FamilyLoad, Grammar};
use super::loaded_part::{BYTES, LINES, LoadedPart};
use super::references::{file_links, joined};
use crate::model::{Document, LoadExcess, LoadLimit, LoadedExtent, LoadedFile, Role};
use crate::text::lines::lines;

/// Returns what is loaded of each file: the index first, then the others by their paths.
pub fn loaded(family: &Family, documents: &[Arc<Document>]) -> Vec<LoadedFile> {
    let files = documents.iter().filter(|own| own.role == Role::Records);
    let mut all: Vec<LoadedFile> = files.map(|own| loaded_of(family, own)).collect();
    let is_index = |own: &LoadedFile| family.grammar_of(&own.path) == Grammar::Index;
    all.sort_by_key(|own| !is_index(own));
    all
}

fn loaded_of(family: &Family, own: &Document) -> LoadedFile {
    let path = own.path.clone();
    let nothing = |extent| LoadedFile {
        path: path.clone(),
        extent,
        loaded: Vec::new(),
        beyond: Vec::new(),
        limit: None,
        excess: LoadExcess::default(),
        leads: Vec::new(),
    };
    match (family.grammar_of(&own.path), family.loads) {
        (Grammar::Index, _) => {
            let part = LoadedPart::of(&String::from_utf8_lossy(&own.bytes));
            LoadedFile {
                extent: part.cut.map_or(LoadedExtent::Whole, LoadedExtent::UpTo),
                excess: part.excess(),
                leads: leads(&own.bytes, &part.loaded),
                loaded: part.loaded,
                beyond: part.beyond,
                limit: Some(LoadLimit::LinesOrBytes(LINES, BYTES)),
                ..nothing(LoadedExtent::Whole)
            }
        }
        (_, FamilyLoad::Nothing) => nothing(LoadedExtent::Nothing),
        (_, FamilyLoad::Names) => nothing(LoadedExtent::Name),
        (_, FamilyLoad::File(name, limit)) if own.path == Path::new(name) => {
            let loaded = LoadedFile { loaded: each_line(&own.bytes), ..nothing(LoadedExtent::Whole) };
            with_limit(loaded, limit, &own.bytes)
        }
        (_, FamilyLoad::File(..)) => nothing(LoadedExtent::Nothing),
        (grammar, FamilyLoad::Whole) => {
            let loaded = LoadedFile { loaded: each_line(&own.bytes), ..nothing(LoadedExtent::Whole) };
            let limit = entry_file::limit_of(&own.path).filter(|_| grammar == Grammar::Entries);
            with_limit(loaded, limit.map(LoadLimit::Characters), &own.bytes)
        }
    }
}

/// Returns a file with its limit, and with what goes beyond it.
fn with_limit(file: LoadedFile, limit: Option<LoadLimit>, bytes: &[u8]) -> LoadedFile {
    let mut excess = LoadExcess::default();
    match limit {
        Some(LoadLimit::Bytes(most)) => excess.bytes = bytes.len().saturating_sub(most),
        Some(LoadLimit::Characters(most)) => {
            let count = String::from_utf8_lossy(bytes).trim().chars().count();
            excess.characters = count.saturating_sub(most);
        }
        Some(LoadLimit::LinesOrBytes(..)) | None => {}
    }
    LoadedFile { limit, excess, ..file }
}

/// Returns the lines that lead to files, with the first file of each.
fn leads(bytes: &[u8], lines: &[Range<usize>]) -> Vec<(Range<usize>, PathBuf)> {
    let lead = |own: &Range<usize>| {
        let text = String::from_utf8_lossy(bytes.get(own.clone())?);
        let path = joined(Path::new(""), file_links(&text).next()?)?;
        Some((own.clone(), PathBuf::from(format!("{path}.md"))))
    };
    lines.iter().filter_map(lead).collect()
}

fn each_line(bytes: &[u8]) -> Vec<Range<usize>> {
    lines(bytes).map(|line| line.start..line.next).collect()
}
