use proptest::prelude::*;

use super::*;

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn after(front: &str, name: &str, value: NewYamlValue<'_>) -> String {
    let note = format!("---\n{front}---\n# Title\n");
    let out = set(&note, name, value).unwrap();
    out.strip_prefix("---\n").unwrap().strip_suffix("---\n# Title\n").unwrap().to_owned()
}

#[test]
fn a_text_keeps_quotes_comment_and_white_space_around_it() {
    for (front, new, expected) in [
        ("a: old          # why\n", "new", "a: new          # why\n"),
        ("a: old\nb: 1\n", "x: y", "a: \"x: y\"\nb: 1\n"),
        ("a:   \"old\"  # why\n", "new \"one\"", "a:   \"new \\\"one\\\"\"  # why\n"),
        ("a: 'it''s'\n", "he's", "a: 'he''s'\n"),
        ("a: 'old'\n", "two\nlines", "a: \"two\\nlines\"\n"),
        ("a:\nb: 1\n", "new", "a: new\nb: 1\n"),
        ("a:  # why\n", "new", "a: new  # why\n"),
        ("a: ~\n", "null", "a: \"null\"\n"),
        ("a: 3\n", "4", "a: 4\n"),
        ("a: word\n", "4", "a: \"4\"\n"),
        ("a: word\n", "True", "a: \"True\"\n"),
        ("a: 2025-01-17\n", "2026-01-01T12:00:00.5+00:00", "a: 2026-01-01T12:00:00.5+00:00\n"),
        ("\"a\": old\n", "new", "\"a\": new\n"),
        ("a: b: c\n", "d: e", "a: \"d: e\"\n"),
        ("a: |\n  one\n  two\nb: 1\n", "three\nfour", "a: |\n  three\n  four\nb: 1\n"),
        ("a: |  # why\n  one\n", "", "a: \"\"  # why\n"),
        ("a: >-\n    one\n    two\n", "three", "a: >-\n    three\n"),
        ("a: >\n  one\n", "three\nfour", "a: \"three\\nfour\"\n"),
        ("a:\n  - one\n  # why\n  - two\n", "new", "a: new\n  # why\n"),
        ("a: [x, y]  # why\n", "new", "a: new  # why\n"),
        ("b: 1\n", "@home", "b: 1\na: \"@home\"\n"),
    ] {
        assert_eq!(after(front, "a", NewYamlValue::Text(new)), expected, "{front}");
    }
}

#[test]
fn a_list_keeps_its_kind_and_the_spelling_of_the_items_that_stay() {
    for (front, new, expected) in [
        ("a: [x, y]  # why\n", &["y", "z"][..], "a: [y, z]  # why\n"),
        ("a: [\"x\", \"y\"]\n", &["x", "z"], "a: [\"x\", \"z\"]\n"),
        ("a: [ x,y ]\n", &["x", "y", "z"], "a: [ x,y,z ]\n"),
        ("a: [x,\n    'y']\n", &["y", "p, q"], "a: ['y',\n    \"p, q\"]\n"),
        ("a: []\n", &["x", "v"], "a: [x, v]\n"),
        ("a: [x]\n", &[], "a: []\n"),
        ("a: [[[x]], [[y]]]\n", &["y", "z"], "a: [[[y]], z]\n"),
        (
            "a:\n  - x  # why\n  # of y\n  - y\n",
            &["y", "z", "x"],
            "a:\n  # of y\n  - y\n  - z\n  - x  # why\n",
        ),
        ("a:  # all\n- \"x\"\n- \"y\"\n", &["y", "z"], "a:  # all\n- \"y\"\n- \"z\"\n"),
        ("a:\n  # of x\n  - x\n", &["z"], "a:\n  - z\n  # of x\n"),
        ("a:\n  - x\n\n  - y\nb: 1\n", &["x", "y", "z"], "a:\n  - x\n\n  - y\n  - z\nb: 1\n"),
        ("a:\n  - x\nb: 1\n", &[], "a: []\nb: 1\n"),
        ("a: x\n", &["x"], "a: [x]\n"),
        ("a:\n", &["- x", ""], "a: [\"- x\", \"\"]\n"),
        ("b: 1\n", &["x", "no"], "b: 1\na: [x, \"no\"]\n"),
    ] {
        assert_eq!(after(front, "a", NewYamlValue::List(&texts(new))), expected, "{front}");
    }
}

