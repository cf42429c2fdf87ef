//! Reader of the model part: streams its XML, and collects resources, items and metadata.

mod images;
mod kept;
mod meshes;
mod objects;
mod package_parts;
mod resolver;
mod volumes;

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::model::{BuildItem, Extra, Metadata, Unit};
use fibula_nodes::ResourceId;

use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::findings::Findings;
use crate::functions::parsed::ParsedFunction;
use crate::functions::port_names::PortNames;
use crate::limits::Limits;
use crate::model::Model;
use crate::references::{ExternalReference, Reference, ReferenceOwner, ResourceClass, Role};
use crate::resource_order::OrderEntry;
use crate::roundtrip::inner_content::{InnerContent, InnerContents};
use crate::xml::XmlReader;
use crate::xml::attributes::Attributes;
use crate::xml::budget::Budget;
use crate::xml::element::{Element, Schema};
use images::{ParsedImage, ParsedImageFunction};
use kept::OmissionTally;
use objects::ParsedObject;
use volumes::ParsedVolume;

/// Namespace of `xml:lang`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Start of the namespaces of drafts from before 3MF 1.0.
const BEFORE_CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/";

/// State of the reader of a model part; functions are parsed, but not interpreted.
#[derive(Debug)]
pub(crate) struct ModelReader<'f> {
    /// Location of the part.
    pub(crate) part: Location,
    pub(crate) findings: &'f mut Findings,
    pub(crate) budget: Budget,
    /// Contents that need no resolution.
    pub(crate) model: Model,
    pub(crate) functions: Vec<ParsedFunction>,
    pub(crate) image_functions: Vec<ParsedImageFunction>,
    pub(crate) images: Vec<ParsedImage>,
    pub(crate) objects: Vec<ParsedObject>,
    pub(crate) volumes: Vec<ParsedVolume>,
    /// Names of inputs and outputs of functions, where those are not their identifiers.
    pub(crate) names: BTreeMap<u32, PortNames>,
    /// Class of each resource.
    pub(crate) resources: BTreeMap<u32, ResourceClass>,
    pub(crate) references: Vec<Reference>,
    /// Resources in the order of the file, and elements without an id among them.
    pub(crate) sequence: Vec<OrderEntry>,
    /// Kept content of elements within the model that have no place in a project.
    pub(crate) inner: InnerContents,
    /// References of items and components to objects of other parts.
    pub(crate) external: Vec<ExternalReference>,
    /// True for a further model part, whose build has no meaning.
    is_further_part: bool,
    pub(crate) left_out: OmissionTally,
    /// Understood extensions that the file requires.
    pub(crate) required: Vec<Schema>,
}

/// Expands a qualified name to `{namespace}name`; a name without a known prefix stays as it is.
pub(crate) fn qualified<R: Read>(xml: &XmlReader<R>, written: &str) -> String {
    let named = written.split_once(':').and_then(|(prefix, name)| {
        let uri = xml.namespace(prefix.trim())?;
        Some(format!("{{{uri}}}{}", name.trim()))
    });
    named.unwrap_or_else(|| written.trim().to_owned())
}

