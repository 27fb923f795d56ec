//! Hundreds of damaged logs, of every kind and in combination, and randomly damaged ones.

use std::collections::BTreeMap;

use palimp::check::stale_files;
use palimp::model::time::{TimeSpelling, Timestamp, Zone};

use super::*;
use crate::support::tries;

pub type Damage = (&'static str, fn(&[String]) -> Vec<u8>);

fn lines(records: &[String]) -> String {
    records.iter().map(|own| format!("{own}\n")).collect()
}

fn half(own: &str) -> &str {
    &own[..(own.len() / 2..).find(|at| own.is_char_boundary(*at)).unwrap()]
}

fn pretty(own: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<Value>(own).unwrap()).unwrap()
}

/// What crashes, editors and merges do to four records.
pub const DAMAGES: &[Damage] = &[
    ("torn", |own| format!("{}\n{}\n{}", own[0], own[1], half(&own[2])).into()),
    ("torn, and more behind it", |own| format!("{}\n{}\n{}\n", half(&own[0]), own[1], own[2]).into()),
    ("torn, and glued", |own| format!("{}{}\n{}\n", half(&own[0]), own[1], own[2]).into()),
    ("glued", |own| format!("{}{}\n{}\n", own[0], own[1], own[2]).into()),
    ("many glued", |own| own.concat().into()),
    ("written into one another", |own| {
        let (before, after) = own[0].split_at(half(&own[0]).len());
        format!("{before}{}{after}\n{}\n", own[1], own[2]).into()
    }),
    ("a brace too many", |own| format!("{}}}}}\n{}\n", own[0], own[1]).into()),
    ("pretty", |own| format!("{}\n{}\n{}\n", own[0], pretty(&own[1]), own[2]).into()),
    ("NULs at the end", |own| (lines(own) + &"\0".repeat(40)).into()),
    ("NULs on a line", |own| format!("{}\n\0\0\0\n\0{}\0\n", own[0], own[1]).into()),
    ("a mark in the middle", |own| format!("{}\n\u{feff}{}\n", own[0], own[1]).into()),
    ("a mark at the start", |own| format!("\u{feff}{}", lines(own)).into()),
    ("another encoding", |own| {
        let mut bytes = lines(own).into_bytes();
        let at = bytes.len() / 3;
        bytes[at] = 0xfc;
        bytes
    }),
    ("conflict", |own| {
        format!("{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> topic\n", own[0], own[1], own[2]).into()
    }),
    ("raw line break", |own| own[0].replacen("words", "wo\nrds", 1).into()),
    ("prose", |own| format!("{}\nnot a memory {}\n{}\n", own[0], "{\"a\":1}", own[1]).into()),
    ("a list", |own| format!("[{},{}]\n{}\n", own[0], own[1], own[2]).into()),
    ("no line end", |own| lines(own).trim_end().into()),
    ("CRLF", |own| format!("{}\r\n{}{}\r\n", own[0], own[1], own[2]).into()),
    ("twice", |own| (lines(own) + &lines(&own[..1])).into()),
];

pub fn records(format: &str, from: usize) -> Vec<String> {
    (from..from + 4).map(|number| record(format, &format!("evt-{number:06}"), "words \"x\" ü {y}")).collect()
}

/// Returns a log with these damages one after the other.
fn damaged(format: &str, which: &[usize]) -> Vec<u8> {
    let parts = which.iter().enumerate();
    parts.flat_map(|(at, own)| (DAMAGES[*own].1)(&records(format, 1 + at * 10))).collect()
}

/// Counts each byte that is not white space.
pub fn counts<'b>(parts: impl IntoIterator<Item = &'b [u8]>) -> BTreeMap<u8, i64> {
    let mut counts = BTreeMap::new();
    for byte in parts.into_iter().flatten().filter(|byte| !byte.is_ascii_whitespace()) {
        *counts.entry(*byte).or_default() += 1;
    }
    counts
}

fn safe(format: &'static str, log: &str, bytes: &[u8]) -> (Vec<u8>, RepairPlan) {
    repaired_log(format, log, bytes, &RepairTarget::AllSafe)
}

/// Returns the times of a record that lack only their time zone. A safe repair adds it.
fn times_without_a_zone(record: &str) -> Vec<String> {
    let is_it = |text: &&str| {
        let read = Timestamp::read(text);
        read.is_some_and(|own| own.zone == Zone::Assumed && own.spelling == TimeSpelling::Usual)
    };
    record.split('"').filter(is_it).map(str::to_owned).collect()
}

/// Returns bytes in which these times have no time zone.
fn without_zones(bytes: &[u8], times: &[String]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for time in times {
        for end in ["Z\"", "T00:00:00Z\""] {
            let whole = format!("\"{time}{end}");
            while let Some(at) = bytes.windows(whole.len()).position(|own| own == whole.as_bytes()) {
                drop(bytes.splice(at..at + whole.len(), format!("\"{time}\"").into_bytes()));
            }
        }
    }
    bytes
}

