//! The zip package of a 3MF file, by the Open Packaging Conventions (ECMA-376 part 2).
//!
//! The whole directory is checked against the limits before anything is unpacked.
//! Parts are found by their relationships; names are compared without regard to ASCII case.

pub(crate) mod part_names;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use zip::CompressionMethod;
use zip::read::{ZipArchive, ZipFile};

use crate::error::{Location, Problem, ReadError, brief};
use crate::limits::Limits;
use crate::xml::XmlReader;
use crate::xml::budget::Budget;
use crate::xml::element::{Element, Schema};

/// Type of the relationship from the package to the model.
pub(crate) const MODEL: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// Content type of a model part.
pub(crate) const MODEL_TYPE: &str = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml";

/// Name of the model part of written packages.
pub(crate) const MODEL_PART: &str = "3D/3dmodel.model";

/// True if a part is a model, by its content type or the extension of its name.
pub(crate) fn is_model_part(name: &str, media_type: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    media_type.eq_ignore_ascii_case(MODEL_TYPE)
        || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("model"))
}

/// The part with the relationships of the package.
const RELATIONSHIPS: &str = "_rels/.rels";

/// Signature of a zip entry's header in the central directory.
const ENTRY: &[u8] = b"PK\x01\x02";

/// Signature of the end of a zip's central directory.
const END: &[u8] = b"PK\x05\x06";

/// An opened package.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Index and name of each entry, by its name in lower case.
    parts: BTreeMap<String, (usize, String)>,
    limits: Limits,
}

/// Source of the parts that a model names.
pub(crate) trait PartSource {
    /// Name of a part as the source has it; `name` has no leading slash.
    fn find(&self, name: &str) -> Option<String>;

    /// Reads the whole part.
    fn read_part(&mut self, name: &str, budget: &mut Budget) -> Result<Vec<u8>, ReadError>;
}

impl PartSource for Package<'_> {
    fn find(&self, name: &str) -> Option<String> {
        Package::find(self, name)
    }

    fn read_part(&mut self, name: &str, budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
        Package::read_part(self, name, budget)
    }
}

/// Reader of a part. It never returns more bytes than the directory states, and its last read fails if the checksum
/// differs.
pub(crate) type PackagePart<'p, 'a> = ZipFile<'p, Cursor<&'a [u8]>>;

impl<'a> Package<'a> {
    /// Reads the directory of an archive and checks it against the limits.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Package<'a>, Problem> {
        if bytes.len() as u64 > limits.package {
            return Err(Problem::too_large("the file in bytes", limits.package));
        }
        // Every entry that a reader could find has this signature, so the directory is bounded before it is read.
        let entries = bytes.windows(ENTRY.len()).filter(|&at| at == ENTRY);
        if entries.take(limits.entries + 1).count() > limits.entries {
            return Err(Problem::TooManyEntries(limits.entries));
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| archive_problem(bytes, &error.to_string()))?;
        let mut package = Package {
            archive,
            parts: BTreeMap::new(),
            limits: *limits,
        };
        package.check_directory()?;
        Ok(package)
    }

    fn check_directory(&mut self) -> Result<(), Problem> {
        let mut total = 0_u64;
        for index in 0..self.archive.len() {
            let entry = self.archive.by_index_data(index);
            let entry = entry.map_err(|error| Problem::Damaged(error.to_string()))?;
            let name = parse_part_name(entry.name_raw())?;
            if entry.encrypted() {
                return Err(Problem::Encrypted(brief(&name)));
            }
            total = total.saturating_add(entry.size());
            if total > self.limits.unpacked {
                return Err(Problem::too_large(
                    "the unpacked size in bytes",
                    self.limits.unpacked,
                ));
            }
            let packed = entry.compressed_size().max(1);
            if entry.size() > Limits::RATIO_FROM && entry.size() / packed > self.limits.ratio {
                return Err(Problem::too_large(
                    "the compression ratio of an entry",
                    self.limits.ratio,
                ));
            }
            if name.ends_with('/') {
                continue;
            }
            let part = (index, name.clone());
            if self.parts.insert(name.to_ascii_lowercase(), part).is_some() {
                return Err(Problem::DuplicatePart(brief(&name)));
            }
        }
        if self.archive.has_duplicate_names() {
            return Err(Problem::DuplicatePart("(the same name)".to_owned()));
        }
        Ok(())
    }

    /// Names of all parts, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.values().map(|(_, name)| name.as_str())
    }

    /// Name of a part as the archive has it; `name` has no leading slash.
    pub(crate) fn find(&self, name: &str) -> Option<String> {
        let (_, found) = self.parts.get(&name.to_ascii_lowercase())?;
        Some(found.clone())
    }

    /// Limits of the package.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reads the whole part.
    ///
    /// # Panics
    /// If there is no such part.
    pub(crate) fn read_part(
        &mut self,
        name: &str,
        budget: &mut Budget,
    ) -> Result<Vec<u8>, ReadError> {
        let damaged = |problem: Problem| problem.at(Location::part(name));
        let mut part = self.open_part(name)?;
        let size = part.size();
        let charged = budget.charge_bytes(usize::try_from(size).unwrap_or(usize::MAX));
        charged.map_err(damaged)?;
        // The stated size may be too large, but the budget bounds it, and untouched memory costs nothing.
        let mut bytes = Vec::with_capacity(size as usize);
        let mut within = (&mut part).take(size.saturating_add(1));
        let read = within.read_to_end(&mut bytes);
        read.map_err(|error| damaged(Problem::Damaged(error.to_string())))?;
        Ok(bytes)
    }

    /// Opens a part; `name` has no leading slash.
    ///
    /// # Panics
    /// If there is no such part.
    pub(crate) fn open_part(&mut self, name: &str) -> Result<PackagePart<'_, 'a>, ReadError> {
        let (index, _) = self.parts[&name.to_ascii_lowercase()];
        let entry = self.archive.by_index_data(index);
        let method = entry.map_or(CompressionMethod::Stored, |entry| entry.compression());
        let problem = match method {
            CompressionMethod::Stored | CompressionMethod::Deflated => {
                match self.archive.by_index(index) {
                    Ok(part) => return Ok(part),
                    Err(error) => Problem::Damaged(error.to_string()),
                }
            }
            _ => Problem::Method(method.to_string()),
        };
        Err(problem.at(Location::part(name)))
    }

    /// Opens a part as XML; `name` has no leading slash.
    ///
    /// # Panics
    /// If there is no such part.
    pub(crate) fn open_xml(
        &mut self,
        name: &str,
    ) -> Result<XmlReader<PackagePart<'_, 'a>>, ReadError> {
        let limits = self.limits;
        Ok(XmlReader::new(self.open_part(name)?, name, &limits))
    }

    /// Verifies the checksum of a part.
    pub(crate) fn verify(&mut self, name: &str) -> Result<(), ReadError> {
        match io::copy(&mut self.open_part(name)?, &mut io::sink()) {
            Ok(_) => Ok(()),
            Err(error) => Err(Problem::Damaged(error.to_string()).at(Location::part(name))),
        }
    }

    /// Returns the name of the model part, by the relationships of the package.
    pub(crate) fn find_model(&mut self) -> Result<String, ReadError> {
        let no_model = |text: String| Problem::NoModel(text).at(Location::part(RELATIONSHIPS));
        if !self.parts.contains_key(RELATIONSHIPS) {
            let text = "the package has no part _rels/.rels, which locates the model";
            return Err(no_model(text.to_owned()));
        }
        let targets = model_targets(self.open_xml(RELATIONSHIPS)?)?;
        let target = match targets.as_slice() {
            [target] => target,
            [] => {
                let text = "the package has no relationship to a model";
                return Err(no_model(text.to_owned()));
            }
            [first, second, ..] => {
                let (first, second) = (brief(first), brief(second));
                let text = format!("the package has two models, {first} and {second}");
                return Err(no_model(text));
            }
        };
        let name = target.strip_prefix('/').unwrap_or(target);
        self.find(name).ok_or_else(|| {
            let target = brief(target);
            no_model(format!(
                "the model should be {target}, but there is no such part"
            ))
        })
    }
}

