//! A desk that is faster than the demo, for tests that open many.

use super::Desk;

/// Returns a line of a session log: a finding of the first days of January.
pub(super) fn finding(id: u32, text: &str) -> String {
    format!(
        "{{\"id\":\"m{id}\",\"type\":\"finding\",\"timestamp\":\"2026-01-0{id}T00:00:00Z\",\"tags\":[\"pool\",\"t{id}\"],\
         \"content\":{{\"finding\":\"{text}\"}}}}\n"
    )
}

impl Desk {
    /// Returns a desk with these files, by their paths.
    pub(super) fn of_files(files: &[(&str, impl AsRef<str>)], (width, height): (u16, u16)) -> Desk {
        let folder = crate::folder::new();
        for (path, text) in files {
            crate::disk::write_new(&folder.path().join(path), text.as_ref().as_bytes()).unwrap();
        }
        Desk::of(folder, width, height)
    }

    /// Returns a desk with a store of one session log.
    pub(super) fn of_log(log: &str, size: (u16, u16)) -> Desk {
        let config = ("config.json", "{\"version\":\"1.0\"}");
        Desk::of_files(&[config, ("sessions/s/memory.jsonl", log)], size)
    }

    /// Returns a desk with two small stores, one with a torn line.
    pub(super) fn small(width: u16, height: u16) -> Desk {
        let torn = "{\"id\":\"m9\",\"content\":{\"finding\":\"the pool is back at";
        let one = [
            finding(1, "the pool ran out"),
            finding(2, "a retry charges twice"),
            finding(3, "接続プール"),
            torn.into(),
        ];
        let two = [finding(4, "the pool has 20"), finding(5, "deploys are slow")];
        let logs = ["ops/memory/sessions/a/memory.jsonl", "shop/memory/sessions/b/memory.jsonl"];
        Desk::of_files(&[(logs[0], &one.concat()), (logs[1], &two.concat())], (width, height))
    }
}
