//! `palimp man`.

use clap::Command;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Result};

pub fn man(context: &mut Context, command: Command) -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    context.out.own(&page)?;
    Ok(Exit::Done)
}
