//! `backup diff` and `backup restore`: what a copy of a file has and the file lacks, and
//! bringing that back. What is said here of a record is what the plan does to it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::erase::Gone;
use super::{Refusal, Scene, backups, base, check, plan, when, writes};
use crate::format::writing::document;
use crate::format::{self, Format, Placement, Shape};
use crate::model::{Change, Document, Plan, Record, Role, Store, plan::counted};
use crate::store::erase::{Wanted, is_log};

/// What became of a record since a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The copy has it and the store lacks it: it comes back.
    Missing,
    /// Both have it, and it differs: chosen, it is put back to what it was.
    Changed,
    /// A tombstone names it.
    Tombstoned,
    /// It was erased on purpose: it can't come back.
    Erased,
    /// It was written later: kept, and lost where the whole file is replaced.
    Newer,
    /// It stands in another file of the store.
    Elsewhere,
    /// It can't be read: it comes back with the whole file alone.
    Unreadable,
}

impl Kind {
    /// Every kind, in the order in which they are told.
    pub const ALL: [Kind; 7] = [
        Kind::Missing,
        Kind::Changed,
        Kind::Tombstoned,
        Kind::Erased,
        Kind::Newer,
        Kind::Elsewhere,
        Kind::Unreadable,
    ];

    /// The word in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Missing => "missing",
            Kind::Changed => "changed",
            Kind::Newer => "newer",
            Kind::Tombstoned => "tombstoned",
            Kind::Erased => "erased",
            Kind::Elsewhere => "elsewhere",
            Kind::Unreadable => "unreadable",
        }
    }

    /// Its sign; the same everywhere.
    pub fn sign(self) -> &'static str {
        match self {
            Kind::Missing => "+",
            Kind::Changed => "~",
            Kind::Newer => "−",
            Kind::Tombstoned | Kind::Erased => "⊘",
            Kind::Elsewhere => "·",
            Kind::Unreadable => "✖",
        }
    }
}

/// A record that differs between a copy and the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What became of it.
    pub kind: Kind,
    /// Its id.
    pub id: Option<String>,
    /// Its line: in the copy, or in the file for what is newer.
    pub line: u32,
    /// Where it starts in the copy, or in the file for what is newer.
    pub at: u64,
    /// Its title; none for what was erased. Untrusted text.
    pub title: String,
    /// What tells that, in a few words. Untrusted text.
    pub told: String,
    /// Its bytes in the copy; none for what was erased or is newer.
    pub was: Vec<u8>,
    /// Its bytes in the file, where it stands there.
    pub is: Vec<u8>,
    /// Whether it can be brought back, or put back, by itself.
    pub can_come: bool,
    /// Where it stands in the file.
    stands: Option<(usize, usize)>,
}

/// A copy of a file beside the file as it is.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The file, relative to the store's root.
    pub file: PathBuf,
    /// What differs: first what comes back, in the copy's order within each kind.
    pub items: Vec<Item>,
    /// So many records are in both, byte for byte.
    pub same: usize,
    /// So many records the file has.
    pub stand: usize,
    /// Why single records can't be brought back; then the file comes back whole or not at all.
    pub whole_only: Option<String>,
    /// Whether the file is there, and is the copy byte for byte.
    pub is_alike: bool,
}

impl Comparison {
    /// How many are of that kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.items.iter().filter(|item| item.kind == kind).count()
    }

    /// Where those start that come back where nothing else is said: all that are missing.
    pub fn by_default(&self) -> HashSet<u64> {
        let missing = self.items.iter().filter(|item| item.kind == Kind::Missing && item.can_come);
        missing.map(|item| item.at).collect()
    }

    /// Where those start that have one of these ids, and can come.
    pub fn named(&self, ids: &[String]) -> HashSet<u64> {
        let named = |item: &&Item| item.id.as_ref().is_some_and(|id| ids.contains(id));
        self.items.iter().filter(|item| item.can_come).filter(named).map(|item| item.at).collect()
    }

    /// The record that starts there in the copy, where it can come.
    fn to_come(&self, chosen: &HashSet<u64>, kind: Kind) -> Vec<&Item> {
        let is = |item: &&Item| item.can_come && item.kind == kind && chosen.contains(&item.at);
        let mut own: Vec<&Item> = self.items.iter().filter(is).collect();
        own.sort_by_key(|item| item.at);
        own
    }
}

