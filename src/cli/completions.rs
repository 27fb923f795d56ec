//! `palimp completions SHELL`.

use clap::CommandFactory;

use super::failure::{Exit, Failure};
use super::{Args, Context};

/// Prints the completions of a shell.
pub fn run(context: &mut Context, shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "palimp", &mut script);
    context.out.own(&script)?;
    Ok(Exit::Done)
}
