//! Head of a `NumPy` array file, format 1.0; the source is the documentation of `numpy.lib.format`.
//!
//! It is written here because it is one line of text, and the libraries for it bring a parser of Python and big
//! integers.

use super::Head;

/// Magic number.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns the head of an array of numbers of the type `T` in C order; the values of a point are the last axis, if
/// there are several.
pub(super) fn head<T>(head: &Head) -> Vec<u8> {
    const ALIGNED: usize = 64;
    let components = (head.values.len() != 1).then_some(head.values.len());
    let sizes: Vec<String> = head
        .shape
        .iter()
        .copied()
        .chain(components)
        .map(|size| size.to_string())
        .collect();
    let shape = match &sizes[..] {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    };
    let mut text = format!(
        "{{'descr': '<f{}', 'fortran_order': False, 'shape': {shape}, }}",
        size_of::<T>()
    );
    let before = MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNED);
    text.push_str(&" ".repeat(whole - before - text.len() - 1));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a few axes are a short text");
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}
