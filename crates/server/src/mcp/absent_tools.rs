//! Remarks on texts that name tools which is not offered here: hints and warnings are written for all toolsets.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use fibula_service::Refusal;
use serde_json::Value;

use super::Options;
use crate::operations;

/// Members of an answer that tell what to do next.
const ADVICE: [&str; 2] = ["next", "warnings"];

/// Fibula's own tools that a server does not offer, with their toolsets.
#[derive(Debug, Clone, Default)]
pub(super) struct AbsentTools(Vec<(&'static str, Reason)>);

/// Reason why a tool is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Its toolset is not.
    Toolset(&'static str),
    /// It changes something.
    ReadOnly,
    /// It is excluded by name.
    Excluded,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Toolset(name) => write!(f, "in the toolset {name}, which is not offered here"),
            Reason::ReadOnly => f.write_str("not offered, since this server is read-only"),
            Reason::Excluded => f.write_str("not offered, since it is excluded here"),
        }
    }
}

impl AbsentTools {
    /// Returns the tools that are not offered.
    pub(super) fn of(has_tool: impl Fn(&str) -> bool, options: &Options) -> Self {
        let has_toolset = |name: &str| options.toolsets.iter().any(|own| own.name() == name);
        let own = operations::operations().into_iter();
        let absent = own.filter_map(|operation| {
            let tool = operation.tool?;
            let reason = if options.excluded_tools.iter().any(|name| name == tool.name) {
                Reason::Excluded
            } else if has_toolset(tool.toolset) {
                Reason::ReadOnly
            } else {
                Reason::Toolset(tool.toolset)
            };
            (!has_tool(tool.name)).then_some((tool.name, reason))
        });
        AbsentTools(absent.collect())
    }

    /// Returns the reason why a tool is not offered, to follow "is"; `None` for what is no tool of Fibula's own.
    pub(super) fn reason(&self, tool: &str) -> Option<String> {
        let found = self.0.iter().find(|(name, _)| *name == tool);
        found.map(|(_, reason)| reason.to_string())
    }

    /// Adds to a refusal which tools of its hint are not offered.
    pub(super) fn note_refusal(&self, mut refusal: Refusal) -> Refusal {
        if let Some(hint) = &mut refusal.hint {
            self.note(hint);
        }
        refusal
    }

    /// Adds to the advice of an answer, and of the overview in it, which of its tools are not offered.
    pub(super) fn note_answer(&self, answer: &mut Value) {
        if let Some(overview) = answer.get_mut("contents") {
            self.note_answer(overview);
        }
        for member in ADVICE {
            match answer.get_mut(member) {
                Some(Value::String(text)) => self.note(text),
                Some(Value::Array(texts)) => {
                    for text in texts {
                        if let Value::String(text) = text {
                            self.note(text);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn note(&self, text: &mut String) {
        let mut named: BTreeMap<Reason, Vec<&str>> = BTreeMap::new();
        for &(tool, reason) in &self.0 {
            if names_tool(text, tool) {
                named.entry(reason).or_default().push(tool);
            }
        }
        for (reason, tools) in named {
            let (listed, is) = match &tools[..] {
                [one] => ((*one).to_owned(), "is"),
                [others @ .., last] => (format!("{} and {last}", others.join(", ")), "are"),
                [] => continue,
            };
            let _ = write!(text, "; {listed} {is} {reason}");
        }
    }
}

/// Tools whose names are common words, which count where arguments follow.
const WORDS: [&str; 8] = [
    "checkpoint",
    "compact",
    "list",
    "redact",
    "remove",
    "restore",
    "traverse",
    "update",
];

/// True if a text names a tool.
fn names_tool(text: &str, tool: &str) -> bool {
    let is_word_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(tool).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + tool.len()..]);
        let is_whole = !before.ends_with(is_word_char) && !after.starts_with(is_word_char);
        is_whole
            && (!WORDS.contains(&tool) || after.starts_with(" {") || after.starts_with(" with "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Toolset;

    #[test]
    fn a_tool_is_named_by_whole_words_and_not_by_english_ones() {
        for (text, tool, is_named) in [
            ("list_functions lists them", "list_functions", true),
            ("see my_list_functions", "list_functions", false),
            ("list_functions2", "list_functions", false),
            ("measure {\"function_id\": 1}", "measure", true),
            ("measure with why", "measure", true),
            ("update {\"node\": \"n1\"}", "update", true),
            ("an update of the list", "update", false),
        ] {
            assert_eq!(names_tool(text, tool), is_named, "{text}");
        }
    }

    #[test]
    fn advice_says_which_of_its_tools_are_not_offered() {
        let options = Options {
            toolsets: vec![Toolset::GEOMETRY],
            ..Options::default()
        };
        let absent = AbsentTools::of(|tool| tool == "measure", &options);
        let noted = |hint: &str| absent.note_refusal(Refusal::new("x", "y").hint(hint)).hint;
        assert_eq!(
            noted("get_node_info or list_functions, or import {}").as_deref(),
            Some(
                "get_node_info or list_functions, or import {}; list_functions and get_node_info are in the toolset \
                 function, which is not offered here; import is in the toolset project, which is not \
                 offered here"
            )
        );
        assert_eq!(noted("measure {}").as_deref(), Some("measure {}"));
        assert_eq!(
            noted("render {}").as_deref(),
            Some("render {}; render is not offered, since this server is read-only")
        );
        let mut answer =
            serde_json::json!({ "next": "measure {}", "warnings": ["see get_history", 1] });
        absent.note_answer(&mut answer);
        let expected =
            "see get_history; get_history is in the toolset project, which is not offered here";
        assert_eq!(
            answer,
            serde_json::json!({ "next": "measure {}", "warnings": [expected, 1] })
        );
    }
}
