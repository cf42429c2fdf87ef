//! Writing a project as a 3MF package, which other programs open and [`read`](super::read) reads back as it was.
//!
//! | in the project | in the file |
//! |---|---|
//! | a function's id and name | resource id, `displayname` |
//! | a node's name | `displayname`, and an identifier near to it |
//! | a node's id, where the order does not tell it; where it is drawn | `tag`, as is an unnamed node's |
//! | a literal, a default | a constant that `tag` marks, and reading folds back |
//! | names of inputs and outputs | identifiers of `[A-Za-z0-9_]`; where that changes a name, it is the `displayname` |
//! | `Transformation`, `BoxMinMax`, `DecomposeMatrix`, a constant with linked numbers | native nodes that `tag` marks |
//! | `ImageSampler` | a call of an image function that is made for it |
//! | a parameter without a value | a reference that is empty |
//! | XML that is only kept | the same, with prefixes that the outermost element declares |
//!
//! What is marked is folded back only as long as all of it is as it was written, so what other programs change is read
//! as they changed it. Where the project says what 3MF cannot, [`WriteSummary::notes`] tells what was written instead.
//!
//! The same project gives the same bytes. Meshes, and XML that is only kept, are in memory until they are written.

mod contents;
mod element;
mod error;
mod function;
mod identifier;
mod lowering;
mod markup;
mod objects;
mod package;
mod plan;
mod prefixes;

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use fibula_nodes::KindInfo;

use super::ends::{self, Ends};
pub use contents::Contents;
use contents::Fetched;
pub use error::{WriteError, WriteNote};
use objects::Writer;
use package::Parts;
use plan::{Item, Project};
use prefixes::{CORE, Prefixes};

use fibula_core::graph::model::{Body, Extra, ModelResource};
use fibula_core::graph::{Document, Function};

/// The prefix of the volumetric extension.
const VOLUME: &str = "v:";
/// The prefix of the implicit extension.
const IMPLICIT: &str = "i:";

/// How a project is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// The names of elements.
    pub dialect: Dialect,
}

/// Whose names elements have, where the specification and programs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Those of lib3mf 2.5.0 and what is built on it: `asin`, `atan2`. It has no `unsignedmesh`, so that is written as
    /// the size of the signed distance.
    #[default]
    Lib3mf,
    /// Those of the text 0.8 of the specification: `arcsin`, `arctan2`, `unsignedmesh`.
    Specification,
}

impl Dialect {
    /// Whether there is an element for a kind.
    fn has(self, about: &KindInfo) -> bool {
        let dropped = self == Dialect::Lib3mf && about.element == "unsignedmesh";
        about.native && !dropped
    }

