//! Programs that know nothing of palimp replace a file by rename, rewrite it in place, or add to it, before
//! every step of every change, in all five formats: records, copies, archives, derived files, files beside
//! the store. Nothing that they wrote is lost, and no reported change of palimp is missing.

mod arrivals;
mod blanked_events;
pub mod deeds;
mod halfway;
mod other;
pub mod town;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::faulty::{Fault, Faulty, Lie};
use palimp::model::{Act, Plan, Store};
use palimp::ops::WriteContext;
use palimp::store::FilesState;
use palimp::store::hidden_names::is_ours;

use self::deeds::{DEEDS, Deed, FORMATS, ROTATES, TEXT};
use self::other::{FOREIGN, Foreign, LINE_START, act, close, has_mark, is_log, open};
use self::town::{Done, load, minutes_later, path_of, root, run, start, targets};
use super::bench::DATA;
use super::machine::NOW;
use crate::support::tries;

/// One state: the action of another program, its step and file, and where the process is killed.
struct Try<'a> {
    format: &'static str,
    deed: &'a Deed,
    begin: &'a Faulty,
    lies: &'a [Lie],
    file: &'a Path,
    /// True if the file is derived: it may then be rebuilt instead of kept.
    derived: bool,
    foreign: Foreign,
    step: usize,
    killed: Option<usize>,
}

impl Try<'_> {
    /// Returns what was wrong, or `None` if the other program had nothing to write to.
    fn outcome(&self) -> Option<Result<(), String>> {
        let disk = self.begin.restart();
        self.lies.iter().for_each(|lie| disk.lie(*lie));
        let file = path_of(self.format, self.file);
        if matches!(self.foreign, Foreign::AppendLate | Foreign::RewriteLate) {
            open(Box::leak(Box::new(disk.another())), &file)?;
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
        close();
        if !wrote.load(Ordering::SeqCst) {
            return None;
        }
        let after = disk.restart();
        if let Err(what) = minutes_later(&after, self.format) {
            return Some(Err(format!("the next start fails: {what}")));
        }
        Some(self.judged(&after, &outcome?))
    }

    fn judged(&self, after: &Faulty, outcome: &Done) -> Result<(), String> {
        let files = after.files();
        let told = outcome.as_ref().map(|(notes, _)| notes.clone()).map_err(ToString::to_string);
        let around = Path::new("/repo");
        let left = files.keys().filter(|path| path.starts_with(around));
        let left: Vec<_> = left.filter(|path| path.file_name().is_some_and(is_ours)).collect();
        if left.iter().any(|path| !path.to_string_lossy().contains(".lock")) {
            return Err(format!("left: {left:?}, {told:?}"));
        }
        let is_kept = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            let kept = path.starts_with(around) || path.starts_with(Path::new(DATA).join("stores"));
            let own = kept && !path.components().any(|part| part.as_os_str() == "undo");
            own && has_mark(path, bytes)
        };
        let is_safe = files.iter().any(is_kept) || self.derived && self.is_made_anew(after);
        let log = files.get(&path_of(self.format, self.file)).filter(|_| is_log(self.file));
        if log.is_some_and(|log| memchr::memmem::find_iter(log, LINE_START.as_bytes()).count() > 1) {
            return Err(format!("the other's line is there twice, {told:?}"));
        }
        if !is_safe {
            return Err(format!("what the other wrote is in no file, {told:?}"));
        }
        match outcome {
            Ok((_, plan)) if self.killed.is_none() => {
                self.has_ours(after, plan.as_ref()).map_err(|what| format!("{what}, {told:?}"))
            }
            Err(error) if self.killed.is_none() && error.files() == FilesState::Halfway => {
                Err(format!("it is neither made nor undone: {error}"))
            }
            _ => Ok(()),
        }
    }

    /// True if a derived file agrees with its sources.
    fn is_made_anew(&self, after: &Faulty) -> bool {
        let store: Store = load(after, self.format);
        let context = WriteContext::of(&store, NOW, [7; 16]);
        let plan = palimp::ops::reindex::reindex(&context);
        plan.is_ok_and(|plan| plan.derived.iter().all(|change| *change.path != *self.file))
    }

    /// Checks that reported changes are there.
    fn has_ours(&self, after: &Faulty, plan: Option<&Plan>) -> Result<(), String> {
        let Some(plan) = plan else { return self.is_erased(after) };
        for change in &plan.changes {
            let now = after.files().get(&path_of(self.format, &change.path)).cloned();
            let text = String::from_utf8_lossy(now.as_deref().unwrap_or_default()).into_owned();
            let has = |lines: &[u8]| {
                let lines = String::from_utf8_lossy(lines).into_owned();
                lines.lines().all(|line| text.contains(line.trim_end()))
            };
            // A program that writes back an old state of a file removes the lines that were added since.
            let is_stale = self.foreign == Foreign::RewriteLate && *change.path == *self.file;
            let is_there = match &change.act {
                Act::Append(_) if is_stale => true,
                Act::Append(lines) => has(lines),
                Act::Splice(splices) if is_log(&change.path) => {
                    splices.iter().all(|splice| has(&splice.becomes))
                }
                Act::Create(_) => now.is_some(),
                // A file that another program put there since may exist again.
                Act::Remove(was) => now.is_none_or(|now| now != **was),
                _ => true,
            };
            if !is_there {
                return Err(format!("{} misses what was reported: {text}", change.path.display()));
            }
        }
        Ok(())
    }

    /// Checks that erased text is gone. A program that writes back an old state of a file restores it.
    fn is_erased(&self, after: &Faulty) -> Result<(), String> {
        let is_stale = self.foreign == Foreign::RewriteLate;
        let count = |disk: &Faulty| {
            let own = disk.files().into_iter().filter(|(path, _)| path.starts_with(root(self.format)));
            own.map(|(_, bytes)| memchr::memmem::find_iter(&bytes, TEXT.as_bytes()).count()).sum::<usize>()
        };
        let (was, is) = (count(self.begin), count(after));
        match was == 0 || is < was || is_stale {
            true => Ok(()),
            false => Err(format!("erased, and {is} of {was} copies are left")),
        }
    }
}

