//! Notes: added, edited, tagged, deleted.

use super::*;
use crate::support::plans;

#[test]
fn a_note_is_added_with_an_id_from_its_title() {
    let site = healthy();
    let text = "# Größe of the Cache!\n\nSee [[lone]].\n";
    let words = tags(&["Cache Keys", "cold"]);
    site.does(|context| {
        let draft = RecordDraft {
            kind: "note",
            text: Some(text),
            tags: &words,
            importance: Some(0.8),
            ..RecordDraft::default()
        };
        ops::add::add(context, &draft)
    });
    let note = site.read("knowledge/notes/grosse-of-the-cache.md");
    assert_eq!(
        note,
        format!(
            "---\nid: grosse-of-the-cache\ncreated: {STAMP}\nupdated: {STAMP}\ntags: [cache-keys, cold]\n\
             confidence: high\nsource: human-curated\nlinked_to: [lone]\n---\n\n# Größe of the Cache!\n\nSee [[lone]].\n"
        )
    );
    assert!(site.read("knowledge/tags.json").contains("cache-keys"));
    assert!(site.read("knowledge/links.json").contains("\"strength\": 0.80"));
    // The same title again, and a text without a heading.
    site.does(|context| add(context, "note", Some(text), None));
    assert!(site.has("knowledge/notes/grosse-of-the-cache-2.md"));
    site.does(|context| add(context, "note", Some("接続"), None));
    assert!(site.read("knowledge/notes/note.md").ends_with("---\n\n# 接続\n"));
}

