//! Rules of the 3MF specifications that the reader does not need, for [`check`](crate::check).
//!
//! The reader interprets what it understands and keeps the rest, so that a file can be read although it breaks a rule. This
//! module walks over all 3D model parts of a package, those of the production and slice extensions included, against their
//! schemas and the rules of [`RULES`](crate::RULES). It reads nothing that the limits do not allow, and rejects nothing: what it finds is a
//! [`Violation`](crate::Severity::Violation).
//!
//! Memory: the resources, objects and paths of all parts, and the mesh of one object at a time. Time: linear in the size of
//! the parts, but for a sort of the edges of each mesh.

mod values;

mod schema;

mod facts;

mod part;

mod lattices;
mod meshes;
mod names;
mod objects;
mod properties;
mod slices;

mod builds;

mod images;
mod packaging;

use std::collections::BTreeMap;
use std::io::Read;

use crate::error::{Location, ReadError};
use crate::findings::Findings;
use crate::limits::Limits;
use crate::package::Package;
use builds::Parts;
use packaging::Directory;
use part::PartChecker;

/// Checks the rules of a package that could be read.
pub(crate) fn check(
    package: &mut Package<'_>,
    root: &str,
    limits: &Limits,
    findings: &mut Findings,
) {
    // The reader rejects a package whose content types or relationships are broken.
    let Ok(directory) = Directory::read(package, findings) else {
        return;
    };
    let mut uuids = BTreeMap::new();
    let mut parts = Parts::new();
    let mut names = vec![root.to_owned()];
    names.extend(directory.model_parts(package, root));
    for name in names {
        check_declaration(package, &name, findings);
        let facts = package.open_xml(&name).and_then(|xml| {
            let root = parts.get(&root.to_ascii_lowercase());
            PartChecker::check(xml, &name, limits, root, findings, &mut uuids)
        });
        match facts {
            Ok(facts) => {
                parts.insert(name.to_ascii_lowercase(), facts);
            }
            Err(error) => report_broken(&error, &name, findings),
        }
    }
    directory.check(package, root, &parts, findings);
    builds::check(&parts, root, findings);
    slices::check(&parts, findings);
}

/// Reports a model part that is broken.
fn report_broken(error: &ReadError, name: &str, findings: &mut Findings) {
    let message = format!("the model part cannot be read: {}", error.problem);
    let place = Location {
        part: Some(name.to_owned()),
        ..(*error.place).clone()
    };
    findings.violate(
        "broken_part",
        place,
        message,
        "export the file again from the program that created it",
    );
}

/// Reports what precedes the XML declaration of a part.
fn check_declaration(package: &mut Package<'_>, name: &str, findings: &mut Findings) {
    let mut head = Vec::new();
    // A part that cannot be unpacked is reported by the reader.
    let Ok(Ok(_)) = package
        .open_part(name)
        .map(|part| part.take(256).read_to_end(&mut head))
    else {
        return;
    };
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let rest = text.trim_ascii_start();
    if rest.len() < text.len() && rest.starts_with(b"<?xml") {
        let message = "there is white space before the XML declaration".to_owned();
        findings.violate(
            "xml_declaration",
            Location::part(name).at_line(1),
            message,
            "remove it",
        );
    }
}
