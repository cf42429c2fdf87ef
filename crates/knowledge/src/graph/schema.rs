//! Schema: declared types of nodes and edges, with domains and ranges.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::KnowledgeError;
use super::text::{MAX_LABEL_BYTES, MAX_NAME_BYTES, check_name, check_text};

/// Maximum number of declared types of nodes, and of edges.
pub const MAX_DECLARED_TYPES: usize = 10_000;

/// Maximum number of types in a domain or a range.
pub const MAX_DOMAIN_TYPES: usize = 1_000;

/// Maximum number of words in all groups of synonyms.
pub const MAX_SYNONYMS: usize = 1_000;

/// The declared types of a knowledge graph. Requests are checked against it; edits, which are
/// facts, apply regardless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// Types of nodes.
    #[serde(default)]
    pub node_types: Vec<NodeType>,
    /// Types of edges.
    #[serde(default)]
    pub edge_types: Vec<EdgeType>,
    /// Handling of nodes and edges that violate it.
    #[serde(default)]
    pub strict: Strictness,
    /// Groups of words that mean the same to searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<Vec<String>>,
}

/// Handling of violations of a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// It is taken.
    #[default]
    Off,
    /// It is taken, with a warning.
    Warn,
    /// It is refused.
    Reject,
}

/// A type of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeType {
    /// Key, as used by nodes: "Evidence".
    pub key: String,
    /// Display name; default: the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Meaning, and when to use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A type of edges.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeType {
    /// Key, as used by edges: "supports".
    pub key: String,
    /// Display name; default: the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Meaning, and when to use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Display name from the target to the source: "supported by".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse: Option<String>,
    /// Types of nodes at which it may begin; any if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<String>,
    /// Types of nodes at which it may end; any if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub range: Vec<String>,
}

/// Violation of a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaViolation {
    /// The type of a node is not declared.
    #[error("nodes of type '{0}' are not in the schema")]
    NodeType(String),
    /// The type of an edge is not declared.
    #[error("edges of type '{0}' are not in the schema")]
    EdgeType(String),
    /// The end of an edge is outside of its domain or range.
    #[error("edges of type '{ty}' {verb} at {}, not at {}", allowed.join(" or "), found.join(" and "))]
    End {
        /// The type of the edge.
        ty: String,
        /// "begin" or "end".
        verb: &'static str,
        /// The types allowed there.
        allowed: Vec<String>,
        /// The types of the node there.
        found: Vec<String>,
    },
}

/// True if two types are equal, ignoring case.
pub fn is_same_type(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

impl Schema {
    /// True if nothing is declared.
    pub fn is_empty(&self) -> bool {
        *self == Schema::default()
    }

    /// Returns the schema as JSON; `None` if nothing is declared.
    pub(super) fn written(&self) -> Option<String> {
        let text = || serde_json::to_string(self).expect("texts can be written as JSON");
        (!self.is_empty()).then(text)
    }

    /// Checks all rules of a schema.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated.
    pub fn check(&self) -> Result<(), KnowledgeError> {
        for count in [self.node_types.len(), self.edge_types.len()] {
            if count > MAX_DECLARED_TYPES {
                return Err(KnowledgeError::TooLarge {
                    what: "a schema",
                    size: format!("{count} types of one kind"),
                    most: MAX_DECLARED_TYPES.to_string(),
                    hint: "put what varies between nodes into their data",
                });
            }
        }
        let words = self.synonyms.iter().map(Vec::len).sum::<usize>();
        if words > MAX_SYNONYMS {
            return Err(KnowledgeError::TooLarge {
                what: "a schema",
                size: format!("{words} synonyms"),
                most: MAX_SYNONYMS.to_string(),
                hint: "declare those that searches need",
            });
        }
        for word in self.synonyms.iter().flatten() {
            check_name("a synonym", word, MAX_NAME_BYTES)?;
        }
        let node_keys = self.node_types.iter().map(|ty| &ty.key);
        let edge_keys = self.edge_types.iter().map(|ty| &ty.key);
        check_keys(node_keys)?;
        check_keys(edge_keys)?;
        let texts = self.node_types.iter();
        let texts = texts.flat_map(|ty| [&ty.label, &ty.description]);
        let edge_texts = self.edge_types.iter();
        let edge_texts = edge_texts.flat_map(|ty| [&ty.label, &ty.description, &ty.inverse]);
        for text in texts.chain(edge_texts).flatten() {
            check_text("a text of the schema", text, MAX_LABEL_BYTES)?;
        }
        for ty in &self.edge_types {
            let most = ty.domain.len().max(ty.range.len());
            if most > MAX_DOMAIN_TYPES {
                return Err(KnowledgeError::TooLarge {
                    what: "a domain or range",
                    size: format!("{most} types"),
                    most: MAX_DOMAIN_TYPES.to_string(),
                    hint: "leave it empty to allow any type",
                });
            }
            for end in ty.domain.iter().chain(&ty.range) {
                check_name("a type in a domain or range", end, MAX_NAME_BYTES)?;
            }
        }
        Ok(())
    }

    /// Returns the violations by a node of these types.
    pub fn node_violations<'a>(
        &'a self,
        types: &'a [String],
    ) -> impl Iterator<Item = SchemaViolation> + 'a {
        let is_declared =
            |ty: &String| self.node_types.iter().any(|own| is_same_type(&own.key, ty));
        let unknown = types.iter().filter(move |ty| !is_declared(ty));
        unknown.map(|ty| SchemaViolation::NodeType(ty.clone()))
    }

    /// Returns the violations by an edge between nodes of these types; `None` is a function, which is allowed
    /// everywhere.
    pub fn edge_violations(&self, ty: &str, ends: [Option<&[String]>; 2]) -> Vec<SchemaViolation> {
        let mut types = self.edge_types.iter();
        let Some(declared) = types.find(|own| is_same_type(&own.key, ty)) else {
            return vec![SchemaViolation::EdgeType(ty.to_owned())];
        };
        let sides = [("begin", &declared.domain), ("end", &declared.range)];
        let sides = sides.into_iter().zip(ends);
        let wrong = sides.filter_map(|((verb, allowed), found)| {
            let found = found?;
            let fits = |ty: &String| allowed.iter().any(|allowed| is_same_type(allowed, ty));
            let is_right = allowed.is_empty() || found.iter().any(fits);
            (!is_right).then(|| SchemaViolation::End {
                ty: ty.to_owned(),
                verb,
                allowed: allowed.clone(),
                found: found.to_vec(),
            })
        });
        wrong.collect()
    }
}

