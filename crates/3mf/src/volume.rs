//! Fields, and what functions say of volumes: `<volumedata>`.

use std::io::Read;

use fibula_core::graph::model::{Composite, Field, Property, VolumeData};
use fibula_nodes::ResourceId;

use super::attributes::Attributes;
use super::element::Element;
use super::error::{ReadError, brief};
use super::model::{File, NO_PLACE, qualified};
use super::object::once;
use super::resources::{Expected, Kind, Owner};
use super::xml::Xml;

/// Volume data, and where it is.
#[derive(Debug)]
pub(super) struct Volume {
    pub(super) id: ResourceId,
    pub(super) data: VolumeData,
    /// The lines of its fields, in the order of [`VolumeData::fields`].
    pub(super) lines: Vec<u64>,
}

/// The attributes of a field.
const FIELD: [&str; 5] = [
    "functionid",
    "channel",
    "transform",
    "minfeaturesize",
    "fallbackvalue",
];

impl File<'_> {
    /// Reads volume data whose start was read.
    pub(super) fn read_volume<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.resource(xml, element, Kind::Volume)?;
        let mut data = VolumeData::default();
        data.extra.attributes = self.counted(xml, element.rest(&["id"]))?;
        let (mut of_composite, mut of_color, mut of_properties) = (Vec::new(), None, Vec::new());
        while let Some(mut child) = xml.child()? {
            let volumetric = child.space.is_volumetric();
            if volumetric {
                self.own_attributes(xml, &mut child);
            }
            let line = child.line;
            match child.name.as_str() {
                "composite" if volumetric => {
                    once(xml, &child, data.composite.is_some())?;
                    data.composite =
                        Some(self.read_composite(xml, &child, id, &mut of_composite)?);
                }
                "color" if volumetric => {
                    once(xml, &child, data.color.is_some())?;
                    data.color = Some(self.read_field(xml, &child, Owner::Volume(id), &[])?);
                    of_color = Some(line);
                }
                "property" if volumetric => {
                    let property = self.read_property(xml, &child, id)?;
                    data.properties.push(property);
                    of_properties.push(line);
                }
                _ => data.extra.elements.push(self.keep(xml, &child)?),
            }
        }
        let lines = of_composite.into_iter().chain(of_color);
        self.volumes.push(Volume {
            id: ResourceId(id),
            data,
            lines: lines.chain(of_properties).collect(),
        });
        self.resources.insert(id, Kind::Volume);
        Ok(())
    }

    fn read_composite<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        id: u32,
        lines: &mut Vec<u64>,
    ) -> Result<Composite, ReadError> {
        let at = Attributes::of(xml, element);
        // The plural is that of a draft.
        let found = at.optional_id("basematerialid")?;
        let base_materials = match found {
            Some(found) => found,
            None => at
                .optional_id("basematerialsid")?
                .ok_or_else(|| at.missing("basematerialid"))?,
        };
        let owner = Owner::Volume(id);
        self.refers(
            owner,
            "basematerialid",
            base_materials,
            Expected::BaseMaterials,
            element.line,
        );
        self.leave_out(element, &["basematerialid", "basematerialsid"], "composite");
        let mut materials = Vec::new();
        while let Some(mut child) = xml.child()? {
            if child.space.is_volumetric() && child.name == "materialmapping" {
                self.own_attributes(xml, &mut child);
                lines.push(child.line);
                materials.push(self.read_field(xml, &child, Owner::Volume(id), &[])?);
            } else {
                let what = format!("element {} of composite", brief(&child.name));
                self.left_out.add(what, Some(id), NO_PLACE);
                xml.skip()?;
            }
        }
        Ok(Composite {
            base_materials,
            materials,
        })
    }

    fn read_property<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        id: u32,
    ) -> Result<Property, ReadError> {
        let at = Attributes::of(xml, element);
        let name = element
            .attribute("name")
            .ok_or_else(|| at.missing("name"))?;
        let name = qualified(xml, name);
        self.kept
            .bytes(name.len())
            .map_err(|problem| xml.error(problem))?;
        let required = at.boolean("required")?.unwrap_or_default();
        let field = self.read_field(xml, element, Owner::Volume(id), &["name", "required"])?;
        Ok(Property {
            name,
            required,
            field,
        })
    }

    /// Reads the field that an element says; `others` are attributes that are read elsewhere. It is closed afterwards.
    pub(super) fn read_field<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        owner: Owner,
        others: &[&str],
    ) -> Result<Field, ReadError> {
        self.kept
            .thing(element)
            .map_err(|problem| xml.error(problem))?;
        let at = Attributes::of(xml, element);
        let function = at.id("functionid")?;
        let channel = element
            .attribute("channel")
            .ok_or_else(|| at.missing("channel"))?;
        let mut field = Field::new(function, channel.trim());
        field.transform = at.transform()?;
        field.min_feature_size = at.positive("minfeaturesize", 0.0)?;
        field.fallback_value = at.real("fallbackvalue", 0.0)?;
        let known: Vec<&str> = FIELD.iter().chain(others).copied().collect();
        field.extra.attributes = self.counted(xml, element.rest(&known))?;
        while let Some(child) = xml.child()? {
            field.extra.elements.push(self.keep(xml, &child)?);
        }
        self.refers(
            owner,
            "functionid",
            function,
            Expected::Function,
            element.line,
        );
        Ok(field)
    }
}
