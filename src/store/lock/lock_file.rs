//! Takes locks that are files created exclusively, and takes over stale ones.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::leftover_names::{OWN, STALE, Takeover, sweep, unused_name};
use super::lock_content::{self, LockContent, LockFileState, SeenLockFile, standing};
use super::wait::{LockWait, LockWatch, WaitPolicy};
use super::{LockError, LockScene};
use crate::disk::{Machine, WritableFile, is_unsupported, put_new};
use crate::model::Moment;
use crate::model::snapshot::Generation;

/// A commit must be done this long before its lease ends.
const KEPT: Duration = Duration::from_millis(500);
/// How long a prepared lock file can be tried again: its lease says when it ends.
const YOUNG: Duration = Duration::from_millis(500);
/// Tries in a row without a pause while a lock changes hands: some milliseconds, in which busy
/// agents append once or twice. In between it is free for microseconds, which a later look misses.
const SPINS: u32 = 2_000;
/// The most names to try: on a shared disk, a process of another machine may have our number.
const NAMES: usize = 8;

pub(super) struct LockFileRules {
    pub(super) mode: u32,
    pub(super) pace: Duration,
    /// How long they last, if they end by themselves.
    pub(super) lasts: Option<Duration>,
    /// Returns the content for a process that takes the lock now.
    pub(super) content: fn(u32, Moment) -> Vec<u8>,
    /// If a lock looks stale, returns how long it must stay unchanged to be stale.
    pub(super) stale_after: fn(&SeenLockFile, &LockContent, &dyn Machine) -> Option<Duration>,
}

/// A file that becomes a lock when it gets the lock's name. While it is one, it stays open and
/// keeps its own name if a file can have two: so no other file can get its inode.
struct OwnLockFile<'a> {
    context: LockScene<'a>,
    path: PathBuf,
    generation: Generation,
    file: Box<dyn WritableFile + 'a>,
}

impl Drop for OwnLockFile<'_> {
    fn drop(&mut self) {
        self.context.remove(&self.path);
    }
}

/// A lock file that palimp holds.
pub(super) struct LockClaim<'a> {
    own: OwnLockFile<'a>,
    lock: PathBuf,
    /// Until when it may be used, by the wall clock and by the monotonic one.
    until: Option<(Moment, Duration)>,
}

impl LockClaim<'_> {
    pub(super) fn still_ours(&self) -> bool {
        let OwnLockFile { context, generation, .. } = self.own;
        let in_time = self.until.is_none_or(|(wall, monotonic)| {
            context.machine.now() < wall && context.machine.monotonic() < monotonic
        });
        in_time && context.stands_at(&self.lock, generation)
    }
}

impl Drop for LockClaim<'_> {
    fn drop(&mut self) {
        if self.own.context.stands_at(&self.lock, self.own.generation) {
            self.own.context.remove(&self.lock);
        }
    }
}

enum LockTurn {
    Free,
    /// Stale, and watched long enough.
    Stale(SeenLockFile),
    /// True while it is being judged.
    Blocked(bool),
}

/// Takes all of the locks or none. Tries until the patience is over.
pub(super) fn take<'a>(
    context: LockScene<'a>,
    rules: &LockFileRules,
    locks: &[PathBuf],
    patience: WaitPolicy,
) -> Result<Vec<LockClaim<'a>>, LockError> {
    let taking = LockTaker { context, rules, is_durable: patience.settles, ready: RefCell::default() };
    locks.iter().for_each(|lock| sweep(context, lock));
    let mut watches: Vec<LockWatch> = locks.iter().map(|_| LockWatch::default()).collect();
    let mut waiting = LockWait::new(context.machine, patience);
    let mut spun = 0;
    loop {
        let (lock, judging) = match taking.all_or_none(locks, &mut watches, None)? {
            Ok(claims) => return Ok(claims),
            Err(blocked) => blocked,
        };
        let hands = watches.iter().map(|watch| watch.hands).max().unwrap_or_default();
        if hands > spun
            && let Some(first) = (0..SPINS).find_map(|_| taking.claim(lock).transpose()).transpose()?
            && let Ok(claims) = taking.all_or_none(locks, &mut watches, Some(first))?
        {
            return Ok(claims);
        }
        spun = hands;
        if !waiting.pause(judging, hands, rules.pace) {
            let holder = lock_content::holder(context, lock, true);
            return Err(LockError::Busy { path: lock.to_owned(), holder, waited: waiting.waited() });
        }
    }
}

