//! Actions in a store while other programs write to it: every verb that changes something, and its formats.

use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::disk::Disk;
use palimp::format::writing::{FieldAssignment, RecordDraft, Refusal};
use palimp::model::{Code, Entry, Moment, Plan, Role, State, Store};
use palimp::ops::backup_restore::CopyFacts;
use palimp::ops::delete::DeleteOptions;
use palimp::ops::erase::ErasedRecords;
use palimp::ops::repair::{RepairContext, RepairSources, RepairTarget};
use palimp::ops::{self, WriteContext};

pub type Make = fn(&WriteContext<'_>) -> Result<Plan, Refusal>;

/// An action in a store, after the actions in `first`.
pub struct Deed {
    pub name: &'static str,
    pub first: &'static [First],
    pub act: Doing,
    pub formats: &'static [&'static str],
}

#[derive(Clone, Copy)]
pub enum Doing {
    Plan(Make),
    Undo,
    Redo,
    Erase,
}

/// An earlier action, of palimp or of another program.
#[derive(Clone, Copy)]
pub enum First {
    Plan(Make),
    Undo,
    /// The store is an empty folder.
    Nothing,
    Other(fn(&Faulty, &Path, &Store)),
}

pub const FORMATS: [&str; 5] = [SERVER, LOG, BMAD, A_MEM, BUNDLE];

const SERVER: &str = "memory-server";
const LOG: &str = "session-log";
const BMAD: &str = "bmad";
const A_MEM: &str = "a-mem";
const BUNDLE: &str = "agent-memory";

/// After decades, everything is due.
const LATER: i64 = 25_000 * 86_400_000_000;

const fn plain(name: &'static str, make: Make, formats: &'static [&'static str]) -> Deed {
    Deed { name, first: &[], act: Doing::Plan(make), formats }
}

const fn after(
    name: &'static str,
    first: &'static [First],
    act: Doing,
    formats: &'static [&'static str],
) -> Deed {
    Deed { name, first, act, formats }
}

const ADDS: &[&str] = &[SERVER, LOG, BMAD, A_MEM];
const SESSIONS: &[&str] = &[LOG, BMAD];

pub const DEEDS: &[Deed] = &[
    plain("add", |context| add(context, 0), ADDS),
    plain("add of another kind", |context| add(context, 1), ADDS),
    plain("edit", edit, &FORMATS),
    plain("tag", tag, ADDS),
    plain("tag rename", rename, ADDS),
    plain(
        "importance",
        |context| crate::support::plans::importance(context, &some(context)?[0], 0.25),
        &[SERVER, LOG, A_MEM],
    ),
    plain("delete", |context| delete(context, false), &FORMATS),
    plain("delete with remove", |context| delete(context, true), &FORMATS),
    plain("archive", archive, &[SERVER, A_MEM, BUNDLE]),
    after(
        "archive of what is deprecated",
        &[First::Plan(|context| delete(context, false))],
        Doing::Plan(archive_deprecated),
        &[A_MEM],
    ),
    plain("session new", |context| ops::session::new(context, Some(new_session(context)), "user"), SESSIONS),
    plain("session delete", |context| ops::session::delete(context, &session(context)?), SESSIONS),
    plain("session archive", |context| ops::session::archive(context, &session(context)?), &[BMAD]),
    after("session unarchive", &[First::Plan(pack)], Doing::Plan(unpack), &[BMAD]),
    after("move", &[First::Plan(second_session)], Doing::Plan(move_one), SESSIONS),
    plain("compact", compact, &[SERVER, BMAD, BUNDLE]),
    after(
        "compact of what is deleted",
        &[First::Plan(|context| delete(context, false))],
        Doing::Plan(compact),
        &[SERVER, LOG, BMAD],
    ),
    plain("decay", |context| ops::maintain::decay(&later(context)), SESSIONS),
    plain("access", |context| ops::access::access(context, &some(context)?[0]), &[SERVER, LOG, BMAD]),
    after("maintain", &[First::Other(keep_up)], Doing::Plan(maintain), &FORMATS),
    plain("restore", |context| restore(context, false), &FORMATS),
    plain("restore of a whole file", |context| restore(context, true), &FORMATS),
    after("reindex", &[First::Other(disagree)], Doing::Plan(ops::reindex::reindex), &FORMATS),
    after("repair", &[First::Other(tear)], Doing::Plan(repair), &FORMATS),
    after("init", &[First::Nothing], Doing::Plan(init), ADDS),
    plain("erase", |_| Err(nothing()), &FORMATS).erases(),
    after("undelete", &[First::Plan(|context| delete(context, false))], Doing::Plan(undelete), &[LOG, A_MEM]),
    after("unarchive", &[First::Plan(archive)], Doing::Plan(unarchive), &[SERVER, A_MEM]),
    after("undo of edit", &[First::Plan(edit)], Doing::Undo, &FORMATS),
    after("redo of edit", &[First::Plan(edit), First::Undo], Doing::Redo, &FORMATS),
    after("undo of delete", &[First::Plan(|context| delete(context, true))], Doing::Undo, &FORMATS),
    after("undo of archive", &[First::Plan(archive)], Doing::Undo, &[SERVER, A_MEM, BUNDLE]),
    after("undo of session archive", &[First::Plan(pack)], Doing::Undo, &[BMAD]),
];