fn role(format: &dyn Format, file: &Path) -> Role {
    match format.place(file, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    }
}

/// What differs between a copy of `file` and the store. What was erased is named by its id
/// alone.
pub fn compare(scene: &Scene<'_>, file: &Path, copy: &[u8], gone: &Gone) -> Result<Comparison, Refusal> {
    let (format, _) = writes(scene.store)?;
    let now = document(&scene.store.documents, file);
    if now.is_some_and(|own| own.offset > 0) {
        return Err(Refusal::unfit("the store has not been read whole yet."));
    }
    let records = format.read(role(format, file), file, copy, scene.now).records;
    let beside = Beside::of(scene.store, file, now);
    let erased = gone.wanted(scene);
    let mut compared = Compared { scene, file, copy, gone, now, beside: &beside, erased: erased.as_ref() };
    let (mut items, mut same, mut last) = (Vec::new(), 0, HashMap::new());
    for (number, record) in records.iter().enumerate() {
        if let Some(id) = record.view().and_then(|view| view.id.as_deref()) {
            last.insert(id, number);
        }
    }
    for (number, record) in records.iter().enumerate() {
        let id = record.view().and_then(|view| view.id.as_deref());
        // Of several lines of one id the last is what the record was.
        let is_last = id.is_none_or(|id| last.get(id) == Some(&number));
        match compared.item(record) {
            None => same += 1,
            Some(item) if is_last || matches!(item.kind, Kind::Erased) => items.push(item),
            Some(_) => {}
        }
    }
    items.extend(compared.newer(&records));
    items.sort_by_key(|item| (item.kind, item.at));
    let is_alike = now.is_some_and(|own| *own.bytes == *copy);
    let stand = now.map_or(0, |own| own.records.len());
    let whole_only = whole_only(format, file);
    if whole_only.is_some() {
        items.iter_mut().for_each(|item| item.can_come = false);
    }
    Ok(Comparison { file: file.to_owned(), items, same, stand, whole_only, is_alike })
}

/// Why the records of a file can't be brought back one by one.
fn whole_only(format: &dyn Format, file: &Path) -> Option<String> {
    let why = match (role(format, file), is_log(file) && format.shape(file) == Shape::Json) {
        _ if format.is_bound(file) => "other files of the store agree with it",
        (Role::Records, true) => return None,
        (Role::Records, false) => "it is one document",
        _ => "it is no log of memories",
    };
    Some(format!("{} comes back whole or not at all: {why}", file.display()))
}

/// What the store says of the records of a file.
struct Beside<'a> {
    /// The lines of the file.
    lines: HashSet<&'a [u8]>,
    /// Records of the file, by id.
    ids: HashMap<&'a str, Vec<&'a Record>>,
    /// What tombstones name, and where they stand.
    tombstones: HashMap<&'a str, String>,
    /// Ids in other files, and in which.
    elsewhere: HashMap<&'a str, &'a Path>,
}

