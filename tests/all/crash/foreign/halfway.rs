//! A program that replaces a file in the last instant stops a change of several files: what was changed is undone.

use std::path::Path;

use palimp::ops::{self, WriteContext};
use palimp::store::write::Writer;
use palimp::store::{CommitError, FilesState, Vault};

use super::arrivals::markdown;
use super::town::{load, minutes_later, root};
use crate::crash::bench::{DATA, host};
use crate::crash::machine::{NOW, Still};
use crate::faulty::{Fault, Faulty};

const CLAUDE: &str = "markdown/claude";
/// What another program writes: the topic that is deleted, and the index.
const THEIRS: [(&str, &str); 2] = [
    ("pears.md", "---\nname: pears\ndescription: about pears\ntype: project\n---\nTheirs.\n"),
    ("MEMORY.md", "# Memory\n\n- [Pears](pears.md) - theirs\n- [Plums](plums.md) - about plums\n"),
];

/// Deletes the topic, while another program renames its own file into the place of one before that step.
fn deleted(
    disk: &Faulty,
    step: Option<usize>,
    theirs: (&'static str, &'static str),
) -> Result<(), CommitError> {
    let store = load(disk, CLAUDE);
    let entry = store.entries.iter().find(|own| store.document(own).path == Path::new("pears.md")).unwrap();
    let context = WriteContext::of(&store, NOW, [7; 16]);
    let plan = ops::delete::delete(&context, &[*entry], &Default::default()).unwrap();
    assert!(plan.changes.len() > 1, "its file, and its line in the index");
    let mut at = 0;
    disk.before(move |_, other| {
        if Some(at) == step {
            other.put(root(CLAUDE).join(theirs.0), theirs.1, 0o600);
        }
        at += 1;
    });
    Writer::open(host(disk, &Still::first()), &store)?.commit(&plan).map(drop)
}

/// Checks that a delete that failed changed nothing, whatever it said, and that the journal has no line of it.
fn assert_undone(disk: &Faulty, theirs: (&str, &str), at: &str) {
    let after = disk.restart();
    minutes_later(&after, CLAUDE).unwrap();
    let before = markdown().files();
    for name in ["pears.md", "plums.md", "MEMORY.md"] {
        let path = root(CLAUDE).join(name);
        let wanted = if name == theirs.0 { theirs.1.as_bytes() } else { &before[&path] };
        let now = after.files().get(&path).cloned().unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&now), String::from_utf8_lossy(wanted), "{name}, {at}");
    }
    let vault = Vault::open_read_only(&after, Path::new(DATA), root(CLAUDE));
    assert_eq!(vault.journal().unwrap(), [], "{at}");
}

#[test]
fn a_delete_that_meets_a_rename_in_its_last_instant_is_undone_and_is_in_no_journal() {
    let learned = markdown();
    deleted(&learned, None, THEIRS[0]).unwrap();
    let mut stopped = 0;
    for theirs in THEIRS {
        for step in 0..learned.steps() {
            let disk = markdown();
            let Err(error) = deleted(&disk, Some(step), theirs) else { continue };
            let at = format!("{} before {step} ({:?}): {error}", theirs.0, learned.log().get(step));
            assert!(matches!(error.files(), FilesState::Untouched | FilesState::Restored), "{at}");
            stopped += usize::from(error.files() == FilesState::Restored);
            assert_undone(&disk, theirs, &at);
        }
    }
    assert!(stopped > 0);
}

#[test]
fn a_killed_delete_whose_file_another_program_replaced_is_called_neither_finished_nor_undone() {
    let learned = markdown();
    deleted(&learned, None, THEIRS[0]).unwrap();
    let mut half = 0;
    for step in 0..learned.steps() {
        let disk = markdown();
        disk.fail_at(step, Fault::Crash);
        let _ = deleted(&disk, None, THEIRS[0]);
        let after = disk.restart();
        after.put(root(CLAUDE).join(THEIRS[0].0), THEIRS[0].1, 0o600);
        minutes_later(&after, CLAUDE).unwrap();
        let index = after.files()[&root(CLAUDE).join("MEMORY.md")].clone();
        let is_whole = !String::from_utf8_lossy(&index).contains("pears.md");
        let journal = Vault::open_read_only(&after, Path::new(DATA), root(CLAUDE)).journal().unwrap();
        half += journal.iter().filter(|line| line.is_half).count();
        assert!(journal.iter().all(|line| line.is_half || is_whole), "killed at {step}");
    }
    assert!(half > 0);
}
