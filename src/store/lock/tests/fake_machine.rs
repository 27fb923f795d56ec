//! Machines whose clocks and processes a test controls.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::disk::{Machine, ProcessState};
use crate::model::Moment;
use crate::passed_on::passed_on;

/// A machine on which time passes only in `sleep`, and `sleep` takes no real time.
pub struct Turned {
    wall: AtomicI64,
    monotonic: AtomicU64,
    pub own: u32,
    processes: Mutex<HashMap<i32, ProcessState>>,
    at_next_sleep: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Turned {
    /// Begins at the real time, because files get their times from the real disk.
    pub fn new(own: u32) -> Self {
        let processes = Mutex::new(HashMap::from([(own as i32, ProcessState::Alive(None))]));
        let wall = AtomicI64::new(Moment::of_the_clock().0);
        Turned { wall, monotonic: AtomicU64::new(1), own, processes, at_next_sleep: Mutex::default() }
    }

    /// Moves the wall clock forward, or back.
    pub fn turn(&self, seconds: i64) {
        self.wall.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    pub fn has(&self, process: i32, holder: ProcessState) {
        self.processes.lock().unwrap().insert(process, holder);
    }

    /// Sets what another does while palimp sleeps next.
    pub fn at_next_sleep(&self, act: impl FnOnce() + Send + 'static) {
        *self.at_next_sleep.lock().unwrap() = Some(Box::new(act));
    }

    /// Returns the time this many seconds from now, or before it.
    pub fn at(&self, seconds: i64) -> Moment {
        self.now().plus(seconds * 1_000_000)
    }
}

impl Machine for Turned {
    fn now(&self) -> Moment {
        Moment(self.wall.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_nanos(self.monotonic.load(Ordering::SeqCst))
    }

    fn sleep(&self, time: Duration) {
        if let Some(act) = self.at_next_sleep.lock().unwrap().take() {
            act();
        }
        self.wall.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
        self.monotonic.fetch_add(time.as_nanos() as u64, Ordering::SeqCst);
        thread::yield_now();
    }

    fn own_process(&self) -> u32 {
        self.own
    }

    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn process(&self, number: i32) -> ProcessState {
        self.processes.lock().unwrap().get(&number).copied().unwrap_or(ProcessState::Gone)
    }
}

/// A fake machine beside an agent that does something at the end of each sleep.
pub struct Beside<'a> {
    pub machine: &'a Turned,
    pub at_sleep: &'a (dyn Fn() + Sync),
}

impl Machine for Beside<'_> {
    passed_on! { self => self.machine; now monotonic own_process random process }

    fn sleep(&self, time: Duration) {
        self.machine.sleep(time);
        (self.at_sleep)();
    }
}

/// The real machine, but it sleeps only a fiftieth of the time.
pub struct Hurried {
    began: Instant,
}

impl Hurried {
    pub fn new() -> Self {
        Hurried { began: Instant::now() }
    }
}

impl Machine for Hurried {
    fn now(&self) -> Moment {
        Moment::of_the_clock()
    }

    fn monotonic(&self) -> Duration {
        self.began.elapsed()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time / 50);
    }

    fn own_process(&self) -> u32 {
        std::process::id()
    }

    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn process(&self, number: i32) -> ProcessState {
        if number == std::process::id() as i32 { ProcessState::Alive(None) } else { ProcessState::Gone }
    }
}
