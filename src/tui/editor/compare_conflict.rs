//! A form whose memory another program changed: before, mine and theirs are compared field by field.

use crate::ops::form::{EditForm, FormField, items, joined};

impl FieldChoice {
    pub fn word(self) -> &'static str {
        match self {
            FieldChoice::Mine => "mine",
            FieldChoice::Theirs => "theirs",
            FieldChoice::Both => "both",
        }
    }
}

impl FormConflict {
    /// Compares the opened form, the typed values and the form on disk. A field that only one side
    /// changed gets that side's text, until the user chooses another.
    pub fn of(form: &EditForm, mine: &[String], theirs: &EditForm) -> FormConflict {
        let mut fields = Vec::new();
        for (field, mine) in form.fields.iter().zip(mine) {
            let at = theirs.find(&field.name);
            let their = at.map(|at| theirs.fields[at].value.as_str()).unwrap_or_default();
            fields.extend(differing(field, mine, their));
        }
        FormConflict { fields, at: 0, saves_copy: false }
    }

    /// Returns the chosen text of a field; `None` if the field does not differ.
    pub fn value(&self, name: &str) -> Option<String> {
        self.fields.iter().find(|own| own.name == name).map(ConflictField::value)
    }
}

fn differing(field: &FormField, mine: &str, theirs: &str) -> Option<ConflictField> {
    let before = field.value.as_str();
    if !super::is_open(field) || mine == theirs && before == theirs {
        return None;
    }
    let side = if mine == before { FieldChoice::Theirs } else { FieldChoice::Mine };
    Some(ConflictField {
        name: field.name.clone(),
        before: before.to_owned(),
        mine: mine.to_owned(),
        theirs: theirs.to_owned(),
        side,
        is_contested: mine != before && theirs != before && mine != theirs,
        is_list: field.kind.is_list(),
    })
}

impl ConflictField {
    pub fn value(&self) -> String {
        match self.side {
            FieldChoice::Mine => self.mine.clone(),
            FieldChoice::Theirs => self.theirs.clone(),
            FieldChoice::Both if self.is_list => {
                let mut all = items(&self.theirs);
                for item in items(&self.mine) {
                    if !all.contains(&item) {
                        all.push(item);
                    }
                }
                joined(&all)
            }
            FieldChoice::Both => {
                let end = if self.theirs.ends_with('\n') { "" } else { "\n" };
                format!("{}{end}{}", self.theirs, self.mine)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldChoice {
    /// The text that the user typed.
    Mine,
    /// The text that is on disk.
    Theirs,
    /// Both: one text after the other, or the items of both lists.
    Both,
}

#[derive(Clone, Debug)]
pub struct ConflictField {
    pub name: String,
    pub before: String,
    pub mine: String,
    pub theirs: String,
    pub side: FieldChoice,
    /// True if both sides changed it, so that the user has to choose.
    pub is_contested: bool,
    pub is_list: bool,
}

#[derive(Clone, Debug, Default)]
pub struct FormConflict {
    pub fields: Vec<ConflictField>,
    pub at: usize,
    /// True if the typed text is saved as a new memory, and the memory on disk stays as it is.
    pub saves_copy: bool,
}
