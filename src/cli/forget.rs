//! `palimp forget`: the clean-up of a topic, a value, a person or a kind, everywhere, with proof.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::erase::{end_of, whole_snapshot};
use super::failure::{Exit, Failure, Result, say};
use super::load_stores;
use super::name_list::read_names;
use super::run_change::confirm_and_execute;
use super::surroundings_search::with_progress;
use super::triage;
use super::value_input::ValueOptions;
use crate::cli::context::Context;
use crate::detectors::mask;
use crate::disk::host::Host;
use crate::format::{store_names, title};
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText, ProviderKeys, Snapshot};
use crate::usecase::clean_up::{
    CleanUpError, CleanUpMatch, CleanUpPlan, CleanUpRequest, CleanUpRule, NearCopy, NearKind, SavedRules,
    plan_clean_up,
};
use crate::usecase::{PlannedChange, memory_count, name_of};

/// At most this many memories that stay are named in lines for people.
const NAMED: usize = 20;

/// What to forget.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ForgetOptions {
    /// Memories with all these words, or with this topic or tag.
    #[arg(long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Memories that a query finds.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Sensitive values of a kind, with the memories that hold them.
    #[arg(long, value_name = "KIND", value_parser = super::secrets::kind)]
    kind: Vec<String>,
    /// A file with names, addresses and handles, one on each line, with the memories that hold them.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Only memories since this time: a date, or `-30d`.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Only memories until this time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,
    /// Near-copies, too: they are only named otherwise.
    #[arg(long)]
    near_copies: bool,
    /// Pinned memories, too: they stay otherwise.
    #[arg(long)]
    pinned: bool,
    /// Save this as a rule; alone, run the rule.
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// List the saved rules.
    #[arg(long)]
    rules: bool,
    /// Remove a saved rule.
    #[arg(long, value_name = "NAME")]
    remove_rule: Option<String>,
}

impl ForgetOptions {
    fn rule(&self) -> Result<CleanUpRule> {
        let names = self.names.as_deref().map(|own| {
            let whole = std::path::absolute(own);
            whole.map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}.", own.to_text())))
        });
        Ok(CleanUpRule {
            topic: self.topic.clone(),
            query: self.query.clone(),
            kinds: self.kind.clone(),
            names: names.transpose()?.map(|own| own.to_text().into_owned()),
            since: self.since.clone(),
            until: self.until.clone(),
            near_copies: self.near_copies,
            pinned: self.pinned,
        })
    }
}

#[derive(Serialize)]
struct RuleRow<'a> {
    rule: &'a str,
    #[serde(flatten)]
    own: &'a CleanUpRule,
}

/// What a clean-up takes and leaves, before the plans.
#[derive(Serialize)]
struct ForgetRow<'a> {
    forget: ForgetFacts<'a>,
}

#[derive(Serialize)]
struct ForgetFacts<'a> {
    rule: Option<&'a str>,
    memories: usize,
    /// The keys of the memories that go.
    keys: Vec<String>,
    values: usize,
    values_left: usize,
    left_out: Vec<LeftRow<'a>>,
    near_copies: Vec<NearRow>,
    pinned: Vec<String>,
    rotate: &'a [ProviderKeys],
    at_work: &'a [String],
}

/// Memories that fit and can't be erased.
#[derive(Serialize)]
struct LeftRow<'a> {
    reason: &'a str,
    keys: Vec<String>,
}

#[derive(Serialize)]
struct NearRow {
    key: String,
    /// The similarity in percent; none if it holds a part of a value.
    percent: Option<u32>,
}

/// Forgets, saves a rule, or lists the rules.
pub fn run(context: &mut Context, options: &ForgetOptions, values: &ValueOptions) -> Result {
    if options.rules {
        return list_rules(context);
    }
    if let Some(name) = &options.remove_rule {
        return remove_rule(context, name);
    }
    let asked = options.rule()?;
    let is_saved_rule = asked.is_empty() && !values.is_given();
    let rule = match &options.rule {
        Some(name) if is_saved_rule => of_name(context, name, &asked)?,
        _ => asked,
    };
    if rule.is_empty() && !values.is_given() {
        let message = "say what to forget: --topic, --value-from -, --names, --kind, --query or --rule.";
        return Err(Failure::new(Exit::Usage, message));
    }
    let names = rule.names.as_deref().map(|own| read_names(Path::new(own))).transpose()?;
    let own = CleanUpRequest { rule, values: values.read()?, names, ..CleanUpRequest::default() };
    own.rule.parsed(context.now)?;
    if let Some(name) = options.rule.as_deref().filter(|_| !is_saved_rule) {
        save(context, name, &own)?;
    }
    let snapshot = whole_snapshot(context)?;
    let outcome = forget(context, snapshot, &own, options.rule.as_deref());
    end_of(context, outcome)
}

