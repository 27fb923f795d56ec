//! Lines that palimp adds while others write to the same file, or replace it.

use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty, Op};
use palimp::disk::Disk;
use palimp::usecase::place_of_new;

use super::bench::{Bench, ROOT, host, next_start, run, turn};
use super::cases::{Do, named};
use super::machine::Still;

fn log() -> PathBuf {
    Path::new(ROOT).join("sessions/sess_a/memory.jsonl")
}

fn text(disk: &Faulty) -> String {
    String::from_utf8(disk.files()[&log()].clone()).unwrap()
}

fn add() -> (Bench, usize) {
    let bench = Bench::of(named("session-log", "add"));
    let disk = bench.disk();
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    let is_it = |op: &Op| matches!(op, Op::Write { file, .. } if *file == log());
    let at = disk.ops().iter().position(is_it).unwrap_or_else(|| panic!("{:#?}", disk.log()));
    (bench, at)
}

const OTHERS: &str = "{\"id\":\"mem_900\",\"content\":{\"finding\":\"Of another.\"}}\n";

/// Lets another program act before the step with that number.
fn before(disk: &Faulty, step: usize, mut act: impl FnMut(&Faulty) + Send + 'static) {
    let mut at = 0;
    disk.before(move |_, other| {
        if at == step {
            act(other);
        }
        at += 1;
    });
}

fn adds(other: &Faulty) {
    other.append(&log()).unwrap().write(OTHERS.as_bytes()).unwrap();
}

#[test]
fn what_another_wrote_meanwhile_is_not_cut_off_with_a_line_that_could_not_be_written_whole() {
    let (bench, at) = add();
    let disk = bench.disk();
    let prepared = bench.prepare(&disk);
    disk.fail_at(at, Fault::ShortWrite(10));
    before(&disk, at, adds);
    let told = run(&disk, &Still::first(), &prepared).unwrap_err().to_string();
    assert!(text(&disk).contains(OTHERS), "{}", text(&disk));
    assert!(told.contains("torn line"), "{told}");
}

#[test]
fn a_line_that_another_adds_to_a_log_while_it_is_made_is_not_written_over() {
    let bench = Bench::of(named("session-log", "add where no log is"));
    let disk = bench.disk();
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    let is_it = |op: &Op| matches!(op, Op::Link { name, .. } if *name == log());
    let at = disk.ops().iter().position(is_it).unwrap_or_else(|| panic!("{:#?}", disk.log()));
    for step in [at, at + 1] {
        let disk = bench.disk();
        let prepared = bench.prepare(&disk);
        before(&disk, step, |other| match other.append(&log()) {
            Ok(mut there) => there.write(OTHERS.as_bytes()).unwrap(),
            Err(_) => other.put(log(), OTHERS, 0o600),
        });
        run(&disk, &Still::first(), &prepared).unwrap();
        assert!(text(&disk).contains(OTHERS), "{step}: {}", text(&disk));
        assert_eq!(text(&disk).lines().count(), 2, "{step}: {}", text(&disk));
    }
}

#[test]
fn what_could_be_written_of_a_line_is_cut_off_where_nothing_is_behind_it() {
    let (bench, at) = add();
    let disk = bench.disk();
    let (prepared, was) = (bench.prepare(&disk), text(&disk));
    disk.fail_at(at, Fault::ShortWrite(10));
    run(&disk, &Still::first(), &prepared).unwrap_err();
    assert_eq!(text(&disk), was);
}

#[test]
fn a_line_is_added_anew_where_another_put_a_file_in_the_place_of_the_one_it_was_added_to() {
    let (bench, at) = add();
    for step in [at, at + 1] {
        let disk = bench.disk();
        let (prepared, was) = (bench.prepare(&disk), text(&disk));
        before(&disk, step, move |other| other.put(log(), was.replace("Tea.", "Coffee."), 0o600));
        run(&disk, &Still::first(), &prepared).unwrap();
        assert_eq!(text(&disk).matches("What came last.").count(), 1, "step {step}");
        assert!(text(&disk).contains("Coffee."));
    }
}

#[test]
fn a_line_that_went_into_the_file_that_took_the_place_is_not_added_twice() {
    let (bench, at) = add();
    let disk = bench.disk();
    let prepared = bench.prepare(&disk);
    before(&disk, at + 1, |other| other.put(log(), text(other), 0o600));
    run(&disk, &Still::first(), &prepared).unwrap();
    assert_eq!(text(&disk).matches("What came last.").count(), 1);
}

#[test]
fn a_line_that_cannot_be_made_durable_is_undone() {
    let (bench, at) = add();
    let disk = bench.disk();
    let (prepared, was) = (bench.prepare(&disk), text(&disk));
    disk.fail_at(at + 1, Fault::Error(Errno::IO));
    run(&disk, &Still::first(), &prepared).unwrap_err();
    assert_eq!(text(&disk), was);
}

