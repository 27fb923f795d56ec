//! An agent that writes to a large log in place while palimp reads it by blocks.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use super::super::LARGE_LOG;
use crate::disk::host::Host;
use crate::disk::{Disk, Flock, Item, RealDisk, WritableFile};
use crate::format::writing::WriteContext;
use crate::model::{Bytes, Code, Extent, Generation, Moment, Plan, Problem, RangeReader, Span, Store};
use crate::ops::Refusal;
use crate::ops::delete::{DeleteRequest, delete};
use crate::ops::tag::tag;
use crate::passed_on::passed_on;
use crate::store::commit::Writer;
use crate::store::{Place, load_from};

const PLAIN: &str = "[\"a\"]";
const MARKED: &str = "[\"a\",\"marked\"]";
const NOW: Moment = Moment(1_770_000_000_000_000);

/// An action that happens once, before the call with the number `at`.
struct Clock {
    calls: AtomicUsize,
    bytes: AtomicUsize,
    at: usize,
    meddle: Box<dyn Fn() + Send + Sync>,
}

impl Clock {
    fn tick(&self) {
        if self.calls.fetch_add(1, SeqCst) == self.at {
            (self.meddle)();
        }
    }
}

struct Watched(Arc<dyn RangeReader>, Arc<Clock>);

impl RangeReader for Watched {
    fn read(&self, span: Span) -> Option<Vec<u8>> {
        self.1.tick();
        self.1.bytes.fetch_add(span.len() as usize, SeqCst);
        self.0.read(span)
    }
}

/// The real disk, with an action in between.
struct Meddled(Arc<Clock>);

impl Disk for Meddled {
    passed_on! {
        self => RealDisk;
        list look real_path blank rename_new create append make_folder open_folder link rename
        remove remove_folder sync_folder flock
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        self.0.tick();
        RealDisk.read(file, from, limit)
    }

    fn read_after(&self, file: &Path, known: &Bytes) -> io::Result<(Option<Vec<u8>>, Generation)> {
        self.0.tick();
        RealDisk.read_after(file, known)
    }

    fn open_ranges(&self, file: &Path) -> io::Result<Option<(Arc<dyn RangeReader>, Generation)>> {
        let opened = RealDisk.open_ranges(file)?;
        let watched = |own| Arc::new(Watched(own, Arc::clone(&self.0))) as Arc<dyn RangeReader>;
        Ok(opened.map(|(own, generation)| (watched(own), generation)))
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.0.tick();
        RealDisk.exchange(one, other)
    }
}

/// A store with one large log.
struct Site {
    _folder: tempfile::TempDir,
    place: Place,
    data: PathBuf,
    log: PathBuf,
}

fn line(number: usize) -> String {
    format!(
        "{{\"id\":\"mem_{number}\",\"session_id\":\"s\",\"type\":\"finding\",\
         \"timestamp\":\"2026-01-10T12:00:00Z\",\"content\":{{\"finding\":\"It is {number}.\"}},\"tags\":[\"a\"]}}\n"
    )
}

fn text(records: usize) -> String {
    (0..records).map(line).collect()
}

/// A log is large with this many records.
fn many() -> usize {
    LARGE_LOG as usize / line(0).len() + 1
}

impl Site {
    fn new(text: &str) -> Site {
        // In memory if possible: the tests make many changes durable.
        let folder = crate::folder::new();
        let root = folder.path().join("store");
        let (log, data) = (root.join("sessions/s/memory.jsonl"), folder.path().join("data"));
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::create_dir(&data).unwrap();
        fs::write(&log, text).unwrap();
        fs::write(root.join("config.json"), "{\"version\":\"1.0\"}").unwrap();
        Site { place: Place::whole(root, "session-log"), data, log, _folder: folder }
    }

    /// Returns a clock at whose call `at` an agent overwrites the log in place.
    fn clock(&self, at: usize, becomes: &str) -> Arc<Clock> {
        self.clock_of(&self.log, at, becomes)
    }

    fn clock_of(&self, file: &Path, at: usize, becomes: &str) -> Arc<Clock> {
        let (file, becomes) = (file.to_owned(), becomes.to_owned());
        let meddle = Box::new(move || {
            let mut file = OpenOptions::new().write(true).truncate(true).open(&file).unwrap();
            file.write_all(becomes.as_bytes()).unwrap();
        });
        Arc::new(Clock { calls: AtomicUsize::new(0), bytes: AtomicUsize::new(0), at, meddle })
    }

    fn load(&self, disk: &dyn Disk) -> Store {
        load_from(disk, &self.place, Extent::Whole, None, NOW)
    }

    fn told(&self) -> String {
        String::from_utf8(fs::read(&self.log).unwrap()).unwrap()
    }
}

