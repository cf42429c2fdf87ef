//! Marking: a node of the knowledge graph of the type `mark`, tied to the place that a person points at.

use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_nodes::ResourceId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::pick_part::{PartPicked, PickPart, PickedNode};
use super::render_part::SectionPlanes;
use crate::background::ProgressFn;
use crate::knowledge::{GivenNode, MARK, mark, marked_function};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;
use crate::shapes::render::ViewName;

json_structs! {
    /// What a person asks for, and the place that it is about.
    pub request(Default) struct MakeMark {
        project,
        /// The request.
        pub text: String,
        /// Place on a part: the pixel of a picture, a ray or a point.
        pub at: Option<PickPart>,
        /// Functions, nodes, parameters and nodes of the knowledge graph: `["fn:1/7"]`.
        pub about: Vec<String> = default,
        /// Port of the node.
        pub port: Option<String>,
        /// An edge of the knowledge graph.
        pub edge: Option<String>,
        expected_revision,
        dry_run,
    }

    /// A mark that was made.
    pub answer struct MarkMade {
        pub success: bool,
        /// Id of the mark.
        pub id: String,
        /// What it is tied to.
        pub about: Vec<String>,
        pub point: Option<[f64; 3]>,
        pub normal: Option<[f64; 3]>,
        /// Value of the part's function at the point.
        pub value: Option<f64>,
        /// The node that decides there.
        pub node: Option<PickedNode>,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

/// Place of a mark, as its data has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MarkedPlace {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) point: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// Revision that was marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) revision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) object_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<String>,
    pub(super) camera: MarkedCamera,
}

/// Camera of the picture in which a place was marked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MarkedCamera {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) orbit: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zoom: Option<f64>,
    #[serde(skip_serializing_if = "is_whole")]
    pub(super) section: SectionPlanes,
}

fn is_whole(section: &SectionPlanes) -> bool {
    *section == SectionPlanes::default()
}

impl Service {
    /// Makes a mark at a place, which subscribers of the project learn. Calls `watch` with the progress and its total; it
    /// may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`pick_part`](Self::pick_part) and [`add_nodes`](Self::add_nodes); `invalid_arguments` if it is
    /// about nothing, or the ray meets nothing. Nothing is made then.
    pub fn make_mark(
        &self,
        origin: &Origin,
        request: MakeMark,
        watch: ProgressFn<'_>,
    ) -> Result<MarkMade> {
        let MakeMark {
            project,
            text,
            at,
            mut about,
            port,
            edge,
            expected_revision,
            dry_run,
        } = request;
        if text.trim().is_empty() {
            return Err(
                Refusal::new("invalid_arguments", "the text of the mark is empty")
                    .hint("write what is wrong or wanted"),
            );
        }
        if at.is_none() && about.is_empty() && edge.is_none() {
            return Err(
                Refusal::new("invalid_arguments", "the mark is about nothing")
                    .hint("pass at (a place on a part), about ([\"fn:1/7\"]) or edge"),
            );
        }
        let picked = match at {
            Some(mut at) => {
                at.look.project.clone_from(&project);
                let picked = self.pick_part(&at, watch)?;
                if !picked.hit {
                    return Err(
                        Refusal::new("invalid_arguments", "the ray meets no material")
                            .hint("point at the part, or pass the point itself"),
                    );
                }
                Some((at, picked))
            }
            None => None,
        };
        let snapshot = self.snapshot_at(project.as_deref(), None)?;
        let document = &snapshot.document;
        let mut data = Map::new();
        if let Some(id) = &edge {
            let edge = document.knowledge().find_edge(id).ok_or_else(|| {
                let message = format!("there is no edge {}", quoted(id));
                Refusal::new("unknown_edge", message).hint("get_neighbors lists edges with ids")
            })?;
            about.extend([edge.source().to_owned(), edge.target().to_owned()]);
            data.insert("edge".to_owned(), json!(id));
        }
        if let Some(port) = port {
            data.insert("port".to_owned(), json!(port));
        }
        let place = match &picked {
            Some((at, picked)) => MarkedPlace::of(at, picked),
            None => MarkedPlace {
                revision: Some(snapshot.head.revision),
                ..MarkedPlace::default()
            },
        };
        if let Some((at, picked)) = &picked {
            // The marked revision may have functions and nodes that are gone now.
            let exists = |node: &&PickedNode| {
                let function = document.function(node.function_id);
                function.is_ok_and(|function| function.node(node.node_id).is_ok())
            };
            let decides = picked.node.iter().chain(calling(at, picked));
            let decides = decides.filter(exists);
            about.extend(decides.map(|node| format!("fn:{}/{}", node.function_id, node.node_id)));
            let function = at
                .look
                .function_id
                .filter(|id| document.type_of(*id).is_ok());
            about.extend(function.map(|id| format!("fn:{id}")));
        }
        data.insert("status".to_owned(), json!("open"));
        data.extend(place.data()?);
        let mut tied: Vec<String> = Vec::new();
        for end in about {
            if !tied.contains(&end) {
                tied.push(end);
            }
        }
        let given = GivenNode {
            label: text,
            types: vec![MARK.to_owned()],
            data,
            ..GivenNode::default()
        };
        let condition = CommitOptions::new(expected_revision, dry_run);
        let (id, written) = self.add_mark(origin, project.as_deref(), condition, &given, &tied)?;
        let node = picked.and_then(|(_, picked)| picked.node);
        Ok(MarkMade {
            success: true,
            id,
            about: tied,
            point: place.point,
            normal: place.normal,
            value: place.value,
            node,
            warnings: written.warnings,
            revision: written.revision,
            dry_run: written.dry_run,
        })
    }

