//! `move`: takes records to another session of their store. A record keeps its bytes but for its session, and
//! for an id that the other session has already. References to it follow.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{
    Command, CommandRules, MemoryInput, Refusal, Result, WriteContext, check_brought, plan_and_after,
    with_backups,
};
use crate::format::writing::{FormatWriter, NameUse, RangeEdit, RefusalList, rename};
use crate::format::{Format, Placement, live_session};
use crate::model::{
    Change, Entry, EntryRef, Name, NameKind, Plan, ReferenceIndex, Role, Session, Snapshot, State, Store,
    StoredMemory, Verb,
};
use crate::text::json_edit::{Tape, on_one_line, scan};
use crate::text::lines::removal_edits;
use crate::text::numbered_id::following;

/// Checks that a record can move to another session. The plan can still be refused.
pub fn may_move(store: &Store, entry: &Entry) -> Result<()> {
    may_go(store, entry, "move")
}

/// Checks that a record can go to another session. `how` is what it can't do there if it is in none.
pub(super) fn may_go(store: &Store, entry: &Entry, how: &str) -> Result<()> {
    let (_, writes) = super::writes(store)?;
    match entry.state {
        State::Live => {}
        State::Archived => return Err(Refusal::unfit("it is archived: bring it back first.")),
        State::Deleted => return Err(Refusal::unfit("it is deleted: restore it first.")),
        State::Broken => return Err(Refusal::broken()),
    }
    super::writable(store, entry)?;
    let sessionless =
        || Refusal::unfit(format!("it belongs to no session, so it can't {how} to another one."));
    store.session(entry).ok_or_else(sessionless)?;
    let raw = store.raw(entry);
    let mut tape = Tape::default();
    match writes.name_places(scan(&mut tape, &raw)?).is_empty() {
        true => Err(sessionless()),
        false => Ok(()),
    }
}

/// Refuses a record that is in the session `to` already.
pub(super) fn goes_elsewhere(store: &Store, entry: &Entry, to: &str) -> Result<()> {
    match store.session(entry).is_some_and(|session| session.name == to) {
        true => Err(Refusal::unfit(format!("it is in the session {to} already."))),
        false => Ok(()),
    }
}

/// Returns the names of the sessions that records can move to: those of their stores, without their own session.
pub fn other_sessions(snapshot: &Snapshot, at: &[EntryRef]) -> Vec<String> {
    let own: HashSet<Option<u32>> = at.iter().map(|at| snapshot.get(*at).1.session).collect();
    let stores: BTreeSet<u32> = at.iter().map(|at| at.store).collect();
    let sessions = stores.into_iter().filter_map(|store| snapshot.stores.get(store as usize));
    let is_live = |store, name: &str| {
        super::writes(store).is_ok_and(|(format, _)| live_session(format, store, name).is_ok())
    };
    let sessions =
        sessions.flat_map(|store| (0..).zip(&store.sessions).map(move |numbered| (store, numbered)));
    let others = sessions.filter(|(_, (number, _))| own.len() > 1 || !own.contains(&Some(*number)));
    let live = others.filter(|(store, (_, session))| is_live(store, &session.name));
    live.map(|(_, (_, session))| session.name.clone()).collect()
}

/// Plans to move records to the session `to`, in the order of the store.
pub fn move_records(context: &WriteContext<'_>, entries: &[Entry], to: &str) -> Result<Plan> {
    let moving = Moving::of(context, entries, to)?;
    let mut lines = LogLines::new();
    for (number, target) in &moving.targets {
        add_line(&mut lines, &target.path, &moving.renamed(*number)?);
    }
    let mut changes = appends(context.store, lines);
    let moved: Vec<Entry> = moving.targets.keys().map(|number| moving.entry(*number)).collect();
    // A file is changed once, so its removals and its new references are edits of one change.
    let mut edits = moving.reference_edits()?;
    for (document, own) in context.store.by_document(&moved) {
        let spans: Vec<_> = own.iter().map(|entry| context.store.record(entry).span).collect();
        edits.entry(document.path.clone()).or_default().extend(removal_edits(&document.bytes, &spans));
    }
    for (path, edits) in edits {
        let document = context.store.document_at(&path);
        changes.extend(document.map(|document| Change::edits(&path, document.bytes.clone(), edits)));
    }
    let changes = with_backups(context, changes);
    let (mut plan, after) = plan_and_after(Verb::Move, context, moved.len(), changes)?;
    plan.lines.extend(moving.notices());
    check_brought(context, (&plan, &after), (context.store, &moved))?;
    Ok(plan)
}

