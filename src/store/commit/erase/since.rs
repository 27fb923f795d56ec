//! Plans that were made, and shown, before something was erased.

use std::borrow::Cow;
use std::path::PathBuf;

use super::back::new_in;
use super::each_within;
use crate::format::writing::Refusal;
use crate::model::{Act, Change, Plan};
use crate::store::commit::recover::is_copy;
use crate::store::commit::{CommitError, Writer};
use crate::store::erase::{Target, Wanted, original};

/// What brings records out of copies and tombstones, and left out what was erased by then.
const BRING: [&str; 2] = ["backup restore", "undelete"];

impl Writer<'_> {
    /// Refuses a plan whose copies, or what takes it back, would hold what was erased since it
    /// was made. What it derives is worked out anew then: it may name what is gone.
    pub(in crate::store::commit) fn unless_erased_since<'p>(
        &self,
        plan: Cow<'p, Plan>,
    ) -> Result<Cow<'p, Plan>, CommitError> {
        let erased = self.vault.erased()?;
        if erased.is_empty() {
            return Ok(plan);
        }
        if BRING.contains(&plan.verb) {
            self.brings_nothing_erased(&plan, "this", erased.clone())?;
        }
        // A record without an id can't be told any more: its file has to be as it was.
        let targets: Vec<Target> = erased.into_iter().map(|line| line.record).collect();
        let nameless = targets.iter().filter(|own| own.id.is_none()).map(|own| PathBuf::from(&own.file));
        let nameless: Vec<PathBuf> = nameless.collect();
        let wanted = Wanted::of(self.format, self.store, &targets, self.host.now);
        let now: Vec<Vec<u8>> = plan.changes.iter().map(|change| self.stands(change)).collect();
        let mut stands = Vec::new();
        for (change, now) in plan.changes.iter().zip(&now) {
            each_within(&self.stands_at(change), now, &mut |_, bytes| stands.extend(bytes));
        }
        for (change, now) in plan.changes.iter().zip(&now) {
            let copied = match &change.act {
                Act::Create(bytes) if is_copy(self, change) => Some(&bytes[..]),
                _ => None,
            };
            for planned in copied.into_iter().chain(change.base.as_deref()).filter(|own| *own != now) {
                let mut holds = nameless.contains(&self.stands_at(change)) && !now.starts_with(planned);
                each_within(&change.path, planned, &mut |path, bytes| {
                    holds |= new_in(&wanted, path, bytes, &stands).is_some();
                });
                if holds {
                    return Err(since(change));
                }
            }
        }
        let is_stale =
            plan.derived.iter().any(|own| own.base.as_deref().unwrap_or_default() != self.stands(own))
                || plan.made_of.iter().any(|(file, len)| {
                    self.host.disk.look(&self.path(file)).map_or(0, |item| item.generation.len) != *len
                });
        match (is_stale, plan.changes.first().or(plan.derived.first())) {
            (true, Some(first)) if plan.changes.is_empty() => Err(since(first)),
            (true, _) => {
                Ok(Cow::Owned(Plan { derived: Vec::new(), derive_after: true, ..plan.into_owned() }))
            }
            (false, _) => Ok(plan),
        }
    }

    /// The file that a change is about, or that it makes a copy of.
    fn stands_at(&self, change: &Change) -> PathBuf {
        match is_copy(self, change) {
            true => original(&change.path).file_name().map_or(change.path.clone(), PathBuf::from),
            false => change.path.clone(),
        }
    }

    fn stands(&self, change: &Change) -> Vec<u8> {
        let read = self.host.disk.read(&self.path(&self.stands_at(change)), 0, None);
        read.map(|(bytes, _)| bytes).unwrap_or_default()
    }
}

fn since(change: &Change) -> CommitError {
    let message = format!(
        "something was erased since this was planned, and {} is not as it was then: do it again.",
        change.path.display()
    );
    CommitError::Refused(Refusal { code: "E_CONCURRENT_MOD", message })
}
