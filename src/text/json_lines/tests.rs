//! Tests lines with everything that crashes and careless programs do to them.

use super::*;
use proptest::prelude::*;

/// Returns each piece as `line text` or `line !code text`.
fn pieces(text: &[u8]) -> Vec<String> {
    let mut seen = Vec::new();
    split(text, &mut |piece| {
        let raw = String::from_utf8_lossy(&text[piece.start..piece.end]).into_owned();
        let mark = if piece.object.is_some() { "" } else { "!" };
        let codes: Vec<&str> = piece.faults.iter().map(|code| code.as_str()).collect();
        seen.push(format!("{} {mark}{} {raw}", piece.line, codes.join("+")));
    });
    seen
}

#[test]
fn a_whole_object_behind_a_torn_one_is_a_record_of_its_own() {
    for (line, expected) in [
        ("{\"a\":\"x {\"a\":2}", vec!["1 !torn-line {\"a\":\"x ", "1 glued-records {\"a\":2}"]),
        ("{\"i{\"id\":2}", vec!["1 !torn-line {\"i", "1 glued-records {\"id\":2}"]),
        ("{\"a\":{\"a\":2}", vec!["1 !torn-line {\"a\":", "1 glued-records {\"a\":2}"]),
        (
            "{\"a\":1,\"b\":[{\"a\":2,\"b\":3}\0",
            vec!["1 !torn-line+nul-bytes {\"a\":1,\"b\":[", "1 glued-records {\"a\":2,\"b\":3}"],
        ),
        (
            "{\"a\":1,\"b{\"a\":2,\"b\":3}} {\"a\":3}",
            vec![
                "1 !torn-line {\"a\":1,\"b",
                "1 extra-brace+glued-records {\"a\":2,\"b\":3}",
                "1 glued-records {\"a\":3}",
            ],
        ),
        (
            "{\"a\":1}{\"a\":\"x{\"a\":2}{\"a\"",
            vec![
                "1  {\"a\":1}",
                "1 !torn-line {\"a\":\"x",
                "1 glued-records {\"a\":2}",
                "1 !torn-line {\"a\"",
            ],
        ),
        (
            "{\"a\":\"x{\"a\":2}y\"}",
            vec!["1 !torn-line {\"a\":\"x", "1 glued-records {\"a\":2}", "1 !torn-line y\"}"],
        ),
    ] {
        let text = format!("{line}\n{{\"c\":3}}\n");
        let expected: Vec<&str> = expected.into_iter().chain(["2  {\"c\":3}"]).collect();
        assert_eq!(pieces(text.as_bytes()), expected, "{line}");
    }
}

#[test]
fn a_whole_object_behind_bytes_that_start_none_is_a_record_of_its_own() {
    for (line, expected) in [
        (&b"\xff{\"a\":2}"[..], vec!["1 !invalid-utf8 \u{fffd}", "1 glued-records {\"a\":2}"]),
        (
            b"xt\":1,\"b\":\"y{\"a\":2} {\"a\":3}}",
            vec![
                "1 !bad-json xt\":1,\"b\":\"y",
                "1 glued-records {\"a\":2}",
                "1 extra-brace+glued-records {\"a\":3}",
            ],
        ),
        (
            b"{\"a\":1}\xfe{\"a\":2}",
            vec!["1  {\"a\":1}", "1 !invalid-utf8 \u{fffd}", "1 glued-records {\"a\":2}"],
        ),
        (b"y\"}{\"a\":2}", vec!["1 !bad-json y\"}", "1 glued-records {\"a\":2}"]),
    ] {
        let text = [line, b"\n{\"c\":3}\n"].concat();
        let expected: Vec<&str> = expected.into_iter().chain(["2  {\"c\":3}"]).collect();
        assert_eq!(pieces(&text), expected, "{:?}", String::from_utf8_lossy(line));
    }
}

#[test]
fn an_object_in_the_end_of_a_broken_line_is_no_record() {
    for line in ["xt\",\"b\":{\"c\":2}}", "1},{\"a\":2}]}", "see {\"a\":1} there", "[{\"a\":1}]"] {
        let code = if line.starts_with('[') { "not-an-object" } else { "bad-json" };
        assert_eq!(pieces(line.as_bytes()), [format!("1 !{code} {line}")]);
    }
}

