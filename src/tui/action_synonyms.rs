//! Other words for actions: the palette finds an action by these, too.

use super::action::Action;

const WORDS: &[(Action, &str)] = &[
    (Action::MemoriesPane, "list show all memories browse"),
    (Action::Open, "show read"),
    (Action::Search, "search find filter grep"),
    (Action::SessionsPane, "stores session projects"),
    (Action::ThisProject, "folder scope only all projects"),
    (Action::CommandLine, "add init completions man new create shell"),
    (Action::Delete, "remove forget erase undelete trash gdpr privacy"),
    (Action::Backups, "restore recover bring back lost"),
    (Action::Problems, "repair fix errors check validate broken damage quarantine"),
    (
        Action::Secrets,
        "passwords tokens keys credentials redact sensitive privacy gdpr personal data erase value findings",
    ),
    (Action::Real, "secret token password verdict triage"),
    (Action::FalseAlarm, "secret verdict triage ignore"),
    (Action::Undecided, "secret verdict triage"),
    (Action::FalseAlarms, "secret verdict triage"),
    (Action::Redact, "mask label pseudonym secret token password privacy gdpr anonymize"),
    (Action::Verify, "erased receipt proof check gdpr"),
    (Action::Undo, "revert back"),
    (Action::Export, "save as write markdown json csv"),
    (Action::New, "inbox unread latest recent"),
    (Action::Seen, "inbox read"),
    (Action::AllSeen, "inbox read"),
    (Action::Duplicates, "same twice dedupe merge similar"),
    (Action::Journal, "journal history log steps changes receipt erased verify verify-erased proof"),
    (Action::Loaded, "budget tokens context limit cut size start index"),
    (
        Action::Upkeep,
        "compact reindex migrate purge cleanup clean up rebuild expire retention archived unarchive archive old forecast decay fading future later",
    ),
    (Action::CleanUp, "cleanup wizard privacy rule rotate leaked"),
    (Action::Why, "explain rank score decay"),
    (Action::MarkAll, "select everything"),
    (Action::Toggle, "select"),
    (Action::RenameTag, "merge tags"),
    (Action::Rename, "move file name id"),
    (Action::Merge, "join combine duplicates same"),
    (Action::Help, "keys manual"),
    (Action::Theme, "colours colors dark light contrast appearance palette"),
    (Action::Order, "sort"),
    (Action::Reload, "refresh"),
    (Action::CopyText, "yank clipboard"),
    (Action::Fold, "expand collapse details"),
    (Action::Statistics, "stats calendar days weeks growth size counts activity"),
    (Action::Pin, "keep rescue star favourite"),
    (Action::KeepUntil, "rescue expire expiry retention pin decay fading"),
    (Action::Pager, "less more read whole print"),
    (Action::Difference, "compare side by side"),
    (Action::Zoom, "all panes full screen"),
    (Action::BringBack, "restore backups unarchive"),
    (Action::Quit, "exit leave"),
];

pub fn of(action: Action) -> &'static str {
    WORDS.iter().find(|(own, _)| *own == action).map_or("", |(_, words)| words)
}
