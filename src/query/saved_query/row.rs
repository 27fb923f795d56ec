//! A record as a saved query sees it: members by name.

use crate::format::{self, RecordSyntax};
use crate::model::{Entry, Store};
use crate::text::front_matter::Note;
use crate::text::json::Json;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

use super::value::RowValue;

pub struct SqlRow<'a> {
    store: &'a Store,
    entry: &'a Entry,
    members: SqlRowMembers<'a>,
}

enum SqlRowMembers<'a> {
    Json(Json<'a>),
    Note(Note<'a>),
}

impl SqlRow<'_> {
    /// Calls `take` with a record. `None` if it can't be read.
    pub fn with<T>(store: &Store, entry: &Entry, take: impl FnOnce(&SqlRow<'_>) -> T) -> Option<T> {
        let format = format::by_name(store.format).filter(|_| store.view(entry).is_some())?;
        let raw = store.read(entry)?;
        match format.syntax(&store.document(entry).path) {
            RecordSyntax::Markdown => {
                let text = String::from_utf8_lossy(&raw);
                Some(take(&SqlRow { store, entry, members: SqlRowMembers::Note(Note::read(&text)) }))
            }
            RecordSyntax::Json => {
                let mut tape = Tape::default();
                let object = scan(&mut tape, &raw).ok()?;
                Some(take(&SqlRow { store, entry, members: SqlRowMembers::Json(object) }))
            }
            RecordSyntax::Text => None,
        }
    }

    /// Returns the value of a member. If there is none, returns what palimp shows under that name.
    pub fn value(&self, path: &[String]) -> RowValue {
        self.member(path).unwrap_or_else(|| match path {
            [name] => self.shown(&name.to_ascii_lowercase()),
            _ => RowValue::Null,
        })
    }

    fn member(&self, path: &[String]) -> Option<RowValue> {
        let dotted = path.join(".");
        match &self.members {
            SqlRowMembers::Json(object) => {
                let below = || path.iter().try_fold(*object, |value, name| named(value, name));
                named(*object, &dotted).or_else(below).map(RowValue::of_json)
            }
            SqlRowMembers::Note(note) => {
                let is_it = |name: &str| name.eq_ignore_ascii_case(&dotted);
                let field = note.fields.iter().find(|field| is_it(field.name))?;
                Some(RowValue::of_front_matter(format::by_name(self.store.format)?, field))
            }
        }
    }

    fn shown(&self, name: &str) -> RowValue {
        let text = match name {
            "id" => self.store.view(self.entry).and_then(|view| view.id).map(str::to_owned),
            "title" => Some(format::title(self.store, self.entry)),
            "text" | "body" | "content" => Some(format::text_of(self.store, self.entry).text),
            _ => None,
        };
        text.map_or(RowValue::Null, RowValue::Text)
    }
}

/// Returns the member of that name. Ignores case if no name is spelled exactly so.
fn named<'a>(object: Json<'a>, name: &str) -> Option<Json<'a>> {
    object.get(name).or_else(|| {
        let is_it = |key: &Json<'a>| key.text().is_some_and(|own| own.eq_ignore_ascii_case(name));
        object.members().find(|(key, _)| is_it(key)).map(|(_, value)| value)
    })
}
