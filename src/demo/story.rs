//! The story of the invented team: a release, an outage, a payment bug. Written by hand.

use super::demo_memory::DemoMemory;
use super::fake_secrets::fake_secret;
use super::rng::DemoRng;
use super::templates::cards;
use crate::model::Moment;
use crate::model::time::{DAY, HOUR};

const STORY: &str = include_str!("../../assets/demo/story.txt");
/// How long ago the outage was.
const OUTAGE: i64 = 77 * HOUR;

/// The memories of the story, each with its store.
pub struct Story(Vec<(&'static str, DemoMemory)>);

impl Story {
    /// Returns the story that ends at `now`.
    pub fn new(now: Moment, chance: &mut DemoRng) -> Story {
        Story(cards(STORY).filter_map(|columns| told(&columns, now, chance)).collect())
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, told)| told.main.as_str())
    }

    pub fn of(&self, store: &str) -> Vec<DemoMemory> {
        self.0.iter().filter(|(own, _)| *own == store).map(|(_, told)| told.clone()).collect()
    }
}

/// Returns the name of the outage's session, which contains the day.
pub fn outage_session(now: Moment) -> String {
    now.plus(-OUTAGE).to_pattern("outage_%b_%d").to_lowercase()
}

fn told(columns: &[&'static str], now: Moment, chance: &mut DemoRng) -> Option<(&'static str, DemoMemory)> {
    let [head, place, kind, columns @ ..] = columns else { return None };
    let (head, refers) = head.split_once('>').unwrap_or((head, ""));
    let (age, label) = head.split_once(' ').unwrap_or((head, ""));
    let (store, session) = place.split_once(' ').unwrap_or((place, ""));
    let (kind, by) = kind.split_once(' ').unwrap_or((kind, "planner"));
    let mut filled = |column: &&str| {
        let column = column.replace("\\n", "\n").replace("{outage}", &now.plus(-OUTAGE).to_pattern("%-d %B"));
        match column.contains("{secret}") {
            true => column.replace("{secret}", &fake_secret("stripe", chance)),
            false => column,
        }
    };
    let columns: Vec<String> = columns.iter().map(&mut filled).collect();
    let session = if session == "outage" { outage_session(now) } else { session.to_owned() };
    let told = DemoMemory {
        when: now.plus(-micros(age)?),
        session,
        by: by.to_owned(),
        label: label.trim().to_owned(),
        refers: refers.split_whitespace().map(str::to_owned).collect(),
        ..DemoMemory::of(kind, &columns)
    };
    Some((store, told))
}

/// Parses an age such as `14m`, `6h` or `3d`.
fn micros(age: &str) -> Option<i64> {
    let (number, unit) = age.trim().split_at_checked(age.trim().len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => HOUR / 60,
        "h" => HOUR,
        "d" => DAY,
        _ => return None,
    };
    Some(number.parse::<i64>().ok()? * unit)
}
