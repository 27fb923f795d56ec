//! Erasing: records, every copy of them, and then the search of every byte.
//!
//! An entry without content says "erasing" before anything is changed and is gone when the
//! search is over. Whatever cuts this short, the next start finishes it: what is erased is
//! known by its id, and what it said is taken from the versions that are still there. No step
//! keeps what an erasure takes out, so nothing undoes it.

mod back;
mod history;
mod looked;
mod olds;
mod search;
mod since;
mod torn;
mod vaulted;
mod versions;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use history::History;
pub use looked::Doubt;
pub use search::Searched;
use serde::Serialize;
pub use vaulted::{ErasedLine, Erasing, copies as kept_copies};
pub use versions::versions;

use super::{CommitError, Files, JournalLine, Vault, Writer, carry, file_line};
use crate::disk::Disk;
use crate::format::Placement;
use crate::format::writing::{NO_PACKED, Refusal, Scene};
use crate::model::{Document, Plan, Role, Store, Tell};
use crate::store::beside;
use crate::store::erase::{Contents, LARGEST, Outside, Site, Sought, Target, Wanted, is_log};
use crate::store::packed::{Packing, inside};
use crate::text::needle::Needles;
use crate::text::unpack::{gunzip, untar};

/// So often files are gone through again because others wrote meanwhile.
const ROUNDS: usize = 4;

/// What an erasure came to.
#[derive(Clone, Debug, Serialize)]
pub struct Erased {
    /// The step's number.
    pub step: u64,
    /// When it began.
    pub at: String,
    /// `erased`, or `left` where something was found.
    pub state: &'static str,
    /// Why, as a code.
    pub reason: String,
    /// What was erased.
    pub records: Vec<Target>,
    /// What was searched, and what was found.
    pub searched: Vec<Searched>,
    /// Where something is left, and why.
    pub left: Vec<String>,
    /// Other records that hold the same text, and stay.
    pub alike: Vec<String>,
    /// Where something went with the torn record before it, as it may have been a part of that.
    pub with_torn: Vec<String>,
    /// Values that were too short to be searched for.
    pub too_short: usize,
    /// Values that other records have as well.
    pub also_elsewhere: usize,
    /// Whether it had been cut short: what was gone by then could not be searched for.
    pub resumed: bool,
    /// What no program can promise.
    pub cannot_reach: Vec<String>,
    /// Which commits still hold it, where the store is in a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<History>,
    /// How far it came.
    #[serde(skip)]
    pub receipt: PathBuf,
}

/// The files that a store as it was read has no bytes of, and that may hold records. What
/// they and our own data say of what is erased is taken in.
///
/// # Errors
///
/// If our own data can't be read: nobody knows what it says.
pub fn gather(
    disk: &dyn Disk,
    store: &Store,
    vault: &Vault<'_>,
    wanted: &Wanted<'_>,
    contents: &mut Contents,
) -> Result<Vec<Outside>, CommitError> {
    let known: HashMap<&Path, &Arc<Document>> = store.documents.iter().map(|own| (&*own.path, own)).collect();
    for own in &store.documents {
        contents.see_document(wanted, own);
    }
    let mut outside = Vec::new();
    search::each_file(disk, &store.root, 0, &mut |path, _| {
        let Ok(relative) = path.strip_prefix(&store.root) else { return };
        let is_read = known.get(relative).is_some_and(|own| !is_unread(own.role));
        let packing = Packing::of(relative);
        let placed = wanted.format.place(relative, false) == Placement::File(Role::Backup);
        if packing.is_none() && (is_read || !is_log(relative) && !placed) {
            return;
        }
        let Ok((bytes, _)) = disk.read(path, 0, None) else { return };
        each_within(relative, &bytes, &mut |path, bytes| {
            contents.see(wanted, path, bytes);
        });
        if !path.file_name().is_some_and(super::is_ours) {
            outside.push(Outside { path: relative.to_owned(), bytes, is_loose: false });
        }
    });
    vault.each_kept(&mut |path, own, bytes| match vaulted::is_step(path) && !is_log(own) {
        // A few lines of a document are no record: another that has them is no copy of it.
        true => contents.see_lines(wanted, own, bytes),
        false => drop(contents.see(wanted, own, bytes)),
    })?;
    Ok(outside)
}

