//! `palimp forget`: the clean-up of a topic, a value, a person or a kind, everywhere, with proof.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::erase::{end_of, whole_snapshot};
use super::run_change::confirm_and_execute;
use super::surroundings_search::search_surroundings;
use super::value_input::ValueOptions;
use super::{Context, Exit, Failure, Result, load_stores, say, secrets};
use crate::disk::host::Host;
use crate::format::store_names;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, PathText, ProviderKeys, Snapshot, SurroundingFinding, path_from_text};
use crate::usecase::clean_up::{
    CleanUpError, CleanUpPlan, CleanUpRequest, CleanUpRule, NearCopy, NearKind, SavedRules, plan_clean_up,
};
use crate::usecase::{memory_count, not_reached_lines, read_name_list};

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
    #[arg(long, value_name = "KIND", value_parser = secrets::kind)]
    kind: Vec<String>,
    /// A file with names, addresses and handles, one on each line, with the memories that hold them.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Only memories since this time: a date, or `30d` for 30 days ago.
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
            whole.map_err(|error| Failure::usage(format!("{}: {error}.", own.to_text())))
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
            ..CleanUpRule::default()
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
    /// The places beside the stores that have it, if no plan follows that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<&'a [SurroundingFinding]>,
    /// What could not be searched there.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside_unread: Option<&'a [String]>,
}

#[derive(Serialize)]
struct ForgetFacts<'a> {
    rule: Option<&'a str>,
    memories: usize,
    /// The keys of the memories that go.
    keys: Vec<String>,
    /// Those that go as copies of these.
    copies: Vec<String>,
    /// Those that fit and stay with the value masked: their format keeps them.
    kept: Vec<String>,
    /// Deleted ones that can't be restored afterwards: their undo data has something that is erased.
    lost: Vec<&'a str>,
    /// Those that hold a value, and do not fit otherwise.
    holders: Vec<String>,
    values: usize,
    values_left: usize,
    left_out: Vec<LeftRow<'a>>,
    near_copies: Vec<NearRow>,
    pinned: Vec<String>,
    rotate: &'a [ProviderKeys],
    /// Which values stay, and which programs may be at work in these stores.
    notes: &'a [String],
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
    /// True if it is not of the time that is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outside_time: bool,
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
        return Err(Failure::usage(
            "say what to forget: --topic, --value-from -, --names, --kind, --query or --rule.",
        ));
    }
    let names = rule.names.as_deref().map(|own| read_name_list(Path::new(own)));
    let names = names.transpose().map_err(Failure::usage)?;
    let own = CleanUpRequest { rule, values: values.read()?, names, ..CleanUpRequest::default() };
    own.rule.parsed(context.now)?;
    if is_saved_rule && context.options.stores.is_empty() {
        context.options.stores = own.rule.stores.iter().map(|root| path_from_text(root)).collect();
    }
    let snapshot = whole_snapshot(context)?;
    if let Some(name) = options.rule.as_deref().filter(|_| !is_saved_rule) {
        save(context, name, &CleanUpRequest { rule: own.rule.of_stores(&snapshot), ..own.clone() })?;
    }
    let outcome = forget(context, snapshot, &own, options.rule.as_deref());
    end_of(context, outcome)
}

fn forget(context: &mut Context, snapshot: Snapshot, own: &CleanUpRequest, rule: Option<&str>) -> Result {
    // A copy may be in what was not read.
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    let (verdicts, data) = (secrets::verdicts(context)?, load_stores::data_folder(context)?);
    let with = Arc::new(load_stores::with_deleted(context, &snapshot)?);
    let host = Host::here(&data, context.now);
    let mut planned = plan_clean_up(host, &with, own, (&verdicts, &Arc::default())).map_err(failure)?;
    search_surroundings(context, &mut planned.planned, &planned.found.words);
    print_facts(context, &planned, rule)?;
    if planned.planned.erasures.is_empty() {
        let beside = not_reached_lines(&planned.planned.not_reached);
        if !context.options.json {
            beside.iter().try_for_each(|line| context.out.line(line))?;
        }
        let nothing = nothing(&planned);
        return match rule {
            // That there is nothing to do is how a rule usually ends.
            Some(_) => {
                say(&nothing.message());
                Ok(Exit::Done)
            }
            None => Err(nothing),
        };
    }
    confirm_and_execute(context, planned.planned, None)
}

/// Says why nothing goes.
fn nothing(own: &CleanUpPlan) -> Failure {
    let left = own.planned.left_out();
    let why = match (left.is_empty(), own.found.pinned.len(), own.found.holders.len()) {
        (false, _, _) => left.join("; "),
        (true, 0, 0) => "no memory fits, and no backup or undo data has it".to_owned(),
        (true, 0, 1) => "1 memory holds the value, and does not fit otherwise".to_owned(),
        (true, 0, holders) => format!("{holders} memories hold the value, and do not fit otherwise"),
        (true, pinned, _) => format!("{} fit and are pinned: --pinned takes them", memory_count(pinned)),
    };
    Failure::nothing(format!("{why}. Nothing was changed."))
}

