//! Paths as text. A name may contain any bytes. Its text form names the same file again.
//!
//! Each byte that is not UTF-8 becomes `\xHH`, with two hexadecimal digits. A backslash that would be read as
//! the start of such an escape becomes `\x5C`. Everything else stays as it is.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// A path or a name.
pub trait PathText {
    /// Returns the text form. [`path_from_text`] returns the exact bytes.
    fn to_text(&self) -> Cow<'_, str>;
}

impl PathText for OsStr {
    fn to_text(&self) -> Cow<'_, str> {
        match self.to_str() {
            Some(text)
                if !text.match_indices('\\').any(|(at, _)| escaped(&text.as_bytes()[at..]).is_some()) =>
            {
                Cow::Borrowed(text)
            }
            _ => Cow::Owned(escape(self.as_bytes())),
        }
    }
}

impl PathText for Path {
    fn to_text(&self) -> Cow<'_, str> {
        self.as_os_str().to_text()
    }
}

/// True if a text is the name of one file or folder, and not a path to another.
pub fn is_file_name(text: &str) -> bool {
    let path = path_from_text(text);
    let is_plain = !path.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b'/' | 0));
    is_plain && matches!(path.components().next(), Some(Component::Normal(_)))
}

/// Returns the path that a text form names, byte for byte.
pub fn path_from_text(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let own = escaped(rest);
        bytes.push(own.unwrap_or(*first));
        rest = if own.is_some() { &rest[4..] } else { after };
    }
    OsString::from_vec(bytes).into()
}

/// True if a file has one record per line, and programs append lines to it.
pub fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

/// Returns the file on disk of a path into an archive: the part before the `!` that ends the archive's name.
pub fn container(path: &Path) -> Option<&Path> {
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.windows(2).position(|pair| pair == b"!/")?;
    Some(Path::new(OsStr::from_bytes(&bytes[..end])))
}

/// Returns the byte of an `\xHH` at the start of a text.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c == '\\' && escaped(&bytes[at..]).is_some() {
                true => text.push_str("\\x5C"),
                false => text.push(c),
            }
            at += c.len_utf8();
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
        at += chunk.invalid().len();
    }
    text
}

/// Paths in palimp's own data, in text form.
pub mod serde_path {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{PathText, path_from_text};

    /// Writes the text form.
    /// Fails if the serializer fails.
    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&path.to_text())
    }

    /// Reads the text form.
    /// Fails if the deserializer fails.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(path_from_text(&String::deserialize(from)?))
    }
}

/// The folder below which the files of deleted records and the folders of removed sessions are listed. It
/// does not exist on disk: the name looks like a path into an archive.
pub const DELETED_ROOT: &str = "~deleted!";

/// The same for memories of palimp's own archive, each in a folder of its name there.
pub const ARCHIVED_ROOT: &str = "~archived!";

/// Returns the file of a deleted or archived record that only palimp's own data has, or the folder of a removed
/// session.
pub fn deleted_from(path: &Path) -> Option<&Path> {
    let of_archive = || archived_from(path).map(|(_, file)| file);
    path.strip_prefix(DELETED_ROOT).ok().or_else(of_archive)
}

/// Returns the name of a memory in palimp's own archive, and the file that it was in.
pub fn archived_from(path: &Path) -> Option<(&str, &Path)> {
    let own = path.strip_prefix(ARCHIVED_ROOT).ok()?;
    let name = own.iter().next()?.to_str()?;
    Some((name, own.strip_prefix(name).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(bytes: &[u8]) -> PathBuf {
        OsString::from_vec(bytes.to_vec()).into()
    }

    #[test]
    fn names_are_told_as_they_are_but_for_bytes_that_are_no_text() {
        for (bytes, told) in [
            (&b"notes/a b.md"[..], "notes/a b.md"),
            (b"notes/\xff\xfe.md", "notes/\\xFF\\xFE.md"),
            ("naïve\\note.md".as_bytes(), "naïve\\note.md"),
            (b"cut \xe2\x82", "cut \\xE2\\x82"),
            (b"literal \\xFF", "literal \\x5CxFF"),
            (b"\\x5CxFF", "\\x5Cx5CxFF"),
            (b"\\\xff\\x\xff\\x4\xff", "\\\\xFF\\x\\xFF\\x4\\xFF"),
        ] {
            assert_eq!(path(bytes).to_text(), told);
            assert_eq!(path_from_text(told), path(bytes));
        }
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn whatever_is_told_is_what_was_meant(
            bytes in prop::collection::vec(prop::sample::select(b"\\xX5cCfF9\xff\xc3\xa9\xe2/.".to_vec()), 0..24)
        ) {
            let path = path(&bytes);
            prop_assert_eq!(path_from_text(&path.to_text()), path.clone());
            // No two names have the same text.
            let text = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(Path::new(&text).to_text() == path.to_text(), Path::new(&text) == path);
        }
    }
}
