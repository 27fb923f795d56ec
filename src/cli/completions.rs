//! `palimp completions`.

use clap::Command;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Result};

pub fn completions(context: &mut Context, shell: clap_complete::Shell, mut command: Command) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "palimp", &mut script);
    context.out.own(&script)?;
    Ok(Exit::Done)
}
