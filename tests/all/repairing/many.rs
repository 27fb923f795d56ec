//! Thousands of broken lines: the time for each does not grow with their number.

use super::*;
use crate::support::tries::count;

fn takes(bytes: &str) -> (usize, f64) {
    let (format, log) = LOGS[1];
    let store = load(&[(log, bytes.as_bytes())], format);
    on_bench(&store, |bench| {
        let began = std::time::Instant::now();
        let fixes = store.problems.iter().map(|own| bench.fixes(own).len());
        (fixes.filter(|fixes| *fixes > 0).count(), began.elapsed().as_secs_f64())
    })
}

#[test]
fn the_fixes_of_many_torn_equal_and_conflicting_lines_are_told_in_proportion() {
    let own = |id: &str| record(LOGS[1].0, id, "words");
    let torn = |number: usize| own(&format!("m{number}"))[..120].to_owned() + "\n";
    let conflict = |number: usize| {
        let (a, b) = (own(&format!("a{number}")), own(&format!("b{number}")));
        format!("<<<<<<< HEAD\n{a}\n=======\n{b}\n>>>>>>> topic\n")
    };
    let many = count(200, 10_000);
    let lines: [&dyn Fn(usize) -> String; 3] = [&torn, &|_| own("same") + "\n", &conflict];
    for (kind, line) in lines.iter().enumerate() {
        let of = |lines: usize| takes(&(0..lines).map(line).collect::<String>());
        let (few, many) = (of(many / 4), of(many * 2));
        assert!(many.0 >= few.0 * 7, "{kind}: {few:?} {many:?}");
        // Eight times as many take eight times as long in proportion, and 64 times if each looks at all.
        assert!(many.1 < few.1.max(0.02) * 30.0, "{kind}: {few:?} {many:?}");
    }
}

#[test]
fn a_line_longer_than_any_memory_is_moved_to_quarantine_alone_and_says_why() {
    let (format, log) = LOGS[1];
    let long = record(format, "long", &"x".repeat(2 << 20));
    let bytes = format!("{}\n{}\n", record(format, "a", "x"), &long[..long.len() - 30]);
    let store = load(&[(log, bytes.as_bytes())], format);
    let torn = store.problems.iter().find(|own| own.code.as_str() == "torn-line").unwrap();
    let [only] = on_bench(&store, |bench| bench.fixes(torn)).try_into().unwrap();
    assert_eq!(only.title, "move the line to quarantine");
    assert!(only.reason.contains("longer than a memory"), "{}", only.reason);
}
