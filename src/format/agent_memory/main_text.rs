//! The main text of a record.

use std::borrow::Cow;

use crate::text::json::Json;

/// Returns a member that is a string.
pub fn text<'a>(object: Json<'a>, name: &str) -> Option<Cow<'a, str>> {
    object.get(name)?.text()
}

/// Returns the items of a list in an object; none if there is no list.
pub fn items<'a>(object: Json<'a>, path: &[&str]) -> impl Iterator<Item = Json<'a>> + use<'a> {
    object.path(path).into_iter().flat_map(|list| list.items())
}

pub fn main_text(value: Json<'_>) -> (String, Vec<&'static str>) {
    let member = |name: &'static str| {
        let text = text(value, name).filter(|text| !text.trim().is_empty())?;
        // For a checkpoint, palimp shows the changes of the bundle, not the bundle.
        Some((text.into_owned(), vec![name, "bundle"]))
    };
    let command = || {
        let words: Vec<String> = value.get("command")?.items().map(|word| word.plain()).collect();
        (!words.is_empty()).then(|| (words.join(" "), vec!["command"]))
    };
    member("summary")
        .or_else(|| member("title"))
        .or_else(command)
        .or_else(|| project_map(value))
        .or_else(|| member("path"))
        .unwrap_or_else(|| (value.plain(), Vec::new()))
}

/// A project map has no text of its own. Its lists are its text, as in the projection that is made from it.
fn project_map(value: Json<'_>) -> Option<(String, Vec<&'static str>)> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = Vec::new();
    let lists = [
        ("architectureNotes", ""),
        ("modules", "responsibility"),
        ("entrypoints", "role"),
        ("denseSourceAreas", "note"),
        ("firstFilesToRead", ""),
    ];
    for (name, said) in lists {
        let Some(list) = value.get(name) else { continue };
        used.push(name);
        lines.extend(list.items().map(|item| match (text(item, "path"), text(item, said)) {
            (Some(path), Some(said)) => format!("{path}: {said}"),
            _ => item.plain(),
        }));
    }
    (!lines.is_empty()).then(|| (lines.join("\n"), used))
}
