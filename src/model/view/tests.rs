use proptest::prelude::*;

use super::pack::WORDS;
use super::*;

fn any_name() -> impl Strategy<Value = Name> {
    let of = prop_oneof![Just(NameKind::Record), Just(NameKind::Trace), Just(NameKind::Session)];
    (of, any::<String>()).prop_map(|(of, text)| Name { of, text: text.into() })
}

fn any_parsed() -> impl Strategy<Value = ParsedRecord> {
    let text = || any::<String>().prop_map(String::into_boxed_str);
    let word = prop_oneof![Just("agent"), Just("severity"), Just("")];
    let times = (any::<Option<i64>>(), any::<Option<i64>>(), any::<u64>(), any::<f64>());
    let texts = (proptest::option::of(text()), any::<String>(), proptest::option::of(text()));
    let lists = (
        proptest::collection::vec(text(), 0..5),
        proptest::collection::vec((word.clone(), any_name()), 0..3),
        proptest::collection::vec(any_name(), 0..3),
        proptest::collection::vec((word, text()), 0..4),
    );
    (times, texts, lists, any::<[bool; 3]>()).prop_map(|(times, texts, lists, flags)| ParsedRecord {
        id: texts.0,
        kind: texts.1.into(),
        created: times.0.map(Moment),
        accessed: times.1.map(Moment),
        access_count: times.2,
        importance: if times.3.is_nan() { 0.5 } else { times.3 },
        tags: lists.0.into(),
        topic: texts.2,
        references: lists.1.into_iter().map(|(relation, to)| Reference { relation, to }).collect(),
        names: lists.2.into(),
        facets: lists.3.into(),
        faded: flags[0],
        archived: flags[1],
        checksum: flags[2],
    })
}

fn lent<'a>(own: &'a Reference<'a>) -> Reference<'a, &'a str> {
    Reference { relation: own.relation, to: Name { of: own.to.of, text: &*own.to.text } }
}

fn again(view: View<'_>) -> ParsedRecord {
    ParsedRecord {
        id: view.id.map(Into::into),
        kind: view.kind.to_owned().into(),
        created: view.created,
        accessed: view.accessed,
        access_count: view.access_count,
        importance: view.importance,
        tags: view.tags.iter().map(Into::into).collect(),
        topic: view.topic.map(Into::into),
        references: Box::default(),
        names: Box::default(),
        facets: Box::default(),
        faded: view.faded,
        archived: view.archived,
        checksum: view.checksum,
    }
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn what_was_packed_is_read_again(all in proptest::collection::vec(any_parsed(), 1..8)) {
        let mut packer = ViewPacker::default();
        let places: Vec<u32> = all.iter().map(|own| packer.add(own)).collect();
        let views = packer.views();
        for (own, at) in all.iter().zip(places) {
            let packed = views(at);
            let view = packed.view();
            prop_assert!(view.references.eq(own.references.iter().map(lent)));
            let names = own.names.iter().map(|own| Name { of: own.of, text: &*own.text });
            prop_assert!(view.names.eq(names));
            prop_assert!(view.facets.iter().eq(own.facets.iter().map(|(name, value)| (*name, &**value))));
            let bare = ParsedRecord {
                references: Box::default(),
                names: Box::default(),
                facets: Box::default(),
                ..own.clone()
            };
            prop_assert_eq!(again(view), bare);
        }
    }
}

#[test]
fn more_words_than_are_kept_once_are_written_out() {
    let tag = |number: usize| ParsedRecord {
        tags: [format!("tag {number}").into()].into(),
        ..ParsedRecord::default()
    };
    let mut packer = ViewPacker::default();
    let places: Vec<u32> = (0..WORDS + 10).map(|number| packer.add(&tag(number))).collect();
    let views = packer.views();
    for (number, at) in places.into_iter().enumerate() {
        assert_eq!(views(at).view().tags.join(" "), format!("tag {number}"));
    }
}
