//! `sources.json`: the import source registry (§ sources.json), an array of sources.

use std::borrow::Cow;
use std::path::Path;

use super::json_shape;
use super::json_shape::JsonShape::{self, Count, Object, Text, TextOrNull, When, WhenOrNull, Word};
use super::main_text::text;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_reader::{self, DocumentReading, Reading};
use crate::model::{Code, Moment, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};

const SOURCE: JsonShape = Object(&[
    (&["id", "type", "path"], Required, Text),
    (&["createdAt", "updatedAt"], Required, When),
    (&["lastSyncedAt"], Optional, WhenOrNull),
    (&["lastSyncStatus"], Optional, Word(&["never", "passed", "failed"])),
    (&["lastSyncError"], Optional, TextOrNull),
    (&["lastImportedCount"], Optional, Count),
]);

/// Reads the registry: one record for each source.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_within(path, bytes, JsonKind::Array, &mut |sources, within| {
        for source in sources.items() {
            if source.kind() != JsonKind::Object {
                let found = source.kind().as_str();
                within.broken(source, format!("A source should be an object and is {found}."));
                continue;
            }
            within.record(source, memory(source), Vec::new());
            json_shape::tell(json_shape::check(source, "", &SOURCE, now), within);
            last_sync(source, within);
        }
    })
}

fn memory(source: Json<'_>) -> StoredMemory {
    let facet = |name, member| text(source, member).map(|own| (name, own.into()));
    let facets = [facet("source", "id"), facet("status", "lastSyncStatus"), facet("path", "path")];
    StoredMemory {
        id: text(source, "id").map(Into::into),
        kind: Cow::Borrowed("source"),
        created: source.get("createdAt").and_then(|own| own.moment()),
        importance: 0.5,
        facets: facets.into_iter().flatten().collect(),
        ..StoredMemory::default()
    }
}

/// Reports a source whose last sync failed. What was imported before stays usable.
fn last_sync(source: Json<'_>, within: &mut DocumentReading<'_>) {
    let status = source.get("lastSyncStatus").filter(|status| status.is_text("failed"));
    if let Some(status) = status {
        let why = text(source, "lastSyncError").unwrap_or(Cow::Borrowed("the reason is not recorded"));
        let message = format!("The last sync of this source failed: {why}");
        within.problem(Code::SyncFailed, Severity::Warning, status.span().0, message);
    }
}