/// Returns what [`start`] makes; runs it once for all tests.
pub fn begun(format: &'static str, deed: &'static Deed) -> Result<Faulty, String> {
    type Begun = HashMap<(&'static str, &'static str), Result<Faulty, String>>;
    static BEGUN: LazyLock<Mutex<Begun>> = LazyLock::new(Mutex::default);
    let key = (format, deed.name);
    let known = BEGUN.lock().unwrap().get(&key).cloned();
    // Outside the lock, so that parallel tests don't wait for each other.
    let begun = known.unwrap_or_else(|| start(format, deed));
    BEGUN.lock().unwrap().entry(key).or_insert_with(|| begun.clone());
    begun.map(|disk| disk.restart())
}

/// Tries every `every`th state of all deeds. Returns their number and what was wrong. Each deed
/// must run in exactly those formats that have it.
fn sweep(lies: &[Lie], every: usize, with_kills: bool) -> (usize, Vec<String>) {
    let (mut count, mut number, mut wrong) = (0, 0_usize, Vec::new());
    // The short form tries other formats with kills, and one where the file system lacks something.
    let picks: &[usize] = match lies.len() {
        0 if with_kills => &[1, 3],
        0 => &[0, 2, 4],
        1 => &[1],
        _ => &[2],
    };
    for format in tries::some(FORMATS, picks) {
        for deed in DEEDS {
            let is_meant = deed.formats.contains(&format);
            let ran = begun(format, deed).and_then(|begin| {
                if std::env::var_os("SHOW").is_some() {
                    println!("{format} {} {:?}", deed.name, begin.files().keys());
                }
                let learned = begin.restart();
                lies.iter().for_each(|lie| learned.lie(*lie));
                let done = run(&learned, format, deed.act).ok_or("nothing to be done")?;
                done.map(|(_, plan)| (begin, learned, plan)).map_err(|error| error.to_string())
            });
            let (begin, learned, plan) = match (ran, is_meant) {
                (Ok(ran), true) => ran,
                (Err(_), false) => continue,
                (Ok(_), false) => {
                    wrong.push(format!("{format} has {}, and is not listed", deed.name));
                    continue;
                }
                (Err(why), true) => {
                    wrong.push(format!("{format} {} did not run: {why}", deed.name));
                    continue;
                }
            };
            for (file, derived) in targets(&begin, format, plan.as_ref(), deed) {
                for (foreign, step) in
                    FOREIGN.iter().flat_map(|own| (0..learned.steps()).map(|at| (*own, at)))
                {
                    number += 1;
                    if number % every != 0 {
                        continue;
                    }
                    let killed = with_kills.then(|| step + 1 + number / every % 7);
                    let (begin, file) = (&begin, &*file);
                    let own = Try { format, deed, begin, lies, file, derived, foreign, step, killed };
                    let at = learned.log().get(step).cloned().unwrap_or_default();
                    if in_window(lies, &own, &at) {
                        continue;
                    }
                    let Some(outcome) = own.outcome() else { continue };
                    count += 1;
                    if let Err(what) = outcome {
                        let (name, file) = (deed.name, file.display());
                        wrong.push(format!(
                            "{format} {name}, {foreign:?} of {file} before {step} ({at}), killed {killed:?}: {what}"
                        ));
                    }
                }
            }
        }
    }
    (count, wrong)
}

