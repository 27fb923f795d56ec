//! Searches again for what was erased: by the digests of a receipt, or for a value itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{Document, PathText, Store, SurroundingReport};
use crate::store::erase::SecretValues;
use crate::store::steps::ErasureCheckLine;
use crate::store::surroundings::ByteProgress;
use crate::store::write::scrub::ErasureReceipt;
use crate::store::write::scrub::value_search::{search_file, search_values};
use crate::store::{CommitError, Vault};
use crate::text::keyed_search::{FoundValue, KeyedSearch, ValueDigest, ValueKey};
use crate::usecase::surroundings_check::{NamedPlaces, SurroundingCheck, look_again};
use crate::usecase::value_places::path_beside;

/// What is searched for.
#[derive(Clone, Debug)]
pub enum ErasureChoice {
    /// What this receipt is about.
    Receipt(PathBuf),
    /// What the receipt of this step is about.
    Step(u64),
    /// What all receipts of the store are about.
    All,
    /// These values.
    Values(SecretValues),
}

/// A place where something was found again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundAgain {
    pub file: String,
    /// The form that it has there: `as text`, `in base64`, …
    pub form: &'static str,
    /// The key of the memory that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The agent that wrote this memory, if the memory says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The step of the erasure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
}

/// The result for one store.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErasureCheck {
    pub store: String,
    /// The steps of the erasures that were checked.
    pub steps: Vec<u64>,
    /// The number of values that were searched for.
    pub values: usize,
    /// The number of files that were searched.
    pub files: u64,
    /// Where something was found.
    pub found: Vec<FoundAgain>,
    /// The files that could not be searched whole, with the reasons.
    pub unread: Vec<String>,
    /// Erasures whose receipt is missing or has no digest, or whose key is missing: what they erased can't be searched
    /// for.
    pub unknown: Vec<u64>,
    /// Places beside the stores: those of the receipts as they are now, or those that have the value. `None` if they
    /// were not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<Vec<SurroundingCheck>>,
    /// What could not be searched there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside_unread: Option<Vec<String>>,
}

impl ErasureCheck {
    /// True if nothing was found, and everything could be searched. What lies beside the stores was never erased, and
    /// does not count.
    pub fn is_clean(&self) -> bool {
        self.found.is_empty() && self.unread.is_empty() && self.unknown.is_empty()
    }

    /// Says what was searched and what was found: the result first, then a line for each place. May quote the store.
    pub fn told(&self) -> Vec<String> {
        let files = count_with_noun(self.files, "file");
        let values = count_with_noun(self.values as u64, "value");
        let steps: Vec<String> = self.steps.iter().map(u64::to_string).collect();
        let of = if steps.is_empty() { String::new() } else { format!(" of step {}", steps.join(", ")) };
        let head = format!("{}: {files} searched for {values}{of}: ", self.store);
        let mut lines = vec![match self.found.len() {
            0 if self.values == 0 => format!("{head}nothing could be checked"),
            0 if !self.unread.is_empty() => format!("{head}none of those that could be read has it"),
            0 => format!("{head}none has it"),
            count => format!("{head}found in {}", count_with_noun(count as u64, "place")),
        }];
        lines.extend(self.found.iter().map(|own| {
            let key = own.key.as_ref().map(|key| format!("  {key}")).unwrap_or_default();
            let agent = own.agent.as_ref().map(|agent| format!("  written by {agent}")).unwrap_or_default();
            format!("  {} ({}){key}{agent}", own.file, own.form)
        }));
        let unknown: Vec<String> = self.unknown.iter().map(u64::to_string).collect();
        if !unknown.is_empty() {
            lines.push(format!(
                "  of step {} the receipt, its digests or their key are missing: what was erased can't be searched for",
                unknown.join(", ")
            ));
        }
        // The places that have a value are told once for all stores.
        if !self.steps.is_empty() {
            lines.extend(self.beside.iter().flatten().map(SurroundingCheck::told));
        }
        lines
    }

    /// Adds what was found beside the stores.
    pub fn add_surroundings(&mut self, report: &SurroundingReport) {
        self.beside = Some(SurroundingCheck::found(report));
        self.beside_unread = Some(report.unread.clone());
    }
}

