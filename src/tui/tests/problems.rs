//! The problems view tells what `check` tells.

use super::Desk;
use crate::model::{Code, Role, Severity};
use crate::tui::app::Screen;
use crate::work::checked;

/// How many errors, warnings and notes `check` lists, and what it says of derived files.
fn of_check(desk: &Desk) -> ([usize; 3], Vec<String>) {
    let data = desk.app.data.as_deref();
    let stores = desk.app.snapshot.stores.iter().map(|own| {
        let place = crate::store::Place { root: own.root.clone(), format: own.format, session: None };
        let read = crate::store::load(&place, crate::model::Extent::Whole, None, desk.app.now);
        checked(data, &std::sync::Arc::new(read), desk.app.now).store
    });
    let problems: Vec<_> = stores.flat_map(|own| own.problems.clone()).collect();
    let count = |severity| problems.iter().filter(|own| own.severity == severity).count();
    let stale = problems.iter().filter(|own| own.code == Code::IndexStale);
    let stale = stale.map(|own| own.file.to_string_lossy().into_owned()).collect();
    ([Severity::Error, Severity::Warning, Severity::Note].map(count), stale)
}

#[test]
fn an_index_that_says_otherwise_than_its_records_is_among_the_problems_and_counted_as_check_counts_it() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut desk = Desk::new(width, height);
        assert_eq!(desk.app.problem_counts(), of_check(&desk).0);
        let bmad = desk.app.snapshot.stores.iter().find(|own| own.format == "bmad").unwrap();
        let clean = bmad.documents.iter().filter(|own| {
            own.role == Role::Index && bmad.problems.iter().all(|problem| problem.file != own.path)
        });
        let mut read = clean.map(|own| -> (_, serde_json::Value) {
            (bmad.root.join(&own.path), serde_json::from_slice(&own.bytes).unwrap())
        });
        let has_words =
            |said: &serde_json::Value| said["inverted_index"].as_object().is_some_and(|own| !own.is_empty());
        let (file, mut said) = read.find(|(_, said)| has_words(said)).unwrap();
        let words = said["inverted_index"].as_object_mut().unwrap();
        let ids = words.values().next().unwrap().clone();
        words.insert("zebra".into(), ids);
        std::fs::write(&file, said.to_string()).unwrap();
        desk.type_keys("R");
        let (counts, stale) = of_check(&desk);
        assert!(stale.iter().any(|own| file.ends_with(own)), "{stale:?}");
        assert_eq!(desk.app.problem_counts(), counts);
        assert_eq!(desk.app.problem_count(), counts.iter().sum::<usize>());
        desk.type_keys("gp");
        assert_eq!(desk.app.screen, Screen::Problems);
        let [errors, warnings, notes] = counts;
        let title = format!("{errors} errors, {warnings} warnings, {notes} notes");
        assert!(desk.screen().contains(&title), "{}", desk.screen());
        let told = desk.app.problems().any(|(store, at)| {
            let own = &desk.app.snapshot.stores[store];
            own.problems[at].code == Code::IndexStale && own.root.join(&own.problems[at].file) == file
        });
        assert!(told);
    }
}
