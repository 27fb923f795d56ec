//! Operations of users on these folders, and the changes that they make.
//!
//! Choices where the facts are silent:
//! - A file and its line in the index are one change. If a file goes, links to it in other files stay, and `check`
//!   names them.
//! - `metadata.modified` is set only where it is: a reader of older files knows no such field.
//! - A new topic has the form that Claude Code writes today, and its line is at the end of the index.
//! - An entry is written as Hermes writes it: without white space around it, and without an end of line at the end.

mod archive;
mod copies;
mod deleted_parts;
mod format_fixes;
mod index_edit;
mod merge;
mod moved_links;
mod parts;
mod rename;
mod split_index;
mod text_form;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Markdown;
use super::families::FAMILIES;
use super::family::Grammar;
use crate::format::Format;
use crate::format::notes::edit::{self, ended, text_of};
use crate::format::notes::ids::{id_from, title_and_body};
use crate::format::writing::{
    ChangesResult, DeletionKind, FieldAssignment, FolderCopies, FormatDeletion, FormatEraser, FormatWriter,
    Operation, OwnArchive, OwnOperations, RecordDraft, Refusal, Result, WriteContext, removals,
};
use crate::model::{Change, Entry, Moment, Store};
use crate::text::front_matter::Note;
use crate::text::front_matter::edit::{NewYamlValue, set};
use text_form::{end_of, entry_text, kept_around, with_ends, with_modified};

const NO_TAGS: &str = "no program reads tags of these files.";

impl FormatWriter for Markdown {
    fn own(&self) -> OwnOperations {
        let own = FAMILIES.iter().find(|own| own.name() == self.name());
        let eraser = own.map(|own| own as &'static dyn FormatEraser);
        OwnOperations {
            own_archive: Some(OwnArchive { items: archive::items, restored: archive::restored }),
            folder_copies: Some(FolderCopies { folders: copies::folders, copied: copies::copied }),
            eraser,
            fixes: Some(&format_fixes::FIXES),
            deleted_parts: Some(deleted_parts::deleted_parts),
            merge: Some(merge::merged),
            restore_parts: Some(deleted_parts::restore_parts),
            ..OwnOperations::default()
        }
    }

    fn allows(&self, operation: Operation, file: &Path) -> std::result::Result<(), String> {
        if let Some(why) = self.0.about.read_only {
            return Err(why.into());
        }
        match operation {
            Operation::Tag => Err(NO_TAGS.into()),
            Operation::Rename if self.0.grammar_of(file) != Grammar::Topics => {
                Err("it is a part of a file, and has no name of its own.".into())
            }
            _ => Ok(()),
        }
    }

    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Canonical
    }

    fn may_archive(&self, store: &Store, entry: &Entry) -> Result<()> {
        match self.0.grammar_of(&store.document(entry).path) {
            Grammar::Topics | Grammar::Entries => Ok(()),
            _ => Err(Refusal::unfit(
                "it is a part of an index, not a file of its own: delete it, or let it be.",
            )),
        }
    }

    fn add(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        self.is_changed()?;
        let text = draft.text.filter(|own| !own.trim().is_empty());
        let text = text.ok_or_else(|| Refusal::invalid("a memory needs a text."))?;
        match self.0.has_entries {
            true => {
                let file = PathBuf::from(format!("{}.md", draft.session.unwrap_or("MEMORY")));
                let added = BTreeMap::from([(&*file, vec![entry_text(text)?])]);
                deleted_parts::with_entries(context.store, added)
            }
            false => self.with_topic(context, draft, text),
        }
    }

    fn edit(
        &self,
        context: &WriteContext<'_>,
        entry: &Entry,
        fields: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        let own = context.store.document(entry);
        Some(match self.0.grammar_of(&own.path) {
            Grammar::Topics => self.edited_topic(context, entry, fields),
            _ => self.edited_part(context.store, entry, fields),
        })
    }

    fn delete(
        &self,
        context: &WriteContext<'_>,
        entries: &[Entry],
        _asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        let store = context.store;
        let is_file = |entry: &&Entry| self.0.grammar_of(&store.document(entry).path) == Grammar::Topics;
        let (files, parts): (Vec<Entry>, Vec<Entry>) = entries.iter().partition(is_file);
        let gone: Vec<&Path> = files.iter().map(|own| &*store.document(own).path).collect();
        let mut changes = removals(store, &files);
        changes.extend(self.without_parts(store, &parts, &gone)?);
        Ok(changes)
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        match (self.0.index, self.0.has_entries) {
            (Some(index), _) => vec![(index.into(), b"# Memory\n".to_vec())],
            (None, true) => vec![("MEMORY.md".into(), Vec::new())],
            (None, false) => vec![("README.md".into(), b"# Memory\n".to_vec())],
        }
    }
}

