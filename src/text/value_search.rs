//! Finds values in everything that bytes can be decoded to. A place needs one search among the sorted values, no matter
//! how many there are. Base64 with line breaks, and text that is encrypted or compressed in other ways, is not found.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::text::decode::each_decoding;
use crate::text::hash_filter::HashFilter;
use crate::text::line_ends;

/// At most this many bytes are looked up first at each place.
const WINDOW: usize = 7;

/// A search for values, each with `\n` for every line end.
#[derive(Default)]
pub struct ValueSearch {
    /// As they were given.
    values: Vec<Arc<[u8]>>,
    /// The indices of all values, sorted. Each has the place here of the longest other one that it begins with.
    order: Vec<(usize, Option<usize>)>,
    /// The hashes of the first bytes of all values. They leave out nearly every place.
    windows: HashFilter,
    /// The number of these bytes.
    window: usize,
    /// The length of the shortest value in bytes.
    shortest: usize,
    /// The length of the longest value in bytes.
    longest: usize,
}

impl ValueSearch {
    /// Makes a search for these values. Empty ones are not found.
    pub fn of(values: impl IntoIterator<Item = Arc<[u8]>>) -> ValueSearch {
        let unified = |value: Arc<[u8]>| match line_ends::unified(&value) {
            Cow::Borrowed(_) => value,
            Cow::Owned(unified) => unified.into(),
        };
        let values: Vec<Arc<[u8]>> = values.into_iter().map(unified).collect();
        let mut sorted: Vec<usize> = (0..values.len()).filter(|at| !values[*at].is_empty()).collect();
        sorted.sort_by_key(|at| &values[*at]);
        let mut order: Vec<(usize, Option<usize>)> = Vec::new();
        for value in sorted {
            let mut before = order.len().checked_sub(1);
            while let Some(at) = before.filter(|at| !values[value].starts_with(&values[order[*at].0])) {
                before = order[at].1;
            }
            order.push((value, before));
        }
        let lengths = || order.iter().map(|(value, _)| values[*value].len());
        let (shortest, longest) = (lengths().min().unwrap_or_default(), lengths().max().unwrap_or_default());
        let window = shortest.min(WINDOW);
        let mut windows = HashFilter::of((values.len() * 16).next_power_of_two().max(64));
        order.iter().for_each(|(value, _)| windows.add(hash(number(&values[*value][..window]))));
        ValueSearch { values, order, windows, window, shortest, longest }
    }

    /// Returns the values that are searched for.
    pub fn values(&self) -> &[Arc<[u8]>] {
        &self.values
    }

    /// True if any of them is in the bytes.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.each(bytes, &mut |_| true)
    }

    /// Returns the indices of those that are in the bytes.
    pub fn which(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.each(bytes, &mut |value| {
            found.insert(value);
            false
        });
        found
    }

    /// Passes the index of each value that is in the bytes to `stop`. Returns true as soon as that does.
    pub fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let mut is_stopped = false;
        if !self.order.is_empty() {
            each_decoding(bytes, (self.shortest, self.longest), &mut |decoded, _| {
                is_stopped = is_stopped || self.each_decoded(decoded, stop);
                is_stopped
            });
        }
        is_stopped
    }

    fn each_decoded(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let Some(last) = bytes.len().checked_sub(self.window) else { return false };
        let kept = u64::MAX >> (64 - 8 * self.window);
        let mut window = number(&bytes[..self.window - 1]);
        for at in 0..=last {
            window = (window << 8 | u64::from(bytes[at + self.window - 1])) & kept;
            if self.windows.may_have(hash(window)) && self.each_at(&bytes[at..], stop) {
                return true;
            }
        }
        false
    }

    /// Passes the values that the bytes begin with. The last one that is not after them begins with all of these.
    fn each_at(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let behind = self.order.partition_point(|(value, _)| *self.values[*value] <= *bytes);
        let mut next = behind.checked_sub(1);
        let Some(last) = next.map(|at| &self.values[self.order[at].0]) else { return false };
        let shared = last.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        while let Some((value, before)) = next.map(|at| self.order[at]) {
            if self.values[value].len() <= shared && stop(value) {
                return true;
            }
            next = before;
        }
        false
    }
}

fn number(window: &[u8]) -> u64 {
    window.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn hash(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
