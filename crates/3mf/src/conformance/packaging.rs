//! Rules of the package: content types, relationships, thumbnails, textures (core 2 and 6).

use std::collections::{BTreeMap, BTreeSet};

use super::builds::Parts;
use super::facts::{PartPath, PathUse};
use super::images::{PNG, check_structure, image_head};
use crate::error::{Location, ReadError, brief};
use crate::findings::Findings;
use crate::package::part_names::{percent_decode, relationship_source, resolve_target};
use crate::package::{MODEL, Package, read_relationships};
use crate::xml::element::Schema;

/// Types of relationships of core and materials.
const THUMBNAIL: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail";
const PRINT_TICKET: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/printticket";
const MUST_PRESERVE: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/mustpreserve";
const TEXTURE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture";

/// Content types of parts.
pub(super) const MODEL_TYPE: &str = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml";
const TICKET_TYPE: &str = "application/vnd.ms-printing.printticket+xml";
pub(super) const TEXTURE_TYPE: &str = "application/vnd.ms-package.3dmanufacturing-3dmodeltexture";

const TYPES: &str = "[Content_Types].xml";

/// A relationship, its source and its target as the package names them.
struct Relationship {
    source: String,
    target: String,
    relation: String,
    place: Location,
}

/// Content types and relationships of a package.
pub(super) struct Directory {
    /// By extension, in lower case.
    extensions: BTreeMap<String, String>,
    /// By the name of the part, in lower case.
    names: BTreeMap<String, String>,
    relationships: Vec<Relationship>,
}

impl Directory {
    /// Reads the content types and relationships of a package, and checks them.
    ///
    /// # Errors
    /// When one of these parts is not XML.
    pub(super) fn read(
        package: &mut Package<'_>,
        findings: &mut Findings,
    ) -> Result<Directory, ReadError> {
        let mut directory = Directory {
            extensions: BTreeMap::new(),
            names: BTreeMap::new(),
            relationships: Vec::new(),
        };
        directory.read_types(package, findings)?;
        let names: Vec<String> = package.names().map(str::to_owned).collect();
        for name in names {
            if name
                .rsplit('/')
                .next()
                .is_some_and(|last| last.starts_with('.'))
                && relationship_source(&name).is_none()
            {
                let message = format!("the name of the part {} begins with a period", brief(&name));
                findings.violate(
                    "part_name",
                    Location::part(&name),
                    message,
                    "rename the part",
                );
            }
            if let Some(source) = relationship_source(&name) {
                directory.check_type(package, &name, findings);
                directory.read_relationships(package, &name, &source, findings)?;
            }
        }
        Ok(directory)
    }

    /// Reports a part without a content type; without any, that is reported instead.
    fn check_type(&self, package: &Package<'_>, name: &str, findings: &mut Findings) {
        if self.media_type(name).is_none() && package.find(TYPES).is_some() {
            findings.violate(
                "unknown_type",
                Location::part(name),
                "the type of the part is not declared".to_owned(),
                "declare its extension, or the part, in [Content_Types].xml",
            );
        }
    }

    fn read_types(
        &mut self,
        package: &mut Package<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        let Some(name) = package.find(TYPES) else {
            return Ok(());
        };
        let problem = crate::error::Problem::xml("the part does not declare part types");
        package
            .open_xml(&name)?
            .read_list(Schema::ContentTypes, "Types", problem, |_, element| {
                let (key, types) = match element.name.as_str() {
                    "Default" => (element.attribute("Extension"), &mut self.extensions),
                    "Override" => (element.attribute("PartName"), &mut self.names),
                    _ => return Ok(()),
                };
                let key = key
                    .unwrap_or_default()
                    .trim_start_matches('/')
                    .to_ascii_lowercase();
                let media_type = element
                    .attribute("ContentType")
                    .unwrap_or_default()
                    .to_owned();
                if types.insert(key.clone(), media_type).is_some() {
                    let message = format!("there are two content types of {}", brief(&key));
                    let place = Location::part(&name).at_line(element.line);
                    findings.violate("duplicate_content_type", place, message, "keep one of them");
                }
                Ok(())
            })
    }

