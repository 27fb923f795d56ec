//! The calls of [`Disk`], and the files that they open.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::Faulty;
use super::calls::CallOutcome;
use super::disk::{Disk, Flock, Item, Owner, WritableFile};
use super::model::Generation;
use super::model::PathText;
use super::op::{Errno, Lie, Op};
use super::tree::{Body, Id, READ, WRITE};
use super::world::{World, not_regular};

impl Disk for Faulty {
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>> {
        self.reading(format!("list {}", folder.to_text()), |world| {
            let id = world.now.find(folder)?;
            world.now.allow(id, READ)?;
            let (names, links) = (world.now.entries(id)?.keys(), world.now.links());
            let item = |name: &OsString| {
                let id = world.now.child(id, name).ok()?;
                let links = links.get(&id).copied().unwrap_or_default();
                world.now.node(id).ok().map(|node| node.item(name, links))
            };
            Ok(names.filter_map(item).collect())
        })
    }

    fn look(&self, path: &Path) -> io::Result<Item> {
        self.reading(format!("look at {}", path.to_text()), |world| {
            let id = world.now.find(path)?;
            let links = world.now.links().get(&id).copied().unwrap_or_default();
            Ok(world.now.node(id)?.item(path.file_name().unwrap_or_default(), links))
        })
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.reading(format!("real path of {}", path.to_text()), |world| {
            world.now.walk(path).map(|(_, path)| path)
        })
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        self.reading(format!("read {}", file.to_text()), |world| {
            let id = world.now.find(file)?;
            world.now.allow(id, READ)?;
            let node = world.now.node(id)?;
            let Body::File(bytes) = &node.body else { return Err(not_regular()) };
            if node.hollow > 0 && limit.is_none_or(|limit| limit > bytes.len() as u64) {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let size = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
            let from = bytes.get(size(from)..).unwrap_or_default();
            let read = limit.and_then(|limit| from.get(..size(limit))).unwrap_or(from);
            Ok((read.to_vec(), node.generation()))
        })
    }

    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>> {
        let opened = self.step(&Op::Create { file: file.to_owned(), mode }, |world| {
            let id = match world.regular(file, WRITE) {
                Ok(id) if world.lies.contains(&Lie::CreateReplaces) => world.set_len(id, 0).map(|()| id)?,
                _ => world.create(file, mode)?,
            };
            let mut opened = self.opened(world, id, file);
            opened.at = None;
            Ok(opened)
        })?;
        Ok(Box::new(opened))
    }

    fn append(&self, file: &Path) -> io::Result<Box<dyn WritableFile + '_>> {
        let opened = self.reading(format!("open {} to append", file.to_text()), |world| {
            let id = world.regular(file, WRITE)?;
            let mut opened = self.opened(world, id, file);
            opened.at = None;
            Ok(opened)
        })?;
        Ok(Box::new(opened))
    }

    fn blank(&self, file: &Path, len: u64) -> io::Result<()> {
        // A system writes it in several calls, and may end between two of them.
        let half = vec![b'\n'; usize::try_from(len / 2).unwrap_or_default()];
        let rest = vec![b'\n'; usize::try_from(len - len / 2).unwrap_or_default()];
        let opened = self.reading(format!("open {} to write", file.to_text()), |world| {
            let id = world.regular(file, WRITE)?;
            Ok(self.opened(world, id, file))
        })?;
        self.write_at(opened.id, file, Some(0), &half).0?;
        self.write_at(opened.id, file, Some(len / 2), &rest).0?;
        self.sync_file(opened.id, file)
    }

