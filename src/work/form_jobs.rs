//! The editor's work: judges, saves and copies forms, and keeps drafts that outlive the screens.

use std::path::PathBuf;
use std::sync::Arc;

use crate::detectors::mask;
use crate::disk::host::Host;
use crate::format;
use crate::model::{Document, DraftField, Entry, EntryRef, Moment, Plan, Snapshot, Store};
use crate::ops::form::{EditForm, FormValidation, judge, verdict};
use crate::ops::{Refusal, WriteContext};
use crate::query::{Order, Query, Ranking, Request, explain};
use crate::text::columns::fit;
use crate::text::safe_text::sanitize;
use crate::usecase::{
    ChangeFailure, ChangeReport, FormCopy, RecentSteps, current_snapshot, drop_form_draft, find_unchanged,
    keep_form_draft, save_form, save_form_copy,
};

#[derive(Clone)]
pub struct FormRequest {
    /// The stores as the form was opened on them.
    pub snapshot: Arc<Snapshot>,
    pub at: EntryRef,
    /// Untrusted text.
    pub name: String,
    pub form: Arc<EditForm>,
    pub values: Vec<String>,
    /// The number of this state of the text; see [`FORM`].
    pub version: u64,
    pub data: PathBuf,
    /// The last search, for the rank.
    pub query: String,
    pub ranking: Ranking,
    pub now: Moment,
}

/// The number of low bits in a state's number that count the states of one form. The others count forms.
pub const FORM: u32 = 32;

impl FormRequest {
    /// Returns the number of the form, among all that were opened.
    pub fn form_number(&self) -> u64 {
        self.version >> FORM
    }
}

/// The effects of saving, beside the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormEffects {
    /// The rank in the last search, before and after.
    pub rank: [Option<f64>; 2],
    pub decay: [Option<f64>; 2],
    pub referred: usize,
    /// The bytes of the file, before and after.
    pub file: [u64; 2],
    /// The bytes of the session after saving, and their limit, if there is one.
    pub session: Option<(u64, u64)>,
    pub files: usize,
    /// The number of copies that the format keeps in the store.
    pub copies: usize,
}

#[derive(Clone, Debug)]
pub struct ValidatedForm {
    pub version: u64,
    pub judged: FormValidation,
    /// The effects of saving, if the whole store was looked at.
    pub effects: Option<FormEffects>,
}

#[derive(Clone, Debug)]
pub enum FormSaveOutcome {
    Done(ChangeReport),
    /// The store has the same content already.
    Same,
    /// It can't be saved, or causes a warning that was not shown.
    Judged(ValidatedForm),
    /// It could not be written: why, and the state of the files.
    Failed(String),
}

impl FormRequest {
    fn entry(&self) -> (&Arc<Store>, &Entry) {
        let store = &self.snapshot.stores[self.at.store as usize];
        (store, &store.entries[self.at.entry as usize])
    }

    fn with<T>(&self, take: impl FnOnce(Host<'_>, &WriteContext<'_>, &Entry) -> T) -> T {
        let host = Host::here(&self.data, self.now);
        let (store, entry) = self.entry();
        let random = host.machine.random();
        let context = WriteContext::of(store, self.now, random);
        take(host, &context, entry)
    }

    /// Returns the request for the stores as they are now; `None` if the memory changed.
    fn current(&self) -> Option<FormRequest> {
        let host = Host::here(&self.data, self.now);
        let snapshot = current_snapshot(&self.snapshot, host);
        let at = match Arc::ptr_eq(&snapshot, &self.snapshot) {
            true => self.at,
            false => find_unchanged(&self.snapshot, self.at, &snapshot, self.now)?,
        };
        Some(FormRequest { snapshot, at, ..self.clone() })
    }
}

/// Judges the record of a form; with `is_whole`, also the store.
pub fn judged(request: &FormRequest, is_whole: bool) -> ValidatedForm {
    // If another program changed the memory, only the form is judged.
    let current = if is_whole { request.current() } else { None };
    let is_whole = current.is_some();
    let request = current.as_ref().unwrap_or(request);
    request.with(|_, context, entry| {
        let version = request.version;
        if !is_whole {
            let judged = judge(context, entry, &request.form, &request.values);
            return ValidatedForm { version, judged, effects: None };
        }
        let verdict = verdict(context, entry, &request.form, &request.values);
        let effects = verdict.plan.as_ref().ok().map(|plan| effects(request, plan, &verdict.after));
        ValidatedForm { version, judged: verdict.judged, effects }
    })
}

