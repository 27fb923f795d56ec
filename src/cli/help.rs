//! The help of each verb, with the options that it obeys and examples; the manual page and the completions.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use super::command_line::Args;
use super::verbs::{known, obeys};
use super::{Context, Exit, Result};

fn command() -> Command {
    with_help_of(|_| true)
}

/// Returns the command line with the help of the verbs among its words. The help of all verbs takes
/// longer than the first screen.
pub fn command_of(words: &[OsString]) -> Command {
    with_help_of(|name| words.iter().any(|word| word == name))
}

pub fn print_manual(context: &mut Context) -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(command()).render(&mut page)?;
    context.out.own(&page)?;
    Ok(Exit::Done)
}

pub fn print_completions(context: &mut Context, shell: clap_complete::Shell) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "palimp", &mut script);
    context.out.own(&script)?;
    Ok(Exit::Done)
}

fn with_help_of(is_wanted: impl Fn(&str) -> bool) -> Command {
    let command =
        Args::command().override_usage("palimp [OPTIONS] [PATH]...\n       palimp VERB [OPTIONS] ...");
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.into_iter().filter(|name| is_wanted(name)).fold(command, |command, name| {
        let globals: Vec<clap::Arg> =
            command.get_arguments().filter(|own| own.is_global_set()).cloned().collect();
        command.mut_subcommand(&name, |verb| {
            let verb = with_own_options(verb, &name, &globals);
            let verb = match known(&name).and_then(|own| own.usage()) {
                Some(usage) => verb.override_usage(format!("palimp {name} {usage}")),
                None => verb,
            };
            with_examples(verb, &name)
        })
    })
}

/// Adds the examples of a verb, or of a verb inside it (`backup list`).
fn with_examples(verb: Command, name: &str) -> Command {
    let whole = name.split_once(' ').map_or(name, |(whole, _)| whole);
    let own = known(whole).map_or("", |own| own.examples).lines();
    let own = own.filter(|own| own.split(' ').take(2).collect::<Vec<_>>().join(" ") == name || whole == name);
    let examples: String = own.map(|own| format!("\n  palimp {own}")).collect();
    if examples.is_empty() { verb } else { verb.after_help(format!("Examples:{examples}")) }
}

/// Hides the options that a verb does not obey, also in its own verbs (`backup list`).
fn with_own_options(verb: Command, name: &str, globals: &[clap::Arg]) -> Command {
    let parts: Vec<String> = verb.get_subcommands().map(|part| part.get_name().to_owned()).collect();
    let verb = parts.into_iter().fold(verb, |verb, part| {
        let whole = format!("{name} {part}");
        verb.mut_subcommand(part, |part| with_examples(with_own_options(part, &whole, globals), &whole))
    });
    globals.iter().fold(verb, |verb, own| match (name, own.get_id().as_str()) {
        (name, option) if !obeys(name, option) => verb.arg(own.clone().hide(true)),
        ("check", "all") => verb.arg(own.clone().help("List each problem on a line of its own")),
        _ => verb,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::verbs::{VERBS, VerbArgs};
    use crate::query::Query;

    fn help_of(verb: &str) -> String {
        let mut command = command();
        command.build();
        command.find_subcommand_mut(verb).unwrap().render_help().to_string()
    }

    #[test]
    fn a_verb_s_help_has_the_options_that_it_obeys_and_an_example() {
        let check = help_of("check");
        assert!(check.contains("[PATH]...") && check.contains("palimp check .chora/memory"), "{check}");
        assert!(
            check.contains("--store") && !check.contains("--dry-run") && !check.contains("--ranking"),
            "{check}"
        );
        assert!(check.contains("List each problem on a line of its own"), "{check}");
        assert!(help_of("delete").contains("--dry-run") && !help_of("man").contains("--store"));
        let whole = command().render_help().to_string();
        assert!(!whole.contains("[PATHS]... [COMMAND]") && whole.contains("palimp VERB"), "{whole}");
    }

    /// Returns the words of an example, as a shell splits them.
    fn words_of(example: &str) -> Vec<String> {
        let quoted = example.split(['\'', '"']).enumerate();
        let words = quoted.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn every_example_is_understood() {
        let now = crate::model::Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        for verb in command().get_subcommands() {
            for example in known(verb.get_name()).map_or("", |own| own.examples).lines() {
                let words = words_of(&format!("palimp {example}"));
                let args = Args::read(words.iter().map(Into::into)).map_err(|error| error.to_string());
                let query = match args.unwrap().verb {
                    Some(VerbArgs::List { query, .. } | VerbArgs::Search { query, .. }) => query.join(" "),
                    _ => {
                        words.iter().skip_while(|word| *word != "--query").nth(1).cloned().unwrap_or_default()
                    }
                };
                assert!(Query::parse(&query, now).is_ok(), "{example}: {query}");
            }
        }
    }

    #[test]
    fn a_part_of_a_verb_that_writes_nothing_has_no_options_of_changes() {
        let mut command = command();
        command.build();
        for (verb, part, writes) in
            [("backup", "list", false), ("backup", "restore", true), ("session", "export", false)]
        {
            let verb = command.find_subcommand_mut(verb).unwrap();
            let help = verb.find_subcommand_mut(part).unwrap().render_help().to_string();
            assert_eq!(help.contains("--dry-run"), writes, "{part}: {help}");
        }
    }

    #[test]
    fn every_verb_that_is_shown_has_an_example() {
        for verb in command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let parts =
                verb.get_subcommands().map(|part| (format!("{} {}", verb.get_name(), part.get_name()), part));
            for (name, own) in parts.chain([(verb.get_name().to_owned(), verb)]) {
                assert!(own.get_after_help().is_some(), "{name}");
            }
        }
    }

    #[test]
    fn the_documentation_lists_every_verb_and_each_part_that_obeys_something_else_is_one() {
        let command = command();
        let docs = include_str!("../../docs/cli.md");
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let mut rows = docs.lines().filter(|line| line.starts_with("| "));
            assert!(rows.any(|row| row.contains(&format!("`{}", verb.get_name()))), "{}", verb.get_name());
            assert!(known(verb.get_name()).is_some(), "{}", verb.get_name());
        }
        for own in VERBS {
            let verb = command.get_subcommands().find(|verb| own.is_called(verb.get_name()));
            for (part, _) in own.parts {
                assert!(verb.is_some_and(|verb| verb.find_subcommand(part).is_some()), "{} {part}", own.name);
            }
        }
    }
}
