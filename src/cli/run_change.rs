//! Shows a change as a verb does, and asks for it.

use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::change_report::{
    ChangeSummary, change_summary, print_erasure, print_plan, print_plans, report_change,
};
use super::failure::warn;
use super::{Context, Exit, Failure, ReadScope, Result, confirm_prompt, load_stores, say};
use crate::detectors::mask;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::{CommitReceipt, EntryRef, Moment, NotReached, PathText, Plan, Snapshot, Store};
use crate::ops::command::StorePlan;
use crate::store::referenced_files;
use crate::text::safe_text::sanitize;
use crate::usecase::{
    self, AddMemories, ChangeFailure, ChangeObserver, ChangeRequest, Command, ErasureReport, ExecuteOutcome,
    HeldLock, PlannedChange, PlannedErasure, RecentSteps, Requester, not_reached_lines,
};

/// A text that the user wrote.
#[derive(Clone, Copy)]
pub struct UserText<'w> {
    /// The text. It is kept if it can't be saved.
    pub text: &'w str,
    /// True if it was written in an editor, over the text of that time.
    pub in_editor: bool,
}

/// Makes the request for a change of records, or of stores as a whole.
pub fn request(context: &Context, snapshot: &Snapshot, command: Arc<dyn Command>) -> ChangeRequest {
    let snapshot = Arc::new(Snapshot::of(snapshot.stores.clone()));
    // Without a folder of palimp's own data, a change can still be shown.
    let data = load_stores::data_folder(context).unwrap_or_default();
    ChangeRequest::new(snapshot, Requester::Ids, command, data, context.now)
}

/// Plans a change, shows it, asks, and carries it out.
pub fn run_change(context: &mut Context, request: ChangeRequest, text: Option<UserText<'_>>) -> Result {
    let planned = plan(request)?;
    confirm_and_execute(context, planned, text)
}

pub fn plan(request: ChangeRequest) -> Result<PlannedChange, ChangeFailure> {
    let data = request.data.clone();
    let host = Host::here(&data, request.now);
    usecase::plan(request, host)
}

pub fn each_store(context: &mut Context, command: impl Command) -> Result {
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    run_change(context, request(context, &snapshot, Arc::new(command)), None)
}

/// Like [`run_change`], for chosen records, or for stores.
pub fn run_change_of(
    context: &mut Context,
    snapshot: &Snapshot,
    (at, by): (Vec<EntryRef>, Requester),
    command: Arc<dyn Command>,
) -> Result {
    let request = ChangeRequest { at, by, ..request(context, snapshot, command) };
    run_change(context, request, None)
}

/// Shows a plan, asks, and carries it out, one store after the other. If other programs changed something
/// meanwhile, this is shown, and asked about again. A text from an editor does not replace what they wrote.
pub fn confirm_and_execute(
    context: &mut Context,
    planned: PlannedChange,
    text: Option<UserText<'_>>,
) -> Result {
    let asked = planned.changing.len() + planned.skipped.iter().map(|own| own.which.len()).sum::<usize>();
    for own in &planned.skipped {
        warn(&format!("left out: {} of {}: {}", own.which.len(), usecase::memory_count(asked), own.reason));
    }
    let mut planned = planned;
    loop {
        let Some(was_asked) = consent(context, &planned)? else { return Ok(Exit::Done) };
        match carry_out(context, planned, was_asked, text)? {
            ControlFlow::Break(exit) => return Ok(exit),
            ControlFlow::Continue(again) => planned = *again,
        }
        let Some(difference) = &planned.concurrent else { continue };
        let is_gone = planned.request.command.is_of_memories() && planned.request.at.is_empty();
        if is_gone {
            let message = format!(
                "{}. Nothing was changed: none of the memories that were shown is there as it was. Run the command again to see what is there now.",
                difference.told()
            );
            return Err(Failure::refused(message));
        }
        if text.is_some_and(|own| own.in_editor) && !difference.is_none() {
            let message = format!("{}. Nothing was changed. (E_CONCURRENT_MOD)", difference.told());
            return Err(Failure::refused(message));
        }
    }
}

