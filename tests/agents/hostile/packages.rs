//! 3MF files that want more than there is.

use std::io::{Cursor, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{Case, tool};

/// The relationships of a package whose model is `m`.
const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/m" Id="r"/>
    </Relationships>"#;

/// A model with nothing in it.
const MODEL: &str = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"/>"#;

pub(crate) fn import(bytes: &[u8]) -> Vec<u8> {
    tool("import", &json!({ "content": STANDARD.encode(bytes) }))
}

/// A 3MF file with these resources and items.
pub(crate) fn model(resources: &str, build: &str) -> Vec<u8> {
    const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";
    const VOLUMES: &str = "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01";
    let model = format!(
        r#"<model xmlns="{CORE}" xmlns:v="{VOLUMES}"><resources>{resources}</resources><build>{build}</build></model>"#
    );
    packed(&[
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("m", model.as_bytes()),
    ])
}

/// An archive of these entries; what is not small is packed.
fn packed(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let method = match bytes.len() {
            0..100 => zip::CompressionMethod::Stored,
            _ => zip::CompressionMethod::Deflated,
        };
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(bytes).expect("its data");
    }
    writer.finish().expect("the end").into_inner()
}

/// 3MF files that want more than there is.
pub(crate) fn packages() -> Vec<Case> {
    let numbered = |count: usize, text: &dyn Fn(usize) -> String| -> String {
        (0..count).map(text).collect::<Vec<_>>().concat()
    };
    let resource =
        |attributes: &str| import(&model(&format!("<object id=\"1\" {attributes}/>"), ""));
    let names: Vec<String> = (0..20_000).map(|at| at.to_string()).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    // Not all the same, since that would be refused for how well it packs.
    let mut seed = 1_u32;
    let noise = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        format!("{seed:08x}")
    };
    let long: String = (0..300_000).map(noise).collect();
    let megabytes = vec![0; 1 << 20];
    let parts: Vec<(&str, &[u8])> = names[..60]
        .iter()
        .map(|name| (name.as_str(), megabytes.as_slice()))
        .chain([
            ("_rels/.rels", RELATIONSHIPS.as_bytes()),
            ("m", MODEL.as_bytes()),
        ])
        .collect();
    let sheets = "<v:image3d id=\"1\"><v:imagestack rowcount=\"1\" columncount=\"1\" sheetcount=\"2147483647\">\
                  <v:imagesheet path=\"/m\"/></v:imagestack></v:image3d>";
    let entities = "<!DOCTYPE a [<!ENTITY a \"&b;&b;\"><!ENTITY b \"&a;&a;\">]>";
    let relationships = RELATIONSHIPS.as_bytes();
    let expanding = format!("{entities}<model>&a;</model>");
    Vec::from(cases![
        "20 000 entries" => import(&packed(&entries)), "too_many_entries: ";
        "60 parts of 1 MiB in 60 KB" => import(&packed(&parts)), "too_large: 4: the size of preserved elements in \
             bytes";
        "an archive for a model"
            => import(&packed(&[("_rels/.rels", relationships), ("m", &model("", ""))])), "xml: m:1: ";
        "entities of entities"
            => import(&packed(&[("_rels/.rels", relationships), ("m", expanding.as_bytes())])), "entity: m:1: ";
        "2 147 483 647 sheets" => import(&model(sheets, "")), "invalid_structure: m:1: sheetcount says 2147483647";
        "20 000 nested elements" => import(&model(&"<v:a>".repeat(20_000), "")), "too_deep: m:1: ";
        "an attribute of 2 MB" => resource(&format!("name=\"{long}\"")), "too_large: m:1: one tag or text";
        "100 000 attributes"
            => resource(&numbered(100_000, &|at| format!(" a{at}=\"\""))), "too_large: m:1: the number of attributes";
        "20 000 namespaces" => resource(&numbered(20_000, &|at| format!(" xmlns:a{at}=\"u\""))), "xml: m:1: ";
        "a namespace of 1 MB"
            => resource(&format!("xmlns:a=\"{}\"", &long[..1_000_000])), "too_large: m:1: the name of a namespace";
        "20 000 faulty objects"
            => import(&model(
            &numbered(20_000, &|at| format!("<object id=\"{}\"/>", at + 1)),
            "",
        )), "invalid_structure: m:1: object 1 has neither";
    ])
}
