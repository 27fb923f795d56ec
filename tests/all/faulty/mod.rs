//! A disk in memory on which everything can fail, for tests of code that writes.
//!
//! It has inodes and names like a POSIX file system, behaves like `disk::RealDisk`, and knows what
//! would survive a power cut at any moment. It promises no more than POSIX:
//!
//! - Bytes that are written and not synced may be lost, torn or zeros, whatever names lead to them.
//! - Each name that is made, moved or removed may not be so until its folder is synced.
//! - A synced file has its bytes, whether or not a name leads to it.
//! - A move between folders may leave both names until both folders are synced.
//! - Bytes written before a failed sync never become durable by another sync.
//!
//! Every call that changes something, or tries to, is a step, counted from 0. A test runs once to
//! learn the steps, then again for each step with a [`Fault`] there.
//!
//! It has no links. The owner's permission bits hold, and the umask is 0.
//!
//! It is no part of the library. Code that includes it needs `disk` and `model` beside it: these
//! tests, the unit tests of the library, and the fuzz targets.

mod calls;
mod change;
mod files;
mod op;
mod power;
mod tree;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{disk, model};
use disk::Owner;

use calls::{CallOutcome, Calls};
pub use op::{Errno, Fault, Lie, Op};
use tree::{Body, Id};
use world::World;

/// Called before a step.
type Hook = Box<dyn FnMut(&Op, &Faulty) + Send>;

/// A disk in memory. Clones are handles to the same disk, of the same process.
#[derive(Clone)]
pub struct Faulty {
    state: Arc<Mutex<State>>,
    outside: bool,
}

struct State {
    world: World,
    calls: Calls,
    hook: Option<Hook>,
    /// Files whose sync [`Lie::RenameBeforeSync`] delays.
    put_off: Vec<(Id, PathBuf)>,
}

impl Default for Faulty {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Faulty").field("log", &state.calls.log()).field("dead", &state.calls.dead).finish()
    }
}

impl Faulty {
    /// A disk with only the root folder.
    pub fn new() -> Self {
        Self::of(World::empty())
    }

