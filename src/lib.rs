//! palimp: review, repair and forget what AI agents remember.
//!
//! An agent writes a memory, finds it again, and forgets it:
//!
//! ```
//! use palimp::memory::{Memory, MemoryError, New};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! // The store is the agent's. palimp's own data (journal, undo) is kept outside it.
//! let mut memory = Memory::create("session-log", &folder.join("memory"), &folder.join("data"))?;
//! let session = memory.create_session(None, "agent")?;
//! let text = "Use SQLite for the cache";
//! let added = memory.add(&New { session: Some(&session), kind: "decision", text, ..New::default() })?;
//!
//! let found = memory.query("sqlite type:decision")?;
//! assert_eq!(found[0].text, text);
//!
//! memory.delete(Some(&session), &added.id, "superseded")?;
//! assert!(memory.query("sqlite")?.is_empty());
//! # Ok::<(), MemoryError>(())
//! ```
//!
//! [`memory`] has all calls, each with an example; `docs/library.md` lists them.
//!
//! People use the same storage through the program `palimp`, on screens and as verbs.
//!
//! The modules are in dependency order: each imports only earlier ones. `docs/architecture.md` has
//! the picture, and `tests/all/architecture.rs` enforces it.
//!
//! | module | what it is |
//! |---|---|
//! | [`model`] | what a memory is: plain data |
//! | [`text`] | bytes into lines, JSON spans, safe text |
//! | [`detectors`] | what looks sensitive in a text |
//! | [`disk`] | all access to the file system |
//! | [`mod@format`] | the on-disk formats, one folder each |
//! | [`store`] | finding and loading stores, and the one way to change them |
//! | `sqlite` | runs the saved queries of stores |
//! | [`query`] | find and rank |
//! | [`check`] | the problems of stores, in groups, and derived files that are not up to date |
//! | [`ops`] | what a user can do: from a store to a plan |
//! | [`usecase`] | a change from the request to the report: verbs and screens both use it |
//! | [`memory`] | the storage module for agents |
//! | [`demo`] | the invented stores of the demo |
//! | `work` | background threads |
//! | `tui` | the screens |
//! | `cli` | the verbs, one per file; without a verb it opens the screens |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::dbg_macro)]

pub mod model;
pub mod text;

pub mod detectors;

pub mod disk;

pub mod format;

pub mod store;

#[cfg(feature = "tui")]
pub mod sqlite;

pub mod query;

pub mod check;

pub mod ops;

pub mod usecase;

#[warn(missing_docs)]
pub mod memory;

pub mod demo;

#[cfg(feature = "tui")]
#[doc(hidden)]
pub mod work;

#[cfg(feature = "tui")]
pub mod tui;

#[cfg(feature = "tui")]
pub mod cli;

#[cfg(test)]
#[path = "../tests/all/faulty/mod.rs"]
pub mod faulty;

#[cfg(test)]
#[path = "../tests/all/support/folder.rs"]
mod folder;

#[cfg(test)]
#[path = "../tests/all/support/tries.rs"]
pub mod tries;

#[cfg(test)]
#[path = "../tests/all/support/passed_on.rs"]
mod passed_on;
