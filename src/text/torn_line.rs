//! Whole objects on a line that starts with a torn one: what was appended behind it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::json_scanner::{Newlines, ScanResult, Tape};
use super::lines::BOM;

/// So many times the bytes of a line may be looked at, and so many bytes more: a hostile line
/// takes time in proportion to its length.
const LOOKS: usize = 64;
const FEW: usize = 1 << 20;

/// A whole object behind a torn one.
pub struct ObjectAfterTorn {
    /// Where it is.
    pub range: Range<usize>,
    /// Whether nothing of what is torn before it can go on in it.
    pub is_apart: bool,
    /// Whether it is a separate record, as far as this can be seen without its format.
    pub is_own: bool,
}

/// Where whole objects are in `content`, which starts with one that is torn. One that is
/// where a value may be can be part of the torn one: it counts if nothing of that follows it,
/// and it starts as a torn one does or `is_record` says so. `None` where that would take too long.
pub fn objects_after_torn(content: &[u8], is_record: &dyn Fn(&[u8]) -> bool) -> Option<Vec<ObjectAfterTorn>> {
    let mut tape = Tape::default();
    let mut found: Vec<ObjectAfterTorn> = Vec::new();
    // For each way in which torn objects start, the place of the last one. Also the places after which no
    // torn object continues.
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
                    // A string that was torn ends in the first name, and nothing but that can stop there.
                    let is_apart = is_last && (is_apart || ends.contains(&(at + 2)));
                    found.push(ObjectAfterTorn { range: at..next, is_apart, is_own });
                }
                next
            }
            ScanResult::Bad { at: stop } => at + stop,
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

/// Whether a whole object is behind the torn start of `content`, up to its end or to the next.
pub fn is_torn(content: &[u8], behind: &[ObjectAfterTorn]) -> bool {
    behind.iter().any(|own| ends_the_line(&content[own.range.end..]))
}

/// Whether only braces and bytes that are no text follow, up to the end or the next object.
fn ends_the_line(rest: &[u8]) -> bool {
    let braces = rest.iter().take_while(|byte| **byte == b'}').count();
    ends_a_record(&rest[braces..])
}

/// Whether an object has most of the members of the torn object before it. If it may be the value of the last
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

/// The names of the outermost object's members, in order, up to the place where the scan ended.
fn names<'o>(tape: &Tape, object: &'o [u8]) -> Vec<&'o [u8]> {
    let nodes = tape.outer().iter().filter_map(|own| tape.nodes().get(own.at as usize));
    let name = |start: u32, end: u32| {
        let behind = object.get(end as usize..)?.trim_ascii_start();
        // A name that was cut does not count.
        behind.starts_with(b":").then(|| object.get(start as usize..end as usize)).flatten()
    };
    nodes.filter_map(|own| name(own.start, own.end)).collect()
}

/// An object with a member: braces alone are in many a text.
fn starts_an_object(bytes: &[u8]) -> bool {
    bytes.iter().skip(1).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'"')
}

/// Whether what is behind an object is another one, or nothing.
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

/// The places where objects start in bytes that are not an object, except places where a value may stand.
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

/// The name of an object's first member, with its quotes.
pub fn first_name(object: &[u8]) -> Option<&[u8]> {
    let quote = memchr(b'"', object)?;
    let mut tape = Tape::default();
    match tape.scan(&object[quote..], Newlines::Refused) {
        ScanResult::Whole { end, .. } => Some(&object[quote..quote + end]),
        _ => None,
    }
}
