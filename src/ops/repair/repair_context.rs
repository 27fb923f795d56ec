//! A store with what is needed to find the fixes of its problems.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::fix::{ByteEdit, FixAction, ProblemFix, is_repaired_by_line};
use super::line_damage::piece;
use crate::check::stale_files;
use crate::format::Format;
use crate::format::record_reader::Reading;
use crate::format::writing::FormatFix;
use crate::model::{Change, Code, Document, Problem, Record, Role, Store};
use crate::ops::erase::ErasedRecords;
use crate::ops::form::{EditForm, FormFinding};
use crate::ops::{WriteContext, may_change, own_operations};
use crate::store::erase::ErasureMatcher;
use crate::store::parallel;
use crate::store::steps::Deletions;
use crate::text::merge_conflict::MergeConflict;

/// New ids, by the file and the start of the record.
pub type NewIds = HashMap<(PathBuf, u64), String>;

pub struct FormCache {
    /// Its document and record.
    pub(super) of: (u32, u32),
    pub(super) form: EditForm,
    pub(super) findings: Vec<FormFinding>,
    /// The corrections of all findings.
    pub(super) whole: OnceCell<Option<FieldCorrections>>,
}

#[derive(Clone)]
pub struct FieldCorrections {
    pub(super) edits: Vec<ByteEdit>,
    pub(super) titles: Vec<String>,
}

/// An older copy of a file, or of some of its lines.
#[derive(Clone, Debug)]
pub struct FileCopy {
    /// The copied file, relative to the store's root.
    pub file: PathBuf,
    /// The source, in a few words. Untrusted text.
    pub from: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// True if it is a copy of the complete file.
    pub is_whole: bool,
}

/// The bytes of an intact memory, and their source.
pub type IntactCopy = (Vec<u8>, String);

/// A memory of a store, with its session: several sessions may use the same ids.
pub struct StoreRecord<'a> {
    pub document: &'a Document,
    pub record: &'a Record,
    pub session: Option<&'a str>,
}

/// The intact memories of a store, and of what is kept beside it, by id.
#[derive(Default)]
pub struct IntactCopies<'a> {
    pub here: HashMap<&'a str, Vec<StoreRecord<'a>>>,
    pub(super) kept: HashMap<(&'a Path, String), Vec<IntactCopy>>,
    /// The ids that tombstones name, each with the sessions of its tombstones.
    pub(super) deleted: HashMap<&'a str, HashSet<Option<&'a str>>>,
    /// The tombstones of each memory, by log and id.
    pub tombstones: HashMap<(&'a Path, &'a str), TombstoneLines>,
    /// The lines that deletions added to logs of tombstones, sorted, each with its log and its source.
    pub added: Vec<(&'a Path, &'a [u8], &'a str)>,
}

#[derive(Default)]
pub struct TombstoneLines {
    pub count: usize,
    /// The line of the first intact one.
    pub whole: Option<u32>,
}

impl IntactCopies<'_> {
    pub fn has(&self, id: &str) -> bool {
        self.here.contains_key(id) || self.deleted.contains_key(id)
    }

    /// True if a tombstone of its session, or of no session, names the id.
    pub fn is_deleted(&self, id: &str, session: Option<&str>) -> bool {
        let is_of = |own: &Option<&str>| own.is_none() || *own == session;
        self.deleted.get(id).is_some_and(|all| all.iter().any(is_of))
    }
}

pub struct SafeLineFix {
    pub(super) file: PathBuf,
    pub(super) lines: Range<usize>,
    /// The new lines and what leaves them; `None` if nothing is safe.
    pub(super) fix: Option<(Vec<u8>, RemovedBytes)>,
    /// True if intact memories are on these lines, before or after they are separated.
    pub(super) has_whole: bool,
    /// The starts of the records whose times get a time zone.
    pub(super) zoned: Vec<usize>,
}

pub struct LastReading {
    pub(super) role: Role,
    pub(super) path: PathBuf,
    pub(super) object: Vec<u8>,
    pub(super) read: Rc<Reading>,
}

/// An intact record that has no copy, and its place.
pub struct UnpairedRecord<'a> {
    pub(super) raw: Vec<u8>,
    pub(super) document: &'a Document,
    pub(super) record: &'a Record,
}

