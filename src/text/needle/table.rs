//! A table of all forms of all contents by windows of eight bytes. If many forms begin alike, a window after
//! their shared start distinguishes them. So a place in a file needs only a few lookups, no matter how many
//! contents there are.

use std::sync::Arc;

use super::forms::NeedleForm;

/// The number of bytes in a window.
pub(super) const WINDOW: usize = 8;
/// Up to this many forms at one place are compared one by one. Those of one content may begin alike.
const FEW: usize = 12;
/// The number of bytes of a form that are made first, to distinguish it from others.
const START: usize = 64;
/// The windows at the start of forms belong to no node.
const ROOT: u32 = 0;

/// The contents to search for, and their forms.
#[derive(Default)]
pub(super) struct NeedleTable {
    pub(super) contents: Vec<Arc<[u8]>>,
    forms: Vec<NeedleForm>,
    /// Forms without a window, which are searched for one by one.
    short: Vec<NeedleForm>,
    nodes: Vec<PrefixNode>,
    /// Sorted by hash. Several may have the same.
    entries: Vec<WindowEntry>,
    /// The place in `entries` where hashes start, by their first bits.
    index: Vec<u32>,
    /// One bit for each hash that exists, by its first bits.
    filter: Vec<u64>,
    filter_shift: u32,
    index_shift: u32,
    /// A length that no form exceeds.
    pub(super) longest: usize,
}

#[derive(Clone, Copy)]
struct WindowEntry {
    hash: u64,
    /// A node, or the first of the forms.
    at: u32,
    /// The number of forms; 0 for a node.
    count: u32,
}

/// Forms that share their start.
#[derive(Clone, Copy)]
struct PrefixNode {
    /// The length of the shared start.
    depth: u32,
    /// One bit for each number of bytes, less than a window, that a form has after the shared start.
    ends: u8,
}

struct PartialForm {
    start: Vec<u8>,
    is_whole: bool,
    form: NeedleForm,
}

impl NeedleTable {
    pub(super) fn of(contents: Vec<Arc<[u8]>>) -> NeedleTable {
        let (mut roots, mut short): (Vec<(u64, NeedleForm)>, Vec<NeedleForm>) = Default::default();
        for (number, content) in (0..).zip(&contents) {
            NeedleForm::all(content, number, &mut |form| {
                let (start, _) = form.start(content, WINDOW);
                match window(&start, 0) {
                    Some(window) => roots.push((window, form)),
                    None => short.push(form),
                }
            });
        }
        let longest = contents.iter().map(|own| NeedleForm::longest(own)).max().unwrap_or(0);
        let nodes = vec![PrefixNode { depth: 0, ends: 0 }];
        let mut table = NeedleTable { contents, short, nodes, longest, ..NeedleTable::default() };
        roots.sort_unstable_by_key(|(window, form)| (*window, form.content));
        for alike in roots.chunk_by(|a, b| a.0 == b.0) {
            table.place(hash(ROOT, 0, alike[0].0), alike.iter().map(|own| own.1), START);
        }
        drop(roots);
        table.entries.sort_unstable_by_key(|own| own.hash);
        table.make_index();
        table
    }

    /// Adds forms that have the same window at a hash.
    fn place(&mut self, hash: u64, alike: impl ExactSizeIterator<Item = NeedleForm>, limit: usize) {
        if alike.len() <= FEW {
            return self.leaf(hash, alike);
        }
        let begun = |form: NeedleForm| {
            let (start, is_whole) = form.start(&self.contents[form.content as usize], limit);
            PartialForm { start, is_whole, form }
        };
        let mut begun: Vec<PartialForm> = alike.map(begun).collect();
        begun.sort_unstable_by(|a, b| a.start.cmp(&b.start));
        self.split(hash, &begun, limit);
    }

    fn leaf(&mut self, hash: u64, forms: impl Iterator<Item = NeedleForm>) {
        let at = self.forms.len();
        self.forms.extend(forms);
        self.entries.push(WindowEntry { hash, at: at as u32, count: (self.forms.len() - at) as u32 });
    }

