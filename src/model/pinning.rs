//! Tags by which the user keeps a memory from fading, because no format has a field for that. The tag
//! `pinned` keeps a memory for ever, `keep-until.2027-01-31` keeps it until that day is over.

use super::time::{DAY, day};
use super::{Moment, StoredMemory};

/// The tag of a pinned memory.
pub const PINNED: &str = "pinned";
/// The start of the tag that keeps a memory for some time. A day follows.
pub const KEEP_UNTIL: &str = "keep-until.";

/// How long a memory is kept from fading. The longest time is the greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// Until this time.
    Until(Moment),
    /// For ever.
    Always,
}

impl Keep {
    /// Reads all tags. The longest time counts.
    pub fn of<'t>(tags: impl Iterator<Item = &'t str>) -> Option<Keep> {
        tags.filter_map(Keep::by).max()
    }

    /// Reads one tag.
    pub fn by(tag: &str) -> Option<Keep> {
        if tag == PINNED {
            return Some(Keep::Always);
        }
        let start = Moment::start_of(day(tag.strip_prefix(KEEP_UNTIL)?)?)?;
        Some(Keep::Until(start.plus(DAY)))
    }

    /// True if the memory is still kept at that time.
    pub fn lasts_at(self, now: Moment) -> bool {
        match self {
            Keep::Always => true,
            Keep::Until(end) => now < end,
        }
    }
}

/// True if a tag has the form of one that keeps a memory until a day, but names no valid day.
pub fn names_no_day(tag: &str) -> bool {
    tag.starts_with(KEEP_UNTIL) && Keep::by(tag).is_none()
}

/// True if a memory is kept from fading. palimp does not remove such a memory because of its age or rank.
pub fn is_kept(memory: &StoredMemory, now: Moment) -> bool {
    Keep::of(memory.tags()).is_some_and(|keep| keep.lasts_at(now))
}

/// Returns the tag that keeps a memory until the end of the day of `until`.
pub fn tag_until(until: Moment) -> String {
    until.to_pattern(&format!("{KEEP_UNTIL}%Y-%m-%d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_keeps_for_good_or_until_its_day_is_over_and_no_other_tag_does() {
        let (noon, _) = Moment::parse("2027-01-31T12:00:00Z").unwrap();
        let keep = Keep::by("keep-until.2027-01-31").unwrap();
        assert!(keep.lasts_at(noon) && !keep.lasts_at(noon.plus(DAY)));
        assert!(Keep::by("pinned").is_some_and(|keep| keep.lasts_at(noon.plus(1_000 * DAY))));
        assert!(Keep::Always > keep);
        for other in ["keep-until.", "keep-until.soon", "keep-until.2027-13-01", "unpinned", ""] {
            assert_eq!(Keep::by(other), None, "{other}");
        }
        assert_eq!(Keep::by(&tag_until(noon)), Some(keep));
    }
}
