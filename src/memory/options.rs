//! Options of an open store: what is allowed, and the defaults of calls.

use std::path::Path;

use super::{Memory, MemoryError, Result};
use crate::format::{self, FORMATS};
use crate::model::{Durability, PathText};
use crate::ops;
use crate::ops::WriteContext;
use crate::store::{Place, look_at};

/// How a store is opened. The default is [`Memory::open`]. The store's own config always applies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options<'a> {
    /// If true, changes are refused with `E_READ_ONLY`, and nothing is written, not even palimp's own data.
    pub read_only: bool,
    /// The format of the store. It chooses one of several, and is assumed if the content does not tell.
    pub format: Option<&'a str>,
    /// The session of calls that name none. Their searches look only into it.
    pub session: Option<&'a str>,
    /// The hours until half of a memory's relevance is left, for every type that fades (2 §6.1).
    /// This changes only ranks, never what a compaction drops. It applies only if the store's
    /// config and the session's metadata keep the half-lives of the format.
    pub half_life_hours: Option<f64>,
    /// When added records become durable.
    pub durability: Durability,
}

#[derive(Clone, Debug, Default)]
pub(super) struct HandleOptions {
    pub read_only: bool,
    pub session: Option<String>,
    pub half_life_hours: Option<f64>,
    pub durability: Durability,
}

impl Memory {
    /// Opens a store as [`Memory::open`] does, with options.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New, Options};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (root, data) = (folder.path().join("memory"), folder.path().join("data"));
    /// # Memory::create("session-log", &root, &data)?.create_session(Some("sess_one"), "agent")?;
    /// // Calls that name no session are about this one.
    /// let options = Options { session: Some("sess_one"), ..Options::default() };
    /// let mut memory = Memory::open_with(&root, &data, &options)?;
    /// let new = New { kind: "finding", text: "The pool is too small", ..New::default() };
    /// let added = memory.add(&new)?;
    /// memory.close()?;
    ///
    /// // Nothing can be changed through this one.
    /// let options = Options { read_only: true, ..Options::default() };
    /// let mut memory = Memory::open_with(&root, &data, &options)?;
    /// assert_eq!(memory.query("pool")?.len(), 1);
    /// let refused = memory.delete(None, &added.id, "superseded").unwrap_err();
    /// assert_eq!(refused.code, "E_READ_ONLY");
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_FORMAT` if there is no store or several of that format, the format is unknown, or
    /// a session is named and the format has none. `E_STORAGE_IO` if the folder can't be read.
    /// `E_SESSION_NOT_FOUND` if there is no such session. `E_INVALID_QUERY` if the half-life is not
    /// above 0.
    pub fn open_with(root: &Path, data: &Path, options: &Options<'_>) -> Result<Memory> {
        if options.half_life_hours.is_some_and(|hours| !(hours.is_finite() && hours > 0.0)) {
            let message = "The half-life has to be a number of hours above 0. Nothing was written.";
            return Err(MemoryError::new("E_INVALID_QUERY", message));
        }
        let place = place(root, options.format)?;
        let mut memory = Memory::here(place, data);
        memory.options = HandleOptions {
            read_only: options.read_only,
            session: options.session.map(str::to_owned),
            half_life_hours: options.half_life_hours,
            durability: options.durability,
        };
        memory.has_its_session()?;
        Ok(memory)
    }

    /// Checks that the session of the options exists.
    fn has_its_session(&self) -> Result {
        let Some(session) = self.options.session.as_deref() else { return Ok(()) };
        let store = self.store();
        if store.sessions.iter().any(|own| own.name == session) {
            return Ok(());
        }
        let (now, random) = (self.now(), self.machine.random());
        // A format without sessions refuses to make one, with the right error.
        ops::session::new(&WriteContext::of(store, now, random), None, "")?;
        let message =
            format!("There is no session {session:?} in {}. Nothing was written.", store.root.to_text());
        Err(self.known_absent(MemoryError::new("E_SESSION_NOT_FOUND", message)))
    }

    /// Refuses a change if the store was opened read-only.
    pub(super) fn may_change(&self) -> Result {
        match self.options.read_only {
            false => Ok(()),
            true => {
                let message = format!(
                    "{} was opened to be read only. Nothing was written. Open it without `read_only` to change it.",
                    self.store().root.to_text()
                );
                Err(MemoryError::new("E_READ_ONLY", message))
            }
        }
    }

    /// Returns the session that a call names, else the session of the options.
    pub(super) fn session_or<'s>(&'s self, named: Option<&'s str>) -> Option<&'s str> {
        named.or(self.options.session.as_deref())
    }
}

/// Finds the only store at a path, or the only one of the named format.
fn place(root: &Path, named: Option<&str>) -> Result<Place> {
    let invalid = |message: String| MemoryError::new("E_INVALID_FORMAT", message);
    if let Some(name) = named.filter(|name| format::by_name(name).is_none()) {
        let known: Vec<&str> = FORMATS.iter().map(|own| own.name()).collect();
        let message =
            format!("palimp knows no format {name:?}: it knows {}. Nothing was written.", known.join(", "));
        return Err(invalid(message));
    }
    let mut looked = look_at(root, None);
    if named.is_some() && looked.found.is_err() {
        looked = look_at(root, named);
    }
    let found = looked.found.map_err(|why| {
        let message = format!("{}: {why}. Nothing was written.", root.to_text());
        MemoryError::new(if looked.refused { "E_STORAGE_IO" } else { "E_INVALID_FORMAT" }, message)
    })?;
    let is_of = |own: &Place, name| format::by_name(own.format).is_some_and(|format| format.is_meant(name));
    let is_meant = |own: &&Place| named.is_none_or(|name| is_of(own, name));
    let meant: Vec<&Place> = found.iter().filter(is_meant).collect();
    let list = |all: &[&Place]| {
        let all: Vec<String> =
            all.iter().map(|own| format!("{} ({})", own.root.to_text(), own.format)).collect();
        all.join(", ")
    };
    match (meant.as_slice(), named) {
        ([one], _) => Ok((*one).clone()),
        ([], Some(name)) => {
            let others = list(&found.iter().collect::<Vec<_>>());
            Err(invalid(format!("{} holds no {name}, but {others}. Nothing was written.", root.to_text())))
        }
        (several, _) => Err(invalid(format!(
            "{} holds several stores: {}. Name one by its folder, or by its format. Nothing was written.",
            root.to_text(),
            list(several)
        ))),
    }
}
