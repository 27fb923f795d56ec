//! The owner of a file, and its extended attributes, access lists included.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

use rustix::fs::{
    XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr,
};
use rustix::io::Errno;

use super::{ExtendedAttributes, Owner};

/// Attributes of every new file that depend on its content, or that only the system can set.
const OF_THE_SYSTEM: [&str; 3] = ["security.ima", "security.evm", "com.apple.provenance"];

/// Returns the attributes of an open file.
pub fn of(file: &File) -> io::Result<ExtendedAttributes> {
    let names = match all(|| flistxattr_query(file), |buffer| flistxattr(file, buffer)) {
        Err(error) if [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS].contains(&error) => Vec::new(),
        names => names?,
    };
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let names = names.map(OsStr::from_bytes).filter(|name| !OF_THE_SYSTEM.iter().any(|own| name == own));
    let mut found = Vec::new();
    for name in names {
        match all(|| fgetxattr_query(file, name), |buffer| fgetxattr(file, name, buffer)) {
            // It was removed in the meantime, or this user may not read it.
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            value => found.push((OsString::from_vec(name.as_bytes().to_vec()), value?)),
        }
    }
    found.sort();
    Ok(found)
}

/// Fills a buffer. The size needs its own call: with an empty buffer `fill` reports that there is nothing.
fn all(
    len: impl Fn() -> Result<usize, Errno>,
    fill: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    loop {
        let needed = len()?;
        let mut told = vec![0; needed];
        if needed == 0 {
            return Ok(told);
        }
        match fill(&mut told) {
            // It grew between the two calls.
            Err(Errno::RANGE) => {}
            len => {
                told.truncate(len?);
                return Ok(told);
            }
        }
    }
}

/// Sets these attributes and removes all others, as far as possible. Returns the first error.
pub fn set(file: &File, wanted: &ExtendedAttributes) -> io::Result<()> {
    let there = of(file)?;
    let gone = there.iter().filter(|(name, _)| !wanted.iter().any(|(own, _)| own == name));
    let gone = gone.map(|(name, _)| fremovexattr(file, name.as_os_str()));
    let new = wanted.iter().filter(|own| !there.contains(own));
    let new = new.map(|(name, value)| fsetxattr(file, name.as_os_str(), value, XattrFlags::empty()));
    let outcomes: Vec<Result<(), Errno>> = gone.chain(new).collect();
    Ok(outcomes.into_iter().collect::<Result<(), Errno>>()?)
}

/// Changes the user and group of an open file, if they differ.
pub fn set_owner(file: &File, owner: Owner) -> io::Result<()> {
    let metadata = file.metadata()?;
    let other = |now: u32, wanted: u32| (now != wanted).then_some(wanted);
    match (other(metadata.uid(), owner.user), other(metadata.gid(), owner.group)) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

/// If the superuser makes a file in another user's folder, gives it to that user, whose agents must read it.
pub fn give_to_owner_of_folder(made: &File, path: &Path) {
    let is_ours = |user| user == rustix::process::geteuid().as_raw();
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let Some(folder) = folder.and_then(|folder| fs::metadata(folder).ok()) else { return };
    let is_new = made.metadata().is_ok_and(|own| is_ours(own.uid()));
    if rustix::process::geteuid().is_root() && is_new && !is_ours(folder.uid()) {
        // If that fails, the file can still be used.
        let _ = set_owner(made, Owner { user: folder.uid(), group: folder.gid() });
    }
}
