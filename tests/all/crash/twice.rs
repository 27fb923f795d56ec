//! One program replaces a log before a step of a change, and another adds to whatever file is there
//! before a later step, which may be palimp's for a moment: nothing of either is lost.

use std::path::{Path, PathBuf};

use crate::faulty::{Fault, Faulty};
use palimp::disk::{Disk, Machine};

use super::bench::{Bench, DATA, ROOT, next_start, run};
use super::cases::named;
use super::machine::Still;
use crate::support::tries;

const THEIRS: &str = "{\"id\":\"mem_900\",\"content\":{\"finding\":\"In the file of one.\"}}\n";
const ADDED: &str = "{\"id\":\"mem_901\",\"content\":{\"finding\":\"Added by another.\"}}\n";

fn log() -> PathBuf {
    Path::new(ROOT).join("sessions/sess_a/memory.jsonl")
}

fn replaces(disk: &Faulty) {
    let (bytes, _) = disk.read(&log(), 0, None).unwrap();
    let own = log().with_file_name("theirs");
    let mut out = disk.create(&own, 0o600).unwrap();
    // Not at the end: then the file did more than grow.
    out.write(&[THEIRS.as_bytes(), &bytes].concat()).unwrap();
    disk.rename(&own, &log()).unwrap();
}

fn adds(disk: &Faulty) {
    disk.append(&log()).unwrap().write(ADDED.as_bytes()).unwrap();
}

/// Returns `None` if the change has fewer steps.
fn with_both_before(steps: [usize; 2], killed: Option<usize>) -> Option<()> {
    let bench = Bench::of(named("session-log", "tag"));
    let disk = bench.disk();
    let prepared = bench.prepare(&disk);
    let first = disk.steps();
    let mut at = 0;
    disk.before(move |_, other| {
        if at == steps[0] {
            replaces(other);
        }
        if at == steps[1] {
            adds(other);
        }
        at += 1;
    });
    if let Some(killed) = killed {
        disk.fail_at(first + killed, Fault::Crash);
    }
    let _ = run(&disk, &Still::first(), &prepared);
    let made = disk.steps() - first;
    if steps[1] >= made {
        return None;
    }
    let after = disk.restart();
    for minutes in 1..=3 {
        let machine = Still::next();
        machine.sleep(std::time::Duration::from_secs(minutes * 600));
        next_start(&after, "session-log", &machine).unwrap();
    }
    let kept = after.files();
    for line in [THEIRS, ADDED] {
        let is_kept = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            let is_own = path.starts_with(DATA) && !path.components().any(|part| part.as_os_str() == "undo");
            (*path == log() || is_own) && memchr::memmem::find(bytes, line.as_bytes()).is_some()
        };
        assert!(
            kept.iter().any(is_kept),
            "{line} before {steps:?}, killed {killed:?}: {:?}\n{:#?}",
            kept.get(&log()).map(|own| String::from_utf8_lossy(own).into_owned()),
            disk.log()
        );
    }
    Some(())
}

#[test]
fn what_is_added_to_our_bytes_is_kept_where_they_leave_again_as_another_had_replaced_the_file() {
    let mut count = 0;
    for first in (0..).step_by(tries::count(5, 1)) {
        let before = count;
        for later in 1..3 {
            for killed in [None, Some(1)] {
                let killed = killed.map(|own| first + later + own);
                count += usize::from(with_both_before([first, first + later], killed).is_some());
            }
        }
        if count == before {
            break;
        }
    }
    assert!(count > 8, "{count}");
}