fn effects(request: &FormRequest, plan: &Plan, after: &[Arc<Document>]) -> FormEffects {
    let (store, entry) = request.entry();
    let path = &store.document(entry).path;
    let len =
        |documents: &[Arc<Document>]| documents.iter().find(|own| own.path == *path).map_or(0, |own| own.len);
    let references = request.snapshot.references();
    let ties = references.links_of(store, request.at);
    let changed = Arc::new(with_documents(store, after));
    let mut stores = request.snapshot.stores.clone();
    stores[request.at.store as usize] = Arc::clone(&changed);
    let then = Snapshot::of(stores);
    let [now, later] = [&*request.snapshot, &then].map(|snapshot| ranked(request, snapshot));
    let grown = len(after) as i64 - len(&store.documents) as i64;
    let session = store.session(entry).and_then(|session| Some((session.size, session.limit?)));
    FormEffects {
        rank: [now.0, later.0],
        decay: [now.1, later.1],
        referred: ties.iter().filter(|tie| !tie.outward).count(),
        file: [len(&store.documents), len(after)],
        session: session.map(|(size, limit)| (size.saturating_add_signed(grown), limit)),
        files: plan.all().filter(|change| !change.is_empty()).count(),
        copies: plan.changes.iter().filter(|change| change.base.is_none()).count(),
    }
}

/// Returns the title of a memory, in quotes. Untrusted text.
pub fn quoted_title(store: &Store, entry: &Entry) -> String {
    const LONGEST: usize = 48;
    format!("\"{}\"", fit(&mask(&sanitize(format::title(store, entry).raw())), LONGEST))
}

fn with_documents(store: &Store, after: &[Arc<Document>]) -> Store {
    let mut changed = store.clone();
    for own in &mut changed.documents {
        let new = after.iter().find(|new| new.path == own.path);
        if let Some(new) = new.filter(|new| new.records.len() >= own.records.len()) {
            *own = Arc::clone(new);
        }
    }
    changed
}

fn ranked(request: &FormRequest, snapshot: &Snapshot) -> (Option<f64>, Option<f64>) {
    let query = Query::parse(&request.query, request.now).unwrap_or_default();
    let (ranking, order, now) = (request.ranking, Order::Rank, request.now);
    let asked = Request { snapshot, text: None, query: &query, ranking, order, all: true, now };
    explain(&asked, request.at).map(|explained| (explained.factors.rank, explained.factors.decay)).unzip()
}

/// Saves a form. If that would cause a warning of `check`, it is not saved unless `is_shown`.
pub fn save(request: &FormRequest, is_shown: bool, recent: &mut RecentSteps) -> FormSaveOutcome {
    let Some(request) = &request.current() else {
        return not_written(ChangeFailure::changed_meanwhile(&request.snapshot, &[request.at]));
    };
    request.with(|host, context, entry| {
        let verdict = verdict(context, entry, &request.form, &request.values);
        let plan = match verdict.plan {
            Ok(plan) if !verdict.judged.is_refused() && (is_shown || !verdict.judged.warns()) => plan,
            _ => {
                let (version, judged) = (request.version, verdict.judged);
                return FormSaveOutcome::Judged(ValidatedForm { version, judged, effects: None });
            }
        };
        if plan.is_empty() {
            // If this fails, the draft is found again, and is the same as the memory.
            let _ = drop_form_draft(host, (context.store, entry));
            return FormSaveOutcome::Same;
        }
        let name = quoted_title(&with_documents(context.store, &verdict.after), entry);
        let set = request.form.settings(&request.values);
        save_form(host, (&request.snapshot, request.at), set, name, recent)
            .map_or_else(not_written, FormSaveOutcome::Done)
    })
}

pub fn save_copy(request: &FormRequest, into: &Snapshot, recent: &mut RecentSteps) -> FormSaveOutcome {
    let host = Host::here(&request.data, request.now);
    let (store, entry) = request.entry();
    let Some(number) = into.stores.iter().position(|own| own.root == store.root) else {
        return not_written(Refusal::unfit("the store is not there any more.").into());
    };
    let (form, values) = (Arc::clone(&request.form), request.values.clone());
    let copy = FormCopy { store: Arc::clone(store), entry: *entry, form, values, into: number };
    save_form_copy(host, copy, into, request.name.clone(), recent)
        .map_or_else(not_written, FormSaveOutcome::Done)
}

fn not_written(failed: ChangeFailure) -> FormSaveOutcome {
    FormSaveOutcome::Failed(failed.message)
}

/// Keeps what was typed, or drops the draft if nothing was changed. An error says why it is not kept.
pub fn keep_typed(request: &FormRequest) -> Result<Moment, String> {
    let (store, entry) = request.entry();
    let host = Host::here(&request.data, request.now);
    let fields = request.form.fields.iter().zip(&request.values);
    let draft = fields.filter(|(field, text)| field.value != **text).map(|(field, text)| DraftField {
        name: field.name.clone(),
        before: field.value.clone(),
        text: text.clone(),
    });
    keep_form_draft(host, (store, entry), draft.collect()).map(|()| request.now)
}
