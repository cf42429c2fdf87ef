//! What a model may be: texts, numbers, and references that lead where they should.

use std::collections::BTreeSet;

use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};
use petgraph::algo::toposort;
use petgraph::graphmap::DiGraphMap;

use super::build::{BuildItem, Metadata, ModelInfo, Part};
use super::error::ModelError;
use super::extra::{Attribute, Extra};
use super::image::ImageStack;
use super::object::{Body, Component, LevelSet, MeshBody, Object};
use super::resource::ModelResource;
use super::transform::Transform;
use super::volume::{Field, VolumeData};
use crate::graph::{Document, Resource};

/// The most bytes of one text.
const LONGEST_TEXT: usize = 1 << 20;
/// The most components, materials, properties, sheets, attributes, metadata and the like of one thing.
const MOST: usize = 100_000;
/// How many users a refusal names.
const SHOWN: usize = 5;

/// What a field's channel may be.
#[derive(Debug, Clone, Copy)]
enum Channel {
    Float,
    Float3,
    Either,
}

impl Channel {
    fn wants(self) -> &'static str {
        match self {
            Channel::Float => "a float",
            Channel::Float3 => "a float3",
            Channel::Either => "a float or a float3",
        }
    }

    fn takes(self, ty: Type) -> bool {
        match self {
            Channel::Float => ty == Type::Float,
            Channel::Float3 => ty == Type::Float3,
            Channel::Either => matches!(ty, Type::Float | Type::Float3),
        }
    }
}

/// The fields of a resource, with what their channels may be and how messages call them.
fn fields(resource: &ModelResource) -> Vec<(&Field, Channel, &'static str)> {
    match resource {
        ModelResource::Object(object) => match &object.body {
            Body::LevelSet(level) => vec![(&level.field, Channel::Float, "its field")],
            Body::Mesh(_) | Body::Components(_) | Body::Foreign(_) => Vec::new(),
        },
        ModelResource::VolumeData(volume) => {
            let mixed = volume.composite.iter().flat_map(|one| &one.materials);
            let mixed = mixed.map(|field| (field, Channel::Float, "a material"));
            let color = volume.color.iter();
            let color = color.map(|field| (field, Channel::Float3, "its colour"));
            let others = volume.properties.iter();
            let others = others.map(|one| (&one.field, Channel::Either, "a property"));
            mixed.chain(color).chain(others).collect()
        }
        ModelResource::Image(_) | ModelResource::Foreign(_) => Vec::new(),
    }
}

/// Whether the resource is fit for itself, whatever it refers to.
pub(super) fn check_alone(resource: &ModelResource, what: &str) -> Result<(), ModelError> {
    let at = At(what);
    match resource {
        ModelResource::Object(object) => at.object(object),
        ModelResource::Image(image) => at.image(image),
        ModelResource::VolumeData(volume) => at.volume(volume),
        ModelResource::Foreign(foreign) => {
            at.text("the element's name", &foreign.element)?;
            at.text("the namespace", &foreign.namespace)?;
            at.few("references", foreign.references.len())
        }
    }
}

/// Whether an item of the build is fit for itself.
pub(crate) fn check_item(item: &BuildItem, what: &str) -> Result<(), ModelError> {
    let at = At(what);
    at.transform(&item.transform)?;
    at.text("the part number", &item.part_number)?;
    at.all_metadata(&item.metadata)?;
    at.extra(&item.extra)
}

/// Whether metadata are fit to be written.
pub(crate) fn check_metadata(metadata: &Metadata) -> Result<(), ModelError> {
    At("the metadata").metadata(metadata)
}

/// Whether what a file says of itself is fit to be written.
pub(crate) fn check_info(info: &ModelInfo) -> Result<(), ModelError> {
    let at = At("the model");
    at.text("the language", &info.language)?;
    at.extra(&info.extra)?;
    at.attributes(&info.build)?;
    at.few("relationships", info.relationships.len())?;
    for text in info.required.iter().chain(&info.recommended) {
        at.text("the namespace of an extension", text)?;
    }
    for one in &info.relationships {
        at.text("the type of a relationship", &one.relation)?;
        at.text("the id of a relationship", &one.id)?;
        at.text("the target of a relationship", &one.target)?;
        at.text("the source of a relationship", &one.source)?;
    }
    Ok(())
}

