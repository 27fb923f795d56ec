//! The rules of `assets/detectors.json`: keywords, the search for them, and the pattern that is tried where one is found.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use foldhash::fast::FixedState;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::kind::Kind;

/// The largest size a compiled pattern may have, in bytes.
const COMPILED: usize = 4 << 20;

/// How far after a keyword its value starts at most, in bytes.
const CONTEXT: usize = 112;
/// The longest text that a pattern is tried on, in bytes.
const WINDOW: usize = 4096;
/// How many bytes after a keyword are searched at least. What is left of its value then, and of marks after it, too.
const REACH: usize = 248;
const MARKS: usize = 8;

fn is_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>')
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
    /// What must follow the keyword without a space: a login in an address has an `@`, most addresses have none.
    #[serde(default)]
    with: Cow<'static, str>,
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
        let run = || bytes[at..].iter().take(WINDOW).take_while(|byte| !is_end(**byte));
        if !self.in_context && self.before == 0 {
            return run().count() >= self.least;
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
        self.with.bytes().all(|with| run().any(|byte| *byte == with))
            && starts.any(|(start, run)| start < self.before + CONTEXT && is_value(run))
    }

    /// Returns where the text ends in which the pattern is searched for. One that may start before the keyword would be
    /// searched for in all text after it.
    pub fn end(&self, bytes: &[u8], at: usize) -> usize {
        let most = bytes.len().min(at + WINDOW);
        let reach = if self.before > 0 { most.min(at + REACH) } else { most };
        let len = bytes[reach..most].iter().take_while(|byte| !is_end(**byte)).count();
        most.min(reach + len + MARKS)
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

/// The number of hashes of heads.
const HASHES: usize = 1 << 12;

/// The rules, and an index of their keywords by their heads, the first three bytes. The first screen waits until it is
/// made: an automaton of all keywords takes some three milliseconds to make, this takes less than one.
pub struct RuleSet {
    pub rules: Vec<Rule>,
    /// What follows a head in keywords, by the hash of the head: nearly all places in a text are excluded by it.
    following: Box<[u32; HASHES]>,
    /// The keywords with a head, each with the number of its rule.
    by_head: HashMap<u32, Vec<(Vec<u8>, usize)>, FixedState>,
}

pub static RULES: LazyLock<RuleSet> = LazyLock::new(|| {
    let mut asset: HashMap<String, Vec<Rule>> =
        serde_json::from_str(include_str!("../../assets/detectors.json")).unwrap_or_default();
    RuleSet::of(asset.remove("rules").unwrap_or_default())
});

impl RuleSet {
    fn of(rules: Vec<Rule>) -> RuleSet {
        let mut following_bytes = Box::new([0; HASHES]);
        let mut by_head: HashMap<u32, Vec<(Vec<u8>, usize)>, FixedState> = HashMap::default();
        let words = rules
            .iter()
            .enumerate()
            .flat_map(|(number, rule)| rule.keywords.iter().map(move |word| (number, word.as_bytes())));
        for (number, word) in words {
            let Some((&[a, b, c], rest)) = word.split_first_chunk() else { continue };
            let start = start_of([a, b, c, *rest.first().unwrap_or(&0)]);
            following_bytes[hash(start)] |= if rest.is_empty() { u32::MAX } else { following(start) };
            by_head.entry(start << 8).or_default().push((word.to_vec(), number));
        }
        RuleSet { rules, following: following_bytes, by_head }
    }

    /// Returns where a keyword is found, each with a rule of it. Every byte of a store passes here.
    pub fn hits<'r>(&'r self, bytes: &'r [u8]) -> impl Iterator<Item = (Range<usize>, &'r Rule)> + 'r {
        let starts = (0..bytes.len()).filter_map(move |at| {
            let start = match *bytes.get(at..)? {
                [a, b, c, d, ..] => start_of([a, b, c, d]),
                [a, b, c] => start_of([a, b, c, 0]),
                _ => return None,
            };
            (self.following[hash(start)] & following(start) != 0).then_some((at, start))
        });
        starts.flat_map(move |(at, start)| {
            let words = self.by_head.get(&(start << 8)).into_iter().flatten();
            words.filter_map(move |(word, rule)| {
                let there = bytes.get(at..at + word.len())?;
                // Most others end in another letter.
                if (there.last()? ^ word.last()?) & 31 != 0 {
                    return None;
                }
                let rule = self.rules.get(*rule)?;
                let is_it = there == word || rule.ignore_case && there.eq_ignore_ascii_case(word);
                is_it.then(|| (at..at + word.len(), rule))
            })
        })
    }
}

/// Returns a head and the byte after it. Letters in both cases are the same.
fn start_of(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes) | 0x2020_2020
}

fn hash(start: u32) -> usize {
    ((start << 8).wrapping_mul(2_654_435_761) >> 20) as usize
}

/// Returns the bit of the byte after a head.
fn following(start: u32) -> u32 {
    1 << (start >> 24 & 31)
}
