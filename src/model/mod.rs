//! What a memory is: plain data that the other modules pass to each other.

pub mod attributes;
pub mod bytes;
pub mod carried;
pub mod decay;
pub mod document;
pub mod key;
pub mod on_demand;
pub mod parsed;
pub mod plan;
pub mod problem;
pub mod quick;
pub mod record;
pub mod references;
pub mod snapshot;
pub mod time;
pub mod told;
pub mod unread;
pub mod view;

pub use bytes::Bytes;
pub use carried::Carry;
pub use decay::{DecayRule, DecayTable};
pub use document::{Document, Generation, Role};
pub use key::{Key, Written, short_digest};
pub use on_demand::{Blocks, OnDemand};
pub use parsed::Parsed;
pub use plan::{Act, Change, Lock, Plan, Splice};
pub use problem::{Code, Problem, Severity};
pub use quick::{QuickMap, QuickSet};
pub use record::{Body, Name, Named, Record, RecordText, Reference, Span};
pub use references::{References, Tie};
pub use snapshot::{Entry, EntryRef, Extent, Session, Snapshot, State, Store};
pub use time::{Moment, Zone};
pub use told::{Tell, container, deleted_from, is_log, meant};
pub use unread::{NotWhole, Unread, Whole};
pub use view::{List, Packed, Packer, Tags, View};
