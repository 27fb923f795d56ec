//! `palimp man`: the manual page, made from the command line's own description.

use super::failure::{Exit, Result};
use super::{Context, help};

/// Prints the manual page as roff.
pub fn run(context: &mut Context) -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(help::command()).render(&mut page)?;
    context.out.own(&page)?;
    Ok(Exit::Done)
}
