//! What an erasure takes out, worked out from documents. Pure: what carries it out, and
//! searches every byte afterwards, is `commit::erase`.

mod apart;
mod clean;
mod contents;
mod digests;
mod keyed;
mod namesake;
mod removal;
mod staying;
mod telling;
mod wanted;

pub use clean::{Marks, clean};
pub use contents::{Contents, Sought};
pub use keyed::{apart, with_key};
pub use namesake::spare;
pub use removal::{Kept, LARGEST, Outside, Removal, Shown, Site};
pub use wanted::{Target, Wanted, is_log, original};
