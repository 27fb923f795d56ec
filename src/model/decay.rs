//! The numbers that say how fast memories fade. The config of the store sets them.

/// The decay of one type of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DecayRule {
    /// Hours until half is left; `None` if it never fades.
    pub half_life_hours: Option<f64>,
    /// The floor, 0 to 1.
    pub min: f64,
    /// True if access and importance slow it (4 §6.1).
    pub boosted: bool,
}

impl DecayRule {
    /// The rule of a memory that never fades.
    pub const NONE: DecayRule = DecayRule { half_life_hours: None, min: 0.1, boosted: false };

    /// Returns the decay after `age_hours`: `max(min, 0.5^(age/half_life))`, or 1 if it never fades. A
    /// boosted rule multiplies by `boost` before the clamp to `min` and 1. A negative age (a future
    /// timestamp) counts as 0, an unknown age as endless, so that undated memories never outrank dated ones.
    pub fn factor(&self, age_hours: Option<f64>, boost: f64) -> f64 {
        let boost = if self.boosted { boost } else { 1.0 };
        match (self.half_life_hours, age_hours) {
            (None, _) => 1.0,
            (Some(_), None) => self.min,
            (Some(half_life), Some(age)) => {
                (0.5_f64.powf(age.max(0.0) / half_life) * boost).clamp(self.min, self.min.max(1.0))
            }
        }
    }
}

/// The decay rules of one session, or of a store without sessions, by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecayTable {
    rules: Vec<(&'static str, DecayRule)>,
    other: DecayRule,
}

impl DecayTable {
    /// Creates a table of half-lives in hours by type (`None` never fades). `other` is for all other types.
    pub fn new(half_lives: &[(&'static str, Option<f64>)], other: Option<f64>, min: f64) -> Self {
        let rule = |half_life_hours| DecayRule { half_life_hours, min, boosted: false };
        DecayTable {
            rules: half_lives.iter().map(|&(kind, hours)| (kind, rule(hours))).collect(),
            other: rule(other),
        }
    }

    pub fn rule(&self, kind: &str) -> DecayRule {
        self.rules.iter().find(|(name, _)| *name == kind).map_or(self.other, |(_, rule)| *rule)
    }

    /// Sets the half-life of one type, if the table has it.
    pub fn set_half_life(&mut self, kind: &str, hours: Option<f64>) {
        if let Some((_, rule)) = self.rules.iter_mut().find(|(name, _)| *name == kind) {
            rule.half_life_hours = hours;
        }
    }

    /// Sets the half-life of every type that fades.
    pub fn set_every_half_life(&mut self, hours: f64) {
        for rule in self.every_rule().filter(|rule| rule.half_life_hours.is_some()) {
            rule.half_life_hours = Some(hours);
        }
    }

    /// Sets the floor of every type.
    pub fn set_min(&mut self, min: f64) {
        self.every_rule().for_each(|rule| rule.min = min);
    }

    /// Lets access and importance slow the decay of every type.
    pub fn boost(&mut self) {
        self.every_rule().for_each(|rule| rule.boosted = true);
    }

    /// Stops decay for every type.
    pub fn disable(&mut self) {
        self.every_rule().for_each(|rule| rule.half_life_hours = None);
    }

    fn every_rule(&mut self) -> impl Iterator<Item = &mut DecayRule> {
        self.rules.iter_mut().map(|(_, rule)| rule).chain([&mut self.other])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_halves_at_each_half_life_and_stops_at_the_floor() {
        let rule = DecayRule { half_life_hours: Some(168.0), min: 0.1, boosted: false };
        let factor = |age| rule.factor(age, 3.0);
        assert_eq!(factor(Some(168.0)), 0.5);
        assert_eq!(factor(Some(336.0)), 0.25);
        assert_eq!(factor(Some(10_000.0)), 0.1);
        assert_eq!(factor(Some(-5.0)), 1.0);
        assert_eq!(factor(None), 0.1);
    }

    #[test]
    fn a_boost_multiplies_before_the_clamp() {
        let rule = DecayRule { half_life_hours: Some(168.0), min: 0.1, boosted: true };
        assert_eq!(rule.factor(Some(336.0), 1.6), 0.4);
        assert_eq!(rule.factor(Some(0.0), 1.6), 1.0);
        assert_eq!(rule.factor(Some(1e6), 1.6), 0.1);
    }
}