/// The bytes that leave some lines, each with its position.
pub type RemovedBytes = Vec<(usize, Vec<u8>)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairTarget {
    /// Everything that can be repaired without a loss.
    AllSafe,
    /// Every problem with a code, each by its first fix.
    Code(Code),
    /// Problems by their keys or by their numbers in the list, each with its fix.
    Chosen(Vec<(String, FixChoice)>),
}

/// The choice among the fixes of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixChoice {
    /// By number, from 1: the best first.
    Number(usize),
    /// By the title that was shown.
    Title(String),
    /// The one that moves these lines of the file, counted from 1.
    Lines(Vec<u32>),
}

/// Data beside a store that a fix may use, and what must not be restored.
#[derive(Default)]
pub struct RepairSources {
    /// Older copies of files.
    pub copies: Vec<FileCopy>,
    /// The lines of tombstones that deletions wrote, each with its source.
    pub tombstones: Vec<FileCopy>,
    pub erased: ErasedRecords,
    /// The deleted records.
    pub deleted: Deletions,
    /// The bytes of temporary files.
    pub temp_files: HashMap<PathBuf, Vec<u8>>,
}

/// A second thread starts only if there are more problems than this, a third if there are twice as many.
pub const FEW: usize = 256;

/// A store with everything that is needed to find the fixes of its problems.
pub struct RepairContext<'a> {
    pub(super) context: &'a WriteContext<'a>,
    pub(super) material: &'a RepairSources,
    pub(super) format: Option<&'static dyn Format>,
    /// The files that are rebuilt from the memories.
    pub(super) rebuilt_files: HashSet<PathBuf>,
    pub(super) caches: RepairCaches<'a>,
    pub(super) shared: Arc<RepairIndexes<'a>>,
}

/// What one thread has found out.
#[derive(Default)]
pub struct RepairCaches<'a> {
    files: RefCell<HashMap<PathBuf, Rc<FileFacts>>>,
    /// The form of the memory that was judged last, and its findings.
    pub(super) last_form: RefCell<Option<Rc<FormCache>>>,
    pub(super) last_reading: RefCell<Option<LastReading>>,
    /// The safe fix of the lines that were judged last.
    pub(super) last_line_fix: RefCell<Option<SafeLineFix>>,
    /// The new ids of memories that share an id, by the shared id.
    pub(super) new_ids: RefCell<HashMap<String, Rc<NewIds>>>,
    pub(super) erased: OnceCell<Option<ErasureMatcher<'a>>>,
}

/// What is found out of a file when it is first needed.
#[derive(Default)]
pub struct FileFacts {
    /// The names of the first members of its intact records.
    pub(super) names: OnceCell<HashSet<Vec<u8>>>,
    /// The records whose times have no time zone.
    pub(super) naive: OnceCell<HashSet<u32>>,
    pub(super) conflicts: OnceCell<Vec<MergeConflict>>,
    pub(super) records_by_id: OnceCell<HashMap<String, Vec<u32>>>,
}

/// What all threads share.
#[derive(Default)]
pub struct RepairIndexes<'a> {
    pub(super) others: OnceLock<IntactCopies<'a>>,
    /// The intact records that have no copy, if the format writes copies.
    pub(super) singles: OnceLock<Vec<UnpairedRecord<'a>>>,
}