/// Whether a part of the package has a name and a type that it may have.
pub(crate) fn check_part(name: &str, part: &Part) -> Result<(), ModelError> {
    check_part_name("a part of the package", "the name", name)?;
    let sound = part.media_type.split_once('/').is_some_and(|(kind, name)| {
        !kind.is_empty() && !name.is_empty() && part.media_type.len() <= 256
    }) && part
        .media_type
        .bytes()
        .all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if !sound {
        let problem = "is no media type; give one such as image/png".to_owned();
        return Err(At(&format!("part {name}")).invalid("the media type", problem));
    }
    Ok(())
}

/// Refuses what is no name of a part of a package: relative, of plain segments, the same for every program.
fn check_part_name(what: &str, field: &'static str, name: &str) -> Result<(), ModelError> {
    const LONGEST: usize = 1024;
    let at = At(what);
    let hollow = name
        .split('/')
        .any(|segment| segment.ends_with('.') || segment.is_empty());
    let strange = |c: char| {
        c.is_control()
            || matches!(
                c,
                '\\' | ':' | '?' | '#' | '%' | '"' | '<' | '>' | '|' | '*'
            )
    };
    if name.len() > LONGEST || hollow || name.contains(strange) {
        let problem = format!(
            "{:?} is no name of a part; give segments with slashes between them, such as Metadata/thumbnail.png",
            fibula_nodes::names::visible(name, 60)
        );
        return Err(at.invalid(field, problem));
    }
    let folded = name.to_ascii_lowercase();
    if folded == "[content_types].xml" || folded.starts_with("_rels/") || folded.contains("/_rels/")
    {
        let problem =
            "is a record of the package itself, which is written anew each time".to_owned();
        return Err(at.invalid(field, problem));
    }
    Ok(())
}

/// Something that is checked, as messages call it.
struct At<'a>(&'a str);

