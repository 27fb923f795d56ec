//! Programs that write another memory under the id or file name of one that is being erased, before every step of the
//! erasure and after kills: it stays, and is named.

use std::path::{Path, PathBuf};

use palimp::format::text_of;
use palimp::model::{Act, Code, Entry, ErasureState, Plan, Role, State};
use palimp::ops;
use palimp::ops::erase::ErasedRecords;
use palimp::store::Vault;
use palimp::store::erase::{ErasureScope, ErasureTarget, SharedText};
use palimp::store::write::Writer;
use palimp::store::write::scrub::ErasureReceipt;

use super::begun;
use super::deeds::{DEEDS, FORMATS, TEXT, bytes_of};
use super::other::{add_late, close, open, rewrite_late};
use super::town::{erasure, load, minutes_later, path_of, root};
use crate::crash::bench::{DATA, host};
use crate::crash::machine::{NOW, Still};
use crate::faulty::{Fault, Faulty};
use crate::support::tries;
use palimp::disk::Disk;

const NEW: &str = "quinces are ripe in another town";
const MARKDOWN: &str = "markdown";

/// What the other program does.
#[derive(Clone)]
enum Arrival {
    /// It adds a line with the id of the erased one, perhaps to the file that it opened before the erasure began.
    Line { file: PathBuf, line: Vec<u8>, is_open: bool },
    /// It writes a file of that name again, or over the old one.
    File { file: PathBuf, bytes: Vec<u8>, only_again: bool },
    /// It opened the file before the erasure began, and writes other bytes over it.
    Open { file: PathBuf, bytes: Vec<u8> },
}

impl Arrival {
    fn name(&self) -> String {
        match self {
            Arrival::Line { file, line, is_open } => {
                format!("{}, open: {is_open}: {}", file.display(), String::from_utf8_lossy(line))
            }
            Arrival::Open { file, .. } => format!("{}, open", file.display()),
            Arrival::File { file, only_again, .. } => format!("{}, only again: {only_again}", file.display()),
        }
    }

    /// Opens what the other program has open before the erasure.
    fn open(&self, disk: &Faulty, format: &str) {
        if let Arrival::Line { file, is_open: true, .. } | Arrival::Open { file, .. } = self {
            open(Box::leak(Box::new(disk.another())), &path_of(format, file)).unwrap();
        }
    }

    /// True if it was written.
    fn write(&self, disk: &Faulty, format: &str) -> bool {
        match self {
            Arrival::Line { is_open: true, line, .. } => add_late(line).is_some(),
            Arrival::Open { bytes, .. } => rewrite_late(|_| bytes.clone()).is_some(),
            Arrival::Line { file, line, .. } => {
                let out = disk.append(&path_of(format, file));
                out.is_ok_and(|mut out| out.write(line).and_then(|()| out.sync()).is_ok())
            }
            Arrival::File { file, bytes, only_again } => {
                let file = path_of(format, file);
                if *only_again && bytes_of(disk, &file).is_some() {
                    return false;
                }
                let beside = file.with_extension("by-another");
                let Ok(mut out) = disk.create(&beside, 0o600) else { return false };
                out.write(bytes).and_then(|()| out.sync()).is_ok() && disk.rename(&beside, &file).is_ok()
            }
        }
    }
}

pub fn markdown() -> Faulty {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    disk.put_folder(root(MARKDOWN), 0o700);
    let topic = |name: &str, text: &str| {
        format!("---\nname: {name}\ndescription: about {name}\ntype: project\n---\n{text}\n").into_bytes()
    };
    let index = b"# Memory\n\n- [Pears](pears.md) - about pears\n- [Plums](plums.md) - about plums\n";
    disk.put(root(MARKDOWN).join("pears.md"), topic("pears", TEXT), 0o600);
    disk.put(root(MARKDOWN).join("plums.md"), topic("plums", "Plums keep for a week."), 0o600);
    disk.put(root(MARKDOWN).join("MEMORY.md"), index.to_vec(), 0o600);
    disk.restart()
}

fn begin(format: &'static str) -> Faulty {
    match format {
        MARKDOWN => markdown(),
        _ => begun(format, DEEDS.iter().find(|own| own.name == "erase").unwrap()).unwrap(),
    }
}

fn planned(disk: &Faulty, format: &'static str) -> (Plan, Vec<ErasureTarget>) {
    erasure(disk, &load(disk, format)).unwrap()
}

