//! Bytes of files and records that several hold: a plan, what carries it out, and what takes it back.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that are held once, however many have them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bytes(Arc<Vec<u8>>);

impl Bytes {
    /// Adds to them. Others that have them keep them as they are.
    pub fn extend(&mut self, more: &[u8]) {
        Arc::make_mut(&mut self.0).extend_from_slice(more);
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(mut bytes: Vec<u8>) -> Bytes {
        bytes.shrink_to_fit();
        Bytes(Arc::new(bytes))
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        bytes.to_vec().into()
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Bytes {
        text.into_bytes().into()
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Bytes {
        text.as_bytes().into()
    }
}