/// Moves a lock away and removes it, if it is still the one that was seen.
pub(super) fn put_aside(context: LockScene<'_>, lock: &Path, seen: &SeenLockFile) -> Result<bool, LockError> {
    Takeover::enter(context, lock)?.map_or(Ok(false), |_entered| move_away(context, lock, seen))
}

/// Call it only within a [`Takeover`]. Agents don't know of that, so the moved file may be another
/// lock than the one that was seen. It is then moved to its place again.
fn move_away(context: LockScene<'_>, lock: &Path, seen: &SeenLockFile) -> Result<bool, LockError> {
    if !matches!(standing(context, lock)?, LockFileState::Present(found) if found == *seen) {
        return Ok(false);
    }
    let aside = unused_name(context, lock, STALE);
    match context.disk.rename(lock, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(LockScene::failed(lock)(error)),
    }
    let is_it = matches!(standing(context, &aside), Ok(LockFileState::Present(found)) if found == *seen);
    match if is_it { Err(io::ErrorKind::AlreadyExists.into()) } else { put_new(context.disk, &aside, lock) } {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            context.disk.remove(&aside).map_err(LockScene::failed(&aside))?;
        }
        Err(error) => return Err(LockScene::failed(lock)(error)),
    }
    Ok(is_it)
}

struct LockTaker<'a, 'b> {
    context: LockScene<'a>,
    rules: &'b LockFileRules,
    /// True if a power cut must not leave an empty lock: the change makes its folder durable while it has the lock.
    is_durable: bool,
    /// A file that did not become the lock because another was faster. The next try uses it.
    ready: RefCell<Option<ReadyLockFile<'a>>>,
}

/// A lock file that is written and does not have the lock's name yet.
struct ReadyLockFile<'a> {
    own: OwnLockFile<'a>,
    lock: PathBuf,
    /// When it was written, by the wall clock and by the monotonic one.
    at: (Moment, Duration),
}

