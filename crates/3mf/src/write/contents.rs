//! The bytes that resources name by their hashes: fetched, and held against what is said of them.

use std::collections::BTreeMap;
use std::error::Error;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Body, Foreign, MeshBody, ModelResource};
use fibula_nodes::ResourceId;

use super::error::WriteError;
use super::prefixes::Prefixes;
use crate::mesh::MeshData;

/// Gives the bytes that a hash names; `None` if they are not there.
pub type Contents<'c> =
    dyn Fn(ContentHash) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> + 'c;

/// What the bytes of a resource are.
pub(super) enum Fetched {
    Mesh(Box<MeshData>),
    Xml(String),
}

/// Fetches bytes, and makes sure that they are those.
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
        Ok(Some(_)) => Err(WriteError::DamagedContent {
            what: what(),
            problem: "they are others than they were".to_owned(),
        }),
        Ok(None) => Err(WriteError::NoContent { what: what() }),
        Err(source) => Err(WriteError::Contents {
            what: what(),
            source,
        }),
    }
}

/// Fetches what a resource needs to be written as XML, and gives prefixes to its namespaces.
///
/// # Errors
/// [`WriteError`] naming the resource.
pub(super) fn of_resource(
    id: ResourceId,
    resource: &ModelResource,
    contents: &Contents<'_>,
    prefixes: &mut Prefixes,
    to: &mut BTreeMap<ResourceId, Fetched>,
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
) -> Result<Fetched, WriteError> {
    let bytes = fetch(contents, body.content, what)?;
    let damaged = |problem: String| WriteError::DamagedContent {
        what: what(),
        problem,
    };
    let mesh = MeshData::from_bytes(&bytes).map_err(|error| damaged(error.to_string()))?;
    let columns = mesh.vertex_columns.iter().chain(&mesh.triangle_columns);
    for column in columns {
        prefixes.want(&column.namespace, "");
    }
    let attributes = mesh.of_vertices.iter().chain(&mesh.of_triangles);
    for attribute in attributes.chain(&mesh.extra.attributes) {
        prefixes.want(&attribute.namespace, "");
    }
    for element in &mesh.extra.elements {
        prefixes.want_all(element).map_err(damaged)?;
    }
    Ok(Fetched::Mesh(Box::new(mesh)))
}

fn xml(
    foreign: &Foreign,
    contents: &Contents<'_>,
    prefixes: &mut Prefixes,
    what: &dyn Fn() -> String,
) -> Result<Fetched, WriteError> {
    let bytes = fetch(contents, foreign.content, what)?;
    let damaged = |problem: String| WriteError::DamagedContent {
        what: what(),
        problem,
    };
    let xml = String::from_utf8(bytes).map_err(|_| damaged("they are no text".to_owned()))?;
    prefixes.want_all(&xml).map_err(damaged)?;
    Ok(Fetched::Xml(xml))
}
