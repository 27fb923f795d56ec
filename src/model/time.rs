//! Moments: microseconds since 1970 in UTC, read from ISO 8601 text.

use chrono::{DateTime, Datelike, NaiveDate, SecondsFormat, Utc};

/// An instant, in microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// What a timestamp says about its time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// It names one (`Z` or an offset).
    Given,
    /// It names none, and is read as UTC.
    Assumed,
}

/// Microseconds in an hour.
pub const HOUR: i64 = 3_600_000_000;
/// Microseconds in a day.
pub const DAY: i64 = 24 * HOUR;

impl Moment {
    /// Reads the clock. Only `main` and the event loop call it. Everything else takes `now` as a parameter.
    pub fn of_the_clock() -> Self {
        Moment(Utc::now().timestamp_micros())
    }

    /// Parses an ISO 8601 timestamp or date. `None` if it is neither. No zone means UTC ([`Zone::Assumed`]).
    pub fn parse(text: &str) -> Option<(Self, Zone)> {
        Timestamp::read(text).map(|stamp| (stamp.when, stamp.zone))
    }

    /// Parses a timestamp or date, whatever its zone.
    pub fn of(text: &str) -> Option<Self> {
        Moment::parse(text).map(|(when, _)| when)
    }

    /// Returns midnight UTC at the start of `day`.
    pub fn start_of(day: NaiveDate) -> Option<Self> {
        let when = day.and_hms_opt(0, 0, 0)?;
        Some(Moment(when.and_utc().timestamp_micros()))
    }

    /// Returns the hours from `earlier` to `self`; negative if `earlier` is later.
    pub fn hours_since(self, earlier: Moment) -> f64 {
        (self.0 - earlier.0) as f64 / HOUR as f64
    }

    /// Moves `self` by `micros` microseconds, at most to the ends of time.
    pub fn plus(self, micros: i64) -> Self {
        Moment(self.0.saturating_add(micros))
    }

    /// Returns midnight UTC at the start of its day.
    pub fn day(self) -> Self {
        Moment(self.0.div_euclid(DAY) * DAY)
    }

