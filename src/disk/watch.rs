//! Reports when files below some folders change, by the system's notices if possible. A folder that
//! is missing or that the system can't watch is checked every two seconds instead.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Changes that are closer together are reported once.
const QUIET: Duration = Duration::from_millis(150);
/// A writer that never pauses is reported this often.
const PATIENCE: Duration = Duration::from_millis(450);
/// How often a folder without a watch is checked.
const LOOK: Duration = Duration::from_secs(2);
/// The most levels and items of a folder without a watch that are checked.
const DEPTH: usize = 8;
const ITEMS: usize = 20_000;
/// The most items checked after lost notices. Reading 100,000 files causes a loss, but is no change.
const ITEMS_AFTER_LOSS: usize = 1_000_000;

/// Watches folders until it is dropped.
pub struct FolderWatch {
    to_thread: Sender<ChangeNotice>,
}

enum ChangeNotice {
    Changed,
    /// An item came or went, so a watched folder may be gone.
    Moved,
    /// The system lost notices, so something may have changed.
    Lost,
    Stop,
}

#[derive(Clone, Copy, Default)]
struct NoticeBatch {
    changed: bool,
    moved: bool,
}

impl NoticeBatch {
    fn with(self, notice: &ChangeNotice) -> NoticeBatch {
        NoticeBatch {
            changed: self.changed || matches!(notice, ChangeNotice::Changed | ChangeNotice::Moved),
            moved: self.moved || matches!(notice, ChangeNotice::Moved),
        }
    }
}

struct WatchedFolder {
    path: PathBuf,
    watched: bool,
    /// The digest of the last check, while it is not watched.
    stamp: u64,
    /// The digest when the system last lost notices.
    stamp_at_loss: Option<u64>,
}

impl FolderWatch {
    /// Calls `changed` once when it watches, since files may have changed before, and after files below `roots` change.
    /// Fails only if no thread can be started.
    pub fn start(roots: Vec<PathBuf>, changed: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (to_thread, notices) = channel();
        let own = to_thread.clone();
        let watch = move || {
            let watching = WatchThread::new(roots, own);
            changed();
            watching.run(&notices, &changed);
        };
        thread::Builder::new().name("watch".into()).spawn(watch)?;
        Ok(FolderWatch { to_thread })
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        let _ = self.to_thread.send(ChangeNotice::Stop);
    }
}

/// The system's notices. Every call to them panics if their thread could not start or has ended.
/// palimp then makes none, and checks folders at intervals.
struct SystemNotices {
    watcher: ManuallyDrop<RecommendedWatcher>,
    /// The thread holds this while it runs.
    thread: Weak<()>,
}

impl SystemNotices {
    fn start(sender: Sender<ChangeNotice>) -> Option<Self> {
        let running = Arc::new(());
        let thread = Arc::downgrade(&running);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let _running = &running;
            if let Some(notice) = event.map_or(Some(ChangeNotice::Moved), |event| notice_of(&event)) {
                let _ = sender.send(notice);
            }
        });
        let own = SystemNotices { watcher: ManuallyDrop::new(watcher.ok()?), thread };
        own.is_running().then_some(own)
    }

    fn is_running(&self) -> bool {
        self.thread.strong_count() > 0
    }

    fn watch(&mut self, folder: &Path) -> bool {
        self.is_running() && self.watcher.watch(folder, RecursiveMode::Recursive).is_ok()
    }

    fn unwatch(&mut self, folder: &Path) {
        if self.is_running() {
            let _ = self.watcher.unwatch(folder);
        }
    }

    fn end(self) {
        if self.is_running() {
            drop(ManuallyDrop::into_inner(self.watcher));
        }
    }
}

struct WatchThread {
    notices: Option<SystemNotices>,
    roots: Vec<WatchedFolder>,
}

impl Drop for WatchThread {
    fn drop(&mut self) {
        self.notices.take().into_iter().for_each(SystemNotices::end);
    }
}

impl WatchThread {
    fn new(roots: Vec<PathBuf>, sender: Sender<ChangeNotice>) -> Self {
        let folder = |path| WatchedFolder { path, watched: false, stamp: 0, stamp_at_loss: None };
        let roots = roots.into_iter().map(folder).collect();
        let mut watching = WatchThread { notices: SystemNotices::start(sender), roots };
        watching.watch_what_is_there();
        watching
    }

