//! Changes that were cut short, and steps that are taken back: both begin with what takes a
//! step back and the files as they are.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::keeping::STEP;
use super::made::{Made, is_log, lines_at};
use super::rebase::{fits, rebase};
use super::vault::{FileLine, JournalLine, Turn};
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
    /// Others changed the same since: it stays as it is, and that is told.
    Left,
    /// It could not be settled; the next start tries again.
    Waits,
}

impl Writer<'_> {
    /// Settles what was cut short: every step that the journal does not know. What is kept
    /// longer than it may be goes then.
    pub(super) fn recover(&self) -> Result<(), CommitError> {
        let journal = self.vault.read_journal()?;
        let known: HashSet<u64> = journal.iter().map(|line| line.step).collect();
        let numbered = self.vault.numbered()?;
        let last = numbered.last().map_or(0, |own| own.number);
        let journalled = journal.last().map_or(0, |line| line.step);
        self.vault.begin_at(last.max(journalled).max(self.vault.erasing()?.map_or(0, |own| own.step)));
        let mut unsettled = HashSet::new();
        let steps = numbered.iter().filter(|own| own.end == STEP).map(|own| own.number);
        for number in steps.filter(|number| !known.contains(number)) {
            if self.settle(number, true)? == Settled::Waits {
                unsettled.insert(number);
                self.note(format!(
                    "step {number} was cut short and can't be settled yet; the next change tries again"
                ));
            }
        }
        if let Err(error) = self.vault.expire(self.host.now, &unsettled) {
            self.note(format!("old undo data could not be removed: {error}"));
        }
        Ok(())
    }

    /// Finishes a change whose files are all changed if it `may_finish`, and takes any other
    /// back. After an error it may not: what could not be made durable can still be seen.
    pub(super) fn settle(&self, number: u64, may_finish: bool) -> Result<Settled, CommitError> {
        let Some(step) = self.vault.step(number)? else {
            // It was cut short itself: nothing had been changed yet.
            self.vault.forget(number)?;
            return Ok(Settled::TakenBack);
        };
        let made: Vec<Made> =
            step.changes.iter().map(|change| self.made_of(&step, change)).collect::<Result<_, _>>()?;
        // What only makes anew what is derived can be finished at any time.
        let of = if step.changes.is_empty() { &step.derived } else { &step.changes };
        let touched: Vec<_> = of.iter().map(|change| change.path.clone()).collect();
        let none = Plan::new("recover", &self.place.root, self.place.format);
        let is_over = made.iter().all(|made| matches!(made, Made::Whole | Made::Harmless));
        let is_over = is_over && (made.is_empty() || made.iter().any(|made| matches!(made, Made::Whole)));
        if is_over && may_finish {
            self.finish_step(number, &step, &touched)?;
            return Ok(Settled::Finished);
        }
        let back = step.changes.iter().zip(made).map(|(change, made)| match made {
            Made::Whole => self.fitted(change, true),
            Made::Harmless => self.fitted(change, false),
            Made::Torn(cut) => Ok(Some(cut)),
            Made::No => Ok(None),
            Made::Changed => Err(self.changed_since(change)),
        });
        let changes: Vec<Change> = match back.collect::<Result<Vec<_>, _>>() {
            Ok(changes) => changes.into_iter().flatten().collect(),
            Err(error) if error.is_failure() || !may_finish => return Ok(Settled::Waits),
            // What others wrote since is not taken back for ours.
            Err(error) => {
                self.note(format!(
                    "step {number} ({}) was cut short and is neither finished nor taken back: {} Look at \
                     what stands there.",
                    step.verb,
                    error.what()
                ));
                self.finish_step(number, &step, &touched)?;
                return Ok(Settled::Left);
            }
        };
        let derived = self.derived_back(&step)?;
        let plan =
            Plan { changes, derive_after: derived.is_none(), derived: derived.unwrap_or_default(), ..none };
        let mut carried = carry::Carried::default();
        // The step stays as it was kept: recovery that is cut short begins again with it.
        if carry::carry_out(self, &plan, &mut carried, None).is_err() {
            return Ok(Settled::Waits);
        }
        if carried.derive {
            self.derive(&touched, &plan);
        }
        self.vault.forget(number)?;
        Ok(Settled::TakenBack)
    }

    /// The same as [`Writer::made`]; but an old copy that a change let go and that stays is one
    /// too many, and the change is over without that.
    fn made_of(&self, step: &Step, change: &Change) -> Result<Made, CommitError> {
        let made = self.made(change)?;
        let is_old = step.turn.is_none() && matches!(change.act, Act::Create(_)) && is_copy(self, change);
        Ok(if is_old && matches!(made, Made::No) { Made::Harmless } else { made })
    }

    /// What takes back a step's derived files, as far as they were made; `None` where that
    /// can't be told, or the step does not say how they were.
    fn derived_back(&self, step: &Step) -> Result<Option<Vec<Change>>, CommitError> {
        if step.derived.is_empty() {
            return Ok(None);
        }
        let mut back = Vec::new();
        for change in &step.derived {
            match self.made(change)? {
                Made::Whole => match self.fitted(change, true) {
                    Ok(fitted) => back.extend(fitted),
                    Err(_) => return Ok(None),
                },
                Made::No | Made::Harmless => {}
                Made::Torn(_) | Made::Changed => return Ok(None),
            }
        }
        Ok(Some(back))
    }

    /// Writes down that a step is over, when what it changed is durable.
    fn finish_step(&self, number: u64, step: &Step, touched: &[PathBuf]) -> Result<(), CommitError> {
        self.make_durable(touched)?;
        self.pend(touched);
        self.vault.write(&line_of(self, number, step))?;
        self.derive_touched(touched, &Plan::new("recover", &self.place.root, self.place.format));
        Ok(())
    }

    fn changed_since(&self, change: &Change) -> CommitError {
        let (file, what) = (self.path(&change.path), "others have changed the same lines since");
        CommitError::Moved { file, what, files: Files::Untouched }
    }

    /// Makes durable what was changed by a process that did not live to do it.
    fn make_durable(&self, touched: &[PathBuf]) -> Result<(), CommitError> {
        let disk = self.host.disk;
        for path in touched.iter().map(|path| self.path(path)) {
            let failed = |source| CommitError::io(&path, "made durable", source);
            // What is not there is gone, as it is to be, or a folder.
            if let Ok(mut file) = disk.append(&path) {
                file.sync().map_err(failed)?;
            }
            let there = path.ancestors().skip(1).find(|folder| disk.look(folder).is_ok());
            there.map_or(Ok(()), |folder| disk.sync_folder(folder)).map_err(failed)?;
        }
        Ok(())
    }

    /// A file's bytes; `None` where there is none. One that can't be read is there.
    pub(super) fn read(&self, relative: &Path) -> Result<Option<Vec<u8>>, CommitError> {
        let path = self.path(relative);
        match self.host.disk.read(&path, 0, None) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommitError::io(&path, "read", error)),
        }
    }

    /// The change as it fits the files as they are; `None` where it has nothing to do.
    fn fitted(&self, change: &Change, is_made: bool) -> Result<Option<Change>, CommitError> {
        let path = self.path(&change.path);
        let is_folder = matches!(change.act, Act::MakeFolder | Act::RemoveFolder);
        let read = if is_folder { None } else { self.read(&change.path)? };
        let moved = |what| CommitError::Moved { file: path.clone(), what, files: Files::Untouched };
        let bound = self.format.is_bound(&change.path);
        let own = match (&change.act, read) {
            (Act::Expire(_), _) => return Ok(None),
            (Act::Append(lines), _) if lines.is_empty() => return Ok(None),
            (Act::MakeFolder, _) => Change::make_folder(&change.path),
            (Act::RemoveFolder, _) if self.host.disk.look(&path).is_err() => return Ok(None),
            (Act::RemoveFolder, _) => Change::remove_folder(&change.path),
            (Act::Append(lines), Some(now)) => Change::append(&change.path, lines.clone(), Some(now.into())),
            (Act::Create(bytes) | Act::Append(bytes), None) => Change::create(&change.path, bytes.clone()),
            (Act::Create(bytes), Some(now)) if now == *bytes => return Ok(None),
            // Somebody made the file anew: what it had comes first.
            (Act::Create(bytes), Some(now)) if is_log(change) && !bound => {
                Change::edits(&change.path, now.into(), vec![(0..0, bytes.clone())])
            }
            (Act::Create(_), Some(_)) => return Err(moved("something else stands there")),
            (Act::Remove(_), None) if !is_made => return Ok(None),
            (Act::Remove(_) | Act::Splice(_), None) => return Err(moved("it is gone")),
            (Act::Remove(was), Some(now)) if now == **was => Change::remove(&change.path, now.into()),
            (Act::Remove(was), Some(now)) if is_log(change) && !bound => {
                let own = lines_at(&now, was).ok_or_else(|| moved("it changed since"))?;
                Change::edits(&change.path, now.into(), vec![(own, Vec::new())])
            }
            (Act::Remove(_), Some(_)) => return Err(moved("it changed since")),
            (Act::Splice(splices), Some(now)) => {
                if bound && !fits(splices, &now) {
                    return Err(moved("it was changed since"));
                }
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

/// What the journal says of a step that was found to be finished.
fn line_of(writer: &Writer<'_>, number: u64, step: &Step) -> JournalLine {
    let data = step.changes.iter().rev().chain(step.derived.iter().rev());
    let files = data.filter(|change| !change.is_empty()).map(|inverse| finished(writer, inverse)).collect();
    JournalLine {
        step: number,
        at: step.at.clone(),
        verb: step.verb.clone(),
        records: step.records,
        files,
        turn: step.turn,
        ids: Vec::new(),
        as_planned: false,
    }
}

/// A file as a finished step left it, from what would take the step back.
fn finished(writer: &Writer<'_>, inverse: &Change) -> FileLine {
    let item = writer.host.disk.look(&writer.path(&inverse.path)).ok();
    let after = item.filter(|item| item.kind == ItemKind::File).map_or(0, |item| item.generation.len);
    let (change, before) = match &inverse.act {
        Act::Create(bytes) | Act::Append(bytes) => ("remove", bytes.len() as u64),
        Act::Remove(_) | Act::RemoveFolder => ("create", 0),
        Act::MakeFolder | Act::Expire(_) => ("remove", 0),
        Act::Splice(splices) => {
            let gone: usize = splices.iter().map(|splice| splice.becomes.len()).sum();
            let come: usize = splices.iter().map(|splice| splice.was.len()).sum();
            ("rewrite", (after + gone as u64).saturating_sub(come as u64))
        }
    };
    FileLine {
        path: inverse.path.to_string_lossy().into_owned(),
        change: change.to_owned(),
        bytes_before: before,
        bytes_after: after,
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
    /// Whether a step of that number can be taken back: one in force, or one that took
    /// another back.
    pub fn has(&self, number: u64) -> bool {
        self.done.iter().any(|(step, by)| *step == number || *by == number)
            || self.undone.iter().any(|(_, by)| *by == number)
    }

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
    let journal = writer.vault.read_journal()?;
    let history = History::of(&journal);
    // A step that took another back is itself taken back by doing that one again.
    if let Some(&(step, by)) = history.undone.iter().find(|(_, by)| Some(*by) == wanted) {
        return Ok((turned(writer, "redo", step, by)?, Turn::Redo(step)));
    }
    let found = match wanted {
        None => history.done.last(),
        Some(number) => history.done.iter().find(|(step, by)| *step == number || *by == number),
    };
    let Some(&(step, by)) = found else {
        return Err(CommitError::NoStep(not_in_force(&writer.place.root, &journal, wanted)));
    };
    Ok((turned(writer, "undo", step, by)?, Turn::Undo(step)))
}

fn not_in_force(root: &Path, journal: &[JournalLine], wanted: Option<u64>) -> String {
    let root = root.display();
    let Some(number) = wanted else { return format!("There is nothing to undo in {root}.") };
    match journal.iter().find(|line| line.step == number).map(|line| line.turn) {
        None => format!("There is no step {number} in {root}."),
        Some(Some(Turn::Undo(step))) => format!(
            "Step {number} took step {step} back in {root}, and something new was done since: it can't be done again."
        ),
        Some(_) => format!("Step {number} was taken back already in {root}."),
    }
}

/// The plan that does the last step again that was taken back, or that one.
pub fn redo(writer: &Writer<'_>, wanted: Option<u64>) -> Result<(Plan, Turn), CommitError> {
    let history = History::of(&writer.vault.read_journal()?);
    let found = match wanted {
        None => history.undone.last(),
        Some(number) => history.undone.iter().find(|(step, _)| *step == number),
    };
    let Some(&(step, by)) = found else {
        let what = format!("There is nothing to redo in {}.", writer.place.root.display());
        return Err(CommitError::NoStep(what));
    };
    Ok((turned(writer, "redo", step, by)?, Turn::Redo(step)))
}

/// Refuses what another has turned since it was planned.
pub fn still_turns(writer: &Writer<'_>, turn: Turn) -> Result<(), CommitError> {
    let history = History::of(&writer.vault.read_journal()?);
    let (steps, step, what) = match turn {
        Turn::Undo(step) => (&history.done, step, "is not in force any more"),
        Turn::Redo(step) => (&history.undone, step, "can't be done again any more"),
    };
    match steps.iter().any(|(own, _)| *own == step) {
        true => Ok(()),
        false => {
            let root = writer.place.root.display();
            Err(CommitError::NoStep(format!("Step {step} {what} in {root}: another was quicker.")))
        }
    }
}

/// Refuses to turn a change of a file round that is bound to others, where it has not the
/// length that the step left it with.
fn stands_as_left(writer: &Writer<'_>, change: &Change, by: u64) -> Result<(), CommitError> {
    let has_bytes = matches!(change.act, Act::Splice(_) | Act::Remove(_));
    if !has_bytes || !writer.format.is_bound(&change.path) {
        return Ok(());
    }
    let journal = writer.vault.journal();
    let files = journal.iter().find(|line| line.step == by).map_or(&[][..], |line| &line.files);
    let left = files.iter().find(|file| *file.path == *change.path.to_string_lossy());
    let file = writer.path(&change.path);
    let len = writer.host.disk.look(&file).ok().map(|item| item.generation.len);
    match left.is_some_and(|left| len.is_some_and(|len| len != left.bytes_after)) {
        true => Err(CommitError::Moved {
            file,
            what: "it was changed since, and the store's files agree with each other",
            files: Files::Untouched,
        }),
        false => Ok(()),
    }
}

fn turned(writer: &Writer<'_>, verb: &'static str, step: u64, by: u64) -> Result<Plan, CommitError> {
    let erased = writer.vault.erased()?;
    let journal = writer.vault.journal();
    if journal.iter().any(|line| line.step == step && line.verb == "erase") {
        return Err(CommitError::NoStep(format!(
            "Step {step} erased records, which nothing takes back. `palimp undo N` takes back an earlier step."
        )));
    }
    let Some(own) = writer.vault.step(by)? else {
        let swept = if erased.is_empty() { "" } else { ", and unless it held what was erased" };
        return Err(CommitError::NoStep(format!(
            "What step {step} replaced is not kept any more: it is kept for 30 days, or up to 256 MB a store{swept}."
        )));
    };
    let mut plan = Plan::new(verb, &writer.place.root, writer.place.format);
    plan.records = own.records as usize;
    let named = journal.iter().find(|line| line.step == step).map_or(&own.verb, |line| &line.verb);
    let when = Moment::parse(&own.at).map_or(own.at.clone(), |(when, _)| when.to_minute());
    plan.lines
        .push(format!("{verb} step {step}: {named} of {}, {when}", plan::counted(own.records, "record")));
    let mut as_left = is_as_left(writer, by, &own);
    for change in own.changes.iter().filter(|change| !change.is_empty()) {
        stands_as_left(writer, change, by)?;
        let fitted = writer.fitted(change, false)?;
        // A folder that is gone already takes nothing with it that was derived.
        let stays_gone = fitted.is_none() && change.act == Act::RemoveFolder;
        as_left &= stays_gone
            || is_copy(writer, change)
            || fitted.as_ref().is_some_and(|now| is_same(&now.act, &change.act));
        plan.changes.extend(fitted);
    }
    // Where the step's own derived files are not known, they were worked out when it was done:
    // made anew from the disk, and the step does not say how.
    let is_planned = journal.iter().any(|line| line.step == by && line.as_planned);
    plan.derive_after = !as_left || (own.derived.is_empty() && !is_planned);
    for change in &own.derived {
        match writer.fitted(change, false) {
            Ok(Some(fitted)) if is_same(&fitted.act, &change.act) => plan.derived.push(fitted),
            _ => plan.derive_after = true,
        }
    }
    if plan.derive_after {
        plan.derived.clear();
    }
    writer.brings_nothing_erased(&plan, step, erased)?;
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
    let data = own.changes.iter().filter(|change| !change.is_empty());
    data.chain(&own.derived).filter(|change| !is_copy(writer, change)).all(|change| {
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
