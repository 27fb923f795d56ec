//! A record as a saved query sees it: members by their names.

use crate::format::{self, Shape};
use crate::model::{Entry, Store};
use crate::text::edit::scan;
use crate::text::front_matter::Note;
use crate::text::json::Json;
use crate::text::scan::Tape;

use super::value::Value;

/// One record of a store.
pub struct Row<'a> {
    store: &'a Store,
    entry: &'a Entry,
    members: Members<'a>,
}

enum Members<'a> {
    Json(Json<'a>),
    Note(Note<'a>),
}

impl Row<'_> {
    /// Calls `take` with a record; `None` where it can't be read.
    pub fn with<T>(store: &Store, entry: &Entry, take: impl FnOnce(&Row<'_>) -> T) -> Option<T> {
        let format = format::by_name(store.format).filter(|_| store.view(entry).is_some())?;
        let raw = store.read(entry)?;
        match format.shape(&store.document(entry).path) {
            Shape::Markdown => {
                let text = String::from_utf8_lossy(&raw);
                Some(take(&Row { store, entry, members: Members::Note(Note::read(&text)) }))
            }
            Shape::Json => {
                let mut tape = Tape::default();
                let object = scan(&mut tape, &raw).ok()?;
                Some(take(&Row { store, entry, members: Members::Json(object) }))
            }
            Shape::Text => None,
        }
    }

    /// The value of a member. What a record has no member for may be what palimp shows as such.
    pub fn value(&self, path: &[String]) -> Value {
        self.member(path).unwrap_or_else(|| match path {
            [name] => self.shown(&name.to_ascii_lowercase()),
            _ => Value::Null,
        })
    }

    fn member(&self, path: &[String]) -> Option<Value> {
        let dotted = path.join(".");
        match &self.members {
            Members::Json(object) => {
                let below = || path.iter().try_fold(*object, |value, name| named(value, name));
                named(*object, &dotted).or_else(below).map(Value::of_json)
            }
            Members::Note(note) => {
                let is_it = |name: &str| name.eq_ignore_ascii_case(&dotted);
                let field = note.fields.iter().find(|field| is_it(field.name))?;
                Some(Value::of_front_matter(&field.value))
            }
        }
    }

    fn shown(&self, name: &str) -> Value {
        let text = match name {
            "id" => self.store.view(self.entry).and_then(|view| view.id).map(str::to_owned),
            "title" => Some(format::title(self.store, self.entry)),
            "text" | "body" | "content" => Some(format::text_of(self.store, self.entry).text),
            _ => None,
        };
        text.map_or(Value::Null, Value::Text)
    }
}

/// The member of that name, whatever its case if none is spelled so.
fn named<'a>(object: Json<'a>, name: &str) -> Option<Json<'a>> {
    object.get(name).or_else(|| {
        let is_it = |key: &Json<'a>| key.text().is_some_and(|own| own.eq_ignore_ascii_case(name));
        object.members().find(|(key, _)| is_it(key)).map(|(_, value)| value)
    })
}