fn is_unread(role: Role) -> bool {
    matches!(role, Role::Backup | Role::Temp | Role::Lock | Role::Other)
}

/// What a file of those bytes says, by path: itself, what it is compressed from, or each file in it.
fn each_within(path: &Path, bytes: &[u8], see: &mut dyn FnMut(&Path, &[u8])) {
    match Packing::of(path) {
        None => see(path, bytes),
        Some(Packing::Gzip) => see(path, &gunzip(bytes, LARGEST).content),
        Some(Packing::TarGzip) => {
            for member in untar(bytes, LARGEST).content {
                see(&inside(path).join(member.path), &member.bytes);
            }
        }
    }
}

impl Writer<'_> {
    /// Erases, by the plan that was shown. Where it returns an error, its [`Files`] say what
    /// became of the files; what began is finished by the next start.
    ///
    /// # Errors
    ///
    /// If another holds the lock, a file is not as it was shown, or the system refuses a call.
    pub fn erase(&self, plan: &Plan, targets: &[Target], reason: &str) -> Result<Erased, CommitError> {
        // A list that can't be added to now would be found only when the data is gone.
        self.vault.erased()?;
        self.none_is_pending()?;
        let entry = Erasing {
            step: self.vault.next_step()?,
            process: self.own_process(),
            at: self.host.now.to_rfc3339(),
            reason: reason.to_owned(),
            records: targets.to_vec(),
            files: plan.all().filter(|change| !change.is_empty()).map(file_line).collect(),
            with_torn: plan.with_torn.clone(),
        };
        let store = self.load();
        let wanted = Wanted::of(self.format, &store, &entry.records, self.host.now);
        let mut contents = Contents::default();
        gather(self.host.disk, &store, &self.vault, &wanted, &mut contents)?;
        let through = self.gone_through(&store)?;
        self.vault.begin_erasing(&entry)?;
        if let Err((error, began)) = self.carry_bare(plan) {
            if !began {
                self.drop_adding();
                // An entry that stays is carried out by the next start.
                let is_over = self.vault.end_erasing().is_ok();
                return Err(error.with(if is_over { Files::Untouched } else { Files::Erasing }));
            }
            return Err(error.with(Files::Erasing));
        }
        self.finish(&entry, &wanted, contents, Some(&through)).map_err(|error| error.with(Files::Erasing))
    }

    /// Refuses another erasure while one is not over: there is one entry, and what it names would
    /// be forgotten.
    fn none_is_pending(&self) -> Result<(), CommitError> {
        let Some(Erasing { step, .. }) = self.vault.erasing()? else { return Ok(()) };
        let message = format!(
            "step {step}, an erasure, was cut short and is not over: another one would forget what it still has to \
             erase. Every change of this store goes on with it: free what is in its way (a lock that is held, a \
             file that can't be read or written), and erase again."
        );
        Err(CommitError::Refused(Refusal::new("E_CONCURRENT_MOD", message)))
    }

    /// Finishes an erasure that was cut short. What it can't finish waits for the next start.
    pub(super) fn finish_erasing(&self) -> Result<(), CommitError> {
        let Some(entry) = self.vault.erasing()? else { return Ok(()) };
        let wanted = Wanted::of(self.format, self.store, &entry.records, self.host.now);
        let _ = self.cut_torn().and_then(|()| self.finish(&entry, &wanted, Contents::default(), None));
        Ok(())
    }

    /// Carries a plan out that nothing takes back: tombstones first, durably.
    fn carry_bare(&self, plan: &Plan) -> Result<(), (CommitError, bool)> {
        let is_tombstone = |path: &Path| self.format.place(path, false) == Placement::File(Role::Tombstones);
        let bare = || Plan { exact: plan.exact, ..Plan::unseen("erase", &plan.root, plan.format) };
        let (first, then) = plan.changes.iter().cloned().partition(|change| is_tombstone(&change.path));
        let parts = [
            Plan { changes: first, ..bare() },
            Plan { changes: then, derived: plan.derived.clone(), ..bare() },
        ];
        let mut began = false;
        self.keep_adding(plan).map_err(|error| (error, began))?;
        for part in parts {
            let mut carried = carry::Carried::default();
            let outcome = carry::carry_out(self, &part, &mut carried, None);
            began |= carried.began;
            outcome.map_err(|error| (error, began))?;
            if carried.derive {
                self.derive(&carried.touched, &part);
            }
        }
        self.drop_adding();
        Ok(())
    }

    fn finish(
        &self,
        entry: &Erasing,
        wanted: &Wanted<'_>,
        mut contents: Contents,
        through: Option<&looked::Through>,
    ) -> Result<Erased, CommitError> {
        let mut sought = None;
        let mut with_torn: BTreeSet<String> = entry.with_torn.iter().cloned().collect();
        let mut before = looked::Identities::new();
        for _ in 0..ROUNDS {
            self.drop_olds(wanted, &mut contents)?;
            let store = self.load();
            before = self.identities(&store)?;
            let scene = Scene {
                store: &store,
                now: self.host.now,
                random: self.host.machine.random(),
                packed: &NO_PACKED,
            };
            let outside = gather(self.host.disk, &store, &self.vault, wanted, &mut contents)?;
            let copies = vaulted::copies(&self.vault)?;
            let (outside, copies) = (&outside[..], &copies[..]);
            let site =
                Site { scene: &scene, wanted, contents: &contents, outside, copies, reason: &entry.reason };
            let removal = site.removal().map_err(|why| self.refused(&why))?;
            let is_done = removal.plan.is_empty();
            with_torn.extend(removal.plan.with_torn.iter().cloned());
            sought = Some(removal.sought);
            if is_done {
                break;
            }
            self.carry_bare(&removal.plan).map_err(|(error, _)| error)?;
        }
        let Some(sought) = sought else {
            return Err(self.refused(&Refusal::unfit("nothing was searched.")));
        };
        self.vault.list_erased(entry)?;
        self.vault.sweep(wanted, &sought, &entry.reason)?;
        // Where it was cut short, copies may have been written anew by then.
        self.note_through(through.unwrap_or(&looked::Through::new()), &before, entry.step)?;
        let mut searched = vec![
            search::search(self.host.disk, &self.place.root, &sought.needles),
            search::search(self.host.disk, &self.vault.path(""), &sought.needles),
        ];
        let olds = beside::own(self.host.disk, &self.place.root, self.format)
            .map_err(|error| CommitError::unread(&self.place.root, error))?;
        let around = self.store.beside.iter().map(|(path, _)| self.path_beside(path));
        let around = around.chain(olds.iter().map(|own| self.path(own)));
        let folder = self.place.root.parent().unwrap_or(&self.place.root);
        searched.extend(search::search_beside(self.host.disk, folder, around, &sought.needles));
        if searched.iter().any(|own| own.has_ours) {
            let why = "an old file of palimp's own in it holds it still, or can't be searched, and could not be removed.";
            return Err(self.refused(&Refusal::unfit(why)));
        }
        let named = self.still_named(entry, &contents);
        self.conclude(entry, sought, (searched, with_torn, named), through.is_none())
    }

    /// Where names of records are that repeat what they said, tombstones and our own data included:
    /// those stay, and it is no secret that they do.
    fn still_named(&self, entry: &Erasing, contents: &Contents) -> BTreeSet<String> {
        let stem = |own: &Target| Some(own.file.file_stem()?.told().into_owned());
        let names = entry.records.iter().flat_map(|own| [own.name().map(str::to_owned), stem(own)]);
        let names: Vec<String> = names.flatten().filter(|name| contents.tells(name)).collect();
        if names.is_empty() {
            return BTreeSet::new();
        }
        let needles = Needles::of(names.iter().map(|own| own.as_bytes()));
        // Without the list of what was erased it would come back.
        let places = [
            (self.place.root.clone(), "an id in it repeats what was erased"),
            (
                self.vault.path(""),
                "an id in it repeats what was erased; keep it: palimp knows by it what stays gone",
            ),
        ];
        // What says that an erasure is under way goes when it is over.
        let under_way = self.vault.path(vaulted::ERASING).told().into_owned();
        let found = places.iter().flat_map(|(place, why)| {
            let found = search::search(self.host.disk, place, &needles).found.into_iter();
            found.map(move |own| {
                own.strip_suffix(search::HELD).map_or(own.clone(), |path| format!("{path}{why}"))
            })
        });
        found.filter(|own| !own.starts_with(&under_way)).collect()
    }

    fn conclude(
        &self,
        entry: &Erasing,
        sought: Sought,
        (searched, with_torn, named): (Vec<Searched>, BTreeSet<String>, BTreeSet<String>),
        resumed: bool,
    ) -> Result<Erased, CommitError> {
        let mut left: Vec<String> = searched.iter().flat_map(|own| own.found.clone()).collect();
        let named: Vec<String> = named.into_iter().filter(|own| !left.contains(own)).collect();
        left.extend(named);
        let records = entry.records.iter().map(Target::when_over);
        let beside: Vec<PathBuf> = self.store.beside.iter().map(|(path, _)| self.path_beside(path)).collect();
        let mut git = History::of(self.host.disk, &self.place.root, &beside, &sought.needles);
        if resumed {
            // What was gone by then is not known any more.
            git.iter_mut().for_each(|own| own.stop("the erasure was cut short"));
        }
        let mut erased = Erased {
            step: entry.step,
            at: entry.at.clone(),
            state: if left.is_empty() { "erased" } else { "left" },
            reason: entry.reason.clone(),
            records: records.collect(),
            searched,
            left,
            alike: sought.alike,
            with_torn: with_torn.into_iter().collect(),
            too_short: sought.needles.skipped(),
            also_elsewhere: sought.also_elsewhere,
            resumed,
            cannot_reach: cannot_reach(git.as_ref()),
            git,
            receipt: PathBuf::new(),
        };
        erased.receipt = self.vault.receipt(entry.step, &erased)?;
        if !self.vault.journal()?.iter().any(|line| line.step == entry.step) {
            self.vault.write(&JournalLine {
                step: entry.step,
                at: entry.at.clone(),
                verb: "erase".into(),
                records: entry.records.len() as u64,
                files: entry.files.clone(),
                turn: None,
                ids: entry.records.iter().filter_map(|own| own.name().map(str::to_owned)).collect(),
                format: self.place.format.to_owned(),
                change: None,
                as_planned: false,
                guard: None,
            })?;
        }
        self.drop_adding();
        self.vault.end_erasing()?;
        Ok(erased)
    }

    fn refused(&self, why: &Refusal) -> CommitError {
        CommitError::NotErased { root: self.place.root.clone(), why: why.message.clone() }
    }
}

impl Erased {
    /// What is said of each place where something went with a torn record.
    pub fn went_with_torn(&self) -> impl Iterator<Item = String> + '_ {
        let told =
            |own: &String| format!("went too, as it may have been part of the torn record before it: {own}");
        self.with_torn.iter().map(told)
    }
}

/// What no program can promise of a store.
pub fn cannot_reach(git: Option<&History>) -> Vec<String> {
    let mut texts: Vec<String> = [
        "blocks of an SSD or a copying file system that are no longer any file's",
        "snapshots and backups of the system, and what was copied elsewhere",
        "copies in a cloud that the folder is synced to",
        "agents that run, or have run, and read it before",
    ]
    .map(str::to_owned)
    .into();
    texts.extend(git.map(History::told));
    texts
}
