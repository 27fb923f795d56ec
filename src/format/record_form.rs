//! The form of a record: the fields that its reader asked it for, what it asked of each,
//! and what it found wrong with them. It is written down while the record is read as
//! `check` reads it, so that the two can't differ.

use super::field_reader::{Fault, Need};

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// A text, of so many characters at most where there is a limit.
    Text {
        /// Characters.
        most: Option<usize>,
    },
    /// One of these words.
    Word {
        /// The words.
        words: Vec<String>,
        /// Whether another word is an error, and not only unusual.
        is_closed: bool,
    },
    /// A number.
    Number {
        /// The least and the greatest.
        range: Option<(f64, f64)>,
        /// Whether it is a whole one.
        is_whole: bool,
    },
    /// True or false.
    Flag,
    /// A list of texts.
    Words {
        /// How many at most; 0 where there is no limit.
        most: usize,
        /// Characters that each may have.
        longest: usize,
    },
    /// A timestamp.
    Moment,
    /// A list of ids of other records.
    References,
    /// Any JSON value.
    Json,
    /// Shown and kept as it is, with the reason.
    Fixed(&'static str),
}

impl FieldKind {
    /// Whether its value is a string.
    pub fn is_text(&self) -> bool {
        matches!(self, FieldKind::Text { .. } | FieldKind::Word { .. } | FieldKind::Moment)
    }

    /// Whether its value is a list of texts.
    pub fn is_list(&self) -> bool {
        matches!(self, FieldKind::Words { .. } | FieldKind::References)
    }

    /// What it asks for, in the words of the specifications.
    pub fn wants(&self) -> String {
        match self {
            FieldKind::Text { most: Some(most) } => format!("text, {most} characters at most"),
            FieldKind::Text { most: None } => "text".into(),
            FieldKind::Word { words, .. } => words.join(" · "),
            FieldKind::Number { range: Some((least, most)), .. } if most.is_finite() => {
                format!("number from {least} to {most}")
            }
            FieldKind::Number { is_whole: true, .. } => "whole number, 0 or more".into(),
            FieldKind::Number { .. } => "number".into(),
            FieldKind::Flag => "true · false".into(),
            FieldKind::Words { most, longest } => {
                let most = if *most > 0 { format!("{most} at most, ") } else { String::new() };
                let longest = match *longest {
                    usize::MAX => String::new(),
                    longest => format!("{longest} characters each, "),
                };
                format!("list: {most}{longest}commas between")
            }
            FieldKind::Moment => "ISO 8601 timestamp with its zone".into(),
            FieldKind::References => "ids of other memories, commas between".into(),
            FieldKind::Json => "JSON".into(),
            FieldKind::Fixed(why) => (*why).into(),
        }
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSpec {
    /// Its name in the format's specification, dotted where nested.
    pub name: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether it must be there.
    pub need: Need,
}

/// The fields of a record, and its faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordForm {
    /// In the order in which they are read.
    pub fields: Vec<FieldSpec>,
    /// Each with the number of its field, where it has one.
    pub faults: Vec<(Option<usize>, Fault)>,
    /// Bytes that the whole record may have.
    pub most_bytes: Option<usize>,
    at: Option<usize>,
}

impl RecordForm {
    /// A field is asked for. The first question about it says what it is.
    pub fn ask(&mut self, name: String, need: Need, kind: FieldKind) {
        let known = self.fields.iter().position(|field| field.name == name);
        self.at = Some(known.unwrap_or(self.fields.len()));
        if known.is_none() {
            self.fields.push(FieldSpec { name, kind, need });
        }
    }

    /// What follows is about the whole record.
    pub fn ask_whole(&mut self, most_bytes: usize) {
        self.most_bytes = Some(most_bytes);
        self.at = None;
    }

    /// What was asked for last has a fault.
    pub fn add(&mut self, fault: &Fault) {
        self.faults.push((self.at, fault.clone()));
    }
}
