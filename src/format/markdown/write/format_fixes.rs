//! Fixes of an index, of entries, and of front matter that YAML can't read.

use std::collections::HashSet;
use std::ops::Range;

use super::{front_fixes, index_edit};
use crate::format::markdown::families::FAMILIES;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::load_part::LoadPart;
use crate::format::markdown::references::TextLink;
use crate::format::markdown::{entry_file, index_file};
use crate::format::writing::{FormatEase, FormatFix, FormatFixes};
use crate::format::{Format, title};
use crate::model::plan::Splice;
use crate::model::{Act, Code, Document, Problem, Store};
use crate::text::front_matter::{AFTER_QUOTE, BAD_ESCAPE, HASH, Note};
use crate::text::json_edit::quoted;
use crate::text::lines::{LineSpan, lines};
use crate::text::markdown_blocks::after_item_mark;
use crate::text::merge_conflict::{ConflictSide, merge_places};
use crate::text::part_range::part_range;

pub static FIXES: FormatFixes =
    FormatFixes { ease, fixes: |store, problem| fix(store, problem).into_iter().collect() };

const QUOTE: &str = "quote the value";
const NORMALISE: &str = "write it as Hermes does";
const SPLIT: &str = "make several memories of it, none longer than the limit";

fn family(store: &Store) -> Option<&'static Family> {
    FAMILIES.iter().find(|own| own.name() == store.format).map(|own| own.0)
}

