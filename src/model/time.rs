//! Moments: microseconds since 1970 in UTC, read from ISO 8601 text.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, SecondsFormat, Utc};

/// An instant, in microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// What a timestamp said of its time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// It named one (`Z` or an offset).
    Given,
    /// It named none, and was read as UTC.
    Assumed,
}

/// Microseconds in an hour.
pub const HOUR: i64 = 3_600_000_000;
/// Microseconds in a day.
pub const DAY: i64 = 24 * HOUR;

impl Moment {
    /// The clock of this machine. Only `main` and the event loop call it: everything
    /// else takes `now` as a parameter.
    pub fn of_the_clock() -> Self {
        Moment(Utc::now().timestamp_micros())
    }

    /// Reads an ISO 8601 timestamp or date; `None` if it is neither.
    ///
    /// A text without a zone is read as UTC and says so in [`Zone::Assumed`].
    pub fn parse(text: &str) -> Option<(Self, Zone)> {
        if let Ok(when) = DateTime::parse_from_rfc3339(text) {
            return Some((Moment(when.timestamp_micros()), Zone::Given));
        }
        if let Some(when) = with_basic_offset(text) {
            return Some((when, Zone::Given));
        }
        for shape in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"] {
            if let Ok(when) = NaiveDateTime::parse_from_str(text, shape) {
                return Some((Moment(when.and_utc().timestamp_micros()), Zone::Assumed));
            }
        }
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Self::start_of(day).map(|when| (when, Zone::Assumed))
    }

    /// Midnight UTC at the start of `day`.
    pub fn start_of(day: NaiveDate) -> Option<Self> {
        let when = day.and_hms_opt(0, 0, 0)?;
        Some(Moment(when.and_utc().timestamp_micros()))
    }

    /// Hours from `earlier` to `self`; negative if `earlier` is later.
    pub fn hours_since(self, earlier: Moment) -> f64 {
        (self.0 - earlier.0) as f64 / HOUR as f64
    }

    /// `self` moved by `micros` microseconds, stopping at the ends of time.
    pub fn plus(self, micros: i64) -> Self {
        Moment(self.0.saturating_add(micros))
    }

    /// Midnight UTC of the day in which this moment lies.
    pub fn day(self) -> Self {
        Moment(self.0.div_euclid(DAY) * DAY)
    }

    /// RFC 3339 in UTC with as many decimals as it needs.
    pub fn to_rfc3339(self) -> String {
        match DateTime::from_timestamp_micros(self.0) {
            Some(when) => when.to_rfc3339_opts(SecondsFormat::AutoSi, true),
            None => format!("@{}", self.0),
        }
    }

    /// RFC 3339 in UTC with milliseconds and `Z`, as JavaScript writes it.
    pub fn to_millis(self) -> String {
        match DateTime::from_timestamp_micros(self.0) {
            Some(when) => when.to_rfc3339_opts(SecondsFormat::Millis, true),
            None => format!("@{}", self.0),
        }
    }

    /// RFC 3339 in UTC with microseconds and `Z`.
    pub fn to_micros(self) -> String {
        match DateTime::from_timestamp_micros(self.0) {
            Some(when) => when.to_rfc3339_opts(SecondsFormat::Micros, true),
            None => format!("@{}", self.0),
        }
    }

    /// By a pattern of the crate chrono, in UTC: for names of files.
    pub fn to_pattern(self, pattern: &str) -> String {
        match DateTime::from_timestamp_micros(self.0) {
            Some(when) => when.format(pattern).to_string(),
            None => format!("@{}", self.0),
        }
    }

    /// `YYYY-MM-DD HH:MM` in UTC, for people.
    pub fn to_minute(self) -> String {
        match DateTime::from_timestamp_micros(self.0) {
            Some(when) => when.format("%Y-%m-%d %H:%M").to_string(),
            None => format!("@{}", self.0),
        }
    }

    /// The calendar year and quarter (1 to 4) in UTC.
    pub fn quarter(self) -> Option<(i32, u32)> {
        let when = DateTime::from_timestamp_micros(self.0)?;
        Some((when.year(), when.month0() / 3 + 1))
    }

    /// The age of `self` at `now`, short: `12s`, `5m`, `3h`, `9d`, `61d`, `3y`.
    pub fn age_at(self, now: Moment) -> String {
        let seconds = (now.0 - self.0).max(0) / 1_000_000;
        match seconds {
            0..60 => format!("{seconds}s"),
            60..3_600 => format!("{}m", seconds / 60),
            3_600..86_400 => format!("{}h", seconds / 3_600),
            86_400..63_072_000 => format!("{}d", seconds / 86_400),
            _ => format!("{}y", seconds / 31_536_000),
        }
    }
}

/// RFC 3339 but for the colon in the offset (`+0100`), or with a lone hour (`+01`).
fn with_basic_offset(text: &str) -> Option<Moment> {
    for shape in ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"] {
        if let Ok(when) = DateTime::parse_from_str(text, shape) {
            return Some(Moment(when.timestamp_micros()));
        }
    }
    let bare = text.strip_suffix(['Z', 'z'])?;
    let when = NaiveDateTime::parse_from_str(bare, "%Y-%m-%dT%H:%M").ok()?;
    Some(Moment(when.and_utc().timestamp_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_with_a_zone_is_read_as_that_instant() {
        let noon = Moment(1_767_268_800_000_000);
        for text in [
            "2026-01-01T12:00:00Z",
            "2026-01-01T13:00:00+01:00",
            "2026-01-01T12:00:00.000000+00:00",
            "2026-01-01T12:00Z",
            "2026-01-01T14:00:00+0200",
        ] {
            assert_eq!(Moment::parse(text), Some((noon, Zone::Given)), "{text}");
        }
    }

    #[test]
    fn a_timestamp_without_a_zone_is_read_as_utc_and_says_so() {
        let noon = Moment(1_767_268_800_000_000);
        assert_eq!(Moment::parse("2026-01-01T12:00:00"), Some((noon, Zone::Assumed)));
        assert_eq!(Moment::parse("2026-01-01"), Some((noon.plus(-12 * HOUR), Zone::Assumed)));
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        for text in ["", "yesterday", "2026-13-01", "2026-01-01T25:00:00Z", "1767268800"] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
