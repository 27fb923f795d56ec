//! Decay written back (§6.3), and what compaction drops (§4.3).

use super::json::{self, quote};
use super::{Refused, stamp};
use crate::model::{DecayTable, Moment, View};
use crate::text::json::Kind;

/// How much is kept where no share from 0 to 1 is given (§9.1).
const KEEP: f64 = 0.8;

/// The decay factor of a record now: the half-life of its type, slowed by access and
/// importance, between the floor and 1.
pub fn factor(view: &View, decay: &DecayTable, now: Moment) -> f64 {
    let rule = decay.rule(&view.kind);
    let boost = 1.0 + 0.1 * view.access_count as f64 + 0.2 * view.importance;
    rule.factor(view.created.map(|created| now.hours_since(created)), boost)
}

/// A record with its decay factor, and when that was reckoned, set in place.
pub fn decay_update(record: &[u8], factor: f64, now: Moment) -> Result<Vec<u8>, Refused> {
    let factor = if factor.is_finite() { factor.max(0.0) } else { 1.0 };
    json::splice(record, "The record", |object| {
        let stored = object.get("last_decay_update").map(|value| value.kind());
        let updated = match stored {
            Some(Kind::String) => quote(&stamp(now)),
            _ => now.0.div_euclid(1000).to_string(),
        };
        let same = object.get("decay_factor").and_then(|own| own.number()) == Some(factor);
        let mut members = vec![("last_decay_update", updated)];
        // What is right keeps its spelling.
        if !same {
            members.insert(0, ("decay_factor", format!("{factor:?}")));
        }
        json::set(object, &members)
    })
}

/// A live record, as compaction weighs it.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'a> {
    /// Its type.
    pub kind: &'a str,
    /// Decay × recency × importance, or whatever else ranks it.
    pub relevance: f64,
}

/// Which records a compaction drops, as indices in their order: all but the most relevant
/// `keep` of them, preferences spared. Of equals the first are kept.
pub fn compaction(entries: &[Weighed<'_>], keep: f64) -> Vec<usize> {
    let keep = if keep > 0.0 && keep <= 1.0 { keep } else { KEEP };
    let kept = (entries.len() as f64 * keep).floor() as usize;
    let relevance = |entry: &Weighed<'_>| {
        if entry.relevance.is_nan() { f64::NEG_INFINITY } else { entry.relevance }
    };
    let mut ranked: Vec<(usize, &Weighed<'_>)> = entries.iter().enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| relevance(b).total_cmp(&relevance(a)));
    let dropped = ranked.into_iter().skip(kept).filter(|(_, entry)| entry.kind != "preference");
    let mut dropped: Vec<usize> = dropped.map(|(at, _)| at).collect();
    dropped.sort_unstable();
    dropped
}
