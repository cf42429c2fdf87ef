//! Files with objects, volumes, images and more than is understood: everything is read or kept.

#![expect(clippy::float_cmp, reason = "what is compared so has one exact value")]

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Attribute, Body, Foreign, MeshBody, ObjectType, Transform, Unit};

use fibula_nodes::ResourceId;

use super::*;
use crate::{Column, MeshData};

/// The namespaces that files of the field declare.
const SPACES: &str = r#"xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
 xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12"
 xmlns:x="urn:x""#;

/// A tetrahedron.
const MESH: &str = r#"<vertices><vertex x="0" y="0" z="0"/><vertex x="4" y="0" z="0"/><vertex x="0" y="4" z="0"/>
<vertex x="0" y="0" z="4"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles>"#;

/// A model of these resources and items.
fn whole(attributes: &str, resources: &str, build: &str) -> Vec<u8> {
    let text = format!(
        "<model {SPACES} {attributes}><resources>{resources}</resources><build p:UUID=\"u\">{build}</build></model>"
    );
    file(&text)
}

fn read_all(resources: &str, build: &str) -> Model {
    let bytes = whole("", resources, build);
    crate::read(&bytes, &Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn mesh_of(model: &Model, at: usize) -> (&MeshBody, MeshData) {
    let Body::Mesh(mesh) = &model.objects[at].1.body else {
        panic!("{:?} is no mesh", model.objects[at]);
    };
    let data = MeshData::from_bytes(&model.contents[&mesh.content]).unwrap();
    assert_eq!(mesh.size, data.to_bytes().len() as u64);
    (mesh, data)
}

fn xml<'m>(model: &'m Model, foreign: &Foreign) -> &'m str {
    let bytes = &model.contents[&foreign.content];
    assert_eq!(ContentHash::digest(bytes), foreign.content);
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn meshes_are_read_with_unknown_attributes_and_elements() {
    let text = r#"<object id="1" name="a" type="support" partnumber="n" pid="7" pindex="2" x:y="z" thumbnail="/t.png">
<metadatagroup><metadata name="x:Serial" type="xs:string" preserve="1">5 &amp; 6</metadata></metadatagroup>
<mesh v:volumeid="8" x:kind="k"><vertices x:list="l">
<vertex x="0.1" y="-0" z="1e-3"/><vertex y='1' x=" +2 " z="3"></vertex>
<vertex x="4" y="5" z="&#54;" x:id="c"/> <!-- none --> <vertex  z="9"  y="8"  x="7"  /></vertices>
<triangles><triangle v1="0" v2="1" v3="2" pid="7" p1="0" p2="1"/><triangle v1="1" v2="2" v3="3" paint="4C" x:a="b"/>
<triangle v1="2" v2="3" v3="0" p1="1"/></triangles>
<x:sets xmlns:q="urn:q"><q:set n="x:name">&lt;<![CDATA[<&]]></q:set><set/></x:sets></mesh></object>"#;
    let groups =
        r#"<m:colorgroup id="7"><m:color color="FF"/></m:colorgroup><v:volumedata id="8"/>"#;
    let model = read_all(&(groups.to_owned() + text), "");
    assert_eq!(model.repairs, []);
    assert_eq!(model.left_out, []);
    let object = &model.objects[0].1;
    assert_eq!([&*object.name, &*object.part_number], ["a", "n"]);
    assert_eq!(object.object_type, ObjectType::Support);
    let properties = object.properties.unwrap();
    assert_eq!((properties.group.0, properties.index), (7, Some(2)));
    let expected = [
        Attribute::new("", "thumbnail", "/t.png"),
        Attribute::new("urn:x", "y", "z"),
    ];
    assert_eq!(object.extra.attributes, expected);
    let metadata = &object.metadata[0];
    assert_eq!(metadata.name, "{urn:x}Serial");
    let said = (metadata.value.as_str(), metadata.preserve);
    assert_eq!(said, ("5 & 6", Some(true)));
    let (body, data) = mesh_of(&model, 0);
    assert_eq!((body.vertices, body.triangles), (4, 3));
    assert_eq!(body.volume.map(|id| id.0), Some(8));
    assert_eq!(body.references, [ResourceId(7)]);
    let expected = [
        [0.1, -0.0, 1e-3],
        [2.0, 1.0, 3.0],
        [4.0, 5.0, 6.0],
        [7.0, 8.0, 9.0],
    ];
    let bits =
        |all: &[[f64; 3]]| -> Vec<u64> { all.iter().flatten().map(|x| x.to_bits()).collect() };
    assert_eq!(bits(&data.vertices), bits(&expected));
    assert_eq!(data.triangles, [[0, 1, 2], [1, 2, 3], [2, 3, 0]]);
    let properties: Vec<_> = data
        .properties
        .iter()
        .map(|one| (one.triangle, one.group.map(|id| id.0), one.indexes))
        .collect();
    let expected = [
        (0, Some(7), [Some(0), Some(1), None]),
        (2, None, [Some(1), None, None]),
    ];
    assert_eq!(properties, expected);
    let said = |columns: &[Column]| -> Vec<String> {
        let all = columns.iter().flat_map(|column| {
            let name = format!("{}:{}", column.namespace, column.name);
            let values = column.iter();
            values.map(move |(at, value)| format!("{name} {at} {value}"))
        });
        all.collect()
    };
    assert_eq!(said(&data.vertex_columns), ["urn:x:id 2 c"]);
    assert_eq!(said(&data.triangle_columns), [":paint 1 4C", "urn:x:a 1 b"]);
    let lists = [Attribute::new("urn:x", "list", "l")];
    assert_eq!(data.vertex_list_attributes, lists);
    let kind = Attribute::new("urn:x", "kind", "k");
    assert_eq!(data.extra.attributes, [kind]);
    let set = concat!(
        r#"<x:sets xmlns:q="urn:q" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:x="urn:x">"#,
        r#"<q:set n="x:name">&lt;<![CDATA[<&]]></q:set><set/></x:sets>"#
    );
    assert_eq!(data.extra.elements, [set]);
}

#[test]
fn plain_lists_and_strange_ones_are_read_alike() {
    let vertices = many(0..9000, |at| {
        format!("<vertex x=\"{at}\" y=\"{}.5\" z=\"-{at}e-2\"/>\n", at * 7)
    });
    let triangles = many(2..9000, |at| {
        let (second, third) = (at - 1, at - 2);
        format!("<triangle v1=\"{at}\" v2=\"{second}\" v3=\"{third}\" pid=\"7\" p1=\"{at}\"/>")
    });
    let object = |vertices: &str, triangles: &str| {
        let group = r#"<m:colorgroup id="7"/>"#;
        let mesh = format!(
            "<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>"
        );
        let model = read_all(&format!("{group}<object id=\"1\">{mesh}</object>"), "");
        mesh_of(&model, 0).1
    };
    // Long enough to cross the ends of buffers in many places.
    let plain = object(&vertices, &triangles);
    assert_eq!((plain.vertices.len(), plain.triangles.len()), (9000, 8998));
    assert_eq!(plain.vertices[8999], [8999.0, 62993.5, -89.99]);
    for (from, to) in [
        ("/>", "></TAG>"),
        ("\"", "'"),
        (" y=", "\n\t y="),
        (" z=", " \t z="),
        ("<vertex ", "<!-- - --><vertex "),
        ("x=\"5\"", "x=\"&#x35;\""),
        ("p1=\"5\"", "p1=\" 5 \""),
    ] {
        let change = |text: &str, tag: &str| text.replace(from, &to.replace("TAG", tag));
        let (vertices, triangles) = (change(&vertices, "vertex"), change(&triangles, "triangle"));
        assert_eq!(object(&vertices, &triangles), plain, "{to}");
    }
    let prefixed = format!(
        "<c:model xmlns:c=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" xmlns:m=\"urn:m\">\
         <c:resources><m:g id=\"7\"/><c:object id=\"1\">\
         <c:mesh><c:vertices>{}</c:vertices><c:triangles>{}</c:triangles></c:mesh>\
         </c:object></c:resources><c:build/></c:model>",
        vertices.replace("<vertex", "<c:vertex"),
        triangles.replace("<triangle", "<c:triangle")
    );
    let model = crate::read(&file(&prefixed), &Limits::default()).unwrap();
    assert_eq!(mesh_of(&model, 0).1, plain);
}

#[test]
fn what_follows_a_list_that_closes_itself_is_not_in_it() {
    let read = |mesh: &str| {
        let object = format!("<object id=\"1\"><mesh>{mesh}</mesh></object>");
        mesh_of(&read_all(&object, ""), 0).1
    };
    let (vertex, triangle) = (
        r#"<vertex x="0" y="0" z="0"/>"#,
        r#"<triangle v1="0" v2="0" v3="0"/>"#,
    );
    for (list, stray) in [
        ("<vertices/>", vertex),
        ("<vertices a=\"/\" />", vertex),
        ("<triangles/>", triangle),
    ] {
        let mesh = read(&format!("{list}{}", stray.repeat(3)));
        assert_eq!(mesh.vertices.len(), 0, "{list}");
        assert_eq!(mesh.triangles.len(), 0, "{list}");
        assert_eq!(mesh.extra.elements.len(), 3, "{list}");
        assert!(mesh.extra.elements[0].starts_with(&stray[..7]));
    }
    // A list that only looks like it does not.
    let mesh = read(&format!(
        "<vertices a=\"/\">{vertex}</vertices><triangles>{triangle}</triangles>"
    ));
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (1, 1));
    let other = "<vertex x=\"0\" y=\"0\" z=\"0\" a=\"/\"/>".repeat(2);
    let mesh = read(&format!("<vertices>{other}{vertex}</vertices>"));
    assert_eq!(mesh.vertices.len(), 3);
}

