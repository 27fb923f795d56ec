//! Actions in a store while other programs write to it: every verb that changes something, and its formats.

use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::disk::Disk;
use palimp::format::writing::{FieldAssignment, RecordDraft, Refusal};
use palimp::model::{Code, Entry, Moment, Plan, Role, State, Store};
use palimp::ops::backup_restore::CopyFacts;
use palimp::ops::delete::DeleteRequest;
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
    plain("add", |scene| add(scene, 0), ADDS),
    plain("add of another kind", |scene| add(scene, 1), ADDS),
    plain("edit", edit, &FORMATS),
    plain("tag", tag, ADDS),
    plain("tag rename", rename, ADDS),
    plain(
        "importance",
        |scene| ops::set_field::importance(scene, &some(scene)?[0], 0.25),
        &[SERVER, LOG, A_MEM],
    ),
    plain("delete", |scene| delete(scene, false), &FORMATS),
    plain("delete with remove", |scene| delete(scene, true), &FORMATS),
    plain("archive", archive, &[SERVER, A_MEM, BUNDLE]),
    after(
        "archive of what is deprecated",
        &[First::Plan(|scene| delete(scene, false))],
        Doing::Plan(archive_deprecated),
        &[A_MEM],
    ),
    plain("session new", |scene| ops::session::new(scene, Some(new_session(scene)), "user"), SESSIONS),
    plain("session delete", |scene| ops::session::delete(scene, &session(scene)?), SESSIONS),
    plain("session archive", |scene| ops::session::archive(scene, &session(scene)?), &[BMAD]),
    after("session unarchive", &[First::Plan(pack)], Doing::Plan(unpack), &[BMAD]),
    plain("compact", compact, &[SERVER, BMAD, BUNDLE]),
    after(
        "compact of what is deleted",
        &[First::Plan(|scene| delete(scene, false))],
        Doing::Plan(compact),
        &[SERVER, LOG, BMAD],
    ),
    plain("decay", |scene| ops::decay::decay(&later(scene)), SESSIONS),
    plain("access", |scene| ops::access::access(scene, &some(scene)?[0]), &[SERVER, LOG, BMAD]),
    after("maintain", &[First::Other(keep_up)], Doing::Plan(maintain), &FORMATS),
    plain("restore", |scene| restore(scene, false), &FORMATS),
    plain("restore of a whole file", |scene| restore(scene, true), &FORMATS),
    after("reindex", &[First::Other(disagree)], Doing::Plan(ops::reindex::reindex), &FORMATS),
    after("repair", &[First::Other(tear)], Doing::Plan(repair), &FORMATS),
    after("init", &[First::Nothing], Doing::Plan(init), ADDS),
    plain("erase", |_| Err(nothing()), &FORMATS).erases(),
    after("undelete", &[First::Plan(|scene| delete(scene, false))], Doing::Plan(undelete), &[LOG, A_MEM]),
    after("unarchive", &[First::Plan(archive)], Doing::Plan(unarchive), &[SERVER, A_MEM]),
    after("undo of edit", &[First::Plan(edit)], Doing::Undo, &FORMATS),
    after("redo of edit", &[First::Plan(edit), First::Undo], Doing::Redo, &FORMATS),
    after("undo of delete", &[First::Plan(|scene| delete(scene, true))], Doing::Undo, &FORMATS),
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

pub fn add(scene: &WriteContext<'_>, kind: usize) -> Result<Plan, Refusal> {
    let session = scene.store.sessions.first().map(|own| own.name.as_str());
    let (tags, kind) = (["fresh".to_owned()], kinds(scene.store.format)[kind]);
    let session = session.filter(|_| ![SERVER, A_MEM].contains(&scene.store.format));
    let tags = &tags[..usize::from(kind != "event")];
    let importance = (kind != "event" && scene.store.format != BMAD).then_some(0.5);
    ops::add::add(scene, &RecordDraft { session, kind, text: Some(TEXT), tags, importance, record: None })
}

