//! Every operation that writes, in every format that has it: one line each.

use palimp::format::writing::{FieldAssignment, RecordDraft, Refusal, WriteContext};
use palimp::model::{Entry, Plan, State};
use palimp::ops;
use palimp::ops::delete::DeleteOptions;

use super::stores::{self, Files};

pub type Make = fn(&WriteContext<'_>) -> Result<Plan, Refusal>;

#[derive(Clone, Copy)]
pub enum Do {
    Plan(Make),
    Undo,
    Redo,
}

/// An operation on a store.
pub struct Case {
    /// The format, as on the command line.
    pub format: &'static str,
    pub name: &'static str,
    pub files: fn() -> Files,
    /// Earlier actions in the store.
    pub first: &'static [Do],
    /// The action under test.
    pub act: Do,
}

const fn case(format: &'static str, name: &'static str, files: fn() -> Files, act: Make) -> Case {
    Case { format, name, files, first: &[], act: Do::Plan(act) }
}

const fn turn(name: &'static str, own: &Case, first: &'static [Do], act: Do) -> Case {
    Case { format: own.format, name, files: own.files, first, act }
}

const LOG: &str = "session-log";
const SERVER: &str = "memory-server";

pub const CASES: &[Case] = &[
    case(LOG, "add", stores::sessions, |context| add(context, "finding", Some("sess_a"))),
    case(LOG, "add to an unfinished line", stores::sessions_unfinished, |context| {
        add(context, "finding", Some("sess_a"))
    }),
    case(LOG, "add where no log is", stores::sessions_without_log, |context| {
        add(context, "finding", Some("sess_a"))
    }),
    EDIT_LOG,
    case(LOG, "tag", stores::sessions, |context| tag(context, &["mem_001", "mem_003", "mem_101"])),
    case(LOG, "delete", stores::sessions, |context| delete(context, &["mem_001", "mem_101"], false)),
    case(LOG, "delete where others are", stores::sessions_deleted, |context| {
        delete(context, &["mem_003", "mem_004"], false)
    }),
    REMOVE_LOG,
    case(LOG, "delete one of two that are alike", stores::sessions_doubled, |context| {
        let first = all(context).next().expect("an entry");
        ops::delete::delete(context, &[first], &DeleteOptions { remove: true, ..DeleteOptions::default() })
    }),
    case(LOG, "undelete", stores::sessions_deleted, |context| {
        ops::undelete::undelete(
            context,
            &found(context, &["mem_002"]),
            &palimp::ops::erase::ErasedRecords::default(),
        )
    }),
    case(LOG, "move", stores::sessions, |context| {
        ops::move_records::move_records(context, &found(context, &["mem_002", "mem_003"]), "sess_b")
    }),
    case(LOG, "compact", stores::sessions_deleted, |context| ops::compact::compact(context, None)),
    case(LOG, "session new", stores::sessions, |context| ops::session::new(context, Some("sess_n"), "user")),
    DROP_LOG,
    case(LOG, "reindex", stores::sessions_stale, ops::reindex::reindex),
    case(LOG, "repair", stores::sessions_broken, repair),
    case(LOG, "init", stores::nothing, init),
    turn("undo of edit", &EDIT_LOG, &[edit_log()], Do::Undo),
    turn("redo of edit", &EDIT_LOG, &[edit_log(), Do::Undo], Do::Redo),
    turn("undo of remove", &REMOVE_LOG, &[REMOVE_LOG.act], Do::Undo),
    turn("undo of session delete", &DROP_LOG, &[DROP_LOG.act], Do::Undo),
    turn("redo of session delete", &DROP_LOG, &[DROP_LOG.act, Do::Undo], Do::Redo),
    case(SERVER, "add", stores::memories, |context| add(context, "learning", None)),
    case(SERVER, "edit", stores::memories, |context| edit(context, C1)),
    case(SERVER, "tag", stores::memories, |context| tag(context, &[C1, L1])),
    case(SERVER, "delete", stores::memories, |context| delete(context, &[C1, L2], false)),
    ARCHIVE,
    case(SERVER, "archive behind others", stores::memories_archived, |context| {
        ops::archive::archive(context, &found(context, &[L2]))
    }),
    UNARCHIVE,
    case(SERVER, "compact", stores::memories_old, |context| ops::compact::compact(context, None)),
    case(SERVER, "reindex", stores::memories_stale, ops::reindex::reindex),
    case(SERVER, "repair", stores::memories_broken, repair),
    case(SERVER, "init", stores::nothing, init),
    turn("undo of archive", &ARCHIVE, &[ARCHIVE.act], Do::Undo),
    turn("redo of archive", &ARCHIVE, &[ARCHIVE.act, Do::Undo], Do::Redo),
    turn("undo of unarchive", &UNARCHIVE, &[UNARCHIVE.act], Do::Undo),
];

const fn edit_log() -> Do {
    EDIT_LOG.act
}

const EDIT_LOG: Case = case(LOG, "edit", stores::sessions, |context| edit(context, "mem_002"));
const REMOVE_LOG: Case =
    case(LOG, "delete with remove", stores::sessions_deleted, |context| delete(context, &["mem_001"], true));
const DROP_LOG: Case =
    case(LOG, "session delete", stores::sessions_deleted, |context| ops::session::delete(context, "sess_a"));
const ARCHIVE: Case = case(SERVER, "archive", stores::memories, |context| {
    ops::archive::archive(context, &found(context, &[C1, L1, L2]))
});
const UNARCHIVE: Case = case(SERVER, "unarchive", stores::memories_archived, |context| {
    let archived: Vec<Entry> = all(context).filter(|entry| entry.state == State::Archived).collect();
    ops::archive::unarchive(context, &archived)
});

const C1: &str = "00000000-0000-4000-8000-0000000000c1";
const L1: &str = "00000000-0000-4000-8000-0000000000a1";
const L2: &str = "00000000-0000-4000-8000-0000000000a2";

pub fn named(format: &str, name: &str) -> &'static Case {
    CASES.iter().find(|case| case.format == format && case.name == name).expect(name)
}

