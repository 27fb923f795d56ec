//! The form that edits a memory.

use std::sync::Arc;

use crate::model::{EntryRef, FormDraft, Moment, Snapshot};
use crate::ops::form::{EditForm, FormValidation};
use crate::tui::editor::text_buffer::TextBuffer;
use crate::tui::state::form_conflict::FormConflict;
use crate::work::form_jobs::FormEffects;

/// Whether the typed text is kept as a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DraftState {
    /// Nothing typed differs from the store.
    #[default]
    Unchanged,
    /// The draft is written soon.
    Pending,
    /// The draft was written at this time.
    Saved(Moment),
    /// The draft can't be written, for this reason.
    Failed(String),
}

/// The memory on disk, if another program changed it while the form was open.
#[derive(Clone)]
pub enum TheirVersion {
    /// It has other contents.
    Changed { snapshot: Arc<Snapshot>, at: EntryRef, form: Arc<EditForm> },
    /// It is gone, or it can't be edited, for this reason.
    Gone(String),
}

/// Names that complete a link after `[[`.
#[derive(Clone, Debug, Default)]
pub struct LinkCompletion {
    pub names: Vec<String>,
    pub at: usize,
    /// The byte where the name starts in the text.
    pub from: usize,
}

#[derive(Default)]
pub struct Editor {
    pub snapshot: Arc<Snapshot>,
    pub at: EntryRef,
    /// The memory's place when the form was opened.
    pub opened_at: EntryRef,
    /// The memory's title or id. Untrusted text.
    pub name: String,
    pub form: Arc<EditForm>,
    pub texts: Vec<TextBuffer>,
    /// The index of the focused field.
    pub field: usize,
    /// The first field on screen, and the first row of the focused field on screen.
    pub top: usize,
    pub row: usize,
    /// The version of the typed text, and the version when the form was opened. Versions count on
    /// across all forms, so that a late result never fits another form.
    pub version: u64,
    pub first_version: u64,
    pub judged: FormValidation,
    pub judged_version: u64,
    pub effects: Option<FormEffects>,
    pub draft_state: DraftState,
    /// A draft that was found. The user takes it up or drops it.
    pub found_draft: Option<FormDraft>,
    /// True once palimp has looked for a draft. Until then none is written, so that none is overwritten.
    pub draft_searched: bool,
    pub theirs: Option<TheirVersion>,
    pub conflict: Option<FormConflict>,
    pub saving: bool,
    /// True if the notice says why saving failed. The reload that follows must not replace it.
    pub error_shown: bool,
    /// The version whose warnings were shown when the user saved.
    pub warned_version: Option<u64>,
    pub completion: Option<LinkCompletion>,
}
