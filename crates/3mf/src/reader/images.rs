//! Reader of 3D images and image functions.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::model::{Extra, ImageStack, Sheet};
use fibula_core::graph::{ContentHash, ImageFunction};
use fibula_nodes::{Filter, ResourceId, TileStyle};

use super::ModelReader;
use super::objects::check_unique;
use crate::contents::png_size;
use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::package::PartSource;
use crate::package::part_names::{percent_decode, resolve_target};
use crate::references::{ReferenceOwner, ResourceClass, Role};
use crate::roundtrip::inner_content::InnerContents;
use crate::xml::XmlReader;
use crate::xml::attributes::Attributes;
use crate::xml::element::Element;

/// Parsed image, whose sheets are not read yet.
#[derive(Debug)]
pub(crate) struct ParsedImage {
    pub(crate) id: ResourceId,
    pub(crate) stack: ImageStack,
    /// Paths of its sheets as written, and their lines.
    sheets: Vec<(String, u64)>,
    line: u64,
}

/// Parsed image function.
#[derive(Debug)]
pub(crate) struct ParsedImageFunction {
    pub(crate) id: ResourceId,
    pub(crate) function: ImageFunction,
    pub(crate) place: Location,
}

/// Stored sheet and its size.
#[derive(Debug, Clone)]
struct StoredSheet {
    sheet: Sheet,
    size: (u32, u32),
}

