//! The action `keep until`: a tag keeps a memory from fading until a day.

use super::tag::own_tags;
use crate::model::time::{self, DAY};
use crate::model::{KEEP_UNTIL, Keep, Moment, PINNED, tag_until};
use crate::tui::state::app::ChangeTarget;
use crate::tui::state::prompt::PromptPurpose;
use crate::usecase::ChangeCommand;

/// Makes the command that keeps memories until a day. It removes other tags that keep them.
pub(super) fn kept(
    text: &str,
    aim: Option<&ChangeTarget>,
    now: Moment,
) -> Result<ChangeCommand, &'static str> {
    let until = match text.trim() {
        "no" => None,
        text => Some(tag_until(day_meant(text, now).ok_or(KEEP_HOW)?)),
    };
    if until.is_some() && until.as_deref().and_then(Keep::by).is_none_or(|keep| !keep.lasts_at(now)) {
        return Err("That day is over: nothing would be kept.");
    }
    let own = aim.map(|aim| own_tags(PromptPurpose::Tag, Some(aim))).unwrap_or_default();
    let keeps = |tag: &String| tag == PINNED || tag.starts_with(KEEP_UNTIL);
    let remove: Vec<String> =
        own.into_iter().filter(|tag| keeps(tag) && Some(tag) != until.as_ref()).collect();
    if remove.is_empty() && until.is_none() {
        return Err("It was not kept before: nothing is changed.");
    }
    Ok(ChangeCommand::Tag { add: until.into_iter().collect(), remove })
}

pub(super) const KEEP_HOW: &str = "Until when? A day such as 2027-01-31, or for how long: 90d, 8w, 6m, 1y.";

/// Returns a date, or the date after a number of days, weeks, months of 30 days, or years of 365 days.
pub(super) fn day_meant(text: &str, now: Moment) -> Option<Moment> {
    if let Some(day) = time::day(text) {
        return Moment::start_of(day);
    }
    let unit = text.chars().last()?;
    let days = match unit {
        'd' => 1,
        'w' => 7,
        'm' => 30,
        'y' => 365,
        _ => return None,
    };
    let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| (1..=9_999).contains(count))?;
    Some(now.plus(count * days * DAY)).filter(|until| time::day(&until.date()).is_some())
}