    fn make_folder(&self, folder: &Path, mode: u32) -> io::Result<()> {
        self.step(&Op::MakeFolder { folder: folder.to_owned(), mode }, |world| {
            world.make_folder(folder, mode)
        })
    }

    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn WritableFile + '_>> {
        let opened = self.reading(format!("open the folder {}", folder.to_text()), |world| {
            let id = world.now.find(folder)?;
            world.now.allow(id, READ)?;
            world.now.entries(id)?;
            Ok(self.opened(world, id, folder))
        })?;
        Ok(Box::new(opened))
    }

    fn link(&self, file: &Path, name: &Path) -> io::Result<()> {
        let op = Op::Link { file: file.to_owned(), name: name.to_owned() };
        self.step(&op, |world| {
            if world.lies.contains(&Lie::LinkDoesNothing) {
                return world.now.find(file).and(world.now.vacant(name)).map(|_| ());
            }
            world.link(file, name)
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let replaced = {
            let state = self.state();
            let file = |path| state.world.regular(path, 0).ok();
            file(from).zip(file(to)).filter(|(from, to)| from != to)
        };
        match replaced {
            Some((from_id, to_id)) if self.told(Lie::RenameInPlace) => {
                self.rewrite(from_id, to_id, to)?;
                self.drop_name(from)?;
            }
            _ => {
                if replaced.is_some() && self.told(Lie::UnlinkFirst) {
                    self.drop_name(to)?;
                }
                let op = Op::Rename { from: from.to_owned(), to: to.to_owned() };
                self.step(&op, |world| world.rename(from, to))?;
            }
        }
        // A temporary file that is renamed to another of palimp's names is not in place yet.
        if is_ours(to) {
            return Ok(());
        }
        let put_off = std::mem::take(&mut self.state().put_off);
        put_off.into_iter().try_for_each(|(id, path)| self.sync_file(id, &path))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let op = Op::RenameNew { from: from.to_owned(), to: to.to_owned() };
        self.step(&op, |world| world.rename_new(from, to))
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let op = Op::Exchange { one: one.to_owned(), other: other.to_owned() };
        self.step(&op, |world| world.exchange(one, other))?;
        let put_off = std::mem::take(&mut self.state().put_off);
        put_off.into_iter().try_for_each(|(id, path)| self.sync_file(id, &path))
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        if self.told(Lie::RemoveDoesNothing) {
            let op = Op::Remove { file: file.to_owned() };
            return self.step(&op, |world| world.now.find(file).map(|_| ()));
        }
        self.drop_name(file)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        let op = Op::RemoveFolder { folder: folder.to_owned() };
        self.step(&op, |world| world.remove_folder(folder))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let op = Op::SyncFolder { folder: folder.to_owned() };
        self.step(&op, |world| world.sync_folder(folder))
    }

    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
        let op = Op::Flock { path: path.to_owned(), create };
        let locked = self.step(&op, |world| {
            let id = match create {
                Some(mode) => match world.regular(path, READ | WRITE) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => world.create(path, mode)?,
                    there => there?,
                },
                None => lockable(world, path)?,
            };
            let Some(token) = world.lock(id, self.outside) else { return Ok(None) };
            let mut file = self.opened(world, id, path);
            file.lock = Some(token);
            Ok(Some(Locked { file, writable: create.is_some() }))
        })?;
        Ok(locked.map(|locked| Box::new(locked) as Box<dyn Flock>))
    }
}

fn is_ours(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "palimp-tmp")
}

fn lockable(world: &World, path: &Path) -> io::Result<Id> {
    let id = world.now.find(path)?;
    world.now.allow(id, READ)?;
    match world.now.node(id)?.body {
        Body::Special => Err(not_regular()),
        Body::File(_) | Body::Folder(_) => Ok(id),
    }
}

impl Faulty {
    fn opened(&self, world: &mut World, id: Id, path: &Path) -> OpenFile {
        world.open(id);
        OpenFile { disk: self.clone(), id, path: path.to_owned(), at: Some(0), lock: None }
    }

    fn drop_name(&self, file: &Path) -> io::Result<()> {
        let op = Op::Remove { file: file.to_owned() };
        self.step(&op, |world| world.remove(file))
    }

    fn rewrite(&self, from: Id, to: Id, path: &Path) -> io::Result<()> {
        let bytes = match &self.state().world.now.node(from)?.body {
            Body::File(bytes) => bytes.to_vec(),
            Body::Folder(_) | Body::Special => return Err(not_regular()),
        };
        self.cut(to, path, 0)?;
        self.write_at(to, path, Some(0), &bytes).0
    }

    fn cut(&self, id: Id, path: &Path, len: u64) -> io::Result<()> {
        let op = Op::SetLen { file: path.to_owned(), len };
        self.step(&op, |world| world.set_len(id, len))
    }