impl<'a> RepairContext<'a> {
    /// Makes a context. `rebuilt` are the files that `reindex` would rebuild.
    pub fn of<'p>(
        context: &'a WriteContext<'a>,
        material: &'a RepairSources,
        rebuilt: impl IntoIterator<Item = &'p Path>,
    ) -> RepairContext<'a> {
        RepairContext {
            context,
            material,
            format: crate::format::by_name(context.store.format),
            rebuilt_files: rebuilt.into_iter().map(Path::to_owned).collect(),
            caches: RepairCaches::default(),
            shared: Arc::default(),
        }
    }

    /// Calls `work` for each problem, on all cores, and returns the results in the order of the
    /// problems. A thread takes neighbouring problems, because these read the same blocks.
    pub fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&RepairContext<'_>, &T) -> R + Sync,
    ) -> Vec<R> {
        // More threads cost more for few problems: each thread first reads what all problems need.
        let threads = items.len().div_ceil(FEW).clamp(1, parallel::thread_limit());
        let (context, material) = (self.context, self.material);
        let shared = &self.shared;
        let rebuilt: Vec<&Path> = self.rebuilt_files.iter().map(PathBuf::as_path).collect();
        let parts: Vec<&[T]> = items.chunks(items.len().div_ceil(threads).max(1)).collect();
        let made = parallel::map_parallel(&parts, |part| {
            let own = RepairContext {
                shared: Arc::clone(shared),
                ..RepairContext::of(context, material, rebuilt.iter().copied())
            };
            part.iter().map(|item| work(&own, item)).collect::<Vec<R>>()
        });
        made.into_iter().flatten().collect()
    }

    pub(crate) fn store(&self) -> &'a Store {
        self.context.store
    }

    /// A document of the same path that holds only a part of the file has the same facts.
    pub(super) fn facts(&self, document: &Document) -> Rc<FileFacts> {
        Rc::clone(self.caches.files.borrow_mut().entry(document.path.clone()).or_default())
    }

    /// Returns the fixes of a problem, the best first.
    pub fn fixes(&self, problem: &Problem) -> Vec<ProblemFix> {
        if may_change(self.store()).is_err() {
            return Vec::new();
        }
        let mut fixes: Vec<ProblemFix> = self.safe(problem).into_iter().collect();
        if matches!(problem.code, Code::LeftoverTemp | Code::SyncConflict) {
            fixes.extend(self.of_temp(problem));
        } else if problem.code == Code::ArchiveBroken {
            fixes.extend(self.of_packed(problem));
        } else if let Some(document) = self.document(problem) {
            fixes.extend(match is_repaired_by_line(document) {
                true => self.of_line(document, problem),
                false => self.of_document(document, problem),
            });
        }
        fixes.extend(self.of_format(problem).into_iter().filter(|own| !own.is_safe));
        fixes.sort_by_key(|own| (!own.is_safe, std::cmp::Reverse(own.confidence)));
        self.with_outcomes(problem, fixes)
    }

    /// Returns the fix of a problem that loses nothing.
    pub fn safe(&self, problem: &Problem) -> Option<ProblemFix> {
        may_change(self.store()).ok()?;
        let rebuilt: HashSet<&Path> =
            self.rebuilt_files.get(&problem.file).map(|own| &**own).into_iter().collect();
        if stale_files::is_repaired(problem, &rebuilt) {
            return Some(ProblemFix::rebuild());
        }
        let document = self.document(problem)?;
        let safe = match is_repaired_by_line(document) {
            true => self.safe_of_line(document, problem),
            false => self.safe_of_document(document, problem),
        };
        safe.or_else(|| self.of_format(problem).into_iter().find(|own| own.is_safe))
    }

    /// Returns the fixes that only the format has. What they remove goes to quarantine.
    fn of_format(&self, problem: &Problem) -> Vec<ProblemFix> {
        let all = own_operations(self.store())
            .fixes
            .map(|own| (own.fixes)(self.store(), problem))
            .unwrap_or_default();
        all.into_iter().filter_map(|own| self.of_one(problem, own)).collect()
    }

    /// Returns the fix of a problem that moves these lines of its file, if it has one.
    pub(super) fn with_lines(&self, problem: &Problem, lines: &[u32]) -> Option<ProblemFix> {
        let fixes = own_operations(self.store()).fixes?;
        self.of_one(problem, (fixes.with_lines)(self.store(), problem, lines)?)
    }

    fn of_one(&self, problem: &Problem, own: FormatFix) -> Option<ProblemFix> {
        let document = self.store().document_at(&own.file).filter(|own| own.is_held())?;
        let gone = own.edits.iter().filter(|(_, new)| new.is_empty());
        let pieces = gone.filter_map(|(range, _)| {
            let bytes = document.bytes.get(range.clone())?.to_vec();
            Some(piece(document, problem, range.start, bytes))
        });
        let pieces = pieces.collect();
        let mut fix =
            ProblemFix::edit(&own.title, own.confidence, own.reason, (&own.file, own.edits, pieces));
        if let (Some((path, bytes)), FixAction::Edits(_, _, out, new)) = (own.new_file, &mut fix.act) {
            out.clear();
            *new = Some(Change::create(path, bytes));
        }
        Some(if own.is_safe { fix.safe() } else { fix })
    }

    /// Returns the file of a problem, if all its bytes are held.
    pub(in crate::ops) fn document(&self, problem: &Problem) -> Option<&'a Document> {
        self.store().document_at(&problem.file).filter(|own| own.is_held())
    }
}
