//! Deletions, their undo and other programs in any order, compared with a simple model: no record
//! is lost, none appears from nowhere, and undo followed by redo changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::made::KINDS;
use crate::support::{MadeStore, tries};

/// An action; the number chooses a record or a step.
#[derive(Clone, Debug)]
enum Act {
    Delete(usize),
    Undelete(usize),
    UndoStep(usize),
    Undo,
    Redo,
    /// Undo and redo, or the other way round, with nothing between them.
    Both(bool),
    /// Another program adds a record that is equal to one of the first.
    Adds(usize),
    /// Another program removes one.
    Removes(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let pick = || 0..6_usize;
    let act = prop_oneof![
        4 => pick().prop_map(Act::Delete), 2 => pick().prop_map(Act::Undelete),
        3 => pick().prop_map(Act::UndoStep), 2 => Just(Act::Undo), 2 => Just(Act::Redo),
        1 => any::<bool>().prop_map(Act::Both), 2 => pick().prop_map(Act::Adds), 1 => pick().prop_map(Act::Removes),
    ];
    proptest::collection::vec(act, 3..10)
}

type Counts = BTreeMap<String, i64>;

struct Desk {
    made: MadeStore,
    file: PathBuf,
    /// The records at first.
    first: Vec<String>,
    /// What each step did to a record, by its number.
    steps: BTreeMap<u64, (String, i64)>,
    force: BTreeMap<u64, bool>,
    /// What other programs added and removed.
    added: Counts,
    removed: Counts,
}

fn counted<'a>(lines: impl IntoIterator<Item = &'a str>) -> Counts {
    let mut counts = Counts::new();
    lines.into_iter().for_each(|line| *counts.entry(line.to_owned()).or_default() += 1);
    counts
}

