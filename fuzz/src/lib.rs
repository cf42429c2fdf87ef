//! What the fuzz targets of 3MF files share.

use std::io::{Cursor, Write};

use fibula::format::threemf::{self, Limits};
use zip::write::{SimpleFileOptions, ZipWriter};

const TYPES: &[u8] = br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"#;

const RELATIONSHIPS: &[u8] = br#"<Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="r"
Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;

/// A grey picture of two pixels, the sheets `volume/a.png` and `volume/b.png`.
const SHEET: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1I V\
    \x00\x00\x00\x0bIDATx\xdac``\x00\x00\x00\x03\x00\x01+\x09M\x84\x00\x00\x00\x00IEND\xaeB`\x82";

/// Reads and checks a file: the two must agree about it, and nothing may panic.
///
/// # Panics
/// If reading and checking disagree.
pub fn read(bytes: &[u8]) {
    let limits = Limits {
        unpacked: 64 << 20,
        kept: 64 << 20,
        nodes: 20_000,
        ..Limits::default()
    };
    let report = threemf::check(bytes, &limits);
    match threemf::read(bytes, &limits) {
        Ok(_) => assert!(report.is_readable(), "{report:?}"),
        Err(error) => {
            assert_eq!(report.findings[0].code, error.code());
            assert!(error.to_string().len() < 4000);
        }
    }
}

/// A sound package with this model, its parts stored.
///
/// # Panics
/// Never: it is written to memory.
#[must_use]
pub fn package(model: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONSHIPS),
        ("3D/3dmodel.model", model),
        ("volume/a.png", SHEET),
        ("volume/b.png", SHEET),
    ] {
        writer.start_file(name, stored).expect("an entry");
        writer.write_all(bytes).expect("its bytes");
    }
    writer.finish().expect("a directory").into_inner()
}
