//! The fields of the query language: their names, values and meaning.

use std::cmp::Ordering;
use std::ops::Range;

use strsim::osa_distance;

use super::filter::{Bounds, FacetPredicate, Filter, NameFilter, NameScope, Pattern};
use super::parse::wrong;
use super::query_tree::{MinRank, QueryNode};
use super::saved_query::SavedQuery;
use super::time_values::{TIME_FORMS, TimeRange, TimeValue};
use super::{Order, Query, QueryError};
use crate::format;
use crate::model::{Moment, State};
use crate::text::fold::fold;
use crate::text::names;

/// The fields of every format, in the order of `docs/query.md`.
const FIELDS: &[&str] = &names::<21>(
    "type topic tag project session store id ref is has saved in since until at accessed importance min \
    sort limit depth",
);

/// Returns the names of all fields: those of every format and those of some formats.
pub fn field_names() -> Vec<&'static str> {
    let mut names = FIELDS.to_vec();
    for facet in format::facets() {
        if !names.contains(&facet) {
            names.push(facet);
        }
    }
    names
}

/// One value of a field, and its place in the query.
pub(super) struct QueryValue {
    pub text: String,
    pub span: Range<usize>,
    /// True if all of it is between quotes: a star is a star then.
    pub is_quoted: bool,
}

impl QueryValue {
    fn pattern(&self, text: &str) -> Pattern {
        if self.is_quoted { Pattern::literal(text) } else { Pattern::new(text) }
    }
}

/// True if the field is a setting of the whole query and filters nothing.
pub(super) fn is_setting(name: &str) -> bool {
    matches!(name, "min" | "sort" | "limit" | "depth")
}

/// Applies `min:`, `sort:`, `limit:` or `depth:`.
pub(super) fn set(
    query: &mut Query,
    name: &str,
    values: &[QueryValue],
    span: Range<usize>,
) -> Result<(), QueryError> {
    let [value] = values else {
        return Err(wrong(span, format!("{name}: takes one value, not a list.")));
    };
    match name {
        "sort" => query.order = Some(order(value)?),
        "limit" => query.limit = Some(limit("limit", value)?),
        "depth" => query.depth = Some(limit("depth", value)?),
        _ => query.min_rank = Some(MinRank { span, value: min_rank(value)? }),
    }
    Ok(())
}

fn order(value: &QueryValue) -> Result<Order, QueryError> {
    match value.text.as_str() {
        "rank" => Ok(Order::Rank),
        "time" => Ok(Order::Time),
        "oldest" => Ok(Order::Oldest),
        "importance" => Ok(Order::Importance),
        "size" => Ok(Order::Size),
        _ => Err(bad("sort", value, "rank, time, oldest, importance or size")),
    }
}

fn limit(name: &str, value: &QueryValue) -> Result<usize, QueryError> {
    let limit = value.text.parse().ok().filter(|limit| *limit > 0);
    limit.ok_or_else(|| bad(name, value, "a whole number from 1"))
}

fn min_rank(value: &QueryValue) -> Result<f64, QueryError> {
    let rank = value.text.parse().ok().filter(|rank: &f64| rank.is_finite() && *rank >= 0.0);
    rank.ok_or_else(|| bad("min", value, "a rank value such as .3"))
}

/// Returns the condition of a field: one of its values must match.
pub(super) fn filter(
    query: &mut Query,
    name: &str,
    values: &[QueryValue],
    now: Moment,
) -> Result<QueryNode, QueryError> {
    let named = match name {
        "project" => Some(NameScope::Project),
        "session" => Some(NameScope::Session),
        "store" => Some(NameScope::Store),
        _ => None,
    };
    if let Some(scope) = named {
        query.names.push(NameFilter { of: scope, patterns: values.iter().map(folded).collect() });
        return Ok(QueryNode::Name(query.names.len() - 1));
    }
    if name == "ref" {
        query.related.push(values.iter().map(|value| value.pattern(&value.text)).collect());
        return Ok(QueryNode::Related(query.related.len() - 1));
    }
    let filters = values.iter().map(|value| match name {
        "saved" => {
            query.saved.push(SavedQuery { name: value.text.clone(), span: value.span.clone(), now });
            Ok(QueryNode::Saved(query.saved.len() - 1))
        }
        _ => one(name, value, now).map(QueryNode::Filter),
    });
    let mut nodes = filters.collect::<Result<Vec<QueryNode>, QueryError>>()?;
    Ok(if nodes.len() == 1 { nodes.remove(0) } else { QueryNode::Any(nodes) })
}

fn one(name: &str, value: &QueryValue, now: Moment) -> Result<Filter, QueryError> {
    Ok(match name {
        "type" => Filter::Type(folded(value)),
        "topic" => Filter::Topic(folded(value)),
        "tag" => Filter::Tag(folded(value)),
        "id" => Filter::Id(value.pattern(&value.text)),
        "is" => is(value)?,
        "has" => has(value)?,
        "in" if value.text == "archive" => Filter::InArchive,
        "in" => return Err(bad("in", value, "archive")),
        "since" => Filter::Created(when(name, value, now)?.since()),
        "until" => Filter::Created(when(name, value, now)?.until()),
        "at" => Filter::Created(when(name, value, now)?.around),
        "accessed" => Filter::Accessed(accessed(value, now)?),
        "importance" => Filter::Importance(importance(value)?),
        _ => match format::facets().find(|facet| *facet == name) {
            Some(facet) => Filter::Facet(facet, wanted(value)),
            None => return Err(wrong(value.span.clone(), no_field(name))),
        },
    })
}

