//! The owner and the mode of a file that replaces another, or of a file or folder that comes back.

use std::path::{Path, PathBuf};

use super::{ApplyContext, StagedChange};
use crate::disk::{Disk, Owner, WritableFile};
use crate::model::{PathText, plan};
use crate::store::CommitError;
use crate::store::write::apply::LostOwners;

/// Gives the new file the owner of the file that it replaces.
pub fn keep_owner(
    disk: &dyn Disk,
    own: &StagedChange,
    out: &mut dyn WritableFile,
    owner: Owner,
) -> Result<(), CommitError> {
    out.set_owner(owner).map_err(|_| {
        // The temporary file belongs to the user who runs palimp.
        let made = own.temp.as_deref().and_then(|temp| disk.look(temp).ok());
        let what = match made.is_some_and(|made| made.owner.user == owner.user) {
            true => {
                "it belongs to a group that you are not in, and would lose that group: give it to one of yours (chgrp), or run this as root"
            }
            false => {
                "it belongs to another user or group, and would lose that owner: run this as its owner"
            }
        };
        CommitError::NotWritten(own.path.clone(), what)
    })
}

impl ApplyContext<'_, '_> {
    /// Gives the file at `made` its old owner and mode. A note names what the system refuses.
    pub(super) fn give_back(
        &mut self,
        own: &StagedChange,
        made: &Path,
        out: &mut dyn WritableFile,
        owner: Owner,
    ) {
        for what in set_owner_and_mode(self.host.disk, made, out, owner, own.mode) {
            self.carried.lacking.entry(what).or_default().push(own.relative.clone());
        }
    }

    /// Does the same for a new folder.
    pub fn give_back_folder(&mut self, own: &StagedChange, owner: Owner) {
        match self.host.disk.open_folder(&own.path) {
            Ok(mut out) => {
                self.give_back(own, &own.path, out.as_mut(), owner);
                // The folder exists. An owner that is not durable is no reason to fail.
                let _ = out.sync();
            }
            Err(error) => {
                let what = format!("its owner and mode ({error})");
                self.carried.lacking.entry(what).or_default().push(own.relative.clone());
            }
        }
    }
}

/// Sets the owner and the mode of the file at `made`. Returns what the system refused.
pub fn set_owner_and_mode(
    disk: &dyn Disk,
    made: &Path,
    out: &mut dyn WritableFile,
    owner: Owner,
    mode: u32,
) -> Vec<String> {
    let mut mode = mode;
    let mut lacks = Vec::new();
    if let Err(error) = out.set_owner(owner) {
        lacks.push(format!("its owner {}:{} ({error})", owner.user, owner.group));
        if !shares_group(disk, made, out, owner) {
            // Another group gets no more rights than all others.
            mode = mode & !0o070 | (mode & 0o007) << 3;
        }
    }
    if let Err(error) = out.set_mode(mode) {
        lacks.push(format!("its mode {mode:04o} ({error})"));
    }
    lacks
}

/// Sets only the wanted group, which a user may do for a group of their own. True if that succeeds.
fn shares_group(disk: &dyn Disk, made: &Path, out: &mut dyn WritableFile, wanted: Owner) -> bool {
    let now = disk.look(made).map(|item| item.owner);
    now.is_ok_and(|now| out.set_owner(Owner { group: wanted.group, ..now }).is_ok())
}

/// Returns one sentence for each thing that is missing.
pub fn sentences(lacking: &LostOwners) -> Vec<String> {
    let sentence = |(what, files): (&String, &Vec<PathBuf>)| {
        let first = files.first().map(|file| file.to_text().into_owned()).unwrap_or_default();
        match files.len() {
            0 | 1 => format!("{first} is restored, but not {what}"),
            count => {
                let more = plan::count_with_noun(count as u64 - 1, "other");
                format!("{first} and {more} are restored, but not {what}")
            }
        }
    };
    lacking.iter().map(sentence).collect()
}