    fn sync_file(&self, id: Id, path: &Path) -> io::Result<()> {
        let mut arrived = self.arrive(&Op::Sync { file: path.to_owned() });
        let verdict = arrived.take_verdict();
        let state = &mut *arrived.state;
        if matches!(verdict, CallOutcome::Go | CallOutcome::After(_)) {
            if !state.world.lies.contains(&Lie::SyncDoesNothing) {
                state.world.sync(id);
            }
        } else if !state.calls.dead {
            state.world.spoil(id);
        }
        let result = match verdict {
            CallOutcome::Go => Ok(()),
            CallOutcome::After(error) | CallOutcome::Refuse(error) | CallOutcome::Part(_, error) => {
                Err(error)
            }
        };
        arrived.leave(result.as_ref().err());
        result
    }

    /// Writes once, at a place or at the end. Also returns how many bytes were written.
    fn write_at(&self, id: Id, path: &Path, at: Option<u64>, bytes: &[u8]) -> (io::Result<()>, u64) {
        let mut arrived = self.arrive(&Op::Write { file: path.to_owned(), bytes: bytes.to_vec() });
        let (count, error) = match arrived.take_verdict() {
            CallOutcome::Go => (bytes.len(), None),
            CallOutcome::After(error) => (bytes.len(), Some(error)),
            CallOutcome::Part(count, error) => (count.min(bytes.len()), Some(error)),
            CallOutcome::Refuse(error) => (0, Some(error)),
        };
        let world = &mut arrived.state.world;
        let end = || world.now.node(id).map_or(0, |node| node.generation().len);
        let from = at.unwrap_or_else(end);
        let done = world.write(id, from, bytes.get(..count).unwrap_or(bytes));
        let written = if done.is_ok() { count as u64 } else { 0 };
        let result = done.and(error.map_or(Ok(()), Err));
        arrived.leave(result.as_ref().err());
        (result, written)
    }
}

struct OpenFile {
    disk: Faulty,
    id: Id,
    path: PathBuf,
    /// The place of the next write; `None` is always the end.
    at: Option<u64>,
    /// The token of the lock that ends with it.
    lock: Option<u64>,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.disk.state().world.close(self.id, self.lock);
    }
}

impl OpenFile {
    fn write_once(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (result, count) = self.disk.write_at(self.id, &self.path, self.at, bytes);
        self.at = self.at.map(|at| at + count);
        result
    }
}

impl WritableFile for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match bytes.split_at_checked(bytes.len() / 2) {
            Some((first, second)) if !first.is_empty() && self.disk.told(Lie::WriteInTwo) => {
                self.write_once(first)?;
                self.write_once(second)
            }
            _ => self.write_once(bytes),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.disk.told(Lie::RenameBeforeSync) {
            self.disk.state().put_off.push((self.id, self.path.clone()));
            return Ok(());
        }
        self.disk.sync_file(self.id, &self.path)
    }

    fn generation(&self) -> io::Result<Generation> {
        self.disk.reading(format!("generation of {}", self.path.to_text()), |world| {
            Ok(world.now.node(self.id)?.generation())
        })
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        let op = Op::SetMode { file: self.path.clone(), mode };
        self.disk.step(&op, |world| {
            world.set_mode(self.id, mode);
            Ok(())
        })
    }

    fn set_owner(&mut self, owner: Owner) -> io::Result<()> {
        let now = self.disk.state().world.now.node(self.id)?.owner;
        if now == owner {
            return Ok(());
        }
        let op = Op::SetOwner { file: self.path.clone(), owner };
        self.disk.step(&op, |world| {
            world.set_owner(self.id, owner);
            Ok(())
        })
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.disk.cut(self.id, &self.path, len)
    }
}

/// A locked file or folder.
struct Locked {
    file: OpenFile,
    writable: bool,
}

impl Flock for Locked {
    fn generation(&self) -> io::Result<Generation> {
        WritableFile::generation(&self.file)
    }

    /// Two steps, because the system needs two calls.
    fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.writable {
            return Err(Errno::INVAL.into());
        }
        self.file.set_len(0)?;
        self.file.at = Some(0);
        self.file.write(bytes)
    }
}
