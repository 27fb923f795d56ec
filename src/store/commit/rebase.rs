//! A change that was planned on a file as it was, on the file as it is.
//!
//! A splice names the lines that it replaces. Where they stand elsewhere now, it moves
//! there; where a record has changed since in other members than the splice changes, both
//! changes hold; anything else is a conflict, which the user sees and nobody settles.

use std::collections::BTreeMap;

use crate::model::Splice;
use crate::text::edit;
use crate::text::json::{Json, Kind};
use crate::text::lines;
use crate::text::scan::Tape;

/// Lines that are not there any more, or not as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lines as the plan knows them.
    pub planned: Vec<u8>,
    /// What stands there now, if something can be told to be the same record.
    pub found: Option<Vec<u8>>,
}

/// The splices as they fit `now`.
pub fn rebase(splices: &[Splice], now: &[u8]) -> Result<Vec<Splice>, Conflict> {
    let mut places = Places::of(now);
    let mut moved: Vec<Splice> = Vec::new();
    for splice in splices {
        moved.push(places.fit(splice, now)?);
    }
    moved.sort_by_key(|splice| splice.start);
    let overlaps = moved.windows(2).find(|pair| pair[0].start + pair[0].was.len() as u64 > pair[1].start);
    match overlaps {
        Some(pair) => Err(Conflict { planned: pair[1].was.clone(), found: None }),
        None => Ok(moved),
    }
}

/// Whether every splice fits where it says.
pub fn fits(splices: &[Splice], now: &[u8]) -> bool {
    splices.iter().all(|splice| {
        let start = splice.start as usize;
        let stands = now.get(start..start + splice.was.len()) == Some(&splice.was[..]);
        let starts = start == 0 || now.get(start - 1) == Some(&b'\n');
        stands && starts && (!splice.was.is_empty() || now[..start].ends_with(&splice.behind))
    })
}

/// Where lines stand, and where to go on looking for the next of equal ones.
struct Places<'a> {
    from: BTreeMap<&'a [u8], usize>,
    starts: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(now: &'a [u8]) -> Self {
        let starts = lines::lines(now).map(|line| line.start).collect();
        Places { from: BTreeMap::new(), starts }
    }

    fn fit(&mut self, splice: &Splice, now: &'a [u8]) -> Result<Splice, Conflict> {
        if splice.was.is_empty() {
            let start = match splice.behind.is_empty() {
                true => 0,
                false => self.find(&splice.behind, now).map_or(now.len(), |at| at + splice.behind.len()),
            };
            // At the end of a file without a last line end, the lines bring one along.
            let glued = start == now.len() && !now.is_empty() && now.last() != Some(&b'\n');
            let mut becomes = if glued { b"\n".to_vec() } else { Vec::new() };
            becomes.extend_from_slice(&splice.becomes);
            // The last line of a file may have had none.
            if start < now.len() && !becomes.ends_with(b"\n") {
                becomes.push(b'\n');
            }
            return Ok(Splice { start: start as u64, becomes, ..splice.clone() });
        }
        if let Some(start) = self.find(&splice.was, now) {
            return Ok(Splice { start: start as u64, ..splice.clone() });
        }
        self.merged(splice, now)
    }

    /// Where those whole lines stand, each place once.
    fn find(&mut self, wanted: &[u8], now: &'a [u8]) -> Option<usize> {
        let from = self.from.get(wanted).copied().unwrap_or(0);
        let first = self.starts.partition_point(|start| *start < from);
        let ends = |at: usize| wanted.ends_with(b"\n") || now.get(at).is_none_or(|byte| *byte == b'\n');
        let stands = |start: usize| now[start..].starts_with(wanted) && ends(start + wanted.len());
        let at = self.starts[first..].iter().copied().find(|&start| stands(start))?;
        self.from.insert(&now[at..at + wanted.len()], at + wanted.len());
        Some(at)
    }

    /// The record of the same id, where it changed in other members than the splice changes.
    fn merged(&mut self, splice: &Splice, now: &'a [u8]) -> Result<Splice, Conflict> {
        let conflict =
            |found: Option<&[u8]>| Conflict { planned: splice.was.clone(), found: found.map(<[u8]>::to_vec) };
        let id = id_of(&splice.was).ok_or_else(|| conflict(None))?;
        let theirs =
            lines::lines(now).find(|line| id_of(&now[line.start..line.next]).as_deref() == Some(&id));
        let theirs = theirs.ok_or_else(|| conflict(None))?;
        let (start, end) = (theirs.start, theirs.next);
        let merged = merge(&splice.was, &splice.becomes, &now[start..end]);
        let becomes = merged.ok_or_else(|| conflict(Some(&now[start..end])))?;
        Ok(Splice {
            start: start as u64,
            was: now[start..end].to_vec(),
            becomes,
            behind: splice.behind.clone(),
        })
    }
}

/// The id of the one record that is all of a line.
fn id_of(line: &[u8]) -> Option<String> {
    let mut tape = Tape::default();
    let record = edit::scan(&mut tape, line).ok().filter(|record| record.kind() == Kind::Object)?;
    record.get("id")?.text().map(|id| id.into_owned())
}

