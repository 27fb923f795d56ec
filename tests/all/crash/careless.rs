//! A disk that leaves one thing out: simulates a fault of the program.

use std::io;
use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::disk::{Disk, Flock, Item, Owner, WritableFile};
use palimp::model::Generation;

use crate::support::passed_on::passed_on;

/// What the disk leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Undo data is not written.
    KeepsNoUndo,
    /// Undo data is written, but not made durable.
    UndoUnsynced,
    /// New bytes are renamed before they are durable.
    TempUnsynced,
    /// Added lines are not made durable.
    LogUnsynced,
    /// Folders of the store are not made durable.
    FolderUnsynced,
    /// The second name of a replaced file is removed in the rename.
    OldsDropped,
    /// Left-over files are never removed.
    TempsStay,
}

/// A disk with one slip.
pub struct Careless<'a> {
    pub disk: &'a Faulty,
    pub slip: Slip,
}

fn has(path: &Path, part: &str) -> bool {
    path.to_string_lossy().contains(part)
}

impl Careless<'_> {
    fn opened<'o>(&self, path: &Path, output: Box<dyn WritableFile + 'o>) -> Box<dyn WritableFile + 'o> {
        let unsynced = match self.slip {
            Slip::KeepsNoUndo | Slip::UndoUnsynced => has(path, "/undo/"),
            Slip::TempUnsynced => has(path, ".palimp-tmp"),
            Slip::LogUnsynced => has(path, "/store/") && has(path, ".jsonl"),
            _ => false,
        };
        let writes = self.slip != Slip::KeepsNoUndo;
        if unsynced { Box::new(Unsynced { output, writes }) } else { output }
    }
}

struct Unsynced<'a> {
    output: Box<dyn WritableFile + 'a>,
    writes: bool,
}

impl WritableFile for Unsynced<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.writes { self.output.write(bytes) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn generation(&self) -> io::Result<Generation> {
        self.output.generation()
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.output.set_mode(mode)
    }

    fn set_owner(&mut self, owner: Owner) -> io::Result<()> {
        self.output.set_owner(owner)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.output.set_len(len)
    }
}

impl Disk for Careless<'_> {
    passed_on! {
        self => self.disk;
        list look real_path read blank rename rename_new make_folder open_folder link
        remove_folder flock
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.disk.exchange(one, other)?;
        if self.slip == Slip::OldsDropped && has(other, ".jsonl") {
            self.disk.remove(one)?;
        }
        Ok(())
    }

    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>> {
        Ok(self.opened(file, self.disk.create(file, mode)?))
    }

    fn append(&self, file: &Path) -> io::Result<Box<dyn WritableFile + '_>> {
        Ok(self.opened(file, self.disk.append(file)?))
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        match self.slip {
            Slip::TempsStay if has(file, ".palimp-tmp") => Ok(()),
            _ => self.disk.remove(file),
        }
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        match self.slip {
            Slip::FolderUnsynced if has(folder, "/store") => Ok(()),
            _ => self.disk.sync_folder(folder),
        }
    }
}
