//! Declares shapes of JSON values, and checks values against them.

use std::fmt;

use crate::format::field_reader::{Fault, FieldReader, Need};
use crate::format::record_form::{FieldKind as Holds, RecordForm};
use crate::format::record_reader::DocumentReading;
use crate::model::{Code, Moment, Severity};
use crate::text::json::{Json, JsonKind};

pub enum JsonShape {
    /// A string with more than white space.
    Text,
    TextOrNull,
    /// An array of such strings.
    Texts,
    When,
    WhenOrNull,
    /// A whole number, 0 or more.
    Count,
    Flag,
    Word(&'static [&'static str]),
    /// An object with these members, and any others.
    Object(&'static [ShapeMembers]),
    /// An array whose items have this shape.
    Each(&'static JsonShape),
}

/// Members of an object: their names, whether they are required, and the shape of each.
pub type ShapeMembers = (&'static [&'static str], Need, JsonShape);

fn each(members: &[ShapeMembers]) -> impl Iterator<Item = (&'static str, Need, &JsonShape)> {
    members.iter().flat_map(|(names, need, shape)| names.iter().map(move |name| (*name, *need, shape)))
}

#[derive(Debug)]
pub struct Misfit {
    /// The offset of the faulty value in the scanned bytes.
    pub at: usize,
    pub fault: Fault,
}

/// Returns everything in `value` that deviates from `shape`. Messages call the value `name`.
pub fn check(value: Json<'_>, name: &'static str, shape: &JsonShape, now: Moment) -> Vec<Misfit> {
    let mut checker = ShapeChecker { now, found: Vec::new() };
    checker.value(value, &ValueName { before: None, part: NamePart::Member(name) }, shape);
    checker.found
}

/// Adds what was found to the problems of a file.
pub fn tell(found: Vec<Misfit>, within: &mut DocumentReading<'_>) {
    for Misfit { at, fault: (code, severity, message) } in found {
        within.problem(code, severity, at, message);
    }
}

/// Returns the member names of the object at a path, or none if there is no object.
pub fn names(shape: &JsonShape, path: &str) -> Vec<&'static str> {
    match within(shape, path) {
        Some(JsonShape::Object(members)) => each(members).map(|(name, ..)| name).collect(),
        _ => Vec::new(),
    }
}

/// Adds the fields of a shape to a form, below `name`.
pub fn form(shape: &JsonShape, name: &str, form: &mut RecordForm) {
    let kind = match shape {
        JsonShape::Object(members) => {
            let dot = if name.is_empty() { "" } else { "." };
            for (own, _, inner) in each(members) {
                self::form(inner, &format!("{name}{dot}{own}"), form);
            }
            return;
        }
        JsonShape::Text | JsonShape::TextOrNull => Holds::Text { most: None },
        JsonShape::Texts => Holds::ANY_WORDS,
        JsonShape::When | JsonShape::WhenOrNull => Holds::Moment,
        JsonShape::Count => Holds::Number { range: Some((0.0, f64::INFINITY)), is_whole: true },
        JsonShape::Flag => Holds::Flag,
        JsonShape::Word(words) => Holds::word(words, true),
        JsonShape::Each(_) => Holds::Json,
    };
    form.ask(name.to_owned(), kind);
}

/// Returns the shape at a dotted path.
pub fn within<'s>(shape: &'s JsonShape, path: &str) -> Option<&'s JsonShape> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.into_iter().try_fold(shape, |shape, step| match shape {
        JsonShape::Object(members) => each(members).find(|(name, ..)| *name == step).map(|(.., inner)| inner),
        JsonShape::Each(inner) => Some(*inner),
        JsonShape::Texts => Some(&JsonShape::Text),
        _ => None,
    })
}

/// The place of a value, as a chain from the inside out. It is formatted only for messages.
struct ValueName<'a> {
    before: Option<&'a ValueName<'a>>,
    part: NamePart,
}

enum NamePart {
    Member(&'static str),
    Item(usize),
}

impl fmt::Display for ValueName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            before.fmt(f)?;
        }
        match (&self.part, self.before.is_some_and(|before| !before.is_nameless())) {
            (NamePart::Member(name), true) => write!(f, ".{name}"),
            (NamePart::Member(name), false) => f.write_str(name),
            (NamePart::Item(index), _) => write!(f, "[{index}]"),
        }
    }
}

