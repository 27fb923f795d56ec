//! `palimp quarantine`: what repairs took out of files, and late writes of other programs, byte for byte.

use std::sync::Arc;

use clap::Subcommand;

use super::run_change::{request, run_change};
use super::value_parsers::limit;
use super::{Context, Exit, Failure, Limit, ReadScope, Result, load_stores, say};
use crate::disk::RealDisk;
use crate::model::plan::count_with_noun;
use crate::model::{PathText, Snapshot};
use crate::usecase::{QuarantineFile, QuarantineRestore, in_quarantine};

/// What can be done with what is in quarantine.
#[derive(Clone, Debug, Subcommand)]
pub enum QuarantineVerb {
    /// List what left the files, the newest last.
    List {
        #[command(flatten)]
        limit: Limit,
    },
    /// Show its bytes.
    Show {
        /// Its number, as `quarantine list` prints it.
        #[arg(value_parser = limit)]
        number: usize,
    },
    /// Restore it: as lines of its own at the end of its file.
    Restore {
        /// Its number, as `quarantine list` prints it.
        #[arg(value_parser = limit)]
        number: usize,
    },
}

pub fn run(context: &mut Context, what: QuarantineVerb) -> Result {
    let snapshot = match what {
        QuarantineVerb::Restore { .. } => load_stores::to_change(context, ReadScope::All)?,
        _ => load_stores::snapshot(context, ReadScope::All)?,
    };
    let all = all(context, &snapshot)?;
    let named = |number: usize| {
        let own = number.checked_sub(1).and_then(|at| all.get(at));
        own.ok_or_else(|| Failure::nothing(format!("nothing in quarantine has the number {number}.")))
    };
    match what {
        QuarantineVerb::List { limit } => {
            for (at, (store, own)) in all.iter().enumerate().skip(all.len().saturating_sub(limit.most())) {
                let row = row(&snapshot, at + 1, (*store, own));
                context.row(&row, || told(at + 1, own))?;
            }
            context.more(limit, all.len())?;
            if all.is_empty() {
                say("Quarantine is empty.");
                return Ok(Exit::Nothing);
            }
            Ok(Exit::Done)
        }
        QuarantineVerb::Show { number } => {
            let (_, own) = named(number)?;
            show(context, own)
        }
        QuarantineVerb::Restore { number } => {
            let (store, own) = named(number)?;
            let pieces = own.of.pieces.clone().into();
            let restore = QuarantineRestore { store: *store, pieces, step: own.kept.step };
            run_change(context, request(context, &snapshot, Arc::new(restore)), None)
        }
    }
}

fn all(context: &Context, snapshot: &Snapshot) -> Result<Vec<(usize, QuarantineFile)>> {
    let data = load_stores::data_folder(context)?;
    let mut found = Vec::new();
    for (number, store) in snapshot.stores.iter().enumerate() {
        found.extend(in_quarantine(&RealDisk, &data, store)?.into_iter().map(|own| (number, own)));
    }
    Ok(found)
}

fn bytes(own: &QuarantineFile) -> usize {
    own.of.pieces.iter().map(|piece| piece.bytes.len()).sum()
}

fn row(snapshot: &Snapshot, number: usize, (store, own): (usize, &QuarantineFile)) -> serde_json::Value {
    let lines: Vec<u32> = own.of.pieces.iter().map(|piece| piece.line).filter(|line| *line > 0).collect();
    serde_json::json!({
        "n": number,
        "store": snapshot.stores.get(store).map(|own| own.root.to_text().into_owned()),
        "file": own.kept.file.to_text().into_owned(),
        "step": own.kept.step,
        "at": own.kept.at.map(|at| at.to_rfc3339()),
        "lines": lines,
        "pieces": own.of.pieces.len(),
        "bytes": bytes(own),
        "erased_in_part": own.of.is_short,
        "kept_in": own.kept.path.to_text().into_owned(),
    })
}

fn told(number: usize, own: &QuarantineFile) -> String {
    let at = own.kept.at.map(|at| at.to_minute()).unwrap_or_default();
    let pieces = count_with_noun(own.of.pieces.len() as u64, "part");
    let short = if own.of.is_short { ", a part of it was erased" } else { "" };
    format!("{number:>4}  {at:16}  {}  {pieces}, {} bytes{short}", own.kept.file.to_text(), bytes(own))
}

/// Prints the bytes of each part. What is not text is escaped, as everywhere.
fn show(context: &mut Context, own: &QuarantineFile) -> Result {
    for piece in &own.of.pieces {
        let row = serde_json::json!({
            "file": piece.file.to_text().into_owned(),
            "line": piece.line,
            "byte": piece.at,
            "code": piece.code.as_str(),
            "raw": String::from_utf8_lossy(&piece.bytes),
            "raw_hex": crate::text::digest::hex(&piece.bytes),
        });
        let line = if piece.line > 0 { format!(":{}", piece.line) } else { String::new() };
        let head = format!("{}{line}  {}", piece.file.to_text(), piece.code.as_str());
        let text = String::from_utf8_lossy(&piece.bytes).into_owned();
        context.row(&row, || head)?;
        if !context.options.json {
            text.trim_end().split('\n').try_for_each(|line| context.out.line(&format!("  {line}")))?;
        }
    }
    Ok(Exit::Done)
}