/// An edit that removes the oldest copy of a file.
pub const ROTATES: Deed = after(
    "edit that drops a copy",
    &[
        First::Plan(edit),
        First::Other(|disk, root, _| {
            let copy = |path: &PathBuf| path.starts_with(root.join(".backup"));
            let own =
                disk.files().into_iter().find(|(path, _)| copy(path)).map(|own| own.1).unwrap_or_default();
            for day in 1..=5 {
                let name = format!(".backup/learnings.jsonl.backup.1970010{day}_000000");
                disk.put(root.join(name), own.clone(), 0o600);
            }
        }),
    ],
    Doing::Plan(tag),
    &[SERVER],
);

impl Deed {
    const fn erases(self) -> Deed {
        Deed { act: Doing::Erase, ..self }
    }
}

fn kinds(format: &str) -> [&'static str; 2] {
    match format {
        SERVER => ["learning", "task"],
        A_MEM => ["note", "event"],
        _ => ["finding", "decision"],
    }
}

pub const TEXT: &str = "A memory that is new, and says so at some length.";

pub fn add(context: &WriteContext<'_>, kind: usize) -> Result<Plan, Refusal> {
    let session = context.store.sessions.first().map(|own| own.name.as_str());
    let (tags, kind) = (["fresh".to_owned()], kinds(context.store.format)[kind]);
    let session = session.filter(|_| ![SERVER, A_MEM].contains(&context.store.format));
    let tags = &tags[..usize::from(kind != "event")];
    let importance = (kind != "event" && context.store.format != BMAD).then_some(0.5);
    ops::add::add(context, &RecordDraft { session, kind, text: Some(TEXT), tags, importance, record: None })
}

/// The name of a session that does not exist.
pub fn new_session(context: &WriteContext<'_>) -> &'static str {
    match (context.store.format, context.store.sessions.is_empty()) {
        (LOG, true) => "sess_one",
        (LOG, false) => "sess_two",
        (_, true) => "one",
        (_, false) => "two",
    }
}

pub fn nothing() -> Refusal {
    Refusal::unfit("nothing to be done")
}

fn live(context: &WriteContext<'_>) -> Vec<Entry> {
    context.store.entries.iter().filter(|entry| entry.state == State::Live).copied().collect()
}

/// Returns a record that is not the last of its file and can be changed.
fn some(context: &WriteContext<'_>) -> Result<Vec<Entry>, Refusal> {
    let can = |entry: &Entry| crate::support::plans::tag(context, &[*entry], &["x".into()], &[]).is_ok();
    let found: Vec<Entry> = live(context).into_iter().filter(can).take(1).collect();
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}

fn first_of(mut plans: impl Iterator<Item = Plan>) -> Result<Plan, Refusal> {
    plans.find(|plan| !plan.is_empty()).ok_or_else(nothing)
}

fn edit(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let name = match context.store.format {
        BUNDLE => "title",
        _ => "text",
    };
    let set = [FieldAssignment { name, value: "Another text, and a longer one than before." }];
    first_of(live(context).iter().filter_map(|entry| ops::edit::edit(context, entry, &set).ok()))
}

fn tag(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    crate::support::plans::tag(context, &some(context)?, &["marked".to_owned()], &[])
}

fn rename(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let renaming = ops::tag::RenameTag { from: "fresh".to_owned(), to: "stale".to_owned() };
    crate::support::plans::of(context, &some(context)?, &renaming)
}

fn delete(context: &WriteContext<'_>, remove: bool) -> Result<Plan, Refusal> {
    let asked = DeleteOptions { remove, ..DeleteOptions::default() };
    first_of(live(context).iter().filter_map(|entry| ops::delete::delete(context, &[*entry], &asked).ok()))
}

fn archive(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let context = if context.store.format == A_MEM { &later(context) } else { context };
    first_of(live(context).iter().rev().filter_map(|entry| ops::archive::archive(context, &[*entry]).ok()))
}

fn archive_deprecated(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let all = context.store.entries.iter();
    let own = all.filter(|own| context.store.document(own).path.extension().is_some_and(|end| end == "md"));
    first_of(own.filter_map(|entry| ops::archive::archive(&later(context), &[*entry]).ok()))
}

fn compact(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::compact::compact(&later(context), None)
}

fn unarchive(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let own = context.store.entries.iter().filter(|entry| entry.state == State::Archived);
    ops::archive::unarchive(context, &own.copied().collect::<Vec<_>>())
}

fn undelete(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let all = context.store.entries.iter();
    first_of(
        all.filter_map(|entry| ops::undelete::undelete(context, &[*entry], &ErasedRecords::default()).ok()),
    )
}

fn session(context: &WriteContext<'_>) -> Result<String, Refusal> {
    context.store.sessions.first().map(|own| own.name.clone()).ok_or_else(nothing)
}

fn second_session(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::session::new(context, Some(new_session(context)), "user")
}

/// Moves a memory to the session that has none.
fn move_one(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let is_full = |number: usize| context.store.entries.iter().any(|own| own.session == Some(number as u32));
    let mut sessions = context.store.sessions.iter().enumerate();
    let (_, to) = sessions.find(|(number, _)| !is_full(*number)).ok_or_else(nothing)?;
    ops::move_records::move_records(context, &some(context)?, &to.name)
}

fn pack(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::session::archive(context, &session(context)?)
}

fn unpack(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let packed = context.compressed_files.values().next().ok_or_else(nothing)?;
    ops::session::unarchive(context, &session(context)?, false, packed)
}

/// Like `context`, long after.
fn later<'a>(context: &WriteContext<'a>) -> WriteContext<'a> {
    WriteContext { now: Moment(context.now.0 + LATER), ..*context }
}

