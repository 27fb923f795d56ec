//! Computes the rank from importance, decay, recency, access and match.

use crate::model::{DecayRule, Entry, Keep, Moment, Store, StoredMemory, USUAL_IMPORTANCE};

/// The formula of the rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// `importance × decay × recency × match`.
    #[default]
    Product,
    /// `0.4 text + 0.3 time + 0.2 importance + 0.1 access`.
    Weighted,
}

/// The weights of [`Ranking::Weighted`]: text, time, importance, access.
pub const WEIGHTS: [f64; 4] = [0.4, 0.3, 0.2, 0.1];

/// The access part if no access is recorded.
const ACCESS: f64 = 0.5;

/// The decay of one memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryDecay {
    /// The rule for its type.
    pub rule: DecayRule,
    /// The factor from access and importance; 1 if the rule is not boosted.
    pub boost: f64,
    /// True if it is at the floor at any age.
    pub faded: bool,
    /// True if the user keeps it from fading now.
    pub is_kept: bool,
    /// The age in hours up to which the user keeps it from fading; infinite if it is kept for ever.
    pub kept_age: Option<f64>,
    /// Hours since creation, if known.
    pub age_hours: Option<f64>,
}

impl EntryDecay {
    /// Reads how an entry fades.
    pub fn of(store: &Store, entry: &Entry, memory: &StoredMemory, now: Moment) -> EntryDecay {
        let rule = store.decay(entry).rule(memory.kind());
        let boost = 1.0 + 0.1 * memory.access_count as f64 + 0.2 * importance(memory);
        // A memory that never fades need not be kept.
        let keep = rule.half_life_hours.and_then(|_| Keep::of(memory.tags()));
        let kept_age = |keep: Keep| match (keep, memory.created) {
            (Keep::Always, _) => Some(f64::INFINITY),
            (Keep::Until(end), created) => Some(end.hours_since(created?)),
        };
        EntryDecay {
            rule,
            boost: if rule.boosted { boost } else { 1.0 },
            faded: memory.faded,
            is_kept: keep.is_some_and(|keep| keep.lasts_at(now)),
            kept_age: keep.and_then(kept_age),
            age_hours: memory.created.map(|created| now.hours_since(created)),
        }
    }

    /// Returns the decay now.
    pub fn now(&self) -> f64 {
        self.at(self.age_hours)
    }

    /// Returns the age in hours at which it reaches the floor, `None` if it never does.
    pub fn floor_age(&self) -> Option<f64> {
        let own = self.unkept_floor_age()?.max(self.kept_age.unwrap_or(0.0));
        own.is_finite().then_some(own)
    }

    /// Returns the same age, if the memory were not kept.
    pub fn unkept_floor_age(&self) -> Option<f64> {
        let (half_life, min) = (self.rule.half_life_hours?, self.rule.min);
        let boost = if self.rule.boosted { self.boost.log2() } else { 0.0 };
        (min > 0.0 && !self.faded).then(|| half_life * ((1.0 / min).log2().max(0.0) + boost))
    }

    /// Returns the decay at another age.
    pub fn at(&self, age_hours: Option<f64>) -> f64 {
        let is_kept = match (age_hours, self.kept_age) {
            (Some(age), Some(kept)) => age < kept,
            _ => self.is_kept,
        };
        match (self.faded, is_kept) {
            (true, _) => self.rule.min,
            (false, true) => 1.0,
            (false, false) => self.rule.factor(age_hours, self.boost),
        }
    }
}

fn importance(memory: &StoredMemory) -> f64 {
    if memory.importance.is_nan() { USUAL_IMPORTANCE } else { memory.importance.clamp(0.0, 1.0) }
}

/// All factors of the rank of one entry. Search and explanation share them, so that they can't differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankFactors {
    /// 0 to 1.
    pub importance: f64,
    /// The input of the decay.
    pub fading: EntryDecay,
    /// 0 to 1.
    pub decay: f64,
    /// 1.0 to 1.5 (product).
    pub recency: f64,
    /// The match quality, 0 to 1; 1 if the query has no words.
    pub matched: f64,
    /// The access part of the weighted sum.
    pub access: f64,
    /// Hours since the last access, if it is recorded.
    pub since_access: Option<f64>,
    pub rank: f64,
}

