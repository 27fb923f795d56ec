use proptest::prelude::*;

use super::*;

fn note(front: &str) -> String {
    format!("---\n{front}---\n# Title\n")
}

fn value_of(front: &str) -> (YamlValue<'static>, Vec<String>) {
    let text: &'static str = Box::leak(note(front).into_boxed_str());
    let mut note = Note::read(text);
    let faults = note.faults.drain(..).map(|(_, fault)| fault).collect();
    (note.fields.remove(0).value, faults)
}

fn list(items: &[&'static str]) -> YamlValue<'static> {
    YamlValue::List(items.iter().map(|item| Cow::Borrowed(*item)).collect())
}

#[test]
fn values_are_read_as_notes_write_them() {
    let text = |text: &'static str| YamlValue::Text(Cow::Borrowed(text));
    for (front, expected) in [
        ("id: backend-fix          # kebab-case\n", text("backend-fix")),
        ("created: 2025-01-17T12:00:00Z\n", text("2025-01-17T12:00:00Z")),
        ("title: \"a: \\\"b\\\" \\u00e9\"\n", text("a: \"b\" é")),
        ("title: 'it''s'\n", text("it's")),
        ("url: http://host/a#b\n", text("http://host/a#b")),
        ("tags: [a, \"b, c\", 'd']  # three\n", list(&["a", "b, c", "d"])),
        ("tags: [a,\n  b]\n", list(&["a", "b"])),
        ("tags: []\n", list(&[])),
        ("tags:\n  - a\n  # note\n  - \"[[b]]\"\n", list(&["a", "[[b]]"])),
        ("tags:\n- a\n- b\n", list(&["a", "b"])),
        ("tags:\n  - a\n\n  - b\n\n# of the next\n", list(&["a", "b"])),
        ("tags:\n- a\n# between\n\n- b\n", list(&["a", "b"])),
        ("tags: &mine [a, b]\n", list(&["a", "b"])),
        ("tags: &mine\n  - a\n  - !!str b\n", list(&["a", "b"])),
        ("title: !!str 12\n", text("12")),
        ("links: [[[a]], [[b]]]\n", list(&["a", "b"])),
        ("empty:\n", YamlValue::Null),
        ("empty: ~\n", YamlValue::Null),
        ("empty: \"null\"\n", text("null")),
        ("text: |\n  one\n    two\n\n", text("one\n  two")),
        ("text: >-\n  one\n  two\n", text("one two")),
        ("map:\n  a: 1\n", YamlValue::Other("  a: 1")),
        (
            "map: # why\n\n  'a': \"x: y\"\n # note: z\n  b: |\n    c: d: e\n",
            YamlValue::Other("\n  'a': \"x: y\"\n # note: z\n  b: |\n    c: d: e"),
        ),
        ("map:\n  a:\n  - b\n  c: [[d]]\n", YamlValue::Other("  a:\n  - b\n  c: [[d]]")),
        ("text:\n  one\n  \"two\" x\n", YamlValue::Other("  one\n  \"two\" x")),
        ("tags:\n  - \"a\\\": b\"\n", list(&["a\": b"])),
        ("maps:\n  - a: b\n  - a: http://c\n", YamlValue::Other("  - a: b\n  - a: http://c")),
        ("map: {a: 1}\n", YamlValue::Other("{a: 1}")),
        ("maps: [{a: 1, b: \"}\"}, c]\n", YamlValue::Other("[{a: 1, b: \"}\"}, c]")),
        ("tags: [\"{a}\", b]\n", list(&["{a}", "b"])),
        ("a : b\n", text("b")),
        ("a: one\n  two\n", text("one two")),
        ("a: \"one\n  two: 2\"\n", text("one two: 2")),
        ("a:\n  - [b, c]\n", list(&["[b, c]"])),
        ("a: [it's, \"[b\"]\n", list(&["it's", "[b"])),
        ("a: [b:\", c':'d]\n", list(&["b:\"", "c':'d"])),
        ("a: {\"b\":\"}\", c: \"}\"}\n", YamlValue::Other("{\"b\":\"}\", c: \"}\"}")),
    ] {
        assert_eq!(value_of(front), (expected, Vec::new()), "{front}");
    }
}

#[test]
fn what_is_no_yaml_is_a_fault_and_the_rest_is_read() {
    let fronts = "title: a: b§title: \"open§title: [a, b§title: @at§title: *alias§tags: [a, *alias]§\
        tags:\n  - *alias§title: \"a\" b§no field at all§  - stray§map:\n\ta: 1§map: {a: 1§a: > 90% of it§\
        a: - b§a: ]b§a: \"C:\\work\"§a:\n\t- b§a:\n  - [[b]]c§a: &shop is open§a: !important rule§\
        a: !important§a: {{x}}§a:\tb§a: b\tc§a:\n  - &b c§a:\n  - > 90%§a:\n  - b: c: d";
    let doubled = "id: x\nid: y\n".to_owned();
    for front in fronts.split('§').map(|front| format!("{front}\nid: x\n")).chain([doubled]) {
        let text = note(&front);
        let note = Note::read(&text);
        assert_eq!(note.faults.len(), 1, "{front}: {:?}", note.faults);
        assert_eq!(note.field("id").map(|field| field.value.plain()).as_deref(), Some("x"), "{front}");
    }
}

#[test]
fn what_is_no_yaml_in_a_map_below_a_field_is_a_fault_of_its_line() {
    for line in
        ["b: \"a \"b\" c\"", "b: c: d", "b: *c*", "b: @c", "b: `c`", "b: [c, d", "a: c", "text", "b: c #d"]
    {
        for (front, indent) in [("map:\n  a: 1\n", "  "), ("map:\n  in:\n\n    a: 1\n", "    ")] {
            let text = note(&format!("{front}{indent}{line}\n{indent}last: 1\nid: x\n"));
            let faults: Vec<u32> = Note::read(&text).faults.iter().map(|(line, _)| *line).collect();
            assert_eq!(faults, [2 + front.lines().count() as u32], "{text}");
        }
    }
    let read =
        |front: &str| Note::read(&note(front)).faults.iter().map(|(line, _)| *line).collect::<Vec<_>>();
    assert_eq!(read("map:\n  a: 1\n b: 2\n"), [4]);
    let deep: String = (0..500).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(read(&deep), [0; 0]);
}

#[test]
fn the_fields_of_a_map_are_below_its_field() {
    let text = note("\"map\": # why\n  'a' : !!int 5\n  b:\n    c: \"d\"\n");
    let note = Note::read(&text);
    let [a, b] = &note.field("map").unwrap().below[..] else { panic!("{note:?}") };
    assert_eq!((a.name, &*a.value.plain(), a.line, b.name), ("a", "5", 3, "b"));
    assert_eq!((b.below[0].name, &*b.below[0].value.plain()), ("c", "d"));
}

#[test]
fn text_after_a_hash_is_a_comment_and_readers_of_lines_see_it() {
    for (front, yaml, line, is_fault) in [
        ("id: cold-starts #kebab\n", "cold-starts", "cold-starts #kebab", true),
        ("a: PR #34 RSS feed # a comment\n", "PR", "PR #34 RSS feed", true),
        ("a: high # checked #2\n", "high", "high", false),
        ("a: high #\n", "high", "high", false),
        ("a: &x !!str PR #1\n", "PR", "PR #1", true),
        ("a: \"PR\" #1\n", "PR", "PR", false),
        ("a: c#1\n", "c#1", "c#1", false),
        ("a: |\n  PR #1\n", "PR #1", "PR #1", false),
    ] {
        let text = note(front);
        let note = Note::read(&text);
        let field = &note.fields[0];
        assert_eq!((&*field.value.plain(), &*field.line_text()), (yaml, line), "{front}");
        assert_eq!(!note.faults.is_empty(), is_fault, "{front}: {:?}", note.faults);
    }
}

#[test]
fn a_note_without_front_matter_is_all_text() {
    assert_eq!(Note::read("# Title\n").body, 0..8);
    assert!(!Note::read("text\n---\n").has_front_matter);
    let open = Note::read("---\nid: x\n\n# Title\n");
    assert_eq!((open.fields.len(), open.faults.len(), open.body), (0, 1, 0..19));
}

#[test]
fn line_ends_of_any_kind_and_a_byte_order_mark_do_not_disturb() {
    let note = Note::read("\u{feff}---\r\nid: x\r\ntags:\r\n  - a\r\n---\r\nbody\r\n");
    assert_eq!(note.faults, vec![]);
    assert_eq!(note.field("tags").unwrap().value.texts(), ["a"]);
    assert_eq!((note.fields[0].line, note.fields[0].span.clone()), (2, 8..15));
    assert_eq!(note.body.len(), 6);
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn fields_are_in_order_and_apart_in_any_text(
        text in "(---\n)?([a-c]|:| |\n|- |'|\"|\\[|\\]|,|#|\\||\\\\|\t|é){0,40}(\n---\n)?.{0,5}"
    ) {
        let note = Note::read(&text);
        let mut at = 0;
        for field in &note.fields {
            prop_assert!(field.span.start >= at && field.span.end > field.span.start);
            prop_assert!(text.get(field.span.clone()).is_some());
            at = field.span.end;
        }
        prop_assert!(at <= note.body.start || note.fields.is_empty());
        prop_assert!(text.get(note.body.clone()).is_some());
    }
}
