//! What other programs did to the memories of a plan since it was shown, in words.

use crate::detectors::mask;
use crate::model::entry_tracker::have_equal_bytes;
use crate::model::{Entry, Moment, PathText, State, Store};
use crate::ops::form::{EditForm, FormField, form, items};
use crate::ops::{WriteContext, writes};
use crate::text::json_edit::{remove, scan};
use crate::text::json_scanner::Tape;

/// What other programs did to the memories of a plan since it was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConcurrentChanges {
    /// The number of memories that were shown.
    pub shown: usize,
    /// The memories that are not as they were shown.
    pub changes: Vec<ConcurrentChange>,
}

/// A memory that is not as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrentChange {
    /// Its name. Untrusted text.
    pub name: String,
    /// What happened to it.
    pub what: MemoryFate,
    /// What the plan does to it now; empty if that is clear. Untrusted text.
    pub new_effect: String,
}

/// What happened to a memory since it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryFate {
    /// It is not there any more.
    Gone,
    /// What changed in it. Untrusted text.
    Changed(String),
}

impl std::fmt::Display for MemoryFate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            MemoryFate::Gone => "gone",
            MemoryFate::Changed(what) => what,
        })
    }
}

/// At most this many of them are named in a sentence.
const NAMED: usize = 5;

impl ConcurrentChanges {
    /// True if everything is as it was shown.
    pub fn is_none(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns a head line: "Changed meanwhile: 2 of 212".
    pub fn head(&self) -> String {
        format!("Changed meanwhile: {} of {}", self.changes.len(), self.shown)
    }

    /// Returns the head line with the first memories. May quote the store.
    pub fn told(&self) -> String {
        let named: Vec<String> = self.changes.iter().take(NAMED).map(ConcurrentChange::told).collect();
        let more = if self.changes.len() > NAMED { ", …" } else { "" };
        format!("{} — {}{more}", self.head(), named.join(", "))
    }
}

impl ConcurrentChange {
    pub(super) fn new(name: String, what: MemoryFate) -> ConcurrentChange {
        ConcurrentChange { name, what, new_effect: String::new() }
    }

    /// Says no texts of the memory: what a redaction replaces may be among them.
    pub fn hide_texts(&mut self) {
        if let MemoryFate::Changed(what) = &mut self.what {
            *what = "rewritten".into();
        }
    }

    fn told(&self) -> String {
        match &self.what {
            MemoryFate::Gone => format!("{} gone", self.name),
            MemoryFate::Changed(what) => format!("{} ({what})", self.name),
        }
    }

