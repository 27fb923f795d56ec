//! Notes that no longer hold (§8.2): marked in front matter, heading and text, and back.

use super::{bad_value, timestamp};
use crate::format::writing::{Refusal, Result};
use crate::model::Moment;
use crate::text::front_matter::edit::{NewYamlValue, line_end, remove, set};
use crate::text::front_matter::{Note, YamlValue};
use crate::text::lines;

/// What a heading ends in.
const MARK: &str = " (DEPRECATED)";
/// The field that keeps what it takes to go back: the lines of the former status, and then
/// which of the words below hold.
const BEFORE: &str = "before_deprecation";
/// The note had no front matter.
const BARE: &str = "no front matter";
/// A blank line was put below the reason, for the text began without one.
const APART: &str = "apart";
/// The heading bore the mark already.
const MARKED: &str = "marked";
/// What the lines below the heading start with.
const LINES: [&str; 3] = ["**Deprecated**: ", "**Reason**: ", "**Replacement**: "];

/// The note marked as deprecated: its status, when it was updated, its heading, and below
/// that day, reason and what replaces it. Its text stays.
///
/// # Errors
///
/// If it is deprecated already, the reason is empty, the replacement can't be linked to, or
/// its front matter can't be edited.
pub fn deprecate(text: &str, reason: &str, replacement: Option<&str>, now: Moment) -> Result<String> {
    let note = Note::read(text);
    if is_deprecated(&note) {
        return Err(Refusal::invalid("the note is already deprecated."));
    }
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        return Err(bad_value("reason", &reason, "it can't be empty"));
    }
    if let Some(id) =
        replacement.filter(|id| id.trim().is_empty() || id.contains(['[', ']', '|', '#', '\n', '\r']))
    {
        return Err(bad_value("replacement", id, "it should be the id of a note"));
    }
    let status = note.field("status").and_then(|field| text.get(field.span.clone())).unwrap_or_default();
    let end = line_end(text);
    let mut before = vec![status.strip_suffix(end).unwrap_or(status).to_owned()];
    if !note.has_front_matter {
        before.push(BARE.into());
    }
    let head = text.get(..note.body.start).unwrap_or_default();
    let body = text.get(note.body.clone()).unwrap_or_default();
    let is_closed = !note.has_front_matter || head.ends_with('\n');
    let new_body = marked(body, &written(&reason, replacement, now), end, is_closed, &mut before);
    let out = set(&[head, &new_body].concat(), "status", NewYamlValue::Text("deprecated"))?;
    let out = set(&out, "updated", NewYamlValue::Text(&timestamp(now)))?;
    Ok(set(&out, BEFORE, NewYamlValue::List(&before))?)
}

/// The note as it was before it was deprecated, but for `updated`. One that others have
/// deprecated becomes a draft, for nobody has said that it holds.
///
/// # Errors
///
/// If it is not deprecated, or its front matter can't be edited.
pub fn undeprecate(text: &str) -> Result<String> {
    let note = Note::read(text);
    if !is_deprecated(&note) {
        return Err(Refusal::invalid("the note is not deprecated."));
    }
    let before = note.field(BEFORE).map(|field| field.value.texts());
    let has = |word: &str| before.iter().flatten().skip(1).any(|own| *own == word);
    let body = text.get(note.body.clone()).unwrap_or_default();
    let left = unmarked(body, has(APART), has(MARKED));
    if has(BARE) && note.fields.iter().all(|own| ["status", "updated", BEFORE].contains(&own.name)) {
        let start = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        return Ok([start, &left].concat());
    }
    let head = text.get(..note.body.start).unwrap_or_default();
    // Where nothing was below, the block was the last line, and its line end was ours.
    let was_open = left.is_empty() && !body.is_empty() && !body.ends_with('\n');
    let end = line_end(text);
    let head = if was_open { head.strip_suffix(end).unwrap_or(head) } else { head };
    let body = left;
    let out = [head, &body].concat();
    let out = remove(&out, BEFORE)?;
    let draft = || Ok(set(&out, "status", NewYamlValue::Text("draft"))?);
    match before.as_ref().and_then(|before| before.first()) {
        None => draft(),
        Some(&"") => Ok(remove(&out, "status")?),
        Some(status) => {
            let note = Note::read(&out);
            let span = note.field("status").map(|field| field.span.clone()).unwrap_or_default();
            let (before, after) = (out.get(..span.start), out.get(span.end..));
            let end = if status.ends_with('\n') { "" } else { end };
            let back = [before.unwrap_or_default(), status, end, after.unwrap_or_default()].concat();
            // What was kept may have been edited since: only a status may come back.
            let read = Note::read(&back);
            let names =
                |note: &Note<'_>| note.fields.iter().map(|own| own.name.to_owned()).collect::<Vec<_>>();
            let is_back = names(&read) == names(&note) && back.get(read.body.clone()) == out.get(note.body);
            if is_back && !is_deprecated(&read) { Ok(back) } else { draft() }
        }
    }
}

