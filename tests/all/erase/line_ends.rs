//! A value of several lines is one value, whatever line ends it is given with and stored with.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::forget::{Demo, PLACES};
use crate::support::tries::{count, some};

const ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// Returns a value of this many lines.
fn lines(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("kingfisher {number} of {count} \"x\\y\"")).collect()
}

/// Returns the forms in which a value may be in a file, with each line end.
fn forms(lines: &[String]) -> Vec<Vec<u8>> {
    let of = |end: &str| {
        let plain = lines.join(end);
        let json = serde_json::to_string(&plain).unwrap();
        [
            plain.clone().into_bytes(),
            json.as_bytes()[1..json.len() - 1].to_vec(),
            STANDARD.encode(plain).into_bytes(),
        ]
    };
    ENDS.iter().flat_map(|end| of(end)).collect()
}

fn holding(folder: &std::path::Path, forms: &[Vec<u8>]) -> Vec<std::path::PathBuf> {
    let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |item: std::fs::DirEntry| match item.path() {
        path if path.is_dir() => holding(&path, forms),
        path => {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let has = forms.iter().any(|form| memchr::memmem::find(&bytes, form).is_some());
            if has { vec![path] } else { Vec::new() }
        }
    };
    items.flat_map(of).collect()
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
            assert_eq!(holding(demo.folder(), &forms(&lines)), Vec::<std::path::PathBuf>::new(), "{what}");
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
        let mut left = holding(&demo.stores(), &forms(&lines));
        // A backup keeps what was there before.
        left.retain(|path| !path.to_string_lossy().contains(".backup"));
        assert_eq!(left, Vec::<std::path::PathBuf>::new(), "{stored:?} stored, {given:?} given");
    }
}
