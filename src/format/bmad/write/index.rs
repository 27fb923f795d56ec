//! A session's index (§3.6), made anew from its logs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::json::quote;
use super::{Log, each_piece, stamp};
use crate::format::Format;
use crate::format::bmad::Bmad;
use crate::format::reading::{whole_object, without_mark};
use crate::model::Moment;
use crate::model::time::HOUR;
use crate::text::json::Json;
use crate::text::scan::Tape;

/// The members that are made; what else an index holds is kept.
const OWN: [&str; 6] =
    ["session_id", "created_at", "inverted_index", "topic_index", "temporal_index", "version"];
/// How many letters and digits a word has. What is longer is no word but encoded data, and
/// would make the index as large as the logs.
const WORD: std::ops::RangeInclusive<usize> = 3..=64;
/// A longer id is among the hours alone: repeated for each word of its record it would
/// make the index many times as large as the logs.
const LONGEST_ID: usize = 64;
/// Members that are no text: who wrote it, and the words of enumerations.
const NO_TEXT: [&str; 8] =
    ["agent_id", "made_by", "discovered_by", "approved_by", "role", "impact", "severity", "status"];
/// Where records are whose time can't be read: every id is under some hour.
const UNDATED: &str = "undated";

/// The index of a session with these logs. The same logs make the same bytes, whatever the
/// order in which they are given. Members of the existing index that the format does not
/// know are kept.
pub fn index(existing: Option<&[u8]>, session: &str, logs: &[Log<'_>], now: Moment) -> Vec<u8> {
    let mut made = Made::default();
    each_piece(logs, &mut |_, piece| {
        if let Some(object) = piece.object {
            made.take(object);
        }
    });
    made.topics_of_decisions();
    let mut out = format!("{{\n  \"session_id\": {},\n  ", quote(session));
    out += &format!("\"created_at\": {}", quote(&stamp(now)));
    let ids: Vec<String> = made.ids.iter().map(|id| quote(id)).collect();
    part(&mut out, "inverted_index", made.words.into_iter().collect(), &ids);
    part(&mut out, "topic_index", made.topics.into_iter().collect(), &ids);
    let hours = made.hours.into_iter().map(|(hour, ids)| (hour_of(hour), ids));
    part(&mut out, "temporal_index", hours.collect(), &ids);
    out += ",\n  \"version\": 1";
    keep_unknown(&mut out, existing.unwrap_or_default());
    out += "\n}\n";
    out.into_bytes()
}

/// Whether an index is what its logs make. One that palimp wrote has to have every word; what
/// words others leave out is theirs to choose, but what is there has to be so.
pub fn agrees(existing: &[u8], session: &str, logs: &[Log<'_>]) -> bool {
    let mut tape = Tape::default();
    let Ok(object) = whole_object(&mut tape, without_mark(existing)) else { return false };
    let created = object.get("created_at").and_then(|when| Moment::parse(&when.text()?));
    match created.filter(|_| is_own(without_mark(existing))) {
        Some((created, _)) => index(Some(existing), session, logs, created) == without_mark(existing),
        None => !contradicts(object, logs),
    }
}

/// Whether an index has the layout in which palimp writes it: a line a word, with all of its ids.
fn is_own(existing: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(existing) else { return false };
    let Some((head, words)) = text.split_once("\n  \"inverted_index\": {") else { return false };
    let first = words.lines().nth(1).unwrap_or_default();
    head.starts_with("{\n  \"session_id\": ")
        && (words.starts_with('}')
            || first.starts_with("    \"") && first.trim_end_matches(',').ends_with("\"]"))
}

/// Whether an index says of a record what is not so: a word that it does not hold, an hour or a
/// topic that is another's. A word may be there in its basic form.
fn contradicts(object: Json<'_>, logs: &[Log<'_>]) -> bool {
    let mut made = Made::default();
    let mut texts: HashMap<String, String> = HashMap::new();
    each_piece(logs, &mut |_, piece| {
        let Some(object) = piece.object else { return };
        made.take(object);
        if let Some(id) = object.get("id").and_then(|id| id.text()) {
            let text = texts.entry(id.into_owned()).or_default();
            object.each_string(&mut |_, value| {
                text.push_str(&value.text().unwrap_or_default().to_lowercase());
                text.push('\n');
            });
        }
    });
    made.topics_of_decisions();
    let hours = made.hours_of_ids();
    let has_word = |word: &str, id: &str| {
        let letters = word.chars().count().saturating_sub(2).max(3);
        let stem: String = word.to_lowercase().chars().take(letters).collect();
        texts.get(id).is_none_or(|text| text.contains(&stem))
    };
    let is_hour = |key: &str, id: &str| {
        let is_date = key.get(..5).is_some_and(|start| start.ends_with('-'));
        let fits = |hour: &String| hour.starts_with(key) || key.starts_with(hour.as_str());
        !is_date || hours.get(id).is_none_or(|hours| hours.iter().any(fits))
    };
    let is_topic = |topic: &str, id: &str| {
        let number = made.numbers.get(id);
        let own = number.zip(made.topics.get(topic)).is_some_and(|(number, ids)| ids.contains(number));
        own || number.is_none() || has_word(topic, id)
    };
    let topics: Vec<bool> = pairs(object, "topic_index").map(|(topic, id)| is_topic(&topic, &id)).collect();
    let known = topics.iter().filter(|known| **known).count();
    // Where most topics are other words than the records', they are of the writer's own making.
    let other_topics = known < topics.len() && known * 2 > topics.len();
    other_topics
        || pairs(object, "inverted_index").any(|(word, id)| !has_word(&word, &id))
        || pairs(object, "temporal_index").any(|(key, id)| !is_hour(&key, &id))
}

/// The keys of a part of an index, each with each of its ids.
fn pairs<'a>(object: Json<'a>, part: &str) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
    let members: Vec<_> = object.get(part).into_iter().flat_map(|part| part.members()).collect();
    members.into_iter().flat_map(|(key, ids)| {
        let key = key.text().unwrap_or_default();
        let ids: Vec<_> = ids.items().filter_map(|id| Some((key.clone(), id.text()?))).collect();
        ids
    })
}

