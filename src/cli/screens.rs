//! No verb: the screens, or off a terminal the first of them as plain text.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::demo::Temporary;
use super::failure::{Exit, Failure, Result, say};
use super::{Context, open};
use crate::model::{Moment, Tell};
use crate::tui::{self, Demo, Ended, Options};

/// The size of the screen that is printed off a terminal.
const PLAIN: (u16, u16) = (120, 36);

/// Demos that were opened from the first screen, kept until the end.
static DEMOS: Mutex<Vec<Temporary>> = Mutex::new(Vec::new());

/// Opens the screens on what was named, found, or made up.
pub fn run(context: &mut Context, paths: Vec<PathBuf>, demo: bool) -> Result {
    let ended = show(context, &paths, demo);
    if let Ok(mut demos) = DEMOS.lock() {
        demos.clear();
    }
    ended
}

fn show(context: &mut Context, paths: &[PathBuf], demo: bool) -> Result {
    let options = options(context, paths, demo)?;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        say("the screens need a terminal; this is the first of them as plain text");
        let (frame, snapshot) = tui::frame(&options, PLAIN.0, PLAIN.1)?;
        snapshot.stores.iter().for_each(|store| context.unread.store(store));
        context.out.own(tui::plain(&frame).as_bytes())?;
        return Ok(Exit::Done);
    }
    match tui::run(&options) {
        Ok(Ended::ByUser) => Ok(Exit::Done),
        Ok(Ended::BySignal(number)) => Ok(Exit::Signal(u8::try_from(number).unwrap_or_default())),
        Err(error) => Err(Failure::new(
            Exit::Failed,
            format!("the terminal can't be used: {error}. No store was touched."),
        )),
    }
}

fn options(context: &Context, paths: &[PathBuf], demo: bool) -> Result<Options> {
    let (places, looked, data) = if demo {
        let demo = new_demo(context.now)?;
        (demo.places, Vec::new(), Some(demo.data))
    } else {
        let looked = open::places(context, paths);
        if let Some(word) = paths.iter().find(|path| is_no_path(path, &looked)) {
            let message = format!("{} is neither a verb nor a file or folder here.", word.told());
            return Err(Failure::new(Exit::Usage, message));
        }
        let places = open::found(&looked);
        let named = !paths.is_empty() || !context.options.stores.is_empty();
        if named && places.is_empty() {
            return Err(open::none_found(&looked, true));
        }
        (places, looked, open::data_folder(context).ok())
    };
    let no_color =
        context.options.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ranking = context.options.ranking(places.iter().map(|place| place.format));
    let demo = |now| new_demo(now).map_err(|failure| failure.message());
    let readonly = context.options.readonly || context.options.dry_run;
    Ok(Options { places, looked, now: context.options.now, ranking, no_color, data, readonly, demo })
}

/// Whether a word that was taken for a path is none: a verb that is misspelt, most likely.
fn is_no_path(path: &Path, looked: &[crate::store::Looked]) -> bool {
    let is_word = path.components().count() == 1 && !path.told().contains(['/', '.']);
    is_word && looked.iter().any(|look| look.path == path && look.refused)
}

fn new_demo(now: Moment) -> Result<Demo> {
    let (temporary, places) = Temporary::write(now)?;
    let demo = Demo { places, data: temporary.data() };
    if let Ok(mut demos) = DEMOS.lock() {
        demos.push(temporary);
    }
    Ok(demo)
}
