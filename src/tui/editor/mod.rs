//! What the editor knows: the form of one memory, what was typed into it, and what came of it.

pub mod compare_conflict;
pub mod form_layout;
pub mod text_buffer;

use std::sync::Arc;

use super::app::App;
use crate::model::{EntryRef, Moment, Severity, Snapshot};
use crate::ops::form::{EditForm, FieldKind, FormField, FormFinding, FormValidation};
use crate::store::commit::FormDraft;
use crate::work::form_jobs::{FORM, FormEffects, FormRequest};
use compare_conflict::FormConflict;
use text_buffer::TextBuffer;

/// Where what was typed is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DraftState {
    /// Nothing was typed that is not in the store.
    #[default]
    Unchanged,
    /// It will be, soon.
    Pending,
    /// It is, since then.
    Saved(Moment),
    /// It can't be, for that reason.
    Failed(String),
}

/// The memory on disk, where another program changed it meanwhile.
#[derive(Clone)]
pub enum TheirVersion {
    /// It says something else now.
    Changed { snapshot: Arc<Snapshot>, at: EntryRef, form: Arc<EditForm> },
    /// It is not there any more, or can't be edited; why.
    Gone(String),
}

/// Names that can be where `[[` was typed.
#[derive(Clone, Debug, Default)]
pub struct LinkCompletion {
    pub names: Vec<String>,
    pub at: usize,
    /// Where the name starts in the text.
    pub from: usize,
}

/// The editor of one memory.
#[derive(Default)]
pub struct Editor {
    pub snapshot: Arc<Snapshot>,
    pub at: EntryRef,
    /// Where it was when the form was opened.
    pub opened_at: EntryRef,
    /// What it is called. Untrusted text.
    pub name: String,
    pub form: Arc<EditForm>,
    pub texts: Vec<TextBuffer>,
    /// The field that has the keys.
    pub field: usize,
    /// The first field on screen, and the first row of the one that has the keys.
    pub top: usize,
    pub row: usize,
    /// The state of the typing, counted on over all forms: what comes back late belongs to
    /// no other form. And where this one began.
    pub version: u64,
    pub first_version: u64,
    pub judged: FormValidation,
    pub judged_version: u64,
    pub effects: Option<FormEffects>,
    pub draft_state: DraftState,
    /// What was typed before and is kept: it waits to be taken up, or dropped.
    pub found_draft: Option<FormDraft>,
    /// Whether it was looked for: before that nothing is written over it.
    pub draft_searched: bool,
    pub theirs: Option<TheirVersion>,
    pub conflict: Option<FormConflict>,
    pub saving: bool,
    /// Why it could not be saved was said, and is to be read.
    pub error_shown: bool,
    /// The state of the typing whose warnings were shown when it was to be saved.
    pub warned_version: Option<u64>,
    pub completion: Option<LinkCompletion>,
}

impl Editor {
    /// The editor of a memory, nothing typed yet.
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

    /// What the fields have now.
    pub fn values(&self) -> Vec<String> {
        self.texts.iter().map(|text| text.as_str().to_owned()).collect()
    }

    /// Whether anything differs from what is in the store.
    pub fn is_changed(&self) -> bool {
        (0..self.texts.len()).any(|at| self.differs(at))
    }

    /// Whether a field differs.
    pub fn differs(&self, at: usize) -> bool {
        self.texts[at].as_str() != self.form.fields[at].value
    }

    /// The field that has the keys.
    pub fn own(&self) -> &FormField {
        &self.form.fields[self.field]
    }

    /// The text of the field that has the keys.
    pub fn text(&mut self) -> &mut TextBuffer {
        &mut self.texts[self.field]
    }

    /// Whether the field that has the keys is one of several rows.
    pub fn is_area(&self) -> bool {
        matches!(self.own().kind, FieldKind::Text { .. })
    }

    /// What the workers are asked with.
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

    /// What is wrong with a field.
    pub fn findings(&self, field: usize) -> impl Iterator<Item = &FormFinding> {
        self.judged.findings.iter().filter(move |own| own.field == Some(field))
    }

    /// How many errors and warnings there are.
    pub fn counts(&self) -> (usize, usize) {
        let count = |severity| self.judged.findings.iter().filter(|own| own.severity == severity).count();
        (count(Severity::Error), count(Severity::Warning))
    }
}

/// Whether a field takes keys.
pub fn is_open(field: &FormField) -> bool {
    !matches!(field.kind, FieldKind::Fixed(_))
}

/// The words of an enumeration; none for other fields.
pub fn choices(kind: &FieldKind) -> Vec<String> {
    match kind {
        FieldKind::Word { words, .. } => words.clone(),
        FieldKind::Flag => vec!["true".into(), "false".into()],
        _ => Vec::new(),
    }
}