/// Returns whether the user was asked now, or agreed before. `None` if there is nothing to do, or it was only a dry run.
fn consent(context: &mut Context, planned: &PlannedChange) -> Result<Option<bool>> {
    if planned.is_empty() {
        print_plans(context, planned)?;
        say("there is nothing to change");
        return Ok(None);
    }
    let (yes, dry_run) = (context.options.yes, context.options.dry_run);
    if context.options.readonly && !dry_run {
        return Err(Failure::refused("--readonly: nothing was changed."));
    }
    for StorePlan { store, plan, .. } in planned.plans.iter().filter(|_| !yes || dry_run) {
        let store = &planned.request.snapshot.stores[*store];
        referenced_files::newly_missing(&RealDisk, store, plan, context.now)
            .iter()
            .for_each(|line| say(line));
    }
    if yes && !dry_run {
        return Ok(Some(false));
    }
    if !dry_run && can_ask() {
        return match agreed(planned, context.now)? {
            true => Ok(Some(true)),
            false => Err(Failure::refused("nothing was changed.")),
        };
    }
    if !context.options.json && planned.erasures.is_empty() {
        confirm_prompt::texts(planned).iter().try_for_each(|line| context.out.line(line))?;
    }
    print_plans(context, planned)?;
    if planned.names_random() {
        say("what is new gets a name with a random part: it is another one when this is done");
    }
    match dry_run {
        true => Ok(None),
        false => Err(Failure::refused("nothing was changed: use --yes to do it.")),
    }
}

fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks the user. True for a yes, or for the typed words that confirm an erasure.
fn agreed(planned: &PlannedChange, now: Moment) -> Result<bool> {
    let mut err = io::stderr();
    let question = std::iter::once(confirm_prompt::question(planned, now));
    for line in question.chain(confirm_prompt::rows(planned, now)).chain(lines(planned)) {
        writeln!(err, "{}", sanitize(&mask(&line)))?;
    }
    let [_, word, _] = planned.request.command.words();
    let typed = format!("{word} {}", planned.records());
    let is_erasure = !planned.erasures.is_empty();
    if let Some(own) = planned.erasures.first() {
        let copies = match own.keeps_memories {
            true => "It goes from undo data, drafts and backups too; the backups stay.",
            false => "Copies in undo data, drafts and backups are erased too.",
        };
        writeln!(err, "{copies} This can't be undone.")?;
        write!(err, "Type {typed} to go on: ")?;
    } else {
        let verb = planned.plans.first().map_or("", |own| confirm_prompt::last_word(&own.plan.verb));
        write!(err, "y to {verb}, anything else cancels: ")?;
    }
    err.flush()?;
    let answer = answer()?;
    Ok(if is_erasure { answer.trim() == typed } else { is_yes(&answer) })
}

