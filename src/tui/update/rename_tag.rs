//! The action `rename tag`: renames a tag in all memories, even in those that the list does not show.

use super::running_change::request_change;
use crate::model::State;
use crate::tui::possible_changes::target_of;
use crate::tui::state::app::App;
use crate::usecase::ChangeCommand;

pub(super) fn renamed(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once('=').unwrap_or_default();
    match (from.trim(), to.trim()) {
        ("", _) | (_, "") => Err("Name the tag and what it is to be called: old=new.".into()),
        (from, to) if from == to => Err("That is what it is called.".into()),
        (from, to) => Ok((from.to_owned(), to.to_owned())),
    }
}

pub(super) fn rename(app: &mut App, from: String, to: String) {
    let has = |at: &crate::model::EntryRef| {
        let (store, entry) = app.listed_snapshot.get(*at);
        let own = store.memory(entry).filter(|_| entry.state != State::Deleted);
        own.is_some_and(|memory| memory.has_tag(&from))
    };
    let at: Vec<_> = app.listed_snapshot.entries().filter(has).collect();
    if at.is_empty() {
        return app.say(format!("No memory has the tag {from}: nothing is changed."));
    }
    let aim = target_of(app, at, Vec::new());
    request_change(app, Some(aim), ChangeCommand::RenameTag { from, to })
}
