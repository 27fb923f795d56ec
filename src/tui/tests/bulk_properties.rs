//! Properties and a measurement of changes of many memories: exactly what is shown happens, and it is fast.

use std::io::Write;
use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::changes::{differing, files, notice};
use super::marks::search;
use super::{Desk, Happening, happenings, now, update};
use crate::model::{Act, Change, ChangeKind, Plan};
use crate::tui::message::Effect;
use crate::usecase::{EraseOptions, ReverseLast};
use crate::work::Job;

/// Returns the path of a file of a plan, without a leading `..`.
fn place(plan: &Plan, change: &Change) -> PathBuf {
    match change.path.strip_prefix("..") {
        Ok(beside) => plan.root.parent().unwrap().join(beside),
        Err(_) => plan.root.join(&change.path),
    }
}

fn queries() -> impl Strategy<Value = String> {
    let all = "|type:decision|type:finding|type:learning|type:task|type:note|is:archived|\
        pool OR oauth|since:2026-01-01|session:checkout_rework|-type:conversation|is:deleted";
    proptest::sample::select(all.split('|').collect::<Vec<_>>()).prop_map(str::to_owned)
}

/// Returns keys that request a change of the marked memories.
fn changes() -> impl Strategy<Value = String> {
    let all = "t+seen⏎|t+seen -auth⏎|ihigh⏎|i0.2⏎|a|dx|dr|db|p|Cnew⏎";
    proptest::sample::select(all.split('|').collect::<Vec<_>>()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(crate::tries::config(3, 150))]

    /// A change of several memories writes exactly the shown bytes. Lines that agents add at the same time
    /// come after them.
    #[test]
    fn a_preview_is_what_happens_whatever_is_marked_hidden_and_added_meanwhile(
        marking in proptest::collection::vec((queries(), proptest::collection::vec(0..40_usize, 0..12), any::<bool>()), 1..3),
        shown in queries(), change in changes(), appends in any::<bool>()
    ) {
        let mut desk = Desk::new(120, 36);
        for (query, lines, all) in &marking {
            search(&mut desk, query);
            for line in lines {
                desk.app.list_cursor.at = (*line).min(desk.app.results.hits.len().saturating_sub(1));
                desk.type_keys(" ");
            }
            if *all {
                desk.type_keys(":invert marks⏎");
            }
        }
        search(&mut desk, &shown);
        if desk.app.marks.count() < 2 {
            return Ok(());
        }
        let before = files(&desk);
        desk.type_keys(&change);
        prop_assert_eq!(differing(&before, &files(&desk)), Vec::<PathBuf>::new(), "{} before y", change);
        let Some(confirm) = &desk.app.confirm else { return Ok(()) };
        let hidden = confirm.planned.request.hidden.len();
        prop_assert_eq!(hidden, desk.app.marks.hidden());
        let changing = &confirm.planned.changing;
        let hidden = confirm.planned.request.hidden.iter().filter(|at| changing.contains(at)).count();
        prop_assert_eq!(hidden > 0, confirm.question.contains("hidden by the filter"));
        let plans: Vec<_> = confirm.planned.plans.iter().map(|own| own.plan.clone()).collect();
        let late = b"{\"id\":\"late_1\",\"type\":\"finding\",\"timestamp\":\"2026-01-31T00:00:00Z\"}\n";
        let mut added = Vec::new();
        for plan in plans.iter().filter(|_| appends) {
            let logs = plan.changes.iter().filter(|own| own.kind() == ChangeKind::Rewrite);
            for change in logs.filter(|own| own.path.extension().is_some_and(|end| end == "jsonl")) {
                let path = place(plan, change);
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                let end = if std::fs::read(&path).unwrap().ends_with(b"\n") { "" } else { "\n" };
                file.write_all(&[end.as_bytes(), late].concat()).unwrap();
                added.push((path, [end.as_bytes(), late].concat()));
            }
        }
        desk.agree();
        // If the added lines stop the change, the notice says so, and only they are new.
        let refused = notice(&desk).contains("Nothing was changed");
        let after = files(&desk);
        let touched: Vec<PathBuf> =
            plans.iter().flat_map(|plan| plan.all().map(|own| place(plan, own))).collect();
        for path in differing(&before, &after) {
            let is_own = touched.contains(&path) || added.iter().any(|(own, _)| *own == path);
            prop_assert!(is_own || path.extension().is_none_or(|end| end != "jsonl"), "{}", path.display());
        }
        for plan in plans.iter().filter(|_| !refused) {
            for change in &plan.changes {
                let path = place(plan, change);
                let is = after.iter().find(|(own, _)| *own == path).map(|(_, bytes)| bytes);
                match &change.act {
                    Act::Append(lines) => prop_assert!(is.is_some_and(|is| is.ends_with(lines))),
                    Act::Remove(_) => prop_assert_eq!(is, None),
                    _ => {}
                }
            }
            for change in plan.changes.iter().filter(|own| own.kind() == ChangeKind::Rewrite) {
                let path = place(plan, change);
                let wanted = change.after().unwrap();
                let lines = added.iter().find(|(own, _)| *own == path).map_or(&[][..], |(_, lines)| lines);
                // An agent may end a last line that had no line end. It stays alone if that line is removed.
                let bare = lines.strip_prefix(b"\n").filter(|_| wanted.ends_with(b"\n")).unwrap_or(lines);
                let either = [[&wanted, lines].concat(), [&wanted, bare].concat()];
                let is = after.iter().find(|(own, _)| *own == path).map(|(_, bytes)| bytes);
                prop_assert!(
                    is.is_some_and(|is| either.contains(is)),
                    "{}: {}\n{:?}\n{:?}",
                    path.display(),
                    notice(&desk),
                    is.map(|is| String::from_utf8_lossy(is)),
                    String::from_utf8_lossy(&either[1])
                );
            }
        }
    }
}

