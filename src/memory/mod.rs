//! The storage module for agents: one open store, to write to and to recall from.
//!
//! Its operations are those of the specifications (2 §4.1, 4 §10.1, 5 §6 and §7), if the format of the
//! store has them; palimp refuses others with the reason. Like the verbs of the command line, they are
//! planned, applied under the format's lock, journalled, and undone by `palimp undo`. The front page of the
//! library has an example, and so has each call. `docs/library.md` lists the calls by specification.

mod append;
mod archive;
mod batch;
mod error;
mod events;
mod found_memory;

mod found;
mod handle;
mod id_lookup;
mod links;
mod options;
mod plan_outcome;
mod problems;
mod query;
mod recall_result;
mod records;
mod sessions;
mod undo;
mod upkeep;

pub use crate::memory::handle::Memory;

pub use crate::memory::found::Found;
pub use error::{MemoryError, Result};
pub use links::{Link, Links};
pub use options::Options;
pub use plan_outcome::{Added, Dropped};
pub use query::MemoryQuery;
pub use recall_result::Recalled;
pub use records::New;
pub use sessions::Statistics;
pub use undo::Undone;

pub use crate::model::{Code, Durability, Moment, Problem, Severity, State};
pub use crate::query::Order;

pub use crate::text::canonical::Checksum;
pub use crate::usecase::export::ExportFormat;
