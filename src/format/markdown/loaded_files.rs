//! What a model gets of a folder when an agent starts.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::entry_file;
use super::family::{Family, FamilyLoad, Grammar};
use super::loaded_part::{BYTES, LINES, LoadedPart};
use crate::model::{Document, LoadLimit, LoadedExtent, LoadedFile, Role};
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
    };
    match (family.grammar_of(&own.path), family.loads) {
        (Grammar::Index, _) => {
            let part = LoadedPart::of(&String::from_utf8_lossy(&own.bytes));
            LoadedFile {
                extent: part.cut.map_or(LoadedExtent::Whole, LoadedExtent::UpTo),
                loaded: part.loaded,
                beyond: part.beyond,
                limit: Some(LoadLimit::LinesOrBytes(LINES, BYTES)),
                ..nothing(LoadedExtent::Whole)
            }
        }
        (_, FamilyLoad::Nothing) => nothing(LoadedExtent::Nothing),
        (_, FamilyLoad::Names) => nothing(LoadedExtent::Name),
        (_, FamilyLoad::File(name, limit)) if own.path == Path::new(name) => {
            LoadedFile { loaded: each_line(&own.bytes), limit, ..nothing(LoadedExtent::Whole) }
        }
        (_, FamilyLoad::File(..)) => nothing(LoadedExtent::Nothing),
        (grammar, FamilyLoad::Whole) => LoadedFile {
            loaded: each_line(&own.bytes),
            limit: entry_file::limit_of(&own.path)
                .filter(|_| grammar == Grammar::Entries)
                .map(LoadLimit::Characters),
            ..nothing(LoadedExtent::Whole)
        },
    }
}

fn each_line(bytes: &[u8]) -> Vec<Range<usize>> {
    lines(bytes).map(|line| line.start..line.next).collect()
}
