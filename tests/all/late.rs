//! Late writes to files and leftovers of failed changes, on a disk that does not know who has files open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use crate::support::plans::tag;
use palimp::disk::host::Host;
use palimp::disk::{Disk, Owner};
use palimp::format::writing::WriteContext;
use palimp::model::{Entry, Extent, Moment, Plan, State, Store};
use palimp::ops::delete::{DeleteOptions, delete};
use palimp::store::{Place, load_from, write::Writer};

use crate::crash::after_read::AfterRead;
use crate::crash::machine::Still;

const HOME: &str = "/home/demo";

fn now() -> Moment {
    Moment::parse("2026-03-01T12:00:00Z").unwrap().0
}

/// A store of the demo on a disk.
struct Desk {
    disk: Faulty,
    place: Place,
}

impl Desk {
    fn new(format: &'static str, root: &str) -> Desk {
        let disk = Faulty::new();
        disk.put_folder("/data", 0o700);
        for (path, bytes) in palimp::demo::stores(1, now()) {
            disk.put(Path::new(HOME).join(path), bytes, 0o600);
        }
        Desk { disk, place: Place::whole(Path::new(HOME).join(root), format) }
    }

    fn load(&self) -> Store {
        load_from(&self.disk, &self.place, Extent::All, None, now())
    }

    fn first(&self, store: &Store, end: &str) -> Entry {
        let is_it = |own: &&Entry| {
            own.state == State::Live && store.document(own).path.to_str().unwrap().ends_with(end)
        };
        *store.entries.iter().find(is_it).unwrap()
    }

    fn change(
        &self,
        machine: &Still,
        end: &str,
        plan: impl Fn(&WriteContext<'_>, Entry) -> Plan,
    ) -> Result<(), String> {
        let store = self.load();
        let context = WriteContext::of(&store, now(), [7; 16]);
        let plan = plan(&context, self.first(&store, end));
        let host = Host { disk: &self.disk, machine, data: Path::new("/data"), now: now() };
        let writer = Writer::open(host, &store).unwrap();
        writer.commit(&plan).map(drop).map_err(|error| error.to_string())
    }

    fn next(&self) {
        let store = self.load();
        let machine = Still::next();
        let host = Host { disk: &self.disk, machine: &machine, data: Path::new("/data"), now: now() };
        drop(Writer::open(host, &store).unwrap());
    }

    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.disk.files().into_iter().filter(|(path, _)| path.starts_with(&self.place.root)).collect()
    }
}

fn tagged(context: &WriteContext<'_>, entry: Entry) -> Plan {
    tag(context, &[entry], &["marked".to_owned()], &[]).unwrap()
}

#[test]
fn a_change_that_fails_leaves_nothing_where_it_made_a_copy_first() {
    let desk = Desk::new("memory-server", "team/memories");
    let files = desk.files();
    let root = desk.place.root.clone();
    // A folder in which nothing can be created, with a folder in it in which copies can.
    let disk = Faulty::new();
    disk.put_folder("/data", 0o700);
    disk.put_folder(&root, 0o500);
    disk.put_folder(root.join(".backup"), 0o700);
    files.iter().for_each(|(path, bytes)| disk.put(path, bytes.clone(), 0o600));
    disk.put(root.join(".lock"), "", 0o600);
    let desk = Desk { disk, ..desk };
    let before = desk.files();
    for _ in 0..3 {
        desk.change(&Still::first(), "learnings.jsonl", tagged).expect_err("it can't be written");
        assert_eq!(desk.files(), before);
    }
}

#[test]
fn a_file_that_a_late_line_makes_anew_has_the_owner_and_the_mode_of_the_old_one() {
    let desk = Desk::new("session-log", "ops/memory");
    let log = desk.files().into_keys().find(|path| path.ends_with("memory.jsonl")).unwrap();
    desk.disk.put(&log, desk.disk.files()[&log].clone(), 0o640);
    let owner = Owner { user: 7, group: 8 };
    desk.disk.give(&log, owner);
    let line = desk.disk.files()[&log].split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
    let another = desk.disk.another();
    let mut agent = another.append(&log).unwrap();
    let end = log.strip_prefix(&desk.place.root).unwrap().to_str().unwrap();
    desk.change(&Still::first(), end, tagged).unwrap();
    agent.write(&line).unwrap();
    desk.disk.another().remove(&log).unwrap();
    desk.next();
    assert_eq!(desk.disk.files()[&log], line);
    let now = desk.disk.look(&log).unwrap();
    assert_eq!((now.owner, now.mode), (owner, 0o640));
}

