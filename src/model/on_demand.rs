//! Bytes of files that are not held: read when they are asked for, and held against what was read.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use foldhash::quality::RandomState;

use super::record::{Record, Span};

/// Reads ranges of a file.
pub trait Blocks: Send + Sync {
    /// The bytes of a range as they are now; `None` where they can't be read.
    fn read(&self, span: Span) -> Option<Vec<u8>>;
}

/// Where the bytes of a file's records are read from. What is given is what was read when the
/// records were, or nothing: the file may have changed since.
#[derive(Clone)]
pub struct OnDemand {
    blocks: Arc<dyn Blocks>,
    /// By record.
    digests: Arc<[u64]>,
    /// Whether something that was asked for was gone.
    has_changed: Arc<AtomicBool>,
    /// Whether not all of it was read in this state of the file.
    is_taken_over: Arc<AtomicBool>,
}

impl OnDemand {
    /// Reads from there what has those digests.
    pub fn new(blocks: Arc<dyn Blocks>, digests: Vec<u64>) -> OnDemand {
        let (has_changed, is_taken_over) = Default::default();
        OnDemand { blocks, digests: digests.into(), has_changed, is_taken_over }
    }

    /// The same, of a file that grew: what was read in an earlier state was taken over.
    pub fn taken_over(self) -> OnDemand {
        self.is_taken_over.store(true, Relaxed);
        self
    }

    /// Whether something was taken over from an earlier state, and was not looked at since.
    pub fn is_taken_over(&self) -> bool {
        self.is_taken_over.load(Relaxed)
    }

    /// All of it was looked at: it is as it was, or not.
    pub fn looked_at(&self, is_as_it_was: bool) {
        self.is_taken_over.store(false, Relaxed);
        self.has_changed.store(!is_as_it_was, Relaxed);
    }

    /// By record, what tells its bytes from others.
    pub fn digests(&self) -> Arc<[u64]> {
        Arc::clone(&self.digests)
    }

    /// Whether something that was asked for was gone: what was found and shown is not all.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Relaxed)
    }

    /// The bytes of a record.
    pub fn record(&self, record: u32, span: Span) -> Option<Vec<u8>> {
        self.around(record, span, span)
    }

    /// The bytes of a range around a record.
    pub fn around(&self, record: u32, own: Span, span: Span) -> Option<Vec<u8>> {
        let bytes = self.within(record, own, span);
        if bytes.is_none() {
            self.has_changed.store(true, Relaxed);
        }
        bytes
    }

    fn within(&self, record: u32, own: Span, span: Span) -> Option<Vec<u8>> {
        let bytes = self.blocks.read(span)?;
        let within = own.start.checked_sub(span.start)? as usize..own.end.checked_sub(span.start)? as usize;
        let is_it = self.digests.get(record as usize) == Some(&digest(bytes.get(within)?));
        is_it.then_some(bytes)
    }
}

/// The digests of records within `bytes`, which start at `offset` of their file.
pub fn digests<'a>(bytes: &'a [u8], offset: u64, records: &'a [Record]) -> impl Iterator<Item = u64> + 'a {
    let at = move |place: u64| place.saturating_sub(offset) as usize;
    records.iter().map(move |own| digest(bytes.get(at(own.span.start)..at(own.span.end)).unwrap_or_default()))
}

/// What tells a record's bytes from others in this process; another has other digests, so that nobody
/// can make two records that share one.
pub fn digest(bytes: &[u8]) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}
