//! A saved query that can be run: its condition, its order and its limit.

use std::cmp::Ordering;

use super::row::SqlRow;
use super::time_shift::TimeShift;
use super::value::{RowValue, SortKey};

#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub table: String,
    /// `None` selects everything.
    pub condition: Option<Condition>,
    /// The values that results are ordered by. The first counts most.
    pub order: Vec<Sorting>,
    pub limit: Option<usize>,
}

/// One of the values that results are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorting {
    pub by: Operand,
    pub is_descending: bool,
    /// True if records without the value come first.
    pub nulls_first: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `AND`.
    All(Vec<Condition>),
    /// `OR`.
    Any(Vec<Condition>),
    /// `NOT`.
    Not(Box<Condition>),
    /// `=`, `<`, `<=`, `>`, `>=`.
    Compare(Operand, ComparisonSign, Operand),
    /// `LIKE`.
    Like(Operand, LikePattern),
    /// `IS NULL`.
    IsNull(Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonSign {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value in the query.
    Fixed(RowValue),
    /// A member of the record: its name, and the names below it.
    Member(Vec<String>),
    /// A time and the shifts that move it.
    Time(Box<Operand>, Vec<TimeShift>),
}

impl Condition {
    /// True if a record meets the condition. `None` if that is unknown, as in SQL.
    pub fn holds(&self, row: &SqlRow<'_>) -> Option<bool> {
        match self {
            Condition::All(parts) => joined(parts, row, false),
            Condition::Any(parts) => joined(parts, row, true),
            Condition::Not(part) => part.holds(row).map(|holds| !holds),
            Condition::Compare(left, sign, right) => left.value(row).compare(&right.value(row), sign.holds()),
            Condition::Like(operand, like) => match operand.value(row) {
                RowValue::Null => None,
                value => Some(value.texts().iter().any(|text| like.matches(text))),
            },
            Condition::IsNull(operand) => Some(operand.value(row) == RowValue::Null),
        }
    }
}

/// Evaluates `AND`, which one false part decides, or `OR`, which one true part decides.
fn joined(parts: &[Condition], row: &SqlRow<'_>, deciding: bool) -> Option<bool> {
    let mut all = Some(!deciding);
    for part in parts {
        match part.holds(row) {
            Some(holds) if holds == deciding => return Some(deciding),
            None => all = None,
            Some(_) => {}
        }
    }
    all
}

impl ComparisonSign {
    fn holds(self) -> fn(Ordering) -> bool {
        match self {
            ComparisonSign::Equal => Ordering::is_eq,
            ComparisonSign::Less => Ordering::is_lt,
            ComparisonSign::AtMost => Ordering::is_le,
            ComparisonSign::More => Ordering::is_gt,
            ComparisonSign::AtLeast => Ordering::is_ge,
        }
    }
}

impl Operand {
    pub fn value(&self, row: &SqlRow<'_>) -> RowValue {
        match self {
            Operand::Fixed(value) => value.clone(),
            Operand::Member(path) => row.value(path),
            Operand::Time(of, moves) => TimeShift::apply(moves, &of.value(row)),
        }
    }
}

impl Select {
    /// Returns the values that a record is ordered by.
    pub fn keys(&self, row: &SqlRow<'_>) -> Vec<SortKey> {
        self.order.iter().map(|sorting| sorting.by.value(row).key()).collect()
    }

    /// Compares two records by their keys.
    pub fn before(&self, own: &[SortKey], other: &[SortKey]) -> Ordering {
        let keys = self.order.iter().zip(own.iter().zip(other));
        keys.fold(Ordering::Equal, |order, (sorting, (own, other))| order.then(sorting.before(own, other)))
    }
}

impl Sorting {
    fn before(&self, own: &SortKey, other: &SortKey) -> Ordering {
        let nulls = (*other == SortKey::Null).cmp(&(*own == SortKey::Null));
        let values = own.order(other);
        let nulls = if self.nulls_first { nulls } else { nulls.reverse() };
        nulls.then(if self.is_descending { values.reverse() } else { values })
    }
}

/// A pattern of `LIKE`: `%` is any text, `_` any character. Case is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct LikePattern(Vec<char>);

impl LikePattern {
    /// The maximum number of characters.
    pub const LONGEST: usize = 256;

    /// Returns `None` if the pattern is too long.
    pub fn new(pattern: &str) -> Option<LikePattern> {
        let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
        (pattern.len() <= LikePattern::LONGEST).then_some(LikePattern(pattern))
    }

    fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.to_lowercase().chars().collect();
        let (mut at, mut own) = (0, 0);
        // The place of the last `%`, and where the text that it takes ends.
        let mut back: Option<(usize, usize)> = None;
        while let Some(next) = text.get(at) {
            match self.0.get(own) {
                Some('%') => {
                    back = Some((own, at));
                    own += 1;
                }
                Some(wanted) if *wanted == '_' || wanted == next => (at, own) = (at + 1, own + 1),
                _ => match back {
                    Some((sign, taken)) => {
                        back = Some((sign, taken + 1));
                        (at, own) = (taken + 1, sign + 1);
                    }
                    None => return false,
                },
            }
        }
        self.0.iter().skip(own).all(|sign| *sign == '%')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_takes_any_text_and_any_character_whatever_the_case() {
        for (pattern, text, matches) in [
            ("%time%", "A Timeout", true),
            ("gateway.%", "gateway.tool_call", true),
            ("gateway.%", "a gateway.tool_call", false),
            ("a_c", "abc", true),
            ("a_c", "ac", false),
            ("%a%b", "xaabab", true),
            ("%a%b", "xaaba", false),
            ("%", "", true),
            ("", "x", false),
            ("É%", "école", true),
        ] {
            assert_eq!(LikePattern::new(pattern).unwrap().matches(text), matches, "{pattern} {text}");
        }
        assert_eq!(LikePattern::new(&"x".repeat(257)), None);
    }
}
