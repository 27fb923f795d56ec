use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;
use crate::format::compressed_text::{CompressedWriter, MemberValue, with_members};
use crate::model::{RangeReader, RecordReader, Span, lazy_bytes};
use crate::text::json_edit;

/// Returns bytes that are read on demand.
pub fn by_blocks(bytes: &[u8]) -> Bytes {
    struct Held(Vec<u8>);
    impl RangeReader for Held {
        fn read(&self, span: Span) -> Option<Vec<u8>> {
            self.0.get(span.range()).map(<[u8]>::to_vec)
        }
    }
    let blocks: Arc<dyn RangeReader> = Arc::new(Held(bytes.to_vec()));
    RecordReader::new(Arc::clone(&blocks), Vec::new(), lazy_bytes::blocks(bytes, 0).collect())
        .bytes_from(blocks)
}

#[derive(Default)]
struct Told(Vec<String>);

impl JsonVisitor for Told {
    fn depth(&self, name: &str) -> u8 {
        match name {
            "members" => 1,
            "items" | "" => 2,
            _ => 0,
        }
    }

    fn visit(&mut self, name: &str, met: JsonEvent<'_>) {
        let raw = |own: Json<'_>| String::from_utf8_lossy(own.raw()).into_owned();
        let told = match met {
            JsonEvent::Member(own) => raw(own),
            JsonEvent::Inner => "{".into(),
            JsonEvent::Value(key, own) => format!("{key:?} {}", raw(own)),
            JsonEvent::Key(key) => format!("{key:?} ["),
            JsonEvent::Item(own) => raw(own),
        };
        self.0.push(format!("{name:?} {told}"));
    }
}

fn value() -> impl Strategy<Value = String> {
    let short = ["1", "-1.5e3", "null", "true", "\"\"", "{}", "[]", "[ ]"];
    let leaf = select(
        [&short[..], &["12345678901234567890", "\"a\\u00e9\\n\"", "\"zo\u{eb}\"", "\"\\ud800\""]].concat(),
    );
    let key = || select(&["a", "b", "", "a\\u0062", "zo\u{eb}"][..]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 24, 5, move |inner| {
        let gap = || select(&["", " ", "\n  ", "\t"][..]);
        let list = proptest::collection::vec((gap(), inner.clone(), gap()), 0..5);
        let members = proptest::collection::vec((gap(), key(), inner, gap()), 0..5);
        let item = |(one, own, other): (&str, String, &str)| format!("{one}{own}{other}");
        let member = |(one, key, own, other): (&str, &str, String, &str)| {
            format!("{one}\"{key}\"{other}:{one}{own}{other}")
        };
        prop_oneof![
            list.prop_map(move |own| format!(
                "[{}]",
                own.into_iter().map(item).collect::<Vec<_>>().join(",")
            )),
            members.prop_map(move |own| format!(
                "{{{}}}",
                own.into_iter().map(member).collect::<Vec<_>>().join(",")
            )),
        ]
    })
}

/// An object, or nearly one.
fn object() -> impl Strategy<Value = String> {
    let name = select(&["members", "items", "other", "", "it\\u0065ms"][..]);
    let gap = select(&["", " ", "\r\n"][..]);
    let members = proptest::collection::vec((name, value(), gap), 0..6);
    let ends = select(&["", "\n", " \u{c} ", "}", "{}", ","][..]);
    (members, select(&["", "\u{feff}", " "][..]), ends, 0..40_usize, any::<prop::sample::Index>()).prop_map(
        |(members, start, end, what, at)| {
            let member = |(name, own, gap): (&str, String, &str)| format!("{gap}\"{name}\"{gap}:{own}{gap}");
            let all: Vec<String> = members.into_iter().map(member).collect();
            let text = format!("{start}{{{}}}{end}", all.join(","));
            // Damages some objects: one byte less or more, or a missing end.
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places[at.index(places.len())];
            match what {
                0 => text[..at].to_owned() + text[at..].chars().as_str().get(1..).unwrap_or_default(),
                1 => format!("{},{}", &text[..at], &text[at..]),
                2 => format!("{}\"{}", &text[..at], &text[at..]),
                3 => text[..at].to_owned(),
                _ => text,
            }
        },
    )
}

