//! Names as people and agents write them: lookup that forgives case, and the nearest names otherwise.

/// Why a name was not found, with what the caller may have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The closest known names, best first; at most three.
    pub nearest: Vec<String>,
}

/// Finds `asked` among `names`, each given with the index that it stands for.
///
/// An exact match wins; else the one index that matches when ASCII case is ignored.
///
/// # Errors
/// [`Unknown`] with the nearest names, when no name or more than one index matches.
pub fn find<'a>(
    asked: &str,
    names: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Result<usize, Unknown> {
    if let Some((index, _)) = names.clone().find(|&(_, name)| name == asked) {
        return Ok(index);
    }
    let mut folded = names
        .clone()
        .filter(|(_, name)| name.eq_ignore_ascii_case(asked))
        .map(|(index, _)| index);
    match folded.next() {
        Some(index) if folded.all(|other| other == index) => Ok(index),
        Some(_) | None => Err(Unknown {
            nearest: nearest(asked, names.map(|(_, name)| name)),
        }),
    }
}

/// The names closest to `asked`, best first, at most three, none that is wholly different.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    /// Longer texts are not slips of the pen, and comparing them costs the product of the lengths.
    const LONGEST: usize = 64;
    if asked.len() > LONGEST {
        return Vec::new();
    }
    let asked = asked.to_ascii_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (similarity(&asked, &name.to_ascii_lowercase()), name))
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

/// How alike two lower-case names are, from 0 to 1: edit distance, or one name starting the other.
fn similarity(asked: &str, name: &str) -> f64 {
    let distance = strsim::normalized_damerau_levenshtein(asked, name);
    let shorter = asked.len().min(name.len());
    if shorter >= 3 && (name.starts_with(asked) || asked.starts_with(name)) {
        return distance.max(0.75);
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(asked: &str, names: &[&str], expected: Result<usize, &[&str]>) {
        let found = find(asked, names.iter().copied().enumerate());
        match expected {
            Ok(index) => assert_eq!(found, Ok(index), "{asked}"),
            Err(near) => assert_eq!(found.unwrap_err().nearest, near, "{asked}"),
        }
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
