//! Files that the bundle and the sources name. The format's own tool warns if one is missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::assembly::problem_at;
use super::layout;
use super::main_text::text;
use crate::format::ReferencedFile;
use crate::format::record_reader::{whole_value, without_mark};
use crate::model::{Code, Document, Problem, Severity};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;

/// Lists of paths in the bundle, and the member of an item that holds the path, if items are objects.
const LISTS: [(&[&str], Option<&str>); 5] = [
    (&["bundle", "project", "keyPaths"], None),
    (&["bundle", "projectMap", "modules"], Some("path")),
    (&["bundle", "projectMap", "entrypoints"], Some("path")),
    (&["bundle", "projectMap", "denseSourceAreas"], Some("path")),
    (&["bundle", "projectMap", "firstFilesToRead"], None),
];

/// Returns the files that the state and the source registry name.
pub fn refers(documents: &[Arc<Document>]) -> Vec<ReferencedFile> {
    let named = |name: &str| documents.iter().find(|document| document.path == Path::new(name));
    let state = named(layout::STATE).map(|state| of_state(state));
    let sources = named(layout::SOURCES).map(|sources| of_sources(sources));
    state.into_iter().chain(sources).flatten().collect()
}

fn of_state(state: &Document) -> Vec<ReferencedFile> {
    let mut tape = Tape::default();
    let Ok(object) = whole_value(&mut tape, without_mark(&state.bytes), JsonKind::Object) else {
        return Vec::new();
    };
    let mut referred = Vec::new();
    for (path, member) in LISTS {
        let items = object.path(path).into_iter().flat_map(|list| list.items());
        for item in items {
            let Some(value) = member.map_or(Some(item), |member| item.get(member)) else { continue };
            let Some(named) = value.text().filter(|named| is_path(named)) else { continue };
            let name = path[1..].join(".");
            let message = format!("`{name}` names {named:?}, which is not in the repository.");
            referred.push(ReferencedFile {
                path: PathBuf::from(&*named),
                problem: problem(state, value, message),
            });
        }
    }
    referred
}

fn of_sources(sources: &Document) -> Vec<ReferencedFile> {
    let mut tape = Tape::default();
    let Ok(list) = whole_value(&mut tape, without_mark(&sources.bytes), JsonKind::Array) else {
        return Vec::new();
    };
    let of = |source: Json<'_>| {
        let value = source.get("path")?;
        let path = value.text().filter(|path| is_path(path))?;
        let id = text(source, "id").unwrap_or_default();
        let message = format!("The source {id:?} is imported from {path:?}, which is not there.");
        Some(ReferencedFile { path: PathBuf::from(&*path), problem: problem(sources, value, message) })
    };
    list.items().filter_map(of).collect()
}

/// True if a text names one file inside the repository. A pattern may match many files, so it is none.
fn is_path(text: &str) -> bool {
    let has_pattern = text.contains(['*', '?', '[', '{', '\n', '\0']);
    !text.trim().is_empty() && !has_pattern && !Path::new(text).iter().any(|part| part == "..")
}

fn problem(document: &Document, value: Json<'_>, message: String) -> Problem {
    problem_at(document, value, (Code::DanglingReference, Severity::Warning, message))
}
