//! Times in a query: timestamps, days, and times before now. All are in UTC.

use crate::model::Moment;
use crate::model::time::{DAY, HOUR};

/// The possible values of a time field, for messages.
pub(super) const TIME_FORMS: &str =
    "a time ago such as 3h, 7d, 2w, 1m, 1y, a date such as 2026-01-10, a timestamp, today or yesterday";

/// A time as a user names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeValue {
    /// The first moment that it covers: midnight of a day, or the moment of a timestamp.
    pub start: Moment,
    /// One past the last moment that it covers: the next midnight for a day.
    pub end: Moment,
    /// The range of `at:`: the day, the hour for hours ago, or the second of a timestamp.
    pub around: TimeRange,
}

/// The moments from `from` up to but not including `to`. A missing end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TimeRange {
    pub from: Option<Moment>,
    pub to: Option<Moment>,
}

impl TimeRange {
    pub fn holds(&self, moment: Moment) -> bool {
        self.from.is_none_or(|from| moment >= from) && self.to.is_none_or(|to| moment < to)
    }

    fn unit(moment: Moment, micros: i64) -> Self {
        let from = Moment(moment.0.div_euclid(micros).saturating_mul(micros));
        TimeRange { from: Some(from), to: Some(from.plus(micros)) }
    }
}

impl TimeValue {
    /// Parses a time. `None` if it is not one.
    pub fn parse(text: &str, now: Moment) -> Option<TimeValue> {
        match text {
            "today" => return Some(TimeValue::day(now.day())),
            "yesterday" => return Some(TimeValue::day(now.plus(-DAY).day())),
            _ => {}
        }
        if let Some(ago) = TimeValue::ago(text.strip_prefix('-').unwrap_or(text), now) {
            return Some(ago);
        }
        let (moment, _) = Moment::parse(text)?;
        // Only a timestamp has a colon.
        let timestamp = text.contains(':');
        Some(if timestamp { TimeValue::instant(moment, SECOND) } else { TimeValue::day(moment) })
    }

    fn ago(text: &str, now: Moment) -> Option<TimeValue> {
        let unit = text.chars().next_back()?;
        let digits = text.strip_suffix(unit).filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))?;
        let count: u32 = digits.parse().ok()?;
        let (micros, around) = match unit {
            'h' => (HOUR, HOUR),
            'd' => (DAY, DAY),
            'w' => (7 * DAY, DAY),
            'm' => (30 * DAY, DAY),
            'y' => (365 * DAY, DAY),
            _ => return None,
        };
        let back = micros.saturating_mul(i64::from(count));
        Some(TimeValue::instant(now.plus(back.saturating_neg()), around))
    }

    fn day(start: Moment) -> TimeValue {
        let around = TimeRange::unit(start, DAY);
        TimeValue { start, end: start.plus(DAY), around }
    }

    fn instant(moment: Moment, around: i64) -> TimeValue {
        TimeValue { start: moment, end: moment.plus(1), around: TimeRange::unit(moment, around) }
    }

    /// Returns its moments and all later ones.
    pub fn since(self) -> TimeRange {
        TimeRange { from: Some(self.start), to: None }
    }

    /// Returns its moments and all earlier ones.
    pub fn until(self) -> TimeRange {
        TimeRange { from: None, to: Some(self.end) }
    }
}

/// In microseconds.
const SECOND: i64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::parse(text).unwrap().0
    }

    fn when(text: &str) -> TimeValue {
        TimeValue::parse(text, moment("2026-01-20T10:30:00Z")).unwrap()
    }

    #[test]
    fn until_a_date_includes_that_day() {
        let until = when("2026-01-10").until();
        assert!(until.holds(moment("2026-01-10T23:59:59.999999Z")));
        assert!(!until.holds(moment("2026-01-11T00:00:00Z")));
    }

    #[test]
    fn since_a_date_starts_at_its_midnight_in_utc() {
        let since = when("2026-01-10").since();
        assert!(since.holds(moment("2026-01-10T00:00:00Z")));
        assert!(!since.holds(moment("2026-01-10T00:30:00+01:00")));
    }

    #[test]
    fn after_a_date_starts_with_the_next_day() {
        assert_eq!(when("2026-01-10").end, moment("2026-01-11"));
        assert_eq!(when("2026-01-10").start, moment("2026-01-10"));
    }

    #[test]
    fn today_and_yesterday_are_days_in_utc() {
        assert_eq!(when("today"), when("2026-01-20"));
        assert_eq!(when("yesterday"), when("2026-01-19"));
    }

    #[test]
    fn times_ago_count_from_now() {
        for (text, same) in [
            ("-3h", "2026-01-20T07:30:00Z"),
            ("3h", "2026-01-20T07:30:00Z"),
            ("7d", "2026-01-13T10:30:00Z"),
            ("-7d", "2026-01-13T10:30:00Z"),
            ("-2w", "2026-01-06T10:30:00Z"),
            ("-1m", "2025-12-21T10:30:00Z"),
            ("-1y", "2025-01-20T10:30:00Z"),
        ] {
            assert_eq!(when(text).start, moment(same), "{text}");
        }
    }

    #[test]
    fn at_takes_the_day_the_hour_or_the_second() {
        for (text, from, to) in [
            ("-7d", "2026-01-13T00:00:00Z", "2026-01-14T00:00:00Z"),
            ("-3h", "2026-01-20T07:00:00Z", "2026-01-20T08:00:00Z"),
            ("2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"),
        ] {
            let stretch = TimeRange { from: Some(moment(from)), to: Some(moment(to)) };
            assert_eq!(when(text).around, stretch, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in " - -7 7 -d d --7d +7d -7q -99999999999d soon 2026-13-01 -é 10:30".split(' ') {
            assert_eq!(TimeValue::parse(text, Moment(0)), None, "{text}");
        }
        assert!(TimeValue::parse("-4294967295y", Moment(0)).is_some());
    }
}
