//! The text and the title of a record, as they are shown.

use crate::detectors::cut;
use crate::format;
use crate::model::{Entry, EntryRef, RecordText, Store};
use crate::tui::difference::SHOWN;
use crate::tui::state::app::App;
use crate::tui::update::detail::LARGE;

pub fn title_of(app: &App, at: EntryRef) -> String {
    let (store, entry) = app.listed_snapshot.get(at);
    let is_large = store.record(entry).span.len() > LARGE as u64;
    if is_large { text_of(store, entry).title } else { format::title(store, entry) }
}

/// Returns a memory's text. A large record gives only the start of its bytes.
pub fn text_of(store: &Store, entry: &Entry) -> RecordText {
    if store.record(entry).span.len() <= LARGE as u64 {
        return format::text_of(store, entry);
    }
    let raw = store.raw(entry);
    let start = String::from_utf8_lossy(&raw[..LARGE]);
    let start = start[..cut(&start, SHOWN)].to_owned();
    let title = format::title_of(&start);
    let text = format!("{start}\n… {} bytes in all", raw.len());
    RecordText { title, text, main: "bytes", ..RecordText::default() }
}