/// New lines by their logs.
pub(super) type LogLines = BTreeMap<PathBuf, Vec<u8>>;

pub(super) fn add_line(lines: &mut LogLines, log: &Path, record: &[u8]) {
    let own = lines.entry(log.to_owned()).or_default();
    own.extend(on_one_line(record));
    own.push(b'\n');
}

pub(super) fn appends(store: &Store, lines: LogLines) -> Vec<Change> {
    let base = |log: &Path| store.document_at(log).map(|log| log.bytes.clone());
    lines.into_iter().map(|(log, lines)| Change::append(&log, lines, base(&log))).collect()
}

pub(super) struct OtherSession<'a> {
    context: &'a WriteContext<'a>,
    format: &'static dyn Format,
    pub writes: &'static dyn FormatWriter,
    pub references: ReferenceIndex,
    session: &'a Session,
}

impl<'a> OtherSession<'a> {
    /// Returns the session with this name, if it can be written.
    pub fn of(context: &'a WriteContext<'a>, name: &str) -> Result<OtherSession<'a>> {
        let (format, writes) = super::writes(context.store)?;
        let session = live_session(format, context.store, name)?;
        let references = ReferenceIndex::of(std::iter::once(context.store));
        Ok(OtherSession { context, format, writes, references, session })
    }

    pub fn name(&self) -> &'a str {
        &self.session.name
    }

    /// True if a record is in it already.
    pub fn has(&self, entry: &Entry) -> bool {
        self.context.store.session(entry).is_some_and(|own| own.path == self.session.path)
    }

    /// Returns the ids in its files, those of deleted and damaged records included.
    pub fn ids(&self) -> HashSet<String> {
        let documents = &self.context.store.documents;
        let own = documents.iter().filter(|document| document.path.starts_with(&self.session.path));
        let records = own.flat_map(|document| &document.records);
        records.filter_map(|record| record.named_id()).map(str::to_owned).collect()
    }

    /// Returns its log for a record of another session.
    pub fn log_of(&self, entry: &Entry) -> Result<PathBuf> {
        let store = self.context.store;
        let own = store.session(entry).map_or_else(PathBuf::new, |own| own.path.clone());
        let path = store.document(entry).path.strip_prefix(own).map(|name| self.session.path.join(name));
        let path = path.ok().filter(|path| self.format.place(path, false) == Placement::File(Role::Records));
        path.ok_or_else(|| Refusal::unfit("the other session has no place for it."))
    }

    /// True if a record of the store has this id, or if it is one of `given`.
    pub fn is_used(&self, id: &str, given: &HashSet<String>) -> bool {
        let named = || self.references.named(self.context.store, 0, NameKind::Record, id).next();
        given.contains(id) || named().is_some()
    }

    /// True if a name in a record leads to a record of this session.
    pub fn finds(&self, from: &Entry, name: &Name<&str>) -> bool {
        let store = self.context.store;
        let from = store.number_of(from).map(|entry| EntryRef { store: 0, entry });
        let found = from.and_then(|from| self.references.find(store, from, name));
        found.is_some_and(|found| self.has(&store.entries[found.entry as usize]))
    }

    /// Returns the number after its last id that no record of the store has.
    pub fn next_id(&self, entry: &Entry, given: &HashSet<String>) -> Result<String> {
        let store = self.context.store;
        let kind = store.memory(entry).map_or("", |memory| memory.kind());
        let last = self.writes.own().last_id.and_then(|last| last(store, self.name(), kind));
        let last = last.ok_or_else(|| Refusal::unfit("the next id of the other session is unknown."))?;
        let free = following(&last).find(|id| !self.is_used(id, given));
        free.ok_or_else(|| Refusal::unfit("there is no other id for it."))
    }
}

/// The place of a record in the other session.
struct MoveTarget {
    /// The log of the other session.
    path: PathBuf,
    /// The id that it has there; `None` if it has none.
    id: Option<String>,
}

