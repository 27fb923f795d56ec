mod in_place_writes;

use proptest::prelude::*;

use super::*;
use crate::format;
use crate::model::plan::{apply, whole_lines};
use crate::model::{Bytes, lazy_bytes};
use crate::store::incremental_read::tests::{LOGS, NOW, parts, role_of, told};
use crate::store::log_chunks;
use crate::text::lines::removal_edits;

pub fn on_disk(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = crate::folder::new();
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
            let mut stretches = ChunkReader { disk: &RealDisk, path: &path, len, read: 0, of: None };
            let file = FileInput { role, path: relative, bytes: &[] };
            let JoinedChunks { reading, digests, .. } = stretches.all(format, &file, NOW).unwrap().unwrap();
            let whole = format.read(role, relative, &bytes, NOW);
            let expected = crate::model::lazy_bytes::digests(&bytes, 0, &whole.records);
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
        let file = FileInput { role: crate::model::Role::Records, path: relative, bytes: &[] };
        let cache = Arc::new(BlockCache::default());
        let own = read(&RealDisk, (folder.path(), &file), format, &cache, NOW).unwrap().unwrap();
        let records = &own.reading.records;
        let raw = |at: Span| &was[at.range()];
        // The cache has one block as it was.
        if let Some(first) = records.first() {
            let now = own.record_reader.record(0, first.span);
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
            let now = own.record_reader.record(number as u32, record.span);
            prop_assert!(now.is_none_or(|now| now == raw(record.span)));
        }
        let same = was == is;
        prop_assert!(!same || (0..).zip(records).all(|(at, record)| own.record_reader.record(at, record.span).is_some()));
    }
}

/// Returns the bytes of a file, which are read on demand.
pub fn of_file(path: &Path, bytes: &[u8]) -> Bytes {
    let (opened, _) = RealDisk.open_ranges(path).unwrap().unwrap();
    let blocks = lazy_bytes::blocks(bytes, 0).collect();
    RecordReader::new(Arc::clone(&opened), Vec::new(), blocks).bytes_from(opened)
}

/// Generates edits of `len` bytes that don't overlap.
pub fn edits(len: usize) -> impl Strategy<Value = Vec<(std::ops::Range<usize>, Vec<u8>)>> {
    let with = prop::sample::select(vec![&b""[..], b"x", b"\n", b"{\"id\":\"new\"}\n", b"a\nb"]);
    prop::collection::vec((0..=len, 0..=len.min(90), with), 0..5).prop_map(move |own| {
        let mut own: Vec<_> =
            own.into_iter().map(|(at, more, with)| (at..(at + more).min(len), with)).collect();
        own.sort_by_key(|(range, _)| range.start);
        let mut until = 0;
        own.retain(|(range, _)| {
            let is_behind = range.start >= until;
            until = until.max(range.end);
            is_behind
        });
        own.into_iter().map(|(range, with)| (range, with.to_vec())).collect()
    })
}

proptest! {
    #![proptest_config(crate::tries::config(100, 20_000))]

    #[test]
    fn a_change_of_bytes_that_are_read_when_they_are_asked_for_is_that_of_held_ones(
        (bytes, edits) in (parts(), parts()).prop_map(|own| [own.0, own.1].concat()).prop_flat_map(|own| {
            let edits = edits(own.len());
            (Just(own), edits)
        }),
        (start, len, most) in (0..3_000_usize, 0..300_usize, 1..200_usize),
    ) {
        let (_folder, path) = on_disk(&bytes);
        let own = of_file(&path, &bytes);
        let range = |own: &Bytes| own.range(start..start + len).map(|own| own.into_owned());
        let part = |bytes: &[u8]| bytes.get(start..start + len).map(<[u8]>::to_vec);
        prop_assert_eq!(range(&own), part(&bytes));
        let splices = whole_lines(&own, edits.clone());
        prop_assert_eq!(&splices, &whole_lines(&bytes, edits.clone()));
        let spans: Vec<Span> =
            edits.iter().map(|(own, _)| Span { start: own.start as u64, end: own.end as u64 }).collect();
        prop_assert_eq!(removal_edits(&own, &spans), removal_edits(&bytes, &spans));
        let (after, expected) = (Bytes::spliced(&own, splices.clone()), apply(&bytes, &splices));
        prop_assert_eq!(after.len(), expected.len());
        prop_assert_eq!(range(&after), part(&expected));
        let mut written = Vec::new();
        let is_whole = after.each_block(most, &mut |own| {
            written.extend_from_slice(own);
            Ok::<(), ()>(())
        });
        prop_assert!(is_whole == Ok(true) && written == expected);
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        log_chunks::each_by(most, &after, &mut |own| {
            chunks.push(own.to_vec());
            true
        });
        prop_assert_eq!(chunks.concat(), expected.clone());
        let alone = |own: &[u8]| {
            let mut pieces = Vec::new();
            crate::text::json_lines::split(own, &mut |piece| pieces.push(own[piece.start..piece.end].to_vec()));
            pieces
        };
        prop_assert_eq!(chunks.iter().flat_map(|own| alone(own)).collect::<Vec<_>>(), alone(&expected));
        prop_assert!(own.is_file_backed() && after.is_file_backed() && !own.has_changed());
        prop_assert_eq!(&*after, &expected[..]);
        prop_assert_eq!(&*own, &bytes[..]);
    }

    #[test]
    fn what_a_file_has_behind_bytes_that_are_not_held_is_told_by_their_blocks(
        (bytes, more) in (parts(), parts()),
        at in any::<prop::sample::Index>(),
        is_changed in any::<bool>(),
    ) {
        let mut now = [&bytes[..], &more].concat();
        let (_folder, path) = on_disk(&bytes);
        let mut own = of_file(&path, &bytes);
        if is_changed && !bytes.is_empty() {
            now[at.index(bytes.len())] ^= 1;
        }
        std::fs::write(&path, &now).unwrap();
        let is_it = !is_changed || bytes.is_empty();
        let behind = |own: &Bytes| RealDisk.read_after(&path, own).unwrap().0;
        prop_assert_eq!(behind(&own), is_it.then(|| more.clone()));
        // The added bytes are then known, too.
        own.extend(&more);
        prop_assert!(bytes.is_empty() || own.is_file_backed());
        prop_assert_eq!(behind(&own), is_it.then(Vec::new));
        let is_there = own.range(0..own.len()).is_some();
        prop_assert!(is_there == is_it && own.has_changed() != is_it);
    }
}
