//! The on-disk formats, one folder each, with equal file names. They never import one another;
//! [`notes`] has what formats of Markdown notes share. A new format is one folder and one line in
//! [`FORMATS`].

pub mod detection;
pub mod field_reader;
pub mod notes;
pub mod record_details;
pub mod record_form;
pub mod record_reader;
pub mod tuning;
pub mod writing;

mod a_mem;
mod agent_memory;
mod bmad;
mod entries;
mod entry_text;
mod format_trait;
mod id_index;
mod id_lists;
mod json_document;
mod markdown;
mod memory_server;
mod record_lines;
mod registry;
mod session_log;
mod store_names;
mod store_place;
mod title;
mod tombstone_log;

pub use agent_memory::pages as agent_memory_pages;

pub use detection::Placement;
pub use entries::live_session;
pub use entry_text::{
    SearchText, is_markdown, main_text, searched_of, text_of, text_of_raw, title, title_of_raw,
};
use format_trait::parts;
pub use format_trait::{
    Assembly, AssemblyInput, DerivedFile, Format, FormatInfo, LOST_TEXT, LockFact, PathClaim, ReadFile,
    RecordSyntax, ReferencedFile, SavedQueryTable,
};
pub use record_lines::{is_sensitive, lines_of};
pub use registry::{FORMATS, INIT_EXAMPLE, by_name, facets, ranks_by_sum, with_family};
pub use store_names::store_names;
pub use store_place::{ImportRule, InstructionBase, InstructionPlace, PlaceBase, StorePlace, folders_at};
pub use title::title_of;
pub use tombstone_log::legible_id;
