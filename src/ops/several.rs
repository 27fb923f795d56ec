//! Several records at once: what can't be changed is left out and counted with the reason,
//! and the plan is of the others.

use super::Refusal;
use super::progress::is_stop;
use crate::model::Entry;

/// So many plans are tried to find those that a format refuses only when it is asked.
const TRIES: usize = 64;

/// Records that are left out, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut<T = Entry> {
    /// Which.
    pub which: Vec<T>,
    /// Why, in sentences. May quote the store.
    pub reason: String,
}

/// What can be changed, and what is left out of it.
pub struct Sifted<T> {
    /// What is made of those that can; `None` where none can.
    pub made: Option<T>,
    /// Those that can.
    pub entries: Vec<Entry>,
    /// Those that can't, most first.
    pub left: Vec<LeftOut>,
}

/// Adds to what is left out, by reason.
pub fn leave_out<T: Clone>(left: &mut Vec<LeftOut<T>>, which: &[T], reason: &str) {
    match left.iter_mut().find(|own| own.reason == reason) {
        Some(own) => own.which.extend_from_slice(which),
        None => left.push(LeftOut { which: which.to_vec(), reason: reason.to_owned() }),
    }
    left.sort_by_key(|own| std::cmp::Reverse(own.which.len()));
}

/// Makes something of those entries that `may` and `make` let through. What is one is refused
/// as it is; so is all of it where too many would have to be tried.
pub fn sift<T>(
    entries: &[Entry],
    may: &dyn Fn(&Entry) -> Result<(), Refusal>,
    make: &dyn Fn(&[Entry]) -> Result<T, Refusal>,
) -> Result<Sifted<T>, Refusal> {
    let mut sifted = Sifted { made: None, entries: Vec::new(), left: Vec::new() };
    for entry in entries {
        match may(entry) {
            Err(refusal) if entries.len() == 1 || is_stop(&refusal) => return Err(refusal),
            Err(refusal) => leave_out(&mut sifted.left, &[*entry], &refusal.message),
            Ok(()) => sifted.entries.push(*entry),
        }
    }
    if sifted.entries.is_empty() {
        return Ok(sifted);
    }
    match make(&sifted.entries) {
        Ok(made) => sifted.made = Some(made),
        Err(refusal) if entries.len() == 1 || is_stop(&refusal) => return Err(refusal),
        Err(refusal) => {
            let all = std::mem::take(&mut sifted.entries);
            let mut search =
                Search { make, tries: TRIES, left: &mut sifted.left, fit: Vec::new(), all: refusal };
            search.halves(&all)?;
            sifted.entries = search.fit;
            if !sifted.entries.is_empty() {
                sifted.made = Some(make(&sifted.entries)?);
            }
        }
    }
    Ok(sifted)
}

/// Finds by halves which entries are refused.
struct Search<'a, T> {
    make: &'a dyn Fn(&[Entry]) -> Result<T, Refusal>,
    tries: usize,
    left: &'a mut Vec<LeftOut>,
    fit: Vec<Entry>,
    /// What all of them together were refused with.
    all: Refusal,
}

impl<T> Search<'_, T> {
    /// Of entries that are refused together.
    fn halves(&mut self, entries: &[Entry]) -> Result<(), Refusal> {
        let (first, second) = entries.split_at(entries.len() / 2);
        for half in [first, second] {
            if half.is_empty() {
                continue;
            }
            let Some(left) = self.tries.checked_sub(1) else { return Err(self.all.clone()) };
            self.tries = left;
            match (self.make)(half) {
                Ok(_) => self.fit.extend_from_slice(half),
                Err(refusal) if is_stop(&refusal) => return Err(refusal),
                Err(refusal) if half.len() == 1 => leave_out(self.left, half, &refusal.message),
                Err(_) => self.halves(half)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    fn entries(count: u32) -> Vec<Entry> {
        (0..count).map(|record| Entry { document: 0, record, session: None, state: State::Live }).collect()
    }

    fn refused(entry: &Entry) -> Result<(), Refusal> {
        if entry.record % 10 == 3 { Err(Refusal::unfit("threes are refused.")) } else { Ok(()) }
    }

    #[test]
    fn what_is_refused_is_left_out_and_counted_with_its_reason() {
        let may = |entry: &Entry| refused(entry);
        let sifted = sift(&entries(30), &may, &|own| Ok(own.len())).unwrap();
        assert_eq!(sifted.made, Some(27));
        let [left] = sifted.left.as_slice() else { panic!("{:?}", sifted.left) };
        assert_eq!((left.which.len(), left.reason.as_str()), (3, "threes are refused."));
    }

    #[test]
    fn what_only_the_plan_refuses_is_found_and_left_out() {
        let make = |own: &[Entry]| own.iter().try_for_each(refused).map(|()| own.len());
        let sifted = sift(&entries(30), &|_| Ok(()), &make).unwrap();
        assert_eq!((sifted.made, sifted.left[0].which.len()), (Some(27), 3));
        assert_eq!(sifted.entries.len(), 27);
    }

    #[test]
    fn one_alone_is_refused_and_so_are_too_many() {
        let make = |own: &[Entry]| own.iter().try_for_each(refused);
        assert!(sift(&entries(4)[3..], &|_| Ok(()), &make).is_err());
        let none = |_: &[Entry]| -> Result<(), Refusal> { Err(Refusal::too_large("the disk is too small.")) };
        assert!(sift(&entries(1000), &|_| Ok(()), &none).is_err_and(|own| own.message.contains("too small")));
    }
}
