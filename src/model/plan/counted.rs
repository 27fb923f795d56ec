//! Counts with nouns.

/// Returns a count with its noun: "1 memory", "2 memories".
pub fn count_with_noun(count: u64, what: &str) -> String {
    let several = match what.strip_suffix("ry") {
        Some(stem) => format!("{stem}ries"),
        None if what.ends_with('x') => format!("{what}es"),
        None => format!("{what}s"),
    };
    if count == 1 { format!("1 {what}") } else { format!("{count} {several}") }
}
