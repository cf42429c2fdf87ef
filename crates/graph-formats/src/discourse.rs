//! Titles of the pages of a Discourse Graph, which begin with the code of a node type.

/// Common codes, their node types, and the meanings of these.
pub const NODE_TYPES: [[&str; 3]; 14] = [
    [
        "RES",
        "Result",
        "Outcome of an experiment or a simulation, with its method",
    ],
    ["QUE", "Question", "A question to answer"],
    ["CON", "Conclusion", "Synthesis of several results"],
    ["EVD", "Evidence", "Observation of a particular study"],
    [
        "CLM",
        "Claim",
        "One general statement about the world that answers a question",
    ],
    [
        "HYP",
        "Hypothesis",
        "An expectation with its reason, stated so that it can be tested",
    ],
    ["ISS", "Issue", "Work to do"],
    ["SRC", "Source", "A publication or another reference"],
    ["FLW", "Flow", "A procedure, step by step"],
    [
        "ART",
        "Artifact",
        "A concrete product: a prototype, a standard, a document",
    ],
    ["PRJ", "Project", "A project"],
    [
        "PTN",
        "Pattern",
        "A kind of solution that works in many places",
    ],
    ["THE", "Theory", "An explanation of many phenomena"],
    ["THY", "Theory", "An explanation of many phenomena"],
];

/// Prefixes of the names of pages, which exports spell in several ways.
const PAGES: [&str; 2] = ["pages:", "page:"];

/// Id of a page by its name in an export, without the prefix; `None` for other names.
pub fn page_id(name: &str) -> Option<&str> {
    PAGES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// Splits a title into the code of its node type and the rest: `[[RES]] - title`, the same between brackets as in a
/// link, and for common codes also `RES - title`.
pub fn split_title(title: &str) -> (Option<&str>, &str) {
    let inner = without_link(title);
    let bracketed = inner
        .strip_prefix("[[")
        .and_then(|rest| rest.split_once("]]"))
        .filter(|(code, _)| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()));
    let plain = inner
        .split_once(" - ")
        .filter(|(code, _)| NODE_TYPES.iter().any(|[known, ..]| known == code));
    match bracketed.or(plain) {
        Some((code, rest)) => {
            let rest = rest.trim_start();
            (Some(code), rest.strip_prefix('-').unwrap_or(rest).trim())
        }
        None => (None, title),
    }
}

/// A title without the brackets of a link around it: that of "[[[[RES]] - title]]" is "[[RES]] - title".
pub(crate) fn without_link(title: &str) -> &str {
    let inner = title.strip_prefix("[[");
    let inner = inner.and_then(|inner| inner.strip_suffix("]]"));
    inner
        .filter(|inner| inner.starts_with("[["))
        .unwrap_or(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_split_with_and_without_brackets() {
        for (title, code, rest) in [
            ("[[RES]] - Actin bends", Some("RES"), "Actin bends"),
            ("[[[[RES]] - Actin bends]]", Some("RES"), "Actin bends"),
            ("[[XYZ]]  Actin", Some("XYZ"), "Actin"),
            ("EVD - Bands - wide", Some("EVD"), "Bands - wide"),
            ("DNA - structure", None, "DNA - structure"),
            ("[[Actin]] bends", None, "[[Actin]] bends"),
            ("[[res]] - x", None, "[[res]] - x"),
            ("[[RES]] - see [[Actin]]", Some("RES"), "see [[Actin]]"),
        ] {
            assert_eq!(split_title(title), (code, rest), "{title}");
        }
    }
}
