//! What a model gets of the stores when an agent starts.

use std::ops::Range;
use std::sync::Arc;

use crate::detectors::{MASK, secret_spans};
use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{LoadExcess, LoadLimit, LoadedExtent, LoadedFile, Moment, Snapshot, Store};
use crate::ops::may_change;
use crate::text::columns::human_size;
use crate::text::lines::lines;
use crate::text::merge_conflict::merge_places;
use crate::usecase::project_standing::not_loaded;

/// At most this many lines of a file are named.
const SHOWN: usize = 5;
/// At most this many lines of a file are listed.
const LISTED: usize = 1_000;

const REPAIR: &str = "`palimp repair --code limit-exceeded` moves lines into a topic file: no line is lost.";

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

/// A line of a file that a model gets, or would get without the limit.
pub struct ListedLine {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its place in the file.
    pub place: Range<usize>,
    /// Its text; a mask if it is a part of a secret. Untrusted text.
    pub text: String,
    /// True if the model gets it.
    pub is_seen: bool,
}

impl ListedLine {
    fn line(&self) -> String {
        format!("line {}, {} B: {}", self.number, self.place.len(), self.text)
    }
}

/// Returns lines of a file: those that the model never sees, then the others, the costliest first.
pub fn listed_lines(store: &Store, file: &LoadedFile) -> Vec<ListedLine> {
    let Some(whole) = text_of(store, file) else { return Vec::new() };
    let mut costly: Vec<&Range<usize>> = file.loaded.iter().collect();
    costly.sort_by_key(|place| std::cmp::Reverse(place.len()));
    let starts: Vec<usize> = lines(whole.as_bytes()).map(|line| line.start).collect();
    // A key block goes over lines, and each of them is a part of the secret.
    let secrets = secret_spans(whole);
    // A secret may be cut where the loaded part ends.
    let cuts = |at: usize| secrets.iter().any(|secret| secret.start < at && at < secret.end);
    let places =
        file.beyond.iter().map(|place| (place, false)).chain(costly.into_iter().map(|place| (place, true)));
    let line = |(place, is_seen): (&Range<usize>, bool)| ListedLine {
        number: starts.partition_point(|start| *start <= place.start),
        place: place.clone(),
        text: match cuts(place.start) || cuts(place.end) {
            true => MASK.to_owned(),
            false => whole.get(place.clone()).unwrap_or_default().trim_end().to_owned(),
        },
        is_seen,
    };
    places.take(LISTED).map(line).collect()
}

/// True for an index over its limit, of which a repair moves lines away.
pub fn is_long_index(store: &Store, file: &LoadedFile) -> bool {
    let is_index = matches!(file.limit, Some(LoadLimit::LinesOrBytes(..) | LoadLimit::LinesOrCharacters(..)));
    let is_whole = || text_of(store, file).is_some_and(|text| merge_places(text.as_bytes()).is_empty());
    is_index && !file.excess.is_none() && may_change(store).is_ok() && is_whole()
}

/// Returns the text of a file. In what is no text the places of lines are not known.
fn text_of<'a>(store: &'a Store, file: &LoadedFile) -> Option<&'a str> {
    std::str::from_utf8(&store.document_at(&file.path)?.bytes).ok()
}

/// Says what the model does not see of a file, what must go so that it does, and where the limit is from. `repair` says
/// how lines are moved, if they can be. Untrusted text.
pub fn limit_lines(store: &Store, file: &LoadedFile, repair: &str) -> Vec<String> {
    let mut told: Vec<String> = cut_line(file).into_iter().collect();
    told.extend(excess_lines(store, file));
    told.extend(is_long_index(store, file).then(|| repair.to_owned()));
    told.extend(file.limit_source.as_ref().map(|source| format!("The limit is from: {source}.")));
    told
}

/// Returns the lines that the model never sees, what must go so that it does, and the lines that cost most, in words.
/// Untrusted text. Secrets that are on one line are not masked.
pub fn loaded_lines(store: &Store, file: &LoadedFile) -> Vec<String> {
    let (seen, unseen): (Vec<_>, Vec<_>) = listed_lines(store, file).into_iter().partition(|own| own.is_seen);
    let mut told = limit_lines(store, file, REPAIR);
    let first = usize::from(cut_line(file).is_some()).min(told.len());
    told.splice(first..first, unseen.iter().take(SHOWN).map(ListedLine::line));
    if file.limit.is_some() && !seen.is_empty() {
        told.push("These lines cost most:".to_owned());
        told.extend(seen.iter().take(SHOWN).map(ListedLine::line));
    }
    told
}

/// Returns the number of empty lines that count, and whether a file over its limit fits without them.
pub fn empty_lines(store: &Store, file: &LoadedFile) -> (usize, bool) {
    let text = text_of(store, file).unwrap_or_default();
    let is_empty =
        |place: &&Range<usize>| text.get((*place).clone()).is_some_and(|line| line.trim_ascii().is_empty());
    let empty: Vec<&Range<usize>> = file.loaded.iter().chain(&file.beyond).filter(is_empty).collect();
    let bytes = empty.iter().map(|place| place.len()).sum();
    let size = LoadExcess { lines: empty.len(), bytes, characters: 0 };
    (empty.len(), file.excess.less(size).is_none())
}

/// Says how much of a file must go, and whether its empty lines are enough.
fn excess_lines(store: &Store, file: &LoadedFile) -> Vec<String> {
    let LoadExcess { lines, bytes, characters } = file.excess;
    let all = [(lines, "line"), (bytes, "byte"), (characters, "character")];
    let told = all.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, what)| count_with_noun(count as u64, what)).collect();
    let (empty, is_enough) = empty_lines(store, file);
    let empty = count_with_noun(empty as u64, "empty line");
    let empty = format!("Its {empty} count, too: without them it fits, and nothing is lost.");
    let long = (!told.is_empty()).then(|| format!("It is {} too long.", told.join(" and ")));
    let empty = (long.is_some() && is_enough).then_some(empty);
    long.into_iter().chain(empty).collect()
}

fn cut_line(file: &LoadedFile) -> Option<String> {
    let count = count_with_noun(file.beyond.len() as u64, "line");
    match file.extent {
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
    }
}
