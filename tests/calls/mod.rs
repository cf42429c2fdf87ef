//! Calls of a service in this process, and of its store, that many tests make.

use std::ops::ControlFlow;

use fibula::edit::Origin;
use fibula::graph::FunctionId;
use fibula::service::{
    ApplyEdits, CreateFunctionFromExpression, EditsApplied, FunctionShown, GetFunction,
    GraphFormat, Refusal, ResolvedShape, Service, Subject,
};
use fibula::store::{LogRewrite, ProjectId, Record, Store};
use serde_json::Value as Json;

/// Never ends the work.
pub(crate) fn on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Ends the work.
pub(crate) fn stop(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Break(())
}

/// Ends the work if it has come far enough.
pub(crate) fn stop_if(is_far_enough: bool) -> ControlFlow<()> {
    if is_far_enough {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Origin of what the tests change.
pub(crate) fn origin() -> Origin {
    Origin::program("library", "test")
}

/// Puts a record in the place of the one with its revision, as a failing disk might.
pub(crate) fn replace_record(store: &dyn Store, id: ProjectId, record: Record) {
    let rewriting = LogRewrite {
        expected: store.head(id).expect("the log can be read"),
        base: None,
        records: vec![record],
        wipe: false,
    };
    store.rewrite(id, rewriting).expect("the log is rewritten");
}

/// Makes a list of edits in one step.
pub(crate) fn apply(service: &Service, edits: Json) -> Result<EditsApplied, Refusal> {
    let Json::Array(edits) = edits else {
        panic!("edits are a list")
    };
    service.apply_edits(&origin(), with_defaults!(ApplyEdits, edits))
}

/// Adds the function of an expression.
pub(crate) fn add(service: &Service, name: &str, expression: &str) -> FunctionId {
    let request = CreateFunctionFromExpression::new(name, expression);
    let made = service.create_function_from_expression(&origin(), request);
    made.expect("a function").function_id
}

/// Nodes and links of a function.
pub(crate) fn graph(
    service: &Service,
    function_id: FunctionId,
    revision: Option<u64>,
) -> Result<FunctionShown, Refusal> {
    let request = GetFunction {
        project: None,
        function_id,
        revision,
        format: GraphFormat::Graph,
        limit: None,
        cursor: None,
    };
    service.get_function(&request)
}

/// Shape of an expression, as the service resolves it.
pub(crate) fn shape(expression: &str) -> ResolvedShape {
    let service = Service::default();
    let id = add(&service, "shape", expression);
    let subject = with_defaults!(Subject, function_id: Some(id));
    service.resolve_shape(None, None, &subject).unwrap()
}
