//! Timestamps in requests and answers.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::refusal::quoted;

/// A point in time: milliseconds since 1970, UTC.
///
/// Formats as "2026-03-01T12:00:00.000Z". Parses such texts with any offset, texts without offset and dates, which are
/// UTC, and numbers of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Parses a text; `None` if it is not a time.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let text = text.trim();
        let exact = DateTime::parse_from_rfc3339(text).map(|time| time.timestamp_millis());
        let exact = exact.ok().or_else(|| {
            let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
            let times = forms.map(|form| NaiveDateTime::parse_from_str(text, form).ok());
            let time = times.into_iter().flatten().next();
            let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
            let time = time.or_else(|| date()?.and_hms_opt(0, 0, 0))?;
            Some(time.and_utc().timestamp_millis())
        });
        exact.map(Timestamp)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::from_timestamp_millis(self.0) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            // Beyond the years of the format.
            None => self.0.fmt(f),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum TimestampRepr {
            Number(i64),
            Text(String),
        }
        match TimestampRepr::deserialize(deserializer)? {
            TimestampRepr::Number(ms) => Ok(Timestamp(ms)),
            TimestampRepr::Text(text) => Timestamp::parse(&text).ok_or_else(|| {
                de::Error::custom(format!(
                    "{} is not a time; write \"2026-03-01\", \"2026-03-01T12:00:00Z\" or milliseconds since 1970",
                    quoted(&text)
                ))
            }),
        }
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip() {
        let check =
            |text: &str, ms: i64| assert_eq!(Timestamp::parse(text), Some(Timestamp(ms)), "{text}");
        check("1970-01-01", 0);
        check("1970-01-02T00:00:00Z", 86_400_000);
        check("1970-01-01T01:00:00+01:00", 0);
        check("1969-12-31 23:59:59.5", -500);
        check("2026-03-01T12:00:00", 1_772_366_400_000);
        for text in ["", "yesterday", "2026-13-01", "12:00"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        for ms in [0, -1, 1_772_366_400_123, i64::MIN, i64::MAX] {
            let text = serde_json::to_string(&Timestamp(ms)).unwrap();
            let read = serde_json::from_str::<Timestamp>(&text);
            match DateTime::from_timestamp_millis(ms) {
                Some(_) => assert_eq!(read.unwrap(), Timestamp(ms), "{text}"),
                None => assert_eq!(text, format!("\"{ms}\"")),
            }
        }
    }
}
