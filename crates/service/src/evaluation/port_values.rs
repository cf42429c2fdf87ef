//! Values at all ports of a function at one point, for pages that show them beside the ports.

use std::collections::BTreeMap;

use fibula_core::eval;
use fibula_core::graph::{FunctionId, NodeId};
use serde_json::{Map, Value as Json};

use crate::evaluation::arguments;
use crate::project::resources::resource_of;
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Point at which the ports of a function are evaluated.
    pub request struct GetPortValues {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Values of the inputs, such as {"pos": [1, 2, 3]}.
        #[schemars(with = "Option<ObjectForm>")]
        pub arguments: Map<String, Json> = default,
        revision,
    }

    /// Values at all ports that the outputs depend on.
    pub answer struct PortValues {
        pub success: bool,
        /// Values of the ports of each node, by its id and the names of the ports.
        #[schemars(with = "BTreeMap<String, BTreeMap<String, Json>>")]
        pub nodes: BTreeMap<NodeId, BTreeMap<String, Json>>,
        /// Values of the outputs.
        pub outputs: BTreeMap<String, Json>,
        pub revision: u64,
    }
}

impl Service {
    /// Evaluates all ports of a function at one point, however many there are; called functions are not entered.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if the function is unknown, arguments are missing, unknown or invalid, inputs of nodes
    /// are unset, or a resource is missing.
    pub fn port_values(&self, request: &GetPortValues) -> Result<PortValues> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let id = request.function_id;
        let inputs = snapshot.document.function(id)?.inputs();
        let values = arguments::parse_point(&inputs, &request.arguments, None)?;
        let resources = values.iter().filter_map(resource_of).chain([id.into()]);
        let document = project.with_content(&snapshot, resources)?;
        let trace = eval::trace(&document, id, &values)?;
        let ports = |outputs: Vec<(String, fibula_nodes::Value)>| {
            let values = outputs.into_iter();
            values
                .map(|(name, value)| (name, value.to_json()))
                .collect()
        };
        let nodes = trace.nodes.into_iter();
        let outputs = trace.outputs.into_iter();
        Ok(PortValues {
            success: true,
            nodes: nodes
                .map(|traced| (traced.node.node_id, ports(traced.outputs)))
                .collect(),
            outputs: outputs
                .map(|output| (output.name, output.value.to_json()))
                .collect(),
            revision: snapshot.head.revision,
        })
    }
}
