//! The menu that deletes or restores memories: one, the marked ones, or all that the search shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::running_change::request_change;
use crate::check::secrets::{Finding, findings};
use crate::detectors::Kind;
use crate::model::{Snapshot, State, Store};
use crate::ops::delete;
use crate::store::erase::SecretValues;
use crate::tui::possible_changes::{broken, target_of, why_not_alone};
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::pending_changes::{DeleteMenu, DeleteMenuItem};
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{
    ArchiveMemories, Command, DeleteOptions, EraseOptions, UnarchiveMemories, UndeleteMemories, memory_count,
};

/// A line of the menu: its key, its name, what it does to one memory, and its command.
type DeleteMenuLine = (char, &'static str, &'static str, Arc<dyn Command>);

/// At most this many memories are searched for values before the menu is drawn.
const SEARCHED: usize = 100;
/// The same in bytes: some 25 milliseconds.
const SEARCHED_BYTES: usize = 512 << 10;

/// The end of a line if some of the memories can't be changed this way.
const REST: &str = "; the rest can't be";

fn lines() -> [DeleteMenuLine; 5] {
    [
        ('x', "delete", "u undoes it for 30 days", Arc::new(DeleteOptions::default())),
        ('a', "archive", "moved out of the list", Arc::new(ArchiveMemories)),
        ('r', "restore", "brought back to the list", Arc::new(UndeleteMemories)),
        ('b', "bring back", "out of the archive", Arc::new(UnarchiveMemories)),
        ('e', "erase", "every copy, for good", Arc::new(EraseOptions::default())),
    ]
}

/// Makes the menu for the marked memories or the one under the cursor. Without marks, it also
/// offers all that a search shows, and to erase all of the list.
pub fn menu(app: &App, aim: ChangeTarget) -> DeleteMenu {
    let mut choices = choices(app, &aim);
    add_take_out(app, &mut choices, &aim);
    let all: Vec<_> = app.results.hits.iter().map(|hit| hit.at).collect();
    if !app.marks.is_empty() || all.len() < 2 {
        return DeleteMenu { verb: "Remove", aim, lines: choices };
    }
    let found = target_of(app, all, Vec::new());
    let what = match app.query.trim() {
        "" => "all memories in this list".to_owned(),
        query => format!("all that `{query}` shows"),
    };
    if !app.query.trim().is_empty() {
        for (key, name, _, wanted) in lines().into_iter().filter(|line| !line.3.is::<EraseOptions>()) {
            let key = key.to_ascii_uppercase();
            let Some(own) = choice(&found, (key, name, "", wanted)) else { continue };
            let count = own.about.strip_suffix(REST).unwrap_or(&own.about);
            let about = format!("{count}: {what}");
            choices.extend(own.refused.is_none().then(|| DeleteMenuItem {
                about,
                all_found: Some(found.clone()),
                ..own
            }));
        }
    }
    choices.extend(erase_all(found, &what));
    DeleteMenu { verb: "Remove", aim, lines: choices }
}

pub fn choices(app: &App, aim: &ChangeTarget) -> Vec<DeleteMenuItem> {
    let mut all: Vec<DeleteMenuItem> = lines().into_iter().filter_map(|line| choice(aim, line)).collect();
    let archive = all.iter_mut().find(|own| own.wanted.is::<ArchiveMemories>() && own.refused.is_none());
    archive.into_iter().for_each(|own| own.refused = why_not_alone(app, aim));
    all
}

/// Returns the line that erases all memories of a list. `what` says what they are.
pub fn erase_all(found: ChangeTarget, what: &str) -> Option<DeleteMenuItem> {
    let own = choice(&found, ('E', "erase all", "", Arc::new(EraseOptions::default())))?;
    let count = own.about.strip_suffix(REST).unwrap_or(&own.about);
    Some(DeleteMenuItem { about: format!("{count}: {what}, for good"), all_found: Some(found), ..own })
}

/// Values that the menu takes out wherever they are: the memories stay, or go. They are found when it is planned: deleted
/// ones, and copies in every file, can have a value, too.
pub struct ValuesToErase<'a> {
    pub snapshot: &'a Arc<Snapshot>,
    pub values: SecretValues,
    /// Their name, masked. Untrusted text.
    pub name: &'a str,
}

impl ValuesToErase<'_> {
    /// Returns the line that keeps the memories. `places` are words.
    pub fn take_out(&self, places: &str) -> DeleteMenuItem {
        let about = format!("{} out of {places}; the memories stay", self.name);
        self.line('o', "take out", about, true)
    }

    /// Returns the line that erases the memories: this many, in words.
    pub fn erase(&self, count: &str) -> DeleteMenuItem {
        let about = format!("{} everywhere: {count}, every copy, for good", self.name);
        self.line('v', "erase value", about, false)
    }

    fn line(&self, key: char, name: &'static str, about: String, keeps_memories: bool) -> DeleteMenuItem {
        let is_short = self.values.all().iter().any(|own| own.len() < SHORTEST_VALUE);
        let refused = is_short.then(|| {
            format!(
                "A value under {SHORTEST_VALUE} bytes is in other texts by chance: erase the memory, or redact the value."
            )
        });
        let values = self.values.clone();
        let wanted = Arc::new(EraseOptions { values, keeps_memories, ..EraseOptions::default() });
        let (snapshot, target_name) = (Arc::clone(self.snapshot), self.name.to_owned());
        let target = ChangeTarget { snapshot, name: target_name, ..ChangeTarget::default() };
        DeleteMenuItem { key, name, about, wanted, all_found: Some(target), refused }
    }
}