fn all<'a>(context: &'a WriteContext<'_>) -> impl Iterator<Item = Entry> + 'a {
    context.store.entries.iter().copied()
}

pub fn found(context: &WriteContext<'_>, ids: &[&str]) -> Vec<Entry> {
    let named = |entry: &Entry| {
        let id = context.store.id(entry);
        id.is_some_and(|id| ids.contains(&id))
    };
    let found: Vec<Entry> = all(context).filter(named).collect();
    assert_eq!(found.len(), ids.len(), "{ids:?}");
    found
}

fn add(context: &WriteContext<'_>, kind: &str, session: Option<&str>) -> Result<Plan, Refusal> {
    let tags = ["fresh".to_owned()];
    let text = Some("What came last.");
    ops::add::add(
        context,
        &RecordDraft { session, kind, text, tags: &tags, importance: Some(0.9), record: None },
    )
}

fn edit(context: &WriteContext<'_>, id: &str) -> Result<Plan, Refusal> {
    let set = FieldAssignment { name: "text", value: "Another text, and a longer one than before." };
    ops::edit::edit(context, &found(context, &[id])[0], &[set])
}

fn tag(context: &WriteContext<'_>, ids: &[&str]) -> Result<Plan, Refusal> {
    crate::support::plans::tag(context, &found(context, ids), &["marked".to_owned()], &[])
}

fn delete(context: &WriteContext<'_>, ids: &[&str], remove: bool) -> Result<Plan, Refusal> {
    ops::delete::delete(context, &found(context, ids), &DeleteOptions { remove, ..DeleteOptions::default() })
}

fn repair(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    Ok(crate::support::plans::all_safe(context)?.plan.expect("something to be repaired"))
}

fn init(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::init::init(context.store.format, &context.store.root, context.now)
}
