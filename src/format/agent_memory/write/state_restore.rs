//! Restores an unreadable state from the latest intact checkpoint and the part that can be read.

use std::sync::Arc;

use super::super::checkpoint::{bundle_of, difference, in_short, ordinal};
use super::super::state::VERSION;
use super::super::{layout, main_text::text};
use super::store_files::{Checkpoint, StoreFiles, canonical_text};
use crate::format::record_reader::{object_of, without_mark};
use crate::format::writing::RestoredDocument;
use crate::model::Document;
use crate::text::canonical::sha256_indented;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{quoted, set};
use crate::text::json_salvage::complete_object;
use crate::text::json_scanner::Tape;

/// The placeholder for a lost word.
const LOST: &str = "unknown";

pub fn from_checkpoint(documents: &[Arc<Document>], torn: &Document) -> Option<RestoredDocument> {
    let files = StoreFiles::of(documents).ok()?;
    let checkpoint = files.checkpoints.iter().rev().find(|own| is_intact(own))?;
    let survived = SurvivingState::of(&torn.bytes);
    let mut tape = Tape::default();
    let read = survived.as_ref().and_then(|own| object_of(&mut tape, &own.bytes).ok());
    let bytes = state(&files, checkpoint, survived.as_ref(), read)?;
    let said = |count: usize| if count == 1 { "checkpoint" } else { "checkpoints" };
    let later = later(documents, checkpoint.ordinal);
    let skipped = (later > 0)
        .then(|| format!("{later} later {} can't be read: what only they hold is missing.", said(later)));
    let lost = lost(survived.as_ref(), read);
    let told = [Some(compared(survived.as_ref(), &checkpoint.document.bytes)), skipped, lost];
    let when = checkpoint.created.map_or_else(String::new, |when| format!(" of {}", when.to_minute()));
    Some(RestoredDocument {
        source: format!("the checkpoint {}{when}", checkpoint.id),
        reason: told.into_iter().flatten().collect::<Vec<_>>().join(" "),
        bytes,
    })
}

/// True if the checkpoint's bundle has the hash that the checkpoint names.
fn is_intact(own: &Checkpoint<'_>) -> bool {
    let mut tape = Tape::default();
    let Ok(read) = object_of(&mut tape, &own.document.bytes) else { return false };
    let hash =
        read.get("bundle").filter(|bundle| bundle.kind() == JsonKind::Object).and_then(sha256_indented);
    hash.is_some() && text(read, "bundleHash").map(|own| own.into_owned()) == hash
}

/// Counts the later checkpoints by their file names, unreadable ones included.
fn later(documents: &[Arc<Document>], last: u64) -> usize {
    let stems =
        layout::active_checkpoints(documents).filter_map(|own| ordinal(own.path.file_stem()?.to_str()?));
    stems.filter(|own| *own > last).count()
}

/// The readable part of a cut state.
struct SurvivingState {
    bytes: Vec<u8>,
    /// The member in which the file was cut, unless that member is complete.
    cut: Option<String>,
}

impl SurvivingState {
    fn of(torn: &[u8]) -> Option<SurvivingState> {
        let body = without_mark(torn);
        let own = complete_object(body)?;
        let bytes = own.bytes(body);
        let mut tape = Tape::default();
        let last = object_of(&mut tape, &bytes).ok()?.members().last().and_then(|(name, _)| name.text());
        let cut = last.filter(|_| own.kept < body.trim_ascii_end().len() || !own.tail.is_empty());
        let cut = cut.map(|own| own.into_owned());
        Some(SurvivingState { bytes, cut })
    }

    fn member<'o>(&self, read: Option<Json<'o>>, name: &str, kind: JsonKind) -> Option<Json<'o>> {
        if self.cut.as_deref() == Some(name) {
            return None;
        }
        read?.get(name).filter(|own| own.kind() == kind)
    }
}

fn state(
    files: &StoreFiles<'_>,
    checkpoint: &Checkpoint<'_>,
    survived: Option<&SurvivingState>,
    read: Option<Json<'_>>,
) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let of = object_of(&mut tape, &checkpoint.document.bytes).ok()?;
    let member = |name: &str, kind| survived.and_then(|own| own.member(read, name, kind));
    let raw = |name: &str, kind, otherwise: &str| {
        let own = member(name, kind).map(|own| own.spelled().into_owned());
        own.unwrap_or_else(|| otherwise.to_owned())
    };
    let provider = format!("{{\"binary\":null,\"model\":null,\"name\":{},\"sessionId\":null}}", quoted(LOST));
    let members = [
        ("schemaVersion", VERSION.to_string()),
        ("generatorVersion", raw("generatorVersion", JsonKind::String, &quoted(LOST))),
        ("provider", raw("provider", JsonKind::Object, &provider)),
        ("generatedAt", of.get("createdAt")?.spelled().into_owned()),
        ("bundleHash", quoted(&text(of, "bundleHash")?)),
        ("bundle", of.get("bundle")?.spelled().into_owned()),
        ("maintenance", raw("maintenance", JsonKind::Object, "{\"recallCursors\":{}}")),
    ];
    let mut bytes = b"{}".to_vec();
    for (name, value) in members {
        bytes = set(&bytes, &[name], &value).ok()?;
    }
    let counts = [
        ("historyEventCount", StoreFiles::count(files.events).to_string()),
        ("importSourceCount", StoreFiles::count(files.sources).to_string()),
        ("latestCheckpointId", quoted(checkpoint.id)),
    ];
    for (name, value) in counts {
        bytes = set(&bytes, &["maintenance", name], &value).ok()?;
    }
    canonical_text(&bytes).ok()
}

/// Says how the checkpoint differs from the readable part of the state.
fn compared(survived: Option<&SurvivingState>, checkpoint: &[u8]) -> String {
    let (mut one, mut other) = (Tape::default(), Tape::default());
    let own = survived.and_then(|own| bundle_of(&mut one, &own.bytes));
    let Some((own, of)) = own.zip(bundle_of(&mut other, checkpoint)) else {
        return "No part of its bundle can be read.".into();
    };
    match difference(own, of).as_slice() {
        [] => "It agrees with the bundle of the file.".into(),
        all => format!("Different from the readable part of the file: {}.", in_short(all)),
    }
}

/// Names the members that are lost and that no checkpoint has.
fn lost(survived: Option<&SurvivingState>, read: Option<Json<'_>>) -> Option<String> {
    let all = [
        ("generatorVersion", JsonKind::String),
        ("provider", JsonKind::Object),
        ("maintenance", JsonKind::Object),
    ];
    let is_lost =
        |(name, kind): &(&str, JsonKind)| survived.is_none_or(|own| own.member(read, name, *kind).is_none());
    let lost: Vec<&str> = all.iter().filter(|own| is_lost(own)).map(|(name, _)| *name).collect();
    let told = "In no checkpoint, and filled in with empty values";
    (!lost.is_empty()).then(|| format!("{told}: {}.", lost.join(", ")))
}
