//! What palimp does while it holds the format's lock, on the disk in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::faulty::{Faulty, Op};
use palimp::disk::host::Host;
use palimp::disk::{Disk, Machine};
use palimp::model::{Extent, Plan, Store};
use palimp::ops::{RecordDraft, WriteContext, add};
use palimp::store::hidden_names::is_ours;
use palimp::store::write::Writer;
use palimp::store::{Place, load_from};

use super::clock::Clock;
use super::part::line;
use super::town::{Deed, Town, logs, planned, text_of};

/// The operations under a lock, and the calls that read there.
#[derive(Clone, Debug, Default)]
struct Held {
    ops: Vec<Op>,
    reads: Vec<String>,
}

struct Room {
    disk: Faulty,
    place: Place,
    clock: Clock,
}

impl Room {
    fn new(format: &'static str) -> Room {
        let town = Town::new(format, 20);
        let disk = Faulty::new();
        copy(&disk, &town.store.path, Path::new("/store"));
        disk.put_folder("/data", 0o700);
        let place = Place::whole("/store".into(), format);
        let room = Room { disk, place, clock: Clock::skipping() };
        // One change first: then the derived files are right, and palimp's folders exist.
        room.carry_out(&room.plan(Deed::Tag("first")));
        room
    }

    fn load(&self) -> Store {
        load_from(&self.disk, &self.place, Extent::All, None, self.clock.now())
    }

    fn plan(&self, deed: Deed<'_>) -> Plan {
        let store = self.load();
        let (log, _) = logs(store.format);
        let entry = *store.entries.iter().rfind(|entry| store.document(entry).path == log).unwrap();
        let context = WriteContext::of(&store, self.clock.now(), [3; 16]);
        planned(&context, &entry, deed).unwrap()
    }

    fn addition(&self) -> Plan {
        let store = self.load();
        let (log, _) = logs(store.format);
        let id = if store.format == "memory-server" { "dddddddd-0000-4000-8000-000000000000" } else { "new" };
        let record = line(store.format, id, "New.", log);
        let kind = if store.format == "memory-server" { "learning" } else { "finding" };
        let draft =
            RecordDraft { session: Some("one"), kind, record: Some(&record), ..RecordDraft::default() };
        let context = WriteContext::of(&store, self.clock.now(), [4; 16]);
        add::add(&context, &draft).unwrap()
    }

    fn carry_out(&self, plan: &Plan) {
        let store = self.load();
        let host =
            Host { disk: &self.disk, machine: &self.clock, data: Path::new("/data"), now: self.clock.now() };
        Writer::open(host, &store).unwrap().commit(plan).unwrap();
    }

    /// Applies a plan. Returns the operations of each time that the lock was held.
    fn held(&self, plan: &Plan) -> Vec<Held> {
        let seen: Arc<Mutex<Vec<(Op, usize)>>> = Arc::default();
        let told = Arc::clone(&seen);
        self.disk.before(move |op, disk| told.lock().unwrap().push((op.clone(), disk.reads().len())));
        self.carry_out(plan);
        let seen = seen.lock().unwrap();
        let reads = self.disk.reads();
        let mut all: Vec<Held> = Vec::new();
        let mut from: Option<usize> = None;
        for (at, (op, _)) in seen.iter().enumerate() {
            match from {
                None if takes(op) => from = Some(at),
                Some(start) if lets_go(op) => {
                    let ops = seen[start + 1..at].iter().map(|(op, _)| op.clone()).collect();
                    all.push(Held { ops, reads: reads[seen[start].1..seen[at].1].to_vec() });
                    from = None;
                }
                _ => {}
            }
        }
        assert!(from.is_none() && !all.is_empty(), "the lock was taken and let go of");
        all
    }
}

fn copy(disk: &Faulty, from: &Path, to: &Path) {
    for item in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, name) = (item.path(), to.join(item.file_name()));
        match item.file_type().unwrap().is_dir() {
            true => copy(disk, &path, &name),
            false => disk.put(name, fs::read(path).unwrap(), 0o600),
        }
    }
}

