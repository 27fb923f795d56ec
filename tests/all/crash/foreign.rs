//! Programs that know nothing of palimp and replace a file by rename, write it anew in place, or
//! add to it, before every step of every change, in all five formats. Nothing of theirs is lost,
//! and nothing of ours is reported and missing.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use palimp::disk::faulty::{Fault, Faulty, Lie};
use palimp::disk::{Disk, Output};
use palimp::format::writing::{Draft, Refusal, Setting};
use palimp::model::{Act, Change, Entry, Plan, State};
use palimp::ops::delete::Asked;
use palimp::ops::{self, Scene};
use palimp::store::commit::{CommitError, Receipt, Writer, is_ours};

use super::bench::{DATA, ROOT, host, load, next_start, scene};
use super::machine::Still;
use super::sweep::is_long;
use crate::support::agent_memory::AgentMemoryBuilder;

type Make = fn(&Scene<'_>) -> Result<Plan, Refusal>;

/// What is done in a store to which `first` was done before.
struct Deed {
    name: &'static str,
    first: &'static [Make],
    act: Doing,
}

#[derive(Clone, Copy)]
enum Doing {
    Plan(Make),
    Undo,
    Redo,
}

/// What the other program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foreign {
    /// Writes a copy beside the file and renames it over.
    Replace,
    /// Cuts the file and writes it anew.
    Rewrite,
    /// Adds to its end.
    Append,
    /// Adds to the end of the file that it had opened before.
    AppendLate,
    /// Writes the file anew that it had opened before, with what it was.
    RewriteLate,
}

const FOREIGN: [Foreign; 5] =
    [Foreign::Replace, Foreign::Rewrite, Foreign::Append, Foreign::AppendLate, Foreign::RewriteLate];

const MARK: &str = "written-by-another";

const FORMATS: [&str; 5] = ["memory-server", "session-log", "bmad", "a-mem", "agent-memory"];

const fn plain(name: &'static str, make: Make) -> Deed {
    Deed { name, first: &[], act: Doing::Plan(make) }
}

const DEEDS: &[Deed] = &[
    plain("add", |scene| add(scene, 0)),
    plain("add of another kind", |scene| add(scene, 1)),
    plain("edit", edit),
    plain("tag", tag),
    plain("importance", |scene| ops::tag::importance(scene, &some(scene)?[0], 0.25)),
    plain("delete", |scene| delete(scene, false)),
    plain("delete with remove", |scene| delete(scene, true)),
    plain("archive", archive),
    plain("session new", |scene| ops::session::new(scene, Some("sess_2026-01-02_new"), "user")),
    plain("session delete", |scene| ops::session::delete(scene, &session(scene)?)),
    plain("session archive", |scene| ops::session::archive(scene, &session(scene)?)),
    plain("compact", |scene| ops::compact::compact(scene, None)),
    plain("decay", ops::upkeep::decay),
    plain("access", |scene| ops::upkeep::access(scene, &some(scene)?[0])),
    Deed { name: "undelete", first: &[|scene| delete(scene, false)], act: Doing::Plan(undelete) },
    Deed { name: "unarchive", first: &[archive], act: Doing::Plan(unarchive) },
    Deed { name: "undo of edit", first: &[edit], act: Doing::Undo },
    Deed { name: "undo of delete", first: &[|scene| delete(scene, true)], act: Doing::Undo },
    Deed { name: "undo of archive", first: &[archive], act: Doing::Undo },
    Deed { name: "redo of nothing", first: &[], act: Doing::Redo },
];

fn kinds(format: &str) -> [&'static str; 2] {
    match format {
        "memory-server" => ["learning", "task"],
        "a-mem" => ["note", "event"],
        _ => ["finding", "decision"],
    }
}

fn add(scene: &Scene<'_>, kind: usize) -> Result<Plan, Refusal> {
    let session = scene.store.sessions.first().map(|own| own.name.as_str());
    let (tags, kind) = (["fresh".to_owned()], kinds(scene.store.format)[kind]);
    let text = Some("A memory that is new, and says so at some length.");
    let session = session.filter(|_| !["memory-server", "a-mem"].contains(&scene.store.format));
    ops::add::add(scene, &Draft { session, kind, text, tags: &tags, importance: Some(0.5), record: None })
}

