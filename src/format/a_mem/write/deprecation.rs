//! Deprecated notes (§8.2): marks front matter, heading and text, and undoes that.

use super::field_values::timestamp;
use crate::format::notes::sections::headings;
use crate::format::writing::{Refusal, Result};
use crate::model::Moment;
use crate::text::front_matter::edit::{NewYamlValue, line_end, remove, set};
use crate::text::front_matter::{Note, YamlValue};

const MARK: &str = " (DEPRECATED)";
/// The field with the undo data: the lines of the former status, then those words below that apply.
const BEFORE: &str = "before_deprecation";
const BARE: &str = "no front matter";
/// palimp added an empty line below the block, because the text began without one.
const APART: &str = "apart";
/// The heading already had the mark.
const MARKED: &str = "marked";
/// The starts of the lines in the block below the heading.
const LINES: [&str; 3] = ["**Deprecated**: ", "**Reason**: ", "**Replacement**: "];

/// Marks a note as deprecated: in its status, update time and heading, and in a block below the heading with day,
/// reason and replacement. Its text stays. Fails if it is already deprecated, the reason is empty, the replacement
/// can't be a link, or the front matter can't be edited.
pub fn deprecate(text: &str, reason: &str, replacement: Option<&str>, now: Moment) -> Result<String> {
    let note = Note::read(text);
    if is_deprecated(&note) {
        return Err(Refusal::invalid("the note is already deprecated."));
    }
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        return Err(Refusal::bad_value("reason", &reason, "it can't be empty"));
    }
    if let Some(id) =
        replacement.filter(|id| id.trim().is_empty() || id.contains(['[', ']', '|', '#', '\n', '\r']))
    {
        return Err(Refusal::bad_value("replacement", id, "it should be the id of a note"));
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

/// Returns the note as it was before its deprecation, except for `updated`. If another program deprecated it, it
/// becomes a draft: nothing says that it is valid. Fails if it is not deprecated, or its front matter can't be
/// edited.
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
    // If the note had no text, the line end before the block is from palimp.
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
            // Another program may have edited the undo data: it may only restore a status.
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

/// Returns the end of the first top-level heading, without white space, and the start of the next line.
fn heading(body: &str) -> Option<(usize, usize)> {
    headings(body).find(|own| own.level == 1).map(|own| (own.end, own.next))
}

/// Returns the body with mark and block. `is_closed` is true if a line end precedes the body.
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
    // A last line without a line end stays without one.
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
    let lines: Vec<&str> = rest.split_inclusive('\n').collect();
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
