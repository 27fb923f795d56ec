//! The project of the shop's till: memories of Claude Code, over their limit, and of Serena.
//!
//! Planted: the newest corrections are beyond the cut, a topic is in no index, two topics say the same, a memory
//! names a file that is gone, and a line of the index leads nowhere.

use crate::demo::DemoFile;
use crate::model::Moment;
use crate::model::time::DAY;

const FOLDER: &str = "till";
/// The number of dated lines in the index. With the rest of it, it is over 200 lines.
const DATED: i64 = 190;
/// Each file below its path.
const FILES: &str = include_str!("../../assets/demo/till.txt");

/// What happened, in turn: lines that nobody looks at again.
const HAPPENED: [&str; 6] = [
    "till 2 restarted after an update of its system, nothing was lost",
    "the drawer of till 1 stuck; a drop of oil helped",
    "a customer paid with two cards, and both receipts were right",
    "the day's total was off by 3 cents: a price was typed in",
    "the scanner read a coupon as an article; the coupon was old",
    "the tests of the receipt took 14 minutes instead of 3",
];

/// Returns the files of the project.
pub fn files(now: Moment) -> Vec<DemoFile> {
    let files = FILES.split("=== ").filter_map(|file| file.split_once('\n'));
    let day = |ago: i64| now.plus(-(DATED - ago) * DAY).to_pattern("%Y-%m-%d");
    let line = |ago: i64| format!("- {}: {}\n", day(ago), HAPPENED[ago as usize % HAPPENED.len()]);
    let happened: String = (0..DATED).map(line).collect();
    let bytes = |text: &str| text.replace("{happened}", &happened).into_bytes();
    files.map(|(path, text)| (format!("{FOLDER}/{path}").into(), bytes(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_over_the_limit_and_its_corrections_are_last() {
        let mut files = files(Moment(1_800_000_000_000_000)).into_iter();
        let (_, index) = files.find(|(path, _)| path.ends_with("MEMORY.md")).unwrap();
        let text = String::from_utf8(index).unwrap();
        assert!(text.lines().count() > 200 && text.len() < 25_000);
        assert!(text.lines().position(|line| line == "## Corrections").unwrap() >= 199);
    }
}
