//! Dates in files, as milliseconds since 1970, UTC.

use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat};

/// Numbers below this one are seconds, where a file does not say whether it has seconds or milliseconds: it is the year 5138
/// in seconds, and March 1973 in milliseconds.
const SECONDS: i64 = 100_000_000_000;
/// Range of the milliseconds of years with four digits.
const FORMATTED: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Parses a date of ISO 8601; UTC if it has no zone, midnight if it has no time.
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

/// Formats a date in ISO 8601 with milliseconds; `None` for years without exactly four digits.
pub(super) fn format(at: i64) -> Option<String> {
    let date = FORMATTED
        .contains(&at)
        .then(|| DateTime::from_timestamp_millis(at))?;
    Some(date?.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// Converts a number of seconds or milliseconds.
pub(super) fn from_number(number: i64) -> i64 {
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
    fn dates_are_parsed_in_all_forms() {
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
    fn formatted_dates_are_parsed() {
        for at in [
            0,
            1,
            -1,
            1_704_880_800_123,
            *FORMATTED.start(),
            *FORMATTED.end(),
        ] {
            assert_eq!(format(at).as_deref().and_then(parse), Some(at), "{at}");
        }
        for at in [
            i64::MIN,
            i64::MAX,
            FORMATTED.start() - 1,
            FORMATTED.end() + 1,
        ] {
            assert_eq!(format(at), None, "{at}");
        }
    }

    #[test]
    fn small_numbers_are_seconds() {
        assert_eq!(from_number(1_768_313_916), 1_768_313_916_000);
        assert_eq!(from_number(1_768_313_916_000), 1_768_313_916_000);
        assert_eq!(from_number(i64::MIN), i64::MIN);
    }
}
