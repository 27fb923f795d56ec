//! How a verb ends, and what it says if it fails.

use std::io::{self, Write};
use std::process::{ExitCode, Termination};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::{ContextKind, ContextValue};

use crate::disk::WriteError;
use crate::format::writing::Refusal;
use crate::model::NotWhole;
use crate::query::{QueryError, SavedQueryError, SavedQueryRefusal};
use crate::text::safe_text::sanitize;
use crate::usecase::{ChangeFailure, FailureKind, without_untouched};

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, or clean.
    Done,
    /// Nothing matched, or `check` found something.
    Nothing,
    /// Wrong usage.
    Usage,
    /// Refused, and nothing changed.
    Refused,
    /// The system failed.
    Failed,
    /// Ended by a signal.
    Signal(u8),
}

impl Exit {
    /// Returns the exit status.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Nothing => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Failed => 4,
            Exit::Signal(number) => 128 + number,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

/// Why a verb failed: an exit status, and untrusted text for stderr, made safe when it is printed.
#[derive(Debug)]
pub struct Failure {
    pub(super) exit: Exit,
    /// Each is printed on one line, no matter what names in it contain.
    lines: Vec<String>,
    /// True if the name exists, and means several records.
    pub(super) is_ambiguous: bool,
}

pub type Result<T = Exit, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure::lines(exit, vec![message.into()])
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Failure::new(Exit::Refused, message)
    }

    pub fn nothing(message: impl Into<String>) -> Self {
        Failure::new(Exit::Nothing, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Failure::new(Exit::Failed, message)
    }

    pub fn lines(exit: Exit, lines: Vec<String>) -> Self {
        Failure {
            exit,
            lines: lines.into_iter().filter(|line| !line.is_empty()).collect(),
            is_ambiguous: false,
        }
    }

    /// Adds a sentence. Adds nothing if the reader of the output is gone.
    pub fn with(mut self, sentence: &str) -> Self {
        if let Some(last) = self.lines.last_mut() {
            *last = format!("{last} {sentence}");
        }
        self
    }

    /// Adds the stores that were changed before: it is not true any more that nothing was changed.
    pub fn after(mut self, changed: &[String]) -> Self {
        if changed.is_empty() || self.lines.is_empty() {
            return self;
        }
        let no_more =
            |line: &mut String| *line = without_untouched(line).replace(" No store was touched.", "");
        self.lines.iter_mut().for_each(no_more);
        self.lines.push("changed before that:".into());
        self.lines.extend_from_slice(changed);
        self.exit = Exit::Failed;
        self
    }

    pub fn message(&self) -> String {
        self.lines.join(" ")
    }

    /// Says on stderr what happened, and returns the status. Nothing is said if stderr is closed.
    pub fn tell(self) -> Exit {
        self.lines.iter().for_each(|line| warn(line));
        self.exit
    }
}

/// Says what is wrong with the arguments. Text that it quotes is made safe. Help and version are no errors.
pub fn wrong_usage(mut error: clap::Error) -> Exit {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Done;
    }
    let quoted = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if text.contains('\n') => Some((kind, text.clone())),
        _ => None,
    });
    let quoted: Vec<(ContextKind, String)> = quoted.collect();
    for (kind, text) in quoted {
        error.insert(kind, ContextValue::String(sanitize(&text).into_owned()));
    }
    for line in error.to_string().lines() {
        let _ = writeln!(io::stderr(), "{}", sanitize(line));
    }
    Exit::Usage
}

/// True if only what went wrong is said.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

pub fn set_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Says one line on stderr, unless only what went wrong is to be said.
pub fn say(line: &str) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        warn(line);
    }
}

/// Says on stderr what went wrong. It is made safe: text that it quotes can't begin another line.
pub fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "palimp: {}", sanitize(line));
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // The reader has read enough.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::new(Exit::Done, "");
        }
        Failure::failed(format!("the output can't be written: {error}. No store was touched."))
    }
}

/// At most this many lines of a saved query are shown.
const SHOWN: usize = 40;

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Failure::usage(format!("the query can't be understood: {error}"))
    }
}

/// If the query is not run, its text is shown.
impl From<SavedQueryRefusal> for Failure {
    fn from(refused: SavedQueryRefusal) -> Self {
        let text = match &refused.why {
            SavedQueryError::NotRun { text, .. } => text.trim_end(),
            _ => "",
        };
        let left = text.lines().count().saturating_sub(SHOWN);
        let lines = text.lines().take(SHOWN).map(|line| format!("    {line}"));
        let left = if left > 0 { format!("    … and {left} more lines") } else { String::new() };
        Failure::lines(Exit::Usage, [refused.to_string()].into_iter().chain(lines).chain([left]).collect())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::failed(error.to_string())
    }
}

impl From<ChangeFailure> for Failure {
    fn from(failed: ChangeFailure) -> Self {
        let exit = match failed.kind() {
            FailureKind::Nothing => Exit::Nothing,
            FailureKind::Refused => Exit::Refused,
            FailureKind::Failed => Exit::Failed,
        };
        let code = failed.code().map(|code| format!(" ({code})")).unwrap_or_default();
        Failure::new(exit, failed.message + &code)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        ChangeFailure::from(refusal).into()
    }
}

impl From<NotWhole> for Failure {
    fn from(not: NotWhole) -> Self {
        ChangeFailure::from(not).into()
    }
}
