//! The form of a note.

use crate::format::field_reader::Need;
use crate::format::record_form::{FieldKind, RecordForm};
use crate::text::front_matter::{Note, YamlValue};

/// Returns the form of a note: its text, the known fields, and other fields of its front matter.
pub fn form(bytes: &[u8], known: Vec<(&'static str, FieldKind)>) -> RecordForm {
    let text = String::from_utf8_lossy(bytes);
    let note = Note::read(&text);
    let mut form = text_form(Need::Optional);
    if note.has_front_matter {
        for (name, kind) in known {
            form.ask(name.into(), Need::Optional, kind);
        }
    }
    for field in &note.fields {
        let kind = match &field.value {
            YamlValue::List(_) => FieldKind::Words { most: 0, longest: usize::MAX },
            YamlValue::Other(_) => FieldKind::Fixed("kept as it is written"),
            YamlValue::Text(_) | YamlValue::Null => FieldKind::Text { most: None },
        };
        form.ask(field.name.into(), Need::Optional, kind);
    }
    form
}

/// Returns the form of a record that has only a text.
pub fn text_form(need: Need) -> RecordForm {
    let mut form = RecordForm::default();
    form.ask("text".into(), need, FieldKind::Text { most: None });
    form
}
