//! The form of a record: its fields and faults. The code of `check` fills it, so the two can't differ.

use super::field_reader::Fault;

/// The kind of value in a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    Text {
        /// The most characters, if limited.
        most: Option<usize>,
    },
    /// One of these words.
    Word {
        words: Vec<String>,
        /// True if another word is an error, false if it is only unusual.
        is_closed: bool,
    },
    Number {
        /// The least and the greatest value.
        range: Option<(f64, f64)>,
        /// True for whole numbers only.
        is_whole: bool,
    },
    /// True or false.
    Flag,
    /// A list of texts.
    Words {
        /// The most texts; 0 for no limit.
        most: usize,
        /// The most characters of each.
        longest: usize,
    },
    /// A timestamp.
    Moment,
    /// A list of ids of other records.
    References,
    /// Any JSON value.
    Json,
    /// A value that can't be edited, with the reason.
    Fixed(&'static str),
}

impl FieldKind {
    /// A list of texts without a limit.
    pub const ANY_WORDS: FieldKind = FieldKind::Words { most: 0, longest: usize::MAX };

    /// Returns the kind of one of these words.
    pub fn word(words: &[&str], is_closed: bool) -> FieldKind {
        FieldKind::Word { words: words.iter().map(|word| (*word).to_owned()).collect(), is_closed }
    }

    /// True if its value is a string.
    pub fn is_text(&self) -> bool {
        matches!(self, FieldKind::Text { .. } | FieldKind::Word { .. } | FieldKind::Moment)
    }

    /// True if its value is a list of texts.
    pub fn is_list(&self) -> bool {
        matches!(self, FieldKind::Words { .. } | FieldKind::References)
    }

    /// Describes the expected value in the words of the specifications.
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
    /// The dotted name in the format's specification.
    pub name: String,
    /// The kind of its value.
    pub kind: FieldKind,
}

/// The fields of a record, and its faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordForm {
    /// The fields in the order in which they are read.
    pub fields: Vec<FieldSpec>,
    /// The faults, each with the index of its field, if it has one.
    pub faults: Vec<(Option<usize>, Fault)>,
    /// The most bytes of the whole record.
    pub most_bytes: Option<usize>,
    at: Option<usize>,
}

impl RecordForm {
    /// Adds a field unless it is known. The first question about a field decides its kind.
    pub fn ask(&mut self, name: String, kind: FieldKind) {
        let known = self.fields.iter().position(|field| field.name == name);
        self.at = Some(known.unwrap_or(self.fields.len()));
        if known.is_none() {
            self.fields.push(FieldSpec { name, kind });
        }
    }

    /// Sets the limit of the whole record. Faults that follow belong to the whole record.
    pub fn ask_whole(&mut self, most_bytes: usize) {
        self.most_bytes = Some(most_bytes);
        self.at = None;
    }

    /// Adds a fault of the last field asked for.
    pub fn add(&mut self, fault: &Fault) {
        self.faults.push((self.at, fault.clone()));
    }
}
