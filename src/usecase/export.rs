//! `export`: writes records as text in other formats.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::detectors::mask;
use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText, Snapshot, UntrustedText};
use crate::text::json_edit::on_one_line;
use crate::text::safe_text::sanitize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON array.
    Json,
    /// One JSON object per line.
    JsonLines,
    /// Headings and text.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
}

impl ExportFormat {
    /// Returns the format that a file's name asks for.
    pub fn of_name(file: &Path) -> Option<ExportFormat> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(ExportFormat::Json),
            "jsonl" | "ndjson" => Some(ExportFormat::JsonLines),
            "md" | "markdown" => Some(ExportFormat::Markdown),
            "csv" => Some(ExportFormat::Csv),
            _ => None,
        }
    }
}

/// Returns the records in a format, piece by piece. A JSON record keeps its bytes, on one line. With `places`, each
/// record has its store, file, line and state beside it.
pub fn export<'a>(
    snapshot: &'a Snapshot,
    entries: &'a [EntryRef],
    (shape, places): (ExportFormat, bool),
) -> impl Iterator<Item = Vec<u8>> + 'a {
    let (start, end) = match shape {
        ExportFormat::Json => ("[\n".to_owned(), "\n]\n"),
        ExportFormat::Csv => (format!("{}{HEADER}", if places { PLACE_HEADER } else { "" }), ""),
        ExportFormat::JsonLines | ExportFormat::Markdown => (String::new(), ""),
    };
    let line = move |at| if places { placed(snapshot, at) } else { line(snapshot, at) };
    let mut before: &[u8] = b"";
    let one = move |at: &EntryRef| match shape {
        ExportFormat::Json => [std::mem::replace(&mut before, b",\n"), &line(*at)].concat(),
        ExportFormat::JsonLines => [line(*at), b"\n".to_vec()].concat(),
        ExportFormat::Markdown => markdown(snapshot, *at, places).into_bytes(),
        ExportFormat::Csv => csv(snapshot, *at, places).into_bytes(),
    };
    let records = entries.iter().map(one);
    std::iter::once(start.into_bytes()).chain(records).chain(std::iter::once(end.as_bytes().to_vec()))
}

/// Masks secrets in a piece of an export; true if there is one. JSON stays as it is stored.
pub fn for_people(shape: ExportFormat, piece: Vec<u8>) -> (Vec<u8>, bool) {
    if matches!(shape, ExportFormat::Json | ExportFormat::JsonLines) {
        return (piece, false);
    }
    match mask(&String::from_utf8_lossy(&piece)) {
        Cow::Borrowed(text) => (text.as_bytes().to_vec(), false),
        Cow::Owned(text) => (text.into_bytes(), true),
    }
}

/// Returns the sentence about the memories of an export whose secrets are masked.
pub fn masked(count: usize) -> Option<String> {
    let of = count_with_noun(count as u64, "memory");
    (count > 0).then(|| format!("The secrets of {of} are masked. JSON and JSON Lines keep them."))
}

/// Returns a record as one line of JSON. If the record is not JSON, its fields become an object.
fn line(snapshot: &Snapshot, at: EntryRef) -> Vec<u8> {
    let (store, entry) = snapshot.get(at);
    let own = format::by_name(store.format);
    let is_json =
        own.is_some_and(|own| own.syntax(&store.document(entry).path) == format::RecordSyntax::Json);
    if is_json && store.is_readable(entry) {
        return on_one_line(&store.raw(entry));
    }
    let text = format::text_of(store, entry);
    let fields: serde_json::Map<String, Value> =
        text.fields.into_iter().map(|(name, value)| (name, Value::String(value.into_raw()))).collect();
    let id = store.id(entry);
    let value = json!({ "id": id, "state": entry.state.as_str(), "text": text.text.raw(), "fields": fields });
    value.to_string().into_bytes()
}

fn placed(snapshot: &Snapshot, at: EntryRef) -> Vec<u8> {
    #[derive(Serialize)]
    struct RecordPlace<'a> {
        store: &'a str,
        file: &'a str,
        line: u32,
        state: &'static str,
        key: String,
    }
    let (store, entry) = snapshot.get(at);
    let place = RecordPlace {
        store: &store.root.to_text(),
        file: &store.document(entry).path.to_text(),
        line: store.record(entry).line,
        state: entry.state.as_str(),
        key: store.key(entry),
    };
    let place = json!(place).to_string();
    [b"{\"place\":", place.as_bytes(), b",\"memory\":", &line(snapshot, at), b"}"].concat()
}

fn markdown(snapshot: &Snapshot, at: EntryRef, places: bool) -> String {
    let (store, entry) = snapshot.get(at);
    let text = format::text_of(store, entry);
    let id = store.id(entry).unwrap_or("(no id)");
    let field = |(name, value): &(String, UntrustedText)| {
        format!("- {}: {}\n", sanitize(name), sanitize(value.raw()))
    };
    let fields: String = text.fields.iter().map(field).collect();
    let (root, file) = (store.root.to_text(), store.document(entry).path.to_text());
    let place = format!("{root}: {file}:{} ({})", store.record(entry).line, entry.state.as_str());
    let place = if places { format!("{}\n\n", sanitize(&place)) } else { String::new() };
    let (title, id) = (sanitize(text.title.raw()), sanitize(id));
    format!("## {title}\n\n`{id}`\n\n{place}{}\n\n{fields}\n", text.text.raw())
}

const HEADER: &str = "id,type,state,session,created,importance,tags,text\n";

/// The columns before these if places are asked for.
const PLACE_HEADER: &str = "store,file,line,key,";

fn csv(snapshot: &Snapshot, at: EntryRef, places: bool) -> String {
    let (store, entry) = snapshot.get(at);
    let memory = store.memory(entry);
    let text = format::text_of(store, entry).text.into_raw();
    let cells = [
        memory.and_then(|memory| memory.id()).unwrap_or_default().to_owned(),
        memory.map(|memory| memory.kind().to_string()).unwrap_or_default(),
        entry.state.as_str().to_owned(),
        store.session(entry).map(|session| session.name.clone()).unwrap_or_default(),
        memory.and_then(|memory| memory.created).map(|when| when.to_rfc3339()).unwrap_or_default(),
        memory.map(|memory| memory.importance.to_string()).unwrap_or_default(),
        memory.map(|memory| memory.joined_tags(" ")).unwrap_or_default(),
        text,
    ];
    let path = |path: &Path| path.to_text().into_owned();
    let line = store.record(entry).line.to_string();
    let place =
        places.then(|| [path(&store.root), path(&store.document(entry).path), line, store.key(entry)]);
    place.into_iter().flatten().chain(cells).map(|cell| quoted(&cell)).collect::<Vec<_>>().join(",") + "\n"
}

/// Quotes a cell, so that no program reads it as a formula or as two cells.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t']);
    let guard = if formula { "'" } else { "" };
    format!("\"{guard}{}\"", cell.replace('"', "\"\""))
}
