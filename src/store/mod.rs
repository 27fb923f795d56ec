//! Finding stores, loading them, and keeping writers apart.

pub mod appended;
mod beside;
mod chunks;
pub mod commit;
pub mod crowd;
pub mod derive;
pub mod ends;
pub mod erase;
mod files;
mod find;
mod grown;
mod large;
mod listed;
mod load;
pub mod lock;
mod one_record;
mod packed;
pub mod referred;
mod reread;
mod unchanged;

pub use files::session_files;
pub use find::{Looked, Place, look_around, look_at, once};
pub use grown::still_holds;
pub use listed::LONG;
pub use load::{load, load_each, load_from, named, of_documents};
pub use packed::{Packing, packed_bytes};
pub use unchanged::is_as_read;
