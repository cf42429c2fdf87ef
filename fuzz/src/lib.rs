//! Code that the fuzz targets share.

#[path = "../../tests/archive/mod.rs"]
mod archive;
#[path = "../../tests/readers/readers.rs"]
pub mod readers;

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::edit::Origin;
use fibula::format::threemf::{self, Limits, Model};
use fibula::service::{Import, ImportFormat, ImportResult, Refusal, Service, WritePackage};
use fibula::store;

const TYPES: &[u8] = br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"#;

/// A grey picture of two pixels, the sheets `volume/a.png` and `volume/b.png`.
const SHEET: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1I V\
    \x00\x00\x00\x0bIDATx\xdac``\x00\x00\x00\x03\x00\x01+\x09M\x84\x00\x00\x00\x00IEND\xaeB`\x82";

/// Takes a file the whole way: reading and checking agree about it; what is read becomes a project; that is written,
/// and read again as the same project.
///
/// # Panics
/// If something of that is not so.
pub fn carry(bytes: &[u8]) {
    let limits = Limits {
        unpacked: 64 << 20,
        kept: 64 << 20,
        nodes: 20_000,
        ..Limits::default()
    };
    let report = threemf::check(bytes, &limits);
    match threemf::read(bytes, &limits) {
        Ok(model) => {
            assert!(report.is_readable(), "{report:?}");
            keep(bytes, &model);
        }
        Err(error) => {
            assert_eq!(report.findings[0].code, error.code());
            assert!(error.to_string().len() < 4000);
        }
    }
}

/// Makes a project of a file that is read.
fn keep(bytes: &[u8], model: &Model) {
    let first = Service::default();
    match import(&first, bytes) {
        Ok(_) => {}
        Err(refusal) => {
            assert_eq!(refusal.code, "nothing_to_import", "{refusal:?} {model:?}");
            return;
        }
    }
    let package = written(&first);
    let second = Service::default();
    import(&second, &package).unwrap_or_else(|refusal| panic!("{refusal:?} {model:?}"));
    // Once written, XML that is only kept has the prefixes of the part; from then on nothing changes.
    let again = written(&second);
    assert!(again == package, "{model:#?}");
    let third = Service::default();
    import(&third, &again).unwrap_or_else(|refusal| panic!("{refusal:?} {model:?}"));
    assert_eq!(hash(&second), hash(&third), "{model:#?}");
    // Beside itself every id is another, and what refers to it follows.
    import(&second, bytes).unwrap_or_else(|refusal| panic!("{refusal:?} {model:?}"));
    let both = written(&second);
    import(&Service::default(), &both).unwrap_or_else(|refusal| panic!("{refusal:?} {model:?}"));
}

fn import(service: &Service, bytes: &[u8]) -> Result<ImportResult, Refusal> {
    let request = Import {
        content: Some(STANDARD.encode(bytes)),
        // Others are known by their first bytes, which a reader of archives does not look at.
        format: Some(ImportFormat::ThreeMf),
        ..Import::default()
    };
    service.import(&Origin::program("fuzz", "fuzz"), request)
}

/// The project as a package.
fn written(service: &Service) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let written = service.write_package(&WritePackage::default(), &mut file);
    written.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    file.into_inner()
}

/// The hash of the one project.
fn hash(service: &Service) -> u64 {
    let projects = service.store().projects().expect("the projects");
    let newest = |row: &store::ProjectRow| row.newest.is_some();
    let row = projects.into_iter().find(newest).expect("a project");
    let loaded = store::load(&**service.store(), row.id, None).expect("its state");
    loaded.state.hash()
}

/// A sound package with this model.
#[must_use]
pub fn package(model: &[u8]) -> Vec<u8> {
    archive::archive(&[
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", archive::RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model),
        ("volume/a.png", SHEET),
        ("volume/b.png", SHEET),
    ])
}