/// Returns the line that takes the secrets of the chosen memories out, or their other sensitive values if they have no
/// secret. `None` if nothing is found but false alarms, or if there are more memories than can be searched before the menu
/// is drawn.
pub fn take_out(app: &App, aim: &ChangeTarget) -> Option<DeleteMenuItem> {
    let raws = aim.at.iter().take(SEARCHED + 1).map(|at| aim.snapshot.get(*at));
    let bytes: usize = raws.map(|(store, entry)| store.record(entry).span.range().len()).sum();
    if aim.at.len() > SEARCHED || bytes > SEARCHED_BYTES {
        return None;
    }
    let found = aim.at.iter().flat_map(|at| {
        let (store, entry) = aim.snapshot.get(*at);
        findings(store, entry, None)
    });
    let triage = &app.list_view.findings.triage;
    let found = found.filter(|finding| !triage.is_false_alarm(&finding.value));
    let (secrets, others): (Vec<Finding>, Vec<Finding>) = found.partition(|own| own.kind.is_secret());
    let is_personal = |own: &Finding| matches!(own.kind, Kind::Email | Kind::Phone | Kind::Iban | Kind::Card);
    let chosen = match secrets.is_empty() {
        true => others.into_iter().filter(is_personal).collect(),
        false => secrets,
    };
    let values = SecretValues::of(chosen.iter().map(|own| &own.value));
    let name = match values.all().len() {
        0 => return None,
        1 => chosen.first().map_or(String::new(), |own| own.masked.clone()),
        several => format!("{several} values"),
    };
    let own = ValuesToErase { snapshot: &aim.snapshot, values, name: &name };
    Some(own.take_out("every memory and copy"))
}

/// Adds [`take_out`] before the line that erases the memories.
pub fn add_take_out(app: &App, choices: &mut Vec<DeleteMenuItem>, aim: &ChangeTarget) {
    let at = choices.iter().position(|own| own.wanted.is::<EraseOptions>()).unwrap_or(choices.len());
    choices.splice(at..at, take_out(app, aim));
}

/// Makes a line of the menu. A line that restores is left out if there is nothing to restore.
fn choice(aim: &ChangeTarget, (key, name, about, wanted): DeleteMenuLine) -> Option<DeleteMenuItem> {
    let (mut can, mut why) = (0, None);
    for &at in &aim.at {
        let (store, entry) = aim.snapshot.get(at);
        match wanted.check_allowed(store, entry) {
            Ok(()) => can += 1,
            Err(_) if entry.state == State::Broken => why = why.or_else(|| Some(broken())),
            Err(refusal) => why = why.or(Some(refusal.message)),
        }
    }
    if can == 0 && (wanted.is::<UndeleteMemories>() || wanted.is::<UnarchiveMemories>()) {
        return None;
    }
    let stores: BTreeSet<u32> = aim.at.iter().map(|at| at.store).collect();
    let is_sure = |store: &u32| counts_all(&*wanted, &aim.snapshot.stores[*store as usize]);
    let most = if stores.iter().all(is_sure) { "" } else { "up to " };
    let about = match aim.at.len() {
        1 => about.to_owned(),
        all if can == all => format!("{most}{}", memory_count(all)),
        all => format!("{most}{can} of {}{REST}", memory_count(all)),
    };
    let refused = why.filter(|_| can == 0);
    Some(DeleteMenuItem { key, name, about, wanted, all_found: None, refused })
}

/// True if the plan changes every memory of a store that [`Command::check_allowed`] allows.
/// If false, the plan can leave some out, because of other memories or of their age.
fn counts_all(command: &dyn Command, store: &Store) -> bool {
    command.is::<DeleteOptions>() && delete::takes_each(store)
        || command.is::<EraseOptions>() && !delete::changes_others(store)
}

/// Handles a key while the menu is open. Only keys of the menu have an effect.
pub fn key(app: &mut App, key: KeyEvent) {
    let Some(menu) = &app.delete_menu else { return };
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') => app.delete_menu = None,
        KeyCode::Char(typed) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
            let Some(line) = menu.lines.iter().find(|line| line.key == typed) else { return };
            if let Some(why) = &line.refused {
                return app.say(why.clone());
            }
            let aim = line.all_found.clone().unwrap_or_else(|| menu.aim.clone());
            let wanted = line.wanted.clone();
            request_change(app, Some(aim), wanted);
            app.delete_menu = None;
        }
        _ => {}
    }
}
