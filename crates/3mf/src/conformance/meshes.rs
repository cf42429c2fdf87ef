//! Rules of meshes: triangles, their properties and sets, and surfaces that bound a volume (core 4.1).

use std::io::Read;

use super::facts::Class;
use super::part::{PartChecker, Values};
use super::values::has_bare_point;
use crate::error::{Problem, ReadError, brief};
use crate::numbers::{finite, index, resource_id};
use crate::xml::XmlReader;
use crate::xml::element::Element;
use crate::xml::fast_tags;

impl PartChecker<'_> {
    pub(super) fn read_plain_vertices<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
    ) -> Result<usize, ReadError> {
        let (budget, vertices) = (&mut self.budget, &mut self.object.vertices);
        // The first number with a bare decimal point is left to the walk, which reports it.
        let is_plain = |text: &str| self.has_bare_point || !has_bare_point(text);
        let before = vertices.len();
        fast_tags::read_tags(
            xml,
            &child_tag(list, "vertices", "vertex"),
            ["x", "y", "z"],
            |[x, y, z]| {
                let number = |text: Option<&str>| finite(text.filter(|text| is_plain(text))?);
                let [Some(x), Some(y), Some(z)] = [x, y, z].map(number) else {
                    return Ok(false);
                };
                budget.charge_bytes(24)?;
                vertices.push([x, y, z]);
                Ok(true)
            },
        )?;
        Ok(vertices.len() - before)
    }

    pub(super) fn read_plain_triangles<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
    ) -> Result<usize, ReadError> {
        let (budget, triangles) = (&mut self.budget, &mut self.object.triangles);
        let before = triangles.len();
        // Triangles with properties are left to the walk.
        fast_tags::read_tags(
            xml,
            &child_tag(list, "triangles", "triangle"),
            ["v1", "v2", "v3"],
            |values| {
                let [Some(a), Some(b), Some(c)] = values.map(|text| index(text?)) else {
                    return Ok(false);
                };
                budget.charge_bytes(12)?;
                triangles.push([a, b, c]);
                Ok(true)
            },
        )?;
        Ok(triangles.len() - before)
    }

    pub(super) fn enter_vertex(&mut self, values: &Values<'_>) {
        let coordinates =
            ["x", "y", "z"].map(|name| values.text(name).and_then(finite).unwrap_or(f64::NAN));
        self.object.vertices.push(coordinates);
    }

    pub(super) fn enter_triangle(&mut self, values: &Values<'_>, line: u64) {
        let [a, b, c] = ["v1", "v2", "v3"].map(|name| values.number(name).unwrap_or(u32::MAX));
        self.object.triangles.push([a, b, c]);
        let indexes = ["p1", "p2", "p3"].map(|name| values.number(name));
        let Some(first) = indexes[0] else {
            return;
        };
        self.object.has_properties = true;
        let group = values.text("pid").and_then(resource_id).or(self.object.pid);
        let what = format!("a property of a triangle of object {}", self.object.id);
        for index in indexes {
            self.check_property(group, index, &what, line);
        }
        let is_gradient = indexes.into_iter().flatten().any(|index| index != first);
        if let (true, Some(code)) = (
            is_gradient,
            self.gradient_rule(group, "material_gradient", "display_gradient"),
        ) && self.object.reported.insert(code)
        {
            let message = format!(
                "p1, p2 and p3 of a triangle of object {} differ, but its group cannot be interpolated",
                self.object.id
            );
            self.violate(
                code,
                line,
                message,
                "leave out p2 and p3, or use a colour group",
            );
        }
    }

    /// Code of the rule that a gradient of a group breaks; `None` if there may be one.
    pub(super) fn gradient_rule(
        &self,
        group: Option<u32>,
        of_materials: &'static str,
        of_display: &'static str,
    ) -> Option<&'static str> {
        let resource = self.facts.resources.get(&group?)?;
        let display = resource
            .display
            .and_then(|id| self.facts.resources.get(&id));
        match (resource.class, display.map(|display| display.class)) {
            (Class::BaseMaterials, _) => Some(of_materials),
            (_, Some(Class::Display | Class::TranslucentDisplay)) => Some(of_display),
            _ => None,
        }
    }

    pub(super) fn enter_triangle_set(&mut self, values: &Values<'_>, line: u64) {
        let (name, identifier) = (values.text("name"), values.text("identifier"));
        if name == Some("") || identifier == Some("") {
            let message = "a triangle set has an empty name or identifier".to_owned();
            self.violate(
                "triangle_set_identifier",
                line,
                message,
                "give it a name and an identifier",
            );
        } else if let Some(identifier) = identifier {
            self.check_qualified_name("the identifier of a triangle set", identifier, line);
            if !self.object.sets.insert(identifier.to_owned()) {
                let message = format!(
                    "two triangle sets of a mesh have the identifier {}",
                    brief(identifier)
                );
                self.violate("triangle_set_identifier", line, message, "rename one");
            }
        }
    }

    pub(super) fn enter_triangle_reference(&mut self, values: &Values<'_>, line: u64) {
        let count = self.object.triangles.len();
        let (start, end) = (values.number("startindex"), values.number("endindex"));
        let wrong = [values.number("index"), start, end]
            .into_iter()
            .flatten()
            .find(|&index| index as usize >= count);
        let reversed = start.zip(end).filter(|(start, end)| start > end);
        if let Some(index) = wrong {
            let message = format!(
                "a triangle set refers to triangle {index}, but its mesh has {count} triangles"
            );
            self.violate("triangle_reference", line, message, "correct the index");
        } else if let Some((start, end)) = reversed {
            let message = format!(
                "a triangle set refers to the triangles {start} to {end}, which is no range"
            );
            self.violate("triangle_reference", line, message, "exchange the indices");
        }
    }

    pub(super) fn leave_mesh(&mut self) {
        let object = &mut self.object;
        object.facts.is_mesh = true;
        let line = object.mesh_line.unwrap_or(object.facts.line);
        let missing = std::mem::take(&mut object.missing);
        if !object.facts.has_lattice {
            for (line, message, fix) in missing {
                self.violate("missing_element", line, message, &fix);
            }
        }
        let vertices = std::mem::take(&mut self.object.vertices);
        let triangles = std::mem::take(&mut self.object.triangles);
        let id = self.object.id;
        if let Some(vertex) = triangles
            .iter()
            .flatten()
            .find(|&&vertex| vertex as usize >= vertices.len())
        {
            // The reader rejects those of the root part.
            if !self.facts.is_root() {
                let problem = Problem::UnknownVertex {
                    vertex: *vertex,
                    vertices: vertices.len(),
                };
                self.violate(
                    "unknown_vertex",
                    line,
                    problem.to_string(),
                    "correct the triangle",
                );
            }
            return;
        }
        if self.object.facts.is_solid() {
            self.check_surface(id, &vertices, &triangles, line);
        }
    }

    /// Checks that triangles bound a volume.
    fn check_surface(&mut self, id: u32, vertices: &[[f64; 3]], triangles: &[[u32; 3]], line: u64) {
        let flat = |[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
        let mut edges: Vec<u64> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles.iter().filter(flat) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (low, high) = (u64::from(from.min(to)), u64::from(from.max(to)));
                edges.push(low << 32 | high << 1 | u64::from(from > to));
            }
        }
        edges.sort_unstable();
        let (mut open, mut turned) = (Vec::new(), Vec::new());
        for edge in edges.chunk_by(|a, b| a | 1 == b | 1) {
            let ends = (edge[0] >> 32, edge[0] >> 1 & u64::from(u32::MAX >> 1));
            match edge {
                [one, other] if one != other => {}
                [_, _] => turned.push(ends),
                _ => open.push((ends, edge.len())),
            }
        }
        let fix = "repair the mesh, or give the object the type surface";
        if let Some(((a, b), count)) = open.first() {
            let message = format!(
                "{} edges of the mesh of object {id} do not belong to two triangles: that of the vertices {a} and {b} belongs to {count}",
                open.len()
            );
            self.violate("open_edge", line, message, fix);
        }
        if let Some((a, b)) = turned.first() {
            let message = format!(
                "at {} edges of the mesh of object {id}, such as that of the vertices {a} and {b}, the triangles face opposite sides",
                turned.len()
            );
            self.violate("orientation", line, message, fix);
        }
        let volume: f64 = triangles
            .iter()
            .map(|&[a, b, c]| {
                let [a, b, c] = [a, b, c].map(|vertex| vertices[vertex as usize]);
                a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                    + a[2] * (b[0] * c[1] - b[1] * c[0])
            })
            .sum();
        if open.is_empty() && turned.is_empty() && volume < 0.0 {
            let message = format!(
                "the triangles of the mesh of object {id} face inwards: its volume is {}",
                volume / 6.0
            );
            self.violate(
                "inverted_mesh",
                line,
                message,
                "reverse the order of the vertices of all triangles",
            );
        }
    }
}

/// Name of the elements of a list, with the list's prefix.
fn child_tag(list: &Element, name: &str, child: &str) -> String {
    let prefix = list.qualified_name().strip_suffix(name).unwrap_or_default();
    format!("{prefix}{child}")
}
