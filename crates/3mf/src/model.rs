//! The model part: which resources there are, and what each of them is.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Attribute, BuildItem, Foreign, Metadata, ModelInfo, Unit};
use fibula_nodes::ResourceId;

use super::attributes::Attributes;
use super::budget::Budget;
use super::element::{Element, Space};
use super::ends;
use super::error::{Location, Problem, ReadError, brief};
use super::findings::Findings;
use super::fragment;
use super::images::{Picture, PictureFunction};
use super::object::ParsedObject;
use super::ports::PortNames;
use super::raw;
use super::resources::{Expected, Kind, Owner, Reference};
use super::volume::Volume;
use super::xml::Xml;
use super::{Limits, OmittedContent};

/// The namespace of `xml:lang`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The model part, its resources told apart, its functions still as they are written.
#[derive(Debug)]
pub(super) struct File<'f> {
    /// Where the part is.
    pub(super) part: Location,
    pub(super) findings: &'f mut Findings,
    pub(super) kept: Budget,
    pub(super) info: ModelInfo,
    pub(super) metadata: Vec<Metadata>,
    pub(super) functions: Vec<raw::Function>,
    pub(super) picture_functions: Vec<PictureFunction>,
    pub(super) pictures: Vec<Picture>,
    pub(super) things: Vec<ParsedObject>,
    pub(super) volumes: Vec<Volume>,
    pub(super) foreign: Vec<(ResourceId, Foreign)>,
    pub(super) items: Vec<BuildItem>,
    pub(super) contents: BTreeMap<ContentHash, Vec<u8>>,
    /// The names of inputs and outputs of functions, where those are not their identifiers.
    pub(super) names: BTreeMap<u32, PortNames>,
    /// What each id stands for.
    pub(super) resources: BTreeMap<u32, Kind>,
    pub(super) references: Vec<Reference>,
    pub(super) left_out: Tally,
    /// Which of the extensions that are understood the file says to need.
    pub(super) required: Vec<Space>,
}

/// What was left out, by what it is and why.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<(String, String), (usize, Vec<u32>)>);

impl Tally {
    pub(super) fn add(&mut self, what: String, id: Option<u32>, why: &str) {
        /// How many sorts of things, and ids of each, are told apart.
        const MOST: usize = 1000;
        let mut key = (what, why.to_owned());
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            "others".clone_into(&mut key.0);
        }
        let (count, ids) = self.0.entry(key).or_default();
        *count += 1;
        ids.extend(id.filter(|id| ids.last() != Some(id) && ids.len() < MOST));
    }

    /// All of it, sorted.
    pub(super) fn list(self) -> Vec<OmittedContent> {
        let one = |((what, why), (count, ids))| OmittedContent {
            what,
            count,
            ids,
            why,
        };
        self.0.into_iter().map(one).collect()
    }
}

/// A name whose prefix stands for a namespace, with that in braces before it; another as it is written.
pub(super) fn qualified<R: Read>(xml: &Xml<R>, written: &str) -> String {
    let named = written.split_once(':').and_then(|(prefix, name)| {
        let uri = xml.namespace(prefix.trim())?;
        Some(format!("{{{uri}}}{}", name.trim()))
    });
    named.unwrap_or_else(|| written.trim().to_owned())
}

/// Why attributes and elements are left out that are not understood.
pub(super) const NO_PLACE: &str = "it is not understood, and there is no place where it is kept";