    /// Formats it as RFC 3339 in UTC with as many decimals as it needs.
    pub fn to_rfc3339(self) -> String {
        self.written(|when| when.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }

    /// Formats it as RFC 3339 in UTC with milliseconds and `Z`, as JavaScript writes it.
    pub fn to_millis(self) -> String {
        self.written(|when| when.to_rfc3339_opts(SecondsFormat::Millis, true))
    }

    /// Formats it as RFC 3339 in UTC with microseconds and `Z`.
    pub fn to_micros(self) -> String {
        self.written(|when| when.to_rfc3339_opts(SecondsFormat::Micros, true))
    }

    /// Formats it by a pattern of the crate chrono, in UTC: for names of files.
    pub fn to_pattern(self, pattern: &str) -> String {
        self.written(|when| when.format(pattern).to_string())
    }

    /// Formats it as `YYYY-MM-DD HH:MM` in UTC, for people.
    pub fn to_minute(self) -> String {
        self.to_pattern("%Y-%m-%d %H:%M")
    }

    /// A time outside the calendar is written as its number.
    fn written(self, write: impl Fn(DateTime<Utc>) -> String) -> String {
        DateTime::from_timestamp_micros(self.0).map_or_else(|| format!("@{}", self.0), write)
    }

    /// Returns the calendar year and quarter (1 to 4) in UTC.
    pub fn quarter(self) -> Option<(i32, u32)> {
        let when = DateTime::from_timestamp_micros(self.0)?;
        Some((when.year(), when.month0() / 3 + 1))
    }

    /// Says how long ago `self` was at `now`: `14 min ago`, `3 d ago`, `on 2025-11-03`.
    pub fn ago_at(self, now: Moment) -> String {
        match (now.0 - self.0) / 1_000_000 {
            ..0 => format!("on {}, in the future", self.date()),
            0..60 => "just now".into(),
            seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
            seconds @ 3_600..172_800 => format!("{} h ago", seconds / 3_600),
            seconds @ 172_800..7_776_000 => format!("{} d ago", seconds / 86_400),
            _ => format!("on {}", self.date()),
        }
    }

    /// Says when it was, in short form and UTC: `today 01:03`, `Fri 02:12`, `13 Nov 00:59`, `3 Nov 2024`.
    pub fn short_date_at(self, now: Moment) -> String {
        self.said(now, "%a %H:%M", "%-d %b %H:%M", "%-d %b %Y")
    }

    /// Says the same in long form: `today 01:03`, `Friday 02:12`, `13 November`, `3 November 2024`.
    pub fn long_date_at(self, now: Moment) -> String {
        self.said(now, "%A %H:%M", "%-d %B", "%-d %B %Y")
    }

    /// Uses `week` for a day within a week, `year` for one within about a year, and `far` for others.
    fn said(self, now: Moment, week: &str, year: &str, far: &str) -> String {
        let days = (now.day().0 - self.day().0) / DAY;
        match days {
            0 => format!("today {}", self.to_pattern("%H:%M")),
            1..=6 => self.to_pattern(week),
            -300..=300 => self.to_pattern(year),
            _ => self.to_pattern(far),
        }
    }

    /// Returns its date in UTC: `2025-11-03`.
    pub fn date(self) -> String {
        self.to_pattern("%Y-%m-%d")
    }

    /// Returns the age of `self` at `now`, in short form: `12s`, `5m`, `3h`, `9d`, `61d`, `3y`.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSpelling {
    /// As in ISO 8601, with a point before the decimals.
    Usual,
    /// With a comma before the decimals, as Python's logging writes it.
    Comma,
    /// With single digits for small numbers, or a space before the offset.
    Loose,
}

/// A time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// The instant.
    pub when: Moment,
    /// The zone, given or assumed.
    pub zone: Zone,
    pub spelling: TimeSpelling,
}

impl Timestamp {
    /// Parses a date, or a date with a time. `None` if it is neither. The year has four digits.
    pub fn read(text: &str) -> Option<Timestamp> {
        let mut rest = TimeParser { text, spelling: TimeSpelling::Usual };
        let midnight = Moment::start_of(rest.date()?)?;
        if rest.text.is_empty() {
            return Some(Timestamp { when: midnight, zone: Zone::Assumed, spelling: rest.spelling });
        }
        let clock = rest.clock()?;
        let offset = rest.offset()?;
        let zone = if offset.is_some() { Zone::Given } else { Zone::Assumed };
        let when = midnight.plus(clock - offset.unwrap_or(0));
        rest.text.is_empty().then_some(Timestamp { when, zone, spelling: rest.spelling })
    }
}

/// Parses a day as `YYYY-MM-DD`, in exactly these ten characters.
pub fn day(text: &str) -> Option<NaiveDate> {
    let mut rest = TimeParser { text, spelling: TimeSpelling::Usual };
    let date = rest.date()?;
    (rest.text.is_empty() && rest.spelling == TimeSpelling::Usual).then_some(date)
}

/// The rest of a time that is being parsed.
struct TimeParser<'a> {
    text: &'a str,
    spelling: TimeSpelling,
}