fn nothing() -> Refusal {
    Refusal::unfit("nothing to be done")
}

/// A record that is not the last of its file, and can be changed.
fn some(scene: &Scene<'_>) -> Result<Vec<Entry>, Refusal> {
    let live = |entry: &&Entry| entry.state == State::Live;
    let can = |entry: &&Entry| ops::tag::tag(scene, &[**entry], &["x".into()], &[]).is_ok();
    let found: Vec<Entry> = scene.store.entries.iter().filter(live).filter(can).take(1).copied().collect();
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}

fn edit(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    let name = match scene.store.format {
        "agent-memory" => "title",
        _ => "text",
    };
    let live = scene.store.entries.iter().filter(|entry| entry.state == State::Live);
    let set = [Setting { name, value: "Another text, and a longer one than before." }];
    let mut plans = live.filter_map(|entry| ops::edit::edit(scene, entry, &set).ok());
    plans.next().ok_or_else(nothing)
}

fn tag(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    ops::tag::tag(scene, &some(scene)?, &["marked".to_owned()], &[])
}

fn delete(scene: &Scene<'_>, remove: bool) -> Result<Plan, Refusal> {
    let live = scene.store.entries.iter().filter(|entry| entry.state == State::Live);
    let asked = Asked { remove, ..Asked::default() };
    let mut plans = live.filter_map(|entry| ops::delete::delete(scene, &[*entry], asked).ok());
    plans.next().ok_or_else(nothing)
}

fn archive(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    let live = scene.store.entries.iter().filter(|entry| entry.state == State::Live);
    let mut plans = live.rev().filter_map(|entry| ops::archive::archive(scene, &[*entry]).ok());
    plans.find(|plan| !plan.changes.is_empty()).ok_or_else(nothing)
}

fn unarchive(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    let own = scene.store.entries.iter().filter(|entry| entry.state == State::Archived);
    ops::archive::unarchive(scene, &own.copied().collect::<Vec<_>>())
}

fn undelete(scene: &Scene<'_>) -> Result<Plan, Refusal> {
    let own = scene.store.entries.iter().filter(|entry| entry.state == State::Deleted);
    ops::delete::undelete(scene, &own.copied().collect::<Vec<_>>(), &ops::erase::Gone::default())
}

fn session(scene: &Scene<'_>) -> Result<String, Refusal> {
    scene.store.sessions.first().map(|own| own.name.clone()).ok_or_else(nothing)
}

/// A small store of a format, after what is done to it first.
fn start(format: &'static str, deed: &Deed) -> Option<Faulty> {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    disk.put_folder(ROOT, 0o700);
    let machine = Still::first();
    let number = Cell::new(10);
    let done = |make: Make| -> Option<()> {
        let store = load(&disk, format);
        number.set(number.get() + 1);
        let own = Scene { random: [number.get(); 16], ..scene(&store) };
        let plan = make(&own).ok()?;
        Writer::open(host(&disk, &machine), &store).ok()?.commit(&plan).ok().map(drop)
    };
    if format == "agent-memory" {
        let inside = |(path, bytes): (PathBuf, Vec<u8>)| {
            Some((path.strip_prefix(".agent-memory").ok()?.to_owned(), bytes))
        };
        let files = AgentMemoryBuilder::new().event(serde_json::json!({})).files();
        files.0.into_iter().filter_map(inside).for_each(|(path, bytes)| {
            disk.put(Path::new(ROOT).join(path), bytes, 0o600);
        });
    } else {
        done(|scene| ops::init::init(scene.store.format, &scene.store.root, scene.now))?;
        let _ = done(|scene| ops::session::new(scene, Some("sess_2026-01-01_one"), "user"));
        let adds: [Make; 3] = [|scene| add(scene, 0), |scene| add(scene, 1), |scene| add(scene, 0)];
        for make in adds {
            done(make)?;
        }
    }
    for make in deed.first {
        done(*make)?;
    }
    minutes_later(&disk.restart(), format).ok()?;
    let disk = disk.restart();
    minutes_later(&disk, format).ok()?;
    Some(disk)
}

