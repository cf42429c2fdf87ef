//! Edits of objects and the build in JSON.

use std::sync::Arc;

use fibula_core::graph::model::{Metadata, ObjectType, Transform, Unit};
use fibula_nodes::ResourceId;
use serde::{Deserialize, Deserializer};

/// An edit of an object or the build; in JSON `{"create_level_set": {...}}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelEditForm {
    CreateLevelSet(Box<CreateLevelSet>),
    ModifyLevelSet(Box<ModifyLevelSet>),
    SetMesh(SetMesh),
    SetAssembly(SetAssembly),
    SetVolumeData(SetVolumeData),
    ModifyObject(ModifyObject),
    RemoveResource(RemoveResource),
    RemoveUnusedResources(RemoveUnusedResources),
    CreateBuildItem(CreateBuildItem),
    ModifyBuildItem(ModifyBuildItem),
    DeleteBuildItem(DeleteBuildItem),
    SetMetadata(Metadata),
    RemoveMetadata(RemoveMetadata),
    SetUnit(SetUnit),
}

/// A transform of 12 or 16 numbers, or three or four rows of them, for row vectors; the last row is the translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement(pub(super) Transform);

impl<'de> Deserialize<'de> for Placement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Flat(Vec<f64>),
            Rows(Vec<Vec<f64>>),
        }
        const FORM: &str = "a transform is 12 numbers: three rows of three, then the shift x, y, z";
        let wrong = || serde::de::Error::custom(FORM);
        let rows: Vec<Vec<f64>> = match Written::deserialize(deserializer).map_err(|_| wrong())? {
            Written::Flat(numbers) if numbers.len() == 12 => {
                numbers.chunks(3).map(<[f64]>::to_vec).collect()
            }
            Written::Flat(numbers) => numbers.chunks(4).map(<[f64]>::to_vec).collect(),
            Written::Rows(rows) => rows,
        };
        let mut numbers = [0.0; 12];
        if rows.len() != 4 {
            return Err(wrong());
        }
        for (row, into) in rows.iter().zip(numbers.chunks_mut(3)) {
            into.copy_from_slice(row.get(..3).ok_or_else(wrong)?);
        }
        let last: Vec<f64> = rows.iter().filter_map(|row| row.get(3).copied()).collect();
        let affine = last.is_empty() || last == [0.0, 0.0, 0.0, 1.0];
        if !affine || rows.iter().any(|row| row.len() > 4) {
            return Err(serde::de::Error::custom(
                "the last column of a transform of 16 numbers is 0, 0, 0, 1",
            ));
        }
        Ok(Placement(Transform(numbers)))
    }
}

/// Parses a member that may be absent, null to remove something, or a value.
#[expect(clippy::option_option, reason = "left out and null are different")]
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// A function as a field: its output at each point.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldForm {
    pub(super) function_id: ResourceId,
    pub(super) channel: Option<String>,
    pub(super) transform: Option<Placement>,
    pub(super) min_feature_size: Option<f64>,
    pub(super) fallback_value: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateLevelSet {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) function_id: ResourceId,
    pub(super) channel: Option<String>,
    pub(super) mesh_id: Option<ResourceId>,
    pub(super) bounds: Option<[[f64; 3]; 2]>,
    pub(super) mesh_bbox_only: Option<bool>,
    pub(super) transform: Option<Placement>,
    pub(super) min_feature_size: Option<f64>,
    pub(super) fallback_value: Option<f64>,
    pub(super) volume_id: Option<ResourceId>,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
    pub(super) build: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::option_option, reason = "left out and null are different")]
pub(crate) struct ModifyLevelSet {
    pub(super) resource_id: ResourceId,
    pub(super) function_id: Option<ResourceId>,
    pub(super) channel: Option<String>,
    pub(super) mesh_id: Option<ResourceId>,
    pub(super) bounds: Option<[[f64; 3]; 2]>,
    pub(super) mesh_bbox_only: Option<bool>,
    pub(super) transform: Option<Placement>,
    pub(super) min_feature_size: Option<f64>,
    pub(super) fallback_value: Option<f64>,
    #[serde(default, deserialize_with = "given")]
    pub(super) volume_id: Option<Option<ResourceId>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetVolumeData {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) color: Option<FieldForm>,
    #[serde(default)]
    pub(super) properties: Vec<PropertyForm>,
    pub(super) composite: Option<CompositeForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PropertyForm {
    pub(super) name: String,
    #[serde(default)]
    pub(super) required: bool,
    pub(super) field: FieldForm,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompositeForm {
    pub(super) base_materials: ResourceId,
    pub(super) materials: Vec<FieldForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetMesh {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) vertices: Option<Vec<[f64; 3]>>,
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    pub(super) bounds: Option<[[f64; 3]; 2]>,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetAssembly {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) components: Vec<ComponentForm>,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComponentForm {
    pub(super) object_id: ResourceId,
    pub(super) transform: Option<Placement>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::option_option, reason = "left out and null are different")]
pub(crate) struct ModifyObject {
    pub(super) resource_id: ResourceId,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
    #[serde(rename = "type")]
    pub(super) object_type: Option<ObjectType>,
    #[serde(default, deserialize_with = "given")]
    pub(super) volume_id: Option<Option<ResourceId>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveResource {
    pub(super) resource_id: ResourceId,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveUnusedResources {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBuildItem {
    pub(super) item_id: Option<u32>,
    pub(super) object_id: ResourceId,
    pub(super) transform: Option<Placement>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModifyBuildItem {
    pub(super) item_id: Option<u32>,
    pub(super) index: Option<usize>,
    pub(super) object_id: Option<ResourceId>,
    pub(super) transform: Option<Placement>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteBuildItem {
    pub(super) item_id: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveMetadata {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetUnit {
    pub(super) unit: Unit,
}

/// The given transform, or the identity.
pub(super) fn transform(given: Option<Placement>) -> Transform {
    given.map_or(Transform::IDENTITY, |placement| placement.0)
}

/// Clones a shared value for a change.
pub(super) fn copy<T: Clone>(held: &Arc<T>) -> T {
    T::clone(held)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use serde_json::from_value;

    use super::*;

    #[test]
    fn transforms_parse_in_all_notations() {
        let shift = Transform([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.0]);
        for written in [
            json!([1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7]),
            json!([[1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 6, 7]]),
            json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]),
            json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 6, 7, 1]]),
        ] {
            let read: Placement = from_value(written.clone()).expect("a transform");
            assert_eq!(read.0, shift, "{written}");
        }
        for wrong in [
            json!([1, 2, 3]),
            json!([[1, 0], [0, 1], [0, 0], [5, 6]]),
            json!([1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]),
            json!("identity"),
        ] {
            assert!(from_value::<Placement>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
