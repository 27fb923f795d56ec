//! What was typed, as a request.

use crate::detectors::Kind;
use crate::tui::state::clean_up::{CleanUp, CleanUpField};
use crate::usecase::clean_up::{CleanUpRequest, CleanUpRule, SavedRules};
use crate::usecase::value_holders::SHORTEST_VALUE;

/// Returns the request, or why what was typed can't be one.
pub fn request(own: &CleanUp) -> Result<CleanUpRequest, String> {
    let text = |field| Some(own.typed(field)).filter(|own| !own.is_empty());
    let (topic, query) = match text(CleanUpField::Topic) {
        Some(typed) if is_query(&typed) => (None, Some(typed)),
        typed => (typed, None),
    };
    let (names, list) = match text(CleanUpField::Names) {
        Some(typed) if typed.starts_with(['/', '~', '.']) => (Some(typed), None),
        Some(typed) => (None, Some(typed.split(',').map(str::trim).collect::<Vec<_>>().join("\n"))),
        None => (None, None),
    };
    let rule = CleanUpRule {
        topic,
        query,
        kinds: kinds(&text(CleanUpField::Kind).unwrap_or_default())?,
        names,
        since: text(CleanUpField::Since),
        until: text(CleanUpField::Until),
        near_copies: false,
        pinned: false,
    };
    let values: Vec<String> = text(CleanUpField::Value).into_iter().collect();
    if let Some(len) = values.iter().map(String::len).find(|len| *len < SHORTEST_VALUE) {
        return Err(format!(
            "The value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance."
        ));
    }
    let is_named = !rule.is_empty() || !values.is_empty() || list.is_some();
    let rule = match (text(CleanUpField::Rule), is_named) {
        (Some(name), false) => saved(own, &name)?,
        (None, false) => return Err("Type what is to be forgotten: one field is enough.".into()),
        (_, true) => rule,
    };
    Ok(CleanUpRequest {
        rule,
        values,
        names: list,
        except: own.except.clone(),
        with: own.with.clone(),
        action: own.action,
    })
}

/// Returns the saved rules with a new one, if a name was typed for it.
pub fn with_new_rule(own: &CleanUp, request: &CleanUpRequest) -> Result<Option<SavedRules>, String> {
    let name = own.typed(CleanUpField::Rule);
    let mut rules = match &own.rules {
        Some(Ok(rules)) => rules.clone(),
        Some(Err(why)) => return Err(why.clone()),
        None => return Err("The saved rules are still being read.".into()),
    };
    if name.is_empty() || rules.get(&name) == Some(&request.rule) {
        return Ok(None);
    }
    if request.names.is_some() || !request.values.is_empty() {
        return Err(
            "A rule keeps no value and no typed names. Leave the rule empty, or give the path of a list."
                .into(),
        );
    }
    rules.add(&name, request.rule.clone())?;
    Ok(Some(rules))
}

fn saved(own: &CleanUp, name: &str) -> Result<CleanUpRule, String> {
    match &own.rules {
        Some(Ok(rules)) => rules
            .get(name)
            .cloned()
            .ok_or_else(|| format!("There is no rule {name}: type what it is to forget.")),
        Some(Err(why)) => Err(why.clone()),
        None => Err("The saved rules are still being read.".into()),
    }
}

/// True if a topic is written in the query language.
fn is_query(typed: &str) -> bool {
    typed.contains([':', '"', '(', '*', '~'])
        || typed.contains(" OR ")
        || typed.starts_with('-')
        || typed.contains(" -")
}

fn kinds(typed: &str) -> Result<Vec<String>, String> {
    let words = typed.split([',', ' ']).filter(|word| !word.is_empty());
    let known = |word: &str| {
        let names = Kind::ALL.map(Kind::as_str);
        Kind::of(word)
            .map(|own| own.as_str().to_owned())
            .ok_or_else(|| format!("{word} is no kind. Kinds are {}.", names.join(", ")))
    };
    words.map(known).collect()
}
