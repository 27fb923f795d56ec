//! Explains in words why a memory has its rank, and what happens to it later.

use crate::format::writing::FloorOutcome;
use crate::model::time::HOUR;
use crate::model::{Keep, Moment, USUAL_IMPORTANCE};
use crate::query::{Explanation, Hit, Ranking, WEIGHTS};
use crate::tui::state::app::App;

pub struct RankFactor {
    pub name: &'static str,
    /// The number that is multiplied or added.
    pub value: f64,
    /// The reason, in a word or two. Untrusted text.
    pub note: String,
    /// The reason, in a sentence. Untrusted text.
    pub said: String,
}

/// The maximum number of hits that are searched for a place. More would delay the frame.
const MOST: usize = 200_000;

/// Returns the place of the memory under the cursor, and the memory after it. Its title is read later.
pub fn place(app: &App, rank: f64) -> Option<(usize, Option<Hit>)> {
    let (hits, own) = (&app.results.hits, app.selected()?);
    if hits.len() > MOST {
        return None;
    }
    let (mut place, mut next): (usize, Option<&Hit>) = (1, None);
    for hit in hits.iter().filter(|hit| hit.at != own) {
        let Some(other) = hit.rank else { continue };
        if other > rank {
            place += 1;
        } else if next.and_then(|next| next.rank).is_none_or(|best| other > best) {
            next = Some(hit);
        }
    }
    Some((place, next.cloned()))
}

/// True if there are several ranks and all are equal, as they are shown.
pub fn are_ranks_alike(hits: &[Hit]) -> bool {
    let first = hits.iter().find_map(|hit| hit.rank);
    let is_first = |hit: &Hit| hit.rank.zip(first).is_none_or(|(rank, first)| (rank - first).abs() < 0.005);
    hits.len() > 1 && hits.iter().all(is_first)
}

pub fn factors(of: &Explanation) -> Vec<RankFactor> {
    let own = &of.factors;
    let [text, time, weight, access] = WEIGHTS;
    let factor = |name, value: f64, note: String, said: String| RankFactor { name, value, note, said };
    let is_usual = own.importance == USUAL_IMPORTANCE;
    let source = if is_usual { "the usual one, also where none is stored" } else { "stored with the memory" };
    let (note, said) = (String::new(), format!("{source}, {:.2} of 1", own.importance));
    let (faded, fades) = fading(of);
    let (age, used) = recency(of);
    let (words, matched) = words(of);
    match of.ranking {
        Ranking::Product => vec![
            factor("importance", own.importance, note, said),
            factor("decay", own.decay, faded, fades),
            factor("recency", own.recency, age, used),
            factor("match", own.matched, words, matched),
        ],
        Ranking::Weighted => {
            let part = |of: f64, value: f64| format!("{of} of {value:.2}");
            vec![
                factor("match", text * own.matched, part(text, own.matched), matched),
                factor("decay", time * own.decay, part(time, own.decay), fades),
                factor("importance", weight * own.importance, part(weight, own.importance), said),
                factor(
                    "access",
                    access * own.access,
                    part(access, own.access),
                    "how lately it was used".into(),
                ),
            ]
        }
    }
}

pub fn formula(of: &Explanation) -> String {
    let sign = if of.ranking == Ranking::Product { " × " } else { " + " };
    let parts: Vec<String> =
        factors(of).iter().map(|factor| format!("{:.2} {}", factor.value, factor.name)).collect();
    format!("{} = {:.2}", parts.join(sign), of.factors.rank)
}

fn fading(of: &Explanation) -> (String, String) {
    let fading = &of.factors.fading;
    let Some(hours) = fading.rule.half_life_hours else {
        return ("never".into(), "this type never fades".into());
    };
    if fading.faded {
        return ("deprecated".into(), "it is deprecated, so it counts as fully faded".into());
    }
    if fading.is_kept {
        return match of.keep {
            Some(Keep::Until(end)) => {
                ("kept".into(), format!("kept until {}, so it does not fade", last_day(end)))
            }
            _ => ("pinned".into(), "pinned, so it does not fade".into()),
        };
    }
    let boost = if fading.rule.boosted { fading.boost.max(1.0).log2() } else { 0.0 };
    let half = days(hours * (1.0 + boost));
    let Some(age) = fading.age_hours else {
        return ("no date".into(), "it has no date, so it counts as fully faded".into());
    };
    let (is_new, age) = (age < 1.0, days(age.max(0.0)));
    let said = if is_new { age.clone() } else { format!("{age} old") };
    (age, format!("{said}; it loses half in {half}"))
}

