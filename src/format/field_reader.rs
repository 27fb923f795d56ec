//! Reads the members of an object by a schema. A deviation is a fault.

use std::borrow::Cow;
use std::path::Path;

use super::record_form::{FieldKind as Holds, RecordForm};
use crate::model::time::{TimeSpelling, Timestamp};
use crate::model::{Code, Moment, Problem, Reference, Severity, Zone, names_no_day};
use crate::text::json::{Json, JsonKind};

/// A problem of one record, without its place.
pub type Fault = (Code, Severity, String);

/// Whether a member is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Its absence is an error.
    Required,
    /// It may be absent or `null`.
    Optional,
}

/// How far in the future a timestamp may be because clocks differ: five minutes, in microseconds.
const AHEAD: i64 = 5 * 60 * 1_000_000;

/// Returns the faults of tags in any format: a tag that should keep a memory until a day and names no day.
pub fn tag_faults(tags: &[Box<str>]) -> impl Iterator<Item = Fault> + '_ {
    let told = |tag: &str| format!("The tag {tag:?} names no day, so it keeps nothing.");
    tags.iter().filter(|tag| names_no_day(tag)).map(move |tag| (Code::OutOfRange, Severity::Note, told(tag)))
}

/// The members of an object, and the faults found so far.
pub struct FieldReader<'a> {
    object: Json<'a>,
    prefix: &'static str,
    faults: Vec<Fault>,
    now: Moment,
    /// The fields that the schema asks for, if somebody wants to know them.
    form: Option<Box<RecordForm>>,
}

impl<'a> FieldReader<'a> {
    /// Starts to read an object.
    pub fn new(object: Json<'a>, now: Moment) -> Self {
        FieldReader { object, prefix: "", faults: Vec::new(), now, form: None }
    }

    /// Starts to read an object, and notes the fields that the schema asks for.
    pub fn noting(object: Json<'a>, now: Moment) -> Self {
        FieldReader { form: Some(Box::default()), ..FieldReader::new(object, now) }
    }

    /// Returns the fields that the schema asks for, and the faults.
    pub fn into_form(self) -> RecordForm {
        self.form.map(|form| *form).unwrap_or_default()
    }

    /// Notes a field that the schema asks for, if a form is wanted.
    pub fn ask(&mut self, name: &str, kind: impl FnOnce() -> Holds) {
        if let Some(form) = &mut self.form {
            let dot = if self.prefix.is_empty() { "" } else { "." };
            form.ask(format!("{}{dot}{name}", self.prefix), kind());
        }
    }

