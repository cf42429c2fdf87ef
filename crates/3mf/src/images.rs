//! Images in three dimensions, and functions that are images.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::model::{Extra, ImageStack, Sheet};
use fibula_core::graph::{ContentHash, ImageFunction};
use fibula_nodes::{Filter, ResourceId, TileStyle};

use super::attributes::Attributes;
use super::contents::png_size;
use super::element::Element;
use super::error::{Location, Problem, ReadError, brief};
use super::model::{File, NO_PLACE};
use super::names::{resolved, unescaped};
use super::object::once;
use super::package::Package;
use super::resources::{Expected, Kind, Owner};
use super::xml::Xml;

/// An image, its sheets only named.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) id: ResourceId,
    pub(super) stack: ImageStack,
    /// The paths of its sheets as they are written, and their lines.
    sheets: Vec<(String, u64)>,
    line: u64,
}

/// A function that is an image.
#[derive(Debug)]
pub(super) struct PictureFunction {
    pub(super) id: ResourceId,
    pub(super) function: ImageFunction,
    pub(super) place: Location,
}

/// A part that is a sheet.
#[derive(Debug, Clone)]
struct Found {
    sheet: Sheet,
    size: (u32, u32),
}

impl File<'_> {
    /// Reads a function that is an image, whose start was read.
    pub(super) fn read_picture_function<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
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
        let id = self.resource(xml, element, Kind::Function)?;
        self.leave_out(element, &KNOWN, "functionfromimage3d");
        let at = Attributes::of(xml, element);
        let tile = |name: &str| {
            let style = at.take(name, "wrap, mirror, clamp or none", |text| match text {
                "wrap" => Some(TileStyle::Wrap),
                "mirror" => Some(TileStyle::Mirror),
                "clamp" => Some(TileStyle::Clamp),
                "none" => Some(TileStyle::None),
                _ => None,
            })?;
            Ok(style.unwrap_or(TileStyle::Wrap))
        };
        let filter = at.take("filter", "linear or nearest", |text| match text {
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
        self.refers(
            Owner::ImageFunction(id),
            "image3did",
            function.image,
            Expected::Image,
            element.line,
        );
        self.picture_functions.push(PictureFunction {
            id: ResourceId(id),
            function,
            place,
        });
        xml.skip()?;
        self.resources.insert(id, Kind::Function);
        Ok(())
    }

    /// Reads an image whose start was read.
    pub(super) fn read_picture<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.resource(xml, element, Kind::Image)?;
        let mut picture = Picture {
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
        picture.stack.extra.attributes = self.counted(xml, element.rest(&["id", "name"]))?;
        let mut there = false;
        while let Some(mut child) = xml.child()? {
            if child.space.is_volumetric() && child.name == "imagestack" {
                once(xml, &child, there)?;
                there = true;
                self.own_attributes(xml, &mut child);
                self.read_stack(xml, &child, &mut picture)?;
            } else {
                let text = self.keep(xml, &child)?;
                picture.stack.extra.elements.push(text);
            }
        }
        if !there {
            let text = format!("image {id} has no <imagestack>, so it has no voxels");
            return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
        }
        self.pictures.push(picture);
        self.resources.insert(id, Kind::Image);
        Ok(())
    }

    fn read_stack<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
        picture: &mut Picture,
    ) -> Result<(), ReadError> {
        let at = Attributes::of(xml, element);
        let count = |name: &'static str| -> Result<u32, ReadError> {
            let positive = |text: &str| super::numbers::resource_id(text);
            let count = at.take(name, "a whole number from 1 to 2147483647", positive)?;
            count.ok_or_else(|| at.missing(name))
        };
        picture.stack.columns = count("columncount")?;
        picture.stack.rows = count("rowcount")?;
        let sheets = count("sheetcount")? as usize;
        self.leave_out(
            element,
            &["columncount", "rowcount", "sheetcount"],
            "imagestack",
        );
        while let Some(mut child) = xml.child()? {
            if child.space.is_volumetric() && child.name == "imagesheet" {
                self.own_attributes(xml, &mut child);
                self.leave_out(&child, &["path"], "imagesheet");
                let path = xml.required(&child, "path")?.to_owned();
                self.kept
                    .thing(&child)
                    .map_err(|problem| xml.error(problem))?;
                picture.sheets.push((path, child.line));
            } else {
                let what = format!("element {} of imagestack", brief(&child.name));
                self.left_out.add(what, Some(picture.id.0), NO_PLACE);
            }
            xml.skip()?;
        }
        if picture.sheets.len() != sheets {
            let text = format!(
                "sheetcount says {sheets} sheets, but there are {}",
                picture.sheets.len()
            );
            return Err(Problem::Structure(text).at(self.part.at_line(element.line)));
        }
        Ok(())
    }

    /// Reads the sheets of all images; the names of their parts in lower case are given back.
    pub(super) fn read_sheets(
        &mut self,
        package: &mut Package<'_>,
    ) -> Result<BTreeMap<String, String>, ReadError> {
        let mut parts: BTreeMap<String, Found> = BTreeMap::new();
        let mut pictures = std::mem::take(&mut self.pictures);
        for picture in &mut pictures {
            let step = self.read_sheets_of(picture, package, &mut parts);
            if self.findings.pass(step)?.is_none() {
                self.resources.insert(picture.id.0, Kind::Broken);
            }
        }
        self.pictures = pictures;
        let names = parts.into_iter();
        Ok(names.map(|(key, found)| (key, found.sheet.path)).collect())
    }

    fn read_sheets_of(
        &mut self,
        picture: &mut Picture,
        package: &mut Package<'_>,
        parts: &mut BTreeMap<String, Found>,
    ) -> Result<(), ReadError> {
        let mut size: Option<(u32, u32)> = None;
        for (written, line) in &picture.sheets {
            let place = self.part.at_line(*line);
            let name = self.sheet_part(written, package, &place)?;
            let key = name.to_ascii_lowercase();
            if !parts.contains_key(&key) {
                let found = self.read_sheet(&name, package, &place)?;
                parts.insert(key.clone(), found);
            }
            let found = &parts[&key];
            if let Some(size) = size.filter(|&size| size != found.size) {
                let text = format!(
                    "the sheet {} has {} columns and {} rows, but those before it have {} and {}; all must be alike",
                    brief(&name),
                    found.size.0,
                    found.size.1,
                    size.0,
                    size.1
                );
                return Err(Problem::Image(text).at(place));
            }
            size = Some(found.size);
            picture.stack.sheets.push(found.sheet.clone());
        }
        let said = (picture.stack.columns, picture.stack.rows);
        if let Some((columns, rows)) = size.filter(|&size| size != said) {
            let message = format!(
                "image {} is said to have {} columns and {} rows, but all its sheets have {columns} and {rows}: \
                 the sheets count",
                picture.id, said.0, said.1
            );
            let place = self.part.at_line(picture.line);
            self.findings.repair("image_size", place, message);
            (picture.stack.columns, picture.stack.rows) = (columns, rows);
        }
        Ok(())
    }

    /// The name of the part that a path names.
    fn sheet_part(
        &mut self,
        written: &str,
        package: &Package<'_>,
        place: &Location,
    ) -> Result<String, ReadError> {
        let model = self.part.part.clone().unwrap_or_default();
        let find = |target: &str, from: &str| {
            let name = resolved(target, from)?;
            let decoded = || package.find(&unescaped(&name)?);
            package.find(&name).or_else(decoded)
        };
        if written.starts_with('/')
            && let Some(name) = find(written, "")
        {
            return Ok(name);
        }
        // A path starts at the package; one without a slash in front may start there, or at the model.
        let relative = find(written, "").or_else(|| find(written, &model));
        let Some(relative) = relative.filter(|_| !written.starts_with('/')) else {
            let text = format!("path={:?} names no part of the package", brief(written));
            return Err(Problem::DanglingReference(text).at(place.clone()));
        };
        let message = format!(
            "the path {:?} has no slash in front: read as /{}",
            brief(written),
            brief(&relative)
        );
        self.findings
            .repair("relative_path", place.clone(), message);
        Ok(relative)
    }

    fn read_sheet(
        &mut self,
        name: &str,
        package: &mut Package<'_>,
        place: &Location,
    ) -> Result<Found, ReadError> {
        let bytes = package
            .bytes(name, &mut self.kept)
            .map_err(|problem| problem.at(Location::part(name)))?;
        let Some(size) = png_size(&bytes) else {
            let text = format!("the sheet {} is no PNG file", brief(name));
            return Err(Problem::Image(text).at(place.clone()));
        };
        let content = ContentHash::digest(&bytes);
        let sheet = Sheet {
            path: name.to_owned(),
            content,
            size: bytes.len() as u64,
        };
        self.contents.insert(content, bytes);
        Ok(Found { sheet, size })
    }
}
