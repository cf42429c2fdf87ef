//! The zip package: its parts, their types, and how they belong together, by the Open Packaging Conventions.
//!
//! The same parts give the same bytes: they have one order, and all have the first date that zip knows.

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use fibula_core::graph::model::{ModelResource, Relationship};
use fibula_core::graph::{ContentHash, Document};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::contents::{Contents, fetch};
use super::error::WriteError;
use super::markup::Markup;
use crate::package::MODEL;

/// The name of the part that is the model.
pub(super) const MODEL_PART: &str = "3D/3dmodel.model";

const MODEL_TYPE: &str = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml";
const RELATIONSHIPS_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
/// How the model needs the sheets of its images.
const TEXTURE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture";

/// From this size on a part is packed fast rather than small.
const LARGE: u64 = 8 << 20;
/// From this size on zip needs other numbers.
const HUGE: u64 = 3 << 30;

/// A part beside the model.
struct Part<'a> {
    name: &'a str,
    media_type: &'a str,
    content: ContentHash,
    size: u64,
}

/// What a package holds beside the model.
pub(super) struct Parts<'a> {
    /// By the names in lower case.
    by_name: BTreeMap<String, Part<'a>>,
    /// The sheets, in the order of the images.
    sheets: Vec<&'a str>,
    relationships: &'a [Relationship],
}

impl<'a> Parts<'a> {
    /// Looks through a document.
    ///
    /// # Errors
    /// [`WriteError::DuplicatePart`].
    pub(super) fn new(document: &'a Document) -> Result<Self, WriteError> {
        let mut all = Parts {
            by_name: BTreeMap::new(),
            sheets: Vec::new(),
            relationships: &document.model().info().relationships,
        };
        for (name, part) in document.model().parts() {
            all.add(Part {
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
                let new = all.add(Part {
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

    /// Adds a part; whether it was not there yet. Images may share sheets.
    fn add(&mut self, part: Part<'a>) -> Result<bool, WriteError> {
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

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// The relationships, by the parts that need others; what belongs to no part there is belongs to the model.
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
        let sheets = self
            .sheets
            .iter()
            .map(|&sheet| (MODEL_PART, TEXTURE, sheet));
        for (source, relation, target) in own.into_iter().chain(sheets) {
            let list = all.entry(source).or_default();
            let id = free(list);
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

/// A relationship of some part.
struct Relation<'a> {
    id: String,
    kind: &'a str,
    target: &'a str,
    external: bool,
}

/// An id that no relationship in a list has.
fn free(list: &[Relation<'_>]) -> String {
    let mut count = list.len();
    loop {
        let id = format!("rel{count}");
        if list.iter().all(|one| one.id != id) {
            return id;
        }
        count += 1;
    }
}

/// Writes a package, whose model `model` writes.
///
/// # Errors
/// [`WriteError`].
pub(super) fn write(
    parts: &Parts<'_>,
    model_size: u64,
    contents: &Contents<'_>,
    to: &mut (impl Write + Seek),
    model: impl FnOnce(&mut Markup<'_>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut zip = ZipWriter::new(to);
    let document = |zip: &mut ZipWriter<_>, name: &str, size: u64| {
        zip.start_file(name, options(size, CompressionMethod::Deflated))
    };
    document(&mut zip, "[Content_Types].xml", 0)?;
    let mut markup = Markup::new(&mut zip);
    types(parts, &mut markup);
    markup.finish()?;
    let relationships = parts.relationships();
    for (source, list) in &relationships {
        let name = match source.rsplit_once('/') {
            Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
            None => format!("_rels/{source}.rels"),
        };
        document(&mut zip, &name, 0)?;
        let mut markup = Markup::new(&mut zip);
        self::relationships(list, &mut markup);
        markup.finish()?;
    }
    document(&mut zip, MODEL_PART, model_size)?;
    let mut markup = Markup::new(&mut zip);
    model(&mut markup)?;
    markup.finish()?;
    for part in parts.by_name.values() {
        let what = || format!("the part {}", fibula_nodes::names::visible(part.name, 60));
        let bytes = fetch(contents, part.content, &what)?;
        let method = match part.media_type {
            "image/png" | "image/jpeg" => CompressionMethod::Stored,
            _ if is_hollow(&bytes) => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        zip.start_file(
            part.name,
            options(part.size.max(bytes.len() as u64), method),
        )?;
        zip.write_all(&bytes)?;
    }
    zip.finish()?.flush()?;
    Ok(())
}

/// Whether a part packs so well that who reads it may take it for a bomb, as the limits of this reader do.
fn is_hollow(bytes: &[u8]) -> bool {
    const SMALL: usize = 1 << 16;
    const RATIO: usize = 24;
    // Deflate packs no better than a thousandth, where this packs about as well.
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

/// The types of all parts: by their endings where all of an ending have one type, and by their names elsewhere.
fn types(parts: &Parts<'_>, to: &mut Markup<'_>) {
    let mut endings: BTreeMap<String, &str> = BTreeMap::from([
        ("model".to_owned(), MODEL_TYPE),
        ("rels".to_owned(), RELATIONSHIPS_TYPE),
    ]);
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (key, part) in &parts.by_name {
        let ending = key
            .rsplit('/')
            .next()
            .and_then(|file| file.rsplit_once('.'));
        let ending = ending
            .map(|(_, ending)| ending)
            .filter(|ending| !ending.is_empty());
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

fn relationships(list: &[Relation<'_>], to: &mut Markup<'_>) {
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
