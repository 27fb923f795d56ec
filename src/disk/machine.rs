//! What the machine says of time and of other processes. A parameter wherever it matters,
//! so that a test can turn the clock.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::process::{is_alive, started};
use crate::model::Moment;

/// What is known of the process that a lock names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// No such process.
    Gone,
    /// There is one, started then as far as the system tells.
    Alive(Option<Moment>),
}

/// Clocks and processes.
pub trait Machine: Sync {
    /// The wall clock.
    fn now(&self) -> Moment;

    /// A clock that never goes back.
    fn monotonic(&self) -> Duration;

    /// Waits.
    fn sleep(&self, time: Duration);

    /// This process's number.
    fn own_process(&self) -> u32;

    /// Bytes that nobody can foretell.
    fn random(&self) -> [u8; 16];

    /// What is known of a process.
    fn process(&self, number: i32) -> ProcessState;

    /// For each of the files, whether a process may have it open to write to it.
    fn may_be_open(&self, files: &[&Path]) -> Vec<bool> {
        vec![true; files.len()]
    }
}

/// The machine that this runs on.
#[derive(Clone, Copy, Debug)]
pub struct ThisMachine {
    began: Instant,
}

impl ThisMachine {
    /// This machine; its monotonic clock starts here.
    pub fn new() -> Self {
        ThisMachine { began: Instant::now() }
    }
}

impl Default for ThisMachine {
    fn default() -> Self {
        ThisMachine::new()
    }
}

impl Machine for ThisMachine {
    fn now(&self) -> Moment {
        Moment::of_the_clock()
    }

    fn monotonic(&self) -> Duration {
        self.began.elapsed()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }

    fn own_process(&self) -> u32 {
        std::process::id()
    }

    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            // No source of chance: what differs between any two calls has to do.
            let now = Moment::of_the_clock().0 as u128;
            let own = u128::from(std::process::id()) << 64 | self.began.elapsed().as_nanos();
            bytes = (now.rotate_left(61) ^ own.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
                .to_be_bytes();
        }
        bytes
    }

    fn process(&self, number: i32) -> ProcessState {
        if is_alive(number) { ProcessState::Alive(started(number)) } else { ProcessState::Gone }
    }

    fn may_be_open(&self, files: &[&Path]) -> Vec<bool> {
        super::open_writers::may_be_open(files)
    }
}
