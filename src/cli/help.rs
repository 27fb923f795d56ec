//! The help: each verb's has the options that it obeys, and examples.

use clap::{Command, CommandFactory};

use super::args::Args;

/// The command line, with its help.
pub fn command() -> Command {
    let command =
        Args::command().override_usage("palimp [OPTIONS] [PATH]...\n       palimp VERB [OPTIONS] ...");
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.into_iter().fold(command, |command, name| {
        let globals: Vec<clap::Arg> =
            command.get_arguments().filter(|own| own.is_global_set()).cloned().collect();
        command.mut_subcommand(&name, |verb| {
            let verb = with_own_options(verb, &name, &globals);
            let verb = match usage(&name) {
                Some(usage) => verb.override_usage(usage),
                None => verb,
            };
            match examples(&name) {
                "" => verb,
                examples => verb.after_help(format!("Examples:\n{examples}")),
            }
        })
    })
}

/// Hides the options that a verb doesn't obey, its own verbs (`backup list`) included.
fn with_own_options(verb: Command, name: &str, globals: &[clap::Arg]) -> Command {
    let parts: Vec<String> = verb.get_subcommands().map(|part| part.get_name().to_owned()).collect();
    let verb = parts.into_iter().fold(verb, |verb, part| {
        let whole = format!("{name} {part}");
        verb.mut_subcommand(part, |part| with_own_options(part, &whole, globals))
    });
    globals.iter().fold(verb, |verb, own| match (name, own.get_id().as_str()) {
        (name, option) if !obeys(name, option) => verb.arg(own.clone().hide(true)),
        ("check", "all") => verb.arg(own.clone().help("Each problem on a line of its own")),
        _ => verb,
    })
}

/// Whether an option of every verb does something with that one.
fn obeys(verb: &str, option: &str) -> bool {
    let first = verb.split(' ').next().unwrap_or(verb);
    let is_one_of = |verbs: &[&str]| verbs.contains(&verb) || verbs.contains(&first);
    match option {
        "ranking" => is_one_of(&["list", "search", "export"]),
        "all" => is_one_of(&["list", "search", "export", "check"]),
        "dry_run" | "yes" => !is_one_of(&[
            "stores",
            "list",
            "search",
            "show",
            "check",
            "backup list",
            "backup diff",
            "session list",
            "session export",
            "stats",
            "journal",
            "export",
            "demo",
            "completions",
            "man",
            "keys",
        ]),
        "json" => !is_one_of(&["export", "demo", "completions", "man"]),
        "readonly" | "data_dir" | "no_color" => !is_one_of(&["demo", "completions", "man", "keys"]),
        "stores" | "as" => !is_one_of(&["init", "demo", "completions", "man", "keys"]),
        "now" => !is_one_of(&["completions", "man", "keys"]),
        _ => true,
    }
}

/// How verbs with paths are written: those are sorted out before the rest is parsed.
fn usage(verb: &str) -> Option<String> {
    let words = match verb {
        "stores" | "check" | "stats" | "journal" | "compact" | "reindex" | "maintain" | "migrate"
        | "redo" => "[OPTIONS] [PATH]...",
        "repair" => "[OPTIONS] --all-safe [PATH]...",
        "undo" => "[OPTIONS] [STEP] [PATH]...",
        "list" => "[OPTIONS] [PATH]... [QUERY]...",
        "search" => "[OPTIONS] [PATH]... QUERY...",
        "export" => "[OPTIONS] --format SHAPE [PATH]... [QUERY]...",
        "backup" | "session" => "[OPTIONS] VERB ... [PATH]...",
        _ => return None,
    };
    Some(format!("palimp {verb} {words}"))
}

fn examples(verb: &str) -> &'static str {
    match verb {
        "stores" => "  palimp stores ~/work",
        "list" => "  palimp list\n  palimp list ./memory tag:auth -tag:old --limit 20",
        "search" => "  palimp search rotate keys\n  palimp search ./memory \"rotate keys\" since:-30d",
        "show" => "  palimp show mem_20260101_001",
        "check" => "  palimp check\n  palimp check .chora/memory --json",
        "add" => "  palimp add --session s1 --type decision --text \"Use PostgreSQL\" --tag database",
        "edit" => "  palimp edit mem_1 --set importance=0.9\n  palimp edit mem_1 --editor",
        "tag" => "  palimp tag mem_1 +auth -old\n  palimp tag --query topic:login +auth",
        "delete" => {
            "  palimp delete mem_1 mem_2\n  palimp delete --query 'tag:draft until:2025-12-31' --dry-run"
        }
        "erase" => "  palimp erase mem_1\n  palimp erase --query tag:secret",
        "undelete" => "  palimp undelete mem_1",
        "archive" => "  palimp archive --query 'until:2025-06-30'",
        "unarchive" => "  palimp unarchive mem_1",
        "session" => "  palimp session list ./memory\n  palimp session export s1 --format markdown",
        "init" => "  palimp init bmad .bmad/memory",
        "repair" => "  palimp repair --all-safe --dry-run ./memory",
        "backup" => "  palimp backup list\n  palimp backup diff BACKUP\n  palimp backup restore BACKUP mem_1",
        "compact" => "  palimp compact --session s1 --dry-run",
        "reindex" => "  palimp reindex ./memory",
        "maintain" => "  palimp maintain --yes ./memory",
        "migrate" => "  palimp migrate ~/.claude/agents/memories",
        "stats" => "  palimp stats --json",
        "journal" => "  palimp journal ./memory",
        "undo" => "  palimp undo\n  palimp undo 12 ./memory",
        "redo" => "  palimp redo",
        "export" => "  palimp export tag:auth --format markdown",
        "demo" => "  palimp demo /tmp/demo --seed 2",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Verb;
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
        assert!(check.contains("Each problem on a line of its own"), "{check}");
        assert!(help_of("delete").contains("--dry-run") && !help_of("man").contains("--store"));
        let whole = command().render_help().to_string();
        assert!(!whole.contains("[PATHS]... [COMMAND]") && whole.contains("palimp VERB"), "{whole}");
    }

    /// The words of an example, as a shell takes them.
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
            for example in examples(verb.get_name()).lines() {
                let words = words_of(example);
                let args = Args::read(words.iter().map(Into::into)).map_err(|error| error.to_string());
                let query = match args.unwrap().verb {
                    Some(Verb::List { query, .. } | Verb::Search { query, .. }) => query.join(" "),
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
            let name = verb.get_name();
            let is_told = !examples(name).is_empty() || ["completions", "man", "keys"].contains(&name);
            assert!(is_told || verb.get_after_help().is_some(), "{name}");
        }
    }
}
