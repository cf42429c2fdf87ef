//! Truncated and changed files, and false counts: each ends in an error, or is read, and nothing panics.

use std::sync::Arc;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Attribute, Extra, ImageStack, Sheet};
use fibula_core::oracle::Image3d;
use proptest::prelude::*;
use proptest::sample::Index;

use super::archive::{Entry, archive, crc};
use super::*;
use crate::contents::{ContentError, load_image, mesh_content, png_size};
use crate::{MeshData, TriangleProperty};

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"#;

/// Something of everything that is understood.
fn everything() -> String {
    let mesh = r#"<object id="9"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
<vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2" paint="4C"/></triangles></mesh></object>"#;
    let rest = r#"<v:functionfromimage3d id="7" image3did="8"/>
<v:volumedata id="6"><v:property name="x:a" functionid="3" channel="shape"/></v:volumedata>
<object id="5"><v:levelset functionid="3" channel="shape" meshid="9" volumeid="6"/></object>
<object id="4"><components><component objectid="5" transform="1 0 0 0 1 0 0 0 1 0 0 0"/></components></object>"#;
    let resources = [&function(3, &length(), SHAPE), mesh, &image(8), rest].concat();
    model(&resources).replace("<build>", "<build><item objectid=\"4\"/>")
}

/// A whole package of a model, its parts stored.
fn plain(model: &[u8]) -> Vec<u8> {
    archive(&[
        Entry::stored("[Content_Types].xml", TYPES.as_bytes()),
        Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes()),
        Entry::stored("3D/3dmodel.model", model),
        Entry::stored("volume/a.png", &png(2, 1)),
    ])
}

/// Code with which bytes are rejected, on which reading and checking agree.
#[track_caller]
fn refusal(bytes: &[u8]) -> Option<&'static str> {
    let error = crate::read(bytes, &Limits::default()).err();
    let report = crate::check(bytes, &Limits::default());
    assert_eq!(report.is_readable(), error.is_none());
    if let Some(error) = &error {
        assert!(error.to_string().len() < 2000, "{error}");
        assert_eq!(report.findings[0].code, error.code());
    }
    error.map(|error| error.code())
}

#[test]
fn every_beginning_of_a_package_is_refused() {
    for whole in [file(&everything()), plain(everything().as_bytes())] {
        assert_eq!(refusal(&whole), None);
        for end in 0..whole.len() {
            let code = refusal(&whole[..end]).unwrap_or_default();
            let expected = ["not_a_zip", "truncated", "damaged"];
            assert!(expected.contains(&code), "{end}: {code}");
        }
    }
}

#[test]
fn every_beginning_of_a_model_is_refused() {
    let text = everything();
    for end in 0..text.len() {
        let code = refusal(&plain(&text.as_bytes()[..end]));
        assert_eq!(code, Some("xml"), "{end}");
    }
}

#[test]
fn a_model_that_was_changed_on_its_way_is_damaged_and_nothing_else() {
    let whole = plain(everything().as_bytes());
    let at = whole.windows(7).position(|at| at == b" v1=\"0\"").unwrap();
    let mut bytes = whole.clone();
    bytes[at + 5] = b'x';
    let report = crate::check(&bytes, &Limits::default());
    let codes = report.findings.iter().map(|one| one.code);
    assert_eq!(codes.collect::<Vec<_>>(), ["damaged"]);
    assert_eq!(refusal(&bytes), Some("damaged"));
}

#[test]
fn packages_in_packages_are_not_opened() {
    let inner = plain(everything().as_bytes());
    assert_eq!(refusal(&plain(&inner)), Some("xml"));
    let mut nested = inner.clone();
    for _ in 0..10 {
        nested = archive(&[
            Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes()),
            Entry::stored("3D/3dmodel.model", model("").as_bytes()),
            Entry::stored("inner.3mf", &nested),
        ]);
    }
    let model = crate::read(&nested, &Limits::default()).unwrap();
    let part = &model.parts["inner.3mf"];
    assert!(model.contents[&part.content].len() > inner.len());
}

#[test]
fn counts_in_the_directory_that_nothing_bears_out() {
    let whole = plain(everything().as_bytes());
    let end = whole.len() - 22;
    let first = whole.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    // By the place of a field and its size; those of the end of the directory, then those of its first entry.
    let fields = [
        (end + 8, 2),
        (end + 10, 2),
        (end + 12, 4),
        (end + 16, 4),
        (end + 20, 2),
        (first + 20, 4),
        (first + 24, 4),
        (first + 28, 2),
        (first + 30, 2),
        (first + 32, 2),
        (first + 42, 4),
    ];
    for (place, size) in fields {
        for byte in [0xff, 0x7f] {
            let mut bytes = whole.clone();
            bytes[place..place + size].fill(byte);
            let code = refusal(&bytes);
            // The number of entries on this disk, and the size of the directory, are not needed.
            assert!(code.is_some() || place <= end + 16, "{place}");
        }
    }
    // An end in the 64 bit form, with as many entries and bytes as there are numbers.
    let mut large = whole[..end].to_vec();
    let start = large.len() as u64;
    large.extend(b"PK\x06\x06");
    large.extend(44_u64.to_le_bytes());
    large.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for _ in 0..4 {
        large.extend((u64::MAX / 2).to_le_bytes());
    }
    large.extend(b"PK\x06\x07\0\0\0\0");
    large.extend(start.to_le_bytes());
    large.extend([1, 0, 0, 0]);
    large.extend(b"PK\x05\x06\0\0\0\0");
    large.extend([0xff; 12]);
    large.extend([0; 2]);
    assert!(refusal(&large).is_some());
}

