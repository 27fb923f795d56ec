//! Several memories become one: which of them stays, and whose text it has then.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::list_view::change_request::look_at;
use super::running_change::request_change;
use crate::model::{EntryRef, Snapshot};
use crate::ops::merge::{MergeChoice, MergedText};
use crate::tui::state::app::{App, ChangeTarget};
use crate::usecase::{ChangeCommand, ChangeRequest};

/// Starts to plan the merge. The first memory stays; a key of the preview chooses another one.
pub fn begin(app: &mut App, aim: ChangeTarget) {
    let Some(into) = aim.at.first().map(|at| key_of(&aim.snapshot, *at)) else { return };
    request_change(app, Some(aim), ChangeCommand::Merge(MergeChoice { into, text: MergedText::Both }));
}

fn key_of(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    store.key(entry)
}

/// Returns the next text of a memory that others become a part of.
fn next(text: MergedText) -> MergedText {
    match text {
        MergedText::Both => MergedText::OfTarget,
        MergedText::OfTarget => MergedText::OfOthers,
        MergedText::OfOthers => MergedText::Both,
    }
}

/// Says what the text will be, and which keys change that.
pub fn text_line(choice: &MergeChoice) -> String {
    let [now, then] = [choice.text, next(choice.text)].map(|text| match text {
        MergedText::Both => "both, and nothing twice",
        MergedText::OfTarget => "only that of the one that stays",
        MergedText::OfOthers => "only that of the other",
    });
    format!("Its text: {now}. Tab: {then}. i: another one stays.")
}

/// Handles a key of the preview: Tab chooses another text, `i` another memory that stays. False if it is neither.
pub fn key(app: &mut App, key: KeyEvent) -> bool {
    let Some(confirm) = &app.confirm else { return false };
    let request = &confirm.planned.request;
    let ChangeCommand::Merge(choice) = &request.command else { return false };
    let mut choice = choice.clone();
    match key.code {
        KeyCode::Tab => choice.text = next(choice.text),
        KeyCode::Char('i') if key.modifiers.is_empty() => {
            let keys: Vec<String> = request.at.iter().map(|at| key_of(&request.snapshot, *at)).collect();
            let place = keys.iter().position(|key| *key == choice.into).map_or(0, |place| place + 1);
            choice.into = keys.into_iter().cycle().nth(place).unwrap_or(choice.into);
        }
        _ => return false,
    }
    let command = ChangeCommand::Merge(choice);
    let request = ChangeRequest { command, progress: Arc::default(), ..request.clone() };
    app.confirm = None;
    look_at(app, request);
    true
}