    fn run(mut self, notices: &Receiver<ChangeNotice>, changed: &impl Fn()) {
        loop {
            match self.next(notices) {
                Ok(ChangeNotice::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(first) => {
                    let Some(settled) = settle(notices, NoticeBatch::default().with(&first)) else { return };
                    if settled.moved {
                        self.drop_what_is_gone();
                    }
                    if settled.changed || self.changed_since_loss() {
                        changed();
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.look() => changed(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn next(&self, notices: &Receiver<ChangeNotice>) -> Result<ChangeNotice, RecvTimeoutError> {
        if self.roots.iter().all(|root| root.watched) {
            return notices.recv().map_err(|_| RecvTimeoutError::Disconnected);
        }
        notices.recv_timeout(LOOK)
    }

    fn watch_what_is_there(&mut self) {
        for root in self.roots.iter_mut().filter(|root| !root.watched) {
            let notices = self.notices.as_mut().filter(|_| root.path.exists());
            root.watched = notices.is_some_and(|own| own.watch(&root.path));
            if !root.watched {
                root.stamp = stamp(&root.path, ITEMS);
            }
        }
    }

    /// A folder that was removed and made again is another folder to the system.
    fn drop_what_is_gone(&mut self) {
        for root in self.roots.iter_mut().filter(|root| root.watched && !root.path.exists()) {
            if let Some(own) = self.notices.as_mut() {
                own.unwatch(&root.path);
            }
            root.watched = false;
            root.stamp = stamp(&root.path, ITEMS);
        }
    }

    /// Returns true if something changed since the last lost notices. Unknown the first time, so true.
    fn changed_since_loss(&mut self) -> bool {
        let mut changed = false;
        for root in &mut self.roots {
            let stamp = Some(stamp(&root.path, ITEMS_AFTER_LOSS));
            changed |= stamp != root.stamp_at_loss;
            root.stamp_at_loss = stamp;
        }
        changed
    }

    /// Checks the folders without a watch. Returns true if one changed.
    fn look(&mut self) -> bool {
        let mut changed = false;
        for root in self.roots.iter_mut().filter(|root| !root.watched) {
            let stamp = stamp(&root.path, ITEMS);
            changed |= stamp != root.stamp;
            root.stamp = stamp;
        }
        if changed {
            self.watch_what_is_there();
        }
        changed
    }
}

/// Waits for a pause. Returns the notices until then, or `None` to stop.
fn settle(notices: &Receiver<ChangeNotice>, mut settled: NoticeBatch) -> Option<NoticeBatch> {
    let end = Instant::now() + PATIENCE;
    loop {
        let left = end.saturating_duration_since(Instant::now()).min(QUIET);
        match notices.recv_timeout(left) {
            Ok(ChangeNotice::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
            Ok(notice) => settled = settled.with(&notice),
            Err(RecvTimeoutError::Timeout) => return Some(settled),
        }
        if Instant::now() >= end {
            return Some(settled);
        }
    }
}

/// Reads are no change. palimp itself makes most of them.
fn notice_of(event: &Event) -> Option<ChangeNotice> {
    match event.kind {
        _ if event.need_rescan() => Some(ChangeNotice::Lost),
        EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Modify(_) => {
            Some(ChangeNotice::Changed)
        }
        EventKind::Access(_) => None,
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => {
            Some(ChangeNotice::Moved)
        }
    }
}

/// Returns a digest of names, lengths and times below a folder. Does not follow links.
fn stamp(root: &Path, most: usize) -> u64 {
    let mut digest = DefaultHasher::new();
    let mut folders = vec![(root.to_owned(), 0)];
    let mut items = 0;
    while let Some((folder, depth)) = folders.pop() {
        let Ok(list) = fs::read_dir(&folder) else { continue };
        for item in list.flatten().take(most - items) {
            items += 1;
            let Ok(data) = item.metadata() else { continue };
            (item.file_name(), data.len(), data.modified().ok()).hash(&mut digest);
            if data.is_dir() && depth < DEPTH {
                folders.push((item.path(), depth + 1));
            }
        }
    }
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long enough for a loaded machine. Only a failing test waits for it.
    const DEADLINE: Duration = Duration::from_secs(60);

    fn watch(root: &Path) -> (FolderWatch, Receiver<()>) {
        let (tell, told) = channel();
        let watch = FolderWatch::start(vec![root.to_owned()], move || {
            let _ = tell.send(());
        });
        told.recv_timeout(DEADLINE).expect("the notice that it watches");
        (watch.unwrap(), told)
    }

    /// Acts until the watch, which starts on a thread of its own, reports a change.
    fn until_told(told: &Receiver<()>, mut act: impl FnMut(usize)) {
        let end = Instant::now() + DEADLINE;
        for round in 0.. {
            act(round);
            if told.recv_timeout(Duration::from_millis(700)).is_ok() {
                return;
            }
            assert!(Instant::now() < end, "no change was told");
        }
    }

    #[test]
    fn lost_notices_are_a_change_once_and_then_only_if_something_changed() {
        let folder = crate::folder::new();
        let lost = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        assert!(matches!(notice_of(&lost), Some(ChangeNotice::Lost)));
        let mut watching = WatchThread::new(vec![folder.path().to_owned()], channel().0);
        let seen = [watching.changed_since_loss(), watching.changed_since_loss()];
        fs::write(folder.path().join("new"), "x").unwrap();
        assert_eq!((seen, watching.changed_since_loss()), ([true, false], true));
    }

    #[test]
    fn a_file_that_grows_in_a_folder_below_is_told() {
        let folder = crate::folder::new();
        let below = folder.path().join("sessions/one");
        fs::create_dir_all(&below).unwrap();
        let (_watch, told) = watch(folder.path());
        until_told(&told, |round| fs::write(below.join("memory.jsonl"), "x".repeat(round + 1)).unwrap());
    }

    #[test]
    fn a_folder_that_comes_back_after_it_was_removed_is_watched_again() {
        let folder = crate::folder::new();
        let root = folder.path().join("memory");
        fs::create_dir_all(&root).unwrap();
        let (_watch, told) = watch(&root);
        until_told(&told, |round| fs::write(root.join("a"), "x".repeat(round + 1)).unwrap());
        fs::remove_dir_all(&root).unwrap();
        until_told(&told, |_| {});
        until_told(&told, |round| {
            fs::create_dir_all(&root).unwrap();
            fs::write(root.join("b"), "x".repeat(round + 1)).unwrap();
        });
    }

    #[test]
    fn reading_is_no_change() {
        assert!(notice_of(&Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any)))).is_none());
        assert!(notice_of(&Event::new(EventKind::Access(AccessKind::Close(AccessMode::Read)))).is_none());
        assert!(notice_of(&Event::new(EventKind::Access(AccessKind::Close(AccessMode::Write)))).is_some());
    }
}
