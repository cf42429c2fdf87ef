//! Node types: search and description.

use fibula_nodes::{
    FunctionType, KindInfo, ResourceKind, Signature, Type, Value, catalogue, names,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::functions::next_step;
use crate::paging::Paging;
use crate::refusal::{Refusal, Result, did_you_mean, quoted};
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Search for node types.
    pub request(Default) struct ListNodeTypes {
        /// Words in name, family or description, such as "vector length"; default: all.
        pub search: Option<String>,
        /// Default: full for the type that the search names, summary for others.
        pub detail: Option<Detail>,
        limit,
        cursor,
    }

    /// Node types, best match first, or by family and name.
    pub answer struct NodeTypesListed {
        pub success: bool,
        pub node_types: Vec<NodeTypeInfo>,
        pub total: usize,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
    }

    /// A node type.
    pub answer(Default) struct NodeTypeInfo {
        /// Value of node_type for create_node.
        pub name: String,
        pub summary: Option<String>,
        /// Parameters and ports, as in "(A, B) -> (result)".
        pub signature: Option<String>,
        pub family: Option<String>,
        pub description: Option<String>,
        /// Its name in expressions and 3MF.
        pub element: Option<String>,
        #[schemars(with = "Option<Vec<String>>")]
        pub aliases: Vec<String> = [],
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub parameters: Vec<ParameterTypeInfo> = [],
        #[schemars(with = "Option<Vec<String>>")]
        pub ports: Vec<String> = [],
        /// The combinations of types.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub overloads: Vec<RuleInfo> = [],
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub examples: Vec<ExampleInfo> = [],
    }

    /// Parameter of a node type.
    pub data struct ParameterTypeInfo {
        pub name: String,
        pub default: Option<Json>,
        /// Kind of resource that the parameter refers to.
        pub refers: Option<ResourceKind>,
    }

    /// Types of parameters and ports, in order.
    pub data struct RuleInfo {
        pub inputs: Vec<Type>,
        pub outputs: Vec<Type>,
    }

    /// Values of parameters and the resulting values of ports.
    pub data struct ExampleInfo {
        pub inputs: Vec<Json>,
        pub outputs: Vec<Json>,
    }
}

/// Detail of descriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Detail {
    Names,
    Summary,
    Full,
}

impl Service {
    /// Searches the node types.
    ///
    /// # Errors
    /// A [`Refusal`] if `limit` or `cursor` is invalid.
    pub fn list_node_types(&self, request: &ListNodeTypes) -> Result<NodeTypesListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let search = request.search.as_deref().unwrap_or("").trim();
        let exact = catalogue::kind(search).ok();
        let is_named = |about: &KindInfo| exact.is_some_and(|exact| exact.name == about.name);
        let mut found = matching(search);
        // A stable sort, so that only the named kind moves.
        found.sort_by_key(|about| !is_named(about));
        if let Some(exact) = exact.filter(|_| !found.first().is_some_and(|first| is_named(first))) {
            found.insert(0, exact);
        }
        let next = if found.is_empty() {
            Some(elsewhere(search))
        } else {
            // What has the word in its description is hardly what was meant.
            Some(search)
                .filter(|search| exact.is_none() && !search.is_empty())
                .and_then(beyond_node_types)
        };
        let page = paging.page((0..).zip(&found), |about| {
            let otherwise = if is_named(about) {
                Detail::Full
            } else {
                Detail::Summary
            };
            info(about, request.detail.unwrap_or(otherwise))
        });
        Ok(NodeTypesListed {
            success: true,
            node_types: page.items,
            total: found.len(),
            next_cursor: page.next_cursor,
            next,
        })
    }

    /// Describes a kind in full.
    ///
    /// # Errors
    /// A [`Refusal`] with the nearest names if there is no such kind.
    pub fn node_type(&self, name: &str) -> Result<NodeTypeInfo> {
        catalogue::kind(name)
            .map(|about| info(about, Detail::Full))
            .map_err(|unknown| {
                let message = format!("unknown node type {}", quoted(name));
                Refusal::new("unknown_node_type", message).hint(did_you_mean(
                    &unknown.nearest,
                    "list_node_types lists them all",
                ))
            })
    }

    /// Completes the name of a kind, ignoring case; the nearest names if none begins with `start`.
    pub fn node_type_names(&self, start: &str) -> Vec<String> {
        let folded = start.to_lowercase();
        let all = || catalogue::catalogue().iter().map(|about| about.name);
        let mut begin: Vec<String> = all()
            .filter(|name| name.to_lowercase().starts_with(&folded))
            .map(str::to_owned)
            .collect();
        begin.sort_unstable();
        if begin.is_empty() {
            names::nearest(start, all())
        } else {
            begin
        }
    }
}

/// Names what a search means in the library or in expressions.
fn beyond_node_types(search: &str) -> Option<String> {
    next_step::suggest_library(search).or_else(|| {
        let forms = fibula_dialects::synonyms(search);
        forms.first().map(|form| format!("expressions have {form}"))
    })
}

