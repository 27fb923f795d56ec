//! What a clean-up is about, in a form that can be saved. It never has a value that is to be erased.

use serde::{Deserialize, Serialize};

use crate::model::{Moment, PathText, Snapshot, Store};
use crate::query::{Query, QueryError, quoted};

/// What a clean-up is about. A memory must fit everything that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CleanUpRule {
    /// Words that are all in a memory, or its topic or tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Kinds of sensitive values, by the names of `palimp secrets`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// The path of a list of names, one on each line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Not before this time, as `since:` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Not after this time, as `until:` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The roots of its stores, as paths are shown. It is run in these and no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<String>,
    /// True to take near-copies, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub near_copies: bool,
    /// True to take pinned memories, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

impl CleanUpRule {
    /// True if it names nothing to forget. A time range alone does not, and neither does a topic or a query that says
    /// nothing, whatever is beside it: a variable may have been empty.
    pub fn is_empty(&self) -> bool {
        let is_some = self.topic.is_some() || self.query.is_some();
        self.says_nothing() || !is_some && self.kinds.is_empty() && self.names.is_none()
    }

    /// True if a topic or a query is given that fits every memory.
    pub fn says_nothing(&self) -> bool {
        let topic = self.topic.as_deref().is_some_and(|own| of_topic(own).is_empty());
        let fits_all = |own: &str| match Query::parse(own, Moment(0)) {
            Ok(query) => !query.says_which(),
            // It is refused with its reason.
            Err(_) => own.trim().is_empty(),
        };
        topic || self.query.as_deref().is_some_and(fits_all)
    }

    /// Returns its query; `None` if every memory fits.
    /// Fails if the query or a time can't be understood.
    pub fn parsed(&self, now: Moment) -> Result<Option<Query>, QueryError> {
        let topic = self.topic.as_deref().map(of_topic);
        parsed(&[topic, self.query.clone(), self.since_text(), self.until_text()], now)
    }

    /// Returns the query of its time range alone; `None` if every time fits.
    /// Fails if a time can't be understood.
    pub fn parsed_time(&self, now: Moment) -> Result<Option<Query>, QueryError> {
        parsed(&[self.since_text(), self.until_text()], now)
    }

    fn since_text(&self) -> Option<String> {
        self.since.as_deref().map(|own| field("since", own))
    }

    fn until_text(&self) -> Option<String> {
        self.until.as_deref().map(|own| field("until", own))
    }

    /// Returns the rule of a name for one run: times that are given beside the name count instead of its own, and
    /// what is to be taken, too, is added.
    pub fn narrowed(&self, asked: &CleanUpRule) -> CleanUpRule {
        CleanUpRule {
            since: asked.since.clone().or_else(|| self.since.clone()),
            until: asked.until.clone().or_else(|| self.until.clone()),
            near_copies: asked.near_copies || self.near_copies,
            pinned: asked.pinned || self.pinned,
            ..self.clone()
        }
    }

    /// True if it is run in this store.
    pub fn is_for(&self, store: &Store) -> bool {
        self.stores.is_empty() || self.stores.iter().any(|root| *root == store.root.to_text())
    }

    /// The same rule for the stores of a snapshot.
    #[must_use]
    pub fn of_stores(&self, snapshot: &Snapshot) -> CleanUpRule {
        let roots = snapshot.stores.iter().map(|store| store.root.to_text().into_owned());
        CleanUpRule { stores: roots.collect(), ..self.clone() }
    }

    /// Says what it is about, in one line. Untrusted text.
    pub fn told(&self) -> String {
        let one = |name: &str, value: &Option<String>| value.as_ref().map(|own| format!("{name} {own}"));
        let parts = [
            one("topic", &self.topic),
            one("query", &self.query),
            (!self.kinds.is_empty()).then(|| format!("kind {}", self.kinds.join(", "))),
            one("names in", &self.names),
            one("since", &self.since),
            one("until", &self.until),
            (!self.stores.is_empty()).then(|| format!("in {}", self.stores.join(", "))),
            self.near_copies.then(|| "with near-copies".to_owned()),
            self.pinned.then(|| "with pinned memories".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Returns the query for a topic: all its words, or a topic or tag of this name.
fn of_topic(topic: &str) -> String {
    let plain: String = topic.chars().map(|c| if c == '"' { ' ' } else { c }).collect();
    let words: Vec<String> = plain.split_whitespace().map(quoted).collect();
    let name = quoted(&plain.split_whitespace().collect::<Vec<_>>().join(" "));
    match words.is_empty() {
        true => String::new(),
        false => format!("({}) OR topic:{name} OR tag:{name}", words.join(" ")),
    }
}

fn field(name: &str, value: &str) -> String {
    let value = value.trim();
    if value.is_empty() { String::new() } else { format!("{name}:{}", quoted(value)) }
}

fn parsed(texts: &[Option<String>], now: Moment) -> Result<Option<Query>, QueryError> {
    let texts: Vec<&str> =
        texts.iter().flatten().map(|own| own.trim()).filter(|own| !own.is_empty()).collect();
    if texts.is_empty() { Ok(None) } else { Query::parse_all(&texts, now).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment(1_770_000_000_000_000);

    #[test]
    fn a_topic_is_all_its_words_or_a_topic_or_tag_of_this_name() {
        assert_eq!(
            of_topic("acme \"corp\""),
            "(\"acme\" \"corp\") OR topic:\"acme corp\" OR tag:\"acme corp\""
        );
        assert_eq!(of_topic(" \" "), "");
        for topic in ["a:b", "-x", "(", "*", "naïve café", "OR", "C:\\temp\\", "a \\\" b"] {
            let rule = CleanUpRule { topic: Some(topic.into()), ..CleanUpRule::default() };
            assert!(rule.parsed(NOW).is_ok(), "{topic}");
        }
    }

    #[test]
    fn a_time_alone_names_nothing_to_forget() {
        let own = CleanUpRule { since: Some("-7d".into()), ..CleanUpRule::default() };
        assert!(own.is_empty() && own.parsed(NOW).unwrap().is_some());
        for topic in ["  ", "\"", "\"\"", " \" "] {
            let own = CleanUpRule { topic: Some(topic.into()), ..CleanUpRule::default() };
            assert!(
                own.is_empty() && CleanUpRule { kinds: vec!["email".into()], ..own }.is_empty(),
                "{topic}"
            );
        }
        for query in ["", "sort:time", "limit:5", "min:.1", "depth:2"] {
            assert!(
                CleanUpRule { query: Some(query.into()), ..CleanUpRule::default() }.is_empty(),
                "{query}"
            );
        }
        let own = CleanUpRule { kinds: vec!["email".into()], ..CleanUpRule::default() };
        assert!(!own.is_empty());
        for wrong in ["soon", "2026-01-01 OR -30d", "2026-01-01\" OR \"x"] {
            let wrong = CleanUpRule { until: Some(wrong.into()), ..CleanUpRule::default() };
            assert!(wrong.parsed(NOW).is_err() && wrong.parsed_time(NOW).is_err());
        }
    }

    #[test]
    fn times_beside_the_name_of_a_rule_count_instead_of_its_own() {
        let rule =
            CleanUpRule { topic: Some("a".into()), since: Some("-9d".into()), ..CleanUpRule::default() };
        let asked = CleanUpRule { since: Some("-1d".into()), pinned: true, ..CleanUpRule::default() };
        let own = rule.narrowed(&asked);
        assert_eq!((own.topic.as_deref(), own.since.as_deref(), own.pinned), (Some("a"), Some("-1d"), true));
    }
}
