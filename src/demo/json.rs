//! Writes JSON objects with their members in the order in which agents write them.

use std::fmt::Display;

use serde_json::Value;

/// An object under construction.
#[derive(Clone, Debug, Default)]
pub struct Object(String);

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Object::default()
    }

    /// Adds a member with a string.
    pub fn text(self, name: &str, value: &str) -> Self {
        let quoted = quote(value);
        self.raw(name, quoted)
    }

    /// Adds a member whose value is JSON already: a number, a boolean, an array.
    pub fn raw(mut self, name: &str, value: impl Display) -> Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        self.0 += &format!("{comma}{}:{value}", quote(name));
        self
    }

    /// Adds a member with an array of strings.
    pub fn texts<T: AsRef<str>>(self, name: &str, values: &[T]) -> Self {
        let quoted: Vec<String> = values.iter().map(|value| quote(value.as_ref())).collect();
        self.raw(name, format!("[{}]", quoted.join(",")))
    }

    /// Adds a member with an object.
    pub fn object(self, name: &str, value: Object) -> Self {
        self.raw(name, value.finish())
    }

    /// Adds a member for each word, with the ids that belong to it.
    pub fn ids_by<'a>(self, name: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut words: Vec<(&str, Vec<&str>)> = Vec::new();
        for (word, id) in pairs {
            match words.iter_mut().find(|(known, _)| *known == word) {
                Some((_, ids)) => ids.push(id),
                None => words.push((word, vec![id])),
            }
        }
        self.object(name, words.iter().fold(Object::new(), |object, (word, ids)| object.texts(word, ids)))
    }

    /// The object as text, without white space.
    pub fn finish(self) -> String {
        format!("{{{}}}", self.0)
    }
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}