fn takes(op: &Op) -> bool {
    match op {
        Op::Flock { path, .. } => path.ends_with(".lock"),
        Op::Link { name, .. } => name.ends_with("lock"),
        _ => false,
    }
}

fn lets_go(op: &Op) -> bool {
    match op {
        // The lock's content is removed at the release, and written when it is taken.
        Op::Write { file, bytes } => file.ends_with(".lock") && bytes.is_empty(),
        Op::Remove { file } => file.ends_with("lock"),
        _ => false,
    }
}

#[test]
fn under_the_lock_at_most_two_things_are_made_durable_and_nothing_else_is_read() {
    for format in ["memory-server", "session-log"] {
        let deeds: [fn(&Room) -> Plan; 4] = [
            |room| room.plan(Deed::Text("Edited.")),
            |room| room.addition(),
            |room| room.plan(Deed::Delete),
            |room| room.plan(Deed::Bury),
        ];
        for deed in deeds {
            let room = Room::new(format);
            let plan = deed(&room);
            let changed: Vec<PathBuf> = plan.all().map(|change| room.place.root.join(&change.path)).collect();
            for held in room.held(&plan) {
                let steps: Vec<String> = held.ops.iter().map(Op::to_string).collect();
                let what = format!("{format}, {}: {steps:#?} {:#?}", plan.verb, held.reads);
                let syncs =
                    held.ops.iter().filter(|op| matches!(op, Op::Sync { .. } | Op::SyncFolder { .. }));
                assert!(syncs.count() <= 2, "{what}");
                for read in held.reads.iter().filter_map(|call| call.strip_prefix("read ")) {
                    // The file that was moved out of its place is read too: it may be another program's.
                    let is_out = is_ours(Path::new(read).file_name().unwrap());
                    assert!(
                        is_out || changed.iter().any(|file| file == Path::new(read)),
                        "reads {read}: {what}"
                    );
                }
                for file in &changed {
                    let read = format!("read {}", file.display());
                    // Read once for the comparison, or for the last byte before an append.
                    assert!(held.reads.iter().filter(|call| **call == read).count() <= 1, "{read}: {what}");
                }
                assert!(!held.reads.iter().any(|call| call.starts_with("list")), "{what}");
            }
        }
    }
}

/// An agent replaces the file with `file.tmp` between palimp's comparison and its rename.
fn replaced_by_an_agent(format: &'static str) {
    let room = Room::new(format);
    let (plan, log) = (room.plan(Deed::Text("Edited.")), room.place.root.join(logs(format).0));
    let theirs = line(format, "eeeeeeee-0000-4000-8000-000000000000", "Written meanwhile.", logs(format).0);
    let (file, mut line) = (log.clone(), Some(theirs.clone() + "\n"));
    room.disk.before(move |op, disk| {
        let is_ours = matches!(op, Op::Exchange { other, .. } if *other == file);
        if let Some(line) = line.take_if(|_| is_ours) {
            let mut bytes = disk.read(&file, 0, None).unwrap().0;
            bytes.extend(line.as_bytes());
            let temp = file.with_extension("jsonl.tmp");
            disk.create(&temp, 0o600).unwrap().write(&bytes).unwrap();
            disk.rename(&temp, &file).unwrap();
        }
    });
    room.carry_out(&plan);
    let text = String::from_utf8(room.disk.files()[&log].clone()).unwrap();
    assert_eq!(text.lines().filter(|line| **line == theirs).count(), 1, "{format}: {text}");
    let edited = text.lines().filter(|line| text_of(&serde_json::from_str(line).unwrap()) == "Edited.");
    assert_eq!(edited.count(), 1, "{format}: {text}");
}

#[test]
fn a_file_that_an_agent_put_in_place_right_before_our_rename_is_not_replaced_unseen() {
    ["memory-server", "session-log", "bmad"].into_iter().for_each(replaced_by_an_agent);
}
