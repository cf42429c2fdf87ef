//! Objects and what is beside them as agents write them.

use std::sync::Arc;

use fibula_core::graph::model::{Metadata, ObjectType, Transform, Unit};
use fibula_nodes::ResourceId;
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

/// What these edits are called.
pub(crate) const KINDS: [&str; 14] = [
    "create_level_set",
    "modify_level_set",
    "set_mesh",
    "set_assembly",
    "set_volume_data",
    "modify_object",
    "remove_resource",
    "remove_unused_resources",
    "create_build_item",
    "modify_build_item",
    "delete_build_item",
    "set_metadata",
    "remove_metadata",
    "set_unit",
];

/// An edit of objects or the build, in JSON `{"create_level_set": {...}}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
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

impl Form {
    /// Reads the arguments of one of [`KINDS`].
    pub(super) fn parse(kind: &str, body: Json) -> Result<Form, serde_json::Error> {
        serde_json::from_value(Json::Object(
            [(kind.to_owned(), body)].into_iter().collect(),
        ))
    }
}

/// What serde says of arguments that none of these kinds has, which lists those that it has.
pub(crate) fn fields(kind: &str) -> Option<serde_json::Error> {
    Form::parse(kind, json!({ "": null })).err()
}

/// A transform as it may be written: 12 or 16 numbers, or three or four rows of them, a point being a row vector; the
/// last row is the shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placement(pub(super) Transform);

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

/// A member that may be left out, be null to take something away, or have a value.
#[expect(clippy::option_option, reason = "left out and null are different")]
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// What a function says of each point.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldForm {
    pub(super) function_id: ResourceId,
    pub(super) channel: Option<String>,
    pub(super) transform: Option<Placement>,
    pub(super) min_feature_size: Option<f64>,
    pub(super) fallback_value: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateLevelSet {
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
pub(super) struct ModifyLevelSet {
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
pub(super) struct SetVolumeData {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) color: Option<FieldForm>,
    #[serde(default)]
    pub(super) properties: Vec<PropertyForm>,
    pub(super) composite: Option<CompositeForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PropertyForm {
    pub(super) name: String,
    #[serde(default)]
    pub(super) required: bool,
    pub(super) field: FieldForm,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompositeForm {
    pub(super) base_materials: ResourceId,
    pub(super) materials: Vec<FieldForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetMesh {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) vertices: Option<Vec<[f64; 3]>>,
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    pub(super) bounds: Option<[[f64; 3]; 2]>,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetAssembly {
    pub(super) resource_id: Option<ResourceId>,
    pub(super) components: Vec<ComponentForm>,
    pub(super) name: Option<String>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentForm {
    pub(super) object_id: ResourceId,
    pub(super) transform: Option<Placement>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::option_option, reason = "left out and null are different")]
pub(super) struct ModifyObject {
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
pub(super) struct RemoveResource {
    pub(super) resource_id: ResourceId,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveUnusedResources {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateBuildItem {
    pub(super) item_id: Option<u32>,
    pub(super) object_id: ResourceId,
    pub(super) transform: Option<Placement>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModifyBuildItem {
    pub(super) item_id: Option<u32>,
    pub(super) index: Option<usize>,
    pub(super) object_id: Option<ResourceId>,
    pub(super) transform: Option<Placement>,
    pub(super) part_number: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteBuildItem {
    pub(super) item_id: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveMetadata {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetUnit {
    pub(super) unit: Unit,
}

/// The transform that was given, or none.
pub(super) fn transform(given: Option<Placement>) -> Transform {
    given.map_or(Transform::IDENTITY, |placement| placement.0)
}

/// What is held behind an `Arc`, to be changed.
pub(super) fn copy<T: Clone>(held: &Arc<T>) -> T {
    T::clone(held)
}

#[cfg(test)]
mod tests {
    use serde_json::from_value;

    use super::*;

    #[test]
    fn every_form_is_known_by_its_name() {
        let error = Form::parse("", Json::Null)
            .expect_err("there is none")
            .to_string();
        let names: Vec<&str> = error
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(names, KINDS);
        assert!(KINDS.iter().all(|kind| fields(kind).is_some()));
    }

    #[test]
    fn transforms_are_read_in_every_usual_form() {
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