/// Returns the message for an unknown field: the name that was probably meant, or all names.
pub(super) fn no_field(name: &str) -> String {
    let most = if name.chars().count() < 4 { 1 } else { 2 };
    let far = field_names().into_iter().map(|known| (osa_distance(name, known), known));
    match far.filter(|(far, known)| *far <= most && *far < known.len()).min_by_key(|(far, _)| *far) {
        Some((_, near)) => format!("Did you mean “{near}:”? There is no field “{name}”."),
        None => format!(
            "To search for the text itself, quote it. There is no field “{name}”. The fields are {}.",
            field_names().join(", ")
        ),
    }
}

fn folded(value: &QueryValue) -> Pattern {
    value.pattern(&fold(&value.text))
}

fn is(value: &QueryValue) -> Result<Filter, QueryError> {
    Ok(match value.text.as_str() {
        "live" => Filter::State(State::Live),
        "archived" => Filter::State(State::Archived),
        "deleted" => Filter::State(State::Deleted),
        "broken" => Filter::State(State::Broken),
        "pinned" => Filter::Pinned,
        "sensitive" => Filter::Sensitive,
        "unseen" => Filter::Unseen,
        _ => return Err(bad("is", value, "live, archived, deleted, broken, pinned, sensitive or unseen")),
    })
}

fn has(value: &QueryValue) -> Result<Filter, QueryError> {
    Ok(match value.text.as_str() {
        "problem" => Filter::HasProblem,
        "checksum" => Filter::HasChecksum,
        "tag" => Filter::HasTag,
        "reference" => Filter::HasReference,
        _ => return Err(bad("has", value, "problem, checksum, tag or reference")),
    })
}

fn when(name: &str, value: &QueryValue, now: Moment) -> Result<TimeValue, QueryError> {
    TimeValue::parse(&value.text, now).ok_or_else(|| bad(name, value, TIME_FORMS))
}

fn accessed(value: &QueryValue, now: Moment) -> Result<TimeRange, QueryError> {
    let (sign, rest) = comparison(&value.text);
    let wanted = format!("{TIME_FORMS}, with <, <=, > or >= before it for before or after that");
    let when = TimeValue::parse(rest, now).ok_or_else(|| bad("accessed", value, &wanted))?;
    Ok(match sign {
        (Ordering::Less, false) => TimeRange { from: None, to: Some(when.start) },
        (Ordering::Less, true) => when.until(),
        (Ordering::Greater, false) => TimeRange { from: Some(when.end), to: None },
        (Ordering::Greater, true) => when.since(),
        (Ordering::Equal, _) => when.around,
    })
}

/// The limits are those at which a number becomes a word (high from 0.75, medium from 0.45), so that
/// `importance:high` finds what any format shows as high.
fn importance(value: &QueryValue) -> Result<Bounds, QueryError> {
    let (lowest, highest) = ((f64::NEG_INFINITY, true), (f64::INFINITY, true));
    match value.text.as_str() {
        "high" => return Ok(Bounds { low: (0.75, true), high: highest }),
        "medium" => return Ok(Bounds { low: (0.45, true), high: (0.75, false) }),
        "low" => return Ok(Bounds { low: lowest, high: (0.45, false) }),
        _ => {}
    }
    let bounds = bounds(&value.text).filter(|(number, _)| (0.0..=1.0).contains(number));
    let Some((_, bounds)) = bounds else {
        let wanted = "high, medium, low, or a number from 0 to 1, with <, <=, > or >= before it if need be";
        return Err(bad("importance", value, wanted));
    };
    Ok(bounds)
}

/// Reads a number, with or without a sign of comparison. Returns it and the range that is asked for.
fn bounds(text: &str) -> Option<(f64, Bounds)> {
    let (lowest, highest) = ((f64::NEG_INFINITY, true), (f64::INFINITY, true));
    let ((side, with_end), rest) = comparison(text);
    let number = rest.parse::<f64>().ok()?;
    let bounds = match side {
        Ordering::Less => Bounds { low: lowest, high: (number, with_end) },
        Ordering::Greater => Bounds { low: (number, with_end), high: highest },
        Ordering::Equal => Bounds { low: (number, true), high: (number, true) },
    };
    Some((number, bounds))
}

/// Compares numbers only if the value starts with a sign of comparison.
fn wanted(value: &QueryValue) -> FacetPredicate {
    match bounds(&value.text).filter(|_| value.text.starts_with(['<', '>', '='])) {
        Some((_, bounds)) => FacetPredicate::Number(bounds),
        None => FacetPredicate::Text(folded(value)),
    }
}

/// Splits a value into its sign of comparison and the rest. The sign is a side, and true if it ends with `=`.
fn comparison(text: &str) -> ((Ordering, bool), &str) {
    let sides = [("<", Ordering::Less), (">", Ordering::Greater), ("", Ordering::Equal)];
    let side = sides.into_iter().find_map(|(sign, side)| Some((side, text.strip_prefix(sign)?)));
    let (side, rest) = side.unwrap_or((Ordering::Equal, text));
    ((side, rest.starts_with('=')), rest.strip_prefix('=').unwrap_or(rest))
}

fn bad(name: &str, value: &QueryValue, wanted: &str) -> QueryError {
    wrong(value.span.clone(), format!("{name}: can be {wanted}, not “{}”.", value.text))
}
