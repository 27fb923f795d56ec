//! Six threads: one reads stores, one searches, one makes changes, one reads what single views show, one
//! judges what is typed into a form, one keeps it. Only the newest waiting search is done, and it stops the
//! running one. Only the newest waiting state of a form is judged or kept. Every change is done, in order.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::form_jobs::FormSaveOutcome;
use super::inspect::Inspect;
use super::job::{Job, JobResult, WorkerState, run_job};
use crate::query::CancelToken;
use crate::usecase::{ChangeRequest, failure_with_draft};

/// The threads, as the event loop uses them.
pub struct Workers {
    loads: Sender<Job>,
    searches: Sender<(Job, CancelToken)>,
    changes: Sender<Job>,
    looks: Sender<Job>,
    changing: JoinHandle<()>,
    forms: Sender<Job>,
    drafts: Sender<Job>,
    keeping: JoinHandle<()>,
    /// Held while a change is made.
    busy: Arc<Mutex<()>>,
    newest: CancelToken,
    /// When the user last used the keyboard or the mouse.
    acted: Arc<Mutex<Instant>>,
    deliver: Box<dyn Fn(JobResult) + Send>,
}

impl Workers {
    /// Starts the threads. They call `deliver` with the result of each job.
    /// Fails if the system gives no thread, for example because memory is short. Without threads nothing can be read
    /// or changed.
    pub fn start(deliver: impl Fn(JobResult) + Clone + Send + 'static) -> io::Result<Self> {
        let (busy, acted) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(Instant::now())));
        let (of_changes, of_user) = (Arc::clone(&busy), Arc::clone(&acted));
        let (loads, _) = thread("load", &deliver, move |jobs, deliver| load(jobs, &of_user, deliver))?;
        let (searches, _) = thread("search", &deliver, |jobs, deliver| search(jobs, deliver))?;
        let (looks, _) = thread("look", &deliver, |jobs, deliver| look(jobs, deliver))?;
        let (forms, _) = thread("judge", &deliver, |jobs, deliver| newest(jobs, deliver))?;
        let (drafts, keeping) = thread("draft", &deliver, |jobs, deliver| newest(jobs, deliver))?;
        let (changes, changing) =
            thread("change", &deliver, move |jobs, deliver| change(jobs, &of_changes, deliver))?;
        Ok(Workers {
            loads,
            searches,
            changes,
            looks,
            changing,
            forms,
            drafts,
            keeping,
            busy,
            newest: CancelToken::default(),
            acted,
            deliver: Box::new(deliver),
        })
    }

    /// Notes that the user did something. A check for problems waits for a pause.
    pub fn user_acted(&self) {
        *self.acted.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Stops the running search: a newer one comes.
    pub fn stop_search(&mut self) {
        self.newest = self.newest.next();
    }

    /// Gives a job to the thread that does its kind.
    pub fn give(&mut self, job: Job) {
        if matches!(job, Job::Search(_)) {
            self.stop_search();
        }
        let jobs = match &job {
            Job::Load { .. } | Job::Check { .. } => &self.loads,
            // An explanation belongs to the newest search, and is cancelled with it.
            Job::Search(_) | Job::Explain(..) => {
                return drop(self.searches.send((job, self.newest.clone())));
            }
            Job::SearchToMark(_) => return drop(self.searches.send((job, CancelToken::default()))),
            Job::Inspect(_) | Job::Export { .. } | Job::CountStatistics(..) | Job::CountDeleted { .. } => {
                &self.looks
            }
            Job::ValidateForm(..) | Job::FindDraft { .. } => &self.forms,
            Job::KeepDraft(_) | Job::KeepText(..) => &self.drafts,
            // All others write, or look at what a change would do.
            _ => &self.changes,
        };
        let Err(SendError(job)) = jobs.send(job) else { return };
        let why = "The system gives no thread to make changes. Nothing was changed.";
        let failed = |request: &ChangeRequest| failure_with_draft(request, why.into());
        (self.deliver)(match job {
            Job::Change(request) => JobResult::ChangeDone(Box::new(Err(failed(&request)))),
            Job::Commit(planned) => JobResult::ChangeDone(Box::new(Err(failed(&planned.request)))),
            Job::Plan(request) => JobResult::Planned(Box::new(Err(failed(&request)))),
            Job::PlanCleanUp(job) => JobResult::CleanUpPlanned(job.number, Box::new(Err(why.into()))),
            Job::SaveForm(..) | Job::SaveCopy(..) => {
                JobResult::FormSaved(Box::new(FormSaveOutcome::Failed(why.into())))
            }
            _ => return,
        });
    }

    /// Waits until no change is being made. No change begins while the caller keeps the result.
    pub fn hold_changes(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every requested change is made, and what was typed is kept.
    pub fn finish_changes(self) {
        drop((self.changes, self.drafts));
        for thread in [self.changing, self.keeping] {
            let _ = thread.join();
        }
    }
}

/// Starts a thread, and returns the sender of its jobs.
fn thread<J: Send + 'static, D: Fn(JobResult) + Clone + Send + 'static>(
    name: &str,
    deliver: &D,
    run: impl FnOnce(&Receiver<J>, &D) + Send + 'static,
) -> io::Result<(Sender<J>, JoinHandle<()>)> {
    let (sender, jobs) = channel();
    let deliver = deliver.clone();
    let thread = thread::Builder::new().name(name.into()).spawn(move || run(&jobs, &deliver))?;
    Ok((sender, thread))
}

/// After a job, what the user did not ask for waits this many times as long as the job took: an
/// agent that writes all the time costs a twentieth of a core.
const REST: u32 = 19;
/// The longest rest, and the longest wait of a check.
const LONGEST: Duration = Duration::from_secs(10);

/// A user who did nothing for this time is pausing.
const PAUSE: Duration = Duration::from_millis(400);

/// Reads and checks stores. Only the last waiting read is done. It replaces a waiting check.
fn load(jobs: &Receiver<Job>, acted: &Mutex<Instant>, deliver: &impl Fn(JobResult)) {
    let mut kept = WorkerState::default();
    let mut rested = Instant::now();
    let mut unchecked = PendingCheck::default();
    while let Ok(first) = jobs.recv() {
        unchecked.see(&first);
        let mut job = jobs.try_iter().fold(first, |first, next| unchecked.newer(first, next));
        while let wait = unchecked.patience(&job, rested, acted)
            && !wait.is_zero()
        {
            match jobs.recv_timeout(wait) {
                Ok(next) => job = unchecked.newer(job, next),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        if matches!(job, Job::Check { .. }) {
            unchecked = PendingCheck::default();
        }
        let begun = Instant::now();
        run_each([job], &mut kept, deliver);
        rested = Instant::now() + (begun.elapsed() * REST).min(LONGEST);
    }
}

/// The time of the first check that is not done yet, so that repeated reads can't replace checks forever.
#[derive(Default)]
struct PendingCheck(Option<Instant>);

impl PendingCheck {
    fn see(&mut self, job: &Job) {
        if matches!(job, Job::Check { .. }) {
            self.0.get_or_insert_with(Instant::now);
        }
    }

    fn newer(&mut self, first: Job, next: Job) -> Job {
        self.see(&next);
        match (&first, next) {
            (Job::Load { .. }, Job::Check { .. }) => first,
            (Job::Load { is_urgent: true, .. }, Job::Load { places, previous, data, changes, now, .. }) => {
                Job::Load { places, previous, data, is_urgent: true, changes, now }
            }
            (_, next) => next,
        }
    }

    /// Returns how long a job has to wait. The stores get a rest, and a check also waits for a pause of the
    /// user. The first check and those that replace it wait no longer than the limit together.
    fn patience(&self, job: &Job, rested: Instant, acted: &Mutex<Instant>) -> Duration {
        let now = Instant::now();
        let rest = rested.saturating_duration_since(now);
        match job {
            Job::Load { is_urgent: true, .. } => Duration::ZERO,
            Job::Check { .. } if self.0.is_some_and(|came| now >= came + LONGEST) => Duration::ZERO,
            Job::Check { .. } => {
                let acted = *acted.lock().unwrap_or_else(PoisonError::into_inner);
                rest.max((acted + PAUSE).saturating_duration_since(now))
            }
            _ => rest,
        }
    }
}

/// Reads what views show. Of several waiting problems, only the last is looked at, because the cursor has
/// moved on. Findings are searched for once, in the stores as they were read last. Deleted memories are counted when nothing else waits, because no view waits for their number.
fn look(jobs: &Receiver<Job>, deliver: &impl Fn(JobResult)) {
    let is_passing = |job: &Job| matches!(job, Job::Inspect(own) if matches!(own.what, Inspect::Fixes(..) | Inspect::Secrets));
    let mut kept = WorkerState::default();
    let mut counting: Option<Job> = None;
    while let Some(first) = jobs.try_recv().ok().or_else(|| counting.take()).or_else(|| jobs.recv().ok()) {
        let mut waiting: Vec<Job> = std::iter::once(first).chain(jobs.try_iter()).collect();
        let mut left = waiting.iter().filter(|job| is_passing(job)).count();
        waiting.retain(|job| {
            left -= usize::from(is_passing(job));
            !is_passing(job) || left == 0
        });
        if waiting.len() > 1 || counting.is_some() {
            let is_count = |job: &mut Job| matches!(job, Job::CountDeleted { .. });
            counting = waiting.extract_if(.., is_count).last().or(counting);
        }
        run_each(waiting, &mut kept, deliver);
    }
}

/// Does the newest waiting job of each form.
fn newest(jobs: &Receiver<Job>, deliver: &impl Fn(JobResult)) {
    let mut kept = WorkerState::default();
    while let Ok(first) = jobs.recv() {
        let mut waiting: Vec<Job> = std::iter::once(first).chain(jobs.try_iter()).collect();
        // A job that is not about a state of the text has no form, and is always done.
        let form = |job: &Job| match job {
            Job::ValidateForm(request, _) | Job::KeepDraft(request) => Some(request.form_number()),
            _ => None,
        };
        let forms: Vec<Option<u64>> = waiting.iter().map(form).collect();
        let mut at = 0;
        waiting.retain(|_| {
            at += 1;
            forms[at - 1].is_none() || !forms[at..].contains(&forms[at - 1])
        });
        run_each(waiting, &mut kept, deliver);
    }
}

fn run_each(jobs: impl IntoIterator<Item = Job>, kept: &mut WorkerState, deliver: &impl Fn(JobResult)) {
    jobs.into_iter().filter_map(|job| run_job(job, kept, &CancelToken::default())).for_each(deliver);
}

fn change(jobs: &Receiver<Job>, busy: &Mutex<()>, deliver: &impl Fn(JobResult)) {
    let mut kept = WorkerState::default();
    while let Ok(job) = jobs.recv() {
        let making = busy.lock().unwrap_or_else(PoisonError::into_inner);
        let done = run_job(job, &mut kept, &CancelToken::default());
        drop(making);
        done.into_iter().for_each(deliver);
    }
}

fn search(jobs: &Receiver<(Job, CancelToken)>, deliver: &impl Fn(JobResult)) {
    let mut kept = WorkerState::default();
    while let Ok(first) = jobs.recv() {
        let mut newest: [Option<(Job, CancelToken)>; 2] = [None, None];
        let mut every: Vec<(Job, CancelToken)> = Vec::new();
        for waiting in std::iter::once(first).chain(jobs.try_iter()) {
            match waiting.0 {
                Job::SearchToMark(_) => every.push(waiting),
                Job::Explain(..) => newest[1] = Some(waiting),
                _ => newest[0] = Some(waiting),
            }
        }
        for (job, cancel) in every.into_iter().chain(newest.into_iter().flatten()) {
            run_job(job, &mut kept, &cancel).into_iter().for_each(deliver);
        }
    }
}
