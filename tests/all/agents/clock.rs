//! A machine for these tests whose clock can be moved.

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::passed_on::passed_on;
use palimp::disk::{Machine, ProcessState, ThisMachine};
use palimp::model::Moment;

/// The real machine, with a clock some time ahead.
pub struct Clock {
    real: ThisMachine,
    ahead: AtomicI64,
    /// True if sleeping only moves the clock.
    skips: bool,
}

impl Clock {
    pub fn real() -> Self {
        Clock { real: ThisMachine::new(), ahead: AtomicI64::new(0), skips: false }
    }

    /// Sleep on it takes no time.
    pub fn skipping() -> Self {
        Clock { skips: true, ..Clock::real() }
    }

    /// Moves the clock forward.
    pub fn turn(&self, time: Duration) {
        self.ahead.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
    }
}

impl Machine for Clock {
    passed_on! { self => self.real; own_process process }

    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn now(&self) -> Moment {
        self.real.now().plus(self.ahead.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        self.real.monotonic() + Duration::from_micros(self.ahead.load(Ordering::SeqCst) as u64)
    }

    fn sleep(&self, time: Duration) {
        match self.skips {
            true => self.turn(time),
            false => self.real.sleep(time),
        }
    }

    /// Every process may have a file open.
    fn may_be_open(&self, files: &[&Path]) -> Vec<bool> {
        vec![true; files.len()]
    }
}
