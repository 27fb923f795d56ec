//! What was shown to a user on a terminal before the question: where others changed it before the
//! answer, nothing is written, what differs is shown, and it is asked for again: for the same records,
//! and of a verb that chooses none with all that it would do now.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use super::change;
use super::failure::{Exit, Failure, say};
use crate::disk::{Disk, Real};
use crate::format;
use crate::model::carried::carried;
use crate::model::plan::counted;
use crate::model::{Carry, Entry, EntryRef, Moment, Plan, Snapshot, Store};
use crate::ops::delete::is_held;
use crate::ops::effect::{Touched, brought, effect};
use crate::store::commit::kept_in;
use crate::text::secrets::mask;
use crate::text::show::show_lines;
use crate::work::{self, Difference, of_bound, read_anew, touched};

/// So often a plan is made anew where others change what it is not about.
const TRIES: usize = 4;

/// So many records are shown before a question, and so many lines of one alone.
const RECORDS: usize = 5;
/// So many characters of a line.
const COLUMNS: usize = 160;

/// Steps, each with its store.
type Steps<'s> = Vec<(&'s Arc<Store>, u64)>;

/// What was shown.
#[derive(Default)]
pub struct Shown {
    /// The records that were chosen, in the stores as they were read then.
    chosen: RefCell<Option<(Snapshot, Vec<EntryRef>)>>,
    /// The steps that were to be turned, each with the root of its store.
    steps: Vec<(PathBuf, u64)>,
    /// What the plans came to, line by line.
    told: Vec<String>,
    /// How often a plan was made anew though nothing differs.
    tries: usize,
    /// Whether the user was asked, and said yes.
    pub agreed: bool,
    /// What was written in an editor, which is not written again.
    pub written: Option<String>,
    /// Where it is kept until it is saved.
    draft: Option<PathBuf>,
    /// What differs from what was shown before.
    pub difference: Option<Difference>,
}

impl Shown {
    /// The records that a choice found: those of the time before, where it is asked again.
    pub fn choose(&self, snapshot: &Snapshot, found: Vec<EntryRef>) -> Vec<EntryRef> {
        match self.chosen.borrow().as_ref().filter(|_| self.difference.is_some()) {
            Some((before, own)) => carried(before, snapshot, own.iter().copied()),
            None => found,
        }
    }

    /// Keeps which records are shown.
    pub fn keep(&self, snapshot: &Snapshot, chosen: &[EntryRef]) {
        self.chosen.replace(Some((Snapshot::of(snapshot.stores.clone()), chosen.to_vec())));
    }

    /// Keeps where what the user wrote is, in place of what was kept at the last try.
    pub fn keep_draft(&mut self, path: Option<PathBuf>) {
        self.drop_draft();
        self.draft = path;
    }

    /// Drops it: it is saved.
    pub fn drop_draft(&mut self) {
        self.draft.take().map(|path| Real.remove(&path));
    }

    /// Where it is, as a sentence.
    pub fn draft(&self) -> Option<String> {
        self.draft.as_deref().map(kept_in)
    }

    /// Keeps which steps are shown.
    pub fn keep_steps(&mut self, steps: Vec<(PathBuf, u64)>) {
        self.steps = steps;
    }