impl RankFactors {
    /// Computes the factors of a readable entry. `matched` is the match quality of its text.
    pub fn of(
        store: &Store,
        entry: &Entry,
        memory: &StoredMemory,
        matched: f64,
        ranking: Ranking,
        now: Moment,
    ) -> RankFactors {
        let fading = EntryDecay::of(store, entry, memory, now);
        let since_access = memory.accessed.map(|accessed| now.hours_since(accessed).max(0.0));
        let importance = importance(memory);
        let decay = fading.now();
        let (recency, access) = (recency(since_access.or(fading.age_hours)), access(since_access));
        let own =
            RankFactors { importance, fading, decay, recency, matched, access, since_access, rank: 0.0 };
        RankFactors { rank: own.combined(ranking), ..own }
    }

    /// Returns the rank after a number of hours without an access.
    pub fn rank_in(&self, ranking: Ranking, hours: f64) -> f64 {
        let [age, since_access] =
            [self.fading.age_hours, self.since_access].map(|own| own.map(|own| own + hours));
        let own = RankFactors {
            decay: self.fading.at(age),
            recency: recency(since_access.or(age)),
            access: access(since_access),
            ..*self
        };
        own.combined(ranking)
    }

    fn combined(&self, ranking: Ranking) -> f64 {
        match ranking {
            Ranking::Product => self.importance * self.decay * self.recency * self.matched,
            Ranking::Weighted => {
                let [text, time, weight, last] = WEIGHTS;
                text * self.matched + time * self.decay + weight * self.importance + last * self.access
            }
        }
    }
}

/// Returns 1.5 within a day of the last access (of the creation if no access is recorded), then less, and 1
/// from a week on. Returns 1 if neither is known. A time in the future counts as now.
fn recency(hours: Option<f64>) -> f64 {
    const DAY: f64 = 24.0;
    const WEEK: f64 = 168.0;
    match hours {
        Some(hours) if hours < WEEK => 1.5 - 0.5 * (hours.max(DAY) - DAY) / (WEEK - DAY),
        _ => 1.0,
    }
}

/// Returns 1 at the last access, half of that after 14 hours.
fn access(since_access: Option<f64>) -> f64 {
    since_access.map_or(ACCESS, |hours| (-0.05 * hours).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_is_above_the_floor_until_the_age_at_which_it_gets_there() {
        for (boosted, boost) in [(false, 1.0), (true, 1.6)] {
            let rule = DecayRule { half_life_hours: Some(168.0), min: 0.1, boosted };
            let own =
                EntryDecay { rule, boost, faded: false, is_kept: false, kept_age: None, age_hours: None };
            let fading = EntryDecay { age_hours: Some(0.0), ..own };
            let age = fading.floor_age().unwrap();
            assert!(fading.at(Some(age - 1.0)) > 0.1, "{boosted}");
            assert!(
                (fading.at(Some(age)) - 0.1).abs() < 1e-9 && fading.at(Some(age + 1.0)) == 0.1,
                "{boosted}"
            );
        }
        let own = EntryDecay {
            rule: DecayRule::NONE,
            boost: 1.0,
            faded: false,
            is_kept: false,
            kept_age: None,
            age_hours: Some(0.0),
        };
        assert_eq!(own.floor_age(), None);
    }

    #[test]
    fn recency_falls_from_one_and_a_half_at_a_day_to_one_at_a_week() {
        for (hours, expected) in
            [(-3.0, 1.5), (0.0, 1.5), (24.0, 1.5), (96.0, 1.25), (168.0, 1.0), (1e6, 1.0)]
        {
            assert_eq!(recency(Some(hours)), expected, "{hours}");
        }
        assert_eq!(recency(None), 1.0);
    }
}