/// Hint for a search that finds no node type.
fn elsewhere(search: &str) -> String {
    beyond_node_types(search).unwrap_or_else(|| {
        let nearest = catalogue::kind(search).err();
        did_you_mean(
            &nearest.map(|unknown| unknown.nearest).unwrap_or_default(),
            "search for another word, or omit search to list all node types",
        )
    })
}

/// True if a search finds a node type.
pub(crate) fn finds(search: &str) -> bool {
    !matching(search).is_empty()
}

/// Node types that contain every word of a search or of a synonym; matches in the name come first.
fn matching(search: &str) -> Vec<&'static KindInfo> {
    let words: Vec<(String, Vec<&str>)> = search
        .split_whitespace()
        .take(16)
        .map(|word| (word.to_lowercase(), fibula_dialects::synonyms(word)))
        .collect();
    let mut found: Vec<(usize, &'static KindInfo)> = Vec::new();
    for &about in catalogue::catalogue() {
        let names = std::iter::once(about.name)
            .chain([about.element])
            .chain(about.aliases.iter().copied());
        let names: Vec<String> = names.map(str::to_lowercase).collect();
        let text = format!("{} {}", about.family.name(), about.doc).to_lowercase();
        let rank = |(word, synonyms): &(String, Vec<&str>)| {
            if names.contains(word) {
                Some(0)
            } else if names.iter().any(|name| name.contains(word.as_str()))
                || synonyms.contains(&about.element)
            {
                Some(1)
            } else {
                text.contains(word.as_str()).then_some(2)
            }
        };
        if let Some(ranks) = words.iter().map(rank).collect::<Option<Vec<usize>>>() {
            found.push((ranks.iter().sum(), about));
        }
    }
    // A stable sort keeps kinds of one rank ordered by family and name.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, about)| about).collect()
}

fn info(about: &KindInfo, detail: Detail) -> NodeTypeInfo {
    let bare = NodeTypeInfo {
        name: about.name.to_owned(),
        ..NodeTypeInfo::default()
    };
    match detail {
        Detail::Names => bare,
        Detail::Summary => NodeTypeInfo {
            summary: Some(about.summary().to_owned()),
            signature: Some(signature(about)),
            ..bare
        },
        Detail::Full => full(about, bare),
    }
}

fn full(about: &KindInfo, bare: NodeTypeInfo) -> NodeTypeInfo {
    let values = |values: &[Value]| values.iter().map(Value::to_json).collect();
    let own = own_signature(about);
    let own = own.as_ref().unwrap_or(&about.signature);
    NodeTypeInfo {
        signature: Some(signature(about)),
        family: Some(about.family.name().to_owned()),
        description: Some(about.doc.split_whitespace().collect::<Vec<_>>().join(" ")),
        element: Some(about.element.to_owned()),
        aliases: about
            .aliases
            .iter()
            .map(|&alias| alias.to_owned())
            .collect(),
        parameters: own
            .parameters
            .iter()
            .map(|parameter| ParameterTypeInfo {
                name: parameter.name.to_string(),
                default: parameter.default.as_ref().map(Value::to_json),
                refers: parameter.refers,
            })
            .collect(),
        ports: own.ports.iter().map(|port| port.name.to_string()).collect(),
        overloads: own
            .overloads
            .iter()
            .map(|rule| RuleInfo {
                inputs: rule.inputs.clone(),
                outputs: rule.outputs.clone(),
            })
            .collect(),
        examples: about
            .examples
            .iter()
            .take(2)
            .map(|example| ExampleInfo {
                inputs: values(&example.inputs),
                outputs: values(&example.outputs),
            })
            .collect(),
        ..bare
    }
}

/// Signature of a kind apart from that of its callee; `None` for kinds without callee.
fn own_signature(about: &KindInfo) -> Option<Signature> {
    let following = (about.make)().with_callee(&FunctionType::default())?;
    Some(following.signature().into_owned())
}

/// Formats parameters and ports; optional parameters with their defaults.
fn signature(about: &KindInfo) -> String {
    let own = own_signature(about);
    let follows = own.is_some();
    let signature = own.as_ref().unwrap_or(&about.signature);
    let parameters = signature.parameters.iter();
    let mut parameters: Vec<String> = parameters
        .map(|parameter| match &parameter.default {
            None => parameter.name.to_string(),
            Some(value) => format!("{} = {}", parameter.name, value.to_json()),
        })
        .collect();
    let mut ports: Vec<&str> = signature
        .ports
        .iter()
        .map(|port| port.name.as_ref())
        .collect();
    if follows {
        parameters.push("...the function's inputs".to_owned());
        if ports.is_empty() {
            ports.push("...the function's outputs");
        }
    }
    format!("({}) -> ({})", parameters.join(", "), ports.join(", "))
}
