//! `palimp completions SHELL`.

use super::failure::{Exit, Result};
use super::{Context, help};

/// Prints the completions of a shell.
pub fn run(context: &mut Context, shell: clap_complete::Shell) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "palimp", &mut script);
    context.out.own(&script)?;
    Ok(Exit::Done)
}
