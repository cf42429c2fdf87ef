//! The vertices and triangles of a mesh.

use std::io::Read;

use fibula_core::graph::model::MeshBody;
use fibula_nodes::ResourceId;

use super::attributes::Attributes;
use super::element::{Element, Space};
use super::error::{Problem, ReadError, brief};
use super::fast_tags;
use super::mesh::{MeshData, TriangleProperty};
use super::model::{File, NO_PLACE};
use super::numbers::{finite, index, invalid, resource_id};
use super::object::once;
use super::resources::{Expected, Owner};
use super::sparse::Column;
use super::xml::Xml;

/// The attributes of a vertex.
const VERTEX: [&str; 3] = ["x", "y", "z"];

/// The attributes of a triangle.
const TRIANGLE: [&str; 7] = ["v1", "v2", "v3", "pid", "p1", "p2", "p3"];

/// How many bytes a vertex, a triangle and what is said of one take.
const SIZES: [usize; 3] = [24, 12, 36];

/// The most attributes, by their names, that are kept of vertices or triangles.
const COLUMNS: usize = 64;

impl File<'_> {
    /// Reads a mesh whose start was read, and keeps it in its stored form.
    pub(super) fn read_mesh<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        id: u32,
    ) -> Result<MeshBody, ReadError> {
        let mut mesh = MeshData::default();
        let volume = match element
            .volumetric("volumeid")
            .or(element.attribute("volumeid"))
        {
            None => None,
            Some(text) => {
                let volume = resource_id(text).map(ResourceId);
                let wrong = || invalid("volumeid", text, "the id of volume data");
                Some(volume.ok_or_else(|| Attributes::of(xml, element).at(wrong()))?)
            }
        };
        let mut attributes = element.rest(&["volumeid"]);
        attributes
            .retain(|one| one.name != "volumeid" || !Space::of(&one.namespace).is_volumetric());
        mesh.extra.attributes = self.counted(xml, attributes)?;
        let (mut vertices, mut triangles) = (false, false);
        while let Some(child) = xml.child()? {
            match (child.space, child.name.as_str()) {
                (Space::Core, "vertices") => {
                    once(xml, &child, vertices)?;
                    vertices = true;
                    self.read_vertices(xml, &child, &mut mesh)?;
                }
                (Space::Core, "triangles") => {
                    once(xml, &child, triangles)?;
                    triangles = true;
                    self.read_triangles(xml, &child, &mut mesh, vertices)?;
                }
                _ => mesh.extra.elements.push(self.keep(xml, &child)?),
            }
        }
        self.stored_mesh(element, id, &mesh, volume)
    }

    fn stored_mesh(
        &mut self,
        element: &Element,
        id: u32,
        mesh: &MeshData,
        volume: Option<ResourceId>,
    ) -> Result<MeshBody, ReadError> {
        let (place, owner) = (self.part.at_line(element.line), Owner::Object(id));
        // Triangles that stand before the vertices were not held against them.
        let vertices = mesh.vertices.len();
        let outside = |&&vertex: &&u32| vertex as usize >= vertices;
        if let Some(&vertex) = mesh.triangles.iter().flatten().find(outside) {
            return Err(Problem::UnknownVertex { vertex, vertices }.at(place));
        }
        let flat = |[a, b, c]: &&[u32; 3]| a == b || b == c || c == a;
        let flat = mesh.triangles.iter().filter(flat).count();
        if flat > 0 {
            let message = format!("{flat} triangles of {owner} name one vertex twice");
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
            let fix = "give it triangles, or remove the object";
            self.findings.warn("empty_mesh", place, message, fix);
        }
        for &group in &groups {
            self.refers(
                owner,
                "pid of a triangle",
                group,
                Expected::PropertyGroup,
                element.line,
            );
        }
        let is_group = |id: &&ResourceId| groups.binary_search(*id).is_ok();
        for &other in body.references.iter().filter(|id| !is_group(id)) {
            self.refers(owner, "its mesh", other, Expected::Anything, element.line);
        }
        if let Some(volume) = volume {
            self.refers(owner, "volumeid", volume, Expected::Volume, element.line);
        }
        self.contents.insert(body.content, bytes);
        Ok(body)
    }

    fn read_vertices<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        list: &Element,
        mesh: &mut MeshData,
    ) -> Result<(), ReadError> {
        mesh.of_vertices = self.counted(xml, list.rest(&[]))?;
        if xml.is_closed() {
            return xml.skip();
        }
        let tag = sibling(list, "vertices", "vertex");
        loop {
            let (kept, vertices) = (&mut self.kept, &mut mesh.vertices);
            fast_tags::tags(xml, &tag, VERTEX, |[x, y, z]| {
                let [Some(x), Some(y), Some(z)] = [x, y, z].map(|text| finite(text?)) else {
                    return Ok(false);
                };
                kept.bytes(SIZES[0])?;
                vertices.push([x, y, z]);
                Ok(true)
            })?;
            let Some(element) = xml.child()? else {
                return Ok(());
            };
            if (element.space, element.name.as_str()) == (Space::Core, "vertex") {
                let at = Attributes::of(xml, &element);
                let mut coordinates = [0.0; 3];
                for (coordinate, name) in coordinates.iter_mut().zip(VERTEX) {
                    let found = at.take(name, "a finite number", finite)?;
                    *coordinate = found.ok_or_else(|| at.missing(name))?;
                }
                let index = mesh.vertices.len();
                self.paint(xml, &element, &VERTEX, index, &mut mesh.vertex_columns)?;
                let kept = self.kept.bytes(SIZES[0]);
                kept.map_err(|problem| xml.error(problem))?;
                mesh.vertices.push(coordinates);
            } else {
                let what = format!("element {} of vertices", brief(&element.name));
                self.left_out.add(what, None, NO_PLACE);
            }
            xml.skip()?;
        }
    }

    fn read_triangles<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        list: &Element,
        mesh: &mut MeshData,
        vertices_are_known: bool,
    ) -> Result<(), ReadError> {
        mesh.of_triangles = self.counted(xml, list.rest(&[]))?;
        if xml.is_closed() {
            return xml.skip();
        }
        let tag = sibling(list, "triangles", "triangle");
        let vertices = mesh.vertices.len();
        let most = if vertices_are_known {
            vertices
        } else {
            usize::MAX
        };
        loop {
            let kept = &mut self.kept;
            let (triangles, properties) = (&mut mesh.triangles, &mut mesh.properties);
            fast_tags::tags(xml, &tag, TRIANGLE, |values| {
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
                    let Some(property) = property(triangle, second) else {
                        return Ok(false);
                    };
                    properties.push(property);
                    SIZES[1] + SIZES[2]
                };
                kept.bytes(size)?;
                triangles.push([a, b, c]);
                Ok(true)
            })?;
            let Some(element) = xml.child()? else {
                return Ok(());
            };
            if (element.space, element.name.as_str()) == (Space::Core, "triangle") {
                self.read_triangle(xml, &element, mesh, most)?;
            } else {
                let what = format!("element {} of triangles", brief(&element.name));
                self.left_out.add(what, None, NO_PLACE);
            }
            xml.skip()?;
        }
    }

    fn read_triangle<R: Read>(
        &mut self,
        xml: &Xml<R>,
        element: &Element,
        mesh: &mut MeshData,
        most: usize,
    ) -> Result<(), ReadError> {
        let at = Attributes::of(xml, element);
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
        self.kept
            .bytes(size)
            .map_err(|problem| xml.error(problem))?;
        self.paint(
            xml,
            element,
            &TRIANGLE,
            triangle,
            &mut mesh.triangle_columns,
        )?;
        mesh.triangles.push(corners);
        Ok(())
    }

    /// Keeps the attributes of a vertex or triangle that are not understood.
    fn paint<R: Read>(
        &mut self,
        xml: &Xml<R>,
        element: &Element,
        known: &[&str],
        at: usize,
        columns: &mut Vec<Column>,
    ) -> Result<(), ReadError> {
        for attribute in element.rest(known) {
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
            let kept = self.kept.bytes(8 + attribute.value.len());
            kept.map_err(|problem| xml.error(problem))?;
            if !columns[column].push(at as u32, &attribute.value) {
                let what = "the text of one attribute of all triangles in bytes";
                let limit = u64::from(u32::MAX);
                return Err(xml.error(Problem::TooLarge { what, limit }));
            }
        }
        Ok(())
    }
}

/// What a triangle says of materials; `None` if it says something that it may not.
fn property(triangle: u32, values: &[Option<&str>]) -> Option<TriangleProperty> {
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

/// The name of the elements of a list, with the list's prefix.
fn sibling(list: &Element, name: &str, child: &str) -> String {
    let prefix = list.written().strip_suffix(name).unwrap_or_default();
    format!("{prefix}{child}")
}
