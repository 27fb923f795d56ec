//! How our own data is written down in few bytes, and read as earlier versions wrote it, too.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::step::{Remade, path_of};
use super::vault::FileLine;
use crate::model::plan::PRIVATE;
use crate::model::{Act, Change, Splice, Tell, meant};

/// Of so many changed places it is looked whether their lines stand elsewhere, too.
const FEW: usize = 16;

/// A file of a step, with what is done to it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry<W> {
    /// A private one.
    Private(String, W),
    /// One of another mode.
    Moded(String, W, u32),
    /// As earlier versions wrote it: the path as text, or in hexadecimal.
    Earlier {
        path: String,
        #[serde(default)]
        hex: bool,
        mode: u32,
        act: W,
    },
}

impl<W> Entry<W> {
    pub(super) fn new(path: &std::path::Path, act: W, mode: u32) -> Entry<W> {
        match path.told().into_owned() {
            path if mode == PRIVATE => Entry::Private(path, act),
            path => Entry::Moded(path, act, mode),
        }
    }

    /// Its path, what is done to it, and its mode.
    pub(super) fn parts(self) -> Option<(std::path::PathBuf, W, u32)> {
        Some(match self {
            Entry::Private(path, act) => (meant(&path), act, PRIVATE),
            Entry::Moded(path, act, mode) => (meant(&path), act, mode),
            Entry::Earlier { path, hex, mode, act } => (path_of(&path, hex)?, act, mode),
        })
    }
}

/// A derived file that is made anew.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum RemadeForm {
    Short(String, String, Option<String>),
    Earlier {
        path: String,
        digest: String,
        #[serde(default)]
        at: Option<String>,
    },
}

impl From<Remade> for RemadeForm {
    fn from(own: Remade) -> Self {
        RemadeForm::Short(own.path.told().into_owned(), own.digest, own.at)
    }
}

impl From<RemadeForm> for Remade {
    fn from(form: RemadeForm) -> Self {
        match form {
            RemadeForm::Short(path, digest, at) => Remade { path: meant(&path), digest, at },
            RemadeForm::Earlier { path, digest, at } => Remade { path: path.into(), digest, at },
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FileForm {
    Short(String, String, u64, u64),
    Earlier(FileLine),
}

/// The files of a line of the journal: each its path, what was done to it, and its lengths.
pub(super) fn put_files<S: Serializer>(files: &[FileLine], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(files.iter().map(|own| (own.path.told(), &own.change, own.bytes_before, own.bytes_after)))
}

pub(super) fn take_files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileLine>, D::Error> {
    let read = |form| match form {
        FileForm::Short(path, change, bytes_before, bytes_after) => {
            FileLine { path: meant(&path), change, bytes_before, bytes_after }
        }
        FileForm::Earlier(own) => own,
    };
    Ok(Vec::<FileForm>::deserialize(from)?.into_iter().map(read).collect())
}

/// What takes a change back, without the lines before those that it finds by themselves: what a line
/// stood behind tells it from others that are like it, and there are none.
pub(super) fn without_neighbours(change: &Change, mut inverse: Change) -> Change {
    let base = change.base.as_deref().unwrap_or_default();
    if let Act::Splice(splices) = &mut inverse.act
        && splices.len() <= FEW
    {
        let is_alone =
            |own: &&mut Splice| !own.was.is_empty() && memchr::memmem::find(base, &own.was).is_none();
        splices.iter_mut().filter(is_alone).for_each(|own| own.behind.clear());
    }
    inverse
}
