//! The parts of a file with several memories: what identifies them in every version, and the file without them.

use std::path::Path;

use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::references::TextLink;
use crate::format::markdown::{Markdown, entry_edits, entry_file, index_file, layout};
use crate::format::writing::{ErasablePart, FormatEraser, RangeEdit, Refusal, Result};
use crate::model::{Change, Document, Entry, PathText, Record, Span, Store};
use crate::text::lines::text_in_place;

impl FormatEraser for Markdown {
    fn may_erase(&self, _store: &Store, _entry: &Entry) -> Result<()> {
        self.is_changed()
    }

    // The sections of an index, its lines, and entries. A file that is one memory has no parts.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart> {
        let records = match self.0.grammar_of(file) {
            // What palimp only reads is not taken apart.
            Grammar::Topics | Grammar::Sections(_) | Grammar::Bullets => return Vec::new(),
            Grammar::Index => index_file::read(file, bytes).records,
            Grammar::Entries => entry_file::read(file, bytes).records,
        };
        let part = |own: &Record| {
            let whole = [b"part\0", bytes.get(own.span.range()).unwrap_or_default()].concat();
            let memory = own.memory().filter(|memory| memory.kind() == "section");
            // A section has its heading in every version. The place of any other part may change.
            let name = memory.and_then(|memory| memory.id()).map(|id| format!("section\0{id}").into_bytes());
            ErasablePart { span: own.span, names: name.into_iter().chain([whole]).collect(), of: Vec::new() }
        };
        let mut parts: Vec<ErasablePart> = records.iter().map(part).collect();
        if self.0.grammar_of(file) == Grammar::Index {
            parts.extend(index_lines(self.0, bytes));
        }
        parts
    }

    fn without(&self, file: &Path, bytes: &[u8], spans: &[Span]) -> Result<Vec<u8>> {
        without(self.0, file, bytes, spans)
    }
}

/// Returns each line of an index that leads to files, as a part that goes with all of them.
fn index_lines(family: &Family, bytes: &[u8]) -> Vec<ErasablePart> {
    let text = text_in_place(bytes);
    let links: Vec<_> = index_file::lines(&text).collect();
    let part = |line: &[TextLink<'_>]| {
        let id = |link: &TextLink<'_>| Some(layout::id_of(family, &link.path(Path::new(""))?));
        let ids: Option<Vec<String>> = line.iter().map(id).collect();
        Some(ErasablePart { span: line.first()?.span, names: Vec::new(), of: ids? })
    };
    links.chunk_by(|one, other| one.line == other.line).filter_map(part).collect()
}

/// Refuses a file in which a line looks like a delimiter and is none for Hermes: what is one memory is unknown.
pub fn whole_entries(file: &Path, text: &str) -> Result<()> {
    match entry_file::odd_delimiter(text).is_some() {
        true => Err(Refusal::corrupt(format!(
            "{}: a line of `§` has other characters around it, and Hermes does not end a memory there. Correct it in \
             an editor first.",
            file.to_text()
        ))),
        false => Ok(()),
    }
}

/// Returns the change that removes parts of a file. Its undo data has whole entries, so that they are found there.
pub fn removal(family: &Family, own: &Document, spans: &[Span]) -> Result<Change> {
    if family.grammar_of(&own.path) != Grammar::Entries {
        let new = without(family, &own.path, &own.bytes, spans)?;
        return Ok(Change::rewrite(&own.path, own.bytes.clone(), new));
    }
    let edits = entry_edits::edits(text_of_entries(&own.path, &own.bytes)?, spans);
    Ok(Change::edits(&own.path, own.bytes.clone(), edits))
}

pub fn without(family: &Family, file: &Path, bytes: &[u8], spans: &[Span]) -> Result<Vec<u8>> {
    let (text, edits) = match family.grammar_of(file) {
        Grammar::Entries => {
            let text = text_of_entries(file, bytes)?;
            (text, entry_edits::edits(text, spans))
        }
        _ => {
            let mut edits: Vec<RangeEdit> = spans.iter().map(|own| (own.range(), Vec::new())).collect();
            edits.sort_by_key(|(range, _)| range.start);
            (utf8(file, bytes)?, edits)
        }
    };
    Ok(entry_edits::applied(text, &edits).into_bytes())
}

fn text_of_entries<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let text = utf8(file, bytes)?;
    whole_entries(file, text)?;
    Ok(text)
}

fn utf8<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let failed = |_| Refusal::corrupt(format!("{} is not UTF-8: repair it first.", file.to_text()));
    std::str::from_utf8(bytes).map_err(failed)
}