impl<'a> LockTaker<'a, '_> {
    /// Takes all locks; palimp may hold `first`. Else returns one that is not free, and whether it
    /// is being judged.
    fn all_or_none<'p>(
        &self,
        locks: &'p [PathBuf],
        watches: &mut [LockWatch],
        first: Option<LockClaim<'a>>,
    ) -> Result<Result<Vec<LockClaim<'a>>, (&'p Path, bool)>, LockError> {
        let mut turns = Vec::with_capacity(locks.len());
        let is_first = |lock: &Path| first.as_ref().is_some_and(|own| own.lock == lock);
        for (lock, watch) in locks.iter().zip(watches).filter(|(lock, _)| !is_first(lock)) {
            turns.push((lock.as_path(), self.turn(lock, watch)?));
        }
        let blocked = turns.iter().filter_map(|(lock, turn)| match turn {
            LockTurn::Blocked(judging) => Some((*lock, *judging)),
            _ => None,
        });
        // A lock that is surely held counts before one that is only being judged.
        if let Some(blocked) = blocked.min_by_key(|(_, judging)| *judging) {
            return Ok(Err(blocked));
        }
        let mut claims = Vec::with_capacity(locks.len());
        claims.extend(first);
        for (lock, turn) in turns {
            let claim = match turn {
                LockTurn::Stale(found) => self.take_over(lock, &found)?,
                _ => self.claim(lock)?,
            };
            match claim {
                Some(claim) => claims.push(claim),
                None => return Ok(Err((lock, false))),
            }
        }
        Ok(Ok(claims))
    }

    fn turn(&self, lock: &Path, watch: &mut LockWatch) -> Result<LockTurn, LockError> {
        let found = match standing(self.context, lock)? {
            LockFileState::Present(found) => found,
            LockFileState::Free => {
                watch.forget();
                return Ok(LockTurn::Free);
            }
            LockFileState::Unreadable => {
                watch.forget();
                return Ok(LockTurn::Blocked(false));
            }
        };
        let unchanged = watch.unchanged(&found, self.context.machine.monotonic());
        let said = LockContent::read(&found.bytes);
        Ok(match (self.rules.stale_after)(&found, &said, self.context.machine) {
            Some(needed) if unchanged >= needed => LockTurn::Stale(found),
            judged => LockTurn::Blocked(judged.is_some()),
        })
    }

    /// Returns `None` if another was faster.
    fn claim(&self, lock: &Path) -> Result<Option<LockClaim<'a>>, LockError> {
        let ReadyLockFile { mut own, at: (now, monotonic), .. } = self.ready(lock)?;
        match self.appear(&mut own, lock) {
            Ok(()) => {}
            // A network disk may report this for something that it has done.
            Err(_) if self.context.stands_at(lock, own.generation) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let ready = ReadyLockFile { own, lock: lock.to_owned(), at: (now, monotonic) };
                self.ready.replace(Some(ready));
                return Ok(None);
            }
            // A machine on which no process has our number swept it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LockScene::failed(lock)(error)),
        }
        let until = self.rules.lasts.map(|lasts| {
            let usable = lasts.saturating_sub(KEPT);
            (now.plus(usable.as_micros() as i64), monotonic + usable)
        });
        Ok(Some(LockClaim { own, lock: lock.to_owned(), until }))
    }

    /// Returns a file that can become the lock, new or still young. Its lease runs since it was written.
    fn ready(&self, lock: &Path) -> Result<ReadyLockFile<'a>, LockError> {
        let machine = self.context.machine;
        let (now, monotonic) = (machine.now(), machine.monotonic());
        let is_young =
            |own: &ReadyLockFile<'_>| own.lock == lock && monotonic.saturating_sub(own.at.1) < YOUNG;
        match self.ready.take().filter(is_young) {
            Some(ready) => Ok(ready),
            None => Ok(ReadyLockFile {
                own: self.write_own(lock, now)?,
                lock: lock.to_owned(),
                at: (now, monotonic),
            }),
        }
    }

    /// Gives our file the lock's name, or moves it there if a file has only one name. If neither works,
    /// creates the lock and then fills it, as agents do; our own file beside it says whose it is.
    fn appear(&self, own: &mut OwnLockFile<'a>, lock: &Path) -> io::Result<()> {
        let disk = self.context.disk;
        match disk.link(&own.path, lock) {
            Err(error) if is_unsupported(&error) => {}
            outcome => return outcome,
        }
        match disk.rename_new(&own.path, lock) {
            Err(error) if is_unsupported(&error) => {}
            outcome => return outcome,
        }
        let (bytes, _) = disk.read(&own.path, 0, None)?;
        let mut file = disk.create(lock, self.rules.mode)?;
        let filled = self.fill(file.as_mut(), &bytes);
        match filled {
            Ok(generation) => own.generation = generation,
            // A lock that is not filled does not say who holds it.
            Err(_) => disk.remove(lock)?,
        }
        own.file = file;
        filled.map(drop)
    }

    fn take_over(&self, lock: &Path, seen: &SeenLockFile) -> Result<Option<LockClaim<'a>>, LockError> {
        let Some(_entered) = Takeover::enter(self.context, lock)? else { return Ok(None) };
        if move_away(self.context, lock, seen)? { self.claim(lock) } else { Ok(None) }
    }

    fn fill(&self, file: &mut dyn WritableFile, bytes: &[u8]) -> io::Result<Generation> {
        file.set_mode(self.rules.mode).and_then(|()| file.write(bytes))?;
        if self.is_durable {
            file.sync()?;
        }
        file.generation()
    }

    /// Writes a lock under its own name. Only the user could break an empty one after a power cut.
    fn write_own(&self, lock: &Path, now: Moment) -> Result<OwnLockFile<'a>, LockError> {
        let bytes = (self.rules.content)(self.context.machine.own_process(), now);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..NAMES {
            let path = unused_name(self.context, lock, OWN);
            match self.context.disk.create(&path, self.rules.mode) {
                Ok(file) => {
                    // Made first, so that the file is removed whatever fails.
                    let mut own =
                        OwnLockFile { context: self.context, path, generation: Generation::default(), file };
                    own.generation = self.fill(own.file.as_mut(), &bytes).map_err(LockScene::failed(lock))?;
                    return Ok(own);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(LockScene::failed(lock)(error)),
            }
        }
        Err(LockScene::failed(lock)(last))
    }
}