fn ease(store: &Store, problem: &Problem) -> FormatEase {
    let Some(family) = family(store) else { return FormatEase::Unknown };
    let grammar = family.grammar_of(&problem.file);
    let is_index = grammar == Grammar::Index && problem.record.is_none();
    match problem.code {
        Code::ConflictMarkers if matches!(grammar, Grammar::Index | Grammar::Entries) => FormatEase::Choice,
        Code::RoundTrip if problem.record.is_some() => match split(store, problem) {
            Some(_) => FormatEase::Choice,
            None => FormatEase::Unknown,
        },
        Code::OrphanNote | Code::EmptyFrontMatter | Code::DoubleFrontMatter | Code::PlaceholderText => {
            FormatEase::Choice
        }
        Code::RoundTrip if is_normal(store, problem) => FormatEase::Safe(NORMALISE),
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

fn fix(store: &Store, problem: &Problem) -> Option<FormatFix> {
    let family = family(store).filter(|_| ease(store, problem) != FormatEase::Unknown)?;
    if problem.code == Code::OrphanNote {
        return with_line(store, family, problem);
    }
    let own = store.document_at(&problem.file)?;
    let text = std::str::from_utf8(&own.bytes).ok()?;
    let line = line_at(text, problem.line?)?;
    match problem.code {
        Code::BadFrontMatter => with_quotes((own, text), problem, &line),
        Code::RoundTrip if problem.record.is_some() => split(store, problem),
        Code::RoundTrip => Some(as_hermes_writes((own, text), &line)),
        Code::ConflictMarkers => with_both_sides((own, text), family.has_entries),
        Code::DoubleFrontMatter => front_fixes::joined_front(own, text),
        Code::EmptyFrontMatter => front_fixes::filled_front(own, text),
        Code::PlaceholderText => {
            let edits = vec![(line.start..line.next, Vec::new())];
            Some(FormatFix::of(own, ("remove the line", 30), "It says nothing of its own.", edits))
        }
        _ => without_line((own, text), problem),
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
    let (own, title) = (store.document_at(&change.path)?, format!("add a line to {index}"));
    Some(FormatFix::of(own, (&title, 70), "The line has the file's name and its title.", edits))
}

/// Removes an item or a row of the index. A sentence keeps the title of the link.
fn without_line((own, text): (&Document, &str), problem: &Problem) -> Option<FormatFix> {
    let mut links = index_file::lines(text).filter(|own| Some(own.line) == problem.line);
    // Another link on the line would go, too.
    let link = links.next().filter(|_| links.next().is_none())?;
    let start = link.text.trim_start();
    let is_line = start.starts_with('|') || after_item_mark(start).is_some();
    let (title, edit) = match in_brackets(text, &link).filter(|_| !is_line) {
        Some((place, title)) => ("keep the text without the link", (place, title.into())),
        None => ("remove the line from the index", (link.span.range(), Vec::new())),
    };
    let reason = match problem.code {
        Code::DuplicateId => "Another line leads to the same file.",
        _ => "It leads to a file that is not there.",
    };
    Some(FormatFix::of(own, (title, 60), reason, vec![edit]))
}

/// Returns the place of `[title](target)`, and its title.
fn in_brackets<'t>(text: &str, link: &TextLink<'t>) -> Option<(Range<usize>, &'t str)> {
    let (title, target) = (link.title()?, part_range(text, link.target));
    let end = target.end + text.get(target.end..)?.find(')')? + 1;
    Some((part_range(text, title).start - 1..end, title))
}

/// True for a file of entries that loses nothing if it is written as Hermes does.
fn is_normal(store: &Store, problem: &Problem) -> bool {
    let own = store.document_at(&problem.file).and_then(|own| std::str::from_utf8(&own.bytes).ok());
    own.is_some_and(|text| !entry_file::has_odd_delimiter(text))
}

/// Removes white space around entries, or around the delimiter of the problem's line: that one makes two memories of
/// one.
fn as_hermes_writes((own, text): (&Document, &str), line: &LineSpan) -> FormatFix {
    if entry_file::has_odd_delimiter(text) {
        let reason = "Hermes ends a memory only at a line of `§` without spaces.";
        let edits = vec![(line.start..line.end, "§".into())];
        return FormatFix::of(own, ("end the memory at this line", 80), reason, edits);
    }
    let new = entry_file::joined(entry_file::texts(text), entry_file::delimiter_of(text));
    let reason = "Only white space and delimiters around memories go. No memory changes.";
    FormatFix::of(own, (NORMALISE, 100), reason, vec![(entry_file::mark(text)..text.len(), new.into_bytes())])
        .safe()
}

/// Makes several memories of one that is longer than the limit: at empty lines, else at line ends.
fn split(store: &Store, problem: &Problem) -> Option<FormatFix> {
    let own = store.document_at(&problem.file)?;
    let text = std::str::from_utf8(&own.bytes).ok()?;
    let rule = family(store)?.load_rule(&own.path, &store.load_settings)?;
    let limit = LoadPart::of(rule, Grammar::Entries, &store.load_settings, text)?.limit;
    let span = own.records.get(problem.record? as usize)?.span.range();
    let fits = |part: &str| rule.len(part) <= limit;
    let parts = entry_file::split(text.get(span.clone())?, &fits)?;
    let new = entry_file::joined(parts.into_iter(), entry_file::delimiter_of(text));
    let reason =
        "Every line stays, in its order. Hermes then changes and removes memories of the file again.";
    Some(FormatFix::of(own, (SPLIT, 80), reason, vec![(span, new.into_bytes())]))
}

/// Keeps both sides of each merge: each line of an index once, each side of entries as a memory.
fn with_both_sides((own, text): (&Document, &str), has_entries: bool) -> Option<FormatFix> {
    let mut edits = Vec::new();
    let all = merge_places(text.as_bytes());
    for merge in &all {
        let (ours, theirs) = (&text[merge.ours.clone()], &text[merge.theirs.clone()]);
        let is_one = [ours, theirs].iter().any(|own| own.trim().is_empty())
            || ours.trim_end().ends_with('§')
            || theirs.trim_start().starts_with('§');
        edits.extend(merge.goes(ConflictSide::Both).into_iter().map(|own| {
            let is_between = has_entries && !is_one && own.end == merge.theirs.start;
            let delimiter = entry_file::delimiter_of(text).trim_start();
            (own, if is_between { delimiter.into() } else { Vec::new() })
        }));
        let known: HashSet<&str> =
            ours.lines().filter(|own| !own.trim().is_empty() && !has_entries).collect();
        let again = lines(theirs.as_bytes()).filter(|own| known.contains(&theirs[own.start..own.end]));
        let start = merge.theirs.start;
        edits.extend(again.map(|own| (start + own.start..start + own.next, Vec::new())));
    }
    edits.sort_by_key(|(own, _)| own.start);
    let title = match has_entries {
        true => ("keep both sides, as memories", 65),
        false => ("keep the lines of both sides, each once", 70),
    };
    let has_sides = all.iter().any(|own| !own.is_stray);
    has_sides.then(|| FormatFix::of(own, title, "No line of either side is lost.", edits))
}

/// Quotes a value of front matter, or an item of its list. Nothing else changes.
fn with_quotes((own, text): (&Document, &str), problem: &Problem, line: &LineSpan) -> Option<FormatFix> {
    let (name, why) = problem.message.strip_prefix('`')?.split_once("`: ")?;
    let written = text.get(line.start..line.end)?;
    let item = written.trim_start().strip_prefix("- ");
    let range = part_range(text, item.or_else(|| Some(written.split_once(':')?.1))?.trim());
    let plain = plain(&text[range.clone()], why);
    let note = format!("{}{}{}", &text[..range.start], quoted(&plain), &text[range.end..]);
    let note = Note::read(&note);
    let is_repaired = !note.faults.iter().any(|(line, _)| Some(*line) == problem.line)
        && note.field(name).is_some_and(|own| own.value.texts().contains(&&*plain));
    let reason = format!("YAML can't read `{name}` as it is. The text stays as it is.");
    is_repaired
        .then(|| FormatFix::of(own, (QUOTE, 100), &reason, vec![(range, quoted(&plain).into_bytes())]).safe())
}

/// Returns the text of a value with this fault. Quotes around all of it are no part of it.
fn plain(value: &str, why: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|own| own.strip_suffix('"')).unwrap_or_default();
    // In `"a" and "b"` the quotes at the ends are not of one pair.
    let first = inside.split_once('"').map(|(before, _)| before);
    let is_pair = first.is_some_and(|own| own.is_empty() || own.ends_with([' ', '(', '\\']));
    match why == BAD_ESCAPE || why == AFTER_QUOTE && is_pair {
        true => inside.replace("\\\"", "\""),
        false => value.to_owned(),
    }
}

fn line_at(text: &str, number: u32) -> Option<LineSpan> {
    lines(text.as_bytes()).nth((number as usize).checked_sub(1)?)
}