#[test]
fn of_a_new_log_that_cannot_be_made_durable_no_part_is_there_after_a_power_cut() {
    let bench = Bench::of(named("session-log", "add where no log is"));
    let whole = bench.disk();
    run(&whole, &Still::first(), &bench.prepare(&whole)).unwrap();
    let is_it = |op: &Op| matches!(op, Op::Sync { file } if file.starts_with(ROOT));
    let steps: Vec<usize> = (0..whole.steps()).filter(|at| is_it(&whole.ops()[*at])).collect();
    assert!(!steps.is_empty());
    for step in steps {
        let disk = bench.disk();
        let prepared = bench.prepare(&disk);
        disk.fail_at(step, Fault::Error(Errno::IO));
        let _ = run(&disk, &Still::first(), &prepared);
        for (label, cut) in disk.after_power_cut() {
            next_start(&cut, "session-log", &Still::next()).unwrap();
            let there = cut.files().remove(&log());
            assert!(there.is_none_or(|own| own == whole.files()[&log()]), "{step}, {label}: {}", text(&cut));
        }
    }
}

#[test]
fn a_step_that_is_undone_leaves_no_folder_and_an_init_that_was_cut_can_be_done_again() {
    let of_store = |disk: &Faulty| disk.folders().into_iter().filter(|own| own.starts_with(ROOT)).collect();
    let is_file = |own: &PathBuf| own.starts_with(ROOT) && own.extension().is_some();
    let files = |disk: &Faulty| disk.files().into_keys().filter(is_file).collect::<Vec<_>>();
    let format = "session-log";
    for case in ["init", "session new"] {
        let bench = Bench::of(named(format, case));
        let (begun, whole) = (bench.disk(), bench.disk());
        run(&whole, &Still::first(), &bench.prepare(&whole)).unwrap();
        let allowed: [Vec<PathBuf>; 2] = [of_store(&begun), of_store(&whole)];
        for kill in 0..whole.steps() {
            let disk = bench.disk();
            disk.fail_at(kill, Fault::Crash);
            drop(run(&disk, &Still::first(), &bench.prepare(&disk)));
            let (disk, next) = (disk.restart(), Still::next());
            match case {
                "init" => {
                    let place = place_of_new(host(&disk, &next), format, Path::new(ROOT), true);
                    assert!(
                        place.is_ok() || files(&disk) == files(&whole),
                        "{format} {kill}: {:?}",
                        files(&disk)
                    );
                }
                _ => next_start(&disk, format, &next).unwrap(),
            }
            assert!(allowed.contains(&of_store(&disk)), "{format} {case} {kill}: {:?}", of_store(&disk));
        }
    }
}

/// Adds a line after another program wrote since the plan. A step may fail.
fn add_beside(case: &str, fails: Option<usize>) -> (Faulty, String, bool) {
    let bench = Bench::of(named("session-log", case));
    let disk = bench.disk();
    let prepared = bench.prepare(&disk);
    let end = if text(&disk).ends_with('\n') { "" } else { "\n" };
    disk.append(&log()).unwrap().write(format!("{end}{OTHERS}").as_bytes()).unwrap();
    let was = text(&disk);
    fails.into_iter().for_each(|at| disk.fail_at(at, Fault::Error(Errno::IO)));
    let outcome = run(&disk, &Still::first(), &prepared);
    (disk, was, outcome.is_ok())
}

const ADDS: [&str; 2] = ["add", "add to an unfinished line"];

#[test]
fn a_line_that_cannot_be_made_durable_is_undone_where_others_wrote_meanwhile() {
    for case in ADDS {
        let (disk, was, is_made) = add_beside(case, None);
        assert!(is_made && text(&disk) != was && text(&disk).starts_with(&was), "{case}: {}", text(&disk));
        let is_it = |op: &Op| matches!(op, Op::Write { file, .. } if *file == log());
        let written = disk.ops().iter().rposition(is_it).unwrap();
        let (disk, was, is_made) = add_beside(case, Some(written + 1));
        assert!(!is_made);
        assert_eq!(text(&disk), was, "{case}");
    }
}

#[test]
fn a_line_that_was_added_behind_what_others_wrote_meanwhile_is_undone() {
    for case in ADDS {
        let (disk, was, _) = add_beside(case, None);
        turn(&disk, "session-log", &Still::first(), Do::Undo).unwrap();
        assert_eq!(text(&disk), was, "{case}");
    }
}

#[test]
fn a_line_that_was_added_behind_an_unfinished_one_is_undone_where_another_took_that_away() {
    let bench = Bench::of(named("session-log", ADDS[1]));
    let disk = bench.disk();
    let whole = text(&disk).rfind('\n').unwrap() + 1;
    let was = text(&disk)[..whole].to_owned();
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    let ours = text(&disk).lines().last().unwrap().to_owned();
    disk.put(log(), format!("{was}{ours}\n"), 0o600);
    turn(&disk, "session-log", &Still::first(), Do::Undo).unwrap();
    assert_eq!(text(&disk), was);
}
