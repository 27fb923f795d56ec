//! Rules of clean-ups by name, with palimp's own data.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rule::CleanUpRule;
use crate::detectors::detect;
use crate::disk::{Disk, RealDisk};
use crate::model::PathText;
use crate::store::steps::make_folders;
use crate::usecase::data_file::{read_to_change, write};
use crate::usecase::value_places::RULES_FILE;

/// It is locked while rules are changed.
const LOCK: &str = "clean-up-rules.lock";
/// The longest name of a rule.
const LONGEST: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRules {
    rules: BTreeMap<String, CleanUpRule>,
}

impl SavedRules {
    /// Reads the rules in the folder of palimp's own data.
    /// Fails if there are some that can't be read: a rule that is saved then would replace them.
    pub fn kept_in(data: &Path) -> Result<SavedRules, String> {
        read_to_change(data, RULES_FILE).map_err(|why| format!("{why} Nothing was changed."))
    }

    /// Changes the rules that are kept, while no other palimp does, and returns them.
    /// Fails if they can't be read or written, or if the change is refused. The text says why.
    pub fn change(
        data: &Path,
        change: impl FnOnce(&mut SavedRules) -> Result<(), String>,
    ) -> Result<SavedRules, String> {
        let lock = data.join(LOCK);
        let held = make_folders(&RealDisk, data).and_then(|()| RealDisk.flock(&lock, Some(0o600)));
        let held = held.map_err(|error| format!("{} can't be locked: {error}.", lock.to_text()))?;
        let _held = held.ok_or("Another palimp is saving a rule: try again. Nothing was changed.")?;
        let mut rules = SavedRules::kept_in(data)?;
        change(&mut rules)?;
        rules.keep_in(data)?;
        Ok(rules)
    }

    pub fn get(&self, name: &str) -> Option<&CleanUpRule> {
        self.rules.get(name)
    }

    /// Returns all rules, by their names.
    pub fn all(&self) -> impl Iterator<Item = (&str, &CleanUpRule)> {
        self.rules.iter().map(|(name, rule)| (name.as_str(), rule))
    }

    /// Saves a rule under a name.
    /// Fails if the name is no word or another rule has it, if the rule names nothing, or if it holds a secret, which
    /// would stay in its file.
    pub fn add(&mut self, name: &str, rule: CleanUpRule) -> Result<(), String> {
        let is_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('-') || name.len() > LONGEST || !name.chars().all(is_word) {
            return Err(format!(
                "the name of a rule has letters, digits, `-`, `_` and `.`, does not begin with `-`, and has at most \
                 {LONGEST} bytes."
            ));
        }
        if rule.is_empty() {
            return Err(
                "a rule needs a topic, a query, a kind or a list of names. A value is not saved.".into()
            );
        }
        let texts = [rule.topic.as_deref(), rule.query.as_deref(), Some(name)];
        if texts.into_iter().flatten().any(|own| !detect(own.as_bytes(), None).is_empty()) {
            return Err("the rule holds something sensitive, which would stay in its file: a file of names, or a kind, \
                        says the same. It was not saved."
                .into());
        }
        if let Some(other) = self.rules.get(name).filter(|own| **own != rule) {
            return Err(format!(
                "there is another rule {name}: {}. Remove it with `palimp forget --remove-rule {name}`, or take \
                 another name.",
                other.told()
            ));
        }
        self.rules.insert(name.to_owned(), rule);
        Ok(())
    }

    /// Removes a rule. False if there is none of this name.
    pub fn remove(&mut self, name: &str) -> bool {
        self.rules.remove(name).is_some()
    }

    /// Keeps the rules.
    /// Fails if the folder of palimp's own data can't be written. The text says why.
    fn keep_in(&self, data: &Path) -> Result<(), String> {
        let kept = write(data, RULES_FILE, serde_json::to_vec_pretty(self));
        kept.map_err(|error| format!("The rule can't be saved: {error}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_outlives_the_program_and_holds_no_secret() {
        let folder = crate::folder::new();
        let rule =
            CleanUpRule { topic: Some("acme".into()), until: Some("-90d".into()), ..CleanUpRule::default() };
        let mut own = SavedRules::kept_in(folder.path()).unwrap();
        own.add("acme-monthly", rule.clone()).unwrap();
        own.keep_in(folder.path()).unwrap();
        let mut kept = SavedRules::kept_in(folder.path()).unwrap();
        assert_eq!(kept.get("acme-monthly"), Some(&rule));
        let secret = ["ghp_", "x7Kd9Qw2Lm4Rt6Yp8Zs1Vb3Nc5Hf0JgAeTuW"].concat();
        let secret = CleanUpRule { topic: Some(secret), ..CleanUpRule::default() };
        assert!(kept.add("other", secret).is_err());
        let address = CleanUpRule { topic: Some("bob@corp.example.org".into()), ..CleanUpRule::default() };
        assert!(kept.add("other", address).is_err());
        assert!(kept.add("two words", rule.clone()).is_err());
        let other = CleanUpRule { topic: Some("other".into()), ..rule.clone() };
        assert!(kept.add("acme-monthly", other).unwrap_err().contains("topic acme"));
        assert_eq!((kept.add("acme-monthly", rule.clone()), kept.get("acme-monthly")), (Ok(()), Some(&rule)));
        assert!(kept.add("empty", CleanUpRule::default()).is_err());
        assert!(kept.remove("acme-monthly") && !kept.remove("acme-monthly"));
        for text in ["{", "{}"] {
            std::fs::write(folder.path().join(RULES_FILE), text).unwrap();
            assert!(SavedRules::kept_in(folder.path()).is_err(), "{text}");
        }
    }
}