    pub fn object(&self) -> Json<'a> {
        self.object
    }

    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// Returns the faults as problems of a file that is not a record.
    pub fn into_problems(self, path: &Path) -> Vec<Problem> {
        let faults = self.faults.into_iter();
        faults.map(|(code, severity, message)| Problem::of_file(code, severity, path, message)).collect()
    }

    /// Adds a fault.
    pub fn fault(&mut self, code: Code, severity: Severity, message: String) {
        let fault = (code, severity, message);
        if let Some(form) = &mut self.form {
            form.add(&fault);
        }
        self.faults.push(fault);
    }

    /// Reads the members of a nested object.
    pub fn within(&mut self, name: &'static str, need: Need, read: impl FnOnce(&mut FieldReader<'a>)) {
        if let Some(inner) = self.of_kind(name, need, JsonKind::Object) {
            let form = self.form.take();
            let mut fields =
                FieldReader { object: inner, prefix: name, faults: Vec::new(), now: self.now, form };
            read(&mut fields);
            self.faults.append(&mut fields.faults);
            self.form = fields.form;
        }
    }

    fn named(&self, name: &str) -> String {
        if self.prefix.is_empty() { format!("`{name}`") } else { format!("`{}.{name}`", self.prefix) }
    }

    /// Reads a member with `read`. A value that it refuses has the wrong type.
    pub fn value<T>(
        &mut self,
        name: &str,
        need: Need,
        wanted: &str,
        read: impl FnOnce(Json<'a>) -> Option<T>,
    ) -> Option<T> {
        self.ask(name, || Holds::Json);
        let Some(value) = self.object.get(name) else {
            if need == Need::Required {
                let message = format!("{} is missing.", self.named(name));
                self.fault(Code::MissingField, Severity::Error, message);
            }
            return None;
        };
        if need == Need::Optional && value.is_null() {
            return None;
        }
        let found = read(value);
        if found.is_none() {
            let message =
                format!("{} should be {wanted} and is {}.", self.named(name), value.kind().as_str());
            self.fault(Code::WrongType, Severity::Error, message);
        }
        found
    }

    /// Reads a value of this kind.
    pub fn of_kind(&mut self, name: &str, need: Need, kind: JsonKind) -> Option<Json<'a>> {
        self.value(name, need, kind.as_str(), |value| (value.kind() == kind).then_some(value))
    }

    /// Reads a string.
    pub fn text(&mut self, name: &str, need: Need) -> Option<Cow<'a, str>> {
        self.ask(name, || Holds::Text { most: None });
        self.value(name, need, "a string", |value| value.text())
    }

    /// Reads a string of at most `max` characters.
    pub fn short_text(&mut self, name: &str, need: Need, max: usize) -> Option<Cow<'a, str>> {
        self.ask(name, || Holds::Text { most: Some(max) });
        let text = self.text(name, need)?;
        self.length(|own| own.named(name), &text, max);
        Some(text)
    }

    /// Adds a note if the main text is empty. For formats whose specification has no rule for that.
    pub fn says(&mut self, name: &str, value: Option<Json<'_>>) {
        // The first character shows for most texts that they are not empty.
        let may_be_blank = |value: &Json<'_>| {
            let first = value.raw().get(1).copied().unwrap_or_default();
            value.kind() == JsonKind::String && (!first.is_ascii_graphic() || matches!(first, b'"' | b'\\'))
        };
        let text = value.filter(may_be_blank).and_then(|value| value.text());
        if text.is_some_and(|text| text.trim().is_empty()) {
            let message = format!("{} is empty: the memory says nothing.", self.named(name));
            self.fault(Code::EmptyRecord, Severity::Note, message);
        }
    }

    /// Compares the bytes of a whole line or entry with its limit. A note begins at 90 %.
    pub fn size(&mut self, what: &str, len: usize, max: usize) {
        if let Some(form) = &mut self.form {
            form.ask_whole(max);
        }
        if len > max {
            let message =
                format!("The {what} has {len} bytes; at most {max} are allowed. Shorten or split it.");
            self.fault(Code::LimitExceeded, Severity::Warning, message);
        } else if len * 10 >= max * 9 {
            self.fault(Code::LimitNear, Severity::Note, format!("The {what} has {len} of {max} bytes."));
        }
    }

    fn length(&mut self, what: impl Fn(&Self) -> String, text: &str, max: usize) {
        if text.len() > max {
            let length = text.chars().count();
            if length > max {
                let what = what(self);
                let message = format!("{what} has {length} characters; at most {max} are allowed.");
                self.fault(Code::TooLong, Severity::Warning, message);
            }
        }
    }

    /// Reads a string that is one of `words`. Another one is an error, and is returned as well.
    pub fn word(&mut self, name: &str, need: Need, words: &[&str]) -> Option<Cow<'a, str>> {
        self.ask(name, || Holds::word(words, true));
        let word = self.text(name, need)?;
        if !words.contains(&word.as_ref()) {
            let message =
                format!("{} is {word:?}; it should be one of {}.", self.named(name), words.join(", "));
            self.fault(Code::OutOfRange, Severity::Error, message);
        }
        Some(word)
    }

    /// Reads a string that is usually one of `words`. Another one is a note.
    pub fn usual_word(&mut self, name: &str, need: Need, words: &[&str]) -> Option<Cow<'a, str>> {
        self.ask(name, || Holds::word(words, false));
        let word = self.text(name, need)?;
        if !words.contains(&word.as_ref()) {
            let message =
                format!("{} is {word:?}; the usual values are {}.", self.named(name), words.join(", "));
            self.fault(Code::OutOfRange, Severity::Note, message);
        }
        Some(word)
    }

    /// Reads a timestamp.
    pub fn moment(&mut self, name: &str, need: Need) -> Option<Moment> {
        self.ask(name, || Holds::Moment);
        let text = self.text(name, need)?;
        let (when, faults) = moment(|| self.named(name), &text, self.now);
        faults.into_iter().for_each(|(code, severity, message)| self.fault(code, severity, message));
        when
    }

    /// Reads a whole number, 0 or more.
    pub fn count(&mut self, name: &str, need: Need) -> Option<u64> {
        self.ask(name, || Holds::Number { range: Some((0.0, f64::INFINITY)), is_whole: true });
        let number = self.value(name, need, "a number", |value| value.number())?;
        if number < 0.0 {
            let message = format!("{} is {number}; it should be 0 or more.", self.named(name));
            self.fault(Code::OutOfRange, Severity::Error, message);
            return None;
        }
        if number.fract() != 0.0 {
            let message = format!("{} is {number}; it should be a whole number.", self.named(name));
            self.fault(Code::WrongType, Severity::Error, message);
            return None;
        }
        Some(number as u64)
    }

    /// Reads a number.
    pub fn number(&mut self, name: &str, need: Need) -> Option<f64> {
        self.ask(name, || Holds::Number { range: None, is_whole: false });
        self.value(name, need, "a number", |value| value.number())
    }

    /// Reads a number from 0 to 1. Another one is out of range, and is clamped.
    pub fn fraction(&mut self, name: &str, need: Need) -> Option<f64> {
        self.ask(name, || Holds::Number { range: Some((0.0, 1.0)), is_whole: false });
        let number = self.value(name, need, "a number", |value| value.number())?;
        if !(0.0..=1.0).contains(&number) {
            let message = format!("{} is {number}; it should be from 0 to 1.", self.named(name));
            self.fault(Code::OutOfRange, Severity::Error, message);
        }
        Some(number.clamp(0.0, 1.0))
    }

    /// Reads a boolean.
    pub fn flag(&mut self, name: &str, need: Need) -> Option<bool> {
        self.ask(name, || Holds::Flag);
        self.value(name, need, "a boolean", |value| value.bool())
    }

    /// Reads an array of ids of other records.
    pub fn references(&mut self, name: &'static str, need: Need) -> Box<[Reference<'static>]> {
        self.ask(name, || Holds::References);
        self.texts(name, need).into_iter().map(|id| Reference::to_record(name, id)).collect()
    }

    /// Reads an array of strings. Items of other types are faults and left out.
    pub fn texts(&mut self, name: &str, need: Need) -> Box<[Box<str>]> {
        self.ask(name, || Holds::ANY_WORDS);
        let Some(array) = self.of_kind(name, need, JsonKind::Array) else { return Box::default() };
        let mut texts = Vec::new();
        for (index, item) in array.items().enumerate() {
            match item.text() {
                Some(text) => texts.push(text.into()),
                None => {
                    let named = self.named(name);
                    let message =
                        format!("{named}[{index}] should be a string and is {}.", item.kind().as_str());
                    self.fault(Code::WrongType, Severity::Error, message);
                }
            }
        }
        texts.into()
    }

    /// Reads tags: at most `most` of them (0 for no limit), each of at most `max` characters.
    pub fn tags(&mut self, name: &str, need: Need, most: usize, max: usize) -> Box<[Box<str>]> {
        self.ask(name, || Holds::Words { most, longest: max });
        let tags = self.texts(name, need);
        if most > 0 && tags.len() > most {
            let message =
                format!("{} holds {} tags; at most {most} are allowed.", self.named(name), tags.len());
            self.fault(Code::TooLong, Severity::Warning, message);
        }
        for tag in &tags {
            self.length(|_| format!("The tag {:?}", abridged(tag)), tag, max);
        }
        tags
    }
}

