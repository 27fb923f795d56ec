//! A machine on which time passes only while a process sleeps, and one process is alive.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use palimp::disk::{Machine, ProcessState};
use palimp::model::Moment;

/// The disk in memory counts its changes from 1970 on, so all of this happens then.
pub const NOW: Moment = Moment(19 * 86_400_000_000 + 43_200_000_000);

pub struct Still {
    passed: AtomicI64,
    own: u32,
}

impl Still {
    pub fn first() -> Self {
        Still { passed: AtomicI64::new(0), own: 100 }
    }

    /// A process that starts after the first and ends before the next.
    pub fn between() -> Self {
        Still { passed: AtomicI64::new(300_000_000), own: 150 }
    }

    /// A process that starts ten minutes later, when the first is gone.
    pub fn next() -> Self {
        Still { passed: AtomicI64::new(600_000_000), own: 200 }
    }

    pub fn pass(&self, seconds: i64) {
        self.passed.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Machine for Still {
    fn random(&self) -> [u8; 16] {
        [7; 16]
    }

    fn now(&self) -> Moment {
        NOW.plus(self.passed.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(1 + self.passed.load(Ordering::SeqCst) as u64)
    }

    fn sleep(&self, time: Duration) {
        self.passed.fetch_add(time.as_micros() as i64, Ordering::SeqCst);
    }

    fn own_process(&self) -> u32 {
        self.own
    }

    fn process(&self, number: i32) -> ProcessState {
        if number == self.own as i32 { ProcessState::Alive(None) } else { ProcessState::Gone }
    }
}