/// True for cases that the documents exclude: a write over an old file while an erasure overwrites it. If the file
/// system has no exchange: a replacement of the file at the rename itself; and without second names, any write at the
/// rename, or later by a program that had the file open.
fn in_window(lies: &[Lie], own: &Try<'_>, at: &str) -> bool {
    let is_blanking = at.starts_with("write ") && at.ends_with(&format!("-{:032x}.palimp-old", 0));
    if is_blanking && own.foreign == Foreign::RewriteLate {
        return true;
    }
    let is_rename =
        at.starts_with("rename ") && at.ends_with(&*path_of(own.format, own.file).to_string_lossy());
    match (lies.contains(&Lie::NoExchange), lies.contains(&Lie::NoLinks)) {
        (false, _) => false,
        (true, false) => is_rename && own.foreign == Foreign::Replace,
        (true, true) => is_rename || matches!(own.foreign, Foreign::AppendLate | Foreign::RewriteLate),
    }
}

fn assert_nothing_is_lost(lies: &[Lie], every: usize, with_kills: bool) {
    let every = tries::count(every, 6);
    let (count, wrong) = sweep(lies, every, with_kills);
    println!("{count} states, {} wrong", wrong.len());
    assert!(count > 5, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_of_another_program_is_lost_whatever_it_does_before_whichever_step() {
    assert_nothing_is_lost(&[], 1_181, false);
}

#[test]
fn nothing_of_another_program_is_lost_where_the_change_is_killed_afterwards() {
    assert_nothing_is_lost(&[], 1_471, true);
}

#[test]
fn without_an_exchange_nothing_is_lost_but_what_replaces_a_file_within_its_rename() {
    assert_nothing_is_lost(&[Lie::NoExchange], 421, false);
}

#[test]
fn without_second_names_nothing_is_lost_but_what_is_written_within_a_rename_or_later() {
    assert_nothing_is_lost(&[Lie::NoExchange, Lie::NoLinks], 421, false);
}

/// Tries every step at which another program acts on one file. Returns the count and what was wrong.
fn each_step(
    format: &'static str,
    deed: &Deed,
    lies: &[Lie],
    is_it: fn(&Act) -> bool,
    begin: &Faulty,
) -> (usize, Vec<String>) {
    let learned = begin.restart();
    let (_, plan) = run(&learned, format, deed.act).unwrap().unwrap();
    let files = plan.iter().flat_map(|plan| &plan.changes).filter(|own| is_it(&own.act));
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files.map(|own| own.path.clone()) {
        for (foreign, step) in
            FOREIGN.iter().flat_map(|own| tries::spread(learned.steps(), 7).map(|at| (*own, at)))
        {
            let kills = [1, 2, 4].map(|later| Some(step + later));
            // The short form kills at one of them, in turn.
            let kills = if tries::is_long() { &kills[..] } else { &kills[step % 3..][..1] };
            for killed in [None].into_iter().chain(kills.iter().copied()) {
                let own =
                    Try { format, deed, begin, lies, file: &file, derived: false, foreign, step, killed };
                let Some(outcome) = own.outcome() else { continue };
                count += 1;
                let at = learned.log().get(step).cloned().unwrap_or_default();
                wrong.extend(outcome.err().map(|what| {
                    format!(
                        "{foreign:?} of {} before {step} ({at}), killed {killed:?}: {what}",
                        file.display()
                    )
                }));
            }
        }
    }
    (count, wrong)
}

#[test]
fn what_is_written_into_a_document_while_it_is_erased_is_kept() {
    let deed = DEEDS.iter().find(|deed| deed.name == "erase").unwrap();
    let begin = begun("agent-memory", deed).unwrap();
    let learned = begin.restart();
    run(&learned, "agent-memory", deed.act).unwrap().unwrap();
    let file = Path::new("history/checkpoints/chk-000001.json");
    let (mut count, mut wrong) = (0, Vec::new());
    for step in tries::spread(learned.steps(), 9) {
        for (foreign, killed) in [(Foreign::Append, Some(step + 6)), (Foreign::RewriteLate, None)] {
            let (format, derived) = ("agent-memory", false);
            let state = Try { format, deed, begin: &begin, lies: &[], file, derived, foreign, step, killed };
            if !in_window(&[], &state, &learned.log()[step]) {
                let outcome = state.outcome();
                count += usize::from(outcome.is_some());
                wrong.extend(outcome.and_then(Result::err));
            }
        }
    }
    assert!(count > 10, "{count}");
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_copy_that_is_too_old_goes_only_as_it_was_looked_at() {
    let begin = start("memory-server", &ROTATES).unwrap();
    let (count, wrong) =
        each_step("memory-server", &ROTATES, &[], |act| matches!(act, Act::Expire(_)), &begin);
    assert!(count > 50, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn whatever_is_written_to_a_log_while_it_is_edited_stays_and_a_disk_that_drops_it_is_found() {
    let deed = DEEDS.iter().find(|own| own.name == "edit").unwrap();
    let begin = begun("session-log", deed).unwrap();
    let tried =
        |lies: &[Lie]| each_step("session-log", deed, lies, |act| matches!(act, Act::Splice(_)), &begin);
    let (count, wrong) = tried(&[]);
    assert!(count > 50, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_ne!(tried(&[Lie::ExchangeDropsOld]).1, Vec::<String>::new());
}
