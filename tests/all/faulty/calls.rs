//! The calls of a process, and which of them fail.

use std::collections::BTreeMap;
use std::io;

use super::op::{Errno, Fault, Op};

/// What a call does.
pub(super) enum CallOutcome {
    Go,
    Refuse(io::Error),
    /// It is done, and then reports an error.
    After(io::Error),
    /// It writes this many bytes, and then reports an error.
    Part(usize, io::Error),
}

/// Calls of one sort: those that change, or those that read.
#[derive(Default)]
struct Sort {
    faults: BTreeMap<usize, Fault>,
    from_here: Option<Errno>,
}

/// The process that runs on the disk.
#[derive(Default)]
pub(super) struct Calls {
    pub ops: Vec<Op>,
    pub reads: Vec<String>,
    /// The errors of failed `ops`.
    failures: BTreeMap<usize, String>,
    changing: Sort,
    reading: Sort,
    pub dead: bool,
}

impl Calls {
    pub(super) fn fail_at(&mut self, step: usize, fault: Fault) {
        self.changing.faults.insert(step, fault);
    }

    pub(super) fn fail_reads(&mut self, read: usize, fault: Fault) {
        self.reading.faults.insert(read, fault);
    }

    pub(super) fn step(&mut self, op: &Op) -> (usize, CallOutcome) {
        let step = self.ops.len();
        self.ops.push(op.clone());
        let spared = self.changing.from_here.is_some_and(is_full) && op.needs_no_room();
        let verdict = self.changing.verdict(step, spared, &mut self.dead);
        (step, verdict)
    }

    pub(super) fn read(&mut self, what: String) -> CallOutcome {
        let read = self.reads.len();
        self.reads.push(what);
        self.reading.verdict(read, false, &mut self.dead)
    }

    pub(super) fn failed(&mut self, step: usize, error: &io::Error) {
        self.failures.insert(step, error.to_string());
    }

    pub(super) fn log(&self) -> Vec<String> {
        let line = |(step, op): (usize, &Op)| match self.failures.get(&step) {
            Some(error) => format!("{op}: {error}"),
            None => op.to_string(),
        };
        self.ops.iter().enumerate().map(line).collect()
    }
}

impl Sort {
    fn verdict(&mut self, at: usize, spared: bool, dead: &mut bool) -> CallOutcome {
        if *dead {
            return CallOutcome::Refuse(killed());
        }
        match self.faults.get(&at) {
            Some(Fault::Crash) => {
                *dead = true;
                CallOutcome::Refuse(killed())
            }
            Some(Fault::CrashInWrite(bytes)) => {
                *dead = true;
                CallOutcome::Part(*bytes, killed())
            }
            Some(Fault::Error(errno)) => CallOutcome::Refuse((*errno).into()),
            Some(Fault::ErrorAfter(errno)) => CallOutcome::After((*errno).into()),
            Some(Fault::ErrorFromHere(errno)) => {
                self.from_here = Some(*errno);
                CallOutcome::Refuse((*errno).into())
            }
            Some(Fault::ShortWrite(bytes)) => CallOutcome::Part(*bytes, Errno::NOSPC.into()),
            None => match self.from_here {
                Some(errno) if !spared => CallOutcome::Refuse(errno.into()),
                _ => CallOutcome::Go,
            },
        }
    }
}

fn is_full(errno: Errno) -> bool {
    [Errno::NOSPC, Errno::DQUOT].contains(&errno)
}

fn killed() -> io::Error {
    io::Error::other("the process was killed")
}
