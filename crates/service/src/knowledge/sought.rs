//! A text that is looked for within others, whatever the case.

use memchr::memchr2_iter;

/// A text in lower case.
#[derive(Debug)]
pub(super) struct Sought {
    text: String,
    /// The first letter in both cases, if the text has only letters of ASCII.
    first: Option<[u8; 2]>,
}

impl Sought {
    pub(super) fn new(text: &str) -> Sought {
        let text = text.to_lowercase();
        let first = text.bytes().next().filter(|_| text.is_ascii());
        let first = first.map(|first| [first, first.to_ascii_uppercase()]);
        Sought { text, first }
    }

    /// Whether a text, in lower case, holds it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let Some([lower, upper]) = self.first else {
            return text.to_lowercase().contains(&self.text);
        };
        let (bytes, sought) = (text.as_bytes(), self.text.as_bytes());
        let mut starts = memchr2_iter(lower, upper, bytes);
        let is_found = starts.any(|start| {
            let own = bytes.get(start..start + sought.len());
            own.is_some_and(|own| own.eq_ignore_ascii_case(sought))
        });
        // Two letters of other alphabets have letters of ASCII in lower case; all others change nothing.
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
    fn letters_of_other_alphabets_count() {
        let check = |text: &str, sought: &str| assert!(Sought::new(sought).is_in(text), "{sought}");
        check("GRÖSSE", "größe".trim_end_matches("ße"));
        // The sign of kelvins is a k in lower case.
        check("300 \u{212a}", "k");
        check("ÄRGER", "rge");
        check("anything", "");
        assert!(!Sought::new("x").is_in(""));
    }

    proptest! {
        #[test]
        fn it_is_found_where_texts_in_lower_case_have_it(text in "[a-dA-D ]{0,12}|\\PC{0,6}", sought in "[a-dA-D ]{0,3}|\\PC{0,2}") {
            let expected = text.to_lowercase().contains(&sought.to_lowercase());
            prop_assert_eq!(Sought::new(&sought).is_in(&text), expected);
        }
    }
}
