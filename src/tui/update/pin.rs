//! The action `pin`: the tag `pinned`.

use crate::model::PINNED;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::update::running_change::request_change;
use crate::usecase::ChangeCommand;

pub fn pin(app: &mut App, aim: ChangeTarget) {
    let wanted = pinning(&aim);
    request_change(app, Some(aim), wanted);
}

/// Returns the command that pins memories, or unpins them if all are pinned.
pub fn pinning(aim: &ChangeTarget) -> ChangeCommand {
    let pinned = |store: &crate::model::Store, entry: &crate::model::Entry| {
        store.memory(entry).is_some_and(|memory| memory.has_tag(PINNED))
    };
    let all = aim.at.iter().all(|&at| {
        let (store, entry) = aim.snapshot.get(at);
        pinned(store, entry)
    });
    let (on, off) = (vec![PINNED.to_owned()], Vec::new());
    if all {
        ChangeCommand::Tag { add: off, remove: on }
    } else {
        ChangeCommand::Tag { add: on, remove: off }
    }
}
