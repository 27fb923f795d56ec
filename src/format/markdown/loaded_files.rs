//! What a model gets of a folder when an agent starts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::facts::is_daily;
use super::family::{Family, FamilyLoad, Grammar};
use super::index_file;
use super::load_part::LoadPart;
use super::load_rule::{LoadCut, LoadRule};
use super::loaded_part::LoadedPart;
use super::references::TextLink;
use crate::format::notes::note_file::stem;
use crate::model::{Document, LoadExcess, LoadLimit, LoadSettings, LoadedExtent, LoadedFile, Moment, Role};
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
    let files = documents.iter().filter(|own| own.role == Role::Records);
    let of_file = |own: &Arc<Document>| match family.load_rule(&own.path, settings) {
        Some(rule) => by_rule(family.grammar_of(&own.path), rule, settings, own),
        None => without_rule(family, own, now),
    };
    let mut all: Vec<LoadedFile> = files.map(of_file).collect();
    let is_index = |own: &LoadedFile| family.grammar_of(&own.path) == Grammar::Index;
    all.sort_by_key(|own| !is_index(own));
    all
}

fn of_extent(own: &Document, extent: LoadedExtent) -> LoadedFile {
    LoadedFile {
        path: own.path.clone(),
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
        FamilyLoad::Rules(_) if is_daily(&own.path) && is_new(&own.path, now) => {
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

fn by_rule(grammar: Grammar, rule: &LoadRule, settings: &LoadSettings, own: &Document) -> LoadedFile {
    let text = String::from_utf8_lossy(&own.bytes);
    let file =
        LoadedFile { limit_source: Some(rule.limit_source(settings)), ..of_extent(own, LoadedExtent::Whole) };
    if let Some(part) = LoadedPart::of(&text, rule) {
        return LoadedFile {
            extent: part.cut.map_or(LoadedExtent::Whole, LoadedExtent::UpTo),
            excess: part.excess(),
            leads: leads(&own.bytes, &part.loaded),
            loaded: part.loaded,
            beyond: part.beyond,
            limit: Some(rule.limit),
            ..file
        };
    }
    let Some(part) = LoadPart::of(rule, grammar, settings, &text) else {
        return of_extent(own, LoadedExtent::Nothing);
    };
    let more = part.excess();
    let is_bytes = matches!(rule.limit, LoadLimit::Bytes(_));
    let extent = match part.gap_lines(&text) {
        Some((first, last)) => LoadedExtent::Ends(first, last),
        None if more > 0 && rule.cut == LoadCut::Unknown => LoadedExtent::Unknown,
        None => LoadedExtent::Whole,
    };
    let gap = part.gap.unwrap_or(own.bytes.len()..own.bytes.len());
    let cut = |from: usize, to: usize| {
        let within = move |line: Range<usize>| line.start.max(from)..line.end.min(to);
        each_line(&own.bytes).map(within).filter(|own| !own.is_empty())
    };
    LoadedFile {
        extent,
        loaded: cut(0, gap.start).chain(cut(gap.end, own.bytes.len())).collect(),
        beyond: cut(gap.start, gap.end).collect(),
        limit: Some(if is_bytes { LoadLimit::Bytes(part.limit) } else { LoadLimit::Characters(part.limit) }),
        excess: LoadExcess {
            lines: 0,
            bytes: if is_bytes { more } else { 0 },
            characters: if is_bytes { 0 } else { more },
        },
        ..file
    }
}

/// Returns those of the lines that lead to files, with the first file of each.
fn leads(bytes: &[u8], lines: &[Range<usize>]) -> Vec<(Range<usize>, PathBuf)> {
    let text = String::from_utf8_lossy(bytes);
    let links: Vec<_> = index_file::lines(&text).collect();
    let lead = |line: &[TextLink<'_>]| {
        let link = line.first()?;
        let at = lines.binary_search_by_key(&link.span.range().start, |own| own.start).ok()?;
        Some((lines[at].clone(), link.path(Path::new(""))?))
    };
    links.chunk_by(|one, other| one.line == other.line).filter_map(lead).collect()
}

fn each_line(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    lines(bytes).map(|line| line.start..line.next)
}
