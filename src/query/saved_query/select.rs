//! A saved query that can be run: what it asks of each record, in which order, and how many it takes.

use std::cmp::Ordering;

use super::row::SqlRow;
use super::time_shift::TimeShift;
use super::value::{RowValue, SortKey};

/// One SELECT.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The table that it reads.
    pub table: String,
    /// What it asks; everything where it asks nothing.
    pub condition: Option<Condition>,
    /// What its results are ordered by, the first first.
    pub order: Vec<Sorting>,
    /// The most results.
    pub limit: Option<usize>,
}

/// One of the values that results are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorting {
    /// The value.
    pub by: Operand,
    /// Whether the greatest comes first.
    pub is_descending: bool,
    /// Whether what has no value comes first.
    pub nulls_first: bool,
}

/// What a record must be.
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

/// A sign of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonSign {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value that the query names.
    Fixed(RowValue),
    /// A member of the record: its name, and the names below it.
    Member(Vec<String>),
    /// The time that something is, moved.
    Time(Box<Operand>, Vec<TimeShift>),
}

impl Condition {
    /// Whether a record is what it asks for; `None` where that is not known, as in SQL.
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

/// `AND`, which one part that is false decides, or `OR`, which one that is true does.
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
    /// Its value in a record.
    pub fn value(&self, row: &SqlRow<'_>) -> RowValue {
        match self {
            Operand::Fixed(value) => value.clone(),
            Operand::Member(path) => row.value(path),
            Operand::Time(of, moves) => TimeShift::apply(moves, &of.value(row)),
        }
    }
}

impl Select {
    /// What a record is ordered by.
    pub fn keys(&self, row: &SqlRow<'_>) -> Vec<SortKey> {
        self.order.iter().map(|sorting| sorting.by.value(row).key()).collect()
    }

    /// Which of two records comes first.
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

/// A pattern of `LIKE`: `%` is any text, `_` any character. Case does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct LikePattern(Vec<char>);

impl LikePattern {
    /// The most characters that one may have.
    pub const LONGEST: usize = 256;

    /// Reads a pattern; `None` where it is too long.
    pub fn new(pattern: &str) -> Option<LikePattern> {
        let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
        (pattern.len() <= LikePattern::LONGEST).then_some(LikePattern(pattern))
    }

    fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.to_lowercase().chars().collect();
        let (mut at, mut own) = (0, 0);
        // Where the last `%` is, and how much of the text it takes.
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
