//! Files beyond the limits of what is kept: each is rejected by the limit that it exceeds.

use super::archive::{Entry, archive};
use super::*;

/// Checks the code with which these limits reject a file.
#[track_caller]
fn check(bytes: &[u8], limits: &Limits, code: Option<&str>) {
    let found = crate::read(bytes, limits).err();
    assert_eq!(found.as_ref().map(ReadError::code), code, "{found:?}");
}

const VERTEX: &str = "<vertex x=\"0\" y=\"0\" z=\"0\"/>";

/// A file of these resources and an object.
fn object(resources: &str, inside: &str) -> Vec<u8> {
    file(&model(&format!(
        "{resources}<object id=\"1\">{inside}</object>"
    )))
}

/// A file of these resources and a mesh with these vertices and triangles.
fn mesh(resources: &str, vertices: &str, triangles: &str) -> Vec<u8> {
    let lists = format!("<vertices>{vertices}</vertices><triangles>{triangles}</triangles>");
    object(resources, &format!("<mesh>{lists}</mesh>"))
}

#[test]
fn what_is_kept_is_limited() {
    let kept = |kept: u64| Limits {
        kept,
        ..Limits::default()
    };
    // 100 vertices of 24 bytes, 100 triangles of 12 with properties of 36.
    let triangle = "<triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"2\"/>";
    let group = "<x:group id=\"2\"/>";
    let large = mesh(group, &VERTEX.repeat(100), &triangle.repeat(100));
    check(&large, &kept(7300), None);
    check(&large, &kept(7100), Some("too_large"));
    check(&large, &kept(2000), Some("too_large"));
    let painted = |length: usize| {
        let paint = "4".repeat(length);
        let triangle = format!("<triangle paint=\"{paint}\" v1=\"0\" v2=\"1\" v3=\"2\"/>");
        mesh("", &VERTEX.repeat(3), &triangle)
    };
    check(&painted(10), &kept(200), None);
    check(&painted(200), &kept(200), Some("too_large"));
    let foreign = |length: usize| {
        let text = "t".repeat(length);
        file(&model(&format!("<x:a id=\"1\">{text}</x:a>")))
    };
    check(&foreign(10), &kept(100), None);
    check(&foreign(100), &kept(100), Some("too_large"));
    let part = |length: usize| {
        let part = "p".repeat(length);
        package(&[
            ("_rels/.rels", RELATIONSHIPS),
            ("3D/3dmodel.model", &model("")),
            ("a", &part),
        ])
    };
    check(&part(50), &kept(100), None);
    check(&part(200), &kept(100), Some("too_large"));
}

#[test]
fn items_are_counted() {
    let limits = Limits {
        items: 50,
        ..Limits::default()
    };
    let other = "<object id=\"900\"><mesh/></object>";
    let resources = |text: &str| file(&model(&(other.to_owned() + text)));
    for count in [30, 60] {
        let check = |bytes: &[u8], items: usize| {
            check(bytes, &limits, (items > 50).then_some("too_large"));
        };
        check(&resources(&"<x:a/>".repeat(count)), count);
        let ids = many(0..count, |at| format!("<x:a id=\"{}\"/>", at + 1));
        // Each is a resource and something that is kept.
        check(&resources(&ids), 2 * count);
        let items = "<item objectid=\"900\"/>".repeat(count);
        let text = model(other).replace("<build>", &format!("<build>{items}"));
        check(&file(&text), count);
        let parts = "<component objectid=\"900\"/>".repeat(count);
        let components = format!("<components>{parts}</components>");
        check(&object(other, &components), count);
        let metadata = "<metadata name=\"a\"/>".repeat(count);
        let group = format!("<metadatagroup>{metadata}</metadatagroup><mesh/>");
        check(&object(other, &group), count);
        check(&with_sheets(count), count);
        let attributes = many(0..count, |at| format!(" x:a{at}=\"\""));
        let object = format!("<object id=\"1\"{attributes}><mesh/></object>");
        check(&file(&model(&object)), count);
    }
    // A sheet that is named often is there once.
    let model = crate::read(&with_sheets(20), &limits).unwrap();
    let sheets = &model.images[0].1.sheets;
    assert_eq!((sheets.len(), model.contents.len()), (20, 1));
}

/// A file of an image that names its sheet this many times.
fn with_sheets(count: usize) -> Vec<u8> {
    let sheets = "<v:imagesheet path=\"/volume/a.png\"/>".repeat(count);
    let image = image(6).replace("sheetcount=\"1\"", &format!("sheetcount=\"{count}\""));
    let start = image.find("<v:imagesheet").unwrap();
    let image = format!("{}{sheets}</v:imagestack></v:image3d>", &image[..start]);
    file(&model(&image))
}

