//! Changes of several records: those that can't be changed are left out and counted with the reason.

use std::collections::HashSet;

use super::{Refusal, Result};
use crate::model::Entry;

/// Records that are left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRecords<T = Entry> {
    /// The records.
    pub which: Vec<T>,
    /// The reason, in sentences. May quote the store.
    pub reason: String,
}

/// The result for the records that can be changed, and the records that can't.
pub struct BulkOutcome<T> {
    /// The result for `entries`; `None` if there are none.
    pub result: Option<T>,
    /// The records that can be changed.
    pub entries: Vec<Entry>,
    /// The records that can't be changed, the most frequent reason first.
    pub skipped: Vec<SkippedRecords>,
}

/// Adds records to the skipped ones of the same reason.
pub fn add_skipped<T: Clone>(left: &mut Vec<SkippedRecords<T>>, which: &[T], reason: &str) {
    match left.iter_mut().find(|own| own.reason == reason) {
        Some(own) => own.which.extend_from_slice(which),
        None => left.push(SkippedRecords { which: which.to_vec(), reason: reason.to_owned() }),
    }
    left.sort_by_key(|own| std::cmp::Reverse(own.which.len()));
}

/// Calls `make` with the entries that `may` allows. If there is only one entry, its refusal is
/// returned. If `make` refuses, its refusal names all records at fault, and `make` is called once
/// more without them. If it names none, everything is refused.
pub fn make_for_allowed<T>(
    entries: &[Entry],
    may: &dyn Fn(&Entry) -> Result<()>,
    make: &dyn Fn(&[Entry]) -> Result<T>,
) -> Result<BulkOutcome<T>> {
    let mut sifted = BulkOutcome { result: None, entries: Vec::new(), skipped: Vec::new() };
    for entry in entries {
        match may(entry) {
            Err(refusal) if entries.len() == 1 || refusal.stops => return Err(refusal),
            Err(refusal) => add_skipped(&mut sifted.skipped, &[*entry], &refusal.message),
            Ok(()) => sifted.entries.push(*entry),
        }
    }
    if sifted.entries.is_empty() {
        return Ok(sifted);
    }
    match make(&sifted.entries) {
        Ok(made) => sifted.result = Some(made),
        Err(refusal) if entries.len() == 1 || refusal.stops => return Err(refusal),
        Err(refusal) => {
            take_out(&mut sifted, &refusal)?;
            if !sifted.entries.is_empty() {
                sifted.result = Some(make(&sifted.entries)?);
            }
        }
    }
    Ok(sifted)
}

/// Moves the records that a refusal names to the skipped ones.
fn take_out<T>(sifted: &mut BulkOutcome<T>, refusal: &Refusal) -> Result<()> {
    let place = |entry: &Entry| (entry.document, entry.record);
    let mut chosen: HashSet<(u32, u32)> = sifted.entries.iter().map(place).collect();
    let all = chosen.len();
    for (own, why) in &refusal.refused {
        let own: Vec<Entry> = own.iter().filter(|entry| chosen.remove(&place(entry))).copied().collect();
        if !own.is_empty() {
            add_skipped(&mut sifted.skipped, &own, why);
        }
    }
    sifted.entries.retain(|entry| chosen.contains(&place(entry)));
    if chosen.len() == all { Err(refusal.clone()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::format::writing::RefusalList;
    use crate::model::State;

    fn entries(count: u32) -> Vec<Entry> {
        (0..count).map(|record| Entry { document: 0, record, session: None, state: State::Live }).collect()
    }

    fn refused(entry: &Entry) -> Result<(), Refusal> {
        if entry.record % 10 == 3 { Err(Refusal::unfit("threes are refused.")) } else { Ok(()) }
    }

    /// Refuses all refused entries at once, and counts its calls.
    fn counting<'c>(asked: &'c Cell<usize>) -> impl Fn(&[Entry]) -> Result<usize, Refusal> + 'c {
        move |own: &[Entry]| {
            asked.set(asked.get() + 1);
            let mut faults = RefusalList::default();
            own.iter().try_for_each(|entry| faults.collect(entry, refused(entry)).map(drop))?;
            faults.finish()?;
            Ok(own.len())
        }
    }

    #[test]
    fn what_only_the_plan_refuses_is_left_out_with_two_plans_however_many_they_are() {
        for count in [30, 1_000] {
            let asked = Cell::new(0);
            let sifted = make_for_allowed(&entries(count), &|_| Ok(()), &counting(&asked)).unwrap();
            let left = sifted.skipped[0].which.len();
            assert_eq!((sifted.result, left), (Some(count as usize / 10 * 9), count as usize / 10));
            assert_eq!((sifted.entries.len() + left, asked.get()), (count as usize, 2));
        }
    }

    #[test]
    fn one_alone_is_refused_and_so_is_what_no_record_is_at_fault_for_with_one_plan() {
        let asked = Cell::new(0);
        assert!(make_for_allowed(&entries(4)[3..], &|_| Ok(()), &counting(&asked)).is_err());
        let asked = Cell::new(0);
        let none = |_: &[Entry]| -> Result<(), Refusal> {
            asked.set(asked.get() + 1);
            Err(Refusal::too_large("the disk is too small."))
        };
        let outcome = make_for_allowed(&entries(1000), &|_| Ok(()), &none);
        assert!(outcome.is_err_and(|own| own.message.contains("too small")));
        assert_eq!(asked.get(), 1);
    }
}
