//! Takes the entries of erased records out of a copy of an index. The index of a store itself is rebuilt.

use std::path::Path;

use super::matcher::ErasureMatcher;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, JsonSplice};
use crate::text::json_scanner::Tape;

/// Returns the copy without the ids of erased records, without the words that only they had, and without words that are
/// an erased value in small letters. `None` if it has none of them, or is no JSON.
pub(super) fn without_entries(wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let index = json_edit::scan(&mut tape, bytes).ok()?;
    let entries = ErasedEntries { wanted, path };
    let mut cuts = Vec::new();
    entries.cut(index, &mut cuts);
    (!cuts.is_empty()).then(|| json_edit::apply(bytes, cuts))
}

struct ErasedEntries<'a> {
    wanted: &'a ErasureMatcher<'a>,
    path: &'a Path,
}

impl ErasedEntries<'_> {
    fn cut(&self, part: Json<'_>, cuts: &mut Vec<JsonSplice<'static>>) {
        cuts.extend(json_edit::without(part, |_, name, value| self.goes(name, value)));
        let members = part.members().filter(|(name, value)| !self.goes(Some(*name), *value));
        let items = part.items().filter(|item| !self.goes(None, *item));
        members.map(|(_, value)| value).chain(items).for_each(|value| self.cut(value, cuts));
    }

    fn goes(&self, name: Option<Json<'_>>, value: Json<'_>) -> bool {
        let is_erased = |text: Json<'_>| text.text().is_some_and(|id| self.wanted.is_gone(self.path, &id));
        let is_word = |name: Json<'_>| name.text().is_some_and(|word| self.wanted.values.is_folded(&word));
        match value.kind() {
            _ if name.is_some_and(|name| is_erased(name) || is_word(name)) => true,
            JsonKind::String => name.is_none() && is_erased(value),
            JsonKind::Object => value.get("id").is_some_and(is_erased),
            JsonKind::Array => {
                let mut items = value.items().peekable();
                name.is_some() && items.peek().is_some() && items.all(|item| self.goes(None, item))
            }
            _ => false,
        }
    }
}