impl<'a> Beside<'a> {
    fn of(store: &'a Store, file: &Path, now: Option<&'a Document>) -> Beside<'a> {
        let mut own = Beside {
            lines: now.into_iter().flat_map(|own| own.records.iter().map(|r| own.raw(r))).collect(),
            ids: HashMap::new(),
            tombstones: HashMap::new(),
            elsewhere: HashMap::new(),
        };
        for record in now.into_iter().flat_map(|now| &now.records) {
            if let Some(id) = record.view().and_then(|view| view.id.as_deref()) {
                own.ids.entry(id).or_default().push(record);
            }
        }
        for document in store.documents.iter().filter(|other| is_of(store, file, &other.path)) {
            own.take(document, file);
        }
        own
    }

    fn take(&mut self, document: &'a Document, file: &Path) {
        for record in &document.records {
            let Some(view) = record.view() else { continue };
            let Some(id) = view.id.as_deref() else { continue };
            match document.role {
                Role::Tombstones => {
                    let when = view.created.map(when).unwrap_or_default();
                    let told = format!("deleted {when}, says {}:{}", document.path.display(), record.line);
                    self.tombstones.insert(id, told);
                }
                Role::Records | Role::Archive if document.path != file => {
                    self.elsewhere.insert(id, &document.path);
                }
                _ => {}
            }
        }
    }
}

/// Whether ids of one file are ids of the other: those of sessions are each session's own.
fn is_of(store: &Store, file: &Path, other: &Path) -> bool {
    let session = store.sessions.iter().find(|session| file.starts_with(&session.path));
    session.is_none_or(|session| {
        let archived = store.sessions.iter().filter(|own| own.name == session.name);
        archived.into_iter().any(|own| other.starts_with(&own.path))
    })
}

struct Compared<'a> {
    scene: &'a Scene<'a>,
    file: &'a Path,
    copy: &'a [u8],
    gone: &'a Gone,
    now: Option<&'a Document>,
    beside: &'a Beside<'a>,
    erased: Option<&'a Wanted<'a>>,
}

impl Compared<'_> {
    /// What became of a record of the copy; `None` where it stands as it did.
    fn item(&mut self, record: &Record) -> Option<Item> {
        let raw = bytes_of(self.copy, record);
        let id = record.view().and_then(|view| view.id.as_deref());
        let item = |kind, told: String| Item {
            kind,
            id: id.map(str::to_owned),
            line: record.line,
            at: record.span.start,
            title: format::title_of_raw(self.scene.store, self.file, record, raw),
            told,
            was: raw.to_vec(),
            is: Vec::new(),
            can_come: false,
            stands: None,
        };
        if self.erased.is_some_and(|own| own.takes(self.file, raw, record.view(), None)) {
            let told = self.gone.told(id).unwrap_or_else(|| "erased on purpose: it can't come back".into());
            return Some(Item { was: Vec::new(), title: String::new(), ..item(Kind::Erased, told) });
        }
        if let Some(told) = id.and_then(|id| self.beside.tombstones.get(id)) {
            return Some(item(Kind::Tombstoned, told.clone()));
        }
        if self.beside.lines.contains(raw) {
            return None;
        }
        if record.view().is_none() {
            return Some(item(Kind::Unreadable, "comes back with the whole file alone".into()));
        }
        if let (Some(own), Some(now)) = (id.and_then(|id| self.beside.ids.get(id)), self.now) {
            return Some(changed(item(Kind::Changed, String::new()), own, now));
        }
        if let Some(path) = id.and_then(|id| self.beside.elsewhere.get(id)) {
            return Some(item(Kind::Elsewhere, format!("stands in {}", path.display())));
        }
        let written = record.view().and_then(|view| view.created);
        let told = written.map_or(String::new(), |written| format!("written {}", when(written)));
        Some(Item { can_come: true, ..item(Kind::Missing, told) })
    }

    /// The records of the file that the copy has not.
    fn newer(&mut self, records: &[Record]) -> Vec<Item> {
        let Some(now) = self.now else { return Vec::new() };
        let lines: HashSet<&[u8]> = records.iter().map(|record| bytes_of(self.copy, record)).collect();
        let ids = records.iter().filter_map(|record| record.view()?.id.as_deref());
        let ids: HashSet<&str> = ids.collect();
        let mut items = Vec::new();
        for record in &now.records {
            let (raw, view) = (now.raw(record), record.view());
            let id = view.and_then(|view| view.id.as_deref());
            if lines.contains(raw) || id.is_some_and(|id| ids.contains(id)) {
                continue;
            }
            let written = view.and_then(|view| view.created);
            let told = written.map_or("not in the backup".into(), |at| format!("written {}", when(at)));
            items.push(Item {
                kind: Kind::Newer,
                id: id.map(str::to_owned),
                line: record.line,
                at: record.span.start,
                title: format::title_of_raw(self.scene.store, self.file, record, raw),
                told,
                was: Vec::new(),
                is: raw.to_vec(),
                can_come: false,
                stands: None,
            });
        }
        items
    }
}

