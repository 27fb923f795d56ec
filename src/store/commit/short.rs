//! How our own data is written down in few bytes, and read as earlier versions wrote it, too.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::step::{Remade, path_of};
use super::vault::FileLine;
use crate::model::attributes::{Had, Owner};
use crate::model::bytes::Ranges;
use crate::model::plan::PRIVATE;
use crate::model::{Act, Change, Splice, Tell, meant};
use crate::store::chunks;

/// Of so many changed places it is looked whether their lines are elsewhere, too.
const FEW: usize = 16;

/// A file of a step, with what is done to it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry<W> {
    /// A private one.
    Private(String, W),
    /// One of another mode.
    Moded(String, W, u32),
    /// One that comes back, with what it had besides its mode.
    Had(String, W, u32, HadForm),
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
    pub(super) fn new(path: &std::path::Path, act: W, mode: u32, had: Option<HadForm>) -> Entry<W> {
        match (path.told().into_owned(), had) {
            (path, Some(had)) => Entry::Had(path, act, mode, had),
            (path, None) if mode == PRIVATE => Entry::Private(path, act),
            (path, None) => Entry::Moded(path, act, mode),
        }
    }

    /// Its path, what is done to it, its mode, and what it had besides.
    pub(super) fn parts(self) -> Option<(std::path::PathBuf, W, u32, Option<HadForm>)> {
        Some(match self {
            Entry::Private(path, act) => (meant(&path), act, PRIVATE, None),
            Entry::Moded(path, act, mode) => (meant(&path), act, mode, None),
            Entry::Had(path, act, mode, had) => (meant(&path), act, mode, Some(had)),
            Entry::Earlier { path, hex, mode, act } => (path_of(&path, hex)?, act, mode, None),
        })
    }
}

/// What a file had: its user and group, and its attributes by name, with the lengths of their
/// values.
#[derive(Serialize, Deserialize)]
pub(super) struct HadForm(
    u32,
    u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")] Vec<(String, usize)>,
);

impl HadForm {
    /// The values go where `put` puts them.
    pub(super) fn of(had: &Had, put: &mut dyn FnMut(&[u8]) -> usize) -> HadForm {
        let named = had.extended.iter().map(|(name, value)| (name.told().into_owned(), put(value)));
        HadForm(had.owner.user, had.owner.group, named.collect())
    }

    /// The values come from where `take` takes them.
    pub(super) fn had(self, take: &mut dyn FnMut(usize) -> Option<Vec<u8>>) -> Option<Had> {
        let HadForm(user, group, named) = self;
        let own = |(name, len): (String, usize)| Some((meant(&name).into_os_string(), take(len)?));
        let extended = named.into_iter().map(own).collect::<Option<_>>()?;
        Some(Had { owner: Owner { user, group }, extended })
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

/// A change's undo data, without the lines before those that it finds by themselves: the line before one
/// distinguishes it from others that are like it, and there are none.
pub(super) fn without_neighbours(change: &Change, mut inverse: Change) -> Change {
    let base = change.base.clone().unwrap_or_default();
    if let Act::Splice(splices) = &mut inverse.act
        && splices.len() <= FEW
    {
        let is_line = |own: &&mut Splice| !own.was.is_empty();
        let mut alone: Vec<&mut Splice> = splices.iter_mut().filter(is_line).collect();
        // A line that is added by the end of its log alone has an id, or a time, of its own.
        if base.known_end().is_some() {
            alone.into_iter().for_each(|own| own.behind.clear());
            return inverse;
        }
        // Chunks of a file end between lines: the first one tells.
        let told_by = |own: &Splice| if base.is_of_a_file() { own.was.line_end(0) } else { own.was.len() };
        chunks::each(&base, &mut |chunk| {
            alone.retain(|own| memchr::memmem::find(chunk, &own.was[..told_by(own)]).is_none());
            !alone.is_empty()
        });
        alone.into_iter().for_each(|own| own.behind.clear());
    }
    inverse
}