fn answer() -> io::Result<String> {
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Asks about the lock of a holder that is alive, which stopped a change, after the user has seen the holder. True if the user agrees to break it. It asks only on a
/// terminal: `--yes` says yes to a plan, not to this.
pub fn may_break(lock: &HeldLock<'_>) -> bool {
    if !can_ask() {
        return false;
    }
    let mut err = io::stderr();
    let asked = writeln!(err, "{}", sanitize(&lock.message))
        .and_then(|()| write!(err, "Break the lock? An agent that is still working loses it. [y/N] "))
        .and_then(|()| err.flush());
    asked.and_then(|()| answer()).is_ok_and(|answer| is_yes(&answer))
}

/// Returns the lines before the question: all lines of the plans. If it is asked again, they say
/// what differs, and only that if records were chosen. Any other plan may do more by now.
fn lines(planned: &PlannedChange) -> Vec<String> {
    let plans = planned.all().flat_map(|(_, plan)| plan.preview_lines());
    let all = plans.chain(not_reached_lines(&planned.not_reached));
    let Some(difference) = &planned.concurrent else { return all.collect() };
    let head = difference.head();
    let moved = difference.changes.iter().map(|own| format!("  {}  {}", own.name, own.what));
    if !difference.is_none() && planned.request.command.is_of_memories() {
        return std::iter::once(format!("{head}; the rest is unchanged:")).chain(moved).collect();
    }
    let head = (!difference.is_none()).then(|| format!("{head}:"));
    let changed = "The plan is not as it was shown. This is what it would do now:".to_owned();
    head.into_iter().chain(moved).chain([changed]).chain(all).collect()
}

/// Returns how a change ended, or the change as it is planned again because other programs changed something.
fn carry_out(
    context: &mut Context,
    planned: PlannedChange,
    was_asked: bool,
    text: Option<UserText<'_>>,
) -> Result<ControlFlow<Exit, Box<PlannedChange>>> {
    let data = load_stores::data_folder(context)?;
    let host = Host::here(&data, context.now);
    let (of, not_reached) = (planned.request.clone(), planned.not_reached.clone());
    let (said, is_asked) = (change_summary(&planned), was_asked && can_ask());
    let mut printing = PrintingObserver { context, said, is_asked, exit: Exit::Done, failure: None };
    let done = usecase::execute(planned, host, &mut RecentSteps::default(), &mut printing, was_asked);
    let (exit, failure) = (printing.exit, printing.failure);
    match (done, failure) {
        (_, Some(failure)) => Err(failure),
        (Ok(ExecuteOutcome::Done(_)), _) => {
            if !was_asked && !context.options.json {
                not_reached_lines(&not_reached).iter().try_for_each(|line| context.out.line(line))?;
            }
            Ok(ControlFlow::Break(exit))
        }
        (Ok(ExecuteOutcome::Stale(again)), _) => Ok(ControlFlow::Continue(again)),
        (Err(failed), _) => Err(match text.filter(|own| !own.in_editor) {
            Some(own) => Failure::from(failed).with(&kept(&of, own.text.as_bytes())),
            None => failed.into(),
        }),
    }
}

/// Keeps what the user wrote, and says where, as a sentence.
fn kept(of: &ChangeRequest, text: &[u8]) -> String {
    let of_record = of.at.first().map(|at| of.snapshot.get(*at));
    let store = of.command.get::<AddMemories>().and_then(|add| of.snapshot.stores.get(add.store));
    let (store, entry) = match (of_record, store) {
        (Some((store, entry)), _) => (store, Some(entry)),
        (None, Some(store)) => (&**store, None),
        (None, None) => return String::new(),
    };
    usecase::keep_draft(&of.data, (store, entry), text, of.now)
}

struct PrintingObserver<'c> {
    context: &'c mut Context,
    /// What is done, with the title of one memory.
    said: ChangeSummary,
    /// True if the plan was shown on a terminal: it is not printed again.
    is_asked: bool,
    exit: Exit,
    failure: Option<Failure>,
}

impl PrintingObserver<'_> {
    fn keep(&mut self, outcome: Result<()>) -> bool {
        self.failure = outcome.err();
        self.failure.is_none()
    }
}

impl ChangeObserver for PrintingObserver<'_> {
    fn may_break(&mut self, lock: &HeldLock<'_>) -> bool {
        may_break(lock)
    }

    fn on_written(&mut self, store: &Store, plan: &Plan, receipt: Option<&CommitReceipt>) -> bool {
        let told = match receipt {
            Some(receipt) => report_change(self.context, store, receipt, (&self.said, self.is_asked)),
            None => print_plan(self.context, plan, None),
        };
        self.keep(told)
    }

    fn on_erased(&mut self, asked: &PlannedErasure, erased: &ErasureReport) -> bool {
        if erased.is_left() {
            self.exit = Exit::Failed;
        }
        let (root, count) = (asked.store.root.to_text(), usecase::memory_count(asked.targets.len()));
        self.context.changed.push(format!("  {root}: {count} erased; that can't be undone"));
        let printed = print_erasure(self.context, (asked, &NotReached::default()), Some(erased));
        if printed.is_ok() {
            let tell = if erased.is_left() { warn } else { say };
            erased.told(!self.context.options.json).iter().for_each(|line| tell(line));
        }
        self.keep(printed)
    }
}
