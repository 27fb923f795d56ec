//! Gives a new file the owner and the attributes of the file that it replaces.

use crate::disk::Disk;
use crate::disk::Owner;
use crate::disk::WritableFile;
use crate::store::commit::CommitError;
use crate::store::commit::apply::StagedChange;
use std::io;

/// Gives the new file the owner and the extended attributes of the file that it replaces.
pub fn keep_owner(
    disk: &dyn Disk,
    own: &StagedChange,
    out: &mut dyn WritableFile,
    owner: Owner,
) -> Result<(), CommitError> {
    let refused = |what| move |_: io::Error| CommitError::NotWritten { file: own.path.clone(), what };
    let attributes = disk.extended(&own.path).map_err(own.io("read"))?;
    // The temporary file belongs to the user who runs palimp.
    let made = own.temp.as_deref().and_then(|temp| disk.look(temp).ok());
    let is_owner = made.is_some_and(|made| made.owner.user == owner.user);
    out.set_owner(owner).map_err(refused(match is_owner {
        true => {
            "it belongs to a group that you are not in, and would lose that group: give it to one of yours (chgrp), or run this as root"
        }
        false => {
            "it belongs to another user or group, and would lose that owner: run this as its owner"
        }
    }))?;
    out.set_extended(&attributes).map_err(refused(match is_owner {
        true => "it has an access list or extended attributes that would be lost: run this as root",
        false => "it has an access list or extended attributes that would be lost: run this as its owner",
    }))
}
