//! The same comparison for random values in several fields at once.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

use super::*;

fn any_text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[ -~]{0,40}",
        2 => "\\PC{0,30}",
        2 => proptest::collection::vec(any::<char>(), 0..12).prop_map(String::from_iter),
        1 => "[a-z \n\r\t]{0,60}",
        1 => (1usize..6000, "[a-zé接]").prop_map(|(count, letter)| letter.repeat(count)),
        1 => select(vec![
            "---", "---\n", "\n---\n# x", "# head", "- item", "a: b", "'", "\"", "\\", "{", "[", "#", "&a", "*a",
            "!!str", "|", ">", "%", "@", "`", "null", "~", "true", "no", "0x1f", "1e400", "-0", ".5", "[[x]]",
            "<!-- x -->", "```", "\u{feff}x", "a\u{0}b", "\u{2028}", "\u{202e}x", "\u{85}",
        ])
        .prop_map(str::to_owned),
    ]
    .boxed()
}

fn any_moment() -> BoxedStrategy<String> {
    let parts = (1900i32..2200, 0u32..14, 0u32..33, 0u32..26, 0u32..62, 0u32..62);
    let zones =
        select(vec!["", "Z", "z", "+00:00", "+02:00", "-0530", "+99:99", " UTC", ".123Z", ".123456789Z"]);
    (parts, select(vec!["T", " ", "t", ""]), zones)
        .prop_map(|((year, month, day, hour, minute, second), between, zone)| {
            format!("{year:04}-{month:02}-{day:02}{between}{hour:02}:{minute:02}:{second:02}{zone}")
        })
        .boxed()
}

/// Returns values for a field of this kind. Most of them fit the kind.
fn any_value(kind: &FieldKind) -> BoxedStrategy<String> {
    let own = match kind {
        FieldKind::Word { words, .. } if !words.is_empty() => {
            let words = words.clone();
            prop_oneof![select(words.clone()), select(words).prop_map(|word| word.to_uppercase())].boxed()
        }
        FieldKind::Number { .. } => prop_oneof![
            (-2.0f64..12.0).prop_map(|number| format!("{number:.2}")),
            any::<f64>().prop_map(|number| number.to_string()),
            any::<i64>().prop_map(|number| number.to_string()),
            "[-+]?[0-9]{0,3}\\.?[0-9]{0,3}([eE][-+]?[0-9]{1,3})?",
        ]
        .boxed(),
        FieldKind::Flag => select(vec!["true", "false", "True", "yes", "1"]).prop_map(str::to_owned).boxed(),
        FieldKind::Words { .. } => {
            let word = "[a-zA-Z0-9_.:/ é-]{0,14}";
            proptest::collection::vec(word, 0..14).prop_map(|words| words.join(",")).boxed()
        }
        FieldKind::Moment => any_moment(),
        FieldKind::References => "[a-z_0-9-]{1,14}(, ?[a-z_0-9-]{1,14}){0,3}".boxed(),
        FieldKind::Json => prop_oneof![
            "(\\{\"[a-z]{1,4}\": ?[0-9]{1,3}\\}|\\[[0-9]{0,3}\\]|[0-9]{1,4}|\"[ -!#-Z]{0,9}\")",
            "[\\[\\]{},:\"a-z0-9 ]{0,20}",
        ]
        .boxed(),
        _ => any_text(),
    };
    prop_oneof![3 => own, 1 => any_text()].boxed()
}

/// `PALIMP_LONG=1 cargo test --release --lib ops::form` fills in 20,000 forms.
#[test]
fn whatever_is_typed_into_several_fields_the_editor_and_check_agree() {
    let desk = Desk::new();
    let all: Vec<(usize, usize)> = desk
        .snapshot
        .stores
        .iter()
        .enumerate()
        .flat_map(|(number, store)| entries(store).into_iter().map(move |entry| (number, entry)))
        .collect();
    let config = ProptestConfig { failure_persistence: None, ..crate::tries::config(25, 5_000) };
    let mut runner = TestRunner::new(config);
    let picks = (any::<Index>(), proptest::collection::vec(any::<Index>(), 1..4));
    let filled = picks.prop_flat_map(|(which, fields)| {
        let (number, at) = all[which.index(all.len())];
        let store = &desk.snapshot.stores[number];
        let form = form(store, &store.entries[at], now()).unwrap();
        let open: Vec<usize> = (0..form.fields.len())
            .filter(|at| !matches!(form.fields[*at].kind, FieldKind::Fixed(_)))
            .collect();
        let chosen: Vec<(usize, BoxedStrategy<String>)> = fields
            .iter()
            .map(|field| {
                let at = open[field.index(open.len())];
                (at, any_value(&form.fields[at].kind))
            })
            .collect();
        let values: Vec<_> = chosen.into_iter().map(|(at, value)| (Just(at), value)).collect();
        (Just((number, at)), values)
    });
    let outcome = runner.run(&filled, |((number, at), typed)| {
        let store = &desk.snapshot.stores[number];
        let entry = &store.entries[at];
        let mut values = form(store, entry, now()).unwrap().values();
        for (field, value) in typed {
            values[field] = value;
        }
        held_against_check(&desk, number, entry, &values).map(drop).map_err(TestCaseError::fail)
    });
    outcome.unwrap();
}
