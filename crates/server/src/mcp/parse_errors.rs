//! Errors for messages that are not JSON-RPC, or not a request of MCP.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use rmcp::model::{CustomRequest, ErrorCode, ErrorData, RequestId};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::address::truncate;

/// Returns the error of a malformed message, and the id of the request if it can be read.
pub(super) fn diagnose(bytes: &[u8]) -> (Option<RequestId>, ErrorData) {
    let (text, bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let end = error.valid_up_to();
            (std::str::from_utf8(&bytes[..end]).unwrap_or(""), Some(end))
        }
    };
    let id = RefCell::new(None);
    let shape = Probe(&id).deserialize(&mut serde_json::Deserializer::from_str(text));
    let id = id.into_inner();
    let id = id.and_then(|id| serde_json::from_value(id).ok());
    let unparsable = if let Some(place) = bad {
        format!("not UTF-8: invalid byte at {place}")
    } else if let Err(error) = shape
        && (error.is_syntax() || error.is_eof())
    {
        format!("not JSON: {error}")
    } else {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let message = format!("not an MCP message: {}", misshapen(&value));
                return (id, ErrorData::invalid_request(message, None));
            }
            Err(error) => format!(
                "unsupported JSON: {error} (numbers are finite doubles, nesting is at most 128)"
            ),
        }
    };
    (id, ErrorData::parse_error(unparsable, None))
}

fn misshapen(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => {
            "batches are not part of this version of MCP: send one message at a time"
        }
        Value::Object(members) => {
            let is_text = |name| members.get(name).is_some_and(Value::is_string);
            let is_other =
                |name, fits: fn(&Value) -> bool| members.get(name).is_some_and(|it| !fits(it));
            if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
                "`jsonrpc` must be \"2.0\""
            } else if is_other("id", |id| id.is_string() || id.is_i64()) {
                "`id` must be a string or an integer"
            } else if !is_text("method") {
                "`method` must be a string"
            } else if is_other("params", Value::is_object) {
                "`params` must be an object"
            } else {
                "the parameters do not match the method"
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            "a message must be a JSON object"
        }
    }
}

/// Finds the id of a message and skips the rest without recursion, so that deeply nested values do not hide it.
struct Probe<'a>(&'a RefCell<Option<Value>>);

impl<'de> DeserializeSeed<'de> for Probe<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Probe<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == "id" {
                *self.0.borrow_mut() = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Returns the error of a request that is no method, or whose parameters do not match it.
pub(super) fn malformed(request: &CustomRequest, stateless: bool) -> ErrorData {
    const KNOWN: [&str; 11] = [
        "tools/call",
        "tools/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "prompts/get",
        "prompts/list",
        "completion/complete",
        "server/discover",
        "skills/get",
        "skills/list",
    ];
    let method = request.method.as_str();
    // Methods of only one era.
    let known = match method {
        "initialize" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
            !stateless
        }
        "subscriptions/listen" => stateless,
        method => KNOWN.contains(&method),
    };
    if !known {
        let message = format!("there is no method {}", truncate(method, 80));
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    }
    let reason = match (method, &request.params) {
        (_, None) => "`params` is missing",
        ("tools/call", Some(params)) if !params.get("name").is_some_and(Value::is_string) => {
            "`name` must be a string"
        }
        ("tools/call", Some(params))
            if params.get("arguments").is_some_and(|it| !it.is_object()) =>
        {
            "`arguments` must be an object"
        }
        ("skills/get" | "resources/read", Some(params))
            if !params.get("uri").is_some_and(Value::is_string) =>
        {
            "`uri` must be a string"
        }
        (_, Some(_)) => "`params` does not match the method",
    };
    ErrorData::invalid_params(format!("{method}: {reason}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], id: Option<i64>, expected: &str) {
        let (found, error) = diagnose(bytes);
        assert_eq!(found, id.map(RequestId::Number));
        assert!(error.message.starts_with(expected), "{}", error.message);
    }

    #[test]
    fn the_reason_and_the_id_are_told() {
        let deep = [
            &br#"{"id":3,"x":"#[..],
            &b"[".repeat(20_000),
            &b"]".repeat(20_000),
            b"}",
        ]
        .concat();
        check(&deep, Some(3), "unsupported JSON: recursion limit");
        check(
            br#"{"jsonrpc":"2.0","id":3,"method":"#,
            Some(3),
            "not JSON: EOF",
        );
        check(
            br#"{"id":3,"x":1e999}"#,
            Some(3),
            "unsupported JSON: number out of range",
        );
        check(br#"{"id":3,"x":NaN}"#, Some(3), "not JSON: expected value");
        check(
            b"{\"id\":3,\"x\":\"\xff\"}",
            Some(3),
            "not UTF-8: invalid byte at 13",
        );
        check(b"[]", None, "not an MCP message: batches");
        check(br#"{"id":3}"#, Some(3), "not an MCP message: `jsonrpc`");
        check(
            b"7",
            None,
            "not an MCP message: a message must be a JSON object",
        );
    }
}
