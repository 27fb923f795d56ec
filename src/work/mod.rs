//! Background work: jobs in, results out. The jobs are pure but for reading stores and
//! changing them; the threads only carry them.

pub mod editor;
mod export;
mod inspect;
mod job;
mod tally;
mod tend;
mod thread;

pub use inspect::{
    Backup, Batch, Chore, Compare, Difference, Inspect, InspectRequest, Inspected, Opened, StepFile,
    StepShown, Task, Upkeep,
};
pub use job::{Asked, Counted, Done, Explained, Found, Job, Kept, Loaded, Marked, perform};
pub use tally::Tally;
pub use tend::Tended;
pub use thread::Workers;

pub use crate::disk::watch::Watch;
pub use crate::disk::{edit_text, end_editor, end_editors, page_text};
