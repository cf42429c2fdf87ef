//! Values as comma-separated text, RFC 4180 with line feeds; numbers have as few digits as distinguish them.

use std::fmt::Debug;
use std::io::Write as _;

use super::{Block, Head};

/// Returns the line of names.
pub(super) fn head(head: &Head) -> String {
    let names = head.inputs.iter().chain(&head.values);
    let names: Vec<String> = names.map(|name| entry(name)).collect();
    names.join(",") + "\n"
}

/// Writes a line for each point.
pub(super) fn lines<T: Debug>(block: &Block<'_, T>, bytes: &mut Vec<u8>) {
    let points = block.values.first().map_or(0, Vec::len);
    for point in 0..points {
        let mut before = "";
        for column in block.inputs.iter().chain(block.values) {
            write!(bytes, "{before}{:?}", column[point]).expect("memory takes all");
            before = ",";
        }
        bytes.push(b'\n');
    }
}

/// Quotes a name if needed.
fn entry(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