impl At<'_> {
    fn invalid(&self, field: &'static str, problem: String) -> ModelError {
        ModelError::Invalid {
            what: self.0.to_owned(),
            field,
            problem,
        }
    }

    fn few(&self, of: &'static str, count: usize) -> Result<(), ModelError> {
        if count <= MOST {
            return Ok(());
        }
        Err(ModelError::TooLarge {
            what: self.0.to_owned(),
            of,
            limit: MOST,
        })
    }

    /// Refuses a text that XML cannot have.
    fn text(&self, field: &'static str, text: &str) -> Result<(), ModelError> {
        if text.len() > LONGEST_TEXT {
            let problem = format!(
                "has {} bytes; at most {LONGEST_TEXT} are allowed",
                text.len()
            );
            return Err(self.invalid(field, problem));
        }
        let bad = text.chars().find(|&c| {
            matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
        });
        match bad {
            None => Ok(()),
            Some(bad) => {
                let problem = format!(
                    "has the character U+{:04X}, which XML cannot have",
                    bad as u32
                );
                Err(self.invalid(field, problem))
            }
        }
    }

    fn number(&self, field: &'static str, number: f64) -> Result<(), ModelError> {
        if number.is_finite() {
            return Ok(());
        }
        Err(self.invalid(field, format!("is {number}; give a finite number")))
    }

    fn transform(&self, transform: &Transform) -> Result<(), ModelError> {
        transform
            .0
            .iter()
            .try_for_each(|&number| self.number("a number of the transform", number))
    }

    fn attributes(&self, attributes: &[Attribute]) -> Result<(), ModelError> {
        self.few("attributes", attributes.len())?;
        for one in attributes {
            self.text("the namespace of an attribute", &one.namespace)?;
            self.text("the name of an attribute", &one.name)?;
            self.text("the value of an attribute", &one.value)?;
        }
        Ok(())
    }

    fn extra(&self, extra: &Extra) -> Result<(), ModelError> {
        self.attributes(&extra.attributes)?;
        self.few("elements", extra.elements.len())?;
        extra
            .elements
            .iter()
            .try_for_each(|element| self.text("an element", element))
    }

    fn metadata(&self, metadata: &Metadata) -> Result<(), ModelError> {
        if metadata.name.trim().is_empty() {
            let problem = "is empty; give one such as Title".to_owned();
            return Err(self.invalid("the name", problem));
        }
        self.text("the name", &metadata.name)?;
        self.text("the value", &metadata.value)?;
        self.text("the type of the value", &metadata.value_type)
    }

    fn all_metadata(&self, metadata: &[Metadata]) -> Result<(), ModelError> {
        self.few("metadata", metadata.len())?;
        let mut names = BTreeSet::new();
        for one in metadata {
            self.metadata(one)?;
            if !names.insert(&one.name) {
                let problem = format!("{:?} is there twice; give each once", one.name);
                return Err(self.invalid("the name of metadata", problem));
            }
        }
        Ok(())
    }

    fn field(&self, field: &Field) -> Result<(), ModelError> {
        self.text("the channel", &field.channel)?;
        self.transform(&field.transform)?;
        self.number("the minimum feature size", field.min_feature_size)?;
        if field.min_feature_size < 0.0 {
            let problem = format!("is {}; give 0 or more", field.min_feature_size);
            return Err(self.invalid("the minimum feature size", problem));
        }
        self.number("the fallback value", field.fallback_value)?;
        self.extra(&field.extra)
    }

    fn object(&self, object: &Object) -> Result<(), ModelError> {
        self.text("the name", &object.name)?;
        self.text("the part number", &object.part_number)?;
        self.all_metadata(&object.metadata)?;
        self.extra(&object.extra)?;
        match &object.body {
            Body::Mesh(MeshBody {
                bounds, references, ..
            }) => {
                self.few("references", references.len())?;
                bounds
                    .iter()
                    .flatten()
                    .flatten()
                    .try_for_each(|&number| self.number("a number of the bounds", number))
            }
            Body::Components(parts) => {
                self.few("components", parts.len())?;
                parts.iter().try_for_each(
                    |Component {
                         transform, extra, ..
                     }| {
                        self.transform(transform)?;
                        self.extra(extra)
                    },
                )
            }
            Body::LevelSet(LevelSet { field, .. }) => self.field(field),
            Body::Foreign(foreign) => {
                self.text("the element's name", &foreign.element)?;
                self.text("the namespace", &foreign.namespace)
            }
        }
    }

    fn image(&self, image: &ImageStack) -> Result<(), ModelError> {
        self.text("the name", &image.name)?;
        self.extra(&image.extra)?;
        self.few("sheets", image.sheets.len())?;
        if image.sheets.is_empty() || image.rows == 0 || image.columns == 0 {
            let problem = format!(
                "is {} x {} x {}; give at least one column, one row and one sheet",
                image.columns,
                image.rows,
                image.sheets.len()
            );
            return Err(self.invalid("the size", problem));
        }
        image
            .sheets
            .iter()
            .try_for_each(|sheet| check_part_name(self.0, "the path of a sheet", &sheet.path))
    }

    fn volume(&self, volume: &VolumeData) -> Result<(), ModelError> {
        self.extra(&volume.extra)?;
        self.few("properties", volume.properties.len())?;
        self.few(
            "materials",
            volume.composite.iter().map(|one| one.materials.len()).sum(),
        )?;
        let mut names = BTreeSet::new();
        for property in &volume.properties {
            self.text("the name of a property", &property.name)?;
            if property.name.trim().is_empty() || !names.insert(&property.name) {
                let problem = format!(
                    "{:?} is empty or there twice; give each property its own",
                    property.name
                );
                return Err(self.invalid("the name of a property", problem));
            }
        }
        volume.fields().try_for_each(|field| self.field(field))
    }
}

