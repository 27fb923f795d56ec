//! Writes JSON in the layout of an existing document.

use std::borrow::Cow;

use super::json::{Json, JsonKind};
use super::json_edit::quoted;
use super::lines::BOM;

/// Members to write: each name in quotes, with its value.
pub type TreeMembers<'a> = Vec<(Cow<'a, str>, JsonTree<'a>)>;

/// A value to write.
#[derive(Clone, Debug)]
pub enum JsonTree<'a> {
    /// A text that is written as it is.
    Raw(Cow<'a, str>),
    Object(TreeMembers<'a>),
    /// A list of values.
    Array(Vec<JsonTree<'a>>),
    /// A list of strings, each in quotes.
    Texts(Vec<JsonTree<'a>>),
}

impl<'a> JsonTree<'a> {
    /// Makes a value from its exact text.
    pub fn raw(value: Json<'a>) -> Self {
        JsonTree::Raw(value.spelled())
    }

    /// Makes a value from its display text.
    pub fn plain(value: impl ToString) -> Self {
        JsonTree::Raw(Cow::Owned(value.to_string()))
    }

    /// Makes a list of strings.
    pub fn texts(texts: &[String]) -> Self {
        JsonTree::Texts(texts.iter().map(|text| JsonTree::plain(quoted(text))).collect())
    }
}

/// The layout of a document.
#[derive(Clone, Debug)]
pub struct JsonLayout {
    /// The indentation of a level, if each member has its own line.
    indent: Option<String>,
    flat_lists: bool,
    line_end: &'static str,
    comma: &'static str,
    colon: &'static str,
    has_mark: bool,
    after: String,
}

impl Default for JsonLayout {
    fn default() -> Self {
        JsonLayout {
            indent: Some("  ".into()),
            flat_lists: false,
            line_end: "\n",
            comma: ", ",
            colon: ": ",
            has_mark: false,
            after: "\n".into(),
        }
    }
}

impl JsonLayout {
    /// Returns the layout of a document, which `object` fills after the byte order mark.
    pub fn of(bytes: &[u8], object: Json<'_>) -> Self {
        let body = bytes.strip_prefix(BOM).unwrap_or(bytes);
        let between = |from: usize, to: usize| object.around(from..to);
        let (start, end) = object.span();
        let mut members = object.members();
        let (has_mark, after) = (body.len() < bytes.len(), between(end, body.len()).into_owned());
        let Some((key, value)) = members.next() else {
            return JsonLayout { has_mark, after, ..JsonLayout::default() };
        };
        let opening = between(start + 1, key.span().0);
        let indent = opening.rsplit_once('\n').map(|(_, indent)| indent.to_owned());
        let colon = if between(key.span().1, value.span().0).contains(' ') { ": " } else { ":" };
        let next = members.next().map(|(key, _)| between(value.span().1, key.span().0).contains(' '));
        let is_spaced = if indent.is_none() { next.unwrap_or(colon == ": ") } else { colon == ": " };
        let list = first_list(object).map(|list| list.raw().contains(&b'\n'));
        JsonLayout {
            flat_lists: indent.is_none() || list.is_some_and(|is_broken| !is_broken),
            indent,
            line_end: if opening.contains('\r') { "\r\n" } else { "\n" },
            comma: if is_spaced { ", " } else { "," },
            colon,
            has_mark,
            after,
        }
    }

    /// Writes a document with that value.
    pub fn document(&self, tree: &JsonTree<'_>) -> Vec<u8> {
        let mut out = String::new();
        self.write(tree, 0, &mut out);
        out.push_str(&self.after);
        let mark: &[u8] = if self.has_mark { BOM } else { b"" };
        [mark, out.as_bytes()].concat()
    }

    /// The recursion is shallow: a tree has a few levels, and values from a file are raw.
    fn write(&self, tree: &JsonTree<'_>, depth: usize, out: &mut String) {
        let (marks, is_flat, inner): (_, _, Vec<(Option<&str>, &JsonTree<'_>)>) = match tree {
            JsonTree::Raw(text) => return out.push_str(text),
            JsonTree::Object(members) => {
                (['{', '}'], false, members.iter().map(|(name, value)| (Some(&**name), value)).collect())
            }
            JsonTree::Array(items) => (['[', ']'], false, items.iter().map(|item| (None, item)).collect()),
            JsonTree::Texts(texts) => {
                (['[', ']'], self.flat_lists, texts.iter().map(|text| (None, text)).collect())
            }
        };
        let indent = self.indent.as_deref().filter(|_| !is_flat && !inner.is_empty());
        let line = |depth: usize| {
            indent.map(|indent| format!("{}{}", self.line_end, indent.repeat(depth))).unwrap_or_default()
        };
        out.push(marks[0]);
        for (at, (name, value)) in inner.into_iter().enumerate() {
            if at > 0 {
                out.push_str(if indent.is_some() { "," } else { self.comma });
            }
            out.push_str(&line(depth + 1));
            name.into_iter().for_each(|name| out.extend([name, self.colon]));
            self.write(value, depth + 1, out);
        }
        out.push_str(&line(depth));
        out.push(marks[1]);
    }
}

/// Returns the first list of strings, at most three levels down.
fn first_list(value: Json<'_>) -> Option<Json<'_>> {
    let mut level = vec![value];
    for _ in 0..4 {
        let mut next = Vec::new();
        for value in level {
            if value.items().next().is_some_and(|item| item.kind() == JsonKind::String) {
                return Some(value);
            }
            next.extend(value.members().map(|(_, value)| value).chain(value.items()));
        }
        level = next;
    }
    None
}
