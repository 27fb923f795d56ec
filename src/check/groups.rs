//! Problems of a kind together, for people: thousands of one kind hide the three that matter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::model::plan::counted;
use crate::model::{Code, Problem, Severity, Tell};

/// So many files of a group are named, and so many lines of a file.
const NAMED: usize = 5;

/// The problems of one severity, code and field.
#[derive(Debug, PartialEq)]
pub struct Group<'a> {
    /// How bad they are.
    pub severity: Severity,
    /// What they are.
    pub code: Code,
    /// The field that they are about, if they are about one. Untrusted text.
    pub field: Option<&'a str>,
    /// How many there are.
    pub count: usize,
    /// What the first one says. Untrusted text.
    pub message: &'a str,
    /// The first files in which they are.
    pub files: Vec<InFile<'a>>,
    /// How many files there are besides.
    pub more_files: usize,
}

/// How many there are, in a few words.
pub fn tally(errors: usize, warnings: usize, notes: usize) -> String {
    let told = |count: usize, what| counted(count as u64, what);
    format!("{}, {}, {}", told(errors, "error"), told(warnings, "warning"), told(notes, "note"))
}

/// The problems of a group in one file.
#[derive(Debug, PartialEq)]
pub struct InFile<'a> {
    /// Relative to the store's root.
    pub file: &'a Path,
    /// How many there are.
    pub count: usize,
    /// The first lines.
    pub lines: Vec<u32>,
}

impl InFile<'_> {
    /// The file with its lines, as `file:3,9,…`, and how many there are.
    pub fn told(&self) -> String {
        let name = if self.file.as_os_str().is_empty() { ".".into() } else { self.file.told() };
        let lines: Vec<String> = self.lines.iter().map(u32::to_string).collect();
        let colon = if lines.is_empty() { "" } else { ":" };
        let count = if self.count > 1 { format!("  ({})", self.count) } else { String::new() };
        let more = if !lines.is_empty() && self.count > lines.len() { ",…" } else { "" };
        format!("{name}{colon}{}{more}{count}", lines.join(","))
    }
}

type ByFile<'a> = BTreeMap<&'a Path, Vec<&'a Problem>>;

/// The problems in groups: errors first, then by code and field.
pub fn groups<'a>(problems: impl Iterator<Item = &'a Problem>) -> Vec<Group<'a>> {
    let mut all: BTreeMap<(Severity, Code, Option<&str>), ByFile<'_>> = BTreeMap::new();
    for problem in problems {
        let kind = (problem.severity, problem.code, field_of(&problem.message));
        all.entry(kind).or_default().entry(&problem.file).or_default().push(problem);
    }
    let group = |((severity, code, field), files): (_, ByFile<'a>)| Group {
        severity,
        code,
        field,
        count: files.values().map(Vec::len).sum(),
        message: files.values().next().and_then(|own| own.first()).map_or("", |first| &first.message),
        more_files: files.len().saturating_sub(NAMED),
        files: files.into_iter().take(NAMED).map(|(file, own)| in_file(file, &own)).collect(),
    };
    all.into_iter().map(group).collect()
}

fn in_file<'a>(file: &'a Path, own: &[&Problem]) -> InFile<'a> {
    let lines: BTreeSet<u32> = own.iter().filter_map(|problem| problem.line).collect();
    InFile { file, count: own.len(), lines: lines.into_iter().take(NAMED).collect() }
}

/// The field that a message begins with; items of a list are the list.
fn field_of(message: &str) -> Option<&str> {
    let (name, _) = message.strip_prefix('`')?.split_once('`')?;
    name.split('[').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(code: Code, severity: Severity, file: &str, line: u32, message: &str) -> Problem {
        Problem::of_file(code, severity, file, message).at_line(line)
    }

    #[test]
    fn problems_of_a_kind_are_one_group_and_errors_come_first() {
        let mut problems = vec![problem(Code::NoTimezone, Severity::Warning, "b", 2, "`at` names none.")];
        problems.extend(
            (1..=7).map(|line| problem(Code::NoTimezone, Severity::Warning, "a", line, "`at` names none.")),
        );
        problems.push(problem(Code::NoTimezone, Severity::Warning, "a", 1, "`then` names none."));
        problems.push(problem(Code::TornLine, Severity::Error, "b", 9, "The line ends."));
        let groups = groups(problems.iter());
        let told = |group: &Group<'_>| (group.code, group.field.map(str::to_owned), group.count);
        assert_eq!(
            groups.iter().map(told).collect::<Vec<_>>(),
            [
                (Code::TornLine, None, 1),
                (Code::NoTimezone, Some("at".into()), 8),
                (Code::NoTimezone, Some("then".into()), 1),
            ]
        );
        let files: Vec<String> = groups[1].files.iter().map(InFile::told).collect();
        assert_eq!(files, ["a:1,2,3,4,5,…  (7)", "b:2"]);
    }

    #[test]
    fn of_many_files_the_first_are_named() {
        let problems: Vec<Problem> = (0..9)
            .map(|number| problem(Code::NulBytes, Severity::Note, &format!("f{number}"), 1, "x"))
            .collect();
        let groups = groups(problems.iter());
        assert_eq!((groups[0].files.len(), groups[0].more_files, groups[0].count), (5, 4, 9));
    }
}
