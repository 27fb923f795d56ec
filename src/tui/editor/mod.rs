//! The state of the editor: the form of one memory, the typed text, and the results of checks.

pub mod compare_conflict;
pub mod form_layout;
pub mod text_buffer;

use std::sync::Arc;

use crate::model::{EntryRef, FormDraft, Moment, Severity, Snapshot};
use crate::ops::form::{EditForm, FieldKind, FormField, FormFinding, FormValidation};
use crate::tui::editor::compare_conflict::FormConflict;
use crate::tui::editor::text_buffer::TextBuffer;
use crate::tui::state::app::App;
use crate::work::form_jobs::{FORM, FormEffects, FormRequest};

impl Editor {
    /// Opens the editor of a memory. `number` counts the forms that were opened.
    pub fn new(snapshot: Arc<Snapshot>, at: EntryRef, form: EditForm, number: u64) -> Editor {
        let first = number << FORM;
        let texts = form.fields.iter().map(|field| TextBuffer::of_field(&field.value)).collect();
        let field = form.fields.iter().position(is_open).unwrap_or(0);
        Editor {
            name: App::quoted_title(&snapshot, at),
            snapshot,
            at,
            opened_at: at,
            form: Arc::new(form),
            texts,
            field,
            first_version: first,
            version: first,
            judged_version: first,
            ..Editor::default()
        }
    }

    pub fn values(&self) -> Vec<String> {
        self.texts.iter().map(|text| text.as_str().to_owned()).collect()
    }

    pub fn is_changed(&self) -> bool {
        (0..self.texts.len()).any(|at| self.differs(at))
    }

    pub fn differs(&self, at: usize) -> bool {
        self.texts[at].as_str() != self.form.fields[at].value
    }

    pub fn own(&self) -> &FormField {
        &self.form.fields[self.field]
    }

    pub fn text(&mut self) -> &mut TextBuffer {
        &mut self.texts[self.field]
    }

    pub fn is_area(&self) -> bool {
        matches!(self.own().kind, FieldKind::Text { .. })
    }

    pub fn request(&self, app: &App) -> Option<FormRequest> {
        Some(FormRequest {
            snapshot: Arc::clone(&self.snapshot),
            at: self.at,
            name: self.name.clone(),
            form: Arc::clone(&self.form),
            values: self.values(),
            version: self.version,
            data: app.data.clone()?,
            query: app.query.clone(),
            ranking: app.ranking,
            now: app.now,
        })
    }

    pub fn findings(&self, field: usize) -> impl Iterator<Item = &FormFinding> {
        self.judged.findings.iter().filter(move |own| own.field == Some(field))
    }

    pub fn counts(&self) -> (usize, usize) {
        let count = |severity| self.judged.findings.iter().filter(|own| own.severity == severity).count();
        (count(Severity::Error), count(Severity::Warning))
    }
}

pub fn is_open(field: &FormField) -> bool {
    !matches!(field.kind, FieldKind::Fixed(_))
}

/// Returns the words that a field can have; empty for fields of free text.
pub fn choices(kind: &FieldKind) -> Vec<String> {
    match kind {
        FieldKind::Word { words, .. } => words.clone(),
        FieldKind::Flag => vec!["true".into(), "false".into()],
        _ => Vec::new(),
    }
}

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
