//! A line of the journal: numbers and names of files, no content.

use crate::model::Change;
use crate::model::PathText;
use crate::model::path_from_text;
use serde::Deserializer;
use serde::Serializer;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a line of the journal says of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub path: PathBuf,
    /// `create`, `rewrite`, `append` or `remove`.
    pub change: String,
    /// Its length before.
    pub bytes_before: u64,
    /// Its length afterwards.
    pub bytes_after: u64,
}

/// What a step took back or did again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndoRedo {
    /// It took that step back.
    Undo(u64),
    /// It did that step again.
    Redo(u64),
}

/// A line of the journal: a step that was done. It holds no content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalLine {
    /// Its number, from 1.
    #[serde(default, skip_serializing_if = "is_none")]
    pub step: u64,
    /// When it was done.
    pub at: String,
    /// The verb.
    pub verb: String,
    /// How many records it concerned.
    pub records: u64,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[serde(serialize_with = "put_files", deserialize_with = "take_files")]
    pub files: Vec<FileLine>,
    /// What it took back or did again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<UndoRedo>,
    /// The ids of what it erased: of that nothing else is left to name it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ids: Vec<String>,
    /// The store's format: a store that a step emptied is known by it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub format: String,
    /// The change of several stores of which it is a part: its other parts have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<String>,
    /// Whether all that it derived is what its plan said: then nothing else was made anew.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub as_planned: bool,
    /// What held the files that were replaced, where the file system can't exchange them: `link`
    /// or `copy`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guard: Option<String>,
}

impl JournalLine {
    /// The step that it is about: what is turned, where it is a turn.
    pub fn subject_step(&self) -> u64 {
        match self.turn {
            Some(UndoRedo::Undo(step) | UndoRedo::Redo(step)) => step,
            None => self.step,
        }
    }
}

impl FileLine {
    /// Says what a change does to its file.
    pub fn of(change: &Change) -> FileLine {
        FileLine {
            path: change.path.clone(),
            change: change.word().to_owned(),
            bytes_before: change.len_before(),
            bytes_after: change.len_after(),
        }
    }
}

/// A step's own file does not say its number: its name does.
pub fn is_none(number: &u64) -> bool {
    *number == 0
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JournalFileForm {
    Short(String, String, u64, u64),
    Earlier(FileLine),
}

/// The files of a line of the journal: each its path, what was done to it, and its lengths.
pub fn put_files<S: Serializer>(files: &[FileLine], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(
        files.iter().map(|own| (own.path.to_text(), &own.change, own.bytes_before, own.bytes_after)),
    )
}

pub fn take_files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileLine>, D::Error> {
    let read = |form| match form {
        JournalFileForm::Short(path, change, bytes_before, bytes_after) => {
            FileLine { path: path_from_text(&path), change, bytes_before, bytes_after }
        }
        JournalFileForm::Earlier(own) => own,
    };
    Ok(Vec::<JournalFileForm>::deserialize(from)?.into_iter().map(read).collect())
}
