//! The clean-up in its steps: what, scope, preview, confirm, proof.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{EntryRef, Snapshot};
use crate::tui::state::prompt::{LONGEST, TypedLine};
use crate::tui::state::row_list::ListCursor;
use crate::usecase::PlannedChange;
use crate::usecase::clean_up::{CleanUpAction, CleanUpPlan, NearCopy, SavedRules};

/// A step. The question before it happens is a sheet over the preview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CleanUpStep {
    #[default]
    What,
    Scope,
    Preview,
    Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanUpField {
    Topic,
    Value,
    Names,
    Kind,
    Since,
    Until,
    Rule,
}

impl CleanUpField {
    /// The fields, each with its label and what can be typed there.
    pub const ALL: [(CleanUpField, &'static str, &'static str); 7] = [
        (CleanUpField::Topic, "topic", "words that a memory has, or a query: tag:health OR \"home address\""),
        (CleanUpField::Value, "value", "a key, a number, a sentence: taken out wherever it is, never shown"),
        (CleanUpField::Names, "person", "names with commas between, or the path of a list"),
        (CleanUpField::Kind, "kind", "token, password, card, iban, email, phone, address, name …"),
        (CleanUpField::Since, "since", "a date such as 2026-01-31, or 30d for 30 days ago"),
        (CleanUpField::Until, "until", "a date such as 2026-01-31, or 30d for 30 days ago"),
        (CleanUpField::Rule, "rule", "a name to save it under; alone, the name of a saved rule to run"),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanUpReason {
    Fits,
    /// It goes as a copy of one that goes.
    Copy,
    /// It is deleted, and can't be restored afterwards.
    Lost,
    /// It fits and can't go.
    Kept,
    /// It is nearly the same as one that goes.
    Near(NearCopy),
    Pinned,
    /// It holds a value, and does not fit otherwise.
    Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanUpRow {
    pub at: EntryRef,
    pub reason: CleanUpReason,
    pub goes: bool,
}

#[derive(Default)]
pub struct CleanUp {
    pub step: CleanUpStep,
    pub field: usize,
    pub lines: [TypedLine; 7],
    pub action: CleanUpAction,
    /// True if values say what fits: they can be taken out.
    pub has_values: bool,
    /// The action of the plan that is shown, while one for another action is made.
    pub action_before: Option<CleanUpAction>,
    /// The stores as they were listed, and which of them are searched.
    pub listed: Arc<Snapshot>,
    pub chosen: Vec<bool>,
    /// Their short names. Untrusted text.
    pub names: Vec<String>,
    pub store: ListCursor,
    /// The number of the newest plan that was asked for.
    pub number: u64,
    /// The chosen stores with what was deleted and archived, as the preview shows them.
    pub snapshot: Option<Arc<Snapshot>>,
    pub plan: Option<CleanUpPlan>,
    pub rows: Vec<CleanUpRow>,
    pub row: ListCursor,
    /// Memories that the user took out, and those that he took in.
    pub except: BTreeSet<EntryRef>,
    pub with: BTreeSet<EntryRef>,
    /// True if the user changed what goes after the plan was made.
    pub is_stale: bool,
    /// True if the question is asked as soon as the plan is there.
    pub asks_next: bool,
    /// True until a false alarm is kept. Then the plan is made again.
    pub awaits_verdict: bool,
    pub home: Option<PathBuf>,
    /// The number of erased memories that were in the stores again before this clean-up.
    pub erased_again: usize,
    /// Why there is no plan. Untrusted text.
    pub failure: Option<String>,
    /// What was erased, and what was not reached. Untrusted text.
    pub proof: Vec<String>,
    /// The first line of the proof on screen.
    pub top: usize,
    /// The saved rules, or why they can't be read; `None` until they are read.
    pub rules: Option<Result<SavedRules, String>>,
}

impl CleanUp {
    pub fn typed(&self, field: CleanUpField) -> String {
        self.lines[field as usize].text().trim().to_owned()
    }

    pub fn next_action(&self) -> CleanUpAction {
        match self.action {
            CleanUpAction::TakeOut => CleanUpAction::Erase,
            CleanUpAction::Erase => CleanUpAction::Delete,
            CleanUpAction::Delete if self.has_values => CleanUpAction::TakeOut,
            CleanUpAction::Delete => CleanUpAction::Erase,
        }
    }

    /// Inserts a paste into the field that is typed. What can't be taken whole is refused: a part of a value would be
    /// erased as if it were the value.
    pub fn paste(&mut self, text: &str) {
        if self.step != CleanUpStep::What {
            return;
        }
        let text = text.trim_end_matches(['\n', '\r']);
        let is_value = self.field == CleanUpField::Value as usize;
        self.failure = if is_value && text.contains(['\n', '\r', '\t']) {
            Some("A value of several lines, or with a tab: `palimp forget --value-from -` takes it.".into())
        } else if !self.lines[self.field].fits(text) {
            Some(format!("The text is too long: {LONGEST} characters fit. `palimp forget` takes more."))
        } else {
            self.lines[self.field].insert(text);
            None
        };
    }

    /// Takes the plan back: the user did not agree. A plan that others changed is for other stores than the list.
    pub fn take_back(&mut self, planned: PlannedChange) {
        if planned.concurrent.is_some() {
            return self.fail("Others changed these stores since: Enter looks again.");
        }
        if let Some(plan) = &mut self.plan {
            plan.planned = planned;
        }
    }

    /// Goes back to the stores: the plan is not as it was any more.
    pub fn fail(&mut self, why: &str) {
        (self.plan, self.snapshot, self.step) = (None, None, CleanUpStep::Scope);
        self.rows.clear();
        self.failure = Some(why.to_owned());
    }

    pub fn stop_waiting(&mut self) {
        (self.awaits_verdict, self.asks_next) = (false, false);
    }

    /// Makes the rows of the preview: what goes, what the user took out, and what stays for another reason.
    pub fn list(&mut self) {
        let Some(CleanUpPlan { found, planned, copies, lost, .. }) = &self.plan else { return };
        let changing: HashSet<EntryRef> = planned.changing.iter().copied().collect();
        let row = |at: EntryRef, reason, goes| CleanUpRow { at, reason, goes };
        let fits = found.at.iter().map(|at| match changing.contains(at) {
            true => row(*at, CleanUpReason::Fits, true),
            false => row(*at, CleanUpReason::Kept, false),
        });
        let copied = copies.iter().map(|at| row(*at, CleanUpReason::Copy, true));
        let gone = lost.iter().map(|at| row(*at, CleanUpReason::Lost, true));
        let out = self.except.iter().filter(|at| !copies.contains(at) && !lost.contains(at));
        let out = out.map(|at| row(*at, CleanUpReason::Fits, false));
        let near = found.near_copies.iter().map(|own| row(own.at, CleanUpReason::Near(*own), false));
        let pinned = found.pinned.iter().map(|at| row(*at, CleanUpReason::Pinned, false));
        let holds = found.holders.iter().map(|at| row(*at, CleanUpReason::Holds, false));
        self.rows =
            fits.chain(copied).chain(gone).chain(out).chain(near).chain(pinned).chain(holds).collect();
        self.is_stale = false;
    }

    /// Says why a memory of the preview can be taken neither in nor out. `None` if it can.
    pub fn fixed(&self, number: usize) -> Option<&'static str> {
        match self.rows.get(number)?.reason {
            CleanUpReason::Copy => Some("It is a copy of one that goes, and goes with it."),
            CleanUpReason::Lost => {
                Some("Its undo data has something that is erased: it can't be restored then.")
            }
            CleanUpReason::Kept => Some("It can't go: the line says why."),
            _ => None,
        }
    }

    pub fn toggle(&mut self, number: usize) {
        if self.fixed(number).is_some() {
            return;
        }
        let Some(row) = self.rows.get_mut(number) else { return };
        row.goes = !row.goes;
        let (one, other) =
            if row.goes { (&mut self.with, &mut self.except) } else { (&mut self.except, &mut self.with) };
        // What fits needs no word to go, and what does not fit none to stay.
        if !other.remove(&row.at) {
            one.insert(row.at);
        }
        self.is_stale = true;
    }

    /// Returns the short name of one of the chosen stores. Untrusted text.
    pub fn store_name(&self, number: usize) -> &str {
        let mut chosen = self.names.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
        chosen.nth(number).map_or("", |(name, _)| name)
    }

    /// Returns the number of memories that go, without those that go with others.
    pub fn count(&self) -> usize {
        let goes_with = |row: &&CleanUpRow| matches!(row.reason, CleanUpReason::Copy | CleanUpReason::Lost);
        self.rows.iter().filter(|row| row.goes && !goes_with(row)).count()
    }
}
