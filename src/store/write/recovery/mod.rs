//! Finishes or undoes the steps of a palimp that was killed, and removes its temporary files.

pub mod change_progress;
pub mod leftover_files;
pub mod recover_steps;
