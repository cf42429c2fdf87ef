//! Compact, binary-friendly serialization of a whole document.
//!
//! It suits formats that are not self-describing, such as postcard. Names of kinds, parameters and ports are indexes
//! into one string table. The caller stores a format version beside it: any change of the types below is a new
//! version. The order of the variants of [`Type`](fibula_nodes::Type), `Filter` and `TileStyle` is part of the format,
//! too.

use fibula_knowledge::CompactKnowledge;
use fibula_nodes::{FunctionType, InputDetails, PortSpec, ResourceId, ResourceKind, Type, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::build::{FunctionDraft, NodeDraft, SettingDraft};
use super::document::Document;
use super::file::File;
use super::function::{Function, Input, Stored};
use super::ids::{FunctionId, IdSet, NodeId};
use super::model::{ModelData, ModelResource};
use super::resource::{ImageFunction, Resource};
use super::state::{DocumentParts, FunctionShell, StateError, assemble};

/// Compact form of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compact {
    names: Vec<String>,
    used: IdSet,
    functions: Vec<CompactFunction>,
    image_functions: Vec<(ResourceId, ImageFunction)>,
    files: Vec<(ResourceId, File)>,
    /// Resources whose contents are not serialized: see [`StateError::Content`].
    contents: Vec<(ResourceId, ResourceKind)>,
    more: CompactModel,
    /// Added in format version 3.
    knowledge: CompactKnowledge,
    /// Added in format version 4.
    details: Vec<CompactDetails>,
}

/// Resources and build of the model: added in format version 2.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactModel {
    resources: Vec<(ResourceId, ModelResource)>,
    model: ModelData,
}

/// Default, unit and limits of an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactDetails {
    /// Index of the function.
    function: u32,
    /// Index of the node, if the input is that of its callee.
    node: Option<u32>,
    /// Index of the input.
    input: u32,
    default: Option<Literal>,
    unit: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
}

