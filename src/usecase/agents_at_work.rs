//! Which agents may be at work in stores: what they hold in memory, no erasure reaches.

use std::sync::Arc;

use crate::disk::file_holders::file_holders;
use crate::model::{Moment, PathText, Store};

/// A file that was written this many seconds ago is being worked on.
const RECENT: i128 = 300;

/// Says which programs have files of stores open, and which stores were just written to. Untrusted text.
pub fn agents_at_work(stores: &[Arc<Store>], now: Moment) -> Vec<String> {
    let holder = |store: &Arc<Store>| {
        let root = store.root.to_text().into_owned();
        let holders = file_holders(&store.root).into_iter();
        holders.map(move |own| format!("process {} ({}) has a file of {root} open", own.process, own.program))
    };
    let mut lines: Vec<String> = stores.iter().flat_map(|own| holder(own).collect::<Vec<_>>()).collect();
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

fn is_written_now(store: &Store, now: Moment) -> bool {
    let age = |modified: i128| (i128::from(now.0) * 1_000 - modified) / 1_000_000_000;
    let files = store.documents.iter().map(|own| own.generation.modified).filter(|own| *own > 0);
    files.map(age).any(|age| (0..RECENT).contains(&age))
}