/// Prints what it takes and leaves, before the plans.
fn print_facts(context: &mut Context, own: &CleanUpPlan, rule: Option<&str>) -> Result<()> {
    let CleanUpPlan { found, planned, copies, kept, .. } = own;
    let snapshot = &planned.request.snapshot;
    if !context.options.json {
        let lines = lines(own).into_iter().chain(planned.notes.iter().cloned());
        return Ok(lines.into_iter().try_for_each(|line| context.out.line(&line))?);
    }
    let key = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        store.key(entry)
    };
    let near = |own: &NearCopy| NearRow {
        key: key(&own.at),
        percent: match own.kind {
            NearKind::Equal => Some(100),
            NearKind::Text(percent) => Some(percent),
            NearKind::Part => None,
        },
        outside_time: own.is_out_of_time,
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
        copies: copies.iter().map(key).collect(),
        kept: kept.iter().map(key).collect(),
        lost: planned.erasures.iter().flat_map(|own| &own.lost).map(|own| &*own.key).collect(),
        holders: found.holders.iter().map(key).collect(),
        values: found.values.all().len(),
        values_left: found.values_left,
        near_copies: found.near_copies.iter().map(near).collect(),
        pinned: found.pinned.iter().map(key).collect(),
        rotate: &found.rotate,
        notes: &planned.notes,
    };
    let report = planned.not_reached.beside.as_ref().filter(|_| planned.erasures.is_empty());
    let beside = report.map(|own| &*own.found);
    let beside_unread = report.map(|own| &*own.unread);
    context.out.json(&ForgetRow { forget, beside, beside_unread }).map_err(Failure::from)
}

/// Says what a clean-up takes and leaves, one line for each memory that stays. Untrusted text.
fn lines(own: &CleanUpPlan) -> Vec<String> {
    let CleanUpPlan { found, planned, .. } = own;
    let snapshot = &planned.request.snapshot;
    let names = store_names(snapshot);
    let name = |at: EntryRef| format!("{} in {}", planned.shown_name(at), names[at.store as usize]);
    let values = match found.values.all().len() {
        0 => String::new(),
        count => format!(", and {} wherever they are", count_with_noun(count as u64, "value")),
    };
    let goes = &planned.changing;
    let mut lines = vec![format!("forget {}{values}", memory_count(goes.len()))];
    let more = |count: usize| (count > NAMED).then(|| format!("  and {} more", count - NAMED));
    lines.extend(goes.iter().take(NAMED).map(|at| {
        let (store, entry) = snapshot.get(*at);
        let kind = store.memory(entry).map_or("broken", |memory| memory.kind());
        format!("  {kind}  {}  {}", own.shown_title(*at), name(*at))
    }));
    lines.extend(more(goes.len()));
    let mut add = |head: String, told: &[(EntryRef, String)]| {
        if told.is_empty() {
            return;
        }
        lines.push(head);
        lines.extend(told.iter().take(NAMED).map(|(at, told)| format!("  {}{told}", name(*at))));
        lines.extend(more(told.len()));
    };
    let near: Vec<(EntryRef, String)> = found.near_copies.iter().map(|near| near_told(own, near)).collect();
    let takes = match found.near_copies.iter().filter(|own| !own.is_out_of_time && !own.is_pinned).count() {
        0 => String::new(),
        all if all == near.len() => "; --near-copies takes them".to_owned(),
        some => format!("; --near-copies takes {some} of them"),
    };
    add(format!("near-copies, which stay: {}{takes}", near.len()), &near);
    let of = |all: &[EntryRef]| all.iter().map(|at| (*at, String::new())).collect::<Vec<_>>();
    let count = |all: &[EntryRef]| memory_count(all.len());
    add(format!("pinned, which stay: {}; --pinned takes them", count(&found.pinned)), &of(&found.pinned));
    add(format!("with a value, and not forgotten: {}", count(&found.holders)), &of(&found.holders));
    lines
}

/// Says why a memory is a near-copy, with its title. What holds a part of a value is not quoted.
fn near_told(own: &CleanUpPlan, near: &NearCopy) -> (EntryRef, String) {
    let title = match near.kind {
        NearKind::Equal | NearKind::Text(_) => format!("  {}", own.shown_title(near.at)),
        NearKind::Part => String::new(),
    };
    (near.at, format!(": {}{title}", near.told()))
}

fn failure(error: CleanUpError) -> Failure {
    match error {
        CleanUpError::Query(error) => error.into(),
        CleanUpError::Saved(refused) => refused.into(),
        CleanUpError::Change(failed) => failed.into(),
        CleanUpError::Empty => Failure::usage(error.told()),
        CleanUpError::Value(_) => Failure::refused(format!("{} Nothing was changed.", error.told())),
        CleanUpError::Stopped => Failure::refused(error.told()),
    }
}

fn saved(context: &Context) -> Result<(PathBuf, SavedRules)> {
    let data = load_stores::data_folder(context)?;
    let rules = SavedRules::kept_in(&data).map_err(Failure::failed)?;
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
        return Err(Failure::usage(format!("there is no rule {name}; {known}. Nothing was changed.")));
    };
    Ok(own.narrowed(asked))
}

fn save(context: &Context, name: &str, own: &CleanUpRequest) -> Result<()> {
    if !own.values.is_empty() {
        return Err(Failure::refused(
            "a rule is kept in a file, and a value must not be. Save a rule without --value-from. Nothing was changed.",
        ));
    }
    let (data, mut rules) = saved(context)?;
    let refused = |why: String| Failure::refused(format!("{why} Nothing was changed."));
    rules.add(name, own.rule.clone()).map_err(refused)?;
    if context.options.dry_run || context.options.readonly {
        return Ok(());
    }
    SavedRules::change(&data, |rules| rules.add(name, own.rule.clone())).map_err(Failure::failed)?;
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
        return Err(Failure::nothing(format!("there is no rule {name}. Nothing was changed.")));
    }
    if context.options.readonly || context.options.dry_run {
        return Err(Failure::refused("nothing was changed."));
    }
    let remove = |rules: &mut SavedRules| {
        rules.remove(name);
        Ok(())
    };
    SavedRules::change(&data, remove).map_err(Failure::failed)?;
    say(&format!("rule {name} is removed"));
    Ok(Exit::Done)
}