#[test]
fn columns_of_attributes_are_few() {
    let triangle = |at| format!("<triangle v1=\"0\" v2=\"0\" v3=\"0\" a{at}=\"\"/>");
    let with = |count: usize| mesh("", VERTEX, &many(0..count, triangle));
    check(&with(60), &Limits::default(), None);
    check(&with(70), &Limits::default(), Some("too_large"));
}

/// Files with this text in each place where a text is taken from a file.
fn with_long(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let vertices = VERTEX.repeat(3);
    let mesh = format!("<mesh><vertices>{vertices}</vertices></mesh>");
    let object = format!("<object id=\"1\">{mesh}</object>");
    let with = |resources: String| file(&model(&(object.clone() + &resources)));
    let named = format!("<object id=\"2\" name=\"{text}\">{mesh}</object>");
    let item = format!("<build><item objectid=\"1\" partnumber=\"{text}\"/>");
    let component = format!("<component x:a=\"{text}\" objectid=\"1\"/>");
    let components = format!("<object id=\"2\"><components>{component}</components></object>");
    let named_image = format!("id=\"6\" name=\"{text}\"");
    let field = format!("<v:property functionid=\"3\" name=\"{text}\" channel=\"shape\"/>");
    let plain = function(3, &length(), SHAPE);
    let volume = format!("{plain}<v:volumedata id=\"4\">{field}</v:volumedata>");
    let quoted = format!("\"{text}\"");
    let node = function(3, &length().replace("\"length\"", &quoted), "");
    let types = format!(
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Override PartName=\"/{text}\" ContentType=\"a\"/></Types>"
    );
    let relationship = format!("<Relationship Id=\"s\" Type=\"{text}\" Target=\"/a\"/></R");
    let relationships = RELATIONSHIPS.replace("</R", &relationship);
    let empty = model("");
    let in_package = |relationships: &str, name: &str, text: &str| {
        let model = ("3D/3dmodel.model", empty.as_str());
        package(&[("_rels/.rels", relationships), model, (name, text)])
    };
    let types = in_package(RELATIONSHIPS, "[Content_Types].xml", &types);
    vec![
        ("object", with(named)),
        ("item", file(&model(&object).replace("<build>", &item))),
        ("component", with(components)),
        ("image", with(image(6).replace("id=\"6\"", &named_image))),
        ("property", with(volume)),
        ("function", with(plain.replace("\"f\"", &quoted))),
        ("node", with(node)),
        ("port", with(plain.replace("\"shape\"", &quoted))),
        ("types", types),
        ("relationships", in_package(&relationships, "a", "")),
    ]
}

#[test]
fn texts_are_counted_wherever_they_stand() {
    let limits = Limits {
        kept: 4000,
        ..Limits::default()
    };
    for (what, bytes) in with_long("short") {
        let error = crate::read(&bytes, &limits).err();
        assert_eq!(error, None, "{what}");
    }
    for (what, bytes) in with_long(&"l".repeat(4000)) {
        let error = crate::read(&bytes, &limits).expect_err(what);
        let text = error.to_string();
        assert!(
            text.contains("the size of preserved elements in bytes"),
            "{what}: {text}"
        );
        assert!(error.place.line.is_some(), "{what}: {text}");
    }
    // The namespace of a prefix is written out in every name that has it.
    let uri = "u".repeat(900);
    let metadata = "<metadata name=\"y:a\"/>".repeat(5);
    let root = format!("<model xmlns:y=\"{uri}\"");
    let elements = "<y:b z=\"y:c\"/>".repeat(5);
    let property =
        |at| format!("<v:property name=\"y:a{at}\" functionid=\"3\" channel=\"shape\"/>");
    let volume = format!(
        "<v:volumedata id=\"4\">{}</v:volumedata>",
        many(0..5, property)
    );
    for resources in [
        format!("<object id=\"1\"><metadatagroup>{metadata}</metadatagroup><mesh/></object>"),
        elements,
        function(3, &length(), SHAPE) + &volume,
    ] {
        let text = model(&resources).replace("<model", &root);
        check(&file(&text), &limits, Some("too_large"));
        check(&file(&text), &Limits::default(), None);
    }
}

#[test]
fn namespaces_have_short_names() {
    let named = |length: usize| {
        let uri = "u".repeat(length);
        file(&model(&format!("<y:a xmlns:y=\"{uri}\" id=\"1\"/>")))
    };
    check(&named(1000), &Limits::default(), None);
    check(&named(1001), &Limits::default(), Some("too_large"));
}

