//! What a model gets of the stores when an agent starts.

use std::ops::Range;
use std::sync::Arc;

use crate::detectors::{MASK, secret_spans};
use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{Document, LoadExcess, LoadLimit, LoadedExtent, LoadedFile, Moment, Snapshot, Store};
use crate::text::columns::human_size;
use crate::usecase::project_standing::not_loaded;
use crate::usecase::what_fits::{WhatFits, what_fits};

/// At most this many lines of a file are named.
const SHOWN: usize = 5;

/// What is loaded of one store.
pub struct StoreBudget {
    /// The number of the store in the snapshot.
    pub store: usize,
    /// Its files in the order in which they are loaded; those of which nothing is, too.
    pub files: Vec<LoadedFile>,
    /// Why no agent loads it, if that is sure. Untrusted text.
    pub not_loaded: Option<String>,
}

impl StoreBudget {
    /// Returns the size of what is loaded in words, or why nothing is. Untrusted text.
    pub fn size(&self) -> String {
        if let Some(why) = &self.not_loaded {
            return format!("nothing at the start. {why}");
        }
        let bytes: usize = self.files.iter().map(LoadedFile::bytes).sum();
        let tokens: usize = self.files.iter().map(LoadedFile::tokens).sum();
        let tokens = count_with_noun(tokens as u64, "token");
        format!("{} at the start, about {tokens}", human_size(bytes as u64))
    }
}

/// Returns what is loaded of each store, without those that no program loads by itself.
pub fn budgets(snapshot: &Snapshot, now: Moment) -> Vec<StoreBudget> {
    let of_store = |(number, store): (usize, &Arc<Store>)| {
        let mut files = format::by_name(store.format)?.loaded(&store.documents, &store.load_settings, now);
        let not_loaded = not_loaded(store);
        for file in files.iter_mut().filter(|_| store.unloaded.is_some()) {
            let is_nothing = not_loaded.is_some() || file.extent == LoadedExtent::Nothing;
            file.extent = if is_nothing { LoadedExtent::Nothing } else { LoadedExtent::Unknown };
            (file.limit, file.excess) = (None, LoadExcess::default());
            (file.loaded, file.beyond) = (Vec::new(), Vec::new());
        }
        (!files.is_empty()).then_some(StoreBudget { store: number, files, not_loaded })
    };
    snapshot.stores.iter().enumerate().filter_map(of_store).collect()
}

/// Returns the size of a file and its limit in words.
pub fn loaded_size(file: &LoadedFile) -> String {
    let (lines, bytes) = (file.loaded.len(), file.bytes());
    match (file.extent, file.limit) {
        (LoadedExtent::Name, _) => "only its name".to_owned(),
        (LoadedExtent::Nothing, _) => "only if an agent opens it".to_owned(),
        (LoadedExtent::Unknown, None) => "what is loaded of it is unknown".to_owned(),
        (_, Some(LoadLimit::LinesOrBytes(most, most_bytes))) => {
            format!("{lines} of {most} lines, {bytes} of {most_bytes} bytes")
        }
        (_, Some(LoadLimit::LinesOrCharacters(most, characters))) => {
            format!("{lines} of {most} lines, {}, at most {characters} characters", human_size(bytes as u64))
        }
        (_, Some(LoadLimit::Bytes(most))) => format!("{bytes} of {most} bytes"),
        (_, Some(LoadLimit::Characters(most))) => {
            format!("{}, at most {most} characters", human_size(bytes as u64))
        }
        (_, None) => format!("{}, {}", count_with_noun(lines as u64, "line"), human_size(bytes as u64)),
    }
}

/// Returns the lines that the model never sees, what must go so that it does, and the lines that cost most, in words.
/// Untrusted text. Secrets that are on one line are not masked.
pub fn loaded_lines(store: &Store, file: &LoadedFile) -> Vec<String> {
    let Some(document) = store.document_at(&file.path) else { return Vec::new() };
    let mut lines = Vec::new();
    let line = line_in(document);
    let count = count_with_noun(file.beyond.len() as u64, "line");
    lines.extend(match file.extent {
        LoadedExtent::UpTo(cut) => {
            Some(format!("The model never sees line {cut} and what follows, {count}:"))
        }
        LoadedExtent::Ends(first, last) => Some(format!(
            "The model never sees what is between its start and its end, lines {first} to {last}:"
        )),
        LoadedExtent::Whole if !file.excess.is_none() => {
            Some("It is over its limit, but the model still sees all of it.".to_owned())
        }
        LoadedExtent::Unknown if file.limit.is_some() => {
            Some("It is over its limit. What the model then sees of it is unknown.".to_owned())
        }
        _ => None,
    });
    lines.extend(file.beyond.iter().take(SHOWN).map(&line));
    lines.extend(what_fits(store, file).iter().flat_map(WhatFits::told));
    lines.extend(file.limit_source.as_ref().map(|source| format!("The limit is from: {source}.")));
    if file.limit.is_some() && !file.loaded.is_empty() {
        let mut costly: Vec<_> = file.loaded.iter().collect();
        costly.sort_by_key(|range| std::cmp::Reverse(range.len()));
        lines.push("These lines cost most:".to_owned());
        lines.extend(costly.into_iter().take(SHOWN).map(line));
    }
    lines
}

fn line_in(document: &Document) -> impl Fn(&Range<usize>) -> String {
    let whole = String::from_utf8_lossy(&document.bytes);
    // A key block goes over lines, and each of them is a part of the secret.
    let secrets = if whole.len() == document.bytes.len() { secret_spans(&whole) } else { Vec::new() };
    move |range: &Range<usize>| {
        let before = document.bytes.get(..range.start).unwrap_or_default();
        let number = 1 + memchr::memchr_iter(b'\n', before).count();
        // A secret may be cut where the loaded part ends.
        let has = |at: usize| secrets.iter().any(|secret| secret.start < at && at < secret.end);
        let is_within = has(range.start) || has(range.end);
        let text = String::from_utf8_lossy(document.bytes.get(range.clone()).unwrap_or_default());
        let text = if is_within { MASK.into() } else { text };
        format!("line {number}, {} B: {}", range.len(), text.trim_end())
    }
}