fn planned(store: &Store, count: usize) -> Result<Plan, Refusal> {
    let context = WriteContext::of(store, NOW, [7; 16]);
    tag(&context, &store.entries[..count.min(store.entries.len())], &["marked".to_owned()], &[])
}

/// The error code if it was not done.
type Outcome = Result<(), &'static str>;

/// Tags the first records through that disk.
fn tagged(site: &Site, disk: &dyn Disk, count: usize) -> Outcome {
    let store = site.load(disk);
    let plan = planned(&store, count).map_err(|refusal| refusal.code)?;
    let host = Host { disk, ..Host::here(&site.data, NOW) };
    let writer = Writer::open(host, &store).map_err(|error| error.code())?;
    writer.commit(&plan).map(drop).map_err(|error| error.code())
}

/// Changes the log, and undoes that through that disk.
fn undone(
    site: &Site,
    disk: &dyn Disk,
    plan: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>,
) -> Outcome {
    let store = site.load(&RealDisk);
    let context = WriteContext::of(&store, NOW, [7; 16]);
    Writer::open(Host::here(&site.data, NOW), &store).unwrap().commit(&plan(&context).unwrap()).unwrap();
    let store = site.load(disk);
    let host = Host { disk, ..Host::here(&site.data, NOW) };
    let writer = Writer::open(host, &store).map_err(|error| error.code())?;
    let (plan, turn) = writer.undo(None).map_err(|error| error.code())?;
    writer.commit_undo_redo(&plan, turn).map(drop).map_err(|error| error.code())
}

/// What an agent may make of a log: less, as much with other words, another order, more.
fn states(first: &str) -> [String; 5] {
    let line = |number: usize| {
        if number == 0 && !first.is_empty() { line(0).replace(PLAIN, first) } else { line(number) }
    };
    let lines: Vec<String> = (0..many()).map(line).collect();
    let more = lines.concat() + &line(many());
    [
        String::new(),
        lines[..many() / 2].concat(),
        lines.concat().replace("It is ", "It was"),
        lines.iter().rev().cloned().collect(),
        more,
    ]
}

/// Runs the action many times: each time, an agent overwrites the log with one of the states at
/// another call. `is_right` gets the resulting log and that state.
fn each_moment(
    text: &str,
    states: &[String],
    run: impl Fn(&Site, &dyn Disk) -> Outcome,
    is_right: impl Fn(&str, &str),
) {
    let site = Site::new(text);
    let clock = site.clock(usize::MAX, "");
    run(&site, &Meddled(Arc::clone(&clock))).unwrap();
    let calls = clock.calls.load(SeqCst);
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for state in states {
        for at in (0..calls).step_by(calls / crate::tries::count(2, 6) + 1) {
            let site = Site::new(text);
            let clock = site.clock(at, state);
            let outcome = run(&site, &Meddled(Arc::clone(&clock)));
            let told = site.told();
            is_right(&told, state);
            let is_changed = outcome.is_ok() && told != *state;
            let stale = site.load(&RealDisk).problems.into_iter().filter(|own| own.code == Code::IndexStale);
            assert!(!is_changed || stale.count() == 0, "{at} of {calls}");
            *outcomes.entry(outcome.err().unwrap_or("made")).or_default() += 1;
        }
    }
    let known = ["made", "E_CONCURRENT_MOD"];
    assert!(outcomes.keys().all(|own| known.contains(own)), "{outcomes:?}");
    assert!(outcomes.contains_key("made"), "{outcomes:?}");
}

#[test]
fn a_log_that_is_written_in_place_while_it_is_changed_is_refused_or_has_what_was_written_and_the_change() {
    each_moment(
        &text(many()),
        &states(""),
        |site, disk| tagged(site, disk, 1),
        |told, state| {
            assert_eq!(told.replacen(MARKED, PLAIN, 1), state);
        },
    );
}

#[test]
fn an_undo_while_a_log_is_written_in_place_is_refused_or_has_what_was_written_without_the_change() {
    let run = |site: &Site, disk: &dyn Disk| {
        undone(site, disk, |context| tag(context, &context.store.entries[..1], &["marked".to_owned()], &[]))
    };
    each_moment(&text(many()), &states(MARKED)[2..], run, |told, state| {
        assert!(told == state || told == state.replacen(MARKED, PLAIN, 1));
    });
}

#[test]
fn a_record_comes_back_while_a_log_is_written_in_place() {
    let gone = text(many()).replacen(&line(0), "", 1);
    // Another agent restores it, too, or writes it with other words.
    let both = [
        gone.clone() + &line(0),
        gone.clone() + &line(0).replace("It is", "It was"),
        gone[line(1).len()..].to_owned(),
    ];
    let remove = DeleteRequest { remove: true, ..DeleteRequest::default() };
    let run = |site: &Site, disk: &dyn Disk| {
        undone(site, disk, |context| delete(context, &context.store.entries[..1], remove))
    };
    each_moment(&text(many()), &both, run, |told, state| {
        assert_eq!(told.replace(&line(0), ""), state.replace(&line(0), ""));
        let [is, was] = [told, state].map(|own| own.matches(&line(0)).count());
        assert!(is == was || is == was + 1, "{is} {was}");
    });
}

