//! Memory that JSON takes once it is parsed, estimated before: a message of small objects takes a hundred times its length.

/// Messages up to this many bytes are not estimated: even the worst takes little.
pub(crate) const SMALL: usize = 64 << 10;
/// Maximum estimate of a message.
pub(crate) const MAX_MESSAGE: usize = 384 << 20;
/// Maximum sum of the estimates of the messages that are worked on.
pub(crate) const MAX_TOTAL: usize = 512 << 20;

/// Bytes that the parts of a JSON text take in one of the parsers, as measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs {
    /// A node of a B-tree.
    object: usize,
    member: usize,
    list: usize,
    item: usize,
    string: usize,
}

impl Costs {
    /// Values of `serde_json`.
    pub(crate) const VALUES: Costs = Costs {
        object: 640,
        member: 128,
        list: 160,
        item: 48,
        string: 32,
    };
    /// Messages of MCP, which rmcp buffers while it finds out their kind.
    pub(crate) const MESSAGE: Costs = Costs {
        object: 1000,
        member: 450,
        list: 450,
        item: 210,
        string: 40,
    };

    /// Estimates the bytes of memory that a JSON text takes with its values.
    pub(crate) fn estimate(self, text: &[u8]) -> usize {
        let mut bytes = text.len();
        let (mut in_string, mut is_escaped) = (false, false);
        for byte in text {
            if in_string {
                let ends = !is_escaped && *byte == b'"';
                is_escaped = !is_escaped && *byte == b'\\';
                in_string = !ends;
            } else {
                bytes += match byte {
                    b'"' => {
                        in_string = true;
                        self.string
                    }
                    b'{' => self.object,
                    b':' => self.member,
                    b'[' => self.list,
                    b',' => self.item,
                    _ => 0,
                };
            }
        }
        bytes
    }
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
        let check = |text: &str, [objects, members, lists, items, strings]: [usize; 5]| {
            let Costs {
                object,
                member,
                list,
                item,
                string,
            } = Costs::VALUES;
            let expected = text.len()
                + objects * object
                + members * member
                + lists * list
                + items * item
                + strings * string;
            assert_eq!(Costs::VALUES.estimate(text.as_bytes()), expected, "{text}");
        };
        check("", [0; 5]);
        check("[1,2,3]", [0, 0, 1, 2, 0]);
        check(r#"{"a":[{},{}]}"#, [3, 1, 1, 1, 1]);
        check(r#"{"a{,[:":"\"{,\\","b":1}"#, [1, 2, 0, 1, 3]);
    }
}
