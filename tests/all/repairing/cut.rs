//! Logs that end at any byte, as crashes leave them.

use palimp::model::{Code, Problem, Severity};
use palimp::ops::repair::ProblemFix;

use super::coming_back::One;
use super::corpus::counts;
use super::*;
use crate::support::tries::count;

/// Returns the log after the first fixes of all problems of that kind, and the bytes in quarantine.
fn fixed(format: &'static str, log: &str, bytes: &[u8], code: Code) -> (Vec<u8>, Vec<u8>) {
    let (after, done) = repaired_log(format, log, bytes, &RepairTarget::Code(code));
    (after, done.quarantined.into_iter().flat_map(|own| own.bytes).collect())
}

/// True if a record is still there. A repair may complete a time without a zone.
fn stays(own: &str, left: &[String]) -> bool {
    let members = |text: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).ok();
    let is_completed = |(name, value): (&String, &serde_json::Value), other: &str| {
        let text = value.as_str().unwrap_or_default();
        (name.ends_with("_at") || name == "timestamp") && !text.is_empty() && other.starts_with(text)
    };
    let is_same = |other: &String| {
        let (Some(old), Some(new)) = (members(own), members(other)) else { return false };
        let same = |member: (&String, &serde_json::Value)| {
            let now = new.get(member.0);
            now == Some(member.1)
                || is_completed(member, now.and_then(|own| own.as_str()).unwrap_or_default())
        };
        old.len() == new.len() && old.iter().all(same)
    };
    left.iter().any(|other| other == own) || left.iter().any(is_same)
}

/// Returns the records of a log for which the reader reports no error.
fn sound(format: &'static str, log: &str, bytes: &[u8]) -> Vec<String> {
    let store = load(&[(log, bytes)], format);
    let own = store.documents.iter().find(|own| own.path.as_os_str() == log).unwrap();
    let bad = |at: u32| own.problems.iter().any(|p| p.record == Some(at) && p.severity == Severity::Error);
    let read = (0..).zip(&own.records).filter(|(at, record)| record.memory().is_some() && !bad(*at));
    read.map(|(_, record)| String::from_utf8(own.raw(record).to_vec()).unwrap()).collect()
}

#[test]
fn of_three_records_cut_at_any_byte_every_whole_one_is_read_before_and_after_a_repair() {
    for (format, log) in LOGS {
        let records = [
            record(format, "a1", "x"),
            record(format, "a2", "a \"b\" {c} ü\u{1f980}"),
            record(format, "a3", "y"),
        ];
        let file = records.iter().map(|own| format!("{own}\n")).collect::<String>();
        for cut in (0..file.len()).step_by(count(23, 1)) {
            let bytes = &file.as_bytes()[..cut];
            let (mut end, mut wanted) = (0, Vec::new());
            for own in &records {
                end += own.len();
                if end <= cut {
                    wanted.push(own.clone());
                }
                end += 1;
            }
            assert_eq!(whole(format, log, bytes), wanted, "{format} {cut}");
            let (left, out) = repaired(format, log, bytes);
            assert_eq!(whole(format, log, &left), wanted, "{format} {cut}");
            assert_eq!(out, [], "{format} {cut}: what is torn stays");
            let (left, out) = fixed(format, log, bytes, Code::TornLine);
            assert!(wanted.iter().all(|own| whole(format, log, &left).contains(own)), "{format} {cut}");
            let torn = bytes.rsplit(|byte| *byte == b'\n').next().unwrap();
            let (had, mut has) = (counts([torn]), counts([&*left, &*out]));
            counts([&bytes[..bytes.len() - torn.len()]]).into_iter().for_each(|(byte, own)| {
                *has.entry(byte).or_default() -= own;
            });
            let lost: Vec<_> = had.iter().filter(|(byte, own)| has.get(byte) < Some(own)).collect();
            let told = [&left, torn, &*out].map(String::from_utf8_lossy);
            assert!(lost.is_empty(), "{format} {cut}: {lost:?} {told:?}");
        }
    }
}

#[test]
fn what_is_offered_for_a_torn_line_is_the_same_alone_and_among_many() {
    for (format, log) in LOGS {
        let whole = |at: usize| record(format, &format!("evt-{at:06}"), "a \"b\" {c} ü\u{1f980}");
        // More lines than one thread reads, each cut at another place.
        let lines = (0..count(300, 600)).map(|at| {
            let own = whole(at).into_bytes();
            own[..8 + at % (own.len() - 8)].to_vec()
        });
        let file = std::iter::once(whole(999).into_bytes()).chain(lines).collect::<Vec<_>>().join(&b'\n');
        let store = load(&[(log, &file)], format);
        let told = |fixes: Vec<ProblemFix>| format!("{fixes:?}");
        let fixes = |bench: &RepairContext<'_>, own: &Problem| told(bench.fixes(own));
        let many = on_bench(&store, |bench| bench.each(&store.problems, fixes));
        assert_eq!(many.len(), store.problems.len());
        let step = count(73, 1);
        for (problem, many) in store.problems.iter().zip(many).step_by(step) {
            let alone = on_bench(&store, |bench| fixes(bench, problem));
            assert_eq!(alone, many, "{format} {:?}", problem.line);
        }
    }
}

