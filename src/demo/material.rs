//! What the invented team remembers: templates from `assets/demo`, with their slots filled.

use std::collections::HashSet;

use super::chance::Chance;

/// The templates of one file, dealt in a shuffled order that starts again at its end.
#[derive(Debug)]
pub struct Deck {
    cards: Vec<Vec<&'static str>>,
    next: usize,
}

impl Deck {
    fn of_lines(text: &'static str, chance: &mut Chance) -> Self {
        let columns = |line: &'static str| line.split(" | ").map(str::trim).collect();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        Self::of(lines.map(columns).collect(), chance)
    }

    fn of(mut cards: Vec<Vec<&'static str>>, chance: &mut Chance) -> Self {
        chance.shuffle(&mut cards);
        Deck { cards, next: 0 }
    }

    fn deal(&mut self) -> Vec<&'static str> {
        let card = self.cards.get(self.next).cloned().unwrap_or_default();
        self.next = (self.next + 1).checked_rem(self.cards.len()).unwrap_or(0);
        card
    }
}

/// Which templates to deal from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// category, tags, importance, text.
    Core,
    /// category, tags, importance, text.
    Learning,
    /// status, tags, importance, text, outcome or blockers.
    Task,
    /// tags, question, answer.
    Conversation,
    /// tags, importance, decision, rationale, alternatives.
    Decision,
    /// tags, importance, finding, evidence.
    Finding,
    /// tags, importance, preference.
    Preference,
    /// text of many sentences.
    Long,
    /// kind of secret, text around it.
    Secret,
}

/// All templates, and what has been made of them.
pub struct Material {
    decks: Vec<(About, Deck)>,
    slots: Vec<(&'static str, Vec<&'static str>)>,
    told: HashSet<String>,
}

impl Material {
    /// The templates, shuffled.
    pub fn new(chance: &mut Chance) -> Self {
        let files = [
            (About::Core, include_str!("../../assets/demo/core.txt")),
            (About::Learning, include_str!("../../assets/demo/learnings.txt")),
            (About::Task, include_str!("../../assets/demo/tasks.txt")),
            (About::Conversation, include_str!("../../assets/demo/conversations.txt")),
            (About::Decision, include_str!("../../assets/demo/decisions.txt")),
            (About::Finding, include_str!("../../assets/demo/findings.txt")),
            (About::Preference, include_str!("../../assets/demo/preferences.txt")),
            (About::Secret, include_str!("../../assets/demo/secrets.txt")),
        ];
        let mut decks: Vec<_> =
            files.into_iter().map(|(about, text)| (about, Deck::of_lines(text, chance))).collect();
        let long = include_str!("../../assets/demo/long.txt").split("\n\n").skip(1);
        decks.push((About::Long, Deck::of(long.map(|text| vec![text.trim()]).collect(), chance)));
        Material { decks, slots: slots(), told: HashSet::new() }
    }

    /// The columns of the next template, their slots filled; a text that has been told
    /// before is told with other values, as long as the template has any.
    pub fn tell(&mut self, about: About, chance: &mut Chance) -> Vec<String> {
        let mut columns = Vec::new();
        for _ in 0..40 {
            columns = self.fill(about, chance);
            if self.told.insert(columns.join("\n")) {
                break;
            }
        }
        columns
    }

    fn fill(&mut self, about: About, chance: &mut Chance) -> Vec<String> {
        let deck = self.decks.iter_mut().find(|(name, _)| *name == about);
        let card = deck.map(|(_, deck)| deck.deal()).unwrap_or_default();
        let mut used = Vec::new();
        card.iter().map(|template| fill(template, &self.slots, &mut used, chance)).collect()
    }
}

/// Column `at` of a template, or nothing.
pub fn column(columns: &[String], at: usize) -> &str {
    columns.get(at).map_or("", String::as_str)
}

/// The comma-separated tags of a column.
pub fn tags(column: &str) -> Vec<String> {
    column.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

fn slots() -> Vec<(&'static str, Vec<&'static str>)> {
    let lines = include_str!("../../assets/demo/slots.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, values)| (name, values.split(" | ").map(str::trim).collect()))
        .collect()
}

/// Fills `{name}` with one of its values that `used` does not hold yet; other braces stay.
fn fill(
    template: &str,
    slots: &[(&'static str, Vec<&'static str>)],
    used: &mut Vec<&'static str>,
    chance: &mut Chance,
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
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_the_columns_that_its_kind_needs_and_no_slot_is_left_open() {
        let columns = [
            (About::Core, 4),
            (About::Learning, 4),
            (About::Conversation, 3),
            (About::Decision, 5),
            (About::Finding, 4),
            (About::Preference, 3),
            (About::Long, 1),
        ];
        let mut chance = Chance::new(1);
        let mut material = Material::new(&mut chance);
        for (about, count) in columns {
            for _ in 0..60 {
                let told = material.fill(about, &mut chance);
                assert_eq!(told.len(), count, "{about:?}: {told:?}");
                assert!(!told.join("").contains(['{', '}']), "{about:?}: {told:?}");
            }
        }
    }

    #[test]
    fn a_slot_that_is_there_twice_gets_two_values() {
        let slots = [("service", vec!["search", "ledger"])];
        let text = fill("{service} and {service}, {other}", &slots, &mut Vec::new(), &mut Chance::new(3));
        assert!(["search and ledger, {other}", "ledger and search, {other}"].contains(&text.as_str()));
    }
}
