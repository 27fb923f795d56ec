//! Changes that were cut short, and steps that are taken back: both begin with what takes a
//! step back and the files as they are.

use super::rebase::rebase;
use super::vault::{JournalLine, Turn};
use super::{CommitError, Files, Step, Writer, carry};
use crate::disk::ItemKind;
use crate::format::Placement;
use crate::model::{Act, Change, Moment, Plan, Role, Splice, plan};

/// What became of a change that was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It had been made whole.
    Finished,
    /// It was taken back, or had not begun.
    TakenBack,
    /// It could not be settled; the next start tries again.
    Waits,
}

impl Writer<'_> {
    /// Settles what was cut short: every step that the journal does not know.
    pub(super) fn recover(&self) -> Result<(), CommitError> {
        let known: Vec<u64> = self.vault.journal().iter().map(|line| line.step).collect();
        let last = self.vault.steps();
        for number in last.into_iter().filter(|number| !known.contains(number)) {
            self.settle(number)?;
        }
        Ok(())
    }

    /// Finishes a change whose files are all changed, and takes any other back.
    pub(super) fn settle(&self, number: u64) -> Result<Settled, CommitError> {
        let Some(step) = self.vault.step(number) else {
            // It was cut short itself: nothing had been changed yet.
            self.vault.forget(number)?;
            return Ok(Settled::TakenBack);
        };
        let made: Vec<Option<bool>> = step.changes.iter().map(|change| self.is_made(change)).collect();
        let touched: Vec<_> = step.changes.iter().map(|change| change.path.clone()).collect();
        let none = Plan::new("recover", &self.place.root, self.place.format);
        if made.iter().all(|made| *made != Some(false)) && made.contains(&Some(true)) {
            self.derive(&touched, &none);
            self.vault.write(&line_of(number, &step))?;
            return Ok(Settled::Finished);
        }
        let back = step.changes.iter().zip(&made).filter(|(_, made)| **made != Some(false));
        let changes: Result<Vec<_>, _> =
            back.filter_map(|(change, made)| self.fitted(change, *made).transpose()).collect();
        let Ok(changes) = changes else { return Ok(Settled::Waits) };
        let plan = Plan { changes, ..none };
        let mut carried = carry::Carried::default();
        let mut own = Step { changes: Vec::new(), derived: Vec::new(), ..step };
        if carry::carry_out(self, &plan, &mut carried, number, &mut own).is_err() {
            return Ok(Settled::Waits);
        }
        self.derive(&touched, &plan);
        self.vault.forget(number)?;
        Ok(Settled::TakenBack)
    }

    /// Whether what this would take back has been made; `None` where that can't be told and
    /// does no harm, as of folders.
    fn is_made(&self, inverse: &Change) -> Option<bool> {
        let now = self.host.disk.read(&self.path(&inverse.path), 0, None).ok().map(|(bytes, _)| bytes);
        match &inverse.act {
            Act::MakeFolder | Act::RemoveFolder | Act::Append(_) | Act::Expire => None,
            Act::Create(_) => Some(now.is_none()),
            Act::Remove(_) => Some(now.is_some()),
            Act::Splice(splices) => {
                let now = now?;
                let told = splices.iter().find(|splice| splice.was != splice.becomes)?;
                Some(match told.was.is_empty() {
                    // Lines that went: they are missing, or the change was never made.
                    true => memchr::memmem::find(&now, &told.becomes).is_none(),
                    false => rebase(std::slice::from_ref(told), &now).is_ok_and(|own| own[0].was == told.was),
                })
            }
        }
    }

    /// The change as it fits the files as they are; `None` where it has nothing to do.
    fn fitted(&self, change: &Change, made: Option<bool>) -> Result<Option<Change>, CommitError> {
        let path = self.path(&change.path);
        let read = self.host.disk.read(&path, 0, None);
        let moved = |what| CommitError::Moved { file: path.clone(), what, files: Files::Untouched };
        let own = match (&change.act, read) {
            (Act::Expire, _) => return Ok(None),
            (Act::Append(lines), _) if lines.is_empty() => return Ok(None),
            (Act::MakeFolder, _) => Change::make_folder(&change.path),
            (Act::RemoveFolder, _) if self.host.disk.look(&path).is_err() => return Ok(None),
            (Act::RemoveFolder, _) => Change::remove_folder(&change.path),
            (Act::Append(lines), Ok((now, _))) => {
                Change::append(&change.path, lines.clone(), Some(now.into()))
            }
            (Act::Create(bytes) | Act::Append(bytes), Err(_)) => Change::create(&change.path, bytes.clone()),
            (Act::Create(bytes), Ok((now, _))) if now == *bytes => return Ok(None),
            // Somebody made the file anew: what it had comes first.
            (Act::Create(bytes), Ok((now, _))) if is_log(change) => {
                Change::edits(&change.path, now.into(), vec![(0..0, bytes.clone())])
            }
            (Act::Create(_), Ok(_)) => return Err(moved("something else stands there")),
            (Act::Remove(_), Err(_)) if made.is_none() => return Ok(None),
            (Act::Remove(_) | Act::Splice(_), Err(_)) => return Err(moved("it is gone")),
            (Act::Remove(was), Ok((now, _))) if now == **was => Change::remove(&change.path, now.into()),
            (Act::Remove(was), Ok((now, _))) if is_log(change) && now.starts_with(was) => {
                Change::edits(&change.path, now.into(), vec![(0..was.len(), Vec::new())])
            }
            (Act::Remove(_), Ok(_)) => return Err(moved("it changed since")),
            (Act::Splice(splices), Ok((now, _))) => {
                let splices = rebase(splices, &now).map_err(|conflict| CommitError::Conflict {
                    file: path.clone(),
                    planned: conflict.planned,
                    found: conflict.found,
                    files: Files::Untouched,
                })?;
                let base = Some(now.into());
                Change { path: change.path.clone(), act: Act::Splice(splices), base, mode: change.mode }
            }
        };
        Ok(Some(Change { mode: change.mode, ..own }))
    }
}

