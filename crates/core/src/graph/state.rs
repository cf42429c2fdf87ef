//! Serialization of a whole document for people and other programs.
//!
//! [`DocumentData`] is to a document what [`FunctionData`] is to a function; [`Compact`](super::Compact) is its binary
//! counterpart. [`assemble`] restores both, with the checks of building the document edit by edit.

use std::collections::BTreeMap;

use fibula_knowledge::{CompactError, Knowledge, KnowledgeData, KnowledgeError};
use fibula_nodes::{PortSpec, ResourceId, ResourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{FunctionDraft, check_ports};
use super::data::FunctionData;
use super::document::Document;
use super::error::GraphError;
use super::file::File;
use super::form;
use super::function::Function;
use super::ids::{FunctionId, IdSet, NodeId};
use super::model::{ModelData, ModelError, ModelResource};
use super::resource::{ImageFunction, Resource};

/// A document, written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Document")]
pub struct DocumentData {
    /// The functions, by id, in any order.
    #[serde(default)]
    pub functions: Vec<FunctionData>,
    /// The images that are called like functions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_functions: Vec<ImageFunctionData>,
    /// The files; their bytes lie elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileData>,
    /// The objects, images, volume data and other resources of the model; the bytes of meshes and the like lie
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceData>,
    /// The build, the metadata and the package.
    #[serde(default, skip_serializing_if = "ModelData::is_empty")]
    pub model: ModelData,
    /// The knowledge graph.
    #[serde(default, skip_serializing_if = "KnowledgeData::is_empty")]
    pub knowledge: KnowledgeData,
    /// Contents that were added in memory and are only named here: a document that has some cannot be restored from this
    /// alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ContentData>,
    /// The ids that were ever used, so that none that was given up is given out again.
    #[serde(default)]
    pub used: UsedIds,
}

/// An image that is called like a function, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageFunctionData {
    /// Its id.
    #[schemars(with = "form::ResourceId")]
    pub resource_id: ResourceId,
    /// The image.
    pub image: ImageFunction,
}

/// A file, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileData {
    /// Its id.
    #[schemars(with = "form::ResourceId")]
    pub resource_id: ResourceId,
    /// The file.
    pub file: File,
}

/// An object, an image, volume data or another resource of the model, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceData {
    /// Its id.
    #[schemars(with = "form::ResourceId")]
    pub resource_id: ResourceId,
    /// The resource.
    pub resource: ModelResource,
}

/// A mesh, beam lattice or image, named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentData {
    /// Its id.
    #[schemars(with = "form::ResourceId")]
    pub resource_id: ResourceId,
    /// The kind.
    #[schemars(with = "form::ResourceKind")]
    pub kind: ResourceKind,
}

/// The ids that were ever used in a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsedIds {
    /// Those of functions and resources.
    #[serde(default)]
    pub resources: IdSet,
    /// Those of nodes, for each function that has given up some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<FunctionId, IdSet>,
}

/// Error returned when a document cannot be restored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A function or resource is invalid.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The knowledge graph is invalid.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The data of the knowledge graph is damaged.
    #[error("{0}; the bytes are damaged")]
    CompactKnowledge(#[from] CompactError),
    /// A mesh, beam lattice or image was added in memory, so its contents are not serialized.
    #[error(
        "resource {0} is a {1}, whose content is not serialized with the document; nothing was read, so that no data \
         is lost"
    )]
    Content(ResourceId, ResourceKind),
    /// An index of the string table is out of range.
    #[error("name {0} is not in the name table; the bytes are damaged")]
    Name(u32),
    /// The details of an input have no input.
    #[error("function {0} of the list has no input {1}; the bytes are damaged")]
    Input(u32, u32),
}

impl StateError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            StateError::Graph(error) => error.code(),
            StateError::Model(error) => error.code(),
            StateError::Knowledge(error) => error.code(),
            StateError::Content(..) => "content_missing",
            StateError::CompactKnowledge(_) | StateError::Name(_) | StateError::Input(..) => {
                "damaged"
            }
        }
    }
}

impl Document {
    /// Returns the document as plain data; [`DocumentData::document`] is the inverse.
    pub fn data(&self) -> DocumentData {
        let mut data = DocumentData {
            functions: self.functions().map(Function::data).collect(),
            model: self.model().data(),
            knowledge: self.knowledge().data(),
            ..DocumentData::default()
        };
        for (resource_id, resource) in self.resources() {
            match resource {
                Resource::ImageFunction(image) => data.image_functions.push(ImageFunctionData {
                    resource_id,
                    image: image.clone(),
                }),
                Resource::File(file) => data.files.push(FileData {
                    resource_id,
                    file: file.clone(),
                }),
                Resource::Model(resource) => data.resources.push(ResourceData {
                    resource_id,
                    resource: resource.clone(),
                }),
                Resource::Content(content) => data.contents.push(ContentData {
                    resource_id,
                    kind: content.kind(),
                }),
            }
        }
        data.used.resources = self.used().clone();
        for function in self.functions() {
            let mut present = IdSet::default();
            for id in function.node_ids() {
                present.insert(id.0);
            }
            if *function.used() != present {
                let used = function.used().clone();
                data.used.nodes.insert(function.id(), used);
            }
        }
        data
    }
}