/// Searches a store and palimp's data about it, and for the values of receipts the `others` that are open, too: an agent may
/// have written them there. `None` if a receipt was asked for that is not of this store, or
/// if nothing was ever erased from it. `progress` hears of the files beside the store that are looked at again.
/// Fails if a receipt or the key of the digests can't be read: then nothing can be proven.
pub fn verify_erased(
    host: Host<'_>,
    (store, others): (&Store, &[Arc<Store>]),
    choice: &ErasureChoice,
    progress: ByteProgress<'_>,
) -> Result<Option<ErasureCheck>, CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let folders = [store.root.clone(), vault.path("")];
    if let ErasureChoice::Values(values) = choice {
        // The key is only needed to find them.
        let key = ValueKey([0; 32]);
        let digests: Vec<ValueDigest> = values.all().iter().map(|own| key.digest(own)).collect();
        let own = vec![None; digests.len()];
        return Ok(Some(search_folders(host, (store, &folders), &KeyedSearch::of(&key, &digests), &own)));
    }
    let receipts = receipts(&vault, choice)?;
    let missing = steps_without_receipt(&vault, choice)?;
    if receipts.is_empty() && missing.is_empty() {
        return Ok(None);
    }
    let key = vault.value_key()?;
    let id = key.as_ref().map(ValueKey::id);
    if let ErasureChoice::Receipt(_) = choice {
        let mut with_values = receipts.iter().filter(|own| !own.values.is_empty());
        with_values.try_for_each(|own| vault.known_value_key(&own.value_key).map(drop))?;
    }
    let beside = beside(host, &receipts, key.as_ref(), progress);
    let (known, unknown): (Vec<ErasureReceipt>, Vec<ErasureReceipt>) =
        receipts.into_iter().partition(|own| id.as_ref() == Some(&own.value_key) && !own.values.is_empty());
    let key = key.unwrap_or(ValueKey([0; 32]));
    let digested = |of: fn(&ErasureReceipt) -> &Vec<ValueDigest>| -> (Vec<ValueDigest>, Vec<Option<u64>>) {
        known.iter().flat_map(|own| of(own).iter().map(|value| (value.clone(), Some(own.step)))).unzip()
    };
    let (digests, steps) = digested(|own| &own.values);
    let mut check = search_folders(host, (store, &folders), &KeyedSearch::of(&key, &digests), &steps);
    // The texts of the memories that were erased may be in other stores, too.
    let (asked, steps) = digested(|own| &own.asked_values);
    for other in others.iter().filter(|other| other.root != store.root && !asked.is_empty()) {
        let search = KeyedSearch::of(&key, &asked);
        let also = search_folders(host, (other, std::slice::from_ref(&other.root)), &search, &steps);
        check.files += also.files;
        check.found.extend(also.found);
        check.unread.extend(also.unread);
    }
    let steps = known.iter().map(|own| own.step).collect();
    let mut unknown: Vec<u64> = unknown.iter().map(|own| own.step).chain(missing).collect();
    unknown.sort_unstable();
    Ok(Some(ErasureCheck { steps, unknown, beside, ..check }))
}

/// Looks again at the places beside the stores that receipts name. `None` if they name none.
fn beside(
    host: Host<'_>,
    receipts: &[ErasureReceipt],
    key: Option<&ValueKey>,
    progress: ByteProgress<'_>,
) -> Option<Vec<SurroundingCheck>> {
    let id = key.map(ValueKey::id);
    let is_known = |own: &ErasureReceipt| id.as_ref() == Some(&own.value_key);
    let named = receipts.iter().filter_map(|own| {
        let doubt = match (is_known(own), own.beside_values.is_empty()) {
            (false, _) => Some("the key of its digests is missing"),
            (true, true) => Some("the receipt has no digests of what was found there"),
            (true, false) => None,
        };
        Some((own.not_reached.beside.as_ref()?, doubt))
    });
    let named: Vec<NamedPlaces<'_>> = named.collect();
    let known = receipts.iter().filter(|own| is_known(own));
    let digests: Vec<ValueDigest> =
        known.flat_map(|own| own.values.iter().chain(&own.beside_values)).cloned().collect();
    let key = key.cloned().unwrap_or(ValueKey([0; 32]));
    let search = KeyedSearch::of(&key, &digests);
    (!named.is_empty()).then(|| look_again(host.disk, named, &search, progress))
}

