//! The bundle, which holds the memories (§ state.json). The state and every checkpoint have one.

use super::json_shape::{self, JsonShape, ShapeMember};
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_form::{FieldKind as Holds, RecordForm};
use crate::format::record_reader::DocumentReading;
use crate::model::{Code, Severity};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;
use crate::text::{canonical, json_edit};

/// The shape of a bundle. The specification names only the sections; the fields come from the
/// format's tool.
pub const BUNDLE: JsonShape = JsonShape::Object(&[
    ("project", Required, PROJECT),
    ("projectMap", Required, PROJECT_MAP),
    ("currentFocus", Required, CURRENT_FOCUS),
    ("gotchas", Required, JsonShape::Each(&GOTCHA)),
    ("nextSteps", Required, JsonShape::Each(&NEXT_STEP)),
    ("validationCommands", Required, JsonShape::Each(&VALIDATION_COMMAND)),
]);

const PROJECT: JsonShape = JsonShape::Object(&[
    ("name", Required, JsonShape::Text),
    ("summary", Required, JsonShape::Text),
    ("primaryEcosystem", Required, JsonShape::Text),
    ("packageManager", Required, JsonShape::Text),
    ("workspaceManager", Required, JsonShape::Text),
    ("recommendedEntryFile", Required, JsonShape::Text),
    ("keyPaths", Required, JsonShape::Texts),
]);

const PATH: ShapeMember = ("path", Required, JsonShape::Text);

const PROJECT_MAP: JsonShape = JsonShape::Object(&[
    (
        "modules",
        Required,
        JsonShape::Each(&JsonShape::Object(&[
            ("name", Required, JsonShape::Text),
            PATH,
            ("responsibility", Required, JsonShape::Text),
        ])),
    ),
    (
        "entrypoints",
        Required,
        JsonShape::Each(&JsonShape::Object(&[PATH, ("role", Required, JsonShape::Text)])),
    ),
    (
        "denseSourceAreas",
        Required,
        JsonShape::Each(&JsonShape::Object(&[PATH, ("note", Required, JsonShape::Text)])),
    ),
    ("architectureNotes", Required, JsonShape::Texts),
    ("firstFilesToRead", Required, JsonShape::Texts),
]);

const CURRENT_FOCUS: JsonShape = JsonShape::Object(&[
    ("summary", Required, JsonShape::Text),
    ("currentState", Required, JsonShape::Texts),
    ("knownRisks", Required, JsonShape::Texts),
    ("validationSnapshot", Required, SNAPSHOT),
]);

const SNAPSHOT: JsonShape = JsonShape::Object(&[
    ("status", Required, JsonShape::Word(&["not-run", "passed", "failed", "mixed"])),
    ("validatedAt", Optional, JsonShape::WhenOrNull),
    ("summary", Required, JsonShape::Text),
    ("suggestedNextActions", Required, JsonShape::Texts),
    (
        "results",
        Required,
        JsonShape::Each(&JsonShape::Object(&[
            ("label", Required, JsonShape::Text),
            ("command", Required, JsonShape::Text),
            ("status", Required, JsonShape::Word(&["passed", "failed", "unavailable"])),
            ("summary", Required, JsonShape::Text),
        ])),
    ),
]);

const GOTCHA: JsonShape = JsonShape::Object(&[
    ("title", Required, JsonShape::Text),
    ("symptom", Required, JsonShape::Text),
    ("cause", Required, JsonShape::Text),
    ("correctPath", Required, JsonShape::Text),
]);

const NEXT_STEP: JsonShape = JsonShape::Object(&[
    ("title", Required, JsonShape::Text),
    ("why", Required, JsonShape::Text),
    ("start", Required, JsonShape::Text),
    ("done", Required, JsonShape::Text),
]);

const VALIDATION_COMMAND: JsonShape = JsonShape::Object(&[
    ("label", Required, JsonShape::Text),
    ("command", Required, JsonShape::Texts),
    ("purpose", Required, JsonShape::Text),
]);

/// The sections, in the order of the specification.
pub const SECTIONS: [&str; 6] =
    ["project", "projectMap", "currentFocus", "gotchas", "nextSteps", "validationCommands"];

/// The largest number of validation commands in a bundle.
pub const COMMANDS: usize = 2;

/// Returns the form of a section that is an object, or of an item of a section that is a list.
pub fn form(section: &str, record: &[u8]) -> RecordForm {
    let mut form = RecordForm::default();
    let mut tape = Tape::default();
    let is_text = json_edit::scan(&mut tape, record).is_ok_and(|value| value.kind() == JsonKind::String);
    match json_shape::within(&BUNDLE, section) {
        Some(JsonShape::Each(item)) => json_shape::form(item, "", Required, &mut form),
        Some(shape) => json_shape::form(shape, "", Required, &mut form),
        None if is_text => form.ask("text".into(), Required, Holds::Text { most: None }),
        None => {}
    }
    form
}

/// Checks the hash of a bundle and its number of commands. `owner` is the state or the checkpoint.
pub fn check(owner: Json<'_>, within: &mut DocumentReading<'_>) {
    let Some(bundle) = owner.get("bundle") else { return };
    if let Some(commands) = bundle.get("validationCommands").filter(|own| own.items().count() > COMMANDS) {
        let message = format!("`validationCommands` should hold at most {COMMANDS} commands.");
        within.problem(Code::LimitExceeded, Severity::Warning, commands.span().0, message);
    }
    let Some(stored) = owner.get("bundleHash") else { return };
    let Some(text) = stored.text() else { return };
    let message = match canonical::sha256_indented(bundle) {
        Some(hash) if hash == text => return,
        Some(hash) => {
            format!("`bundleHash` is {}, and the bundle's hash is {}.", abridged(&text), abridged(&hash))
        }
        None => "The bundle is nested too deep to have a hash.".into(),
    };
    within.problem(Code::HashMismatch, Severity::Error, stored.span().0, message);
}

/// Returns the start of a hash, for messages.
pub fn abridged(hash: &str) -> String {
    hash.chars().take(12).chain(['…']).collect()
}

/// Returns every repository path that a section or an item names.
pub fn paths(value: Json<'_>) -> Vec<Box<str>> {
    let mut paths = Vec::new();
    let mut add = |value: Option<Json<'_>>| paths.extend(value.and_then(|path| path.text()).map(Into::into));
    for name in ["keyPaths", "firstFilesToRead"] {
        value.get(name).iter().flat_map(|list| list.items()).for_each(|path| add(Some(path)));
    }
    for name in ["modules", "entrypoints", "denseSourceAreas"] {
        value.get(name).iter().flat_map(|list| list.items()).for_each(|item| add(item.get("path")));
    }
    paths
}
