//! Local checks of the parts of a model: texts, numbers, names and counts.

use std::collections::BTreeSet;

use super::build::{BuildItem, Metadata, ModelInfo, Part};
use super::error::ModelError;
use super::extra::{Attribute, Extra, Foreign};
use super::image::ImageStack;
use super::object::{Body, Object};
use super::resource::ModelResource;
use super::transform::Transform;
use super::volume::{Field, VolumeData};

/// Maximum length of a text, in bytes.
const LONGEST_TEXT: usize = 1 << 20;
/// Maximum number of components, materials, properties, sheets, attributes, metadata and the like of one element.
const MOST: usize = 500_000;

/// Checks a resource without its references.
pub(super) fn check_resource(resource: &ModelResource, what: &str) -> Result<(), ModelError> {
    let at = FieldChecker(what);
    match resource {
        ModelResource::Object(object) => at.object(object),
        ModelResource::Image(image) => at.image(image),
        ModelResource::VolumeData(volume) => at.volume(volume),
        ModelResource::Foreign(foreign) => {
            at.foreign(foreign)?;
            at.few("references", foreign.references.len())
        }
    }
}

/// Checks a build item without its reference.
pub(super) fn check_item(item: &BuildItem, what: &str) -> Result<(), ModelError> {
    let at = FieldChecker(what);
    at.transform(&item.transform)?;
    at.text("the part number", &item.part_number)?;
    at.all_metadata(&item.metadata)?;
    at.extra(&item.extra)
}

/// Checks metadata.
///
/// # Errors
/// [`ModelError`] of a name or value that 3MF does not allow.
pub(crate) fn check_metadata(metadata: &Metadata) -> Result<(), ModelError> {
    FieldChecker("the metadata").metadata(metadata)
}

/// Checks the description of a file.
///
/// # Errors
/// [`ModelError`] for metadata that 3MF does not allow.
pub(crate) fn check_info(info: &ModelInfo) -> Result<(), ModelError> {
    let at = FieldChecker("the model");
    at.text("the language", &info.language)?;
    at.extra(&info.extra)?;
    at.attributes(&info.build)?;
    at.few("relationships", info.relationships.len())?;
    for text in info.required.iter().chain(&info.recommended) {
        at.text("the namespace of an extension", text)?;
    }
    for one in &info.relationships {
        at.text("the type of a relationship", &one.relation)?;
        at.text("the id of a relationship", &one.id)?;
        at.text("the target of a relationship", &one.target)?;
        at.text("the source of a relationship", &one.source)?;
    }
    Ok(())
}

/// Checks the name and media type of a part of the package.
///
/// # Errors
/// [`ModelError`] for a name, relationship or media type that a package cannot have.
pub(crate) fn check_part(name: &str, part: &Part) -> Result<(), ModelError> {
    check_part_name("a part of the package", "the name", name)?;
    if !is_media_type(&part.media_type) {
        let problem = "is not a media type; use one such as image/png".to_owned();
        return Err(FieldChecker(&format!("part {name}")).invalid("the media type", problem));
    }
    Ok(())
}

/// Namespace of namespace declarations.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// Describes the first character of a text that XML does not allow.
pub fn no_character(text: &str) -> Option<String> {
    let bad = text.chars().find(|&c| {
        matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
    });
    bad.map(|bad| {
        format!(
            "the character U+{:04X}, which XML does not allow",
            bad as u32
        )
    })
}

/// True if the text is a qualified name of XML: `id`, or with a prefix, `v:volumedata`.
pub fn is_xml_name(text: &str) -> bool {
    let starts = |c: char| {
        matches!(c, 'A'..='Z' | 'a'..='z' | '_' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}' | '\u{200d}' | '\u{2070}'..='\u{218f}'
            | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
            | '\u{10000}'..='\u{effff}')
    };
    let goes_on = |c: char| {
        starts(c)
            || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}')
    };
    let is_plain = |part: &str| part.starts_with(starts) && part.chars().all(goes_on);
    match text.split_once(':') {
        Some((prefix, name)) => is_plain(prefix) && is_plain(name),
        None => is_plain(text),
    }
}

