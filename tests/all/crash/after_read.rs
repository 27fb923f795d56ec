//! A disk on which another program does something after each read of a file.

use std::io;
use std::path::{Path, PathBuf};

use palimp::disk::{Disk, Flock, Item, WritableFile};
use palimp::model::Generation;

use crate::faulty::Faulty;
use crate::support::passed_on::passed_on;

/// The function gets the file, from where it was read, and how much at most.
pub struct AfterRead<'a, F>(pub &'a Faulty, pub F);

impl<F: Fn(&Path, u64, Option<u64>) -> io::Result<()> + Sync> Disk for AfterRead<'_, F> {
    passed_on! {
        self => self.0;
        list look real_path create append blank rename rename_new make_folder open_folder link
        exchange remove remove_folder sync_folder flock
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        let read = self.0.read(file, from, limit);
        self.1(file, from, limit)?;
        read
    }
}