impl TimeParser<'_> {
    fn take(&mut self, sign: impl Fn(char) -> bool) -> Option<char> {
        let first = self.text.chars().next().filter(|first| sign(*first))?;
        self.text = &self.text[first.len_utf8()..];
        Some(first)
    }

    fn exactly(&mut self, count: usize) -> Option<u32> {
        let digits = self.text.get(..count).filter(|own| own.bytes().all(|byte| byte.is_ascii_digit()))?;
        self.text = &self.text[count..];
        digits.parse().ok()
    }

    fn date(&mut self) -> Option<NaiveDate> {
        let year = i32::try_from(self.exactly(4)?).ok()?;
        NaiveDate::from_ymd_opt(year, self.after('-')?, self.after('-')?)
    }

    /// Takes two digits, or one.
    fn number(&mut self) -> Option<u32> {
        self.exactly(2).or_else(|| {
            self.spelling = TimeSpelling::Loose;
            self.exactly(1)
        })
    }

    fn after(&mut self, sign: char) -> Option<u32> {
        self.take(|own| own == sign)?;
        self.number()
    }

    /// Takes the time of day, in microseconds.
    fn clock(&mut self) -> Option<i64> {
        self.take(|own| matches!(own, 'T' | 't' | ' '))?;
        let (hours, minutes) = (self.number()?, self.after(':')?);
        let seconds = if self.text.starts_with(':') { self.after(':')? } else { 0 };
        if hours > 23 || minutes > 59 || seconds > 60 {
            return None;
        }
        let whole = i64::from((hours * 60 + minutes) * 60 + seconds) * 1_000_000;
        let Some(mark) = self.take(|own| matches!(own, '.' | ',')) else { return Some(whole) };
        if mark == ',' {
            self.spelling = TimeSpelling::Comma;
        }
        let count = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.text.split_at(count);
        self.text = rest;
        let micros: i64 = format!("{digits:0<6.6}").parse().ok()?;
        (count > 0).then_some(whole + micros)
    }

    /// Takes the offset from UTC, in microseconds. The inner `None` means that there is no offset.
    fn offset(&mut self) -> Option<Option<i64>> {
        if self.text.is_empty() {
            return Some(None);
        }
        if self.take(|own| own == ' ').is_some() {
            self.spelling = TimeSpelling::Loose;
        }
        let sign = match self.take(|own| matches!(own, 'Z' | 'z' | '+' | '-'))? {
            'Z' | 'z' => return Some(Some(0)),
            '-' => -1,
            _ => 1,
        };
        let hours = self.exactly(2)?;
        let minutes = match (self.take(|own| own == ':'), self.text.is_empty()) {
            (None, true) => 0,
            _ => self.exactly(2)?,
        };
        (hours < 24 && minutes < 60).then_some(Some(sign * i64::from(hours * 60 + minutes) * 60_000_000))
    }
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
        let texts = "|yesterday|2026-13-01|2026-01-01T25:00:00Z|1767268800|26-01-20|026-01-20|12026-01-20|\
            +2026-01-20| 2026-01-20|2026- 1-20|2026-01-20T10|2026-01-20T10:00:00.Z|2026-01-20T10:00:00Zx|\
            2026-01-20T10:00:00+1|2026-01-20T10:00:00+25:00|2026-02-30|2026-01-2é";
        for text in texts.split('|') {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_spelled_as_usual_is_read_and_says_so() {
        let spelled =
            |text: &str| Timestamp::read(text).map(|stamp| (stamp.when.to_rfc3339(), stamp.spelling));
        let own = |when: &str, spelling| Some((when.to_owned(), spelling));
        assert_eq!(spelled("2026-1-5T1:2:3Z"), own("2026-01-05T01:02:03Z", TimeSpelling::Loose));
        assert_eq!(spelled("2026-01-05 10:00:00,123"), own("2026-01-05T10:00:00.123Z", TimeSpelling::Comma));
        assert_eq!(spelled("2026-01-05 10:00:00 +0100"), own("2026-01-05T09:00:00Z", TimeSpelling::Loose));
        assert_eq!(
            spelled("2026-01-05T10:00:00.1234567-01"),
            own("2026-01-05T11:00:00.123456Z", TimeSpelling::Usual)
        );
    }

    #[test]
    fn a_day_is_ten_characters() {
        assert!(day("2026-01-05").is_some());
        for text in ["2026-1-005", "26-01-05", "+026-01-05", "2026-01-05T00:00:00Z", "2026-1-5"] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