proptest! {
    #![proptest_config(crate::tries::config(64, 6_000))]

    #[test]
    fn an_object_is_looked_through_piece_by_piece_as_it_is_at_once(object in object(), is_torn in any::<bool>()) {
        let mut bytes = object.into_bytes();
        if is_torn && bytes.len() > 4 {
            let at = bytes.len() / 2;
            bytes[at] ^= 0x80;
        }
        let (held, blocks) = (Bytes::from(&bytes[..]), by_blocks(&bytes));
        prop_assert!(bytes.is_empty() || blocks.is_file_backed());
        let at_once = visit_object(&held, Told::default);
        let told = visit_object(&blocks, Told::default);
        prop_assert_eq!(told.as_ref().map(|own| &own.0.0), at_once.as_ref().map(|own| &own.0.0));
        // The result of a change is the same, too.
        let set = [("other", "[1]"), ("new", "2"), ("items", "{\"z\":[]}"), ("members", "{}")];
        let body = without_mark(&bytes);
        let mut tape = Tape::default();
        let whole = whole_object(&mut tape, body).ok();
        prop_assert_eq!(whole.is_some(), told.is_some());
        let one = |bytes: Vec<u8>, (name, raw): &(&str, &str)| json_edit::set(&bytes, &[name], raw).unwrap();
        let expected = set.iter().fold(if whole.is_some() { body } else { b"{}" }.to_vec(), one);
        let write = |out: &mut CompressedWriter| "{\"z\":[]}".split_inclusive(':').for_each(|own| out.push(own));
        let members = set.map(|(name, raw)| (name, if name == "items" { MemberValue::Streamed(&write) } else { MemberValue::Text(raw.to_owned()) }));
        for (outline, bytes) in [(&at_once, &held), (&told, &blocks)] {
            let made = with_members(outline.as_ref().map(|own| &own.1), bytes, &members);
            prop_assert_eq!(String::from_utf8_lossy(&made), String::from_utf8_lossy(&expected));
        }
    }

    #[test]
    fn members_are_set_as_one_after_the_other(
        names in proptest::collection::vec(select(&["a", "\\u0062", "c", "d"][..]), 0..5),
        gap in select(&["", " ", "\n  "][..]),
        colon in select(&[":", ": ", " : "][..]),
        set in subsequence(vec!["a", "b", "c", "\""], 0..=4).prop_shuffle(),
    ) {
        let members: Vec<String> = names.iter().map(|name| format!("{gap}\"{name}\"{colon}[1, {{}}]")).collect();
        let object = format!(" {{{}{gap}}}\n", members.join(","));
        let set: Vec<(&str, &str)> = set.into_iter().zip(["{\"a\":0}", "2", "[]", "\"\"", "3"]).collect();
        let one = |bytes: Vec<u8>, (name, raw): &(&str, &str)| json_edit::set(&bytes, &[name], raw).unwrap();
        let expected = |bytes: &[u8]| set.iter().fold(bytes.to_vec(), one);
        let members: Vec<(&str, MemberValue<'_>)> =
            set.iter().map(|(name, raw)| (*name, MemberValue::Text((*raw).to_owned()))).collect();
        let bytes = Bytes::from(&*object);
        let (_, outline) = visit_object(&bytes, Told::default).unwrap();
        prop_assert_eq!(&with_members(Some(&outline), &bytes, &members)[..], expected(object.as_bytes()));
        prop_assert_eq!(&with_members(None, &"torn".into(), &members)[..], expected(b"{}"));
    }

    #[test]
    fn what_is_written_piece_by_piece_is_there_again(pieces in proptest::collection::vec("[a-c\u{eb}]{0,90}", 0..120)) {
        let mut out = CompressedWriter::default();
        pieces.iter().for_each(|own| out.push(own));
        let (made, whole) = (out.finish(), pieces.concat());
        prop_assert_eq!(made.len(), whole.len());
        prop_assert_eq!(made.is_file_backed(), whole.len() >= 1 << 10);
        for start in (0..whole.len()).step_by(97) {
            let end = whole.len().min(start + 150);
            prop_assert_eq!(made.range(start..end).unwrap(), &whole.as_bytes()[start..end]);
        }
        prop_assert_eq!(&*made, whole.as_bytes());
    }
}
