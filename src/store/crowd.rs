//! Many stores at once, by a few threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// So many threads at most, whatever the number of stores.
const THREADS: usize = 8;

/// What `work` makes of each, in their order, done side by side.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut own = Vec::new();
        while let Some((at, item)) = one(items, &next) {
            own.push((at, work(item)));
        }
        own
    };
    let mut made: Vec<Option<R>> = items.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let others = 1..items.len().min(THREADS);
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let threads: Vec<_> = others.filter_map(start).collect();
        let own = run();
        let all = threads.into_iter().filter_map(|thread| thread.join().ok()).flatten();
        all.chain(own).for_each(|(at, result)| made[at] = Some(result));
    });
    // A thread that could not do it leaves the work to this one.
    made.into_iter().zip(items).map(|(made, item)| made.unwrap_or_else(|| work(item))).collect()
}

fn one<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, items.get(at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_done_once_in_order_by_eight_threads_at_most() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<usize> = (0..500).collect();
        let doubled = each(&items, |item| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            item * 2
        });
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(most.into_inner() <= THREADS);
        assert!(each(&[] as &[u8], |item| *item).is_empty());
    }
}
