//! Memories that the format's own recall would restore: signals of events that it has not read yet.

use super::*;

const WRONG: &str = "The cache lies after a restart";

/// A store with a pitfall in its bundle that an imported event also has. `recalled` is the last
/// event that recall has read.
fn imported(recalled: Option<&str>) -> Repository {
    let signals = json!({"decisions": ["Use WAL"], "gotchas": [WRONG, "Another pitfall"],
        "nextStepHints": [format!("NEXT: {WRONG}")], "keyPaths": [], "validationObservations": []});
    let event = json!({"kind": "imported_session", "signals": signals});
    let builder = AgentMemoryBuilder::new()
        .bundle(&[("/gotchas", json!([gotcha(WRONG), gotcha("Another pitfall")]))])
        .event(event)
        .state("/maintenance/lastRecalledEventId", json!(recalled))
        .state("/maintenance/recallCursors/local/lastRecalledEventId", json!(recalled));
    Repository::of(&builder)
}

fn remove<'s>(ids: &'s [&'s str]) -> impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal> {
    |context| {
        let asked = ops::delete::DeleteOptions { remove: true, ..Default::default() };
        ops::delete::delete(context, &entries(context.store, ids), &asked)
    }
}

fn says(repository: &Repository, text: &str) -> Vec<String> {
    let events = repository.events();
    let holds = |event: &&Value| event["signals"].to_string().contains(text);
    events.iter().filter(holds).map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_deletion_names_the_events_that_would_bring_the_part_back() {
    let repository = imported(None);
    let (plan, _) = repository.done(delete(&["gotchas.0"]));
    let told = plan.lines.join("\n");
    assert!(told.contains("--remove"), "{told}");
    let carrying = says(&repository, WRONG);
    assert_eq!(carrying.len(), 1);
    assert!(told.contains(&carrying[0]), "{told}");
}

#[test]
fn a_removal_takes_the_part_out_of_those_events_as_well_and_goes_back() {
    let repository = imported(None);
    let before = repository.shelf();
    let (plan, _) = repository.done(remove(&["gotchas.0"]));
    assert!(!plan.lines.join("\n").contains("--remove"), "{:?}", plan.lines);
    assert_eq!(says(&repository, WRONG), Vec::<String>::new());
    // Texts that the bundle still has stay, and everything else in the event, too.
    assert_eq!(says(&repository, "Another pitfall").len(), 1);
    assert_eq!(says(&repository, "Use WAL").len(), 1);
    assert_eq!(repository.faults(), Vec::<String>::new());
    repository.goes_back_and_forth(&before);
}

#[test]
fn events_that_were_recalled_are_not_named_and_not_changed() {
    let last = says(&imported(None), WRONG).remove(0);
    let repository = imported(Some(&last));
    let (plan, _) = repository.done(remove(&["gotchas.0"]));
    assert!(!plan.lines.join("\n").contains("recall"), "{:?}", plan.lines);
    assert_eq!(says(&repository, WRONG), [last]);
}

#[test]
fn the_event_of_an_edit_says_what_the_edit_brought_and_nothing_else() {
    let repository = imported(None);
    repository.done(edit("gotchas.1", &[set("title", "A third pitfall")]));
    let event = repository.events().pop().unwrap();
    let signals = event["signals"].as_object().unwrap();
    assert_eq!(signals["gotchas"].as_array().unwrap().len(), 1, "{signals:?}");
    assert!(signals["gotchas"][0].as_str().unwrap().starts_with("A third pitfall"), "{signals:?}");
    let others = signals.iter().filter(|(name, _)| *name != "gotchas");
    assert!(others.into_iter().all(|(_, list)| list.as_array().unwrap().is_empty()), "{signals:?}");
}