/// Returns what could be written under the names of the erased.
fn arrivals(disk: &Faulty, format: &'static str, plan: &Plan) -> Vec<Arrival> {
    let store = load(disk, format);
    let is_live =
        |path: &Path| store.documents.iter().any(|own| own.path == path && own.role == Role::Records);
    let mut all = Vec::new();
    for change in plan.changes.iter().filter(|own| is_live(&own.path)) {
        let file = change.path.clone();
        match &change.act {
            Act::Splice(_) if file.extension().is_some_and(|end| end == "jsonl") => {
                let was = bytes_of(disk, &path_of(format, &file)).unwrap();
                let after = change.after().unwrap();
                let gone = was
                    .split(|byte| *byte == b'\n')
                    .find(|line| !after.split(|byte| *byte == b'\n').any(|own| own == *line));
                for (is_later, is_open) in [(false, false), (true, false), (false, true), (true, true)] {
                    let line = renewed(gone.unwrap(), is_later);
                    all.push(Arrival::Line { file: file.clone(), line, is_open });
                }
            }
            Act::Remove(was) if memchr::memmem::find(was, TEXT.as_bytes()).is_some() => {
                let bytes = String::from_utf8_lossy(was).replace(TEXT, NEW).into_bytes();
                for only_again in [true, false] {
                    all.push(Arrival::File { file: file.clone(), bytes: bytes.clone(), only_again });
                }
                all.push(Arrival::Open { file, bytes });
            }
            _ => {}
        }
    }
    all
}

fn renewed(line: &[u8], is_later: bool) -> Vec<u8> {
    fn renew(value: &mut serde_json::Value, is_later: bool) {
        match value {
            serde_json::Value::String(own) if own.contains(TEXT) => *own = own.replace(TEXT, NEW),
            serde_json::Value::String(own) if is_later && own.starts_with("20") && own.contains("T") => {
                *own = "2026-02-03T04:05:06.789Z".into();
            }
            serde_json::Value::Object(own) => own.values_mut().for_each(|own| renew(own, is_later)),
            serde_json::Value::Array(own) => own.iter_mut().for_each(|own| renew(own, is_later)),
            _ => {}
        }
    }
    let mut value: serde_json::Value = serde_json::from_slice(line).unwrap();
    renew(&mut value, is_later);
    let line = format!("{value}\n");
    assert!(line.contains(NEW), "{line}");
    line.into_bytes()
}

fn scope<'a>(targets: &'a [ErasureTarget], values: &'a [SharedText]) -> ErasureScope<'a> {
    ErasureScope { values, targets, ..ErasureScope::default() }
}