/// Returns keys of the bulk views, and other events.
fn bulk_keys() -> impl Strategy<Value = Happening> {
    let key = proptest::sample::select(
        "    vvv***~~mjjkkGtiadpTC.xXareb+-=s0.9/oy:ne2 12345uU\r\t\u{1b}".chars().collect::<Vec<_>>(),
    );
    let own = key.prop_map(|c| {
        let code = match c {
            '\r' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\u{1b}' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        Happening::Key(KeyEvent::new(code, KeyModifiers::NONE))
    });
    prop_oneof![6 => own, 2 => happenings(), 1 => Just(Happening::Going)]
}

/// Presses 240 keys in all, or 100,000 with `PALIMP_LONG=1`.
#[test]
fn any_keys_in_the_bulk_views_change_nothing_without_a_plan_that_was_confirmed() {
    use proptest::strategy::ValueTree;
    let total = crate::tries::count(240, 30_000);
    let mut runner = crate::tries::runner();
    let strategy = bulk_keys();
    let mut desk = Desk::new(120, 36);
    let mut before = files(&desk);
    for number in 0..total {
        let msg = strategy.new_tree(&mut runner).unwrap().current();
        let effects = update(&mut desk.app, msg.into(), now());
        // A change of one memory runs at once, and is what the user requested. Several memories need a yes.
        let writes = effects.iter().any(|effect| match effect {
            Effect::Job(Job::Commit(_)) => true,
            Effect::Job(Job::Change(request)) => {
                let turns = request.command.is::<ReverseLast>();
                assert!(turns || request.at.len() == 1 && request.hidden.is_empty());
                assert!(!request.command.is::<EraseOptions>());
                true
            }
            _ => false,
        });
        desk.settle(effects);
        if number % 40 == 0 {
            desk.screen();
        }
        if writes {
            before = files(&desk);
        } else if number % 40 == 0 {
            let now = files(&desk);
            assert_eq!(differing(&before, &now), Vec::<PathBuf>::new(), "after key {number}");
        }
        if number % 2_000 == 1_999 {
            desk = Desk::new(120, 36);
            before = files(&desk);
        }
    }
}
