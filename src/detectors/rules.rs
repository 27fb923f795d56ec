//! The rules of `assets/detectors.json`: keywords, and the pattern that is tried where one is found.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::keyword_index::KeywordIndex;
use super::kind::Kind;

/// The largest size a compiled pattern may have, in bytes.
const COMPILED: usize = 4 << 20;

/// How far after a keyword its value starts at most, in bytes.
const CONTEXT: usize = 112;

fn is_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`<>".contains(&byte)
}

/// True if a text is no plain word: it has a digit, a mark inside, or capitals inside.
fn is_odd(text: &[u8]) -> bool {
    let inner = &text[1..text.len() - 1];
    let is_mark = |byte: &u8| byte.is_ascii_punctuation() && !b"_./()".contains(byte);
    text.iter().any(|byte| byte.is_ascii_digit() || *byte > 127)
        || inner.iter().any(|byte| is_mark(byte) || byte.is_ascii_uppercase())
}

#[derive(Debug, Deserialize)]
pub struct Rule {
    /// Its name, as `secrets` prints it.
    pub name: Cow<'static, str>,
    kind: Cow<'static, str>,
    keywords: Vec<Cow<'static, str>>,
    #[serde(default)]
    ignore_case: bool,
    /// How many bytes before the keyword a match may start. If 0, it starts at the keyword.
    #[serde(default)]
    pub before: usize,
    /// True if the pattern also has what is around the value.
    #[serde(default)]
    in_context: bool,
    /// The least length of a value, in bytes.
    #[serde(default)]
    pub least: usize,
    pattern: Cow<'static, str>,
    /// The minimum entropy of the value, in bits a character.
    #[serde(default)]
    pub entropy: f64,
    /// How the value is judged, if the pattern alone says too little.
    #[serde(default)]
    pub judge: Judge,
    /// Templates of texts in which the rule finds something. Tests use them.
    #[cfg(test)]
    #[serde(default)]
    pub example: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

/// How a value is judged that has no form of its own.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// By its pattern and its entropy.
    #[default]
    Form,
    /// As a password: short values count, words do not.
    Password,
    /// As a key: only long random values count.
    Key,
    /// As the password of a URL: any value that is no variable and no placeholder.
    Url,
    /// As a number that unlocks something.
    Pin,
}

impl Rule {
    /// Returns the kind of what it finds.
    pub fn kind(&self) -> Kind {
        match &*self.kind {
            "assignment" => Kind::Password,
            name => Kind::of(name).unwrap_or(Kind::Token),
        }
    }

    /// True if the text before a match may be a part of a word: the keyword is a context.
    pub fn is_context(&self) -> bool {
        self.ignore_case
    }

    /// True if there is enough text for a value. Most keywords stand in plain text, and to compile a pattern
    /// takes longer than to search a screen.
    pub fn may_match(&self, bytes: &[u8], at: usize) -> bool {
        if !self.in_context && self.before == 0 {
            let run = bytes[at..].iter().take(self.least).take_while(|byte| !is_end(**byte)).count();
            return run >= self.least;
        }
        let from = at.saturating_sub(self.before);
        let near = &bytes[from..bytes.len().min(at + CONTEXT + self.least)];
        let mut starts = near.split(|byte| is_end(*byte)).scan(0, |end, run| {
            let start = *end;
            *end += run.len() + 1;
            Some((start, run))
        });
        let is_value = |run: &[u8]| match self.judge {
            Judge::Form | Judge::Url => run.len() >= self.least,
            _ => run.split(|byte| b"=:,;".contains(byte)).any(|own| own.len() >= self.least && is_odd(own)),
        };
        starts.any(|(start, run)| start < self.before + CONTEXT && is_value(run))
    }

    /// Returns the pattern, compiled when it is needed for the first time.
    pub fn pattern(&self) -> Option<&Regex> {
        let compile = || {
            let anchored = if self.before == 0 { "^" } else { "" };
            RegexBuilder::new(&format!("{anchored}(?:{})", self.pattern))
                .unicode(false)
                .case_insensitive(self.ignore_case)
                .size_limit(COMPILED)
                .build()
                .ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// The rules, and an index that finds their keywords.
pub struct RuleSet {
    rules: Vec<Rule>,
    keywords: KeywordIndex,
}

static RULES: LazyLock<RuleSet> = LazyLock::new(|| {
    #[derive(Default, Deserialize)]
    struct Asset {
        rules: Vec<Rule>,
    }
    let own: Asset = serde_json::from_str(include_str!("../../assets/detectors.json")).unwrap_or_default();
    let rules = own.rules;
    let words = rules.iter().enumerate().flat_map(|(number, rule)| {
        rule.keywords.iter().map(move |word| (word.as_bytes(), rule.ignore_case, number))
    });
    RuleSet { keywords: KeywordIndex::of(words), rules }
});

impl RuleSet {
    /// Returns the rules of the program.
    pub fn own() -> &'static RuleSet {
        &RULES
    }

    #[cfg(test)]
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns where a keyword is found, each with a rule of it.
    pub fn hits<'r>(&'r self, bytes: &'r [u8]) -> impl Iterator<Item = (usize, &'r Rule)> + 'r {
        self.keywords.hits(bytes).filter_map(|(at, rule)| Some((at, self.rules.get(rule)?)))
    }
}

impl Rule {
    /// Returns the length of the keyword at the start of a value.
    pub fn prefix_len(&self, value: &[u8]) -> usize {
        let starts = |own: &&Cow<'_, str>| value.starts_with(own.as_bytes());
        self.keywords.iter().filter(starts).map(|own| own.len()).max().unwrap_or_default()
    }
}