    /// Returns its line in a list. May quote the store.
    pub fn line(&self) -> String {
        let becomes =
            if self.new_effect.is_empty() { String::new() } else { format!(" · {}", self.new_effect) };
        format!("{}  {}{becomes}", self.name, self.what)
    }
}

/// A longer value, in characters, is not shown.
const SHORT: usize = 24;
/// At most this many fields of one memory are named.
const FIELDS: usize = 3;

/// Returns what happened to a memory; `None` if nothing did, or if it was only used.
pub fn describe_change(
    was: (&Store, &Entry),
    is: Option<(&Store, &Entry)>,
    now: Moment,
) -> Option<MemoryFate> {
    let Some(is) = is else { return Some(MemoryFate::Gone) };
    let [from, to] = [was, is].map(|(store, entry)| &store.document(entry).path);
    let what = match is.1.state {
        state if state != was.1.state => match state {
            State::Live => "live again".into(),
            State::Broken => "broken now".into(),
            other => other.as_str().to_owned(),
        },
        _ if !have_equal_bytes(was, is) => match only_used(was, is, now) {
            true => return None,
            false => changed(was, is, now),
        },
        _ if from != to => format!("moved to {}", to.to_text()),
        _ => return None,
    };
    Some(MemoryFate::Changed(what))
}

/// True if it differs only in how often and when it was used, and in what follows from that.
fn only_used(was: (&Store, &Entry), is: (&Store, &Entry), now: Moment) -> bool {
    let bare = |(store, entry): (&Store, &Entry)| {
        let (_, writes) = writes(store).ok()?;
        let raw = &store.raw(entry);
        let mut tape = Tape::default();
        let context = WriteContext::of(store, now, [0; 16]);
        let used = writes.access_members(scan(&mut tape, raw).ok()?, now);
        if used.is_empty() {
            return None;
        }
        let names = used.into_iter().chain(writes.decay_members(&context, entry)).map(|(name, _)| name);
        let mut bare = raw.to_vec();
        for name in names.chain(["checksum"]) {
            bare = remove(&bare, &[name]).ok()?;
        }
        Some(bare)
    };
    bare(was).is_some_and(|old| bare(is).as_ref() == Some(&old))
}

/// Untrusted text.
fn changed(was: (&Store, &Entry), is: (&Store, &Entry), now: Moment) -> String {
    let forms = form(was.0, was.1, now).ok().zip(form(is.0, is.1, now).ok());
    let told = forms.map_or_else(Vec::new, |(old, new)| fields(&old, &new));
    match told.as_slice() {
        [] => "rewritten".into(),
        few if few.len() <= FIELDS => few.join(", "),
        many => format!("{}, and {} more", many[..FIELDS].join(", "), many.len() - FIELDS),
    }
}

/// Fields that follow from other fields, and say nothing by themselves.
const FOLLOWS: [&str; 2] = ["checksum", "updated_at"];

fn fields(old: &EditForm, new: &EditForm) -> Vec<String> {
    let value = |field: &FormField| new.find(&field.name).map_or("", |at| &new.fields[at].value).to_owned();
    let tells = |field: &&FormField| !FOLLOWS.contains(&field.name.as_str());
    let previous =
        old.fields.iter().filter(tells).filter_map(|field| one(field, &field.value, &value(field)));
    let came = new.fields.iter().filter(tells).filter(|field| old.find(&field.name).is_none());
    previous.chain(came.filter_map(|field| one(field, "", &field.value))).collect()
}

fn one(field: &FormField, old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let name = &field.name;
    if field.kind.is_list() {
        let (old, new) = (items(old), items(new));
        let come = new.iter().filter(|own| !old.contains(own)).map(|own| format!(" +{}", mask(own)));
        let go = old.iter().filter(|own| !new.contains(own)).map(|own| format!(" -{}", mask(own)));
        return Some(format!("{name}{}", come.chain(go).collect::<String>()));
    }
    let is_short = |value: &str| value.chars().count() <= SHORT && !value.contains('\n');
    if !is_short(old) || !is_short(new) {
        return Some(format!("{name} rewritten"));
    }
    let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { mask(value).into_owned() };
    Some(format!("{name} {} → {}", shown(old), shown(new)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_new;
    use crate::model::Extent;
    use crate::store::{Place, load};

    const NOW: Moment = Moment(1_770_000_000_000_000);

    fn tagged(tags: &[&str]) -> Store {
        let folder = crate::folder::new();
        let record = serde_json::json!({"id": "mem_1", "session_id": "s", "type": "conversation", "tags": tags,
            "timestamp": "2026-01-01T00:00:00Z", "content": {"role": "user", "message": "Hello."}});
        let log = folder.path().join("sessions/s/memory.jsonl");
        write_new(&log, format!("{record}\n").as_bytes()).unwrap();
        let place = Place::whole(folder.path().to_owned(), "session-log");
        load(&place, Extent::All, None, NOW)
    }

    #[test]
    fn a_tag_that_is_a_token_is_told_masked() {
        let tokens = ["a1B2", "c3D4"].map(|part| ["ghp_", &part.repeat(9)].concat());
        let [old, new] = [tagged(&["plain", &tokens[0]]), tagged(&["plain", &tokens[1], "ci"])];
        let what =
            describe_change((&old, &old.entries[0]), Some((&new, &new.entries[0])), NOW).unwrap().to_string();
        assert!(what.contains("tags +ghp_") && what.contains("+ci") && what.contains(" -ghp_"), "{what}");
        assert!(tokens.iter().all(|token| !what.contains(token)), "{what}");
    }
}
