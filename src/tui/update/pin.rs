//! The action `pin`: the tag `pinned`.

use crate::model::PINNED;
use crate::tui::state::app::ChangeTarget;
use crate::usecase::ChangeCommand;

/// Returns the command that pins memories, or unpins them if all are pinned.
pub fn pinning(aim: &ChangeTarget) -> ChangeCommand {
    let pinned = |store: &crate::model::Store, entry: &crate::model::Entry| {
        store.view(entry).is_some_and(|view| view.tags.contains(PINNED))
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
