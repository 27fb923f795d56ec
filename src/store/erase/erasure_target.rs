//! What an erasure takes out.

use crate::format::{by_name, main_text};
use crate::model::{Entry, JournalLine, MemoryName, NotReached, Renaming, Store, deleted_from};
use crate::store::erase::namesakes::{Namesake, created};
use crate::store::erase::salted_digests::{keyed, salted};
use crate::text::needle::SHORTEST;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// A record to erase, named without its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ErasureTarget {
    pub id: Option<String>,
    /// Its session, in formats that have them.
    pub session: Option<String>,
    /// The file that held it, relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub file: PathBuf,
    /// The name of a part of a document. Another part may get this name after the erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// A salted digest that recognizes what has no id. It is removed when the erasure is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// A keyed digest that recognizes a record without an id, or the text of one with an id, after the erasure is over.
    /// The list keeps it without the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyed: Option<String>,
    /// Keyed digests of the texts of other versions. The first target with an id has those of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Its creation time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// The remaining records with the same id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<Namesake>,
    /// Names that it had before it was moved or renamed: older copies have it under these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierName>,
}

/// A name that an erased record had before.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EarlierName {
    #[serde(flatten)]
    pub name: MemoryName,
    /// The records that have it now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<Namesake>,
}

/// Sets the names that the targets had before. `journal` has the oldest step first.
pub fn set_earlier_names(targets: &mut [ErasureTarget], journal: &[JournalLine]) {
    let renamings: Vec<&Renaming> = journal.iter().flat_map(|line| &line.renamed).collect();
    let renamed: HashSet<&MemoryName> = renamings.iter().map(|own| &own.after).collect();
    for target in targets {
        let Some(name) = target.memory_name().filter(|name| renamed.contains(name)) else { continue };
        let mut names = vec![&name];
        for renaming in renamings.iter().rev() {
            if names.contains(&&renaming.after) && !names.contains(&&renaming.before) {
                names.push(&renaming.before);
            }
        }
        let earlier = names.into_iter().skip(1).cloned();
        target.earlier = earlier.map(|name| EarlierName { name, namesakes: Vec::new() }).collect();
    }
}

impl ErasureTarget {
    /// Names an entry. `salt` is random. `part` identifies the entry if it is a part of a document.
    pub fn of(store: &Store, entry: &Entry, salt: &[u8], part: Option<&[u8]>) -> ErasureTarget {
        let id = store.id(entry);
        // An empty id names nothing.
        let id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        let (id, was) = if part.is_some() { (None, id) } else { (id, None) };
        let said = || part.map_or_else(|| store.raw(entry), Cow::Borrowed);
        let digest = id.is_none().then(|| salted(salt, &said()));
        let is_known_again = id.is_none() && part.is_none() && store.is_readable(entry);
        let created = store.memory(entry).and_then(created);
        let path = &store.document(entry).path;
        let file = deleted_from(path).unwrap_or(path);
        let format = by_name(store.format).filter(|_| id.is_some());
        let text = |format| salted(salt, main_text(format, file, &store.raw(entry)).as_bytes());
        let keyed = if is_known_again { Some(keyed(salt, &store.raw(entry))) } else { format.map(text) };
        ErasureTarget {
            id,
            session: store.session(entry).map(|session| session.name.clone()),
            file: file.to_path_buf(),
            was,
            digest,
            keyed,
            versions: Vec::new(),
            created,
            namesakes: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Returns its session and id, if it has an id.
    pub fn memory_name(&self) -> Option<MemoryName> {
        Some(MemoryName { session: self.session.clone(), id: self.id.clone()? })
    }

    /// Returns the id, or the name of a part.
    pub fn name(&self) -> Option<&str> {
        self.id.as_deref().or(self.was.as_deref())
    }
}

/// The ids, sessions and files of erased records.
pub struct TargetNames<'a> {
    pub(super) names: HashSet<&'a [u8]>,
    /// Names by each stretch in them that is as long as the shortest searched text.
    pub(super) by_stretch: HashMap<&'a [u8], Vec<&'a [u8]>>,
}

impl<'a> TargetNames<'a> {
    pub fn of(targets: &'a [ErasureTarget]) -> TargetNames<'a> {
        let text = |text: &'a Option<String>| text.as_deref().map(str::as_bytes);
        let file = |own: &'a ErasureTarget| own.file.as_os_str().as_encoded_bytes();
        let each = |own: &'a ErasureTarget| [text(&own.id), text(&own.session), Some(file(own))];
        let earlier = |own: &'a ErasureTarget| own.earlier.iter().flat_map(|own| own.name.parts());
        let mut names: HashSet<&[u8]> = targets.iter().flat_map(each).flatten().collect();
        names.extend(targets.iter().flat_map(earlier).map(str::as_bytes));
        let mut by_stretch: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for name in &names {
            name.windows(SHORTEST).for_each(|own| by_stretch.entry(own).or_default().push(name));
        }
        TargetNames { names, by_stretch }
    }

    pub fn is(&self, value: &[u8]) -> bool {
        self.names.contains(value)
    }

    /// True if the value is a name or is inside one. A value too short for a search must be a name.
    pub fn has(&self, value: &[u8]) -> bool {
        // Numbered names differ at their ends.
        let last = value.len().checked_sub(SHORTEST).map(|at| &value[at..]);
        let within = last.and_then(|last| self.by_stretch.get(last));
        self.names.contains(value)
            || within.is_some_and(|own| own.iter().any(|name| memchr::memmem::find(name, value).is_some()))
    }
}

/// A text that is held once, even if several records have it.
pub type SharedText = Arc<[u8]>;

/// What an erasure takes from one store.
#[derive(Clone, Copy, Default)]
pub struct ErasureScope<'a> {
    /// Records, each with every copy.
    pub targets: &'a [ErasureTarget],
    /// Values, wherever they are.
    pub values: &'a [SharedText],
    /// True if memories with a value stay, and it is masked in them.
    pub keeps_memories: bool,
    /// The steps whose undo data has a part of them.
    pub steps: Option<&'a BTreeSet<u64>>,
    /// What it does not reach, for its receipt.
    pub not_reached: Option<&'a NotReached>,
}
