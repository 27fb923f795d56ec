//! Repositories for tests.

use std::path::Path;
use std::process::Command;

use super::tries::is_long;

const WHEN: &str = "2026-01-05T10:00:00+00:00";

/// Makes a repository. False, with a message, without git, which palimp asks too. The long form needs it.
pub fn repository(folder: &Path) -> bool {
    let is_made = git(folder, &["init", "-q", "-b", "main"]).is_some();
    assert!(is_made || !is_long(), "there is no git here");
    if !is_made {
        eprintln!("skipped: there is no git here");
    }
    is_made
}

pub fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=A", "-c", "user.email=a@b.invalid"]).args(words);
    git.env("GIT_COMMITTER_DATE", WHEN).env("GIT_AUTHOR_DATE", WHEN);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.output().ok()?;
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Commits everything. Returns the short id.
pub fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "-A", "."]).unwrap();
    git(folder, &["commit", "-q", "--no-verify", "-m", message]).unwrap();
    git(folder, &["rev-parse", "--short=10", "HEAD"]).unwrap()
}
