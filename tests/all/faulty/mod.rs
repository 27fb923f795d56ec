//! A disk in memory on which everything can go wrong, for tests of what writes.
//!
//! It has inodes and names as a POSIX file system has, behaves as `disk::RealDisk` does, and
//! knows what would survive a power cut at any moment. It promises no more than POSIX:
//!
//! - what was written and not synced may be lost, torn or zeros, whatever names lead to it;
//! - a name made, moved or removed may not be so until its folder is synced, each on its own;
//! - a file that was synced holds its bytes, whether or not a name leads to it;
//! - a move between folders may leave both names until both folders are synced;
//! - what was written before a sync that failed is never made durable by another.
//!
//! Every call that changes something, or tries to, is a step, counted from 0. A test runs
//! once to learn the steps, then again for each of them with a [`Fault`] there.
//!
//! Links do not exist on it. Owner's permission bits hold, the umask is none.
//!
//! It is no part of the library. What takes it in has `disk` and `model` beside it: the tests here,
//! the unit tests of the library, and the fuzz targets.

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
use disk::{ExtendedAttributes, Owner};

use calls::{CallOutcome, Calls};
pub use op::{Errno, Fault, Lie, Op};
use tree::{Body, Id};
use world::World;

/// Called before a step.
type Hook = Box<dyn FnMut(&Op, &Faulty) + Send>;

/// A disk in memory. Clones are handles to the same one, of the same process.
#[derive(Clone)]
pub struct Faulty {
    state: Arc<Mutex<State>>,
    outside: bool,
}

struct State {
    world: World,
    calls: Calls,
    hook: Option<Hook>,
    /// Files whose sync [`Lie::RenameBeforeSync`] puts off.
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
    /// A disk with nothing on it but the root folder.
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

    /// Puts a durable file there, with the folders that lead to it (0700): no step. It
    /// replaces one that is there by another inode, as a rename would. In a folder that is
    /// there and not durable it goes with that.
    pub fn put(&self, file: impl AsRef<Path>, bytes: impl Into<Vec<u8>>, mode: u32) {
        self.state().world.put(file.as_ref(), Body::File(Arc::new(bytes.into())), mode);
    }

    /// Gives a file to a user and a group, with those attributes: no step.
    pub fn give(&self, file: impl AsRef<Path>, owner: Owner, attributes: &ExtendedAttributes) {
        let mut state = self.state();
        let Ok(id) = state.world.now.find(file.as_ref()) else { return };
        state.world.set_owner(id, owner);
        state.world.set_extended(id, attributes);
    }

    /// Lets a file say that it is longer by so much than it has bytes: no step.
    pub fn inflate(&self, file: impl AsRef<Path>, by: u64) {
        let mut state = self.state();
        if let Ok(id) = state.world.now.find(file.as_ref())
            && let Some(node) = state.world.now.node_mut(id)
        {
            node.hollow = by;
        }
    }

    /// Puts a durable folder there, with those that lead to it, unless there is one.
    pub fn put_folder(&self, folder: impl AsRef<Path>, mode: u32) {
        self.state().world.put(folder.as_ref(), Body::Folder(BTreeMap::new()), mode);
    }

    /// Puts what is neither file nor folder there, as a FIFO is.
    pub fn put_special(&self, path: impl AsRef<Path>) {
        self.state().world.put(path.as_ref(), Body::Special, 0o600);
    }

    /// The files that are visible now.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let bytes = |body: &Body| match body {
            Body::File(bytes) => Some(bytes.to_vec()),
            Body::Folder(_) | Body::Special => None,
        };
        let found = state.world.now.reachable();
        found.into_iter().filter_map(|(path, _, node)| Some((path, bytes(&node.body)?))).collect()
    }

    /// The folders that are visible now, the root left out.
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        let state = self.state();
        let found = state.world.now.reachable();
        found.into_iter().filter(|(_, _, node)| node.is_folder()).map(|(path, ..)| path).collect()
    }

    /// How many steps were made so far.
    pub fn steps(&self) -> usize {
        self.state().calls.ops.len()
    }

    /// The steps that were made so far.
    pub fn ops(&self) -> Vec<Op> {
        self.state().calls.ops.clone()
    }

    /// The steps that were made so far in words, and what those failed with that failed.
    pub fn log(&self) -> Vec<String> {
        self.state().calls.log()
    }

    /// The calls that read, in words: listing, looking, real paths, reading, generations,
    /// and opening to append.
    pub fn reads(&self) -> Vec<String> {
        self.state().calls.reads.clone()
    }

    /// Lets something go wrong at a step; steps count from 0, so that [`Self::steps`] is
    /// the next one.
    pub fn fail_at(&self, step: usize, fault: Fault) {
        self.state().calls.fail_at(step, fault);
    }

    /// Lets something go wrong at a call that reads, counted from 0 as in [`Self::reads`].
    pub fn fail_reads(&self, read: usize, fault: Fault) {
        self.state().calls.fail_reads(read, fault);
    }

    /// Plants a lie; it stays over restarts and power cuts.
    pub fn lie(&self, lie: Lie) {
        self.state().world.lies.insert(lie);
    }

    /// Has `hook` called before every step, with the disk as another process sees it: an
    /// agent that is played there meets no faults and calls no hooks.
    pub fn before(&self, hook: impl FnMut(&Op, &Self) + Send + 'static) {
        self.state().hook = Some(Box::new(hook));
    }

    /// The same disk as another process sees it: its calls are no steps, meet no faults and
    /// call no hook, and it outlives a crash.
    pub fn another(&self) -> Self {
        Self { state: Arc::clone(&self.state), outside: true }
    }

    /// The disk as it is found after the process was killed: all is visible that was,
    /// nothing more is durable than was, no lock is held, nothing goes wrong any more.
    pub fn restart(&self) -> Self {
        Self::of(self.state().world.without_processes())
    }

    /// Every state, within bounds, that a power cut now could leave, each with what tells it
    /// from the others: all durable, nothing going wrong any more. Their number grows with
    /// that of the changes that are not durable.
    pub fn after_power_cut(&self) -> Vec<(String, Self)> {
        let found = power::states(&self.state().world);
        found.into_iter().map(|(label, world)| (label, Self::of(world))).collect()
    }

    fn told(&self, lie: Lie) -> bool {
        self.state().world.lies.contains(&lie)
    }

    /// Lets the hook act, counts the step and decides what happens in it.
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

    /// The hook is out of its place while it runs: it uses this disk itself.
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
        // A handle that was opened in vain locks the state to close itself.
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
