//! Fixes of an index, of entries, and of front matter that YAML can't read.

use super::index_edit;
use crate::format::markdown::families::FAMILIES;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::{entry_file, index_file};
use crate::format::writing::{FormatEase, FormatFix, FormatFixes};
use crate::format::{Format, title};
use crate::model::plan::Splice;
use crate::model::{Act, Code, Document, Problem, Store};
use crate::text::front_matter::{HASH, Note};
use crate::text::json_edit::quoted;
use crate::text::lines::{LineSpan, lines};

pub static FIXES: FormatFixes = FormatFixes { ease, fixes };

const QUOTE: &str = "quote the value";
const NORMALISE: &str = "write it as Hermes does";

fn family(store: &Store) -> Option<&'static Family> {
    FAMILIES.iter().find(|own| own.name() == store.format).map(|own| own.0)
}

fn ease(store: &Store, problem: &Problem) -> FormatEase {
    let Some(family) = family(store) else { return FormatEase::Unknown };
    let is_index = family.grammar_of(&problem.file) == Grammar::Index && problem.record.is_none();
    match problem.code {
        Code::OrphanNote => FormatEase::Choice,
        Code::RoundTrip if is_normal(store, problem).is_some() => FormatEase::Safe(NORMALISE),
        Code::RoundTrip => FormatEase::Choice,
        Code::DanglingReference | Code::DuplicateId if is_index => FormatEase::Choice,
        Code::BadFrontMatter if is_quotable(family, &problem.message) => FormatEase::Safe(QUOTE),
        _ => FormatEase::Unknown,
    }
}

/// True for a fault of a value that quotes repair. YAML reads `PR #34` as `PR`: with quotes it would read another
/// value, so only a value that programs read as a line gets them.
fn is_quotable(family: &Family, message: &str) -> bool {
    let fault = message.strip_prefix('`').and_then(|own| own.split_once("`: "));
    fault.is_some_and(|(name, why)| why != HASH || family.rules.line_fields.contains(&name))
}

fn fixes(store: &Store, problem: &Problem) -> Vec<FormatFix> {
    let Some(family) = family(store).filter(|_| ease(store, problem) != FormatEase::Unknown) else {
        return Vec::new();
    };
    let own = store.document_at(&problem.file);
    match problem.code {
        Code::OrphanNote => with_line(store, family, problem).into_iter().collect(),
        Code::BadFrontMatter => own.and_then(|own| with_quotes(own, problem)).into_iter().collect(),
        Code::RoundTrip => as_hermes_writes(store, problem).into_iter().collect(),
        _ => own.and_then(|own| without_line(own, problem)).into_iter().collect(),
    }
}

/// Adds a line to the index that leads to a file.
fn with_line(store: &Store, family: &Family, problem: &Problem) -> Option<FormatFix> {
    let index = family.index?;
    let number = store.documents.binary_search_by(|own| (*own.path).cmp(&problem.file)).ok()?;
    let entry = &store.entries[store.entry_number(number as u32, 0)? as usize];
    let change = index_edit::with_line(store, index, &problem.file, &title(store, entry)).ok()?;
    let Act::Splice(splices) = &change.act else { return None };
    let range = |own: &Splice| own.start as usize..own.start as usize + own.was.len();
    let edits = splices.iter().map(|own| (range(own), own.becomes.to_vec())).collect();
    Some(FormatFix {
        title: format!("add a line to {index}"),
        reason: "The line has the file's name and its title.".into(),
        confidence: 70,
        is_safe: false,
        file: index.into(),
        edits,
    })
}

/// Removes a line of the index.
fn without_line(own: &Document, problem: &Problem) -> Option<FormatFix> {
    let number = problem.line?;
    let text = std::str::from_utf8(&own.bytes).ok()?;
    let line = line_at(text, number)?;
    let leads = index_file::lines(text).filter(|own| own.line == number).count();
    // Another link on the line would go, too.
    (leads == 1).then(|| FormatFix {
        title: "remove the line from the index".into(),
        reason: match problem.code {
            Code::DuplicateId => "Another line leads to the same file.".into(),
            _ => "It leads to a file that is not there.".into(),
        },
        confidence: 60,
        is_safe: false,
        file: own.path.clone(),
        edits: vec![(line.start..line.next, Vec::new())],
    })
}

/// Returns a file of entries that loses nothing if it is written as Hermes does.
fn is_normal<'s>(store: &'s Store, problem: &Problem) -> Option<(&'s Document, &'s str)> {
    let own = store.document_at(&problem.file)?;
    let text = std::str::from_utf8(&own.bytes).ok()?;
    (!entry_file::has_odd_delimiter(text)).then_some((own, text))
}

/// Removes white space around entries, or around the delimiter of the problem's line: that one makes two memories of
/// one.
fn as_hermes_writes(store: &Store, problem: &Problem) -> Option<FormatFix> {
    if let Some((own, text)) = is_normal(store, problem) {
        let new = entry_file::joined(entry_file::texts(text), entry_file::delimiter_of(text));
        return Some(FormatFix {
            title: NORMALISE.into(),
            reason: "Only white space and delimiters around memories go. No memory changes.".into(),
            confidence: 100,
            is_safe: true,
            file: own.path.clone(),
            edits: vec![(0..text.len(), new.into_bytes())],
        });
    }
    let own = store.document_at(&problem.file)?;
    let line = line_at(std::str::from_utf8(&own.bytes).ok()?, problem.line?)?;
    Some(FormatFix {
        title: "end the memory at this line".into(),
        reason: "Hermes ends a memory only at a line of `§` without spaces.".into(),
        confidence: 80,
        is_safe: false,
        file: own.path.clone(),
        edits: vec![(line.start..line.end, "§".into())],
    })
}

/// Quotes a value of front matter. Nothing else changes.
fn with_quotes(own: &Document, problem: &Problem) -> Option<FormatFix> {
    let text = std::str::from_utf8(&own.bytes).ok()?;
    let line = line_at(text, problem.line?)?;
    let (name, value) = text.get(line.start..line.end)?.split_once(':')?;
    let start = line.end - value.trim_start().len();
    let end = start + value.trim().len();
    let edits = vec![(start..end, quoted(&text[start..end]).into_bytes())];
    let new = format!("{}{}{}", &text[..start], quoted(&text[start..end]), &text[end..]);
    let note = Note::read(&new);
    let is_repaired = !note.faults.iter().any(|(line, _)| Some(*line) == problem.line)
        && note.field(name.trim()).is_some_and(|own| own.value.plain() == text[start..end]);
    is_repaired.then(|| FormatFix {
        title: QUOTE.into(),
        reason: format!("YAML can't read `{}` without quotes. The text stays as it is.", name.trim()),
        confidence: 100,
        is_safe: true,
        file: own.path.clone(),
        edits,
    })
}

fn line_at(text: &str, number: u32) -> Option<LineSpan> {
    lines(text.as_bytes()).nth((number as usize).checked_sub(1)?)
}