#[test]
fn counts_in_the_model_that_nothing_bears_out() {
    let most = i32::MAX.to_string();
    let text = everything();
    // The sheets have the last word on the size of an image, and indexes of materials are only kept.
    for case in [
        r#"sheetcount="1" => sheetcount="MOST" => invalid_structure"#,
        r#"v3="2" => v3="MOST" => unknown_vertex"#,
        r#"objectid="5" => objectid="MOST" => dangling_reference"#,
        r#"id="5"><v => id="MOST"><v => dangling_reference"#,
        r#"columncount="2" => columncount="MOST" => "#,
        r#"v3="2" => v3="2" p1="MOST" => "#,
        r#"v3="2" => v3="LARGE" => invalid_value"#,
        r#"sheetcount="1" => sheetcount="NINES" => invalid_value"#,
    ] {
        let [from, to, code] = case.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{case}");
        };
        assert!(text.contains(from), "{from}");
        let to = to
            .replace("MOST", &most)
            .replace("NINES", &"9".repeat(1000));
        let to = to.replace("LARGE", &u64::MAX.to_string());
        let bytes = plain(text.replace(from, &to).as_bytes());
        assert_eq!(refusal(&bytes).unwrap_or_default(), code, "{to}");
    }
}

/// The image of these sheets.
fn load(size: [u32; 2], sheets: &[Vec<u8>]) -> Result<Arc<Image3d>, ContentError> {
    let sheet = |bytes: &Vec<u8>| Sheet {
        path: "volume/a.png".to_owned(),
        content: ContentHash::digest(bytes),
        size: bytes.len() as u64,
    };
    let stack = ImageStack {
        name: String::new(),
        columns: size[0],
        rows: size[1],
        sheets: sheets.iter().map(sheet).collect(),
        extra: Extra::default(),
    };
    load_image(&stack, |hash| {
        let found = sheets
            .iter()
            .find(|bytes| ContentHash::digest(bytes) == *hash);
        found.map(Vec::as_slice)
    })
}

#[test]
fn an_image_that_says_to_be_large_reserves_nothing() {
    let mut liar = png(2, 1);
    let head = |bytes: &mut Vec<u8>, columns: u32, rows: u32| {
        bytes[16..20].copy_from_slice(&columns.to_be_bytes());
        bytes[20..24].copy_from_slice(&rows.to_be_bytes());
        let crc = crc(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    };
    head(&mut liar, 30_000, 30_000);
    assert_eq!(png_size(&liar), Some((30_000, 30_000)));
    let error = load([30_000; 2], std::slice::from_ref(&liar)).unwrap_err();
    assert_eq!(error.code(), "damaged");
    assert!(error.to_string().contains("too short"), "{error}");
    head(&mut liar, 1 << 20, 1 << 20);
    let error = load([1 << 20; 2], &[liar]).unwrap_err();
    assert_eq!(error.code(), "too_large");
}

/// A change of bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Repeat(Index, u8),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<Index>;
    let byte = prop_oneof![any::<u8>(), Just(0xff), Just(0)];
    let change = prop_oneof![
        8 => (at(), byte).prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => at().prop_map(Change::Cut),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        1 => (at(), 1..40_u8).prop_map(|(at, count)| Change::Repeat(at, count)),
    ];
    prop::collection::vec(change, 1..6)
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let size = bytes.len();
        if size == 0 {
            break;
        }
        match change {
            Change::Set(at, byte) => bytes[at.index(size)] = *byte,
            Change::Cut(at) => bytes.truncate(at.index(size)),
            Change::Insert(at, more) => {
                let at = at.index(size);
                drop(bytes.splice(at..at, more.iter().copied()));
            }
            Change::Repeat(at, count) => {
                let at = at.index(size);
                bytes.extend_from_within(at..(at + usize::from(*count)).min(size));
            }
        }
    }
    bytes
}

fn mesh() -> MeshData {
    let text = |text: &str| Attribute::new("urn:x", text, text);
    MeshData {
        vertices: (0..8)
            .map(|at| [f64::from(at & 1), f64::from(at & 2), f64::from(at & 4)])
            .collect(),
        triangles: (0..6).map(|at| [at, at + 1, at + 2]).collect(),
        properties: vec![TriangleProperty {
            triangle: 2,
            group: None,
            indexes: [Some(3), None, Some(300)],
        }],
        triangle_list_attributes: vec![text("a")],
        extra: Extra {
            attributes: vec![text("b")],
            elements: vec!["<a/>".to_owned()],
        },
        ..MeshData::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn damaged_packages_and_models_never_panic(changes in changes(), of_model in any::<bool>()) {
        let text = everything().into_bytes();
        let bytes = if of_model {
            plain(&changed(text, &changes))
        } else {
            changed(plain(&text), &changes)
        };
        refusal(&bytes);
    }

    #[test]
    fn what_is_read_of_a_damaged_mesh_is_a_sound_one(changes in changes()) {
        let bytes = changed(mesh().to_bytes(), &changes);
        match MeshData::from_bytes(&bytes) {
            Ok(mesh) => {
                prop_assert_eq!(mesh.check(), Ok(()));
                prop_assert_eq!(MeshData::from_bytes(&mesh.to_bytes()), Ok(mesh.clone()));
                let _ = mesh_content(mesh);
            }
            Err(error) => prop_assert!(!error.code().is_empty()),
        }
    }

    #[test]
    fn what_is_read_of_damaged_sheets_is_as_large_as_it_says(changes in changes(), which in 0..2_usize) {
        let mut sheets = [png(5, 3), png(5, 3)];
        sheets[which] = changed(sheets[which].clone(), &changes);
        match load([5, 3], &sheets) {
            Ok(image) => prop_assert_eq!(image.size(), [5, 3, 2]),
            Err(error) => prop_assert!(!error.code().is_empty()),
        }
    }
}