fn is_log(change: &Change) -> bool {
    change.path.extension().is_some_and(|end| end == "jsonl")
}

fn line_of(number: u64, step: &Step) -> JournalLine {
    let files = step.changes.iter().rev().map(super::file_line).collect();
    JournalLine {
        step: number,
        at: step.at.clone(),
        verb: step.verb.clone(),
        records: step.records,
        files,
        turn: step.turn,
    }
}

/// Which steps are in force, and which were taken back, the last one last; each with the
/// step whose file turns it round.
#[derive(Debug, Default, PartialEq)]
pub struct History {
    /// In force: a step, and the step that did it last.
    pub done: Vec<(u64, u64)>,
    /// Taken back: a step, and the step that took it back.
    pub undone: Vec<(u64, u64)>,
}

impl History {
    /// Reads it from the journal.
    pub fn of(journal: &[JournalLine]) -> History {
        let mut history = History::default();
        for line in journal {
            match line.turn {
                None => {
                    history.done.push((line.step, line.step));
                    history.undone.clear();
                }
                Some(Turn::Undo(step)) => {
                    history.done.retain(|(own, _)| *own != step);
                    history.undone.push((step, line.step));
                }
                Some(Turn::Redo(step)) => {
                    history.undone.retain(|(own, _)| *own != step);
                    history.done.push((step, line.step));
                }
            }
        }
        history
    }
}

