//! Writer of 3MF packages, which other programs open and [`read`](crate::read) restores.
//!
//! | in the project | in the file |
//! |---|---|
//! | a function's id and name | resource id, `displayname` |
//! | a node's name | `displayname`, and an identifier near to it |
//! | a node's id, unless it follows from the order; its position | `tag`, as is an unnamed node's |
//! | a literal, a default | a constant that `tag` marks, and reading folds back |
//! | names of inputs and outputs | identifiers of `[A-Za-z0-9_]`; where that changes a name, it is the `displayname` |
//! | `Transformation`, `BoxMinMax`, `DecomposeMatrix`, a constant with linked numbers | native nodes that `tag` marks |
//! | `ImageSampler` | a call of an image function that is made for it |
//! | a parameter without a value | a reference that is empty |
//! | XML that is only kept | the same, with prefixes that the outermost element declares |
//!
//! Tagged nodes are lifted only if they are unchanged; nodes that other programs changed are read as they are. Where 3MF
//! cannot express the project, [`WriteSummary::notes`] states what was written instead.
//!
//! The same project gives the same bytes. Meshes and kept XML are in memory until they are written.

mod contents;
mod element;
mod error;
mod function;
mod identifier;
mod lowering;
mod objects;
mod package;
mod plan;
mod prefixes;
mod uuids;
mod xml_writer;

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use fibula_nodes::KindInfo;

use crate::model::Contents;
use crate::roundtrip::end_attributes::{self, EndAttributes};
use crate::roundtrip::inner_content::InnerContents;
use contents::FetchedContent;
pub use error::{WriteError, WriteNote};
use identifier::FunctionPorts;
use objects::ModelWriter;
use package::PackageParts;
use plan::{ExportPlan, PackageItem};
use prefixes::{CORE, Prefixes};
use uuids::MissingUuids;

use fibula_core::graph::model::{Body, ModelResource};
use fibula_core::graph::{Document, Function};

/// Prefix of the volumetric extension.
const VOLUME: &str = "v:";
/// Prefix of the implicit extension.
const IMPLICIT: &str = "i:";

/// Options of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Names of elements.
    pub dialect: Dialect,
}

/// Dialect of element names, where the specification and programs differ.
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
    /// True if the dialect has an element for a kind.
    fn has(self, about: &KindInfo) -> bool {
        let dropped = self == Dialect::Lib3mf && about.element == "unsignedmesh";
        about.native && !dropped
    }

    /// Name of a kind's element.
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

/// Counts of what was written, and notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
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
    /// Losses, and unset parameters.
    pub notes: Vec<WriteNote>,
}

/// Writes a project as a 3MF package.
///
/// After an error, `to` does not hold a valid package.
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
/// [`WriteError`] if 3MF cannot express the project, if bytes are missing or damaged, or if `to` fails.
pub fn write(
    document: &Document,
    contents: &Contents<'_>,
    options: &WriteOptions,
    to: &mut (impl Write + Seek),
) -> Result<WriteSummary, WriteError> {
    let project = ExportPlan::new(document, options.dialect)?;
    let mut written = WriteSummary::default();
    let items = project.items(&mut written.notes)?;
    let parts = PackageParts::new(document)?;
    let mut prefixes = Prefixes::new();
    let mut fetched: BTreeMap<_, FetchedContent> = BTreeMap::new();
    add_model(document, &mut prefixes)?;
    for (id, item) in &items {
        match item {
            PackageItem::Model(resource) => {
                contents::fetch_resource(*id, resource, contents, &mut prefixes, &mut fetched)?;
                add_resource(*id, resource, &mut prefixes)?;
            }
            PackageItem::Function(function)
                if !EndAttributes::from_function(function).is_empty() =>
            {
                prefixes.want(end_attributes::NAMESPACE, "fibula");
            }
            // Those are content of the model.
            PackageItem::Element(_) | PackageItem::Function(_) | PackageItem::Image(_) => {}
        }
    }
    prefixes.assign_rest();
    let size = size(document);
    written.parts = parts.len();
    let notes = &mut written.notes;
    let mut counts = [0; 7];
    let (mut inner, _) = InnerContents::split(&document.model().info().extra.elements);
    package::write(&parts, size, contents, to, |xml| {
        let mut writer = ModelWriter {
            to: xml,
            prefixes: &prefixes,
            signatures: &project.signatures,
            uuids: MissingUuids::new(document, &prefixes),
        };
        writer.model(document, &items);
        let metadata: Vec<_> = document.model().metadata().cloned().collect();
        writer.metadata(&metadata, &mut inner);
        writer.to.start("resources");
        writer.attributes(&inner.take("resources").attributes);
        for (id, item) in &items {
            let count = match item {
                PackageItem::Function(function) => {
                    writer.function(function, &project, notes)?;
                    0
                }
                PackageItem::Image(image) => {
                    writer.image_function(*id, image);
                    1
                }
                PackageItem::Model(ModelResource::Object(object)) => {
                    // The content is dropped as soon as it is written.
                    writer.object(*id, object, fetched.remove(id).as_ref());
                    2
                }
                PackageItem::Model(ModelResource::Image(image)) => {
                    writer.image(*id, image);
                    3
                }
                PackageItem::Model(ModelResource::VolumeData(volume)) => {
                    writer.volume(*id, volume);
                    4
                }
                PackageItem::Model(ModelResource::Foreign(_)) => {
                    if let Some(FetchedContent::Xml(xml)) = fetched.remove(id) {
                        writer.elements(&[xml]);
                    }
                    5
                }
                PackageItem::Element(element) => {
                    writer.elements(std::slice::from_ref(element));
                    6
                }
            };
            counts[count] += 1;
        }
        writer.to.end();
        writer.build(document, &inner.take("build").elements);
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
        _,
    ] = counts;
    written.items = document.model().items().len();
    Ok(written)
}

/// Estimated number of bytes of the model.
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
    let functions = document.functions();
    let nodes = functions.map(|function| 1000 * function.node_count() as u64);
    sizes.chain(nodes).sum()
}

