//! Groups of edits: the operations that each group defines, and the common JSON form.

use std::borrow::Cow;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{
    DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer, VariantAccess, Visitor,
};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::footprint::Footprint;
use super::stage::Stage;
use super::{
    Checked, Edit, EditError, FunctionEdit, KnowledgeEdit, LinkEdit, ModelEdit, NodeEdit, PortEdit,
    ResourceEdit,
};
use crate::graph::{ContentHash, Document, FunctionId};

/// Operations that every group of edits defines.
pub(super) trait EditGroup {
    /// Checks the edit against a document. Returns its facts, its inverse and its plan.
    fn check(&self, document: &Document) -> Result<Checked, EditError>;

    /// Label in a history.
    fn summary(&self) -> String;

    /// Adds the items that the edit writes and requires.
    fn add_to(&self, footprint: &mut Footprint);

    /// The function that the edit changes.
    fn function_id(&self) -> Option<FunctionId> {
        None
    }

    /// Number of nodes that the edit adds to functions.
    fn added_nodes(&self) -> usize {
        0
    }

    /// Number of items that the edit lists: itself, nodes, settings, ports and others.
    fn size(&self) -> usize {
        1
    }

    /// Content hashes that the edit refers to.
    fn contents(&self) -> Vec<ContentHash> {
        Vec::new()
    }
}

impl EditGroup for Vec<Edit> {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        let mut stage = Stage::new(document);
        stage.push_all(self)?;
        Ok(stage.finish())
    }

    fn summary(&self) -> String {
        match &self[..] {
            [] => "nothing".to_owned(),
            [only] => only.summary(),
            [first, _] => format!("{} and 1 more edit", first.summary()),
            [first, rest @ ..] => format!("{} and {} more edits", first.summary(), rest.len()),
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        for edit in self {
            edit.group().add_to(footprint);
        }
    }

    fn added_nodes(&self) -> usize {
        self.iter().map(|edit| edit.group().added_nodes()).sum()
    }

    fn size(&self) -> usize {
        self.iter().map(|edit| edit.group().size()).sum()
    }

    fn contents(&self) -> Vec<ContentHash> {
        self.iter().flat_map(Edit::contents).collect()
    }
}

/// Returns the names of the variants of an externally tagged enum, as they are in JSON.
pub fn variant_names<T: DeserializeOwned>() -> &'static [&'static str] {
    match T::deserialize(VariantProbe) {
        Err(VariantNames(names)) => names,
        Ok(_) => &[],
    }
}

/// True if an externally tagged enum has a variant of this name in JSON.
pub fn has_variant<T: DeserializeOwned>(name: &str) -> bool {
    variant_names::<T>().contains(&name)
}

/// A deserializer without data, which fails with the names of the expected variants.
struct VariantProbe;

#[derive(Debug, thiserror::Error)]
#[error("the variants are {0:?}")]
struct VariantNames(&'static [&'static str]);

impl serde::de::Error for VariantNames {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        VariantNames(&[])
    }
}

impl<'de> Deserializer<'de> for VariantProbe {
    type Error = VariantNames;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, VariantNames> {
        Err(VariantNames(&[]))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, VariantNames> {
        Err(VariantNames(variants))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Names of all edits in JSON.
fn edit_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let groups = [
            variant_names::<FunctionEdit>(),
            variant_names::<PortEdit>(),
            variant_names::<NodeEdit>(),
            variant_names::<LinkEdit>(),
            variant_names::<ResourceEdit>(),
            &["model", "knowledge", "batch"],
        ];
        groups.concat()
    })
}

impl<'de> Deserialize<'de> for Edit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("Edit", edit_names(), EditVisitor)
    }
}

/// The schema of the flat form, in which the groups do not show.
impl JsonSchema for Edit {
    fn schema_name() -> Cow<'static, str> {
        "Edit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        /// The groups that do show.
        #[derive(JsonSchema)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[expect(dead_code, reason = "only its schema is of use")]
        enum Named {
            /// An edit of the objects, the build or the package.
            Model(ModelEdit),
            /// An edit of the knowledge graph.
            Knowledge(KnowledgeEdit),
            /// Several edits as one, which are applied together or not at all.
            Batch(Vec<Edit>),
        }
        let groups = [
            FunctionEdit::json_schema(generator),
            PortEdit::json_schema(generator),
            NodeEdit::json_schema(generator),
            LinkEdit::json_schema(generator),
            ResourceEdit::json_schema(generator),
            Named::json_schema(generator),
        ];
        let variants = groups
            .iter()
            .filter_map(|group| group.get("oneOf")?.as_array());
        let variants: Vec<_> = variants.flatten().collect();
        json_schema!({
            "description": "A requested change of a document: `{\"create_link\": {\"function_id\": 1, ...}}`.",
            "oneOf": variants,
        })
    }
}

struct EditVisitor;

impl<'de> Visitor<'de> for EditVisitor {
    type Value = Edit;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("enum Edit")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Edit, A::Error> {
        let (name, content) = data.variant::<String>()?;
        match name.as_str() {
            "model" => content.newtype_variant::<ModelEdit>().map(Edit::Model),
            "knowledge" => content
                .newtype_variant::<KnowledgeEdit>()
                .map(Edit::Knowledge),
            "batch" => content.newtype_variant().map(Edit::Batch),
            of if has_variant::<FunctionEdit>(of) => {
                Variant { name, content }.parse(Edit::Function)
            }
            of if has_variant::<PortEdit>(of) => Variant { name, content }.parse(Edit::Port),
            of if has_variant::<NodeEdit>(of) => Variant { name, content }.parse(Edit::Node),
            of if has_variant::<LinkEdit>(of) => Variant { name, content }.parse(Edit::Link),
            of if has_variant::<ResourceEdit>(of) => {
                Variant { name, content }.parse(Edit::Resource)
            }
            unknown => Err(serde::de::Error::unknown_variant(unknown, edit_names())),
        }
    }
}

/// A variant whose name was read to find its group.
struct Variant<A> {
    name: String,
    content: A,
}

impl<'de, A: VariantAccess<'de>> Variant<A> {
    fn parse<T: Deserialize<'de>>(self, wrap: fn(T) -> Edit) -> Result<Edit, A::Error> {
        T::deserialize(self).map(wrap)
    }
}

impl<'de, A: VariantAccess<'de>> EnumAccess<'de> for Variant<A> {
    type Error = A::Error;
    type Variant = A;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, A), A::Error> {
        let name = seed.deserialize(self.name.into_deserializer())?;
        Ok((name, self.content))
    }
}

impl<'de, A: VariantAccess<'de>> Deserializer<'de> for Variant<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
