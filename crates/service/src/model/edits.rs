//! Expansion of edits of objects and the build to plain edits.

use fibula_3mf::{MeshData, contents};
use fibula_core::edit::{Edit, ModelEdit};
use fibula_core::graph::model::{
    Body, BuildItem, Component, Composite, Field, LevelSet, ModelInfo, ModelResource, Object,
    ObjectType, Property, VolumeData,
};
use fibula_core::graph::{Document, FunctionId, Resource};
use fibula_nodes::{ResourceId, Type};

use super::box_mesh::box_mesh;
use super::edit_forms::{
    ComponentForm, CreateLevelSet, DeleteBuildItem, FieldForm, ModelEditForm, ModifyLevelSet,
    ModifyObject, RemoveMetadata, RemoveResource, RemoveUnusedResources, SetMesh, SetUnit,
    SetVolumeData, copy, transform,
};
use super::structure::next_id_after;
use super::unused::{RemovedInfo, UnusedResources, unused};
use crate::refusal::{Refusal, Result};

/// Hint on finding the ids.
const LISTING_HINT: &str = "summarize lists objects and resources";

/// Plain edits that an edit expands to, the first of them its subject, with the bytes that they need.
#[derive(Debug, Default)]
pub(crate) struct ModelEdits {
    pub(crate) edits: Vec<Edit>,
    pub(crate) contents: Vec<Vec<u8>>,
    /// Removed resources, where the edit does not name them.
    pub(crate) removed: Vec<RemovedInfo>,
}

impl ModelEdits {
    fn one(edit: ModelEdit) -> Self {
        ModelEdits {
            edits: vec![Edit::Model(edit)],
            ..ModelEdits::default()
        }
    }

    fn push_resource(&mut self, id: ResourceId, resource: ModelResource) {
        let resource_id = Some(id);
        let edit = ModelEdit::SetResource {
            resource_id,
            resource,
        };
        self.edits.push(Edit::Model(edit));
    }

    fn set(resource_id: Option<ResourceId>, resource: ModelResource) -> Self {
        ModelEdits::one(ModelEdit::SetResource {
            resource_id,
            resource,
        })
    }
}

