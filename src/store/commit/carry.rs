//! Carrying a plan out: lock by lock.

use std::path::{Path, PathBuf};

use super::apply::{Lost, Ready, Scene};
use super::step::Step;
use super::{CommitError, Files, Writer};
use crate::model::{Change, Lock, Plan};
use crate::store::lock::{self, Patience};

/// So often a change is fitted to a file that others keep changing.
const TRIES: usize = 40;
/// After so many, the last lines of others are taken over under the lock.
const PATIENT: usize = 3;

/// How far a plan was carried out.
#[derive(Default)]
pub struct Carried {
    /// Whether anything that others see has been changed.
    pub began: bool,
    /// Whether derived files have to be made anew, because files were not as planned.
    pub derive: bool,
    /// The files that were changed, relative to the root.
    pub touched: Vec<PathBuf>,
    /// Second names of files that were replaced.
    pub olds: Vec<PathBuf>,
    /// What went otherwise than it was shown.
    pub notes: Vec<String>,
}

/// Changes under one lock.
struct Set<'a> {
    lock: Lock,
    changes: Vec<(&'a Change, bool)>,
}

/// Carries a plan out. A step takes it back, unless nothing is to; where a change had to be fitted to a file that
/// others had changed, it is kept anew before that change is made.
pub fn carry_out(
    writer: &Writer<'_>,
    plan: &Plan,
    carried: &mut Carried,
    mut undo: Option<(u64, &mut Step)>,
) -> Result<(), CommitError> {
    carried.touched = plan.changes.iter().map(|change| change.path.clone()).collect();
    carried.derive = plan.derive_after;
    for set in sets(writer, plan) {
        let keep = &mut |path: &Path, inverse: Change| {
            let Some((number, step)) = &mut undo else { return Ok(()) };
            let own = step.changes.iter_mut().find(|change| change.path == path);
            own.into_iter().for_each(|change| *change = inverse.clone());
            writer.vault().keep(*number, step)
        };
        carry_set(writer, &set, &[], carried, keep)?;
    }
    Ok(())
}

/// Carries out what is derived, if the files that it was made of still have those lengths.
pub fn carry_out_derived(
    writer: &Writer<'_>,
    plan: &Plan,
    guards: &[(PathBuf, u64)],
) -> Result<(), CommitError> {
    let mut carried = Carried::default();
    for set in sets(writer, plan) {
        carry_set(writer, &set, guards, &mut carried, &mut |_, _| Ok(()))?;
    }
    Ok(())
}

fn sets<'a>(writer: &Writer<'_>, plan: &'a Plan) -> Vec<Set<'a>> {
    let mut sets: Vec<Set<'a>> = Vec::new();
    let data = plan.changes.iter().map(|change| (change, false));
    for (change, derived) in data.chain(plan.derived.iter().map(|change| (change, true))) {
        if change.is_empty() {
            continue;
        }
        let lock = writer.format.lock(&[&change.path]);
        let fits = |set: &&mut Set<'a>| is_one(&set.lock, &lock);
        // What is derived joins the last set under its lock; data keeps its order.
        let last = match derived {
            true => sets.iter_mut().rev().find(fits),
            false => sets.last_mut().filter(fits),
        };
        match last {
            Some(set) => set.changes.push((change, derived)),
            None => sets.push(Set { lock, changes: vec![(change, derived)] }),
        }
    }
    sets
}

/// Whether two locks are one, or have a file in common and are taken together.
fn is_one(a: &Lock, b: &Lock) -> bool {
    match (a, b) {
        (Lock::Exclusive(a), Lock::Exclusive(b)) => a.first() == b.first(),
        (a, b) => a == b,
    }
}

type Keep<'k> = dyn FnMut(&Path, Change) -> Result<(), CommitError> + 'k;

fn carry_set(
    writer: &Writer<'_>,
    set: &Set<'_>,
    guards: &[(PathBuf, u64)],
    carried: &mut Carried,
    keep: &mut Keep<'_>,
) -> Result<(), CommitError> {
    let own = |&(change, derived): &(&Change, bool)| Ready::of(change, derived, writer.path(&change.path));
    let mut ready: Vec<Ready> = set.changes.iter().map(own).collect();
    let mut scene = Scene { host: writer.host, carried };
    // Files are made first, without a lock: nobody knows them yet.
    let known = ready.iter().position(|own| !own.is_new()).unwrap_or(ready.len());
    let outcome = ready[..known]
        .iter_mut()
        .try_for_each(|own| scene.make(own))
        .and_then(|()| commit_set(writer, guards, &mut scene, &mut ready[known..], keep));
    ready.iter_mut().for_each(|own| own.drop_temp(writer.host.disk));
    outcome
}

fn commit_set(
    writer: &Writer<'_>,
    guards: &[(PathBuf, u64)],
    scene: &mut Scene<'_, '_>,
    ready: &mut [Ready],
    keep: &mut Keep<'_>,
) -> Result<(), CommitError> {
    let Some(first) = ready.first().map(|own| own.path.clone()) else { return Ok(()) };
    let moved = |what| CommitError::Moved { file: first.clone(), what, files: Files::Untouched };
    for attempt in 0..TRIES {
        for own in ready.iter_mut() {
            scene.prepare(own)?;
        }
        let files: Vec<&Path> = ready.iter().map(|own| own.relative.as_path()).collect();
        let protocol = writer.protocol(&files);
        let host = writer.host;
        let held =
            lock::acquire(host.disk, host.machine, &protocol, "write", "palimp", &Patience::default())?;
        if guards.iter().any(|(file, len)| scene.len(&writer.path(file)) != Some(*len)) {
            return Err(moved("what it is made of changed"));
        }
        let fits = scene.fits(ready, attempt >= PATIENT)?;
        let lost = fits && scene.apply(ready, &|| held.still_ours())? == Lost::Yes;
        held.release();
        if fits && !lost {
            return Ok(());
        }
        if !fits {
            scene.refit(ready, keep)?;
        }
    }
    Err(moved("others keep changing it"))
}