proptest! {
    #![proptest_config(crate::support::tries::config(16, 4_000))]

    #[test]
    fn of_a_log_cut_at_any_two_places_no_repair_loses_what_could_be_kept(
        which in 0..LOGS.len(),
        text in "[a-z {}\"ü]{0,20}",
        cuts in (any::<proptest::sample::Index>(), 0..200_usize),
    ) {
        let (format, log) = LOGS[which];
        let mut file: String = (1..=4).map(|own| record(format, &format!("evt-{own:06}"), &text) + "\n").collect();
        let at = |index: usize| (index..=file.len()).find(|at| file.is_char_boundary(*at)).unwrap();
        let start = at(cuts.0.index(file.len()));
        let end = at((start + cuts.1).min(file.len()));
        file.replace_range(start..end, "");
        let bytes = file.as_bytes();
        let before = whole(format, log, bytes);
        let (safe, _) = repaired(format, log, bytes);
        let left = whole(format, log, &safe);
        prop_assert!(before.iter().all(|own| stays(own, &left)), "{}", file);
        let (again, _) = repaired(format, log, &safe);
        prop_assert_eq!(&again, &safe, "a second repair changes something");
        let (repaired_log, _) = fixed(format, log, bytes, Code::TornLine);
        let left = whole(format, log, &repaired_log);
        prop_assert!(before.iter().all(|own| left.contains(own)), "{}", file);
        let store = load(&[(log, &repaired_log)], format);
        prop_assert!(store.problems.iter().all(|own| own.code != Code::TornLine), "{}", String::from_utf8_lossy(&repaired_log));
    }
}

#[test]
fn of_records_of_which_the_first_half_survives_nearly_all_come_back_sound_and_marked() {
    let (mut all, mut back) = (0, 0);
    let mut lost = Vec::new();
    for (format, log) in LOGS {
        let (first, torn) =
            (record(format, "evt-000001", "x"), record(format, "evt-000002", &"a \"b\" {c} ü ".repeat(9)));
        for cut in (torn.len() / 2..torn.len()).step_by(count(11, 1)) {
            let bytes = [first.as_bytes(), b"\n", &torn.as_bytes()[..cut]].concat();
            let (left, _) = fixed(format, log, &bytes, Code::TornLine);
            let sound = sound(format, log, &left);
            all += 1;
            match sound.last() {
                Some(own) if own.contains("\"salvaged\":true") => back += 1,
                _ => lost.push(format!("{format} {cut}: {}", String::from_utf8_lossy(&left[first.len()..]))),
            }
        }
    }
    assert!(back * 100 >= all * 95, "{back} of {all}\n{}", lost.join("\n"));
}

#[test]
fn fifty_thousand_torn_lines_are_tidied_in_a_few_seconds() {
    let (format, log) = LOGS[1];
    let lines = count(500, 50_000);
    let bytes: String = (0..lines)
        .map(|number| {
            let own = record(format, &format!("m{number}"), "words");
            own[..own.len() * 3 / 4].to_owned() + "\n"
        })
        .collect();
    let began = std::time::Instant::now();
    let (left, _) = fixed(format, log, bytes.as_bytes(), Code::TornLine);
    assert_eq!(whole(format, log, &left).len(), lines);
    assert!(began.elapsed().as_secs() < count(30, 60), "{:?}", began.elapsed());
}

#[test]
fn a_salvaged_memory_is_not_called_whole_if_more_fields_followed() {
    let mut formats = Vec::new();
    for (format, log) in LOGS {
        let mut whole = record(format, "a1", "some words");
        whole.pop();
        let reason = |behind: &str| {
            let one = One::of((format, log), &format!("{whole}{behind}\n"));
            let found = one.problem("torn-line");
            let fixes = found["fixes"].as_array().unwrap().clone();
            let is_it = |fix: &&Value| fix["title"].as_str().unwrap().starts_with("keep what can be read");
            fixes.iter().find(is_it).unwrap()["reason"].as_str().unwrap().to_owned()
        };
        let all = "All fields that the format asks for survived.";
        if !reason("").starts_with(all) {
            continue;
        }
        formats.push(format);
        assert_eq!(reason(""), format!("{all} Others may have followed."), "{format}");
        for behind in [",", ",\"later", ",\"later\":", ",\"later\":12"] {
            assert_eq!(
                reason(behind),
                format!("{all} What stood behind them is left out."),
                "{format} {behind}"
            );
        }
    }
    assert!(formats.len() > 1, "{formats:?}");
}

#[test]
fn a_memory_broken_by_nuls_and_a_line_break_is_whole_after_one_safe_repair() {
    for (format, log) in LOGS {
        let (first, own) = (record(format, "a1", "x"), record(format, "a2", "y"));
        let place = own.rfind("\":\"").unwrap() + 2;
        let (start, end) = own.split_at(place);
        let bytes = format!("{first}\n{start}\0\0\0\n{end}\n{start}\0\0\0\n");
        let (left, _) = repaired(format, log, bytes.as_bytes());
        assert_eq!(whole(format, log, &left), [first, own], "{format}");
        let (again, _) = repaired(format, log, &left);
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&left), "{format}");
    }
}
