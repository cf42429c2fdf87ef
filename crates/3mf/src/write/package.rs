//! Zip package: its parts, their content types and relationships, by the Open Packaging Conventions.
//!
//! The same parts give the same bytes: their order is fixed, and all have the first date that zip knows.

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use fibula_core::graph::model::{ModelResource, Relationship};
use fibula_core::graph::{ContentHash, Document};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::contents::fetch;
use super::error::WriteError;
use super::xml_writer::XmlWriter;
use crate::model::Contents;
use crate::package::{MODEL, MODEL_PART, MODEL_TYPE};

const RELATIONSHIPS_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
/// Type of the relationship from the model to the sheets of its images.
const TEXTURE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture";

/// From this size on, a part is packed fast rather than small.
const LARGE: u64 = 8 << 20;
/// From this size on, zip needs its 64-bit form.
const HUGE: u64 = 3 << 30;

/// Part beside the model.
struct PackagePart<'a> {
    name: &'a str,
    media_type: &'a str,
    content: ContentHash,
    size: u64,
}

/// Parts of a package beside the model.
pub(super) struct PackageParts<'a> {
    /// By their names in lower case.
    by_name: BTreeMap<String, PackagePart<'a>>,
    /// Sheets, in the order of the images.
    sheets: Vec<&'a str>,
    relationships: &'a [Relationship],
}

impl<'a> PackageParts<'a> {
    /// Collects the parts of a document.
    ///
    /// # Errors
    /// [`WriteError::DuplicatePart`].
    pub(super) fn new(document: &'a Document) -> Result<Self, WriteError> {
        let mut all = PackageParts {
            by_name: BTreeMap::new(),
            sheets: Vec::new(),
            relationships: &document.model().info().relationships,
        };
        for (name, part) in document.model().parts() {
            all.add(PackagePart {
                name,
                media_type: &part.media_type,
                content: part.content,
                size: part.size,
            })?;
        }
        for (_, resource) in document.model_resources() {
            let ModelResource::Image(image) = resource else {
                continue;
            };
            for sheet in &image.sheets {
                let new = all.add(PackagePart {
                    name: &sheet.path,
                    media_type: "image/png",
                    content: sheet.content,
                    size: sheet.size,
                })?;
                if new {
                    all.sheets.push(&sheet.path);
                }
            }
        }
        Ok(all)
    }

    /// Adds a part; returns `false` if it is there already. Images may share sheets.
    fn add(&mut self, part: PackagePart<'a>) -> Result<bool, WriteError> {
        let key = part.name.to_ascii_lowercase();
        let clash = WriteError::DuplicatePart {
            name: fibula_nodes::names::visible(part.name, 60),
        };
        if key == MODEL_PART.to_ascii_lowercase() {
            return Err(clash);
        }
        match self.by_name.get(&key) {
            Some(there) if there.content == part.content && there.name == part.name => Ok(false),
            Some(_) => Err(clash),
            None => {
                self.by_name.insert(key, part);
                Ok(true)
            }
        }
    }

    /// Number of parts.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Relationships by their sources; those of missing parts belong to the model.
    fn relationships(&self) -> BTreeMap<&'a str, Vec<Relation<'a>>> {
        let mut all: BTreeMap<&str, Vec<Relation<'a>>> = BTreeMap::new();
        for one in self.relationships {
            let source = match self.by_name.get(&one.source.to_ascii_lowercase()) {
                _ if one.source.is_empty() => "",
                Some(part) => part.name,
                None => MODEL_PART,
            };
            all.entry(source).or_default().push(Relation {
                id: one.id.clone(),
                kind: &one.relation,
                target: &one.target,
                external: one.external,
            });
        }
        let own = [("", MODEL, MODEL_PART)];
        let sheets = self.sheets.iter();
        let sheets = sheets.map(|&sheet| (MODEL_PART, TEXTURE, sheet));
        for (source, relation, target) in own.into_iter().chain(sheets) {
            let list = all.entry(source).or_default();
            let id = unused_id(list);
            list.push(Relation {
                id,
                kind: relation,
                target,
                external: false,
            });
        }
        all
    }
}

/// Relationship of a part.
struct Relation<'a> {
    id: String,
    kind: &'a str,
    target: &'a str,
    external: bool,
}

