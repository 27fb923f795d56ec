//! A cache of memories (2 §5.4): a hit costs a look at the files. The least recently used go first.

use std::collections::HashMap;
use std::time::Duration;

use super::Found;
use crate::format::tuning::StoreTuning;

/// The session, if one was named, and the id.
type CacheKey = (Option<String>, String);

#[derive(Default)]
pub(super) struct MemoryCache {
    pub(super) kept: HashMap<CacheKey, CacheEntry>,
    /// The size of all memories in bytes, and the number of uses so far.
    bytes: u64,
    turns: u64,
}

pub struct CacheEntry {
    found: Found,
    bytes: u64,
    /// When it was read, by the monotonic clock.
    read: Duration,
    /// The number of its last use.
    turn: u64,
}

impl MemoryCache {
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    pub fn clear(&mut self) {
        (self.kept, self.bytes) = (HashMap::new(), 0);
    }

    pub(super) fn get(&mut self, asked: &CacheKey, now: Duration, tuning: &StoreTuning) -> Option<Found> {
        let own = self.kept.get_mut(asked)?;
        if now.saturating_sub(own.read) > tuning.cache_ttl {
            self.drop_one(asked);
            return None;
        }
        self.turns += 1;
        own.turn = self.turns;
        Some(own.found.clone())
    }

    pub(super) fn keep(&mut self, asked: CacheKey, found: &Found, now: Duration, tuning: &StoreTuning) {
        let bytes = (found.raw.len() + found.text.len() + asked.1.len()) as u64;
        self.drop_one(&asked);
        self.turns += 1;
        self.bytes += bytes;
        self.kept.insert(asked, CacheEntry { found: found.clone(), bytes, read: now, turn: self.turns });
        while self.kept.len() > tuning.cache_size || self.bytes > tuning.cache_bytes {
            let oldest = self.kept.iter().min_by_key(|(_, own)| own.turn).map(|(asked, _)| asked.clone());
            let Some(oldest) = oldest else { return };
            self.drop_one(&oldest);
        }
    }

    fn drop_one(&mut self, asked: &CacheKey) {
        let gone = self.kept.remove(asked);
        self.bytes -= gone.map_or(0, |own| own.bytes);
    }
}

pub fn asked(session: Option<&str>, id: &str) -> CacheKey {
    (session.map(str::to_owned), id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::memory::{New, State};

    fn found(text: &str) -> Found {
        Found {
            id: None,
            session: None,
            kind: String::new(),
            text: text.to_owned(),
            tags: Vec::new(),
            created: None,
            importance: 0.5,
            rank: None,
            state: State::Live,
            checksum: None,
            problems: Vec::new(),
            raw: Vec::new(),
        }
    }

    fn all(own: &mut MemoryCache, tuning: &StoreTuning, now: u64) -> String {
        let has = |id: &&str| own.get(&asked(None, id), Duration::from_secs(now), tuning).is_some();
        ["a", "b", "c"].into_iter().filter(has).collect()
    }

    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let tuning = StoreTuning { cache_size: 2, ..StoreTuning::default() };
        let mut own = MemoryCache::default();
        for id in ["a", "b", "a", "c"] {
            if own.get(&asked(None, id), Duration::ZERO, &tuning).is_none() {
                own.keep(asked(None, id), &found(id), Duration::ZERO, &tuning);
            }
        }
        assert_eq!(all(&mut own, &tuning, 0), "ac");
    }

    #[test]
    fn no_more_bytes_are_kept_than_may_be_and_none_longer_than_it_is_believed() {
        let tuning =
            StoreTuning { cache_bytes: 25, cache_ttl: Duration::from_secs(3), ..StoreTuning::default() };
        let mut own = MemoryCache::default();
        for (at, id) in ["a", "b", "c"].into_iter().enumerate() {
            own.keep(asked(None, id), &found("ten bytes."), Duration::from_secs(at as u64), &tuning);
        }
        assert_eq!((all(&mut own, &tuning, 3).as_str(), own.bytes), ("bc", 22));
        assert_eq!((all(&mut own, &tuning, 5).as_str(), own.bytes), ("c", 11));
        own.keep(asked(None, "a"), &found(&"long".repeat(9)), Duration::ZERO, &tuning);
        assert_eq!((own.len(), own.bytes), (0, 0));
    }

    #[test]
    fn a_store_keeps_as_many_memories_at_hand_as_its_config_says() {
        let folder = crate::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let mut memory = Memory::create("session-log", &root, &data).unwrap();
        std::fs::write(root.join("config.json"), r#"{"performance":{"cache_size":2}}"#).unwrap();
        let session = memory.create_session(None, "tester").unwrap();
        let new = |text| New { session: Some(&session), kind: "finding", text, ..New::default() };
        let added = memory.add_all(&[new("one"), new("two"), new("three")]).unwrap();
        memory.flush().unwrap();
        for own in &added {
            assert_eq!(memory.get(None, &own.id).unwrap().unwrap().id.as_ref(), Some(&own.id));
        }
        assert_eq!(memory.handle_state.cache.len(), 2);
        let last = memory.get(None, &added[2].id).unwrap().unwrap();
        assert_eq!(memory.cached(None, &added[2].id), Some(last));
        memory.delete(None, &added[2].id, "test").unwrap();
        assert_eq!(memory.get(None, &added[2].id).unwrap(), None);
    }

    #[test]
    fn what_another_changed_is_not_at_hand() {
        let folder = crate::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let mut memory = Memory::create("bmad", &root, &data).unwrap();
        let session = memory.create_session(None, "tester").unwrap();
        let new = New { session: Some(&session), kind: "finding", text: "as it was", ..New::default() };
        let id = memory.add(&new).unwrap().id;
        memory.flush().unwrap();
        memory.get(None, &id).unwrap();
        let mut other = Memory::open(&root, &data).unwrap();
        other.set(None, &id, "text", "as it is").unwrap();
        assert_eq!(memory.get(None, &id).unwrap().unwrap().text, "as it is");
    }
}
