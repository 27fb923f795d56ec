//! Tests of the disk in memory on which everything can fail.

mod alike;
mod faults;
mod power_cut;

use std::path::Path;

use crate::faulty::{Errno, Fault, Faulty, Op};
use palimp::disk::Disk;

fn disk() -> Faulty {
    let disk = Faulty::new();
    disk.put("/s/a", "old", 0o600);
    disk
}

/// Replaces a file in the correct way.
fn replace(disk: &dyn Disk, bytes: &[u8]) -> std::io::Result<()> {
    let temp = Path::new("/s/.tmp");
    let mut output = disk.create(temp, 0o600)?;
    output.write(bytes)?;
    output.sync()?;
    drop(output);
    disk.rename(temp, Path::new("/s/a"))?;
    disk.sync_folder(Path::new("/s"))
}

/// Returns the file's content in each state that a power cut could leave; `None` if it is gone.
fn after_power_cut(disk: &Faulty, path: &str) -> Vec<Option<String>> {
    let states = disk.after_power_cut();
    let say = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let mut found: Vec<Option<String>> =
        states.iter().map(|(_, disk)| disk.files().remove(Path::new(path)).map(say)).collect();
    found.sort();
    found.dedup();
    found
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}
