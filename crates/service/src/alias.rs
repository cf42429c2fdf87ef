//! Local names for what earlier edits of a call made: `"$a"` wherever an id stands.

use std::collections::BTreeMap;

use fibula_nodes::call::FUNCTION_ID;
use serde_json::{Map, Value as Json, json};

use super::refusal::{Refusal, quoted};

/// What an alias stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Function(u32),
    Node(u32),
    Resource(u32),
    Item(u32),
}

/// The aliases so far.
#[derive(Debug, Default)]
pub(super) struct Aliases(BTreeMap<String, Named>);

impl Named {
    pub(super) fn id(self) -> u32 {
        match self {
            Named::Function(id) | Named::Node(id) | Named::Resource(id) | Named::Item(id) => id,
        }
    }

    fn what(self) -> &'static str {
        match self {
            Named::Function(_) => "function",
            Named::Node(_) => "node",
            Named::Resource(_) => "resource",
            Named::Item(_) => "build item",
        }
    }
}

/// Whether a text is an alias.
fn is_alias(text: &str) -> bool {
    text.len() > 1 && text.starts_with('$')
}

impl Aliases {
    /// Every alias and its id.
    pub(super) fn ids(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.0
            .iter()
            .map(|(name, named)| (name.as_str(), named.id()))
    }

    pub(super) fn define(&mut self, name: String, named: Named) {
        self.0.insert(name, named);
    }

    /// Takes the alias that an edit gives to what it makes out of `alias`, or out of the member that has its id.
    ///
    /// A function's alias that is known already is a reference, so a function may be set twice.
    pub(super) fn take(
        &self,
        body: &mut Map<String, Json>,
        id: &str,
    ) -> Result<Option<String>, Refusal> {
        let given = match body.remove("alias") {
            Some(Json::String(name)) => Some(if name.starts_with('$') {
                name
            } else {
                format!("${name}")
            }),
            Some(_) => {
                return Err(Refusal::new(
                    "invalid_edit",
                    "alias must be a text such as \"$a\"",
                ));
            }
            None => None,
        };
        let by_id = body
            .get(id)
            .and_then(Json::as_str)
            .filter(|text| is_alias(text))
            .map(str::to_owned);
        let name = match (given, by_id) {
            (given, None) => given,
            (None, Some(name))
                if matches!(id, "function_id" | "resource_id") && self.0.contains_key(&name) =>
            {
                None
            }
            (None, Some(name)) => {
                body.remove(id);
                Some(name)
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::new(
                    "invalid_edit",
                    format!("both alias and {id} name what is made"),
                )
                .hint("leave one of them out"));
            }
        };
        if let Some(known) = name.as_ref().and_then(|name| self.0.get(name)) {
            let message = format!(
                "the alias {} is taken: it is {} {}",
                quoted(name.as_deref().unwrap_or_default()),
                known.what(),
                known.id()
            );
            return Err(Refusal::new("duplicate_alias", message).hint("choose another"));
        }
        if let Some(long) = name.as_ref().filter(|name| name.len() > 64) {
            return Err(Refusal::new(
                "invalid_name",
                format!("the alias {} has more than 64 bytes", quoted(long)),
            ));
        }
        Ok(name)
    }

    /// Puts ids in the place of aliases, wherever an id stands.
    pub(super) fn resolve(&self, key: &str, json: &mut Json) -> Result<(), Refusal> {
        match json {
            Json::Object(members) => members
                .iter_mut()
                .try_for_each(|(key, value)| self.resolve(key, value)),
            Json::Array(items) => items
                .iter_mut()
                .try_for_each(|item| self.resolve(key, item)),
            Json::String(text) if is_alias(text) => {
                if let Some(id) = self.id_at(key, text)? {
                    *json = json!(id);
                }
                Ok(())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
        }
    }

    /// The id that a text stands for as the value of a member; `None` where it is a text like any other.
    fn id_at(&self, key: &str, text: &str) -> Result<Option<u32>, Refusal> {
        let named = self.0.get(text).copied();
        let wants_function =
            matches!(key, "function_id" | "resource_id") || key.eq_ignore_ascii_case(FUNCTION_ID);
        let wants_node = key.ends_with("node_id") || key == "node_ids";
        let wants_resource = matches!(
            key,
            "resource_id" | "mesh_id" | "object_id" | "volume_id" | "base_materials"
        );
        let wants_item = key == "item_id";
        let wants = wants_function || wants_node || wants_resource || wants_item;
        match named {
            Some(Named::Function(id)) if wants_function || key == "value" => Ok(Some(id)),
            Some(Named::Node(id)) if wants_node => Ok(Some(id)),
            Some(Named::Resource(id)) if wants_resource || key == "value" => Ok(Some(id)),
            Some(Named::Item(id)) if wants_item => Ok(Some(id)),
            Some(named) if wants => {
                let message = format!("{key} is {}, which is a {}", quoted(text), named.what());
                Err(Refusal::new("unknown_alias", message))
            }
            None if wants => Err(self.unknown(text)),
            Some(_) | None => Ok(None),
        }
    }

    fn unknown(&self, text: &str) -> Refusal {
        const SHOWN: usize = 12;
        let known: Vec<&str> = self.0.keys().take(SHOWN).map(String::as_str).collect();
        let known = match &known[..] {
            [] => "there is none so far".to_owned(),
            names if self.0.len() > SHOWN => format!("there are {} and others", names.join(", ")),
            names => format!("there is {}", names.join(", ")),
        };
        Refusal::new("unknown_alias", format!("no earlier edit has named {}", quoted(text)))
            .hint(format!("{known}; create_node names its node by node_id: \"$a\", set_function its function by function_id: \"$f\""))
    }
}