#[test]
fn of_a_small_file_little_is_kept() {
    let zeros = "\0".repeat(1 << 20);
    let names: Vec<String> = (0..40).map(|at| format!("{at}.bin")).collect();
    let empty = model("");
    let mut parts = vec![("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", &empty)];
    parts.extend(names.iter().map(|name| (name.as_str(), zeros.as_str())));
    let error = crate::read(&package(&parts), &Limits::default()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the size of preserved elements in bytes"),
        "{text}"
    );
    parts.truncate(30);
    check(&package(&parts), &Limits::default(), None);
}

#[test]
fn what_is_too_large_in_a_mesh_has_a_line() {
    let vertices = format!("{VERTEX}\n").repeat(100);
    let triangles = "<triangle v1=\"0\" v2=\"1\" v3=\"2\"/>\n".repeat(100);
    let mesh = format!(
        "<mesh><vertices>\n{vertices}</vertices>\n<triangles>\n{triangles}</triangles></mesh>"
    );
    let text = model(&format!("\n<object id=\"1\">\n{mesh}</object>"));
    let before = text.lines().position(|line| line.ends_with("<vertices>"));
    let before = before.expect("the list") as u64 + 1;
    // The object and its mesh take 14 bytes, a vertex 24, a triangle 12.
    for (kept, line) in [(900, before + 37), (3000, before + 102 + 49)] {
        let limits = Limits {
            kept,
            ..Limits::default()
        };
        let error = crate::read(&file(&text), &limits).unwrap_err();
        assert_eq!((error.code(), error.place.line), ("too_large", Some(line)));
    }
}

#[test]
fn xml_that_is_kept_is_held_to_the_same_rules() {
    let kept = |inside: &str, code: Option<&str>| {
        let bytes = file(&model(&format!("<x:a id=\"1\">{inside}</x:a>")));
        check(&bytes, &Limits::default(), code);
    };
    kept("<x:b c='&lt;\"'>&#65;&amp;<!-- c --><?p i?></x:b>", None);
    let deep = "<x:b>".repeat(70) + &"</x:b>".repeat(70);
    kept(&deep, Some("too_deep"));
    kept("&evil;", Some("entity"));
    kept("<x:b c=\"&evil;\"/>", Some("entity"));
    kept("<!DOCTYPE a [<!ENTITY b \"c\">]>", Some("entity"));
    kept("<x:b c=\"1\" c=\"2\"/>", Some("xml"));
    kept("<x:b></x:c>", Some("xml"));
    // A prefix that stands for nothing is given a namespace, so that it can be written again.
    kept("<q:b/>", None);
    kept("<x:b q:c=\"\"/>", None);
    kept("<:b/>", Some("xml"));
    kept("<q:b xmlns:q=\"urn:q\" q:c=\"\"/><x:b c=\"q:d\"/>", None);
    kept("<x:b c=1/>", Some("xml"));
    let attributes = many(0..200, |at| format!(" a{at}=\"\""));
    kept(&format!("<x:b{attributes}/>"), Some("too_large"));
    let spaces = many(0..100, |at| format!(" xmlns:a{at}=\"urn:a{at}\""));
    let wide = format!("<x:b{spaces}>").repeat(20) + &"</x:b>".repeat(20);
    kept(&wide, Some("xml"));
    kept(&"t".repeat(2 << 20), Some("too_large"));
}

#[test]
fn parts_are_what_the_directory_says() {
    let model = Entry::stored("3D/3dmodel.model", model("").as_bytes());
    let relationships = Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes());
    let with = |part: Entry| archive(&[relationships.clone(), model.clone(), part]);
    let part = Entry::stored("Metadata/a.png", b"bytes");
    let check_part = |change: fn(&mut Entry), code: Option<&str>| {
        let mut part = part.clone();
        change(&mut part);
        check(&with(part), &Limits::default(), code);
    };
    check_part(|_| {}, None);
    check_part(|part| part.crc = 1, Some("damaged"));
    check_part(|part| part.method = 12, Some("unsupported_method"));
    check_part(|part| part.method = 8, Some("damaged"));
    for (name, text) in [
        ("[Content_Types].xml", "<a/>"),
        ("[Content_Types].xml", "<!DOCTYPE a><a/>"),
        ("3D/_rels/3dmodel.model.rels", "<a/>"),
        ("3D/_rels/3dmodel.model.rels", "no XML"),
    ] {
        let bytes = with(Entry::stored(name, text.as_bytes()));
        let code = crate::read(&bytes, &Limits::default()).unwrap_err().code();
        assert!(matches!(code, "xml" | "entity"), "{name}: {code}");
    }
    let out = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="a"
Type="urn:a" Target="../../../etc/passwd"/></Relationships>"#;
    let bytes = with(Entry::stored("3D/_rels/3dmodel.model.rels", out.as_bytes()));
    check(&bytes, &Limits::default(), Some("dangling_reference"));
}
