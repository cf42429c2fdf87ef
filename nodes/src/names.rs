//! Names as people and agents write them: lookup that forgives case, and the nearest names otherwise.

/// Error returned when a name is not found, with suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// The closest known names, best first; at most three.
    pub nearest: Vec<String>,
}

/// Finds `target` among `names`, each given with the index that it stands for.
///
/// An exact match wins; else the one index that matches when ASCII case is ignored.
///
/// # Errors
/// [`UnknownName`] with the nearest names, when no name or more than one index matches.
pub fn find<'a>(
    target: &str,
    names: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Result<usize, UnknownName> {
    position(target, names.clone()).ok_or_else(|| UnknownName {
        nearest: nearest(target, names.map(|(_, name)| name)),
    })
}

/// As [`find`], without suggestions, which take longer than the search.
pub fn position<'a>(
    target: &str,
    names: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Option<usize> {
    if let Some((index, _)) = names.clone().find(|&(_, name)| name == target) {
        return Some(index);
    }
    let mut folded = names
        .filter(|(_, name)| name.eq_ignore_ascii_case(target))
        .map(|(index, _)| index);
    let index = folded.next()?;
    folded.all(|other| other == index).then_some(index)
}

/// The names closest to `target`, best first, at most three, none that is wholly different.
pub fn nearest<'a>(target: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    /// Longer texts are not slips of the pen, and comparing them costs the product of the lengths.
    const LONGEST: usize = 64;
    if target.len() > LONGEST {
        return Vec::new();
    }
    let target = target.to_ascii_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (similarity(&target, &name.to_ascii_lowercase()), name))
        .filter(|&(score, _)| score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by_key(|&mut (_, name)| name);
    scored.truncate(3);
    scored
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// True if a character is invisible: controls, zero-width characters, direction overrides, variation
/// selectors, tags. They make a text look like another one, or hide one.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A user's text for a message: without invisible characters, truncated to `most` characters.
pub fn visible(text: &str, most: usize) -> String {
    let mut seen = text.chars().filter(|&c| !is_invisible(c));
    let mut short: String = seen.by_ref().take(most).collect();
    if seen.next().is_some() {
        short.push('…');
    }
    short
}

/// Similarity of two lower-case names, from 0 to 1: Damerau-Levenshtein distance, or a common prefix.
fn similarity(target: &str, name: &str) -> f64 {
    let distance = strsim::normalized_damerau_levenshtein(target, name);
    let shorter = target.len().min(name.len());
    if shorter >= 3 && (name.starts_with(target) || target.starts_with(name)) {
        return distance.max(0.75);
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, names: &[&str], expected: Result<usize, &[&str]>) {
        let found = find(target, names.iter().copied().enumerate());
        match expected {
            Ok(index) => assert_eq!(found, Ok(index), "{target}"),
            Err(near) => assert_eq!(found.unwrap_err().nearest, near, "{target}"),
        }
    }

    #[test]
    fn invisible_characters_are_left_out() {
        assert_eq!(visible("a\u{202e}b\u{e0041}c\n", 10), "abc");
        assert_eq!(visible("abcdef", 3), "abc…");
        assert_eq!(visible("Größe 5 µm", 20), "Größe 5 µm");
    }

    #[test]
    fn exact_then_folded_then_nearest() {
        check("A", &["A", "a"], Ok(0));
        check("a", &["A", "a"], Ok(1));
        check("Result", &["x", "result"], Ok(1));
        check("RESULT", &["result", "Result"], Err(&["Result", "result"]));
        check("reslt", &["result", "shape"], Err(&["result"]));
        check(
            "Const",
            &["ConstantScalar", "Sine"],
            Err(&["ConstantScalar"]),
        );
        check("zzz", &["result"], Err(&[]));
        check(&"x".repeat(10_000_000), &["x"], Err(&[]));
    }
}