#[test]
fn parts_come_before_what_is_made_of_them() {
    let objects = format!(
        r#"<object id="5" type="surface"><components x:note="n">
<component objectid="3" transform="1 0 0 0 1 0 0 0 1 1 2 3" p:UUID="w"/>
<component objectid="99" p:path="/3D/other.model"/></components></object>
<object id="4"><v:levelset functionid="2" meshid="1" channel="shape" transform="2 0 0 0 2 0 0 0 2 0 0 0"
 minfeaturesize="0.5"
 fallbackvalue="-1" meshbboxonly="1" volumeid="8" x:q="r"/></object>
<object id="3"><mesh>{MESH}</mesh></object><object id="1"><mesh>{MESH}</mesh></object>{}<v:volumedata id="8"/>"#,
        function(2, &length(), SHAPE)
    );
    let items = r#"<item objectid="5" partnumber="7" transform="0 1 0 1 0 0 0 0 1 0 0 0"
 p:UUID="k"><metadatagroup><metadata name="a">b</metadata></metadatagroup><x:ticket/></item><item objectid="77" p:path="/3D/other.model"/>"#;
    let model = read_all(&objects, items);
    let ids: Vec<u32> = model.objects.iter().map(|(id, _)| id.0).collect();
    assert_eq!(ids, [3, 5, 1, 4]);
    let Body::Components(components) = &model.objects[1].1.body else {
        panic!("object 5 has components");
    };
    assert_eq!(components[0].transform.0[9..], [1.0, 2.0, 3.0]);
    assert_eq!(components[0].extra.attributes[0].name, "UUID");
    assert!(components[1].is_external() && !components[0].is_external());
    let Body::LevelSet(level_set) = &model.objects[3].1.body else {
        panic!("object 4 is a level set");
    };
    assert!(level_set.mesh_bbox_only);
    assert_eq!(level_set.mesh, ResourceId(1));
    assert_eq!(level_set.volume, Some(ResourceId(8)));
    let field = &level_set.field;
    assert_eq!((field.function_id.0, field.channel.as_str()), (2, "shape"));
    assert_eq!((field.min_feature_size, field.fallback_value), (0.5, -1.0));
    assert_eq!(field.transform.determinant(), 8.0);
    assert_eq!(field.extra.attributes, [Attribute::new("urn:x", "q", "r")]);
    assert_eq!(model.items.len(), 2);
    let item = &model.items[0];
    assert_eq!((item.object.0, item.part_number.as_str()), (5, "7"));
    assert_ne!(item.transform, Transform::IDENTITY);
    let metadata = &item.metadata[0];
    assert_eq!([&*metadata.name, &*metadata.value], ["a", "b"]);
    assert_eq!(item.extra.elements, [r#"<x:ticket xmlns:x="urn:x"/>"#]);
    assert!(model.items[1].is_external());
    assert_eq!(model.info.build[0].name, "UUID");
    assert!(model.left_out.is_empty(), "{:?}", model.left_out);
}

#[test]
fn volumes_name_functions_for_their_properties() {
    let image = image(6) + r#"<v:functionfromimage3d id="7" image3did="6"/>"#;
    let base = r#"<basematerials id="5"><base name="a" displaycolor="FF0000"/></basematerials>"#;
    let volume = r#"<v:volumedata id="8" x:a="b"><v:composite basematerialid="5"><v:materialmapping functionid="7"
 channel="red"/><v:materialmapping functionid="7" channel="alpha" fallbackvalue="1"/></v:composite>
<v:color functionid="7" channel="color" transform="1 0 0 0 1 0 0 0 1 0 0 0"/>
<v:property name="x:heat" functionid="7" channel="green" required="true"/><v:property name="x:wind" functionid="7"
 channel="color"/><x:more/></v:volumedata>"#;
    let model = read_all(&[&image, base, volume].concat(), "");
    let (id, volume) = &model.volumes[0];
    assert_eq!((id.0, volume.fields().count()), (8, 5));
    let composite = volume.composite.as_ref().unwrap();
    assert_eq!(composite.base_materials.0, 5);
    assert_eq!(composite.materials[1].fallback_value, 1.0);
    assert_eq!(volume.color.as_ref().unwrap().channel, "color");
    let properties = volume.properties.iter();
    let said: Vec<_> = properties
        .map(|one| (one.name.as_str(), one.required))
        .collect();
    assert_eq!(said, [("{urn:x}heat", true), ("{urn:x}wind", false)]);
    assert_eq!(volume.extra.attributes, [Attribute::new("urn:x", "a", "b")]);
    assert_eq!(volume.extra.elements, [r#"<x:more xmlns:x="urn:x"/>"#]);
    let stack = &model.images[0].1;
    assert_eq!((stack.columns, stack.rows, stack.sheets.len()), (2, 1, 1));
    assert_eq!(stack.sheets[0].path, "volume/a.png");
    assert_eq!(model.contents[&stack.sheets[0].content], png(2, 1));
    assert!(model.parts.is_empty());
    let foreign = &model.foreign[0].1;
    assert_eq!(model.foreign[0].0, ResourceId(5));
    assert_eq!(foreign.element, "basematerials");
    let expected = concat!(
        r#"<basematerials id="5" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">"#,
        r#"<base name="a" displaycolor="FF0000"/></basematerials>"#
    );
    assert_eq!(xml(&model, foreign), expected);
}

#[test]
fn properties_of_the_file_are_read() {
    let text = format!(
        r#"<model {SPACES} unit="inch" xml:lang="de" requiredextensions="v p i nobody"
 recommendedextensions="x" x:by="me">
<metadata name="Title">T</metadata>
<x:hint>h</x:hint><resources/><build/><metadata name="who:Knows" preserve="0"/></model>"#
    );
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="PNG" ContentType="image/png"/>
<Override PartName="/Metadata/Note" ContentType="text/plain"/></Types>"#;
    let package_relationships = RELATIONSHIPS.replace(
        "</Relationships>",
        r#"<Relationship Type="urn:thumb" Target="Metadata/t.png" Id="t"/>
<Relationship Type="urn:web" Target="http://a/b" TargetMode="External" Id="w"/></Relationships>"#,
    );
    let of_model = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="urn:note" Target="../Metadata/Note" Id="n"/></Relationships>"#;
    let parts: [(&str, &str); 7] = [
        ("[Content_Types].xml", types),
        ("_rels/.rels", &package_relationships),
        ("3D/3dmodel.model", &text),
        ("3D/_rels/3dmodel.model.rels", of_model),
        ("Metadata/t.png", "thumbnail"),
        ("Metadata/Note", "note"),
        ("odd", "x"),
    ];
    let model = crate::read(&package(&parts), &Limits::default()).unwrap();
    let info = &model.info;
    assert_eq!((info.unit, info.language.as_str()), (Unit::Inch, "de"));
    let production = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";
    assert_eq!(info.required, [production]);
    assert_eq!(info.recommended, ["urn:x"]);
    assert_eq!(info.extra.attributes, [Attribute::new("urn:x", "by", "me")]);
    let hint = r#"<x:hint xmlns:x="urn:x">h</x:hint>"#;
    assert_eq!(info.extra.elements, [hint]);
    let metadata = model.metadata.iter();
    let said: Vec<_> = metadata
        .map(|one| (one.name.as_str(), one.preserve))
        .collect();
    assert_eq!(said, [("Title", None), ("who:Knows", Some(false))]);
    let all = info.relationships.iter();
    let all = all.map(|one| (one.source.as_str(), one.target.as_str(), one.external));
    let relationships: Vec<_> = all.collect();
    let expected = [
        ("3D/3dmodel.model", "Metadata/Note", false),
        ("", "Metadata/t.png", false),
        ("", "http://a/b", true),
    ];
    assert_eq!(relationships, expected);
    let parts = model.parts.iter().map(|(name, part)| {
        let bytes = model.contents[&part.content].as_slice();
        (name.as_str(), part.media_type.as_str(), bytes)
    });
    let parts: Vec<_> = parts.collect();
    let expected: [(&str, &str, &[u8]); 3] = [
        ("Metadata/Note", "text/plain", b"note"),
        ("Metadata/t.png", "image/png", b"thumbnail"),
        ("odd", "application/octet-stream", b"x"),
    ];
    assert_eq!(parts, expected);
    assert_eq!(model.repairs.len(), 1);
    assert_eq!(model.repairs[0].code, "unknown_extension");
}

#[test]
fn dialects_and_drafts_are_understood() {
    let resources = format!(
        r#"<object id="1"><mesh>{MESH}</mesh></object>{}<object id="4"><i:levelset v:functionid="2" meshid="1"
 i:channel="Shape"/></object><object id="5"><levelset functionid="2" meshid="1" channel="shape"/></object>
<basematerials id="9"/><i:volumedata id="8"><i:composite basematerialsid="9"/></i:volumedata>"#,
        function(2, &length(), SHAPE)
    );
    let model = read_all(&resources, "");
    let codes: Vec<&str> = model.repairs.iter().map(|repair| repair.code).collect();
    let expected = ["attribute_prefix", "element_prefix", "channel_name"];
    assert_eq!(codes, expected);
    let mut objects = model.objects.iter().skip(1);
    assert!(objects.all(|(_, object)| matches!(object.body, Body::LevelSet(_))));
    assert!(model.volumes[0].1.composite.is_some());
}

#[test]
fn an_image_is_as_large_as_its_sheets_and_paths_may_lack_their_slash() {
    let wrong = image(6)
        .replace("columncount=\"2\"", "columncount=\"8\"")
        .replace("path=\"/volume", "path=\"/x/../volume");
    let model = read_all(&wrong, "");
    let stack = &model.images[0].1;
    assert_eq!((stack.columns, stack.rows), (2, 1));
    assert_eq!(model.repairs[0].code, "image_size");
    let text = format!(
        "<model {SPACES}><resources>{}</resources><build/></model>",
        image(6)
    );
    for path in ["volume/a.png", "../volume/a.png"] {
        let text = text.replace("/volume/a.png", path);
        let png = png(2, 1);
        let parts: [(&str, &[u8]); 3] = [
            ("_rels/.rels", RELATIONSHIPS.as_bytes()),
            ("3D/3dmodel.model", text.as_bytes()),
            ("volume/a.png", &png),
        ];
        let model = crate::read(&packed(&parts), &Limits::default()).unwrap();
        assert_eq!(model.repairs[0].code, "relative_path", "{path}");
    }
}

#[test]
fn names_of_namespaces_are_read_without_their_references() {
    let text = r#"<object id="1" q:a="b" xmlns:q="http://x/?a=1&amp;b=2"><mesh><vertices/><triangles/></mesh></object>"#;
    let model = read(text).expect("it is sound");
    let extra = &model.objects[0].1.extra;
    let attribute = Attribute::new("http://x/?a=1&b=2", "a", "b");
    assert_eq!(extra.attributes, [attribute]);
}
