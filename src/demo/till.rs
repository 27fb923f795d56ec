//! The project of the shop's till: memories of Claude Code, over their limit, and of Serena.
//!
//! Planted: the newest corrections are beyond the cut, a topic is in no index, two topics say the same, a memory
//! names a file that is gone, and a line of the index leads nowhere.

use crate::demo::demo_file::DemoFile;
use crate::model::Moment;
use crate::model::time::DAY;

const FOLDER: &str = "till";
/// The number of dated lines in the index. With the rest of it, it is over 200 lines.
const DATED: i64 = 190;

const INDEX: &str = "# Till

- [Money is counted in cents](feedback_cents.md) — never a float, in no test either
- [How the till is released](release_by_hand.md) — by hand, on Tuesdays, with the shop closed
- [The card reader](card_reader.md) — times out after 40 seconds, and then the sale is open
- [Who decides](who_decides.md) — the shop's manager decides on prices, nobody else
- [Amounts](money_as_integers.md) — whole numbers
- [Offline sales](offline_sales.md) — kept for two days

## What happened
";

/// What happened, in turn: lines that nobody looks at again.
const HAPPENED: [&str; 6] = [
    "till 2 restarted after an update of its system, nothing was lost",
    "the drawer of till 1 stuck; a drop of oil helped",
    "a customer paid with two cards, and both receipts were right",
    "the day's total was off by 3 cents: a price was typed in",
    "the scanner read a coupon as an article; the coupon was old",
    "the tests of the receipt took 14 minutes instead of 3",
];

const NEWEST: &str = "
## Corrections

- Don't send receipts by e-mail without being asked: the customer has to say yes first.
- The tax of coffee to go is the lower one since this month. The table in the code is right, this list was wrong.
";

const TOPICS: [(&str, &str, &str, &str); 6] = [
    (
        "feedback_cents",
        "feedback",
        "Money is counted in cents, as whole numbers",
        "An amount is a whole number of cents, everywhere. A float is never used for money, in no test either.\n\n**Why:** the day's total was off by 3 cents, and it took a day to find out.\n**How to apply:** parse prices at the edge, see [[card_reader]].",
    ),
    (
        "money_as_integers",
        "project",
        "An amount of money is a whole number of cents",
        "An amount is a whole number of cents, everywhere. A float is never used for money, in no test either.\n\n**Why:** the day's total was off by 3 cents, and it took a day to find out.\n**How to apply:** parse prices at the edge.",
    ),
    (
        "release_by_hand",
        "project",
        "How the till is released",
        "On Tuesdays after closing time. `src/release/copy_to_tills.rs` copies the program to each till; a till that is switched off is done by hand the next morning.",
    ),
    (
        "card_reader",
        "reference",
        "The card reader and its time-out",
        "The reader answers within 40 seconds or not at all. After that the sale is open: ask the reader again in `src/reader.rs` before the customer pays twice.",
    ),
    (
        "who_decides",
        "user",
        "Who decides on what",
        "The shop's manager decides on prices and opening hours. The bookkeeper decides on taxes. Ask them, not each other.",
    ),
    (
        "printer_paper",
        "reference",
        "The paper of the receipt printer",
        "80 mm, from the shelf in the office. The printer says \"cover open\" if the roll is in the wrong way round.",
    ),
];

const SERENA: [(&str, &str); 4] = [
    (
        "project_overview",
        "# Till\n\nThe program of the shop's tills. `src/main.rs` starts it, `src/reader.rs` talks to the card reader.\nConventions: `mem:style/naming`. Before a task is called done: `mem:task_completion`.\n",
    ),
    (
        "style/naming",
        "# Naming\n\nAmounts end in `_cents`. What a customer sees is in `src/texts.rs`, and nowhere else.\n",
    ),
    (
        "task_completion",
        "# When a task is done\n\n1. `cargo test` passes.\n2. A sale was tried by hand, with cash and with a card.\n3. `mem:release_notes` has a line about it.\n",
    ),
    (
        "core/receipts",
        "# Receipts\n\nA receipt is made once, from the sale as it was paid. It is never made again from the prices of today.\n",
    ),
];

/// Returns the files of the project.
pub fn files(now: Moment) -> Vec<DemoFile> {
    let mut files = vec![
        ("src/main.rs".to_owned(), "fn main() {}\n".to_owned()),
        ("src/reader.rs".to_owned(), "// Talks to the card reader.\n".to_owned()),
        (".serena/project.yml".to_owned(), "project_name: till\nlanguages: [rust]\n".to_owned()),
        (".claude/memory/MEMORY.md".to_owned(), index(now)),
    ];
    files.extend(SERENA.map(|(name, text)| (format!(".serena/memories/{name}.md"), text.to_owned())));
    files.extend(TOPICS.map(|(name, kind, about, text)| {
        let front =
            format!("name: {name}\ndescription: {about}\nmetadata:\n  node_type: memory\n  type: {kind}");
        (format!(".claude/memory/{name}.md"), format!("---\n{front}\n---\n\n{text}\n"))
    }));
    files.into_iter().map(|(path, text)| (format!("{FOLDER}/{path}").into(), text.into_bytes())).collect()
}

fn index(now: Moment) -> String {
    let day = |ago: i64| now.plus(-(DATED - ago) * DAY).to_pattern("%Y-%m-%d");
    let line = |ago: i64| format!("- {}: {}\n", day(ago), HAPPENED[ago as usize % HAPPENED.len()]);
    let happened: String = (0..DATED).map(line).collect();
    format!("{INDEX}\n{happened}{NEWEST}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_over_the_limit_and_its_corrections_are_last() {
        let text = index(Moment(1_800_000_000_000_000));
        assert!(text.lines().count() > 200 && text.len() < 25_000);
        assert!(text.lines().position(|line| line == "## Corrections").unwrap() >= 199);
    }
}
