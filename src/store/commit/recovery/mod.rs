//! What a palimp that was killed left: its steps are finished or undone, its temporary files removed.

pub mod change_progress;
pub mod leftover_files;
pub mod recover_steps;
