use super::super::prune::{PruneRequest, PruneResult, prune};
use super::shelf::{Shelf, now};
use super::tool::faults;

const CONFIG: &str = ".agent-memory/config.json";
const EVENTS: &str = ".agent-memory/history/events.jsonl";
const STATE: &str = ".agent-memory/state.json";

/// Prunes, and returns what was pruned or the refusal. The error is empty if there is nothing to prune.
fn run(shelf: &mut Shelf, chosen: PruneRequest<'_>) -> Result<PruneResult, String> {
    let pruned = prune(&shelf.documents(), chosen, now()).map_err(|refusal| refusal.message)?;
    let pruned = pruned.ok_or_else(String::new)?;
    shelf.take_pruned(&pruned);
    Ok(pruned)
}

#[test]
fn retention_moves_recalled_events_and_old_checkpoints_into_a_batch() {
    let mut shelf = Shelf::made(6);
    shelf.change(STATE, "\"lastRecalledEventId\": \"evt-000001\"", "\"lastRecalledEventId\": \"evt-000003\"");
    let log = shelf.text(EVENTS);
    let first = shelf.store("history/checkpoints/chk-000001.json");
    let pruned = run(&mut shelf, PruneRequest::Retention).unwrap();
    assert_eq!(pruned.events, ["evt-000001", "evt-000002", "evt-000003"]);
    assert_eq!(pruned.checkpoints, ["chk-000001", "chk-000002", "chk-000003", "chk-000004"]);
    let batch = "archive/prune-20261201T080000120Z";
    assert!(pruned.batch.last().unwrap().path.ends_with("manifest.json"));
    assert_eq!(shelf.store(&format!("{batch}/events.jsonl")) + &shelf.text(EVENTS), log);
    assert_eq!(shelf.store(&format!("{batch}/checkpoints/chk-000001.json")), first);
    let manifest = shelf.store(&format!("{batch}/manifest.json"));
    assert!(manifest.starts_with("{\n  \"archivedCheckpointIds\": [\n    \"chk-000001\","), "{manifest}");
    assert!(
        manifest.ends_with(
            "\"checkpointMaxAgeDays\": 30,\n  \"createdAt\": \"2026-12-01T08:00:00.120Z\",\n  \
             \"expireAfterDays\": 180,\n  \"historyMaxAgeDays\": 90,\n  \"keepRecent\": 2\n}\n"
        ),
        "{manifest}"
    );
    assert_eq!(shelf.problems(), Vec::<String>::new());
    assert_eq!(faults(&shelf), Vec::<String>::new());
    assert_eq!(run(&mut shelf, PruneRequest::Retention), Err(String::new()));
    // The next event continues the numbers, even if the archive has expired.
    let chosen = ["evt-000004", "evt-000005", "evt-000006"];
    let pruned = run(&mut shelf, PruneRequest::These { events: &chosen, checkpoints: &[] }).unwrap();
    assert!(pruned.batch[0].path.starts_with("archive/prune-20261201T080000121Z"));
    assert_eq!(shelf.text(EVENTS), "");
    assert_eq!(shelf.problems(), Vec::<String>::new());
    shelf.0.retain(|path, _| !path.starts_with(".agent-memory/archive"));
    assert_eq!(shelf.write(&[]).unwrap().event, "evt-000007");
    assert_eq!(faults(&shelf), Vec::<String>::new());
}

#[test]
fn the_latest_checkpoint_and_the_recent_tail_stay() {
    let mut shelf = Shelf::made(4);
    let these = |checkpoints| PruneRequest::These { events: &[], checkpoints };
    let refused = |shelf: &mut Shelf, chosen, why: &str| {
        let refusal = run(shelf, chosen).unwrap_err();
        assert!(refusal.contains(why), "{refusal}");
    };
    refused(&mut shelf, these(&["chk-000003"]), "The checkpoint chk-000003 stays");
    refused(&mut shelf, these(&["chk-000003"]), "among the newest 2 ");
    refused(&mut shelf, these(&["chk-000007"]), "no active event or checkpoint \"chk-000007\"");
    shelf.put(CONFIG, r#"{"retention":{"enabled":false,"checkpoints":{"keepRecent":0}}}"#);
    refused(&mut shelf, these(&["chk-000004"]), "among the newest 0 ");
    let events = PruneRequest::These { events: &["evt-000001"], checkpoints: &[] };
    refused(&mut shelf, events, "turns retention off");
    assert_eq!(run(&mut shelf, PruneRequest::Retention), Err(String::new()));
    let pruned = run(&mut shelf, these(&["chk-000003", "chk-000001"])).unwrap();
    assert_eq!(pruned.checkpoints, ["chk-000001", "chk-000003"]);
    assert!(pruned.rewritten.is_empty());
    assert_eq!(shelf.problems(), Vec::<String>::new());
    assert_eq!(faults(&shelf), Vec::<String>::new());
}

#[test]
fn lines_that_hold_something_else_keep_it() {
    let mut shelf = Shelf::made(4);
    let lines: Vec<String> = shelf.text(EVENTS).lines().map(str::to_owned).collect();
    let [one, two, three, four] = [0, 1, 2, 3].map(|at| lines[at].clone());
    let broken_up = two.replacen(',', ",\n", 1);
    let log = format!("\u{feff}{one}}}\r\n\n{{torn\n{three}{broken_up}\n{four}");
    shelf.put(EVENTS, log);
    let records = shelf.documents();
    let events = records.iter().find(|own| own.path.ends_with("events.jsonl")).unwrap();
    assert_eq!(events.records.len(), 5, "{:?}", events.problems);
    let pruned =
        run(&mut shelf, PruneRequest::These { events: &["evt-000001", "evt-000002"], checkpoints: &[] })
            .unwrap();
    assert_eq!(pruned.events, ["evt-000001", "evt-000002"]);
    assert_eq!(shelf.text(EVENTS), format!("\u{feff}\n{{torn\n{three}\n{four}"));
    let batch = shelf.store("archive/prune-20261201T080000120Z/events.jsonl");
    assert_eq!(batch, format!("{one}\n{broken_up}\n"));
    assert_eq!(shelf.json("state.json")["maintenance"]["historyEventCount"], 2);
}
