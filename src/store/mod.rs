//! Finding stores and loading them.

mod files;
mod find;
mod load;
mod packed;

pub use find::{Looked, Place, look_around, look_at, once};
pub use load::{load, load_each, load_from};