/// The name of a session that does not exist.
pub fn new_session(scene: &WriteContext<'_>) -> &'static str {
    match (scene.store.format, scene.store.sessions.is_empty()) {
        (LOG, true) => "sess_one",
        (LOG, false) => "sess_two",
        (_, true) => "one",
        (_, false) => "two",
    }
}

pub fn nothing() -> Refusal {
    Refusal::unfit("nothing to be done")
}

fn live(scene: &WriteContext<'_>) -> Vec<Entry> {
    scene.store.entries.iter().filter(|entry| entry.state == State::Live).copied().collect()
}

/// Returns a record that is not the last of its file and can be changed.
fn some(scene: &WriteContext<'_>) -> Result<Vec<Entry>, Refusal> {
    let can = |entry: &Entry| ops::tag::tag(scene, &[*entry], &["x".into()], &[]).is_ok();
    let found: Vec<Entry> = live(scene).into_iter().filter(can).take(1).collect();
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}

fn first_of(mut plans: impl Iterator<Item = Plan>) -> Result<Plan, Refusal> {
    plans.find(|plan| !plan.is_empty()).ok_or_else(nothing)
}

fn edit(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let name = match scene.store.format {
        BUNDLE => "title",
        _ => "text",
    };
    let set = [FieldAssignment { name, value: "Another text, and a longer one than before." }];
    first_of(live(scene).iter().filter_map(|entry| ops::edit::edit(scene, entry, &set).ok()))
}

fn tag(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::tag::tag(scene, &some(scene)?, &["marked".to_owned()], &[])
}

fn rename(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let tagging = ops::tag::TagChange::Rename { from: "fresh", to: "stale" };
    ops::tag::tagged(scene, &some(scene)?, tagging, &ops::Progress::default())
}

fn delete(scene: &WriteContext<'_>, remove: bool) -> Result<Plan, Refusal> {
    let asked = DeleteRequest { remove, ..DeleteRequest::default() };
    first_of(live(scene).iter().filter_map(|entry| ops::delete::delete(scene, &[*entry], asked).ok()))
}

fn archive(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let scene = if scene.store.format == A_MEM { &later(scene) } else { scene };
    first_of(live(scene).iter().rev().filter_map(|entry| ops::archive::archive(scene, &[*entry]).ok()))
}

fn archive_deprecated(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let all = scene.store.entries.iter();
    let own = all.filter(|own| scene.store.document(own).path.extension().is_some_and(|end| end == "md"));
    first_of(own.filter_map(|entry| ops::archive::archive(&later(scene), &[*entry]).ok()))
}

fn compact(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::compact::compact(&later(scene), None)
}

fn unarchive(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let own = scene.store.entries.iter().filter(|entry| entry.state == State::Archived);
    ops::archive::unarchive(scene, &own.copied().collect::<Vec<_>>())
}

fn undelete(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let all = scene.store.entries.iter();
    first_of(
        all.filter_map(|entry| ops::undelete::undelete(scene, &[*entry], &ErasedRecords::default()).ok()),
    )
}

fn session(scene: &WriteContext<'_>) -> Result<String, Refusal> {
    scene.store.sessions.first().map(|own| own.name.clone()).ok_or_else(nothing)
}

fn pack(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::session::archive(scene, &session(scene)?)
}

fn unpack(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let packed = scene.compressed_files.values().next().ok_or_else(nothing)?;
    ops::session::unarchive(scene, &session(scene)?, false, packed)
}

/// Like `scene`, long after.
fn later<'a>(scene: &WriteContext<'a>) -> WriteContext<'a> {
    WriteContext { now: Moment(scene.now.0 + LATER), ..*scene }
}

fn maintain(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    first_of(ops::maintain::due(&later(scene))?.into_iter().map(|(plan, _)| plan))
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
fn restore(scene: &WriteContext<'_>, is_whole: bool) -> Result<Plan, Refusal> {
    let edited = edit(scene)?;
    let plans = edited.changes.iter().filter_map(|change| {
        let (file, copy, facts) = (&change.path, change.after()?, CopyFacts::default());
        let compared = ops::backup_restore::compare(scene, file, &copy, &facts).ok()?;
        let chosen = compared.items.iter().filter(|item| item.can_come).map(|item| item.at).collect();
        let is_whole = is_whole || compared.whole_only.is_some();
        ops::backup_restore::bring_back(scene, &compared, (&chosen, is_whole), &copy, &facts).ok()
    });
    first_of(plans)
}

fn repair(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let material = RepairSources::default();
    let torn = RepairTarget::Code(Code::TornLine);
    ops::repair::chosen(&RepairContext::of(scene, &material, []), &torn)?.plan.ok_or_else(nothing)
}

fn init(scene: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::init::init(scene.store.format, &scene.store.root, scene.now)
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

/// Returns a file's bytes, if it exists.
pub fn bytes_of(disk: &Faulty, file: &Path) -> Option<Vec<u8>> {
    disk.read(file, 0, None).ok().map(|(bytes, _)| bytes)
}
