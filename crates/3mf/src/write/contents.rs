//! Contents that resources name by their hashes: fetched and verified.

use std::collections::BTreeMap;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Body, Foreign, MeshBody, ModelResource};
use fibula_nodes::ResourceId;

use super::error::WriteError;
use super::prefixes::Prefixes;
use crate::mesh::MeshData;
use crate::model::Contents;

/// Decoded content of a resource.
pub(super) enum FetchedContent {
    Mesh(Box<MeshData>),
    Xml(String),
}

/// Fetches bytes, and verifies their hash.
///
/// # Errors
/// [`WriteError`] naming `what` the bytes belong to.
pub(super) fn fetch(
    contents: &Contents<'_>,
    hash: ContentHash,
    what: &dyn Fn() -> String,
) -> Result<Vec<u8>, WriteError> {
    match contents(hash) {
        Ok(Some(bytes)) if ContentHash::digest(&bytes) == hash => Ok(bytes),
        Ok(Some(_)) => {
            let problem = "their hash does not match".to_owned();
            Err(WriteError::damaged(what(), problem))
        }
        Ok(None) => Err(WriteError::NoContent { what: what() }),
        Err(source) => Err(WriteError::Contents {
            what: what(),
            source,
        }),
    }
}

/// Fetches the content of a resource, and collects its namespaces.
///
/// # Errors
/// [`WriteError`] naming the resource.
pub(super) fn fetch_resource(
    id: ResourceId,
    resource: &ModelResource,
    contents: &Contents<'_>,
    prefixes: &mut Prefixes,
    to: &mut BTreeMap<ResourceId, FetchedContent>,
) -> Result<(), WriteError> {
    let what = || resource.label(id);
    let fetched = match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Mesh(body) => Some(mesh(body, contents, prefixes, &what)?),
            Body::Foreign(foreign) => Some(xml(foreign, contents, prefixes, &what)?),
            Body::Components(_) | Body::LevelSet(_) => None,
        },
        ModelResource::Foreign(foreign) => Some(xml(foreign, contents, prefixes, &what)?),
        ModelResource::Image(_) | ModelResource::VolumeData(_) => None,
    };
    to.extend(fetched.map(|fetched| (id, fetched)));
    Ok(())
}

fn mesh(
    body: &MeshBody,
    contents: &Contents<'_>,
    prefixes: &mut Prefixes,
    what: &dyn Fn() -> String,
) -> Result<FetchedContent, WriteError> {
    let bytes = fetch(contents, body.content, what)?;
    let damaged = |problem: String| WriteError::damaged(what(), problem);
    let mesh = MeshData::from_bytes(&bytes).map_err(|error| damaged(error.to_string()))?;
    for column in mesh.vertex_columns.iter().chain(&mesh.triangle_columns) {
        prefixes.add(&column.namespace);
    }
    prefixes.add_attributes(&mesh.vertex_list_attributes);
    prefixes.add_attributes(&mesh.triangle_list_attributes);
    prefixes.add_extra(&mesh.extra, what)?;
    Ok(FetchedContent::Mesh(Box::new(mesh)))
}

fn xml(
    foreign: &Foreign,
    contents: &Contents<'_>,
    prefixes: &mut Prefixes,
    what: &dyn Fn() -> String,
) -> Result<FetchedContent, WriteError> {
    let bytes = fetch(contents, foreign.content, what)?;
    let damaged = |problem: String| WriteError::damaged(what(), problem);
    let xml = String::from_utf8(bytes).map_err(|_| damaged("they are not UTF-8".to_owned()))?;
    prefixes.add_xml(&xml).map_err(damaged)?;
    Ok(FetchedContent::Xml(xml))
}
