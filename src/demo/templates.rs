//! The memories of the invented team: templates from `assets/demo` with their slots filled.

use std::collections::{HashSet, VecDeque};

use super::demo_memory::DemoMemory;
use super::fake_secrets::fake_secret;
use super::rng::DemoRng;
use crate::model::Moment;
use crate::model::time::HOUR;

/// The templates of one file in shuffled order. One that is used goes to the end.
type TemplateDeck = VecDeque<Vec<&'static str>>;

/// Splits the lines of a file into columns.
pub fn cards(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split(" | ").map(str::trim).collect())
}

pub struct Templates {
    decks: Vec<(&'static str, TemplateDeck)>,
    slots: Vec<(&'static str, Vec<&'static str>)>,
    told: HashSet<String>,
}

impl Templates {
    pub fn new(chance: &mut DemoRng) -> Self {
        let files = [
            ("core", include_str!("../../assets/demo/core.txt")),
            ("learning", include_str!("../../assets/demo/learnings.txt")),
            ("task", include_str!("../../assets/demo/tasks.txt")),
            ("conversation", include_str!("../../assets/demo/conversations.txt")),
            ("decision", include_str!("../../assets/demo/decisions.txt")),
            ("finding", include_str!("../../assets/demo/findings.txt")),
            ("preference", include_str!("../../assets/demo/preferences.txt")),
            ("secret", include_str!("../../assets/demo/secrets.txt")),
            ("long", include_str!("../../assets/demo/long.txt")),
        ];
        let deck = |(kind, text)| {
            let mut cards: Vec<Vec<&'static str>> = cards(text).collect();
            chance.shuffle(&mut cards);
            (kind, cards.into())
        };
        let lines = include_str!("../../assets/demo/slots.txt").lines().filter(|line| !line.starts_with('#'));
        let named = lines.filter_map(|line| line.split_once(':'));
        let slots =
            named.map(|(name, values)| (name, values.split(" | ").map(str::trim).collect())).collect();
        Templates { decks: files.into_iter().map(deck).collect(), slots, told: HashSet::new() }
    }

    /// Excludes a text that is used elsewhere.
    pub fn leave_out(&mut self, text: &str) {
        self.told.insert(text.to_owned());
    }

    /// Returns a question with its answer, or one memory of another type. Tries 40 times to avoid repeats.
    pub fn tell(&mut self, kind: &str, when: Moment, chance: &mut DemoRng) -> Vec<DemoMemory> {
        let mut columns = Vec::new();
        for _ in 0..40 {
            columns = self.fill(kind, chance);
            let own = DemoMemory::of(kind, &columns);
            let answer = if kind == "conversation" { own.more } else { String::new() };
            if self.told.insert(own.main) & (answer.is_empty() || self.told.insert(answer)) {
                break;
            }
        }
        let by = chance.pick(&["architect", "planner", "reviewer"]).unwrap_or_default();
        let told_as = if kind == "long" { "finding" } else { kind };
        let mut one = DemoMemory { when, by: by.into(), ..DemoMemory::of(told_as, &columns) };
        if kind != "conversation" {
            return vec![one];
        }
        let mut weight = |least: usize| format!("0.{}", least + chance.below(4));
        let main = std::mem::take(&mut one.more);
        let asked = DemoMemory { by: "user".into(), importance: weight(3), ..one.clone() };
        let (when, importance, refers) = (when.plus(HOUR / 30), weight(4), vec!["last".into()]);
        vec![asked, DemoMemory { by: "assistant".into(), main, when, importance, refers, ..one }]
    }

    fn fill(&mut self, kind: &str, chance: &mut DemoRng) -> Vec<String> {
        let Some((_, deck)) = self.decks.iter_mut().find(|(name, _)| *name == kind) else {
            return Vec::new();
        };
        let card = deck.pop_front().unwrap_or_default();
        deck.push_back(card.clone());
        let mut used = Vec::new();
        card.iter().map(|template| fill(template, &self.slots, &mut used, chance)).collect()
    }
}

/// Returns a memory with a secret in its text, of the first of these types.
pub fn secret(own: DemoMemory, kinds: &[&str], chance: &mut DemoRng) -> DemoMemory {
    let kind = kinds.first().filter(|kind| **kind != "task").unwrap_or(&"learning").to_string();
    let word = if kind == "learning" { "security" } else { "fact" }.to_owned();
    let main = own.main.replace("{secret}", &fake_secret(&own.importance, chance));
    let (importance, more, by) = ("medium".into(), String::new(), "user".into());
    DemoMemory { kind, word, main, importance, more, by, ..own }
}

/// Fills `{name}` with one of its values, if possible with one that is not in `used`. Other braces stay.
fn fill(
    template: &str,
    slots: &[(&'static str, Vec<&'static str>)],
    used: &mut Vec<&'static str>,
    chance: &mut DemoRng,
) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let slot = after.split_once('}').and_then(|(name, after)| {
            let (_, values) = slots.iter().find(|(known, _)| *known == name)?;
            Some((values, after))
        });
        let Some((values, after)) = slot else {
            text.push('{');
            rest = after;
            continue;
        };
        let fresh: Vec<&'static str> = values.iter().filter(|value| !used.contains(value)).copied().collect();
        let value = chance.pick(if fresh.is_empty() { values } else { &fresh }).unwrap_or_default();
        used.push(value);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text.replace("\\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_the_columns_that_its_kind_needs_and_no_slot_is_left_open() {
        let columns = [
            ("core", 4),
            ("learning", 4),
            ("conversation", 4),
            ("decision", 5),
            ("finding", 4),
            ("preference", 3),
            ("long", 3),
        ];
        let mut chance = DemoRng::new(1);
        let mut material = Templates::new(&mut chance);
        for (kind, count) in columns {
            for _ in 0..60 {
                let told = material.fill(kind, &mut chance);
                assert_eq!(told.len(), count, "{kind}: {told:?}");
                assert!(!told.join("").contains(['{', '}']), "{kind}: {told:?}");
            }
        }
    }

    #[test]
    fn a_slot_that_is_there_twice_gets_two_values() {
        let slots = [("service", vec!["search", "ledger"])];
        let text = fill("{service} and {service}, {other}", &slots, &mut Vec::new(), &mut DemoRng::new(3));
        assert!(["search and ledger, {other}", "ledger and search, {other}"].contains(&text.as_str()));
    }
}
