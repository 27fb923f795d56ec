//! The reason why an operation is refused, and those of several records, so that the rest can be planned.

use crate::model::{Change, Entry, NotWhole};
use crate::text::json_edit::JsonEditError;

/// The reason why an operation is refused. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The error code of specification 4 §12.1.
    pub code: &'static str,
    /// Sentences about the cause and what to do. May quote the store.
    pub message: String,
    /// The refused records with their reasons, if the operation could go on without them.
    pub refused: Vec<RefusedEntries>,
    /// True if the user stopped it, and nothing more should be tried.
    pub stops: bool,
}

/// A value, or the refusal.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

/// Changes, or the refusal.
pub type ChangesResult = Result<Vec<Change>>;

impl Refusal {
    /// Returns a refusal of the whole operation.
    pub fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), refused: Vec::new(), stops: false }
    }

    /// The format lacks this, or it makes no sense there.
    pub fn unfit(message: impl Into<String>) -> Refusal {
        Refusal::new("E_INVALID_FORMAT", message)
    }

    /// The new content breaks the schema.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new("E_SCHEMA_INVALID", message)
    }

    /// A field can't have this value. `rule` is a phrase that says what the format allows.
    pub fn bad_value(field: &str, value: &str, rule: &str) -> Refusal {
        Refusal::invalid(format!("{field} can't be {value:?}: {rule}."))
    }

    /// It would exceed a limit.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal::new("E_SIZE_LIMIT", message)
    }

    /// The store is damaged at the place of the write.
    pub fn corrupt(message: impl Into<String>) -> Refusal {
        Refusal::new("E_STORAGE_CORRUPT", message)
    }

    /// The record can't be read, but the operation needs that.
    pub fn broken() -> Refusal {
        Refusal::corrupt(
            "it is broken: `palimp check` says why. `palimp repair --all-safe` repairs what it can; correct the rest in an editor, or delete it.",
        )
    }

    /// The session does not exist.
    pub fn no_session(name: &str) -> Refusal {
        Refusal::new("E_SESSION_NOT_FOUND", format!("there is no session {name:?}."))
    }

    /// Something that it needs can't be read.
    pub fn unread(what: &str, error: &std::io::Error) -> Refusal {
        Refusal::new("E_STORAGE_IO", format!("{what} can't be read: {error}."))
    }
}

impl From<NotWhole> for Refusal {
    fn from(not: NotWhole) -> Self {
        Refusal::new("E_STORAGE_IO", not.to_string())
    }
}

impl From<JsonEditError> for Refusal {
    fn from(error: JsonEditError) -> Self {
        Refusal::invalid(format!("{error}."))
    }
}

/// Records that are refused, and the reason.
pub type RefusedEntries = (Vec<Entry>, String);

/// The refused records so far.
#[derive(Default)]
pub struct RefusalList {
    first: Option<Refusal>,
    of: Vec<RefusedEntries>,
}

impl RefusalList {
    /// Returns what `make` makes of each entry, or a refusal that names all refused ones.
    pub fn each<T>(entries: &[Entry], make: impl Fn(&Entry) -> Result<T>) -> Result<Vec<T>> {
        let (mut list, mut all) = (RefusalList::default(), Vec::new());
        for entry in entries {
            all.extend(list.collect(entry, make(entry))?);
        }
        list.finish().map(|()| all)
    }

    /// Returns a value, or notes a refusal and returns `None`. Passes on a refusal that stops everything.
    pub fn collect<T>(&mut self, entry: &Entry, made: Result<T>) -> Result<Option<T>> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(refusal) if refusal.stops => Err(refusal),
            Err(refusal) => {
                self.refuse(vec![*entry], refusal);
                Ok(None)
            }
        }
    }

    /// Notes refused records.
    pub fn refuse(&mut self, entries: Vec<Entry>, refusal: Refusal) {
        match self.of.iter_mut().find(|(_, why)| *why == refusal.message) {
            Some((own, _)) => own.extend(entries),
            None => self.of.push((entries, refusal.message.clone())),
        }
        self.first.get_or_insert(refusal);
    }

    /// Adds the records of another refusal. Passes on one that names no records.
    pub fn join(&mut self, whole: Result<()>) -> Result<()> {
        match whole {
            Err(refusal) if refusal.refused.is_empty() => Err(refusal),
            Err(mut refusal) => {
                self.of.append(&mut refusal.refused);
                self.first.get_or_insert(refusal);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// True if nothing was refused.
    pub fn is_none(&self) -> bool {
        self.first.is_none()
    }

    /// Returns the refusal that names all refused records.
    pub fn finish(self) -> Result<()> {
        match self.first {
            Some(first) => Err(Refusal { refused: self.of, ..first }),
            None => Ok(()),
        }
    }
}
