//! The on-disk formats, one folder each, with equal file names. They never import one another;
//! [`notes`] has what formats of Markdown notes share. A new format is one folder and one line in
//! [`FORMATS`].

pub mod detection;
pub mod field_reader;
pub mod notes;
pub mod pid_lock;
pub mod record_details;
pub mod record_form;
pub mod record_reader;
pub mod tuning;
pub mod writing;

mod a_mem;
mod agent_memory;
mod bmad;
mod default_place;
mod entries;
mod entry_text;
mod format_trait;
mod id_index;
mod id_lists;
mod instruction_place;
mod json_document;
pub mod live_session;
mod lost_text;
mod markdown;
mod memory_server;
mod placement;
mod record_lines;
mod registry;
mod session_log;
mod store_names;
mod store_place;
mod title;
mod tombstone_log;

pub use agent_memory::pages as agent_memory_pages;
pub use default_place::folders_at;
pub use instruction_place::{ImportRule, InstructionBase, InstructionPlace};
pub use lost_text::LOST_TEXT;

pub use entry_text::{
    SearchText, is_markdown, main_text, searched_of, text_of, text_of_raw, title, title_of_raw,
};
use format_trait::parts;
pub use format_trait::{
    Assembly, AssemblyInput, DerivedFile, Format, FormatInfo, LockFact, PathClaim, Placement, ReadFile,
    RecordSyntax, ReferencedFile, SavedQueryTable,
};
pub use record_lines::{is_sensitive, lines_of};
pub use registry::{FORMATS, INIT_EXAMPLE, by_name, facets, ranks_by_sum, with_family};
pub use store_names::store_names;
pub use store_place::{PlaceBase, StorePlace};
pub use title::title_of;
pub use tombstone_log::legible_id;
