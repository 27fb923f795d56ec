//! Compares what the editor says about every field of every format with what `check` says after a save.

mod any;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::demo;
use crate::model::snapshot::{Entry, Store};
use crate::model::time::Moment;
use crate::model::{Change, Extent, Problem, Severity, Snapshot, State};
use crate::ops::WriteContext;
use crate::ops::edit::EditResult;
use crate::ops::edit::{after_edit, fits_words};
use crate::store::{Place, derived_files, load_each, look_at};

fn now() -> Moment {
    Moment::parse("2026-02-01T12:00:00Z").unwrap().0
}

struct Desk {
    folder: tempfile::TempDir,
    places: Vec<Place>,
    snapshot: Snapshot,
}

impl Desk {
    fn new() -> Desk {
        let folder = crate::folder::new();
        demo::lay_out(folder.path(), now());
        let places = look_at(folder.path(), None).found.unwrap();
        let snapshot = Snapshot::of(load_each(&places, Extent::All, &Snapshot::default(), now()));
        Desk { folder, places, snapshot }
    }

    /// Returns what `check` finds after a plan is carried out. The files are restored then.
    fn check_after(&self, number: usize, plan: &crate::model::Plan) -> Vec<Problem> {
        let store = &self.snapshot.stores[number];
        let previous: Vec<_> =
            plan.all().map(|change| std::fs::read(store.root.join(&change.path)).ok()).collect();
        let put = |path: &Path, bytes: Option<&[u8]>| match bytes {
            Some(bytes) => {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
            }
            None => drop(std::fs::remove_file(path)),
        };
        for change in plan.all() {
            put(&store.root.join(&change.path), change.after().as_deref());
        }
        let loaded = load_each(&self.places[number..=number], Extent::All, &self.snapshot, now());
        for (change, bytes) in plan.all().zip(&previous) {
            put(&store.root.join(&change.path), bytes.as_deref());
        }
        loaded[0].problems.clone()
    }
}

fn tried(field: &FormField) -> Vec<String> {
    let texts: Vec<String> = match &field.kind {
        FieldKind::Fixed(_) => return Vec::new(),
        FieldKind::Text { .. } => {
            vec!["".into(), "short".into(), "y".repeat(5001), "two\nlines \u{202e}".into(), "  ".into()]
        }
        FieldKind::Word { words, .. } => [words.clone(), vec!["other".into(), "".into()]].concat(),
        FieldKind::Number { .. } => ["0.5", "1", "-1", "7", "1.5", "abc", ""].map(str::to_owned).to_vec(),
        FieldKind::Flag => ["true", "false", "maybe"].map(str::to_owned).to_vec(),
        FieldKind::Words { .. } => vec![
            "a, b".into(),
            "x".repeat(41),
            "t1,t2,t3,t4,t5,t6,t7,t8,t9,t10,t11".into(),
            "two words".into(),
            "".into(),
            "a, a".into(),
            "[1]".into(),
            "bell\u{7}".into(),
        ],
        FieldKind::Moment => {
            ["2026-01-11T10:10:00", "2026-01-11T10:10:00Z", "nonsense", "2099-01-01T00:00:00Z", ""]
                .map(str::to_owned)
                .to_vec()
        }
        FieldKind::References => vec!["no_such_memory".into(), "".into()],
        FieldKind::Json => ["{}", "[]", "nonsense", "\"x\"", "null"].map(str::to_owned).to_vec(),
    };
    texts
}

/// Returns some entries of every type of a store, more of them in a long run.
fn entries(store: &Store) -> Vec<usize> {
    let most = crate::tries::count(1, 12);
    let mut seen: std::collections::HashMap<String, usize> = Default::default();
    let mut own = Vec::new();
    for (number, entry) in store.entries.iter().enumerate().filter(|(_, entry)| entry.state == State::Live) {
        let Some(memory) = store.memory(entry) else { continue };
        let count = seen.entry(memory.kind().to_string()).or_default();
        if *count < most && form(store, entry, now()).is_ok() {
            *count += 1;
            own.push(number);
        }
    }
    own
}

