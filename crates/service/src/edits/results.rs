//! Results of the edits of a batch.

use fibula_core::edit::{Change, LinkData};
use fibula_core::graph::{FunctionId, NodeId};
use fibula_core::refactor::RefactorOutcome;
use fibula_nodes::{PortSpec, ResourceId};

use crate::functions::library::InsertedFunction;
use crate::model::RemovedInfo;

/// Maximum number of nodes listed by the result of a refactoring.
const SHOWN_NODES: usize = 50;

json_structs! {
    /// Result of one edit.
    pub data(Default, PartialEq) struct EditResult {
        /// Index of the edit, from 0.
        pub index: usize,
        pub function_id: Option<FunctionId>,
        pub node_id: Option<NodeId>,
        pub resource_id: Option<ResourceId>,
        /// Item of the build.
        pub item_id: Option<u32>,
        /// Conversion node inserted into a link.
        pub conversion_node_id: Option<NodeId>,
        pub deleted_links: Vec<LinkData> = [],
        /// Resources removed because nothing needed them.
        pub removed: Vec<RemovedInfo> = [],
        /// Signature of a function created from an expression, with the inputs that were inferred.
        pub signature: Option<String>,
        /// Calls with several numbers by position, and the inputs that these were taken for.
        pub calls: Vec<String> = [],
        /// Library functions that an expression calls, now in the project.
        pub library: Vec<InsertedFunction> = [],
        /// Number of nodes moved to a function, copied in place of a call, removed or added.
        pub node_count: Option<usize>,
        /// The first of these nodes.
        pub node_ids: Vec<NodeId> = [],
        /// Number of further nodes that are unused, or lack an input that no constant can provide.
        pub left: Option<usize>,
        /// Inputs of the extracted function.
        pub inputs: Vec<PortSpec> = [],
        /// Outputs of the extracted function.
        pub outputs: Vec<PortSpec> = [],
        /// Links and values that a replaced or bypassed node could not keep.
        pub dropped: Vec<String> = [],
    }
}

impl EditResult {
    /// Result of an edit that created nothing.
    pub(super) fn new(index: usize) -> Self {
        EditResult {
            index,
            ..EditResult::default()
        }
    }

    /// The same with the effects of the edit; an id with an alias (`named`) is returned among the aliases.
    pub(super) fn with_change(self, change: Change, named: bool) -> Self {
        EditResult {
            function_id: change.function_id.filter(|_| !named),
            node_id: change.node_id.filter(|_| !named),
            resource_id: change.resource_id.filter(|_| !named),
            item_id: change
                .item_id
                .filter(|_| !named || change.resource_id.is_some()),
            conversion_node_id: change.conversion,
            deleted_links: change.deleted_links,
            ..self
        }
    }

    /// Result of a refactoring; an id with an alias is returned among the aliases.
    pub(super) fn of_refactoring(
        index: usize,
        outcome: RefactorOutcome,
        function_named: bool,
        node_named: bool,
    ) -> Self {
        // A function created from no nodes has none to report.
        let node_count = outcome.nodes.len();
        let is_reported = node_count > 0 || outcome.function.is_none();
        let mut node_ids = outcome.nodes;
        node_ids.truncate(SHOWN_NODES);
        EditResult {
            function_id: outcome.function.filter(|_| !function_named),
            node_id: outcome.node.filter(|_| !node_named),
            node_count: is_reported.then_some(node_count),
            node_ids,
            left: Some(outcome.left).filter(|&left| left > 0),
            inputs: outcome.inputs,
            outputs: outcome.outputs,
            dropped: outcome.dropped,
            ..EditResult::new(index)
        }
    }
}