/// Id that no relationship of the list has.
fn unused_id(list: &[Relation<'_>]) -> String {
    let mut ids = (list.len()..).map(|count| format!("rel{count}"));
    let id = ids.find(|id| list.iter().all(|one| one.id != *id));
    id.expect("a list is finite")
}

/// Writes a package; `model` writes the model part.
///
/// # Errors
/// [`WriteError`].
pub(super) fn write(
    parts: &PackageParts<'_>,
    model_size: u64,
    contents: &Contents<'_>,
    to: &mut (impl Write + Seek),
    model: impl FnOnce(&mut XmlWriter<'_>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut zip = ZipWriter::new(to);
    let document = |zip: &mut ZipWriter<_>, name: &str, size: u64| {
        zip.start_file(name, options(size, CompressionMethod::Deflated))
    };
    document(&mut zip, "[Content_Types].xml", 0)?;
    let mut xml = XmlWriter::new(&mut zip);
    types(parts, &mut xml);
    xml.finish()?;
    let relationships = parts.relationships();
    for (source, list) in &relationships {
        let name = match source.rsplit_once('/') {
            Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
            None => format!("_rels/{source}.rels"),
        };
        document(&mut zip, &name, 0)?;
        let mut xml = XmlWriter::new(&mut zip);
        self::relationships(list, &mut xml);
        xml.finish()?;
    }
    document(&mut zip, MODEL_PART, model_size)?;
    let mut xml = XmlWriter::new(&mut zip);
    model(&mut xml)?;
    xml.finish()?;
    for part in parts.by_name.values() {
        let what = || format!("the part {}", fibula_nodes::names::visible(part.name, 60));
        let bytes = fetch(contents, part.content, &what)?;
        let method = match part.media_type {
            "image/png" | "image/jpeg" => CompressionMethod::Stored,
            _ if is_hollow(&bytes) => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let size = part.size.max(bytes.len() as u64);
        zip.start_file(part.name, options(size, method))?;
        zip.write_all(&bytes)?;
    }
    zip.finish()?.flush()?;
    Ok(())
}

/// True if a part packs so well that readers may take it for a zip bomb, as the limits of this reader do.
fn is_hollow(bytes: &[u8]) -> bool {
    const SMALL: usize = 1 << 16;
    const RATIO: usize = 24;
    // Fast estimate: zstd at level 1 packs about as well as Deflate.
    bytes.len() > SMALL
        && zstd::bulk::compress(bytes, 1)
            .is_ok_and(|packed| bytes.len() / packed.len().max(1) > RATIO)
}

fn options(size: u64, method: CompressionMethod) -> SimpleFileOptions {
    let fast = size >= LARGE && method == CompressionMethod::Deflated;
    SimpleFileOptions::default()
        .compression_method(method)
        .compression_level(fast.then_some(1))
        .last_modified_time(DateTime::default())
        .large_file(size >= HUGE)
}

/// Writes the content types: by file extension where all parts of an extension have one type, else by name.
fn types(parts: &PackageParts<'_>, to: &mut XmlWriter<'_>) {
    let mut endings: BTreeMap<String, &str> = BTreeMap::from([
        ("model".to_owned(), MODEL_TYPE),
        ("rels".to_owned(), RELATIONSHIPS_TYPE),
    ]);
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (key, part) in &parts.by_name {
        let file = key.rsplit('/').next().unwrap_or_default();
        let ending = file.rsplit_once('.').map(|(_, ending)| ending);
        let ending = ending.filter(|ending| !ending.is_empty());
        let by_ending = ending.is_some_and(|ending| {
            let known = endings.entry(ending.to_owned()).or_insert(part.media_type);
            *known == part.media_type
        });
        if !by_ending {
            names.push((part.name, part.media_type));
        }
    }
    to.start("Types").attribute("xmlns", TYPES);
    for (ending, media_type) in &endings {
        to.start("Default")
            .attribute("Extension", ending)
            .attribute("ContentType", media_type);
        to.end();
    }
    for (name, media_type) in names {
        to.start("Override")
            .attribute("PartName", &format!("/{name}"))
            .attribute("ContentType", media_type);
        to.end();
    }
    to.end();
}

fn relationships(list: &[Relation<'_>], to: &mut XmlWriter<'_>) {
    to.start("Relationships").attribute("xmlns", RELATIONSHIPS);
    for one in list {
        let target = if one.external {
            one.target.to_owned()
        } else {
            format!("/{}", one.target)
        };
        to.start("Relationship")
            .attribute("Type", one.kind)
            .attribute("Target", &target)
            .attribute("Id", &one.id);
        if one.external {
            to.attribute("TargetMode", "External");
        }
        to.end();
    }
    to.end();
}
