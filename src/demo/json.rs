//! What the demo's JSON is made of beside its templates.

pub use crate::format::writing::list;
pub use crate::text::edit::quoted;

/// An object with the ids of each word, in the order in which they come.
pub fn ids_by<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut words: Vec<(&str, Vec<&str>)> = Vec::new();
    for (word, id) in pairs {
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, ids)) => ids.push(id),
            None => words.push((word, vec![id])),
        }
    }
    object(words.iter().map(|(word, ids)| (*word, list(ids))))
}

/// An object of these members.
pub fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> = members.map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}