#[test]
fn a_notes_record_gives_its_fields() {
    let site = Site::of(&[("knowledge/notes/lone.md", LONE)]);
    let record = r#"{"id": "given", "title": "Given", "confidence": "low", "source": "research", "tags": ["a"],
        "author": "me", "related_notes": ["lone"], "status": "draft"}"#;
    site.does(|context| add(context, "note", Some("Body."), Some(record)));
    assert_eq!(
        site.read("knowledge/notes/given.md"),
        format!(
            "---\nid: given\ncreated: {STAMP}\nupdated: {STAMP}\ntags: [a]\nconfidence: low\nsource: research\n\
             linked_to: []\nauthor: me\nrelated_notes: [lone]\nstatus: draft\n---\n\n# Given\n\nBody.\n"
        )
    );
    assert!(site.has("knowledge/tags.json") && site.has("knowledge/links.json"));
    site.refuses("already exists", |context| add(context, "note", Some("x"), Some(r#"{"id": "lone"}"#)));
    site.refuses("hyphens", |context| add(context, "note", Some("x"), Some(r#"{"id": "../lone"}"#)));
    site.refuses("should be one of", |context| add(context, "note", Some("x"), Some(r#"{"status": "odd"}"#)));
    site.refuses("can't be \"odd\"", |context| {
        add(context, "note", Some("x"), Some(r#"{"confidence": "odd"}"#))
    });
    site.refuses("needs a text", |context| add(context, "note", None, Some("{}")));
}

#[test]
fn a_notes_fields_are_edited_one_by_one() {
    let site = healthy();
    let plan = site.does(|context| {
        edit(context, "timeout-fix", &[("tags", r#"["backend", "slow"]"#), ("confidence", "medium")])
    });
    assert_eq!((plan.changes.len(), plan.derived.len()), (1, 1));
    let wanted = FIX
        .replace("[backend, timeout]", "[backend, slow]")
        .replace("confidence: high", "confidence: medium")
        .replace("2026-01-17T14:30:00Z  # by hand", "2026-02-15T12:00:00Z  # by hand");
    assert_eq!(site.read("knowledge/notes/timeout-fix.md"), wanted);
    assert!(site.read("knowledge/tags.json").contains("slow"));
    assert_eq!(site.read("knowledge/links.json"), LINKS);
    // If nothing differs, nothing is written, and the time stays too.
    let same = site.plan(|context| edit(context, "timeout-fix", &[("confidence", "medium")])).unwrap();
    assert!(same.is_empty());
    site.does(|context| edit(context, "lone", &[("text", "# Lone\n\nSee [[timeout-fix]].")]));
    let lone = site.read("knowledge/notes/lone.md");
    assert_eq!(lone, LONE.replace("2026-01-02", "2026-02-15") + "\nSee [[timeout-fix]].\n");
    site.does(|context| {
        edit(context, "lone", &[("linked_to", "timeout-fix, trace-pattern"), ("author", "me")])
    });
    assert!(
        site.read("knowledge/notes/lone.md")
            .contains("linked_to: [timeout-fix, trace-pattern]\nauthor: me\n")
    );
    site.does(|context| edit(context, "lone", &[("id", "alone")]));
    assert!(site.read("knowledge/notes/lone.md").contains("id: alone\n"));
}

#[test]
fn a_note_whose_last_line_has_no_end_gets_none_by_an_edit() {
    let open = LONE.trim_end_matches('\n');
    let site = Site::of(&[("knowledge/notes/lone.md", open)]);
    site.does(|context| edit(context, "lone", &[("text", "# Lone\n\nOther words")]));
    let note = site.read("knowledge/notes/lone.md");
    assert!(note.ends_with("Other words"), "{note:?}");
    // The text of a query is its whole file.
    let site = Site::of(&[("knowledge/notes/lone.md", LONE), ("queries/slow.md", "find slow")]);
    site.does(|context| edit(context, "lone", &[("author", "me")]));
    site.does(|context| edit(context, "slow", &[("text", "find slower")]));
    assert_eq!(site.read("queries/slow.md"), "find slower");
}

#[test]
fn times_of_notes_keep_their_spelling() {
    for (found, wanted) in [
        ("2026-01-02", "2026-02-15"),
        ("2026-01-02T03:04:05Z", "2026-02-15T12:00:00Z"),
        ("2026-01-02T03:04:05.123Z", "2026-02-15T12:00:00.000Z"),
        ("2026-01-02T03:04:05.123456+00:00", "2026-02-15T12:00:00.000000+00:00"),
        ("2026-01-02T03:04:05-05:30", "2026-02-15T06:30:00-05:30"),
        ("2026-01-02 03:04:05", "2026-02-15 12:00:00"),
    ] {
        let site = Site::of(&[("knowledge/notes/lone.md", &LONE.replace("2026-01-02", found))]);
        site.does(|context| edit(context, "lone", &[("author", "me")]));
        let note = site.read("knowledge/notes/lone.md");
        assert!(note.contains(&format!("updated: {wanted}\n")), "{note}");
    }
}

#[test]
fn edits_that_break_a_note_are_refused() {
    let site = healthy();
    for (name, value, part) in [
        ("confidence", "certain", "one of low, medium, high"),
        ("status", "done", "one of draft, validated, deprecated"),
        ("id", "lone", "already exists"),
        ("id", "Not Kebab", "hyphens"),
        ("created", "yesterday", "not an ISO 8601"),
        ("tags", "[1]", "not a list of texts"),
        ("a b", "x", "name of a field"),
    ] {
        site.refuses(part, |context| edit(context, "timeout-fix", &[(name, value)]));
    }
    let broken = FIX.replace("tags: [backend, timeout]", "tags: [backend, timeout");
    let site = Site::of(&[("knowledge/notes/timeout-fix.md", &broken)]);
    site.refuses("has to be repaired first", |context| edit(context, "timeout-fix", &[("status", "draft")]));
}

#[test]
fn tags_and_importance_of_notes_are_set() {
    let site = healthy();
    site.does(|context| {
        let own = named(context.store, "timeout-fix");
        plans::tag(context, &own, &tags(&["Slow Start", "backend"]), &tags(&["timeout"]))
    });
    assert!(site.read("knowledge/notes/timeout-fix.md").contains("tags: [backend, slow-start]\n"));
    site.does(|context| plans::tag(context, &named(context.store, "lone"), &tags(&["hot"]), &[]));
    assert!(site.read("knowledge/notes/lone.md").contains("tags:\n  - cold\n  - hot\n"));
    for (value, word) in [(0.75, "high"), (0.74, "medium"), (0.45, "medium"), (0.44, "low")] {
        site.does(|context| {
            // Each value differs from the one before, so that there is a step to undo.
            let other = if word == "low" { "high" } else { "low" };
            edit(context, "lone", &[("confidence", other)])
        });
        site.does(|context| plans::importance(context, &named(context.store, "lone")[0], value));
        assert!(site.read("knowledge/notes/lone.md").contains(&format!("confidence: {word}\n")));
    }
    let profile = |context: &WriteContext<'_>| named(context.store, "helper")[0];
    site.refuses("only notes have tags", |context| {
        plans::tag(context, &[profile(context)], &tags(&["x"]), &[])
    });
    site.refuses("only notes", |context| plans::importance(context, &profile(context), 0.5));
}

#[test]
fn a_deleted_note_is_deprecated_and_comes_back() {
    let site = healthy();
    let asked =
        DeleteOptions { reason: Some("superseded".into()), replaced_by: Some("lone".into()), remove: false };
    site.does(|context| ops::delete::delete(context, &named(context.store, "timeout-fix"), &asked));
    let note = site.read("knowledge/notes/timeout-fix.md");
    for part in [
        "status: deprecated\n",
        "# Timeout fix (DEPRECATED)\n",
        "**Deprecated**: 2026-02-15\n**Reason**: superseded\n**Replacement**: [[lone]]\n",
        "Wait longer",
    ] {
        assert!(note.contains(part), "{part} {note}");
    }
    let again = |context: &WriteContext<'_>| {
        ops::delete::delete(context, &named(context.store, "timeout-fix"), &asked)
    };
    site.refuses("already deprecated", again);
    site.does(|context| {
        ops::undelete::undelete(
            context,
            &named(context.store, "timeout-fix"),
            &palimp::ops::erase::ErasedRecords::default(),
        )
    });
    let back = site.read("knowledge/notes/timeout-fix.md");
    assert_eq!(without_time(&back), without_time(FIX));
    site.refuses("none of these is deleted or deprecated", |context| {
        ops::undelete::undelete(
            context,
            &named(context.store, "timeout-fix"),
            &palimp::ops::erase::ErasedRecords::default(),
        )
    });
    for (by, part) in [("timeout-fix", "is deleted itself"), ("nobody", "not a note of this store")] {
        let asked = DeleteOptions { replaced_by: Some(by.into()), ..DeleteOptions::default() };
        site.refuses(part, |context| {
            ops::delete::delete(context, &named(context.store, "timeout-fix"), &asked)
        });
    }
}

fn without_time(note: &str) -> String {
    note.lines().filter(|line| !line.starts_with("updated:")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_is_removed_is_gone_from_the_indexes_too() {
    let site = healthy();
    let remove = DeleteOptions { remove: true, ..DeleteOptions::default() };
    site.does(|context| ops::delete::delete(context, &named(context.store, "lone"), &remove));
    assert!(!site.has("knowledge/notes/lone.md"));
    assert!(
        !site.read("knowledge/tags.json").contains("lone")
            && !site.read("knowledge/links.json").contains("lone")
    );
    site.does(|context| {
        ops::delete::delete(context, &named(context.store, "helper"), &DeleteOptions::default())
    });
    assert!(!site.has("profiles/helper.json"));
    site.does(|context| {
        ops::delete::delete(context, &named(context.store, "failures"), &DeleteOptions::default())
    });
    assert!(!site.has("queries/failures.sql"));
}
