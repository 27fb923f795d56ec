//! What is wrong with files because of what their program loads, and the memories that it leaves out.

use std::borrow::Cow;
use std::collections::HashSet;

use super::family::{Family, Grammar};
use super::load_rule::LoadCut;
use super::loaded_part::LoadedPart;
use crate::format::entries::problem_of;
use crate::format::{Assembly, AssemblyInput};
use crate::model::{Code, Document, Entry, PathText, Problem, Record, Role, Severity, UNSEEN};

/// Adds what the rules of a family say about its files. Returns the first line of the index that is not loaded.
pub fn add(assembly: &mut Assembly, family: &Family, parts: &AssemblyInput<'_>) -> Option<u32> {
    let settings = parts.load_settings;
    if let Some((file, why)) = &settings.unread {
        let message = format!("The settings can't be read: {why}. The limits without settings count.");
        let problem = Problem::of_file(Code::UnreadableFile, Severity::Note, file, message);
        assembly.problems.push(problem);
    }
    let mut index_cut = None;
    // The size of a file that is not read from its start is unknown.
    let is_read = |document: &Document| document.role == Role::Records && document.offset == 0;
    for (number, document) in parts.numbered().filter(|(_, document)| is_read(document)) {
        let grammar = family.grammar_of(&document.path);
        let Some(rule) = family.load_rule(&document.path, settings) else { continue };
        let text = String::from_utf8_lossy(&document.bytes);
        // The places of memories in other text are not those in the file.
        if matches!(text, Cow::Owned(_)) && grammar != Grammar::Index {
            continue;
        }
        let Some(part) = LoadedPart::of(rule, grammar, settings, &text) else { continue };
        let lines = part.gap_lines(&text);
        assembly.problems.extend(of_size(&part, lines, document));
        assembly.facts.extend(unseen(&assembly.entries, (number, document), (grammar, &part), &text));
        match grammar {
            Grammar::Index => index_cut = lines.map(|(cut, _)| cut),
            Grammar::Entries => assembly.problems.extend(refused(&part, document, &text)),
            _ => {}
        }
    }
    index_cut
}

/// Returns for the entries of a file that a model does not see why. Hermes loads equal ones once.
fn unseen(
    entries: &[Entry],
    (number, document): (u32, &Document),
    (grammar, part): (Grammar, &LoadedPart),
    text: &str,
) -> Vec<(u32, &'static str, String)> {
    let (Some(gap), Some((cut, _))) = (&part.gap, part.gap_lines(text)) else { return Vec::new() };
    let file = document.path.to_text();
    let why = match part.rule.cut {
        LoadCut::Lines { .. } => format!("{file} is cut at line {cut}, before this"),
        _ => format!("{file} is too long: the model gets its start and its end alone"),
    };
    let mut known = HashSet::new();
    let is_unseen = |(_, entry): &(u32, &Entry)| {
        let span = document.records[entry.record as usize].span.range();
        let counts = grammar != Grammar::Entries || known.insert(text.get(span.clone()));
        counts && gap.start <= span.start && span.end <= gap.end
    };
    let entries = (0..).zip(entries).filter(|(_, entry)| entry.document == number);
    entries.filter(is_unseen).map(|(entry, _)| (entry, UNSEEN, why.clone())).collect()
}

/// Returns a problem of a file that is longer than its limit, or nearly. `lines` are the first and the last that the
/// model does not get.
fn of_size(part: &LoadedPart, lines: Option<(u32, u32)>, document: &Document) -> Option<Problem> {
    let LoadedPart { rule, size, most, .. } = *part;
    let (code, severity) = match lines {
        _ if rule.cut == LoadCut::Unknown => return None,
        Some(_) => (Code::LimitExceeded, Severity::Error),
        None if size > most => (Code::LimitExceeded, Severity::Warning),
        None if part.is_near() => (Code::LimitNear, Severity::Warning),
        None => return None,
    };
    let line = lines.map_or(1, |(first, _)| first);
    Some(Problem::of_file(code, severity, &document.path, message(part, lines)).at_line(line))
}

fn message(part: &LoadedPart, lines: Option<(u32, u32)>) -> String {
    let LoadedPart { rule, size, most, .. } = *part;
    let limit = format!("It has {size} characters; {} has a limit of {most}.", rule.reader);
    match (rule.cut, lines) {
        (LoadCut::Lines { most: most_lines, .. }, lines) => {
            let unit = if rule.has_bytes() { "bytes" } else { "characters" };
            let cut = lines.map(|(cut, _)| format!(". From line {cut} on the model sees nothing of it:"));
            let (count, cut) = (part.lines.len(), cut.as_deref().unwrap_or(";"));
            format!(
                "It has {count} lines and {size} {unit} that count{cut} {most_lines} lines or {most} {unit} are loaded."
            )
        }
        (_, Some((first, last))) => format!(
            "{limit} The model gets its start and its end, and not what is in lines {first} to {last}."
        ),
        (_, None) if size > most => format!(
            "{limit} The model still sees all of it, but until it is shorter nothing is added, or the oldest memories \
             are moved away: that depends on the version."
        ),
        (_, None) => limit,
    }
}

/// Returns a problem of each memory that is longer than the limit of its file: its program takes that for a change by
/// another.
fn refused(part: &LoadedPart, document: &Document, text: &str) -> Vec<Problem> {
    let (rule, most) = (part.rule, part.most);
    let problem = |(number, record): (u32, &Record)| {
        let size = rule.len(text.get(record.span.range())?);
        if size <= most {
            return None;
        }
        let message = format!(
            "The memory has {size} characters, more than the limit of the whole file, {most}: {} refuses to replace or \
             remove any memory of the file, and leaves a copy `.bak` each time.",
            rule.reader
        );
        Some(problem_of(document, number, (Code::RoundTrip, Severity::Warning, message)))
    };
    (0..).zip(&document.records).filter_map(problem).collect()
}
