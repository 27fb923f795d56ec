//! The rules of `assets/detectors.json`: keywords, the search for them, and the pattern that is tried where one is found.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use foldhash::fast::FixedState;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::kind::Kind;
use crate::text::hash_filter::HashFilter;

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
    /// If it is true, the text before a match may be a part of a word: the keyword is a context.
    #[serde(default)]
    pub ignore_case: bool,
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
    /// As a key: only long random values count.
    Key,
    /// As the password of a URL: any value that is no variable and no placeholder.
    Url,
    /// By its label: the rule has labels instead of a pattern, and [`super::passwords`] finds the value.
    Label,
    /// The same, for what is beside a key at most: the name of a service, or a word such as `key`.
    Name,
}

impl Rule {
    /// Returns the kind of what it finds.
    pub fn kind(&self) -> Kind {
        match &*self.kind {
            "assignment" => Kind::Password,
            name => Kind::of(name).unwrap_or(Kind::Token),
        }
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

    /// Returns the length of the keyword at the start of a value.
    pub fn prefix_len(&self, value: &[u8]) -> usize {
        let starts = |own: &&Cow<'_, str>| value.starts_with(own.as_bytes());
        self.keywords.iter().filter(starts).map(|own| own.len()).max().unwrap_or_default()
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
    pub fn hits<'r>(&'r self, bytes: &'r [u8]) -> impl Iterator<Item = (Range<usize>, &'r Rule)> + 'r {
        self.keywords.hits(bytes).filter_map(|(at, rule)| Some((at, self.rules.get(rule)?)))
    }
}

/// How many bytes of a keyword are hashed. No keyword is shorter.
const HEAD: usize = 3;
/// The number of bits that say whether a head may be that of a keyword.
const BITS: usize = 1 << 16;

/// Keywords, by their first bytes. The first screen waits until this is made: an automaton of all keywords takes some
/// three milliseconds to make, this index takes less than one.
struct KeywordIndex {
    /// The hashes of heads: nearly all places in a text are excluded by them.
    heads: HashFilter,
    by_head: HashMap<[u8; HEAD], Vec<Keyword>, FixedState>,
}

struct Keyword {
    text: Vec<u8>,
    ignore_case: bool,
    rule: usize,
}

impl KeywordIndex {
    /// Makes an index of keywords, each with whether its case is ignored, and its rule.
    fn of<'w>(words: impl Iterator<Item = (&'w [u8], bool, usize)>) -> KeywordIndex {
        let mut own = KeywordIndex { heads: HashFilter::of(BITS), by_head: HashMap::default() };
        for (text, ignore_case, rule) in words {
            let Some(head) = head(text, 0) else { continue };
            own.heads.add(hash(u32::from_le_bytes([head[0], head[1], head[2], 0])));
            let keyword = Keyword { text: text.to_vec(), ignore_case, rule };
            own.by_head.entry(head).or_default().push(keyword);
        }
        own
    }

    /// Returns where keywords are found, each with its rule.
    fn hits<'k>(&'k self, bytes: &'k [u8]) -> impl Iterator<Item = (Range<usize>, usize)> + 'k {
        let (mut end, mut last) = (0, 0);
        // Every byte of a store passes here.
        let places = std::iter::from_fn(move || {
            while end < bytes.len() {
                last = last >> 8 | u32::from(bytes[end].to_ascii_lowercase()) << 16;
                end += 1;
                if end >= HEAD && self.heads.may_have(hash(last)) {
                    return Some(end - HEAD);
                }
            }
            None
        });
        places.flat_map(move |at| {
            let known = head(bytes, at).and_then(|head| self.by_head.get(&head));
            let own = known.into_iter().flatten().filter(move |own| own.is_at(bytes, at));
            own.map(move |own| (at..at + own.text.len(), own.rule))
        })
    }
}

impl Keyword {
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let there = bytes.get(at..at + self.text.len());
        there.is_some_and(|there| match self.ignore_case {
            true => there.eq_ignore_ascii_case(&self.text),
            false => there == self.text,
        })
    }
}

/// Returns the first bytes at a place, in small letters.
fn head(bytes: &[u8], at: usize) -> Option<[u8; HEAD]> {
    let own: [u8; HEAD] = bytes.get(at..at + HEAD)?.try_into().ok()?;
    Some(own.map(|byte| byte.to_ascii_lowercase()))
}

fn hash(head: u32) -> u64 {
    u64::from(head.wrapping_mul(2_654_435_761) >> 16)
}
