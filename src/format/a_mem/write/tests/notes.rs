use proptest::prelude::*;

use super::*;
use crate::text::front_matter::Note;

const NOTE: NewNote<'_> = NewNote {
    id: "new-note-1",
    title: "New: note",
    tags: &[],
    confidence: "high",
    source: "human-curated",
    body: "See [[a]] and [[b|the b]], [[a]].\n",
};

#[test]
fn a_new_note_follows_the_specification_and_reads_back_clean() {
    let tags = ["Cold Start", "x", "cold-start", "no"].map(str::to_owned);
    let (path, text) = new_note(&three().documents, NewNote { tags: &tags, ..NOTE }, NOW).unwrap();
    let time = "2026-02-03T04:05:06.000007+00:00";
    assert_eq!(
        text,
        format!(
            "---\nid: new-note-1\ncreated: {time}\nupdated: {time}\ntags: [cold-start, x, \"no\"]\nconfidence: high\n\
             source: human-curated\nlinked_to: [a, b]\n---\n\n# New: note\n\nSee [[a]] and [[b|the b]], [[a]].\n"
        )
    );
    assert_eq!(path, Path::new("knowledge/notes/new-note-1.md"));
    let held = three().with(path.to_str().unwrap(), &text);
    let document = held.documents.iter().find(|document| document.path == path).unwrap();
    assert_eq!(document.problems, []);
    let tags = tags_index(&held.parts(), None);
    assert_eq!(held.with("knowledge/tags.json", tags).stale(), []);
}

fn three() -> Held {
    Held::default().note("a", "x", "", "").note("b", "", "", "")
}

#[test]
fn a_new_note_is_where_the_others_are() {
    let place = |held: &Held| new_note(&held.documents, NOTE, NOW).unwrap().0;
    assert_eq!(place(&Held::default()), Path::new("knowledge/notes/new-note-1.md"));
    let flat = Held::default().with("knowledge/a.md", "# A\n").with("knowledge/README.md", "# Notes\n");
    assert_eq!(place(&flat), Path::new("knowledge/new-note-1.md"));
}

#[test]
fn an_id_that_is_taken_or_no_kebab_case_is_refused() {
    let held = three().with("knowledge/Other.md", "---\nid: the-other\n---\n");
    let refused = |id: &str| new_note(&held.documents, NewNote { id, ..NOTE }, NOW).unwrap_err().message;
    for id in ["a", "the-other", "other"] {
        assert_eq!(refused(id), format!("a note with the id {id:?} already exists."));
    }
    for id in ["", "A", "a_b", "-a", "a-", "a--b", "a/b", "..", "ä", "a b", "readme", &"x".repeat(201)] {
        assert!(refused(id).starts_with("id can't be "), "{id}");
    }
    let documents = &held.documents;
    assert!(new_note(documents, NewNote { confidence: "sure", ..NOTE }, NOW).is_err());
    assert!(new_note(documents, NewNote { source: "me", ..NOTE }, NOW).is_err());
    assert!(new_note(documents, NewNote { title: "a\nb", ..NOTE }, NOW).is_err());
    assert!(new_note(documents, NewNote { tags: &[" ".into()], ..NOTE }, NOW).is_err());
}