impl DocumentData {
    /// Restores the document; functions without an id get the next free ones.
    ///
    /// # Errors
    /// Every [`GraphError`] that building it edit by edit could return, and [`StateError::Content`].
    pub fn document(&self) -> Result<Document, StateError> {
        let mut used = self.used.resources.clone();
        for function in &self.functions {
            used.insert(function.function_id.map_or(0, |id| id.0));
        }
        let resources = self.resources();
        for (id, _) in &resources {
            used.insert(id.0);
        }
        let mut functions = Vec::with_capacity(self.functions.len());
        for function in &self.functions {
            let id = function
                .function_id
                .or_else(|| used.next().map(FunctionId))
                .ok_or_else(|| GraphError::out_of_ids("a project"))?;
            used.insert(id.0);
            functions.push(FunctionShell {
                id,
                inputs: &function.inputs,
                outputs: &function.outputs,
                used: self.used.nodes.get(&id),
            });
        }
        let parts = DocumentParts {
            used: &self.used.resources,
            resources,
            model: self.model.clone(),
            knowledge: self.knowledge.knowledge()?,
            content: self
                .contents
                .first()
                .map(|content| (content.resource_id, content.kind)),
            functions: &functions,
        };
        assemble(parts, |index| {
            Ok(FunctionDraft::new(
                functions[index].id,
                &self.functions[index],
            ))
        })
    }

    fn resources(&self) -> Vec<(ResourceId, Resource)> {
        let images = self.image_functions.iter().cloned();
        let images = images.map(|data| (data.resource_id, Resource::ImageFunction(data.image)));
        let files = self.files.iter().cloned();
        let files = files.map(|data| (data.resource_id, Resource::File(data.file)));
        let others = self.resources.iter().cloned();
        let others = others.map(|data| (data.resource_id, Resource::Model(data.resource)));
        images.chain(files).chain(others).collect()
    }
}

/// Input of [`assemble`].
pub(super) struct DocumentParts<'a> {
    pub(super) used: &'a IdSet,
    pub(super) resources: Vec<(ResourceId, Resource)>,
    pub(super) model: ModelData,
    pub(super) knowledge: Knowledge,
    /// One of the resources whose contents are not serialized.
    pub(super) content: Option<(ResourceId, ResourceKind)>,
    pub(super) functions: &'a [FunctionShell<'a>],
}

/// Interface of a function that is restored.
pub(super) struct FunctionShell<'a> {
    pub(super) id: FunctionId,
    pub(super) inputs: &'a [PortSpec],
    pub(super) outputs: &'a [PortSpec],
    pub(super) used: Option<&'a IdSet>,
}

/// Restores a document; `draft` returns the function with an index.
///
/// Functions are built in order, and each may call later ones: all are inserted as shells before the first is built.
/// Time is linear in the size of the data.
pub(super) fn assemble<'a>(
    parts: DocumentParts<'_>,
    draft: impl Fn(usize) -> Result<FunctionDraft<'a>, StateError>,
) -> Result<Document, StateError> {
    if let Some((id, kind)) = parts.content {
        return Err(StateError::Content(id, kind));
    }
    let mut document = Document::default();
    for (id, resource) in parts.resources {
        resource.check()?;
        document.add_resource(id, resource)?;
    }
    for shell in parts.functions {
        check_ports("an input", shell.inputs)?;
        check_ports("an output", shell.outputs)?;
        document.add_function(Function::shell(shell.id, shell.inputs, shell.outputs)?)?;
    }
    document.check_image_references()?;
    let mut functions = Vec::with_capacity(parts.functions.len());
    for (index, shell) in parts.functions.iter().enumerate() {
        let mut function = document.build_draft(&draft(index)?)?;
        if let Some(used) = shell.used {
            function.keep_used(used);
        }
        functions.push(function);
    }
    for function in functions {
        document.put(function);
    }
    document.keep_used(parts.used);
    document.check_calls()?;
    document.assemble_model(parts.model)?;
    *document.knowledge_mut() = parts.knowledge;
    Ok(document)
}

impl Function {
    /// A function with this interface and no nodes.
    fn shell(
        id: FunctionId,
        inputs: &[PortSpec],
        outputs: &[PortSpec],
    ) -> Result<Function, GraphError> {
        let ty = fibula_nodes::FunctionType::new(inputs.to_vec(), outputs.to_vec());
        let begin = (!inputs.is_empty()).then_some(NodeId(1));
        Function::new(id, String::new(), &ty, begin)
    }
}
