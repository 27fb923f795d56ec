//! Rebuilds a session's index (§3.6) from its logs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::logs::{LogBytes, each_piece, stamp};
use crate::format::Format;
use crate::format::bmad::Bmad;
use crate::format::record_reader::with_layout;
use crate::format::writing::members_of;
use crate::model::time::HOUR;
use crate::model::{FastMap, Moment};
use crate::text::json::Json;
use crate::text::json_edit::quoted;

/// The members that palimp rebuilds. Other members of an index stay.
const OWN: [&str; 6] =
    ["session_id", "created_at", "inverted_index", "topic_index", "temporal_index", "version"];
/// The length of a word, in letters and digits. Longer ones are encoded data and would make the
/// index as large as the logs.
const WORD: std::ops::RangeInclusive<usize> = 3..=64;
/// The longest id, in bytes, for words and topics. A longer one is only under its hour: repeated
/// for each word, it would make the index many times as large as the logs.
const LONGEST_ID: usize = 64;
/// Members that are not text: the author, and words of enumerations.
const NO_TEXT: [&str; 8] =
    ["agent_id", "made_by", "discovered_by", "approved_by", "role", "impact", "severity", "status"];
/// The key of records whose time can't be read: every id must have an hour.
const UNDATED: &str = "undated";

/// Returns the index of a session with these logs. The same logs give the same bytes, in any order.
/// Unknown members of the existing index stay.
pub fn index(existing: Option<&[u8]>, session: &str, logs: &[LogBytes<'_>], now: Moment) -> Vec<u8> {
    with_layout(existing, |existing, _| IndexTemplate::of(existing, session, logs).at(now))
}

/// An index without the time of its creation: the text before it and after it.
pub struct IndexTemplate([String; 2]);

impl IndexTemplate {
    pub fn of(existing: Option<Json<'_>>, session: &str, logs: &[LogBytes<'_>]) -> IndexTemplate {
        let mut made = IndexBuilder::default();
        each_piece(logs, &mut |_, piece| {
            if let Some(object) = piece.object {
                made.take(object);
            }
        });
        made.topics_of_decisions();
        let head = format!("{{\n  \"session_id\": {},\n  \"created_at\": ", quoted(session));
        let mut out = String::new();
        part(&mut out, "inverted_index", made.words.into_iter().collect(), &made.quoted);
        part(&mut out, "topic_index", made.topics.into_iter().collect(), &made.quoted);
        let hours = made.hours.into_iter().map(|(hour, ids)| (hour_of(hour), ids));
        part(&mut out, "temporal_index", hours.collect(), &made.quoted);
        out += ",\n  \"version\": 1";
        let others = existing.into_iter().flat_map(|object| object.members());
        for (key, value) in others.filter(|(key, _)| !OWN.iter().any(|own| key.is_text(own))) {
            out += &format!(",\n  {}: {}", key.spelled(), value.spelled());
        }
        out += "\n}\n";
        IndexTemplate([head, out])
    }

    /// Returns the bytes of the index with that time.
    pub fn at(&self, now: Moment) -> Vec<u8> {
        self.0.join(&quoted(&stamp(now))).into_bytes()
    }

    /// True if `bytes` are this index, made at that time.
    pub fn is(&self, bytes: &[u8], created: Moment) -> bool {
        let [head, tail] = &self.0;
        let time = bytes.strip_prefix(head.as_bytes()).and_then(|rest| rest.strip_suffix(tail.as_bytes()));
        time == Some(quoted(&stamp(created)).as_bytes())
    }
}

/// True if an index has palimp's layout: one line per word, with all its ids. Such an index must
/// have every word. Another program may leave out words.
pub fn is_own(existing: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(existing) else { return false };
    let Some((head, words)) = text.split_once("\n  \"inverted_index\": {") else { return false };
    let first = words.lines().nth(1).unwrap_or_default();
    head.starts_with("{\n  \"session_id\": ")
        && (words.starts_with('}')
            || first.starts_with("    \"") && first.trim_end_matches(',').ends_with("\"]"))
}

/// True if an index is wrong about a record: it has a word that is not in the record, or a wrong
/// hour or topic. A word may be in its basic form.
pub fn contradicts(object: Json<'_>, logs: &[LogBytes<'_>]) -> bool {
    let mut made = IndexBuilder::default();
    let mut texts: FastMap<String, String> = FastMap::default();
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
    // If most topics are words of the records, the others are wrong. Otherwise the writer chose its own.
    let other_topics = known < topics.len() && known * 2 > topics.len();
    other_topics
        || pairs(object, "inverted_index").any(|(word, id)| !has_word(&word, &id))
        || pairs(object, "temporal_index").any(|(key, id)| !is_hour(&key, &id))
}

