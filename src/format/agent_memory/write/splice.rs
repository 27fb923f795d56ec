//! Edits of a JSON text that leave every other byte of it where it was.

use std::ops::Range;

use super::Refused;
use crate::text::json::{Json, Kind};
use crate::text::scan::{Newlines, Scan, Tape};

/// A stretch of the text and what is to be there instead.
pub struct Splice {
    at: Range<usize>,
    with: String,
}

/// Puts the splices into the text. They must not overlap, and are in its order.
pub fn apply(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for splice in splices {
        out.push_str(text.get(at..splice.at.start).unwrap_or_default());
        out.push_str(&splice.with);
        at = splice.at.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The value that is all of the text, white space aside.
pub fn parse<'a>(tape: &'a mut Tape, text: &'a str) -> Option<Json<'a>> {
    let Scan::Whole { end, .. } = tape.scan(text.as_bytes(), Newlines::Refused) else { return None };
    text.get(end..)?.trim_ascii().is_empty().then(|| Json::of(text.as_bytes(), tape))
}

/// A string as JSON has it.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The last step of a path: where a value is, or could.
struct LastStep<'a> {
    parent: Json<'a>,
    place: Place<'a>,
    found: Option<Json<'a>>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Member(&'a str),
    Item(usize),
}

/// Follows a dotted path. A name may hold dots itself, so that of an object the longest
/// name that it has is taken; an item of a list is named by its number or its own `id`.
fn target<'a>(root: Json<'a>, path: &'a str) -> Result<LastStep<'a>, Refused> {
    let none = || Refused::NoSuchPath(path.to_owned());
    let (mut value, mut rest) = (root, path);
    loop {
        match value.kind() {
            Kind::Object => {
                let found = value.get(rest);
                let child = || {
                    let dots = rest.rmatch_indices('.');
                    dots.filter_map(|(at, _)| Some((value.get(rest.get(..at)?)?, rest.get(at + 1..)?))).next()
                };
                match (found, child()) {
                    (None, Some((child, after))) => (value, rest) = (child, after),
                    (None, None) if rest.contains('.') || rest.is_empty() => return Err(none()),
                    (found, _) => return Ok(LastStep { parent: value, place: Place::Member(rest), found }),
                }
            }
            Kind::Array => {
                let (head, after) =
                    rest.split_once('.').map_or((rest, None), |(head, own)| (head, Some(own)));
                let index = index(value, head).ok_or_else(none)?;
                let item = value.items().nth(index);
                match (item, after) {
                    (Some(item), Some(after)) => (value, rest) = (item, after),
                    (None, Some(_)) => return Err(none()),
                    (found, None) => return Ok(LastStep { parent: value, place: Place::Item(index), found }),
                }
            }
            _ => return Err(none()),
        }
    }
}

fn index(list: Json<'_>, name: &str) -> Option<usize> {
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let own = || list.items().position(|item| item.get("id").is_some_and(|id| id.is_text(name)));
    if digits { name.parse().ok() } else { own() }
}

/// The value at a dotted path.
pub fn value_at<'a>(root: Json<'a>, path: &'a str) -> Option<Json<'a>> {
    target(root, path).ok()?.found
}

/// Sets the value at a path. A member that is not there yet is added to its object.
pub fn set(text: &str, root: Json<'_>, path: &str, value: &str) -> Result<Vec<Splice>, Refused> {
    let target = target(root, path)?;
    match (target.found, target.place) {
        (Some(found), _) => {
            let (start, end) = found.span();
            Ok(vec![Splice { at: start..end, with: value.to_owned() }])
        }
        (None, Place::Member(name)) => Ok(vec![new_member(text, target.parent, name, value)]),
        (None, Place::Item(_)) => Err(Refused::NoSuchPath(path.to_owned())),
    }
}

/// The same for a member of an object that is at hand.
pub fn set_member(text: &str, object: Json<'_>, name: &str, value: &str) -> Splice {
    match object.get(name) {
        Some(found) => {
            let (start, end) = found.span();
            Splice { at: start..end, with: value.to_owned() }
        }
        None => new_member(text, object, name, value),
    }
}