fn minutes_later(disk: &Faulty, format: &'static str) -> Result<(), String> {
    let machine = Still::next();
    for _ in 0..3 {
        next_start(disk, format, &machine).map_err(|error| error.to_string())?;
        machine.pass(120);
    }
    Ok(())
}

type Done = Result<(Receipt, Plan), CommitError>;

fn run(disk: &Faulty, format: &'static str, act: Doing) -> Option<Done> {
    let store = load(disk, format);
    let machine = Still::first();
    let plan = match act {
        Doing::Plan(make) => {
            let plan = make(&scene(&store)).ok().filter(|plan| !plan.changes.is_empty())?;
            return Some(
                Writer::open(host(disk, &machine), &store)
                    .and_then(|writer| writer.commit(&plan))
                    .map(|receipt| (receipt, plan)),
            );
        }
        Doing::Undo => |writer: &Writer<'_>| writer.undo(None),
        Doing::Redo => |writer: &Writer<'_>| writer.redo(None),
    };
    let turned = |writer: Writer<'_>| {
        let (plan, turn) = plan(&writer)?;
        writer.turn(&plan, turn).map(|receipt| (receipt, plan))
    };
    Some(Writer::open(host(disk, &machine), &store).and_then(turned))
}

/// The files that a change is about and that another program could write.
fn targets(plan: &Plan) -> Vec<PathBuf> {
    let is_text = |change: &&Change| {
        let name = change.path.to_string_lossy().into_owned();
        let is_own = matches!(change.act, Act::Splice(_) | Act::Append(_) | Act::Remove(_) | Act::Create(_));
        is_own && !name.contains(".backup") && !name.ends_with(".gz") && !name.starts_with("..")
    };
    plan.changes.iter().filter(is_text).map(|change| change.path.clone()).collect()
}

/// The file's bytes with the mark: as a record, a member or a line.
fn marked(file: &Path, was: &[u8]) -> Vec<u8> {
    match file.extension().and_then(|end| end.to_str()) {
        Some("jsonl") => [was, line().as_bytes()].concat(),
        Some("json") => {
            let text = String::from_utf8_lossy(was);
            text.replacen('{', &format!("{{\n  \"other\": \"{MARK}\","), 1).into_bytes()
        }
        _ => [was, format!("{MARK}\n").as_bytes()].concat(),
    }
}

fn line() -> String {
    format!("{{\"id\":\"{MARK}\",\"type\":\"learning\",\"content\":\"{MARK}\"}}\n")
}

/// An open file, and what it held when it was opened.
type Open = (Box<dyn Output>, Vec<u8>);

thread_local! {
    /// What the other program has open, and what the file held then.
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

/// Does it; false where there is nothing to do it to.
fn act(disk: &Faulty, file: &Path, foreign: Foreign) -> Option<()> {
    let read = || disk.read(file, 0, None).ok().map(|(bytes, _)| bytes);
    match foreign {
        Foreign::Replace => {
            let bytes = marked(file, &read()?);
            let beside = file.with_extension("by-another");
            let mut out = disk.create(&beside, 0o600).ok()?;
            out.write(&bytes).and_then(|()| out.sync()).ok()?;
            disk.rename(&beside, file).ok()
        }
        Foreign::Rewrite => {
            let bytes = marked(file, &read()?);
            let mut out = disk.append(file).ok()?;
            out.set_len(0).and_then(|()| out.write(&bytes)).and_then(|()| out.sync()).ok()
        }
        Foreign::Append => {
            let bytes = if is_log(file) { line() } else { format!("{MARK}\n") };
            let mut out = disk.append(file).ok()?;
            out.write(bytes.as_bytes()).and_then(|()| out.sync()).ok()
        }
        Foreign::AppendLate => {
            let (mut out, _) = OPEN.take()?;
            let bytes = if is_log(file) { line() } else { format!("{MARK}\n") };
            out.write(bytes.as_bytes()).and_then(|()| out.sync()).ok()
        }
        Foreign::RewriteLate => {
            let (mut out, was) = OPEN.take()?;
            out.set_len(0).and_then(|()| out.write(&marked(file, &was))).and_then(|()| out.sync()).ok()
        }
    }
}

fn is_log(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "jsonl")
}

