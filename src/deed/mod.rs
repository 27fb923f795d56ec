//! A change from the wish to the word about it: asked → planned → shown → still so? → carried out →
//! told. Verbs, screens and programs all come here; what differs between them is who is asked and how
//! it is told, which is [`By`] and [`Teller`].

mod append;
mod asked;
mod carried;
mod checked;
mod deleted;
mod drafts;
mod erase;
mod failed;
mod lasting;
mod layout;
mod meanwhile;
mod of_stores;
mod planned;
mod repaired;
mod turn;
mod visits;
mod wanted;

pub use append::{append, append_all, plan_all, refusal_of_all};
pub use asked::{By, ChangeRequest};
pub use carried::{
    Changed, Committed, Quiet, Teller, Turned, carry_out, carry_out_at_once, commit, make, memories,
};
pub use checked::{AllChecked, Checked, Known, checked, with_due};
pub use deleted::{deleted_count, with_deleted};
pub use drafts::{keep, keep_at, not_made};
pub use erase::{ERASED, ErasureAsked, is_erased, unless_erased};
pub use failed::{Cause, Ends, Failed};
pub use lasting::Lasting;
pub use layout::{Border, Layout};
pub use meanwhile::{Difference, Moved, held, held_store, moved_since, same, say_rule, say_which};
pub use of_stores::plans_due;
pub use planned::{Planned, name_of, plan, preview};
pub use repaired::{FromQuarantine, InQuarantine, fixes_of, in_quarantine, material};
pub use turn::{Recent, Step, turn};
pub use visits::Visits;
pub use wanted::{DeleteAs, NewRecord, Restoring, SessionDeed, Wanted};
