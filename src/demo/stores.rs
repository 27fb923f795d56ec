//! The four stores that palimp's verbs write: their content and their damage.

use super::demo_memory::DemoMemory;
use super::rng::DemoRng;
use super::store_builder::StoreBuilder;
use super::story::{Story, outage_session};
use super::templates::{Templates, secret};
use crate::demo::{DemoFile, PlantedProblem};
use crate::format::writing::Result;
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Entry, Moment};
use crate::ops;
use crate::ops::delete::DeleteOptions;
use crate::text::names;

pub struct DemoInputs<'a> {
    pub material: &'a mut Templates,
    pub story: &'a Story,
    pub chance: &'a mut DemoRng,
    pub now: Moment,
}

impl DemoInputs<'_> {
    /// Returns memories of a session, with their times spread over the days from one age to another. A type that is
    /// named twice is twice as frequent.
    fn several(&mut self, session: &str, kinds: &[&str], count: usize, days: (i64, i64)) -> Vec<DemoMemory> {
        let mut all: Vec<DemoMemory> = Vec::new();
        while all.len() < count {
            let age = days.0 * DAY - (days.0 - days.1) * DAY * all.len() as i64 / count as i64;
            let when = self.now.plus(-age - self.chance.below(HOUR as usize) as i64);
            let kind = self.chance.pick(kinds).unwrap_or_default();
            let kind = if all.len() % 26 == 25 { "secret" } else { kind };
            for mut memory in self.material.tell(kind, when, self.chance) {
                if kind == "secret" {
                    memory = secret(memory, kinds, self.chance);
                } else if self.chance.below(100) < 30 {
                    memory.refers.push("last".into());
                }
                all.push(DemoMemory { session: session.into(), ..memory });
            }
        }
        all.truncate(count);
        all
    }

    fn ago(&self, hours: i64) -> Moment {
        self.now.plus(-hours * HOUR)
    }

    fn builder(&mut self, format: &'static str, root: &str) -> Result<StoreBuilder> {
        StoreBuilder::new(format, root, DemoRng::new(self.chance.bits()), self.now)
    }
}

type DemoStore = Result<(Vec<DemoFile>, Vec<PlantedProblem>)>;

const TALK: [&str; 10] =
    names("conversation conversation conversation decision decision finding finding finding long decision");

/// The finished sessions: name, age in days of their start and end, number of memories.
const SESSIONS: [(&str, i64, i64, usize); 5] = [
    ("oauth_spike", 120, 95, 46),
    ("search_index", 70, 52, 40),
    ("ci_cleanup", 40, 21, 46),
    ("checkout_rework", 18, 5, 58),
    ("release_4_3", 13, 6, 24),
];

/// Writes the team's log of sessions, `session-log`.
pub fn ops(given: &mut DemoInputs<'_>) -> DemoStore {
    let (now, outage) = (given.now, outage_session(given.now));
    let mut all = given.story.of("ops");
    for (session, from, to, count) in SESSIONS {
        all.extend(given.several(session, &TALK, count, (from, to)));
    }
    let mut desk = given.builder("session-log", "ops/memory")?;
    for (session, began) in SESSIONS.map(|own| (own.0, own.1)).into_iter().chain([(&*outage, 4)]) {
        desk.verb(now.plus(-began * DAY - HOUR), |context| {
            ops::session::new(context, Some(session), "team")
        })?;
    }
    // The last three memories of this session are missing in its index.
    let stale = "sessions/search_index/index.json";
    all.sort_by_key(|own| own.when);
    let (searched, mut rest): (Vec<DemoMemory>, Vec<DemoMemory>) =
        all.into_iter().partition(|own| own.session == "search_index");
    let late = searched.len().saturating_sub(3);
    desk.tell(searched[..late].to_vec())?;
    let old = desk.file(stale);
    rest.extend(searched[late..].to_vec());
    desk.tell(rest)?;
    let done = SESSIONS.iter().take(4).flat_map(|own| desk.live(own.0).into_iter().skip(7).step_by(13));
    let gone: Vec<Entry> = done.collect();
    desk.verb(given.ago(50), |context| ops::delete::delete(context, &gone, &DeleteOptions::default()))?;
    let log = |session: &str| format!("sessions/{session}/memory.jsonl");
    desk.damage(&log("oauth_spike"), &[(20, Code::DanglingReference, ""), (33, Code::NulBytes, "")])?;
    let of_ci = [
        (11, Code::TornLine, "In the vault, under "),
        (28, Code::ChecksumLegacy, ""),
        (36, Code::RawNewline, ""),
    ];
    desk.damage(&log("ci_cleanup"), &of_ci)?;
    desk.damage(&log("checkout_rework"), &[(25, Code::ChecksumMismatch, ""), (40, Code::TooLong, "")])?;
    // A writer stopped in the middle of a memory last night.
    let last = desk.file(&log(&outage)).iter().filter(|byte| **byte == b'\n').count().saturating_sub(1);
    desk.damage(&log(&outage), &[(last, Code::TornLine, "The pool is back at 20, an")])?;
    desk.verb(given.ago(3), ops::reindex::reindex)?;
    desk.make_stale(stale, old, "sessions/search_index/metadata.json")?;
    Ok(desk.done())
}

