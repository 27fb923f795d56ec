//! What a clean-up is about, in a form that can be saved. It never has a value that is to be erased.

use serde::{Deserialize, Serialize};

use crate::model::Moment;
use crate::query::{Query, QueryError};

/// What a clean-up is about. A memory must fit everything that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CleanUpRule {
    /// Words that are all in a memory, or its topic or tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// A query.
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
    /// True to take near-copies, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub near_copies: bool,
    /// True to take pinned memories, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

impl CleanUpRule {
    /// True if it names nothing to forget. A time range alone does not.
    pub fn is_empty(&self) -> bool {
        let is_blank = |own: &Option<String>| own.as_deref().is_none_or(|own| own.trim().is_empty());
        is_blank(&self.topic) && is_blank(&self.query) && self.kinds.is_empty() && self.names.is_none()
    }

    /// Returns its query; `None` if every memory fits.
    ///
    /// # Errors
    ///
    /// If the query or a time can't be understood.
    pub fn parsed(&self, now: Moment) -> Result<Option<Query>, QueryError> {
        let topic = self.topic.as_deref().map(of_topic);
        let time =
            |name: &str, value: &Option<String>| value.as_ref().map(|own| format!("{name}:{}", own.trim()));
        let texts = [topic, self.query.clone(), time("since", &self.since), time("until", &self.until)];
        let texts: Vec<String> = texts.into_iter().flatten().filter(|own| !own.trim().is_empty()).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Query::parse_all(&texts, now).map(Some)
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
            self.near_copies.then(|| "with near-copies".to_owned()),
            self.pinned.then(|| "with pinned memories".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Returns the query for a topic: all its words, or a topic or tag of this name.
fn of_topic(topic: &str) -> String {
    let plain: String = topic.chars().map(|c| if c == '"' { ' ' } else { c }).collect();
    let words: Vec<String> = plain.split_whitespace().map(|word| format!("\"{word}\"")).collect();
    let name = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.is_empty() {
        true => String::new(),
        false => format!("({}) OR topic:\"{name}\" OR tag:\"{name}\"", words.join(" ")),
    }
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
        for topic in ["a:b", "-x", "(", "*", "naïve café", "OR"] {
            let rule = CleanUpRule { topic: Some(topic.into()), ..CleanUpRule::default() };
            assert!(rule.parsed(NOW).is_ok(), "{topic}");
        }
    }

    #[test]
    fn a_time_alone_names_nothing_to_forget() {
        let own = CleanUpRule { since: Some("-7d".into()), ..CleanUpRule::default() };
        assert!(own.is_empty() && own.parsed(NOW).unwrap().is_some());
        let own = CleanUpRule { topic: Some("  ".into()), ..CleanUpRule::default() };
        assert!(own.is_empty());
        let own = CleanUpRule { kinds: vec!["email".into()], ..own };
        assert!(!own.is_empty());
        let wrong = CleanUpRule { until: Some("soon".into()), ..CleanUpRule::default() };
        assert!(wrong.parsed(NOW).is_err());
    }
}
