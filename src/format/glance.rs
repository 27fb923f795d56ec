//! Enough of a folder to tell whose it is.

use std::path::Path;

use crate::text::json::Json;
use crate::text::records;

/// What detection may ask of the disk.
pub trait Glance {
    /// Whether the folder stands at the default place of the format that asks, or the
    /// user said which format it is: then the expected file names suffice.
    fn names_suffice(&self) -> bool;

    /// The names of the folders in a folder, sorted, at most some hundreds.
    fn folders(&self, folder: &Path) -> Vec<String>;

    /// The names of the regular files in a folder, sorted, at most some hundreds.
    fn files(&self, folder: &Path) -> Vec<String>;

    /// The first 16 KiB of a regular file; `None` if it is not one or can't be read.
    fn head(&self, file: &Path) -> Option<Vec<u8>>;
}

/// What the first records of a file say of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// A record of the format stands in it.
    Yes,
    /// Whole objects stand in it, and none is a record of the format.
    No,
    /// No whole object stands in it: it is empty, torn or broken.
    Silent,
}

/// Judges the head of a JSON Lines file by what `is_record` says of its objects.
pub fn likeness(head: &[u8], is_record: impl Fn(Json<'_>) -> bool) -> Likeness {
    let mut likeness = Likeness::Silent;
    records::split(head, &mut |piece| {
        if let Some(object) = piece.object {
            if is_record(object) {
                likeness = Likeness::Yes;
            } else if likeness == Likeness::Silent {
                likeness = Likeness::No;
            }
        }
    });
    likeness
}

/// How much of a file detection reads, in bytes.
pub const HEAD: usize = 16 * 1024;

/// Whether a text of that name stands as a member's name in the bytes, parsed or not.
pub fn names_member(head: &[u8], name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    memchr::memmem::find_iter(head, quoted.as_bytes()).any(|at| {
        let rest = &head[at + quoted.len()..];
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    })
}
