//! The state of the editor: the form of one memory, the typed text, and the results of checks.

pub mod compare_conflict;
pub mod form_layout;
pub mod text_buffer;

use std::sync::Arc;

use crate::model::{EntryRef, Severity, Snapshot};
use crate::ops::form::{EditForm, FieldKind, FormField, FormFinding};
use crate::tui::state::app::App;
use crate::tui::state::editor::Editor;
use crate::work::form_jobs::{FORM, FormRequest};
use text_buffer::TextBuffer;

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

    /// True if the focused field has several rows.
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
