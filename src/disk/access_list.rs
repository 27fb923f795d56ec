//! Access lists (POSIX). palimp does not copy them: a new file has the rights of its mode alone.

use std::path::Path;

use rustix::fs::getxattr;
use rustix::io::Errno;

/// The extended attribute in which Linux keeps a list: a version of 4 bytes, then the entries.
const NAME: &str = "system.posix_acl_access";
/// An entry has its tag, its rights and an id.
const ENTRY: usize = 8;
/// The tag of the entry of the owning group.
const GROUP: [u8; 2] = 4_u16.to_le_bytes();

/// Returns the rights of the owning group as group bits, if a file or folder has a list. The group bits of the
/// mode are then the most that the list gives to anyone but the owner.
pub fn group_bits(path: &Path) -> Option<u32> {
    let mut list = [0; 4096];
    let len = match getxattr(path, NAME, &mut list) {
        Ok(len) => len,
        // The list is longer than that. The group gets nothing.
        Err(Errno::RANGE) => return Some(0),
        Err(_) => return None,
    };
    let entries = list.get(4..len)?.chunks_exact(ENTRY);
    let bits = entries.filter(|entry| entry.starts_with(&GROUP)).map(|entry| u32::from(entry[2] & 7) << 3);
    Some(bits.sum())
}
