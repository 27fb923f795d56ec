//! What is wrong with files because of what their program loads, and the memories that it leaves out.

use super::family::{Family, Grammar};
use super::load_part::LoadPart;
use super::load_rule::{LoadCut, LoadRule};
use crate::format::{Assembly, AssemblyInput};
use crate::model::{Code, Document, PathText, Problem, Record, Role, Severity, UNSEEN};

/// Adds what the rules of a family say about its files, but for an index.
pub fn add(assembly: &mut Assembly, family: &Family, parts: &AssemblyInput<'_>) {
    let settings = parts.load_settings;
    if let Some((file, why)) = &settings.unread {
        let message = format!("The settings can't be read: {why}. The limits without settings count.");
        let problem = Problem::of_file(Code::UnreadableFile, Severity::Note, file, message);
        assembly.problems.push(problem);
    }
    // The size of a file that is not read from its start is unknown.
    let is_read = |own: &Document| own.role == Role::Records && own.offset == 0;
    for (number, document) in parts.numbered().filter(|(_, own)| is_read(own)) {
        let grammar = family.grammar_of(&document.path);
        let Some(rule) = family.load_rule(&document.path, settings) else { continue };
        let Ok(text) = std::str::from_utf8(&document.bytes) else { continue };
        let Some(part) = LoadPart::of(rule, grammar, settings, text) else { continue };
        assembly.problems.extend(of_size(rule, &part, document, text));
        if grammar == Grammar::Entries {
            assembly.problems.extend(refused(rule, &part, document, text));
        }
        let Some(gap) = &part.gap else { continue };
        for (entry, own) in (0..).zip(&assembly.entries).filter(|(_, own)| own.document == number) {
            let span = document.records[own.record as usize].span.range();
            let counts = grammar != Grammar::Entries || part.counts(span.start);
            if counts && gap.start <= span.start && span.end <= gap.end {
                let file = document.path.to_text();
                let why = format!("{file} is too long: the model gets its start and its end alone");
                assembly.facts.push((entry, UNSEEN, why));
            }
        }
    }
}

fn of_size(rule: &LoadRule, part: &LoadPart, document: &Document, text: &str) -> Option<Problem> {
    let LoadPart { size, limit, .. } = *part;
    let lines = part.gap_lines(text);
    let (code, severity, more) = match lines {
        _ if rule.cut == LoadCut::Unknown => return None,
        Some((first, last)) => {
            let more =
                format!(". The model gets its start and its end, and not what is in lines {first} to {last}");
            (Code::LimitExceeded, Severity::Error, more)
        }
        None if size > limit => {
            let more = ". The model still sees all of it, but until it is shorter nothing is added, or the oldest \
                        memories are moved away: that depends on the version";
            (Code::LimitExceeded, Severity::Warning, more.to_owned())
        }
        None if size.saturating_mul(10) > limit.saturating_mul(9) => {
            (Code::LimitNear, Severity::Warning, String::new())
        }
        None => return None,
    };
    let message = format!("It has {size} characters; {} has a limit of {limit}{more}.", rule.reader);
    let line = lines.map_or(1, |(first, _)| first);
    Some(Problem::of_file(code, severity, &document.path, message).at_line(line))
}

/// Returns a problem of each memory that is longer than the limit of its file: its program takes that for a change by
/// another.
fn refused(rule: &LoadRule, part: &LoadPart, document: &Document, text: &str) -> Vec<Problem> {
    let problem = |(number, own): (u32, &Record)| {
        let size = rule.len(text.get(own.span.range())?);
        if size <= part.limit {
            return None;
        }
        let message = format!(
            "The memory has {size} characters, more than the limit of the whole file, {}: {} refuses to replace or \
             remove any memory of the file, and leaves a copy `.bak` each time.",
            part.limit, rule.reader
        );
        let problem = Problem::of_file(Code::RoundTrip, Severity::Warning, &document.path, message);
        Some(problem.at_line(own.line).of_record(number, own.view().and_then(|view| view.id)))
    };
    (0..).zip(&document.records).filter_map(problem).collect()
}
