//! Level sets, volume data, the build, and the structure of a project.

use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_nodes::PortSpec;
use fibula_server::mcp::structure_of;
use fibula_server::operation::{Call, Operation, Progress};
use fibula_service::{
    BuildItemInfo, DEFAULT_PROJECT, EditsApplied, FunctionInfo, FunctionKey, GetStructure,
    ListFunctions, Refusal, RemoveUnused, ResourceInfo, Service, UnusedRemoved,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Confirmation, EditNotes, Members, NAME, OfProject, apply, members, type_names, without_nulls,
};

/// Corners of the default domain of a level set.
const DOMAIN: [[f64; 3]; 2] = [[-10.0; 3], [10.0; 3]];
/// Maximum number of listed items of the build.
const MAX_ITEMS: usize = 100;
/// Smallest feature of a new level set.
const MIN_FEATURE: f64 = 0.1;

requests! {
    Get3mfStructure {
        /// State at this revision.
        revision: Option<u64>,
        /// Maximum number of resources per page.
        limit: Option<u32>,
        /// next_cursor of the last page.
        cursor: Option<String>,
    }

    CreateLevelset {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// Output of the function; default: its only float, or "shape".
        channel: Option<String>,
        /// The lowest corner of the domain; default [-10, -10, -10].
        min_point: Option<[f64; 3]>,
        /// The highest corner of the domain; default [10, 10, 10].
        max_point: Option<[f64; 3]>,
    }

    ModifyLevelset {
        /// The level set.
        levelset_id: u32,
        /// New function.
        #[schemars(with = "Option<FunctionKey>")]
        function_id: Option<FunctionId>,
        /// New output.
        channel: Option<String>,
    }

    SetBuildItemObject {
        /// Index in the build, from 0.
        build_item_index: usize,
        /// The mesh, assembly or level set to build.
        object_id: u32,
    }

    SetBuildItemTransform {
        /// Index in the build, from 0.
        build_item_index: usize,
        /// 12 numbers, row by row: three rows of three, then the translation x, y, z.
        transform: Vec<f64>,
    }

    CreateVolumetricColor {
        /// The function of the colour at each point.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// Its output of the type vec3.
        channel: String,
    }

    CreateVolumetricProperty {
        /// Name of the property.
        property_name: String,
        /// The function of its value at each point.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// Its output of the type float.
        channel: String,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Structure3mf {
    success: bool,
    has_document: bool,
    document_path: String,
    unit: String,
    /// In order; set_build_item_object and set_build_item_transform refer to them by index, from 0.
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

#[derive(Debug, Serialize, JsonSchema)]
struct LevelsetCreated {
    success: bool,
    function_id: u32,
    resource_id: u32,
    build_item_id: u32,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
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
    #[serde(flatten)]
    notes: EditNotes,
}

pub(super) fn operations() -> Vec<Operation> {
    tools! {
        Read "get_3mf_structure", "Get the 3MF structure", Operation::quick(get_3mf_structure),
            "Lists a project: its build, functions with inputs and outputs, meshes, level sets, images, volume data. \
             Use it first, for the ids that other tools need.",
            "{}";
        Add "create_levelset", "Create a level set", Operation::quick(create_levelset),
            "Creates a level set of a function: the points of a box where it is negative. The box becomes a mesh, and \
             the level set an item of the build.",
            r#"{"function_id":1,"min_point":[-6,-6,-6],"max_point":[6,6,6]}"#;
        Set "modify_levelset", "Modify a level set", Operation::quick(modify_levelset),
            "Sets another function, or another output, of a level set.",
            r#"{"levelset_id":3,"function_id":1,"channel":"shape"}"#;
        Set "set_build_item_object", "Set the object of a build item", Operation::quick(set_build_item_object),
            "Replaces the object of a build item.", r#"{"build_item_index":0,"object_id":3}"#;
        Set "set_build_item_transform", "Set the transform of a build item", Operation::quick(set_build_item_transform),
            "Sets the transform of a build item.", r#"{"build_item_index":0,"transform":[1,0,0,0,1,0,0,0,1,20,0,0]}"#;
        Add "create_volumetric_color", "Create volumetric color", Operation::quick(create_volumetric_color),
            "Creates volume data with the colour of a function; modify_object of apply_edits attaches it to a mesh or \
             level set as volume_id.",
            r#"{"function_id":2,"channel":"color"}"#;
        Add "create_volumetric_property", "Create a volumetric property", Operation::quick(create_volumetric_property),
            "Creates volume data with the property of a function; modify_object of apply_edits attaches it to a mesh \
             or level set as volume_id.",
            r#"{"property_name":"density","function_id":2,"channel":"shape"}"#;
        Set "remove_unused_resources", "Remove unused resources", Operation::long(remove_unused_resources),
            "Removes functions, objects, images and volume data that no item of the build needs, as one change, which \
             undo reverts; lists the removed ones. A project without build items keeps everything.",
            "{}";
    }
}

fn get_3mf_structure(call: &Call, request: Get3mfStructure) -> Result<Structure3mf, Refusal> {
    let (project, is_first) = (request.project, request.cursor.is_none());
    let structure = call.service.get_structure(&GetStructure {
        project: project.clone(),
        revision: request.revision,
        limit: request.limit,
        cursor: request.cursor,
    })?;
    let functions = functions(&call.service, project.as_deref(), structure.revision)?;
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
    let items = structure.build_items.iter().take(MAX_ITEMS);
    let shown = functions.iter().filter(|_| is_first);
    let resources = shown
        .map(function)
        .chain(structure.resources.iter().map(resource));
    let truncated = structure.next_cursor.is_some() || structure.build_item_count > MAX_ITEMS;
    Ok(Structure3mf {
        success: true,
        has_document: true,
        document_path: structure_of(project.as_deref().unwrap_or(DEFAULT_PROJECT)),
        build_items: items.map(build_item).collect(),
        resources: resources.collect(),
        counts: members(counts),
        unit: structure.unit,
        revision: structure.revision,
        truncated: truncated.then_some(true),
        next_cursor: structure.next_cursor,
    })
}

fn create_levelset(call: &Call, request: CreateLevelset) -> Result<LevelsetCreated, Refusal> {
    let function_id = request.function_id;
    let bounds = [
        request.min_point.unwrap_or(DOMAIN[0]),
        request.max_point.unwrap_or(DOMAIN[1]),
    ];
    let edit = without_nulls(json!({
        "function_id": function_id,
        "channel": request.channel,
        "bounds": bounds,
        "min_feature_size": MIN_FEATURE,
    }));
    let edits = vec![json!({ "create_level_set": edit })];
    let applied = apply(call, request.project, edits)?;
    let made = applied.results.first();
    Ok(LevelsetCreated {
        success: true,
        function_id: function_id.0,
        resource_id: created_id(&applied),
        build_item_id: made.and_then(|made| made.item_id).unwrap_or_default(),
        revision: applied.revision,
        notes: applied.into(),
    })
}

fn modify_levelset(call: &Call, request: ModifyLevelset) -> Result<Confirmation, Refusal> {
    let edit = without_nulls(json!({
        "resource_id": request.levelset_id,
        "function_id": request.function_id,
        "channel": request.channel,
    }));
    let edits = vec![json!({ "modify_level_set": edit })];
    let applied = apply(call, request.project, edits)?;
    Ok(Confirmation::of("Level set modified successfully", applied))
}

fn set_build_item_object(
    call: &Call,
    request: SetBuildItemObject,
) -> Result<Confirmation, Refusal> {
    let (index, object_id) = (request.build_item_index, request.object_id);
    let edit = json!({ "modify_build_item": { "index": index, "object_id": object_id } });
    let applied = apply(call, request.project, vec![edit])?;
    let message = format!("Build item updated to reference object id {object_id}");
    Ok(Confirmation::of(message, applied))
}

fn set_build_item_transform(
    call: &Call,
    request: SetBuildItemTransform,
) -> Result<Confirmation, Refusal> {
    let (index, transform) = (request.build_item_index, request.transform);
    let edit = json!({ "modify_build_item": { "index": index, "transform": transform } });
    let applied = apply(call, request.project, vec![edit])?;
    Ok(Confirmation::of("Build item transform updated", applied))
}

fn create_volumetric_color(
    call: &Call,
    request: CreateVolumetricColor,
) -> Result<VolumetricCreated, Refusal> {
    let (id, channel) = (request.function_id, request.channel);
    create_volumetric(call, request.project, None, id, channel)
}

fn create_volumetric_property(
    call: &Call,
    request: CreateVolumetricProperty,
) -> Result<VolumetricCreated, Refusal> {
    let (id, channel) = (request.function_id, request.channel);
    create_volumetric(
        call,
        request.project,
        Some(request.property_name),
        id,
        channel,
    )
}

/// Creates volume data with a property, or else with a colour.
fn create_volumetric(
    call: &Call,
    project: Option<String>,
    property_name: Option<String>,
    function_id: FunctionId,
    channel: String,
) -> Result<VolumetricCreated, Refusal> {
    let field = json!({ "function_id": function_id, "channel": channel });
    let data = match &property_name {
        Some(name) => json!({ "properties": [{ "name": name, "field": field }] }),
        None => json!({ "color": field }),
    };
    let applied = apply(call, project, vec![json!({ "set_volume_data": data })])?;
    Ok(VolumetricCreated {
        success: true,
        property_name,
        function_id: function_id.0,
        channel,
        resource_id: created_id(&applied),
        revision: applied.revision,
        notes: applied.into(),
    })
}

fn remove_unused_resources(
    service: &Service,
    origin: &Origin,
    request: OfProject,
    _: &mut Progress<'_>,
) -> Result<UnusedRemoved, Refusal> {
    let request = RemoveUnused {
        project: request.project,
        ..RemoveUnused::default()
    };
    service.remove_unused(origin, &request)
}

/// Lists every function of a project at a revision.
fn functions(
    service: &Service,
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
        let page = service.list_functions(&request)?;
        all.extend(page.functions);
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

/// Returns the id of the resource that the first edit created.
fn created_id(applied: &EditsApplied) -> u32 {
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

/// Returns Gladius's name of a kind of resource.
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
    let port = |port: &PortSpec| json!({ "identifier": port.name, "display_name": port.name, "type": type_names(port.ty)[1] });
    let ports = |ports: &[PortSpec]| -> Vec<Value> { ports.iter().map(port).collect() };
    let function_type = if info.image.is_some() {
        "function_from_image3d"
    } else {
        "implicit"
    };
    without_nulls(json!({
        "id": info.function_id,
        "kind": "function",
        "function_type": function_type,
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
    without_nulls(json!({
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
