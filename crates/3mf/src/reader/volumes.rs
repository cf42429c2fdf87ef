//! Reader of fields and of volume data (`<volumedata>`).

use std::io::Read;

use fibula_core::graph::model::{Composite, Field, Property, VolumeData};
use fibula_nodes::ResourceId;

use super::objects::check_unique;
use super::{ModelReader, qualified};
use crate::error::{Locate, ReadError};
use crate::references::{ReferenceOwner, ResourceClass, Role};
use crate::roundtrip::inner_content::{InnerContent, InnerContents};
use crate::xml::XmlReader;
use crate::xml::attributes::Attributes;
use crate::xml::element::Element;

/// Volume data with the lines of its fields.
#[derive(Debug)]
pub(crate) struct ParsedVolume {
    pub(crate) id: ResourceId,
    pub(crate) data: VolumeData,
    /// Lines of its fields, in the order of [`VolumeData::fields`].
    pub(crate) lines: Vec<u64>,
}

/// Attributes of a field.
const FIELD: [&str; 5] = [
    "functionid",
    "channel",
    "transform",
    "minfeaturesize",
    "fallbackvalue",
];

impl ModelReader<'_> {
    /// Reads volume data whose start tag was read.
    pub(crate) fn read_volume<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.claim_id(xml, element, ResourceClass::Volume)?;
        let mut data = VolumeData::default();
        let mut inner = InnerContents::default();
        data.extra.attributes = self.keep_attributes(xml, element.unknown_attributes(&["id"]))?;
        let (mut of_composite, mut of_color, mut of_properties) = (Vec::new(), None, Vec::new());
        while let Some(mut child) = xml.next_child()? {
            let volumetric = child.schema.is_volumetric();
            if volumetric {
                self.unprefix_attributes(xml, &mut child);
            }
            let line = child.line;
            match child.name.as_str() {
                "composite" if volumetric => {
                    check_unique(xml, &child, data.composite.is_some())?;
                    data.composite = Some(self.read_composite(
                        xml,
                        &child,
                        id,
                        &mut of_composite,
                        inner.at("composite"),
                    )?);
                }
                "color" if volumetric => {
                    check_unique(xml, &child, data.color.is_some())?;
                    data.color =
                        Some(self.read_field(xml, &child, ReferenceOwner::Volume(id), &[])?);
                    of_color = Some(line);
                }
                "property" if volumetric => {
                    let property = self.read_property(xml, &child, id)?;
                    data.properties.push(property);
                    of_properties.push(line);
                }
                _ => data.extra.elements.push(self.keep_element(xml, &child)?),
            }
        }
        inner.store(&mut data.extra);
        let lines = of_composite.into_iter().chain(of_color);
        self.volumes.push(ParsedVolume {
            id: ResourceId(id),
            data,
            lines: lines.chain(of_properties).collect(),
        });
        self.resources.insert(id, ResourceClass::Volume);
        Ok(())
    }

    fn read_composite<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        id: u32,
        lines: &mut Vec<u64>,
        inner: &mut InnerContent,
    ) -> Result<Composite, ReadError> {
        let at = Attributes::new(xml, element);
        // The plural is that of a draft.
        let found = at.optional_id("basematerialid")?;
        let base_materials = match found {
            Some(found) => found,
            None => at
                .optional_id("basematerialsid")?
                .ok_or_else(|| at.missing("basematerialid"))?,
        };
        let owner = ReferenceOwner::Volume(id);
        self.add_reference(owner, Role::BaseMaterials, base_materials, element.line);
        let attributes = element.unknown_attributes(&["basematerialid", "basematerialsid"]);
        inner.attributes = self.keep_attributes(xml, attributes)?;
        let mut materials = Vec::new();
        while let Some(mut child) = xml.next_child()? {
            if child.schema.is_volumetric() && child.name == "materialmapping" {
                self.unprefix_attributes(xml, &mut child);
                lines.push(child.line);
                materials.push(self.read_field(xml, &child, ReferenceOwner::Volume(id), &[])?);
            } else {
                self.keep_inner_element(xml, &child, inner)?;
            }
        }
        Ok(Composite {
            base_materials,
            materials,
        })
    }

    fn read_property<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        id: u32,
    ) -> Result<Property, ReadError> {
        let at = Attributes::new(xml, element);
        let name = element
            .attribute("name")
            .ok_or_else(|| at.missing("name"))?;
        let name = qualified(xml, name);
        self.budget.charge_bytes(name.len()).at(xml.location())?;
        let required = at.boolean("required")?.unwrap_or_default();
        let field = self.read_field(
            xml,
            element,
            ReferenceOwner::Volume(id),
            &["name", "required"],
        )?;
        Ok(Property {
            name,
            required,
            field,
        })
    }

    /// Reads the field of an element, and closes the element; `others` are attributes that are read elsewhere.
    pub(crate) fn read_field<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        owner: ReferenceOwner,
        others: &[&str],
    ) -> Result<Field, ReadError> {
        self.budget.charge_item(element).at(xml.location())?;
        let at = Attributes::new(xml, element);
        let function = at.id("functionid")?;
        let channel = element
            .attribute("channel")
            .ok_or_else(|| at.missing("channel"))?;
        let mut field = Field::new(function, channel.trim());
        field.transform = at.transform()?;
        field.min_feature_size = at.non_negative("minfeaturesize", 0.0)?;
        field.fallback_value = at.real("fallbackvalue", 0.0)?;
        let known: Vec<&str> = FIELD.iter().chain(others).copied().collect();
        field.extra.attributes = self.keep_attributes(xml, element.unknown_attributes(&known))?;
        while let Some(child) = xml.next_child()? {
            field.extra.elements.push(self.keep_element(xml, &child)?);
        }
        self.add_reference(owner, Role::Function, function, element.line);
        Ok(field)
    }
}