impl ModelReader<'_> {
    /// Reads an image function whose start tag was read.
    pub(crate) fn read_image_function<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        const KNOWN: [&str; 9] = [
            "id",
            "displayname",
            "image3did",
            "valuescale",
            "valueoffset",
            "filter",
            "tilestyleu",
            "tilestylev",
            "tilestylew",
        ];
        let id = self.claim_id(xml, element, ResourceClass::Function)?;
        self.omit_attributes(element, &KNOWN, "functionfromimage3d");
        let at = Attributes::new(xml, element);
        let tile = |name: &str| {
            let style = at.parse(name, "wrap, mirror, clamp or none", |text| match text {
                "wrap" => Some(TileStyle::Wrap),
                "mirror" => Some(TileStyle::Mirror),
                "clamp" => Some(TileStyle::Clamp),
                "none" => Some(TileStyle::None),
                _ => None,
            })?;
            Ok(style.unwrap_or(TileStyle::Wrap))
        };
        let filter = at.parse("filter", "linear or nearest", |text| match text {
            "linear" => Some(Filter::Linear),
            "nearest" => Some(Filter::Nearest),
            _ => None,
        })?;
        let name = element
            .attribute("displayname")
            .filter(|name| !name.is_empty());
        let function = ImageFunction {
            name: name.map_or_else(|| format!("function_{id}"), str::to_owned),
            image: at.id("image3did")?,
            scale: at.real("valuescale", 1.0)?,
            offset: at.real("valueoffset", 0.0)?,
            filter: filter.unwrap_or(Filter::Linear),
            tiles: [
                tile("tilestyleu")?,
                tile("tilestylev")?,
                tile("tilestylew")?,
            ],
        };
        let place = self.part.at_line(element.line);
        self.add_reference(
            ReferenceOwner::ImageFunction(id),
            Role::Image,
            function.image,
            element.line,
        );
        self.image_functions.push(ParsedImageFunction {
            id: ResourceId(id),
            function,
            place,
        });
        while let Some(child) = xml.next_child()? {
            self.omit_element(&child, "functionfromimage3d", Some(id));
            xml.skip()?;
        }
        self.resources.insert(id, ResourceClass::Function);
        Ok(())
    }

    /// Reads an image whose start tag was read.
    pub(crate) fn read_image<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.claim_id(xml, element, ResourceClass::Image)?;
        let mut image = ParsedImage {
            id: ResourceId(id),
            stack: ImageStack {
                name: element.attribute("name").unwrap_or_default().to_owned(),
                columns: 0,
                rows: 0,
                sheets: Vec::new(),
                extra: Extra::default(),
            },
            sheets: Vec::new(),
            line: element.line,
        };
        image.stack.extra.attributes =
            self.keep_attributes(xml, element.unknown_attributes(&["id", "name"]))?;
        let mut there = false;
        while let Some(mut child) = xml.next_child()? {
            if child.schema.is_volumetric() && child.name == "imagestack" {
                check_unique(xml, &child, there)?;
                there = true;
                self.unprefix_attributes(xml, &mut child);
                self.read_stack(xml, &child, &mut image)?;
            } else {
                let text = self.keep_element(xml, &child)?;
                image.stack.extra.elements.push(text);
            }
        }
        if !there {
            let text = format!("image {id} has no <imagestack>, so it has no voxels");
            return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
        }
        self.images.push(image);
        self.resources.insert(id, ResourceClass::Image);
        Ok(())
    }

    fn read_stack<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        image: &mut ParsedImage,
    ) -> Result<(), ReadError> {
        let at = Attributes::new(xml, element);
        let count = |name: &'static str| -> Result<u32, ReadError> {
            let positive = |text: &str| crate::numbers::resource_id(text);
            let count = at.parse(name, "a whole number from 1 to 2147483647", positive)?;
            count.ok_or_else(|| at.missing(name))
        };
        image.stack.columns = count("columncount")?;
        image.stack.rows = count("rowcount")?;
        let sheets = count("sheetcount")? as usize;
        let mut inner = InnerContents::default();
        let attributes = element.unknown_attributes(&["columncount", "rowcount", "sheetcount"]);
        inner.at("imagestack").attributes = self.keep_attributes(xml, attributes)?;
        while let Some(mut child) = xml.next_child()? {
            if child.schema.is_volumetric() && child.name == "imagesheet" {
                self.unprefix_attributes(xml, &mut child);
                let number = image.sheets.len();
                let place = || format!("imagesheet {number}");
                let attributes = self.keep_attributes(xml, child.unknown_attributes(&["path"]))?;
                inner.at(&place()).attributes = attributes;
                let path = xml.required(&child, "path")?.to_owned();
                self.budget.charge_item(&child).at(xml.location())?;
                image.sheets.push((path, child.line));
                self.keep_children(xml, &mut inner, &place)?;
            } else {
                self.keep_inner_element(xml, &child, inner.at("imagestack"))?;
            }
        }
        inner.store(&mut image.stack.extra);
        if image.sheets.len() != sheets {
            let text = format!(
                "sheetcount is {sheets}, but there are {} sheets",
                image.sheets.len()
            );
            return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
        }
        Ok(())
    }

    /// Reads the sheets of all images, and returns the names of their parts by the names in lower case.
    pub(crate) fn read_sheets(
        &mut self,
        package: &mut dyn PartSource,
    ) -> Result<BTreeMap<String, String>, ReadError> {
        let mut parts: BTreeMap<String, StoredSheet> = BTreeMap::new();
        let mut images = std::mem::take(&mut self.images);
        for image in &mut images {
            let step = self.read_sheets_of(image, package, &mut parts);
            self.pass(image.id.0, step)?;
        }
        self.images = images;
        let names = parts.into_iter();
        Ok(names.map(|(key, found)| (key, found.sheet.path)).collect())
    }

    fn read_sheets_of(
        &mut self,
        image: &mut ParsedImage,
        package: &mut dyn PartSource,
        parts: &mut BTreeMap<String, StoredSheet>,
    ) -> Result<(), ReadError> {
        let mut size: Option<(u32, u32)> = None;
        for (written, line) in &image.sheets {
            let place = self.part.at_line(*line);
            let name = self.sheet_part(written, package, &place)?;
            let key = name.to_ascii_lowercase();
            if !parts.contains_key(&key) {
                let found = self.read_sheet(&name, package, &place)?;
                parts.insert(key.clone(), found);
            }
            let found = &parts[&key];
            if let Some(size) = size.filter(|&size| size != found.size) {
                let (name, (columns, rows), (before, above)) = (brief(&name), found.size, size);
                let text = format!(
                    "sheet {name} has {columns} columns and {rows} rows, but those before it have {before} and \
                     {above}; all must have the same size"
                );
                return Err(Problem::Image(text).at(place));
            }
            size = Some(found.size);
            image.stack.sheets.push(found.sheet.clone());
        }
        let stated = (image.stack.columns, image.stack.rows);
        if let Some((columns, rows)) = size.filter(|&size| size != stated) {
            let message = format!(
                "image {} declares {} columns and {} rows, but all its sheets have {columns} and {rows}: the size of \
                 the sheets is used",
                image.id, stated.0, stated.1
            );
            let place = self.part.at_line(image.line);
            self.findings.repair("image_size", place, message);
            (image.stack.columns, image.stack.rows) = (columns, rows);
        }
        Ok(())
    }

    /// Resolves the path of a sheet to a part.
    fn sheet_part(
        &mut self,
        written: &str,
        package: &dyn PartSource,
        place: &Location,
    ) -> Result<String, ReadError> {
        let model = self.part.part.clone().unwrap_or_default();
        let find = |target: &str, from: &str| {
            let name = resolve_target(target, from)?;
            let decoded = || package.find(&percent_decode(&name)?);
            package.find(&name).or_else(decoded)
        };
        if written.starts_with('/')
            && let Some(name) = find(written, "")
        {
            return Ok(name);
        }
        // A path starts at the package; one without a leading slash may start there, or at the model.
        let relative = find(written, "").or_else(|| find(written, &model));
        let Some(relative) = relative.filter(|_| !written.starts_with('/')) else {
            let text = format!("path={:?} is not a part of the package", brief(written));
            return Err(Problem::DanglingReference(text).at(place.clone()));
        };
        let (path, read) = (brief(written), brief(&relative));
        let message = format!("the path {path:?} lacks its leading slash: read as /{read}");
        self.findings
            .repair("relative_path", place.clone(), message);
        Ok(relative)
    }

    fn read_sheet(
        &mut self,
        name: &str,
        package: &mut dyn PartSource,
        place: &Location,
    ) -> Result<StoredSheet, ReadError> {
        let bytes = package.read_part(name, &mut self.budget)?;
        let Some(size) = png_size(&bytes) else {
            let text = format!("sheet {} is not a PNG file", brief(name));
            return Err(Problem::Image(text).at(place.clone()));
        };
        let content = ContentHash::digest(&bytes);
        let sheet = Sheet {
            path: name.to_owned(),
            content,
            size: bytes.len() as u64,
        };
        self.model.contents.insert(content, bytes);
        Ok(StoredSheet { sheet, size })
    }
}
