//! Quotation of a caller's text in messages.

/// Maximum number of quoted characters.
const LONGEST: usize = 80;

/// Quotes a text, truncated to a length that a message can repeat.
///
/// ```
/// use fibula_core::quote::quoted;
///
/// assert_eq!(quoted("Ball"), "'Ball'");
/// assert!(quoted(&"x".repeat(100)).ends_with("…' (100 bytes)"));
/// ```
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => format!("'{text}'"),
        Some((end, _)) => format!("'{}…' ({} bytes)", &text[..end], text.len()),
    }
}
