//! The form of a record, and what follows from a changed form: assignments, findings, fixes and the
//! plan. It judges with the format's own reader, as `check` does.

mod editor_text;
mod field_fix;
mod save_copy;
mod save_preview;
mod validate;

pub use crate::format::record_form::FieldKind;
pub use crate::ops::form::finding::FieldFix;
pub use crate::ops::form::finding::{FormFinding, FormValidation};
pub use editor_text::{record_text, values_of};
pub use save_copy::copy;
pub use save_preview::{SavePreview, verdict};
pub use validate::{judge, with_code};

use super::is_json;

pub mod edit_form;
mod finding;
#[cfg(test)]
mod tests;

pub use crate::ops::form::edit_form::{EditForm, FormField, as_settings, form, items, joined};
use crate::ops::form::edit_form::{at, filled, of_text};
