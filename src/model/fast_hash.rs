//! Maps and sets for many short keys. Each has its own random seed, so that no store can make it slow.

use foldhash::quality::RandomState;

/// A map with a fast hash.
pub type FastMap<K, V> = std::collections::HashMap<K, V, RandomState>;
/// A set with a fast hash.
pub type FastSet<K> = std::collections::HashSet<K, RandomState>;
