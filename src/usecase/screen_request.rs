//! Completes what a screen asks for: which memories hold a value, and the key of pseudonyms.
//!
//! Both need the disk, so they are found in the background, when the change is planned.

use super::command::ChangeCommand;
use super::deleted_records::with_deleted;
use super::request::ChangeRequest;
use super::triage::Triage;
use super::value_holders::{SHORTEST_VALUE, ValueHolders};
use crate::disk::host::Host;
use crate::ops::redact::{Redaction, RedactionStyle};

/// Returns the request with what it lacks.
///
/// # Errors
///
/// If a value must not be erased everywhere, or if palimp's own data can't be read.
pub(super) fn complete(mut request: ChangeRequest, host: Host<'_>) -> Result<ChangeRequest, String> {
    match &mut request.command {
        ChangeCommand::Erase(asked) if !asked.values.is_empty() && request.at.is_empty() => {
            with_holders(request)
        }
        ChangeCommand::Redact(own) if own.key.is_empty() => {
            give_key(own, host)?;
            Ok(request)
        }
        _ => Ok(request),
    }
}

/// Adds the memories that hold the values, deleted ones too.
fn with_holders(request: ChangeRequest) -> Result<ChangeRequest, String> {
    let ChangeCommand::Erase(asked) = &request.command else { return Ok(request) };
    let short = asked.values.all().iter().map(|own| own.len()).find(|len| *len < SHORTEST_VALUE);
    if let Some(len) = short {
        return Err(format!(
            "A value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance. Nothing was changed."
        ));
    }
    let snapshot = with_deleted(&request.snapshot, &request.data, request.now)?;
    let holders = ValueHolders::of(&snapshot, &asked.values);
    match holders.refusal() {
        Some(why) => Err(format!("{why} Nothing was changed.")),
        None => Ok(ChangeRequest { snapshot, at: holders.found, ..request }),
    }
}

/// Gives a redaction the key of this user. The key is kept before it is used, so that the same value has the same
/// name later.
fn give_key(redaction: &mut Redaction, host: Host<'_>) -> Result<(), String> {
    let mut triage = Triage::kept_in(host.data)?;
    redaction.key = triage.key(host.machine.random());
    match redaction.style {
        RedactionStyle::Pseudonym => triage.keep_in(host.data),
        RedactionStyle::Mask | RedactionStyle::Label => Ok(()),
    }
}
