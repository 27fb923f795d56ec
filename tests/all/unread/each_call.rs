//! One reading call fails, at each place: the change is refused, or has the same result as otherwise.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::disk::host::Host;
use palimp::format::writing::{FieldAssignment, RecordDraft, Refusal, WriteContext};
use palimp::model::{CommitReceipt, Entry, Extent, Moment, Plan, State, Store};
use palimp::store::write::Writer;
use palimp::store::{CommitError, FilesState, Place, load_from};
use palimp::{demo, ops};

use crate::crash::machine::Still;

const HOME: &str = "/home/demo";
const DATA: &str = "/home/data";
/// The disk in memory counts its changes from 1970 on; the demo was written a day before.
const NOW: Moment = Moment(400 * 86_400_000_000);
/// The short form lets one of this many calls fail.
const SAMPLED: usize = 97;

type Make = fn(&WriteContext<'_>) -> Result<Plan, Refusal>;

/// The verbs to try, each in a store of the demo.
const TRIED: [(&str, &str, &str, Make); 8] = [
    ("memory-server", "team/memories", "add", add),
    ("memory-server", "team/memories", "edit", edit),
    ("session-log", "ops/memory", "add", add),
    ("session-log", "ops/memory", "delete", delete),
    ("agent-memory", "web/.agent-memory", "edit", edit),
    ("bmad", "shop/.bmad/memory", "add", add),
    ("bmad", "shop/.bmad/memory", "edit", edit),
    ("a-mem", "notes/.chora/memory", "edit", edit),
];

fn live(store: &Store) -> &Entry {
    let may = |entry: &&Entry| {
        let edited = ops::may(store, entry, ops::Operation::Edit).is_ok();
        entry.state == State::Live && edited && store.memory(entry).is_some_and(|view| view.id().is_some())
    };
    store.entries.iter().find(may).unwrap()
}

fn add(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let session = context.store.session(live(context.store)).map(|own| own.name.as_str());
    let kind = if context.store.format == "memory-server" { "learning" } else { "finding" };
    let draft = RecordDraft { session, kind, text: Some("New."), tags: &[], importance: None, record: None };
    ops::add::add(context, &draft)
}

fn edit(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::edit::edit(context, live(context.store), &[FieldAssignment { name: "text", value: "New." }])
}

fn delete(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    ops::delete::delete(context, &[*live(context.store)], &Default::default())
}

fn disk() -> Faulty {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    for (path, bytes) in demo::stores(1, NOW.plus(-86_400_000_000)) {
        disk.put(Path::new(HOME).join(path), bytes, 0o600);
    }
    disk
}

/// The demo's files without locks and watched second names, which stay if palimp can't look at them.
fn standing(disk: &Faulty) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_ours = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".palimp-old") || name.ends_with(".palimp-tmp") || name.ends_with("lock")
    };
    let files = disk.files().into_iter();
    files.filter(|(path, _)| path.starts_with(HOME) && !is_ours(path)).collect()
}

/// Makes the change as the verbs do: plan, take the store, plan again, apply.
fn changed(
    disk: &Faulty,
    format: &'static str,
    root: &str,
    make: Make,
) -> Result<CommitReceipt, CommitError> {
    let machine = Still::first();
    let place = Place::whole(Path::new(HOME).join(root), format);
    let store = load_from(disk, &place, Extent::All, None, NOW);
    let planned = |store: &Store| {
        store.whole()?;
        make(&WriteContext::of(store, NOW, [7; 16]))
    };
    planned(&store)?;
    let host = Host { disk, machine: &machine, data: Path::new(DATA), now: NOW };
    let writer = Writer::open(host, &store)?;
    let plan = planned(&writer.load())?;
    writer.commit(&plan)
}

#[test]
fn where_any_one_call_that_reads_fails_a_change_is_refused_or_comes_to_the_same() {
    let step = crate::support::tries::count(SAMPLED, 1);
    let (begun, mut wrong) = (disk(), Vec::new());
    for (number, (format, root, verb, make)) in TRIED.into_iter().enumerate() {
        let whole = begun.restart();
        let before = standing(&whole);
        changed(&whole, format, root, make).unwrap();
        let (after, calls) = (standing(&whole), whole.reads());
        assert_ne!(before, after, "{format} {verb}");
        for call in (number % step..calls.len()).step_by(step) {
            let disk = begun.restart();
            disk.fail_reads(call, Fault::Error(Errno::IO));
            let outcome = changed(&disk, format, root, make);
            let now = standing(&disk);
            let is_right = match &outcome {
                Ok(_) => now == after,
                Err(error) if error.files() == FilesState::Halfway => true,
                Err(_) => now == before,
            };
            if !is_right {
                let right = if outcome.is_ok() { &after } else { &before };
                let differs: Vec<_> = now
                    .iter()
                    .filter(|(path, bytes)| right.get(*path) != Some(bytes))
                    .map(|own| own.0)
                    .collect();
                wrong.push(format!(
                    "{format} {verb}, {}: {:?}, {differs:?}",
                    calls[call],
                    outcome.map(|own| own.notes)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Starts as each verb does: finishes what was interrupted.
fn started(disk: &Faulty, machine: &Still, format: &'static str, root: &str) -> bool {
    let place = Place::whole(Path::new(HOME).join(root), format);
    let store = load_from(disk, &place, Extent::All, None, NOW);
    Writer::open(Host { disk, machine, data: Path::new(DATA), now: NOW }, &store).is_ok()
}

fn folders(disk: &Faulty) -> Vec<PathBuf> {
    disk.folders().into_iter().filter(|own| own.starts_with(HOME)).collect()
}

/// The short form tries one of this many kills, and one of this many reading calls.
const KILLS: usize = 71;
const READS: usize = 37;

#[test]
fn where_any_one_call_fails_that_reads_for_going_on_with_a_change_the_next_start_makes_it_good() {
    let (kills, reads) = crate::support::tries::count((KILLS, READS), (3, 2));
    let (begun, mut wrong, mut count) = (disk(), Vec::new(), 0);
    for (number, (format, root, verb, make)) in TRIED.into_iter().enumerate() {
        let whole = begun.restart();
        changed(&whole, format, root, make).unwrap();
        for kill in (number % kills..whole.steps()).step_by(kills) {
            let disk = begun.restart();
            disk.fail_at(kill, Fault::Crash);
            drop(changed(&disk, format, root, make));
            let cut = disk.restart();
            let clean = cut.restart();
            assert!(started(&clean, &Still::between(), format, root), "{format} {verb} {kill}");
            let calls = clean.reads();
            assert!(started(&clean, &Still::next(), format, root));
            let right = (standing(&clean), folders(&clean));
            for call in ((number + kill) % reads..calls.len()).step_by(reads) {
                let disk = cut.restart();
                disk.fail_reads(call, Fault::Error(Errno::IO));
                started(&disk, &Still::between(), format, root);
                assert!(started(&disk, &Still::next(), format, root));
                count += 1;
                if (standing(&disk), folders(&disk)) != right {
                    let now = standing(&disk);
                    let differs: Vec<_> = right
                        .0
                        .iter()
                        .filter(|(path, own)| now.get(*path) != Some(own))
                        .map(|own| own.0)
                        .collect();
                    wrong.push(format!("{format} {verb}, killed at {kill}, {}: {differs:?}", calls[call]));
                }
            }
        }
    }
    eprintln!("{count} starts");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
