//! Contents in their order. A place in a file needs one search among them, no matter how many there are.

use std::sync::Arc;

use crate::text::hash_filter::HashFilter;

/// The number of bytes that are looked up first at each place. No content is shorter.
const WINDOW: usize = 7;

#[derive(Default)]
pub(super) struct SortedContents {
    /// As they were given.
    pub(super) contents: Vec<Arc<[u8]>>,
    /// The indices of all contents, sorted. Each has the place here of the longest other one that it begins with.
    order: Vec<(usize, Option<usize>)>,
    /// The hashes of first windows. They leave out nearly every place.
    windows: HashFilter,
    /// The length of the shortest content in bytes.
    pub(super) shortest: usize,
}

impl SortedContents {
    pub(super) fn of(contents: Vec<Arc<[u8]>>) -> SortedContents {
        let mut sorted: Vec<usize> = (0..contents.len()).collect();
        sorted.sort_by_key(|at| &contents[*at]);
        let mut order: Vec<(usize, Option<usize>)> = Vec::new();
        for own in sorted {
            let mut before = order.len().checked_sub(1);
            while let Some(at) = before.filter(|at| !contents[own].starts_with(&contents[order[*at].0])) {
                before = order[at].1;
            }
            order.push((own, before));
        }
        let mut windows = HashFilter::of((contents.len() * 16).next_power_of_two().max(64));
        contents.iter().filter_map(|own| own.first_chunk()).for_each(|window| windows.add(hash(window)));
        let shortest = contents.iter().map(|own| own.len()).min().unwrap_or_default();
        SortedContents { contents, order, windows, shortest }
    }

    /// Passes the index of each content that is in the bytes to `stop`. Returns true as soon as that does.
    pub(super) fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let windows = (0..bytes.len()).filter_map(|at| Some((at, bytes[at..].first_chunk()?)));
        let mut places = windows.filter(|(_, window)| self.windows.may_have(hash(window)));
        places.any(|(at, _)| self.at(&bytes[at..], stop))
    }

    /// Passes the contents that the bytes begin with. The last one that is not after them begins with all of these.
    fn at(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let behind = self.order.partition_point(|(own, _)| *self.contents[*own] <= *bytes);
        let mut next = behind.checked_sub(1);
        let Some(last) = next.map(|at| &self.contents[self.order[at].0]) else { return false };
        let shared = last.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        while let Some((own, before)) = next.map(|at| self.order[at]) {
            if self.contents[own].len() <= shared && stop(own) {
                return true;
            }
            next = before;
        }
        false
    }
}

fn hash(window: &[u8; WINDOW]) -> u64 {
    let number = window.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
