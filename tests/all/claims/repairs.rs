//! Compares what palimp says about each fix with the result of the fix.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use palimp::check::findings;
use palimp::disk::RealDisk;
use palimp::disk::host::Host;
use palimp::model::{Problem, Store};
use palimp::ops::repair::{FixChoice, ProblemFix, RepairTarget};
use palimp::usecase::{self, Repair};
use serde_json::Value;

use super::Judge;
use super::desk::Files;
use super::memories::{Memory, all, fields, live, more_than};
use super::stores;

/// The promises of a fix before it is applied.
struct Claim {
    key: String,
    problem: Problem,
    number: usize,
    fix: ProblemFix,
    before: Vec<u8>,
    after: Option<Vec<u8>>,
}

impl Claim {
    fn told(&self) -> String {
        let (file, line) = (self.problem.file.display(), self.problem.line.unwrap_or_default());
        let code = self.problem.code.as_str();
        format!("{code} {file}:{line} fix {} \"{}\": \"{}\"", self.number, self.fix.title, self.fix.reason)
    }
}

/// What a fix says about fields after those that survived.
const AFTER: [&str; 2] = ["What stood behind them is left out.", "Others may have followed."];

impl Judge<'_> {
    /// Applies some fixes, and all safe ones together. Checks what was said about them.
    pub fn repairs(&mut self, most: usize) {
        let checked = self.desk.checked().store;
        let mut claims = self.claims(&checked);
        while claims.len() > most {
            let at = self.chance.below(claims.len());
            claims.swap_remove(at);
        }
        let (all, now) = (self.desk.everything(), self.desk.now);
        for claim in &claims {
            self.holds_to(&checked, claim);
            self.desk.put_back(&all, now);
        }
        self.all_safe(&checked);
        self.desk.put_back(&all, now);
    }

    fn claims(&mut self, store: &Arc<Store>) -> Vec<Claim> {
        let data = self.desk.data();
        let mut claims = Vec::new();
        for own in findings(store) {
            let Ok(beside) = usecase::fixes_of(Host::here(&data, self.desk.now), store, own.problem) else {
                continue;
            };
            for (number, (fix, after)) in (1..).zip(beside.fixes) {
                let (key, before) = (own.key.clone(), beside.before.clone());
                claims.push(Claim { key, problem: own.problem.clone(), number, fix, before, after });
            }
        }
        claims
    }

    fn holds_to(&mut self, store: &Arc<Store>, claim: &Claim) {
        let files = self.desk.files();
        let which = RepairTarget::Chosen(vec![(claim.key.clone(), FixChoice::Number(claim.number))]);
        let told = claim.told();
        let planned = match self.desk.plan(Repair(which), &[]) {
            Ok(planned) => planned,
            Err(why) => {
                return self
                    .holds(false, "a fix that is offered can be planned", || format!("{told}: {why}"));
            }
        };
        let plan: Vec<String> = planned.all().flat_map(|(_, plan)| plan.preview_lines()).collect();
        let is_due = planned.plans.iter().any(|own| !own.plan.is_empty());
        self.holds(is_due, "a fix that is offered does something", || told.clone());
        if let Err(why) = self.desk.carry_out(planned) {
            return self
                .holds(false, "a fix that is planned can be carried out", || format!("{told}: {why}"));
        }
        let after = self.desk.store();
        self.leaves_the_lines(claim, &files);
        self.says_what_comes_and_goes(store, &after, claim, &plan.join("\n"));
        self.keeps_bytes(claim, &files);
        self.means_its_words((store, &after), claim, &files);
        let alike = |store: &Store| {
            let is = |own: &&Problem| own.code == claim.problem.code && own.file == claim.problem.file;
            store.problems.iter().filter(is).count()
        };
        let (was, is) = (alike(store), alike(&self.desk.checked().store));
        // A broken part beside an intact memory stays.
        let stays = claim.fix.reason.contains("what is broken stays");
        self.holds(is < was || stays, "a fix ends its problem", || {
            format!("{told}: {was} of the kind, then {is}")
        });
        self.comes_back(&files, &told);
    }

    /// The lines are equal to those that were shown with the fix.
    fn leaves_the_lines(&mut self, claim: &Claim, files: &Files) {
        let Some(lines) = &claim.after else { return };
        let now = self.desk.files();
        let is_there = now.values().any(|own| memchr::memmem::find(own, lines).is_some());
        let length =
            |all: &Files| all.get(&self.path_of(&claim.problem.file)).map_or(0, |own| own.len() as i64);
        let is_more = lines.len() as i64 - claim.before.len() as i64;
        let is_shift = (length(&now) - length(files) - is_more).abs() <= 2;
        // If lines go to another file, or another line is removed, only these are shown.
        let is_beside = claim.before.is_empty()
            || ["keep the newer", "finish"].iter().any(|own| claim.fix.title.starts_with(own));
        self.holds(is_there && (is_shift || is_beside), "the lines are left as they were shown", || {
            format!("{}\n    shown {}\n    for   {}", claim.told(), text(lines), text(&claim.before))
        });
    }

    fn path_of(&self, file: &Path) -> PathBuf {
        let path = self.desk.path(file);
        std::fs::canonicalize(&path).unwrap_or(path)
    }

    /// Every memory that appears or disappears was shown before.
    fn says_what_comes_and_goes(&mut self, store: &Store, after: &Store, claim: &Claim, plan: &str) {
        let (before, now) = (live(store), live(after));
        let empty = Vec::new();
        let said = [plan.as_bytes(), &claim.before, claim.after.as_ref().unwrap_or(&empty)].concat();
        for own in more_than(&now, &before) {
            self.holds(own.is_named_in(&said), "what comes back is named", || {
                format!("{}: {}", claim.told(), own.told())
            });
            let gone = self.gone.iter().find(|gone| own.is(gone)).cloned();
            if let Some(gone) = gone {
                let may = !gone.is_erased && own.is_named_in(plan.as_bytes());
                self.holds(may, "nothing deleted or erased comes back unnamed", || {
                    format!("{}: {}", claim.told(), own.told())
                });
            }
        }
        for own in more_than(&before, &now) {
            self.holds(own.is_named_in(&said), "what goes is named", || {
                format!("{}: {}", claim.told(), own.told())
            });
            self.holds(!claim.fix.is_safe, "a safe fix loses no memory", || {
                format!("{}: {}", claim.told(), own.told())
            });
        }
    }

    /// Every removed byte is in quarantine. Derived files have no content of their own and are left out.
    fn keeps_bytes(&mut self, claim: &Claim, files: &Files) {
        if claim.fix.title.starts_with("rebuild") {
            return;
        }
        let path = self.path_of(&claim.problem.file);
        let (was, now) =
            (files.get(&path).cloned().unwrap_or_default(), std::fs::read(&path).unwrap_or_default());
        let kept = self.quarantined();
        let count = |bytes: &[u8], byte: u8| memchr::memchr_iter(byte, bytes).count();
        let lost: Vec<u8> =
            (0..=255).filter(|byte| count(&was, *byte) > count(&now, *byte) + count(&kept, *byte)).collect();
        // A line end is removed with its line.
        let lost: Vec<u8> = lost.into_iter().filter(|byte| *byte != b'\n').collect();
        self.holds(lost.is_empty(), "every byte that leaves is in quarantine", || {
            format!("{}: {:?} {}", claim.told(), text(&lost), text(&claim.before))
        });
    }

    fn quarantined(&self) -> Vec<u8> {
        let all = usecase::in_quarantine(&RealDisk, &self.desk.data(), &self.desk.store()).unwrap();
        all.into_iter().flat_map(|own| own.of.pieces).flat_map(|own| own.bytes).collect()
    }

    /// What a title or a reason says about the memory is true.
    fn means_its_words(&mut self, (store, after): (&Store, &Store), claim: &Claim, files: &Files) {
        let (title, reason) = (claim.fix.title.as_str(), claim.fix.reason.as_str());
        let (now, told) = (all(after), claim.told());
        if title.starts_with("keep what can be read") && claim.after.is_some() {
            self.is_a_memory(&now, claim);
        }
        if let Some(place) = title.split("intact on line").nth(1) {
            let mut lines = place.trim_start_matches('s').split(" to ").map(|line| line.trim().parse());
            let line: usize = lines.next().unwrap().unwrap();
            let last = lines.next().map_or(line, Result::unwrap);
            // The number is that of the line before the fix. The broken memory may span several lines.
            let was = files.get(&self.path_of(&claim.problem.file)).cloned().unwrap_or_default();
            let own: Vec<&[u8]> =
                was.split(|byte| *byte == b'\n').skip(line - 1).take(last + 1 - line).collect();
            let own = own.join(&b'\n');
            let bytes = self.desk.read(&claim.problem.file).unwrap_or_default();
            let is_left = memchr::memmem::find(&bytes, &own).is_some();
            let is_whole = fields(own.trim_ascii()).is_some();
            self.holds(is_whole && is_left, "the memory is intact on the line that is named", || {
                told.clone()
            });
        }
        if title == "remove this copy" {
            let left = now.iter().any(|own| match reason.contains("byte for byte") {
                true => memchr::memmem::find(&claim.before, &own.raw).is_some(),
                false => fields(&own.raw).is_some() && fields(&own.raw) == fields(claim.before.trim_ascii()),
            });
            self.holds(left, "of equal memories one stays", || told.clone());
        }
        if title.starts_with("restore the file from") && reason.contains("as it was") {
            let bytes = self.desk.read(&claim.problem.file).unwrap_or_default();
            let is_former = self.former.get(&claim.problem.file).is_some_and(|all| all.contains(&bytes));
            self.holds(is_former, "a file that is restored is as it was", || told.clone());
        }
        if let Some(count) =
            title.strip_prefix("add ").and_then(|own| own.split(' ').next()?.parse::<usize>().ok())
        {
            let come = more_than(&live(after), &live(store)).len();
            self.holds(come == count, "as many memories are added as is said", || format!("{told}: {come}"));
        }
    }

    /// A completed torn memory has a text. A memory that is called complete has every field that it had.
    fn is_a_memory(&mut self, now: &[Memory], claim: &Claim) {
        let after = claim.after.as_deref().unwrap_or_default();
        let own: Vec<&Memory> =
            now.iter().filter(|own| memchr::memmem::find(after, &own.raw).is_some()).collect();
        let says_whole = claim.fix.reason.contains("All fields that the format asks for survived");
        for own in own.into_iter().filter(|own| memchr::memmem::find(&claim.before, &own.raw).is_none()) {
            let is_said = !own.text.trim().is_empty() && !own.text.contains("(lost)");
            let is_first = claim.number == 1;
            self.holds(
                is_said || !(says_whole || is_first),
                "what has no text is neither first nor whole",
                || format!("{}: {}", claim.told(), own.told()),
            );
            let known = self.known.iter().filter_map(|raw| fields(raw).zip(id_of(raw)));
            let of_id: Vec<_> =
                known.filter(|(_, id)| Some(id) == own.id.as_ref()).map(|(own, _)| own).collect();
            if says_whole && !of_id.is_empty() {
                let is = fields(&own.raw).unwrap_or_default();
                let asked = stores::record(self.desk.place.format, 0);
                // A field that the format doesn't ask for may be lost, and the reason says so.
                let says_more = AFTER.iter().any(|own| claim.fix.reason.contains(own));
                let may_lack = |name: &str| says_more && asked.get(name).is_none() && !is.contains_key(name);
                let is_so = |(name, value): (&String, &Value)| is.get(name) == Some(value) || may_lack(name);
                let has_all = of_id.iter().any(|was| was.iter().all(is_so));
                self.holds(has_all, "what is called whole has every field as it was", || {
                    format!("{}: {}", claim.told(), own.told())
                });
            }
        }
    }

    fn all_safe(&mut self, store: &Arc<Store>) {
        let files = self.desk.files();
        let planned = match self.desk.plan(Repair(RepairTarget::AllSafe), &[]) {
            Ok(planned) if !planned.is_empty() => planned,
            Ok(_) => return,
            Err(why) => return self.holds(false, "all safe fixes can be planned", || why),
        };
        let plan: Vec<String> = planned.all().flat_map(|(_, plan)| plan.preview_lines()).collect();
        if let Err(why) = self.desk.carry_out(planned) {
            return self.holds(false, "all safe fixes can be carried out", || why);
        }
        let (before, now) = (live(store), live(&self.desk.store()));
        let lost: Vec<String> = more_than(&before, &now).into_iter().map(Memory::told).collect();
        self.holds(lost.is_empty(), "all safe fixes lose no memory", || lost.join("\n    "));
        let known: Vec<Vec<u8>> = self.known.clone();
        let is_torn = |own: &&Memory| !known.contains(&own.raw);
        let changed: Vec<String> = before
            .iter()
            .filter(|own| !is_torn(own) && !now.iter().any(|other| other.raw == own.raw))
            .map(Memory::told)
            .collect();
        self.holds(changed.is_empty(), "all safe fixes leave whole lines as they are", || {
            changed.join("\n    ")
        });
        for own in more_than(&now, &before) {
            let is_gone = self.gone.iter().any(|gone| own.is(gone));
            let is_named = own.is_named_in(plan.join("\n").as_bytes());
            self.holds(!is_gone && is_named, "all safe fixes bring back nothing unnamed", || own.told());
        }
        let again = self.desk.plan(Repair(RepairTarget::AllSafe), &[]);
        let more = again.map(|own| own.all().flat_map(|(_, plan)| plan.preview_lines()).collect::<Vec<_>>());
        self.holds(more.as_ref().is_ok_and(Vec::is_empty), "all safe fixes are done at once", || {
            format!("{more:?}")
        });
        self.comes_back(&files, "all safe");
    }

    /// An undo restores the bytes.
    pub fn comes_back(&mut self, files: &Files, told: &str) {
        match self.desk.undo() {
            Ok(()) => {}
            // It would restore erased memories.
            Err(why) if why.contains("was erased") => return,
            Err(why) => return self.holds(false, "what was done can be undone", || format!("{told}: {why}")),
        }
        let back = self.desk.files();
        let differs: Vec<&PathBuf> =
            files.keys().chain(back.keys()).filter(|path| files.get(*path) != back.get(*path)).collect();
        self.holds(differs.is_empty(), "an undo gives the bytes back", || format!("{told}: {differs:?}"));
    }
}

fn id_of(raw: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(raw).ok()?;
    Some(value.get("id").or(value.get("event_id"))?.as_str()?.to_owned())
}

fn text(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}
