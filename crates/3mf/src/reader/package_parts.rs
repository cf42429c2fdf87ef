//! Reader of the parts beside the model: content types and relationships.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Part, Relationship, is_media_type};

use super::ModelReader;
use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::findings::Findings;
use crate::package::part_names::{percent_decode, relationship_source, resolve_target};
use crate::package::{MODEL, Package, read_relationships};
use crate::xml::XmlReader;
use crate::xml::budget::Budget;
use crate::xml::element::Schema;

/// Part with the content types of all parts.
const TYPES: &str = "[Content_Types].xml";

/// Content type of a part for which none is declared.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// Content types of parts.
#[derive(Debug, Default)]
struct ContentTypes {
    /// By the file extension in lower case.
    by_ending: BTreeMap<String, String>,
    /// By the name in lower case, without a leading slash.
    by_name: BTreeMap<String, String>,
}

impl ContentTypes {
    /// Reads the content types of a package.
    fn read(package: &mut Package<'_>, findings: &mut Findings) -> Result<ContentTypes, ReadError> {
        let mut types = ContentTypes::default();
        let Some(name) = package.find(TYPES) else {
            let message =
                format!("the package has no part {TYPES}, which declares the types of its parts");
            let fix = "export the file again from the program that created it";
            findings.warn("no_content_types", Location::default(), message, fix);
            return Ok(types);
        };
        let mut budget = Budget::new(package.limits());
        let problem = Problem::xml("the part does not declare part types");
        let xml = package.open_xml(&name)?;
        xml.read_list(Schema::ContentTypes, "Types", problem, |xml, element| {
            budget.charge_item(element).at(xml.location())?;
            let key = match element.name.as_str() {
                "Default" => "Extension",
                "Override" => "PartName",
                _ => return Ok(()),
            };
            let name = xml.required(element, key)?.to_ascii_lowercase();
            let media_type = xml.required(element, "ContentType")?.to_owned();
            if key == "Extension" {
                types.by_ending.insert(name, media_type);
            } else {
                let name = name.strip_prefix('/').unwrap_or(&name).to_owned();
                types.by_name.insert(name, media_type);
            }
            Ok(())
        })?;
        Ok(types)
    }

    /// Content type of a part.
    fn media_type(&self, part: &str) -> Option<&str> {
        let name = part.to_ascii_lowercase();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let by_ending = || ending.and_then(|ending| self.by_ending.get(ending));
        self.by_name
            .get(&name)
            .or_else(by_ending)
            .map(String::as_str)
    }
}

impl ModelReader<'_> {
    /// Reads the parts beside the model and the sheets of its images; `sheets` has the names of these in lower case.
    pub(crate) fn read_package(
        &mut self,
        package: &mut Package<'_>,
        model: &str,
        sheets: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Part>, ReadError> {
        let types = ContentTypes::read(package, self.findings)?;
        let mut all = relationships(package, &mut self.budget, self.findings)?;
        all.retain(|one| {
            let of_model = one.source.eq_ignore_ascii_case(model) && !one.external;
            !(of_model && sheets.contains_key(&one.target.to_ascii_lowercase()))
        });
        self.model.info.relationships = all;
        let is_kept = |name: &&str| {
            let own = *name == model || name.eq_ignore_ascii_case(TYPES);
            let sheet = sheets.contains_key(&name.to_ascii_lowercase());
            !own && !sheet && relationship_source(name).is_none()
        };
        let names: Vec<String> = package.names().filter(is_kept).map(str::to_owned).collect();
        let mut parts = BTreeMap::new();
        for name in names {
            let folded = name.to_ascii_lowercase();
            // Only relationships may be in a folder of relationships.
            if folded.starts_with("_rels/") || folded.contains("/_rels/") {
                return Err(Problem::BadPath(brief(&name)).at(Location::part(&name)));
            }
            let bytes = package.read_part(&name, &mut self.budget)?;
            let media_type = types.media_type(&name).filter(|name| is_media_type(name));
            let media_type = media_type.unwrap_or_else(|| {
                let message =
                    format!("the type of the part is not declared: preserved as {UNKNOWN_TYPE}");
                let fix = "declare its extension, or the part, in [Content_Types].xml";
                let place = Location::part(&name);
                self.findings.warn("unknown_type", place, message, fix);
                UNKNOWN_TYPE
            });
            let part = Part {
                media_type: media_type.to_owned(),
                size: bytes.len() as u64,
                content: ContentHash::digest(&bytes),
            };
            self.model.contents.insert(part.content, bytes);
            parts.insert(name, part);
        }
        Ok(parts)
    }
}

/// Reads all relationships of a package except that to the model, sorted by the names of their parts.
fn relationships(
    package: &mut Package<'_>,
    budget: &mut Budget,
    findings: &mut Findings,
) -> Result<Vec<Relationship>, ReadError> {
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    let mut all = Vec::new();
    for name in names {
        let Some(source) = relationship_source(&name) else {
            continue;
        };
        let found = relationships_of(package.open_xml(&name)?, &source, budget);
        for (relationship, place) in findings.pass(found)?.into_iter().flatten() {
            let target = &relationship.target;
            let there = || {
                let decoded = || package.find(&percent_decode(target)?);
                package.find(target).or_else(decoded)
            };
            if !relationship.external && there().is_none() {
                let (id, target) = (brief(&relationship.id), brief(target));
                let message = format!(
                    "the target of relationship {id} is {target}, which is not in the package"
                );
                let fix = "add the part, or remove the relationship";
                findings.warn("dangling_relationship", place, message, fix);
            }
            all.push(relationship);
        }
    }
    Ok(all)
}

/// Reads the relationships of a part, with their locations.
fn relationships_of<R: Read>(
    xml: XmlReader<R>,
    source: &str,
    budget: &mut Budget,
) -> Result<Vec<(Relationship, Location)>, ReadError> {
    let mut all = Vec::new();
    read_relationships(xml, Problem::Xml, |xml, element| {
        let relation = element.attribute("Type").unwrap_or_default();
        let external = element.attribute("TargetMode") == Some("External");
        if source.is_empty() && relation == MODEL && !external {
            return Ok(());
        }
        budget.charge_item(element).at(xml.location())?;
        let written = xml.required(element, "Target")?;
        let place = xml.location().at_line(element.line);
        let target = if external {
            Some(written.to_owned())
        } else {
            resolve_target(written, source)
        };
        let Some(target) = target else {
            let text = format!("the target {:?} is outside of the package", brief(written));
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
        Ok(())
    })?;
    Ok(all)
}
