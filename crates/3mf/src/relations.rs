//! What the package says of its parts: their types, and how they belong together.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Part, Relationship, is_media_type};

use super::budget::Budget;
use super::element::Space;
use super::error::{Location, Problem, ReadError, brief};
use super::findings::Findings;
use super::model::File;
use super::names::{resolved, source_of, unescaped};
use super::package::{MODEL, Package};
use super::xml::Xml;

/// The part with the types of all parts.
const TYPES: &str = "[Content_Types].xml";

/// What is said of a part that nothing says the type of.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The types of parts.
#[derive(Debug, Default)]
struct Types {
    /// By the ending in lower case.
    by_ending: BTreeMap<String, String>,
    /// By the name in lower case, without a slash in front.
    by_name: BTreeMap<String, String>,
}

impl Types {
    /// Reads the types that a package says.
    fn read(package: &mut Package<'_>, findings: &mut Findings) -> Result<Types, ReadError> {
        let mut types = Types::default();
        let limits = *package.limits();
        let Some(name) = package.find(TYPES) else {
            let message =
                format!("the package has no part {TYPES}, which says of which types its parts are");
            let fix = "write the file again with the program that made it";
            findings.warn("no_content_types", Location::default(), message, fix);
            return Ok(types);
        };
        let part = package
            .part(&name)
            .map_err(|problem| problem.at(Location::part(&name)))?;
        let mut xml = Xml::new(part, &name, &limits);
        let root = xml.root()?;
        if (root.space, root.name.as_str()) != (Space::Types, "Types") {
            return Err(xml.error(Problem::Xml("the part holds no types of parts".to_owned())));
        }
        let mut kept = Budget::new(&limits);
        while let Some(element) = xml.child()? {
            kept.thing(&element).map_err(|problem| xml.error(problem))?;
            let key = match element.name.as_str() {
                "Default" => Some("Extension"),
                "Override" => Some("PartName"),
                _ => None,
            };
            if let Some(key) = key {
                let name = xml.required(&element, key)?.to_ascii_lowercase();
                let media_type = xml.required(&element, "ContentType")?.to_owned();
                if key == "Extension" {
                    types.by_ending.insert(name, media_type);
                } else {
                    let name = name.strip_prefix('/').unwrap_or(&name).to_owned();
                    types.by_name.insert(name, media_type);
                }
            }
            xml.skip()?;
        }
        xml.finish()?;
        Ok(types)
    }

    /// The type of a part.
    fn of(&self, part: &str) -> Option<&str> {
        let name = part.to_ascii_lowercase();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let by_ending = || ending.and_then(|ending| self.by_ending.get(ending));
        self.by_name
            .get(&name)
            .or_else(by_ending)
            .map(String::as_str)
    }
}

impl File<'_> {
    /// Reads what the package has beside the model and the sheets of its images, whose names are given in lower case.
    pub(super) fn read_package(
        &mut self,
        package: &mut Package<'_>,
        model: &str,
        sheets: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Part>, ReadError> {
        let types = Types::read(package, self.findings)?;
        let mut all = relationships(package, &mut self.kept, self.findings)?;
        all.retain(|one| {
            let of_model = one.source.eq_ignore_ascii_case(model) && !one.external;
            !(of_model && sheets.contains_key(&one.target.to_ascii_lowercase()))
        });
        self.info.relationships = all;
        let is_kept = |name: &&str| {
            let own = *name == model || name.eq_ignore_ascii_case(TYPES);
            let sheet = sheets.contains_key(&name.to_ascii_lowercase());
            !own && !sheet && source_of(name).is_none()
        };
        let names: Vec<String> = package.names().filter(is_kept).map(str::to_owned).collect();
        let mut parts = BTreeMap::new();
        for name in names {
            let folded = name.to_ascii_lowercase();
            // A part that is no record may not stand among the records.
            if folded.starts_with("_rels/") || folded.contains("/_rels/") {
                return Err(Problem::BadPath(brief(&name)).at(Location::part(&name)));
            }
            let bytes = package
                .bytes(&name, &mut self.kept)
                .map_err(|problem| problem.at(Location::part(&name)))?;
            let media_type = types.of(&name).filter(|name| is_media_type(name));
            let media_type = media_type.unwrap_or_else(|| {
                let message =
                    format!("nothing says of which type the part is: kept as {UNKNOWN_TYPE}");
                let fix = "name its ending, or the part, in [Content_Types].xml";
                let place = Location::part(&name);
                self.findings.warn("unknown_type", place, message, fix);
                UNKNOWN_TYPE
            });
            let part = Part {
                media_type: media_type.to_owned(),
                size: bytes.len() as u64,
                content: ContentHash::digest(&bytes),
            };
            self.contents.insert(part.content, bytes);
            parts.insert(name, part);
        }
        Ok(parts)
    }
}

/// Reads all relationships of a package but that to the model, in the order of their sources.
fn relationships(
    package: &mut Package<'_>,
    kept: &mut Budget,
    findings: &mut Findings,
) -> Result<Vec<Relationship>, ReadError> {
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    let mut all = Vec::new();
    for name in names {
        let Some(source) = source_of(&name) else {
            continue;
        };
        let limits = *package.limits();
        let part = package
            .part(&name)
            .map_err(|problem| problem.at(Location::part(&name)))?;
        let xml = Xml::new(part, &name, &limits);
        let found = of_part(xml, &source, kept);
        for (relationship, place) in findings.pass(found)?.into_iter().flatten() {
            let target = &relationship.target;
            let there = || {
                package
                    .find(target)
                    .or_else(|| package.find(&unescaped(target)?))
            };
            if !relationship.external && there().is_none() {
                let message = format!(
                    "the relationship {} leads to {}, which is not in the package",
                    brief(&relationship.id),
                    brief(target)
                );
                findings.warn(
                    "dangling_relationship",
                    place,
                    message,
                    "add the part, or remove the relationship",
                );
            }
            all.push(relationship);
        }
    }
    Ok(all)
}

fn of_part<R: Read>(
    mut xml: Xml<R>,
    source: &str,
    kept: &mut Budget,
) -> Result<Vec<(Relationship, Location)>, ReadError> {
    let root = xml.root()?;
    if (root.space, root.name.as_str()) != (Space::Relationships, "Relationships") {
        return Err(xml.error(Problem::Xml("the part holds no relationships".to_owned())));
    }
    let mut all = Vec::new();
    while let Some(element) = xml.child()? {
        let relation = element.attribute("Type").unwrap_or_default();
        let external = element.attribute("TargetMode") == Some("External");
        let to_model = source.is_empty() && relation == MODEL && !external;
        if element.name == "Relationship" && !to_model {
            kept.thing(&element).map_err(|problem| xml.error(problem))?;
            let written = xml.required(&element, "Target")?;
            let place = xml.place().at_line(element.line);
            let target = if external {
                Some(written.to_owned())
            } else {
                resolved(written, source)
            };
            let Some(target) = target else {
                let text = format!("the target {:?} leads out of the package", brief(written));
                return Err(Problem::DanglingReference(text).at(place));
            };
            let relationship = Relationship {
                source: source.to_owned(),
                target,
                relation: relation.to_owned(),
                id: element.attribute("Id").unwrap_or_default().to_owned(),
                external,
            };
            all.push((relationship, place));
        }
        xml.skip()?;
    }
    xml.finish()?;
    Ok(all)
}