/// Keeps a check with the receipts of its store.
/// Fails if palimp's own data can't be written.
pub fn keep_check(host: Host<'_>, store: &Store, check: &ErasureCheck) -> Result<(), CommitError> {
    let line = |step: &u64, is_known: bool| ErasureCheckLine {
        at: host.now.to_rfc3339(),
        step: *step,
        found: check.found.iter().filter(|own| own.step == Some(*step)).count(),
        complete: is_known && check.unread.is_empty(),
    };
    let known = check.steps.iter().map(|step| line(step, true));
    let lines: Vec<ErasureCheckLine> =
        known.chain(check.unknown.iter().map(|step| line(step, false))).collect();
    match lines.is_empty() {
        true => Ok(()),
        false => Vault::open(host.disk, host.data, &store.root)?.keep_erasure_checks(lines),
    }
}

/// Returns the erasures that are asked for, that the journal has, and whose receipt is gone.
fn steps_without_receipt(vault: &Vault<'_>, choice: &ErasureChoice) -> Result<Vec<u64>, CommitError> {
    let is_asked = |step: &u64| match choice {
        ErasureChoice::All => true,
        ErasureChoice::Step(own) => step == own,
        ErasureChoice::Receipt(_) | ErasureChoice::Values(_) => false,
    };
    let known = vault.receipt_steps()?;
    let erased = vault.journal()?.into_iter().filter(|line| line.verb.is_erasure()).map(|line| line.step);
    Ok(erased.filter(|step| is_asked(step) && !known.contains(step)).collect())
}

/// Reads the receipts that are asked for, in the order of their steps.
fn receipts(vault: &Vault<'_>, choice: &ErasureChoice) -> Result<Vec<ErasureReceipt>, CommitError> {
    let mut steps = vault.receipt_steps()?;
    match choice {
        ErasureChoice::Receipt(path) => {
            let real = |path: &Path| vault.disk.real_path(path).ok();
            let wanted = real(path);
            steps.retain(|own| wanted.is_some() && real(&vault.receipt_path(*own)) == wanted);
        }
        ErasureChoice::Step(step) => steps.retain(|own| own == step),
        ErasureChoice::All | ErasureChoice::Values(_) => {}
    }
    steps.into_iter().filter_map(|step| vault.receipt(step).transpose()).collect()
}

/// Searches folders, and the files that the format keeps beside the store.
fn search_folders(
    host: Host<'_>,
    (store, folders): (&Store, &[PathBuf]),
    search: &KeyedSearch<'_>,
    steps: &[Option<u64>],
) -> ErasureCheck {
    let mut found: BTreeMap<(PathBuf, usize), &'static str> = BTreeMap::new();
    let (mut files, mut unread) = (0, Vec::new());
    let mut see = |path: &Path, value: FoundValue<'_>| {
        found.entry((path.to_owned(), value.number)).or_insert(value.form);
    };
    for folder in folders {
        let (count, own) = search_values(host.disk, folder, search, &mut see);
        files += count;
        unread.extend(own);
    }
    for (path, _) in &store.outside_files {
        files += 1;
        unread.extend(search_file(host.disk, &path_beside(store, path), search, &mut see));
    }
    let named = |((path, number), form): (&(PathBuf, usize), &&'static str)| {
        let (key, agent) = writer(store, search, path, *number);
        let step = steps.get(*number).copied().flatten();
        FoundAgain { file: path.to_text().into_owned(), form, key, agent, step }
    };
    let mut all: Vec<FoundAgain> = found.iter().map(named).collect();
    all.sort();
    all.dedup();
    let (root, values) = (store.root.to_text().into_owned(), steps.len());
    ErasureCheck { store: root, values, files, found: all, unread, ..ErasureCheck::default() }
}

/// Returns the key of the memory in a file that has a value, and the agent that it names.
fn writer(
    store: &Store,
    search: &KeyedSearch<'_>,
    path: &Path,
    number: usize,
) -> (Option<String>, Option<String>) {
    let is_it = |own: &Document| store.root.join(&own.path) == path;
    let has = |bytes: &[u8]| {
        let mut has = false;
        search.each(bytes, &mut |own| has |= own.number == number);
        has
    };
    let entry = store.entries.iter().find(|entry| is_it(store.document(entry)) && has(&store.raw(entry)));
    let Some(entry) = entry else { return (None, None) };
    let agent = store.memory(entry).and_then(|memory| memory.agent().map(str::to_owned));
    (Some(store.key(entry)), agent)
}
