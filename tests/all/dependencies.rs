//! The dependencies: all have permissive licences, and each has a reason.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// If a crate offers a choice, one of these is enough.
const PERMISSIVE: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unlicense",
    "Zlib",
];
/// Terms of data in a crate that allow any use.
const DATA: [&str; 2] = ["Unicode-3.0", "Unicode-DFS-2016"];
/// Crates under other terms, and why these are acceptable.
const BOUND: [(&str, &str); 1] =
    [("option-ext", "MPL-2.0 binds its own files alone; it comes with `directories` and is used as it is")];

fn cargo(args: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(args).args(["--offline", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// True if an SPDX expression allows a choice of only permissive licences.
fn is_permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let is_known = |name: &str| {
        let name = name.trim().trim_matches(['(', ')']).trim();
        PERMISSIVE.contains(&name) || DATA.contains(&name)
    };
    let sides: Vec<&str> = expression.split(" AND ").collect();
    sides.iter().all(|side| side.split(" OR ").any(is_known))
}

#[test]
fn every_crate_that_is_linked_has_a_permissive_licence() {
    let tree = cargo(&["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}|{l}"]);
    let crates: BTreeSet<(&str, &str)> =
        tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|')).collect();
    assert!(crates.len() > 50, "the list of crates is not whole:\n{tree}");
    let is_bound = |package: &str| BOUND.iter().any(|(name, _)| package.split(' ').next() == Some(name));
    let refused: Vec<_> =
        crates.iter().filter(|(package, licence)| !is_bound(package) && !is_permissive(licence)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_licence_that_binds_others_is_refused() {
    assert!(is_permissive("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(is_permissive("MIT/Apache-2.0"));
    for refused in ["GPL-3.0-only", "MPL-2.0", "MIT AND GPL-2.0", ""] {
        assert!(!is_permissive(refused), "{refused}");
    }
}

#[test]
fn every_direct_dependency_has_a_reason_in_the_documentation() {
    let page = include_str!("../../docs/dependencies.md");
    let words: Vec<&str> =
        page.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split([' ', ','])).collect();
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    for dependency in metadata["packages"][0]["dependencies"].as_array().unwrap() {
        let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap();
        assert!(words.contains(&name), "docs/dependencies.md does not name {name}");
    }
}