/// Collects the namespaces of the model itself.
fn add_model(document: &Document, prefixes: &mut Prefixes) -> Result<(), WriteError> {
    let model = document.model();
    let info = model.info();
    for namespace in info.required.iter().chain(&info.recommended) {
        prefixes.add(namespace);
    }
    prefixes.add_attributes(&info.build);
    prefixes.add_names(model.metadata().map(|one| &one.name));
    prefixes.add_extra(&info.extra, &|| "the model".to_owned())?;
    for (id, item) in model.items() {
        if let Some(object) = document.unbuildable(item) {
            return Err(WriteError::NotBuildable { item: id, object });
        }
        prefixes.add_names(item.metadata.iter().map(|one| &one.name));
        prefixes.add_extra(&item.extra, &|| format!("build item {id}"))?;
    }
    Ok(())
}

/// Collects the namespaces of a resource, beside those of the contents that it names by hash.
fn add_resource(
    id: fibula_nodes::ResourceId,
    resource: &ModelResource,
    prefixes: &mut Prefixes,
) -> Result<(), WriteError> {
    let what = || resource.label(id);
    for field in resource.fields() {
        prefixes.add_extra(&field.extra, &what)?;
    }
    match resource {
        ModelResource::Object(object) => {
            prefixes.add_names(object.metadata.iter().map(|one| &one.name));
            if let Body::Components(parts) = &object.body {
                for part in parts {
                    prefixes.add_extra(&part.extra, &what)?;
                }
            }
            prefixes.add_extra(&object.extra, &what)
        }
        ModelResource::Image(image) => prefixes.add_extra(&image.extra, &what),
        ModelResource::VolumeData(volume) => {
            prefixes.add_names(volume.properties.iter().map(|one| &one.name));
            prefixes.add_extra(&volume.extra, &what)
        }
        ModelResource::Foreign(_) => Ok(()),
    }
}

impl ModelWriter<'_, '_> {
    /// Opens the root element.
    fn model(
        &mut self,
        document: &Document,
        items: &[(fibula_nodes::ResourceId, PackageItem<'_>)],
    ) {
        let info = document.model().info();
        let volumetric = items.iter().any(|(_, item)| match item {
            PackageItem::Function(_) | PackageItem::Image(_) => true,
            PackageItem::Element(_) => false,
            PackageItem::Model(resource) => match resource {
                ModelResource::Image(_) | ModelResource::VolumeData(_) => true,
                ModelResource::Object(object) => matches!(object.body, Body::LevelSet(_)),
                ModelResource::Foreign(_) => false,
            },
        });
        let prefixes = |namespaces: &[String]| -> Vec<String> {
            let all = namespaces.iter();
            let prefixes = all.filter_map(|one| self.prefixes.prefix(one));
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
        project: &ExportPlan<'_>,
        notes: &mut Vec<WriteNote>,
    ) -> Result<(), WriteError> {
        let elements = function::elements(function, project, notes)?;
        self.to
            .start(&format!("{IMPLICIT}implicitfunction"))
            .integer("id", function.id())
            .attribute("displayname", function.name());
        self.attributes(&EndAttributes::from_function(function).to_attributes());
        let signature = project.signatures.get(&function.id().into());
        let inputs = signature.map(FunctionPorts::input_ports);
        let inputs = inputs.unwrap_or_default();
        if !inputs.is_empty() {
            element::write_ports("in", &inputs, self.to);
        }
        for node in &elements.nodes {
            node.write(project.dialect, self.to);
        }
        element::write_inputs("out", &elements.outputs, self.to);
        self.to.end();
        Ok(())
    }

    fn build(&mut self, document: &Document, others: &[String]) {
        let model = document.model();
        self.to.start("build");
        self.attributes_with_uuid(&model.info().build, "build");
        for (id, item) in model.items() {
            self.to.start("item").integer("objectid", item.object);
            if !item.transform.is_identity() {
                self.to.numbers("transform", &item.transform.0);
            }
            self.to.optional("partnumber", &item.part_number);
            self.attributes_with_uuid(&item.extra.attributes, &format!("item {id}"));
            let (mut inner, _) = InnerContents::split(&item.extra.elements);
            self.metadata_group(&item.metadata, &mut inner);
            self.elements(&item.extra.elements);
            self.to.end();
        }
        self.elements(others);
        self.to.end();
    }
}
