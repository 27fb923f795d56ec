//! What every verb knows: options, folders, the time.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::Limit;
use super::args::GlobalOptions;
use super::columns::{OutputTerminal, TextStyle};
use super::read_warnings::ReadWarnings;
use super::stdout::SafeStdout;
use crate::model::{Moment, Snapshot};
use crate::query::{Order, Query, Request};

pub struct Context {
    pub(super) options: GlobalOptions,
    pub(super) now: Moment,
    pub(super) out: SafeStdout,
    /// The stores that were changed so far, and how to undo that.
    pub(super) changed: Vec<String>,
    /// What could not be read, and was reported.
    pub(super) unread: ReadWarnings,
    /// True if an interrupted erasure was finished in this run, and left something.
    pub(super) is_left: Cell<bool>,
    /// The memories whose interrupted erasure was finished in this run: their stores, sessions and names.
    pub(super) erased: RefCell<HashSet<(PathBuf, Option<String>, String)>>,
}

impl Context {
    /// Prints a row: as JSON if that is asked for, otherwise as this line.
    pub fn row(&mut self, row: &impl Serialize, line: impl FnOnce() -> String) -> io::Result<()> {
        match self.options.json {
            true => self.out.json(row),
            false => self.out.line(&line()),
        }
    }

    /// Says on a terminal that there are more results, if not all are shown.
    pub fn more(&mut self, limit: Limit, all: usize) -> io::Result<()> {
        let Some((terminal, told)) = OutputTerminal::of(self).zip(limit.more(all)) else { return Ok(()) };
        self.out.drawn(&[terminal.painted(&told, TextStyle::Dim)])
    }

    /// Returns a search, as the options say.
    pub fn request<'a>(&self, snapshot: &'a Snapshot, query: &'a Query, order: Order) -> Request<'a> {
        let ranking = self.options.ranking(snapshot.stores.iter().map(|store| store.format));
        Request { snapshot, text: None, query, ranking, order, all: self.options.all, now: self.now }
    }
}