impl<'f> ModelReader<'f> {
    /// Reads a model part.
    pub(crate) fn read<R: Read>(
        part: R,
        name: &str,
        limits: &Limits,
        findings: &'f mut Findings,
    ) -> Result<ModelReader<'f>, ReadError> {
        let mut xml = XmlReader::new(part, name, limits);
        let root = xml.read_root()?;
        if !root.is(Schema::Core, "model") {
            let name = brief(&root.name);
            let text = if root.namespace.starts_with(BEFORE_CORE) {
                format!(
                    "the model is of a draft from before 3MF 1.0, namespace {}; export it again as 3MF 1.0 or newer",
                    brief(&root.namespace)
                )
            } else {
                format!("the root element <{name}> is not the <model> of 3MF")
            };
            return Err(xml.error(Problem::NoModel(text)));
        }
        let mut reader = ModelReader {
            part: Location::part(name),
            findings,
            budget: Budget::new(limits),
            model: Model::default(),
            functions: Vec::new(),
            image_functions: Vec::new(),
            images: Vec::new(),
            objects: Vec::new(),
            volumes: Vec::new(),
            names: BTreeMap::new(),
            resources: BTreeMap::new(),
            references: Vec::new(),
            sequence: Vec::new(),
            inner: InnerContents::default(),
            external: Vec::new(),
            is_further_part: false,
            left_out: OmissionTally::default(),
            required: Vec::new(),
        };
        reader.read_root(&xml, &root)?;
        while let Some(element) = xml.next_child()? {
            match (element.schema, element.name.as_str()) {
                (Schema::Core, "resources") => reader.read_resources(&mut xml, &element)?,
                (Schema::Core, "build") => reader.read_build(&mut xml, &element)?,
                (Schema::Core, "metadata") => {
                    let outside = xml.depth() - 1;
                    let mut inner = InnerContent::default();
                    let step = reader.read_metadata(&mut xml, &element, &mut inner);
                    let metadata = reader.recover(&mut xml, step, outside)?;
                    reader.add_metadata(metadata, inner);
                }
                _ => {
                    let element = reader.keep_element(&mut xml, &element)?;
                    reader.model.info.extra.elements.push(element);
                }
            }
        }
        xml.expect_end()?;
        Ok(reader)
    }

    fn read_root<R: Read>(&mut self, xml: &XmlReader<R>, root: &Element) -> Result<(), ReadError> {
        let unit = |text: &str| Unit::ALL.into_iter().find(|unit| unit.name() == text);
        let expected = "micron, millimeter, centimeter, inch, foot or meter";
        let found = Attributes::new(xml, root).parse("unit", expected, unit);
        self.model.info.unit = self.findings.pass(found)?.flatten().unwrap_or_default();
        let known = ["unit", "requiredextensions", "recommendedextensions"];
        let mut attributes = root.unknown_attributes(&known);
        attributes.retain(|one| {
            let language = one.namespace == XML && one.name == "lang";
            if language {
                self.model.info.language.clone_from(&one.value);
            }
            !language
        });
        self.model.info.extra.attributes = self.keep_attributes(xml, attributes)?;
        self.model.info.required = self.extensions(xml, root, "requiredextensions");
        self.model.info.recommended = self.extensions(xml, root, "recommendedextensions");
        Ok(())
    }

    /// Namespaces of extensions that an attribute names by their prefixes, beside the understood ones.
    fn extensions<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        root: &Element,
        name: &str,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for prefix in root.attribute(name).unwrap_or_default().split_whitespace() {
            let Some(uri) = xml.namespace(prefix) else {
                let message = format!(
                    "{name} lists the undeclared prefix {}: ignored",
                    brief(prefix)
                );
                let place = xml.location().at_line(root.line);
                self.findings.repair("unknown_extension", place, message);
                continue;
            };
            match Schema::from_uri(&uri) {
                space @ (Schema::Volumetric | Schema::Implicit) => {
                    if name == "requiredextensions" {
                        self.required.push(space);
                    }
                }
                Schema::Core | Schema::Relationships | Schema::ContentTypes | Schema::Other => {
                    if !all.contains(&uri) {
                        all.push(uri);
                    }
                }
            }
        }
        all
    }

    fn read_resources<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        resources: &Element,
    ) -> Result<(), ReadError> {
        let attributes = self.keep_attributes(xml, resources.unknown_attributes(&[]))?;
        self.inner.at("resources").attributes.extend(attributes);
        while let Some(element) = xml.next_child()? {
            let outside = xml.depth() - 1;
            let step = self.read_resource(xml, element);
            self.recover(xml, step, outside)?;
        }
        Ok(())
    }

    fn read_resource<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        mut element: Element,
    ) -> Result<(), ReadError> {
        let volumetric = element.schema.is_volumetric();
        match element.name.as_str() {
            "implicitfunction" | "function" if volumetric => {
                let id = self.claim_id(xml, &element, ResourceClass::Function)?;
                self.omit_attributes(&element, &["id", "displayname"], "a function");
                let function = ParsedFunction::read(xml, &element, id, &mut self.budget)?;
                self.functions.push(function);
                self.resources.insert(id, ResourceClass::Function);
                Ok(())
            }
            "functionfromimage3d" if volumetric => {
                self.unprefix_attributes(xml, &mut element);
                self.read_image_function(xml, &element)
            }
            "image3d" if volumetric => {
                self.unprefix_attributes(xml, &mut element);
                self.read_image(xml, &element)
            }
            "volumedata" if volumetric => {
                self.unprefix_attributes(xml, &mut element);
                self.read_volume(xml, &element)
            }
            "object" if element.schema == Schema::Core => self.read_object(xml, &element),
            _ => self.read_foreign(xml, &element),
        }
    }

    /// Reads attributes with the prefix of their element as those without.
    pub(crate) fn unprefix_attributes<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        element: &mut Element,
    ) {
        if element.strip_prefixes() {
            let message = format!(
                "attributes of <{}> have a prefix: read as those without one",
                brief(&element.name)
            );
            let place = xml.location().at_line(element.line);
            self.findings.repair("attribute_prefix", place, message);
        }
    }

    /// Parses the id of a resource, and checks that it is unique. The id stands for a broken resource until that is read.
    pub(crate) fn claim_id<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        element: &Element,
        kind: ResourceClass,
    ) -> Result<u32, ReadError> {
        let at = Attributes::new(xml, element);
        let id = at.id("id")?.0;
        if let Some(other) = self.resources.get(&id) {
            let text = format!("duplicate id {id}: {} and {}", kind.label(), other.label());
            return Err(at.at(Problem::DuplicateId(text)));
        }
        self.resources.insert(id, ResourceClass::Broken);
        self.sequence.push(OrderEntry::Resource(id));
        self.budget.charge_item(element).at(xml.location())?;
        Ok(id)
    }

    /// Returns the result of reading an element; after an error, skips to its end.
    pub(crate) fn recover<R: Read, T>(
        &mut self,
        xml: &mut XmlReader<R>,
        step: Result<T, ReadError>,
        outside: usize,
    ) -> Result<Option<T>, ReadError> {
        let value = self.findings.pass(step)?;
        if value.is_none() {
            xml.close_to(outside)?;
        }
        Ok(value)
    }

    /// Reads metadata, and closes its element.
    pub(crate) fn read_metadata<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        inner: &mut InnerContent,
    ) -> Result<Metadata, ReadError> {
        let at = Attributes::new(xml, element);
        let written = element
            .attribute("name")
            .ok_or_else(|| at.missing("name"))?;
        let preserve = at.boolean("preserve")?;
        let name = qualified(xml, written);
        let value_type = at.text("type");
        let attributes = element.unknown_attributes(&["name", "type", "preserve"]);
        inner.attributes = self.keep_attributes(xml, attributes)?;
        let mut skipped = Vec::new();
        let value = xml.read_text(&mut skipped)?;
        for child in skipped {
            let what = format!("element {} of metadata", brief(&child));
            self.left_out.add(what, None, "metadata holds only text");
        }
        self.budget
            .charge_items(1)
            .and_then(|()| {
                self.budget
                    .charge_bytes(name.len() + value.len() + value_type.len())
            })
            .at(xml.location())?;
        Ok(Metadata {
            name,
            value,
            value_type,
            preserve,
        })
    }

    /// Adds metadata of the model, unless it has some of that name: a project has one value for each name.
    fn add_metadata(&mut self, metadata: Option<Metadata>, inner: InnerContent) {
        let Some(metadata) = metadata else { return };
        if self
            .model
            .metadata
            .iter()
            .any(|one| one.name == metadata.name)
        {
            let what = format!(
                "metadata {} = {:?}",
                brief(&metadata.name),
                brief(&metadata.value)
            );
            let why = "the file has this name twice, and the first value counts";
            self.left_out.add(what, None, why);
            return;
        }
        *self.inner.at(&format!("metadata {}", metadata.name)) = inner;
        self.model.metadata.push(metadata);
    }

    /// Reads the metadata of a group, and closes the group.
    pub(crate) fn read_metadata_group<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        group: &Element,
        all: &mut Vec<Metadata>,
        inner: &mut InnerContents,
    ) -> Result<(), ReadError> {
        let attributes = self.keep_attributes(xml, group.unknown_attributes(&[]))?;
        inner.at("metadatagroup").attributes.extend(attributes);
        while let Some(element) = xml.next_child()? {
            if element.is(Schema::Core, "metadata") {
                let place = inner.at(&format!("metadata {}", all.len()));
                all.push(self.read_metadata(xml, &element, place)?);
            } else {
                let element = self.keep_element(xml, &element)?;
                inner.at("metadatagroup").elements.push(element);
            }
        }
        Ok(())
    }

    fn read_build<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        build: &Element,
    ) -> Result<(), ReadError> {
        self.model.info.build = self.keep_attributes(xml, build.unknown_attributes(&[]))?;
        let mut number = 0;
        while let Some(element) = xml.next_child()? {
            if element.is(Schema::Core, "item") {
                number += 1;
                let outside = xml.depth() - 1;
                let step = self.read_item(xml, &element, number);
                let item = self.recover(xml, step, outside)?;
                self.model.items.extend(item);
            } else {
                let element = self.keep_element(xml, &element)?;
                self.inner.at("build").elements.push(element);
            }
        }
        Ok(())
    }

    fn read_item<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        number: usize,
    ) -> Result<BuildItem, ReadError> {
        self.budget.charge_item(element).at(xml.location())?;
        let at = Attributes::new(xml, element);
        let mut item = BuildItem::new(at.id("objectid")?);
        item.transform = at.transform()?;
        item.part_number = at.text("partnumber");
        let attributes = element.unknown_attributes(&["objectid", "transform", "partnumber"]);
        item.extra.attributes = self.keep_attributes(xml, attributes)?;
        let mut inner = InnerContents::default();
        while let Some(child) = xml.next_child()? {
            if child.is(Schema::Core, "metadatagroup") {
                self.read_metadata_group(xml, &child, &mut item.metadata, &mut inner)?;
            } else {
                item.extra.elements.push(self.keep_element(xml, &child)?);
            }
        }
        inner.store(&mut item.extra);
        let place = self.part.at_line(element.line);
        self.warn_of_transform(&item.transform, &ReferenceOwner::Item(number), place);
        let owner = ReferenceOwner::Item(number);
        self.refer_to_object(owner, item.object, &item.extra, element.line);
        Ok(item)
    }

    /// Records the reference of an item or component to its object, in this part or another one.
    pub(crate) fn refer_to_object(
        &mut self,
        owner: ReferenceOwner,
        object: ResourceId,
        extra: &Extra,
        line: u64,
    ) {
        match extra.external_path() {
            None => self.add_reference(owner, Role::Object, object, line),
            Some(path) => self.external.push(ExternalReference {
                owner,
                object,
                path: path.to_owned(),
                line,
            }),
        }
    }

    /// Makes this the reader of a further model part, which has no build, and refers to no other part.
    pub(crate) fn ignore_build(&mut self) -> Result<(), ReadError> {
        self.is_further_part = true;
        self.model.items.clear();
        let is_of_item = |owner: ReferenceOwner| owner.resource().is_none();
        self.references.retain(|one| !is_of_item(one.owner));
        let components = std::mem::take(&mut self.external).into_iter();
        for one in components.filter(|one| !is_of_item(one.owner)) {
            let (owner, path) = (one.owner, brief(&one.path));
            let text = format!(
                "{owner}: a component refers to {path}, but only components of the root model may refer to another part"
            );
            let place = self.part.at_line(one.line);
            self.findings
                .fail(Problem::PathInChildPart(text).at(place))?;
        }
        Ok(())
    }
}
