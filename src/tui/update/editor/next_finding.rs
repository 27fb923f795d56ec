//! Goes to the next or previous field with a problem.

use crate::tui::state::app::App;

pub fn to_finding(app: &mut App, ahead: bool) {
    let Some(editor) = &mut app.editor else { return };
    let mut fields: Vec<usize> = editor.judged.findings.iter().filter_map(|own| own.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let own = editor.field;
    let next = match ahead {
        true => fields.iter().find(|at| **at > own).or(fields.first()),
        false => fields.iter().rev().find(|at| **at < own).or(fields.last()),
    };
    match next {
        Some(at) => editor.field = *at,
        None => app.say("No problem is in this form."),
    }
}
