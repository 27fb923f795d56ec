//! Values of saved queries: their comparison and their order.

use std::cmp::Ordering;

use crate::format::Format;
use crate::model::Moment;
use crate::text::front_matter;
use crate::text::json::{Json, JsonKind};

/// A value of a member or of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum RowValue {
    /// Null, or a missing member.
    Null,
    /// A text, or an object as written.
    Text(String),
    /// A number; true is 1 and false is 0.
    Number(f64),
    Moment(Moment),
    /// A list, and its text as written.
    List(Vec<RowValue>, String),
}

/// A value for the order of results. All values have a total order.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey {
    Null,
    Number(f64),
    /// A time, or a text that is one.
    Moment(Moment),
    Text(String),
}

impl RowValue {
    pub fn of_json(value: Json<'_>) -> RowValue {
        match value.kind() {
            JsonKind::Null => RowValue::Null,
            JsonKind::Number => value.number().map_or(RowValue::Null, RowValue::Number),
            JsonKind::Bool => RowValue::Number(f64::from(u8::from(value.bool() == Some(true)))),
            // A list in a list stays text, so that no depth of nesting can exhaust the stack.
            JsonKind::Array => RowValue::List(value.items().map(item).collect(), value.plain()),
            JsonKind::String | JsonKind::Object => RowValue::Text(value.plain()),
        }
    }

    pub fn of_front_matter(format: &dyn Format, field: &front_matter::YamlField<'_>) -> RowValue {
        let value = &field.value;
        match value {
            front_matter::YamlValue::Null => RowValue::Null,
            front_matter::YamlValue::List(items) => RowValue::List(
                items.iter().map(|item| RowValue::Text(item.to_string())).collect(),
                value.plain(),
            ),
            _ => RowValue::Text(format.field_text(field)),
        }
    }

    /// True if the comparison holds. `None` if a side is null. One item of a list is enough.
    pub fn compare(&self, other: &RowValue, holds: fn(Ordering) -> bool) -> Option<bool> {
        match (self, other) {
            (RowValue::Null, _) | (_, RowValue::Null) => None,
            (RowValue::List(items, plain), other) => {
                let of_plain = RowValue::Text(plain.clone()).ordering(other).is_some_and(holds);
                Some(of_plain || items.iter().any(|item| item.ordering(other).is_some_and(holds)))
            }
            (own, RowValue::List(items, plain)) => {
                let of_plain = own.ordering(&RowValue::Text(plain.clone())).is_some_and(holds);
                Some(of_plain || items.iter().any(|item| own.ordering(item).is_some_and(holds)))
            }
            _ => Some(self.ordering(other).is_some_and(holds)),
        }
    }

    /// Compares two values if they can be compared. Two texts that are times compare as times.
    fn ordering(&self, other: &RowValue) -> Option<Ordering> {
        match (self, other) {
            (RowValue::Number(own), RowValue::Number(other)) => own.partial_cmp(other),
            (RowValue::Number(own), RowValue::Text(text)) => own.partial_cmp(&text.trim().parse().ok()?),
            (RowValue::Text(text), RowValue::Number(other)) => {
                text.trim().parse::<f64>().ok()?.partial_cmp(other)
            }
            (RowValue::Text(own), RowValue::Text(other)) => match (Moment::of(own), Moment::of(other)) {
                (Some(own), Some(other)) => Some(own.cmp(&other)),
                _ => Some(own.cmp(other)),
            },
            _ => Some(self.moment()?.cmp(&other.moment()?)),
        }
    }

    /// Returns the time if the value is one.
    pub fn moment(&self) -> Option<Moment> {
        match self {
            RowValue::Moment(moment) => Some(*moment),
            RowValue::Text(text) => Moment::of(text),
            _ => None,
        }
    }

    /// Returns the texts that `LIKE` tests: the value's own text and those of its items.
    pub fn texts(&self) -> Vec<String> {
        match self {
            RowValue::Null => Vec::new(),
            RowValue::Text(text) => vec![text.clone()],
            RowValue::Number(number) => vec![number.to_string()],
            RowValue::Moment(moment) => vec![moment.to_rfc3339()],
            RowValue::List(items, plain) => {
                items.iter().flat_map(RowValue::texts).chain([plain.clone()]).collect()
            }
        }
    }

    pub fn key(&self) -> SortKey {
        match self {
            RowValue::Null => SortKey::Null,
            RowValue::Number(number) => SortKey::Number(*number),
            RowValue::Moment(moment) => SortKey::Moment(*moment),
            RowValue::Text(text) | RowValue::List(_, text) => {
                Moment::of(text).map_or_else(|| SortKey::Text(text.clone()), SortKey::Moment)
            }
        }
    }
}

fn item(value: Json<'_>) -> RowValue {
    match value.kind() {
        JsonKind::Array => RowValue::Text(value.plain()),
        _ => RowValue::of_json(value),
    }
}

impl SortKey {
    /// Compares two keys. Null comes first, then numbers, times and texts.
    pub fn order(&self, other: &SortKey) -> Ordering {
        match (self, other) {
            (SortKey::Number(own), SortKey::Number(other)) => own.total_cmp(other),
            (SortKey::Moment(own), SortKey::Moment(other)) => own.cmp(other),
            (SortKey::Text(own), SortKey::Text(other)) => own.cmp(other),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            SortKey::Null => 0,
            SortKey::Number(_) => 1,
            SortKey::Moment(_) => 2,
            SortKey::Text(_) => 3,
        }
    }
}
