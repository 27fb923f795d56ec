//! Finding stores and loading them.

mod files;
mod find;
mod load;
mod packed;

pub use find::{Looked, Place, look_around, look_at};
pub use load::{load, load_from};

/// Whether this version reads the records of a format, or only recognises its stores.
pub fn reads(format: &str) -> bool {
    crate::format::by_name(format).is_some_and(|format| format.reads())
}
