//! Restores the owner, mode and attributes of a removed file or folder that comes back.

use crate::store::commit::apply::apply_progress::LostAttributes;
use std::path::{Path, PathBuf};

use super::{ApplyContext, StagedChange};
use crate::disk::{Disk, WritableFile};
use crate::model::attributes::{FileAttributes, Owner};
use crate::model::{PathText, plan};

impl ApplyContext<'_, '_> {
    /// Gives the file at `made` its old owner, attributes and mode. A note names what the system refuses.
    pub(super) fn restore_attributes(
        &mut self,
        own: &StagedChange,
        made: &Path,
        out: &mut dyn WritableFile,
        had: &FileAttributes,
    ) {
        for what in set_attributes(self.host.disk, made, out, own.mode, had) {
            self.carried.lacking.entry(what).or_default().push(own.relative.clone());
        }
    }

    /// Does the same for a new folder.
    pub fn give_back_folder(&mut self, own: &StagedChange, had: &FileAttributes) {
        match self.host.disk.open_folder(&own.path) {
            Ok(mut out) => {
                self.restore_attributes(own, &own.path, out.as_mut(), had);
                // The folder exists. Attributes that are not durable are no reason to fail.
                let _ = out.sync();
            }
            Err(error) => {
                let what = format!("its owner, mode and attributes ({error})");
                self.carried.lacking.entry(what).or_default().push(own.relative.clone());
            }
        }
    }
}

/// Sets the owner, attributes and mode of the file at `made`. Returns what the system refused.
pub fn set_attributes(
    disk: &dyn Disk,
    made: &Path,
    out: &mut dyn WritableFile,
    mode: u32,
    had: &FileAttributes,
) -> Vec<String> {
    let mut mode = mode;
    let mut lacks = Vec::new();
    if let Err(error) = out.set_owner(had.owner) {
        let Owner { user, group } = had.owner;
        lacks.push(format!("its owner {user}:{group} ({error})"));
        if !shares_group(disk, made, out, had.owner) {
            mode = for_no_group(mode);
        }
    }
    if let Err(error) = out.set_extended(&had.extended) {
        lacks.push(format!("its extended attributes and access list ({error})"));
        mode = for_no_group(mode);
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

/// Limits the group to the rights of all others. The group is a different one, or the access list
/// is missing: nobody else may get the rights that these gave.
fn for_no_group(mode: u32) -> u32 {
    mode & !0o070 | (mode & 0o007) << 3
}

/// Returns one sentence for each missing attribute.
pub fn sentences(lacking: &LostAttributes) -> Vec<String> {
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