/// Puts a value where none is: before the item of that number, or as a new member.
pub fn insert(text: &str, root: Json<'_>, path: &str, value: &str) -> Result<Vec<Splice>, Refused> {
    let target = target(root, path)?;
    match target.place {
        Place::Member(_) if target.found.is_some() => Err(Refused::Taken(path.to_owned())),
        Place::Member(name) => Ok(vec![new_member(text, target.parent, name, value)]),
        Place::Item(index) => {
            let spans = children(target.parent);
            if index > spans.len() {
                return Err(Refused::NoSuchPath(path.to_owned()));
            }
            Ok(vec![new_child(text, target.parent, &spans, index, value.to_owned())])
        }
    }
}

/// Takes out the value at a path; of doubled keys all, or an earlier one would count.
pub fn remove(root: Json<'_>, path: &str) -> Result<Vec<Splice>, Refused> {
    let target = target(root, path)?;
    if target.found.is_none() {
        return Err(Refused::NoSuchPath(path.to_owned()));
    }
    let spans = children(target.parent);
    let goes: Vec<bool> = match target.place {
        Place::Member(name) => target.parent.members().map(|(key, _)| key.is_text(name)).collect(),
        Place::Item(index) => (0..spans.len()).map(|own| own == index).collect(),
    };
    Ok(without(target.parent, &spans, &goes))
}

/// Takes out the members of an object, or the items of a list, whose value goes.
pub fn without_those(parent: Json<'_>, goes: &dyn Fn(Json<'_>) -> bool) -> Vec<Splice> {
    let values = parent.members().map(|(_, value)| value).chain(parent.items());
    let goes: Vec<bool> = values.map(goes).collect();
    if goes.contains(&true) { without(parent, &children(parent), &goes) } else { Vec::new() }
}

/// Splices of several values, in the order of the text.
pub fn in_order(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| splice.at.start);
    splices
}

/// The spans of an object's members, or of a list's items.
fn children(parent: Json<'_>) -> Vec<Range<usize>> {
    let members = parent.members().map(|(key, value)| key.span().0..value.span().1);
    let items = parent.items().map(|item| item.span().0..item.span().1);
    members.chain(items).collect()
}

fn without(parent: Json<'_>, spans: &[Range<usize>], goes: &[bool]) -> Vec<Splice> {
    let (start, end) = parent.span();
    let cut = |at| Splice { at, with: String::new() };
    let Some(first_kept) = goes.iter().position(|goes| !goes) else {
        return vec![cut(start + 1..end.saturating_sub(1))];
    };
    let mut cuts = Vec::new();
    // What is before the first that stays goes with what follows it, the rest with
    // what precedes it: so the commas come out right.
    if let (Some(first), Some(kept)) = (spans.first(), spans.get(first_kept))
        && first_kept > 0
    {
        cuts.push(cut(first.start..kept.start));
    }
    for (at, pair) in spans.windows(2).enumerate().skip(first_kept) {
        if let ([before, own], Some(true)) = (pair, goes.get(at + 1)) {
            cuts.push(cut(before.end..own.end));
        }
    }
    cuts
}

fn new_member(text: &str, object: Json<'_>, name: &str, value: &str) -> Splice {
    let later = |key: &str| key.encode_utf16().gt(name.encode_utf16());
    let place = object.members().position(|(key, _)| key.text().is_some_and(|key| later(&key)));
    let spans = children(object);
    let place = place.unwrap_or(spans.len());
    new_child(text, object, &spans, place, format!("{}: {value}", quoted(name)))
}

/// A child put before the one at `index`, with the white space that its neighbour has.
fn new_child(text: &str, parent: Json<'_>, spans: &[Range<usize>], index: usize, new: String) -> Splice {
    let before = |span: &Range<usize>| {
        let all = text.get(..span.start).unwrap_or_default();
        all.get(all.trim_ascii_end().len()..).unwrap_or_default()
    };
    match (spans.get(index), spans.last()) {
        (Some(next), _) => Splice { at: next.start..next.start, with: format!("{new},{}", before(next)) },
        (None, Some(last)) => Splice { at: last.end..last.end, with: format!(",{}{new}", before(last)) },
        (None, None) => {
            let (start, end) = parent.span();
            Splice { at: start + 1..end.saturating_sub(1), with: new }
        }
    }
}