/// The first two targets of the relationships to a model.
fn model_targets(xml: XmlReader<PackagePart<'_, '_>>) -> Result<Vec<String>, ReadError> {
    let mut targets = Vec::new();
    read_relationships(xml, Problem::NoModel, |xml, element| {
        let external = element.attribute("TargetMode") == Some("External");
        if element.attribute("Type") == Some(MODEL) && !external {
            let target = xml.required(element, "Target")?;
            // The error names the second.
            if targets.len() < 2 && !targets.iter().any(|one| one == target) {
                targets.push(target.to_owned());
            }
        }
        Ok(())
    })?;
    Ok(targets)
}

/// Visits the relationships of a part; `problem` is that of a part that holds none.
pub(crate) fn read_relationships<R: Read>(
    xml: XmlReader<R>,
    problem: fn(String) -> Problem,
    mut visit: impl FnMut(&XmlReader<R>, &Element) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let problem = problem("the part is not a list of relationships".to_owned());
    xml.read_list(
        Schema::Relationships,
        "Relationships",
        problem,
        |xml, element| match element.name.as_str() {
            "Relationship" => visit(xml, element),
            _ => Ok(()),
        },
    )
}

/// Problem of bytes that could not be opened as an archive.
fn archive_problem(bytes: &[u8], error: &str) -> Problem {
    if !bytes.starts_with(b"PK") {
        return Problem::NotAZip(brief(error));
    }
    if bytes.windows(END.len()).any(|at| at == END) {
        return Problem::Damaged(format!(
            "the directory of the archive is damaged ({})",
            brief(error)
        ));
    }
    Problem::Truncated
}

/// Validates the name of an entry: relative, of plain segments, the same for every program.
fn parse_part_name(raw: &[u8]) -> Result<String, Problem> {
    const LONGEST: usize = 1024;
    let bad = || {
        Problem::BadPath(brief(&String::from_utf8_lossy(
            &raw[..raw.len().min(LONGEST)],
        )))
    };
    let name = std::str::from_utf8(raw).map_err(|_| bad())?;
    let folded = name.to_ascii_lowercase();
    let escaped = ["%2f", "%5c", "%2e", "%00"]
        .iter()
        .any(|escape| folded.contains(escape));
    let strange = |c: char| {
        c.is_control() || matches!(c, '\\' | ':' | '?' | '#' | '"' | '<' | '>' | '|' | '*')
    };
    let segments = name.strip_suffix('/').unwrap_or(name);
    let hollow = segments
        .split('/')
        .any(|segment| segment.is_empty() || segment.ends_with('.'));
    if name.len() > LONGEST || escaped || hollow || name.contains(strange) {
        return Err(bad());
    }
    Ok(name.to_owned())
}