/// Reads a timestamp, and returns its faults. `named` is its name in messages.
pub fn moment(named: impl Fn() -> String, text: &str, now: Moment) -> (Option<Moment>, Vec<Fault>) {
    let Some(Timestamp { when, zone, spelling }) = Timestamp::read(text) else {
        let named = named();
        let message = format!("{named} is not an ISO 8601 timestamp: {text:?}.");
        return (None, vec![(Code::BadTimestamp, Severity::Error, message)]);
    };
    let mut faults = Vec::new();
    // Most have no fault. To format names and times takes longer than to read them.
    let is_usual = spelling == TimeSpelling::Usual && zone != Zone::Assumed && when <= now.plus(AHEAD);
    if is_usual {
        return (Some(when), faults);
    }
    let (named, read) = (named(), when.to_rfc3339());
    match spelling {
        TimeSpelling::Usual => {}
        TimeSpelling::Comma => {
            let message = format!("{named} has a comma before its decimals ({text}); it is read as {read}.");
            faults.push((Code::BadTimestamp, Severity::Note, message));
        }
        TimeSpelling::Loose => {
            let message =
                format!("{named} is {text:?}, which is not in the form of ISO 8601; it is read as {read}.");
            faults.push((Code::BadTimestamp, Severity::Warning, message));
        }
    }
    // A number may have been cut: a zone would make it look whole.
    if zone == Zone::Assumed && spelling != TimeSpelling::Loose {
        let message = format!("{named} has no time zone; it is read as UTC.");
        faults.push((Code::NoTimezone, Severity::Warning, message));
    }
    if when > now.plus(AHEAD) {
        let message = format!("{named} is in the future ({text}); its age counts as 0.");
        faults.push((Code::FutureTimestamp, Severity::Warning, message));
    }
    (Some(when), faults)
}

fn abridged(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
