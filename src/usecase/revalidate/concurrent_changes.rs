//! What other programs did to the memories of a plan since it was shown.

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
    /// What happened to it: `gone`, or what changed. Untrusted text.
    pub what: String,
    /// What the plan does to it now; empty if that is clear. Untrusted text.
    pub new_effect: String,
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
    /// Says no texts of the memory: what a redaction replaces may be among them.
    pub fn hide_texts(&mut self) {
        if self.what != "gone" {
            self.what = "rewritten".into();
        }
    }

    fn told(&self) -> String {
        match self.what.as_str() {
            "gone" => format!("{} gone", self.name),
            what => format!("{} ({what})", self.name),
        }
    }

    /// Returns its line in a list. May quote the store.
    pub fn line(&self) -> String {
        let becomes =
            if self.new_effect.is_empty() { String::new() } else { format!(" · {}", self.new_effect) };
        format!("{}  {}{becomes}", self.name, self.what)
    }
}
