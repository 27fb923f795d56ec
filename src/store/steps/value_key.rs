//! The key of the digests of erased values. It is random, belongs to one store, and never leaves palimp's data.

use crate::store::{CommitError, Vault};
use crate::text::keyed_search::ValueKey;

const FILE: &str = "values.key";

impl Vault<'_> {
    /// Returns the key, or `None` if nothing was erased from this store yet. Fails if it can't be read, or is not a
    /// key: erased values can't be searched for without it.
    pub fn value_key(&self) -> Result<Option<ValueKey>, CommitError> {
        let path = self.path(FILE);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(None) };
        let no_key = || CommitError::unread(&path, std::io::Error::other("it is not a key"));
        <[u8; 32]>::try_from(bytes).map(|key| Some(ValueKey(key))).map_err(|_| no_key())
    }

    /// Returns the key with this id. Fails if it is missing, is another one or can't be read: what was erased can't
    /// be recognized.
    pub fn known_value_key(&self, id: &str) -> Result<ValueKey, CommitError> {
        let why = "the key is missing: erased values can't be searched for";
        let missing = || CommitError::unread(&self.path(FILE), std::io::Error::other(why));
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
        self.write_own_file(&self.path(FILE), &key)?;
        Ok(ValueKey(key))
    }
}
