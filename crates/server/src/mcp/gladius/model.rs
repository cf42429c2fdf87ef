//! Level sets, volume data, the build, and the list of what there is.

use fibula_nodes::PortSpec;
use fibula_service::{
    BuildItemInfo, EditsApplied, FunctionInfo, GetStructure, ListFunctions, Refusal, RemoveUnused,
    ResourceInfo, UnusedRemoved,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Members, OfProject, Said, members, port_type, some};
use crate::mcp::arguments::Parameters;
use crate::mcp::reply::{Caller, Fail, Json};
use crate::mcp::server::Server;

/// The corners of the domain where none is given.
const DOMAIN: [[f64; 3]; 2] = [[-10.0; 3], [10.0; 3]];
/// The most items of the build that are listed.
const ITEMS: usize = 100;
/// The smallest feature of a level set that is made.
const FEATURE: f64 = 0.1;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get3mfStructure {
    /// Left out: "default".
    project: Option<String>,
    /// As of this revision.
    revision: Option<u64>,
    /// Most resources of a page.
    limit: Option<u32>,
    /// The last page's next_cursor.
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Structure3mf {
    success: bool,
    has_document: bool,
    document_path: String,
    unit: String,
    /// In their order; set_build_item_object and set_build_item_transform name them by place, from 0.
    build_items: Vec<Members>,
    /// The functions, on the first page, then everything else by id.
    resources: Vec<Members>,
    counts: Members,
    revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateLevelset {
    /// Left out: "default".
    project: Option<String>,
    /// The function.
    function_id: u32,
    /// Its output; the only float one if left out, or "shape".
    channel: Option<String>,
    /// The lowest corner of the domain; [-10, -10, -10] if left out.
    min_point: Option<[f64; 3]>,
    /// The highest corner of the domain; [10, 10, 10] if left out.
    max_point: Option<[f64; 3]>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LevelsetCreated {
    success: bool,
    function_id: u32,
    resource_id: u32,
    build_item_id: u32,
    revision: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ModifyLevelset {
    /// Left out: "default".
    project: Option<String>,
    /// The level set.
    levelset_id: u32,
    /// Another function to ask.
    function_id: Option<u32>,
    /// Another output to ask for.
    channel: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetBuildItemObject {
    /// Left out: "default".
    project: Option<String>,
    /// Its place in the build, from 0.
    build_item_index: usize,
    /// The mesh, assembly or level set to build.
    object_id: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetBuildItemTransform {
    /// Left out: "default".
    project: Option<String>,
    /// Its place in the build, from 0.
    build_item_index: usize,
    /// 12 numbers, row by row: three rows of three, then the shift x, y, z.
    transform: Vec<f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateVolumetricColor {
    /// Left out: "default".
    project: Option<String>,
    /// The function that says the colour of each point.
    function_id: u32,
    /// Its output of the type vec3.
    channel: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateVolumetricProperty {
    /// Left out: "default".
    project: Option<String>,
    /// What the property is called.
    property_name: String,
    /// The function that says its value at each point.
    function_id: u32,
    /// Its output of the type float.
    channel: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VolumetricCreated {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    property_name: Option<String>,
    function_id: u32,
    channel: String,
    resource_id: u32,
    revision: u64,
}

#[tool_router(router = gladius_model_tools, vis = "pub(super)")]
impl Server {
    /// Lists a project: its build, functions with inputs and outputs, meshes, level sets, images, volume data. Use it
    /// first, for the ids that other tools take. Example: {}
    #[tool(
        title = "Get the 3MF structure",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn get_3mf_structure(
        &self,
        Parameters(request): Parameters<Get3mfStructure>,
    ) -> Result<Json<Structure3mf>, Fail> {
        let Get3mfStructure {
            project,
            revision,
            limit,
            cursor,
        } = request;
        let is_first = cursor.is_none();
        let structure = self.service().get_structure(&GetStructure {
            project: project.clone(),
            revision,
            limit,
            cursor,
        })?;
        let functions = self.functions(project.as_deref(), structure.revision)?;
        let counted = |kind: &str| {
            let all = structure.kinds.get(kind);
            all.copied().unwrap_or_default()
        };
        let counts = json!({
            "build_items": structure.build_item_count,
            "resources": structure.total + functions.len(),
            "meshes": counted("mesh"),
            "levelsets": counted("level set"),
            "functions": functions.len(),
            "images3d": counted("image"),
            "components": counted("assembly"),
            "volume_data": counted("volume data"),
            "others": counted("object") + counted("other resource"),
        });
        let items = structure.build_items.iter().take(ITEMS);
        let shown = functions.iter().filter(|_| is_first);
        let resources = shown
            .map(function)
            .chain(structure.resources.iter().map(resource));
        let truncated = structure.next_cursor.is_some() || structure.build_item_count > ITEMS;
        Ok(Json(Structure3mf {
            success: true,
            has_document: true,
            document_path: super::document::path(project.as_deref()),
            build_items: items.map(build_item).collect(),
            resources: resources.collect(),
            counts: members(counts),
            unit: structure.unit,
            revision: structure.revision,
            truncated: truncated.then_some(true),
            next_cursor: structure.next_cursor,
        }))
    }

    /// Makes a level set of a function: the points of a box where it is negative. The box becomes a mesh, and the level
    /// set an item of the build. Example: {"function_id":1,"min_point":[-6,-6,-6],"max_point":[6,6,6]}
    #[tool(
        title = "Create a level set",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_levelset(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateLevelset>,
    ) -> Result<Json<LevelsetCreated>, Fail> {
        let function_id = request.function_id;
        let bounds = [
            request.min_point.unwrap_or(DOMAIN[0]),
            request.max_point.unwrap_or(DOMAIN[1]),
        ];
        let edit = some(json!({
            "function_id": function_id,
            "channel": request.channel,
            "bounds": bounds,
            "min_feature_size": FEATURE,
        }));
        let edits = vec![json!({ "create_level_set": edit })];
        let applied = self.edits(&origin, request.project, edits)?;
        let made = applied.results.first();
        Ok(Json(LevelsetCreated {
            success: true,
            function_id,
            resource_id: made_by(&applied),
            build_item_id: made.and_then(|made| made.item_id).unwrap_or_default(),
            revision: applied.revision,
        }))
    }

    /// Has a level set ask another function, or another output of its function. Example:
    /// {"levelset_id":3,"function_id":1,"channel":"shape"}
    #[tool(
        title = "Modify a level set",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn modify_levelset(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<ModifyLevelset>,
    ) -> Result<Json<Said>, Fail> {
        let edit = some(json!({
            "resource_id": request.levelset_id,
            "function_id": request.function_id,
            "channel": request.channel,
        }));
        let edits = vec![json!({ "modify_level_set": edit })];
        let revision = self.edits(&origin, request.project, edits)?.revision;
        let message = "Level set modified successfully".to_owned();
        Ok(Json(Said {
            success: true,
            message,
            revision,
        }))
    }

    /// Builds another object in the place of an item of the build. Example: {"build_item_index":0,"object_id":3}
    #[tool(
        title = "Set the object of a build item",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn set_build_item_object(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<SetBuildItemObject>,
    ) -> Result<Json<Said>, Fail> {
        let (index, object_id) = (request.build_item_index, request.object_id);
        let edit = json!({ "modify_build_item": { "index": index, "object_id": object_id } });
        let revision = self.edits(&origin, request.project, vec![edit])?.revision;
        Ok(Json(Said {
            success: true,
            message: format!("Build item updated to reference object id {object_id}"),
            revision,
        }))
    }

    /// Places an item of the build. Example: {"build_item_index":0,"transform":[1,0,0,0,1,0,0,0,1,20,0,0]}
    #[tool(
        title = "Set the transform of a build item",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    fn set_build_item_transform(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<SetBuildItemTransform>,
    ) -> Result<Json<Said>, Fail> {
        let (index, transform) = (request.build_item_index, request.transform);
        let edit = json!({ "modify_build_item": { "index": index, "transform": transform } });
        let revision = self.edits(&origin, request.project, vec![edit])?.revision;
        let message = "Build item transform updated".to_owned();
        Ok(Json(Said {
            success: true,
            message,
            revision,
        }))
    }

    /// Makes volume data whose colour a function says; modify_object of apply_edits gives them to a mesh or level set
    /// as volume_id. Example: {"function_id":2,"channel":"color"}
    #[tool(
        title = "Create volumetric color",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_volumetric_color(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateVolumetricColor>,
    ) -> Result<Json<VolumetricCreated>, Fail> {
        let (function_id, channel) = (request.function_id, request.channel);
        let field = json!({ "function_id": function_id, "channel": channel });
        let edits = vec![json!({ "set_volume_data": { "color": field } })];
        let applied = self.edits(&origin, request.project, edits)?;
        Ok(Json(VolumetricCreated {
            success: true,
            property_name: None,
            function_id,
            channel,
            resource_id: made_by(&applied),
            revision: applied.revision,
        }))
    }

    /// Makes volume data with a property that a function says; modify_object of apply_edits gives them to a mesh or
    /// level set as volume_id. Example: {"property_name":"density","function_id":2,"channel":"shape"}
    #[tool(
        title = "Create a volumetric property",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false,
            open_world_hint = false
        )
    )]
    fn create_volumetric_property(
        &self,
        Caller(origin): Caller,
        Parameters(request): Parameters<CreateVolumetricProperty>,
    ) -> Result<Json<VolumetricCreated>, Fail> {
        let (function_id, channel) = (request.function_id, request.channel);
        let name = request.property_name;
        let field = json!({ "function_id": function_id, "channel": channel });
        let edit =
            json!({ "set_volume_data": { "properties": [{ "name": name, "field": field }] } });
        let applied = self.edits(&origin, request.project, vec![edit])?;
        Ok(Json(VolumetricCreated {
            success: true,
            property_name: Some(name),
            function_id,
            channel,
            resource_id: made_by(&applied),
            revision: applied.revision,
        }))
    }

    /// Removes functions, objects, images and volume data that no item of the build needs, as one change that undo
    /// takes back; says what went. A project without build items keeps everything. Example: {}
    #[tool(
        title = "Remove unused resources",
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn remove_unused_resources(
        &self,
        context: RequestContext<RoleServer>,
        Caller(origin): Caller,
        Parameters(request): Parameters<OfProject>,
    ) -> Result<Json<UnusedRemoved>, Fail> {
        let request = RemoveUnused {
            project: request.project,
            ..RemoveUnused::default()
        };
        let done = self.later(&context, move |service, _| {
            service.remove_unused(&origin, &request)
        });
        Ok(Json(done.await?))
    }
}

impl Server {
    /// Every function of a project, as it was at a revision.
    fn functions(
        &self,
        project: Option<&str>,
        revision: u64,
    ) -> Result<Vec<FunctionInfo>, Refusal> {
        let mut request = ListFunctions {
            project: project.map(str::to_owned),
            revision: Some(revision),
            ..ListFunctions::default()
        };
        let mut all = Vec::new();
        loop {
            let page = self.service().list_functions(&request)?;
            all.extend(page.functions);
            match page.next_cursor {
                Some(cursor) => request.cursor = Some(cursor),
                None => return Ok(all),
            }
        }
    }
}

/// The id of what an edit made.
fn made_by(applied: &EditsApplied) -> u32 {
    let made = applied.results.first();
    let id = made.and_then(|made| made.resource_id);
    id.map(|id| id.0).unwrap_or_default()
}

fn build_item(item: &BuildItemInfo) -> Members {
    const PLACED: [f64; 12] = [1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.];
    let rows = item.transform.unwrap_or(PLACED);
    let rows: Vec<&[f64]> = rows.chunks(3).collect();
    members(json!({
        "part_number": item.part_number,
        "item_id": item.item_id,
        "transform": rows,
        "object_id": item.object_id,
        "object_type": item.object_kind.map_or("unknown", kind_3mf),
    }))
}

/// What Gladius calls a kind of resource.
fn kind_3mf(kind: &str) -> &'static str {
    match kind {
        "mesh" => "mesh",
        "assembly" => "components",
        "level set" => "levelset",
        "object" => "object",
        "image" => "imagestack",
        "volume data" => "volume_data",
        _ => "other",
    }
}

fn function(info: &FunctionInfo) -> Members {
    let port = |port: &PortSpec| json!({ "identifier": port.name, "display_name": port.name, "type": port_type(port.ty) });
    let ports = |ports: &[PortSpec]| -> Vec<Value> { ports.iter().map(port).collect() };
    let sort = if info.image.is_some() {
        "function_from_image3d"
    } else {
        "implicit"
    };
    some(json!({
        "id": info.function_id,
        "kind": "function",
        "function_type": sort,
        "display_name": info.name,
        "inputs": ports(&info.inputs),
        "outputs": ports(&info.outputs),
        "image_id": info.image,
    }))
}

fn resource(info: &ResourceInfo) -> Members {
    let field = info.field.as_ref();
    let size = info.size.map(
        |[columns, rows, sheets]| json!({ "rows": rows, "columns": columns, "sheets": sheets }),
    );
    let components = Some(&info.components).filter(|parts| !parts.is_empty());
    let properties = Some(&info.properties).filter(|all| !all.is_empty());
    some(json!({
        "id": info.resource_id,
        "kind": kind_3mf(info.kind),
        "name": info.name,
        "vertices": info.vertices,
        "triangles": info.triangles,
        "beams": info.beams,
        "bounds": info.bounds,
        "function_id": field.map(|field| field.function_id),
        "channel": field.map(|field| &field.channel),
        "mesh_id": info.mesh_id,
        "meshBBoxOnly": info.mesh_bbox_only,
        "volume_id": info.volume_id,
        "components": components,
        "imagestack": size,
        "properties": properties,
    }))
}
