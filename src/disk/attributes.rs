//! Whose a file is, and its extended attributes, access lists among them.

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

/// What the system gives each file anew: it is of the content, or can't be given by others.
const OF_THE_SYSTEM: [&str; 3] = ["security.ima", "security.evm", "com.apple.provenance"];

/// The attributes of an open file.
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
            // One that went meanwhile, or that only others may see.
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            value => found.push((OsString::from_vec(name.as_bytes().to_vec()), value?)),
        }
    }
    found.sort();
    Ok(found)
}

/// All that a call tells which fills a buffer. How much it takes is asked in a call of its own: with
/// an empty buffer, this one says that there is nothing.
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
            // It grew between the two.
            Err(Errno::RANGE) => {}
            len => {
                told.truncate(len?);
                return Ok(told);
            }
        }
    }
}

/// Gives an open file those attributes, and takes from it what it has beyond them: as many as the
/// system lets. The error is the first of those that it does not.
pub fn set(file: &File, wanted: &ExtendedAttributes) -> io::Result<()> {
    let there = of(file)?;
    let gone = there.iter().filter(|(name, _)| !wanted.iter().any(|(own, _)| own == name));
    let gone = gone.map(|(name, _)| fremovexattr(file, name.as_os_str()));
    let new = wanted.iter().filter(|own| !there.contains(own));
    let new = new.map(|(name, value)| fsetxattr(file, name.as_os_str(), value, XattrFlags::empty()));
    let outcomes: Vec<Result<(), Errno>> = gone.chain(new).collect();
    Ok(outcomes.into_iter().collect::<Result<(), Errno>>()?)
}

/// Gives an open file to a user and a group, where they are others.
pub fn set_owner(file: &File, owner: Owner) -> io::Result<()> {
    let metadata = file.metadata()?;
    let other = |now: u32, wanted: u32| (now != wanted).then_some(wanted);
    match (other(metadata.uid(), owner.user), other(metadata.gid(), owner.group)) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

/// What the superuser makes in another's folder is that one's: its agents are to read it.
pub fn give_to_owner_of_folder(made: &File, path: &Path) {
    let is_ours = |user| user == rustix::process::geteuid().as_raw();
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let Some(folder) = folder.and_then(|folder| fs::metadata(folder).ok()) else { return };
    let is_new = made.metadata().is_ok_and(|own| is_ours(own.uid()));
    if rustix::process::geteuid().is_root() && is_new && !is_ours(folder.uid()) {
        // A file that can't be given away is a file nevertheless.
        let _ = set_owner(made, Owner { user: folder.uid(), group: folder.gid() });
    }
}