impl ValueName<'_> {
    fn is_nameless(&self) -> bool {
        self.before.is_none() && matches!(self.part, NamePart::Member(""))
    }
}

struct ShapeChecker {
    now: Moment,
    found: Vec<Misfit>,
}

impl ShapeChecker {
    fn add(&mut self, value: Json<'_>, code: Code, message: String) {
        self.found.push(Misfit { at: value.span().0, fault: (code, Severity::Error, message) });
    }

    // The recursion is bounded: the shapes are constants, and none of them is deep.
    fn value(&mut self, value: Json<'_>, name: &ValueName<'_>, shape: &JsonShape) {
        let fits = match shape {
            JsonShape::Text | JsonShape::TextOrNull => self.text(value, name),
            JsonShape::Texts => self.items(value, name, &JsonShape::Text),
            JsonShape::When | JsonShape::WhenOrNull => value.kind() == JsonKind::String,
            JsonShape::Count => self.count(value, name),
            JsonShape::Flag => value.kind() == JsonKind::Bool,
            JsonShape::Word(words) => self.word(value, name, words),
            JsonShape::Object(members) => self.object(value, name, members),
            JsonShape::Each(shape) => self.items(value, name, shape),
        };
        if !fits {
            let found = value.kind().as_str();
            self.add(value, Code::WrongType, format!("`{name}` should be {} and is {found}.", wanted(shape)));
        }
    }

    fn text(&mut self, value: Json<'_>, name: &ValueName<'_>) -> bool {
        let Some(text) = value.text() else { return false };
        if text.trim().is_empty() {
            self.add(value, Code::OutOfRange, format!("`{name}` is empty; this format wants a text."));
        }
        true
    }

    fn count(&mut self, value: Json<'_>, name: &ValueName<'_>) -> bool {
        let Some(number) = value.number() else { return false };
        if value.count().is_none() {
            let message = format!("`{name}` is {number}; it should be a whole number, 0 or more.");
            self.add(value, Code::OutOfRange, message);
        }
        true
    }

    fn word(&mut self, value: Json<'_>, name: &ValueName<'_>, words: &[&str]) -> bool {
        let Some(text) = value.text() else { return false };
        if !words.contains(&text.as_ref()) {
            let message = format!("`{name}` is {text:?}; it should be one of {}.", words.join(", "));
            self.add(value, Code::OutOfRange, message);
        }
        true
    }

    fn items(&mut self, value: Json<'_>, name: &ValueName<'_>, shape: &JsonShape) -> bool {
        for (index, item) in value.items().enumerate() {
            self.value(item, &ValueName { before: Some(name), part: NamePart::Item(index) }, shape);
        }
        value.kind() == JsonKind::Array
    }

    fn object(&mut self, value: Json<'_>, name: &ValueName<'_>, members: &[ShapeMembers]) -> bool {
        if value.kind() != JsonKind::Object {
            return false;
        }
        for (own, need, shape) in each(members) {
            let named = ValueName { before: Some(name), part: NamePart::Member(own) };
            match value.get(own) {
                None if need == Need::Required => {
                    self.add(value, Code::MissingField, format!("`{named}` is missing."));
                }
                None => {}
                Some(member) if member.is_null() && need == Need::Optional => {}
                Some(member) => {
                    self.value(member, &named, shape);
                    if matches!(shape, JsonShape::When | JsonShape::WhenOrNull) {
                        self.moment(value, member, own);
                    }
                }
            }
        }
        true
    }

    /// Checks a timestamp beyond its type.
    fn moment(&mut self, object: Json<'_>, member: Json<'_>, name: &'static str) {
        if member.kind() != JsonKind::String {
            return;
        }
        let mut fields = FieldReader::new(object, self.now);
        fields.moment(name, Need::Optional);
        let at = member.span().0;
        self.found.extend(fields.into_faults().into_iter().map(|fault| Misfit { at, fault }));
    }
}

fn wanted(shape: &JsonShape) -> &'static str {
    match shape {
        JsonShape::Text | JsonShape::Word(_) => "a string",
        JsonShape::TextOrNull => "a string or null",
        JsonShape::When => "a timestamp",
        JsonShape::WhenOrNull => "a timestamp or null",
        JsonShape::Count => "a number",
        JsonShape::Flag => "a boolean",
        JsonShape::Object(_) => "an object",
        JsonShape::Texts | JsonShape::Each(_) => "an array",
    }
}