fn is_deprecated(note: &Note<'_>) -> bool {
    let is_word = |value: &YamlValue<'_>| matches!(value, YamlValue::Text(word) if word == "deprecated");
    note.field("status").is_some_and(|field| is_word(&field.value))
}

fn written(reason: &str, replacement: Option<&str>, now: Moment) -> Vec<String> {
    let mut lines =
        vec![format!("{}{}", LINES[0], now.to_pattern("%Y-%m-%d")), format!("{}{reason}", LINES[1])];
    lines.extend(replacement.map(|id| format!("{}[[{}]]", LINES[2], id.trim())));
    lines
}

/// Where the first heading of the first level ends, without white space behind it, and
/// where the line below it starts.
fn heading(body: &str) -> Option<(usize, usize)> {
    let mut fence = None;
    for line in lines::lines(body.as_bytes()) {
        let text = body.get(line.start..line.end)?;
        let mark = ["```", "~~~"].into_iter().find(|mark| text.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if text.starts_with("# ") && !text.trim_end().is_empty() => {
                return Some((line.start + text.trim_end().len(), line.next));
            }
            _ => {}
        }
    }
    None
}

/// The body with the mark and the block in it. `is_closed` says whether a line end is
/// before it.
fn marked(body: &str, block: &[String], end: &str, is_closed: bool, before: &mut Vec<String>) -> String {
    let (title, below) = heading(body).unwrap_or((0, 0));
    let (title_text, rest) = (body.get(..title).unwrap_or_default(), body.get(below..).unwrap_or_default());
    let mark = if title == 0 { "" } else { MARK };
    let mark = if title_text.ends_with(MARK) {
        before.push(MARKED.into());
        ""
    } else {
        mark
    };
    let gap = body.get(title..below).unwrap_or_default();
    let block = block.join(end);
    // A heading without a line end is the last line, and the last one stays without.
    if title > 0 && !gap.ends_with('\n') || body.is_empty() && !is_closed {
        return [title_text, mark, gap, end, end, &block].concat();
    }
    let is_apart = !rest.is_empty() && !rest.starts_with(['\n', '\r']);
    if is_apart {
        before.push(APART.into());
    }
    [title_text, mark, gap, end, &block, end, if is_apart { end } else { "" }, rest].concat()
}

fn unmarked(body: &str, is_apart: bool, was_marked: bool) -> String {
    let (title, below) = heading(body).unwrap_or((0, 0));
    let title_text = body.get(..title).unwrap_or_default();
    let kept = title_text.strip_suffix(MARK).filter(|_| !was_marked).unwrap_or(title_text);
    let gap = body.get(title..below).unwrap_or_default();
    let rest = body.get(below..).unwrap_or_default();
    let lines: Vec<&str> =
        lines::lines(rest.as_bytes()).filter_map(|line| rest.get(line.start..line.next)).collect();
    let is_blank = |at: usize| lines.get(at).is_some_and(|line| line.trim().is_empty());
    let from = usize::from(is_blank(0));
    let mut at = from;
    for start in LINES {
        at += usize::from(lines.get(at).is_some_and(|line| line.starts_with(start)));
    }
    if at == from {
        return [kept, gap, rest].concat();
    }
    let is_last = at == lines.len() && lines.last().is_some_and(|line| !line.ends_with('\n'));
    let gap = if is_last { gap.trim_end_matches(['\n', '\r']) } else { gap };
    at += usize::from(is_apart && is_blank(at));
    let left: String = lines.into_iter().skip(at).collect();
    [kept, gap, &left].concat()
}