/// Which references of a document lead where they should.
impl Document {
    /// Whether a resource may be here under this id: all that it refers to is there and of the right kind.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(crate) fn check_model_resource(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        // Nothing refers to what is not there yet, so only what takes another's place can close a circle.
        if (self.has(id) || resource.references().contains(&id))
            && let Some(path) = self.circle(resource, id)
        {
            return Err(ModelError::RecursiveResource { path });
        }
        self.check_needs(id, resource)
    }

    /// Whether no resource of the model needs itself. Takes time in proportion to their references.
    ///
    /// # Errors
    /// [`ModelError::RecursiveResource`] with a circle.
    pub(super) fn check_circles(&self) -> Result<(), ModelError> {
        let mut needs = DiGraphMap::<ResourceId, ()>::new();
        for (id, resource) in self.model_resources() {
            for other in resource.references() {
                needs.add_edge(id, other, ());
            }
        }
        let Err(cycle) = toposort(&needs, None) else {
            return Ok(());
        };
        let id = cycle.node_id();
        let path = self
            .model_resource(id)
            .and_then(|resource| self.circle(resource, id));
        let path = path.unwrap_or_else(|| vec![id, id]);
        Err(ModelError::RecursiveResource { path })
    }

    /// Whether all that a resource refers to is there and of the right kind, and it is fit for itself.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(super) fn check_needs(
        &self,
        id: ResourceId,
        resource: &ModelResource,
    ) -> Result<(), ModelError> {
        let what = resource.label(id);
        check_alone(resource, &what)?;
        for (field, channel, role) in fields(resource) {
            let what = format!("{what} ({role})");
            let ty = self.field_function(&what, field.function_id)?;
            check_field(&what, field, channel, &ty)?;
        }
        match resource {
            ModelResource::Object(object) => self.check_object(&what, object),
            ModelResource::VolumeData(volume) => {
                if let Some(composite) = &volume.composite {
                    self.check_group(&what, composite.base_materials, "its materials")?;
                }
                Ok(())
            }
            ModelResource::Foreign(foreign) => self.check_all_there(&what, &foreign.references),
            ModelResource::Image(_) => Ok(()),
        }
    }

    fn check_object(&self, what: &str, object: &Object) -> Result<(), ModelError> {
        if let Some(properties) = object.properties {
            self.check_group(what, properties.group, "its material or colour")?;
        }
        match &object.body {
            Body::Mesh(mesh) => {
                self.check_all_there(what, &mesh.references)?;
                self.check_volume(what, mesh.volume)
            }
            Body::Components(parts) => {
                let parts = parts.iter().filter(|part| !part.is_external());
                for part in parts {
                    self.object_of(what, part.object, "a part")?;
                }
                Ok(())
            }
            Body::LevelSet(level) => {
                let role = "its domain";
                let mesh = self.object_of(what, level.mesh, role)?;
                if !matches!(mesh.body, Body::Mesh(_)) {
                    return Err(self.wrong(what, level.mesh, role, "a mesh"));
                }
                self.check_volume(what, level.volume)
            }
            Body::Foreign(foreign) => self.check_all_there(what, &foreign.references),
        }
    }

    /// Whether an item of the build may be here.
    ///
    /// # Errors
    /// [`ModelError`] naming the first thing that is wrong.
    pub(crate) fn check_build_item(&self, id: u32, item: &BuildItem) -> Result<(), ModelError> {
        let what = format!("build item {id}");
        check_item(item, &what)?;
        if item.is_external() {
            return Ok(());
        }
        self.object_of(&what, item.object, "what is built")
            .map(drop)
    }

    /// Whether everything that asks a function would still find what it needs, if the function had this type.
    ///
    /// # Errors
    /// [`ModelError::InUse`] naming who asks it.
    pub(crate) fn check_askers(
        &self,
        function: ResourceId,
        ty: Option<&FunctionType>,
    ) -> Result<(), ModelError> {
        let mut by = Vec::new();
        for (id, resource) in self.model_resources() {
            let asked = fields(resource).into_iter();
            let mut asked = asked.filter(|(field, ..)| field.function_id == function);
            let fits = |field: &Field, channel| {
                ty.is_some_and(|ty| check_field("", field, channel, ty).is_ok())
            };
            if asked.any(|(field, channel, _)| !fits(field, channel)) {
                by.push(resource.label(id));
            }
        }
        if by.is_empty() {
            return Ok(());
        }
        let what = match ty {
            None => format!("function {function}"),
            Some(_) => format!("what is asked of function {function}"),
        };
        Err(in_use(what, by))
    }

    /// Whether no other resource and no item of the build needs a resource. Nodes may refer to what is not there.
    ///
    /// # Errors
    /// [`ModelError::InUse`] naming who does.
    pub(crate) fn check_unused(&self, id: ResourceId, what: String) -> Result<(), ModelError> {
        let by = self.users(id);
        if by.is_empty() {
            return Ok(());
        }
        Err(in_use(what, by))
    }

    /// The other resources and items of the build that refer to a resource, as messages call them.
    pub(crate) fn users(&self, id: ResourceId) -> Vec<String> {
        let resources = self.model_resources();
        let resources = resources
            .filter(|(other, resource)| *other != id && resource.references().contains(&id))
            .map(|(other, resource)| resource.label(other));
        let items = self.model().items();
        let items = items
            .filter(|(_, item)| item.object == id && !item.is_external())
            .map(|(item, _)| format!("build item {item}"));
        resources.chain(items).collect()
    }

    fn check_volume(&self, what: &str, volume: Option<ResourceId>) -> Result<(), ModelError> {
        let Some(id) = volume else {
            return Ok(());
        };
        let role = "the properties of its volume";
        match self.model_resource(id) {
            Some(ModelResource::VolumeData(_)) => Ok(()),
            Some(_) | None => Err(self.wrong(what, id, role, "volume data")),
        }
    }

    /// Whether a resource can be a group of materials or colours: those are left to other programs.
    fn check_group(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
    ) -> Result<(), ModelError> {
        match self.model_resource(id) {
            Some(ModelResource::Foreign(_)) => Ok(()),
            Some(_) | None => Err(self.wrong(what, id, role, "a group of materials or colours")),
        }
    }

    /// Whether there are resources of whatever kind.
    fn check_all_there(&self, what: &str, ids: &[ResourceId]) -> Result<(), ModelError> {
        let can_be = |id: &ResourceId| match self.resource(*id) {
            // Nothing refers to a file, so that it may go at any time.
            Some(Resource::File(_)) => false,
            Some(Resource::Content(_) | Resource::ImageFunction(_) | Resource::Model(_)) => true,
            None => self.has(*id),
        };
        match ids.iter().find(|id| !can_be(id)) {
            None => Ok(()),
            Some(&id) => Err(self.wrong(what, id, "something that it needs", "a resource")),
        }
    }

    fn object_of(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
    ) -> Result<&Object, ModelError> {
        match self.model_resource(id) {
            Some(ModelResource::Object(object)) => Ok(object),
            Some(_) | None => Err(self.wrong(what, id, role, "an object")),
        }
    }

    fn field_function(&self, what: &str, id: ResourceId) -> Result<FunctionType, ModelError> {
        if let Ok(function) = self.function(id.into()) {
            return Ok(function.ty());
        }
        match self.resource(id) {
            Some(Resource::ImageFunction(image)) => Ok(image.ty()),
            Some(_) | None => Err(self.wrong(what, id, "its function", "a function")),
        }
    }

    /// The refusal of a reference: nothing is there, or something else.
    fn wrong(
        &self,
        what: &str,
        id: ResourceId,
        role: &'static str,
        wants: &'static str,
    ) -> ModelError {
        let what = what.to_owned();
        match self.noun(id) {
            None => ModelError::UnknownResource { what, id, role },
            Some(is) => ModelError::WrongResource {
                what,
                id,
                role,
                is,
                wants,
            },
        }
    }

    /// The way from a resource that is to have an id through what it refers to back to that id.
    fn circle(&self, resource: &ModelResource, id: ResourceId) -> Option<Vec<ResourceId>> {
        let mut open: Vec<Vec<ResourceId>> = vec![resource.references().into_iter().collect()];
        let mut path = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(list) = open.last_mut() {
            let Some(next) = list.pop() else {
                open.pop();
                path.pop();
                continue;
            };
            if next == id {
                path.push(id);
                return Some(path);
            }
            if seen.insert(next)
                && let Some(resource) = self.model_resource(next)
            {
                open.push(resource.references().into_iter().collect());
                path.push(next);
            }
        }
        None
    }
}

