//! Completes a time that was cut.

use crate::model::time::Timestamp;

/// How a cut time continues: the separator of each part, and its smallest value.
const PARTS: [(&[char], &str); 5] =
    [(&['-'], "-01"), (&['-'], "-01"), (&['T', ' '], "T00"), (&[':'], ":00"), (&[':'], ":00")];
/// The number of parts after the year that make a day.
const DAY: usize = 2;

/// True if a text may be the start of a time. It needs a year at least.
pub(super) fn may_be(text: &[u8]) -> bool {
    (4..=40).contains(&text.len()) && text.iter().take(4).all(u8::is_ascii_digit)
}

/// Completes a time whose year survived, and says how exact it is. The result is the earliest time that
/// begins with what survived. It has the zone of `near`, which is the same time of a memory beside it. If not
/// even the day survived, `near` is used if it begins the same way.
pub(super) fn completed(cut: &str, near: Option<&str>) -> Option<(String, &'static str)> {
    let year = cut.get(..4).filter(|year| year.bytes().all(|own| own.is_ascii_digit()))?;
    let (mut whole, mut rest, mut parts) = (year.to_owned(), &cut[4..], 0);
    for (separators, least) in PARTS {
        let after = rest.strip_prefix(separators).unwrap_or_default();
        let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let separator = if rest.starts_with(separators) { &rest[..1] } else { &least[..1] };
        whole.push_str(separator);
        whole.push_str(match (&after[..digits], &least[1..]) {
            ("", least) | ("0", least) => least,
            (tens, _) => tens,
        });
        if digits == 1 && !after.starts_with('0') {
            whole.push('0');
        }
        rest = if digits == 2 { &after[2..] } else { "" };
        parts += usize::from(digits == 2 && parts < PARTS.len());
    }
    let near = near.filter(|own| Timestamp::read(own).is_some());
    if let Some(near) = near.filter(|own| parts < DAY && own.starts_with(cut)) {
        return Some((near.to_owned(), "year"));
    }
    let (decimals, zone) = behind_seconds(rest);
    let zone = zone.or_else(|| zone_of(near?)).unwrap_or_else(|| "Z".into());
    let whole = format!("{whole}{decimals}{zone}");
    Timestamp::read(&whole)?;
    let exact = ["year", "month", "day", "hour", "minute", "second"];
    Some((whole, exact[parts]))
}

/// Returns the decimals of the second that survived, and the time zone if its hours survived.
fn behind_seconds(rest: &str) -> (&str, Option<String>) {
    let digits = rest.strip_prefix('.').map_or(0, |own| own.bytes().take_while(u8::is_ascii_digit).count());
    let (decimals, rest) = rest.split_at(if digits > 0 { digits + 1 } else { 0 });
    let hours = || rest.get(1..3).filter(|own| own.bytes().all(|own| own.is_ascii_digit()));
    let zone = match rest.as_bytes().first() {
        Some(b'Z') => Some("Z".to_owned()),
        Some(b'+' | b'-') => hours().map(|hours| {
            let minutes = rest.get(4..6).filter(|own| own.bytes().all(|own| own.is_ascii_digit()));
            format!("{}{hours}:{}", &rest[..1], minutes.unwrap_or("00"))
        }),
        _ => None,
    };
    (decimals, zone)
}

fn zone_of(time: &str) -> Option<String> {
    let clock = time.get(10..)?;
    let at = clock.find(['Z', '+', '-'])?;
    Some(clock[at..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_time_that_was_cut_the_day_the_hour_and_the_minute_stay() {
        for (cut, whole) in [
            ("2026-01-20T10:30:15.123+00:00", "2026-01-20T10:30:15.123+00:00"),
            ("2026-01-20T10:30:15.123+02", "2026-01-20T10:30:15.123+02:00"),
            ("2026-01-20T10:30:15.123+0", "2026-01-20T10:30:15.123Z"),
            ("2026-01-20T10:30:15.1", "2026-01-20T10:30:15.1Z"),
            ("2026-01-20T10:30:15.", "2026-01-20T10:30:15Z"),
            ("2026-01-20T10:30:1", "2026-01-20T10:30:10Z"),
            ("2026-01-20T10:3", "2026-01-20T10:30:00Z"),
            ("2026-01-20 10", "2026-01-20 10:00:00Z"),
            ("2026-01-20T", "2026-01-20T00:00:00Z"),
            ("2026-01-20", "2026-01-20T00:00:00Z"),
            ("2026-01-2", "2026-01-20T00:00:00Z"),
            ("2026-0", "2026-01-01T00:00:00Z"),
            ("2026", "2026-01-01T00:00:00Z"),
        ] {
            assert_eq!(completed(cut, None).map(|own| own.0).as_deref(), Some(whole), "{cut}");
        }
        for nothing in ["202", "", "yesterday", "2026-13-01T"] {
            assert_eq!(completed(nothing, None), None, "{nothing}");
        }
    }

    #[test]
    fn a_memory_beside_it_says_the_zone_and_the_day_where_that_is_lost() {
        let near = Some("2026-01-19T08:00:00.000001+02:00");
        let whole = |cut| completed(cut, near).unwrap().0;
        assert_eq!(whole("2026-01-20T10:3"), "2026-01-20T10:30:00+02:00");
        assert_eq!(whole("2026-01-"), "2026-01-19T08:00:00.000001+02:00");
        assert_eq!(whole("2025-1"), "2025-10-01T00:00:00+02:00");
        assert_eq!(completed("2026-01-20", Some("2026-01-19")).unwrap().0, "2026-01-20T00:00:00Z");
    }
}
