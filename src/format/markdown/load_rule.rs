//! What programs load of a file at their start: `assets/load_rules.json`. All was looked up on 2026-11-29.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::{LoadLimit, LoadSettings, PathText};

#[derive(Deserialize)]
pub struct LoadRule {
    pub reader: &'static str,
    /// The file, relative to the root.
    pub file: &'static str,
    /// The folder above the root that shows that it is this program; empty if any other may be.
    #[serde(default)]
    pub below: &'static str,
    /// The most units without settings.
    pub most: usize,
    unit: LoadUnit,
    pub cut: LoadCut,
    /// The name of the setting of the limit, if there is one.
    #[serde(default)]
    pub setting: &'static str,
    /// The name of the setting that turns the file off, if there is one.
    #[serde(default)]
    pub switch: &'static str,
    /// The setting of a limit together with the files before it, and its value without settings.
    shared: Option<(&'static str, usize)>,
    /// The version of the program that the limit is from.
    pub source: &'static str,
}

/// What the limit counts.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LoadUnit {
    Bytes,
    Utf16,
    /// A line end is one.
    Characters,
}

/// What is loaded of a file over its limit.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadCut {
    /// The lines before the first that goes beyond it, or beyond this number. Front matter and comments may not count.
    Lines {
        most: usize,
        with_front_matter: bool,
    },
    /// A file is cut if it is longer than both `times` its limit and `least` characters. These per cent of the larger one
    /// are then loaded from its start and from its end.
    Ends {
        times: usize,
        least: usize,
        start: usize,
        end: usize,
    },
    Unknown,
}

static RULES: LazyLock<HashMap<&str, Vec<LoadRule>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../assets/load_rules.json")).unwrap_or_default()
});

pub fn rules_of(family: &str) -> &'static [LoadRule] {
    RULES.get(family).map_or(&[], Vec::as_slice)
}

impl LoadRule {
    pub fn has_bytes(&self) -> bool {
        self.unit == LoadUnit::Bytes
    }

    /// Returns how much of the limit a text takes.
    pub fn len(&self, text: &str) -> usize {
        text.chars().map(|c| self.size(c)).sum()
    }

    /// Returns how much of the limit a character takes.
    pub fn size(&self, c: char) -> usize {
        match self.unit {
            LoadUnit::Bytes => c.len_utf8(),
            LoadUnit::Utf16 => c.len_utf16(),
            LoadUnit::Characters => usize::from(c != '\r'),
        }
    }

    /// Returns the most bytes or characters with these settings. What is loaded before the file takes a part of them.
    pub fn most_with(&self, settings: &LoadSettings) -> usize {
        let most = settings.number(self.setting).unwrap_or(self.most);
        let before: usize = settings.before.iter().map(|size| most.min(*size)).sum();
        let shared = self.shared.map(|(name, most)| settings.number(name).unwrap_or(most));
        most.min(shared.unwrap_or(usize::MAX).saturating_sub(before))
    }

    /// Returns the limit for people, if this is the most bytes or characters.
    pub fn limit(&self, most: usize) -> LoadLimit {
        match self.cut {
            LoadCut::Lines { most: lines, .. } if self.has_bytes() => LoadLimit::LinesOrBytes(lines, most),
            LoadCut::Lines { most: lines, .. } => LoadLimit::LinesOrCharacters(lines, most),
            _ if self.has_bytes() => LoadLimit::Bytes(most),
            _ => LoadLimit::Characters(most),
        }
    }

    /// Returns where the limit is from: a file of settings, or a version of the program.
    pub fn limit_source(&self, settings: &LoadSettings) -> String {
        let file = settings.file.as_ref().filter(|_| settings.number(self.setting).is_some());
        file.map_or_else(|| self.source.to_owned(), |file| file.to_text().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_families_have_rules() {
        let files = |name| rules_of(name).iter().map(|rule| rule.file).collect::<Vec<_>>();
        assert_eq!((RULES.len(), files("markdown/hermes")), (4, vec!["MEMORY.md", "USER.md"]));
    }
}
