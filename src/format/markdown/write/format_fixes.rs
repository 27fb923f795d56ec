//! Fixes of an index, of entries, and of front matter that YAML can't read.

use std::collections::HashSet;
use std::ops::Range;

use super::{index_edit, split_index};
use crate::format::markdown::assembly::missing_name;
use crate::format::markdown::families::family;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::references::{TextLink, file_links};
use crate::format::markdown::{entry_file, index_file, topic_file};
use crate::format::notes::note_file::stem;
use crate::format::title;
use crate::format::writing::{FormatFix, FormatFixes, Repairability};
use crate::model::plan::Splice;
use crate::model::{Act, Code, Document, Problem, Severity, Store};
use crate::text::front_matter::edit::{NewYamlValue, set};
use crate::text::front_matter::{AFTER_QUOTE, BAD_ESCAPE, HASH, Note, second};
use crate::text::json_edit::quoted;
use crate::text::lines::{LineSpan, lines};
use crate::text::markdown_blocks::after_item_mark;
use crate::text::merge_conflict::{ConflictSide, merge_places};
use crate::text::part_range::part_range;

pub static FIXES: FormatFixes = FormatFixes {
    ease,
    fixes: |store, problem| fix(store, problem).into_iter().collect(),
    with_lines: |store, problem, lines| match is_over_limit(problem) {
        true => split_index::with_lines(store, family(store)?, problem, lines),
        false => None,
    },
};

const NORMALISE: &str = "write it as Hermes does";

fn ease(store: &Store, problem: &Problem) -> Repairability {
    let Some(family) = family(store) else { return Repairability::ByHand };
    let grammar = family.grammar_of(&problem.file);
    let is_index = grammar == Grammar::Index && problem.record.is_none();
    let is_list = || text_of(store, problem).is_some_and(|(_, text)| has_only_links(text));
    let is_normal =
        || text_of(store, problem).is_some_and(|(_, text)| entry_file::odd_delimiter(text).is_none());
    match problem.code {
        Code::OrphanNote | Code::EmptyFrontMatter | Code::DoubleFrontMatter | Code::PlaceholderText => {
            Repairability::Choose
        }
        Code::LimitExceeded if is_index && is_over_limit(problem) => Repairability::Choose,
        Code::ConflictMarkers if matches!(grammar, Grammar::Index | Grammar::Entries) || is_list() => {
            Repairability::Choose
        }
        Code::RoundTrip if problem.record.is_some() && split(store, problem).is_none() => {
            Repairability::ByHand
        }
        Code::RoundTrip if problem.record.is_none() && is_normal() => Repairability::Safe(NORMALISE),
        Code::RoundTrip => Repairability::Choose,
        Code::DanglingReference | Code::DuplicateId if is_index && missing_name(problem).is_none() => {
            Repairability::Choose
        }
        Code::BadFrontMatter if is_quotable(family, &problem.message) => Repairability::Safe(QUOTE),
        _ => Repairability::ByHand,
    }
}

/// True for a file that is over its limit. A line that is too long is no more than a note.
fn is_over_limit(problem: &Problem) -> bool {
    problem.code == Code::LimitExceeded && problem.severity != Severity::Note
}

/// True for a fault of a value that quotes repair. YAML reads `PR #34` as `PR`: with quotes it would read another
/// value, so only a value that programs read as a line gets them.
fn is_quotable(family: &Family, message: &str) -> bool {
    let fault = message.strip_prefix('`').and_then(|rest| rest.split_once("`: "));
    fault.is_some_and(|(name, why)| why != HASH || family.rules.line_fields.contains(&name))
}

fn text_of<'s>(store: &'s Store, problem: &Problem) -> Option<(&'s Document, &'s str)> {
    let document = store.document_at(&problem.file)?;
    Some((document, std::str::from_utf8(&document.bytes).ok()?))
}

fn fix(store: &Store, problem: &Problem) -> Option<FormatFix> {
    let family = family(store).filter(|_| ease(store, problem) != Repairability::ByHand)?;
    if problem.code == Code::OrphanNote {
        return with_line(store, family, problem);
    }
    if problem.code == Code::LimitExceeded {
        return split_index::with_lines(store, family, problem, &[]);
    }
    let (file, text) = text_of(store, problem)?;
    let line = lines(text.as_bytes()).nth((problem.line? as usize).checked_sub(1)?)?;
    match problem.code {
        Code::BadFrontMatter => with_quotes((file, text), problem, &line),
        Code::RoundTrip if problem.record.is_some() => split(store, problem),
        Code::RoundTrip => Some(as_hermes_writes((file, text), &line)),
        Code::ConflictMarkers => with_both_sides((file, text), family.has_entries),
        Code::DoubleFrontMatter => joined_front(file, text),
        Code::EmptyFrontMatter => filled_front(file, text),
        Code::PlaceholderText => {
            let edits = vec![(line.start..line.next, Vec::new())];
            Some(FormatFix::choice(file, ("remove the line", 30), "It says nothing of its own.", edits))
        }
        _ => without_line((file, text), problem),
    }
}

