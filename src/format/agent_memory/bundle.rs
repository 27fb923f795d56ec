//! The bundle: the memory itself (§ state.json), in the state and in every checkpoint.

use std::borrow::Cow;

use super::shape::{self, Member, Shape};
use crate::format::fields::Need::{Optional, Required};
use crate::format::form::{Form, Kind as Holds};
use crate::format::reading::Within;
use crate::model::{Code, Severity};
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;
use crate::text::{canonical, edit};

/// What a bundle is. The inside of its sections is what the format's own tool writes and
/// validates; the specification only names them.
pub const BUNDLE: Shape = Shape::Object(&[
    ("project", Required, PROJECT),
    ("projectMap", Required, PROJECT_MAP),
    ("currentFocus", Required, CURRENT_FOCUS),
    ("gotchas", Required, Shape::Each(&GOTCHA)),
    ("nextSteps", Required, Shape::Each(&NEXT_STEP)),
    ("validationCommands", Required, Shape::Each(&VALIDATION_COMMAND)),
]);

const PROJECT: Shape = Shape::Object(&[
    ("name", Required, Shape::Text),
    ("summary", Required, Shape::Text),
    ("primaryEcosystem", Required, Shape::Text),
    ("packageManager", Required, Shape::Text),
    ("workspaceManager", Required, Shape::Text),
    ("recommendedEntryFile", Required, Shape::Text),
    ("keyPaths", Required, Shape::Texts),
]);

const PATH: Member = ("path", Required, Shape::Text);

const PROJECT_MAP: Shape = Shape::Object(&[
    (
        "modules",
        Required,
        Shape::Each(&Shape::Object(&[
            ("name", Required, Shape::Text),
            PATH,
            ("responsibility", Required, Shape::Text),
        ])),
    ),
    ("entrypoints", Required, Shape::Each(&Shape::Object(&[PATH, ("role", Required, Shape::Text)]))),
    ("denseSourceAreas", Required, Shape::Each(&Shape::Object(&[PATH, ("note", Required, Shape::Text)]))),
    ("architectureNotes", Required, Shape::Texts),
    ("firstFilesToRead", Required, Shape::Texts),
]);

const CURRENT_FOCUS: Shape = Shape::Object(&[
    ("summary", Required, Shape::Text),
    ("currentState", Required, Shape::Texts),
    ("knownRisks", Required, Shape::Texts),
    ("validationSnapshot", Required, SNAPSHOT),
]);

const SNAPSHOT: Shape = Shape::Object(&[
    ("status", Required, Shape::Word(&["not-run", "passed", "failed", "mixed"])),
    ("validatedAt", Optional, Shape::WhenOrNull),
    ("summary", Required, Shape::Text),
    ("suggestedNextActions", Required, Shape::Texts),
    (
        "results",
        Required,
        Shape::Each(&Shape::Object(&[
            ("label", Required, Shape::Text),
            ("command", Required, Shape::Text),
            ("status", Required, Shape::Word(&["passed", "failed", "unavailable"])),
            ("summary", Required, Shape::Text),
        ])),
    ),
]);

const GOTCHA: Shape = Shape::Object(&[
    ("title", Required, Shape::Text),
    ("symptom", Required, Shape::Text),
    ("cause", Required, Shape::Text),
    ("correctPath", Required, Shape::Text),
]);

const NEXT_STEP: Shape = Shape::Object(&[
    ("title", Required, Shape::Text),
    ("why", Required, Shape::Text),
    ("start", Required, Shape::Text),
    ("done", Required, Shape::Text),
]);

const VALIDATION_COMMAND: Shape = Shape::Object(&[
    ("label", Required, Shape::Text),
    ("command", Required, Shape::Texts),
    ("purpose", Required, Shape::Text),
]);

/// The sections, as the specification lists them.
pub const SECTIONS: [&str; 6] =
    ["project", "projectMap", "currentFocus", "gotchas", "nextSteps", "validationCommands"];

/// So many validation commands a bundle may have.
pub const COMMANDS: usize = 2;

/// A section's name as the type of its records.
pub fn kind(section: &str) -> Cow<'static, str> {
    match SECTIONS.iter().find(|known| **known == section) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(section.to_owned()),
    }
}

/// The form of a section that is an object, or of an item of one that is a list.
pub fn form(section: &str, record: &[u8]) -> Form {
    let mut form = Form::default();
    let mut tape = Tape::default();
    let is_text = edit::scan(&mut tape, record).is_ok_and(|value| value.kind() == Kind::String);
    match shape::within(&BUNDLE, section) {
        Some(Shape::Each(item)) => shape::form(item, "", Required, &mut form),
        Some(shape) => shape::form(shape, "", Required, &mut form),
        None if is_text => form.ask("text".into(), Required, Holds::Text { most: None }),
        None => {}
    }
    form
}

/// What a bundle has wrong beside its shape: its hash, and how many commands it holds.
/// `owner` is the state or the checkpoint.
pub fn check(owner: Json<'_>, within: &mut Within<'_>) {
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

/// The start of a hash.
pub fn abridged(hash: &str) -> String {
    hash.chars().take(12).chain(['…']).collect()
}

/// Every path of the repository that a section or an item of one names.
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
