//! The bundle, which holds the memories (§ state.json). The state and every checkpoint have one.

use super::json_shape;
use super::json_shape::JsonShape::{self, Each, Object, Text, Texts, WhenOrNull, Word};
use super::main_text::items;
use crate::format::field_reader::Need::{Optional, Required};
use crate::format::record_form::{FieldKind as Holds, RecordForm};
use crate::format::record_reader::DocumentReading;
use crate::model::{Code, Severity};
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::Tape;
use crate::text::{canonical, json_edit};

/// The shape of a bundle. The specification names only the sections; the fields come from the
/// format's tool.
pub const BUNDLE: JsonShape = Object(&[
    (&["project"], Required, PROJECT),
    (&["projectMap"], Required, PROJECT_MAP),
    (&["currentFocus"], Required, CURRENT_FOCUS),
    (&["gotchas"], Required, Each(&GOTCHA)),
    (&["nextSteps"], Required, Each(&NEXT_STEP)),
    (&["validationCommands"], Required, Each(&VALIDATION_COMMAND)),
]);

const PROJECT: JsonShape = Object(&[
    (&["name", "summary", "primaryEcosystem", "packageManager"], Required, Text),
    (&["workspaceManager", "recommendedEntryFile"], Required, Text),
    (&["keyPaths"], Required, Texts),
]);

const PROJECT_MAP: JsonShape = Object(&[
    (&["modules"], Required, Each(&Object(&[(&["name", "path", "responsibility"], Required, Text)]))),
    (&["entrypoints"], Required, Each(&Object(&[(&["path", "role"], Required, Text)]))),
    (&["denseSourceAreas"], Required, Each(&Object(&[(&["path", "note"], Required, Text)]))),
    (&["architectureNotes", "firstFilesToRead"], Required, Texts),
]);

const CURRENT_FOCUS: JsonShape = Object(&[
    (&["summary"], Required, Text),
    (&["currentState", "knownRisks"], Required, Texts),
    (&["validationSnapshot"], Required, SNAPSHOT),
]);

const SNAPSHOT: JsonShape = Object(&[
    (&["status"], Required, Word(&["not-run", "passed", "failed", "mixed"])),
    (&["validatedAt"], Optional, WhenOrNull),
    (&["summary"], Required, Text),
    (&["suggestedNextActions"], Required, Texts),
    (&["results"], Required, Each(&RESULT)),
]);

const RESULT: JsonShape = Object(&[
    (&["label", "command"], Required, Text),
    (&["status"], Required, Word(&["passed", "failed", "unavailable"])),
    (&["summary"], Required, Text),
]);

const GOTCHA: JsonShape = Object(&[(&["title", "symptom", "cause", "correctPath"], Required, Text)]);

const NEXT_STEP: JsonShape = Object(&[(&["title", "why", "start", "done"], Required, Text)]);

const VALIDATION_COMMAND: JsonShape =
    Object(&[(&["label"], Required, Text), (&["command"], Required, Texts), (&["purpose"], Required, Text)]);

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
        Some(Each(item)) => json_shape::form(item, "", &mut form),
        Some(shape) => json_shape::form(shape, "", &mut form),
        None if is_text => form.ask("text".into(), Holds::Text { most: None }),
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
        items(value, &[name]).for_each(|path| add(Some(path)));
    }
    for name in ["modules", "entrypoints", "denseSourceAreas"] {
        items(value, &[name]).for_each(|item| add(item.get("path")));
    }
    paths
}
