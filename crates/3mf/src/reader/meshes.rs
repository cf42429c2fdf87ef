//! Reader of meshes: vertices, triangles and their properties.

use std::io::Read;

use fibula_core::graph::model::MeshBody;
use fibula_nodes::ResourceId;

use super::ModelReader;
use super::objects::check_unique;
use crate::error::{Locate, Problem, ReadError};
use crate::mesh::{MeshData, TriangleProperty};
use crate::numbers::{finite, index, invalid, resource_id};
use crate::references::{ReferenceOwner, Role};
use crate::roundtrip::inner_content::InnerContents;
use crate::sparse_column::Column;
use crate::xml::XmlReader;
use crate::xml::attributes::Attributes;
use crate::xml::element::{Element, Schema};
use crate::xml::fast_tags;

/// Attributes of a vertex.
const VERTEX: [&str; 3] = ["x", "y", "z"];

/// Attributes of a triangle.
const TRIANGLE: [&str; 7] = ["v1", "v2", "v3", "pid", "p1", "p2", "p3"];

/// Bytes of a vertex, of a triangle and of the properties of a triangle.
const SIZES: [usize; 3] = [24, 12, 36];

/// Maximum number of unknown attributes, by their names, of vertices or triangles.
const COLUMNS: usize = 64;

impl ModelReader<'_> {
    /// Reads a mesh whose start tag was read, and keeps it in its stored form.
    pub(crate) fn read_mesh<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        id: u32,
    ) -> Result<MeshBody, ReadError> {
        let mut mesh = MeshData::default();
        let volume = match element
            .volumetric_attribute("volumeid")
            .or(element.attribute("volumeid"))
        {
            None => None,
            Some(text) => {
                let volume = resource_id(text).map(ResourceId);
                let wrong = || invalid("volumeid", text, "the id of volume data");
                Some(volume.ok_or_else(|| Attributes::new(xml, element).at(wrong()))?)
            }
        };
        let mut attributes = element.unknown_attributes(&["volumeid"]);
        attributes.retain(|one| {
            one.name != "volumeid" || !Schema::from_uri(&one.namespace).is_volumetric()
        });
        mesh.extra.attributes = self.keep_attributes(xml, attributes)?;
        let (mut vertices, mut triangles) = (false, false);
        let mut inner = InnerContents::default();
        while let Some(child) = xml.next_child()? {
            match (child.schema, child.name.as_str()) {
                (Schema::Core, "vertices") => {
                    check_unique(xml, &child, vertices)?;
                    vertices = true;
                    self.read_vertices(xml, &child, &mut mesh, &mut inner)?;
                }
                (Schema::Core, "triangles") => {
                    check_unique(xml, &child, triangles)?;
                    triangles = true;
                    self.read_triangles(xml, &child, &mut mesh, vertices, &mut inner)?;
                }
                _ => mesh.extra.elements.push(self.keep_element(xml, &child)?),
            }
        }
        inner.store(&mut mesh.extra);
        self.store_mesh(element, id, &mesh, volume)
    }

    fn store_mesh(
        &mut self,
        element: &Element,
        id: u32,
        mesh: &MeshData,
        volume: Option<ResourceId>,
    ) -> Result<MeshBody, ReadError> {
        let (place, owner) = (self.part.at_line(element.line), ReferenceOwner::Object(id));
        // Triangles before the vertices were not checked against them.
        let vertices = mesh.vertices.len();
        let outside = |&&vertex: &&u32| vertex as usize >= vertices;
        if let Some(&vertex) = mesh.triangles.iter().flatten().find(outside) {
            return Err(Problem::UnknownVertex { vertex, vertices }.at(place));
        }
        let flat = |[a, b, c]: &&[u32; 3]| a == b || b == c || c == a;
        let flat = mesh.triangles.iter().filter(flat).count();
        if flat > 0 {
            let message = format!("{flat} triangles of {owner} use a vertex twice");
            let fix = "remove them: they have no area";
            self.findings
                .warn("degenerate_triangle", place.clone(), message, fix);
        }
        let mut groups: Vec<ResourceId> =
            mesh.properties.iter().filter_map(|one| one.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let bytes = mesh.to_bytes();
        let mut body = mesh.body(&bytes);
        body.volume = volume;
        if body.triangles == 0 && body.beams == 0 {
            let message = format!("the mesh of {owner} has no triangles");
            let fix = "add triangles, or remove the object";
            self.findings.warn("empty_mesh", place, message, fix);
        }
        for &group in &groups {
            self.add_reference(owner, Role::TriangleProperties, group, element.line);
        }
        let is_group = |id: &&ResourceId| groups.binary_search(*id).is_ok();
        for &other in body.references.iter().filter(|id| !is_group(id)) {
            self.add_reference(owner, Role::KeptInMesh, other, element.line);
        }
        if let Some(volume) = volume {
            self.add_reference(owner, Role::Volume, volume, element.line);
        }
        self.model.contents.insert(body.content, bytes);
        Ok(body)
    }

    fn read_vertices<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
        mesh: &mut MeshData,
        inner: &mut InnerContents,
    ) -> Result<(), ReadError> {
        mesh.vertex_list_attributes = self.keep_attributes(xml, list.unknown_attributes(&[]))?;
        if xml.is_self_closed() {
            return xml.skip();
        }
        let tag = child_tag(list, "vertices", "vertex");
        loop {
            let (budget, vertices) = (&mut self.budget, &mut mesh.vertices);
            fast_tags::read_tags(xml, &tag, VERTEX, |[x, y, z]| {
                let [Some(x), Some(y), Some(z)] = [x, y, z].map(|text| finite(text?)) else {
                    return Ok(false);
                };
                budget.charge_bytes(SIZES[0])?;
                vertices.push([x, y, z]);
                Ok(true)
            })?;
            let Some(element) = xml.next_child()? else {
                return Ok(());
            };
            if element.is(Schema::Core, "vertex") {
                let at = Attributes::new(xml, &element);
                let mut coordinates = [0.0; 3];
                for (coordinate, name) in coordinates.iter_mut().zip(VERTEX) {
                    let found = at.parse(name, "a finite number", finite)?;
                    *coordinate = found.ok_or_else(|| at.missing(name))?;
                }
                let index = mesh.vertices.len();
                self.keep_columns(xml, &element, &VERTEX, index, &mut mesh.vertex_columns)?;
                self.budget.charge_bytes(SIZES[0]).at(xml.location())?;
                mesh.vertices.push(coordinates);
                self.keep_children(xml, inner, &|| format!("vertex {index}"))?;
            } else {
                self.keep_inner_element(xml, &element, inner.at("vertices"))?;
            }
        }
    }

    fn read_triangles<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
        mesh: &mut MeshData,
        vertices_are_known: bool,
        inner: &mut InnerContents,
    ) -> Result<(), ReadError> {
        mesh.triangle_list_attributes = self.keep_attributes(xml, list.unknown_attributes(&[]))?;
        if xml.is_self_closed() {
            return xml.skip();
        }
        let tag = child_tag(list, "triangles", "triangle");
        let vertices = mesh.vertices.len();
        let most = if vertices_are_known {
            vertices
        } else {
            usize::MAX
        };
        loop {
            let budget = &mut self.budget;
            let (triangles, properties) = (&mut mesh.triangles, &mut mesh.properties);
            fast_tags::read_tags(xml, &tag, TRIANGLE, |values| {
                let (first, second) = values.split_at(3);
                let corner = |text: Option<&str>| {
                    let index = index(text?)?;
                    ((index as usize) < most).then_some(index)
                };
                let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k| corner(first[k])) else {
                    return Ok(false);
                };
                let size = if second.iter().all(Option::is_none) {
                    SIZES[1]
                } else {
                    let triangle = triangles.len() as u32;
                    let Some(property) = parse_property(triangle, second) else {
                        return Ok(false);
                    };
                    properties.push(property);
                    SIZES[1] + SIZES[2]
                };
                budget.charge_bytes(size)?;
                triangles.push([a, b, c]);
                Ok(true)
            })?;
            let Some(element) = xml.next_child()? else {
                return Ok(());
            };
            if element.is(Schema::Core, "triangle") {
                let index = mesh.triangles.len();
                self.read_triangle(xml, &element, mesh, most)?;
                self.keep_children(xml, inner, &|| format!("triangle {index}"))?;
            } else {
                self.keep_inner_element(xml, &element, inner.at("triangles"))?;
            }
        }
    }

    fn read_triangle<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        element: &Element,
        mesh: &mut MeshData,
        most: usize,
    ) -> Result<(), ReadError> {
        let at = Attributes::new(xml, element);
        let triangle = mesh.triangles.len();
        let mut corners = [0; 3];
        for (corner, name) in corners.iter_mut().zip(TRIANGLE) {
            *corner = at.index(name)?.ok_or_else(|| at.missing(name))?;
            if *corner as usize >= most {
                return Err(at.at(Problem::UnknownVertex {
                    vertex: *corner,
                    vertices: most,
                }));
            }
        }
        let property = TriangleProperty {
            triangle: triangle as u32,
            group: at.optional_id("pid")?,
            indexes: [at.index("p1")?, at.index("p2")?, at.index("p3")?],
        };
        let size = if property.group.is_some() || property.indexes != [None; 3] {
            mesh.properties.push(property);
            SIZES[1] + SIZES[2]
        } else {
            SIZES[1]
        };
        self.budget.charge_bytes(size).at(xml.location())?;
        self.keep_columns(
            xml,
            element,
            &TRIANGLE,
            triangle,
            &mut mesh.triangle_columns,
        )?;
        mesh.triangles.push(corners);
        Ok(())
    }

    /// Keeps the unknown attributes of a vertex or triangle.
    fn keep_columns<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        element: &Element,
        known: &[&str],
        at: usize,
        columns: &mut Vec<Column>,
    ) -> Result<(), ReadError> {
        for attribute in element.unknown_attributes(known) {
            let same = |one: &Column| {
                (one.namespace.as_str(), one.name.as_str())
                    == (attribute.namespace.as_str(), attribute.name.as_str())
            };
            let column = match columns.iter().position(same) {
                Some(column) => column,
                None if columns.len() == COLUMNS => {
                    let what = "the number of attributes of vertices or triangles, by their names";
                    let limit = COLUMNS as u64;
                    return Err(xml.error(Problem::TooLarge { what, limit }));
                }
                None => {
                    columns.push(Column::new(attribute.namespace, attribute.name));
                    columns.len() - 1
                }
            };
            self.budget
                .charge_bytes(8 + attribute.value.len())
                .at(xml.location())?;
            if !columns[column].push(at as u32, &attribute.value) {
                let what = "the text of one attribute of all triangles in bytes";
                let limit = u64::from(u32::MAX);
                return Err(xml.error(Problem::TooLarge { what, limit }));
            }
        }
        Ok(())
    }
}

/// Parses the material of a triangle; `None` if it is invalid.
fn parse_property(triangle: u32, values: &[Option<&str>]) -> Option<TriangleProperty> {
    let group = match values[0] {
        Some(text) => Some(ResourceId(resource_id(text)?)),
        None => None,
    };
    let mut indexes = [None; 3];
    for (found, text) in indexes.iter_mut().zip(&values[1..]) {
        if let Some(text) = text {
            *found = Some(index(text)?);
        }
    }
    Some(TriangleProperty {
        triangle,
        group,
        indexes,
    })
}

/// Name of the elements of a list, with the list's prefix.
fn child_tag(list: &Element, name: &str, child: &str) -> String {
    let prefix = list.qualified_name().strip_suffix(name).unwrap_or_default();
    format!("{prefix}{child}")
}