#[test]
fn a_whole_object_behind_a_raw_line_break_is_a_record_of_its_own() {
    assert_eq!(
        pieces(b"{\"a\":\"x\ny\"}}{\"a\":2}\n{\"b\":2}\n"),
        ["1 !raw-newline {\"a\":\"x\ny\"}}", "2 glued-records {\"a\":2}", "3  {\"b\":2}"]
    );
    assert_eq!(
        pieces(b"{\"a\":1,\"b\ne\":2,\"c\":\"y{\"a\":2}\n{\"b\":2}\n"),
        [
            "1 !torn-line {\"a\":1,\"b",
            "2 !bad-json e\":2,\"c\":\"y",
            "2 glued-records {\"a\":2}",
            "3  {\"b\":2}"
        ]
    );
}

#[test]
fn glued_objects_are_each_a_record() {
    assert_eq!(
        pieces(b"{\"a\":1}{\"b\":2} {\"c\":3}}\n"),
        ["1  {\"a\":1}", "1 glued-records {\"b\":2}", "1 extra-brace+glued-records {\"c\":3}"]
    );
    assert_eq!(pieces(b"{\"a\":1}{\"b\":"), ["1  {\"a\":1}", "1 !torn-line {\"b\":"]);
}

#[test]
fn an_object_over_several_lines_is_one_record() {
    assert_eq!(
        pieces(b"{\n  \"a\": {\n    \"b\": 1\n  }\n}\n{\"c\":3}\n"),
        ["1 multi-line-record {\n  \"a\": {\n    \"b\": 1\n  }\n}", "6  {\"c\":3}"]
    );
}

#[test]
fn a_raw_line_break_in_a_string_is_one_broken_record_over_its_lines() {
    assert_eq!(
        pieces(b"{\"a\":\"x\ny\r\nz\"}\n{\"b\":2}\n"),
        ["1 !raw-newline {\"a\":\"x\ny\r\nz\"}", "4  {\"b\":2}"]
    );
}

#[test]
fn nuls_around_an_object_stay_outside_it_and_within_it_break_it() {
    assert_eq!(
        pieces(b"\0\0{\"a\":1}\0\n\0\0\0\n{\"b\":\"\0\"}\n{\"c\":3}\0\0"),
        [
            "1 nul-bytes {\"a\":1}",
            "2 !nul-bytes \0\0\0",
            "3 !nul-bytes {\"b\":\"\0\"}",
            "4 nul-bytes {\"c\":3}"
        ]
    );
}

#[test]
fn what_is_no_object_says_why() {
    assert_eq!(
        pieces(b"[1]\nnot json\n<<<<<<< HEAD\n=======\n{\"a\":\"\xff\"}\n{\"a\":tru}\n"),
        [
            "1 !not-an-object [1]",
            "2 !bad-json not json",
            "3 !conflict-markers <<<<<<< HEAD",
            "4 !conflict-markers =======",
            "5 !invalid-utf8 {\"a\":\"\u{fffd}\"}",
            "6 !bad-json {\"a\":tru}"
        ]
    );
}

#[test]
fn a_byte_order_mark_and_a_missing_last_line_end_are_the_files() {
    let faults = split(b"\xef\xbb\xbf{\"a\":1}\n{\"b\":2}", &mut |_| {});
    assert_eq!(faults, [(Code::ByteOrderMark, 1), (Code::NoFinalNewline, 2)]);
}

#[test]
fn many_torn_lines_take_time_in_proportion_to_their_bytes() {
    let text = b"{\"a\":[1,\n".repeat(200_000);
    let mut count = 0;
    split(&text, &mut |_| count += 1);
    assert_eq!(count, 200_000);
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let parts = b"{\"a\":1}|{\"a\":\"x|\n|\r\n|}|\0|{|[1]|\xff| |\"|{\n\"b\":2\n}";
    let parts: Vec<&[u8]> = parts.split(|byte| *byte == b'|').collect();
    proptest::collection::vec(proptest::sample::select(parts), 0..16).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn every_byte_of_any_file_is_in_one_piece_or_between_pieces(bytes in fragments()) {
        let mut at = 0;
        let mut failed = None;
        let mut line = 0;
        split(&bytes, &mut |piece| {
            let between = &bytes[at.min(piece.start)..piece.start];
            let dropped = between.iter().any(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'}' | 0 | 0xef | 0xbb | 0xbf));
            let counted = 1 + bytes[..piece.start].iter().filter(|b| **b == b'\n').count() as u32;
            if piece.start < at || piece.end <= piece.start || dropped || piece.line < line || piece.line != counted {
                failed = Some((piece.start, piece.end, piece.line, counted));
            }
            at = piece.end;
            line = piece.line;
        });
        prop_assert_eq!(failed, None);
        let tail = &bytes[at..];
        prop_assert!(tail.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'}' | 0 | 0xef | 0xbb | 0xbf)), "{:?}", tail);
    }
}