    fn of(world: World) -> Self {
        let state = State { world, calls: Calls::default(), hook: None, put_off: Vec::new() };
        Self { state: Arc::new(Mutex::new(state)), outside: false }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a durable file on the disk, with the folders of its path (0700); no step. It replaces
    /// an existing file with another inode, as a rename does. In an existing folder that is not
    /// durable, it is lost with that.
    pub fn put(&self, file: impl AsRef<Path>, bytes: impl Into<Vec<u8>>, mode: u32) {
        self.state().world.put(file.as_ref(), Body::File(Arc::new(bytes.into())), mode);
    }

    /// Sets the owner and group of a file; no step.
    pub fn give(&self, file: impl AsRef<Path>, owner: Owner) {
        let mut state = self.state();
        let Ok(id) = state.world.now.find(file.as_ref()) else { return };
        state.world.set_owner(id, owner);
    }

    /// Makes a file report this many bytes more than it has; no step.
    pub fn inflate(&self, file: impl AsRef<Path>, by: u64) {
        let mut state = self.state();
        if let Ok(id) = state.world.now.find(file.as_ref())
            && let Some(node) = state.world.now.node_mut(id)
        {
            node.hollow = by;
        }
    }

    /// Puts a durable folder on the disk, with those of its path, unless it exists.
    pub fn put_folder(&self, folder: impl AsRef<Path>, mode: u32) {
        self.state().world.put(folder.as_ref(), Body::Folder(BTreeMap::new()), mode);
    }

    /// Puts something on the disk that is neither file nor folder, like a FIFO.
    pub fn put_special(&self, path: impl AsRef<Path>) {
        self.state().world.put(path.as_ref(), Body::Special, 0o600);
    }

    /// The visible files.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let bytes = |body: &Body| match body {
            Body::File(bytes) => Some(bytes.to_vec()),
            Body::Folder(_) | Body::Special => None,
        };
        let found = state.world.now.reachable();
        found.into_iter().filter_map(|(path, _, node)| Some((path, bytes(&node.body)?))).collect()
    }

    /// The visible folders, without the root.
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        let state = self.state();
        let found = state.world.now.reachable();
        found.into_iter().filter(|(_, _, node)| node.is_folder()).map(|(path, ..)| path).collect()
    }

    /// The number of steps so far.
    pub fn steps(&self) -> usize {
        self.state().calls.ops.len()
    }

    /// The steps so far.
    pub fn ops(&self) -> Vec<Op> {
        self.state().calls.ops.clone()
    }

    /// The steps so far in words, with the errors of failed ones.
    pub fn log(&self) -> Vec<String> {
        self.state().calls.log()
    }

    /// The reading calls in words: list, look, real path, read, generation, and open to append.
    pub fn reads(&self) -> Vec<String> {
        self.state().calls.reads.clone()
    }

    /// Plants a fault at a step; [`Self::steps`] is the number of the next one.
    pub fn fail_at(&self, step: usize, fault: Fault) {
        self.state().calls.fail_at(step, fault);
    }

    /// Plants a fault at a reading call, counted from 0 as in [`Self::reads`].
    pub fn fail_reads(&self, read: usize, fault: Fault) {
        self.state().calls.fail_reads(read, fault);
    }

    /// Plants a lie; it stays over restarts and power cuts.
    pub fn lie(&self, lie: Lie) {
        self.state().world.lies.insert(lie);
    }

    /// Calls `hook` before every step, with the disk as another process sees it: an agent in the
    /// hook meets no faults and calls no hooks.
    pub fn before(&self, hook: impl FnMut(&Op, &Self) + Send + 'static) {
        self.state().hook = Some(Box::new(hook));
    }

    /// The same disk for another process: its calls are no steps, meet no faults or hooks, and
    /// survive a crash.
    pub fn another(&self) -> Self {
        Self { state: Arc::clone(&self.state), outside: true }
    }

    /// The disk after the process was killed: all that was visible is visible, nothing more is
    /// durable, no lock is held, and nothing fails any more.
    pub fn restart(&self) -> Self {
        Self::of(self.state().world.without_processes())
    }

    /// Returns every state, within limits, that a power cut now could leave, each with a label. All
    /// is durable, and nothing fails any more. Their number grows with the number of changes that
    /// are not durable.
    pub fn after_power_cut(&self) -> Vec<(String, Self)> {
        let found = power::states(&self.state().world);
        found.into_iter().map(|(label, world)| (label, Self::of(world))).collect()
    }

    fn told(&self, lie: Lie) -> bool {
        self.state().world.lies.contains(&lie)
    }

    /// Calls the hook, counts the step and decides what happens in it.
    fn arrive(&self, op: &Op) -> Arrived<'_> {
        if !self.outside {
            self.call_hook(op);
        }
        let mut state = self.state();
        if self.outside {
            state.world.label = format!("another's {op}");
            return Arrived { state, step: None, verdict: CallOutcome::Go };
        }
        let (step, verdict) = state.calls.step(op);
        state.world.label = format!("step {step}, {op}");
        if state.calls.dead {
            state.world.unlock_inside();
        }
        Arrived { state, step: Some(step), verdict }
    }

    /// The hook is taken out while it runs, because it uses this disk itself.
    fn call_hook(&self, op: &Op) {
        let hook = {
            let mut state = self.state();
            if state.calls.dead { None } else { state.hook.take() }
        };
        let Some(mut hook) = hook else { return };
        hook(op, &self.another());
        self.state().hook.get_or_insert(hook);
    }

    fn step<T>(&self, op: &Op, act: impl FnOnce(&mut World) -> io::Result<T>) -> io::Result<T> {
        let mut arrived = self.arrive(op);
        let (result, after) = match arrived.take_verdict() {
            CallOutcome::Go => (act(&mut arrived.state.world), None),
            CallOutcome::After(error) => (act(&mut arrived.state.world), Some(error)),
            CallOutcome::Refuse(error) | CallOutcome::Part(_, error) => (Err(error), None),
        };
        arrived.leave(after.as_ref().or(result.as_ref().err()));
        // The handle of a failed open locks the state to close itself.
        match after {
            Some(error) => result.and(Err(error)),
            None => result,
        }
    }

    fn reading<T>(&self, what: String, act: impl FnOnce(&mut World) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state();
        let verdict = if self.outside { CallOutcome::Go } else { state.calls.read(what) };
        if state.calls.dead {
            state.world.unlock_inside();
        }
        match verdict {
            CallOutcome::Go => act(&mut state.world),
            CallOutcome::Refuse(error) | CallOutcome::After(error) | CallOutcome::Part(_, error) => {
                Err(error)
            }
        }
    }
}

/// A step that has begun.
struct Arrived<'a> {
    state: MutexGuard<'a, State>,
    step: Option<usize>,
    verdict: CallOutcome,
}

impl Arrived<'_> {
    fn take_verdict(&mut self) -> CallOutcome {
        std::mem::replace(&mut self.verdict, CallOutcome::Go)
    }

    fn leave(mut self, error: Option<&io::Error>) {
        if let (Some(step), Some(error)) = (self.step, error) {
            self.state.calls.failed(step, error);
        }
    }
}