/// An input or output, without details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactPort {
    name: String,
    ty: Type,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactCallee {
    inputs: Vec<CompactPort>,
    outputs: Vec<CompactPort>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactFunction {
    id: FunctionId,
    name: String,
    inputs: Vec<CompactPort>,
    outputs: Vec<CompactPort>,
    used: IdSet,
    nodes: Vec<CompactNode>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactNode {
    id: NodeId,
    kind: u32,
    display_name: Option<String>,
    position: Option<[f64; 2]>,
    /// The overload, if overload resolution would choose another.
    overload: Option<u32>,
    /// Type of the function that the node follows, if no reference names that function.
    callee: Option<Box<CompactCallee>>,
    settings: Vec<(u32, CompactSetting)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum CompactSetting {
    Literal(Literal),
    /// A port of a node.
    Source(NodeId, u32),
}

/// A literal value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Literal {
    Float(f64),
    Float3([f64; 3]),
    /// Boxed to keep links small, of which there are many more.
    Matrix4x4(Box<[f64; 16]>),
    Integer(i64),
    String(String),
    ResourceId(ResourceId),
}

impl Literal {
    fn new(value: &Value) -> Self {
        match value {
            Value::Float(number) => Literal::Float(*number),
            Value::Float3(numbers) => Literal::Float3(*numbers),
            Value::Matrix4x4(numbers) => Literal::Matrix4x4(Box::new(*numbers)),
            Value::Integer(number) => Literal::Integer(*number),
            Value::String(text) => Literal::String(text.clone()),
            Value::ResourceId(id) => Literal::ResourceId(*id),
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Literal::Float(number) => Value::Float(*number),
            Literal::Float3(numbers) => Value::Float3(*numbers),
            Literal::Matrix4x4(numbers) => Value::Matrix4x4(**numbers),
            Literal::Integer(number) => Value::Integer(*number),
            Literal::String(text) => Value::String(text.clone()),
            Literal::ResourceId(id) => Value::ResourceId(*id),
        }
    }
}

impl CompactPort {
    fn list(ports: &[PortSpec]) -> Vec<CompactPort> {
        let port = |port: &PortSpec| CompactPort {
            name: port.name.clone(),
            ty: port.ty,
        };
        ports.iter().map(port).collect()
    }

    fn restore(ports: Vec<CompactPort>) -> Vec<PortSpec> {
        let ports = ports.into_iter();
        ports
            .map(|port| PortSpec::new(port.name, port.ty))
            .collect()
    }
}

/// Compact forms of the details of inputs; `function` and `node` are indexes.
fn compact_details(
    function: usize,
    node: Option<usize>,
    inputs: &[PortSpec],
) -> impl Iterator<Item = CompactDetails> {
    let inputs = inputs.iter().enumerate();
    inputs.filter_map(move |(input, port)| {
        let details = port.details.as_ref()?;
        Some(CompactDetails {
            function: function as u32,
            node: node.map(|node| node as u32),
            input: input as u32,
            default: details.default.as_ref().map(Literal::new),
            unit: details.unit.clone(),
            min: details.min,
            max: details.max,
        })
    })
}

/// Inputs and outputs of a function and of the callees of its nodes, restored.
struct RestoredPorts {
    ty: FunctionType,
    callees: Vec<Option<FunctionType>>,
}

impl RestoredPorts {
    /// Takes the ports out of a function.
    fn take(function: &mut CompactFunction) -> RestoredPorts {
        let restore = |inputs: &mut Vec<CompactPort>, outputs: &mut Vec<CompactPort>| {
            let [inputs, outputs] =
                [inputs, outputs].map(|ports| CompactPort::restore(std::mem::take(ports)));
            FunctionType::new(inputs, outputs)
        };
        let callees = function.nodes.iter_mut().map(|node| {
            let callee = node.callee.as_mut()?;
            Some(restore(&mut callee.inputs, &mut callee.outputs))
        });
        let callees = callees.collect();
        RestoredPorts {
            ty: restore(&mut function.inputs, &mut function.outputs),
            callees,
        }
    }
}

/// Adds details to their inputs.
fn restore_details(
    ports: &mut [RestoredPorts],
    details: Vec<CompactDetails>,
) -> Result<(), StateError> {
    for one in details {
        let ports = ports.get_mut(one.function as usize);
        let ty = ports.and_then(|ports| match one.node {
            None => Some(&mut ports.ty),
            Some(node) => ports.callees.get_mut(node as usize)?.as_mut(),
        });
        let input = ty.and_then(|ty| ty.inputs.get_mut(one.input as usize));
        let input = input.ok_or(StateError::Input(one.function, one.input))?;
        let restored = InputDetails {
            default: one.default.as_ref().map(Literal::value),
            unit: one.unit,
            min: one.min,
            max: one.max,
        };
        *input = PortSpec::new(std::mem::take(&mut input.name), input.ty).with_details(restored);
    }
    Ok(())
}

/// The string table under construction.
#[derive(Default)]
struct NameTable<'a> {
    all: Vec<String>,
    details: Vec<CompactDetails>,
    places: FxHashMap<&'a str, u32>,
}

impl<'a> NameTable<'a> {
    fn place(&mut self, name: &'a str) -> u32 {
        *self.places.entry(name).or_insert_with(|| {
            self.all.push(name.to_owned());
            self.all.len() as u32 - 1
        })
    }
}

impl Document {
    /// Serializes the document; [`Compact::document`] is the inverse.
    pub fn compact(&self) -> Compact {
        let mut names = NameTable::default();
        let functions = self.functions().enumerate();
        let functions = functions.map(|(index, function)| function.compact(index, &mut names));
        let functions = functions.collect();
        let mut compact = Compact {
            names: names.all,
            used: self.used().clone(),
            functions,
            image_functions: Vec::new(),
            files: Vec::new(),
            contents: Vec::new(),
            more: CompactModel {
                resources: Vec::new(),
                model: self.model().data(),
            },
            knowledge: self.knowledge().compact(),
            details: names.details,
        };
        for (id, resource) in self.resources() {
            match resource {
                Resource::ImageFunction(image) => compact.image_functions.push((id, image.clone())),
                Resource::File(file) => compact.files.push((id, file.clone())),
                Resource::Content(content) => compact.contents.push((id, content.kind())),
                Resource::Model(resource) => compact.more.resources.push((id, resource.clone())),
            }
        }
        compact
    }
}

impl Function {
    fn compact<'a>(&'a self, index: usize, names: &mut NameTable<'a>) -> CompactFunction {
        let inputs = self.inputs();
        names.details.extend(compact_details(index, None, &inputs));
        let nodes = self.nodes().enumerate();
        let nodes = nodes.map(|(node, view)| self.compact_node((index, node), view.stored, names));
        CompactFunction {
            id: self.id(),
            name: self.name().to_owned(),
            inputs: CompactPort::list(&inputs),
            outputs: CompactPort::list(&self.outputs()),
            used: self.used().clone(),
            nodes: nodes.collect(),
        }
    }

    /// `place` is the index of the function and that of the node.
    fn compact_node<'a>(
        &'a self,
        (function, node): (usize, usize),
        stored: &'a Stored,
        names: &mut NameTable<'a>,
    ) -> CompactNode {
        let mut settings = Vec::with_capacity(stored.inputs.len());
        for (parameter, input) in stored.signature.parameters.iter().zip(&stored.inputs) {
            let setting = match input {
                Input::Unset => continue,
                Input::Value(value) => CompactSetting::Literal(Literal::new(value)),
                Input::Link { source, port } => {
                    let source = self.stored(*source);
                    let port = names.place(&source.signature.ports[*port].name);
                    CompactSetting::Source(source.id, port)
                }
            };
            settings.push((names.place(&parameter.name), setting));
        }
        let callee = self.unnamed_callee(stored).map(|callee| {
            let details = compact_details(function, Some(node), &callee.inputs);
            names.details.extend(details);
            Box::new(CompactCallee {
                inputs: CompactPort::list(&callee.inputs),
                outputs: CompactPort::list(&callee.outputs),
            })
        });
        CompactNode {
            id: stored.id,
            kind: names.place(stored.kind.info().name),
            display_name: stored.display_name.clone(),
            position: stored.position,
            overload: self.kept_overload(stored).map(|overload| overload as u32),
            callee,
            settings,
        }
    }
}

