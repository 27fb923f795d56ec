//! The tasks of the tutor that are done.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TutorProgress {
    pub done: [bool; TASKS.len()],
    pub is_shown: bool,
}

impl TutorProgress {
    pub fn next(&self) -> Option<usize> {
        self.done.iter().position(|done| !done)
    }
}

pub const TASKS: [&str; 5] = [
    "find what the team decided about retries: /retries, then Enter",
    "see why it comes first: press w",
    "go to the wrong one, \"Retries of a charge need no key\": j until it is there, then d, then x",
    "undo that: u",
    "bring \"Rollback steps for release 4.2\" back from a backup: r, Enter, r, y",
];

pub const ALL: u16 = TASKS.len() as u16 + 1;

pub const NEXT: u16 = 4;

/// Returns the number of rows of the tutor. The panes must have at least as many, or twice as many for all.
pub fn rows(height: u16) -> u16 {
    match height {
        _ if height >= 3 * ALL => ALL,
        _ if height >= 2 * NEXT => NEXT,
        _ => 0,
    }
}
