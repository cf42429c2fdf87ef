//! Objects: meshes, components and level sets.

use std::collections::BTreeSet;
use std::io::Read;

use fibula_core::graph::model::{
    Body, Component, Extra, LevelSet, Object, ObjectType, PropertyRef, Transform,
};
use fibula_nodes::ResourceId;

use super::ModelReader;
use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::references::{Reference, ReferenceOwner, ResourceClass, Role};
use crate::roundtrip::inner_content::{InnerContent, InnerContents};
use crate::xml::XmlReader;
use crate::xml::attributes::Attributes;
use crate::xml::element::{Element, Schema};
use crate::xml::fragment::extra_references;

/// Object and its line.
#[derive(Debug)]
pub(crate) struct ParsedObject {
    pub(crate) id: ResourceId,
    pub(crate) object: Object,
    /// Line of its level set if it is one, else its own.
    pub(crate) line: u64,
}

/// Attributes of an object that are understood.
const OBJECT: [&str; 6] = ["id", "name", "type", "partnumber", "pid", "pindex"];

/// Attributes of a level set beside those of its field.
const LEVEL_SET: [&str; 3] = ["meshid", "meshbboxonly", "volumeid"];

impl ModelReader<'_> {
    /// Reads an object whose start tag was read.
    pub(crate) fn read_object<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.claim_id(xml, element, ResourceClass::OtherObject)?;
        let at = Attributes::new(xml, element);
        let types = |text: &str| ObjectType::ALL.into_iter().find(|one| one.name() == text);
        let expected = "model, solidsupport, support, surface or other";
        let object_type = at.parse("type", expected, types)?.unwrap_or_default();
        let group = at.optional_id("pid")?;
        let index = at.index("pindex")?;
        let (name, part_number) = (at.text("name"), at.text("partnumber"));
        let mut known = OBJECT.to_vec();
        if group.is_none() {
            // An index without a group is kept as it is.
            known.pop();
        }
        let attributes = self.keep_attributes(xml, element.unknown_attributes(&known))?;
        if let Some(group) = group {
            self.add_reference(
                ReferenceOwner::Object(id),
                Role::PropertyGroup,
                group,
                element.line,
            );
        }
        let mut body: Option<(Body, ResourceClass)> = None;
        let mut metadata = Vec::new();
        let mut inner = InnerContents::default();
        let mut line = element.line;
        // Unknown elements; the first is the body if there is no other.
        let mut others = Vec::new();
        while let Some(mut child) = xml.next_child()? {
            let level_set = child.name == "levelset"
                && (child.schema.is_volumetric() || child.schema == Schema::Core);
            match (child.schema, child.name.as_str()) {
                (Schema::Core, "metadatagroup") => {
                    self.read_metadata_group(xml, &child, &mut metadata, &mut inner)?;
                }
                (Schema::Core, "mesh") => {
                    check_unique(xml, &child, body.is_some())?;
                    let mesh = self.read_mesh(xml, &child, id)?;
                    body = Some((Body::Mesh(mesh), ResourceClass::Mesh));
                }
                (Schema::Core, "components") => {
                    check_unique(xml, &child, body.is_some())?;
                    let components =
                        self.read_components(xml, &child, id, inner.at("components"))?;
                    body = Some((Body::Components(components), ResourceClass::Components));
                }
                _ if level_set => {
                    check_unique(xml, &child, body.is_some())?;
                    if child.schema == Schema::Core {
                        let message = "<levelset> has no prefix: read as the element of the volumetric extension";
                        let place = self.part.at_line(child.line);
                        self.findings
                            .repair("element_prefix", place, message.to_owned());
                    }
                    self.unprefix_attributes(xml, &mut child);
                    let level_set = self.read_level_set(xml, &child, id)?;
                    line = child.line;
                    body = Some((Body::LevelSet(level_set), ResourceClass::LevelSet));
                }
                _ => {
                    let text = self.keep_element(xml, &child)?;
                    others.push((child, text));
                }
            }
        }
        let (body, kind) = match body {
            Some(body) => body,
            None if others.is_empty() => {
                let text = format!("object {id} has no mesh, components or level set; add one");
                return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
            }
            None => {
                let (child, text) = others.remove(0);
                let foreign = self.store_foreign(ReferenceOwner::Object(id), &child, text);
                (Body::Foreign(foreign), ResourceClass::OtherObject)
            }
        };
        let mut extra = Extra {
            attributes,
            elements: others.into_iter().map(|(_, text)| text).collect(),
        };
        inner.store(&mut extra);
        self.refer_to_kept(ReferenceOwner::Object(id), &extra, element.line);
        let object = Object {
            name,
            object_type,
            part_number,
            properties: group.map(|group| PropertyRef { group, index }),
            body,
            metadata,
            extra,
        };
        self.objects.push(ParsedObject {
            id: ResourceId(id),
            object,
            line,
        });
        self.resources.insert(id, kind);
        Ok(())
    }

    fn read_components<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        id: u32,
        inner: &mut InnerContent,
    ) -> Result<Vec<Component>, ReadError> {
        inner.attributes = self.keep_attributes(xml, element.unknown_attributes(&[]))?;
        let mut components = Vec::new();
        while let Some(child) = xml.next_child()? {
            if !child.is(Schema::Core, "component") {
                self.keep_inner_element(xml, &child, inner)?;
                continue;
            }
            self.budget.charge_item(&child).at(xml.location())?;
            let at = Attributes::new(xml, &child);
            let mut component = Component {
                object: at.id("objectid")?,
                transform: at.transform()?,
                extra: Extra::default(),
            };
            let attributes = child.unknown_attributes(&["objectid", "transform"]);
            component.extra.attributes = self.keep_attributes(xml, attributes)?;
            while let Some(inner) = xml.next_child()? {
                component
                    .extra
                    .elements
                    .push(self.keep_element(xml, &inner)?);
            }
            let owner = ReferenceOwner::Object(id);
            let place = self.part.at_line(child.line);
            self.warn_of_transform(&component.transform, &owner, place);
            self.refer_to_kept(owner, &component.extra, child.line);
            self.refer_to_object(owner, component.object, &component.extra, child.line);
            components.push(component);
        }
        Ok(components)
    }

    fn read_level_set<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        id: u32,
    ) -> Result<LevelSet, ReadError> {
        let at = Attributes::new(xml, element);
        let mesh = at.id("meshid")?;
        let mesh_bbox_only = at.boolean("meshbboxonly")?.unwrap_or_default();
        let volume = at.optional_id("volumeid")?;
        let owner = ReferenceOwner::Object(id);
        let field = self.read_field(xml, element, owner, &LEVEL_SET)?;
        self.add_reference(owner, Role::Mesh, mesh, element.line);
        if let Some(volume) = volume {
            self.add_reference(owner, Role::Volume, volume, element.line);
        }
        Ok(LevelSet {
            field,
            mesh,
            mesh_bbox_only,
            volume,
        })
    }

    /// Records the references of kept attributes and elements of one element.
    fn refer_to_kept(&mut self, owner: ReferenceOwner, extra: &Extra, line: u64) {
        let kept: BTreeSet<ResourceId> = extra_references(extra).into_iter().collect();
        for id in kept {
            self.add_reference(owner, Role::Kept, id, line);
        }
    }

    /// Records a reference, which is checked when all resources are known.
    pub(crate) fn add_reference(
        &mut self,
        owner: ReferenceOwner,
        role: Role,
        id: ResourceId,
        line: u64,
    ) {
        self.references.push(Reference {
            owner,
            role,
            id: id.0,
            line,
            is_forward: !self.resources.contains_key(&id.0),
        });
    }

    /// Warns of a transform that mirrors or flattens.
    pub(crate) fn warn_of_transform(
        &mut self,
        transform: &Transform,
        owner: &ReferenceOwner,
        place: Location,
    ) {
        let volume = transform.determinant();
        if volume < 0.0 {
            let message =
                format!("the transform of {owner} is a reflection: its determinant is {volume}");
            let fix = "not every program reverses the triangles; mirror the mesh itself";
            self.findings.warn("mirror_transform", place, message, fix);
        } else if volume == 0.0 {
            let message = format!("the transform of {owner} is singular: its determinant is 0");
            self.findings
                .warn("flat_transform", place, message, "correct the transform");
        }
    }
}

/// Rejects a second element of which there may be one.
pub(crate) fn check_unique<R: Read>(
    xml: &XmlReader<R>,
    element: &Element,
    there: bool,
) -> Result<(), ReadError> {
    if !there {
        return Ok(());
    }
    let text = format!(
        "there is a second <{}>, or an equivalent element, but only one is allowed",
        brief(&element.name)
    );
    Err(Problem::Structure(text).at(xml.location().at_line(element.line)))
}
