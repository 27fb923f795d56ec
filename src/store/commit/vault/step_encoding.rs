//! A compact encoding of undo data.

use serde::{Deserialize, Serialize};

use super::undo_step::DerivedState;
use crate::model::owner::Owner;
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{Act, Change, PathText, Splice, path_from_text};

/// The maximum number of splices whose lines are searched for elsewhere in the file.
const FEW: usize = 16;

/// A file of a step, and what the step does to it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub enum StepFileEntry<W> {
    /// A file with the private mode.
    Private(String, W),
    /// A file with another mode.
    Moded(String, W, u32),
    /// A file that is restored, with its user and group.
    Had(String, W, u32, (u32, u32)),
}

impl<W> StepFileEntry<W> {
    pub fn new(path: &std::path::Path, act: W, mode: u32, owner: Option<Owner>) -> StepFileEntry<W> {
        match (path.to_text().into_owned(), owner) {
            (path, Some(Owner { user, group })) => StepFileEntry::Had(path, act, mode, (user, group)),
            (path, None) if mode == PRIVATE_MODE => StepFileEntry::Private(path, act),
            (path, None) => StepFileEntry::Moded(path, act, mode),
        }
    }

    /// Returns the path, the act, the mode and the owner.
    pub fn parts(self) -> (std::path::PathBuf, W, u32, Option<Owner>) {
        match self {
            StepFileEntry::Private(path, act) => (path_from_text(&path), act, PRIVATE_MODE, None),
            StepFileEntry::Moded(path, act, mode) => (path_from_text(&path), act, mode, None),
            StepFileEntry::Had(path, act, mode, (user, group)) => {
                (path_from_text(&path), act, mode, Some(Owner { user, group }))
            }
        }
    }
}

/// A derived file that is rebuilt: its path, its digest and when it was written.
#[derive(Serialize, Deserialize)]
pub struct DerivedStateForm(String, String, Option<String>);

impl From<DerivedState> for DerivedStateForm {
    fn from(own: DerivedState) -> Self {
        DerivedStateForm(own.path.to_text().into_owned(), own.digest, own.at)
    }
}

impl From<DerivedStateForm> for DerivedState {
    fn from(DerivedStateForm(path, digest, at): DerivedStateForm) -> Self {
        DerivedState { path: path_from_text(&path), digest, at }
    }
}

/// Returns undo data without the `line_before` of unique lines: it only distinguishes equal lines.
pub fn without_neighbours(change: &Change, mut inverse: Change) -> Change {
    let base = change.base.clone().unwrap_or_default();
    if let Act::Splice(splices) = &mut inverse.act
        && splices.len() <= FEW
    {
        let is_line = |own: &&mut Splice| !own.was.is_empty();
        let mut alone: Vec<&mut Splice> = splices.iter_mut().filter(is_line).collect();
        // Only the end of the log is known: an added line has its own id or time, so it is unique.
        if base.known_end().is_some() {
            alone.into_iter().for_each(|own| own.line_before.clear());
            return inverse;
        }
        alone.retain(|own| memchr::memmem::find(&base, &own.was).is_none());
        alone.into_iter().for_each(|own| own.line_before.clear());
    }
    inverse
}
