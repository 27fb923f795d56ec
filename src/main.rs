//! Arguments, panic hook, exit codes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use palimp::cli::{Args, Exit, run, wrong_usage};
use palimp::tui;

fn main() -> Exit {
    if let Err(error) = color_eyre::install() {
        eprintln!("palimp: reports of crashes will be plain: {error}");
    }
    tui::install_panic_hook();
    tui::prepare();
    Args::read(std::env::args_os()).map_or_else(wrong_usage, run)
}