fn changed(item: Item, own: &[&Record], now: &Document) -> Item {
    let [one] = own else {
        let told = format!("stands {} times: repair that first", own.len());
        return Item { told, ..item };
    };
    let is = now.raw(one).to_vec();
    let told = "put back to what it was, where it is chosen".to_owned();
    let stands = Some((one.span.start as usize, one.span.end as usize));
    Item { told, is, stands, can_come: true, ..item }
}

fn bytes_of<'a>(copy: &'a [u8], record: &Record) -> &'a [u8] {
    copy.get(record.span.start as usize..record.span.end as usize).unwrap_or_default()
}

/// A record over several lines, as one line; any other as it is.
fn one_line(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// Brings back the records of the copy that start at those places: what is missing at the
/// file's end, what has changed where it stands.
pub fn restore(scene: &Scene<'_>, comparison: &Comparison, chosen: &HashSet<u64>) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    if let Some(why) = &comparison.whole_only {
        return Err(Refusal::unfit(format!("{why}.")));
    }
    let missing = comparison.to_come(chosen, Kind::Missing);
    let changed = comparison.to_come(chosen, Kind::Changed);
    let lines: Vec<u8> =
        missing.iter().flat_map(|item| [one_line(&item.was), b"\n".to_vec()].concat()).collect();
    let edits = changed.iter().filter_map(|item| {
        let (start, end) = item.stands?;
        Some((start..end, one_line(&item.was)))
    });
    let stands = document(&scene.store.documents, &comparison.file).map(base);
    let change = match (&stands, changed.is_empty()) {
        (Some(stands), false) => {
            Change::edits(&comparison.file, Arc::clone(stands), edits.collect()).and_append(&lines)
        }
        _ => Change::append(&comparison.file, lines, stands),
    };
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    let mut plan = plan("backup restore", scene, missing.len() + changed.len(), all)?;
    plan.lines.push(told(missing.len(), changed.len(), comparison));
    check(scene, &plan)?;
    Ok(plan)
}

fn told(missing: usize, changed: usize, comparison: &Comparison) -> String {
    let now = comparison.stand;
    let stay = comparison.count(Kind::Newer);
    let mut parts = vec![format!("+{missing} come back")];
    parts.extend((changed > 0).then(|| format!("~{changed} put back to what they were")));
    parts.extend((stay > 0).then(|| format!("−{stay} written later are kept")));
    format!("{}: {now} → {}", parts.join(", "), counted((now + missing) as u64, "record"))
}

/// The whole file as it was, but for what was erased since. What was written later is lost.
pub fn replace(
    scene: &Scene<'_>,
    comparison: &Comparison,
    copy: &[u8],
    gone: &Gone,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let file = &comparison.file;
    let copy = &gone.without(scene, file, copy)[..];
    let change = match document(&scene.store.documents, file) {
        Some(now) => Change::rewrite(file, base(now), copy),
        None => Change::create(file, copy),
    };
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    let [back, changed, lost] =
        [Kind::Missing, Kind::Changed, Kind::Newer].map(|kind| comparison.count(kind));
    let mut plan = plan("backup restore", scene, back + changed + lost, all)?;
    plan.lines.push(format!(
        "−{lost} written later are LOST, +{back} come back, ~{changed} are put back to what they were"
    ));
    Ok(plan)
}
