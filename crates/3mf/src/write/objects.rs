//! Objects, images and volume data as elements.

use fibula_core::graph::ImageFunction;
use fibula_core::graph::model::{
    Attribute, Body, Extra, Field, ImageStack, LevelSet, Metadata, Object, Transform, VolumeData,
};
use fibula_nodes::ResourceId;

use super::VOLUME;
use super::contents::FetchedContent;
use super::identifier::PortsById;
use super::prefixes::Prefixes;
use super::uuids::MissingUuids;
use super::xml_writer::{EscapeContext, XmlWriter, escape, number};
use crate::mesh::MeshData;
use crate::roundtrip::image_sampler::{filter_name, tile_name};
use crate::roundtrip::inner_content::{InnerContents, is_inner};
use crate::sparse_column::Column;

/// Writer of the model part.
pub(super) struct ModelWriter<'w, 's> {
    pub(super) to: &'w mut XmlWriter<'s>,
    pub(super) prefixes: &'w Prefixes,
    pub(super) signatures: &'w PortsById,
    pub(super) uuids: Option<MissingUuids>,
}

impl ModelWriter<'_, '_> {
    /// Writes kept attributes to the element that was just opened, except those that it already has.
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        for one in attributes {
            if let Some(name) = self.prefixes.attribute(&one.namespace, &one.name) {
                self.to.attribute_if_absent(&name, &one.value);
            }
        }
    }

    /// As [`attributes`](Self::attributes), of something that must have a UUID.
    pub(super) fn attributes_with_uuid(&mut self, attributes: &[Attribute], what: &str) {
        self.attributes(attributes);
        let uuids = self.uuids.as_ref();
        if let Some((name, value)) = uuids.and_then(|uuids| uuids.missing(attributes, what)) {
            self.to.attribute(name, &value);
        }
    }

    /// Writes kept elements, except the content of inner ones, which is written there.
    pub(super) fn elements(&mut self, elements: &[String]) {
        for element in elements.iter().filter(|element| !is_inner(element)) {
            self.to.fragment(&self.prefixes.rewritten(element));
        }
    }

    fn extra(&mut self, extra: &Extra) {
        self.attributes(&extra.attributes);
        self.elements(&extra.elements);
    }

    fn transform(&mut self, transform: &Transform) {
        if !transform.is_identity() {
            self.to.numbers("transform", &transform.0);
        }
    }

    /// Writes metadata elements, with the kept content that `inner` has by their indexes or names.
    pub(super) fn metadata(&mut self, all: &[Metadata], inner: &mut InnerContents) {
        for (index, one) in all.iter().enumerate() {
            let name = self.prefixes.qualified(&one.name);
            self.to
                .start("metadata")
                .attribute("name", &name)
                .optional("type", &one.value_type);
            if let Some(preserve) = one.preserve {
                self.to
                    .attribute("preserve", if preserve { "1" } else { "0" });
            }
            for place in [
                format!("metadata {index}"),
                format!("metadata {}", one.name),
            ] {
                self.attributes(&inner.take(&place).attributes);
            }
            self.to.content(&one.value);
            self.to.end();
        }
    }

    /// Writes a metadata group, if it is not empty.
    pub(super) fn metadata_group(&mut self, all: &[Metadata], inner: &mut InnerContents) {
        let group = inner.take("metadatagroup");
        if all.is_empty() && group.is_empty() {
            return;
        }
        self.to.start("metadatagroup");
        self.attributes(&group.attributes);
        self.metadata(all, inner);
        self.elements(&group.elements);
        self.to.end();
    }

    /// Writes an object.
    pub(super) fn object(
        &mut self,
        id: ResourceId,
        object: &Object,
        fetched: Option<&FetchedContent>,
    ) {
        self.to
            .start("object")
            .integer("id", id)
            .attribute("type", object.object_type.name())
            .optional("name", &object.name)
            .optional("partnumber", &object.part_number);
        if let Some(properties) = object.properties {
            self.to.integer("pid", properties.group);
            if let Some(index) = properties.index {
                self.to.integer("pindex", index);
            }
        }
        self.attributes_with_uuid(&object.extra.attributes, &format!("object {id}"));
        let (mut inner, _) = InnerContents::split(&object.extra.elements);
        self.metadata_group(&object.metadata, &mut inner);
        match (&object.body, fetched) {
            (Body::Mesh(body), Some(FetchedContent::Mesh(mesh))) => self.mesh(body.volume, mesh),
            (Body::Foreign(_), Some(FetchedContent::Xml(xml))) => {
                self.elements(std::slice::from_ref(xml));
            }
            (Body::LevelSet(level), _) => self.level_set(level),
            (Body::Components(parts), _) => {
                let content = inner.take("components");
                self.to.start("components");
                self.attributes(&content.attributes);
                for (number, part) in parts.iter().enumerate() {
                    self.to.start("component").integer("objectid", part.object);
                    self.transform(&part.transform);
                    let what = format!("component {number} of object {id}");
                    self.attributes_with_uuid(&part.extra.attributes, &what);
                    self.elements(&part.extra.elements);
                    self.to.end();
                }
                self.elements(&content.elements);
                self.to.end();
            }
            // Their contents were fetched before.
            (Body::Mesh(_) | Body::Foreign(_), _) => {}
        }
        self.elements(&object.extra.elements);
        self.to.end();
    }

    fn level_set(&mut self, level: &LevelSet) {
        self.to.start(&format!("{VOLUME}levelset"));
        self.field(&level.field);
        self.to
            .integer("meshid", level.mesh)
            .attribute("meshbboxonly", &level.mesh_bbox_only.to_string());
        if let Some(volume) = level.volume {
            self.to.integer("volumeid", volume);
        }
        self.extra(&level.field.extra);
        self.to.end();
    }

    /// Writes the attributes of a field.
    fn field(&mut self, field: &Field) {
        let signature = self.signatures.get(&field.function_id);
        let channel = signature.map_or(field.channel.as_str(), |one| one.output(&field.channel));
        self.to
            .integer("functionid", field.function_id)
            .attribute("channel", channel);
        self.transform(&field.transform);
        for (name, value) in [
            ("minfeaturesize", field.min_feature_size),
            ("fallbackvalue", field.fallback_value),
        ] {
            if value.to_bits() != 0 {
                self.to.number(name, value);
            }
        }
    }

    /// Writes volume data.
    pub(super) fn volume(&mut self, id: ResourceId, volume: &VolumeData) {
        self.to
            .start(&format!("{VOLUME}volumedata"))
            .integer("id", id);
        self.attributes(&volume.extra.attributes);
        if let Some(composite) = &volume.composite {
            self.to
                .start(&format!("{VOLUME}composite"))
                .integer("basematerialid", composite.base_materials);
            let (mut inner, _) = InnerContents::split(&volume.extra.elements);
            let content = inner.take("composite");
            self.attributes(&content.attributes);
            for field in &composite.materials {
                self.field_element("materialmapping", field);
            }
            self.elements(&content.elements);
            self.to.end();
        }
        if let Some(field) = &volume.color {
            self.field_element("color", field);
        }
        for property in &volume.properties {
            self.to
                .start(&format!("{VOLUME}property"))
                .attribute("name", &self.prefixes.qualified(&property.name));
            self.field(&property.field);
            self.to
                .attribute("required", &property.required.to_string());
            self.extra(&property.field.extra);
            self.to.end();
        }
        self.elements(&volume.extra.elements);
        self.to.end();
    }

    fn field_element(&mut self, element: &str, field: &Field) {
        self.to.start(&format!("{VOLUME}{element}"));
        self.field(field);
        self.extra(&field.extra);
        self.to.end();
    }

    /// Writes a 3D image.
    pub(super) fn image(&mut self, id: ResourceId, image: &ImageStack) {
        self.to
            .start(&format!("{VOLUME}image3d"))
            .integer("id", id)
            .optional("name", &image.name);
        self.attributes(&image.extra.attributes);
        self.to
            .start(&format!("{VOLUME}imagestack"))
            .integer("rowcount", image.rows)
            .integer("columncount", image.columns)
            .integer("sheetcount", image.sheets.len());
        let (mut inner, _) = InnerContents::split(&image.extra.elements);
        let stack = inner.take("imagestack");
        self.attributes(&stack.attributes);
        for (index, sheet) in image.sheets.iter().enumerate() {
            self.to
                .start(&format!("{VOLUME}imagesheet"))
                .attribute("path", &format!("/{}", sheet.path));
            let content = inner.take(&format!("imagesheet {index}"));
            self.attributes(&content.attributes);
            self.elements(&content.elements);
            self.to.end();
        }
        self.elements(&stack.elements);
        self.to.end();
        self.elements(&image.extra.elements);
        self.to.end();
    }

    /// Writes an image function.
    pub(super) fn image_function(&mut self, id: ResourceId, image: &ImageFunction) {
        self.to
            .start(&format!("{VOLUME}functionfromimage3d"))
            .integer("id", id)
            .attribute("displayname", &image.name)
            .integer("image3did", image.image)
            .number("valueoffset", image.offset)
            .number("valuescale", image.scale);
        for (name, tile) in ["tilestyleu", "tilestylev", "tilestylew"]
            .iter()
            .zip(image.tiles)
        {
            self.to.attribute(name, tile_name(tile));
        }
        self.to.attribute("filter", filter_name(image.filter));
        self.to.end();
    }

    fn mesh(&mut self, volume: Option<ResourceId>, mesh: &MeshData) {
        self.to.start("mesh");
        if let Some(volume) = volume {
            self.to.integer(&format!("{VOLUME}volumeid"), volume);
        }
        self.attributes(&mesh.extra.attributes);
        self.to.start("vertices");
        self.attributes(&mesh.vertex_list_attributes);
        let (mut inner, _) = InnerContents::split(&mesh.extra.elements);
        let has_inner = inner.has("vertex ");
        let mut columns = self.columns(&mesh.vertex_columns);
        for (at, vertex) in mesh.vertices.iter().enumerate() {
            let content = self.inner_xml(has_inner, &mut inner, || format!("vertex {at}"));
            self.to.row(|row| {
                for (name, &value) in ["<vertex x=\"", "\" y=\"", "\" z=\""].iter().zip(vertex) {
                    row.extend_from_slice(name.as_bytes());
                    number(value, row);
                }
                row.push(b'"');
                for column in &mut columns {
                    column.write(at, row);
                }
                close_row("vertex", &content, row);
            });
        }
        self.elements(&inner.take("vertices").elements);
        self.to.end();
        self.to.start("triangles");
        self.attributes(&mesh.triangle_list_attributes);
        let has_inner = inner.has("triangle ");
        let mut columns = self.columns(&mesh.triangle_columns);
        let mut properties = mesh.properties.iter().peekable();
        for (at, triangle) in mesh.triangles.iter().enumerate() {
            let content = self.inner_xml(has_inner, &mut inner, || format!("triangle {at}"));
            let property = properties.next_if(|one| one.triangle as usize == at);
            self.to.row(|row| {
                for (name, &value) in ["<triangle v1=\"", "\" v2=\"", "\" v3=\""]
                    .iter()
                    .zip(triangle)
                {
                    row.extend_from_slice(name.as_bytes());
                    write_integer(value, row);
                }
                row.push(b'"');
                if let Some(property) = property {
                    let group = property.group.map(|group| group.0);
                    let [first, second, third] = property.indexes;
                    for (name, value) in
                        [("pid", group), ("p1", first), ("p2", second), ("p3", third)]
                    {
                        let Some(value) = value else { continue };
                        row.push(b' ');
                        row.extend_from_slice(name.as_bytes());
                        row.extend_from_slice(b"=\"");
                        write_integer(value, row);
                        row.push(b'"');
                    }
                }
                for column in &mut columns {
                    column.write(at, row);
                }
                close_row("triangle", &content, row);
            });
        }
        self.elements(&inner.take("triangles").elements);
        self.to.end();
        self.elements(&mesh.extra.elements);
        self.to.end();
    }

    /// Kept elements of a place, as they are written.
    fn inner_xml(
        &self,
        is_there: bool,
        inner: &mut InnerContents,
        place: impl FnOnce() -> String,
    ) -> String {
        let elements = if is_there {
            inner.take(&place()).elements
        } else {
            Vec::new()
        };
        let texts = elements.iter().map(|one| self.prefixes.rewritten(one));
        texts.collect()
    }

    fn columns<'c>(&self, columns: &'c [Column]) -> Vec<ColumnCursor<'c>> {
        let values = |column: &'c Column| {
            let name = self.prefixes.attribute(&column.namespace, &column.name)?;
            let mut rest: Box<dyn Iterator<Item = (u32, &'c str)>> = Box::new(column.iter());
            let next = rest.next();
            Some(ColumnCursor { name, next, rest })
        };
        columns.iter().filter_map(values).collect()
    }
}

/// Cursor over the values of a column.
struct ColumnCursor<'c> {
    name: String,
    next: Option<(u32, &'c str)>,
    rest: Box<dyn Iterator<Item = (u32, &'c str)> + 'c>,
}

impl ColumnCursor<'_> {
    fn write(&mut self, at: usize, row: &mut Vec<u8>) {
        let Some((_, value)) = self.next.filter(|(next, _)| *next as usize == at) else {
            return;
        };
        row.push(b' ');
        row.extend_from_slice(self.name.as_bytes());
        row.extend_from_slice(b"=\"");
        escape(value, EscapeContext::Attribute, row);
        row.push(b'"');
        self.next = self.rest.next();
    }
}

/// Closes the tag of an element, or the element if it has content.
fn close_row(name: &str, content: &str, row: &mut Vec<u8>) {
    if content.is_empty() {
        row.extend_from_slice(b"/>");
    } else {
        row.extend_from_slice(format!(">{content}</{name}>").as_bytes());
    }
}

/// Writes an integer without the formatting machinery; a million triangles have three million of them.
fn write_integer(mut value: u32, to: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[first..]);
}
