//! Layered layout of function graphs: positions for all nodes, to be shown or kept.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::edit::{Edit, NodeEdit, Origin, Stage};
use fibula_core::graph::{Document, Function, FunctionId, NodeId};
use fibula_drawing::diagram::{self, ShownBox, layout};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::background::ProgressFn;
use crate::project::change::{CommitOptions, PendingEdit};
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum side of a node, and maximum distance between nodes.
const LONGEST: f64 = 100_000.0;

json_structs! {
    /// Function whose nodes are laid out.
    pub request struct GetLayout {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Sizes of nodes as a page shows them; default: those of diagrams.
        pub sizes: Vec<NodeSize> = default,
        /// Least distance between layers, and between nodes of a layer; default [44, 24].
        #[schemars(with = "Option<Vec<f64>>")]
        pub spacing: Option<[f64; 2]>,
        revision,
    }

    /// Function whose nodes are moved to where the layout has them.
    pub request struct ApplyLayout {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Sizes of nodes as a page shows them; default: those of diagrams.
        pub sizes: Vec<NodeSize> = default,
        /// Least distance between layers, and between nodes of a layer; default [44, 24].
        #[schemars(with = "Option<Vec<f64>>")]
        pub spacing: Option<[f64; 2]>,
        expected_revision,
        dry_run,
    }

    /// Positions of all nodes, from left to right along the links.
    pub answer struct FunctionLayout {
        pub success: bool,
        pub function_id: FunctionId,
        /// Upper left corner [x, y] of each node, by its id; x points to the right, y down.
        #[schemars(with = "BTreeMap<String, [f64; 2]>")]
        pub positions: BTreeMap<NodeId, [f64; 2]>,
        /// Width and height of the layout.
        pub size: [f64; 2],
        /// Number of crossings of links.
        pub crossings: u64,
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

/// Size of a node, and the places of its inputs and outputs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeSize {
    /// The node.
    #[schemars(with = "u32")]
    pub node_id: NodeId,
    /// Width and height.
    #[schemars(with = "Vec<f64>")]
    pub size: [f64; 2],
    /// Distance of each parameter from the upper side, in order.
    pub inputs: Vec<f64>,
    /// Distance of each port from the upper side, in order.
    pub outputs: Vec<f64>,
}

impl Service {
    /// Computes a layered layout of the nodes of a function; links lead to the right, and few of them cross.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, a size does not fit its node, the graph is too large, or `watch`
    /// cancelled it.
    pub fn function_layout(
        &self,
        request: &GetLayout,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionLayout> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let function = snapshot.document.function(request.function_id)?;
        let layout = LayoutSettings::new(function, &request.sizes, request.spacing)?;
        layout.compute(&snapshot.document, function, snapshot.head.revision, watch)
    }

    /// Moves the nodes of a function to the positions of its layered layout, in one step of the history.
    ///
    /// # Errors
    /// As [`function_layout`](Self::function_layout), and if the project is not at the expected revision.
    pub fn apply_layout(
        &self,
        origin: &Origin,
        request: &ApplyLayout,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionLayout> {
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let function_id = request.function_id;
        project.change_optimistically(
            origin,
            condition,
            |state| {
                let document = state.document();
                let function = document.function(function_id)?;
                let settings = LayoutSettings::new(function, &request.sizes, request.spacing)?;
                let layout = settings.compute(document, function, state.revision(), watch)?;
                let mut stage = Stage::new(document);
                for node in function.nodes() {
                    let position = layout.positions.get(&node.id()).copied();
                    if position != node.position() {
                        stage.push(&Edit::Node(NodeEdit::Move {
                            function_id,
                            node_id: node.id(),
                            position,
                        }))?;
                    }
                }
                let label = format!("lay out function {function_id}");
                Ok((PendingEdit::labelled(stage.finish(), Some(label)), layout))
            },
            |_, done, layout| FunctionLayout {
                revision: done.revision,
                dry_run: done.dry_run,
                ..layout
            },
        )
    }
}

/// Checked settings of a layout.
struct LayoutSettings {
    boxes: BTreeMap<NodeId, ShownBox>,
    spacing: layout::Spacing,
}

impl LayoutSettings {
    fn new(function: &Function, sizes: &[NodeSize], spacing: Option<[f64; 2]>) -> Result<Self> {
        let invalid = |message: String| Refusal::new("invalid_value", message);
        let is_length = |length: &f64| (0.0..=LONGEST).contains(length);
        let mut settings = LayoutSettings {
            boxes: BTreeMap::new(),
            spacing: layout::Spacing::default(),
        };
        if let Some([layers, nodes]) = spacing {
            if ![layers, nodes].iter().all(is_length) {
                return Err(invalid(format!(
                    "spacing is [{layers}, {nodes}], but distances are 0 to {LONGEST}"
                )));
            }
            let steep = settings.spacing.layers[1] - settings.spacing.layers[0];
            settings.spacing.layers = [layers, layers + steep];
            settings.spacing.nodes = nodes;
        }
        for size in sizes {
            let node = function.node(size.node_id)?;
            let signature = node.signature();
            let expected = (signature.parameters.len(), signature.ports.len());
            let found = (size.inputs.len(), size.outputs.len());
            if found != expected {
                return Err(invalid(format!(
                    "{} has {} parameters and {} ports, but its size has {} inputs and {} outputs",
                    node.label(),
                    expected.0,
                    expected.1,
                    found.0,
                    found.1
                ))
                .hint("pass one number per parameter and port, in their order"));
            }
            let mut lengths = size.size.iter().chain(&size.inputs).chain(&size.outputs);
            if !lengths.all(is_length) {
                return Err(invalid(format!(
                    "the size of {} has a length that is not 0 to {LONGEST}",
                    node.label()
                )));
            }
            let shown = ShownBox {
                size: size.size,
                inputs: size.inputs.clone(),
                outputs: size.outputs.clone(),
            };
            settings.boxes.insert(size.node_id, shown);
        }
        Ok(settings)
    }

    fn compute(
        &self,
        document: &Document,
        function: &Function,
        revision: u64,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionLayout> {
        let mut check = || match watch(0, 1) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        };
        let placement = diagram::place(document, function, &self.boxes, &self.spacing, &mut check)?;
        let ids = function.node_ids().into_iter();
        let corners = placement.nodes.iter().map(|at| at.map(f64::round));
        Ok(FunctionLayout {
            success: true,
            function_id: function.id(),
            positions: ids.zip(corners).collect(),
            size: placement.size.map(f64::ceil),
            crossings: placement.crossings,
            revision,
            dry_run: None,
        })
    }
}
