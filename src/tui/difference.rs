//! Two memories side by side.

use crate::detectors::cut;
use crate::model::{EntryRef, EntryTime};
use crate::text::safe_text::sanitize_lines;
use crate::tui::line_diff::{LinePair, pairs};
use crate::tui::state::app::App;
use crate::tui::state::memory_difference::{DifferencePart, MemoryDifference};
use crate::tui::update::detail::text_of;
use crate::tui::{layout, theme};

pub const SIDES: [&str; 2] = ["A", "B"];

/// On fewer columns the two memories are above one another.
pub const BESIDE: u16 = 70;
/// At most this many bytes of each text are compared.
pub const SHOWN: usize = 64 << 10;

impl MemoryDifference {
    pub fn chosen(&self) -> EntryRef {
        self.memories[self.side]
    }

    pub fn differing(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|at| self.parts[*at].pair.differs()).collect()
    }

    /// Returns how much of the texts is equal, in percent, and how many of their lines differ.
    pub fn text_in_common(&self) -> (usize, usize) {
        let lines = || self.parts.iter().filter(|part| part.name.is_empty());
        let (all, same) =
            lines().fold((0, 0), |(all, same), part| (all + part.pair.words.0, same + part.pair.words.1));
        let percent = (same * 100).checked_div(all).unwrap_or(100);
        (percent, lines().filter(|part| part.pair.differs()).count())
    }

    /// Returns the names of the fields that differ, or of those that are equal.
    pub fn fields(&self, differ: bool) -> Vec<&str> {
        let named = self.parts.iter().filter(|part| !part.name.is_empty() && part.pair.differs() == differ);
        named.map(|part| part.name.as_str()).collect()
    }
}

/// Returns the lines and fields of two memories in pairs, safe to draw.
pub fn parts(app: &App, of: &MemoryDifference) -> Vec<DifferencePart> {
    let texts = of.memories.map(|at| {
        let (store, entry) = of.snapshot.get(at);
        text_of(store, entry)
    });
    let lines = [0, 1].map(|side: usize| {
        let text = &texts[side].text;
        let shown = theme::masked(app, &text.raw()[..cut(text.raw(), SHOWN)]).into_owned();
        sanitize_lines(shown.trim_end()).collect::<Vec<_>>()
    });
    let lines = pairs(&lines[0], &lines[1])
        .into_iter()
        .map(|pair| DifferencePart { name: String::new(), pair: pair.shortened() });
    let fields = [0, 1].map(|side: usize| {
        let mut fields = known(app, of, side);
        fields.extend(texts[side].fields.iter().cloned().map(|(name, value)| (name, value.into_raw())));
        fields
    });
    let mut names: Vec<&String> = fields.iter().flatten().map(|(name, _)| name).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.as_str()));
    let value = |side: usize, name: &str| {
        let own = fields[side].iter().find(|(own, _)| own == name)?;
        Some(theme::safe(app, &own.1[..cut(&own.1, SHOWN / 16)]))
    };
    let of_name = |name: &String| DifferencePart {
        name: theme::safe(app, name),
        pair: LinePair::of(value(0, name).as_deref(), value(1, name).as_deref()).shortened(),
    };
    let is_told = |part: &DifferencePart| part.pair.sides.iter().flatten().any(|value| !value.is_empty());
    lines.chain(names.into_iter().map(of_name).filter(is_told)).collect()
}

/// Returns names and values that exist in every format. Untrusted text.
fn known(app: &App, of: &MemoryDifference, side: usize) -> Vec<(String, String)> {
    let at = of.memories[side];
    let (store, entry) = of.snapshot.get(at);
    let mut known = Vec::new();
    if let Some(memory) = store.memory(entry) {
        known.push(("type", memory.kind().to_owned()));
        known.push(("importance", format!("{:.2}", memory.importance)));
        known.push(("tags", memory.joined_tags(" ")));
        let time = store.time_with(entry, memory.created);
        known.push((
            time.map_or("written", EntryTime::event),
            time.map_or(String::new(), |time| time.at.to_minute()),
        ));
    }
    known.push(("store", app.store_name(at.store as usize).to_owned()));
    known.push(("session", store.session(entry).map_or(String::new(), |own| own.name.clone())));
    known.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A row of the screen: the index of its part, and the text of each side.
pub struct DifferenceRow {
    pub part: usize,
    /// The text, and its byte offset in the text of the part.
    pub sides: [Option<(String, usize)>; 2],
    pub is_first: bool,
}

pub fn name_width(app: &App) -> usize {
    if app.size.0 < 100 { 11 } else { 14 }
}

/// Returns the rows, wrapped to the width of the terminal.
pub fn rows(app: &App, of: &MemoryDifference) -> Vec<DifferenceRow> {
    let mut rows = Vec::new();
    let side = usize::from(if app.size.0 < BESIDE { app.size.0 } else { (app.size.0 - 1) / 2 });
    for (number, part) in of.parts.iter().enumerate() {
        let beside = if part.name.is_empty() { 0 } else { name_width(app) + 1 };
        let width = side.saturating_sub(3 + beside).max(1);
        let [mut left, mut right] = [0, 1].map(|side: usize| {
            let wrapped = part.pair.sides[side].as_ref().map(|text| theme::wrap(text, width));
            let mut from = 0;
            let begins = move |text: String| {
                from += text.len();
                (text.clone(), from - text.len())
            };
            wrapped.unwrap_or_default().into_iter().map(begins)
        });
        let mut is_first = true;
        loop {
            let sides = [left.next(), right.next()];
            if sides == [None, None] && !is_first {
                break;
            }
            rows.push(DifferenceRow { part: number, sides, is_first });
            is_first = false;
        }
    }
    rows
}

/// Returns the number of rows at the foot that summarize the differences.
pub fn foot_rows(app: &App) -> u16 {
    if app.size.0 < BESIDE && app.size.1 >= 10 { 2 } else { 1 }
}

/// Returns the number of rows of each memory that are on screen at once.
pub fn shown(app: &App) -> usize {
    let body = layout::frame(app).body;
    let upper = body.height.saturating_sub(foot_rows(app));
    let each = if body.width < BESIDE { upper / 2 } else { upper };
    usize::from(each.saturating_sub(1)).max(1)
}
