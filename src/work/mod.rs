//! Background work: jobs in, results out. The jobs are pure but for reading stores and
//! changing them; the threads only carry them.

mod change;
mod checked;
mod deleted;
pub mod editor;
mod erase;
mod inspect;
mod job;
mod meanwhile;
mod planned;
mod tally;
mod thread;
mod turn;
mod wanted;

pub use change::{ChangeRequest, Changed, Committed, Tended, Turned, keep, keep_at, memories};
pub use checked::{AllChecked, Checked, checked};
pub use erase::{ErasureAsked, ask as ask_erasure, carry_out as carry_out_erasure};
pub use inspect::{
    Backup, Batch, Chore, Inspect, InspectRequest, Inspected, Opened, StepFile, StepShown, Task, Upkeep,
};
pub use job::{Asked, Done, Explained, Found, Job, Kept, Loaded, Marked, perform};
pub use meanwhile::{Difference, Moved, moved_since, of_bound, read as read_anew, say_which, touched};
pub use planned::{Planned, name_of};
pub use tally::Tally;
pub use thread::Workers;
pub use turn::Recent;
pub use wanted::{Restoring, Wanted};

pub use crate::ops::Progress;
pub use crate::ops::several::LeftOut;

pub use crate::disk::watch::Watch;
pub use crate::disk::{edit_text, end_editor, end_editors};
