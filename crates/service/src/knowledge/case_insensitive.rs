//! Case-insensitive substring search.

use memchr::memchr2_iter;

/// A pattern in lower case.
#[derive(Debug)]
pub(super) struct CaseInsensitivePattern {
    text: String,
    /// The first letter in both cases, if the pattern is ASCII.
    first: Option<[u8; 2]>,
}

impl CaseInsensitivePattern {
    pub(super) fn new(text: &str) -> CaseInsensitivePattern {
        let text = text.to_lowercase();
        let first = text.bytes().next().filter(|_| text.is_ascii());
        let first = first.map(|first| [first, first.to_ascii_uppercase()]);
        CaseInsensitivePattern { text, first }
    }

    /// True if the pattern occurs in a text, ignoring case.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let Some([lower, upper]) = self.first else {
            return text.to_lowercase().contains(&self.text);
        };
        let (bytes, pattern) = (text.as_bytes(), self.text.as_bytes());
        let mut starts = memchr2_iter(lower, upper, bytes);
        let is_found = starts.any(|start| {
            let own = bytes.get(start..start + pattern.len());
            own.is_some_and(|own| own.eq_ignore_ascii_case(pattern))
        });
        // Two non-ASCII letters have ASCII letters as their lower case; all others make no difference.
        is_found
            || (!text.is_ascii()
                && text.contains(['\u{130}', '\u{212a}'])
                && text.to_lowercase().contains(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn non_ascii_letters_match() {
        let check = |text: &str, pattern: &str| {
            let matcher = CaseInsensitivePattern::new(pattern);
            assert!(matcher.is_in(text), "{pattern}");
        };
        check("GRÖSSE", "größe".trim_end_matches("ße"));
        // The sign of kelvins is a k in lower case.
        check("300 \u{212a}", "k");
        check("ÄRGER", "rge");
        check("anything", "");
        assert!(!CaseInsensitivePattern::new("x").is_in(""));
    }

    proptest! {
        #[test]
        fn matches_like_lowercased_texts(text in "[a-dA-D ]{0,12}|\\PC{0,6}", pattern in "[a-dA-D ]{0,3}|\\PC{0,2}") {
            let expected = text.to_lowercase().contains(&pattern.to_lowercase());
            prop_assert_eq!(CaseInsensitivePattern::new(&pattern).is_in(&text), expected);
        }
    }
}
