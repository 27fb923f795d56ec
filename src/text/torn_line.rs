//! Complete objects on a line that starts with a torn one: they were appended after it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::json_scanner::{Newlines, ScanResult, Tape};
use super::lines::BOM;

/// At most `LOOKS` times the bytes of a line, and `FEW` more, are read, so that the time stays linear.
const LOOKS: usize = 64;
const FEW: usize = 1 << 20;

/// A complete object after a torn one.
pub struct ObjectAfterTorn {
    /// Its place.
    pub range: Range<usize>,
    /// True if nothing torn before it can continue in it.
    pub is_apart: bool,
    /// True if it is a separate record, as far as this can be seen without its format.
    pub is_own: bool,
}

/// Returns the complete objects in `content`, which starts with a torn one. An object at a place where a
/// value may be can be a part of the torn one. It counts if nothing of that follows it, and if it starts like
/// a torn one or `is_record` accepts it. `None` if the search would take too long.
pub fn objects_after_torn(content: &[u8], is_record: &dyn Fn(&[u8]) -> bool) -> Option<Vec<ObjectAfterTorn>> {
    let mut tape = Tape::default();
    let mut found: Vec<ObjectAfterTorn> = Vec::new();
    // The place of the last torn object by its first name, and the places at which torn objects end.
    let (mut starts, mut ends) = (HashMap::new(), HashSet::new());
    let (mut next, mut cost) = (0, 0);
    for at in memchr_iter(b'{', content) {
        if at < next || !(at == 0 || starts_an_object(&content[at..])) {
            continue;
        }
        let end = match tape.scan(&content[at..], Newlines::Refused) {
            ScanResult::Whole { end, .. } => {
                next = at + end;
                let object = &content[at..next];
                let torn = starts.get(&first_name(object)).copied();
                let is_like = || torn.is_some() || is_record(object);
                let is_apart = ends.contains(&at) || !may_be_a_value(&content[..at]);
                let is_last = ends_a_record(&content[next..]);
                let is_text = std::str::from_utf8(object).is_ok();
                if at > 0 && is_text && (is_apart || is_last && is_like()) {
                    let before = &content[torn.unwrap_or_default()..at];
                    let begins_alike = content[0] == b'{' && first_name(object) == first_name(content);
                    let is_own = match is_apart {
                        true if begins_alike => true,
                        true => ends_the_line(&content[next..]) && is_alike(before, &tape, object, false),
                        false => torn.is_some() && is_alike(before, &tape, object, true),
                    };
                    cost += before.len();
                    // A torn string ends at the object's first quote. Nothing else can stop right after it.
                    let is_apart = is_last && (is_apart || ends.contains(&(at + 2)));
                    found.push(ObjectAfterTorn { range: at..next, is_apart, is_own });
                }
                next
            }
            ScanResult::Bad(stop) => at + stop,
            ScanResult::Incomplete => content.len(),
        };
        if end > next {
            starts.insert(first_name(&content[at..]), at);
            ends.insert(end);
        }
        cost += end - at;
        if cost > content.len().saturating_mul(LOOKS).saturating_add(FEW) {
            return None;
        }
    }
    Some(found)
}

/// True if a complete object after the torn start of `content` reaches its end or the next object.
pub fn is_torn(content: &[u8], behind: &[ObjectAfterTorn]) -> bool {
    behind.iter().any(|own| ends_the_line(&content[own.range.end..]))
}

/// True if only braces and bytes that are not text follow, up to the end or the next object.
fn ends_the_line(rest: &[u8]) -> bool {
    let braces = rest.iter().take_while(|byte| **byte == b'}').count();
    ends_a_record(&rest[braces..])
}

/// True if an object has most of the members of the torn object before it. If it may be the value of the last
/// member there, it must have that member, too: a value is not expected to contain its own name.
fn is_alike(torn: &[u8], tape: &Tape, object: &[u8], may_be_value: bool) -> bool {
    let own: HashSet<&[u8]> = names(tape, object).into_iter().collect();
    let mut tape = Tape::default();
    tape.scan(torn, Newlines::Refused);
    let all = names(&tape, torn);
    let has = all.iter().filter(|name| own.contains(*name)).count();
    let has_last = all.last().is_some_and(|last| own.contains(last));
    has * 2 >= all.len() && (has_last || !may_be_value)
}

/// Returns the names of the members of the outermost object, in order, up to the place where the scan ended.
fn names<'o>(tape: &Tape, object: &'o [u8]) -> Vec<&'o [u8]> {
    let nodes = tape.outer.iter().filter_map(|own| tape.nodes.get(own.at as usize));
    let name = |start: u32, end: u32| {
        let behind = object.get(end as usize..)?.trim_ascii_start();
        // A name that was cut does not count.
        behind.starts_with(b":").then(|| object.get(start as usize..end as usize)).flatten()
    };
    nodes.filter_map(|own| name(own.start, own.end)).collect()
}

/// True if an object with a member starts here. Many texts contain braces alone.
fn starts_an_object(bytes: &[u8]) -> bool {
    bytes.iter().skip(1).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'"')
}

/// True if another object or nothing follows an object.
fn ends_a_record(mut rest: &[u8]) -> bool {
    while let Some((first, others)) = rest.split_first() {
        rest = match rest.strip_prefix(BOM) {
            Some(others) => others,
            None if first.is_ascii_whitespace() || *first == 0 => others,
            None => return *first == b'{',
        };
    }
    true
}

/// Returns the places of objects in bytes that are not one, except places where a value may be.
pub fn starts(content: &[u8]) -> Vec<usize> {
    let starts = |at: &usize| {
        let rest = content[at + 1..].trim_ascii_start();
        let name = first_name(rest).filter(|_| rest.starts_with(b"\""));
        let behind = name.and_then(|name| rest.get(name.len()..)).unwrap_or_default();
        behind.trim_ascii_start().starts_with(b":") && !may_be_a_value(&content[..*at])
    };
    memchr_iter(b'{', content).filter(starts).collect()
}

fn may_be_a_value(before: &[u8]) -> bool {
    let last = before.iter().rev().find(|byte| !byte.is_ascii_whitespace());
    matches!(last, Some(b':' | b',' | b'['))
}

/// Returns the name of the first member of an object, with its quotes.
pub fn first_name(object: &[u8]) -> Option<&[u8]> {
    let quote = memchr(b'"', object)?;
    match Tape::default().scan(&object[quote..], Newlines::Refused) {
        ScanResult::Whole { end, .. } => Some(&object[quote..quote + end]),
        _ => None,
    }
}
