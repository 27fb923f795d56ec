//! Takes the entries of erased records out of a copy of an index. The index of a store itself is rebuilt.

use std::path::Path;

use super::matcher::ErasureMatcher;
use crate::format::record_reader::without_mark;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, JsonSplice};
use crate::text::json_scanner::Tape;

/// Returns the copy without the ids of erased records, without members that had only these, and without words that are an
/// erased value in small letters. `None` if it has none of them, or is no JSON.
pub(super) fn without_entries(wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let mark = bytes.len() - without_mark(bytes).len();
    let index = json_edit::scan(&mut tape, &bytes[mark..]).ok()?;
    let entries = ErasedEntries { wanted, place: (path, &bytes[mark..]) };
    let mut cuts = Vec::new();
    // The names of its outermost object are those of its parts, whatever ids and words there are.
    index.members().for_each(|(_, part)| entries.cut(part, &mut cuts));
    (!cuts.is_empty()).then(|| [&bytes[..mark], &json_edit::apply(&bytes[mark..], cuts)].concat())
}

struct ErasedEntries<'a> {
    wanted: &'a ErasureMatcher<'a>,
    /// The path of the index, and its bytes.
    place: (&'a Path, &'a [u8]),
}

impl ErasedEntries<'_> {
    fn cut(&self, part: Json<'_>, cuts: &mut Vec<JsonSplice<'static>>) {
        // The lists of an entry stay, also when they are empty.
        let is_entry = part.get("id").is_some();
        let goes = |name: Option<Json<'_>>, value: Json<'_>| {
            !(is_entry && value.kind() == JsonKind::Array) && self.goes(name, value)
        };
        cuts.extend(json_edit::without(part, |_, name, value| goes(name, value)));
        let members = part.members().filter(|(name, value)| !goes(Some(*name), *value));
        let items = part.items().filter(|item| !goes(None, *item));
        members.map(|(_, value)| value).chain(items).for_each(|value| self.cut(value, cuts));
    }

    fn goes(&self, name: Option<Json<'_>>, value: Json<'_>) -> bool {
        let is_erased = |text: Json<'_>| text.text().is_some_and(|id| self.wanted.is_gone(self.place, &id));
        let is_value =
            |name: Json<'_>| name.text().is_some_and(|word| self.wanted.values.is_value_in_any_case(&word));
        match value.kind() {
            _ if name.is_some_and(is_value) => true,
            // Its name may be a word or a tag.
            JsonKind::Array => {
                let mut items = value.items().peekable();
                name.is_some() && items.peek().is_some() && items.all(|item| self.goes(None, item))
            }
            _ if name.is_some_and(is_erased) => true,
            JsonKind::String => name.is_none() && is_erased(value),
            JsonKind::Object => value.get("id").is_some_and(is_erased),
            _ => false,
        }
    }
}
