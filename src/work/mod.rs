//! Background work: jobs in, results out. The jobs are pure but for reading stores and
//! changing them; the threads only carry them.

mod change;
pub mod editor;
mod job;
mod thread;
mod turn;
mod wanted;

pub use change::{ChangeRequest, Changed, Planned, Tended, Turned, keep};
pub use job::{Asked, Done, Explained, Found, Job, Kept, Loaded, Tally, perform};
pub use thread::Workers;
pub use turn::Recent;
pub use wanted::Wanted;

pub use crate::disk::watch::Watch;
pub use crate::disk::{edit_text, end_editor};
