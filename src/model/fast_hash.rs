//! Maps and sets for many short keys. What is under which key can't be told from outside: each map has
//! a seed of its own, so that no store can make them slow.

use foldhash::quality::RandomState;

/// A map by a quick hash.
pub type FastMap<K, V> = std::collections::HashMap<K, V, RandomState>;
/// A set by a quick hash.
pub type FastSet<K> = std::collections::HashSet<K, RandomState>;