/// Writes the reviews of the shop, `bmad`: one in use, one archived.
pub fn shop(given: &mut DemoInputs<'_>) -> DemoStore {
    let now = given.now;
    let kinds = ["conversation", "finding", "decision", "finding", "decision", "finding", "preference"];
    let old = given.several("search-latency", &kinds, 44, (168, 150));
    let mut live = given.several("double-charge", &kinds, 38, (20, 6));
    live.extend(given.story.of("shop"));
    let mut desk = given.builder("bmad", "shop/.bmad/memory")?;
    let config = r#"{"memory_config":{"version":"1.0","decay":{"enabled":true,"minimum_factor":0.1}}}"#;
    desk.put("config.json", config)?;
    for (session, began) in [("search-latency", 168), ("double-charge", 20)] {
        let began = now.plus(-began * DAY).to_rfc3339();
        let manifest = format!(
            r#"{{"session_id":"{session}","created_at":"{began}","updated_at":"{began}","user_id":"lead","agent_ids":["architect","analyst","reviewer"],"metadata":{{"session_type":"review","tags":["review"]}},"statistics":{{}},"version":"1.0"}}"#
        );
        desk.put(&format!("sessions/{session}/manifest.json"), manifest.into_bytes())?;
    }
    desk.tell(old)?;
    desk.verb(now.plus(-149 * DAY), |context| ops::session::archive(context, "search-latency"))?;
    desk.tell(live)?;
    desk.damage("sessions/double-charge/preferences.jsonl", &[(2, Code::TornLine, "\"key\":\"")])?;
    desk.verb(given.ago(3), ops::reindex::reindex)?;
    Ok(desk.done())
}

/// Writes what the team's agents learned, `memory-server`.
pub fn team(given: &mut DemoInputs<'_>) -> DemoStore {
    let now = given.now;
    let mut all = given.story.of("team");
    all.extend(given.several("", &["core"], 60, (300, 9)));
    all.extend(given.several("", &["learning"], 80, (80, 6)));
    all.extend(given.several("", &["task"], 34, (25, 5)));
    let archived = given.several("", &["learning"], 28, (320, 160));
    let mut desk = given.builder("memory-server", "team/memories")?;
    // Old learnings were archived, one quarter after another.
    for (number, part) in archived.chunks(7).enumerate() {
        desk.tell(part.to_vec())?;
        let (all, when) = (desk.live(""), now.plus(-(270 - 40 * number as i64) * DAY));
        desk.verb(when, |context| ops::archive::archive(context, &all))?;
    }
    desk.remove(".backup")?;
    // The user misses two learnings that were deleted. The backup from before has them.
    let deleted = now.plus(-9 * DAY);
    all.sort_by_key(|own| own.when);
    let last = all.split_off(all.len().saturating_sub(3));
    let (before, after): (Vec<DemoMemory>, Vec<DemoMemory>) =
        all.into_iter().partition(|own| own.when < deleted);
    desk.tell(before)?;
    let gone = [desk.titled("Rollback steps for release 4.2"), desk.titled("Retry budget is 3")].concat();
    desk.verb(deleted, |context| ops::delete::delete(context, &gone, &DeleteOptions::default()))?;
    desk.tell(after)?;
    let old = desk.file("index.json");
    desk.tell(last)?;
    let log = "learnings.jsonl";
    // An agent changed a learning later, in its own way.
    let text = String::from_utf8_lossy(&desk.file(log)).into_owned();
    let important = |line: &str| match line.contains("Use uv, not pip") {
        true => line.replace("\"importance\":\"medium\"", "\"importance\":\"high\"") + "\n",
        false => format!("{line}\n"),
    };
    desk.put(log, text.lines().map(important).collect::<String>().into_bytes())?;
    let wounds = [
        (17, Code::DuplicateId, ""),
        (31, Code::TooLong, ""),
        (40, Code::TornLine, "\"content\":\""),
        (50, Code::NoTimezone, ""),
    ];
    desk.damage(log, &[(12, Code::ExtraBrace, "")])?;
    desk.damage("core_memories.jsonl", &wounds)?;
    desk.damage("tasks.jsonl", &[(9, Code::GluedRecords, ""), (30, Code::FutureTimestamp, "")])?;
    // A writer stopped in the middle of another day's backup.
    let stamp = now.plus(-2 * DAY).to_pattern("%Y%m%d_%H%M%S");
    let bytes = desk.file(log);
    let cut = bytes.get(..bytes.len() * 3 / 5).unwrap_or_default().to_vec();
    desk.put(&format!(".backup/learnings.jsonl.backup.{stamp}"), cut)?;
    desk.make_stale("index.json", old, "index.json")?;
    Ok(desk.done())
}

