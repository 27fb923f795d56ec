//! `palimp secrets`: lists what looks sensitive, masked, and notes what the user says of a finding.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Context, Exit, Failure, Limit, Result, load_stores, say};
use crate::check::secrets::{Finding, findings, findings_in_copy};
use crate::detectors::{Kind, NameList, mask};
use crate::disk::{Machine, RealDisk, ThisMachine};
use crate::format::store_names;
use crate::model::plan::count_with_noun;
use crate::model::{PathText, Snapshot};
use crate::text::safe_text::sanitize;
use crate::usecase::{Triage, Verdict, each_copy, read_name_list};

#[derive(Serialize)]
struct SecretRow {
    /// The record's key; none for a copy beside the records.
    key: Option<String>,
    /// The name of the finding, for `--triage`: the key, or the store and the copy, and its number there.
    finding: String,
    store: String,
    file: String,
    line: u32,
    kind: &'static str,
    rule: String,
    span: [usize; 2],
    masked: String,
    triage: Option<&'static str>,
    #[serde(skip)]
    found: Finding,
}

impl SecretRow {
    fn of(found: Finding, key: Option<String>, finding: String, store: &str) -> SecretRow {
        SecretRow {
            key,
            finding,
            store: store.to_owned(),
            file: found.file.to_text().into_owned(),
            line: found.line,
            kind: found.kind.as_str(),
            rule: found.rule.to_string(),
            span: [found.span.start, found.span.end],
            masked: found.masked.clone(),
            triage: None,
            found,
        }
    }
}

pub struct SecretOptions {
    pub only: Vec<String>,
    pub triage: Vec<(String, Verdict)>,
    pub names: Option<PathBuf>,
    pub limit: Limit,
}

pub fn kind(text: &str) -> Result<String, String> {
    let names = Kind::ALL.map(Kind::as_str);
    let known = names.contains(&text).then(|| text.to_owned());
    known.ok_or_else(|| format!("it should be one of {}", names.join(", ")))
}

/// Reads a verdict: `KEY=yes`, `KEY=no` or `KEY=skip`.
pub fn verdict(text: &str) -> Result<(String, Verdict), String> {
    let read = text.rsplit_once('=').and_then(|(key, word)| Some((key.to_owned(), Verdict::of(word)?)));
    read.ok_or_else(|| {
        "it should be KEY=yes, KEY=no or KEY=skip, with a key that `palimp secrets` prints".into()
    })
}

/// Lists the findings of every store, by their places. False alarms are left out unless `--all` is given.
pub fn run(context: &mut Context, options: &SecretOptions) -> Result {
    let names = options.names.as_deref().map(names_in).transpose()?;
    let data = load_stores::data_folder(context)?;
    let triage = verdicts(context)?;
    let snapshot = load_stores::texts(context)?;
    let mut found = named_findings(&snapshot, names.as_ref(), &mut |why| context.unread.line(why));
    found.retain(|row| is_wanted(&options.only, &row.found));
    context.unread.archives(&snapshot);
    if !options.triage.is_empty() {
        return note(context, triage, (&data, &options.triage), &found);
    }
    let count = found.len();
    found.retain(|row| context.options.all || !triage.is_false_alarm(&row.found.value));
    for row in found.iter_mut().take(options.limit.most()) {
        row.triage = triage.verdict(&row.found.value).map(Verdict::as_str);
        match context.options.json {
            true => context.out.json(row)?,
            false => context.out.drawn(&[to_line(row)])?,
        }
    }
    context.more(options.limit, found.len())?;
    if found.len() < count {
        let alarms = count_with_noun((count - found.len()) as u64, "false alarm");
        say(&format!("{alarms} left out: --all lists them"));
    }
    Ok(if found.is_empty() { Exit::Done } else { Exit::Nothing })
}

/// Returns the findings in memories, and in copies beside them. `unread` hears which copies were not searched.
fn named_findings(
    snapshot: &Snapshot,
    names: Option<&NameList>,
    unread: &mut dyn FnMut(String),
) -> Vec<SecretRow> {
    let mut all = Vec::new();
    for (store, store_name) in snapshot.stores.iter().zip(store_names(snapshot)) {
        for entry in &store.entries {
            for (number, finding) in (1..).zip(findings(store, entry, names)) {
                let key = store.key(entry);
                let name = format!("{key}:{number}");
                all.push(SecretRow::of(finding, Some(key), name, &store_name));
            }
        }
        let not_searched = each_copy(&RealDisk, store, &mut |file, bytes| {
            for (number, finding) in (1..).zip(findings_in_copy(file, bytes, names)) {
                let name = format!("{store_name}/{}:{number}", file.to_text());
                all.push(SecretRow::of(finding, None, name, &store_name));
            }
        });
        not_searched.into_iter().for_each(&mut *unread);
    }
    all
}

/// Returns the row as a line. The label looks like that of a password, so a place behind it would be masked.
fn to_line(row: &SecretRow) -> String {
    let SecretRow { key, finding, store, file, line, kind, rule, masked, triage, .. } = row;
    let verdict = triage.map(|own| format!("  ({own})")).unwrap_or_default();
    let (store, file) = (mask(store), mask(file));
    let name = match key {
        Some(_) => finding.clone(),
        None => format!("{}  (a copy)", mask(finding)),
    };
    sanitize(&format!("{kind:16} {masked}  {rule}  {store}: {file}:{line}  {name}{verdict}")).into_owned()
}

/// Keeps the verdicts. If a key names no finding, nothing is kept.
fn note(
    context: &Context,
    mut triage: Triage,
    (data, asked): (&Path, &[(String, Verdict)]),
    found: &[SecretRow],
) -> Result {
    let random = ThisMachine::new().random();
    for (number, (key, verdict)) in asked.iter().enumerate() {
        if asked[..number].iter().any(|(other, _)| other == key) {
            let message = format!("{key} is given twice: name it once. Nothing was noted.");
            return Err(Failure::usage(message));
        }
        let is_named = |row: &&SecretRow| row.key.as_ref() == Some(key) || row.finding == *key;
        let mut named = found.iter().filter(is_named).peekable();
        if named.peek().is_none() {
            let message = format!("{key} names no finding. `palimp secrets` lists them. Nothing was noted.");
            return Err(Failure::refused(message));
        }
        named.for_each(|row| triage.note(&row.found.value, *verdict, random));
    }
    if context.options.readonly {
        return Err(Failure::refused("--readonly: nothing was noted."));
    }
    triage.keep_in(data).map_err(Failure::failed)?;
    say(&format!("{} noted", count_with_noun(asked.len() as u64, "verdict")));
    Ok(Exit::Done)
}

/// Returns what the user said of findings.
pub fn verdicts(context: &Context) -> Result<Triage> {
    let data = load_stores::data_folder(context)?;
    Triage::kept_in(&data).map_err(Failure::failed)
}

/// True for a finding of one of these kinds, or of any if there are none.
pub fn is_wanted(only: &[String], own: &Finding) -> bool {
    only.is_empty() || only.iter().any(|kind| kind == own.kind.as_str())
}

fn names_in(path: &Path) -> Result<NameList> {
    let text = read_name_list(path).map_err(Failure::usage)?;
    NameList::of(&text).ok_or_else(|| Failure::usage(format!("{} has no names.", path.to_text())))
}
