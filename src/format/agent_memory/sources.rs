//! `sources.json`: the import source registry (§ sources.json), an array at the top.

use std::borrow::Cow;
use std::path::Path;

use super::shape::{self, Shape};
use super::text::text;
use crate::format::fields::Need::{Optional, Required};
use crate::format::reading::{self, Reading, Within};
use crate::model::{Code, Moment, Parsed, Severity};
use crate::text::json::{Json, Kind};

const SOURCE: Shape = Shape::Object(&[
    ("id", Required, Shape::Text),
    ("type", Required, Shape::Text),
    ("path", Required, Shape::Text),
    ("createdAt", Required, Shape::When),
    ("updatedAt", Required, Shape::When),
    ("lastSyncedAt", Optional, Shape::WhenOrNull),
    ("lastSyncStatus", Optional, Shape::Word(&["never", "passed", "failed"])),
    ("lastSyncError", Optional, Shape::TextOrNull),
    ("lastImportedCount", Optional, Shape::Count),
]);

/// Reads the registry: one record for each source.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    reading::read_within(path, bytes, Kind::Array, &mut |sources, within| {
        for source in sources.items() {
            if source.kind() != Kind::Object {
                let found = source.kind().as_str();
                within.broken(source, format!("A source should be an object and is {found}."));
                continue;
            }
            within.record(source, &view(source), Vec::new());
            shape::tell(shape::check(source, "", &SOURCE, now), within);
            last_sync(source, within);
        }
    })
}

fn view(source: Json<'_>) -> Parsed {
    let facet = |name, member| text(source, member).map(|own| (name, own.into()));
    let facets = [facet("source", "id"), facet("status", "lastSyncStatus"), facet("path", "path")];
    Parsed {
        id: text(source, "id").map(Into::into),
        kind: Cow::Borrowed("source"),
        created: text(source, "createdAt").and_then(|when| Moment::parse(&when)).map(|(when, _)| when),
        importance: 0.5,
        facets: facets.into_iter().flatten().collect(),
        ..Parsed::default()
    }
}

/// A source whose last sync failed: what was imported before stays usable.
fn last_sync(source: Json<'_>, within: &mut Within<'_>) {
    let status = source.get("lastSyncStatus").filter(|status| status.is_text("failed"));
    if let Some(status) = status {
        let why = text(source, "lastSyncError").unwrap_or(Cow::Borrowed("the reason is not recorded"));
        let message = format!("The last sync of this source failed: {why}");
        within.problem(Code::SyncFailed, Severity::Warning, status.span().0, message);
    }
}