/// Returns what `check` says about the index.
fn of_index(store: &Store) -> Vec<(Code, String)> {
    let is_it = |own: &&Problem| own.file.ends_with("index.json") && own.code != Code::LoosePermissions;
    let own = store.problems.iter().filter(is_it);
    own.map(|own| (own.code, own.message.to_string())).collect()
}

#[test]
fn an_index_that_is_written_in_place_while_it_is_looked_through_is_judged_as_one_of_the_two() {
    let site = Site::new(&text(2 * many()));
    tagged(&site, &RealDisk, 1).unwrap();
    let index = site.log.with_file_name("index.json");
    let was = fs::read_to_string(&index).unwrap();
    assert!(was.len() as u64 > LARGE_LOG && of_index(&site.load(&RealDisk)).is_empty());
    // Without some entries, of the same length with another line number, cut in half, and empty.
    let first = was.find("\"mem_7\":").unwrap();
    let next = was.find("\"mem_8\":").unwrap();
    let less = was[..first].to_owned() + &was[next..];
    let states = [
        less,
        was.replace("\"line_number\":9,", "\"line_number\":8,"),
        was[..was.len() / 2].to_owned(),
        String::new(),
    ];
    for state in states {
        fs::write(&index, &state).unwrap();
        let expected = of_index(&site.load(&RealDisk));
        assert!(!expected.is_empty());
        for at in (0..20).step_by(crate::tries::count(4, 1)) {
            fs::write(&index, &was).unwrap();
            let clock = site.clock_of(&index, at * 87, &state);
            let told = of_index(&site.load(&Meddled(clock)));
            assert!(told.is_empty() || told == expected, "{at}: {told:?} {expected:?}");
        }
    }
}

#[test]
fn a_change_while_an_index_is_written_in_place_leaves_it_right_or_as_it_was_written() {
    let site = Site::new(&text(2 * many()));
    tagged(&site, &RealDisk, 1).unwrap();
    let (log, index) = (site.told(), site.log.with_file_name("index.json"));
    let was = fs::read_to_string(&index).unwrap();
    let states = [was.replace("\"line_number\":9,", "\"line_number\":8,"), was[..was.len() / 2].to_owned()];
    for (state, at) in states
        .iter()
        .flat_map(|state| (0..8).step_by(crate::tries::count(3, 1)).map(move |at| (state, at * 191)))
    {
        let site = Site::new(&log);
        let index = site.log.with_file_name("index.json");
        fs::write(&index, &was).unwrap();
        let clock = site.clock_of(&index, at, state);
        let store = site.load(&Meddled(Arc::clone(&clock)));
        let context = WriteContext::of(&store, NOW, [7; 16]);
        let plan = tag(&context, &store.entries[1..2], &["more".to_owned()], &[]);
        let Ok(plan) = plan else {
            assert!(store.whole().is_err() && site.told() == log);
            continue;
        };
        let disk = Meddled(clock);
        let host = Host { disk: &disk, ..Host::here(&site.data, NOW) };
        let outcome = Writer::open(host, &store).unwrap().commit(&plan);
        assert!(outcome.is_ok() && site.told().contains("[\"a\",\"more\"]"), "{at}: {:?}", outcome.err());
        let left = fs::read_to_string(&index).unwrap();
        let told = of_index(&site.load(&RealDisk));
        assert!(left == *state || told.is_empty(), "{at}: {told:?}");
    }
}

/// Returns how many block reads, and how many bytes, it takes to tag all records of a log.
fn cost(records: usize) -> (usize, usize) {
    let site = Site::new(&text(records));
    let clock = site.clock(usize::MAX, "");
    tagged(&site, &Meddled(Arc::clone(&clock)), usize::MAX).unwrap();
    assert_eq!(site.told().matches("\"marked\"").count(), records);
    (clock.calls.load(SeqCst), clock.bytes.load(SeqCst))
}

#[test]
fn a_change_of_all_records_of_a_log_reads_its_blocks_a_few_times_however_many_they_are() {
    let (one, two) = (cost(many()), cost(2 * many()));
    assert!(two.0 < one.0 * 5 / 2 && two.1 < one.1 * 5 / 2, "{one:?} {two:?}");
    let len = text(2 * many()).len();
    assert!(two.1 < 16 * len, "{} bytes of {len}", two.1);
}
