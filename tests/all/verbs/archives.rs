//! Archives that can't be unpacked to their end: what shows the rest says so, and ends with 1.

use super::*;
use crate::support::{Files, files_below, gzip, tar_gz, tries};

const EVENT: &str = "{\"event_id\":\"e1\",\"timestamp\":\"2026-01-11T10:00:00Z\",\"event_type\":\"gateway.call\",\
                     \"trace_id\":\"t\",\"status\":\"success\"}\n";
const MESSAGE: &str = "{\"id\":\"msg-1\",\"timestamp\":\"2026-01-11T10:00:00Z\",\"role\":\"user\",\
                       \"agent_id\":\"dev\",\"content\":\"gateway.call fails\"}\n";

/// More than is unpacked of one file.
const TOO_MUCH: usize = (256 << 20) + 1;

/// Stores with an archive of each kind, and its name. In the long form it is too large, else it is cut or damaged.
fn stores() -> [(TempStore, &'static str); 2] {
    let is_long = tries::is_long();
    let filler = vec![b'\n'; if is_long { TOO_MUCH } else { 0 }];
    let cut = |packed: Vec<u8>| if is_long { packed } else { packed[..packed.len() / 2].to_vec() };
    let damaged = |packed: Vec<u8>| match (packed.len() / 2, is_long) {
        (middle, false) => [&packed[..middle], &[!packed[middle]], &packed[middle + 1..]].concat(),
        _ => packed,
    };
    let month = "events/2026-01/events.jsonl.gz";
    let log = gzip(&[EVENT.as_bytes(), &filler].concat());
    let events = Files::default().with("events/2026-02/events.jsonl", EVENT).with(month, cut(log));
    let session = "archive/old.tar.gz";
    let packed = tar_gz(&[("old/conversation.jsonl", MESSAGE.as_bytes()), ("old/decisions.jsonl", &filler)]);
    let sessions = Files::default()
        .with("sessions/s/conversation.jsonl", MESSAGE)
        .with("config.json", "{\"memory_config\":{\"version\":\"1.0\"}}")
        .with(session, damaged(packed));
    [(events.build(".chora/memory"), month), (sessions.build(".bmad/memory"), session)]
}

#[test]
fn an_archive_that_cannot_be_unpacked_to_its_end_is_said_by_what_shows_it_and_by_what_erases() {
    for (store, archive) in stores() {
        let data = store.data();
        let run = |words: &[&str], input: &str| store.verb(words).with_input(input).run();
        let shows: [&[&str]; 4] =
            [&["list", "--all"], &["search", "--all", "gateway"], &["stats"], &["stores"]];
        for words in shows {
            let output = run(words, "").expect_status(1);
            let is_said = output.stderr.contains(archive) && output.stderr.contains("is not shown in full");
            assert!(is_said && !output.stdout.is_empty(), "{words:?}: {}{}", output.stdout, output.stderr);
        }
        run(&["list"], "").expect_status(0);
        let output = run(&["erase", "--value-from", "-", "--yes"], "nowhere-to-be-found").expect_status(1);
        let told = output.stdout + &output.stderr;
        assert!(told.contains("Nothing was changed") && !told.contains("the value is in"), "{told}");
        assert!(told.contains(archive) && told.contains("was not searched completely"), "{told}");
        assert!(!data.exists() || files_below(&data).is_empty());
        let verified = run(&["verify-erased", "--value-from", "-"], "nowhere-to-be-found").expect_status(1);
        let told = verified.stdout + &verified.stderr;
        assert!(told.contains(archive) && told.contains("was not searched completely"), "{told}");
    }
}