/// Records on their way to another session.
struct Moving<'a> {
    context: &'a WriteContext<'a>,
    session: OtherSession<'a>,
    /// The records that move, by their numbers in the store.
    targets: BTreeMap<u32, MoveTarget>,
}

impl<'a> Moving<'a> {
    fn of(context: &'a WriteContext<'a>, entries: &[Entry], to: &str) -> Result<Moving<'a>> {
        let store = context.store;
        let session = OtherSession::of(context, to)?;
        let mut given = session.ids();
        let mut moving = Moving { context, session, targets: BTreeMap::new() };
        let mut faults = RefusalList::default();
        for entry in entries {
            let Some(number) = store.number_of(entry) else { continue };
            let may = goes_elsewhere(store, entry, to).and_then(|()| may_move(store, entry));
            let target = may.and_then(|()| moving.target(number, &mut given));
            if let Some(target) = faults.collect(entry, target)? {
                moving.targets.insert(number, target);
            }
        }
        faults.finish()?;
        Ok(moving)
    }

    fn entry(&self, number: u32) -> Entry {
        self.context.store.entries[number as usize]
    }

    /// Finds the log and the id of a record in the other session. `given` are the ids that can't be used.
    fn target(&self, number: u32, given: &mut HashSet<String>) -> Result<MoveTarget> {
        let entry = self.entry(number);
        let path = self.session.log_of(&entry)?;
        let Some(id) = self.context.store.id(&entry) else {
            return Ok(MoveTarget { path, id: None });
        };
        let id = match self.is_free(number, id, given) {
            true => id.to_owned(),
            false if self.numbers_ids() => self.session.next_id(&entry, given)?,
            false => {
                let message = format!("the session {} has the id {id} already.", self.session.name());
                return Err(Refusal::invalid(message));
            }
        };
        given.insert(id.clone());
        Ok(MoveTarget { path, id: Some(id) })
    }

    /// True if ids are numbered: the next one depends on the last one.
    fn numbers_ids(&self) -> bool {
        self.session.writes.own().last_id.is_some()
    }

    /// True if a record can keep its id: no other has it there, and what refers to it still finds it.
    fn is_free(&self, number: u32, id: &str, given: &HashSet<String>) -> bool {
        let store = self.context.store;
        let at = EntryRef { store: 0, entry: number };
        let references = &self.session.references;
        let mut others = references.named(store, 0, NameKind::Record, id).filter(|own| *own != at);
        let is_referred_to = || references.links_of(store, at).iter().any(|link| !link.outward);
        let is_ambiguous = self.numbers_ids() && others.next().is_some() && is_referred_to();
        !given.contains(id) && !is_ambiguous
    }

    /// Returns the bytes of a record with the new names of itself and of what it refers to.
    fn renamed(&self, number: u32) -> Result<Vec<u8>> {
        let raw = self.context.store.raw(&self.entry(number));
        let from = EntryRef { store: 0, entry: number };
        rename(self.session.writes, &raw, self.context.now, &|says, text| match (
            says,
            self.targets.get(&number),
        ) {
            (NameUse::Id, Some(target)) => target.id.clone(),
            (NameUse::Session, Some(_)) => Some(self.session.name().to_owned()),
            (NameUse::Reference(of), _) => self.new_name(from, &Name { of, text }),
            _ => None,
        })
    }

    /// Returns the new id of what a name refers to; `None` if that stays where it is.
    fn new_name(&self, from: EntryRef, name: &Name<&str>) -> Option<String> {
        let other = self.session.references.find(self.context.store, from, name)?;
        self.targets.get(&other.entry).filter(|_| name.of == NameKind::Record)?.id.clone()
    }

    /// Returns the edits of records that stay and refer to a record with a new id, by their files.
    fn reference_edits(&self) -> Result<BTreeMap<PathBuf, Vec<RangeEdit>>> {
        let store = self.context.store;
        let mut edits: BTreeMap<PathBuf, Vec<RangeEdit>> = BTreeMap::new();
        for number in self.referrers() {
            let entry = self.entry(number);
            let renamed = self.renamed(number)?;
            if *store.raw(&entry) != *renamed && self.is_writable(number) {
                let own = edits.entry(store.document(&entry).path.clone()).or_default();
                own.push((store.record(&entry).span.range(), renamed));
            }
        }
        Ok(edits)
    }

    fn is_writable(&self, number: u32) -> bool {
        super::writable(self.context.store, &self.entry(number)).is_ok()
    }

    /// Returns the records that stay and refer to one that moves, in the order of the store.
    fn referrers(&self) -> Vec<u32> {
        let links = |number: &u32| {
            let at = EntryRef { store: 0, entry: *number };
            self.session.references.links_of(self.context.store, at)
        };
        let inward = self.targets.keys().flat_map(links).filter(|link| !link.outward);
        let mut own: Vec<u32> = inward.filter_map(|link| Some(link.other?.entry)).collect();
        own.sort_unstable();
        own.dedup();
        own.retain(|number| !self.targets.contains_key(number));
        own
    }

    /// Returns what the user should know: new ids, and references that name another record afterwards.
    fn notices(&self) -> Vec<String> {
        let store = self.context.store;
        let mut lines = Vec::new();
        for (number, target) in &self.targets {
            let old = store.id(&store.entries[*number as usize]);
            if let (Some(old), Some(new)) = (old, target.id.as_deref().filter(|new| Some(*new) != old)) {
                lines.push(format!("{old} becomes {new} in the session {}", self.session.name()));
            }
        }
        let after = self.ids_after();
        for (number, entry) in (0..).zip(&store.entries) {
            let from = EntryRef { store: 0, entry: number };
            let references = store.memory(entry).into_iter().flat_map(|memory| memory.references());
            for name in references.map(|own| own.to).filter(|name| name.of == NameKind::Record) {
                let before = self.session.references.find(store, from, &name).map(|own| own.entry);
                let is_renamed = self.targets.contains_key(&number) || self.is_writable(number);
                let text = self.new_name(from, &name).filter(|_| is_renamed);
                let now = self.found_after(&after, number, text.as_deref().unwrap_or(name.text));
                if before != now {
                    let (id, text) = (self.id_after(number).unwrap_or("a memory without an id"), name.text);
                    lines.push(format!("{id} refers to {text}, which names another memory after the move"));
                }
            }
        }
        lines
    }

    fn id_after(&self, number: u32) -> Option<&str> {
        match self.targets.get(&number) {
            Some(target) => target.id.as_deref(),
            None => self.context.store.id(&self.context.store.entries[number as usize]),
        }
    }

    fn ids_after(&self) -> HashMap<&str, Vec<u32>> {
        let mut after: HashMap<&str, Vec<u32>> = HashMap::new();
        for number in 0..self.context.store.entries.len() as u32 {
            if let Some(id) = self.id_after(number) {
                after.entry(id).or_default().push(number);
            }
        }
        after
    }

    /// Returns the record that an id leads to after the move, as [`ReferenceIndex::find`] does.
    fn found_after(&self, after: &HashMap<&str, Vec<u32>>, from: u32, id: &str) -> Option<u32> {
        let session = |number: u32| match self.targets.contains_key(&number) {
            true => Some(&self.session.session.path),
            false => self.context.store.session(&self.entry(number)).map(|own| &own.path),
        };
        let own = session(from);
        let state = |number: u32| self.entry(number).state;
        let rank = |number: &u32| (session(*number) != own, state(*number), session(*number), *number);
        after.get(id)?.iter().copied().min_by_key(rank)
    }
}

/// Moves memories to another session of their store.
#[derive(Clone, Debug)]
pub struct MoveMemories {
    /// The other session.
    pub to: String,
}

impl Command for MoveMemories {
    fn rules(&self) -> CommandRules {
        let words = ["moving", "move", "moved"];
        CommandRules { words, is_of_other_sessions: true, ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may_move(store, entry).and_then(|()| goes_elsewhere(store, entry, &self.to))
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        move_records(&input.context, input.entries, &self.to)
    }

    fn effect_on(&self, store: &Store, entry: &Entry, _: &StoredMemory) -> Option<String> {
        let from = store.session(entry).map_or("", |session| session.name.as_str());
        Some(format!("{from} → {}", self.to))
    }

    fn new_value(&self) -> Option<String> {
        Some(self.to.clone())
    }
}
