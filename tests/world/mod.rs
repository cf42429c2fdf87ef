//! The world of the worked examples, as a document: see `fibula_nodes::example`.

use std::sync::Arc;

use fibula::graph::{Content, Document, FunctionData, FunctionId, NodeData, NodeId, Resource};
use fibula_nodes::example::{World, ball};
use fibula_nodes::{Oracle, Query, ResourceId, ResourceKind, Scope};

/// A resource of the world.
#[derive(Debug)]
struct Held(ResourceId, ResourceKind);

impl Content for Held {
    fn kind(&self) -> ResourceKind {
        self.1
    }

    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>> {
        World
            .oracle(self.0, query)
            .ok()
            .map(|oracle| oracle.answers)
    }
}

/// A document that holds what the examples refer to.
pub(crate) fn document() -> Document {
    let mut document = Document::default();
    let begin = NodeId(1);
    let function = FunctionData {
        function_id: Some(FunctionId(1)),
        name: "ball".to_owned(),
        inputs: ball().inputs,
        outputs: ball().outputs,
        nodes: vec![
            NodeData::new(begin, "Begin"),
            NodeData::new(NodeId(2), "Length").link("A", begin, "pos"),
            NodeData::new(NodeId(3), "Subtraction")
                .link("A", NodeId(2), "result")
                .link("B", begin, "radius"),
            NodeData::new(NodeId::END, "End").link("shape", NodeId(3), "result"),
        ],
    };
    document.insert(&function).expect("the ball is a function");
    for (id, kind) in [
        (2, ResourceKind::Mesh),
        (3, ResourceKind::BeamLattice),
        (4, ResourceKind::Image),
    ] {
        let id = ResourceId(id);
        let content = Resource::Content(Arc::new(Held(id, kind)));
        document
            .insert_resource(id, content)
            .expect("the id is free");
    }
    document
}
