//! What was typed, as a request.

use crate::detectors::Kind;
use crate::model::PathText;
use crate::tui::state::clean_up::{CleanUp, CleanUpField};
use crate::usecase::clean_up::{CleanUpRequest, CleanUpRule};
use crate::usecase::value_holders::SHORTEST_VALUE;

/// Returns the request, or why what was typed can't be one.
pub fn request(own: &CleanUp) -> Result<CleanUpRequest, String> {
    let text = |field| Some(own.typed(field)).filter(|own| !own.is_empty());
    let (topic, query) = match text(CleanUpField::Topic) {
        Some(typed) if is_query(&typed) => (None, Some(typed)),
        typed => (typed, None),
    };
    let (names, list) = match text(CleanUpField::Names) {
        Some(typed) if typed.starts_with(['/', '~', '.']) => (Some(whole_path(own, &typed)?), None),
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
    let rule = match text(CleanUpField::Rule) {
        Some(name) if is_by_name(own) => saved(own, &name)?.narrowed(&rule),
        _ if rule.is_empty() && values.is_empty() && list.is_none() => {
            return Err("Type what is to be forgotten: one field is enough.".into());
        }
        _ => rule,
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

/// True if only the name of a rule is typed, or times beside it: the saved rule is run.
fn is_by_name(own: &CleanUp) -> bool {
    let is_of_run = |field: &CleanUpField| {
        matches!(field, CleanUpField::Since | CleanUpField::Until | CleanUpField::Rule)
    };
    !own.typed(CleanUpField::Rule).is_empty()
        && CleanUpField::ALL.iter().all(|field| is_of_run(field) || own.typed(*field).is_empty())
}

/// Returns the path of a list as any program reads it: a rule is run by the verb, too.
fn whole_path(own: &CleanUp, typed: &str) -> Result<String, String> {
    let at_home = typed.strip_prefix("~/").zip(own.home.as_deref());
    let path = at_home.map_or_else(|| typed.into(), |(rest, home)| home.join(rest));
    let whole = std::path::absolute(&path).map_err(|error| format!("{typed}: {error}."))?;
    Ok(whole.to_text().into_owned())
}

/// Returns the rule to save with its name, if a name was typed for it.
pub fn new_rule(own: &CleanUp, request: &CleanUpRequest) -> Result<Option<(String, CleanUpRule)>, String> {
    let name = own.typed(CleanUpField::Rule);
    if name.is_empty() || is_by_name(own) {
        return Ok(None);
    }
    let mut rules = match &own.rules {
        Some(Ok(rules)) => rules.clone(),
        Some(Err(why)) => return Err(why.clone()),
        None => return Err("The saved rules are still being read.".into()),
    };
    if request.names.is_some() || !request.values.is_empty() {
        return Err(
            "A rule keeps no value and no typed names. Leave the rule empty, or give the path of a list."
                .into(),
        );
    }
    rules.add(&name, request.rule.clone())?;
    Ok(Some((name, request.rule.clone())))
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