    /// The name of a kind's element.
    fn element(self, about: &KindInfo) -> &'static str {
        match (self, about.element) {
            (Dialect::Specification, "asin") => "arcsin",
            (Dialect::Specification, "acos") => "arccos",
            (Dialect::Specification, "atan") => "arctan",
            (Dialect::Specification, "atan2") => "arctan2",
            (Dialect::Lib3mf | Dialect::Specification, element) => element,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WriteSummary {
    /// Functions.
    pub functions: usize,
    /// Image functions, those that samplers need included.
    pub image_functions: usize,
    /// Objects.
    pub objects: usize,
    /// Images.
    pub images: usize,
    /// Properties of volumes.
    pub volumes: usize,
    /// Resources that are only kept.
    pub foreign: usize,
    /// Items of the build.
    pub items: usize,
    /// Parts of the package beside the model.
    pub parts: usize,
    /// What the file does not say as the project does, and what is unfinished.
    pub notes: Vec<WriteNote>,
}

/// Writes a project as a 3MF package.
///
/// Whatever `to` holds after an error is no package.
///
/// ```
/// use std::io::Cursor;
/// use fibula_3mf::{Limits, WriteOptions};
/// use fibula_core::graph::{Document, FunctionData, FunctionId};
/// use fibula_nodes::{PortSpec, Type};
///
/// let mut document = Document::default();
/// document.insert(&FunctionData {
///     function_id: Some(FunctionId(3)),
///     name: "ball".to_owned(),
///     inputs: vec![PortSpec::new("pos", Type::Float3)],
///     outputs: vec![PortSpec::new("shape", Type::Float)],
///     nodes: Vec::new(),
/// })?;
/// let mut file = Cursor::new(Vec::new());
/// let written = fibula_3mf::write(&document, &|_| Ok(None), &WriteOptions::default(), &mut file)?;
/// assert_eq!(written.notes[0].code, "unset_parameter");
/// let model = fibula_3mf::read(file.get_ref(), &Limits::default())?;
/// assert_eq!(model.functions[0], document.functions().next().unwrap().data());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] when the project has what 3MF cannot say, when bytes are missing or damaged, and when `to` fails.
pub fn write(
    document: &Document,
    contents: &Contents<'_>,
    options: &WriteOptions,
    to: &mut (impl Write + Seek),
) -> Result<WriteSummary, WriteError> {
    let project = Project::new(document, options.dialect)?;
    let mut written = WriteSummary::default();
    let items = project.items(&mut written.notes)?;
    let parts = Parts::new(document)?;
    let mut prefixes = Prefixes::new();
    let mut fetched: BTreeMap<_, Fetched> = BTreeMap::new();
    want_model(document, &mut prefixes)?;
    for (id, item) in &items {
        match item {
            Item::Model(resource) => {
                contents::of_resource(*id, resource, contents, &mut prefixes, &mut fetched)?;
                want_resource(*id, resource, &mut prefixes)?;
            }
            Item::Function(function) if !Ends::of(function).is_empty() => {
                prefixes.want(ends::NAMESPACE, "fibula");
            }
            Item::Function(_) | Item::Image(_) => {}
        }
    }
    prefixes.settle();
    let size = size(document);
    written.parts = parts.len();
    let notes = &mut written.notes;
    let mut counts = [0; 6];
    package::write(&parts, size, contents, to, |markup| {
        let mut writer = Writer {
            to: markup,
            prefixes: &prefixes,
            signatures: &project.signatures,
        };
        writer.model(document, &items);
        writer.metadata(&document.model().metadata().cloned().collect::<Vec<_>>());
        writer.to.start("resources");
        for (id, item) in &items {
            let count = match item {
                Item::Function(function) => {
                    writer.function(function, &project, notes)?;
                    0
                }
                Item::Image(image) => {
                    writer.image_function(*id, image);
                    1
                }
                Item::Model(ModelResource::Object(object)) => {
                    // What was fetched is given back as soon as it is written.
                    writer.object(*id, object, fetched.remove(id).as_ref());
                    2
                }
                Item::Model(ModelResource::Image(image)) => {
                    writer.image(*id, image);
                    3
                }
                Item::Model(ModelResource::VolumeData(volume)) => {
                    writer.volume(*id, volume);
                    4
                }
                Item::Model(ModelResource::Foreign(_)) => {
                    if let Some(Fetched::Xml(xml)) = fetched.remove(id) {
                        writer.elements(&[xml]);
                    }
                    5
                }
            };
            counts[count] += 1;
        }
        writer.to.end();
        writer.build(document);
        writer.elements(&document.model().info().extra.elements);
        writer.to.end();
        Ok(())
    })?;
    [
        written.functions,
        written.image_functions,
        written.objects,
        written.images,
        written.volumes,
        written.foreign,
    ] = counts;
    written.items = document.model().items().len();
    Ok(written)
}

/// About how many bytes the model takes.
fn size(document: &Document) -> u64 {
    let resources = document.model_resources();
    let sizes = resources.map(|(_, resource)| match resource {
        ModelResource::Object(object) => match &object.body {
            Body::Mesh(mesh) => {
                80 * (u64::from(mesh.vertices) + u64::from(mesh.triangles)) + mesh.size
            }
            Body::Foreign(foreign) => foreign.size,
            Body::Components(_) | Body::LevelSet(_) => 0,
        },
        ModelResource::Foreign(foreign) => foreign.size,
        ModelResource::Image(_) | ModelResource::VolumeData(_) => 0,
    });
    let nodes = document
        .functions()
        .map(|function| 1000 * function.node_count() as u64);
    sizes.chain(nodes).sum()
}

/// Gives prefixes to the namespaces of the model itself.
fn want_model(document: &Document, prefixes: &mut Prefixes) -> Result<(), WriteError> {
    let model = document.model();
    let info = model.info();
    for namespace in info.required.iter().chain(&info.recommended) {
        prefixes.want(namespace, "");
    }
    for attribute in &info.build {
        prefixes.want(&attribute.namespace, "");
    }
    for metadata in model.metadata() {
        prefixes.want_qualified(&metadata.name);
    }
    want_extra(&info.extra, prefixes, &|| "the model".to_owned())?;
    for (id, item) in model.items() {
        if let Some(object) = document.unbuildable(item) {
            return Err(WriteError::NotBuildable { item: id, object });
        }
        for metadata in &item.metadata {
            prefixes.want_qualified(&metadata.name);
        }
        want_extra(&item.extra, prefixes, &|| format!("build item {id}"))?;
    }
    Ok(())
}

/// Gives prefixes to the namespaces of a resource, beside those of what it names by a hash.
fn want_resource(
    id: fibula_nodes::ResourceId,
    resource: &ModelResource,
    prefixes: &mut Prefixes,
) -> Result<(), WriteError> {
    let what = || resource.label(id);
    for field in resource.fields() {
        want_extra(&field.extra, prefixes, &what)?;
    }
    match resource {
        ModelResource::Object(object) => {
            for metadata in &object.metadata {
                prefixes.want_qualified(&metadata.name);
            }
            if let Body::Components(parts) = &object.body {
                for part in parts {
                    want_extra(&part.extra, prefixes, &what)?;
                }
            }
            want_extra(&object.extra, prefixes, &what)
        }
        ModelResource::Image(image) => want_extra(&image.extra, prefixes, &what),
        ModelResource::VolumeData(volume) => {
            for property in &volume.properties {
                prefixes.want_qualified(&property.name);
            }
            want_extra(&volume.extra, prefixes, &what)
        }
        ModelResource::Foreign(_) => Ok(()),
    }
}

fn want_extra(
    extra: &Extra,
    prefixes: &mut Prefixes,
    what: &dyn Fn() -> String,
) -> Result<(), WriteError> {
    for attribute in &extra.attributes {
        prefixes.want(&attribute.namespace, "");
    }
    for element in &extra.elements {
        let damaged = |problem| WriteError::DamagedContent {
            what: what(),
            problem,
        };
        prefixes.want_all(element).map_err(damaged)?;
    }
    Ok(())
}

impl Writer<'_, '_> {
    /// Opens the outermost element.
    fn model(&mut self, document: &Document, items: &[(fibula_nodes::ResourceId, Item<'_>)]) {
        let info = document.model().info();
        let volumetric = items.iter().any(|(_, item)| match item {
            Item::Function(_) | Item::Image(_) => true,
            Item::Model(resource) => match resource {
                ModelResource::Image(_) | ModelResource::VolumeData(_) => true,
                ModelResource::Object(object) => matches!(object.body, Body::LevelSet(_)),
                ModelResource::Foreign(_) => false,
            },
        });
        let prefixes = |namespaces: &[String]| -> Vec<String> {
            let prefixes = namespaces
                .iter()
                .filter_map(|one| self.prefixes.prefix(one));
            let prefixes = prefixes.filter(|prefix| !prefix.is_empty() && *prefix != "xml");
            prefixes.map(str::to_owned).collect()
        };
        let mut required = prefixes(&info.required);
        if volumetric {
            for (at, own) in ["v", "i"].into_iter().enumerate() {
                required.retain(|prefix| prefix != own);
                required.insert(at, own.to_owned());
            }
        }
        let recommended = prefixes(&info.recommended);
        self.to
            .start("model")
            .attribute("xmlns", CORE)
            .attribute("unit", info.unit.name())
            .optional("xml:lang", &info.language);
        for (prefix, namespace) in self.prefixes.declared() {
            self.to.attribute(&format!("xmlns:{prefix}"), namespace);
        }
        self.to
            .optional("requiredextensions", &required.join(" "))
            .optional("recommendedextensions", &recommended.join(" "));
        self.attributes(&info.extra.attributes);
    }

    fn function(
        &mut self,
        function: &Function,
        project: &Project<'_>,
        notes: &mut Vec<WriteNote>,
    ) -> Result<(), WriteError> {
        let elements = function::elements(function, project, notes)?;
        self.to
            .start(&format!("{IMPLICIT}implicitfunction"))
            .whole("id", function.id())
            .attribute("displayname", function.name());
        self.attributes(&Ends::of(function).attributes());
        let signature = project.signatures.get(&function.id().into());
        let inputs = signature
            .map(identifier::Signature::input_ports)
            .unwrap_or_default();
        if !inputs.is_empty() {
            element::ports("in", &inputs, self.to);
        }
        for node in &elements.nodes {
            node.write(project.dialect, self.to);
        }
        element::inputs("out", &elements.outputs, self.to);
        self.to.end();
        Ok(())
    }

    fn build(&mut self, document: &Document) {
        let model = document.model();
        self.to.start("build");
        self.attributes(&model.info().build);
        for (_, item) in model.items() {
            self.to.start("item").whole("objectid", item.object);
            if !item.transform.is_identity() {
                self.to.numbers("transform", &item.transform.0);
            }
            self.to.optional("partnumber", &item.part_number);
            self.attributes(&item.extra.attributes);
            self.metadata_group(&item.metadata);
            self.elements(&item.extra.elements);
            self.to.end();
        }
        self.to.end();
    }
}