impl Desk {
    /// Two records that share an id, two equal ones, and two equal ones without an id.
    fn new(format: (&str, &'static str)) -> Desk {
        let made = MadeStore::new(format);
        made.add("First words");
        let file = made.holding("First words");
        let text = fs::read_to_string(&file).unwrap();
        let mut record: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        record.as_object_mut().unwrap().remove("checksum");
        let one = record.to_string();
        let other = one.replace("First", "Other");
        record.as_object_mut().unwrap().remove("id");
        let nameless = record.to_string().replace("First", "Third");
        let first = vec![one.clone(), other, nameless.clone(), one, nameless];
        fs::write(&file, first.join("\n") + "\n").unwrap();
        let none = Counts::new;
        let (steps, force) = (BTreeMap::new(), BTreeMap::new());
        Desk { made, file, first, steps, force, added: none(), removed: none() }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap_or_default()
    }

    fn counts(&self) -> Counts {
        counted(self.text().lines())
    }

    fn journal(&self) -> Vec<Value> {
        let stores = fs::read_dir(self.made.folder.path().join("data/stores")).unwrap();
        let journal = stores.map(|own| own.unwrap().path().join("journal.jsonl")).find(|own| own.exists());
        let text = fs::read_to_string(journal.unwrap()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a verb. Returns its message if it did nothing.
    fn turns(&mut self, args: &[&str]) -> Result<(), String> {
        let before = self.counts();
        let told = self.made.run(args);
        if told.status != Some(0) {
            assert_eq!(self.counts(), before, "{args:?} failed and changed something");
            return Err(told.stderr);
        }
        let line = self.journal().pop().unwrap();
        let (step, turn) = (line["step"].as_u64().unwrap(), &line["turn"]);
        match (turn["undo"].as_u64(), turn["redo"].as_u64()) {
            (Some(step), _) => drop(self.force.insert(step, false)),
            (_, Some(step)) => drop(self.force.insert(step, true)),
            _ => {
                let now = self.counts();
                let of = |counts: &Counts, record: &str| counts.get(record).copied().unwrap_or(0);
                let record = self.first.iter().find(|own| of(&now, own) != of(&before, own)).unwrap();
                self.steps.insert(step, (record.clone(), of(&now, record) - of(&before, record)));
                self.force.insert(step, true);
            }
        }
        Ok(())
    }

    /// Runs a verb with one of the listed records.
    fn one(&mut self, verb: &[&str], query: &str, pick: usize) {
        let rows = self.made.run(&["list", "--json", query]).json_lines();
        let rows: Vec<&Value> = rows.iter().filter(|row| row["type"] != "session").collect();
        let Some(row) = rows.get(pick % rows.len().max(1)) else { return };
        let before = self.counts();
        let by = if verb[0] == "delete" { -1 } else { 1 };
        if self.turns(&[verb, &[row["key"].as_str().unwrap()]].concat()).is_ok() {
            let mut wanted = before;
            *wanted.entry(row["raw"].as_str().unwrap().to_owned()).or_default() += by;
            wanted.retain(|_, count| *count != 0);
            assert_eq!(self.counts(), wanted, "{verb:?} {row}");
        }
    }

    fn other_program(&mut self, adds: bool, pick: usize) {
        let record = self.first[pick % self.first.len()].clone();
        let mut lines: Vec<String> = self.text().lines().map(str::to_owned).collect();
        match (adds, lines.iter().position(|line| *line == record)) {
            (true, _) => {
                lines.push(record.clone());
                *self.added.entry(record).or_default() += 1;
            }
            (false, Some(at)) => {
                lines.remove(at);
                *self.removed.entry(record).or_default() += 1;
            }
            (false, None) => return,
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&self.file, text).unwrap();
    }

    fn both(&mut self, undoes: bool) {
        let before = self.counts();
        let turns = if undoes { ["undo", "redo"] } else { ["redo", "undo"] };
        if self.turns(&turns[..1]).is_err() {
            return;
        }
        self.turns(&turns[1..]).unwrap_or_else(|told| panic!("{turns:?}: {told}"));
        assert_eq!(self.counts(), before, "{turns:?}");
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Delete(pick) => self.one(&["delete", "--remove"], "is:live", *pick),
            Act::Undelete(pick) => self.one(&["undelete"], "is:deleted", *pick),
            Act::UndoStep(pick) => {
                let steps: Vec<u64> = self.force.iter().filter(|own| *own.1).map(|own| *own.0).collect();
                let Some(step) = steps.get(pick % steps.len().max(1)) else { return };
                drop(self.turns(&["undo", &step.to_string()]));
            }
            Act::Undo if self.force.values().any(|is| *is) => {
                let outcome = self.turns(&["undo"]);
                let is_alone = self.added.is_empty() && self.removed.is_empty();
                assert!(outcome.is_ok() || !is_alone, "{outcome:?}");
            }
            Act::Redo => drop(self.turns(&["redo"])),
            Act::Both(undoes) if !undoes || self.force.values().any(|is| *is) => self.both(*undoes),
            Act::Undo | Act::Both(_) => {}
            Act::Adds(pick) => self.other_program(true, *pick),
            Act::Removes(pick) => self.other_program(false, *pick),
        }
    }

    /// Compares the first records, the applied steps and other programs' changes with the store. A
    /// record that another program added may stand in for one that undo would restore.
    fn holds(&self) -> Result<(), TestCaseError> {
        let now = self.counts();
        let first = counted(self.first.iter().map(String::as_str));
        for (record, count) in &first {
            let did = |(step, own): (&u64, &(String, i64))| {
                if self.force[step] && own.0 == *record { own.1 } else { 0 }
            };
            let own: i64 = count + self.steps.iter().map(did).sum::<i64>();
            let of = |counts: &Counts| counts.get(record).copied().unwrap_or(0);
            let (is, added, removed) = (of(&now), of(&self.added), of(&self.removed));
            prop_assert!(is >= own - removed, "{record}: {is} of {own} without {removed}");
            prop_assert!(
                is <= own + added - removed,
                "{record}: {is} of {own} with {added} without {removed}"
            );
        }
        prop_assert_eq!(now.keys().find(|record| !first.contains_key(*record)), None);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 100, ..tries::config(3, 300) })]

    #[test]
    fn no_record_is_lost_or_made_by_undo_whatever_was_done_before(acts in acts(), format in 0..2_usize) {
        let mut desk = Desk::new(KINDS[format]);
        for (at, act) in acts.iter().enumerate() {
            desk.act(act);
            desk.holds().map_err(|error| TestCaseError::fail(format!("{error} after {:?}", &acts[..=at])))?;
        }
    }
}
