//! Packages whose objects are in further model parts: imported beside one another.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::format::threemf::{self, Limits, Severity};
use fibula::service::{
    Import, ImportResult, MakePart, MeasurePart, PartFormat, RenderPart, Service, ShapeQuery,
    SlicePart, Undo, WritePackage,
};

use crate::archive::archive;
use crate::calls::{apply, origin};
use crate::threemf_write::strict_problems;

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="png" ContentType="image/png"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"#;

const SPACES: &str = r#"xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" xmlns:x="urn:x" requiredextensions="p""#;

/// A PNG image of one pixel of this grey.
fn png(grey: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[grey]).expect("a pixel");
    drop(writer);
    bytes
}

/// A `<mesh>` that is a cube of this size at the origin.
fn cube(size: f64) -> String {
    let mesh = fibula::format::threemf::MeshData::cuboid([0.0; 3], [size; 3]);
    let vertex = |[x, y, z]: &[f64; 3]| format!("<vertex x=\"{x}\" y=\"{y}\" z=\"{z}\"/>");
    let triangle = |[a, b, c]: &[u32; 3]| format!("<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
    let vertices: String = mesh.vertices.iter().map(vertex).collect();
    let triangles: String = mesh.triangles.iter().map(triangle).collect();
    format!("<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>")
}

/// A UUID that ends in this number.
fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn relationships(all: &[(&str, &str)]) -> String {
    let one = |(id, (kind, target)): (usize, &(&str, &str))| {
        format!(
            "<Relationship Id=\"r{id}\" Target=\"{target}\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/{kind}\"/>"
        )
    };
    let all: String = all.iter().enumerate().map(one).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

/// A model part with these resources and build items.
fn model(resources: &str, build: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"millimeter\" {SPACES}><resources>{resources}</resources>\
         <build p:UUID=\"{}\">{build}</build></model>",
        uuid(0)
    )
}

/// A package of a root model, a further model part `/3D/Objects/o.model`, and a texture.
fn packed(root: &str, part: Option<&str>, texture: &[u8]) -> Vec<u8> {
    let texture_target = ("3dtexture", "/3D/Textures/t.png");
    let targets = [("3dmodel", "/3D/Objects/o.model"), texture_target];
    let package = relationships(&[("3dmodel", "/3D/3dmodel.model")]);
    let inner = relationships(&targets[usize::from(part.is_none())..]);
    let outer = relationships(&[texture_target]);
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", package.as_bytes()),
        ("3D/3dmodel.model", root.as_bytes()),
        ("3D/_rels/3dmodel.model.rels", inner.as_bytes()),
        ("3D/Textures/t.png", texture),
    ];
    if let Some(part) = part {
        entries.push(("3D/Objects/o.model", part.as_bytes()));
        entries.push(("3D/Objects/_rels/o.model.rels", outer.as_bytes()));
    }
    archive(&entries)
}

/// A package of which a build item and a component are cubes of this size in `o.model`, which refers to the texture.
fn production(size: f64, grey: u8) -> Vec<u8> {
    let part = model(
        &format!(
            r#"<m:texture2d id="1" path="/3D/Textures/t.png" contenttype="image/png"/>
<m:texture2dgroup id="2" texid="1"><m:tex2coord u="0" v="0"/></m:texture2dgroup>
<object id="3" p:UUID="{}" pid="2" pindex="0" type="model">{}</object>"#,
            uuid(3),
            cube(size)
        ),
        "",
    );
    let root = model(
        &format!(
            r#"<object id="7" p:UUID="{}" type="model"><components>
<component objectid="3" p:path="/3D/Objects/o.model" p:UUID="{}" transform="1 0 0 0 1 0 0 0 1 100 0 0" x:image="/3D/Textures/t.png"/></components></object>"#,
            uuid(7),
            uuid(8)
        ),
        &format!(
            r#"<item objectid="3" p:path="/3D/Objects/o.model" p:UUID="{}"/><item objectid="7" p:UUID="{}"/>"#,
            uuid(9),
            uuid(10)
        ),
    );
    packed(&root, Some(&part), &png(grey))
}

