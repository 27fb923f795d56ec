//! Lines about what a plan does to which memories.

use crate::detectors::mask;
use crate::format;
use crate::model::plan::effect::{EffectKind, MemoryEffect};
use crate::model::{Entry, Moment, PathText, Plan, State, Store, UntrustedText};

/// At most this many characters of a title are shown.
const TITLE: usize = 60;

/// Returns a line about a memory: its title, what is said about it, and its id at the end.
pub fn named(title: &str, said: &[&str], id: Option<&str>) -> String {
    // Masks before it cuts: half a secret is not recognized.
    let title = mask(title);
    let name = match title.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
        None if title.is_empty() => "(no title)".into(),
        None => title.into_owned(),
    };
    let parts = std::iter::once(&*name).chain(said.iter().copied()).chain(id);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

/// A memory of the store whose bytes a plan takes from where they are.
#[derive(Clone, Debug)]
pub struct TouchedMemory {
    /// Its index in the store's entries.
    pub entry: u32,
    /// What happens to it.
    pub effect: MemoryEffect,
    pub title: UntrustedText,
    /// Its age and its last use, which a rule looks at.
    pub measure: String,
}

impl TouchedMemory {
    /// Returns a few words about what happens to it. Untrusted text.
    pub fn told(&self) -> String {
        match self.effect.kind {
            EffectKind::Move => format!("moves to {}", self.effect.file.to_text()),
            EffectKind::Change => "is rewritten".into(),
            _ => "is removed".into(),
        }
    }

    /// Returns the line about it in a plan. Untrusted text.
    pub fn line(&self) -> String {
        named(self.title.raw(), &[&self.told(), &self.measure], self.effect.id.as_deref())
    }
}

/// Returns the memories of the store whose bytes a plan takes from where they are, in the store's order.
pub fn touched(store: &Store, plan: &Plan, now: Moment) -> Vec<TouchedMemory> {
    let of = |effect: &MemoryEffect| {
        let number = effect.entry.filter(|_| effect.kind.takes_bytes())?;
        let entry = store.entries.get(number as usize)?;
        let (title, measure) = (format::title(store, entry), measure(store, entry, now));
        Some(TouchedMemory { entry: number, effect: effect.clone(), title, measure })
    };
    plan.effects.iter().filter_map(of).collect()
}

/// Returns a line for each memory that a plan adds, and each tombstone that comes or goes. Untrusted text.
pub fn added_lines(store: &Store, plan: &Plan) -> Vec<String> {
    let line = |effect: &MemoryEffect| {
        let entry = effect.entry.and_then(|at| store.entries.get(at as usize));
        let title = entry.map(|own| format::title(store, own)).or_else(|| effect.title.clone());
        let told = match effect.kind {
            EffectKind::Add | EffectKind::Undelete => "is restored",
            EffectKind::Delete => "is deleted",
            _ => return None,
        };
        Some(named(title.unwrap_or_default().raw(), &[told], effect.id.as_deref()))
    };
    let mut lines: Vec<String> = plan.effects.iter().filter_map(line).collect();
    lines.sort();
    lines
}

fn measure(store: &Store, entry: &Entry, now: Moment) -> String {
    let Some(memory) = store.memory(entry) else { return "broken".into() };
    let mut parts = Vec::new();
    if entry.state == State::Deleted {
        parts.push("deleted".to_owned());
    }
    parts.extend(store.time_with(entry, memory.created).map(|time| match time.is_of_file() {
        true => time.ago_at(now),
        false => format!("{} old", time.age_at(now)),
    }));
    match memory.accessed {
        Some(accessed) => parts.push(format!("used {} ago, {}×", accessed.age_at(now), memory.access_count)),
        None if memory.access_count > 0 => parts.push(format!("used {}×", memory.access_count)),
        None => {}
    }
    if parts.is_empty() { "age unknown".into() } else { parts.join(", ") }
}

/// If a plan concerns memories, adds its rule, and which memories they are.
pub fn add_rule_lines(plan: &mut Plan, store: &Store, rule: &str, now: Moment) {
    let touched = touched(store, plan, now);
    if !touched.is_empty() {
        add_touched_lines(plan, rule, &touched);
    }
}

/// Adds to a plan its rule, and exactly which memories it concerns.
pub fn add_touched_lines(plan: &mut Plan, rule: &str, touched: &[TouchedMemory]) {
    plan.lines.push(format!("the rule: {rule}"));
    plan.lines.extend(touched.iter().map(TouchedMemory::line));
}
