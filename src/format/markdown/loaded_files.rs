//! What a model gets of a folder when an agent starts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::family::{Family, FamilyLoad, Grammar};
use super::index_file;
use super::load_rule::LoadRule;
use super::loaded_part::LoadedPart;
use super::references::TextLink;
use crate::format::notes::note_file::stem;
use crate::model::{Document, LoadExcess, LoadSettings, LoadedExtent, LoadedFile, Moment, Role};
use crate::text::lines::lines;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Returns what is loaded of each file: the index first, then the others by their paths.
pub fn loaded(
    family: &Family,
    documents: &[Arc<Document>],
    settings: &LoadSettings,
    now: Moment,
) -> Vec<LoadedFile> {
    let files = documents.iter().filter(|document| document.role == Role::Records);
    let of_file = |document: &Arc<Document>| match family.load_rule(&document.path, settings) {
        Some(rule) => by_rule(family.grammar_of(&document.path), rule, settings, document),
        None => without_rule(family, document, now),
    };
    let mut all: Vec<LoadedFile> = files.map(of_file).collect();
    all.sort_by_key(|file| family.grammar_of(&file.path) != Grammar::Index);
    all
}

fn of_extent(document: &Document, extent: LoadedExtent) -> LoadedFile {
    LoadedFile {
        path: document.path.clone(),
        extent,
        loaded: Vec::new(),
        beyond: Vec::new(),
        limit: None,
        limit_source: None,
        excess: LoadExcess::default(),
        leads: Vec::new(),
    }
}

fn without_rule(family: &Family, own: &Document, now: Moment) -> LoadedFile {
    match family.loads {
        FamilyLoad::Whole => {
            LoadedFile { loaded: each_line(&own.bytes).collect(), ..of_extent(own, LoadedExtent::Whole) }
        }
        FamilyLoad::Names => of_extent(own, LoadedExtent::Name),
        FamilyLoad::Unknown => of_extent(own, LoadedExtent::Unknown),
        // OpenClaw loads a part of today's and yesterday's notes at the start of some sessions.
        FamilyLoad::Rules(_)
            if matches!(family.grammar_of(&own.path), Grammar::Sections(_)) && is_new(&own.path, now) =>
        {
            of_extent(own, LoadedExtent::Unknown)
        }
        FamilyLoad::Rules(_) | FamilyLoad::Nothing => of_extent(own, LoadedExtent::Nothing),
    }
}

/// True for a note of today or yesterday. The time zone of the program is unknown.
fn is_new(path: &Path, now: Moment) -> bool {
    let name = stem(path);
    (-1..=1).any(|days| name.starts_with(&Moment(now.0 - days * DAY).to_pattern("%Y-%m-%d")))
}

fn by_rule(
    grammar: Grammar,
    rule: &'static LoadRule,
    settings: &LoadSettings,
    document: &Document,
) -> LoadedFile {
    let text = String::from_utf8_lossy(&document.bytes);
    let Some(part) = LoadedPart::of(rule, grammar, settings, &text) else {
        return of_extent(document, LoadedExtent::Nothing);
    };
    let gap = part.gap.clone().unwrap_or(text.len()..text.len());
    let clip = |from: usize, to: usize| {
        let clipped = part.lines.iter().map(move |line| line.start.max(from)..line.end.min(to));
        clipped.filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    let loaded = [clip(0, gap.start), clip(gap.end, text.len())].concat();
    LoadedFile {
        leads: if grammar == Grammar::Index { leads(&text, &part.lines) } else { Vec::new() },
        loaded,
        beyond: clip(gap.start, gap.end),
        limit: Some(rule.limit(part.most)),
        limit_source: Some(rule.limit_source(settings)),
        excess: part.excess(),
        ..of_extent(document, part.extent(&text))
    }
}

/// Returns those of the lines that lead to files, with the first file of each.
fn leads(text: &str, lines: &[Range<usize>]) -> Vec<(Range<usize>, PathBuf)> {
    let links: Vec<_> = index_file::lines(text).collect();
    let lead = |line: &[TextLink<'_>]| {
        let link = line.first()?;
        let at = lines.binary_search_by_key(&link.span.range().start, |line| line.start).ok()?;
        Some((lines[at].clone(), link.path(Path::new(""))?))
    };
    links.chunk_by(|one, other| one.line == other.line).filter_map(lead).collect()
}

fn each_line(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    lines(bytes).map(|line| line.start..line.next)
}
