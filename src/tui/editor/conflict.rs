//! A memory that was changed while its form was open: before, mine and theirs, field by field.

use crate::ops::form::{Field, Form, items, joined};

/// What a field is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What was typed here.
    Mine,
    /// What is on disk now.
    Theirs,
    /// Both: one behind the other, or what either list has.
    Both,
}

impl Side {
    /// The word on screen.
    pub fn word(self) -> &'static str {
        match self {
            Side::Mine => "mine",
            Side::Theirs => "theirs",
            Side::Both => "both",
        }
    }
}

/// A field that is not the same on both sides.
#[derive(Clone, Debug)]
pub struct Differing {
    /// Its name.
    pub name: String,
    pub before: String,
    pub mine: String,
    pub theirs: String,
    pub side: Side,
    /// Whether both sides changed it, so that the user has to choose.
    pub is_contested: bool,
    pub is_list: bool,
}

/// The fields that differ, and the one under the cursor.
#[derive(Clone, Debug, Default)]
pub struct Conflict {
    pub fields: Vec<Differing>,
    pub at: usize,
    /// Whether what was typed becomes a memory of its own, and the other stays as it is.
    pub copies: bool,
}

impl Conflict {
    /// What differs between a form as it was opened, what was typed, and the form as it is on
    /// disk. What one side alone changed is taken from there, until the user says otherwise.
    pub fn of(form: &Form, mine: &[String], theirs: &Form) -> Conflict {
        let mut fields = Vec::new();
        for (field, mine) in form.fields.iter().zip(mine) {
            let at = theirs.find(&field.name);
            let their = at.map(|at| theirs.fields[at].value.as_str()).unwrap_or_default();
            fields.extend(differing(field, mine, their));
        }
        Conflict { fields, at: 0, copies: false }
    }

    /// What a field is to have, as it was chosen; `None` where it does not differ.
    pub fn value(&self, name: &str) -> Option<String> {
        self.fields.iter().find(|own| own.name == name).map(Differing::value)
    }
}

fn differing(field: &Field, mine: &str, theirs: &str) -> Option<Differing> {
    let before = field.value.as_str();
    if !super::is_open(field) || mine == theirs && before == theirs {
        return None;
    }
    let side = if mine == before { Side::Theirs } else { Side::Mine };
    Some(Differing {
        name: field.name.clone(),
        before: before.to_owned(),
        mine: mine.to_owned(),
        theirs: theirs.to_owned(),
        side,
        is_contested: mine != before && theirs != before && mine != theirs,
        is_list: field.kind.is_list(),
    })
}

impl Differing {
    /// What it is to have.
    pub fn value(&self) -> String {
        match self.side {
            Side::Mine => self.mine.clone(),
            Side::Theirs => self.theirs.clone(),
            Side::Both if self.is_list => {
                let mut all = items(&self.theirs);
                for item in items(&self.mine) {
                    if !all.contains(&item) {
                        all.push(item);
                    }
                }
                joined(&all)
            }
            Side::Both => {
                let end = if self.theirs.ends_with('\n') { "" } else { "\n" };
                format!("{}{end}{}", self.theirs, self.mine)
            }
        }
    }
}