/// The plan that takes a step back.
pub fn undo(writer: &Writer<'_>, wanted: Option<u64>) -> Result<(Plan, Turn), CommitError> {
    let history = History::of(&writer.vault.journal());
    let found = match wanted {
        None => history.done.last(),
        Some(number) => history.done.iter().find(|(step, _)| *step == number),
    };
    let Some(&(step, by)) = found else {
        return Err(CommitError::NoStep(match wanted {
            Some(number) => format!("Step {number} is not in force in {}.", writer.place.root.display()),
            None => format!("There is nothing to undo in {}.", writer.place.root.display()),
        }));
    };
    Ok((turned(writer, "undo", step, by)?, Turn::Undo(step)))
}

/// The plan that does the last step again that was taken back.
pub fn redo(writer: &Writer<'_>) -> Result<(Plan, Turn), CommitError> {
    let history = History::of(&writer.vault.journal());
    let Some(&(step, by)) = history.undone.last() else {
        let what = format!("There is nothing to redo in {}.", writer.place.root.display());
        return Err(CommitError::NoStep(what));
    };
    Ok((turned(writer, "redo", step, by)?, Turn::Redo(step)))
}

fn turned(writer: &Writer<'_>, verb: &'static str, step: u64, by: u64) -> Result<Plan, CommitError> {
    let Some(own) = writer.vault.step(by) else {
        return Err(CommitError::NoStep(format!(
            "What step {step} replaced is not kept any more: it is kept for 30 days, or up to 256 MB a store."
        )));
    };
    let mut plan = Plan::new(verb, &writer.place.root, writer.place.format);
    plan.records = own.records as usize;
    let when = Moment::parse(&own.at).map_or(own.at.clone(), |(when, _)| when.to_minute());
    plan.lines.push(format!("{verb} step {step}: {} of {} records, {when}", own.verb, own.records));
    let mut as_left = is_as_left(writer, by, &own);
    for change in &own.changes {
        let fitted = writer.fitted(change, None)?;
        as_left &=
            is_copy(writer, change) || fitted.as_ref().is_some_and(|now| is_same(&now.act, &change.act));
        plan.changes.extend(fitted);
    }
    // Where the step's own derived files are not known, they were worked out when it was done.
    plan.derive_after = !as_left || own.derived.is_empty();
    for change in &own.derived {
        match writer.fitted(change, None) {
            Ok(Some(fitted)) if is_same(&fitted.act, &change.act) => plan.derived.push(fitted),
            _ => plan.derive_after = true,
        }
    }
    if plan.derive_after {
        plan.derived.clear();
    }
    debug_assert!(
        plan.changes
            .iter()
            .all(|change| change.base.is_some() || !matches!(change.act, plan::Act::Splice(_)))
    );
    Ok(plan)
}

/// Whether the files that a step changed have the lengths that it left them with: then what
/// was derived from them before fits them again when it is taken back.
fn is_as_left(writer: &Writer<'_>, step: u64, own: &Step) -> bool {
    let journal = writer.vault.journal();
    let line = journal.iter().find(|line| line.step == step);
    own.changes.iter().chain(&own.derived).filter(|change| !is_copy(writer, change)).all(|change| {
        let name = change.path.to_string_lossy();
        let left = line.and_then(|line| line.files.iter().find(|file| file.path == name));
        let now = writer.host.disk.look(&writer.path(&change.path));
        let now = now.map_or(0, |item| if item.kind == ItemKind::File { item.generation.len } else { 0 });
        left.map(|file| file.bytes_after) == Some(now)
    })
}

/// Whether two acts put the same bytes in the same places.
fn is_same(one: &Act, other: &Act) -> bool {
    match (one, other) {
        (Act::Splice(one), Act::Splice(other)) => {
            let alike =
                |(a, b): (&Splice, &Splice)| (a.start, &a.was, &a.becomes) == (b.start, &b.was, &b.becomes);
            one.len() == other.len() && one.iter().zip(other).all(alike)
        }
        (one, other) => one == other,
    }
}

/// Whether it is about a copy, from which nothing is derived.
fn is_copy(writer: &Writer<'_>, change: &Change) -> bool {
    writer.format.place(&change.path, false) == Placement::File(Role::Backup)
}
