//! palimp: review, repair and forget what AI agents remember.
//!
//! The modules stand in dependency order; each imports only those before it.
//! `docs/architecture.md` draws the picture, `tests/architecture.rs` holds it.
//!
//! | module | what it is |
//! |---|---|
//! | [`model`] | what a memory is: plain data |
//! | [`text`] | bytes into lines, JSON spans, safe text |
//! | [`disk`] | every touch of the file system |
//! | [`mod@format`] | the five on-disk formats, one folder each |
//! | [`store`] | finding stores, loading them, and the one way in which they are changed |
//! | [`query`] | find and rank |
//! | [`check`] | what is wrong, and what is sensitive |
//! | [`ops`] | what a user can do: from a store to a plan |
//! | [`memory`] | the storage module for agents |
//! | [`demo`] | the invented stores of the demo |
//! | [`work`] | background threads |
//! | `tui` | the screens |
//! | `cli` | headless verbs, one a file; without one it opens the screens |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::dbg_macro)]

pub mod model;
pub mod text;

pub mod disk;

pub mod format;

pub mod store;

pub mod query;

pub mod check;

pub mod ops;

pub mod memory;

pub mod demo;

#[cfg(feature = "tui")]
pub mod work;

#[cfg(feature = "tui")]
pub mod tui;

#[cfg(feature = "tui")]
pub mod cli;
