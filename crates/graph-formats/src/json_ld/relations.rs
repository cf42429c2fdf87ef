//! Node schemas and relation definitions of a Discourse Graph, and the declared types that follow from them.

use fibula_knowledge::{EdgeType, NodeType, Schema};
use rustc_hash::{FxHashMap, FxHashSet};

/// Declarations of a file.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Keys of node types, by the ids of their schemas.
    node_types: FxHashMap<String, String>,
    definitions: FxHashMap<String, RelationDefinition>,
    /// Ids of definitions, in the order of the file.
    order: Vec<String>,
    schema: Schema,
    /// Lower-case keys of declared node types.
    declared: FxHashSet<String>,
}

/// Definition of a relation.
#[derive(Debug, Clone, Default)]
pub(super) struct RelationDefinition {
    pub(super) label: String,
    pub(super) domain: Vec<String>,
    pub(super) range: Vec<String>,
    /// Id of the relation of which it is the inverse.
    pub(super) inverse_of: Option<String>,
}

/// Type and direction of an edge.
pub(super) struct Relation {
    pub(super) ty: String,
    /// True if the ends have to be exchanged.
    pub(super) is_inverse: bool,
}

impl Relations {
    /// Declares a type of nodes; returns false if its id is declared already.
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

    /// Declares a relation; returns false if its id is declared already.
    pub(super) fn add(&mut self, id: String, definition: RelationDefinition) -> bool {
        if self.definitions.contains_key(&id) {
            return false;
        }
        self.order.push(id.clone());
        self.definitions.insert(id, definition);
        true
    }

    /// Type of the nodes with a schema.
    pub(super) fn node_type(&self, id: &str) -> Option<&str> {
        self.node_types.get(id).map(String::as_str)
    }

    /// Relation with an id; `None` if it is not defined.
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

    /// Builds the schema: relations with one label are one type, with the domains and ranges of all of them.
    pub(super) fn schema(mut self) -> Schema {
        let mut indices: FxHashMap<String, usize> = FxHashMap::default();
        let mut ends_seen = FxHashSet::default();
        for id in &self.order {
            let definition = &self.definitions[id];
            let forward = definition.inverse_of.as_ref();
            if forward.is_some_and(|id| self.definitions.contains_key(id)) {
                continue;
            }
            let types = &mut self.schema.edge_types;
            let at = *indices
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
            let location = forward.and_then(|forward| indices.get(&forward.label.to_lowercase()));
            if let Some(&at) = location {
                let inverse = &mut self.schema.edge_types[at].inverse;
                inverse.get_or_insert_with(|| definition.label.clone());
            }
        }
        self.schema
    }
}