/// Adds a line to the index that leads to a file.
fn with_line(store: &Store, family: &Family, problem: &Problem) -> Option<FormatFix> {
    let index = family.index?;
    let number = store.documents.binary_search_by(|document| (*document.path).cmp(&problem.file)).ok()?;
    let entry = &store.entries[store.entry_number(number as u32, 0)? as usize];
    let change = index_edit::with_line(store, index, &problem.file, title(store, entry).raw()).ok()?;
    let Act::Splice(splices) = &change.act else { return None };
    let range = |splice: &Splice| splice.start as usize..splice.start as usize + splice.was.len();
    let edits = splices.iter().map(|splice| (range(splice), splice.becomes.to_vec())).collect();
    let (file, title) = (store.document_at(&change.path)?, format!("add a line to {index}"));
    Some(FormatFix::choice(file, (&title, 70), "The line has the file's name and its title.", edits))
}

/// Removes an item or a row of the index. A sentence keeps the title of the link.
fn without_line((file, text): (&Document, &str), problem: &Problem) -> Option<FormatFix> {
    let mut links = index_file::lines(text).filter(|link| Some(link.line) == problem.line);
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
    Some(FormatFix::choice(file, (title, 60), reason, vec![edit]))
}

/// Returns the place of `[title](target)`, and its title.
fn in_brackets<'t>(text: &str, link: &TextLink<'t>) -> Option<(Range<usize>, &'t str)> {
    let (title, target) = (link.title()?, part_range(text, link.target));
    let end = target.end + text.get(target.end..)?.find(')')? + 1;
    Some((part_range(text, title).start - 1..end, title))
}

/// Removes white space around entries, or around the delimiter of the problem's line: that one makes two memories of
/// one.
fn as_hermes_writes((file, text): (&Document, &str), line: &LineSpan) -> FormatFix {
    if entry_file::odd_delimiter(text).is_some() {
        let reason = "Hermes ends a memory only at a line of `§` without spaces.";
        let edits = vec![(line.start..line.end, "§".into())];
        return FormatFix::choice(file, ("end the memory at this line", 80), reason, edits);
    }
    let new = entry_file::joined(entry_file::texts(text), entry_file::delimiter_of(text));
    let edits = vec![(entry_file::mark(text)..text.len(), new.into_bytes())];
    let reason = "Only white space and delimiters around memories go. No memory changes.";
    FormatFix::safe(file, NORMALISE, reason, edits)
}

/// Makes several memories of one that is longer than the limit: at empty lines, line ends or ends of sentences.
fn split(store: &Store, problem: &Problem) -> Option<FormatFix> {
    let (file, text) = text_of(store, problem)?;
    let rule = family(store)?.load_rule(&file.path, &store.load_settings)?;
    let limit = rule.most_with(&store.load_settings);
    let span = file.records.get(problem.record? as usize)?.span.range();
    let parts = entry_file::split(text.get(span.clone())?, &|part: &str| rule.len(part) <= limit)?;
    let new = entry_file::joined(parts.into_iter(), entry_file::delimiter_of(text));
    let title = "make several memories of it, none longer than the limit";
    let reason =
        "Every word stays, in its order. Hermes then changes and removes memories of the file again.";
    Some(FormatFix::choice(file, (title, 80), reason, vec![(span, new.into_bytes())]))
}

/// True if each line of the sides of merges leads to a file, as in an index that another one leads to.
fn has_only_links(text: &str) -> bool {
    let sides = merge_places(text.as_bytes()).into_iter().flat_map(|merge| [merge.ours, merge.theirs]);
    let mut lines = sides.flat_map(|side| text[side].lines()).filter(|line| !line.trim().is_empty());
    lines.all(|line| file_links(line).next().is_some())
}

/// Keeps both sides of each merge: each line of an index once, each side of entries as a memory.
fn with_both_sides((file, text): (&Document, &str), has_entries: bool) -> Option<FormatFix> {
    let mut edits = Vec::new();
    let all = merge_places(text.as_bytes());
    for merge in &all {
        let (ours, theirs) = (&text[merge.ours.clone()], &text[merge.theirs.clone()]);
        let is_one = [ours, theirs].iter().any(|side| side.trim().is_empty())
            || ours.trim_end().ends_with('§')
            || theirs.trim_start().starts_with('§');
        edits.extend(merge.goes(ConflictSide::Both).into_iter().map(|range| {
            let is_between = has_entries && !is_one && range.end == merge.theirs.start;
            (range, if is_between { entry_file::delimiter_of(text).trim_start().into() } else { Vec::new() })
        }));
        let known: HashSet<&str> =
            ours.lines().filter(|line| !line.trim().is_empty() && !has_entries).collect();
        let again = lines(theirs.as_bytes()).filter(|line| known.contains(&theirs[line.start..line.end]));
        let start = merge.theirs.start;
        edits.extend(again.map(|line| (start + line.start..start + line.next, Vec::new())));
    }
    edits.sort_by_key(|(range, _)| range.start);
    let title = match has_entries {
        true => ("keep both sides, as memories", 65),
        false => ("keep the lines of both sides, each once", 70),
    };
    let has_sides = all.iter().any(|merge| !merge.is_stray);
    has_sides.then(|| FormatFix::choice(file, title, "No line of either side is lost.", edits))
}

