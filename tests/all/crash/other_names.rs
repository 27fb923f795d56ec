//! Files with several names, in all formats: the plan says before a change what the other name has.

use std::path::Path;

use palimp::disk::Disk;
use palimp::model::{Act, Code, Severity};

use super::foreign::deeds::{DEEDS, FORMATS};
use super::foreign::town::{erasure, load, minutes_later, path_of, run, start};

const ELSEWHERE: &str = "/elsewhere";

/// Gives a file that the deed replaces another name. Returns whether the plan says what that name keeps.
fn told_by(format: &'static str, name: &str) -> bool {
    let deed = DEEDS.iter().find(|deed| deed.name == name).unwrap();
    let begin = start(format, deed).unwrap();
    let (_, plan) = run(&begin.restart(), format, deed.act).unwrap().unwrap();
    let replaces = |act: &Act| matches!(act, Act::Splice(_) | Act::Remove(_));
    let inside = |path: &Path| !path.starts_with("..");
    let plan = plan.unwrap();
    let change = plan.changes.iter().find(|own| replaces(&own.act) && inside(&own.path));
    let Some(change) = change else { return true };
    let disk = begin.restart();
    disk.another().link(&path_of(format, &change.path), Path::new(ELSEWHERE)).unwrap();
    let before = disk.files()[Path::new(ELSEWHERE)].clone();
    let noted = load(&disk, format).problems;
    let is_it = |own: &&palimp::model::Problem| own.code == Code::LinkOutside && own.file == change.path;
    assert_eq!(noted.iter().find(is_it).map(|own| own.severity), Some(Severity::Note), "{format} {name}");
    let (_, plan) = run(&disk, format, deed.act).unwrap().unwrap();
    let after = disk.restart();
    minutes_later(&after, format).unwrap();
    assert_eq!(after.files()[Path::new(ELSEWHERE)], before, "{format} {name}");
    assert_ne!(after.files().get(&path_of(format, &change.path)), Some(&before), "{format} {name}");
    plan.unwrap().lines.iter().any(|line| line.contains("a second name"))
}

#[test]
fn a_change_of_a_file_with_another_name_says_that_the_other_keeps_the_old_content() {
    for format in crate::support::tries::some(FORMATS, &[0, 2]) {
        for name in ["edit", "delete with remove", "undo of edit"] {
            assert!(told_by(format, name), "{format} {name}");
        }
    }
}

#[test]
fn an_erasure_of_a_file_with_another_name_says_that_the_other_keeps_it() {
    for format in crate::support::tries::some(FORMATS, &[1, 3]) {
        let deed = DEEDS.iter().find(|deed| deed.name == "erase").unwrap();
        let disk = start(format, deed).unwrap().restart();
        let (plan, _) = erasure(&disk, &load(&disk, format)).unwrap();
        let rewrites = |act: &Act| matches!(act, Act::Splice(_) | Act::Remove(_));
        let change =
            plan.changes.iter().find(|own| rewrites(&own.act) && !own.path.starts_with("..")).unwrap();
        disk.another().link(&path_of(format, &change.path), Path::new(ELSEWHERE)).unwrap();
        let (plan, _) = erasure(&disk, &load(&disk, format)).unwrap();
        assert!(
            plan.preview_lines().iter().any(|line| line.contains("a second name")),
            "{format}: {:?}",
            plan.preview_lines()
        );
    }
}

#[test]
fn a_line_that_is_added_is_read_by_the_other_name_too() {
    for format in ["memory-server", "session-log", "bmad"] {
        let deed = DEEDS.iter().find(|deed| deed.name == "add").unwrap();
        let disk = start(format, deed).unwrap().restart();
        let (_, plan) = run(&disk.restart(), format, deed.act).unwrap().unwrap();
        let plan = plan.unwrap();
        let added = plan.changes.iter().find(|own| matches!(own.act, Act::Append(_))).unwrap();
        let file = path_of(format, &added.path);
        disk.another().link(&file, Path::new(ELSEWHERE)).unwrap();
        run(&disk, format, deed.act).unwrap().unwrap();
        assert_eq!(disk.files()[Path::new(ELSEWHERE)], disk.files()[&file], "{format}");
    }
}

#[test]
fn a_file_with_one_name_is_no_note() {
    for format in crate::support::tries::some(FORMATS, &[2, 4]) {
        let store = load(&start(format, &DEEDS[2]).unwrap(), format);
        assert!(store.problems.iter().all(|own| own.code != Code::LinkOutside), "{format}");
    }
}