/// Returns the keys of a part of an index, each with each of its ids.
fn pairs<'a>(object: Json<'a>, part: &str) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
    let members: Vec<_> = object.get(part).into_iter().flat_map(|part| part.members()).collect();
    members.into_iter().flat_map(|(key, ids)| {
        let key = key.text().unwrap_or_default();
        let ids: Vec<_> = ids.items().filter_map(|id| Some((key.clone(), id.text()?))).collect();
        ids
    })
}

type IdNumbers = Vec<u32>;

/// An index under construction. Ids are numbered in the order of their first records.
#[derive(Default)]
struct IndexBuilder {
    numbers: FastMap<String, u32>,
    /// The ids as JSON strings.
    quoted: Vec<String>,
    words: FastMap<String, IdNumbers>,
    topics: FastMap<String, IdNumbers>,
    /// If records share an id, the first one counts.
    topic_of: FastMap<u32, String>,
    hours: BTreeMap<Option<i64>, IdNumbers>,
    /// Decisions, with the messages that they refer to.
    discussed: Vec<(u32, String)>,
    word: String,
}

impl IndexBuilder {
    fn take(&mut self, object: Json<'_>) {
        let [id, timestamp, context, references] =
            members_of(object, ["id", "timestamp", "context", "references"]);
        let Some(id) = id.and_then(|id| id.text()) else { return };
        let is_long = id.len() > LONGEST_ID;
        let number = match self.numbers.get(id.as_ref()) {
            Some(number) => *number,
            None => {
                let number = self.quoted.len() as u32;
                self.quoted.push(quoted(&id));
                self.numbers.insert(id.into_owned(), number);
                number
            }
        };
        let when = timestamp.and_then(|own| own.moment());
        self.hours.entry(when.map(|when| when.0.div_euclid(HOUR))).or_default().push(number);
        if is_long {
            return;
        }
        if let Some(topic) = context.and_then(|context| context.get("topic")?.text()) {
            self.topic_of.entry(number).or_insert_with(|| topic.to_string());
            self.topics.entry(topic.into_owned()).or_default().push(number);
        }
        if let Some(messages) = references.and_then(|references| references.get("conversations")) {
            let messages = messages.items().filter_map(|id| id.text());
            self.discussed.extend(messages.map(|id| (number, id.into_owned())));
        }
        let unsearched = Bmad.about().unsearched;
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
            let letters = if word.is_ascii() {
                self.word.push_str(word);
                self.word.make_ascii_lowercase();
                word.len()
            } else {
                self.word.push_str(&word.to_lowercase());
                self.word.chars().count()
            };
            if !WORD.contains(&letters) {
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

    fn hours_of_ids(&self) -> FastMap<&str, Vec<String>> {
        let mut hours: FastMap<u32, Vec<String>> = FastMap::default();
        for (hour, numbers) in &self.hours {
            numbers.iter().for_each(|number| hours.entry(*number).or_default().push(hour_of(*hour)));
        }
        self.numbers
            .iter()
            .map(|(id, number)| (id.as_str(), hours.remove(number).unwrap_or_default()))
            .collect()
    }

    /// Adds decisions to the topics of the messages that led to them, as in the specification's sample.
    fn topics_of_decisions(&mut self) {
        for (decision, message) in std::mem::take(&mut self.discussed) {
            let number = self.numbers.get(&message);
            let topic = number.and_then(|number| self.topic_of.get(number));
            let topic = topic.and_then(|topic| self.topics.get_mut(topic));
            topic.into_iter().for_each(|ids| ids.push(decision));
        }
    }
}

fn hour_of(hour: Option<i64>) -> String {
    let Some(hour) = hour else { return UNDATED.to_owned() };
    let text = Moment(hour.saturating_mul(HOUR)).to_rfc3339();
    text.split(':').next().unwrap_or_default().to_owned()
}

fn part(out: &mut String, name: &str, mut members: Vec<(String, IdNumbers)>, ids: &[String]) {
    members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    *out += &format!(",\n  \"{name}\": {{");
    let filled = !members.is_empty();
    for (at, (key, mut numbers)) in members.into_iter().enumerate() {
        // Records may share an id.
        numbers.sort_unstable();
        numbers.dedup();
        out.push_str(if at > 0 { ",\n    " } else { "\n    " });
        out.push_str(&quoted(&key));
        out.push_str(": [");
        for (at, id) in numbers.iter().filter_map(|number| ids.get(*number as usize)).enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            out.push_str(id);
        }
        out.push(']');
    }
    out.push_str(if filled { "\n  }" } else { "}" });
}