    fn read_relationships(
        &mut self,
        package: &mut Package<'_>,
        name: &str,
        source: &str,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        let (mut ids, mut targets) = (BTreeSet::new(), BTreeSet::new());
        let mut found = Vec::new();
        read_relationships(
            package.open_xml(name)?,
            crate::error::Problem::Xml,
            |xml, element| {
                let place = xml.location().at_line(element.line);
                let text = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
                let (id, target, relation) = (text("Id"), text("Target"), text("Type"));
                if id.is_empty() || !ids.insert(id.clone()) {
                    let message = format!(
                        "the Id {:?} of a relationship is empty or that of another",
                        brief(&id)
                    );
                    findings.violate(
                        "relationship_id",
                        place.clone(),
                        message,
                        "give it an Id of its own",
                    );
                }
                if element.attribute("TargetMode") == Some("External") {
                    let message = format!(
                        "the target {} of a relationship is outside of the package",
                        brief(&target)
                    );
                    findings.violate(
                        "external_relationship",
                        place,
                        message,
                        "add the target to the package, or remove the relationship",
                    );
                    return Ok(());
                }
                let resolved = resolve_target(&target, source).unwrap_or_default();
                if !targets.insert((relation.clone(), resolved.to_ascii_lowercase())) {
                    let message = format!(
                        "there are two relationships of one type to {}",
                        brief(&target)
                    );
                    findings.violate(
                        "duplicate_relationship",
                        place.clone(),
                        message,
                        "keep one of them",
                    );
                    return Ok(());
                }
                found.push(Relationship {
                    source: source.to_owned(),
                    target: resolved,
                    relation,
                    place,
                });
                Ok(())
            },
        )?;
        for one in &mut found {
            let decoded = || package.find(&percent_decode(&one.target)?);
            if let Some(there) = package.find(&one.target).or_else(decoded) {
                one.target = there;
            } else {
                let known = [MODEL, THUMBNAIL, PRINT_TICKET, MUST_PRESERVE, TEXTURE];
                let is_start = one.source.is_empty() && one.relation == MODEL;
                if known.contains(&one.relation.as_str()) && !is_start {
                    let message = format!(
                        "the target {} of a relationship is not in the package",
                        brief(&one.target)
                    );
                    findings.violate(
                        "missing_related_part",
                        one.place.clone(),
                        message,
                        "add the part, or remove the relationship",
                    );
                }
                one.target.clear();
            }
        }
        self.relationships.extend(found);
        Ok(())
    }

    /// Content type of a part.
    pub(super) fn media_type(&self, part: &str) -> Option<&str> {
        let name = part.to_ascii_lowercase();
        let by_extension = || self.extensions.get(name.rsplit_once('.')?.1);
        self.names
            .get(&name)
            .or_else(by_extension)
            .map(String::as_str)
    }

    /// Names of the model parts beside the root.
    pub(super) fn model_parts(&self, package: &Package<'_>, root: &str) -> Vec<String> {
        let targets = self
            .relationships
            .iter()
            .filter(|one| one.relation == MODEL)
            .map(|one| one.target.as_str());
        let typed = package
            .names()
            .filter(|name| self.media_type(name) == Some(MODEL_TYPE));
        let names = targets
            .chain(typed)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(root));
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn is_related(&self, source: &str, target: &str, relation: &str) -> bool {
        self.relationships.iter().any(|one| {
            one.relation == relation
                && one.source.eq_ignore_ascii_case(source)
                && one.target.eq_ignore_ascii_case(target)
        })
    }

    /// True if a relationship says that a part is a model part.
    fn is_model(&self, part: &str) -> bool {
        let mut all = self.relationships.iter();
        all.any(|one| one.relation == MODEL && one.target.eq_ignore_ascii_case(part))
    }

