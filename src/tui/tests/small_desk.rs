//! A desk that is faster than the demo, for tests that open many.

use super::Desk;

impl Desk {
    /// Returns a desk with two small stores, one with a torn line.
    pub(super) fn small(width: u16, height: u16) -> Desk {
        let folder = crate::folder::new();
        let line = |id: u32, text: &str| {
            format!(
                "{{\"id\":\"m{id}\",\"type\":\"finding\",\"timestamp\":\"2026-01-0{id}T00:00:00Z\",\"tags\":[\"pool\",\"t{id}\"],                 \"content\":{{\"finding\":\"{text}\"}}}}\n"
            )
        };
        let torn = "{\"id\":\"m9\",\"content\":{\"finding\":\"the pool is back at";
        let one = [
            line(1, "the pool ran out"),
            line(2, "a retry charges twice"),
            line(3, "接続プール"),
            torn.into(),
        ];
        let two = [line(4, "the pool has 20"), line(5, "deploys are slow")];
        for (path, lines) in
            [("ops/memory/sessions/a", one.concat()), ("shop/memory/sessions/b", two.concat())]
        {
            crate::disk::write_new(&folder.path().join(path).join("memory.jsonl"), lines.as_bytes()).unwrap();
        }
        Desk::of(folder, width, height)
    }
}