/// Expands an edit.
///
/// # Errors
/// A [`Refusal`] if the edit refers to a resource that does not exist.
pub(crate) fn model_edits(document: &Document, form: ModelEditForm) -> Result<ModelEdits> {
    let held = document.model();
    Ok(match form {
        ModelEditForm::CreateLevelSet(form) => create_level_set(document, *form)?,
        ModelEditForm::ModifyLevelSet(form) => modify_level_set(document, *form)?,
        ModelEditForm::SetMesh(form) => set_mesh(document, form)?,
        ModelEditForm::SetAssembly(form) => {
            let part = |part: ComponentForm| Component {
                object: part.object_id,
                transform: transform(part.transform),
                extra: fibula_core::graph::model::Extra::default(),
            };
            let body = Body::Components(form.components.into_iter().map(part).collect());
            let object = rebodied(
                document,
                form.resource_id,
                body,
                form.name,
                form.part_number,
            )?;
            ModelEdits::set(form.resource_id, object)
        }
        ModelEditForm::SetVolumeData(form) => set_volume_data(document, form)?,
        ModelEditForm::ModifyObject(form) => modify_object(document, form)?,
        ModelEditForm::RemoveResource(RemoveResource { resource_id }) => {
            check_unasked(document, resource_id)?;
            ModelEdits::one(ModelEdit::RemoveResource { resource_id })
        }
        ModelEditForm::RemoveUnusedResources(RemoveUnusedResources {}) => {
            let UnusedResources { edits, removed } = unused(document);
            ModelEdits {
                edits,
                removed,
                ..ModelEdits::default()
            }
        }
        ModelEditForm::CreateBuildItem(form) => {
            let item_id = form.item_id;
            if let Some(id) = item_id.filter(|id| held.item(*id).is_some()) {
                let message = format!("build item {id} exists already");
                return Err(Refusal::new("duplicate_id", message).hint(
                    "omit item_id to use the next free one; modify_build_item changes an item",
                ));
            }
            let item = BuildItem {
                transform: transform(form.transform),
                part_number: form.part_number.unwrap_or_default(),
                ..BuildItem::new(form.object_id)
            };
            check_buildable(document, &item)?;
            ModelEdits::one(ModelEdit::SetBuildItem { item_id, item })
        }
        ModelEditForm::ModifyBuildItem(form) => {
            let item_id = item_at(document, form.item_id, form.index)?;
            // An unknown item is refused like by its removal.
            let Some(mut item) = held.item(item_id).cloned() else {
                return Ok(ModelEdits::one(ModelEdit::RemoveBuildItem { item_id }));
            };
            item.object = form.object_id.unwrap_or(item.object);
            item.transform = form
                .transform
                .map_or(item.transform, |placement| placement.0);
            item.part_number = form.part_number.unwrap_or(item.part_number);
            check_buildable(document, &item)?;
            let item_id = Some(item_id);
            ModelEdits::one(ModelEdit::SetBuildItem { item_id, item })
        }
        ModelEditForm::DeleteBuildItem(DeleteBuildItem { item_id }) => {
            ModelEdits::one(ModelEdit::RemoveBuildItem { item_id })
        }
        ModelEditForm::SetMetadata(metadata) => ModelEdits::one(ModelEdit::SetMetadata(metadata)),
        ModelEditForm::RemoveMetadata(RemoveMetadata { name }) => {
            ModelEdits::one(ModelEdit::RemoveMetadata { name })
        }
        ModelEditForm::SetUnit(SetUnit { unit }) => {
            ModelEdits::one(ModelEdit::SetInfo(ModelInfo {
                unit,
                ..held.info().clone()
            }))
        }
    })
}

/// Output of a field without a name: the only one of its type, or the one with that name.
fn channel(
    document: &Document,
    function: ResourceId,
    name: Option<String>,
    ty: Type,
    usual: &str,
) -> Result<String> {
    if let Some(name) = name {
        return Ok(name);
    }
    let outputs = match document.resource(function) {
        Some(Resource::ImageFunction(image)) => image.ty().outputs,
        Some(Resource::Content(_) | Resource::File(_) | Resource::Model(_)) | None => {
            document.function(FunctionId(function.0))?.outputs()
        }
    };
    let fitting: Vec<&str> = outputs
        .iter()
        .filter(|port| port.ty == ty)
        .map(|port| port.name.as_str())
        .collect();
    match fitting[..] {
        [only] => Ok(only.to_owned()),
        _ if fitting.contains(&usual) => Ok(usual.to_owned()),
        [] => {
            let message = format!("function {function} has no output of the type {ty}");
            Err(Refusal::new("unknown_channel", message))
        }
        _ => {
            let message = format!(
                "function {function} has several outputs of the type {ty}, so channel must name one"
            );
            Err(Refusal::new("invalid_arguments", message)
                .hint(format!("they are {}", fitting.join(", "))))
        }
    }
}

fn field(document: &Document, form: FieldForm, ty: Type, usual: &str) -> Result<Field> {
    let channel = channel(document, form.function_id, form.channel, ty, usual)?;
    Ok(Field {
        transform: transform(form.transform),
        min_feature_size: form.min_feature_size.unwrap_or_default(),
        fallback_value: form.fallback_value.unwrap_or_default(),
        ..Field::new(form.function_id, channel)
    })
}

