//! A line of the journal: numbers and file names, no content.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::{Change, ChangeKind, PathText, Renaming, Verb, path_from_text};

/// A changed file in a line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Its path, relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub path: PathBuf,
    /// What the step did to it.
    pub change: ChangeKind,
    /// Its length in bytes before the step.
    pub bytes_before: u64,
    /// Its length in bytes after the step.
    pub bytes_after: u64,
}

/// The step that another step undoes or redoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndoRedo {
    /// The step is undone.
    Undo(u64),
    /// The step is redone.
    Redo(u64),
}

/// A line of the journal: one step, without content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalLine {
    /// The step's number, from 1.
    // Undo data does not contain it: its file name does.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub step: u64,
    /// When it was done.
    pub at: String,
    pub verb: Verb,
    /// The number of records that it concerned.
    pub records: u64,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[serde(serialize_with = "put_files", deserialize_with = "take_files")]
    pub files: Vec<FileLine>,
    /// The step that it undid or redid.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<UndoRedo>,
    /// The ids of the records that it erased: nothing else names them afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ids: Vec<String>,
    /// The memories that it gave another session or another id: copies made before have them under the earlier one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub renamed: Vec<Renaming>,
    /// The store's format: it identifies a store that a step emptied.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub format: String,
    /// The id of the change of several stores that this step is part of: all its parts have it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<String>,
    /// True if the derived files are as the plan says: palimp rebuilt no others then.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub as_planned: bool,
    /// True if it was interrupted and others changed the same since: it is neither finished nor undone.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_half: bool,
    /// The names of what it brought back from palimp's own archive.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub brought_back: Vec<String>,
}

impl JournalLine {
    /// Returns the step that it is about: the one that it undid or redid, or itself.
    pub fn subject_step(&self) -> u64 {
        match self.turn {
            Some(UndoRedo::Undo(step) | UndoRedo::Redo(step)) => step,
            None => self.step,
        }
    }
}

impl FileLine {
    /// Describes what a change does to its file.
    pub fn of(change: &Change) -> FileLine {
        FileLine {
            path: change.path.clone(),
            change: change.kind(),
            bytes_before: change.len_before(),
            bytes_after: change.len_after(),
        }
    }
}

pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Writes each file as an array: path, change, length before, length after.
fn put_files<S: Serializer>(files: &[FileLine], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(
        files.iter().map(|own| (own.path.to_text(), &own.change, own.bytes_before, own.bytes_after)),
    )
}

fn take_files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileLine>, D::Error> {
    let read = |(path, change, bytes_before, bytes_after): (String, ChangeKind, u64, u64)| FileLine {
        path: path_from_text(&path),
        change,
        bytes_before,
        bytes_after,
    };
    Ok(Vec::deserialize(from)?.into_iter().map(read).collect())
}
