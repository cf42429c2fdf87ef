//! Memory that JSON takes once it is parsed, estimated before: a message of small objects takes a hundred times its length.

/// Messages up to this many bytes are not estimated: even the worst takes little.
pub(crate) const SMALL: usize = 64 << 10;
/// Maximum estimate of a message.
pub(crate) const MAX_MESSAGE: usize = 384 << 20;
/// Maximum sum of the estimates of the messages that are worked on.
pub(crate) const MAX_TOTAL: usize = 512 << 20;

/// Estimates the bytes that the values of a JSON text take: each object begins a node of a B-tree, and each other value has
/// a place in a list or in such a node.
pub(crate) fn estimate(text: &[u8]) -> usize {
    const OBJECT: usize = 640;
    const VALUE: usize = 48;
    let (mut objects, mut values) = (0, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text {
        if in_string {
            let ends = !is_escaped && *byte == b'"';
            is_escaped = !is_escaped && *byte == b'\\';
            in_string = !ends;
        } else {
            match byte {
                b'"' => in_string = true,
                b'{' => objects += 1,
                b'[' | b',' => values += 1,
                _ => {}
            }
        }
    }
    text.len() + objects * OBJECT + values * VALUE
}

/// Text of the error for a message whose estimate is too large.
pub(crate) fn too_large(estimate: usize) -> String {
    format!(
        "the values of the message would take about {} MB of memory, and at most {} MB are allowed; send it in parts, or \
         as a file that import or import_graph reads",
        estimate >> 20,
        MAX_MESSAGE >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_of_strings_count() {
        let check = |text: &str, objects: usize, values: usize| {
            let expected = text.len() + objects * 640 + values * 48;
            assert_eq!(estimate(text.as_bytes()), expected, "{text}");
        };
        check("", 0, 0);
        check("[1,2,3]", 0, 3);
        check(r#"{"a":[{},{}]}"#, 3, 2);
        check(r#"{"a{,[":"\"{,\\","b":1}"#, 1, 1);
    }

    #[test]
    fn the_estimate_is_not_below_what_is_taken() {
        // A node of a B-tree has room for eleven names and values, a list at least for what it holds.
        type Entry = (String, serde_json::Value);
        assert!(11 * size_of::<Entry>() + 16 <= 640);
        assert!(size_of::<serde_json::Value>() <= 48);
    }
}