/// True if the text is a media type, such as `image/png`.
pub fn is_media_type(text: &str) -> bool {
    let parts = text.split_once('/');
    let is_whole = parts.is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty());
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    is_whole && text.len() <= 256 && text.bytes().all(is_plain)
}

/// Rejects names that are not part names of a package: relative, of plain segments, portable.
fn check_part_name(what: &str, field: &'static str, name: &str) -> Result<(), ModelError> {
    const LONGEST: usize = 1024;
    let at = FieldChecker(what);
    let hollow = name
        .split('/')
        .any(|segment| segment.ends_with('.') || segment.is_empty());
    let strange = |c: char| {
        c.is_control() || matches!(c, '\\' | ':' | '?' | '#' | '"' | '<' | '>' | '|' | '*')
    };
    if name.len() > LONGEST || hollow || name.contains(strange) {
        let problem = format!(
            "{:?} is not a part name; use segments separated by slashes, such as Metadata/thumbnail.png",
            fibula_nodes::names::visible(name, 60)
        );
        return Err(at.invalid(field, problem));
    }
    let folded = name.to_ascii_lowercase();
    if folded == "[content_types].xml" || folded.starts_with("_rels/") || folded.contains("/_rels/")
    {
        let problem = "is a record of the package itself, which every export generates".to_owned();
        return Err(at.invalid(field, problem));
    }
    Ok(())
}

/// Checks the fields of an element, given its label.
struct FieldChecker<'a>(&'a str);

