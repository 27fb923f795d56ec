//! A value of several lines is one value, whatever line ends it is given with and stored with.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::forget::{Demo, PLACES};
use crate::support::traces::found;
use crate::support::tries::{count, some};

const ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// Returns a value of this many lines.
fn lines(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("kingfisher {number} of {count} \"x\\y\"")).collect()
}

/// Returns the files below a folder that have a value with any line end, in any form.
fn holding(folder: &Path, lines: &[String]) -> Vec<PathBuf> {
    found(folder, &ENDS.map(|end| lines.join(end)))
}

#[test]
fn a_value_of_several_lines_goes_whatever_its_line_ends_are() {
    let pairs = ENDS.iter().flat_map(|stored| ENDS.iter().map(move |given| (*stored, *given)));
    for (number, (stored, given)) in some(pairs.enumerate(), &[1, 3, 8]) {
        for line_count in [2 + number * 7, 60].into_iter().take(count(1, 2)) {
            let demo = Demo::new();
            let lines = lines(line_count);
            let added = PLACES.iter().filter(|place| demo.add(**place, &lines.join(stored))).count();
            assert!(added > 2, "{added}");
            for (place, ..) in PLACES {
                let folder = demo.stores().join(place);
                if !folder.is_dir() {
                    continue;
                }
                std::fs::write(folder.join("pasted.txt"), format!("so: {}.\n", lines.join(stored))).unwrap();
                std::fs::write(folder.join("packed.txt"), STANDARD.encode(lines.join(stored))).unwrap();
            }
            let what = format!("{stored:?} stored, {given:?} given, {line_count} lines");
            let words = ["erase", "--value-from", "-", "--yes"];
            demo.fed(&lines.join(given), &words).expect_status(0);
            assert_eq!(holding(demo.folder(), &lines), Vec::<PathBuf>::new(), "{what}");
            demo.run(&["verify-erased", "--all"]).expect_status(0);
            for again in ENDS {
                let path = demo.stores().join(PLACES[0].0).join("pasted.txt");
                std::fs::write(&path, lines.join(again)).unwrap();
                let checked = demo.run(&["verify-erased", "--all"]).expect_status(1);
                assert!(checked.stdout.contains("pasted.txt"), "{what}: {}", checked.stdout);
            }
        }
    }
}

#[test]
fn a_value_of_several_lines_is_redacted_whatever_its_line_ends_are() {
    for (number, (stored, given)) in [("\n", "\r\n"), ("\r\n", "\n"), ("\r", "\n")].into_iter().enumerate() {
        let demo = Demo::new();
        let lines = lines(2 + number);
        let added = PLACES.iter().filter(|place| demo.add(**place, &lines.join(stored))).count();
        assert!(added > 2, "{added}");
        let words = ["redact", "--value-from", "-", "--with", "mask", "--yes"];
        demo.fed(&lines.join(given), &words).expect_status(0);
        let mut left = holding(&demo.stores(), &lines);
        // A backup keeps what was there before.
        left.retain(|path| !path.to_string_lossy().contains(".backup"));
        assert_eq!(left, Vec::<PathBuf>::new(), "{stored:?} stored, {given:?} given");
    }
}