#[test]
fn what_would_be_a_guess_is_refused() {
    let text = |front: &str| set(&format!("---\n{front}---\n"), "a", NewYamlValue::Text("new"));
    let faulty = |front: &str| match text(front) {
        Err(EditRefused::Faulty(line, _)) => line,
        other => panic!("{front}: {other:?}"),
    };
    assert_eq!(faulty("b: \"open\na: x\n"), 2);
    assert_eq!(faulty("b: [x,\na: x\n"), 2);
    assert_eq!(faulty("b: {x: 1,\na: x\n"), 2);
    assert_eq!(faulty("b:\n  - \"x\na: x\n"), 2);
    assert_eq!(faulty("b: 1\nno field\na: x\n"), 3);
    assert_eq!(faulty("<<<<<<< HEAD\na: x\n"), 2);
    assert_eq!(faulty("a: \"x\" y\n"), 2);
    assert_eq!(faulty("a: [x] y\n"), 2);
    assert_eq!(faulty("a:\n  - x: y: z\n"), 3);
    assert_eq!(text("a: 1\na: 2\n"), Err(EditRefused::Doubled("a".into())));
    for nested in
        "a:\n  b: 1\n§a:\n  - x: y\n§a: {b: 1}\n§a: &x y\n§a: *x\n§a: &x [y]\n§a: x\n  more\n".split('§')
    {
        assert_eq!(text(nested), Err(EditRefused::Nested("a".into())), "{nested}");
    }
    let open = set("---\na: x\n\n# Title\n", "a", NewYamlValue::Text("new"));
    assert!(matches!(open, Err(EditRefused::Faulty(1, _))));
    for name in ["", "a b", "a:", "-", "#a", "a\n"] {
        let refused = set("text", name, NewYamlValue::Text("new"));
        assert_eq!(refused, Err(EditRefused::BadName(name.into())));
    }
}

#[test]
fn faults_elsewhere_are_in_nobodys_way() {
    assert_eq!(after("b: x: y\nb: 2\na: x\n", "a", NewYamlValue::Text("new")), "b: x: y\nb: 2\na: new\n");
    let paragraphs = "b: |\n  one\n\n  two\n";
    assert_eq!(after(paragraphs, "a", NewYamlValue::Text("new")), format!("{paragraphs}a: new\n"));
}

#[test]
fn a_note_without_front_matter_gets_one() {
    assert_eq!(set("# T\r\n", "a", NewYamlValue::Text("x")).unwrap(), "---\r\na: x\r\n---\r\n# T\r\n");
    assert_eq!(set("\u{feff}t", "a", NewYamlValue::Text("x")).unwrap(), "\u{feff}---\na: x\n---\nt");
    assert_eq!(set("---\n---", "a", NewYamlValue::Text("x")).unwrap(), "---\na: x\n---");
}

#[test]
fn a_field_that_is_removed_takes_its_lines_along_and_nothing_else() {
    let note = "---\na: 1\ntags:\n  - x\n  # why\nb: 2\n---\nbody\n";
    assert_eq!(remove(note, "tags").unwrap(), "---\na: 1\nb: 2\n---\nbody\n");
    assert_eq!(remove(note, "none").unwrap(), note);
    assert!(matches!(remove("---\na: 1\na: 2\n---\n", "a"), Err(EditRefused::Doubled(_))));
}

#[test]
fn another_body_leaves_the_front_matter_as_it_is() {
    assert_eq!(set_body("---\na: 1 # x\n---\nold\n", "new\n"), "---\na: 1 # x\n---\nnew\n");
    assert_eq!(set_body("---\na: 1\n---", "new"), "---\na: 1\n---\nnew");
    assert_eq!(set_body("\u{feff}old", "new"), "\u{feff}new");
    assert_eq!(set_body("old", "---\na: 1\n---\n"), "---\n---\n---\na: 1\n---\n");
}

const FRONT: &str = "id: backend-fix   # kebab\n§title: \"a: \\\"b\\\"\"\n§title: 'it''s'  # quoted\n§\
    status:\n§status: ~\n§tags: [a, \"b, c\", 'd']  # three\n§tags:\n  - a\n  # note\n  - \"[[b]]\"\n§\
    tags:  # below\n- a\n§tags: [a,\n  b]\n§links: [[[a]], [[b]]]\n§text: |\n  one\n    two\n§\
    text: >-\n  one\n  two\n§map:\n  a: 1\n§map: {a: 1}\n§# a comment\n§\n§bad: a: b\n§count: 12\n";

