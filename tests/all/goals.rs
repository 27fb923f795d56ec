//! The programs that measure the goals run to their end on a small store. Their figures of speed
//! only count for a release build on large stores.

use std::process::Command;

use crate::support::tries::is_long;
use crate::support::{folder, script};

#[test]
fn every_goal_can_be_measured_on_a_small_store() {
    if !is_long() {
        return eprintln!("skipped: only with PALIMP_LONG");
    }
    let folder = folder::new();
    let trivial = script(folder.path(), "trivial", "printf there\nread line");
    let stores = folder.path().join("stores");
    std::fs::create_dir(&stores).unwrap();
    let mut goals = Command::new("python3");
    goals.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/goals")).args(["--entries", "300", "--palimp"]);
    goals.arg(env!("CARGO_BIN_EXE_palimp")).arg("--trivial").arg(&trivial).arg("--folder").arg(&stores);
    goals.env("PYTHONDONTWRITEBYTECODE", "1");
    let Ok(output) = goals.output() else { return eprintln!("skipped: there is no python3 here") };
    let [told, why] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{told}\n{why}");
    let rows: Vec<&str> = told.lines().filter(|line| line.starts_with("| ")).collect();
    for goal in ["1", "3", "7", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"] {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| {goal} | "))), "{goal}: {told}");
    }
    assert!(rows.iter().any(|row| row.contains("an agent adds 10 lines")), "{told}");
    assert!(!rows.iter().any(|row| row.contains("| met |") || row.contains("| missed |")), "{told}");
}
