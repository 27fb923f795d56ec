//! Which agents may be at work in stores: what they hold in memory, no erasure reaches.

use std::sync::Arc;

use crate::disk::file_holders::{FileHolder, file_holders};
use crate::model::{Moment, PathText, Store};

/// A file that was written this many seconds ago is being worked on.
const RECENT: i128 = 300;

/// Says which programs have files of stores open, and which stores were just written to. Untrusted text.
pub fn agents_at_work(stores: &[Arc<Store>], now: Moment) -> Vec<String> {
    let held = stores.iter().map(|own| (own.root.to_text().into_owned(), file_holders(&own.root)));
    let mut lines = holder_lines(&held.collect::<Vec<_>>());
    let written = stores.iter().filter(|own| is_written_now(own, now));
    let written: Vec<String> = written.map(|own| own.root.to_text().into_owned()).collect();
    if !written.is_empty() {
        lines.push(format!(
            "written in the last 5 minutes, so an agent may be at work, and may write again what it holds: {}",
            written.join(", ")
        ));
    }
    lines
}

/// Says who has files of each store open, and of which stores that is not known.
fn holder_lines(held: &[(String, Option<Vec<FileHolder>>)]) -> Vec<String> {
    let line = |root: &String, own: &FileHolder| {
        format!("process {} ({}) has a file of {root} open", own.process, own.program)
    };
    let known = held.iter().flat_map(|(root, own)| own.iter().flatten().map(move |own| line(root, own)));
    let unknown: Vec<&str> =
        held.iter().filter(|(_, own)| own.is_none()).map(|(root, _)| root.as_str()).collect();
    let told = (!unknown.is_empty()).then(|| {
        format!(
            "which programs have files open could not be found out on this system, so end the agents that use: {}",
            unknown.join(", ")
        )
    });
    known.chain(told).collect()
}

fn is_written_now(store: &Store, now: Moment) -> bool {
    let age = |modified: i128| (i128::from(now.0) * 1_000 - modified) / 1_000_000_000;
    let files = store.documents.iter().map(|own| own.generation.modified).filter(|own| *own > 0);
    files.map(age).any(|age| (0..RECENT).contains(&age))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_system_does_not_tell_who_has_files_open_that_is_said() {
        let holder = FileHolder { process: 12, program: "agent".into() };
        let held = [("/a".to_owned(), Some(vec![holder])), ("/b".into(), None), ("/c".into(), None)];
        assert_eq!(
            holder_lines(&held),
            [
                "process 12 (agent) has a file of /a open",
                "which programs have files open could not be found out on this system, so end the agents that use: \
                 /b, /c",
            ]
        );
        assert!(holder_lines(&[("/a".into(), Some(Vec::new()))]).is_empty());
    }
}