/// One state: what is done before which step, to which file, and where the process is killed.
struct Try<'a> {
    format: &'static str,
    deed: &'a Deed,
    begin: &'a Faulty,
    lies: &'a [Lie],
    file: &'a Path,
    foreign: Foreign,
    step: usize,
    killed: Option<usize>,
}

impl Try<'_> {
    /// What was wrong; `None` where the other program had nothing to write to.
    fn outcome(&self) -> Option<Result<(), String>> {
        let disk = self.begin.restart();
        self.lies.iter().for_each(|lie| disk.lie(*lie));
        let file = Path::new(ROOT).join(self.file);
        let agent: &'static Faulty = Box::leak(Box::new(disk.another()));
        if matches!(self.foreign, Foreign::AppendLate | Foreign::RewriteLate) {
            let was = agent.read(&file, 0, None).ok()?.0;
            OPEN.set(Some((agent.append(&file).ok()?, was)));
        }
        let wrote = Arc::new(AtomicBool::new(false));
        let (told, mut at, step, foreign, own) =
            (Arc::clone(&wrote), 0, self.step, self.foreign, file.clone());
        disk.before(move |_, other| {
            if at == step && act(other, &own, foreign).is_some() {
                told.store(true, Ordering::SeqCst);
            }
            at += 1;
        });
        if let Some(killed) = self.killed {
            disk.fail_at(killed, Fault::Crash);
        }
        let outcome = run(&disk, self.format, self.deed.act);
        OPEN.take();
        if !wrote.load(Ordering::SeqCst) {
            return None;
        }
        let after = disk.restart();
        if let Err(what) = minutes_later(&after, self.format) {
            return Some(Err(format!("the next start fails: {what}")));
        }
        Some(self.judged(&after, outcome?.as_ref()))
    }

    fn judged(&self, after: &Faulty, outcome: Result<&(Receipt, Plan), &CommitError>) -> Result<(), String> {
        let files = after.files();
        let told = outcome.as_ref().map(|(receipt, _)| receipt.notes.clone()).map_err(ToString::to_string);
        let left = files.keys().filter(|path| path.starts_with(ROOT));
        let left: Vec<_> = left.filter(|path| path.file_name().is_some_and(is_ours)).collect();
        if left.iter().any(|path| !path.to_string_lossy().contains(".lock")) {
            return Err(format!("left: {left:?}, {told:?}"));
        }
        let has_mark = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            let kept = path.starts_with(ROOT) || path.starts_with(Path::new(DATA).join("stores"));
            let own = kept && !path.components().any(|part| part.as_os_str() == "undo");
            let text = match path.extension().is_some_and(|end| end == "gz" || end == "tgz") {
                true => palimp::text::unpack::gunzip(bytes, 1 << 20).content,
                false => bytes.clone(),
            };
            own && memchr_find(&text, MARK)
        };
        if !files.iter().any(has_mark) {
            return Err(format!("what the other wrote is in no file, {told:?}"));
        }
        match outcome {
            Ok((_, plan)) if self.killed.is_none() => {
                self.has_ours(after, plan).map_err(|what| format!("{what}, {told:?}"))
            }
            _ => Ok(()),
        }
    }

    /// Whether what was reported is there.
    fn has_ours(&self, after: &Faulty, plan: &Plan) -> Result<(), String> {
        for change in &plan.changes {
            let now = after.files().get(&Path::new(ROOT).join(&change.path)).cloned();
            let text = String::from_utf8_lossy(now.as_deref().unwrap_or_default()).into_owned();
            let has = |lines: &[u8]| {
                let lines = String::from_utf8_lossy(lines).into_owned();
                lines.lines().all(|line| text.contains(line.trim_end()))
            };
            // Who writes a file anew as it was long ago takes out what was added to it since.
            let is_stale = self.foreign == Foreign::RewriteLate && *change.path == *self.file;
            let is_there = match &change.act {
                Act::Append(_) if is_stale => true,
                Act::Append(lines) => has(lines),
                Act::Splice(splices) if is_log(&change.path) => {
                    splices.iter().all(|splice| has(&splice.becomes))
                }
                // What others put there meanwhile is there again.
                Act::Remove(was) => now.is_none_or(|now| now != **was),
                _ => true,
            };
            if !is_there {
                return Err(format!("{} misses what was reported: {text}", change.path.display()));
            }
        }
        Ok(())
    }
}

