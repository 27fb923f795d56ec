//! Tells when the files beneath some folders change.
//!
//! The system's own notices are used where they can be had. A folder that is not there,
//! or for which the system has no watch left, is looked at every two seconds instead.

use std::fs;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Changes that come so close to one another are told once.
const QUIET: Duration = Duration::from_millis(150);
/// A writer that never pauses is told of at least so often.
const PATIENCE: Duration = Duration::from_millis(450);
/// How often a folder without a watch is looked at.
const LOOK: Duration = Duration::from_secs(2);
/// A folder without a watch is looked at to this depth, and no further than so many items.
const DEPTH: usize = 8;
const ITEMS: usize = 20_000;
/// How many items are looked at when the system lost notices: reading a store of a hundred
/// thousand files fills its queue, and must not look like a change.
const ITEMS_AFTER_LOSS: usize = 1_000_000;

/// Watches folders until it is dropped.
pub struct FolderWatch {
    to_thread: Sender<ChangeNotice>,
}

enum ChangeNotice {
    Changed,
    /// Something came or went: a watched folder itself may be gone.
    Moved,
    /// The system could not keep up: something may have changed.
    Lost,
    Stop,
}

/// What came until it was quiet.
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

/// One folder, and how it is watched.
struct WatchedFolder {
    path: PathBuf,
    watched: bool,
    /// What a look at it found last, while it is not watched.
    stamp: u64,
    /// What it was when the system last lost notices.
    stamp_at_loss: Option<u64>,
}

impl FolderWatch {
    /// Calls `changed` after files beneath `roots` change. Never fails: see the module.
    pub fn start(roots: Vec<PathBuf>, changed: impl Fn() + Send + 'static) -> Self {
        let (to_thread, notices) = channel();
        let own = to_thread.clone();
        let watch = move || WatchThread::new(roots, own).run(&notices, &changed);
        // Without a thread nothing is watched; `R` still reads anew.
        let _ = thread::Builder::new().name("watch".into()).spawn(watch);
        FolderWatch { to_thread }
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        let _ = self.to_thread.send(ChangeNotice::Stop);
    }
}

/// The notices of the system. If its thread could not start or has ended, every call to it panics. Then this
/// is `None`, and folders are read at intervals instead.
struct SystemNotices {
    watcher: ManuallyDrop<RecommendedWatcher>,
    /// The thread holds this as long as it runs.
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

    /// Whether the folder is watched now.
    fn watch(&mut self, folder: &Path) -> bool {
        self.is_running() && self.watcher.watch(folder, RecursiveMode::Recursive).is_ok()
    }

    fn unwatch(&mut self, folder: &Path) {
        if self.is_running() {
            let _ = self.watcher.unwatch(folder);
        }
    }

    /// Tells the thread to end.
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
        let roots = roots
            .into_iter()
            .map(|path| WatchedFolder { path, watched: false, stamp: 0, stamp_at_loss: None })
            .collect();
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
                Err(RecvTimeoutError::Timeout) => {
                    if self.look() {
                        changed();
                    }
                }
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

    /// A folder that was removed and made anew is another folder to the system.
    fn drop_what_is_gone(&mut self) {
        for root in self.roots.iter_mut().filter(|root| root.watched && !root.path.exists()) {
            if let Some(own) = self.notices.as_mut() {
                own.unwatch(&root.path);
            }
            root.watched = false;
            root.stamp = stamp(&root.path, ITEMS);
        }
    }

    /// After notices were lost: whether something is not as it was at the last loss. The
    /// first time nothing is known, and that counts as a change.
    fn changed_since_loss(&mut self) -> bool {
        let mut changed = false;
        for root in &mut self.roots {
            let stamp = Some(stamp(&root.path, ITEMS_AFTER_LOSS));
            changed |= stamp != root.stamp_at_loss;
            root.stamp_at_loss = stamp;
        }
        changed
    }

    /// Looks at the folders without a watch; says whether one of them changed.
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

/// Waits until it is quiet; says what came until then, `None` to stop.
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

/// Being read, by this program above all, changes nothing.
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

/// A digest of names, lengths and times beneath a folder; links are not followed.
fn stamp(root: &Path, most: usize) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let mut folders = vec![(root.to_owned(), 0)];
    let mut items = 0;
    while let Some((folder, depth)) = folders.pop() {
        let Ok(list) = fs::read_dir(&folder) else { continue };
        for item in list.flatten().take(most - items) {
            items += 1;
            let Ok(data) = item.metadata() else { continue };
            mix(item.file_name().as_encoded_bytes());
            mix(&data.len().to_le_bytes());
            let modified = data.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            mix(&modified.unwrap_or_default().as_nanos().to_le_bytes());
            if data.is_dir() && depth < DEPTH {
                folders.push((item.path(), depth + 1));
            }
        }
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long enough for a loaded machine; nothing waits for it unless it fails.
    const DEADLINE: Duration = Duration::from_secs(60);

    fn watch(root: &Path) -> (FolderWatch, Receiver<()>) {
        let (tell, told) = channel();
        let watch = FolderWatch::start(vec![root.to_owned()], move || {
            let _ = tell.send(());
        });
        (watch, told)
    }

    /// Writes until the watch, which starts on a thread of its own, has told of it.
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