    /// The steps that were shown, where it is asked again: another may have made newer ones.
    pub fn steps<'s>(&self, stores: &'s [Arc<Store>]) -> Result<Option<Steps<'s>>, Failure> {
        if self.difference.is_none() {
            return Ok(None);
        }
        let own = |(root, number): &(PathBuf, u64)| {
            let store = stores.iter().find(|store| store.root == *root)?;
            Some((store, *number))
        };
        let steps: Option<Steps<'s>> = self.steps.iter().map(own).collect();
        let gone = || Failure::new(Exit::Refused, "a store that was shown is gone. Nothing was changed.");
        steps.filter(|steps| !steps.is_empty()).map(Some).ok_or_else(gone)
    }

    /// Whether a choice is made again of what was shown before.
    pub fn is_bound(&self) -> bool {
        self.difference.is_some() && self.chosen.borrow().is_some()
    }

    /// Refuses where others changed what was agreed to.
    pub fn check_as_shown(&self, plans: &[(&Store, &Plan)], now: Moment) -> Result<(), Failure> {
        if !self.agreed {
            return Ok(());
        }
        let chosen = self.chosen.borrow();
        let all;
        let (was, bound) = match &*chosen {
            Some((was, chosen)) => (was, chosen.clone()),
            None => {
                all = Snapshot::of(plans.iter().map(|(store, _)| Arc::new((*store).clone())).collect());
                let plans = plans.iter().enumerate().map(|(number, (_, plan))| (number, *plan));
                let bound = touched(&all, plans, now);
                (&all, bound)
            }
        };
        let difference = of_bound(was, &bound, &read_anew(was, now), now);
        if difference.is_none() { Ok(()) } else { Err(Failure::moved(difference)) }
    }

    /// Refuses where a record that was chosen was used since: an erasure that began on the bytes as
    /// they were would stop in its midst.
    pub fn was_not_used(&self, now: Moment) -> Result<(), Failure> {
        let chosen = self.chosen.borrow();
        let Some((was, own)) = chosen.as_ref().filter(|_| self.agreed) else { return Ok(()) };
        let fresh = read_anew(was, now);
        let mut carry = Carry::new(was, &fresh);
        let raw = |snapshot: &Snapshot, at: EntryRef| {
            let (store, entry) = snapshot.get(at);
            store.raw(entry).to_vec()
        };
        let mut is_alike = |at: EntryRef| match carry.find(at, &|_| false) {
            Some(is) => raw(&fresh, is) == raw(was, at),
            None => is_held(was.get(at).0, was.get(at).1),
        };
        if own.iter().all(|at| is_alike(*at)) {
            return Ok(());
        }
        let message = "others keep using what this is about. Nothing was changed. (E_CONCURRENT_MOD)";
        let mut failure = Failure::new(Exit::Refused, message);
        failure.moved = Some(Difference::default());
        Err(failure)
    }

    /// The failure of a change that was agreed to: where others were quicker, what they changed,
    /// which is nothing where they did not change what was shown.
    pub fn told_of(&self, mut failure: Failure, plans: &[(&Store, &Plan)], now: Moment) -> Failure {
        match self.check_as_shown(plans, now) {
            Err(moved) if failure.exit == Exit::Refused => match &failure.kept {
                Some(kept) => moved.with(kept),
                None => moved,
            },
            Ok(()) if self.agreed && failure.is_moved => {
                failure.moved = Some(Difference::default());
                failure
            }
            _ => failure,
        }
    }

    /// Whether a failure is asked about again; then what differs is kept for the question.
    pub fn asks_again(&mut self, failure: &Failure, changed: &[String]) -> bool {
        let Some(difference) = failure.moved.as_ref().filter(|_| changed.is_empty()) else { return false };
        match difference.is_none() {
            true if self.tries == TRIES => return false,
            true => self.tries += 1,
            // What was written in an editor is not put over what others wrote.
            false if self.written.is_some() => return false,
            false => {}
        }
        // Of what is saved by the next try no copy is left.
        match &self.draft {
            Some(_) => {}
            None => failure.kept.iter().for_each(|kept| say(kept)),
        }
        self.difference = Some(difference.clone());
        self.agreed = false;
        true
    }

    /// Whether it is asked again though nothing differs, and the plans come to what was agreed to:
    /// then the yes to that holds. Keeps what they come to.
    pub fn is_as_shown(&mut self, plans: &[(&Store, &Plan)], now: Moment) -> bool {
        let told = self.come_to(plans, now);
        let nothing_differs = self.difference.as_ref().is_some_and(Difference::is_none);
        self.agreed = nothing_differs && told == self.told;
        self.told = told;
        self.agreed
    }

    /// What the plans say, and where the records were not chosen, which they change and bring.
    fn come_to(&self, plans: &[(&Store, &Plan)], now: Moment) -> Vec<String> {
        let mut told = Vec::new();
        for (store, plan) in plans {
            told.push(format!("{} {}", plan.verb, plan.records));
            told.extend(change::lines(plan));
            if self.chosen.borrow().is_none() {
                let own = |own: Touched| format!("{:?}  {}  {}", own.id, own.fate.told(), own.title);
                told.extend(effect(store, plan, now).into_iter().map(own));
                told.extend(brought(store, plan, now));
            }
        }
        told
    }

    /// The first lines of what the chosen records say, masked and safe to show; nothing where it is
    /// asked again, or no records are chosen.
    pub fn texts(&self) -> Vec<String> {
        let chosen = self.chosen.borrow();
        let Some((snapshot, chosen)) = chosen.as_ref().filter(|_| self.difference.is_none()) else {
            return Vec::new();
        };
        let rows = if chosen.len() == 1 { RECORDS } else { 1 };
        let mut lines = Vec::new();
        for &at in chosen.iter().take(RECORDS) {
            let (store, entry) = snapshot.get(at);
            lines.push(format!("{}:", work::name_of(store, entry)));
            lines.extend(first_lines(store, entry, rows));
        }
        if chosen.len() > RECORDS {
            lines.push(format!("… and {}", counted((chosen.len() - RECORDS) as u64, "more record")));
        }
        lines
    }

    /// What is shown before the question, of all lines of the plans: where it is asked again, what
    /// differs, and that alone if the records were chosen. Any other plan may do more by now.
    pub fn lines(&self, all: Vec<String>) -> Vec<String> {
        let Some(difference) = &self.difference else { return all };
        let head = difference.head();
        let moved = difference.moved.iter().map(|own| format!("  {}", own.line()));
        match (difference.is_none(), self.is_bound()) {
            (false, true) => {
                std::iter::once(format!("{head}; all else is as it was shown:")).chain(moved).collect()
            }
            (is_none, _) => {
                let head = (!is_none).then(|| format!("{head}:"));
                let anew = "not as it was shown; this is what it would do now:".to_owned();
                head.into_iter().chain(moved).chain([anew]).chain(all).collect()
            }
        }
    }
}