    /// Checks relationships against the parts that they lead to.
    pub(super) fn check(
        &self,
        package: &mut Package<'_>,
        root: &str,
        parts: &Parts,
        findings: &mut Findings,
    ) {
        self.check_start(root, parts, findings);
        self.check_images(package, parts, findings);
        let mut tickets = BTreeMap::new();
        for one in &self.relationships {
            let is_model = parts.contains_key(&one.source.to_ascii_lowercase());
            match one.relation.as_str() {
                PRINT_TICKET if !is_model => {
                    let message =
                        "a PrintTicket relationship is not that of a 3D model part".to_owned();
                    findings.violate(
                        "print_ticket_source",
                        one.place.clone(),
                        message,
                        "move it to the relationships of the model part",
                    );
                }
                PRINT_TICKET => {
                    let count = tickets.entry(one.source.to_ascii_lowercase()).or_insert(0);
                    *count += 1;
                    if *count == 2 {
                        let message = "the model part has two PrintTickets".to_owned();
                        findings.violate(
                            "print_ticket_count",
                            one.place.clone(),
                            message,
                            "keep one of them",
                        );
                    }
                    if !one.target.is_empty()
                        && self
                            .media_type(&one.target)
                            .is_some_and(|found| found != TICKET_TYPE)
                    {
                        let message = format!(
                            "the content type of the PrintTicket {} is not {TICKET_TYPE}",
                            brief(&one.target)
                        );
                        findings.violate(
                            "print_ticket_type",
                            one.place.clone(),
                            message,
                            "declare it in [Content_Types].xml",
                        );
                    }
                }
                MUST_PRESERVE if !one.source.is_empty() => {
                    let message =
                        "a MustPreserve relationship is not that of the package".to_owned();
                    findings.violate(
                        "must_preserve_source",
                        one.place.clone(),
                        message,
                        "move it to _rels/.rels",
                    );
                }
                THUMBNAIL if !one.target.is_empty() => {
                    self.check_thumbnail(package, &one.target, &one.place, findings);
                }
                _ => {}
            }
        }
        for part in parts.values() {
            self.check_type(package, &part.name, findings);
            let found = self.media_type(&part.name);
            if let Some(found) = found.filter(|found| *found != MODEL_TYPE) {
                let message = format!(
                    "the content type of the model part is {}, not {MODEL_TYPE}",
                    brief(found)
                );
                findings.violate(
                    "model_content_type",
                    Location::part(&part.name),
                    message,
                    "declare it in [Content_Types].xml",
                );
            }
            let mut layouts: BTreeMap<u32, [u8; 2]> = BTreeMap::new();
            for path in &part.paths {
                self.check_path(package, &part.name, path, parts, &mut layouts, findings);
            }
            let is_target = self.is_model(&part.name);
            if !is_target {
                let message = "no relationship leads to the model part".to_owned();
                let fix = "add a relationship from the root model part, or remove the part";
                findings.violate(
                    "model_relationship",
                    Location::part(&part.name),
                    message,
                    fix,
                );
            }
        }
    }

    /// Checks that the relationships of the package lead to no model part but the root.
    fn check_start(&self, root: &str, parts: &Parts, findings: &mut Findings) {
        let of_package = self
            .relationships
            .iter()
            .filter(|one| one.source.is_empty());
        for one in of_package {
            let is_model = parts.contains_key(&one.target.to_ascii_lowercase());
            if is_model && !one.target.eq_ignore_ascii_case(root) {
                let message = format!(
                    "the package has a relationship to {}, which is not the root model part",
                    brief(&one.target)
                );
                findings.violate(
                    "model_relationship",
                    one.place.clone(),
                    message,
                    "move it to the relationships of the part that refers to it",
                );
            }
        }
    }