    /// Returns the place of a mark of the present knowledge graph.
    pub(super) fn marked_place(&self, project: Option<&str>, text: &str) -> Result<MarkedPlace> {
        let snapshot = self.snapshot_at(project, None)?;
        let mark = mark(snapshot.document.knowledge(), text)?;
        let data = Json::Object(mark.data_map());
        let mut place: MarkedPlace = serde_json::from_value(data).map_err(|error| {
            let message = format!("the data of mark {} is no place: {error}", quoted(text));
            Refusal::new("invalid_value", message)
                .hint("update its point, normal, revision or camera")
        })?;
        if place.function_id.is_none() && place.object_id.is_none() {
            place.function_id = marked_function(mark).map(|FunctionId(id)| id);
        }
        Ok(place)
    }
}

/// The node of the marked function that calls the function of the deciding node.
fn calling<'a>(at: &PickPart, picked: &'a PartPicked) -> Option<&'a PickedNode> {
    let decides = picked.node.as_ref()?;
    let marked = at
        .look
        .function_id
        .filter(|id| *id != decides.function_id)?;
    let above = picked.why.iter().take_while(|node| *node != decides);
    above.filter(|node| node.function_id == marked).last()
}

impl MarkedPlace {
    fn of(at: &PickPart, picked: &PartPicked) -> MarkedPlace {
        MarkedPlace {
            point: picked.point,
            normal: picked.normal,
            value: picked.value,
            revision: Some(picked.revision),
            object_id: at.look.object_id.map(|ResourceId(id)| id),
            function_id: at.look.function_id.map(|FunctionId(id)| id),
            output: at.look.output.clone(),
            camera: MarkedCamera {
                orbit: at.orbit.or_else(|| at.view.and_then(ViewName::orbit)),
                zoom: at.zoom,
                section: at.section,
            },
        }
    }

    fn data(&self) -> Result<Map<String, Json>> {
        match serde_json::to_value(self) {
            Ok(Json::Object(mut data)) => {
                if self.camera == MarkedCamera::default() {
                    data.remove("camera");
                }
                Ok(data)
            }
            Ok(_) | Err(_) => Err(Refusal::new("invalid_value", "the place is not finite")),
        }
    }
}
