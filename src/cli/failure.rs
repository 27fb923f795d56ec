//! How a verb ends, and what it says when it could not be done.

use std::io::{self, Write};
use std::process::{ExitCode, Termination};

use crate::disk::WriteError;
use crate::query::QueryError;
use crate::store::commit::nothing_else;
use crate::text::show::show;
use crate::work::Difference;

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
    /// The exit status.
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

/// Why a verb could not be done: a status, and what to say on stderr. Untrusted text in
/// it is made safe when it is told.
#[derive(Debug)]
pub struct Failure {
    pub(super) exit: Exit,
    message: String,
    /// What others changed of what was agreed to: it can be asked for again.
    pub(super) moved: Option<Difference>,
    /// Whether the files are not as the plan knows them, and are as they were found.
    pub(super) is_moved: bool,
    /// Whether what was named is there, and is several records.
    pub(super) is_ambiguous: bool,
    /// Where what the user wrote is kept, as a sentence.
    pub(super) kept: Option<String>,
}

impl Failure {
    /// A failure with its message.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure {
            exit,
            message: message.into(),
            moved: None,
            is_moved: false,
            is_ambiguous: false,
            kept: None,
        }
    }

    /// Others changed what was shown and agreed to.
    pub fn moved(difference: Difference) -> Self {
        let message = format!("{}. Nothing was changed. (E_CONCURRENT_MOD)", difference.told());
        Failure { moved: Some(difference), ..Failure::new(Exit::Refused, message) }
    }

    /// The same, with where what the user wrote is kept. Nothing is added for a reader that has gone.
    pub fn with(mut self, sentence: &str) -> Self {
        if !self.message.is_empty() {
            self.message = format!("{} {sentence}", self.message);
        }
        self.kept = Some(sentence.to_owned());
        self
    }

    /// The same after stores were changed already, which are named: it is not true any more
    /// that nothing was.
    pub fn after(mut self, changed: &[String]) -> Self {
        if changed.is_empty() || self.message.is_empty() {
            return self;
        }
        let message = nothing_else(&self.message).replace(" No store was touched.", "");
        self.message = format!("{message}\nchanged before that:\n{}", changed.join("\n"));
        self.exit = Exit::Failed;
        self
    }

    /// What to say.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Says on stderr what happened. A stderr that is closed is nobody to talk to.
    pub fn tell(self) -> Exit {
        if !self.message.is_empty() {
            say(&self.message);
        }
        self.exit
    }
}

/// Says what is wrong with the arguments, which it may quote: safe to show. Help and
/// version are what was asked for.
pub fn wrong_usage(error: clap::Error) -> Exit {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Done;
    }
    for line in error.to_string().lines() {
        let _ = writeln!(io::stderr(), "{}", show(line));
    }
    Exit::Usage
}

/// Says something on stderr, safe to show.
pub fn say(message: &str) {
    for line in message.lines() {
        let _ = writeln!(io::stderr(), "palimp: {}", show(line));
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if super::is_closed_pipe(&error) {
            return Failure::new(Exit::Done, "");
        }
        Failure::new(Exit::Failed, format!("the output can't be written: {error}. No store was touched."))
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Failure::new(Exit::Usage, format!("the query can't be understood: {error}"))
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::new(Exit::Failed, error.to_string())
    }
}
