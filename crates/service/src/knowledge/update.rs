//! Updates of nodes and edges.

use fibula_core::edit::{EditError, Origin};
use fibula_knowledge::{Edge, is_same_type};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use super::add::{KnowledgeChange, QUICK, is_zero, with_index};
use super::marks::{note_answer, status_warning};
use super::node_lookup;
use super::records::GivenObservation;
use super::timestamp::Timestamp;
use super::writer::{Writer, merge};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result, quoted};
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Changes of nodes and edges.
    pub request(Default) struct UpdateKnowledge {
        project,
        /// Each {id} and changes: label, types, data (merge patch: null removes a member), add_observations,
        /// remove_observations, position.
        pub nodes: Vec<NodeUpdate> = default,
        /// Each {id} and changes: source, target, type, label, data, weight, valid_from, valid_to; null removes.
        pub edges: Vec<EdgeUpdate> = default,
        expected_revision,
        dry_run,
    }

    /// Changes of a node.
    pub request(Default) struct NodeUpdate {
        /// Its id or label.
        pub id: String,
        /// Its new label.
        pub label: Option<String>,
        /// All of them.
        pub types: Option<Vec<String>>,
        /// Merge patch: null removes a member.
        #[schemars(with = "Option<ObjectForm>")]
        pub data: Map<String, Json> = default,
        /// Observations to add.
        #[schemars(with = "Option<Vec<String>>")]
        pub add_observations: Vec<GivenObservation> = default,
        /// Observations to remove, by their texts.
        pub remove_observations: Vec<String> = default,
        /// [x, y]; null: none
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<Vec<f64>>")]
        pub position: Option<Option<[f64; 2]>>,
    }

    /// Changes of an edge.
    pub request(Default) struct EdgeUpdate {
        /// The edge.
        pub id: String,
        /// Its new source.
        pub source: Option<String>,
        /// Its new target.
        pub target: Option<String>,
        /// Its new type.
        #[serde(rename = "type")]
        pub ty: Option<String>,
        /// Its new label.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<String>")]
        pub label: Option<Option<String>>,
        /// Merge patch.
        #[schemars(with = "Option<ObjectForm>")]
        pub data: Map<String, Json> = default,
        /// Its new weight.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<f64>")]
        pub weight: Option<Option<f64>>,
        /// Start of validity.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<Timestamp>")]
        pub valid_from: Option<Option<Timestamp>>,
        /// End of validity.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<Timestamp>")]
        pub valid_to: Option<Option<Timestamp>>,
    }

    /// Result of an update.
    pub answer struct KnowledgeUpdated {
        pub success: bool,
        /// Numbers of updated nodes and edges.
        pub updated: usize,
        /// Number of observations to remove that do not exist.
        #[serde(skip_serializing_if = "is_zero")]
        pub missing_observations: usize,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

impl UpdateKnowledge {
    /// True if it takes a few milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.nodes.len() + self.edges.len() <= QUICK
    }
}

