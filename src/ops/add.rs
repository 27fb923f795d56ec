//! `add`: adds one record.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::tag::check_words;
use super::{
    RecordDraft, Refusal, Result, WriteContext, auto_redaction, breaks, check, own_operations,
    plan_and_after, refused_for, with_derived, writes,
};
use crate::disk::host::Host;
use crate::format::writing::{AppendContext, AppendLookup, RecordMembers, removals, with_config_of};
use crate::format::{self, Format};
use crate::model::plan::count_with_noun;
use crate::model::plan::effect::MemoryEffect;
use crate::model::{Change, Entry, Moment, Plan, Role, Store, Verb};
use crate::store::CommitError;
use crate::store::given_ids::last_given_id;
use crate::store::plan_effects::added;
use crate::text::json_edit::{Tape, quoted, scan, set};
use crate::text::numbered_id::following;

/// Plans to add a record. If it fills a log that compacts itself, the plan says what is removed.
pub fn add(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> Result<Plan> {
    let PlannedAddition { mut plan, evictions, redacted } = plan_addition(context, draft)?;
    plan.lines.extend(evictions);
    plan.lines.extend(redaction_line(context.store, redacted));
    Ok(plan)
}

/// The plan of a new record, without the lines that say what else it does.
pub(super) struct PlannedAddition {
    pub plan: Plan,
    /// The lines about what a compaction removes to make room.
    pub evictions: Vec<String>,
    /// The number of values that the store's config replaces.
    pub redacted: usize,
}

pub(super) fn plan_addition(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> Result<PlannedAddition> {
    let (format, writes) = writes(context.store)?;
    check_tags(draft)?;
    let mut added = writes.add(context, draft)?;
    let rules = auto_redaction::rules(context.store);
    let redacted = rules.map_or(0, |rules| auto_redaction::redact_added(&rules, &mut added));
    has_text(format, draft)?;
    let with = |changes| plan_and_after(Verb::Add, context, 1, changes);
    let (mut plan, mut after) = with(added.clone())?;
    let goes = writes.evictions(context, draft, &with_derived(context, &plan, &after))?;
    let mut evictions = Vec::new();
    if !goes.is_empty() {
        (plan, after) = with([added, removals(context.store, &goes)].concat())?;
        plan.records += goes.len();
        let count = count_with_noun(goes.len() as u64, "memory");
        evictions.push(format!("The session is full: a compaction removes {count}."));
        evictions.extend(goes.iter().map(|entry| named(context.store, entry)));
    }
    check(context, &plan, &after)?;
    Ok(PlannedAddition { plan, evictions, redacted })
}

pub(super) fn redaction_line(store: &Store, redacted: usize) -> Option<String> {
    auto_redaction::told(&auto_redaction::rules(store)?, redacted)
}

/// Plans to add records only at the ends of logs: the cost does not grow with the store. Derived
/// files wait. Returns `None` if a record needs more than that; [`add`] plans it then. `random`
/// returns other bytes for each record, by its number.
pub fn append(
    (format, root): (&'static dyn Format, &Path),
    (ends, now): (&dyn AppendLookup, Moment),
    random: &dyn Fn(u32) -> [u8; 16],
    drafts: &[RecordDraft<'_>],
) -> Result<Option<Plan>> {
    let (mut logs, mut effects): (Vec<(PathBuf, Vec<u8>)>, _) = (Vec::new(), Vec::new());
    let own = format.own().auto_redaction;
    let redaction = match own.map(|own| (own, ends.small(Path::new("config.json")))) {
        Some((own, Ok(config))) => with_config_of(config.as_deref(), own),
        // Without the config, what it asks for is unknown.
        Some((_, Err(_))) => return Ok(None),
        None => None,
    };
    let mut replaced = 0;
    for (number, draft) in (1..).zip(drafts) {
        let numbered = |refusal| with_number(refusal, number, drafts.len());
        check_tags(draft).and_then(|()| has_text(format, draft)).map_err(numbered)?;
        let context = AppendContext { lookup: ends, now, random: random(number) };
        let Some(mut lines) = format.append(&context, draft).map_err(numbered)? else { return Ok(None) };
        if let Some(rules) = &redaction {
            for (_, line) in &mut lines {
                let (new, count) = auto_redaction::redacted_lines(rules, line);
                (*line, replaced) = (new, replaced + count);
            }
        }
        let effect = addition(format, root, &lines, now).map_err(numbered)?;
        ends.added(draft, effect.id.as_deref(), &lines);
        effects.push(effect);
        for (path, line) in lines {
            match logs.iter_mut().find(|(own, _)| *own == path) {
                Some((_, all)) => all.extend(line),
                None => logs.push((path, line)),
            }
        }
    }
    let mut changes = Vec::new();
    for (path, lines) in logs {
        let Ok(end) = ends.end(&path) else { return Ok(None) };
        changes.push(Change::append(path, lines, end));
    }
    let plan = Plan::of_unread_store(Verb::Add, root, format.name());
    let lines = redaction.and_then(|rules| auto_redaction::told(&rules, replaced)).into_iter().collect();
    Ok(Some(Plan { records: drafts.len(), effects, changes, lines, derive_later: true, ..plan }))
}

pub(super) fn with_number(refusal: Refusal, number: u32, count: usize) -> Refusal {
    match count {
        1 => refusal,
        _ => Refusal { message: format!("memory {number}: {}", refusal.message), ..refusal },
    }
}

/// Returns the effect of adding `lines`: their first record is the memory. Refuses lines with problems.
fn addition(
    format: &dyn Format,
    root: &Path,
    lines: &[(PathBuf, Vec<u8>)],
    now: Moment,
) -> Result<MemoryEffect> {
    let mut effect = None;
    for (path, line) in lines {
        let read = format.read(Role::Records, path, line, now);
        if let Some(problem) = read.problems.iter().find(|own| breaks(own)) {
            return Err(refused_for(problem));
        }
        let record = read.records.first().filter(|_| effect.is_none());
        effect = effect.or(record.map(|record| {
            let id = record.id();
            added((root, path), format.session_of(path), id, &line[record.span.range()])
        }));
    }
    effect.ok_or_else(|| Refusal::invalid("the memory has no line of its own."))
}

fn check_tags(draft: &RecordDraft<'_>) -> Result<()> {
    check_words(draft.tags.iter().map(String::as_str))?;
    let own = RecordMembers::of(draft.record).map(|own| own.texts("tags")).unwrap_or_default();
    check_words(own.iter().map(String::as_str))
}

/// Refuses a record with an empty text.
fn has_text(format: &dyn Format, draft: &RecordDraft<'_>) -> Result<()> {
    let mut tape = Tape::default();
    let text = match (draft.text, draft.record) {
        (Some(text), _) => text.to_owned(),
        (None, Some(record)) => format.main_text(scan(&mut tape, record.as_bytes())?).0,
        (None, None) => return Ok(()),
    };
    let nothing = || Err(Refusal::invalid("the text is empty: there is nothing to remember."));
    if text.trim().is_empty() { nothing() } else { Ok(()) }
}

fn named(store: &Store, entry: &Entry) -> String {
    let id = store.id(entry).unwrap_or("(no id)");
    format!("removes {id}: {}", format::title(store, entry).raw())
}

/// A record to add.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewRecord {
    pub session: Option<String>,
    /// The format's own word for its type.
    pub kind: String,
    pub tags: Vec<String>,
    /// Its importance, from 0 to 1.
    pub importance: Option<f64>,
    /// Its main text.
    pub text: Option<String>,
    /// Its members, as a JSON object.
    pub record: Option<String>,
}

impl NewRecord {
    /// The same, borrowed.
    pub fn draft(&self) -> RecordDraft<'_> {
        RecordDraft {
            session: self.session.as_deref(),
            kind: &self.kind,
            text: self.text.as_deref(),
            tags: &self.tags,
            importance: self.importance,
            record: self.record.as_deref(),
        }
    }

    /// The same with its id, if the format would give it that of a deleted record.
    pub(super) fn with_free_id(
        &self,
        host: Host<'_>,
        store: &Store,
    ) -> Result<Cow<'_, NewRecord>, CommitError> {
        let last_id = own_operations(store).last_id;
        let (Some(session), Some(last_id)) = (&self.session, last_id) else { return Ok(Cow::Borrowed(self)) };
        let (record, mut tape) = (self.record.as_deref().unwrap_or("{}"), Tape::default());
        let is_free = scan(&mut tape, record.as_bytes()).is_ok_and(|members| members.get("id").is_none());
        let given = if is_free { last_given_id(host, store, session, &self.kind)? } else { None };
        let given = given.filter(|given| last_id(store, session, &self.kind).as_ref() != Some(given));
        let next = given.and_then(|given| following(&given).next());
        let record = next.and_then(|next| set(record.as_bytes(), &["id"], &quoted(&next)).ok());
        let record = record.and_then(|record| String::from_utf8(record).ok());
        Ok(record.map_or(Cow::Borrowed(self), |record| {
            Cow::Owned(NewRecord { record: Some(record), ..self.clone() })
        }))
    }
}