fn hostile() -> impl Strategy<Value = String> {
    let known = [
        "", "null", "Null", "~", "true", "no", "12", "-1.5e3", "0x1f", "12:30", "1_000", ".inf", "@at",
        "`x`", "a: b", "a:", ":", "a #b", "#b", "\"", "'", "it's", "\\", "a\nb", "\n", "\r\n", "---", "...",
        "- a", "-", "? a", "[", "[a]", "[[a]]", "{a: b}", "a, b", "&a", "*a", "!a", "|", ">", "%a", " a ",
        "\t", "a\tb", "🦀 ça", "\u{feff}", "\u{2028}", "\u{85}", "\0", "\u{7}", "a\u{a0}", "=", "<<",
    ];
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        Just("2026-01-01T00:00:00Z".to_owned()),
        "[a-c:#,'\"\\[\\]{}\\\\\n\r\t é🦀|>@~-]{0,8}",
        any::<String>(),
    ]
}

fn fields(note: &Note<'_>, but: &str) -> Vec<(String, String)> {
    let others = note.fields.iter().filter(|field| field.name != but);
    others.map(|field| (field.name.to_owned(), format!("{:?}", field.value))).collect()
}

proptest! {
    #![proptest_config(crate::tries::config(600, 9600))]

    #[test]
    fn a_value_that_is_set_reads_back_and_all_else_stays(
        front in proptest::sample::subsequence(FRONT.split('§').collect::<Vec<_>>(), 0..6).prop_shuffle(),
        name in proptest::sample::select(vec!["id", "title", "status", "tags", "links", "text", "bad", "count", "new"]),
        items in proptest::collection::vec(hostile(), 0..4),
        is_list: bool,
        is_crlf: bool,
        has_mark: bool,
        has_front: bool,
        body in "(# T\n)?[a\n: -]{0,6}",
    ) {
        let front = if has_front { format!("---\n{}---\n", front.concat()) } else { String::new() };
        let mut text = front + &body;
        if is_crlf {
            text = text.replace('\n', "\r\n");
        }
        if has_mark {
            text.insert(0, '\u{feff}');
        }
        let first = items.first().cloned().unwrap_or_default();
        let value = if is_list { NewYamlValue::List(&items) } else { NewYamlValue::Text(&first) };
        let before = Note::read(&text);
        let out = match set(&text, name, value) {
            Ok(out) => out,
            Err(refused) => {
                let is_doubled = before.fields.iter().filter(|field| field.name == name).count() > 1;
                let allowed = match refused {
                    EditRefused::Doubled(_) => is_doubled,
                    EditRefused::Faulty(..) => !before.faults.is_empty(),
                    EditRefused::Nested(_) => name == "map",
                    _ => false,
                };
                prop_assert!(allowed, "{refused:?}\n{text}");
                return Ok(());
            }
        };
        let read = Note::read(&out);
        prop_assert!(value.is(&read.field(name).unwrap().value), "{out:?}");
        prop_assert_eq!(fields(&read, name), fields(&before, name));
        prop_assert_eq!(&out[read.body.clone()], &text[before.body.clone()]);
        let others = |note: &Note<'_>| -> Vec<String> {
            let own = note.field(name).map_or(0, |field| field.line);
            note.faults.iter().filter(|(line, _)| *line != own).map(|(_, why)| why.clone()).collect()
        };
        prop_assert_eq!(others(&read), others(&before));
        prop_assert_eq!(out.starts_with('\u{feff}'), has_mark);
        if text.contains('\n') && is_crlf {
            prop_assert_eq!(out.matches('\n').count(), out.matches("\r\n").count());
        }
        let new = read.field(name).unwrap().span.clone();
        match before.field(name) {
            Some(old) => {
                prop_assert_eq!(&out[..new.start], &text[..old.span.start]);
                prop_assert_eq!(&out[new.end..], &text[old.span.end..]);
            }
            None if before.has_front_matter => prop_assert_eq!(out[..new.start].to_owned() + &out[new.end..], text),
            None => {}
        }
    }

    #[test]
    fn any_body_reads_back(front in "(---\n(id: x\n)?(---)?)?", body in "(---\n)?[a\n-]{0,6}(---\n)?") {
        let out = set_body(&front, &body);
        let read = Note::read(&out);
        prop_assert_eq!(&out[read.body], body.as_str());
    }

    #[test]
    fn any_note_is_edited_or_refused(
        text in "(---\n)?([a-c]|:| |\n|- |'|\"|\\[|\\]|,|#|\\||\\\\|\t|é){0,40}(\n---\n)?.{0,5}",
        value in hostile(),
    ) {
        for name in ["a", "b", "ab"] {
            let _ = set(&text, name, NewYamlValue::Text(&value));
            let _ = set(&text, name, NewYamlValue::List(std::slice::from_ref(&value)));
            let _ = remove(&text, name);
        }
    }
}
