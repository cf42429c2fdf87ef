//! Objects: meshes, components and level sets.

use std::io::Read;

use fibula_core::graph::model::{
    Body, Component, LevelSet, Object, ObjectType, PropertyRef, Transform,
};
use fibula_nodes::ResourceId;

use super::attributes::Attributes;
use super::element::{Element, Space};
use super::error::{Location, Problem, ReadError, brief};
use super::model::{File, NO_PLACE};
use super::resources::{Expected, Kind, Owner, Reference};
use super::xml::Xml;

/// An object, and where it is.
#[derive(Debug)]
pub(super) struct ParsedObject {
    pub(super) id: ResourceId,
    pub(super) object: Object,
    /// The line of its level set if it is one, else its own.
    pub(super) line: u64,
}

/// The attributes of an object that are understood.
const OBJECT: [&str; 6] = ["id", "name", "type", "partnumber", "pid", "pindex"];

/// The attributes of a level set beside those of its field.
const LEVEL_SET: [&str; 3] = ["meshid", "meshbboxonly", "volumeid"];

impl File<'_> {
    /// Reads an object whose start was read.
    pub(super) fn read_object<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.resource(xml, element, Kind::OtherObject)?;
        let at = Attributes::of(xml, element);
        let types = |text: &str| ObjectType::ALL.into_iter().find(|one| one.name() == text);
        let expected = "model, solidsupport, support, surface or other";
        let object_type = at.take("type", expected, types)?.unwrap_or_default();
        let group = at.optional_id("pid")?;
        let index = at.index("pindex")?;
        let (name, part_number) = (at.text("name"), at.text("partnumber"));
        let mut known = OBJECT.to_vec();
        if group.is_none() {
            // An index without a group is kept as it is.
            known.pop();
        }
        let attributes = self.counted(xml, element.rest(&known))?;
        if let Some(group) = group {
            self.refers(
                Owner::Object(id),
                "pid",
                group,
                Expected::PropertyGroup,
                element.line,
            );
        }
        let mut body: Option<(Body, Kind)> = None;
        let mut metadata = Vec::new();
        let mut line = element.line;
        // Elements that are not understood; the first is the body if there is no other.
        let mut others = Vec::new();
        while let Some(mut child) = xml.child()? {
            let level_set = child.name == "levelset"
                && (child.space.is_volumetric() || child.space == Space::Core);
            match (child.space, child.name.as_str()) {
                (Space::Core, "metadatagroup") => metadata.extend(self.read_metadata_group(xml)?),
                (Space::Core, "mesh") => {
                    once(xml, &child, body.is_some())?;
                    let mesh = self.read_mesh(xml, &child, id)?;
                    body = Some((Body::Mesh(mesh), Kind::Mesh));
                }
                (Space::Core, "components") => {
                    once(xml, &child, body.is_some())?;
                    let components = self.read_components(xml, &child, id)?;
                    body = Some((Body::Components(components), Kind::Components));
                }
                _ if level_set => {
                    once(xml, &child, body.is_some())?;
                    if child.space == Space::Core {
                        let message =
                            "<levelset> has no prefix: read as that of the volumetric extension";
                        let place = self.part.at_line(child.line);
                        self.findings
                            .repair("element_prefix", place, message.to_owned());
                    }
                    self.own_attributes(xml, &mut child);
                    let level_set = self.read_level_set(xml, &child, id)?;
                    line = child.line;
                    body = Some((Body::LevelSet(level_set), Kind::LevelSet));
                }
                _ => {
                    let text = self.keep(xml, &child)?;
                    others.push((child, text));
                }
            }
        }
        let (body, kind) = match body {
            Some(body) => body,
            None if others.is_empty() => {
                let text = format!(
                    "object {id} has neither a mesh nor components nor a level set; give it one"
                );
                return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
            }
            None => {
                let (child, text) = others.remove(0);
                let foreign = self.stored(Owner::Object(id), &child, text);
                (Body::Foreign(foreign), Kind::OtherObject)
            }
        };
        let object = Object {
            name,
            object_type,
            part_number,
            properties: group.map(|group| PropertyRef { group, index }),
            body,
            metadata,
            extra: fibula_core::graph::model::Extra {
                attributes,
                elements: others.into_iter().map(|(_, text)| text).collect(),
            },
        };
        self.things.push(ParsedObject {
            id: ResourceId(id),
            object,
            line,
        });
        self.resources.insert(id, kind);
        Ok(())
    }

    fn read_components<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        id: u32,
    ) -> Result<Vec<Component>, ReadError> {
        self.leave_out(element, &[], "components");
        let mut components = Vec::new();
        while let Some(child) = xml.child()? {
            if (child.space, child.name.as_str()) != (Space::Core, "component") {
                let what = format!("element {} of components", brief(&child.name));
                self.left_out.add(what, Some(id), NO_PLACE);
                xml.skip()?;
                continue;
            }
            self.kept
                .thing(&child)
                .map_err(|problem| xml.error(problem))?;
            let at = Attributes::of(xml, &child);
            let mut component = Component {
                object: at.id("objectid")?,
                transform: at.transform()?,
                extra: fibula_core::graph::model::Extra::default(),
            };
            let attributes = child.rest(&["objectid", "transform"]);
            component.extra.attributes = self.counted(xml, attributes)?;
            while let Some(inner) = xml.child()? {
                component.extra.elements.push(self.keep(xml, &inner)?);
            }
            let owner = Owner::Object(id);
            let place = self.part.at_line(child.line);
            self.mirrored(&component.transform, &owner, place);
            if !component.is_external() {
                self.refers(
                    owner,
                    "objectid",
                    component.object,
                    Expected::Object,
                    child.line,
                );
            }
            components.push(component);
        }
        Ok(components)
    }

    fn read_level_set<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        id: u32,
    ) -> Result<LevelSet, ReadError> {
        let at = Attributes::of(xml, element);
        let mesh = at.id("meshid")?;
        let mesh_bbox_only = at.boolean("meshbboxonly")?.unwrap_or_default();
        let volume = at.optional_id("volumeid")?;
        let owner = Owner::Object(id);
        let field = self.read_field(xml, element, owner, &LEVEL_SET)?;
        self.refers(owner, "meshid", mesh, Expected::Mesh, element.line);
        if let Some(volume) = volume {
            self.refers(owner, "volumeid", volume, Expected::Volume, element.line);
        }
        Ok(LevelSet {
            field,
            mesh,
            mesh_bbox_only,
            volume,
        })
    }

    /// Notes a reference that is to be held against what there is.
    pub(super) fn refers(
        &mut self,
        owner: Owner,
        role: &'static str,
        id: ResourceId,
        wants: Expected,
        line: u64,
    ) {
        self.references.push(Reference {
            owner,
            role,
            id: id.0,
            wants,
            line,
            early: !self.resources.contains_key(&id.0),
        });
    }

    /// Warns of a transform that turns things inside out, or makes them flat.
    pub(super) fn mirrored(&mut self, transform: &Transform, owner: &Owner, place: Location) {
        let volume = transform.determinant();
        if volume < 0.0 {
            let message = format!("the transform of {owner} mirrors: its determinant is {volume}");
            let fix = "not every program turns the triangles round; mirror the mesh itself";
            self.findings.warn("mirror_transform", place, message, fix);
        } else if volume == 0.0 {
            let message =
                format!("the transform of {owner} makes everything flat: its determinant is 0");
            self.findings
                .warn("flat_transform", place, message, "correct the transform");
        }
    }
}

/// Refuses an element of which there is one.
pub(super) fn once<R: Read>(xml: &Xml<R>, element: &Element, there: bool) -> Result<(), ReadError> {
    if !there {
        return Ok(());
    }
    let text = format!(
        "there is a second <{}>, or another element that stands for the same; there may be one",
        brief(&element.name)
    );
    Err(Problem::Structure(text).at(xml.here().at_line(element.line)))
}
