//! What a palimp that was killed left: its steps are finished or undone, its temporary files removed.

pub(super) mod change_progress;
pub(super) mod leftover_files;
pub(super) mod recover_steps;
