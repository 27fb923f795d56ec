//! Works on many items at once, with a few threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most threads, however many stores there are.
const THREADS: usize = 8;

/// The number of extra threads of all callers together.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// Returns how many threads work side by side at most: one per core, and not more than eight.
pub fn thread_limit() -> usize {
    static WIDTH: OnceLock<usize> = OnceLock::new();
    *WIDTH.get_or_init(|| thread::available_parallelism().map_or(THREADS, usize::from).min(THREADS))
}

/// Returns what `work` makes of each item, in their order. Works side by side.
pub fn map_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        Some((at, work(items.get(at)?)))
    };
    let run = || std::iter::from_fn(take).collect::<Vec<_>>();
    let mut made: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let free = ThreadPermit::take(items.len().saturating_sub(1));
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let threads: Vec<_> = (0..free.0).filter_map(start).collect();
        let own = run();
        let all = threads.into_iter().filter_map(|thread| thread.join().ok()).flatten();
        all.chain(own).for_each(|(at, result)| made[at] = Some(result));
    });
    // If a thread fails, this one does its work.
    made.into_iter().zip(items).map(|(made, item)| made.unwrap_or_else(|| work(item))).collect()
}

/// Permission to start threads. All callers share the limit, also calls inside other calls.
struct ThreadPermit(usize);

impl ThreadPermit {
    fn take(wanted: usize) -> ThreadPermit {
        let free = |started: usize| wanted.min((thread_limit() - 1).saturating_sub(started));
        let more = |started| Some(started + free(started));
        let (Ok(started) | Err(started)) = STARTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        ThreadPermit(free(started))
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        STARTED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_done_once_in_order_by_eight_threads_at_most() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<usize> = (0..500).collect();
        let doubled = map_parallel(&items, |item| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            item * 2
        });
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(most.into_inner() <= THREADS);
        assert!(map_parallel(&[] as &[u8], |item| *item).is_empty());
    }

    #[test]
    fn those_within_others_start_no_more_threads() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<usize> = (0..20).collect();
        let sums = map_parallel(&items, |outer| {
            let inner = map_parallel(&items, |item| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::yield_now();
                now.fetch_sub(1, Ordering::SeqCst);
                item + outer
            });
            inner.iter().sum::<usize>()
        });
        assert_eq!(sums, items.iter().map(|own| 190 + 20 * own).collect::<Vec<_>>());
        assert!(most.into_inner() <= THREADS);
    }
}
