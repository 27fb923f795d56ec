//! Compares what palimp says about a backup before a restore with the result of the restore.

use std::collections::HashSet;
use std::sync::Arc;

use palimp::model::Snapshot;
use palimp::ops::backup_restore::comparison::{DifferenceKind, RecordDifference};
use palimp::usecase::BackupRestore;
use palimp::work::{
    BackupRow, Inspect, InspectRequest, Inspected, Job, JobResult, OpenedBackup, WorkerState, run_job,
};

use super::Judge;
use super::memories::{Memory, live, more_than};

impl Judge<'_> {
    /// Restores some backups, and checks what was said about them.
    pub fn restores(&mut self, most: usize) {
        let Inspected::Backups(mut list, _) = self.inspect(Inspect::Backups) else { return };
        let (all, now) = (self.desk.everything(), self.desk.now);
        while list.len() > most {
            let at = self.chance.below(list.len());
            list.swap_remove(at);
        }
        for own in list {
            let what = Inspect::Backup(own.store, own.copy.clone(), None);
            let Inspected::Opened(opened) = self.inspect(what) else { continue };
            let Ok(opened) = *opened else { continue };
            self.says_why(&own, &opened);
            self.restores_what_it_says(&opened, false);
            self.desk.put_back(&all, now);
            self.restores_what_it_says(&opened, true);
            self.desk.put_back(&all, now);
        }
    }

    fn inspect(&mut self, what: Inspect) -> Inspected {
        let snapshot = Arc::new(Snapshot::of(vec![self.desk.store()]));
        let request = InspectRequest { snapshot, data: self.desk.data(), now: self.desk.now, what };
        let done = run_job(Job::Inspect(Box::new(request)), &mut WorkerState::default(), &Default::default());
        let Some(JobResult::Inspected(seen)) = done else { panic!("nothing was read") };
        *seen
    }

    /// A memory that is missing because the backup ends early must not be called newer than the backup.
    fn says_why(&mut self, own: &BackupRow, opened: &OpenedBackup) {
        let file = opened.compared.file.display();
        for item in opened.compared.items.iter().filter(|item| item.kind == DifferenceKind::Newer) {
            let was_there = self.kept_once(own).is_some_and(|whole| has(&whole, &item.is));
            let says_newer = item.told.starts_with("written") && opened.verified.is_whole;
            self.holds(!was_there || !says_newer, "what a backup lost is not called newer than it", || {
                format!("{file}: {:?} {:?}", item.id, item.told)
            });
        }
    }

    fn kept_once(&self, own: &BackupRow) -> Option<Vec<u8>> {
        let path = self.desk.path(&own.copy.path);
        self.begun.get(&path).cloned()
    }

    /// Restores what is offered, or one memory of those that can be restored.
    fn restores_what_it_says(&mut self, opened: &OpenedBackup, is_chosen: bool) {
        let compared = &opened.compared;
        let can_come: Vec<&RecordDifference> = compared.items.iter().filter(|item| item.can_come).collect();
        let chosen: HashSet<u64> = match is_chosen {
            true => can_come.get(self.chance.below(can_come.len())).map(|item| item.at).into_iter().collect(),
            false => compared.by_default(),
        };
        if chosen.is_empty() && compared.whole_only.is_none() {
            return;
        }
        let restoring = BackupRestore {
            store: 0,
            copy: opened.copy.clone(),
            bytes: Arc::clone(&opened.bytes),
            chosen: if compared.whole_only.is_none() { chosen.clone() } else { HashSet::new() },
            whole: compared.whole_only.is_some(),
        };
        let told = format!("{} from {}", compared.file.display(), opened.copy.path.display());
        let (before, files) = (live(&self.desk.store()), self.desk.files());
        let Ok(planned) = self.desk.plan(restoring, &[]) else { return };
        if planned.is_empty() {
            return;
        }
        let plan: Vec<String> = planned.all().flat_map(|(_, plan)| plan.preview_lines()).collect();
        if let Err(why) = self.desk.carry_out(planned) {
            return self
                .holds(false, "a restore that is planned can be carried out", || format!("{told}: {why}"));
        }
        let now = live(&self.desk.store());
        let plan = plan.join("\n");
        for own in more_than(&now, &before) {
            let is_named = own.is_named_in(plan.as_bytes());
            self.holds(is_named, "a restore names what comes back", || {
                format!("{told}: {}\n    {plan}", own.told())
            });
            let gone = self.gone.iter().find(|gone| own.is(gone)).cloned();
            let may = gone
                .as_ref()
                .is_none_or(|gone| !gone.is_erased && (is_chosen || compared.whole_only.is_some()));
            self.holds(may, "a restore leaves out what was deleted since, unless it is chosen", || {
                format!("{told}: {}", own.told())
            });
        }
        for own in more_than(&before, &now) {
            self.holds(own.is_named_in(plan.as_bytes()), "a restore names what goes", || {
                format!("{told}: {}\n    {plan}", own.told())
            });
        }
        if compared.whole_only.is_none() {
            let bytes = self.desk.read(&compared.file).unwrap_or_default();
            let come = compared.items.iter().filter(|item| item.can_come && chosen.contains(&item.at));
            let lost: Vec<&RecordDifference> =
                come.filter(|item| !has(&bytes, &one_line(&item.was))).collect();
            self.holds(lost.is_empty(), "what is said to come back is there", || format!("{told}: {lost:?}"));
            let stay = compared.items.iter().filter(|item| item.kind == DifferenceKind::Newer);
            let lost: Vec<&RecordDifference> = stay.filter(|item| !has(&bytes, &item.is)).collect();
            self.holds(lost.is_empty(), "what is said to be kept is there", || format!("{told}: {lost:?}"));
            self.touches_nothing_else(opened, &chosen, (&before, &now));
        }
        self.comes_back(&files, &told);
    }

    /// A memory that was not chosen does not come back and does not change.
    fn touches_nothing_else(
        &mut self,
        opened: &OpenedBackup,
        chosen: &HashSet<u64>,
        (before, now): (&[Memory], &[Memory]),
    ) {
        let items = &opened.compared.items;
        let own: Vec<&RecordDifference> =
            items.iter().filter(|item| item.can_come && chosen.contains(&item.at)).collect();
        let more: Vec<&Memory> = more_than(now, before);
        let is_chosen = |one: &&Memory| own.iter().any(|item| one_line(&item.was) == one_line(&one.raw));
        let unasked: Vec<&&Memory> = more.iter().filter(|one| !is_chosen(one)).collect();
        self.holds(unasked.is_empty(), "nothing comes back that was not chosen", || format!("{unasked:?}"));
        let stays = |one: &&Memory| {
            now.iter().any(|own| own.raw == one.raw) || own.iter().any(|item| item.is == one.raw)
        };
        let changed: Vec<&Memory> = before.iter().filter(|one| !stays(one)).collect();
        self.holds(changed.is_empty(), "nothing changes that was not chosen", || format!("{changed:?}"));
    }
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

fn one_line(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}
