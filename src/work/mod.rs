//! Background work: jobs in, results out. The jobs are pure but for reading stores; the
//! threads only carry them.

mod job;
mod thread;

pub use job::{Asked, Done, Explained, Found, Job, Kept, Loaded, Tally, perform};
pub use thread::Workers;

pub use crate::disk::watch::Watch;
