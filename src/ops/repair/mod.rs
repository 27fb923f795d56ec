//! `repair`: the possible fixes of each problem, ranked, and the plan of the chosen ones.
//!
//! A safe fix can lose nothing: it gives each of several memories on one line its own line, removes bytes
//! between them that are no text, adds a line break, adds UTC to a time that was read as UTC, or rebuilds a
//! derived file. All others ask first: to complete a torn memory, to fill it from a copy, to move a line
//! away. What leaves a file is kept in quarantine byte for byte. No fix restores what was deleted or erased.

mod deletion_guard;
mod document_damage;
pub mod duplicate_id;
pub mod field_fixes;
mod fix;
mod fix_outcome;
pub mod intact_copies;
mod json_syntax;
pub mod line_damage;
mod plan_fixes;
mod quarantine;
mod repair_context;
pub mod safe_line_fix;
pub mod salvage;
mod temp_files;
mod torn_tombstone;
mod truncated_archive;
mod truncated_time;

pub use crate::format::writing::Repairability;
pub use document_damage::is_repaired_whole;
pub use fix::{ProblemFix, QuarantinePiece, RepairPlan, ease};
pub use fix_outcome::FixPreview;
pub use plan_fixes::chosen;
pub use quarantine::{QuarantineContent, read, restored, written};
pub use repair_context::{FileCopy, FixChoice, RepairContext, RepairSources, RepairTarget};