fn forget(context: &mut Context, snapshot: Snapshot, own: &CleanUpRequest, rule: Option<&str>) -> Result {
    // A copy may be in what was not read.
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    let (verdicts, data) = (triage::verdicts(context)?, load_stores::data_folder(context)?);
    let with = Arc::new(load_stores::with_deleted(context, &snapshot)?);
    let host = Host::here(&data, context.now);
    let mut planned = plan_clean_up(host, &with, own, (&verdicts, &Arc::default())).map_err(failure)?;
    if planned.planned.erasures.is_empty() {
        return Err(nothing(&planned));
    }
    with_progress(|progress| planned.search_surroundings(host, load_stores::home().as_deref(), progress));
    print_facts(context, &planned, rule)?;
    confirm_and_execute(context, planned.planned, None)
}

/// Says why nothing goes.
fn nothing(own: &CleanUpPlan) -> Failure {
    let left = own.planned.left_out();
    let why = match (left.is_empty(), own.found.pinned.len()) {
        (false, _) => left.join("; "),
        (true, 0) => "no memory fits, and no backup or undo data has it".to_owned(),
        (true, count) => format!("{} fit and are pinned: --pinned takes them", memory_count(count)),
    };
    Failure::new(Exit::Nothing, format!("{why}. Nothing was changed."))
}

/// Prints what it takes and leaves, before the plans.
fn print_facts(context: &mut Context, own: &CleanUpPlan, rule: Option<&str>) -> Result<()> {
    let CleanUpPlan { found, planned, at_work } = own;
    let snapshot = &planned.request.snapshot;
    if !context.options.json {
        let lines = lines(planned, found).into_iter().chain(at_work.iter().cloned());
        return Ok(lines.into_iter().try_for_each(|line| context.out.line(&line))?);
    }
    let key = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        store.key(entry)
    };
    let near = |own: &NearCopy| NearRow {
        key: key(&own.at),
        percent: match own.kind {
            NearKind::Text(percent) => Some(percent),
            NearKind::Part => None,
        },
    };
    let forget = ForgetFacts {
        rule,
        memories: planned.changing.len(),
        keys: planned.changing.iter().map(key).collect(),
        left_out: planned
            .skipped
            .iter()
            .map(|own| LeftRow { reason: &own.reason, keys: own.which.iter().map(key).collect() })
            .collect(),
        values: found.values.all().len(),
        values_left: found.values_left,
        near_copies: found.near_copies.iter().map(near).collect(),
        pinned: found.pinned.iter().map(key).collect(),
        rotate: &found.rotate,
        at_work,
    };
    context.out.json(&ForgetRow { forget }).map_err(Failure::from)
}

/// Says what a clean-up takes and leaves, one line for each memory that stays. Untrusted text.
fn lines(planned: &PlannedChange, found: &CleanUpMatch) -> Vec<String> {
    let snapshot = &planned.request.snapshot;
    let names = store_names(snapshot);
    let name = |at: EntryRef| {
        let (store, entry) = snapshot.get(at);
        format!("{} in {}", name_of(store, entry), names[at.store as usize])
    };
    let values = match found.values.all().len() {
        0 => String::new(),
        count => format!(", and {} wherever they are", count_with_noun(count as u64, "value")),
    };
    let goes = &planned.changing;
    let mut lines = vec![format!("forget {}{values}", memory_count(goes.len()))];
    let more = |count: usize| (count > NAMED).then(|| format!("  and {} more", count - NAMED));
    lines.extend(goes.iter().take(NAMED).map(|at| {
        let (store, entry) = snapshot.get(*at);
        let kind = store.view(entry).map_or("broken", |view| view.kind);
        format!("  {kind}  {}  {}", mask(&planned.shown_title(*at)), name(*at))
    }));
    lines.extend(more(goes.len()));
    if !found.near_copies.is_empty() {
        lines.push(format!("near-copies, which stay: {}; --near-copies takes them", found.near_copies.len()));
        lines.extend(found.near_copies.iter().take(NAMED).map(|own| {
            let (store, entry) = snapshot.get(own.at);
            // What holds a part of a value must not be quoted.
            let quoted = match own.kind {
                NearKind::Text(_) => format!("  {}", mask(&title(store, entry))),
                NearKind::Part => String::new(),
            };
            format!("  {}: {}{quoted}", name(own.at), own.told())
        }));
        lines.extend(more(found.near_copies.len()));
    }
    if !found.pinned.is_empty() {
        lines.push(format!("pinned, which stay: {}; --pinned takes them", memory_count(found.pinned.len())));
        lines.extend(found.pinned.iter().take(NAMED).map(|at| format!("  {}", name(*at))));
        lines.extend(more(found.pinned.len()));
    }
    if found.values_left > 0 {
        let values = count_with_noun(found.values_left as u64, "value");
        lines.push(format!("{values} stay where other memories hold them, or are too short to search for"));
    }
    lines
}