type Ids = Vec<u32>;

/// An index under construction; ids are numbers in the order of their first record.
#[derive(Default)]
struct Made {
    ids: Vec<String>,
    numbers: HashMap<String, u32>,
    words: HashMap<String, Ids>,
    topics: HashMap<String, Ids>,
    /// Of records that share an id the first counts.
    topic_of: HashMap<u32, String>,
    hours: BTreeMap<Option<i64>, Ids>,
    /// Decisions, and the messages that they refer to.
    discussed: Vec<(u32, String)>,
    word: String,
}

impl Made {
    fn take(&mut self, object: Json<'_>) {
        let Some(id) = object.get("id").and_then(|id| id.text()) else { return };
        let is_long = id.len() > LONGEST_ID;
        let number = match self.numbers.get(id.as_ref()) {
            Some(number) => *number,
            None => {
                let number = self.ids.len() as u32;
                self.ids.push(id.to_string());
                self.numbers.insert(id.into_owned(), number);
                number
            }
        };
        let when = object.get("timestamp").and_then(|text| Moment::parse(&text.text()?));
        self.hours.entry(when.map(|(when, _)| when.0.div_euclid(HOUR))).or_default().push(number);
        if is_long {
            return;
        }
        if let Some(topic) = object.path(&["context", "topic"]).and_then(|topic| topic.text()) {
            self.topic_of.entry(number).or_insert_with(|| topic.to_string());
            self.topics.entry(topic.into_owned()).or_default().push(number);
        }
        if let Some(messages) = object.path(&["references", "conversations"]) {
            let messages = messages.items().filter_map(|id| id.text());
            self.discussed.extend(messages.map(|id| (number, id.into_owned())));
        }
        let unsearched = Bmad.unsearched();
        object.each_string(&mut |path, value| {
            let name = path.last().map_or("", |name| name.as_ref());
            let own = path.len() == 1 && name == "id";
            if own || NO_TEXT.contains(&name) || unsearched.contains(&name) {
                return;
            }
            if let Some(text) = value.text() {
                self.words_of(&text, number);
            }
        });
    }

    fn words_of(&mut self, text: &str, number: u32) {
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            if word.len() < *WORD.start() || word.len() > WORD.end() * 4 {
                continue;
            }
            self.word.clear();
            if word.is_ascii() {
                self.word.extend(word.chars().map(|c| c.to_ascii_lowercase()));
            } else {
                self.word.push_str(&word.to_lowercase());
            }
            if !WORD.contains(&self.word.chars().count()) {
                continue;
            }
            match self.words.get_mut(&self.word) {
                Some(ids) if ids.last() == Some(&number) => {}
                Some(ids) => ids.push(number),
                None => {
                    self.words.insert(self.word.clone(), vec![number]);
                }
            }
        }
    }

    /// The hours under which each id is.
    fn hours_of_ids(&self) -> HashMap<&str, Vec<String>> {
        let mut hours: HashMap<&str, Vec<String>> = HashMap::new();
        for (hour, numbers) in &self.hours {
            for id in numbers.iter().filter_map(|number| self.ids.get(*number as usize)) {
                hours.entry(id).or_default().push(hour_of(*hour));
            }
        }
        hours
    }

    /// In the specification's sample a decision is under the topic of the messages
    /// that led to it.
    fn topics_of_decisions(&mut self) {
        for (decision, message) in std::mem::take(&mut self.discussed) {
            let number = self.numbers.get(&message);
            let topic = number.and_then(|number| self.topic_of.get(number));
            let topic = topic.and_then(|topic| self.topics.get_mut(topic));
            topic.into_iter().for_each(|ids| ids.push(decision));
        }
    }
}

/// The hour as `YYYY-MM-DDTHH`.
fn hour_of(hour: Option<i64>) -> String {
    let Some(hour) = hour else { return UNDATED.to_owned() };
    let text = Moment(hour.saturating_mul(HOUR)).to_rfc3339();
    text.split(':').next().unwrap_or_default().to_owned()
}

fn part(out: &mut String, name: &str, mut members: Vec<(String, Ids)>, ids: &[String]) {
    members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    *out += &format!(",\n  \"{name}\": {{");
    let filled = !members.is_empty();
    for (at, (key, mut numbers)) in members.into_iter().enumerate() {
        // Records may share an id.
        numbers.sort_unstable();
        numbers.dedup();
        out.push_str(if at > 0 { ",\n    " } else { "\n    " });
        out.push_str(&quote(&key));
        out.push_str(": [");
        for (at, id) in numbers.iter().filter_map(|number| ids.get(*number as usize)).enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            out.push_str(id);
        }
        out.push(']');
    }
    out.push_str(if filled { "\n  }" } else { "}" });
}

fn keep_unknown(out: &mut String, existing: &[u8]) {
    let mut tape = Tape::default();
    let Ok(object) = whole_object(&mut tape, without_mark(existing)) else { return };
    for (key, value) in object.members().filter(|(key, _)| !OWN.iter().any(|own| key.is_text(own))) {
        let (key, value) = (String::from_utf8_lossy(key.raw()), String::from_utf8_lossy(value.raw()));
        *out += &format!(",\n  {key}: {value}");
    }
}
