//! Dates as files write them, in milliseconds since 1970, UTC.

use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat};

/// A number below this one, where a file does not say whether it counts seconds or milliseconds, counts seconds: it is the
/// year 5138 in seconds, and March 1973 in milliseconds.
const SECONDS: i64 = 100_000_000_000;
/// The first and the last millisecond that have a date of four digits for the year.
const WRITTEN: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// What a date of ISO 8601 means; UTC if it names no zone, midnight if it names no time.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(date) = DateTime::parse_from_rfc3339(text) {
        return Some(date.timestamp_millis());
    }
    for form in [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
    ] {
        if let Ok(date) = NaiveDateTime::parse_from_str(text, form) {
            return Some(date.and_utc().timestamp_millis());
        }
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

/// A date of ISO 8601 with milliseconds; `None` for years that have not four digits.
pub(super) fn written(at: i64) -> Option<String> {
    let date = WRITTEN
        .contains(&at)
        .then(|| DateTime::from_timestamp_millis(at))?;
    Some(date?.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// What a number means that may count seconds or milliseconds.
pub(super) fn of_number(number: i64) -> i64 {
    if (-SECONDS..SECONDS).contains(&number) {
        number * 1000
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_all_their_forms() {
        for (text, at) in [
            ("2024-01-10T10:00:00.000Z", 1_704_880_800_000),
            ("2024-01-10T11:00:00.5+01:00", 1_704_880_800_500),
            ("2024-01-10T10:00:00", 1_704_880_800_000),
            ("2024-01-10 10:00:00.25", 1_704_880_800_250),
            ("2024-01-10T10:00", 1_704_880_800_000),
            (" 2024-01-10 ", 1_704_844_800_000),
            ("1969-12-31", -86_400_000),
        ] {
            assert_eq!(parse(text), Some(at), "{text}");
        }
        for text in [
            "",
            "2024",
            "2024-13-01",
            "yesterday",
            "2024-01-10T25:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_that_are_written_are_read() {
        for at in [
            0,
            1,
            -1,
            1_704_880_800_123,
            *WRITTEN.start(),
            *WRITTEN.end(),
        ] {
            assert_eq!(written(at).as_deref().and_then(parse), Some(at), "{at}");
        }
        for at in [i64::MIN, i64::MAX, WRITTEN.start() - 1, WRITTEN.end() + 1] {
            assert_eq!(written(at), None, "{at}");
        }
    }

    #[test]
    fn small_numbers_count_seconds() {
        assert_eq!(of_number(1_768_313_916), 1_768_313_916_000);
        assert_eq!(of_number(1_768_313_916_000), 1_768_313_916_000);
        assert_eq!(of_number(i64::MIN), i64::MIN);
    }
}