fn failure(error: CleanUpError) -> Failure {
    match error {
        CleanUpError::Query(error) => error.into(),
        CleanUpError::Saved(refused) => refused.into(),
        CleanUpError::Change(failed) => failed.into(),
        CleanUpError::Empty => Failure::new(Exit::Usage, error.told()),
        CleanUpError::Value(_) => {
            Failure::new(Exit::Refused, format!("{} Nothing was changed.", error.told()))
        }
        CleanUpError::Stopped => Failure::new(Exit::Refused, error.told()),
    }
}

fn saved(context: &Context) -> Result<(PathBuf, SavedRules)> {
    let data = load_stores::data_folder(context)?;
    let rules = SavedRules::kept_in(&data).map_err(|why| Failure::new(Exit::Failed, why))?;
    Ok((data, rules))
}

/// Returns the rule of a name. Options beside the name narrow or widen it for this run.
fn of_name(context: &Context, name: &str, asked: &CleanUpRule) -> Result<CleanUpRule> {
    let (_, rules) = saved(context)?;
    let Some(own) = rules.get(name) else {
        let known: Vec<&str> = rules.all().map(|(name, _)| name).collect();
        let known = if known.is_empty() {
            "none is saved".to_owned()
        } else {
            format!("saved: {}", known.join(", "))
        };
        return Err(Failure::new(
            Exit::Usage,
            format!("there is no rule {name}; {known}. Nothing was changed."),
        ));
    };
    Ok(CleanUpRule {
        since: asked.since.clone().or_else(|| own.since.clone()),
        until: asked.until.clone().or_else(|| own.until.clone()),
        near_copies: asked.near_copies || own.near_copies,
        pinned: asked.pinned || own.pinned,
        ..own.clone()
    })
}

fn save(context: &Context, name: &str, own: &CleanUpRequest) -> Result<()> {
    if !own.values.is_empty() {
        let message = "a rule is kept in a file, and a value must not be. Save a rule without --value-from. Nothing was changed.";
        return Err(Failure::new(Exit::Refused, message));
    }
    let (data, mut rules) = saved(context)?;
    rules
        .add(name, own.rule.clone())
        .map_err(|why| Failure::new(Exit::Refused, format!("{why} Nothing was changed.")))?;
    if context.options.dry_run || context.options.readonly {
        return Ok(());
    }
    rules.keep_in(&data).map_err(|why| Failure::new(Exit::Failed, why))?;
    say(&format!("rule {name} is saved: `palimp forget --rule {name}` runs it again"));
    Ok(())
}

fn list_rules(context: &mut Context) -> Result {
    let (_, rules) = saved(context)?;
    for (rule, own) in rules.all() {
        context.row(&RuleRow { rule, own }, || format!("{rule}: {}", own.told()))?;
    }
    if rules.all().next().is_none() {
        say("no rule is saved yet");
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Done)
}

fn remove_rule(context: &Context, name: &str) -> Result {
    let (data, mut rules) = saved(context)?;
    if !rules.remove(name) {
        return Err(Failure::new(Exit::Nothing, format!("there is no rule {name}. Nothing was changed.")));
    }
    if context.options.readonly || context.options.dry_run {
        return Err(Failure::new(Exit::Refused, "nothing was changed."));
    }
    rules.keep_in(&data).map_err(|why| Failure::new(Exit::Failed, why))?;
    say(&format!("rule {name} is removed"));
    Ok(Exit::Done)
}