impl Compact {
    /// Restores the document.
    ///
    /// # Errors
    /// [`StateError`] if the data is damaged or was not written by this program.
    pub fn document(self) -> Result<Document, StateError> {
        let Compact {
            names,
            used,
            mut functions,
            image_functions,
            files,
            contents,
            more,
            knowledge,
            details,
        } = self;
        let mut restored: Vec<RestoredPorts> =
            functions.iter_mut().map(RestoredPorts::take).collect();
        restore_details(&mut restored, details)?;
        let images = image_functions.into_iter();
        let images = images.map(|(id, image)| (id, Resource::ImageFunction(image)));
        let files = files.into_iter();
        let files = files.map(|(id, file)| (id, Resource::File(file)));
        let others = more.resources.into_iter();
        let others = others.map(|(id, resource)| (id, Resource::Model(resource)));
        let shells = functions.iter().zip(&restored);
        let shells = shells.map(|(function, ports)| function.shell(ports));
        let shells: Vec<FunctionShell<'_>> = shells.collect();
        let parts = DocumentParts {
            used: &used,
            resources: images.chain(files).chain(others).collect(),
            model: more.model,
            knowledge: knowledge.knowledge()?,
            content: contents.first().copied(),
            functions: &shells,
        };
        assemble(parts, |index| {
            functions[index].draft(&restored[index], &names)
        })
    }
}

impl CompactFunction {
    fn shell<'a>(&'a self, ports: &'a RestoredPorts) -> FunctionShell<'a> {
        FunctionShell {
            id: self.id,
            inputs: &ports.ty.inputs,
            outputs: &ports.ty.outputs,
            used: Some(&self.used),
        }
    }

    fn draft<'a>(
        &'a self,
        ports: &'a RestoredPorts,
        names: &'a [String],
    ) -> Result<FunctionDraft<'a>, StateError> {
        let name = |place: u32| match names.get(place as usize) {
            Some(name) => Ok(name.as_str()),
            None => Err(StateError::Name(place)),
        };
        let mut settings = Vec::with_capacity(self.nodes.len());
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for (node, callee) in self.nodes.iter().zip(&ports.callees) {
            let first = settings.len();
            for (parameter, setting) in &node.settings {
                let setting = match setting {
                    CompactSetting::Literal(literal) => SettingDraft::Literal(literal),
                    CompactSetting::Source(source, port) => {
                        SettingDraft::Source(*source, name(*port)?)
                    }
                };
                settings.push((name(*parameter)?, setting));
            }
            nodes.push(NodeDraft {
                id: Some(node.id),
                node_type: name(node.kind)?,
                display_name: node.display_name.as_deref(),
                position: node.position,
                overload: node.overload.map(|overload| overload as usize),
                callee: callee.as_ref(),
                settings: first..settings.len(),
            });
        }
        Ok(FunctionDraft {
            id: self.id,
            name: &self.name,
            inputs: &ports.ty.inputs,
            outputs: &ports.ty.outputs,
            nodes,
            settings,
        })
    }
}
