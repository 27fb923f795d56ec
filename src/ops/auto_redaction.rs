//! Obeys a store's config that asks to redact what is written: only in what palimp adds or edits.

use std::collections::HashSet;
use std::ops::Range;

use super::own_operations;
use crate::check::secrets::{FieldContent, content_of, each_text, sensitive_parts};
use crate::detectors::Kind;
use crate::format::writing::{AutoRedaction, with_config};
use crate::model::plan::count_with_noun;
use crate::model::{Act, Change, Plan, Store};
use crate::text::json_edit::{JsonSplice, Tape, apply, quoted, scan};

/// Returns the rules of a store's config, if it has some and they are on.
pub(super) fn rules(store: &Store) -> Option<AutoRedaction> {
    with_config(store, own_operations(store).auto_redaction?)
}

/// Replaces sensitive values in a new record. What `before` has, too, stays: nobody writes it now. Returns the
/// number of replaced values.
pub(super) fn redacted(rules: &AutoRedaction, raw: &[u8], before: &[u8]) -> (Vec<u8>, usize) {
    let known: HashSet<Vec<u8>> = values(rules, before).into_iter().map(|(_, value)| value).collect();
    let mut places: Vec<Range<usize>> = values(rules, raw)
        .into_iter()
        .filter(|(_, value)| !known.contains(value))
        .map(|(at, _)| at)
        .collect();
    places.sort_by_key(|own| (own.start, std::cmp::Reverse(own.end)));
    let mut end = 0;
    places.retain(|own| {
        let is_free = own.start >= end;
        end = end.max(own.end);
        is_free
    });
    let quoted = quoted(&rules.replacement);
    let inner = &quoted[1..quoted.len() - 1];
    let splices = places.iter().map(|at| JsonSplice::new(at.clone(), inner)).collect();
    (apply(raw, splices), places.len())
}

/// Redacts the lines that changes add to logs. Returns the number of replaced values.
pub(super) fn redact_added(rules: &AutoRedaction, changes: &mut [Change]) -> usize {
    let mut count = 0;
    for change in changes {
        if let Act::Append(lines) = &mut change.act {
            let (new, own) = redacted_lines(rules, lines);
            if own > 0 {
                *lines = new;
                count += own;
            }
        }
    }
    count
}

pub(super) fn redacted_lines(rules: &AutoRedaction, lines: &[u8]) -> (Vec<u8>, usize) {
    let (mut new, mut count) = (Vec::with_capacity(lines.len()), 0);
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let (line, own) = redacted(rules, line, b"");
        new.extend(line);
        count += own;
    }
    (new, count)
}

pub(super) fn told_of_edit(store: &Store, plan: &Plan) -> Option<String> {
    let rules = rules(store)?;
    let count = |bytes: &[u8]| memchr::memmem::find_iter(bytes, rules.replacement.as_bytes()).count();
    let more = |change: &Change| {
        let after = change.after().map_or(0, |own| count(&own));
        after.saturating_sub(change.base.as_ref().map_or(0, |own| count(own)))
    };
    told(&rules, plan.changes.iter().map(more).sum())
}

pub(super) fn told(rules: &AutoRedaction, count: usize) -> Option<String> {
    let values = count_with_noun(count as u64, "value");
    let with = &rules.replacement;
    (count > 0).then(|| format!("auto_redaction of the store's config: {values} replaced by {with}"))
}

/// Returns the values that the rules replace, with their places: what gives access, e-mail addresses, and what
/// the config's own patterns match.
fn values(rules: &AutoRedaction, raw: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let is_asked = |kind: Kind| kind.is_secret() || kind == Kind::Email;
    let detected = sensitive_parts(raw, None).into_iter().filter(|(_, own, _)| is_asked(own.kind));
    let mut all: Vec<(Range<usize>, Vec<u8>)> = detected.map(|(at, _, value)| (at, value)).collect();
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else { return all };
    each_text(root, &mut |path, text, place| {
        let Some(free) = std::str::from_utf8(text).ok().filter(|_| content_of(path) == FieldContent::Free)
        else {
            return;
        };
        let own = rules.matches(free).into_iter();
        all.extend(own.map(|own| (place(own.start)..place(own.end), text[own].to_vec())));
    });
    all
}