/// Checks keys, and that none is declared twice.
fn check_keys<'a>(keys: impl Iterator<Item = &'a String>) -> Result<(), KnowledgeError> {
    let mut seen = BTreeSet::new();
    for key in keys {
        check_name("a type of the schema", key, MAX_NAME_BYTES)?;
        if !seen.insert(key.to_lowercase()) {
            return Err(KnowledgeError::InvalidText {
                what: "a type of the schema",
                problem: format!("has the duplicate '{key}'; types are case-insensitive"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let text = r#"{ "node_types": [{ "key": "Claim" }, { "key": "Evidence" }],
            "edge_types": [{ "key": "supports", "domain": ["Evidence"], "range": ["claim", "Question"] },
                { "key": "near" }] }"#;
        serde_json::from_str(text).expect("a schema")
    }

    fn types(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn objections_say_what_may_be() {
        let schema = schema();
        let check = |ty: &str, source: &str, target: &str, expected: &[&str]| {
            let (source, target) = (types(source), types(target));
            let found = schema.edge_violations(ty, [Some(&source), Some(&target)]);
            let found: Vec<String> = found.iter().map(SchemaViolation::to_string).collect();
            assert_eq!(found, expected, "{ty} from {source:?} to {target:?}");
        };
        check("supports", "evidence", "Claim", &[]);
        check("SUPPORTS", "Gene Evidence", "question", &[]);
        check("near", "Gene", "Gene", &[]);
        let unknown = "edges of type 'far' are not in the schema";
        check("far", "Claim", "Claim", &[unknown]);
        check(
            "supports",
            "Claim",
            "Evidence Gene",
            &[
                "edges of type 'supports' begin at Evidence, not at Claim",
                "edges of type 'supports' end at claim or Question, not at Evidence and Gene",
            ],
        );
        assert_eq!(schema.edge_violations("supports", [None, None]), []);
        let gene = types("claim Gene");
        let found: Vec<SchemaViolation> = schema.node_violations(&gene).collect();
        assert_eq!(found, [SchemaViolation::NodeType("Gene".to_owned())]);
    }

    #[test]
    fn types_are_declared_once() {
        let mut schema = schema();
        assert_eq!(schema.check(), Ok(()));
        schema.node_types.push(NodeType {
            key: "CLAIM".to_owned(),
            ..NodeType::default()
        });
        let refused = schema.check().unwrap_err().to_string();
        assert!(refused.contains("has the duplicate 'CLAIM'"), "{refused}");
    }
}
