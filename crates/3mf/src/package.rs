//! The zip package of a 3MF file, by the Open Packaging Conventions (ECMA-376 part 2).
//!
//! Nothing is unpacked before the whole directory was found to be within the limits, and nothing beyond them.
//! Parts are found by their relationships; names are compared without regard to ASCII case.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use zip::CompressionMethod;
use zip::read::{ZipArchive, ZipFile};

use super::Limits;
use super::budget::Budget;
use super::element::Space;
use super::error::{Location, Problem, ReadError, brief};
use super::xml::Xml;

/// The relationship from the package to the model.
pub(super) const MODEL: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// The part with the relationships of the package.
const RELATIONSHIPS: &str = "_rels/.rels";

/// What every zip entry's header in the directory starts with.
const ENTRY: &[u8] = b"PK\x01\x02";

/// What the end of a zip's directory starts with.
const END: &[u8] = b"PK\x05\x06";

/// An opened package.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// By the name in lower case: the index of the entry, and the name.
    parts: BTreeMap<String, (usize, String)>,
    limits: Limits,
}

/// The contents of a part: never more than the directory says, and with the checksum that it says, or the last
/// read fails.
pub(super) type Part<'p, 'a> = ZipFile<'p, Cursor<&'a [u8]>>;

impl<'a> Package<'a> {
    /// Reads the directory of an archive and holds it against the limits.
    pub(super) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Package<'a>, Problem> {
        if bytes.len() as u64 > limits.package {
            return Err(Problem::TooLarge {
                what: "the file in bytes",
                limit: limits.package,
            });
        }
        // Every entry that a reader could find starts with this, so the directory is bounded before it is read.
        let entries = bytes.windows(ENTRY.len()).filter(|&at| at == ENTRY);
        if entries.take(limits.entries + 1).count() > limits.entries {
            return Err(Problem::TooManyEntries(limits.entries));
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| no_archive(bytes, &error.to_string()))?;
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
            let entry = self
                .archive
                .by_index_data(index)
                .map_err(|error| Problem::Damaged(error.to_string()))?;
            let name = part_name(entry.name_raw())?;
            if entry.encrypted() {
                return Err(Problem::Encrypted(brief(&name)));
            }
            total = total.saturating_add(entry.size());
            if total > self.limits.unpacked {
                return Err(Problem::TooLarge {
                    what: "the unpacked contents in bytes",
                    limit: self.limits.unpacked,
                });
            }
            let packed = entry.compressed_size().max(1);
            if entry.size() > Limits::RATIO_FROM && entry.size() / packed > self.limits.ratio {
                return Err(Problem::TooLarge {
                    what: "the ratio of an entry's size unpacked to its size packed",
                    limit: self.limits.ratio,
                });
            }
            if name.ends_with('/') {
                continue;
            }
            if self
                .parts
                .insert(name.to_ascii_lowercase(), (index, name.clone()))
                .is_some()
            {
                return Err(Problem::DuplicatePart(brief(&name)));
            }
        }
        if self.archive.has_duplicate_names() {
            return Err(Problem::DuplicatePart("(exactly the same)".to_owned()));
        }
        Ok(())
    }

    /// The names of all parts, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.values().map(|(_, name)| name.as_str())
    }

    /// The name of a part as the archive has it; `name` without the slash in front.
    pub(super) fn find(&self, name: &str) -> Option<String> {
        let (_, found) = self.parts.get(&name.to_ascii_lowercase())?;
        Some(found.clone())
    }

    /// The limits within which the package is read.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Everything that a part holds.
    ///
    /// # Panics
    /// If there is no such part.
    pub(super) fn bytes(&mut self, name: &str, kept: &mut Budget) -> Result<Vec<u8>, Problem> {
        let mut part = self.part(name)?;
        let size = part.size();
        kept.bytes(usize::try_from(size).unwrap_or(usize::MAX))?;
        // It may say more than there is, but no more than may be kept, and what is not written to takes no memory.
        let mut bytes = Vec::with_capacity(size as usize);
        let read = (&mut part)
            .take(size.saturating_add(1))
            .read_to_end(&mut bytes);
        read.map_err(|error| Problem::Damaged(error.to_string()))?;
        Ok(bytes)
    }

    /// Opens a part; `name` without the slash in front.
    ///
    /// # Panics
    /// If there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Part<'_, 'a>, Problem> {
        let (index, _) = self.parts[&name.to_ascii_lowercase()];
        let method = self
            .archive
            .by_index_data(index)
            .map_or(CompressionMethod::Stored, |entry| entry.compression());
        if !matches!(
            method,
            CompressionMethod::Stored | CompressionMethod::Deflated
        ) {
            return Err(Problem::Method(method.to_string()));
        }
        self.archive
            .by_index(index)
            .map_err(|error| Problem::Damaged(error.to_string()))
    }

    /// Unpacks a part only for its checksum.
    pub(super) fn verify(&mut self, name: &str) -> Result<(), Problem> {
        let unpacked = io::copy(&mut self.part(name)?, &mut io::sink());
        unpacked
            .map(|_| ())
            .map_err(|error| Problem::Damaged(error.to_string()))
    }

    /// The name of the part with the model, by the relationships of the package.
    pub(super) fn model(&mut self) -> Result<String, ReadError> {
        let place = Location::part(RELATIONSHIPS);
        let no_model = |text: String| Problem::NoModel(text).at(place.clone());
        if !self.parts.contains_key(RELATIONSHIPS) {
            return Err(no_model(
                "the package has no part _rels/.rels, which says where the model is".to_owned(),
            ));
        }
        let limits = self.limits;
        let part = self
            .part(RELATIONSHIPS)
            .map_err(|problem| problem.at(place.clone()))?;
        let targets = targets(Xml::new(part, RELATIONSHIPS, &limits))?;
        let target = match targets.as_slice() {
            [target] => target,
            [] => {
                return Err(no_model(
                    "the package has no relationship to a model".to_owned(),
                ));
            }
            [_, second, ..] => {
                let text = format!(
                    "the package has two models, {} and {}",
                    brief(&targets[0]),
                    brief(second)
                );
                return Err(no_model(text));
            }
        };
        let name = target.strip_prefix('/').unwrap_or(target);
        match self.parts.get(&name.to_ascii_lowercase()) {
            Some((_, name)) => Ok(name.clone()),
            None => Err(no_model(format!(
                "the model should be {}, but there is no such part",
                brief(target)
            ))),
        }
    }
}