impl FieldChecker<'_> {
    fn invalid(&self, field: &'static str, problem: String) -> ModelError {
        ModelError::Invalid {
            what: self.0.to_owned(),
            field,
            problem,
        }
    }

    fn few(&self, of: &'static str, count: usize) -> Result<(), ModelError> {
        if count <= MOST {
            return Ok(());
        }
        Err(ModelError::TooLarge {
            what: self.0.to_owned(),
            of,
            limit: MOST,
        })
    }

    /// Rejects a text that is too long or that XML does not allow.
    fn text(&self, field: &'static str, text: &str) -> Result<(), ModelError> {
        if text.len() > LONGEST_TEXT {
            let problem = format!(
                "has {} bytes; at most {LONGEST_TEXT} are allowed",
                text.len()
            );
            return Err(self.invalid(field, problem));
        }
        match no_character(text) {
            None => Ok(()),
            Some(problem) => Err(self.invalid(field, format!("has {problem}"))),
        }
    }

    fn number(&self, field: &'static str, number: f64) -> Result<(), ModelError> {
        if number.is_finite() {
            return Ok(());
        }
        Err(self.invalid(field, format!("is {number}, but must be finite")))
    }

    fn transform(&self, transform: &Transform) -> Result<(), ModelError> {
        let mut numbers = transform.0.iter();
        numbers.try_for_each(|&number| self.number("a number of the transform", number))
    }

    fn attributes(&self, attributes: &[Attribute]) -> Result<(), ModelError> {
        self.few("attributes", attributes.len())?;
        for one in attributes {
            self.text("the namespace of an attribute", &one.namespace)?;
            self.text("the name of an attribute", &one.name)?;
            if !is_xml_name(&one.name) {
                let shown = fibula_nodes::names::visible(&one.name, 60);
                let problem =
                    format!("is {shown:?}, which is not an XML name; use one such as pid");
                return Err(self.invalid("the name of an attribute", problem));
            }
            let declares = one.name == "xmlns" || one.name.starts_with("xmlns:");
            if declares || one.namespace == XMLNS {
                let problem = "declares a namespace, which every export does itself".to_owned();
                return Err(self.invalid("an attribute", problem));
            }
            self.text("the value of an attribute", &one.value)?;
        }
        Ok(())
    }

    fn extra(&self, extra: &Extra) -> Result<(), ModelError> {
        self.attributes(&extra.attributes)?;
        self.few("elements", extra.elements.len())?;
        let mut elements = extra.elements.iter();
        elements.try_for_each(|element| self.text("an element", element))
    }

    fn metadata(&self, metadata: &Metadata) -> Result<(), ModelError> {
        if metadata.name.trim().is_empty() {
            let problem = "is empty; use one such as Title".to_owned();
            return Err(self.invalid("the name", problem));
        }
        self.text("the name", &metadata.name)?;
        self.text("the value", &metadata.value)?;
        self.text("the type of the value", &metadata.value_type)
    }

    fn all_metadata(&self, metadata: &[Metadata]) -> Result<(), ModelError> {
        // In 3MF names are unique, but duplicates in a file are kept.
        self.few("metadata", metadata.len())?;
        metadata.iter().try_for_each(|one| self.metadata(one))
    }

    fn field(&self, field: &Field) -> Result<(), ModelError> {
        self.text("the channel", &field.channel)?;
        self.transform(&field.transform)?;
        self.number("the minimum feature size", field.min_feature_size)?;
        if field.min_feature_size < 0.0 {
            let problem = format!("is {}, but must be 0 or more", field.min_feature_size);
            return Err(self.invalid("the minimum feature size", problem));
        }
        self.number("the fallback value", field.fallback_value)?;
        self.extra(&field.extra)
    }

    fn object(&self, object: &Object) -> Result<(), ModelError> {
        self.text("the name", &object.name)?;
        self.text("the part number", &object.part_number)?;
        self.all_metadata(&object.metadata)?;
        self.extra(&object.extra)?;
        match &object.body {
            Body::Mesh(mesh) => {
                self.few("references", mesh.references.len())?;
                let mut numbers = mesh.bounds.iter().flatten().flatten();
                numbers.try_for_each(|&number| self.number("a number of the bounds", number))
            }
            Body::Components(parts) => {
                self.few("components", parts.len())?;
                parts.iter().try_for_each(|part| {
                    self.transform(&part.transform)?;
                    self.extra(&part.extra)
                })
            }
            Body::LevelSet(level) => self.field(&level.field),
            Body::Foreign(foreign) => self.foreign(foreign),
        }
    }

    fn foreign(&self, foreign: &Foreign) -> Result<(), ModelError> {
        self.text("the element's name", &foreign.element)?;
        self.text("the namespace", &foreign.namespace)
    }

    fn image(&self, image: &ImageStack) -> Result<(), ModelError> {
        self.text("the name", &image.name)?;
        self.extra(&image.extra)?;
        self.few("sheets", image.sheets.len())?;
        if image.sheets.is_empty() || image.rows == 0 || image.columns == 0 {
            let [columns, rows, sheets] = [image.columns, image.rows, image.sheets.len() as u32];
            let problem = format!(
                "is {columns} x {rows} x {sheets}, but needs at least one column, one row and one sheet"
            );
            return Err(self.invalid("the size", problem));
        }
        let mut sheets = image.sheets.iter();
        sheets.try_for_each(|sheet| check_part_name(self.0, "the path of a sheet", &sheet.path))
    }

    fn volume(&self, volume: &VolumeData) -> Result<(), ModelError> {
        self.extra(&volume.extra)?;
        self.few("properties", volume.properties.len())?;
        let materials = volume.composite.iter().map(|one| one.materials.len());
        self.few("materials", materials.sum())?;
        let mut names = BTreeSet::new();
        for property in &volume.properties {
            self.text("the name of a property", &property.name)?;
            if property.name.trim().is_empty() || !names.insert(&property.name) {
                let problem = format!(
                    "{:?} is empty or a duplicate; give each property its own name",
                    property.name
                );
                return Err(self.invalid("the name of a property", problem));
            }
        }
        volume.fields().try_for_each(|field| self.field(field))
    }
}