fn import(service: &Service, file: &[u8]) -> ImportResult {
    let request = with_defaults!(Import, content: Some(STANDARD.encode(file)));
    let imported = service.import(&origin(), request);
    imported.unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// The parts of the project as it is written, by their names.
fn written(service: &Service) -> BTreeMap<String, Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    let request = WritePackage::default();
    service
        .write_package(&request, &mut file)
        .expect("a package");
    assert_eq!(strict_problems(file.get_ref()), Vec::<String>::new());
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let count = archive.len();
    let read = |index: usize| {
        let mut bytes = Vec::new();
        let mut entry = archive.by_index(index).expect("an entry");
        std::io::copy(&mut entry, &mut bytes).expect("its bytes");
        (entry.name().expect("a name").into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

/// The values of an attribute, in the order of the text.
fn values(text: &[u8], attribute: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let before = format!("{attribute}=\"");
    let parts = text.split(&before).skip(1);
    parts
        .map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
        .collect()
}

const ROOT: &str = "3D/3dmodel.model";

#[test]
fn a_part_of_the_same_name_but_other_bytes_gets_a_new_name() {
    let service = Service::default();
    let first = import(&service, &production(10.0, 1));
    assert!(
        first.renamed_parts.is_empty() && first.new_uuid_count == 0,
        "{first:?}"
    );
    let second = import(&service, &production(20.0, 2));
    let renamed: Vec<_> = second
        .renamed_parts
        .iter()
        .map(|(old, new)| (&**old, &**new))
        .collect();
    let expected = [
        ("3D/Objects/o.model", "3D/Objects/2_o.model"),
        ("3D/Textures/t.png", "3D/Textures/2_t.png"),
    ];
    assert_eq!(renamed, expected);
    assert!(second.left_out.is_empty(), "{second:?}");
    // Only the texture differs: the model part names it, so it is another one, too.
    let third = import(&service, &production(10.0, 3));
    assert_eq!(third.renamed_parts.len(), 2, "{third:?}");
    let parts = written(&service);
    let names = |attribute: &str| {
        let mut names = values(&parts[ROOT], attribute);
        names.sort_unstable();
        names
    };
    // A component and an item of each file.
    let expected =
        ["2_", "2_", "3_", "3_", "", ""].map(|prefix| format!("/3D/Objects/{prefix}o.model"));
    assert_eq!(names("p:path"), expected);
    let expected = ["2_", "3_", ""].map(|prefix| format!("/3D/Textures/{prefix}t.png"));
    assert_eq!(names(":image"), expected);
    for (prefix, size, grey) in [("", "10", 1), ("2_", "20", 2), ("3_", "10", 3)] {
        let part = &parts[&format!("3D/Objects/{prefix}o.model")];
        assert!(values(part, " x").contains(&size.to_owned()), "{prefix}");
        assert_eq!(
            values(part, " path"),
            [format!("/3D/Textures/{prefix}t.png")]
        );
        let records = &parts[&format!("3D/Objects/_rels/{prefix}o.model.rels")];
        assert_eq!(
            values(records, "Target"),
            [format!("/3D/Textures/{prefix}t.png")]
        );
        assert_eq!(
            parts[&format!("3D/Textures/{prefix}t.png")],
            png(grey),
            "{prefix}"
        );
    }
    let mut targets = values(&parts["3D/_rels/3dmodel.model.rels"], "Target");
    targets.sort_unstable();
    let model_parts = ["2_", "3_", ""].map(|prefix| format!("/3D/Objects/{prefix}o.model"));
    let textures = ["2_", "3_", ""].map(|prefix| format!("/3D/Textures/{prefix}t.png"));
    assert_eq!(targets, [model_parts, textures].concat());
}

#[test]
fn textures_of_the_root_model_get_new_names() {
    let textured = |grey: u8| {
        let root = model(
            &format!(
                r#"<m:texture2d id="1" path="/3D/Textures/t.png" contenttype="image/png"/>
<m:texture2dgroup id="2" texid="1"><m:tex2coord u="0" v="0"/></m:texture2dgroup>
<object id="3" p:UUID="{}" pid="2" pindex="0" type="model" thumbnail="/3D/Textures/t.png">{}</object>"#,
                uuid(3),
                cube(1.0)
            ),
            &format!("<item objectid=\"3\" p:UUID=\"{}\"/>", uuid(4)),
        );
        packed(&root, None, &png(grey))
    };
    let service = Service::default();
    for grey in [1, 2, 1, 2] {
        import(&service, &textured(grey));
    }
    let parts = written(&service);
    // Bytes that the project has under a later name are shared, too.
    let expected = ["2_", "2_", "", ""].map(|prefix| format!("/3D/Textures/{prefix}t.png"));
    for attribute in [" path", " thumbnail"] {
        let mut names = values(&parts[ROOT], attribute);
        names.sort_unstable();
        assert_eq!(names, expected);
    }
    assert_eq!(
        parts
            .keys()
            .filter(|name| Path::new(name).extension() == Some("png".as_ref()))
            .count(),
        2
    );
}

#[test]
fn a_second_import_gets_new_uuids() {
    let service = Service::default();
    let file = production(10.0, 1);
    let counts: Vec<usize> = (0..3)
        .map(|_| import(&service, &file).new_uuid_count)
        .collect();
    // An object, its component and two items; the part is shared.
    assert_eq!(counts, [0, 4, 4]);
    let parts = written(&service);
    let mut all = BTreeSet::new();
    for (name, bytes) in parts
        .iter()
        .filter(|(name, _)| Path::new(name).extension() == Some("model".as_ref()))
    {
        for uuid in values(bytes, "p:UUID") {
            assert_eq!(uuid.len(), 36);
            // Builds of other parts mean nothing.
            assert!(
                all.insert(uuid.clone()) || uuid == self::uuid(0),
                "{name}: {uuid}"
            );
        }
    }
    assert_eq!(all.len(), 1 + 3 * 4 + 1);
    // A part of another name has the same UUIDs, and gets new ones.
    let other = import(&service, &production(20.0, 1));
    assert_eq!(other.new_uuid_count, 6, "{other:?}");
}

#[test]
fn what_comes_from_elsewhere_gets_uuids() {
    let plain = model(
        &format!(
            r#"<object id="1">{}</object><object id="2"><components><component objectid="1"/></components></object>"#,
            cube(5.0)
        ),
        r#"<item objectid="2"/>"#,
    );
    let plain = plain.replace(&format!(" p:UUID=\"{}\"", uuid(0)), "");
    let plain = packed(
        &plain.replace(" requiredextensions=\"p\"", ""),
        None,
        &png(1),
    );
    for production_first in [true, false] {
        let service = Service::default();
        let mut files = [plain.clone(), production(10.0, 1)];
        if production_first {
            files.reverse();
        }
        for file in files {
            import(&service, &file);
        }
        let [once, again] = [(); 2].map(|()| values(&written(&service)[ROOT], "p:UUID"));
        // A build, three objects, two components and three items.
        let all: BTreeSet<&String> = once.iter().collect();
        assert_eq!((once.len(), all.len()), (9, 9), "{once:?}");
        assert_eq!(once, again);
    }
}

#[test]
fn references_that_only_a_vendor_defines_are_reported_if_the_resource_is_renumbered() {
    let service = Service::default();
    let file = |name: &str| {
        let resources = format!(
            r#"<x:paint id="9" name="{name}"/><object id="1" x:paintid="9" p:UUID="{}">{}</object>"#,
            uuid(1),
            cube(5.0)
        );
        packed(&model(&resources, ""), None, &png(1))
    };
    let first = import(&service, &file("one"));
    assert!(first.left_out.is_empty(), "{first:?}");
    let second = import(&service, &file("two"));
    let told: Vec<_> = second
        .left_out
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    assert!(
        told.len() == 1 && told[0].contains("paint 9") && told[0].contains("urn:x"),
        "{told:?}"
    );
}

fn watch(_: u64, _: u64) -> std::ops::ControlFlow<()> {
    std::ops::ControlFlow::Continue(())
}

/// The volume and bounds of the build, or of an object.
fn measured(service: &Service, object: Option<u32>) -> (f64, Vec<f64>) {
    let look = with_defaults!(ShapeQuery, object_id: object.map(fibula::nodes::ResourceId));
    let figures = Some(vec!["volume".to_owned(), "bounds".to_owned()]);
    let request = with_defaults!(MeasurePart, look: look, figures: figures, cell: Some(1.0));
    let measured = service.measure_part(&request, &mut watch);
    let measured = measured.unwrap_or_else(|refusal| panic!("{refusal}"));
    let json = serde_json::to_value(measured).expect("an answer");
    let figures = &json["figures"];
    let numbers = |json: &serde_json::Value| -> Vec<f64> {
        let flat = json.to_string();
        let words = flat.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        words.filter_map(|word| word.parse().ok()).collect()
    };
    (
        numbers(&figures["volume"]["value"])[0],
        numbers(&figures["bounds"]["value"]),
    )
}

#[test]
fn objects_of_other_parts_are_built() {
    let service = Service::default();
    import(&service, &production(10.0, 1));
    let (volume, bounds) = measured(&service, None);
    assert!((volume - 2000.0).abs() < 20.0, "{volume}");
    for (found, expected) in bounds.iter().zip([0.0, 0.0, 0.0, 110.0, 10.0, 10.0]) {
        assert!((found - expected).abs() < 0.1, "{bounds:?}");
    }
    let (volume, _) = measured(&service, Some(7));
    assert!((volume - 1000.0).abs() < 10.0, "{volume}");
    // Each import is built of its own part.
    import(&service, &production(20.0, 1));
    let (volume, bounds) = measured(&service, None);
    assert!((bounds[3] - 120.0).abs() < 0.1, "{bounds:?}");
    assert!((volume - 16000.0).abs() < 160.0, "{volume}");
    let request = with_defaults!(SlicePart, heights: Some(vec![5.0, 15.0]));
    let slices = service.slice_part(&request, &mut watch).expect("slices");
    let areas: Vec<f64> = slices
        .slices
        .iter()
        .map(|slice| slice.area.round())
        .collect();
    assert_eq!(areas, [800.0, 800.0]);
    let picture = service.render_part(&RenderPart::default(), &mut watch);
    picture.expect("a picture");
    // An export is of meshes alone: four placements, and no path.
    let format = PartFormat::named("3mf").expect("a format");
    let making =
        serde_json::from_value(serde_json::json!({ "format": format.name(), "cell": 1.0 }));
    let request = MakePart {
        look: ShapeQuery::default(),
        making: making.expect("settings"),
    };
    let bytes = service.part_bytes(&request, &mut watch).expect("a package");
    let model = threemf::read(&bytes, &Limits::default()).expect("a package");
    assert_eq!(model.items.len(), 4);
    assert!(model.items.iter().all(|item| !item.is_external()));
}

#[test]
fn a_state_that_returns_is_built_with_its_own_revision() {
    let service = Service::default();
    import(&service, &production(10.0, 1));
    let measure = |edits: serde_json::Value| {
        let body = serde_json::json!({ "figures": ["volume"], "cell": 1.0, "edits": edits });
        let request: MeasurePart = serde_json::from_value(body).expect("a request");
        let measured = service.measure_part(&request, &mut watch);
        let measured = measured.unwrap_or_else(|refusal| panic!("{refusal}"));
        let volume = measured.figures["volume"]["value"].as_f64();
        (measured.revision, volume.expect("a volume").round())
    };
    let none = serde_json::json!([]);
    let first = measure(none.clone());
    // A fourth placement, tried beside the parts of the package, and written.
    let edits = serde_json::json!([
        {"set_mesh": {"alias": "$box", "bounds": [[0, 0, 0], [10, 10, 10]]}},
        {"create_build_item": {"object_id": "$box", "transform": [1,0,0, 0,1,0, 0,0,1, 0,200,0]}},
    ]);
    assert_eq!(measure(edits.clone()), (first.0, first.1 + 1000.0));
    apply(&service, edits).expect("a mesh");
    assert_eq!(measure(none.clone()), (first.0 + 1, first.1 + 1000.0));
    service.undo(&origin(), &Undo::default()).expect("an undo");
    assert_eq!(measure(none), (first.0 + 2, first.1));
}

#[test]
fn lengths_of_parts_of_another_unit_are_converted() {
    let service = Service::default();
    let part = model(&format!("<object id=\"3\">{}</object>", cube(1.0)), "");
    let part = part.replace("unit=\"millimeter\"", "unit=\"inch\"");
    let root = model("", "<item objectid=\"3\" p:path=\"/3D/Objects/o.model\"/>");
    import(&service, &packed(&root, Some(&part), &png(1)));
    let (volume, bounds) = measured(&service, None);
    assert!((volume / 25.4_f64.powi(3) - 1.0).abs() < 0.01, "{volume}");
    assert!((bounds[3] - 25.4).abs() < 0.1, "{bounds:?}");
}

#[test]
fn other_parts_are_checked() {
    let item = "<item objectid=\"3\" p:path=\"/3D/Objects/o.model\"/>";
    let object = format!("<object id=\"3\">{}</object>", cube(1.0));
    let component = |inner: &str| {
        format!(
            "<object id=\"7\"><components><component objectid=\"3\" {inner}/></components></object>"
        )
    };
    let elsewhere = component("p:path=\"/3D/Objects/o.model\"");
    let cases: &[(&str, String, Option<String>, &[&str])] = &[
        (
            "sound",
            model("", item),
            Some(model(&object, "<item objectid=\"77\"/>")),
            &[],
        ),
        (
            "encoded",
            model("", &item.replace("o.model", "%6f.model")),
            Some(model(&object, "")),
            &[],
        ),
        ("no part", model("", item), None, &["missing_part"]),
        (
            "no part of a component",
            model(&elsewhere, "<item objectid=\"7\"/>"),
            None,
            &["missing_part"],
        ),
        (
            "no XML",
            model("", item),
            Some("<model".to_owned()),
            &["xml"],
        ),
        (
            "no model",
            model("", item),
            Some("<a/>".to_owned()),
            &["no_model"],
        ),
        (
            "no object",
            model("", &item.replace("\"3\"", "\"4\"")),
            Some(model(&object, "")),
            &["dangling_reference"],
        ),
        (
            "an object that is not built",
            model("", item),
            Some(model(
                &object.replace("id=\"3\"", "id=\"3\" type=\"other\""),
                "",
            )),
            &["not_buildable"],
        ),
        (
            "a vertex that is missing",
            model("", item),
            Some(model(&object.replace("v1=\"0\"", "v1=\"9\""), "")),
            &["unknown_vertex"],
        ),
        (
            "a further level",
            model("", item),
            Some(model(&format!("{object}{elsewhere}"), "")),
            &["path_in_child_part"],
        ),
        (
            "itself",
            model(&object, &item.replace("Objects/o", "3dmodel")),
            Some(model("", "")),
            &["missing_part"],
        ),
        (
            "a part that only a relationship names",
            model(&object, "<item objectid=\"3\"/>"),
            Some(model("<object id=\"1\"/>", "")),
            &["invalid_structure"],
        ),
    ];
    for (name, root, part, expected) in cases {
        let package = packed(root, part.as_deref(), &png(1));
        let report = threemf::check(&package, &Limits::default());
        let errors = report
            .findings
            .iter()
            .filter(|one| one.severity == Severity::Error);
        let codes: Vec<&str> = errors.map(|one| one.code).collect();
        assert_eq!(&codes, expected, "{name}: {report:?}");
        let read = threemf::read(&package, &Limits::default());
        let code = read.as_ref().map_err(threemf::ReadError::code);
        assert_eq!(code.err(), expected.first().copied(), "{name}");
    }
}

#[test]
fn objects_that_printers_do_not_fill_have_a_warning() {
    for (object_type, is_told) in [("support", true), ("surface", true), ("model", false)] {
        let service = Service::default();
        let resources = format!(
            r#"<object id="1" type="{object_type}" p:UUID="{}">{}</object>"#,
            uuid(1),
            cube(5.0)
        );
        let build = format!("<item objectid=\"1\" p:UUID=\"{}\"/>", uuid(2));
        import(&service, &packed(&model(&resources, &build), None, &png(1)));
        let measured = service.measure_part(&MeasurePart::default(), &mut watch);
        let told = format!("{:?}", measured.expect("measures").warnings);
        assert_eq!(told.contains("do not fill"), is_told, "{told}");
    }
}
