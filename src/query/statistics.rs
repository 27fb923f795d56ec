//! Counts what stores have and how that grew, for `palimp stats` and the view of statistics.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::most_first;
use crate::model::time::DAY;
use crate::model::{EntryRef, EntryTime, Moment, Snapshot, State, Store, StoredMemory};

/// The number of weeks, with this one, that are counted day by day.
pub const WEEKS: usize = 26;
/// The number of tags, the most used ones, that are counted week by week.
const TAGS: usize = 40;
/// The least number of days for a session's growth: its first days say little of how fast it grows.
const SETTLED: f64 = 7.0;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Live memories.
    pub live: usize,
    /// Archived memories.
    pub archived: usize,
    /// Deleted memories.
    pub deleted: usize,
    /// Broken memories.
    pub broken: usize,
    /// Live memories of which only the time of their file is known.
    pub by_file_time: usize,
    /// Live memories without a known time.
    pub timeless: usize,
    /// The types of live memories, highest count first. Untrusted text.
    pub types: Vec<(String, usize)>,
}

/// A session that will be full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillingSession {
    /// The store's number.
    pub store: usize,
    /// The session's number.
    pub session: usize,
    /// The number of days until then, if it grows as before.
    pub days: f64,
}

/// A tag of live memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagUse {
    /// The tag. Untrusted text.
    pub name: String,
    /// The number of memories that have it, of any time.
    pub count: usize,
    /// The number of memories of each week that have it.
    pub weeks: [usize; WEEKS],
}

/// What stores have, and when it was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageStatistics {
    /// The counts of each store, in order.
    pub stores: Vec<StoreCounts>,
    /// The types of live memories in all stores, highest count first. Untrusted text.
    pub types: Vec<(String, usize)>,
    /// The most used tags of live memories in all stores, highest count first.
    pub tags: Vec<TagUse>,
    /// Midnight at the start of the first day that is counted, a Monday.
    pub since: Moment,
    /// The live memories that were written on each day up to today, the newest first.
    pub days: Vec<Vec<EntryRef>>,
    /// The bytes of those memories in each week.
    pub bytes: [u64; WEEKS],
    /// The session that will be full first.
    pub filling: Option<FillingSession>,
}

impl UsageStatistics {
    /// Counts the stores of a snapshot.
    pub fn of(snapshot: &Snapshot, now: Moment) -> UsageStatistics {
        let today = now.day();
        let since = monday(today).plus(-7 * DAY * (WEEKS as i64 - 1));
        let days = (today.0 - since.0) / DAY + 1;
        let mut own = UsageStatistics {
            since,
            days: vec![Vec::new(); days.max(1) as usize],
            ..UsageStatistics::default()
        };
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        for (number, store) in snapshot.stores.iter().enumerate() {
            own.stores.push(held(store, &mut kinds));
            own.count_days(store, number);
        }
        own.types = most_first(kinds);
        for day in &mut own.days {
            day.sort_by_key(|at| Reverse(written(snapshot.get(*at).0, at.entry).map(|time| time.at)));
        }
        own.tags = own.tags(snapshot);
        own.filling = filling(snapshot, since, now);
        own
    }

    /// Returns midnight at the start of a day.
    pub fn date(&self, day: usize) -> Moment {
        self.since.plus(DAY * day as i64)
    }

    /// Returns the bytes that a week adds on average, over the last four weeks.
    pub fn weekly(&self) -> u64 {
        self.bytes.iter().rev().take(4).sum::<u64>() / 4
    }

    fn count_days(&mut self, store: &Store, number: usize) {
        for (at, entry) in (0_u32..).zip(&store.entries) {
            let Some(day) = written(store, at).and_then(|time| self.day_of(time.at)) else { continue };
            self.days[day].push(EntryRef { store: number as u32, entry: at });
            self.bytes[day / 7] += store.record(entry).span.len();
        }
    }

    /// Returns the day on which a memory was written, if that day is counted.
    fn day_of(&self, written: Moment) -> Option<usize> {
        let day = written.0.saturating_sub(self.since.0).div_euclid(DAY);
        usize::try_from(day).ok().filter(|day| *day < self.days.len())
    }