impl Markdown {
    /// Refuses if palimp only reads folders of this family.
    fn is_changed(&self) -> Result<()> {
        self.0.about.read_only.map_or(Ok(()), |why| Err(Refusal::unfit(why)))
    }

    fn edited_topic(
        &self,
        context: &WriteContext<'_>,
        entry: &Entry,
        fields: &[FieldAssignment<'_>],
    ) -> ChangesResult {
        if let Some(own) = fields.iter().find(|own| own.name == "id") {
            return match fields.len() {
                1 => rename::renamed(self.0, context, entry, own.value),
                _ => Err(Refusal::unfit("change its name alone, and its other fields after that.")),
            };
        }
        let text = text_of(context.store.document(entry))?;
        let is_text = |own: &FieldAssignment<'_>| matches!(own.name, "text" | "body");
        if !self.0.has_front_matter && !Note::read(text).has_front_matter && !fields.iter().all(is_text) {
            return Err(Refusal::unfit("it has no fields but its `text`: no front matter is above it."));
        }
        let body = text.get(Note::read(text).body).unwrap_or_default();
        let values: Vec<String> = fields.iter().map(|own| kept_around(own.value, body, false)).collect();
        let both = fields.iter().zip(&values);
        let fields: Vec<FieldAssignment<'_>> = both
            .map(|(own, value)| FieldAssignment {
                value: if is_text(own) { value } else { own.value },
                ..*own
            })
            .collect();
        let changes = edit::edit(self, &self.0.rules, context, entry, &fields)?;
        let with_time = |change: Change| {
            let new =
                change.after().map(|bytes| with_modified(&String::from_utf8_lossy(&bytes), context.now));
            match (new, &change.base) {
                (Some(new), Some(base)) => Change::rewrite(&change.path, base.clone(), new.as_bytes()),
                _ => change,
            }
        };
        Ok(changes.into_iter().map(with_time).collect())
    }

    fn edited_part(&self, store: &Store, entry: &Entry, fields: &[FieldAssignment<'_>]) -> ChangesResult {
        let [FieldAssignment { name: "text" | "body", value }] = fields else {
            return Err(Refusal::unfit("it has no fields but its `text`."));
        };
        let (own, span) = (store.document(entry), store.record(entry).span.range());
        let text = text_of(own)?;
        let before = text.get(span.clone()).unwrap_or_default();
        let new = match self.0.has_entries {
            true => {
                parts::whole_entries(&own.path, text)?;
                with_ends(&entry_text(value)?, end_of(text))
            }
            false => ended(&kept_around(value, before, true), end_of(before), before),
        };
        Ok(vec![Change::edits(&own.path, own.bytes.clone(), vec![(span, new.into_bytes())])])
    }

    /// Returns the changes that remove sections, entries, and the lines of an index that lead to removed files.
    fn without_parts(&self, store: &Store, parts: &[Entry], gone: &[&Path]) -> ChangesResult {
        let mut changes = Vec::new();
        for own in &store.documents {
            let mine = parts.iter().filter(|entry| store.document(entry).path == own.path);
            let mut spans: Vec<_> = mine.map(|entry| store.record(entry).span).collect();
            if self.0.grammar_of(&own.path) == Grammar::Index {
                spans.extend(index_edit::lines_to(text_of(own)?, gone));
            }
            if !spans.is_empty() {
                changes.push(parts::removal(self.0, own, &spans)?);
            }
        }
        Ok(changes)
    }

    fn with_topic(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>, text: &str) -> ChangesResult {
        let (title, body) = title_and_body(None, text);
        let stem = id_from(&self.0.rules, &context.store.documents, &title);
        let path = PathBuf::from(format!("{stem}.md"));
        let body = body.trim_matches(['\n', '\r']);
        if !self.0.has_front_matter {
            let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
            return Ok(vec![Change::create(path, format!("# {title}\n{body}").into_bytes())]);
        }
        if !draft.kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            return Err(Refusal::bad_value("type", draft.kind, "it should be a word"));
        }
        let kind = if draft.kind.is_empty() || draft.kind == "note" { "project" } else { draft.kind };
        let says = if body.is_empty() { &title } else { body };
        let mut changes =
            vec![Change::create(path.clone(), topic_text(&stem, &title, kind, says)?.into_bytes())];
        if let Some(index) = self.0.index {
            changes.push(index_edit::with_line(context.store, index, &path, &title)?);
        }
        Ok(changes)
    }
}

/// Returns a topic as Claude Code writes it.
fn topic_text(stem: &str, title: &str, kind: &str, says: &str) -> Result<String> {
    let front = set("---\n---\n", "name", NewYamlValue::Text(stem))?;
    let front = set(&front, "description", NewYamlValue::Text(title))?;
    let front = front.replacen("\n---\n", &format!("\nmetadata:\n  type: {kind}\n---\n"), 1);
    Ok(format!("{front}\n{says}\n"))
}