/// Domain of a level set: an existing mesh, or a new box, which comes first in `made`.
fn domain(
    document: &Document,
    mesh: Option<ResourceId>,
    bounds: Option<[[f64; 3]; 2]>,
    reserved: Option<ResourceId>,
    made: &mut ModelEdits,
) -> Result<Option<ResourceId>> {
    match (mesh, bounds) {
        (Some(_), Some(_)) => {
            let message = "mesh_id and bounds both define the domain";
            Err(Refusal::new("invalid_arguments", message).hint("give one of them"))
        }

        (mesh, None) => Ok(mesh),
        (None, Some(bounds)) => {
            let (resource, bytes) = box_mesh(bounds)?;
            let id = next_id_after(document, reserved)?;
            made.push_resource(id, resource);
            made.contents.push(bytes);
            Ok(Some(id))
        }
    }
}

fn create_level_set(document: &Document, form: CreateLevelSet) -> Result<ModelEdits> {
    let mut made = ModelEdits::default();
    let boxed = form.bounds.is_some();
    if let Some(id) = form.resource_id {
        check_free(document, id)?;
    }
    let Some(mesh) = domain(
        document,
        form.mesh_id,
        form.bounds,
        form.resource_id,
        &mut made,
    )?
    else {
        let message = "a level set needs a domain, which bounds it";
        return Err(Refusal::new("invalid_arguments", message).hint(
            "pass bounds: [[x, y, z], [x, y, z]], the lowest and the highest corner, or mesh_id",
        ));
    };
    let field = FieldForm {
        function_id: form.function_id,
        channel: form.channel,
        transform: form.transform,
        min_feature_size: form.min_feature_size,
        fallback_value: form.fallback_value,
    };
    let level = LevelSet {
        field: self::field(document, field, Type::Float, "shape")?,
        mesh,
        mesh_bbox_only: form.mesh_bbox_only.unwrap_or(boxed),
        volume: form.volume_id,
    };
    let object = Object {
        part_number: form.part_number.unwrap_or_default(),
        ..Object::new(form.name.unwrap_or_default(), Body::LevelSet(level))
    };
    let id = match form.resource_id {
        Some(id) => id,
        None => next_id_after(document, boxed.then_some(mesh))?,
    };
    made.push_resource(id, ModelResource::Object(object.into()));
    if form.build.unwrap_or(true) {
        made.edits.push(Edit::Model(ModelEdit::SetBuildItem {
            item_id: None,
            item: BuildItem::new(id),
        }));
    }
    Ok(made)
}

fn modify_level_set(document: &Document, form: ModifyLevelSet) -> Result<ModelEdits> {
    let mut made = ModelEdits::default();
    let id = form.resource_id;
    let mut object = object(document, id)?;
    let Body::LevelSet(level) = &mut object.body else {
        let message = format!(
            "resource {id} is not a level set, but {}",
            noun(document, id)
        );
        return Err(Refusal::new("resource_kind_mismatch", message)
            .hint(format!("create_level_set creates one; {LISTING_HINT}")));
    };
    if let Some(mesh) = domain(document, form.mesh_id, form.bounds, None, &mut made)? {
        level.mesh = mesh;
        level.mesh_bbox_only |= form.bounds.is_some();
    }
    let other = form
        .function_id
        .is_some_and(|other| other != level.field.function_id);
    let function = form.function_id.unwrap_or(level.field.function_id);
    if other || form.channel.is_some() {
        level.field.channel = channel(document, function, form.channel, Type::Float, "shape")?;
    }
    level.field.function_id = function;
    level.mesh_bbox_only = form.mesh_bbox_only.unwrap_or(level.mesh_bbox_only);
    if let Some(placement) = form.transform {
        level.field.transform = placement.0;
    }
    level.field.min_feature_size = form
        .min_feature_size
        .unwrap_or(level.field.min_feature_size);
    level.field.fallback_value = form.fallback_value.unwrap_or(level.field.fallback_value);
    level.volume = form.volume_id.unwrap_or(level.volume);
    made.push_resource(id, ModelResource::Object(object.into()));
    Ok(made)
}