    fn tags(&self, snapshot: &Snapshot) -> Vec<TagUse> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for memory in snapshot.entries().filter_map(|at| live(snapshot.get(at).0, at.entry)) {
            memory.tags().for_each(|tag| *counts.entry(tag).or_default() += 1);
        }
        let most = most_first(counts).into_iter().take(TAGS);
        let mut tags: Vec<TagUse> =
            most.map(|(name, count)| TagUse { name, count, weeks: [0; WEEKS] }).collect();
        let places: HashMap<String, usize> =
            tags.iter().enumerate().map(|(place, tag)| (tag.name.clone(), place)).collect();
        for (day, at) in
            self.days.iter().enumerate().flat_map(|(day, own)| own.iter().map(move |at| (day, at)))
        {
            let Some(memory) = live(snapshot.get(*at).0, at.entry) else { continue };
            for place in memory.tags().filter_map(|tag| places.get(tag)) {
                tags[*place].weeks[day / 7] += 1;
            }
        }
        tags
    }
}

/// Returns midnight of the Monday of a day's week. 1 January 1970 was a Thursday.
fn monday(day: Moment) -> Moment {
    let weekday = (day.0.div_euclid(DAY) + 3).rem_euclid(7);
    day.plus(-DAY * weekday)
}

fn live(store: &Store, entry: u32) -> Option<&StoredMemory> {
    let entry = store.entries.get(entry as usize).filter(|own| own.state == State::Live)?;
    store.memory(entry)
}

fn written(store: &Store, entry: u32) -> Option<EntryTime> {
    let entry = store.entries.get(entry as usize).filter(|entry| entry.state == State::Live)?;
    store.time_of(entry)
}

/// Counts a store, and adds its types to `all`.
fn held<'a>(store: &'a Store, all: &mut HashMap<&'a str, usize>) -> StoreCounts {
    let [live, archived, deleted, broken] =
        [State::Live, State::Archived, State::Deleted, State::Broken].map(|state| store.count(state));
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    let (mut by_file_time, mut timeless) = (0, 0);
    for entry in store.entries.iter().filter(|entry| entry.state == State::Live) {
        let memory = store.memory(entry);
        match store.time_with(entry, memory.and_then(|memory| memory.created)) {
            None => timeless += 1,
            Some(time) => by_file_time += usize::from(time.is_of_file()),
        }
        let kind = memory.map_or("unknown", |memory| memory.kind());
        *kinds.entry(kind).or_default() += 1;
        *all.entry(kind).or_default() += 1;
    }
    StoreCounts { live, archived, deleted, broken, by_file_time, timeless, types: most_first(kinds) }
}

/// Returns the session that will be full first, among those that have a limit and grow.
fn filling(snapshot: &Snapshot, since: Moment, now: Moment) -> Option<FillingSession> {
    let mut soonest: Option<FillingSession> = None;
    for (number, store) in snapshot.stores.iter().enumerate() {
        let mut grown: Vec<(u64, Moment)> = vec![(0, now); store.sessions.len()];
        for (at, entry) in (0_u32..).zip(&store.entries) {
            let Some(when) = live(store, at).and_then(|memory| memory.created) else { continue };
            let own = entry.session.and_then(|session| grown.get_mut(session as usize));
            if let Some(own) = own.filter(|_| when >= since && when <= now) {
                *own = (own.0 + store.record(entry).span.len(), own.1.min(when));
            }
        }
        for (at, (session, (bytes, first))) in store.sessions.iter().zip(grown).enumerate() {
            let Some(limit) = session.limit.filter(|_| bytes > 0) else { continue };
            let daily = bytes as f64 / (now.hours_since(first) / 24.0).max(SETTLED);
            let days = limit.saturating_sub(session.size) as f64 / daily;
            if soonest.is_none_or(|before| days < before.days) {
                soonest = Some(FillingSession { store: number, session: at, days });
            }
        }
    }
    soonest
}
