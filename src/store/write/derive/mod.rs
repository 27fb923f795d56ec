//! Rebuilds derived files after a change, and on undo.

pub mod derive_files;
pub mod rebuild_derived;
