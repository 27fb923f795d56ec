//! Groups of equal problems, for people: thousands of one kind hide the three that matter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::model::plan::count_with_noun;
use crate::model::{Code, PathText, Problem, Severity};

/// The most files of a group, and lines of a file, that are named.
const NAMED: usize = 5;
/// The most messages that are compared. More count as different.
const MESSAGES: usize = 10_000;

/// A problem and its store.
#[derive(Clone, Copy)]
pub struct LocatedProblem<'a> {
    /// The number of the store.
    pub store: usize,
    pub problem: &'a Problem,
    /// True if a repair without loss solves it.
    pub is_safe: bool,
}

/// The problems of one severity and code.
#[derive(Debug, PartialEq)]
pub struct ProblemGroup<'a> {
    /// Their severity.
    pub severity: Severity,
    /// Their code.
    pub code: Code,
    /// The fields in their messages. Untrusted text.
    pub fields: Vec<&'a str>,
    /// Their number.
    pub count: usize,
    /// The number of problems that a repair without loss solves.
    pub safe: usize,
    /// Their message, if all have the same one. Untrusted text.
    pub message: Option<&'a str>,
    /// The first files with such problems.
    pub files: Vec<FileProblems<'a>>,
    /// The number of other files.
    pub more_files: usize,
}

impl ProblemGroup<'_> {
    /// Describes the problems in one or two sentences. Untrusted text.
    pub fn describe(&self) -> String {
        match (self.message, self.fields.as_slice()) {
            (Some(message), _) => message.to_owned(),
            (None, []) => self.code.meaning().to_owned(),
            (None, fields) => {
                let more = if fields.len() > NAMED { ", …" } else { "" };
                let named = fields.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
                format!("{} ({named}{more})", self.code.meaning())
            }
        }
    }

    /// Describes how many problems a safe repair solves.
    pub fn fix(&self) -> String {
        match self.safe {
            0 => String::new(),
            safe if safe == self.count => "safe".into(),
            safe => format!("{safe} safe"),
        }
    }
}

/// Describes the counts.
pub fn tally([errors, warnings, notes]: [usize; 3]) -> String {
    let told = |count: usize, what| count_with_noun(count as u64, what);
    format!("{}, {}, {}", told(errors, "error"), told(warnings, "warning"), told(notes, "note"))
}

/// The problems of a group in one file.
#[derive(Debug, PartialEq)]
pub struct FileProblems<'a> {
    /// The number of the store.
    pub store: usize,
    /// The path relative to the store's root.
    pub file: &'a Path,
    /// The number of problems.
    pub count: usize,
    /// The first lines.
    pub lines: Vec<u32>,
    /// True if there are more lines.
    pub has_more: bool,
}

impl FileProblems<'_> {
    /// Returns the file and its lines as `file:3,9,…`, and the number of problems.
    pub fn describe(&self) -> String {
        let name = if self.file.as_os_str().is_empty() { ".".into() } else { self.file.to_text() };
        let lines: Vec<String> = self.lines.iter().map(u32::to_string).collect();
        let colon = if lines.is_empty() { "" } else { ":" };
        let count = if self.count > 1 { format!("  ({})", self.count) } else { String::new() };
        let more = if self.has_more { ",…" } else { "" };
        format!("{name}{colon}{}{more}{count}", lines.join(","))
    }
}

type ProblemsByFile<'a> = BTreeMap<(usize, &'a Path), Vec<LocatedProblem<'a>>>;

/// Groups the problems: errors first, then by code.
pub fn groups<'a>(problems: impl Iterator<Item = LocatedProblem<'a>>) -> Vec<ProblemGroup<'a>> {
    let mut all: BTreeMap<(Severity, Code), ProblemsByFile<'_>> = BTreeMap::new();
    for own in problems {
        let files = all.entry((own.problem.severity, own.problem.code)).or_default();
        files.entry((own.store, &own.problem.file)).or_default().push(own);
    }
    let group = |((severity, code), files): (_, ProblemsByFile<'a>)| {
        let own = || files.values().flatten();
        let messages: BTreeSet<&str> = own().map(|own| own.problem.message.as_str()).take(MESSAGES).collect();
        let fields: BTreeSet<&str> = own().filter_map(|own| field_of(&own.problem.message)).collect();
        ProblemGroup {
            severity,
            code,
            fields: fields.into_iter().collect(),
            count: own().count(),
            safe: own().filter(|own| own.is_safe).count(),
            message: messages.first().copied().filter(|_| messages.len() == 1 && own().count() <= MESSAGES),
            more_files: files.len().saturating_sub(NAMED),
            files: files.iter().take(NAMED).map(|(place, own)| in_file(*place, own)).collect(),
        }
    };
    all.into_iter().map(group).collect()
}

fn in_file<'a>((store, file): (usize, &'a Path), own: &[LocatedProblem<'_>]) -> FileProblems<'a> {
    let lines: BTreeSet<u32> = own.iter().filter_map(|own| own.problem.line).collect();
    let has_more = lines.len() > NAMED;
    FileProblems { store, file, count: own.len(), lines: lines.into_iter().take(NAMED).collect(), has_more }
}

/// The item of a list counts as the list.
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

    fn found(problems: &[Problem]) -> impl Iterator<Item = LocatedProblem<'_>> {
        problems.iter().map(|problem| LocatedProblem {
            store: 0,
            problem,
            is_safe: problem.file == Path::new("a"),
        })
    }

    #[test]
    fn problems_of_a_kind_are_one_group_with_their_fields_and_errors_come_first() {
        let mut problems = vec![problem(Code::NoTimezone, Severity::Warning, "b", 2, "`at` names none.")];
        problems.extend(
            (1..=7).map(|line| problem(Code::NoTimezone, Severity::Warning, "a", line, "`at` names none.")),
        );
        problems.push(problem(Code::NoTimezone, Severity::Warning, "a", 1, "`then` names none."));
        problems.push(problem(Code::TornLine, Severity::Error, "b", 9, "The line ends."));
        let groups = groups(found(&problems));
        let told = |group: &ProblemGroup<'_>| (group.code, group.count, group.fix(), group.describe());
        assert_eq!(
            groups.iter().map(told).collect::<Vec<_>>(),
            [
                (Code::TornLine, 1, String::new(), "The line ends.".into()),
                (Code::NoTimezone, 9, "8 safe".into(), format!("{} (at, then)", Code::NoTimezone.meaning())),
            ]
        );
        let files: Vec<String> = groups[1].files.iter().map(FileProblems::describe).collect();
        assert_eq!(files, ["a:1,2,3,4,5,…  (8)", "b:2"]);
    }

    #[test]
    fn of_many_files_the_first_are_named() {
        let problems: Vec<Problem> = (0..9)
            .map(|number| problem(Code::NulBytes, Severity::Note, &format!("f{number}"), 1, "x"))
            .collect();
        let groups = groups(found(&problems));
        assert_eq!((groups[0].files.len(), groups[0].more_files, groups[0].count), (5, 4, 9));
    }
}
