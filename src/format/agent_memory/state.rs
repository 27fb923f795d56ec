//! `state.json`: the active canonical state (§ state.json).

use std::borrow::Cow;
use std::path::Path;

use super::bundle::{self, BUNDLE, SECTIONS};
use super::json_shape;
use super::json_shape::JsonShape::{self, Count, Object, Text, TextOrNull, When, WhenOrNull};
use super::main_text::text;
use crate::format::entries;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_reader::{self, DocumentReading, Reading};
use crate::model::{Code, Moment, Reference, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};

/// The only supported version. The format's own tool does not read older ones.
pub const VERSION: f64 = 2.0;

const STATE: JsonShape = Object(&[
    (&["schemaVersion"], Required, Count),
    (&["generatorVersion"], Required, Text),
    (&["provider"], Required, PROVIDER),
    (&["generatedAt"], Required, When),
    (&["bundleHash"], Required, Text),
    (&["bundle"], Required, BUNDLE),
    (&["maintenance"], Required, MAINTENANCE),
]);

const PROVIDER: JsonShape =
    Object(&[(&["name"], Required, Text), (&["binary", "model", "sessionId"], Optional, TextOrNull)]);

const MAINTENANCE: JsonShape = Object(&[
    (&["lastRecalledAt"], Optional, WhenOrNull),
    (&["lastRecalledEventId", "latestCheckpointId"], Optional, TextOrNull),
    (&["historyEventCount", "importSourceCount"], Required, Count),
    (&["recallCursors"], Required, Object(&[(&["all", "local", "imports"], Optional, CURSOR)])),
]);

const CURSOR: JsonShape =
    Object(&[(&["lastRecalledAt"], Optional, WhenOrNull), (&["lastRecalledEventId"], Optional, TextOrNull)]);

/// Reads the state: one record per section that is an object, and per item of a section that is a list.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_within(path, bytes, JsonKind::Object, &mut |state, within| {
        records(state, within);
        json_shape::tell(json_shape::check(state, "", &STATE, now), within);
        version(state, within);
        bundle::check(state, within);
    })
}

fn version(state: Json<'_>, within: &mut DocumentReading<'_>) {
    let Some(version) = state.get("schemaVersion") else { return };
    if version.number().is_some_and(|number| number != VERSION) {
        let message = format!("`schemaVersion` is {}; this format has {VERSION}.", version.plain());
        within.problem(Code::UnsupportedVersion, Severity::Warning, version.span().0, message);
    }
}

fn records(state: Json<'_>, within: &mut DocumentReading<'_>) {
    let head = StateHeader::of(state);
    let bundle = state.get("bundle").filter(|bundle| bundle.kind() == JsonKind::Object);
    let Some(bundle) = bundle else {
        // A state without a bundle has no memories. It is shown as one record, so that nothing is hidden.
        return within.record(state, head.memory(Cow::Borrowed("state"), None, state), Vec::new());
    };
    for (name, section) in bundle.members() {
        let name = name.text().unwrap_or_default();
        let kind = entries::kind(Some(Cow::Borrowed(&name)), &SECTIONS);
        if section.kind() != JsonKind::Array {
            let mut memory = head.memory(kind, Some(name.clone().into_owned()), section);
            if name == "project" {
                memory.references = head.references.clone();
            }
            within.record(section, memory, Vec::new());
            continue;
        }
        for (index, item) in section.items().enumerate() {
            let own = text(item, "id").filter(|id| !id.is_empty());
            let id = own.map_or_else(|| format!("{name}.{index}"), Cow::into_owned);
            within.record(item, head.memory(kind.clone(), Some(id), item), Vec::new());
        }
    }
}

/// Values of the state that its records share.
struct StateHeader {
    created: Option<Moment>,
    provider: Option<Box<str>>,
    references: Box<[Reference<'static>]>,
}

impl StateHeader {
    fn of(state: Json<'_>) -> Self {
        let provider = state.path(&["provider", "name"]).and_then(|name| name.text());
        StateHeader {
            created: state.get("generatedAt").and_then(|own| own.moment()),
            provider: provider.map(Into::into),
            references: references(state).into(),
        }
    }

    fn memory(&self, kind: Cow<'static, str>, id: Option<String>, value: Json<'_>) -> StoredMemory {
        let status = value.path(&["validationSnapshot", "status"]).and_then(|status| status.text());
        let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
        facets.extend(self.provider.clone().map(|provider| ("provider", provider)));
        facets.extend(status.map(|status| ("status", status.into())));
        facets.extend(bundle::paths(value).into_iter().map(|path| ("path", path)));
        StoredMemory {
            id: id.map(Into::into),
            kind,
            created: self.created,
            importance: 0.5,
            facets: facets.into(),
            ..StoredMemory::default()
        }
    }
}

/// Returns the references of the state: its latest checkpoint, and the last recalled events.
fn references(state: Json<'_>) -> Vec<Reference<'static>> {
    let Some(maintenance) = state.get("maintenance") else { return Vec::new() };
    let mut references: Vec<Reference<'static>> = Vec::new();
    for relation in ["latestCheckpointId", "lastRecalledEventId"] {
        references.extend(text(maintenance, relation).map(|id| Reference::to_record(relation, id)));
    }
    for scope in ["local", "imports"] {
        let id = maintenance.path(&["recallCursors", scope, "lastRecalledEventId"]).and_then(|id| id.text());
        let new = id.filter(|id| references.iter().all(|known| *known.to.text != **id));
        references.extend(new.map(|id| Reference::to_record("recallCursors", id)));
    }
    references
}
