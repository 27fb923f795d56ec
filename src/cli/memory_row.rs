//! A record in the output of the verbs.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

use super::list_table::sign;
use crate::detectors::mask;
use crate::format;
use crate::model::{Entry, EntryRef, Moment, PathText, Snapshot, Store};
use crate::query::{EntryDecay, Explanation, Ranking, SimilarWord, WEIGHTS, WordHit};

/// The fields of `list`, `search` and `show` with `--json`.
#[derive(Serialize)]
pub struct MemoryRow {
    key: String,
    store: String,
    format: &'static str,
    session: Option<String>,
    id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    title: String,
    text: String,
    tags: Vec<String>,
    topic: Option<String>,
    created: Option<String>,
    /// `file` if `created` is the time of the file, because the memory has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'static str>,
    accessed: Option<String>,
    importance: Option<f64>,
    decay: Option<f64>,
    rank: Option<f64>,
    state: &'static str,
    file: String,
    line: u32,
    byte: [u64; 2],
    /// The bytes of the object itself, if its line holds more.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<[u64; 2]>,
    problems: Vec<&'static str>,
    sensitive: bool,
    references: Vec<String>,
    facets: Vec<(String, String)>,
    raw: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplanationRow>,
    /// The words that were searched instead of those typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarWord>,
    #[serde(skip)]
    sign: &'static str,
    #[serde(skip)]
    age: Option<String>,
}

impl MemoryRow {
    /// Makes the row of an entry, with its rank and the reasons for it, if these are asked for.
    pub fn new(
        snapshot: &Snapshot,
        at: EntryRef,
        rank: Option<f64>,
        explain: Option<&Explanation>,
        now: Moment,
    ) -> MemoryRow {
        let (store, entry) = snapshot.get(at);
        let record = store.record(entry);
        let memory = store.memory(entry);
        let text = format::text_of(store, entry);
        let document = store.document(entry);
        let (line, raw) = format::lines_of(document, entry.record);
        let holds_more = line.start < record.span.start || line.end > record.span.end;
        let is_sensitive = format::is_sensitive(store, entry);
        let time = store.time_of(entry);
        let decay = memory.map(|memory| EntryDecay::of(store, entry, memory, now).now());
        MemoryRow {
            key: store.key(entry),
            store: store.root.to_text().into_owned(),
            format: format::with_family(store.format).0,
            session: store.session(entry).map(|session| session.name.clone()),
            id: id(store, entry),
            kind: memory.map(|memory| memory.kind().to_string()),
            title: text.title.into_raw(),
            text: text.text.into_raw(),
            tags: memory.map(|memory| memory.tags().map(|tag| tag.to_string()).collect()).unwrap_or_default(),
            topic: memory.and_then(|memory| memory.topic()).map(str::to_owned),
            created: time.map(|time| time.at.to_rfc3339()),
            time: time.filter(|time| time.is_of_file()).map(|_| "file"),
            accessed: memory.and_then(|memory| memory.accessed).map(Moment::to_rfc3339),
            importance: memory.map(|memory| memory.importance),
            decay,
            rank,
            state: entry.state.as_str(),
            file: document.path.to_text().into_owned(),
            line: record.line,
            byte: [line.start, line.end],
            record: holds_more.then_some([record.span.start, record.span.end]),
            problems: codes(snapshot, at),
            sensitive: is_sensitive,
            references: memory
                .map(|memory| memory.references().map(|reference| reference.to.text.to_string()).collect())
                .unwrap_or_default(),
            facets: facets(snapshot, at),
            raw: String::from_utf8_lossy(&raw).into_owned(),
            raw_base64: std::str::from_utf8(&raw).is_err().then(|| BASE64_STANDARD.encode(&*raw)),
            explain: explain.map(ExplanationRow::new),
            similar: Vec::new(),
            sign: sign(store, entry).0,
            age: time.map(|time| time.age_at(now)),
        }
    }

