//! Values that no text about a change shows, wherever they are.

use std::collections::BTreeSet;
use std::fmt;

use aho_corasick::AhoCorasick;

use crate::detectors::MASK;
use crate::model::{RecordText, UntrustedText};
use crate::store::erase::{ErasedValues, SecretValues};
use crate::text::pattern_search;

/// A part of a key with fewer bytes is in other texts by chance.
const SHORTEST_PART: usize = 8;
/// The same for a sentence.
const SHORTEST_PHRASE: usize = 12;
/// Only parts of the first bytes of a value are known.
const LONGEST: usize = 4096;
/// Parts of at most this many bytes are searched for. If there are more, no text is shown.
const PARTS: usize = 4 << 20;

/// Values that are asked for, and the parts of keys among them.
#[derive(Clone, Default)]
pub struct HiddenValues {
    values: SecretValues,
    search: ErasedValues,
    /// The values that are texts, the longest first: a value may be in a longer one.
    texts: Vec<String>,
    parts: Option<AhoCorasick>,
    /// True if the parts can't be searched for.
    hides_all: bool,
}

impl HiddenValues {
    /// Hides these values, and parts of the `keys`.
    pub fn of(values: &SecretValues, keys: &SecretValues) -> HiddenValues {
        let mut texts: Vec<String> =
            values.all().iter().filter_map(|own| String::from_utf8(own.to_vec()).ok()).collect();
        texts.sort_by_key(|own| std::cmp::Reverse(own.len()));
        let parts: BTreeSet<&[u8]> = keys.all().iter().flat_map(|own| parts(own)).collect();
        let bytes: usize = parts.iter().map(|own| own.len()).sum();
        let builder = pattern_search::builder(parts.iter().map(|own| own.len()));
        let search = (bytes <= PARTS).then(|| builder.build(parts.iter()).ok()).flatten();
        HiddenValues {
            values: values.clone(),
            search: ErasedValues::of(values.all()),
            texts,
            hides_all: search.is_none(),
            parts: search.filter(|_| !parts.is_empty()),
        }
    }

    pub fn values(&self) -> &SecretValues {
        &self.values
    }

    /// True if nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.parts.is_none() && !self.hides_all
    }

    /// Returns a text without them. A text that has one in another form, or a part of a key, is not shown at all.
    pub fn hide(&self, text: String) -> String {
        if self.is_empty() || !self.is_in(&text) && !self.hides_all {
            return text;
        }
        let rest = self.texts.iter().fold(text, |text, value| text.replace(value, MASK));
        if self.hides_all || self.is_in(&rest) { MASK.to_owned() } else { rest }
    }

    /// True if a text has a value in any form, or a part of a key.
    fn is_in(&self, text: &str) -> bool {
        let has_part = self.parts.as_ref().is_some_and(|own| own.is_match(text));
        has_part || !self.values.is_empty() && self.search.any(text.as_bytes())
    }

    /// Returns the text of a memory without them.
    pub fn hide_all(&self, text: RecordText) -> RecordText {
        let hide = |text: UntrustedText| self.hide(text.into_raw()).into();
        let each = |all: Vec<(String, UntrustedText)>| {
            all.into_iter().map(|(name, value)| (name, hide(value))).collect()
        };
        RecordText {
            title: hide(text.title),
            text: hide(text.text),
            main: text.main,
            other_texts: each(text.other_texts),
            fields: each(text.fields),
        }
    }
}

impl fmt::Debug for HiddenValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HiddenValues({})", self.values.all().len())
    }
}

/// Returns the parts of a key that are not shown either: a part that is a little longer has one of them.
fn parts(key: &[u8]) -> impl Iterator<Item = &[u8]> {
    let key = &key[..key.len().min(LONGEST)];
    let is_phrase = key.iter().any(u8::is_ascii_whitespace);
    let len = (key.len() / 4).max(if is_phrase { SHORTEST_PHRASE } else { SHORTEST_PART });
    key.windows(len).step_by((len / 8).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_hidden_in_every_form_and_a_part_of_a_key_hides_the_whole_text() {
        let key = ["zq", "_A1b2C3d4", "E5f6G7h8"].concat();
        let values = SecretValues::of([&key]);
        let hidden = HiddenValues::of(&values, &values);
        assert_eq!(hidden.hide(format!("It is {key}.")), format!("It is {MASK}."));
        assert_eq!(hidden.hide(format!("It began with {}", &key[..9])), MASK);
        assert_eq!(hidden.hide(format!("It ended with {}", &key[9..])), MASK);
        let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hidden.hide(format!("In hex: {hex}")), MASK);
        assert_eq!(hidden.hide("Nothing of it".into()), "Nothing of it");
        let link = SecretValues::of(["https://files.example/private/report-of-the-year.pdf"]);
        let hidden = HiddenValues::of(&link, &link);
        assert_eq!(hidden.hide("See https://other.example".into()), "See https://other.example");
    }

    #[test]
    fn if_there_are_more_parts_than_can_be_searched_for_no_text_is_shown() {
        let key =
            |own: u64| (0..800).map(|at| format!("{:05}", (own * 7_919 + at * 104_729) % 99_991)).collect();
        let keys = SecretValues::of((0..400).map(|own| -> String { key(own) }));
        let hidden = HiddenValues::of(&keys, &keys);
        assert_eq!(hidden.hide("Nothing of it".into()), MASK);
    }

    #[test]
    fn a_name_hides_no_text_that_has_a_part_of_it_and_a_longer_value_goes_first() {
        let values = SecretValues::of(["Marzenka", "Marzenka Nowak"]);
        let hidden = HiddenValues::of(&values, &SecretValues::default());
        assert_eq!(hidden.hide("Marzenka Nowak, or Marzen".into()), format!("{MASK}, or Marzen"));
    }
}
