//! The palette as a launcher, and the list of colours.

use std::path::Path;

use super::*;
use crate::tui::colours::ColourPalette;

fn names(desk: &Desk) -> Vec<&'static str> {
    desk.app.prompt.as_ref().unwrap().actions().iter().map(|known| known.name).collect()
}

#[test]
fn what_was_done_last_comes_first_then_what_can_be_done_here_and_the_rest_says_so() {
    let mut desk = Desk::new(100, 30);
    desk.type_keys("po:");
    assert_eq!(names(&desk)[..2], ["order", "pin"]);
    let at = |desk: &Desk, name: &str| names(desk).iter().position(|own| *own == name).unwrap();
    assert!(at(&desk, "edit") < at(&desk, "replace file") && at(&desk, "undo") < at(&desk, "verify"));
    desk.press(KeyCode::Esc);
    desk.type_and_see(":replace file", &["not here"]);
    desk.press(KeyCode::Esc);
    desk.type_keys("gm:");
    assert!(at(&desk, "bring back") < at(&desk, "edit"), "{:?}", names(&desk));
}

#[test]
fn a_theme_is_seen_before_it_is_chosen_and_esc_brings_the_one_before_back() {
    let mut desk = Desk::new(100, 30);
    let open = |desk: &mut Desk| {
        desk.enter(":theme");
    };
    open(&mut desk);
    assert_eq!(desk.app.palette, ColourPalette::Terminal);
    insta::assert_snapshot!("theme", stable(&desk.screen()));
    for (palette, ..) in &ColourPalette::CHOICES[1..] {
        desk.type_keys("j");
        assert_eq!(desk.app.palette, *palette);
    }
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::Terminal, true));
    open(&mut desk);
    desk.enter("j");
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::Dark, true));
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.contains("theme = \"dark\"")));
    open(&mut desk);
    assert_eq!(desk.app.prompt.as_ref().unwrap().choice.at, 1, "it opens at the one in use");
}

#[test]
fn where_no_colours_are_wanted_none_can_be_chosen() {
    let mut desk = Desk::new(100, 30);
    desk.app.palette = ColourPalette::None;
    desk.enter(":theme");
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.contains("--no-color")), "{}", desk.screen());
    desk.press(KeyCode::Enter);
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::None, true));
}

/// Starts in a folder below a home with two projects and a store of no project. The other project was written to last.
fn start_in(folder: &str) -> Desk {
    let home = crate::folder::new();
    for (path, days) in [
        ("shop/.serena/project.yml", 0),
        ("shop/.serena/memories/till.md", 9),
        ("shop/memory-bank/projectbrief.md", 8),
        ("shop/memory-bank/progress.md", 7),
        ("web/.serena/project.yml", 0),
        ("web/.serena/memories/pages.md", 2),
        (".hermes/memories/MEMORY.md", 1),
    ] {
        let path = home.path().join(path);
        crate::disk::write_new(&path, b"project_name: one of two\n").unwrap();
        crate::disk::set_modified(&path, now().plus(-days * crate::model::time::DAY)).unwrap();
    }
    let start = home.path().join(folder);
    let places = look_at(home.path(), None).found.unwrap();
    let options = TuiOptions { start: Some(start), home: Some(home.path().to_owned()), ..options(places) };
    let app = App::new(&options, (120, 36), now());
    let mut desk = Desk { _folder: home, app, kept: WorkerState::default(), later: 0, read: Vec::new() };
    let reload = update::load_now(&desk.app);
    desk.settle(vec![reload]);
    desk
}

fn files(desk: &Desk) -> Vec<String> {
    let file = |at| {
        let (store, entry) = desk.app.listed_snapshot.get(at);
        store.document(entry).path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    desk.app.results.hits.iter().map(|hit| file(hit.at)).collect()
}

#[test]
fn started_in_a_project_its_memories_and_stores_come_first_and_the_bar_says_so() {
    for folder in ["shop", "shop/src/pages"] {
        let mut desk = start_in(folder);
        assert_eq!(files(&desk), ["progress.md", "projectbrief.md", "till.md", "MEMORY.md", "pages.md"]);
        let screen = desk.screen();
        assert!(screen.contains("palimp  shop · 4 stores"), "{screen}");
        assert!(screen.contains("shop first, newest first"), "{screen}");
        let first = desk.app.tree[1].store.unwrap();
        assert!(desk.app.snapshot.stores[first].root.starts_with(desk._folder.path().join("shop")));
        // Another order, and a search, are for all alike.
        desk.enter("/sort:time");
        assert_eq!(files(&desk)[0], "MEMORY.md");
        assert!(!desk.screen().contains("shop first"), "{}", desk.screen());
        desk.enter("/since:-30d");
        assert_eq!(files(&desk)[0], "progress.md");
    }
}

#[test]
fn one_key_shows_this_project_alone_and_all_again_and_the_bar_says_which() {
    let mut desk = start_in("shop/src");
    desk.type_keys("P");
    assert_eq!(files(&desk), ["progress.md", "projectbrief.md", "till.md"]);
    let screen = desk.screen();
    assert!(screen.contains("/project:shop ") && screen.contains("3 of 5"), "{screen}");
    assert!(screen.contains("P all projects") && !screen.contains("shop first"), "{screen}");
    desk.type_keys("P");
    assert_eq!((desk.app.query.as_str(), desk.app.results.hits.len()), ("", 5));
    // In the stores it is the project of the store under the cursor.
    desk.type_keys("1");
    let web = |desk: &Desk| {
        let row = desk.app.tree[desk.app.tree_cursor.at].store;
        row.is_some_and(|store| desk.app.snapshot.stores[store].root.ends_with("web/.serena/memories"))
    };
    while !web(&desk) {
        desk.type_keys("j");
    }
    desk.type_keys("P");
    assert_eq!((files(&desk), desk.app.query.as_str()), (vec!["pages.md".to_owned()], "project:web"));
}

#[test]
fn outside_of_every_project_the_newest_come_first_and_at_home_it_is_said_what_is_found_there() {
    for (folder, bar) in [("", "4 stores of home and of known projects"), ("shopping", "4 stores ")] {
        let desk = start_in(folder);
        assert_eq!(files(&desk)[0], "MEMORY.md", "{folder}");
        let screen = desk.screen();
        assert!(screen.contains(&format!("palimp  {bar}")) && !screen.contains("shop first"), "{screen}");
    }
    let home = Some(Path::new("/home/mia").to_owned());
    let app = App::new(&TuiOptions { start: home.clone(), home, ..options(Vec::new()) }, (80, 24), now());
    assert!(view::plain(&buffer(&app)).contains("Folders below home are not searched."));
}
