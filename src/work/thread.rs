//! Two threads: one reads stores, one searches. Of waiting searches only the newest is
//! done, and a running one stops when a newer one comes.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::job::{Done, Job, Kept, perform};
use crate::query::Cancel;

/// The threads, as the event loop sees them.
pub struct Workers {
    loads: Sender<Job>,
    searches: Sender<(Job, Cancel)>,
    newest: Cancel,
}

impl Workers {
    /// Starts them; `deliver` is called from them with what comes of each job.
    pub fn start(deliver: impl Fn(Done) + Clone + Send + 'static) -> Self {
        let (loads, to_load) = channel();
        let (searches, to_search) = channel();
        let hand_over = deliver.clone();
        // A system that gives no thread gives no results: the screens say "…" and stay usable.
        let _ = thread::Builder::new().name("load".into()).spawn(move || load(&to_load, &hand_over));
        let _ = thread::Builder::new().name("search".into()).spawn(move || search(&to_search, &deliver));
        Workers { loads, searches, newest: Cancel::default() }
    }

    /// Gives a job to the thread that does its kind.
    pub fn give(&mut self, job: Job) {
        if matches!(job, Job::Search(_)) {
            self.newest = self.newest.next();
        }
        let _ = match &job {
            Job::Load { .. } => self.loads.send(job).is_ok(),
            // An explanation belongs to the newest search, and is given up with it.
            Job::Search(_) | Job::Explain(..) => self.searches.send((job, self.newest.clone())).is_ok(),
        };
    }
}

/// Of several reads that wait, the last is enough.
fn load(jobs: &Receiver<Job>, deliver: &impl Fn(Done)) {
    while let Ok(mut job) = jobs.recv() {
        while let Ok(newer) = jobs.try_recv() {
            job = newer;
        }
        if let Some(done) = perform(job, &mut Kept::default(), &Cancel::default()) {
            deliver(done);
        }
    }
}

fn search(jobs: &Receiver<(Job, Cancel)>, deliver: &impl Fn(Done)) {
    let mut kept = Kept::default();
    while let Ok(first) = jobs.recv() {
        let mut newest: [Option<(Job, Cancel)>; 2] = [None, None];
        for waiting in std::iter::once(first).chain(jobs.try_iter()) {
            let slot = usize::from(matches!(waiting.0, Job::Explain(..)));
            newest[slot] = Some(waiting);
        }
        for (job, cancel) in newest.into_iter().flatten() {
            if let Some(done) = perform(job, &mut kept, &cancel) {
                deliver(done);
            }
        }
    }
}
