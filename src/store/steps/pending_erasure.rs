//! The entry of an erasure that has begun: the next start finishes it.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Vault;
use crate::model::{FileLine, NotReached};
use crate::store::CommitError;
use crate::store::erase::ErasureTarget;
use crate::text::keyed_search::{ValueDigest, ValueKey};

pub const ERASING: &str = "erasing.json";
/// The key of the digests of erased values. It is random, belongs to one store, and never leaves palimp's data.
const KEY: &str = "values.key";
/// An erasure that has begun. It holds no content, and exists until the search is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingErasure {
    /// The step's number.
    pub step: u64,
    /// The process that began it.
    pub process: Option<i32>,
    /// When it began.
    pub at: String,
    /// Why, as a code.
    pub reason: String,
    /// The records that are erased.
    pub records: Vec<ErasureTarget>,
    /// The number of memories that are erased, or that lose a value.
    #[serde(default)]
    pub count: u64,
    /// Salted digests of the bytes that they had in live files, as they were shown. Other bytes under their names are
    /// other memories.
    #[serde(default)]
    pub shown: Vec<String>,
    /// The files that it changes.
    pub files: Vec<FileLine>,
    /// The places (`file:line`) that are erased together with the torn record before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with_torn: Vec<String>,
    /// The digests of values that are erased wherever they are. After an interruption, the values are searched
    /// for by these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueDigest>,
    /// True if memories with a value stay, and it is masked in them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_memories: bool,
    /// The digests of the main texts of the records. After an interruption what still has one is found by these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<ValueDigest>,
    /// The steps whose undo data has a part of them: no digest finds a line of a text.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub steps: BTreeSet<u64>,
    /// Salted digests of the records of live files that have one of the texts and stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<String>,
    /// The id of the key of these digests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value_key: String,
    /// The digests of what was searched for beside the stores, if something was found there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside_values: Vec<ValueDigest>,
    /// What it does not reach, as it was when the erasure began.
    #[serde(flatten)]
    pub not_reached: NotReached,
}

impl Vault<'_> {
    /// Returns the erasure that was interrupted, if there is one. Fails if the entry can't be read: what is still to
    /// be erased is unknown then.
    pub fn erasing(&self) -> Result<Option<PendingErasure>, CommitError> {
        let path = self.path(ERASING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| CommitError::unread(&path, error.into()))
    }

    /// Notes durably that an erasure has begun.
    pub fn begin_erasing(&self, entry: &PendingErasure) -> Result<(), CommitError> {
        let path = self.path(ERASING);
        // The erasure is refused then: the next start must not carry it out.
        self.write_own_file(&path, &json(entry)?).inspect_err(|_| drop(self.drop_own(&path)))
    }

    /// Notes durably that the erasure is over.
    pub fn end_erasing(&self) -> Result<(), CommitError> {
        self.drop_own(&self.path(ERASING))?;
        self.sync(&self.path(""))
    }

    /// Returns the key, or `None` if nothing was erased from this store yet. Fails if it can't be read, or is not a
    /// key: erased values can't be searched for without it.
    pub fn value_key(&self) -> Result<Option<ValueKey>, CommitError> {
        let path = self.path(KEY);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(None) };
        let no_key = || CommitError::unread(&path, std::io::Error::other("it is not a key"));
        <[u8; 32]>::try_from(bytes).map(|key| Some(ValueKey(key))).map_err(|_| no_key())
    }

    /// Returns the key with this id. Fails if it is missing, is another one or can't be read: what was erased can't
    /// be recognized.
    pub fn known_value_key(&self, id: &str) -> Result<ValueKey, CommitError> {
        let why = "the key is missing: erased values can't be searched for";
        let missing = || CommitError::unread(&self.path(KEY), std::io::Error::other(why));
        self.value_key()?.filter(|own| own.id() == id).ok_or_else(missing)
    }

    /// Returns the key. Makes it of these random bytes if there is none.
    pub fn make_value_key(&self, random: [[u8; 16]; 2]) -> Result<ValueKey, CommitError> {
        if let Some(key) = self.value_key()? {
            return Ok(key);
        }
        let mut key = [0; 32];
        key[..16].copy_from_slice(&random[0]);
        key[16..].copy_from_slice(&random[1]);
        self.write_own_file(&self.path(KEY), &key)?;
        Ok(ValueKey(key))
    }
}

pub fn json_lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> Result<Vec<u8>, CommitError> {
    let lines = values.into_iter().map(|own| Ok([json(&own)?, b"\n".to_vec()].concat()));
    Ok(lines.collect::<Result<Vec<_>, CommitError>>()?.concat())
}

pub fn json(value: &impl Serialize) -> Result<Vec<u8>, CommitError> {
    serde_json::to_vec(value).map_err(|error| CommitError::own_data(Path::new(ERASING), error.into()))
}