/// Tries it before one step. Returns what is wrong; `None` if nothing was written.
fn outcome(
    format: &'static str,
    begin: &Faulty,
    arrival: &Arrival,
    (step, killed): (usize, Option<usize>),
    (late, values): ((bool, bool), &[SharedText]),
) -> Option<Result<(), String>> {
    let disk = begin.restart();
    let (plan, targets) = planned(&disk, format);
    arrival.open(&disk, format);
    let wrote = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (is_written, own, mut at) = (std::sync::Arc::clone(&wrote), arrival.clone(), 0);
    disk.before(move |_, other| {
        if at == step && own.write(other, format) {
            is_written.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        at += 1;
    });
    if let Some(killed) = killed {
        disk.fail_at(killed, Fault::Crash);
    }
    let store = load(&begin.restart(), format);
    let machine = Still::first();
    let erased: Result<ErasureReceipt, String> = Writer::open(host(&disk, &machine), &store)
        .and_then(|writer| writer.erase(&plan, scope(&targets, values), ops::erase::DEFAULT_REASON))
        .map_err(|error| error.to_string());
    close();
    if !wrote.load(std::sync::atomic::Ordering::SeqCst) {
        return None;
    }
    let after = disk.restart();
    if let Err(what) = minutes_later(&after, format) {
        return Some(Err(format!("the next start fails: {what}")));
    }
    Some(judged((format, late, matches!(arrival, Arrival::Open { .. })), &targets[0], &after, &erased))
}

/// What comes when the last search is over is as if it came after the erasure. A tombstone hides what comes when the
/// list of erased memories is written, and `check` says so.
fn judged(
    (format, (is_late, may_be_hidden), is_open_file): (&'static str, (bool, bool), bool),
    target: &ErasureTarget,
    after: &Faulty,
    erased: &Result<ErasureReceipt, String>,
) -> Result<(), String> {
    let now = load(after, format);
    let new: Vec<State> = now
        .entries
        .iter()
        .filter(|own| text_of(&now, own).text.raw().contains(NEW))
        .map(|own| own.state)
        .collect();
    let said = erased.as_ref().map(|own| (own.arrivals.clone(), own.left.clone(), own.notes.clone()));
    let is_hidden = may_be_hidden && new == [State::Deleted];
    if is_open_file && is_aside(after) {
        return Ok(());
    }
    if !new.contains(&State::Live) && !is_hidden {
        return Err(format!("the new memory is {new:?}, {said:?}"));
    }
    let names = |entry: &Entry| now.id(entry) == target.id.as_deref();
    let is_old = |entry: &&Entry| names(entry) && text_of(&now, entry).text.raw().contains(TEXT);
    let old = target.id.is_some() && now.entries.iter().any(|entry| is_old(&entry));
    match erased {
        // What has no id has no name that another could get.
        Ok(own) if own.arrivals.is_empty() && !is_late && !is_open_file && target.id.is_some() => {
            Err("it is not named by the receipt".to_owned())
        }
        Ok(own) if own.left.is_empty() && old => Err("called erased, and it is there".to_owned()),
        _ => Ok(()),
    }
}

/// True if the quarantine has the new text: what was written over an old file is kept there.
fn is_aside(after: &Faulty) -> bool {
    let has_new = |bytes: &[u8]| memchr::memmem::find(bytes, NEW.as_bytes()).is_some();
    after.files().iter().any(|(path, bytes)| path.starts_with(DATA) && has_new(bytes))
}

/// Tries each arrival before every step. Returns the number and what was wrong.
fn each_step(format: &'static str, with_kills: bool, values: &[SharedText]) -> (usize, Vec<String>) {
    let begin = begin(format);
    let (plan, targets) = planned(&begin, format);
    let learned = begin.restart();
    let machine = Still::first();
    let store = load(&begin.restart(), format);
    let writer = Writer::open(host(&learned, &machine), &store).unwrap();
    writer.erase(&plan, scope(&targets, values), ops::erase::DEFAULT_REASON).unwrap();
    drop(writer);
    let (log, mut count, mut wrong) = (learned.log(), 0, Vec::new());
    let last = log.iter().position(|step| step.contains("receipts/")).unwrap();
    let listed = log.iter().position(|step| step.contains("erased.new")).unwrap();
    let window = overwritten(&log);
    for arrival in arrivals(&begin, format, &plan) {
        let is_open_file = matches!(arrival, Arrival::Open { .. });
        for step in tries::spread(learned.steps(), 24).filter(|step| !is_open_file || !window.contains(step))
        {
            let killed = with_kills.then_some(step + 1 + step % 7);
            let tried = outcome(
                format,
                &begin,
                &arrival,
                (step, killed),
                ((step >= last, step + 2 >= listed), values),
            );
            let Some(outcome) = tried else { continue };
            count += 1;
            let at = log.get(step).cloned().unwrap_or_default();
            wrong.extend(outcome.err().map(|what| {
                format!("{format} {}, before {step} ({at}), killed {killed:?}: {what}", arrival.name())
            }));
        }
    }
    (count, wrong)
}

/// Returns the steps in which palimp overwrites an old file: what others write over it then can't stay.
fn overwritten(log: &[String]) -> std::ops::Range<usize> {
    let is_it = |own: &&String| own.contains(&format!("-{}.palimp-old", "0".repeat(32)));
    let start = log.iter().position(|own| is_it(&own)).unwrap_or_default();
    let end = log.iter().rposition(|own| is_it(&own) && own.starts_with("write")).map_or(start, |at| at + 1);
    start..end
}

fn assert_all_stay(with_kills: bool, values: &[SharedText], picks: &[usize]) {
    let formats = FORMATS.into_iter().chain([MARKDOWN]);
    for format in tries::some(formats, picks) {
        let (count, wrong) = each_step(format, with_kills, values);
        println!("{format}: {count} states, {} wrong", wrong.len());
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
        assert!(count > 5 || format == "agent-memory", "{format}: {count}");
    }
}

/// Returns the log with the memory that is erased, and its line with another text, or with the erased one in another spelling.
fn line_of(begin: &Faulty, format: &'static str, repeats: bool) -> (PathBuf, Vec<u8>) {
    let all = arrivals(begin, format, &planned(begin, format).0);
    let line = all.into_iter().find_map(|own| match own {
        Arrival::Line { file, line, .. } => Some((file, String::from_utf8(line).unwrap())),
        _ => None,
    });
    let (file, line) = line.unwrap();
    let line = if repeats { line.replace(NEW, TEXT).replacen('{', "{ ", 1) } else { line };
    (file, line.into_bytes())
}

fn erased(disk: &Faulty, format: &'static str) -> Result<ErasureReceipt, String> {
    let ((plan, targets), machine) = (planned(disk, format), Still::first());
    let store = load(disk, format);
    Writer::open(host(disk, &machine), &store)
        .and_then(|writer| writer.erase(&plan, scope(&targets, &[]), ops::erase::DEFAULT_REASON))
        .map_err(|error| error.to_string())
}

const LOGS: [&str; 3] = ["memory-server", "session-log", "bmad"];

#[test]
fn a_program_that_has_the_log_open_brings_nothing_erased_back_and_loses_no_other_text() {
    for (format, repeats) in LOGS.into_iter().flat_map(|own| [(own, false), (own, true)]) {
        let disk = begin(format);
        let (file, line) = line_of(&disk, format, repeats);
        open(Box::leak(Box::new(disk.another())), &path_of(format, &file)).unwrap();
        erased(&disk, format).unwrap();
        add_late(&line).unwrap();
        minutes_later(&disk, format).unwrap();
        let log = bytes_of(&disk, &path_of(format, &file)).unwrap();
        let is_there = memchr::memmem::find(&log, line.trim_ascii()).is_some();
        assert_eq!(is_there, !repeats, "{format}: {}", String::from_utf8_lossy(&log));
        let store = load(&disk, format);
        let list = Vault::open_read_only(&disk, Path::new(DATA), root(format)).erasure_list().unwrap();
        let list = ErasedRecords::of_lines(list);
        let again = list.written_again(&store, NOW);
        assert!(again.iter().all(|own| own.message.contains("another text")), "{again:?}");
        assert_eq!(again.len(), usize::from(!repeats && format != "session-log"), "{format}");
        let hidden = list.hidden(&store, NOW);
        let is_hidden = format == "session-log" && !repeats;
        assert_eq!(
            hidden.iter().filter(|own| own.code == Code::HiddenMemory).count(),
            usize::from(is_hidden)
        );
        assert_eq!(hidden.len(), usize::from(is_hidden), "{format}: {hidden:?}");
    }
}

#[test]
fn a_resumed_erasure_tells_what_repeats_the_erased_memory_from_what_got_its_name() {
    for (format, repeats) in LOGS.into_iter().flat_map(|own| [(own, false), (own, true)]) {
        let begin = begin(format);
        let (file, line) = line_of(&begin, format, repeats);
        let learned = begin.restart();
        erased(&learned, format).unwrap();
        let killed = learned.log().iter().position(|step| step.contains("erased.new")).unwrap();
        let disk = begin.restart();
        disk.fail_at(killed, Fault::Crash);
        erased(&disk, format).unwrap_err();
        let disk = disk.restart();
        disk.append(&path_of(format, &file)).unwrap().write(&line).unwrap();
        let (store, machine) = (load(&disk, format), Still::next());
        let writer = Writer::open(host(&disk, &machine), &store).unwrap();
        let receipt = writer.finished().unwrap();
        assert_eq!(receipt.arrivals.len(), 1, "{format}: {receipt:?}");
        let state = if repeats { ErasureState::Left } else { ErasureState::Erased };
        assert_eq!(receipt.state, state, "{format}, repeats: {repeats}: {:?}", receipt.left);
    }
}

#[test]
fn what_is_written_meanwhile_under_the_name_of_an_erased_memory_stays() {
    assert_all_stay(false, &[], &[0, 5]);
    assert_all_stay(false, &[TEXT.as_bytes().into()], &[1, 5]);
}

#[test]
fn what_is_written_under_the_name_of_an_erased_memory_stays_where_the_erasure_is_killed_and_resumed() {
    assert_all_stay(true, &[], &[1, 3]);
    assert_all_stay(true, &[TEXT.as_bytes().into()], &[0, 5]);
}