fn memchr_find(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|own| own == text.as_bytes())
}

/// Every `every`th state of all deeds; how many, and what was wrong.
fn sweep(lies: &[Lie], every: usize, with_kills: bool) -> (usize, Vec<String>) {
    let (mut count, mut number, mut wrong) = (0, 0_usize, Vec::new());
    let mut deeds = 0;
    for format in FORMATS {
        for deed in DEEDS {
            let Some(begin) = start(format, deed) else { continue };
            deeds += 1;
            let learned = begin.restart();
            lies.iter().for_each(|lie| learned.lie(*lie));
            let Some(Ok((_, plan))) = run(&learned, format, deed.act) else { continue };
            for file in targets(&plan) {
                for foreign in FOREIGN {
                    for step in 0..learned.steps() {
                        number += 1;
                        if number % every != 0 {
                            continue;
                        }
                        let killed = with_kills.then(|| step + 1 + number / every % 7);
                        let own =
                            Try { format, deed, begin: &begin, lies, file: &file, foreign, step, killed };
                        let at = learned.log().get(step).cloned().unwrap_or_default();
                        if in_window(lies, &own, &at) {
                            continue;
                        }
                        let Some(outcome) = own.outcome() else { continue };
                        count += 1;
                        if let Err(what) = outcome {
                            let name = deed.name;
                            wrong.push(format!(
                                "{format} {name}, {foreign:?} of {} before {step} ({at}), killed {killed:?}: {what}",
                                file.display()
                            ));
                        }
                    }
                }
            }
        }
    }
    println!("{deeds} deeds");
    (count, wrong)
}

/// What the documents say can't be held where the file system knows no exchange: what replaces the
/// file in the very rename, and where a file can't have two names whatever is written to it then,
/// or later by who had it open.
fn in_window(lies: &[Lie], own: &Try<'_>, at: &str) -> bool {
    let is_rename = at.starts_with("rename ") && at.ends_with(&*own.file.to_string_lossy());
    match (lies.contains(&Lie::NoExchange), lies.contains(&Lie::NoLinks)) {
        (false, _) => false,
        (true, false) => is_rename && own.foreign == Foreign::Replace,
        (true, true) => is_rename || matches!(own.foreign, Foreign::AppendLate | Foreign::RewriteLate),
    }
}

fn assert_nothing_is_lost(lies: &[Lie], every: usize, with_kills: bool) {
    let every = if is_long() { 1 } else { every };
    let (count, wrong) = sweep(lies, every, with_kills);
    println!("{count} states, {} wrong", wrong.len());
    assert!(count > 20, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_of_another_program_is_lost_whatever_it_does_before_whichever_step() {
    assert_nothing_is_lost(&[], 47, false);
}

#[test]
fn nothing_of_another_program_is_lost_where_the_change_is_killed_afterwards() {
    assert_nothing_is_lost(&[], 61, true);
}

#[test]
fn without_an_exchange_nothing_is_lost_but_what_replaces_a_file_within_its_rename() {
    assert_nothing_is_lost(&[Lie::NoExchange], 61, false);
}

#[test]
fn without_second_names_nothing_is_lost_but_what_is_written_within_a_rename_or_later() {
    assert_nothing_is_lost(&[Lie::NoExchange, Lie::NoLinks], 61, false);
}