const QUOTE: &str = "quote the value";

/// Quotes a value of front matter, or an item of its list. Nothing else changes.
fn with_quotes((file, text): (&Document, &str), problem: &Problem, line: &LineSpan) -> Option<FormatFix> {
    let (name, why) = problem.message.strip_prefix('`')?.split_once("`: ")?;
    let written = text.get(line.start..line.end)?;
    let item = written.trim_start().strip_prefix('-').filter(|item| item.starts_with(' '));
    // The white space before the value may be what is wrong.
    let range = part_range(text, item.or_else(|| Some(written.split_once(':')?.1))?.trim_end());
    let new = format!(" {}", quoted(&plain(text[range.clone()].trim_start(), why)));
    let repaired = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
    let is_repaired = !Note::read(&repaired).faults.iter().any(|(line, _)| Some(*line) == problem.line);
    let reason = format!("YAML can't read `{name}` as it is. The text stays as it is.");
    let edits = vec![(range, new.into_bytes())];
    is_repaired.then(|| FormatFix::safe(file, QUOTE, &reason, edits))
}

/// Returns the text of a value with this fault. Quotes around all of it are no part of it.
fn plain(value: &str, why: &str) -> String {
    let (quote, escaped) = if value.starts_with('\'') { ("'", "''") } else { ("\"", "\\\"") };
    let inside = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let inside = inside.unwrap_or_default().replace(escaped, quote);
    // In `"a" and "b"` the quotes at the ends are not of one pair. In `'it's so'` they are.
    let is_pair = inside.split_once(quote).is_some_and(|(before, after)| {
        before.is_empty() || before.ends_with([' ', '(']) || after.starts_with(char::is_alphanumeric)
    });
    if why == BAD_ESCAPE || why == AFTER_QUOTE && is_pair { inside } else { value.to_owned() }
}

/// Makes one front matter of two by what it removes, so that quarantine has it.
fn joined_front(file: &Document, text: &str) -> Option<FormatFix> {
    let first = Note::read(text);
    let (start, second) = second(text, &first)?;
    let closing = text[..first.body.start].trim_end().rfind('\n')? + 1;
    let opening = start + text[start..].find('\n')? + 1;
    let doubled = first.fields.iter().filter_map(|field| {
        let other = second.field(field.name)?;
        let is_empty = other.value.plain().is_empty();
        Some(if is_empty { start + other.span.start..start + other.span.end } else { field.span.clone() })
    });
    let gone = doubled.chain(std::iter::once(closing..opening));
    let mut edits: Vec<_> = gone.map(|range| (range, Vec::new())).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let reason = "Of a field that both have, the second's value stays.";
    Some(FormatFix::choice(file, ("make one front matter of both", 80), reason, edits))
}

/// Fills an empty front matter in from the file's name and the first line of its text.
fn filled_front(file: &Document, text: &str) -> Option<FormatFix> {
    let body = Note::read(text).body.start;
    let mut lines = text[body..].lines().map(|line| line.trim_start_matches('#').trim());
    let description = lines.find(|line| !line.is_empty())?;
    let name = stem(&file.path);
    let kind = topic_file::type_and_name(&name).map(|(kind, _)| ("type", kind));
    let mut front = text[..body].to_owned();
    for (field, value) in [("name", &*name), ("description", description)].into_iter().chain(kind) {
        front = set(&front, field, NewYamlValue::Text(value)).ok()?;
    }
    let reason = "They are from the file's name and its text: check them.";
    let edits = vec![(0..body, front.into_bytes())];
    Some(FormatFix::choice(file, ("fill in name and description", 60), reason, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_all_of_a_value_are_no_part_of_its_text() {
        for (value, text) in [
            ("'it's fine'", "it's fine"),
            ("'it''s so's'", "it's so's"),
            ("'say 'x' now'", "say 'x' now"),
            ("'a' and 'b'", "'a' and 'b'"),
            ("\"a \"b\" c\"", "a \"b\" c"),
            ("\"a:\\\"b\\\" \"c\"", "a:\"b\" \"c"),
            ("\"a\" and \"b\"", "\"a\" and \"b\""),
            ("\"a\" and", "\"a\" and"),
        ] {
            assert_eq!(plain(value, AFTER_QUOTE), text);
        }
        assert_eq!(plain("\"C:\\work\"", BAD_ESCAPE), "C:\\work");
    }
}
