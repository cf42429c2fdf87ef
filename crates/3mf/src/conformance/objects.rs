//! Rules of models, metadata, objects, meshes and components (core 3 and 4).

use std::io::Read;

use super::facts::{Class, ObjectFacts, ObjectReference, OpenObject, PartPath, PathUse};
use super::part::{PartChecker, Values};
use super::schema::Namespace;
use super::values::is_simple_type;
use crate::error::{Problem, ReadError, brief};
use crate::numbers::{finite, index, resource_id};
use crate::xml::XmlReader;
use crate::xml::element::Element;
use crate::xml::fast_tags;

/// Names of metadata that core defines (table 3-1).
const METADATA: [&str; 9] = [
    "Title",
    "Designer",
    "Description",
    "Copyright",
    "LicenseTerms",
    "Rating",
    "CreationDate",
    "ModificationDate",
    "Application",
];

impl PartChecker<'_> {
    pub(super) fn enter_model<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        values: &Values<'_>,
        line: u64,
    ) {
        let uris = |name: &str| -> Vec<String> {
            let prefixes = values.text(name).unwrap_or_default().split_whitespace();
            prefixes
                .filter_map(|prefix| xml.namespace(prefix))
                .collect()
        };
        let required = uris("requiredextensions");
        if let Some(both) = uris("recommendedextensions")
            .into_iter()
            .find(|uri| required.contains(uri))
        {
            let message = format!("the extension {} is required and recommended", brief(&both));
            let fix = "remove its prefix from recommendedextensions";
            self.violate("required_and_recommended", line, message, fix);
        }
        if !self.facts.is_root() {
            for name in ["requiredextensions", "recommendedextensions"] {
                for prefix in values.text(name).unwrap_or_default().split_whitespace() {
                    if xml.namespace(prefix).is_none() {
                        let message =
                            format!("{name} lists the undeclared prefix {}", brief(prefix));
                        self.violate(
                            "unknown_extension",
                            line,
                            message,
                            "declare the prefix in <model>, or remove it",
                        );
                    }
                }
            }
        }
        self.facts.required.extend(required);
    }

    pub(super) fn enter_metadata<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        values: &Values<'_>,
        line: u64,
    ) {
        let Some(name) = values.text("name").map(str::trim) else {
            return;
        };
        let mut key = name.to_owned();
        match name.split_once(':') {
            None if !METADATA.contains(&name) => {
                let message = format!(
                    "the metadata name {} has no prefix, and is not of the specification: {}",
                    brief(name),
                    METADATA.join(", ")
                );
                self.violate(
                    "metadata_name",
                    line,
                    message,
                    "give it the prefix of a namespace that <model> declares",
                );
            }
            None => {}
            Some((prefix, local)) => match xml.namespace(prefix) {
                Some(uri) if Some(&uri) != xml.namespace("").as_ref() => {
                    key = format!("{{{uri}}}{local}")
                }
                found => {
                    let state = found.map_or("not declared", |_| "that of the default namespace");
                    let message =
                        format!("the prefix of the metadata name {} is {state}", brief(name));
                    self.violate(
                        "metadata_prefix",
                        line,
                        message,
                        "declare a namespace of its own for it in <model>",
                    );
                }
            },
        }
        if !self.metadata.insert(key) {
            let message = format!("there is a second metadata with the name {}", brief(name));
            self.violate("duplicate_metadata", line, message, "keep one of them");
        }
        if let Some(ty) = values.text("type").filter(|ty| !is_simple_type(ty)) {
            let message = format!(
                "the type of the metadata {} is {}, which is no built-in simple type",
                brief(name),
                brief(ty)
            );
            self.violate(
                "metadata_type",
                line,
                message,
                "use a type such as xs:string",
            );
        }
    }

    /// Records a UUID, or that it is missing where production requires one.
    fn check_uuid(&mut self, values: &Values<'_>, of: &str, line: u64) {
        match values.prefixed(Namespace::Production, "UUID") {
            Some(uuid) => self.add_uuid(uuid, line),
            None if self.facts.requires(Namespace::Production) => {
                let message =
                    format!("{of} has no p:UUID, but the production extension is required");
                self.violate(
                    "missing_uuid",
                    line,
                    message,
                    "add a p:UUID, or do not require the production extension",
                );
            }
            None => {}
        }
    }

    fn add_uuid(&mut self, uuid: &str, line: u64) {
        let place = self.part.at_line(line);
        if let Some(first) = self.uuids.insert(uuid.to_ascii_lowercase(), place) {
            let message = format!("the UUID {} is also that of {first}", brief(uuid));
            self.violate("duplicate_uuid", line, message, "generate a new UUID");
        }
    }

    pub(super) fn enter_build(&mut self, values: &Values<'_>, line: u64) {
        if self.facts.is_root() {
            self.check_uuid(values, "<build>", line);
        }
    }

    pub(super) fn enter_item(&mut self, values: &Values<'_>, line: u64) {
        if !self.facts.is_root() {
            if self.object.reported.insert("build_in_child_part") {
                let message = "the build of this part has items, which are ignored: it is not the root model part".to_owned();
                self.violate(
                    "build_in_child_part",
                    line,
                    message,
                    "move the items to the root model part",
                );
            }
            return;
        }
        self.check_uuid(values, "the build item", line);
        let item =
            self.object_reference(values, values.prefixed(Namespace::Production, "path"), line);
        self.facts.items.push(item);
    }

    /// Reference of an item, component or alternative, whose path is recorded.
    fn object_reference(
        &mut self,
        values: &Values<'_>,
        path: Option<&str>,
        line: u64,
    ) -> ObjectReference {
        let id = values
            .text("objectid")
            .and_then(resource_id)
            .unwrap_or_default();
        if let Some(path) = path {
            if !self.facts.is_root() {
                let message = format!(
                    "there is the path {} in a model part that is not the root",
                    brief(path)
                );
                self.violate(
                    "path_in_child_part",
                    line,
                    message,
                    "refer to an object of the same part",
                );
            }
            self.require_extension(
                Namespace::Production,
                "production",
                "paths to objects of other parts",
                line,
            );
            self.add_path(path, line, PathUse::Object(id));
        }
        ObjectReference {
            id,
            path: path.map(str::to_owned),
            transform: values.text("transform").map(str::to_owned),
            line,
        }
    }

    pub(super) fn add_path(&mut self, path: &str, line: u64, of: PathUse) {
        let path = path.to_owned();
        self.facts.paths.push(PartPath {
            path,
            line,
            of,
            content_type: None,
            image: self.open,
        });
    }

    /// Reports content of an extension that must be required.
    pub(super) fn require_extension(
        &mut self,
        namespace: Namespace,
        name: &str,
        content: &str,
        line: u64,
    ) {
        if !self.facts.requires(namespace) {
            // One finding for an extension.
            self.facts.required.insert(namespace.uri().to_owned());
            let message = format!(
                "the part has {content}, but requiredextensions does not name the {name} extension"
            );
            self.violate(
                "required_extension",
                line,
                message,
                "add its prefix to requiredextensions",
            );
        }
    }

    pub(super) fn enter_object(&mut self, values: &Values<'_>, line: u64) {
        self.object = OpenObject {
            id: self.open,
            facts: ObjectFacts {
                line,
                object_type: values.text("type").unwrap_or_default().to_owned(),
                stack: values
                    .prefixed(Namespace::Slice, "slicestackid")
                    .and_then(resource_id),
                ..ObjectFacts::default()
            },
            pid: values.text("pid").and_then(resource_id),
            pindex: values.number("pindex"),
            ..OpenObject::default()
        };
        let id = self.open;
        self.check_uuid(values, &format!("object {id}"), line);
        if values.text("pindex").is_some() && values.text("pid").is_none() {
            let message = format!("object {id} has pindex, but no pid, whose property it is");
            self.violate(
                "pindex_without_pid",
                line,
                message,
                "add pid, or remove pindex",
            );
        }
        self.check_property(
            self.object.pid,
            self.object.pindex,
            &format!("pindex of object {id}"),
            line,
        );
        if let Some(path) = values.text("thumbnail") {
            self.add_path(path, line, PathUse::Thumbnail);
        }
        if values.prefixed(Namespace::Slice, "meshresolution") == Some("lowres") {
            self.require_extension(Namespace::Slice, "slice", "a mesh of low resolution", line);
        }
    }

    /// Reports the index of a property that its group does not have.
    pub(super) fn check_property(
        &mut self,
        group: Option<u32>,
        index: Option<u32>,
        what: &str,
        line: u64,
    ) {
        let (Some(group), Some(index)) = (group, index) else {
            return;
        };
        let Some(resource) = self.facts.resources.get(&group) else {
            return;
        };
        if resource.class == Class::Other || index < resource.count {
            return;
        }
        let count = resource.count;
        if self.object.reported.insert("property_index") {
            let message = format!("{what} is {index}, but resource {group} has {count} properties");
            self.violate(
                "property_index",
                line,
                message,
                "use an index of the group, from 0 on",
            );
        }
    }

    pub(super) fn enter_components(&mut self, line: u64) {
        if self.object.pid.is_some() || self.object.pindex.is_some() {
            let message = format!(
                "object {} has components, and pid or pindex",
                self.object.id
            );
            self.violate(
                "components_with_properties",
                line,
                message,
                "give the properties to the objects of its components",
            );
        }
    }

    pub(super) fn enter_component(&mut self, values: &Values<'_>, line: u64) {
        self.check_uuid(values, "the component", line);
        let path = values.prefixed(Namespace::Production, "path");
        let component = self.object_reference(values, path, line);
        self.object.facts.components.push(component);
    }

    pub(super) fn enter_alternative(&mut self, values: &Values<'_>, line: u64) {
        if let Some(uuid) = values.text("UUID") {
            self.add_uuid(uuid, line);
        }
        let alternative = self.object_reference(values, values.text("path"), line);
        self.object.facts.alternatives.push(alternative);
    }

    pub(super) fn leave_object(&mut self, line: u64) {
        let object = std::mem::take(&mut self.object);
        if object.has_properties && !(object.pid.is_some() && object.pindex.is_some()) {
            let message = format!(
                "object {} has triangles with properties, but not pid and pindex, their defaults",
                object.id
            );
            self.violate(
                "no_default_property",
                line,
                message,
                "add pid and pindex to the object",
            );
        }
        self.facts.objects.insert(object.id, object.facts);
    }

    pub(super) fn read_plain_vertices<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
    ) -> Result<usize, ReadError> {
        let (budget, vertices) = (&mut self.budget, &mut self.object.vertices);
        let before = vertices.len();
        fast_tags::read_tags(
            xml,
            &child_tag(list, "vertices", "vertex"),
            ["x", "y", "z"],
            |[x, y, z]| {
                let [Some(x), Some(y), Some(z)] = [x, y, z].map(|text| finite(text?)) else {
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
        } else if let Some(identifier) = identifier
            && !self.object.sets.insert(identifier.to_owned())
        {
            let message = format!(
                "two triangle sets of a mesh have the identifier {}",
                brief(identifier)
            );
            self.violate("triangle_set_identifier", line, message, "rename one");
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
