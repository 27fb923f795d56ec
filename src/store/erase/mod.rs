//! What an erasure takes out, worked out from documents. Pure: what carries it out, and
//! searches every byte afterwards, is `commit::erase`.

mod clean_file;
mod erased_contents;
mod erasure_plan;
mod kept_lines;
mod keyed_digests;
mod matcher;
mod namesakes;
mod revealing_names;
mod salted_digests;
mod torn_lines;

pub use clean_file::{ErasureMarks, clean};
pub use erased_contents::{ErasedContents, SearchTexts};
pub use erasure_plan::{
    CopySource, ERASE_UNPACK_LIMIT, ErasureContext, ErasurePlan, FileVisitor, OutsideFile,
};
pub use keyed_digests::{apart, with_key};
pub use matcher::{ErasureMatcher, ErasureTarget, is_log_or_copy, original};
pub use namesakes::set_namesakes;