/// Returns what is wrong with the safe repair of a log.
fn faults(format: &'static str, log: &str, bytes: &[u8]) -> Result<(), String> {
    let text = |own: &[u8]| String::from_utf8_lossy(own).into_owned();
    let fail = |why: &str, left: &[u8]| Err(format!("{format}: {why}\n{}\n=>\n{}", text(bytes), text(left)));
    let (left, done) = safe(format, log, bytes);
    let before = whole(format, log, bytes);
    let zoneless: Vec<String> = before.iter().flat_map(|own| times_without_a_zone(own)).collect();
    let plain = |own: &[u8]| without_zones(own, &zoneless);
    let as_plain = |own: Vec<String>| own.iter().map(|own| text(&plain(own.as_bytes()))).collect::<Vec<_>>();
    let (before, after) = (as_plain(before), as_plain(whole(format, log, &left)));
    let as_values = |own: &[String]| -> Vec<Value> {
        own.iter().filter_map(|own| serde_json::from_str(own).ok()).collect()
    };
    let values = as_values(&after);
    if as_values(&before).iter().any(|own| !values.contains(own)) {
        return fail("a whole record is lost or altered", &left);
    }
    let out = done.quarantined.iter().filter(|own| own.file.as_os_str() == log).map(|own| plain(&own.bytes));
    let out: Vec<Vec<u8>> = out.chain([plain(&left)]).collect();
    if counts([&*plain(bytes)]) != counts(out.iter().map(Vec::as_slice)) {
        return fail("what left the file is not what is in quarantine", &left);
    }
    let change = done.plan.iter().flat_map(|plan| &plan.changes).find(|own| own.path.as_os_str() == log);
    if change.is_some_and(|own| own.inverse().after().unwrap().to_vec() != bytes) {
        return fail("an undo does not bring the damage back", &left);
    }
    let (again, _) = safe(format, log, &left);
    if again != left {
        return fail("a second repair changes something", &again);
    }
    let store = load(&[(log, &left)], format);
    let mut of_log = store.problems.iter().filter(|own| own.file.as_os_str() == log);
    match on_bench(&store, |bench| of_log.find(|own| bench.safe(own).is_some())) {
        Some(own) => fail(&format!("a safe fix is left: {own:?}"), &left),
        None => Ok(()),
    }
}

/// A repaired event log gets one more event, so these tests leave it out.
const COMPARED: [(&str, &str); 4] = [LOGS[0], LOGS[1], LOGS[2], LOGS[3]];

#[test]
fn hundreds_of_damaged_logs_are_repaired_without_a_loss_and_a_second_repair_has_nothing_to_do() {
    let mut count = 0;
    for (number, (format, log)) in COMPARED.into_iter().enumerate() {
        for first in 0..DAMAGES.len() {
            let others =
                (0..DAMAGES.len()).filter(|own| tries::is_long() || (own + first + number) % 13 == 0);
            let combined = others.map(|second| vec![first, second]).chain([vec![first]]);
            for which in combined {
                count += 1;
                let named: Vec<&str> = which.iter().map(|own| DAMAGES[*own].0).collect();
                if let Err(why) = faults(format, log, &damaged(format, &which)) {
                    panic!("{named:?} {why}");
                }
            }
        }
    }
    assert!(count >= 180, "{count}");
}

/// A random damage.
#[derive(Clone, Debug)]
enum Chance {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
    Double(prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index),
    Drop(prop::sample::Index, usize),
}

fn chance() -> impl Strategy<Value = Chance> {
    let at = || any::<prop::sample::Index>();
    let noise =
        prop::collection::vec(prop::sample::select(b"{}[]\",:\\\n\r\0\xff\xef\xbb\xbf a1".to_vec()), 1..8);
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, bits)| Chance::Flip(at, bits)),
        at().prop_map(Chance::Cut),
        (at(), noise).prop_map(|(at, own)| Chance::Insert(at, own)),
        (at(), 1..200_usize).prop_map(|(at, len)| Chance::Double(at, len)),
        (at(), at()).prop_map(|(a, b)| Chance::Swap(a, b)),
        (at(), 1..60_usize).prop_map(|(at, len)| Chance::Drop(at, len)),
    ]
}

fn happens(bytes: &mut Vec<u8>, own: &Chance) {
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match own {
        Chance::Flip(at, bits) => bytes[at.index(len)] ^= bits,
        Chance::Cut(at) => bytes.truncate(at.index(len)),
        Chance::Insert(at, own) => drop(bytes.splice(at.index(len)..at.index(len), own.iter().copied())),
        Chance::Double(at, more) => {
            let at = at.index(len);
            let block = bytes[at..(at + more).min(len)].to_vec();
            drop(bytes.splice(at..at, block));
        }
        Chance::Swap(a, b) => bytes.swap(a.index(len), b.index(len)),
        Chance::Drop(at, less) => drop(bytes.drain(at.index(len)..(at.index(len) + less).min(len))),
    }
}

proptest! {
    #![proptest_config(tries::config(24, 3_000))]

    #[test]
    fn of_what_chance_damaged_nothing_whole_is_lost_and_a_repair_ends(
        which in 0..COMPARED.len(),
        damages in prop::collection::vec(chance(), 1..6),
    ) {
        let (format, log) = COMPARED[which];
        let mut bytes = lines(&records(format, 1)).into_bytes();
        damages.iter().for_each(|own| happens(&mut bytes, own));
        if let Err(why) = faults(format, log, &bytes) {
            prop_assert!(false, "{}", why);
        }
        let (left, _) = safe(format, log, &bytes);
        let store = load(&[(log, &left)], format);
        let anew = stale_files::stale_files(&store, now());
        let context = WriteContext::of(&store, now(), [7; 16]);
        let material = RepairSources::default();
        let bench = RepairContext::of(&context, &material, anew.iter().map(|own| &*own.path));
        for own in &store.problems {
            let _ = bench.fixes(own);
        }
    }
}
