//! What is due now and later, and what a compaction would remove.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::{Chore, ChoreKind, Inspector};
use crate::disk::host::Host;
use crate::disk::{Machine, RealDisk, ThisMachine};
use crate::model::plan::effect::EffectKind;
use crate::model::time::DAY;
use crate::model::{Moment, PathText, Plan, Store};
use crate::ops::command::StoreInput;
use crate::ops::effect_lines::{TouchedMemory, touched};
use crate::ops::maintain::plans_due;
use crate::ops::{self, WriteContext};
use crate::usecase::ChangeFailure;

/// The numbers of days ahead for which due tasks are searched.
const AHEAD: [i64; 3] = [7, 30, 90];
impl<'a> Inspector<'a> {
    pub(super) fn chores(&self) -> Vec<Chore> {
        let mut chores = Vec::new();
        for (number, store) in self.snapshot.stores.iter().enumerate() {
            let due = self.due(number, store, self.now);
            let known: HashSet<u32> =
                due.iter().flat_map(|own| own.touched.iter().map(|own| own.entry)).collect();
            chores.extend(due);
            chores.extend(self.soon(number, store, known));
            chores.push(self.compaction(number, store));
        }
        chores.sort_by_key(|chore| chore.task);
        chores
    }

    fn due(&self, number: usize, store: &Arc<Store>, now: Moment) -> Vec<Chore> {
        let machine = ThisMachine::new();
        let host = Host { disk: &RealDisk, machine: &machine, data: self.data, now };
        let random = machine.random();
        let plans = match plans_due(&StoreInput { host, store, number, is_only: true, random }) {
            Ok(plans) => plans,
            Err(failed) => {
                let what = format!("what is due in {} is unknown", short(&store.root));
                let refused = Some(ChangeFailure::from(failed).why().to_owned());
                return vec![Chore { refused, ..Chore::new(number, ChoreKind::Due, what) }];
            }
        };
        let chore = |(plan, rule): (Plan, String)| {
            let own = Chore::new(number, ChoreKind::Due, plan.lines.last().cloned().unwrap_or_default());
            Chore { rule, touched: touched(store, &plan, self.now), plan: Some(plan), ..own }
        };
        plans.into_iter().map(chore).collect()
    }

    /// Returns what will be due later, by the same rules with a later clock.
    fn soon(&self, number: usize, store: &Arc<Store>, mut known: HashSet<u32>) -> Vec<Chore> {
        let mut chores = Vec::new();
        for days in AHEAD {
            let later = self.due(number, store, self.now.plus(days * DAY));
            for chore in later {
                let is_new = |own: &TouchedMemory| !known.contains(&own.entry);
                let touched: Vec<TouchedMemory> = chore.touched.into_iter().filter(is_new).collect();
                let derives_only = touched.iter().all(|own| own.effect.kind == EffectKind::Change);
                if touched.is_empty() || derives_only {
                    continue;
                }
                known.extend(touched.iter().map(|own| own.entry));
                chores.push(Chore { task: ChoreKind::Soon(days), touched, plan: None, ..chore });
            }
        }
        chores
    }

    fn compaction(&self, number: usize, store: &'a Arc<Store>) -> Chore {
        let context = WriteContext::of(store, self.now, ThisMachine::new().random());
        let chore = Chore::new(number, ChoreKind::Compact, format!("compact {}", short(&store.root)));
        match ops::compact::compact(&context, None) {
            Err(refusal) => Chore { refused: Some(refusal.message), ..chore },
            Ok(plan) => {
                let (rule, touched) = (ops::compact::rule(store), touched(store, &plan, self.now));
                // An index that is rebuilt is no compaction.
                let has_work = plan.changes.iter().any(|change| !change.is_empty());
                let refused = (!has_work).then(|| "nothing would go now".to_owned());
                Chore { rule, touched, plan: has_work.then_some(plan), refused, ..chore }
            }
        }
    }
}

impl Chore {
    fn new(store: usize, task: ChoreKind, what: String) -> Chore {
        let (rule, touched, plan, refused) = Default::default();
        Chore { store, task, what, rule, touched, plan, refused }
    }
}

/// Returns the last two folders of a path, by which a person knows a store.
fn short(root: &Path) -> String {
    let parts: Vec<_> = root.components().map(|part| part.as_os_str().to_text()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}