fn set_mesh(document: &Document, form: SetMesh) -> Result<ModelEdits> {
    let (body, bytes) = match (form.vertices, form.triangles, form.bounds) {
        (None, None, Some(bounds)) => {
            let (resource, bytes) = box_mesh(bounds)?;
            let ModelResource::Object(object) = resource else {
                unreachable!("a box is an object")
            };
            (copy(&object).body, bytes)
        }
        (Some(vertices), Some(triangles), None) => {
            let data = MeshData::new(vertices, triangles);
            let bytes = data.to_bytes();
            let body = data.body(&bytes);
            contents::mesh_content(data)?;
            (Body::Mesh(body), bytes)
        }
        _ => {
            let message = "a mesh is vertices and triangles, or the bounds of a box";
            return Err(Refusal::new("invalid_arguments", message)
            .hint("as in {\"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}"));
        }
    };
    let object = rebodied(
        document,
        form.resource_id,
        body,
        form.name,
        form.part_number,
    )?;
    let mut made = ModelEdits::set(form.resource_id, object);
    made.contents.push(bytes);
    Ok(made)
}

fn set_volume_data(document: &Document, form: SetVolumeData) -> Result<ModelEdits> {
    let resource_id = form.resource_id;
    if let Some(id) = resource_id
        && let Some(ModelResource::Object(_) | ModelResource::Image(_) | ModelResource::Foreign(_)) =
            document.model_resource(id)
    {
        let message = format!(
            "resource {id} is not volume data, but {}",
            noun(document, id)
        );
        return Err(Refusal::new("resource_kind_mismatch", message)
            .hint("omit resource_id to use the next free one"));
    }
    let extra = match resource_id.and_then(|id| document.model_resource(id)) {
        Some(ModelResource::VolumeData(before)) => before.extra.clone(),
        Some(ModelResource::Object(_) | ModelResource::Image(_) | ModelResource::Foreign(_))
        | None => fibula_core::graph::model::Extra::default(),
    };
    let color = form
        .color
        .map(|form| field(document, form, Type::Float3, "color"));
    let properties = form.properties.into_iter().map(|property| {
        Ok::<_, Refusal>(Property {
            name: property.name,
            required: property.required,
            field: field(document, property.field, Type::Float, "value")?,
        })
    });
    let properties = properties.collect::<Result<_, _>>()?;
    let composite = form.composite.map(|form| {
        let fields = form.materials.into_iter();
        let fields = fields.map(|form| field(document, form, Type::Float, "shape"));
        Ok::<_, Refusal>(Composite {
            base_materials: form.base_materials,
            materials: fields.collect::<Result<_>>()?,
        })
    });
    let volume = VolumeData {
        composite: composite.transpose()?,
        color: color.transpose()?,
        properties,
        extra,
    };
    Ok(ModelEdits::set(
        resource_id,
        ModelResource::VolumeData(volume.into()),
    ))
}

fn modify_object(document: &Document, form: ModifyObject) -> Result<ModelEdits> {
    let id = form.resource_id;
    let mut object = object(document, id)?;
    object.name = form.name.unwrap_or(object.name);
    object.part_number = form.part_number.unwrap_or(object.part_number);
    object.object_type = form.object_type.unwrap_or(object.object_type);
    if form.object_type == Some(ObjectType::Other)
        && let Some((item, _)) = document.item_users(id).next()
    {
        let message = format!(
            "{} is built by item {item}, and objects of the type other cannot be built",
            noun(document, id)
        );
        return Err(Refusal::new("not_buildable", message)
            .hint("remove the item first, with delete_build_item"));
    }
    if let Some(volume) = form.volume_id {
        match &mut object.body {
            Body::Mesh(mesh) => mesh.volume = volume,
            Body::LevelSet(level) => level.volume = volume,
            Body::Components(_) | Body::Foreign(_) => {
                let message = format!("{} has no volume of its own", noun(document, id));
                return Err(Refusal::new("invalid_arguments", message)
                    .hint("attach volume data to the meshes and level sets that it consists of"));
            }
        }
    }
    Ok(ModelEdits::set(
        Some(id),
        ModelResource::Object(object.into()),
    ))
}

