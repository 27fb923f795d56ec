//! The form of a record, and what follows from a changed form: assignments, findings, fixes and the
//! plan. It judges with the format's own reader, as `check` does.

pub mod edit_form;
mod editor_text;
mod field_fix;
mod finding;
mod save_copy;
#[cfg(test)]
mod tests;
mod validate;

pub use crate::format::record_form::FieldKind;
pub use edit_form::{EditForm, FormField, as_settings, form, items, joined};
pub use editor_text::{record_text, values_of};
pub use finding::{FieldFix, FormFinding, FormValidation};
pub use save_copy::copy;
pub use validate::{SavePreview, judge, verdict, with_code};

use super::is_json;
use edit_form::{at, filled, of_text};
