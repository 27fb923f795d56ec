//! Access lists (POSIX). palimp does not copy them: a new file has the rights of its mode alone.

use std::fs::File;
use std::path::Path;

use rustix::fs::{fremovexattr, getxattr};
use rustix::io::Errno;

/// The extended attribute in which Linux keeps a list: a version of 4 bytes, then the entries.
const NAME: &str = "system.posix_acl_access";
/// An entry has its tag, its rights and an id, in the order of the lower byte first.
const ENTRY: usize = 8;
/// The tags of entries: of a named user, the owning group, a named group, the most that these get, and all others.
const USER: u8 = 2;
const GROUP: u8 = 4;
const NAMED_GROUP: u8 = 8;
const MASK: u8 = 16;
const OTHER: u8 = 32;

/// Returns the rights of the group and of all others as bits of a mode, if a file or folder has a list. They are so few that
/// nobody whom the list names gets more by them.
pub fn bits_without_list(path: &Path) -> Option<u32> {
    let mut list = [0; 4096];
    let len = match getxattr(path, NAME, &mut list) {
        Ok(len) => len,
        // The list is longer than that. Nobody but the owner gets anything.
        Err(Errno::RANGE) => return Some(0),
        Err(_) => return None,
    };
    let entries = || list.get(4..len).into_iter().flat_map(|own| own.chunks_exact(ENTRY));
    let rights = |tag: u8| entries().filter(move |own| own[..2] == [tag, 0]).map(|own| own[2] & 7);
    let mask = rights(MASK).next().unwrap_or(7);
    let named = rights(USER).chain(rights(NAMED_GROUP)).fold(7, |least, own| least & own & mask);
    let group = rights(GROUP).next().unwrap_or(0) & mask & named;
    let other = rights(OTHER).next().unwrap_or(0) & named;
    Some(u32::from(group) << 3 | u32::from(other))
}

/// Removes the list that a new file got from its folder. There may be none, and no lists on the file system.
pub fn remove(file: &File) {
    let _ = fremovexattr(file, NAME);
}
