//! What a plan adds and removes, from its own bytes: the file may get records of other programs.

use crate::model::plan::effect::EffectKind;
use crate::model::{Act, CommitReceipt, PathText, Plan, Store};
use crate::usecase::ChangeObserver;

/// A record that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its id, or its key if the format gives it no id.
    pub id: String,
    /// The records that a compaction dropped to make room for it.
    pub dropped: Vec<Dropped>,
}

/// A record that a compaction dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// Its session.
    pub session: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// Its exact bytes.
    pub raw: Vec<u8>,
}

/// The records that a change added and removed.
#[derive(Default)]
pub(super) struct RecordObserver {
    pub added: Vec<String>,
    pub dropped: Vec<Dropped>,
    /// True if an index waits.
    pub waits: bool,
}

impl ChangeObserver for RecordObserver {
    fn on_written(&mut self, store: &Store, _: &Plan, receipt: Option<&CommitReceipt>) -> bool {
        self.waits |= receipt.is_some_and(|receipt| receipt.waits);
        for effect in receipt.iter().flat_map(|receipt| &receipt.plan.effects) {
            let gone = effect.entry.and_then(|entry| store.entries.get(entry as usize));
            match (effect.kind, gone) {
                (EffectKind::Add, _) => self.added.push(effect.name()),
                (EffectKind::Remove, Some(entry)) => self.dropped.push(Dropped {
                    session: store.session(entry).map(|session| session.name.clone()),
                    id: store.id(entry).map(str::to_owned),
                    raw: store.raw(entry).to_vec(),
                }),
                _ => {}
            }
        }
        true
    }
}

/// The session that a plan made.
#[derive(Default)]
pub(super) struct SessionObserver(pub Option<String>);

impl ChangeObserver for SessionObserver {
    fn on_written(&mut self, _: &Store, _: &Plan, receipt: Option<&CommitReceipt>) -> bool {
        self.0 = receipt.and_then(|receipt| new_session(&receipt.plan));
        true
    }
}

/// Returns the session that a plan makes. Its folder has the same name.
fn new_session(plan: &Plan) -> Option<String> {
    let folder = plan.changes.iter().find(|change| matches!(change.act, Act::MakeFolder))?;
    folder.path.file_name().map(|name| name.to_text().into_owned())
}
