//! Plans an erasure. Pure: `write::scrub` applies the plan, and searches every byte afterwards.

mod clean_file;
mod erased_contents;
mod erased_values;
mod erasure_plan;
mod erasure_target;
mod index_copies;
mod matcher;
mod namesakes;
mod original_path;
mod revealing_names;
mod salted_digests;
mod torn_lines;

pub use crate::model::SecretValues;
pub use crate::store::erase::erasure_target::{ErasureScope, ErasureTarget, SharedText, set_earlier_names};
pub use crate::store::erase::original_path::{is_log_or_copy, original};
pub use clean_file::{ERASE_UNPACK_LIMIT, ErasureMarks, clean};
pub use erased_contents::{ErasedContents, SearchTexts};
pub use erased_values::ErasedValues;
pub use erasure_plan::{ErasureContext, ErasurePlan, FileVisitor, OutsideFile};
pub use matcher::ErasureMatcher;
pub use namesakes::set_namesakes;
pub use salted_digests::{apart, salted, with_key};