/// Parses a member that may be null.
fn deserialize_some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl Service {
    /// Updates nodes and edges.
    ///
    /// # Errors
    /// A [`Refusal`] that names the item, if something does not exist, the schema forbids it, or it is too large.
    /// Nothing is changed then.
    pub fn update_knowledge(
        &self,
        origin: &Origin,
        request: &UpdateKnowledge,
    ) -> Result<KnowledgeUpdated> {
        let items = request.nodes.len() + request.edges.len();
        if items == 0 {
            return Err(Refusal::new("invalid_arguments", "no change is given")
                .hint(r#"give nodes such as {"id": "n1", "label": "TP53"}, or edges such as {"id": "e1", "weight": 2}"#));
        }
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let work = |writer: &mut Writer<'_>| {
            let mut missing = 0;
            for (place, update) in request.nodes.iter().enumerate() {
                missing +=
                    node(writer, update).map_err(|refusal| with_index("nodes", place, refusal))?;
            }
            for (place, update) in request.edges.iter().enumerate() {
                edge(writer, update).map_err(|refusal| with_index("edges", place, refusal))?;
            }
            Ok(missing)
        };
        let project = request.project.as_deref();
        self.write(
            KnowledgeChange::new(origin, project, condition, "change", items),
            work,
            |missing_observations, written| KnowledgeUpdated {
                success: true,
                updated: items,
                missing_observations,
                warnings: written.warnings,
                revision: written.revision,
                dry_run: written.dry_run,
            },
        )
    }
}

/// Updates a node. Returns the number of observations to remove that do not exist.
fn node(writer: &mut Writer<'_>, update: &NodeUpdate) -> Result<usize> {
    let (at, by) = writer.now();
    let node = writer.named(&update.id)?;
    let id = node.id().to_owned();
    let mut places = Vec::new();
    for text in &update.remove_observations {
        let all = (0_u32..).zip(node.observations());
        places.extend(
            all.filter(|(_, one)| one.text == *text)
                .map(|(place, _)| place),
        );
    }
    places.sort_unstable();
    places.dedup();
    let known = |text: &&String| node.observations().iter().any(|one| one.text == **text);
    let missing = update
        .remove_observations
        .iter()
        .filter(|text| !known(text));
    let missing = missing.count();
    let is_whole = update.label.is_some() || update.types.is_some() || !update.data.is_empty();
    let mut whole = is_whole.then(|| node.written());
    let add = update.add_observations.iter().cloned();
    let add: Vec<_> = add.map(|one| one.noted(at, by)).collect();
    match &mut whole {
        Some(node) => {
            replace(&mut node.label, update.label.as_ref());
            replace(&mut node.types, update.types.as_ref());
            merge(&mut node.data, update.data.clone());
            let mut place = 0;
            node.observations.retain(|_| {
                place += 1;
                places.binary_search(&(place - 1)).is_err()
            });
            node.observations.extend(add);
            replace(&mut node.position, update.position.as_ref());
        }
        None if add.is_empty() && places.is_empty() => {}
        None => writer.update_observations(&id, places, add)?,
    }
    match (whole, update.position) {
        (Some(mut node), _) => {
            note_answer(&mut node, writer.revision());
            if let Some(warning) = status_warning(&node) {
                writer.warn(warning);
            }
            writer.replace(node)?;
        }
        (None, Some(position)) => writer.place(&id, position)?,
        (None, None) => {}
    }
    Ok(missing)
}

/// Replaces a value if there is a new one.
fn replace<T: Clone>(value: &mut T, new: Option<&T>) {
    if let Some(new) = new {
        value.clone_from(new);
    }
}

fn edge(writer: &mut Writer<'_>, update: &EdgeUpdate) -> Result<()> {
    let (at, _) = writer.now();
    let before = writer.graph().edge(&update.id).map_err(EditError::from)?;
    let before = before.written();
    let mut edge = before.clone();
    for (end, new) in [
        (&mut edge.source, &update.source),
        (&mut edge.target, &update.target),
    ] {
        if let Some(new) = new {
            *end = node_lookup::end(writer.document(), new)?;
        }
    }
    replace(&mut edge.ty, update.ty.as_ref());
    replace(&mut edge.label, update.label.as_ref());
    merge(&mut edge.data, update.data.clone());
    replace(&mut edge.weight, update.weight.as_ref());
    let ms = |time: Option<Timestamp>| time.map(|time| time.0);
    replace(&mut edge.valid_from, update.valid_from.map(ms).as_ref());
    replace(&mut edge.valid_to, update.valid_to.map(ms).as_ref());
    edge.modified = at;
    let states_same = |other: &Edge| {
        (&other.source, &other.target) == (&edge.source, &edge.target)
            && is_same_type(&other.ty, &edge.ty)
            && other.label == edge.label
            && (other.valid_from, other.valid_to) == (edge.valid_from, edge.valid_to)
    };
    let between = writer.graph().edges_between(&edge.source, &edge.target);
    let mut others = between
        .into_iter()
        .filter(|other| other.id() != edge.id && states_same(&other.written()));
    // Edges that were added beside equal ones stay as they are.
    if !states_same(&before)
        && let Some(other) = others.next()
    {
        let message = format!(
            "edge {} would state the same as edge {}",
            quoted(&edge.id),
            quoted(other.id())
        );
        return Err(Refusal::new("duplicate_edge", message)
            .hint("remove one of them, or give them different labels or validity")
            .details(json!({ "edge": other.id() })));
    }
    writer.put_edge(edge)
}