/// The first lines of a record's text. A private key covers lines, so what is masked is masked before
/// it is cut.
fn first_lines(store: &Store, entry: &Entry, rows: usize) -> Vec<String> {
    let own = format::text_of(store, entry);
    let text = if own.text.trim().is_empty() { own.title } else { own.text };
    let masked = mask(&text).into_owned();
    let mut lines = show_lines(&masked).filter(|line| !line.trim().is_empty());
    let cut = |line: String| line.chars().take(COLUMNS).collect::<String>();
    let mut first: Vec<String> = lines.by_ref().take(rows).map(|line| format!("  {}", cut(line))).collect();
    first.extend(lines.next().filter(|_| rows > 1).map(|_| "  …".to_owned()));
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_new;
    use crate::model::Extent;
    use crate::store::{load, look_at};

    #[test]
    fn where_others_were_quicker_it_is_still_told_where_what_was_written_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (root, now) = (folder.path().join("store"), Moment::of_the_clock());
        let log = root.join("sessions/s/memory.jsonl");
        let line = "{\"id\":\"m\",\"session_id\":\"s\",\"type\":\"conversation\",\
                    \"timestamp\":\"2026-01-01T00:00:00Z\",\"content\":{\"role\":\"user\",\"message\":\"first\"}}\n";
        write_new(&log, line.as_bytes()).unwrap();
        write_new(&root.join("config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let place = look_at(&root, None).found.unwrap().remove(0);
        let snapshot = Snapshot::of(vec![Arc::new(load(&place, Extent::Whole, None, now))]);
        let mut shown = Shown { agreed: true, ..Shown::default() };
        shown.keep(&snapshot, &[EntryRef { store: 0, entry: 0 }]);
        let refused = || Failure::new(Exit::Refused, "it changed.").with("What you wrote is kept in a.");
        std::fs::write(&log, line.replace("first", "second")).unwrap();
        let told = shown.told_of(refused(), &[], now);
        assert!(told.message().starts_with("changed meanwhile: 1 of 1"), "{}", told.message());
        assert!(told.message().ends_with("What you wrote is kept in a."), "{}", told.message());
        assert!(shown.asks_again(&told, &[]));
    }
}