#[test]
fn a_deprecated_note_says_since_when_why_and_what_replaces_it() {
    let text = "---\nid: old\nupdated: 2025-01-01\nstatus: validated  # by us\n---\n\n# Old  \n\nText.\n";
    let marked = deprecate(text, "  Superseded\nby another ", Some("new"), NOW).unwrap();
    assert_eq!(
        marked,
        "---\nid: old\nupdated: 2026-02-03T04:05:06.000007+00:00\nstatus: deprecated  # by us\n\
         before_deprecation: [\"status: validated  # by us\"]\n---\n\n# Old (DEPRECATED)  \n\n\
         **Deprecated**: 2026-02-03\n**Reason**: Superseded by another\n**Replacement**: [[new]]\n\nText.\n"
    );
    let back = undeprecate(&marked).unwrap();
    assert_eq!(back, text.replace("2025-01-01", "2026-02-03T04:05:06.000007+00:00"));
    let again = deprecate(&marked, "again", None, NOW).unwrap_err();
    assert_eq!(again.message, "the note is already deprecated.");
    assert_eq!(undeprecate(&back).unwrap_err().message, "the note is not deprecated.");
    assert!(deprecate(text, " ", None, NOW).is_err());
    assert!(deprecate(text, "why", Some("a]]"), NOW).is_err());
    assert!(deprecate("---\nstatus: x\nstatus: y\n---\n", "why", None, NOW).is_err());
}

#[test]
fn a_note_that_others_have_deprecated_becomes_a_draft() {
    let text = "---\nid: old\nstatus: deprecated\n---\n\n# Old (DEPRECATED)\n\n**Deprecated**: 2025-01-17\n\
        **Reason**: Superseded\n**Replacement**: [[new]]\n\nText.\n";
    assert_eq!(undeprecate(text).unwrap(), "---\nid: old\nstatus: draft\n---\n\n# Old\n\nText.\n");
    let bare = "---\nid: old\nstatus: deprecated\n---\nText.\n";
    assert_eq!(undeprecate(bare).unwrap(), bare.replace("deprecated", "draft"));
}

#[test]
fn what_was_kept_and_then_tampered_with_brings_nothing_but_a_status_back() {
    for kept in ["\"id: y\"", "\"status: a\\nid: y\"", "\"---\"", "\"status: deprecated\"", "nonsense"] {
        let text = format!("---\nid: x\nstatus: deprecated\nbefore_deprecation: [{kept}]\n---\nText.\n");
        assert_eq!(undeprecate(&text).unwrap(), "---\nid: x\nstatus: draft\n---\nText.\n", "{kept}");
    }
}

/// Removes the field `updated` from the note.
fn but_updated(text: &str) -> String {
    let note = Note::read(text);
    match note.field("updated") {
        Some(field) => [&text[..field.span.start], &text[field.span.end..]].concat(),
        None => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(crate::tries::config(600, 9600))]

    #[test]
    fn a_deprecation_that_is_undone_leaves_nothing_behind(
        front in proptest::sample::subsequence(
            vec!["id: x\n", "status: draft\n", "status: 'a: b' # c\n", "updated: 2025-01-01 # d\n", "tags:\n  - a\n",
                "status:\n", "status: |\n  a\n  b\n", "# comment\n"], 0..5).prop_shuffle(),
        kind in 0..4,
        body in "(\n| \n|text\n|# Title\n|# Title \t\n|# T \\(DEPRECATED\\)\n|```\n# code\n```\n|\\*\\*Reason\\*\\*: x\n|\\*\\*Deprecated\\*\\*: y\n){0,5}(end|# End)?",
        is_crlf: bool,
        has_mark: bool,
        replacement in proptest::option::of(Just("new")),
    ) {
        let front = front.concat();
        let mut text = match kind {
            0 => body,
            1 => format!("---\n{front}---"),
            _ => format!("---\n{front}---\n{body}"),
        };
        if is_crlf {
            text = text.replace('\n', "\r\n");
        }
        if has_mark {
            text.insert(0, '\u{feff}');
        }
        let Ok(marked) = deprecate(&text, "why", replacement, NOW) else { return Ok(()) };
        let note = Note::read(&marked);
        prop_assert_eq!(note.field("status").unwrap().value.plain(), "deprecated");
        let body = &marked[note.body.clone()];
        prop_assert!(body.contains("**Deprecated**: 2026-02-03") && body.contains("**Reason**: why"));
        let back = undeprecate(&marked).unwrap();
        prop_assert_eq!(but_updated(&back), but_updated(&text), "{}", marked);
    }
}
