//! Opens the screens if there is no verb. Without a terminal, prints the first screen as plain text.

use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::args::ScreenOptions;
use super::config::{self, ScreenSettings};
use super::demo::TemporaryDemo;
use super::{Context, Exit, Failure, Result, load_stores, say};
use crate::model::time::HOUR;
use crate::model::{Moment, PathText};
use crate::tui::tui_options::{TuiOptions, WrittenDemo};
use crate::tui::{self, ColourPalette, ExitReason};
use crate::usecase::Visits;

/// The size of the screen that is printed without a terminal.
const PLAIN: (u16, u16) = (120, 36);

/// Demos that were opened from the first screen, kept until the end.
static DEMOS: Mutex<Vec<TemporaryDemo>> = Mutex::new(Vec::new());

/// Opens the screens on the named stores, on those that are found, or on the demo.
pub fn run(context: &mut Context, paths: Vec<PathBuf>, demo: bool, looks: ScreenOptions) -> Result {
    let mut config = config::read(looks.config.as_deref())?;
    config.theme = looks.theme.unwrap_or(config.theme);
    config.ascii |= looks.ascii;
    config.no_mouse |= looks.no_mouse;
    config.linear |= looks.linear;
    if looks.print_config {
        context.out.own(config::print(&config).as_bytes())?;
        return Ok(Exit::Done);
    }
    config.linear |= std::env::var_os("TERM").is_some_and(|own| own == "dumb");
    let ended = show(context, &paths, demo, &config);
    if let Ok(mut demos) = DEMOS.lock() {
        demos.clear();
    }
    ended
}

fn show(context: &mut Context, paths: &[PathBuf], demo: bool, config: &ScreenSettings) -> Result {
    let options = options(context, paths, demo, config)?;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        say("the screens need a terminal. This is the first screen as plain text");
        let (frame, snapshot) = tui::frame(&options, PLAIN.0, PLAIN.1);
        snapshot.stores.iter().for_each(|store| context.unread.store(store));
        context.out.own(tui::plain(&frame).as_bytes())?;
        return Ok(Exit::Done);
    }
    left(tui::run(&options))
}

/// Only an error at the start means that nothing was changed.
fn left(outcome: io::Result<ExitReason>) -> Result {
    match outcome {
        Ok(ExitReason::ByUser) => Ok(Exit::Done),
        Ok(ExitReason::BySignal(number)) => Ok(Exit::Signal(u8::try_from(number).unwrap_or_default())),
        Ok(ExitReason::ByError(error)) => Err(Failure::failed(format!(
            "the terminal can't be used any more: {error}. `palimp journal` lists what was changed."
        ))),
        Err(error) => {
            let what = match error.kind() {
                // With these errors, the system gives no thread.
                ErrorKind::WouldBlock | ErrorKind::OutOfMemory => {
                    "memory or threads are short (`ulimit -v`, `ulimit -u`)"
                }
                _ => "the terminal can't be used",
            };
            Err(Failure::failed(format!("{what}: {error}. No store was touched.")))
        }
    }
}

fn options(context: &Context, paths: &[PathBuf], demo: bool, config: &ScreenSettings) -> Result<TuiOptions> {
    let mut demo_folder = None;
    let visits;
    let (places, looked, data) = if demo {
        let demo = new_demo(context.now)?;
        say(&format!("the demo is in {}, and is removed when palimp ends", demo.folder.to_text()));
        demo_folder = Some(demo.folder);
        visits = demo.visits;
        (demo.places, Vec::new(), Some(demo.data))
    } else {
        let looked = load_stores::places(context, paths);
        if let Some(word) = paths.iter().find(|path| is_no_path(path, &looked)) {
            let message = format!("{} is neither a verb nor a file or folder here.", word.to_text());
            return Err(Failure::usage(message));
        }
        let places = load_stores::found(&looked);
        let named = !paths.is_empty() || !context.options.stores.is_empty();
        if named && places.is_empty() {
            return Err(load_stores::none_found(&looked, true));
        }
        let data = load_stores::data_folder(context).ok();
        visits = data.as_deref().map(Visits::kept_in).unwrap_or_default();
        (places, looked, data)
    };
    let no_color =
        context.options.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let palette = if no_color { ColourPalette::None } else { config.theme };
    let (ascii, mouse) = (config.ascii, !config.no_mouse);
    let ranking = context.options.ranking(places.iter().map(|place| place.format));
    let demo = |now| new_demo(now).map_err(|failure| failure.message());
    let readonly = context.options.readonly || context.options.dry_run;
    let now = context.options.now;
    Ok(TuiOptions {
        places,
        searched_places: looked,
        now,
        ranking,
        palette,
        ascii,
        linear: config.linear,
        mouse: mouse && !config.linear,
        data,
        home: load_stores::home(),
        start: (paths.is_empty() && context.options.stores.is_empty()).then(load_stores::here),
        visits,
        reduced_motion: config.reduced_motion,
        demo_folder,
        readonly,
        demo,
    })
}

/// True if a word that was taken for a path is none. It is probably a misspelt verb.
fn is_no_path(path: &Path, looked: &[crate::store::DiscoveryResult]) -> bool {
    let is_word = path.components().count() == 1 && !path.to_text().contains(['/', '.']);
    is_word && looked.iter().any(|look| look.path == path && look.refused)
}

fn new_demo(now: Moment) -> Result<WrittenDemo> {
    let (temporary, places) = TemporaryDemo::write(now)?;
    // The agents of the demo were at work an hour ago. What was before that is known.
    let mut visits = Visits::default();
    visits.see(places.iter().map(|place| &place.root), now.plus(-HOUR), false);
    let folder = temporary.folder.clone();
    let demo = WrittenDemo { folder, visits, places, data: temporary.data() };
    if let Ok(mut demos) = DEMOS.lock() {
        demos.push(temporary);
    }
    Ok(demo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_no_store_was_touched_is_said_of_a_failed_start_alone() {
        let error = || io::Error::from(ErrorKind::WouldBlock);
        let said = |outcome| left(outcome).err().map(|failure| failure.message()).unwrap_or_default();
        assert!(said(Err(error())).ends_with("No store was touched."), "{}", said(Err(error())));
        let later = said(Ok(ExitReason::ByError(error())));
        assert!(later.contains("`palimp journal`") && !later.contains("touched"), "{later}");
    }
}