#[test]
fn a_late_line_that_equals_one_that_was_there_is_added() {
    let desk = Desk::new("session-log", "ops/memory");
    let log = desk.files().into_keys().find(|path| path.ends_with("memory.jsonl")).unwrap();
    let line: &[u8] = b"{\"type\":\"finding\",\"content\":{\"finding\":\"It beats.\"}}\n";
    let another = desk.disk.another();
    let mut agent = another.append(&log).unwrap();
    agent.write(line).unwrap();
    let end = log.strip_prefix(&desk.place.root).unwrap().to_str().unwrap();
    desk.change(&Still::first(), end, tagged).unwrap();
    agent.write(&line.repeat(2)).unwrap();
    desk.next();
    let now = desk.disk.files()[&log].clone();
    assert_eq!(memchr::memmem::find_iter(&now, line).count(), 3);
}

#[test]
fn a_note_whose_name_is_too_long_to_keep_comes_back_under_its_name() {
    let desk = Desk::new("a-mem", "notes/.chora/memory");
    let note = desk
        .files()
        .into_keys()
        .find(|path| path.parent().is_some_and(|own| own.ends_with("notes")))
        .unwrap();
    let long = note.with_file_name(format!("{}.md", "n".repeat(240)));
    desk.disk.put(&long, desk.disk.files()[&note].clone(), 0o600);
    desk.disk.another().remove(&note).unwrap();
    let another = desk.disk.another();
    let mut agent = another.append(&long).unwrap();
    let gone = |context: &WriteContext<'_>, entry: Entry| {
        delete(context, &[entry], &DeleteOptions { remove: true, ..DeleteOptions::default() }).unwrap()
    };
    desk.change(&Still::first(), &format!("{}.md", "n".repeat(240)), gone).unwrap();
    assert!(!desk.disk.files().contains_key(&long));
    agent.write(b"\nWritten while it went.\n").unwrap();
    desk.next();
    let now = desk.files();
    let strange: Vec<&PathBuf> =
        now.keys().filter(|own| own.file_name().unwrap().to_str().unwrap().starts_with('~')).collect();
    assert_eq!(strange, Vec::<&PathBuf>::new());
    let text = now.get(&long).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    assert!(text.contains("Written while it went."), "{:?}", now.keys());
}

#[test]
fn who_owns_a_file_whose_group_can_not_be_kept_is_not_told_to_run_this_as_its_owner() {
    for (user, is_owner) in [(None, true), (Some(7), false)] {
        let desk = Desk::new("session-log", "ops/memory");
        let log = desk.files().into_keys().find(|path| path.ends_with("memory.jsonl")).unwrap();
        let own = desk.disk.look(&log).unwrap().owner.user;
        desk.disk.give(&log, Owner { user: user.unwrap_or(own), group: 8 });
        let end = log.strip_prefix(&desk.place.root).unwrap().to_str().unwrap();
        let learned = Desk { disk: desk.disk.restart(), place: desk.place.clone() };
        assert!(learned.change(&Still::first(), end, tagged).is_ok());
        let at = learned.disk.log().iter().position(|op| op.contains("give ")).unwrap();
        desk.disk.fail_at(at, Fault::Error(Errno::PERM));
        let told = desk.change(&Still::first(), end, tagged).unwrap_err();
        assert_eq!(told.contains("as its owner"), !is_owner, "{told}");
        assert_eq!(told.contains("chgrp") && told.contains("as root"), is_owner, "{told}");
    }
}

const LATE: &str = "{\"id\":\"late\"}\n";
const NEXT: &str = "{\"id\":\"next\"}\n";

#[test]
fn late_lines_are_added_where_others_add_lines_all_the_time() {
    let desk = Desk::new("memory-server", "team/memories");
    desk.change(&Still::first(), "learnings.jsonl", tagged).unwrap();
    let is_old = |path: &PathBuf| path.to_string_lossy().ends_with(".palimp-old");
    let old = desk.files().into_keys().find(is_old).unwrap();
    desk.disk.another().append(&old).unwrap().write(LATE.as_bytes()).unwrap();
    let (store, machine) = (desk.load(), Still::next());
    let log = desk.place.root.join("learnings.jsonl");
    let adds = |file: &Path| desk.disk.another().append(file)?.write(NEXT.as_bytes());
    let then = |file: &Path, from, limit| {
        if file == log && (from, limit) == (0, None) { adds(file) } else { Ok(()) }
    };
    let busy = AfterRead(&desk.disk, then);
    let host = Host { disk: &busy, machine: &machine, data: Path::new("/data"), now: now() };
    drop(Writer::open(host, &store).unwrap());
    let text = String::from_utf8(desk.files()[&log].clone()).unwrap();
    assert_eq!(text.matches(LATE).count(), 1, "{text}");
    assert!(text.contains(NEXT));
}
