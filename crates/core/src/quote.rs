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

/// Truncates words of more than 256 bytes to 100 characters, as too long to be repeated, such as an id that somebody has sent.
///
/// ```
/// use fibula_core::quote::without_long_words;
///
/// let message = format!("there is no node '{}' in the graph", "x".repeat(70_000));
/// assert!(without_long_words(message).ends_with("xxx… (70002 bytes) in the graph"));
/// ```
pub fn without_long_words(text: String) -> String {
    /// Paths may be long.
    const LONGEST_WORD: usize = 256;
    const KEPT: usize = 100;
    if text.len() <= LONGEST_WORD {
        return text;
    }
    let words = text.split_inclusive(char::is_whitespace);
    let words = words.map(|word| {
        let (word, space) = word.split_at(word.trim_end().len());
        match word.char_indices().nth(KEPT) {
            Some((end, _)) if word.len() > LONGEST_WORD => {
                format!("{}… ({} bytes){space}", &word[..end], word.len())
            }
            _ => format!("{word}{space}"),
        }
    });
    words.collect()
}
