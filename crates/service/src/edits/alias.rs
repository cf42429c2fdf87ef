//! Aliases for what earlier edits of a call created: `"$a"` in the place of an id.

use std::collections::BTreeMap;

use fibula_nodes::call::FUNCTION_ID;
use serde_json::{Map, Value as Json, json};

use crate::refusal::{Refusal, Result, quoted};

/// Id that an alias stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AliasTarget {
    Function(u32),
    Node(u32),
    Resource(u32),
    Item(u32),
}

/// The aliases so far.
#[derive(Debug, Default)]
pub(crate) struct Aliases(BTreeMap<String, AliasTarget>);

impl AliasTarget {
    pub(crate) fn id(self) -> u32 {
        match self {
            AliasTarget::Function(id)
            | AliasTarget::Node(id)
            | AliasTarget::Resource(id)
            | AliasTarget::Item(id) => id,
        }
    }

    fn what(self) -> &'static str {
        match self {
            AliasTarget::Function(_) => "function",
            AliasTarget::Node(_) => "node",
            AliasTarget::Resource(_) => "resource",
            AliasTarget::Item(_) => "build item",
        }
    }
}

/// True if a text is a valid alias.
fn is_alias(text: &str) -> bool {
    text.len() > 1 && text.starts_with('$')
}

impl Aliases {
    /// Every alias and its id.
    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.0
            .iter()
            .map(|(name, named)| (name.as_str(), named.id()))
    }

    pub(crate) fn define(&mut self, name: String, named: AliasTarget) {
        self.0.insert(name, named);
    }

    /// Removes and returns the alias that an edit assigns, from `alias` or from the member with the
    /// new id.
    ///
    /// A known alias of a function is a reference, so a function may be set twice.
    pub(crate) fn take(&self, body: &mut Map<String, Json>, id: &str) -> Result<Option<String>> {
        let explicit = match body.remove("alias") {
            Some(Json::String(name)) => Some(if name.starts_with('$') {
                name
            } else {
                format!("${name}")
            }),
            Some(_) => {
                let message = "alias must be a text such as \"$a\"";
                return Err(Refusal::new("invalid_edit", message));
            }
            None => None,
        };
        let by_id = body
            .get(id)
            .and_then(Json::as_str)
            .filter(|text| is_alias(text))
            .map(str::to_owned);
        let name = match (explicit, by_id) {
            (explicit, None) => explicit,
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
                let message = format!("both alias and {id} name what the edit creates");
                return Err(Refusal::new("invalid_edit", message).hint("give one of them"));
            }
        };
        if let Some(known) = name.as_ref().and_then(|name| self.0.get(name)) {
            let message = format!(
                "the alias {} is in use: it is {} {}",
                quoted(name.as_deref().unwrap_or_default()),
                known.what(),
                known.id()
            );
            return Err(Refusal::new("duplicate_alias", message).hint("choose another"));
        }
        if let Some(long) = name.as_ref().filter(|name| name.len() > 64) {
            let message = format!("the alias {} has more than 64 bytes", quoted(long));
            return Err(Refusal::new("invalid_name", message));
        }
        Ok(name)
    }

    /// Replaces aliases by ids, recursively.
    pub(crate) fn resolve(&self, key: &str, json: &mut Json) -> Result<()> {
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

    /// Resolves the value of a member; `None` if the text is no alias.
    fn id_at(&self, key: &str, text: &str) -> Result<Option<u32>> {
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
            Some(AliasTarget::Function(id)) if wants_function || key == "value" => Ok(Some(id)),
            Some(AliasTarget::Node(id)) if wants_node => Ok(Some(id)),
            Some(AliasTarget::Resource(id)) if wants_resource || key == "value" => Ok(Some(id)),
            Some(AliasTarget::Item(id)) if wants_item => Ok(Some(id)),
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
            [] => "no alias is defined so far".to_owned(),
            names if self.0.len() > SHOWN => {
                format!("the aliases are {} and others", names.join(", "))
            }
            names => format!("the aliases are {}", names.join(", ")),
        };
        Refusal::new("unknown_alias", format!("no earlier edit has defined {}", quoted(text)))
            .hint(format!("{known}; create_node names its node by node_id: \"$a\", set_function its function by function_id: \"$f\""))
    }
}
