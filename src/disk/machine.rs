//! The clock and the processes of the machine. They are parameters, so that a test can set the clock.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::model::Moment;

/// The state of the process that a lock names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// No such process.
    Gone,
    /// It is alive, with its start if the system reports it.
    Alive(Option<Moment>),
}

/// Clocks and processes.
pub trait Machine: Sync {
    /// Returns the time of the wall clock.
    fn now(&self) -> Moment;

    /// Returns the time of a clock that never goes back.
    fn monotonic(&self) -> Duration;

    /// Waits.
    fn sleep(&self, time: Duration);

    /// Returns the id of this process.
    fn own_process(&self) -> u32;

    /// Returns unpredictable bytes.
    fn random(&self) -> [u8; 16];

    fn process(&self, number: i32) -> ProcessState;

    /// For each file, true if a process may have it open for writing.
    fn may_be_open(&self, files: &[&Path]) -> Vec<bool> {
        vec![true; files.len()]
    }
}

/// The machine that palimp runs on.
#[derive(Clone, Copy, Debug)]
pub struct ThisMachine {
    began: Instant,
}

impl ThisMachine {
    /// Returns this machine. Its monotonic clock starts at 0.
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
            // There is no randomness. Values that differ between any two calls must do.
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

/// True if a process with this id is alive, as far as this user can see.
pub fn is_alive(pid: i32) -> bool {
    match Pid::from_raw(pid) {
        Some(pid) if pid.as_raw_nonzero().get() > 0 => !matches!(test_kill_process(pid), Err(Errno::SRCH)),
        _ => false,
    }
}

/// Returns when a process started, if the system reports it. Linux does.
fn started(pid: i32) -> Option<Moment> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2 is a name in parentheses and may contain anything. Field 22 is the start in ticks since boot.
    let ticks: i64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up = std::fs::read_to_string("/proc/stat").ok()?;
    let boot: i64 = up.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let per_second = rustix::param::clock_ticks_per_second() as i64;
    Some(Moment(boot * 1_000_000 + ticks * 1_000_000 / per_second.max(1)))
}