    /// Distinguishes forms that have the same window at a hash. They are sorted.
    fn split(&mut self, hash_there: u64, alike: &[PartialForm], limit: usize) {
        let ([first, .., last], more) = (alike, alike.len() > FEW) else {
            return self.leaf(hash_there, alike.iter().map(|own| own.form));
        };
        let shared = first.start.iter().zip(&last.start).take_while(|(a, b)| a == b).count();
        let is_same = first.is_whole && last.is_whole && first.start == last.start;
        if !more || is_same {
            return self.leaf(hash_there, alike.iter().map(|own| own.form));
        }
        if shared + WINDOW > limit {
            return self.place(hash_there, alike.iter().map(|own| own.form), limit.saturating_mul(4));
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(PrefixNode { depth: shared as u32, ends: 0 });
        self.entries.push(WindowEntry { hash: hash_there, at: node, count: 0 });
        let rest = |own: &PartialForm| own.start.len().saturating_sub(shared).min(WINDOW);
        let key = |own: &PartialForm| {
            let rest = rest(own);
            (rest, window(&own.start, (shared + rest).saturating_sub(WINDOW)))
        };
        // Forms that end are among those that continue.
        let mut ended: Vec<(usize, Option<u64>, NeedleForm)> = Vec::new();
        for group in alike.chunk_by(|a, b| key(a) == key(b)) {
            match key(&group[0]) {
                (WINDOW, Some(window)) => self.split(hash(node, WINDOW, window), group, limit),
                (rest, window) => ended.extend(group.iter().map(|own| (rest, window, own.form))),
            }
        }
        ended.sort_unstable_by_key(|own| (own.0, own.1));
        for group in ended.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let forms = group.iter().map(|own| own.2);
            let (rest, Some(window), _) = group[0] else {
                self.short.extend(forms);
                continue;
            };
            self.nodes[node as usize].ends |= 1 << rest;
            self.leaf(hash(node, rest, window), forms);
        }
    }

    fn make_index(&mut self) {
        let count = self.entries.len().max(64);
        let bits = (count * 16).next_power_of_two().trailing_zeros();
        self.filter_shift = 64 - bits;
        self.filter = vec![0; 1 << (bits - 6)];
        self.index_shift = 64 - (bits - 6);
        self.index = vec![0; (1 << (bits - 6)) + 1];
        for own in &self.entries {
            let slot = (own.hash >> self.filter_shift) as usize;
            self.filter[slot / 64] |= 1 << (slot % 64);
            self.index[(own.hash >> self.index_shift) as usize + 1] += 1;
        }
        for at in 1..self.index.len() {
            self.index[at] += self.index[at - 1];
        }
    }

    /// Passes contents with a form that begins before `end` to `stop`. Returns true as soon as that does.
    pub(super) fn each(&self, bytes: &[u8], end: usize, stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let is_short_here = |form: &&NeedleForm| {
            let form = form.start(&self.contents[form.content as usize], usize::MAX).0;
            memchr::memmem::find(bytes, &form).is_some_and(|at| at < end)
        };
        if self.short.iter().filter(is_short_here).any(|form| stop(form.content as usize)) {
            return true;
        }
        for (at, own) in bytes.windows(WINDOW).enumerate().take(end) {
            let Some(window) = window(own, 0) else { break };
            let hash = hash(ROOT, 0, window);
            let slot = (hash >> self.filter_shift) as usize;
            if self.filter[slot / 64] & 1 << (slot % 64) != 0 && self.behind(hash, &bytes[at..], stop) {
                return true;
            }
        }
        false
    }

    /// Passes the contents at a hash that have a form at the start of the bytes to `stop`.
    fn behind(&self, hash_there: u64, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let slot = (hash_there >> self.index_shift) as usize;
        let own = &self.entries[self.index[slot] as usize..self.index[slot + 1] as usize];
        for entry in own.iter().filter(|own| own.hash == hash_there) {
            let is_enough = match entry.count {
                0 => self.at_node(entry.at, bytes, stop),
                count => self.forms[entry.at as usize..][..count as usize].iter().any(|form| {
                    let content = form.content as usize;
                    form.begins(&self.contents[content], bytes) && stop(content)
                }),
            };
            if is_enough {
                return true;
            }
        }
        false
    }

    fn at_node(&self, node: u32, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let PrefixNode { depth, ends } = self.nodes[node as usize];
        let here = (0..WINDOW).filter(|rest| ends & 1 << rest != 0).chain([WINDOW]);
        for rest in here {
            let own = window(bytes, (depth as usize + rest).saturating_sub(WINDOW));
            if own.is_some_and(|own| self.behind(hash(node, rest, own), bytes, stop)) {
                return true;
            }
        }
        false
    }
}

fn window(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + WINDOW)?.try_into().ok()?))
}

/// Different windows at one node never have the same.
fn hash(node: u32, rest: usize, window: u64) -> u64 {
    let place = (u64::from(node) << 4 | rest as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (window ^ place).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
