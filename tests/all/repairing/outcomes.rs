//! What a fix leaves wrong is said before it is chosen.

use std::collections::HashMap;

use serde_json::Value;

use super::coming_back::titles;
use crate::support::DemoStore;

const BMAD: &str = "shop/.bmad/memory";
const BUNDLE: &str = "web/.agent-memory";

type Damage = fn(&str) -> String;

/// Counts the errors and warnings of `check` by file, code and severity.
fn counts(rows: &[Value]) -> HashMap<(String, String, String), usize> {
    let mut counts = HashMap::new();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    for row in rows.iter().filter(|row| row["severity"] != "note") {
        *counts.entry((word(row, "file"), word(row, "code"), word(row, "severity"))).or_default() += 1;
    }
    counts
}

/// Damages a file, and applies the fix with that title. Returns its reason, and the new errors and warnings of `check`.
fn fixed(store: &str, file: &str, damage: Damage, title: &str) -> (String, [usize; 2]) {
    let desk = DemoStore::new(store);
    std::fs::write(desk.store.join(file), damage(&desk.text_of(file))).unwrap();
    let before = desk.run(&["check", "--json"]).json_lines();
    let has_it = |row: &&Value| row["file"] == file && titles(row).contains(&title);
    let row = before.iter().find(has_it).unwrap_or_else(|| panic!("{before:#?}"));
    let at = titles(row).iter().position(|own| *own == title).unwrap();
    let (key, number) = (row["problem"].as_str().unwrap(), (at + 1).to_string());
    desk.change(&["repair", "--problem", key, "--fix", &number]).expect_status(0);
    let known = counts(&before);
    let mut new = [0, 0];
    for (own, count) in counts(&desk.run(&["check", "--json"]).json_lines()) {
        let more = count.saturating_sub(known.get(&own).copied().unwrap_or_default());
        new[usize::from(own.2 == "warning")] += more;
    }
    (row["fixes"][at]["reason"].as_str().unwrap().to_owned(), new)
}

fn cut(text: &str) -> String {
    let half = text.len() / 2;
    text[..(half..).find(|at| text.is_char_boundary(*at)).unwrap()].to_owned()
}

fn cut_line(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let middle = lines.len() / 2;
    lines[middle] = &lines[middle][..40];
    lines.join("\n")
}

#[test]
fn the_reason_of_a_fix_counts_what_a_check_of_its_result_finds_and_names_the_worst() {
    const KEPT: &str = "keep what can be read of it";
    let tries: [(&str, &str, Damage, &str); 3] = [
        (BMAD, "sessions/double-charge/manifest.json", cut, KEPT),
        (BUNDLE, "state.json", cut, KEPT),
        (BUNDLE, "history/events.jsonl", cut_line, "move the line to quarantine"),
    ];
    for (store, file, damage, title) in tries {
        let (reason, [errors, warnings]) = fixed(store, file, damage, title);
        assert!(errors > 0, "{file}: {reason}");
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let and = if warnings > 0 { format!(" and {}", count(warnings, "warning")) } else { String::new() };
        let wanted = format!(
            "A check then finds {}{and} that it does not find now, the worst in ",
            count(errors, "error")
        );
        assert!(reason.contains(&wanted), "{file}: {wanted:?} is not in {reason:?}");
    }
}