/// The targets of the relationships to a model, the first two.
fn targets(mut xml: Xml<Part<'_, '_>>) -> Result<Vec<String>, ReadError> {
    let root = xml.root()?;
    if (root.space, root.name.as_str()) != (Space::Relationships, "Relationships") {
        return Err(xml.error(Problem::NoModel(
            "the part holds no relationships".to_owned(),
        )));
    }
    let mut targets = Vec::new();
    while let Some(element) = xml.child()? {
        let model = element.attribute("Type") == Some(MODEL);
        let external = element.attribute("TargetMode") == Some("External");
        if element.name == "Relationship" && model && !external {
            let target = xml.required(&element, "Target")?;
            // The second is there to be named in the refusal.
            if targets.len() < 2 && !targets.iter().any(|one| one == target) {
                targets.push(target.to_owned());
            }
        }
        xml.skip()?;
    }
    xml.finish()?;
    Ok(targets)
}

/// Why bytes could not be opened as an archive.
fn no_archive(bytes: &[u8], error: &str) -> Problem {
    if !bytes.starts_with(b"PK") {
        return Problem::NotAZip(brief(error));
    }
    if bytes.windows(END.len()).any(|at| at == END) {
        return Problem::Damaged(format!(
            "the directory of the archive is broken ({})",
            brief(error)
        ));
    }
    Problem::Truncated
}

/// The name of an entry, if it may be one: relative, of plain segments, the same for every program.
fn part_name(raw: &[u8]) -> Result<String, Problem> {
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
