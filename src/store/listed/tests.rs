use proptest::prelude::*;

use super::*;
use crate::format;
use crate::store::reread::tests::{LOGS, NOW, parts, role_of, told};

/// A file of those bytes.
fn on_disk(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

proptest! {
    #![proptest_config(crate::tries::config(100, 20_000))]

    #[test]
    fn a_log_is_read_stretch_by_stretch_as_it_is_read_whole(
        bytes in parts(),
        more in parts(),
        len in 1..200_u64,
    ) {
        let bytes = [bytes, more].concat();
        let (_folder, path) = on_disk(&bytes);
        for (name, relative) in LOGS {
            let (format, relative) = (format::by_name(name).unwrap(), Path::new(relative));
            let role = role_of(format, relative);
            let mut stretches = Stretches { disk: &Real, path: &path, len, read: 0, of: None };
            let file = File { role, path: relative, bytes: &[] };
            let Joined { reading, digests, .. } = stretches.all(format, &file, NOW).unwrap().unwrap();
            let whole = format.read(role, relative, &bytes, NOW);
            let expected = crate::model::on_demand::digests(&bytes, 0, &whole.records);
            prop_assert!(expected.eq(digests.iter().copied()));
            prop_assert_eq!(told(reading), told(whole), "{}", name);
        }
    }

    #[test]
    fn bytes_on_demand_are_those_that_were_listed_or_none(
        (start, old, new, end) in (parts(), parts(), parts(), parts()),
        is_replaced in any::<bool>(),
    ) {
        let (was, is) = ([&start[..], &old, &end].concat(), [&start[..], &new, &end].concat());
        let (folder, path) = on_disk(&was);
        let (format, relative) = (format::by_name(LOGS[0].0).unwrap(), Path::new("log.jsonl"));
        let file = File { role: crate::model::Role::Records, path: relative, bytes: &[] };
        let cache = Arc::new(Cache::default());
        let own = read(&Real, (folder.path(), &file), format, &cache, NOW).unwrap().unwrap();
        let records = &own.reading.records;
        let raw = |at: Span| &was[at.start as usize..at.end as usize];
        // One block is in the cache, as it was.
        if let Some(first) = records.first() {
            let now = own.on_demand.record(0, first.span);
            prop_assert_eq!(now, Some(raw(first.span).to_vec()));
        }
        match is_replaced {
            true => {
                std::fs::write(folder.path().join("new"), &is).unwrap();
                std::fs::rename(folder.path().join("new"), &path).unwrap();
            }
            false => std::fs::write(&path, &is).unwrap(),
        }
        cache.0.lock().unwrap().clear();
        for (number, record) in records.iter().enumerate() {
            let now = own.on_demand.record(number as u32, record.span);
            prop_assert!(now.is_none_or(|now| now == raw(record.span)));
        }
        let same = was == is;
        prop_assert!(!same || (0..).zip(records).all(|(at, record)| own.on_demand.record(at, record.span).is_some()));
    }
}