fn maintain(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    first_of(ops::maintain::due(&later(context))?.into_iter().map(|(plan, _)| plan))
}

/// Sets a config that has decay factors written.
fn keep_up(disk: &Faulty, root: &Path, store: &Store) {
    if store.format == LOG {
        let config =
            "{\"version\": \"1.0\", \"decay\": {\"enabled\": true, \"update_interval_minutes\": 60}}\n";
        disk.put(root.join("config.json"), config, 0o600);
    }
}

/// Restores a copy of a file in which a record has another text.
fn restore(context: &WriteContext<'_>, is_whole: bool) -> Result<Plan, Refusal> {
    let edited = edit(context)?;
    let plans = edited.changes.iter().filter_map(|change| {
        let (file, copy, facts) = (&change.path, change.after()?, CopyFacts::default());
        let compared = ops::backup_restore::compare(context, file, &copy, &facts).ok()?;
        let chosen = compared.items.iter().filter(|item| item.can_come).map(|item| item.at).collect();
        let is_whole = is_whole || compared.whole_only.is_some();
        ops::backup_restore::bring_back(context, &compared, (&chosen, is_whole), &copy, &facts).ok()
    });
    first_of(plans)
}

fn repair(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let material = RepairSources::default();
    let torn = RepairTarget::Code(Code::TornLine);
    ops::repair::chosen(&RepairContext::of(context, &material, []), &torn)?.plan.ok_or_else(nothing)
}

fn init(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::init::init(context.store.format, &context.store.root, context.now)
}

/// Makes derived files disagree with their sources.
fn disagree(disk: &Faulty, root: &Path, store: &Store) {
    let derived = |own: &PathBuf| {
        own.file_name().is_some_and(|name| {
            ["index.json", "metadata.json", "tags.json", "current-focus.md", "AGENTS.md"]
                .iter()
                .any(|own| name == *own)
        })
    };
    let below = root.parent().filter(|_| store.format == BUNDLE).unwrap_or(root);
    for (path, bytes) in disk.files().into_iter().filter(|(path, _)| path.starts_with(below) && derived(path))
    {
        let text = String::from_utf8_lossy(&bytes).replace(": 3", ": 8").replace("fresh", "other");
        let text = text.replace("bundleHash=", "bundleHash=00");
        disk.put(path, text, 0o600);
    }
}

/// Tears a line, or makes an index disagree if no log exists.
fn tear(disk: &Faulty, root: &Path, store: &Store) {
    let is_log = |path: &Path| path.extension().is_some_and(|end| end == "jsonl");
    let mut logs = store.documents.iter().filter(|own| own.role == Role::Records && is_log(&own.path));
    match logs.next_back() {
        Some(own) => {
            let torn = [&own.bytes[..], b"{\"id\":\"torn-off\",\"con\n"].concat();
            disk.put(root.join(&own.path), torn, 0o600);
        }
        None => disagree(disk, root, store),
    }
}

pub fn bytes_of(disk: &Faulty, file: &Path) -> Option<Vec<u8>> {
    disk.read(file, 0, None).ok().map(|(bytes, _)| bytes)
}