fn days(hours: f64) -> String {
    match hours {
        ..1.0 => "new".into(),
        ..48.0 => format!("{hours:.0} h"),
        _ => format!("{:.0} d", hours / 24.0),
    }
}

fn recency(of: &Explanation) -> (String, String) {
    let note = match of.factors.recency {
        1.5.. => "today",
        ..=1.0 => "over 7 d",
        _ => "this week",
    };
    (note.into(), "1.50 on the day of its last use, 1.00 after a week".into())
}

fn words(of: &Explanation) -> (String, String) {
    if of.words.is_empty() {
        return ("no query".into(), "nothing is searched for, so all match".into());
    }
    let told = |word: &crate::query::WordHit| {
        let fields = word.fields.join(", ");
        let place = match word.hit {
            0.0 => "is not there".to_owned(),
            _ if word.fields.is_empty() => "is like a word of the title, a tag or the id".to_owned(),
            0.8.. => format!("is in {fields}"),
            0.6.. => format!("begins a word in {fields}"),
            _ => format!("is part of a word in {fields}"),
        };
        format!("\"{}\" {place} ({:.1}, in {} of {} readable memories)", word.word, word.hit, word.df, word.n)
    };
    let said: Vec<String> = of.words.iter().map(told).collect();
    let note: Vec<String> = of.words.iter().map(|word| format!("{} {:.1}", word.word, word.hit)).collect();
    (note.join(" "), said.join(", "))
}

/// Says what happens to the memory after it has faded. Returns `None` if it never fades.
pub fn fate(of: &Explanation, now: Moment) -> Option<String> {
    let fading = &of.factors.fading;
    match of.keep.filter(|keep| keep.lasts_at(now) && !fading.faded) {
        Some(Keep::Always) => return Some(format!("Pinned: {KEPT}")),
        Some(Keep::Until(end)) => return Some(format!("Kept until {}: {KEPT}", last_day(end))),
        None => {}
    }
    Some(match of.at_floor {
        FloorOutcome::Stays => {
            fading.rule.half_life_hours?;
            "Fully faded it stays, ranked low. Nothing removes it for that.".into()
        }
        FloorOutcome::Goes { age_hours, below } => goes(of, age_hours, below, now),
        FloorOutcome::MayGo(share) => {
            let share = share * 100.0;
            format!(
                "Fully faded it is ranked low. A compaction may remove it: the best {share:.0} % of a session stay."
            )
        }
    })
}

/// Says when a compaction removes the memory, and which importance it needs to stay.
fn goes(of: &Explanation, age_hours: f64, below: f64, now: Moment) -> String {
    let fading = &of.factors.fading;
    let left = fading.age_hours.map_or(0.0, |age| age_hours - age);
    let from = match left > 0.0 {
        true => format!("from {} on", now.plus((left * HOUR as f64) as i64).to_pattern(DAY_OF)),
        false => "now".into(),
    };
    let least = fading.rule.half_life_hours.map_or(1.0, |_| fading.rule.min);
    let needed = (below / least * 100.0).ceil() / 100.0;
    let stays = match needed <= 1.0 {
        true => format!(" With an importance of {needed:.2} it stays."),
        false => String::new(),
    };
    format!("A compaction removes it {from}: importance × decay is below {below:.2}.{stays}")
}

/// The effect of keeping a memory. Other programs may not obey the tag.
const KEPT: &str =
    "it does not fade, and no compaction of palimp takes it. Other programs may not know the tag.";

pub fn kept(keep: Option<Keep>) -> String {
    match keep {
        None => "it is not kept".into(),
        Some(Keep::Always) => "now  pinned: kept for good".into(),
        Some(Keep::Until(end)) => format!("now  kept until {}", last_day(end)),
    }
}

const DAY_OF: &str = "%-d %b %Y";

fn last_day(end: Moment) -> String {
    end.plus(-1).to_pattern(DAY_OF)
}

/// Returns a line for each word of the search, with the fields that contain it. Untrusted text.
pub fn fields(of: &Explanation) -> Vec<String> {
    let named = of.words.iter().filter(|word| !word.fields.is_empty());
    named.map(|word| format!("{} in {}", word.word, word.fields.join(", "))).collect()
}

/// Says when decay reaches its floor, and how low that is.
pub fn floor(of: &Explanation, now: Moment) -> Option<String> {
    let fading = &of.factors.fading;
    let (rule, age, at) = (&fading.rule, fading.age_hours?, fading.floor_age()?);
    let day = now.plus(((at - age) * HOUR as f64) as i64).to_pattern(DAY_OF);
    Some(match at > age {
        true => format!("fades to {:.2} on {day}", rule.min),
        false => format!("fully faded, {:.2}", rule.min),
    })
}
