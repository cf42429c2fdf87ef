//! Edits of objects and the build in JSON.

use std::borrow::Cow;
use std::sync::Arc;

use fibula_core::graph::model::{Metadata, ObjectType, Transform, Unit};
use fibula_nodes::ResourceId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::schema_types::FunctionKey;

/// An edit of an object or the build; in JSON `{"create_level_set": {...}}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelEditForm {
    /// Adds an object bounded by the surface where a function is 0.
    CreateLevelSet(Box<CreateLevelSet>),
    /// Changes a level set; what is left out stays.
    ModifyLevelSet(Box<ModifyLevelSet>),
    /// Adds or replaces a mesh: triangles, or the box of bounds.
    SetMesh(SetMesh),
    /// Adds or replaces an assembly of objects.
    SetAssembly(SetAssembly),
    /// Adds or replaces colours and properties of volumes.
    SetVolumeData(SetVolumeData),
    /// Changes the name, part number, type or volume data of an object.
    ModifyObject(ModifyObject),
    /// Removes an object, image or volume data that nothing refers to.
    RemoveResource(RemoveResource),
    /// Removes every resource that the build does not need.
    RemoveUnusedResources(RemoveUnusedResources),
    /// Adds an object to the build.
    CreateBuildItem(CreateBuildItem),
    /// Changes an item of the build.
    ModifyBuildItem(ModifyBuildItem),
    /// Removes an item of the build.
    DeleteBuildItem(DeleteBuildItem),
    /// Sets a named value of the package.
    SetMetadata(Metadata),
    /// Removes a named value of the package.
    RemoveMetadata(RemoveMetadata),
    /// Sets the unit of all lengths.
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
        const FORM: &str = "a transform is 12 numbers: three rows of three, then the translation \
            x, y, z";
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
                "the last column of a transform of 16 numbers must be 0, 0, 0, 1",
            ));
        }
        Ok(Placement(Transform(numbers)))
    }
}

impl JsonSchema for Placement {
    fn schema_name() -> Cow<'static, str> {
        "Placement".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "description": "Three rows of three numbers, then the translation x, y, z; as 12 numbers or 4 rows.",
        })
    }
}

/// Parses a member that may be absent, null to remove something, or a value.
#[expect(clippy::option_option, reason = "absent and null are different")]
pub(super) fn deserialize_some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

macro_rules! forms {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name { $($(#[$attribute])* pub(super) $field: $ty,)* }
    )*};
}

forms! {
    /// A function as a field: its output at each point.
    struct FieldForm {
        #[schemars(with = "FunctionKey")]
        function_id: ResourceId,
        /// Output of the function; default: its first.
        channel: Option<String>,
        transform: Option<Placement>,
        /// Smallest feature, in the unit of the project.
        min_feature_size: Option<f64>,
        /// Value where the function has none.
        fallback_value: Option<f64>,
    }

    struct CreateLevelSet {
        #[schemars(with = "Option<u32>")]
        resource_id: Option<ResourceId>,
        #[schemars(with = "FunctionKey")]
        function_id: ResourceId,
        /// Output of the function; default: its first.
        channel: Option<String>,
        /// Mesh within which the level set is; instead of bounds.
        #[schemars(with = "Option<u32>")]
        mesh_id: Option<ResourceId>,
        /// Two corners, in the unit of the project.
        bounds: Option<[[f64; 3]; 2]>,
        /// true: the box of the mesh bounds the level set, not its surface.
        mesh_bbox_only: Option<bool>,
        transform: Option<Placement>,
        /// Smallest feature, in the unit of the project.
        min_feature_size: Option<f64>,
        /// Value where the function has none.
        fallback_value: Option<f64>,
        #[schemars(with = "Option<u32>")]
        volume_id: Option<ResourceId>,
        name: Option<String>,
        part_number: Option<String>,
        /// false: do not add it to the build.
        build: Option<bool>,
    }

    struct ModifyLevelSet {
        #[schemars(with = "u32")]
        resource_id: ResourceId,
        #[schemars(with = "Option<FunctionKey>")]
        function_id: Option<ResourceId>,
        /// Output of the function; default: its first.
        channel: Option<String>,
        /// Mesh within which the level set is; instead of bounds.
        #[schemars(with = "Option<u32>")]
        mesh_id: Option<ResourceId>,
        /// Two corners, in the unit of the project.
        bounds: Option<[[f64; 3]; 2]>,
        /// true: the box of the mesh bounds the level set, not its surface.
        mesh_bbox_only: Option<bool>,
        transform: Option<Placement>,
        /// Smallest feature, in the unit of the project.
        min_feature_size: Option<f64>,
        /// Value where the function has none.
        fallback_value: Option<f64>,
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<u32>")]
        volume_id: Option<Option<ResourceId>>,
    }

    struct SetVolumeData {
        #[schemars(with = "Option<u32>")]
        resource_id: Option<ResourceId>,
        color: Option<FieldForm>,
        #[serde(default)]
        properties: Vec<PropertyForm>,
        composite: Option<CompositeForm>,
    }

    struct PropertyForm {
        name: String,
        #[serde(default)]
        required: bool,
        field: FieldForm,
    }

    struct CompositeForm {
        #[schemars(with = "u32")]
        base_materials: ResourceId,
        materials: Vec<FieldForm>,
    }

    struct SetMesh {
        #[schemars(with = "Option<u32>")]
        resource_id: Option<ResourceId>,
        vertices: Option<Vec<[f64; 3]>>,
        triangles: Option<Vec<[u32; 3]>>,
        /// Two corners, in the unit of the project.
        bounds: Option<[[f64; 3]; 2]>,
        name: Option<String>,
        part_number: Option<String>,
    }

    struct SetAssembly {
        #[schemars(with = "Option<u32>")]
        resource_id: Option<ResourceId>,
        components: Vec<ComponentForm>,
        name: Option<String>,
        part_number: Option<String>,
    }

    struct ComponentForm {
        #[schemars(with = "u32")]
        object_id: ResourceId,
        transform: Option<Placement>,
    }

    struct ModifyObject {
        #[schemars(with = "u32")]
        resource_id: ResourceId,
        name: Option<String>,
        part_number: Option<String>,
        #[serde(rename = "type")]
        object_type: Option<ObjectType>,
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schemars(with = "Option<u32>")]
        volume_id: Option<Option<ResourceId>>,
    }

    struct RemoveResource {
        #[schemars(with = "u32")]
        resource_id: ResourceId,
    }

    struct RemoveUnusedResources {}

    struct CreateBuildItem {
        item_id: Option<u32>,
        #[schemars(with = "u32")]
        object_id: ResourceId,
        transform: Option<Placement>,
        part_number: Option<String>,
    }

    struct ModifyBuildItem {
        item_id: Option<u32>,
        index: Option<usize>,
        #[schemars(with = "Option<u32>")]
        object_id: Option<ResourceId>,
        transform: Option<Placement>,
        part_number: Option<String>,
    }

    struct DeleteBuildItem {
        item_id: u32,
    }

    struct RemoveMetadata {
        name: String,
    }

    struct SetUnit {
        unit: Unit,
    }
}

/// The given transform, or the identity.
pub(super) fn transform(placement: Option<Placement>) -> Transform {
    placement.map_or(Transform::IDENTITY, |placement| placement.0)
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