impl<'f> File<'f> {
    /// Reads a model part.
    pub(super) fn read<R: Read>(
        part: R,
        name: &str,
        limits: &Limits,
        findings: &'f mut Findings,
    ) -> Result<File<'f>, ReadError> {
        let mut xml = Xml::new(part, name, limits);
        let root = xml.root()?;
        if (root.space, root.name.as_str()) != (Space::Core, "model") {
            let text = format!(
                "the part starts with <{}>, not with the <model> of 3MF",
                brief(&root.name)
            );
            return Err(xml.error(Problem::NoModel(text)));
        }
        let mut file = File {
            part: Location::part(name),
            findings,
            kept: Budget::new(limits),
            info: ModelInfo::default(),
            metadata: Vec::new(),
            functions: Vec::new(),
            picture_functions: Vec::new(),
            pictures: Vec::new(),
            things: Vec::new(),
            volumes: Vec::new(),
            foreign: Vec::new(),
            items: Vec::new(),
            contents: BTreeMap::new(),
            names: BTreeMap::new(),
            resources: BTreeMap::new(),
            references: Vec::new(),
            left_out: Tally::default(),
            required: Vec::new(),
        };
        file.read_root(&xml, &root)?;
        while let Some(element) = xml.child()? {
            match (element.space, element.name.as_str()) {
                (Space::Core, "resources") => file.read_resources(&mut xml, &element)?,
                (Space::Core, "build") => file.read_build(&mut xml, &element)?,
                (Space::Core, "metadata") => {
                    let outside = xml.depth() - 1;
                    let step = file.read_metadata(&mut xml, &element);
                    let metadata = file.recover(&mut xml, step, outside)?;
                    file.metadata.extend(metadata);
                }
                _ => {
                    let element = file.keep(&mut xml, &element)?;
                    file.info.extra.elements.push(element);
                }
            }
        }
        xml.finish()?;
        Ok(file)
    }

    fn read_root<R: Read>(&mut self, xml: &Xml<R>, root: &Element) -> Result<(), ReadError> {
        let unit = |text: &str| Unit::ALL.into_iter().find(|unit| unit.name() == text);
        let expected = "micron, millimeter, centimeter, inch, foot or meter";
        let found = Attributes::of(xml, root).take("unit", expected, unit);
        self.info.unit = self.findings.pass(found)?.flatten().unwrap_or_default();
        let known = ["unit", "requiredextensions", "recommendedextensions"];
        let mut attributes = root.rest(&known);
        attributes.retain(|one| {
            let language = one.namespace == XML && one.name == "lang";
            if language {
                self.info.language.clone_from(&one.value);
            }
            !language
        });
        self.info.extra.attributes = self.counted(xml, attributes)?;
        self.info.required = self.extensions(xml, root, "requiredextensions");
        self.info.recommended = self.extensions(xml, root, "recommendedextensions");
        Ok(())
    }

    /// The namespaces of extensions that an attribute names by their prefixes, beside those that are understood here.
    fn extensions<R: Read>(&mut self, xml: &Xml<R>, root: &Element, name: &str) -> Vec<String> {
        let mut all = Vec::new();
        for prefix in root.attribute(name).unwrap_or_default().split_whitespace() {
            let Some(uri) = xml.namespace(prefix) else {
                let message = format!(
                    "{name} names the prefix {}, which stands for nothing: passed over",
                    brief(prefix)
                );
                let place = xml.here().at_line(root.line);
                self.findings.repair("unknown_extension", place, message);
                continue;
            };
            match Space::of(&uri) {
                space @ (Space::Volumetric | Space::Implicit) => {
                    if name == "requiredextensions" {
                        self.required.push(space);
                    }
                }
                Space::Core | Space::Relationships | Space::Types | Space::Other => {
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
        xml: &mut Xml<R>,
        resources: &Element,
    ) -> Result<(), ReadError> {
        self.leave_out(resources, &[], "resources");
        while let Some(element) = xml.child()? {
            let outside = xml.depth() - 1;
            let step = self.read_resource(xml, element);
            self.recover(xml, step, outside)?;
        }
        Ok(())
    }

    fn read_resource<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        mut element: Element,
    ) -> Result<(), ReadError> {
        let volumetric = element.space.is_volumetric();
        match element.name.as_str() {
            "implicitfunction" | "function" if volumetric => {
                let id = self.resource(xml, &element, Kind::Function)?;
                self.leave_out(&element, &["id", "displayname"], "a function");
                let function = raw::Function::read(xml, &element, id, &mut self.kept)?;
                self.functions.push(function);
                self.resources.insert(id, Kind::Function);
                Ok(())
            }
            "functionfromimage3d" if volumetric => {
                self.own_attributes(xml, &mut element);
                self.read_picture_function(xml, &element)
            }
            "image3d" if volumetric => {
                self.own_attributes(xml, &mut element);
                self.read_picture(xml, &element)
            }
            "volumedata" if volumetric => {
                self.own_attributes(xml, &mut element);
                self.read_volume(xml, &element)
            }
            "object" if element.space == Space::Core => self.read_object(xml, &element),
            _ => self.read_foreign(xml, &element),
        }
    }

    /// Takes attributes with the prefix of their element for its own.
    pub(super) fn own_attributes<R: Read>(&mut self, xml: &Xml<R>, element: &mut Element) {
        if element.without_prefixes() {
            let message = format!(
                "attributes of <{}> have a prefix: read as those without one",
                brief(&element.name)
            );
            let place = xml.here().at_line(element.line);
            self.findings.repair("attribute_prefix", place, message);
        }
    }

    /// A resource that is only kept. One without an id cannot be referred to, and is kept with the model.
    fn read_foreign<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let kind = Kind::foreign(element);
        let id = match element.attribute("id") {
            Some(_) => Some(self.resource(xml, element, kind)?),
            None => None,
        };
        let text = self.keep(xml, element)?;
        let Some(id) = id else {
            self.info.extra.elements.push(text);
            return Ok(());
        };
        let foreign = self.stored(Owner::Foreign(id), element, text);
        self.foreign.push((ResourceId(id), foreign));
        self.resources.insert(id, kind);
        Ok(())
    }

    /// Stores the XML of an element that its owner is made of, and notes what it refers to.
    pub(super) fn stored(&mut self, owner: Owner, element: &Element, text: String) -> Foreign {
        let mut references = fragment::references(&text);
        references.sort_unstable();
        references.dedup();
        for &other in &references {
            self.refers(owner, "it", other, Expected::Anything, element.line);
        }
        let bytes = text.into_bytes();
        let content = ContentHash::digest(&bytes);
        let size = bytes.len() as u64;
        self.contents.insert(content, bytes);
        Foreign {
            namespace: element.namespace.clone(),
            element: element.name.clone(),
            content,
            size,
            references,
        }
    }

    /// The id of a resource, which no other has. It stands for something broken until it was read.
    pub(super) fn resource<R: Read>(
        &mut self,
        xml: &Xml<R>,
        element: &Element,
        kind: Kind,
    ) -> Result<u32, ReadError> {
        let at = Attributes::of(xml, element);
        let id = at.id("id")?.0;
        if let Some(other) = self.resources.get(&id) {
            let text = format!(
                "{} has the id {id}, but {} has it already",
                kind.label(),
                other.label()
            );
            return Err(at.at(Problem::DuplicateId(text)));
        }
        self.resources.insert(id, Kind::Broken);
        self.kept
            .thing(element)
            .map_err(|problem| xml.error(problem))?;
        Ok(id)
    }

    /// Goes on outside of an element that was read, or could not be.
    pub(super) fn recover<R: Read, T>(
        &mut self,
        xml: &mut Xml<R>,
        step: Result<T, ReadError>,
        outside: usize,
    ) -> Result<Option<T>, ReadError> {
        let value = self.findings.pass(step)?;
        if value.is_none() {
            xml.close(outside)?;
        }
        Ok(value)
    }

    /// The open element as a text of its own; it is closed afterwards.
    pub(super) fn keep<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<String, ReadError> {
        self.kept.things(1).map_err(|problem| xml.error(problem))?;
        xml.fragment(element, &mut self.kept)
    }

    /// Attributes that are kept, if there may be so many.
    pub(super) fn counted<R: Read>(
        &mut self,
        xml: &Xml<R>,
        attributes: Vec<Attribute>,
    ) -> Result<Vec<Attribute>, ReadError> {
        let sizes = attributes
            .iter()
            .map(|one| one.namespace.len() + one.name.len() + one.value.len());
        self.kept
            .things(attributes.len())
            .and_then(|()| self.kept.bytes(sizes.sum()))
            .map_err(|problem| xml.error(problem))?;
        Ok(attributes)
    }

    /// Notes the attributes that have no place.
    pub(super) fn leave_out(&mut self, element: &Element, known: &[&str], of: &str) {
        let rest = element.rest(known).into_iter();
        // What the writer says of functions is read with them.
        for attribute in rest.filter(|one| one.namespace != ends::NAMESPACE) {
            let what = format!("attribute {} of {of}", brief(&attribute.name));
            self.left_out.add(what, None, NO_PLACE);
        }
    }

    /// Metadata; its element is closed afterwards.
    pub(super) fn read_metadata<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<Metadata, ReadError> {
        let at = Attributes::of(xml, element);
        let written = element
            .attribute("name")
            .ok_or_else(|| at.missing("name"))?;
        let preserve = at.boolean("preserve")?;
        let name = qualified(xml, written);
        let value_type = at.text("type");
        self.leave_out(element, &["name", "type", "preserve"], "metadata");
        let value = xml.text()?;
        self.kept
            .things(1)
            .and_then(|()| self.kept.bytes(name.len() + value.len() + value_type.len()))
            .map_err(|problem| xml.error(problem))?;
        Ok(Metadata {
            name,
            value,
            value_type,
            preserve,
        })
    }

    /// The metadata of a group, which is closed afterwards.
    pub(super) fn read_metadata_group<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
    ) -> Result<Vec<Metadata>, ReadError> {
        let mut all = Vec::new();
        while let Some(element) = xml.child()? {
            if (element.space, element.name.as_str()) == (Space::Core, "metadata") {
                all.push(self.read_metadata(xml, &element)?);
            } else {
                let what = format!("element {} of metadata", brief(&element.name));
                self.left_out.add(what, None, NO_PLACE);
                xml.skip()?;
            }
        }
        Ok(all)
    }

    fn read_build<R: Read>(&mut self, xml: &mut Xml<R>, build: &Element) -> Result<(), ReadError> {
        self.info.build = self.counted(xml, build.rest(&[]))?;
        let mut number = 0;
        while let Some(element) = xml.child()? {
            if (element.space, element.name.as_str()) == (Space::Core, "item") {
                number += 1;
                let outside = xml.depth() - 1;
                let step = self.read_item(xml, &element, number);
                let item = self.recover(xml, step, outside)?;
                self.items.extend(item);
            } else {
                let element = self.keep(xml, &element)?;
                self.info.extra.elements.push(element);
            }
        }
        Ok(())
    }

    fn read_item<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        number: usize,
    ) -> Result<BuildItem, ReadError> {
        self.kept
            .thing(element)
            .map_err(|problem| xml.error(problem))?;
        let at = Attributes::of(xml, element);
        let mut item = BuildItem::new(at.id("objectid")?);
        item.transform = at.transform()?;
        item.part_number = at.text("partnumber");
        let attributes = element.rest(&["objectid", "transform", "partnumber"]);
        item.extra.attributes = self.counted(xml, attributes)?;
        while let Some(child) = xml.child()? {
            if (child.space, child.name.as_str()) == (Space::Core, "metadatagroup") {
                item.metadata.extend(self.read_metadata_group(xml)?);
            } else {
                item.extra.elements.push(self.keep(xml, &child)?);
            }
        }
        let place = self.part.at_line(element.line);
        self.mirrored(&item.transform, &Owner::Item(number), place);
        if !item.is_external() {
            let owner = Owner::Item(number);
            self.refers(
                owner,
                "objectid",
                item.object,
                Expected::Object,
                element.line,
            );
        }
        Ok(item)
    }
}
