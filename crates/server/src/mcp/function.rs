//! The toolset `function`: functions, nodes, links, values, evaluation.

use std::ops::ControlFlow;

use fibula_service::{
    ApplyEdits, CreateFunctionFromExpression, CreateLink, CreateNode, DeleteLink, DeleteNode,
    EditsApplied, Evaluate, Evaluated, FunctionCreated, FunctionShown, FunctionsListed,
    GetFunction, GetNodeInfo, LinkCreated, LinkDeleted, ListFunctions, ListNodeTypes, NodeCreated,
    NodeDeleted, NodeInfo, NodeTypesListed, SetParameterValue, ValueSet,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::arguments::Parameters;
use super::reply::{Caller, Fail, Json};
use super::server::Server;

#[tool_router(router = function_tools, vis = "pub(super)")]
impl Server {
    /// Makes a function from a formula, the shortest way to a graph. Operators + - * / ^, a < b ? c : d, vec3(x,y,z),
    /// .x .y .z, sin, length, min, clamp and every other kind of node, functions of the project or the library (sphere,
    /// box, gyroid, smooth_union, ...) by name, let bindings, several outputs. A bare number gives a function whose output
    /// is still free to be linked. Example: {"name":"Ball","expression":"length(pos) - 5"}
    #[tool(
        title = "Create function from expression",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn create_function_from_expression(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateFunctionFromExpression>,
    ) -> Result<Json<FunctionCreated>, Fail> {
        if request.is_quick() {
            let created = self
                .service()
                .create_function_from_expression(&origin, request);
            return Ok(Json(created?));
        }
        let done = self.later(&context, move |service, _| {
            service.create_function_from_expression(&origin, request)
        });
        Ok(Json(done.await?))
    }

    /// Finds kinds of nodes by words; a search that names one kind tells its ports, types and examples. Use it when
    /// unsure of a name. Example: {"search":"clamp"}
    #[tool(
        title = "List node types",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn list_node_types(
        &self,
        Parameters(request): Parameters<ListNodeTypes>,
    ) -> Result<Json<NodeTypesListed>, Fail> {
        Ok(Json(self.service().list_node_types(&request)?))
    }

    /// Lists a project's functions: inputs, outputs, and how many nodes and links they have;
    /// with library, the shapes, lattices and operators to be called. Example:
    /// {"search":"smooth","library":true}
    #[tool(
        title = "List functions",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn list_functions(
        &self,
        Parameters(request): Parameters<ListFunctions>,
    ) -> Result<Json<FunctionsListed>, Fail> {
        Ok(Json(self.service().list_functions(&request)?))
    }

    /// Shows a function as a graph (nodes with values, links and positions, which apply_edits takes back as
    /// set_function) or as an expression. Large graphs come in pages. Example: {"function_id":1,"format":"expression"}
    #[tool(
        title = "Get function",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_function(
        &self,
        Parameters(request): Parameters<GetFunction>,
    ) -> Result<Json<FunctionShown>, Fail> {
        Ok(Json(self.service().get_function(&request)?))
    }

    /// Adds a node and gives its id. For more than a few nodes use apply_edits. Example:
    /// {"function_id":1,"node_type":"Addition"}
    #[tool(
        title = "Create node",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_node(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateNode>,
    ) -> Result<Json<NodeCreated>, Fail> {
        Ok(Json(self.service().create_node(&origin, request)?))
    }

    /// Removes a node and every link to and from it. Begin and End stay. Example:
    /// {"function_id":1,"node_id":3}
    #[tool(
        title = "Delete node",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn delete_node(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<DeleteNode>,
    ) -> Result<Json<NodeDeleted>, Fail> {
        Ok(Json(self.service().delete_node(&origin, &request)?))
    }

    /// Links a node's port to another node's parameter of the same type. Link to node 0 to set the function's output.
    /// Example: {"function_id":1,"source_node_id":3,"source_port_name":"result","target_node_id":0,
    /// "target_parameter_name":"shape"}
    #[tool(
        title = "Create link",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_link(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateLink>,
    ) -> Result<Json<LinkCreated>, Fail> {
        Ok(Json(self.service().create_link(&origin, request)?))
    }

    /// Removes the link to a parameter. Example: {"function_id":1,"target_node_id":0,"target_parameter_name":"shape"}
    #[tool(
        title = "Delete link",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn delete_link(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<DeleteLink>,
    ) -> Result<Json<LinkDeleted>, Fail> {
        Ok(Json(self.service().delete_link(&origin, request)?))
    }

    /// Gives a parameter that is not linked a value, or clears it with null. Also sets the value of constants. Example:
    /// {"function_id":1,"node_id":2,"parameter_name":"value","value":5}
    #[tool(
        title = "Set parameter value",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn set_parameter_value(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<SetParameterValue>,
    ) -> Result<Json<ValueSet>, Fail> {
        Ok(Json(self.service().set_parameter_value(&origin, request)?))
    }

    /// Tells about one node: what each parameter takes and has (a value, a source, a default or nothing), and where each
    /// output goes. Example: {"function_id":1,"node_id":3}
    #[tool(
        title = "Get node info",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_node_info(
        &self,
        Parameters(request): Parameters<GetNodeInfo>,
    ) -> Result<Json<NodeInfo>, Fail> {
        Ok(Json(self.service().get_node_info(&request)?))
    }

    /// Makes many edits as one change, all or none: the way to build or rework a graph. "$a" names what an edit makes
    /// (node_id or function_id) and stands for its id in later ones; create_node also takes parameters; function_id may
    /// be left out where it is that of the edit before. Example: {"edits":[{"set_function":{"function_id":"$f",
    /// "name":"F","outputs":[{"name":"shape","type":"float"}]}},{"create_node":{"function_id":"$f","node_id":"$n",
    /// "node_type":"Addition","parameters":{"A":{"value":5},"B":{"value":10}}}},{"create_link":{"source_node_id":"$n",
    /// "source_port_name":"result","target_node_id":0,"target_parameter_name":"shape"}}]}
    #[tool(
        title = "Apply edits",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    async fn apply_edits(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<ApplyEdits>,
    ) -> Result<Json<EditsApplied>, Fail> {
        if request.is_quick() {
            return Ok(Json(self.service().apply_edits(&origin, request)?));
        }
        let done = self.later(&context, move |service, watch| {
            service.apply_edits_watched(&origin, request, watch)
        });
        Ok(Json(done.await?))
    }

    /// Gives a function's values at points, or on a line, plane or grid (with statistics), and on request gradients and
    /// bounds; trace tells what every node yields. Use it to check what was built. Example:
    /// {"function_id":1,"arguments":[{"pos":[0,0,0]},{"pos":[8,0,0]}]}
    #[tool(
        title = "Evaluate",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn evaluate(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<Evaluate>,
    ) -> Result<Json<Evaluated>, Fail> {
        let evaluation = self.service().evaluation(request)?.brief();
        if evaluation.is_quick() {
            let evaluated = evaluation.run(&mut |_, _| ControlFlow::Continue(()))?;
            return Ok(Json(evaluated));
        }
        let evaluated = self.later(&context, move |_, watch| evaluation.run(watch));
        Ok(Json(evaluated.await?))
    }
}
