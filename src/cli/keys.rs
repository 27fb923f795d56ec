//! `palimp keys`: lists every key of the screens, what it does, and the verbs that do the same.

use super::{Context, Exit, Result, config};
use crate::tui::action::ACTIONS;

pub fn run(context: &mut Context) -> Result {
    config::read(None)?;
    let mut heading = "";
    for known in ACTIONS {
        let verbs = known.action.verbs();
        let row = serde_json::json!({
            "heading": known.heading, "action": known.name, "keys": known.action.keys(), "about": known.about,
            "verbs": verbs,
        });
        if known.heading != heading && !context.options.json {
            context.out.line(&format!("{}:", known.heading))?;
        }
        heading = known.heading;
        let verbs = if verbs.is_empty() { String::new() } else { format!("  [{}]", verbs.join(", ")) };
        let keys = known.action.keys().join("  ");
        context.row(&row, || format!("  {keys:16} {:18} {}{verbs}", known.name, known.about))?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Args;

    #[test]
    fn the_palette_finds_every_verb_by_its_name() {
        let words: Vec<String> =
            ACTIONS.iter().map(|known| known.name.to_owned() + " " + &known.action.words()).collect();
        let command = Args::command();
        for verb in command.get_subcommands().filter(|own| !own.is_hide_set()).map(clap::Command::get_name) {
            let is_found = words.iter().any(|words| words.split_whitespace().any(|word| word == verb));
            assert!(is_found, "{verb}");
        }
    }

    #[test]
    fn every_verb_that_an_action_names_is_one() {
        let command = Args::command();
        for known in ACTIONS {
            for verb in known.action.verbs() {
                assert!(command.find_subcommand(verb).is_some(), "{}: {verb} is no verb", known.name);
            }
        }
    }
}
