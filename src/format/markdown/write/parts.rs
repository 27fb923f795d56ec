//! The parts of a file with several memories: what identifies them in every version, and the file without them.

use std::path::Path;

use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::references::{file_links, joined};
use crate::format::markdown::{Markdown, entry_file, index_file, layout};
use crate::format::writing::{ChangesResult, ErasablePart, FormatEraser, Refusal, Result, WriteContext};
use crate::model::{Change, Entry, PathText, Span, Store};
use crate::text::lines::{LineSpan, lines};
use crate::text::needle::Needles;

impl FormatEraser for Markdown {
    fn may_erase(&self, _store: &Store, _entry: &Entry) -> Result<()> {
        Ok(())
    }

    fn is_snapshot(&self, _file: &Path) -> bool {
        false
    }

    // The sections of an index, its lines, and entries. A file that is one memory has no parts.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart> {
        let records = match self.0.grammar_of(file) {
            Grammar::Topics => return Vec::new(),
            Grammar::Index => index_file::read(file, bytes).records,
            Grammar::Entries => entry_file::read(file, bytes).records,
        };
        let part = |span: Span| {
            let name = [b"part\0", bytes.get(span.range()).unwrap_or_default()].concat();
            ErasablePart { span, names: vec![name], of: None }
        };
        let mut parts: Vec<ErasablePart> = records.iter().map(|own| part(own.span)).collect();
        if self.0.grammar_of(file) == Grammar::Index {
            parts.extend(index_lines(self.0, bytes));
        }
        parts
    }

    fn without(&self, file: &Path, bytes: &[u8], spans: &[Span]) -> Result<Vec<u8>> {
        without(self.0, file, bytes, spans)
    }

    fn resigned(&self, _file: &Path, _bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn blank_record(&self, _file: &Path, _raw: &[u8], _reason: &str) -> Option<Vec<u8>> {
        None
    }

    fn without_repeats(&self, _file: &Path, _raw: &[u8], _parts: &Needles) -> Option<Vec<u8>> {
        None
    }

    fn dependent_changes(&self, _context: &WriteContext<'_>, _changes: &[Change]) -> ChangesResult {
        Ok(Vec::new())
    }
}

/// Returns each line of an index that leads to one file, as a part of that file's memory.
fn index_lines(family: &Family, bytes: &[u8]) -> Vec<ErasablePart> {
    let text = String::from_utf8_lossy(bytes);
    let part = |line: LineSpan| {
        let mut paths = file_links(text.get(line.start..line.end)?).map(|own| joined(Path::new(""), own));
        let first = paths.next()??;
        let is_one = paths.all(|own| own.as_ref() == Some(&first));
        let span = Span { start: line.start as u64, end: line.next as u64 };
        let of = Some(layout::id_of(family, Path::new(&format!("{first}.md"))));
        is_one.then_some(ErasablePart { span, names: Vec::new(), of })
    };
    lines(text.as_bytes()).filter_map(part).collect()
}

/// Returns a file without parts of it.
pub fn without(family: &Family, file: &Path, bytes: &[u8], spans: &[Span]) -> Result<Vec<u8>> {
    let failed = || Refusal::corrupt(format!("{} is not UTF-8: repair it first.", file.to_text()));
    let text = std::str::from_utf8(bytes).map_err(|_| failed())?;
    if family.grammar_of(file) == Grammar::Entries {
        let records = entry_file::read(file, bytes).records;
        let stay = records.iter().filter(|own| !spans.contains(&own.span));
        return Ok(entry_file::joined(stay.map(|own| &text[own.span.range()])).into_bytes());
    }
    let mut spans: Vec<Span> = spans.to_vec();
    spans.sort_by_key(|own| own.start);
    let (mut left, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for own in spans {
        let own = own.range();
        left.extend_from_slice(bytes.get(at..own.start).unwrap_or_default());
        at = at.max(own.end);
    }
    left.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok(left)
}
