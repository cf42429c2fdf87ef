//! Colours and properties of volume data.

use std::collections::BTreeSet;

use fibula_3mf::display_colors;
use fibula_core::eval::{Materials, Paint, Solid};
use fibula_core::graph::Document;
use fibula_core::graph::model::{Body, ModelResource, Transform, VolumeData};
use fibula_nodes::ResourceId;

use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::refusal::{Refusal, Result, quoted};

/// Objects with their placements.
pub(crate) type PlacedObjects = [(ResourceId, Transform)];

/// Volume data of objects and their parts.
fn volumes<'a>(
    document: &'a Document,
    objects: &PlacedObjects,
) -> Vec<(ResourceId, &'a VolumeData)> {
    let mut open: Vec<ResourceId> = objects.iter().map(|(id, _)| *id).collect();
    let (mut resolved, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        if !resolved.insert(id) {
            continue;
        }
        let Some(ModelResource::Object(object)) = document.model_resource(id) else {
            continue;
        };
        match &object.body {
            Body::Components(parts) => open.extend(parts.iter().map(|part| part.object)),
            Body::LevelSet(level_set) => found.extend(level_set.volume),
            Body::Mesh(mesh) => found.extend(mesh.volume),
            Body::Foreign(_) => {}
        }
    }
    let data = |id| match document.model_resource(id) {
        Some(ModelResource::VolumeData(volume)) => Some((id, &**volume)),
        Some(ModelResource::Object(_) | ModelResource::Image(_) | ModelResource::Foreign(_))
        | None => None,
    };
    found.into_iter().filter_map(data).collect()
}

/// Combines objects to a coloured solid; `None` if none has a colour.
///
/// # Errors
/// A [`Refusal`] if a colour cannot be evaluated.
pub(crate) fn colored(
    project: &Project,
    snapshot: &Snapshot,
    objects: &PlacedObjects,
) -> Result<Option<Solid>> {
    let mut volumes = volumes(&snapshot.document, objects);
    volumes.retain(|(_, volume)| volume.color.is_some() || volume.composite.is_some());
    if volumes.is_empty() {
        return Ok(None);
    }
    let mut materials = Materials::new();
    for (_, volume) in &volumes {
        if volume.color.is_some() {
            continue;
        }
        let group = volume.composite.as_ref().map(|one| one.base_materials);
        let Some(group) = group.filter(|group| !materials.contains_key(group)) else {
            continue;
        };
        if let Some(ModelResource::Foreign(kept)) = snapshot.document.model_resource(group) {
            let xml = project.store.content(kept.content)?;
            if let Some(colors) = xml.and_then(|xml| display_colors(&xml)) {
                materials.insert(group, colors);
            }
        }
    }
    painted(
        project,
        snapshot,
        objects,
        &volumes,
        Paint::Color(&materials),
    )
    .map(Some)
}

/// Combines objects to a solid with a property of their volume data.
///
/// # Errors
/// A [`Refusal`] if none has it, or it cannot be evaluated.
pub(crate) fn with_property(
    project: &Project,
    snapshot: &Snapshot,
    objects: &PlacedObjects,
    label: &str,
    property: &str,
) -> Result<Solid> {
    let volumes = volumes(&snapshot.document, objects);
    let properties = volumes.iter().flat_map(|(_, volume)| &volume.properties);
    let names: BTreeSet<&str> = properties.map(|one| one.name.as_str()).collect();
    let local = |name: &&&str| name.rsplit('}').next() == Some(property);
    let found = names.get(property).or_else(|| names.iter().find(local));
    let Some(name) = found else {
        let message = format!("{label} has no property {}", quoted(property));
        let names: Vec<&str> = names.into_iter().take(10).collect();
        return Err(
            Refusal::new("unknown_output", message).hint(match &names[..] {
                [] => {
                    "its volume data has no properties; omit color, or choose a function".to_owned()
                }
                names => format!("its volume data has {}", names.join(", ")),
            }),
        );
    };
    painted(project, snapshot, objects, &volumes, Paint::Property(name))
}

fn painted(
    project: &Project,
    snapshot: &Snapshot,
    objects: &PlacedObjects,
    volumes: &[(ResourceId, &VolumeData)],
    paint: Paint<'_>,
) -> Result<Solid> {
    let asking = objects.iter().map(|(id, _)| *id);
    let asking = asking.chain(volumes.iter().map(|(id, _)| *id));
    let document = project.with_content(snapshot, asking)?;
    Ok(Solid::painted(&document, objects, paint)?)
}
