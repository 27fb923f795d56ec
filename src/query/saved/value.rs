//! Values of saved queries: how they compare, and how they are ordered.

use std::cmp::Ordering;

use crate::model::Moment;
use crate::text::front_matter;
use crate::text::json::{Json, Kind};

/// A value of a member, or one that is written in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, or no such member.
    Null,
    /// A text, or an object as it is written.
    Text(String),
    /// A number; true is 1 and false is 0.
    Number(f64),
    /// A time.
    Moment(Moment),
    /// A list, with how it is written.
    List(Vec<Value>, String),
}

/// A value as results are ordered by it: in a total order, whatever the values are.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Nothing.
    Null,
    /// A number.
    Number(f64),
    /// A time, or a text that is one.
    Moment(Moment),
    /// Any other text.
    Text(String),
}

impl Value {
    /// The value of a JSON member.
    pub fn of_json(value: Json<'_>) -> Value {
        match value.kind() {
            Kind::Null => Value::Null,
            Kind::Number => value.number().map_or(Value::Null, Value::Number),
            Kind::Bool => Value::Number(f64::from(u8::from(value.bool() == Some(true)))),
            // Lists in a list stay text, so that no depth of nesting can exhaust the stack.
            Kind::Array => Value::List(value.items().map(item).collect(), value.plain()),
            Kind::String | Kind::Object => Value::Text(value.plain()),
        }
    }

    /// The value of a field of front matter.
    pub fn of_front_matter(value: &front_matter::Value<'_>) -> Value {
        match value {
            front_matter::Value::Null => Value::Null,
            front_matter::Value::List(items) => {
                Value::List(items.iter().map(|item| Value::Text(item.to_string())).collect(), value.plain())
            }
            _ => Value::Text(value.plain()),
        }
    }

    /// Whether the comparison holds; `None` where a side is nothing. Of a list one item is enough.
    pub fn compare(&self, other: &Value, holds: fn(Ordering) -> bool) -> Option<bool> {
        match (self, other) {
            (Value::Null, _) | (_, Value::Null) => None,
            (Value::List(items, plain), other) => {
                let of_plain = Value::Text(plain.clone()).ordering(other).is_some_and(holds);
                Some(of_plain || items.iter().any(|item| item.ordering(other).is_some_and(holds)))
            }
            (own, Value::List(items, plain)) => {
                let of_plain = own.ordering(&Value::Text(plain.clone())).is_some_and(holds);
                Some(of_plain || items.iter().any(|item| own.ordering(item).is_some_and(holds)))
            }
            _ => Some(self.ordering(other).is_some_and(holds)),
        }
    }

    /// Which is greater, where they can be compared. Texts that are both times compare as times.
    fn ordering(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Number(own), Value::Number(other)) => own.partial_cmp(other),
            (Value::Number(own), Value::Text(text)) => own.partial_cmp(&text.trim().parse().ok()?),
            (Value::Text(text), Value::Number(other)) => text.trim().parse::<f64>().ok()?.partial_cmp(other),
            (Value::Text(own), Value::Text(other)) => match (moment(own), moment(other)) {
                (Some(own), Some(other)) => Some(own.cmp(&other)),
                _ => Some(own.cmp(other)),
            },
            _ => Some(self.moment()?.cmp(&other.moment()?)),
        }
    }

    /// The time that it is, if it is one.
    pub fn moment(&self) -> Option<Moment> {
        match self {
            Value::Moment(moment) => Some(*moment),
            Value::Text(text) => moment(text),
            _ => None,
        }
    }

    /// The texts that `LIKE` looks at: its own, and those of its items.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Value::Null => Vec::new(),
            Value::Text(text) => vec![text.clone()],
            Value::Number(number) => vec![number.to_string()],
            Value::Moment(moment) => vec![moment.to_rfc3339()],
            Value::List(items, plain) => items.iter().flat_map(Value::texts).chain([plain.clone()]).collect(),
        }
    }

    /// It as results are ordered by it.
    pub fn key(&self) -> Key {
        match self {
            Value::Null => Key::Null,
            Value::Number(number) => Key::Number(*number),
            Value::Moment(moment) => Key::Moment(*moment),
            Value::Text(text) | Value::List(_, text) => {
                moment(text).map_or_else(|| Key::Text(text.clone()), Key::Moment)
            }
        }
    }
}

fn item(value: Json<'_>) -> Value {
    match value.kind() {
        Kind::Array => Value::Text(value.plain()),
        _ => Value::of_json(value),
    }
}

fn moment(text: &str) -> Option<Moment> {
    Moment::parse(text).map(|(moment, _)| moment)
}

impl Key {
    /// Nothing comes first, then numbers, times and texts.
    pub fn order(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Number(own), Key::Number(other)) => own.total_cmp(other),
            (Key::Moment(own), Key::Moment(other)) => own.cmp(other),
            (Key::Text(own), Key::Text(other)) => own.cmp(other),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Key::Null => 0,
            Key::Number(_) => 1,
            Key::Moment(_) => 2,
            Key::Text(_) => 3,
        }
    }
}
