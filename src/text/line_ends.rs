//! Texts of several lines, whatever their line ends are: `\n`, `\r\n` or `\r`.

use std::borrow::Cow;
use std::ops::Range;

/// Returns the bytes with `\n` for every line end.
pub fn unified(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = &rest[at + end_len(&rest[at..])..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Returns the bytes as they are, and with each kind of line end in place of theirs.
pub fn variants(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![bytes.to_vec()];
    if memchr::memchr2(b'\n', b'\r', bytes).is_none() {
        return all;
    }
    let unified = unified(bytes);
    let lines: Vec<&[u8]> = unified.split(|byte| *byte == b'\n').collect();
    for own in [&b"\n"[..], b"\r\n", b"\r"].map(|end| lines.join(end)) {
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all
}

/// Returns where a value is in a text, in order, without overlaps. Line ends at its start don't count.
pub fn find_all(text: &[u8], value: &[u8]) -> Vec<Range<usize>> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let value = &value[value.iter().take_while(|byte| is_end(byte)).count()..];
    let first = memchr::memmem::Finder::new(value.split(|byte| is_end(byte)).next().unwrap_or_default());
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = text.get(from..).and_then(|rest| first.find(rest)).filter(|_| !value.is_empty()) {
        let end = end_of(text, from + at, value);
        found.extend(end.map(|end| from + at..end));
        from = end.unwrap_or(from + at + 1);
    }
    found
}

/// True if a value is in a text.
pub fn contains(text: &[u8], value: &[u8]) -> bool {
    !find_all(text, value).is_empty()
}

/// Returns where a value ends that starts at a place of a text; `None` if it is not there.
fn end_of(text: &[u8], start: usize, value: &[u8]) -> Option<usize> {
    let (mut at, mut rest) = (start, value);
    while !rest.is_empty() {
        let (here, of_value) = (end_len(text.get(at..)?), end_len(rest));
        if (here > 0) != (of_value > 0) || of_value == 0 && text.get(at) != rest.first() {
            return None;
        }
        (at, rest) = (at + here.max(1), &rest[of_value.max(1)..]);
    }
    Some(at)
}

/// Returns the length of the line end at the start of the bytes, or 0.
fn end_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_of_several_lines_is_found_with_any_line_ends() {
        let text = b"x one\r\ntwo\rthree\nfour, one\ntwo";
        assert_eq!(find_all(text, b"one\ntwo"), [2..10, 23..30]);
        assert_eq!(find_all(text, b"two\r\nthree\r\nfour").first(), Some(&(7..21)));
        assert_eq!(find_all(text, b"\ntwo"), [7..10, 27..30]);
        assert!(find_all(text, b"").is_empty() && find_all(text, b"one two").is_empty());
        assert_eq!(&*unified(b"a\r\nb\rc\nd\r"), b"a\nb\nc\nd\n");
        assert_eq!(variants(b"a\r\nb"), [&b"a\r\nb"[..], b"a\nb", b"a\rb"]);
    }

    proptest! {
        #![proptest_config(crate::tries::config(64, 20_000))]

        #[test]
        fn every_variant_of_a_value_is_found_in_every_variant_of_a_text(
            before in "[ab]{0,4}",
            value in "[ab]([ab\r\n]{0,12}[ab])?",
            after in "[ab]{0,4}",
        ) {
            for stored in variants(value.as_bytes()) {
                let text = [before.as_bytes(), &stored, after.as_bytes()].concat();
                for given in variants(value.as_bytes()) {
                    prop_assert!(contains(&text, &given));
                }
            }
        }
    }
}
