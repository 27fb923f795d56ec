//! The screens on stores of several formats: a note leads to its trace; hostile text is in every field.

use crate::support;

use serde_json::json;
use support::{Files, SOON, TempStore, Terminal};

const NOW: &str = "2026-02-01T12:00:00Z";

fn event(time: &str, trace: &str, kind: &str) -> String {
    json!({"timestamp": time, "trace_id": trace, "status": "success", "schema_version": "1.0",
        "event_type": kind, "source": "s"})
    .to_string()
        + "\n"
}

/// A repository with stores of three formats.
fn repository() -> TempStore {
    let events = [
        event("2026-01-30T12:00:00Z", "t1", "deploy.began"),
        event("2026-01-30T12:00:02.500Z", "t1", "deploy.ended"),
        event("2026-01-20T12:00:00Z", "t2", "search.ran"),
    ];
    let note = "---\nid: slow-deploys\ncreated: 2026-01-31T00:00:00Z\nupdated: 2026-01-31T00:00:00Z\ntags: [deploy]\n\
        related_traces: [t1]\n---\n# Slow deploys\n\n- They **wait**, see [[rollback]]\n";
    let finding = json!({"id": "finding-1", "timestamp": "2026-01-29T00:00:00Z", "discovered_by": "analyst",
        "severity": "critical", "status": "open", "description": "No limit on uploads"});
    Files::default()
        .with(".chora/memory/events/2026-01/events.jsonl", events.concat())
        .with(".chora/memory/knowledge/notes/slow-deploys.md", note)
        .with(".chora/memory/knowledge/notes/rollback.md", "---\nid: rollback\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\ntags: []\n---\n# Rollback\n")
        .with(".bmad/memory/sessions/s/findings.jsonl", format!("{finding}\n"))
        .with(".agent-memory/history/events.jsonl", json!({"id": "evt-000001", "kind": "tool_run", "sourceId": "x",
            "externalItemId": null, "createdAt": "2026-01-02T00:00:00Z", "contentHash": "0", "summary": "Recalled the deploy.",
            "signals": {"decisions": [], "gotchas": [], "nextStepHints": [], "keyPaths": [], "validationObservations": []},
            "sourceRef": "x"}).to_string() + "\n")
        .build("repository")
}

fn open(store: &TempStore, rows: u16, columns: u16) -> Terminal {
    Terminal::palimp([store.path.to_str().unwrap(), "--now", NOW], rows, columns)
}

#[test]
fn a_note_leads_to_its_trace_the_trace_is_a_timeline_and_the_way_back_ends_at_the_note() {
    let store = repository();
    let mut terminal = open(&store, 36, 120);
    terminal.wait_for_text("1 of 7", SOON);
    terminal.wait_for_text("• They wait, see [[rollback]]", SOON);
    terminal.send_and_see("gd", "5 References");
    terminal.wait_for_text("→ t1  deploy.began success", SOON);
    terminal.send_and_see("\r", "deploy.began");
    terminal.send_and_see("}", "5 Timeline");
    terminal.wait_for_text("│  +2.500 s  deploy.ended", SOON);
    terminal.send_and_see("j\r", "●  +2.500 s  deploy.ended");
    terminal.send_and_see("\x0f\x0f", "• They wait, see [[rollback]]");
}

#[test]
fn hostile_text_in_every_field_of_every_format_never_reaches_the_terminal_raw() {
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{9b}32m\u{202e}esrever\u{2066}\u{e0041}\u{8}";
    let quoted = json!(evil).to_string();
    let object = |names: &[&str]| {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":{quoted}")).collect();
        format!("{{{}}}\n", members.join(","))
    };
    let note = format!(
        "---\nid: {evil}\ntags: [{evil}]\nstatus: {evil}\nlinked_to: [\"{evil}\"]\n---\n# {evil}\n\n> `{evil}` <b>{evil}</b>\n\n```\n{evil}\n```\n"
    );
    let named = format!("n{evil}.md").replace('/', "");
    let store = Files::default()
        .with(".chora/memory/events/e.jsonl", object(&["timestamp", "trace_id", "status", "event_type", "event_id", "source", "actor"]))
        .with(&format!(".chora/memory/knowledge/{named}"), &note)
        .with(".chora/memory/profiles/p.json", format!("{{\"agent_name\":{quoted},\"capabilities\":{{{quoted}:{{\"skill_level\":{quoted},\"learned_patterns\":[{quoted}]}}}}}}"))
        .with(".bmad/memory/sessions/s/findings.jsonl", object(&["id", "timestamp", "discovered_by", "severity", "description", "status", "category"]))
        .with(".bmad/memory/sessions/s/conversation.jsonl", object(&["id", "role", "agent_id", "content"]))
        .with(".agent-memory/state.json", format!("{{\"schemaVersion\":2,\"bundleHash\":{quoted},\"bundle\":{{\"gotchas\":[{{\"title\":{quoted}}}],\"project\":{{\"name\":{quoted},\"summary\":{quoted}}}}}}}"))
        .with(".agent-memory/history/checkpoints/c.json", format!("{{\"id\":{quoted},\"bundle\":{{\"gotchas\":[{quoted}]}},\"bundleHash\":{quoted}}}"))
        .with("memory/sessions/s/memory.jsonl", object(&["id", "session_id", "timestamp", "type", "content", "tags"]))
        .build("repository");
    let mut terminal = open(&store, 36, 120);
    terminal.wait_for_text("4 Memories", SOON);
    terminal.wait_for(|screen| screen.contents().contains("1 of 9"), SOON);
    for _ in 0..9 {
        terminal.send_keys("}}}}j");
    }
    for keys in ["w", "2jjjjjj", "1jj", "gp", "jjjjjj", "q", "4/\u{202e}zz\u{9b}1m\r"] {
        terminal.send_keys(keys);
    }
    terminal.wait_for_text("Nothing matches", SOON);
    terminal.send_keys("\x1b");
    terminal.wait_for(|screen| !screen.contents().contains("Nothing matches"), SOON);
    terminal.send_and_see("?zoom", "this pane alone");
    let text = String::from_utf8_lossy(&terminal.raw_output()).into_owned();
    for bad in
        ["owned\u{7}", "\u{1b}]0", "\u{202e}", "\u{2066}", "\u{e0041}", "\u{9b}", "\u{8}", "\u{1b}[31mred"]
    {
        assert!(!text.contains(bad), "{bad:?} reached the terminal");
    }
    let path = store.path.to_str().unwrap();
    for verb in [
        &["list", "--all"][..],
        &["check"],
        &["stores"],
        &["search", "red"],
        &["show", "nothing\u{202e}"],
        &["list", "--limit", "\u{202e}\u{9b}31m"],
    ] {
        let output = support::run([verb, &["--store", path]].concat());
        let text = output.stdout + &output.stderr;
        let bad = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}\u{e0041}".contains(c);
        assert!(!text.contains(bad), "{verb:?}: {text:?}");
    }
}
