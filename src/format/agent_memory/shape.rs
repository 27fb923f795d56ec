//! Shapes of values, declared, and what deviates from them, with its place.

use std::fmt;

use crate::format::fields::{Fault, Fields, Need};
use crate::format::form::{Form, Kind as Holds};
use crate::format::reading::Within;
use crate::model::{Code, Moment, Severity};
use crate::text::json::{Json, Kind};

/// What a value should be.
pub enum Shape {
    /// A string that holds more than white space.
    Text,
    /// The same, or `null`.
    TextOrNull,
    /// An array of such strings.
    Texts,
    /// A timestamp.
    When,
    /// A timestamp, or `null`.
    WhenOrNull,
    /// A whole number, 0 or more.
    Count,
    /// A boolean.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An object with these members, and any others.
    Object(&'static [Member]),
    /// An array whose items have this shape.
    Each(&'static Shape),
}

/// A member of an object: its name, whether it must be there, and its shape.
pub type Member = (&'static str, Need, Shape);

/// A fault, and the byte at which the value is that has it.
#[derive(Debug)]
pub struct Misfit {
    /// Where the value starts within the scanned bytes.
    pub at: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// Everything in `value` that deviates from `shape`. `name` is what messages call it.
pub fn check(value: Json<'_>, name: &'static str, shape: &Shape, now: Moment) -> Vec<Misfit> {
    let mut checker = Checker { now, found: Vec::new() };
    checker.value(value, &ValueName { before: None, part: NamePart::Member(name) }, shape);
    checker.found
}

/// Adds what was found to the problems of a file.
pub fn tell(found: Vec<Misfit>, within: &mut Within<'_>) {
    for Misfit { at, fault: (code, severity, message) } in found {
        within.problem(code, severity, at, message);
    }
}

/// Whether a shape has a place for what a dotted path names.
pub fn knows(shape: &Shape, path: &str) -> bool {
    inner(shape, path).is_some()
}

/// The names that an object at a path may have; none where it is no object.
pub fn names(shape: &Shape, path: &str) -> Vec<&'static str> {
    match inner(shape, path) {
        Some(Shape::Object(members)) => members.iter().map(|(name, ..)| *name).collect(),
        _ => Vec::new(),
    }
}

/// The shape of what a dotted path names.
pub fn within<'s>(shape: &'s Shape, path: &str) -> Option<&'s Shape> {
    inner(shape, path)
}

/// Asks a form for what a shape has, under `name`.
pub fn form(shape: &Shape, name: &str, need: Need, form: &mut Form) {
    let kind = match shape {
        Shape::Object(members) => {
            let dot = if name.is_empty() { "" } else { "." };
            for (own, need, inner) in *members {
                self::form(inner, &format!("{name}{dot}{own}"), *need, form);
            }
            return;
        }
        Shape::Text | Shape::TextOrNull => Holds::Text { most: None },
        Shape::Texts => Holds::Words { most: 0, longest: usize::MAX },
        Shape::When | Shape::WhenOrNull => Holds::Moment,
        Shape::Count => Holds::Number { range: Some((0.0, f64::INFINITY)), is_whole: true },
        Shape::Flag => Holds::Flag,
        Shape::Word(words) => {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            Holds::Word { words, is_closed: true }
        }
        Shape::Each(_) => Holds::Json,
    };
    form.ask(name.to_owned(), need, kind);
}

fn inner<'s>(shape: &'s Shape, path: &str) -> Option<&'s Shape> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.into_iter().try_fold(shape, |shape, step| match shape {
        Shape::Object(members) => members.iter().find(|(name, ..)| *name == step).map(|(.., inner)| inner),
        Shape::Each(inner) => Some(*inner),
        Shape::Texts => Some(&Shape::Text),
        _ => None,
    })
}

/// Where a value is, as a chain from the inside out: written only into messages.
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

struct Checker {
    now: Moment,
    found: Vec<Misfit>,
}

impl Checker {
    fn add(&mut self, value: Json<'_>, code: Code, message: String) {
        self.found.push(Misfit { at: value.span().0, fault: (code, Severity::Error, message) });
    }

    // The shapes are constants, and none of them is deep: that bounds the recursion.
    fn value(&mut self, value: Json<'_>, name: &ValueName<'_>, shape: &Shape) {
        let fits = match shape {
            Shape::TextOrNull | Shape::WhenOrNull if value.is_null() => true,
            Shape::Text | Shape::TextOrNull => self.text(value, name),
            Shape::Texts => self.items(value, name, &Shape::Text),
            Shape::When | Shape::WhenOrNull => value.kind() == Kind::String,
            Shape::Count => self.count(value, name),
            Shape::Flag => value.kind() == Kind::Bool,
            Shape::Word(words) => self.word(value, name, words),
            Shape::Object(members) => self.object(value, name, members),
            Shape::Each(shape) => self.items(value, name, shape),
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

    fn items(&mut self, value: Json<'_>, name: &ValueName<'_>, shape: &Shape) -> bool {
        for (index, item) in value.items().enumerate() {
            self.value(item, &ValueName { before: Some(name), part: NamePart::Item(index) }, shape);
        }
        value.kind() == Kind::Array
    }

    fn object(&mut self, value: Json<'_>, name: &ValueName<'_>, members: &[Member]) -> bool {
        if value.kind() != Kind::Object {
            return false;
        }
        for (own, need, shape) in members {
            let named = ValueName { before: Some(name), part: NamePart::Member(own) };
            match value.get(own) {
                None if *need == Need::Required => {
                    self.add(value, Code::MissingField, format!("`{named}` is missing."));
                }
                None => {}
                Some(member) if member.is_null() && *need == Need::Optional => {}
                Some(member) => {
                    self.value(member, &named, shape);
                    if matches!(shape, Shape::When | Shape::WhenOrNull) {
                        self.moment(value, member, own);
                    }
                }
            }
        }
        true
    }

    /// What the timestamp `name` of an object has wrong beside its type.
    fn moment(&mut self, object: Json<'_>, member: Json<'_>, name: &'static str) {
        if member.kind() != Kind::String {
            return;
        }
        let mut fields = Fields::new(object, self.now);
        fields.moment(name, Need::Optional);
        let at = member.span().0;
        self.found.extend(fields.into_faults().into_iter().map(|fault| Misfit { at, fault }));
    }
}

fn wanted(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Word(_) => "a string",
        Shape::TextOrNull => "a string or null",
        Shape::When => "a timestamp",
        Shape::WhenOrNull => "a timestamp or null",
        Shape::Count => "a number",
        Shape::Flag => "a boolean",
        Shape::Object(_) => "an object",
        Shape::Texts | Shape::Each(_) => "an array",
    }
}