/// Refuses build items of objects that 3MF does not build.
fn check_buildable(document: &Document, item: &BuildItem) -> Result<()> {
    match document.unbuildable(item) {
        None => Ok(()),
        Some(object) => {
            let message =
                format!("{object} is of the type other, and such objects cannot be built");
            Err(Refusal::new("not_buildable", message)
                .hint("set another type with modify_object, such as model"))
        }
    }
}

/// Finds a build item by its id, or by its index from 0.
fn item_at(document: &Document, id: Option<u32>, index: Option<usize>) -> Result<u32> {
    match (id, index) {
        (Some(id), None) => Ok(id),
        (None, Some(index)) => {
            let mut items = document.model().items();
            let count = items.len();
            let item = items.nth(index).map(|(id, _)| id);
            item.ok_or_else(|| {
                let message = format!("the build has {count} items, so none has the index {index}");
                Refusal::new("unknown_resource", message).hint("indices begin with 0")
            })
        }
        (Some(_), Some(_)) | (None, None) => {
            let message = "pass either item_id or index to select an item of the build";
            Err(Refusal::new("invalid_arguments", message))
        }
    }
}

/// Refuses ids that are taken.
fn check_free(document: &Document, id: ResourceId) -> Result<()> {
    match document.noun(id) {
        None => Ok(()),
        Some(is) => {
            let message = format!("resource {id} exists already: {is}");
            Err(Refusal::new("duplicate_id", message).hint(
                "omit resource_id to use the next free one; modify_level_set changes a level set",
            ))
        }
    }
}

/// Returns an existing object, for a change.
fn object(document: &Document, id: ResourceId) -> Result<Object> {
    match document.model_resource(id) {
        Some(ModelResource::Object(object)) => Ok(copy(object)),
        Some(_) => {
            let message = format!("resource {id} is not an object, but {}", noun(document, id));
            Err(Refusal::new("resource_kind_mismatch", message))
        }
        None => {
            let message = format!("there is no object {id} in this project");
            Err(Refusal::new("unknown_resource", message).hint(LISTING_HINT))
        }
    }
}

/// Returns an object with another body, or a new one.
fn rebodied(
    document: &Document,
    id: Option<ResourceId>,
    body: Body,
    name: Option<String>,
    part_number: Option<String>,
) -> Result<ModelResource> {
    let mut new = match id {
        Some(id) if document.model_resource(id).is_some() => {
            let mut before = object(document, id)?;
            if let (Body::Mesh(old), Body::Mesh(new)) = (&before.body, &body) {
                let volume = old.volume;
                let mut new = new.clone();
                new.volume = volume;
                before.body = Body::Mesh(new);
            } else {
                before.body = body;
            }
            before
        }
        Some(_) | None => Object::new("", body),
    };
    new.name = name.unwrap_or(new.name);
    new.part_number = part_number.unwrap_or(new.part_number);
    Ok(ModelResource::Object(new.into()))
}

fn noun(document: &Document, id: ResourceId) -> String {
    document
        .noun(id)
        .unwrap_or_else(|| format!("resource {id}"))
}

/// Refuses to remove resources that nodes query; the plain edit would leave the nodes dangling.
fn check_unasked(document: &Document, id: ResourceId) -> Result<()> {
    const SHOWN: usize = 5;
    let mut by = document.references_to(id);
    if by.is_empty() {
        return Ok(());
    }
    let more = by.len().saturating_sub(SHOWN);
    by.truncate(SHOWN);
    if more > 0 {
        by.push(format!("{more} more"));
    }
    let message = format!(
        "{} is in use by {}; first change or remove that",
        noun(document, id),
        by.join(", ")
    );
    Err(Refusal::new("in_use", message))
}
