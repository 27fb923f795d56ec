//! Times of saved queries: `datetime('now', '-7 days')`, `date(timestamp)`.

use chrono::{DateTime, Months};

use super::value::RowValue;
use crate::model::Moment;
use crate::model::time::{DAY, HOUR};

/// A change of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeShift {
    Micros(i64),
    /// Calendar months.
    Months(i64),
    /// To the start of the day.
    Day,
}

impl TimeShift {
    /// Parses a modifier such as `-7 days`. `None` if it is unknown.
    pub fn read(text: &str) -> Option<TimeShift> {
        let text = text.trim().to_ascii_lowercase();
        if text == "start of day" {
            return Some(TimeShift::Day);
        }
        let (count, unit) = text.split_once(' ')?;
        let count: i64 = count.parse().ok()?;
        let unit = unit.trim();
        let micros = match unit.strip_suffix('s').unwrap_or(unit) {
            "second" => HOUR / 3_600,
            "minute" => HOUR / 60,
            "hour" => HOUR,
            "day" => DAY,
            "week" => 7 * DAY,
            "month" => return Some(TimeShift::Months(count)),
            "year" => return Some(TimeShift::Months(count.saturating_mul(12))),
            _ => return None,
        };
        Some(TimeShift::Micros(count.saturating_mul(micros)))
    }

    /// Returns the time of a value after all shifts, null if the value is not a time.
    pub fn apply(moves: &[TimeShift], value: &RowValue) -> RowValue {
        let start = value.moment();
        let moved = start.and_then(|start| moves.iter().try_fold(start, |moment, own| own.of(moment)));
        moved.map_or(RowValue::Null, RowValue::Moment)
    }

    fn of(self, moment: Moment) -> Option<Moment> {
        match self {
            TimeShift::Micros(micros) => Some(moment.plus(micros)),
            TimeShift::Day => Some(moment.day()),
            TimeShift::Months(count) => {
                let date = DateTime::from_timestamp_micros(moment.0)?;
                let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
                let moved =
                    if count < 0 { date.checked_sub_months(months) } else { date.checked_add_months(months) };
                moved.map(|moved| Moment(moved.timestamp_micros()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_moved_by_units_and_by_months_of_the_calendar() {
        for (moves, same) in [
            (&["-7 days"][..], "2026-03-24T10:30:00Z"),
            (&["+2 hours"], "2026-03-31T12:30:00Z"),
            (&["-1 month"], "2026-02-28T10:30:00Z"),
            (&["start of day", "-1 year"], "2025-03-31T00:00:00Z"),
        ] {
            let moves: Vec<TimeShift> = moves.iter().map(|text| TimeShift::read(text).unwrap()).collect();
            let moved = TimeShift::apply(&moves, &RowValue::Text("2026-03-31T10:30:00Z".into()));
            assert_eq!(moved, RowValue::Moment(Moment::parse(same).unwrap().0));
        }
        for text in ["", "-7", "days", "weekday 1", "-x days", "localtime"] {
            assert_eq!(TimeShift::read(text), None, "{text}");
        }
        let far = TimeShift::apply(&[TimeShift::Months(i64::MIN)], &RowValue::Moment(Moment(0)));
        assert_eq!(far, RowValue::Null);
    }
}
