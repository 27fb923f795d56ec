//! A last line without an end (an open line), as an interrupted write leaves it. A change that adds
//! lines behind it ends it, too, and undo removes that end. Both contain the open line but don't
//! depend on it: other programs may continue, end or repair it, or write behind it.

use crate::model::bytes::LineBounds;
use crate::model::{Bytes, Splice};
use crate::text::lines;

/// True if the splice has no open line, or its open line is still the end of the file.
pub fn is_last(splice: &Splice, now: &[u8]) -> bool {
    !is_open(&splice.was) || splice.end() as usize == now.len()
}

/// Fits lines to the end of a file. If the last line has no end, the splice adds one.
pub fn at_end(own: Splice, before: Option<&Splice>, now: &[u8]) -> Splice {
    let is_mark = now.len() == lines::BOM.len() && now.is_at(0, lines::BOM);
    if own.start as usize != now.len() || is_mark || now.is_empty() || now.ends_at(now.len(), b"\n") {
        return own;
    }
    match before.filter(|before| before.end() as usize == now.len()) {
        Some(before) if !is_open(&before.becomes) => own,
        Some(_) => Splice { becomes: [b"\n", &own.becomes[..]].concat().into(), ..own },
        None => {
            let last = &now[now.line_before(now.len())..];
            let becomes = [last, &b"\n"[..], &own.becomes].concat();
            Splice {
                start: (now.len() - last.len()) as u64,
                was: last.into(),
                becomes: becomes.into(),
                ..own
            }
        }
    }
}

/// Returns a splice that adds lines behind an open line, without that line.
pub fn addition(splice: &Splice, now: &[u8]) -> Option<Splice> {
    let lines = behind(&splice.was, &splice.becomes)?.into();
    Some(Splice {
        start: now.len() as u64,
        was: Bytes::default(),
        becomes: lines,
        line_before: Bytes::default(),
    })
}

/// Returns a splice that removes lines behind an open line, without that line.
pub fn removal(splice: &Splice) -> Option<Splice> {
    let lines = behind(&splice.becomes, &splice.was)?;
    Some(Splice { was: lines.into(), becomes: Bytes::default(), line_before: Bytes::default(), ..*splice })
}

/// True if lines end in an open line.
pub fn is_open(lines: &[u8]) -> bool {
    !lines.is_empty() && !lines.ends_with(b"\n")
}

/// Returns the lines that `both` has behind `open`, if `open` ends in an open line.
fn behind<'a>(open: &[u8], both: &'a [u8]) -> Option<&'a [u8]> {
    let lines = both.strip_prefix(open)?.strip_prefix(b"\n")?;
    (is_open(open) && !lines.is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::super::rebase_splices::rebase;
    use crate::model::plan::apply;
    use crate::model::{Act, Change};

    const WHOLE: &str = "{\"id\":\"a\"}\n";
    const OPEN: &str = "{\"id\":\"a\"}\n{\"id\":\"b\",\"ti";
    const OURS: &str = "{\"id\":\"ours\"}\n";

    fn fitted(change: &Change, now: &str) -> Option<String> {
        let Act::Splice(splices) = &change.act else { panic!() };
        let fitted = rebase(splices, now.as_bytes()).ok()?;
        Some(String::from_utf8(apply(now.as_bytes(), &fitted)).unwrap())
    }

    /// Adds a line behind an open one, and changes the record before it.
    fn adds() -> Change {
        let edit = Change::edits("f.jsonl", OPEN.as_bytes().into(), vec![(7..8, b"z".to_vec())]);
        edit.and_append(OURS.as_bytes())
    }

    #[test]
    fn lines_go_behind_what_others_wrote_behind_an_open_line_and_cut_no_line_in_two() {
        let changed = OPEN.replace("\"a\"", "\"z\"");
        for others in
            ["", "\n", "\n{\"id\":\"late\"}\n", "tle\":1}\n", "tle\":1}\n{\"id\":\"late\"}\n", "tle"]
        {
            let now = format!("{OPEN}{others}");
            let end = if now.ends_with('\n') { "" } else { "\n" };
            assert_eq!(fitted(&adds(), &now).unwrap(), format!("{changed}{others}{end}{OURS}"), "{others}");
        }
    }

    #[test]
    fn an_open_line_that_another_took_away_or_ended_keeps_nothing_from_being_added_or_taken_back() {
        assert_eq!(fitted(&adds(), WHOLE).unwrap(), format!("{}{OURS}", WHOLE.replace('a', "z")));
        let back = Change::append("f.jsonl", OURS, Some(OPEN.as_bytes().into())).inverse();
        assert_eq!(fitted(&back, &format!("{OPEN}\n{OURS}")).unwrap(), OPEN);
        assert_eq!(fitted(&back, &format!("{WHOLE}{OURS}")).unwrap(), WHOLE);
        let ended = format!("{OPEN}tle\":1}}\n");
        assert_eq!(fitted(&back, &format!("{ended}{OURS}")).unwrap(), ended);
        assert_eq!(fitted(&back, WHOLE), None, "what is gone is not taken back");
    }
}