/// `theirs` with what changed from `was` to `becomes`, if no member changed on both sides.
pub fn merge(was: &[u8], becomes: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let (mut one, mut two, mut three) = (Tape::default(), Tape::default(), Tape::default());
    let before = members(edit::scan(&mut one, was).ok()?)?;
    let ours = members(edit::scan(&mut two, becomes).ok()?)?;
    let other = members(edit::scan(&mut three, theirs).ok()?)?;
    let mut merged = theirs.to_vec();
    let names = before.keys().chain(ours.keys()).collect::<std::collections::BTreeSet<_>>();
    for name in names {
        let (old, new, their) = (before.get(name), ours.get(name), other.get(name));
        if old == new || new == their {
            continue;
        }
        // A digest of the whole record can't be merged; it is made anew by whoever edits next.
        if old != their {
            return None;
        }
        merged = match new {
            Some(raw) => edit::set(&merged, &[name], std::str::from_utf8(raw).ok()?).ok()?,
            None => edit::remove(&merged, &[name]).ok()?,
        };
    }
    Some(merged)
}

fn members<'a>(record: Json<'a>) -> Option<BTreeMap<String, &'a [u8]>> {
    (record.kind() == Kind::Object).then(|| {
        record
            .members()
            .map(|(key, value)| (key.text().unwrap_or_default().into_owned(), value.raw()))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Change;

    fn splices(base: &str, from: &str, to: &str) -> Vec<Splice> {
        let at = base.find(from).unwrap();
        let change = Change::edits("f", base.as_bytes().into(), vec![(at..at + from.len(), to.into())]);
        let crate::model::Act::Splice(splices) = change.act else { panic!() };
        splices
    }

    fn moved(base: &str, from: &str, to: &str, now: &str) -> Result<String, Conflict> {
        let splices = rebase(&splices(base, from, to), now.as_bytes())?;
        assert!(fits(&splices, now.as_bytes()));
        Ok(String::from_utf8(crate::model::plan::apply(now.as_bytes(), &splices)).unwrap())
    }

    const BASE: &str = "{\"id\":\"a\",\"x\":1,\"y\":1}\n{\"id\":\"b\"}\n";

    #[test]
    fn an_edit_follows_its_line() {
        let now = "{\"id\":\"new\"}\n{\"id\":\"b\"}\n{\"id\":\"a\",\"x\":1,\"y\":1}\n";
        assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", now).unwrap(), now.replace("\"x\":1", "\"x\":2"));
    }

    #[test]
    fn changes_of_different_members_both_hold() {
        let now = BASE.replace("\"y\":1", "\"y\":9,\"z\":3");
        assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", &now).unwrap(), now.replace("\"x\":1", "\"x\":2"));
    }

    #[test]
    fn a_change_of_the_same_member_is_a_conflict_and_so_is_a_record_that_went() {
        let now = BASE.replace("\"x\":1", "\"x\":7");
        let conflict = moved(BASE, "\"x\":1", "\"x\":2", &now).unwrap_err();
        assert_eq!(
            conflict.found.as_deref(),
            now.lines().next().map(|line| [line, "\n"].concat()).as_deref().map(str::as_bytes)
        );
        assert_eq!(moved(BASE, "\"x\":1", "\"x\":2", "{\"id\":\"b\"}\n").unwrap_err().found, None);
        let whole = "{\"id\":\"a\",\"x\":1,\"y\":1}\n";
        assert!(
            moved(BASE, whole, "", &BASE.replace("\"y\":1", "\"y\":2")).is_err(),
            "what changed is not removed"
        );
    }

    #[test]
    fn a_last_line_without_an_end_that_comes_back_before_others_gets_one() {
        let gone = splices("{\"id\":\"a\"}\n{\"id\":\"b\"}", "{\"id\":\"b\"}", "");
        let back = crate::model::plan::inverse(&gone);
        let now = b"{\"id\":\"a\"}\n{\"id\":\"new\"}\n{\"id\":\"c\"}\n";
        let fit = rebase(&back, now).unwrap();
        let text = String::from_utf8(crate::model::plan::apply(now, &fit)).unwrap();
        assert_eq!(text, "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"new\"}\n{\"id\":\"c\"}\n");
    }

    #[test]
    fn lines_that_come_back_stand_behind_the_line_they_stood_behind() {
        let splices = splices(BASE, "{\"id\":\"b\"}\n", "");
        let back = crate::model::plan::inverse(&splices);
        let now = b"{\"id\":\"new\"}\n{\"id\":\"a\",\"x\":1,\"y\":1}\n{\"id\":\"c\"}";
        let fit = rebase(&back, now).unwrap();
        let text = String::from_utf8(crate::model::plan::apply(now, &fit)).unwrap();
        assert_eq!(text, "{\"id\":\"new\"}\n{\"id\":\"a\",\"x\":1,\"y\":1}\n{\"id\":\"b\"}\n{\"id\":\"c\"}");
    }
}