    pub fn to_line(&self) -> String {
        let number = |value: Option<f64>| value.map_or("  — ".into(), |value| format!("{value:4.2}"));
        let place = self.session.as_deref().unwrap_or(self.format);
        format!(
            "{:1} {} {} {:12} {:>5} {:16} {:14} {}",
            self.sign,
            number(self.rank),
            number(self.decay),
            self.kind.as_deref().unwrap_or("broken"),
            self.age.as_deref().unwrap_or("?"),
            place,
            self.id.as_deref().filter(|id| mask(id) == *id).unwrap_or(&self.key),
            self.title
        )
    }
}

fn id(store: &Store, entry: &Entry) -> Option<String> {
    let memory = store.memory(entry)?;
    let keyed = format::by_name(store.format).is_some_and(|format| format.about().keys_are_ids);
    memory.id().map(str::to_owned).or_else(|| keyed.then(|| store.key(entry)))
}

/// Returns the fields that only some formats have, and what other files say about the record.
fn facets(snapshot: &Snapshot, at: EntryRef) -> Vec<(String, String)> {
    let (store, entry) = snapshot.get(at);
    let own = store.memory(entry).into_iter().flat_map(|memory| memory.facets());
    own.chain(store.facts_of(at.entry)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn codes(snapshot: &Snapshot, at: EntryRef) -> Vec<&'static str> {
    let (store, entry) = snapshot.get(at);
    let mut codes: Vec<&'static str> =
        store.problems_of(entry).map(|problem| problem.code.as_str()).collect();
    codes.dedup();
    codes
}

/// Returns why a memory has its rank, for people: the formula, then each word.
pub fn explanation_lines(of: &Explanation) -> Vec<String> {
    let own = &of.factors;
    let [text, time, importance, access] = WEIGHTS;
    let formula = match of.ranking {
        Ranking::Product => format!(
            "{:.2} importance × {:.2} decay × {:.2} recency × {:.2} match",
            own.importance, own.decay, own.recency, own.matched
        ),
        Ranking::Weighted => format!(
            "{text} × {:.2} match + {time} × {:.2} decay + {importance} × {:.2} importance + {access} × {:.2} access",
            own.matched, own.decay, own.importance, own.access
        ),
    };
    let word = |WordHit { word, hit, df, n, .. }: &WordHit| {
        format!("{word:?} {hit:.1}, {}, in {df} of {n} readable memories", how(*hit))
    };
    let words: Vec<String> = of.words.iter().map(word).collect();
    let words = (!words.is_empty()).then(|| format!("match: {}", words.join("; ")));
    [format!("{formula} = {:.2}", own.rank)].into_iter().chain(words).collect()
}

/// Says where a word was found, by its part in a match.
fn how(hit: f64) -> &'static str {
    match hit {
        1.0.. => "a word of the title, a tag or the id",
        0.8.. => "a word of the text",
        0.6.. => "the start of a word",
        0.4.. => "part of a word, or nearly one",
        _ => "not found",
    }
}

#[derive(Serialize)]
struct ExplanationRow {
    ranking: &'static str,
    importance: f64,
    decay: f64,
    recency: f64,
    #[serde(rename = "match")]
    matched: f64,
    text: f64,
    time: f64,
    access: f64,
    weights: Option<WeightsRow>,
    rank: f64,
    age_hours: Option<f64>,
    half_life_hours: Option<f64>,
    min_decay: f64,
    boost: f64,
    words: Vec<WordHit>,
}

#[derive(Serialize)]
struct WeightsRow {
    text: f64,
    time: f64,
    importance: f64,
    access: f64,
}

impl ExplanationRow {
    fn new(of: &Explanation) -> Self {
        let [text, time, importance, access] = WEIGHTS;
        let own = &of.factors;
        let weighted = of.ranking == Ranking::Weighted;
        ExplanationRow {
            ranking: if weighted { "weighted" } else { "product" },
            importance: own.importance,
            decay: own.decay,
            recency: own.recency,
            matched: own.matched,
            text: own.matched,
            time: own.decay,
            access: own.access,
            weights: weighted.then_some(WeightsRow { text, time, importance, access }),
            rank: own.rank,
            age_hours: own.fading.age_hours,
            half_life_hours: own.fading.rule.half_life_hours,
            min_decay: own.fading.rule.min,
            boost: own.fading.boost,
            words: of.words.clone(),
        }
    }
}
