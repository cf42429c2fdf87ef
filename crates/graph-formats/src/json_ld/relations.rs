//! Node schemas and relation definitions of a Discourse Graph, as the declared types that they are.

use fibula_knowledge::{EdgeType, NodeType, Schema};
use rustc_hash::{FxHashMap, FxHashSet};

/// What relations a file declares.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// The keys of node types, by the ids of their schemas.
    node_types: FxHashMap<String, String>,
    definitions: FxHashMap<String, Definition>,
    /// The ids of definitions, in the order of the file.
    order: Vec<String>,
    schema: Schema,
    /// The keys of declared node types, as they are compared.
    declared: FxHashSet<String>,
}

/// A relation that a file defines.
#[derive(Debug, Clone, Default)]
pub(super) struct Definition {
    pub(super) label: String,
    pub(super) domain: Vec<String>,
    pub(super) range: Vec<String>,
    /// The id of the relation of which it is the inverse.
    pub(super) inverse_of: Option<String>,
}

/// How two nodes are related.
pub(super) struct Relation {
    pub(super) ty: String,
    /// The ends are to be exchanged, as the relation was told from its other end.
    pub(super) is_inverse: bool,
}

impl Relations {
    /// Declares a type of nodes; `false` if its id was declared before.
    pub(super) fn add_node_type(&mut self, id: String, ty: NodeType) -> bool {
        if self.node_types.contains_key(&id) {
            return false;
        }
        self.node_types.insert(id, ty.key.clone());
        if self.declared.insert(ty.key.to_lowercase()) {
            self.schema.node_types.push(ty);
        }
        true
    }

    /// Declares a relation; `false` if its id was declared before.
    pub(super) fn add(&mut self, id: String, definition: Definition) -> bool {
        if self.definitions.contains_key(&id) {
            return false;
        }
        self.order.push(id.clone());
        self.definitions.insert(id, definition);
        true
    }

    /// The type that a node with this schema is of.
    pub(super) fn node_type(&self, id: &str) -> Option<&str> {
        self.node_types.get(id).map(String::as_str)
    }

    /// The relation with this id; `None` if it is not defined.
    pub(super) fn relation(&self, id: &str) -> Option<Relation> {
        let definition = self.definitions.get(id)?;
        let forward = definition.inverse_of.as_ref();
        let forward = forward.and_then(|id| self.definitions.get(id));
        let forward = forward.filter(|forward| forward.inverse_of.is_none());
        Some(Relation {
            ty: forward.unwrap_or(definition).label.clone(),
            is_inverse: forward.is_some(),
        })
    }

    /// The declared types: relations with one label are one type, which joins what any of them joins.
    pub(super) fn schema(mut self) -> Schema {
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut ends_seen = FxHashSet::default();
        for id in &self.order {
            let definition = &self.definitions[id];
            let forward = definition.inverse_of.as_ref();
            if forward.is_some_and(|id| self.definitions.contains_key(id)) {
                continue;
            }
            let types = &mut self.schema.edge_types;
            let at = *places
                .entry(definition.label.to_lowercase())
                .or_insert_with(|| {
                    types.push(EdgeType {
                        key: definition.label.clone(),
                        ..EdgeType::default()
                    });
                    types.len() - 1
                });
            let ty = &mut types[at];
            let ends = [
                (&mut ty.domain, &definition.domain),
                (&mut ty.range, &definition.range),
            ];
            for (side, (all, more)) in ends.into_iter().enumerate() {
                for id in more {
                    let key = self.node_types.get(id).unwrap_or(id);
                    if ends_seen.insert((at, side, key.to_lowercase())) {
                        all.push(key.clone());
                    }
                }
            }
        }
        for id in &self.order {
            let definition = &self.definitions[id];
            let forward = definition.inverse_of.as_ref();
            let forward = forward.and_then(|id| self.definitions.get(id));
            let location = forward.and_then(|forward| places.get(&forward.label.to_lowercase()));
            if let Some(&at) = location {
                let inverse = &mut self.schema.edge_types[at].inverse;
                inverse.get_or_insert_with(|| definition.label.clone());
            }
        }
        self.schema
    }
}
