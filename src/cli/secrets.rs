//! `palimp secrets`: lists what looks sensitive, masked, and notes what the user says of a finding.

use std::path::PathBuf;

use serde::Serialize;

use super::args::Limit;
use super::columns::OutputTerminal;
use super::failure::{Exit, Failure, Result, say};
use super::list_table::{self, store_names};
use super::load_stores;
use super::read_scope::ReadScope;
use crate::cli::context::Context;
use crate::detectors::{Kind, NameList};
use crate::disk::{Disk, Machine, RealDisk, ThisMachine};
use crate::model::PathText;
use crate::model::plan::count_with_noun;
use crate::ops::secrets::{Finding, findings};
use crate::usecase::{Triage, Verdict};

/// The most bytes of a list of names that are read.
const LONGEST_LIST: u64 = 1 << 20;

#[derive(Serialize)]
struct SecretRow {
    /// The record's key.
    key: String,
    /// The name of the finding, for `--triage`: the key and its number in the record.
    finding: String,
    store: String,
    file: String,
    line: u32,
    kind: &'static str,
    rule: String,
    span: [usize; 2],
    masked: String,
    triage: Option<&'static str>,
}

/// The options of the verb.
pub struct SecretOptions {
    pub only: Vec<String>,
    pub triage: Vec<(String, Verdict)>,
    pub names: Option<PathBuf>,
    pub limit: Limit,
}

/// Reads the name of a kind.
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
    let names = options.names.as_deref().map(read_names).transpose()?;
    let data = load_stores::data_folder(context)?;
    let mut triage = Triage::kept_in(&data);
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let store_names = store_names(&snapshot);
    let random = ThisMachine::new().random();
    let (mut listed, mut alarms, mut noted) = (0, 0, vec![false; options.triage.len()]);
    for (store, name) in snapshot.stores.iter().zip(&store_names) {
        for entry in &store.entries {
            let all = findings(store, entry, names.as_ref());
            if all.is_empty() {
                continue;
            }
            let key = store.key(entry);
            for (own, number) in all.iter().zip(1_usize..) {
                let finding = format!("{key}:{number}");
                let is_named = |asked: &str| asked == key || asked == finding;
                for ((asked, verdict), noted) in options.triage.iter().zip(&mut noted) {
                    if is_named(asked) && is_wanted(options, own) {
                        triage.note(&own.value, *verdict, random);
                        *noted = true;
                    }
                }
                if !options.triage.is_empty() || !is_wanted(options, own) {
                    continue;
                }
                let verdict = triage.verdict(&own.value);
                if verdict == Some(Verdict::No) && !context.options.all {
                    alarms += 1;
                    continue;
                }
                listed += 1;
                if listed <= options.limit.most() {
                    print(context, own, (name, &key, finding), verdict)?;
                }
            }
        }
    }
    if !options.triage.is_empty() {
        return note(&triage, &data, (&options.triage, &noted), context.options.readonly);
    }
    list_table::more(context, OutputTerminal::of(context), options.limit.more(listed).as_deref())?;
    if alarms > 0 {
        say(&format!("{} left out: --all lists them", count_with_noun(alarms, "false alarm")));
    }
    Ok(if listed == 0 { Exit::Done } else { Exit::Nothing })
}

fn is_wanted(options: &SecretOptions, own: &Finding) -> bool {
    options.only.is_empty() || options.only.iter().any(|kind| kind == own.kind.as_str())
}

fn print(
    context: &mut Context,
    own: &Finding,
    (store, key, finding): (&str, &str, String),
    verdict: Option<Verdict>,
) -> Result<()> {
    let row = SecretRow {
        key: key.to_owned(),
        finding,
        store: store.to_owned(),
        file: own.file.to_text().into_owned(),
        line: own.line,
        kind: own.kind.as_str(),
        rule: own.rule.to_string(),
        span: [own.span.start, own.span.end],
        masked: own.masked.clone(),
        triage: verdict.map(Verdict::as_str),
    };
    let line = || {
        let SecretRow { finding, file, line, kind, rule, masked, triage, .. } = &row;
        let told = triage.map(|own| format!("  ({own})")).unwrap_or_default();
        format!("{kind:16} {masked}  {rule}  {store}: {file}:{line}  {finding}{told}")
    };
    Ok(context.row(&row, line)?)
}

/// Keeps the verdicts. If a key names no finding, nothing is kept.
fn note(
    triage: &Triage,
    data: &std::path::Path,
    (asked, noted): (&[(String, Verdict)], &[bool]),
    is_readonly: bool,
) -> Result {
    let unknown = asked.iter().zip(noted).find(|(_, noted)| !**noted);
    if let Some(((key, _), _)) = unknown {
        return Err(Failure::new(
            Exit::Refused,
            format!("{key} names no finding. `palimp secrets` lists them. Nothing was noted."),
        ));
    }
    if is_readonly {
        return Err(Failure::new(Exit::Refused, "--readonly: nothing was noted."));
    }
    triage.keep_in(data).map_err(|why| Failure::new(Exit::Failed, why))?;
    say(&format!("{} noted", count_with_noun(asked.len() as u64, "verdict")));
    Ok(Exit::Done)
}

fn read_names(path: &std::path::Path) -> Result<NameList> {
    let read = RealDisk.read(path, 0, Some(LONGEST_LIST));
    let (bytes, _) = read
        .map_err(|error| Failure::new(Exit::Usage, format!("{} can't be read: {error}.", path.to_text())))?;
    NameList::of(&String::from_utf8_lossy(&bytes))
        .ok_or_else(|| Failure::new(Exit::Usage, format!("{} has no names.", path.to_text())))
}
