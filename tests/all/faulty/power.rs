//! Every state, within limits, that a power cut could leave.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::change::{Change, Fate};
use super::tree::{Body, Id, Tree};
use super::world::{Pending, World};

/// Writes reach the disk in pages.
const PAGE: usize = 4096;

/// Everything by which a program can distinguish two disks, except times.
type Look = Vec<(PathBuf, u64, u32, Option<Arc<Vec<u8>>>)>;

struct States<'a> {
    world: &'a World,
    pending: Vec<&'a Pending>,
    seen: BTreeSet<Look>,
    found: Vec<(String, World)>,
}

pub(super) fn states(world: &World) -> Vec<(String, World)> {
    let mut states =
        States { world, pending: world.pending.iter().collect(), seen: BTreeSet::new(), found: Vec::new() };
    states.extremes();
    states.groups();
    states.each_alone();
    states.writes();
    states.moves();
    states.in_order();
    states.found
}

impl States<'_> {
    fn add(&mut self, label: String, fates: &[Fate]) {
        let mut tree = self.world.base.clone();
        for (pending, fate) in self.pending.iter().zip(fates) {
            tree.apply(&pending.change, pending.stamp, *fate);
        }
        if self.seen.insert(look(&tree)) {
            self.found.push((label, self.world.with_only(tree)));
        }
    }

    fn all(&self) -> Vec<Fate> {
        vec![Fate::Kept; self.pending.len()]
    }

    /// Only what syncs promised.
    fn synced(&self) -> Vec<Fate> {
        let fate = |pending: &&Pending| match (pending.durable, pending.tail) {
            (false, _) => Fate::Lost,
            (true, true) => Fate::BothNames,
            (true, false) => Fate::Kept,
        };
        self.pending.iter().map(fate).collect()
    }

    fn loose(&self) -> Vec<usize> {
        (0..self.pending.len()).filter(|at| self.pending.get(*at).is_some_and(|p| !p.durable)).collect()
    }

    fn change(&self, at: usize) -> Option<&Change> {
        self.pending.get(at).map(|pending| &pending.change)
    }

    fn label(&self, at: usize) -> String {
        self.pending.get(at).map(|pending| pending.label.clone()).unwrap_or_default()
    }

    fn data_of(&self, at: usize) -> Option<Id> {
        self.change(at).and_then(Change::data_of)
    }

    fn extremes(&mut self) {
        self.add("all is on the disk".to_owned(), &self.all());
        self.add("only what was synced".to_owned(), &self.synced());
        let (data, names): (Vec<usize>, Vec<usize>) =
            self.loose().into_iter().partition(|at| self.data_of(*at).is_some());
        self.add("names kept, data lost".to_owned(), &with(self.synced(), &names, Fate::Kept));
        self.add("data kept, names lost".to_owned(), &with(self.synced(), &data, Fate::Kept));
    }

    /// All data of one file, and all names of one folder.
    fn groups(&mut self) {
        let loose = self.loose();
        let files: BTreeSet<Id> = loose.iter().filter_map(|at| self.data_of(*at)).collect();
        for file in files {
            let lost: Vec<usize> =
                loose.iter().copied().filter(|at| self.data_of(*at) == Some(file)).collect();
            let label = lost.first().map(|at| self.label(*at)).unwrap_or_default();
            self.add(format!("lost with all like it: {label}"), &with(self.all(), &lost, Fate::Lost));
        }
        let folders_of = |at: &usize| self.change(*at).map(Change::folders).unwrap_or_default();
        let folders: BTreeSet<Id> = loose.iter().flat_map(folders_of).flatten().collect();
        for folder in folders {
            let touches =
                |at: &usize| self.change(*at).is_some_and(|change| change.folders().contains(&Some(folder)));
            let lost: Vec<usize> = loose.iter().copied().filter(touches).collect();
            let label = lost.first().map(|at| self.label(*at)).unwrap_or_default();
            self.add(format!("lost with its folder's names: {label}"), &with(self.all(), &lost, Fate::Lost));
        }
    }

    fn each_alone(&mut self) {
        for at in self.loose() {
            let label = self.label(at);
            self.add(format!("lost: {label}"), &with(self.all(), &[at], Fate::Lost));
            self.add(format!("alone kept: {label}"), &with(self.synced(), &[at], Fate::Kept));
        }
    }

    fn writes(&mut self) {
        let loose = self.loose();
        for at in loose.iter().copied() {
            let Some(Change::Write { id, bytes, .. }) = self.change(at) else { continue };
            let (id, len) = (*id, bytes.len());
            let label = self.label(at);
            let later: Vec<usize> = loose
                .iter()
                .copied()
                .filter(|other| *other > at && self.data_of(*other) == Some(id))
                .collect();
            let before_these = with(self.all(), &later, Fate::Lost);
            for cut in BTreeSet::from([1, len / 2, len - 1, len / PAGE * PAGE]) {
                if 0 < cut && cut < len {
                    let fates = with(before_these.clone(), &[at], Fate::Torn(cut));
                    self.add(format!("torn after {cut} bytes: {label}"), &fates);
                }
            }
            self.add(format!("zeros: {label}"), &with(self.all(), &[at], Fate::Zeros));
        }
    }

    fn moves(&mut self) {
        for at in 0..self.pending.len() {
            if self.pending.get(at).is_some_and(|pending| pending.tail) {
                let label = self.label(at);
                self.add(format!("both names: {label}"), &with(self.all(), &[at], Fate::BothNames));
            }
        }
    }

    fn in_order(&mut self) {
        let loose = self.loose();
        for count in 1..loose.len() {
            let first = loose.get(..count).unwrap_or_default();
            let label = format!("the first {count} of {} pending changes", loose.len());
            self.add(label, &with(self.synced(), first, Fate::Kept));
        }
    }
}

fn with(mut fates: Vec<Fate>, these: &[usize], fate: Fate) -> Vec<Fate> {
    for at in these {
        if let Some(there) = fates.get_mut(*at) {
            *there = fate;
        }
    }
    fates
}

fn look(tree: &Tree) -> Look {
    let content = |body: &Body| match body {
        Body::File(bytes) => Some(Arc::clone(bytes)),
        Body::Folder(_) | Body::Special => None,
    };
    let found = tree.reachable();
    found.into_iter().map(|(path, _, node)| (path, node.number, node.mode, content(&node.body))).collect()
}