    /// Checks that thumbnails, textures and sheets of images are not damaged, each part once.
    fn check_images(&self, package: &mut Package<'_>, parts: &Parts, findings: &mut Findings) {
        let related = self.relationships.iter();
        let related = related.filter(|one| one.relation == THUMBNAIL && !one.target.is_empty());
        let mut images: BTreeMap<String, bool> =
            related.map(|one| (one.target.clone(), false)).collect();
        for path in parts.values().flat_map(|part| &part.paths) {
            let is_sheet = match path.of {
                PathUse::Object(_) | PathUse::SliceStack => continue,
                PathUse::Texture | PathUse::Thumbnail => false,
                PathUse::Sheet => true,
            };
            if let Some(target) = find_part(package, &path.path) {
                *images.entry(target).or_default() |= is_sheet;
            }
        }
        for (part, is_sheet) in images {
            check_structure(package, &part, is_sheet, findings);
        }
    }

    fn check_path(
        &self,
        package: &mut Package<'_>,
        source: &str,
        path: &PartPath,
        parts: &Parts,
        layouts: &mut BTreeMap<u32, [u8; 2]>,
        findings: &mut Findings,
    ) {
        let place = Location::part(source).at_line(path.line);
        let written = brief(&path.path);
        let Some(target) = find_part(package, &path.path) else {
            // The reader rejects images without their sheets.
            if path.of != PathUse::Sheet {
                let message = format!("the part {written} is not in the package");
                findings.violate(
                    "missing_part",
                    place,
                    message,
                    "add the part, or correct the path",
                );
            }
            return;
        };
        match path.of {
            PathUse::Object(id) => {
                let found = parts.get(&target.to_ascii_lowercase());
                // A part that cannot be read is reported as such.
                let is_broken = found.is_none() && self.is_model(&target);
                if !is_broken && found.is_none_or(|part| !part.objects.contains_key(&id)) {
                    let message =
                        format!("objectid refers to object {id} of {written}, which is not there");
                    findings.violate(
                        "dangling_reference",
                        place.clone(),
                        message,
                        "correct objectid or the path",
                    );
                }
                self.check_model_relationship(source, &target, place, findings);
            }
            PathUse::SliceStack => self.check_model_relationship(source, &target, place, findings),
            PathUse::Texture | PathUse::Sheet => {
                if !self.is_related(source, &target, TEXTURE) {
                    let message =
                        format!("the model part has no 3D Texture relationship to {written}");
                    findings.violate(
                        "texture_relationship",
                        place.clone(),
                        message,
                        "add the relationship",
                    );
                }
                let head = image_head(package, &target);
                if path.of == PathUse::Texture {
                    self.check_texture(&target, path, &head, place, findings);
                } else if let Some(layout) = head.get(24..26).filter(|_| head.starts_with(PNG)) {
                    let layout = [layout[0], layout[1]];
                    let before = layouts.insert(path.image, layout);
                    if before.is_some_and(|before| before != layout) {
                        let message = format!(
                            "the sheet {written} has other channels or another depth than the one before it"
                        );
                        findings.violate(
                            "image_layout",
                            place,
                            message,
                            "save all sheets of the image with the same channels and depth",
                        );
                    }
                }
            }
            PathUse::Thumbnail => {
                if self.is_related(source, &target, THUMBNAIL) {
                    return;
                }
                let message = format!("the model part has no Thumbnail relationship to {written}");
                findings.violate(
                    "thumbnail_relationship",
                    place,
                    message,
                    "add the relationship",
                );
            }
        }
    }

    fn check_model_relationship(
        &self,
        source: &str,
        target: &str,
        place: Location,
        findings: &mut Findings,
    ) {
        // A part to which nothing leads is reported once, as such.
        let is_target = self.is_model(target);
        if is_target
            && !source.eq_ignore_ascii_case(target)
            && !self.is_related(source, target, MODEL)
        {
            let message = format!(
                "the model part has no relationship to the model part {}",
                brief(target)
            );
            findings.violate("model_relationship", place, message, "add the relationship");
        }
    }
}

/// Name of the part that a path leads to, also one with percent-encoded characters.
fn find_part(package: &Package<'_>, path: &str) -> Option<String> {
    let name = path.trim_start_matches('/');
    let decoded = || package.find(&percent_decode(name)?);
    package.find(name).or_else(decoded)
}