fn key(problem: &Problem) -> (crate::model::Code, std::path::PathBuf, Option<u32>, Option<String>) {
    let message = problem.record.map(|_| problem.message.clone());
    (problem.code, problem.file.clone(), problem.record, message)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Came {
    Saved,
    Warned,
    Refused,
    /// The format's writer rules it out before anything is read.
    Ruled,
}

/// Judges values of a form, saves what is not refused, and compares the result with `check`.
/// Fails if the two do not agree. The text says how.
fn held_against_check(desk: &Desk, number: usize, entry: &Entry, values: &[String]) -> Result<Came, String> {
    let store = &desk.snapshot.stores[number];
    let form = form(store, entry, now()).unwrap();
    let context = WriteContext::of(store, now(), [7; 16]);
    let quick = judge(&context, entry, &form, values);
    let verdict = verdict(&context, entry, &form, values);
    let set = form.settings(values);
    let kind = &store.memory(entry).unwrap().kind();
    let judged = &verdict.judged;
    let fail = |what: String| {
        let plan = verdict.plan.as_ref().err();
        Err(format!("{what}\n{} {kind} {set:.300?}: {:?} {plan:?}", store.format, judged.findings))
    };
    if quick.is_refused() != judged.is_refused() {
        return fail(format!("at once: {quick:?}"));
    }
    let Ok(plan) = &verdict.plan else {
        if ruled_out(&context, entry, &form, values) {
            return Ok(Came::Ruled);
        }
        return match is_error(&context, entry, &form, values) {
            true => Ok(Came::Refused),
            false => fail("refused, and check calls it no error".into()),
        };
    };
    if judged.is_refused() {
        return fail("refused, and planned".into());
    }
    let known: Vec<_> = store.problems.iter().map(key).collect();
    // A form does not look at the disk: only the plan knows whether a file of the repository exists.
    let is_elsewhere = |own: &Problem| own.message.ends_with("which is not in the repository.");
    let problems = desk.check_after(number, plan);
    for problem in problems.iter().filter(|own| !known.contains(&key(own)) && !is_elsewhere(own)) {
        if !judged.findings.iter().any(|own| own.code == problem.code) {
            return fail(format!("check finds what was not told: {problem:?}"));
        }
        if problem.severity != Severity::Note && !judged.warns() {
            return fail(format!("not warned of: {problem:?}"));
        }
    }
    Ok(if judged.warns() { Came::Warned } else { Came::Saved })
}

#[test]
fn what_the_editor_saves_without_warning_check_finds_clean_and_what_it_refuses_check_calls_an_error() {
    let desk = Desk::new();
    let is_long = crate::tries::is_long();
    let (mut came, mut tried_once) = (Vec::new(), std::collections::HashSet::new());
    for (number, store) in desk.snapshot.stores.iter().enumerate() {
        for entry in entries(store) {
            let entry = &store.entries[entry];
            let form = form(store, entry, now()).unwrap();
            for at in 0..form.fields.len() {
                // In a short run, a field that several types have is tried in one of them, with half of the
                // texts. Another field of its kind has the other half.
                let (name, kind) =
                    (form.fields[at].name.clone(), std::mem::discriminant(&form.fields[at].kind));
                let is_new = tried_once.insert((number, name, kind));
                let texts = tried(&form.fields[at]).into_iter().zip(at..);
                for (text, _) in texts.filter(|(_, turn)| is_long || is_new && turn % 2 == 0) {
                    let mut values = form.values();
                    if values[at] != text {
                        values[at] = text;
                        came.push(held_against_check(&desk, number, entry, &values).unwrap());
                    }
                }
            }
        }
    }
    let count = |own| came.iter().filter(|one| **one == own).count();
    let counts = [Came::Saved, Came::Warned, Came::Refused, Came::Ruled].map(count);
    assert!(counts[0] > 100 && counts[1] > 5 && counts[2] > 15 && counts[3] > 2, "{counts:?}");
    drop(desk.folder);
}

#[test]
fn an_unchanged_form_says_nothing_new_and_has_nothing_to_save() {
    let desk = Desk::new();
    for store in &desk.snapshot.stores {
        for entry in entries(store).into_iter().map(|at| &store.entries[at]) {
            let form = form(store, entry, now()).unwrap();
            let verdict = verdict(&WriteContext::of(store, now(), [7; 16]), entry, &form, &form.values());
            let new: Vec<_> = verdict.judged.findings.iter().filter(|own| own.is_new).collect();
            let kind = store.memory(entry).unwrap().kind();
            assert!(new.is_empty() && verdict.plan.unwrap().is_empty(), "{} {kind} {new:?}", store.format);
        }
    }
}

#[test]
fn each_of_several_mistakes_counts_and_what_is_right_is_no_mistake() {
    let desk = Desk::new();
    let store = desk.snapshot.stores.iter().find(|store| store.format == "bmad").unwrap();
    let entry = store.entries.iter().find(|entry| form(store, entry, now()).is_ok()).unwrap();
    let form = form(store, entry, now()).unwrap();
    let typed = [("timestamp", "soon"), ("access_count", "many"), ("tags", "new"), ("last_accessed", "\"")];
    let mut values = form.values();
    for (mistakes, (name, value)) in [1, 2, 2, 3].into_iter().zip(typed) {
        values[form.find(name).unwrap()] = value.to_owned();
        let judged = judge(&WriteContext::of(store, now(), [7; 16]), entry, &form, &values);
        let refusing: Vec<_> = judged.findings.iter().filter(|own| own.refuses()).collect();
        assert_eq!(refusing.len(), mistakes, "{name}: {refusing:?}");
    }
}

/// True if the format's writer rules it out before anything is read.
fn ruled_out(context: &WriteContext<'_>, entry: &Entry, form: &EditForm, values: &[String]) -> bool {
    let set = form.settings(values);
    let tags = form.find("tags").map(|at| items(&values[at])).unwrap_or_default();
    after_edit(context, entry, &as_settings(&set)).is_err() || fits_words(context, entry, &tags).is_err()
}

/// True if reading the new bytes finds a new error.
fn is_error(context: &WriteContext<'_>, entry: &Entry, form: &EditForm, values: &[String]) -> bool {
    let set = form.settings(values);
    let store = context.store;
    let document = store.document(entry);
    let changes = match after_edit(context, entry, &as_settings(&set)).unwrap() {
        EditResult::Files(changes) => changes,
        EditResult::Record(new) => {
            let edits = vec![(store.record(entry).span.range(), new)];
            vec![Change::edits(&document.path, document.bytes.clone(), edits)]
        }
    };
    let after = derived_files::documents_after(store, &changes, context.now);
    let errors = |documents: &[Arc<crate::model::Document>]| -> Vec<String> {
        let own = documents.iter().find(|own| own.path == document.path).unwrap();
        let errors = own.problems.iter().filter(|own| own.severity == Severity::Error);
        errors.map(|own| format!("{:?} {}", own.record, own.message)).collect()
    };
    let known = errors(&store.documents);
    errors(&after).iter().any(|own| !known.contains(own))
}

#[test]
fn every_fix_leads_to_something_that_can_be_saved() {
    let desk = Desk::new();
    let is_long = crate::tries::is_long();
    let (mut repaired, mut tried_once) = (0, std::collections::HashSet::new());
    for store in &desk.snapshot.stores {
        for entry in entries(store) {
            let entry = &store.entries[entry];
            let form = form(store, entry, now()).unwrap();
            for at in 0..form.fields.len() {
                if !tried_once.insert((store.format, form.fields[at].name.clone())) && !is_long {
                    continue;
                }
                for text in tried(&form.fields[at]) {
                    let context = WriteContext::of(store, now(), [7; 16]);
                    let mut values = form.values();
                    values[at] = text.clone();
                    let before = judge(&context, entry, &form, &values);
                    for own in before.findings.iter().filter(|own| own.is_new) {
                        let Some(fix) = &own.fix else { continue };
                        let mut fixed = values.clone();
                        fixed[fix.field] = fix.value.clone();
                        let after = judge(&context, entry, &form, &fixed);
                        let stays = after.findings.iter().any(|new| new.is_new && new.code == own.code);
                        assert!(
                            !stays,
                            "{} {}: {:.50?} → {fix:?} still {:?}",
                            store.format, form.fields[at].name, text, after.findings
                        );
                        repaired += 1;
                    }
                }
            }
        }
    }
    assert!(repaired > 15, "{repaired}");
}

#[test]
fn a_list_is_edited_with_commas_and_kept_whatever_it_holds() {
    for list in [vec![], vec!["a"], vec!["a", "b c"], vec!["a,b"], vec![" a "], vec!["[x]"], vec![""]] {
        let list: Vec<String> = list.into_iter().map(str::to_owned).collect();
        assert_eq!(items(&joined(&list)), list, "{}", joined(&list));
    }
}