/// The notes, each with its links.
const NOTES: [(&str, &[&str]); 7] = [
    ("reading-the-ledger", &["tracing-a-request"]),
    ("timeouts-of-the-gateway", &["retries-with-jitter", "tracing-a-request"]),
    ("retries-with-jitter", &["timeouts-of-the-gateway"]),
    ("tracing-a-request", &[]),
    ("cold-starts", &["timeouts-of-the-gateway", "cold-starts"]),
    ("cache-keys", &["a-note-that-is-gone"]),
    ("retries-without-jitter", &["retries-with-jitter"]),
];
/// The steps of a workflow. Each workflow has a trace of its own.
const STEPS: [(&str, &str, &str); 5] = [
    ("agent.session_started", "success", "Began the work on"),
    ("gateway.tool_call", "success", "Read the runbook of"),
    ("backend.tool_executed", "failure", "The build failed on"),
    ("backend.tool_executed", "success", "The build passed on"),
    ("agent.session_ended", "success", "Ended the work on"),
];
const TRACES: [&str; 9] = names(
    "hotfix-rounding search-reindex restore-drill token-rotation release-4.2 webhook-replay cart-locale \
     bigint-ids log-volume",
);

/// Writes the events and notes of a project, `a-mem`.
pub fn notes(given: &mut DemoInputs<'_>) -> DemoStore {
    let now = given.now;
    let mut all = given.story.of("notes");
    for (number, (id, links)) in NOTES.iter().enumerate() {
        let when = now.plus(-(number as i64 * 11 + 6) * DAY);
        let told = given.material.tell("finding", when, given.chance);
        all.extend(told.into_iter().map(|own| note(own, id, links)));
    }
    for (trace, days) in TRACES.iter().zip((1..).map(|number| 5 * number)) {
        let began = now.plus(-(days + 1) * DAY + given.chance.below(HOUR as usize) as i64);
        all.extend(
            STEPS.iter().zip(0..).map(|(step, number)| event(step, trace, began.plus(number * HOUR / 2))),
        );
    }
    let mut desk = given.builder("a-mem", "notes/.chora/memory")?;
    desk.tell(all)?;
    let profile = include_str!("../../assets/demo/profile.json");
    let profile = profile.replace("{last_active}", &now.plus(-6 * DAY).to_rfc3339());
    desk.put("profiles/gateway-agent.json", profile.into_bytes())?;
    let query = "-- Failures of the last week\nSELECT * FROM events WHERE status = 'failure';\n";
    desk.put("queries/recent-failures.sql", query)?;
    let old = desk.titled("Retries without jitter");
    desk.verb(given.ago(60), |context| ops::delete::delete(context, &old, &DeleteOptions::default()))?;
    desk.remove("knowledge/tags.json")?;
    desk.plant("knowledge/notes/cache-keys.md", Some(1), Code::DanglingReference);
    Ok(desk.done())
}

fn event(&(kind, status, words): &(&str, &str, &str), trace: &str, when: Moment) -> DemoMemory {
    let columns = [status, trace, kind, &format!("{words} {}", trace.replace('-', " "))];
    DemoMemory { when, by: "gateway".into(), ..DemoMemory::of("event", &columns.map(str::to_owned)) }
}

fn note(own: DemoMemory, id: &str, links: &[&str]) -> DemoMemory {
    let title = id.replace('-', " ");
    let first: String = title.chars().take(1).flat_map(char::to_uppercase).collect();
    let related: String = links.iter().map(|link| format!("- [[{link}]]\n")).collect();
    let more = format!(
        "## Problem\n\n{}\n\n## Evidence\n\n{}\n\n```sh\ngateway --timeout 60\n```\n\n## Related notes\n\n{related}",
        own.main, own.more
    );
    let main = format!("{first}{}", title.get(1..).unwrap_or_default());
    DemoMemory { kind: "note".into(), word: id.into(), main, more, ..own }
}
