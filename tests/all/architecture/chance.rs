//! No test depends on chance: properties take their cases from `support/tries.rs`.

use std::path::{Path, PathBuf};

use super::files;

#[test]
fn every_property_says_by_tries_how_many_cases_it_has_and_where_chance_starts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_own =
        |path: &PathBuf| path.ends_with("support/tries.rs") || path.ends_with("architecture/chance.rs");
    let mut broken = Vec::new();
    for path in ["src", "tests"]
        .iter()
        .flat_map(|folder| files(&root.join(folder), "rs"))
        .filter(|path| !is_own(path))
    {
        let lines = by_chance(&std::fs::read_to_string(&path).unwrap()).into_iter();
        broken.extend(lines.map(|line| format!("{}:{line}: see support/tries.rs", path.display())));
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// Returns the lines at which a random seed could be used.
fn by_chance(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_wild = |at: usize| {
        let own =
            ["ProptestConfig::", "Config::default()", "TestRunner::default", "TestRunner::deterministic"];
        let next = lines.get(at + 1).copied().unwrap_or_default();
        own.iter().any(|word| lines[at].contains(word))
            || lines[at] == "proptest! {" && !next.starts_with("#![proptest_config(")
    };
    (0..lines.len()).filter(|at| is_wild(*at)).map(|at| at + 1).collect()
}

#[test]
fn properties_that_start_anywhere_are_seen() {
    let text = "proptest! {\n    #[test]\n}\nproptest! {\n    #![proptest_config(config(1, 2))]\n}\nProptestConfig::with_cases(3)\n";
    assert_eq!(by_chance(text), [1, 7]);
}