fn in_use(what: String, mut by: Vec<String>) -> ModelError {
    let more = by.len().saturating_sub(SHOWN);
    by.truncate(SHOWN);
    if more > 0 {
        by.push(format!("{more} more"));
    }
    ModelError::InUse { what, by }
}

/// Whether a function of this type says what a field needs.
fn check_field(
    what: &str,
    field: &Field,
    channel: Channel,
    ty: &FunctionType,
) -> Result<(), ModelError> {
    let is_position = |port: &PortSpec| port.name == "pos" && port.ty == Type::Float3;
    let listed = |ports: &[PortSpec], none: &str| match ports {
        [] => none.to_owned(),
        ports => {
            let ports: Vec<String> = ports
                .iter()
                .take(SHOWN)
                .map(|port| {
                    format!(
                        "{} ({})",
                        fibula_nodes::names::visible(&port.name, 60),
                        port.ty
                    )
                })
                .collect();
            ports.join(", ")
        }
    };
    if !ty.inputs.iter().any(is_position) {
        return Err(ModelError::NoPosition {
            what: what.to_owned(),
            function_id: field.function_id,
            inputs: format!("its inputs: {}", listed(&ty.inputs, "none")),
        });
    }
    match ty.outputs.iter().find(|port| port.name == field.channel) {
        None => Err(ModelError::UnknownChannel {
            what: what.to_owned(),
            function_id: field.function_id,
            channel: field.channel.clone(),
            outputs: listed(&ty.outputs, "no outputs"),
        }),
        Some(port) if !channel.takes(port.ty) => Err(ModelError::ChannelType {
            what: what.to_owned(),
            function_id: field.function_id,
            channel: field.channel.clone(),
            wants: channel.wants(),
            is: port.ty,
        }),
        Some(_) => Ok(()),
    }
}
