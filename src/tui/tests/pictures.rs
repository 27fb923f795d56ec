//! The pictures in `screenshots/` are what palimp draws. `PALIMP_DRAW=1 cargo test --lib pictures` draws them
//! again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossterm::event::KeyCode;

use super::changes::on;
use super::editor::typed_on_both_sides;
use super::every_view::go;
use super::go_back::{lost_nine, open_older};
use super::loaded::till;
use super::svg::picture;
use super::{Desk, buffer};
use crate::model::Snapshot;

const SIZE: (u16, u16) = (120, 36);
/// The keys to marked memories, of which the list shows some.
const MARKED: &str = "/session:checkout_rework⏎*/type:decision⏎j";

/// Returns the demo after these keys.
fn after(keys: &[&str]) -> Desk {
    let mut desk = Desk::new(SIZE.0, SIZE.1);
    keys.iter().for_each(|keys| go(&mut desk, keys));
    desk
}

fn edit() -> Desk {
    let mut desk = on("id:mem_no_retries", SIZE.0, SIZE.1);
    desk.type_keys("e");
    while desk.app.editor.as_ref().unwrap().own().name != "importance" {
        desk.press(KeyCode::Tab);
    }
    desk.press(KeyCode::End);
    desk.type_keys("1");
    desk.press(KeyCode::Home);
    desk.type_keys("1");
    desk
}

fn conflict() -> Desk {
    let mut desk = typed_on_both_sides(SIZE.0, SIZE.1);
    desk.press(KeyCode::F(2));
    desk
}

fn restore() -> Desk {
    let (mut desk, _) = lost_nine(SIZE.0, SIZE.1);
    open_older(&mut desk);
    desk
}

/// Removes the folder of the demo from the stores' paths, because it has another name in every run.
fn without_folder(desk: &mut Desk) {
    let folder = desk._folder.path().to_owned();
    let short = |root: &Path| -> PathBuf { root.strip_prefix(&folder).unwrap_or(root).to_owned() };
    let rename = |snapshot: &mut Arc<Snapshot>| {
        for store in &mut Arc::make_mut(snapshot).stores {
            Arc::make_mut(store).root = short(&store.root);
        }
    };
    rename(&mut desk.app.snapshot);
    rename(&mut desk.app.listed_snapshot);
    desk.app.list_view.read_snapshot.iter_mut().for_each(rename);
    if let Some(confirm) = &mut desk.app.confirm {
        let plans = confirm.planned.plans.iter_mut();
        plans.for_each(|own| own.plan.root = short(&own.plan.root));
        confirm.lay(1, 7);
        confirm.lay(94, 7);
    }
}

fn drawn(mut desk: Desk) -> String {
    without_folder(&mut desk);
    picture(&buffer(&desk.app))
}

type Scene = fn() -> Desk;

#[test]
fn the_pictures_are_what_the_program_draws() {
    let scenes: [(&str, Scene); 12] = [
        ("clean-up", || after(&["gcpayments⏎⏎"])),
        ("main", || after(&["/pool OR oauth⏎jj"])),
        ("marks", || after(&[MARKED])),
        ("plan", || after(&[MARKED, "t+reviewed⏎"])),
        ("edit", edit),
        ("conflict", conflict),
        ("backups", restore),
        ("archive", || after(&["gaj"])),
        ("upkeep", || after(&["gmG "])),
        ("journal", || after(&[MARKED, "t+reviewed⏎y⎋ip⎋dxu", "guj⏎"])),
        ("problems", || after(&["gp"])),
        ("loaded", || {
            let mut desk = till(SIZE.0, SIZE.1);
            desk.type_keys("gl");
            desk
        }),
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/screenshots");
    let is_drawn = std::env::var_os("PALIMP_DRAW").is_some();
    // Other tests look at most of these views, too.
    for (name, context) in scenes.into_iter().step_by(if is_drawn { 1 } else { crate::tries::count(3, 1) }) {
        let drawn = drawn(context());
        let file = format!("{folder}/{name}.svg");
        let is_named = ["/tmp", "/dev/shm", "palimp-test"].iter().any(|own| drawn.contains(own));
        assert!(!is_named, "{name} names the folder");
        if is_drawn {
            std::fs::write(&file, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == drawn,
            "{file} is of another program: draw it again with PALIMP_DRAW=1 cargo test --lib"
        );
    }
}
