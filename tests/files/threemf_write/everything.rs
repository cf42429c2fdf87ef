//! A project with everything that a model can have.

use fibula::format::threemf::{Dialect, Model, WriteOptions};
use fibula::graph::{Document, FunctionData, FunctionId, NodeData, NodeId};
use fibula_nodes::{PortSpec, Type};
use serde_json::json;

use super::{packed, read, world, xml};

const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model" Id="rel0"/>
<Relationship Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail" Target="/Metadata/Größe 1.png" Id="thumb"/>
<Relationship Type="urn:home" Target="https://example.com/?a=1&amp;b=2" Id="home" TargetMode="External"/></Relationships>"#;

const OF_MODEL: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture" Target="/volume/a.png" Id="r1"/>
<Relationship Type="urn:x" Target="/3D/notes.txt" Id="rel5"/></Relationships>"#;

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
<Default Extension="png" ContentType="image/png"/><Default Extension="txt" ContentType="text/plain"/>
<Override PartName="/3D/notes.txt" ContentType="application/x-notes"/></Types>"#;

const MODEL: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xml:lang="de" requiredextensions="v i m x" recommendedextensions="p" x:kind="k &quot;1&quot;"
 xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
 xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12" xmlns:x="urn:x" xmlns:q="urn:q">
<metadata name="Title">A &lt;B&gt;
 &amp; "C"</metadata><metadata name="x:Serial" type="xs:string" preserve="1">5</metadata>
<resources>
<basematerials id="90"><base name="steel" displaycolor="#FF0000"/><base name="glass" displaycolor="#00FF0080"/></basematerials>
<m:colorgroup id="91"><m:color color="#FF8000FF"/></m:colorgroup>
<v:image3d id="80" name="cloud" x:from="scan"><v:imagestack rowcount="2" columncount="3" sheetcount="2">
<v:imagesheet path="/volume/a.png"/><v:imagesheet path="/volume/a.png"/></v:imagestack></v:image3d>
<v:functionfromimage3d id="70" displayname="picture" image3did="80" valueoffset="-0.5" valuescale="2" tilestyleu="mirror"
 tilestylev="clamp" tilestylew="none" filter="nearest"/>
<i:implicitfunction id="60" displayname="ball"><i:in><i:vector identifier="pos"/></i:in>
<i:length identifier="size"><i:in><i:vectorref identifier="A" ref="inputs.pos"/></i:in><i:out><i:scalar identifier="result"/></i:out></i:length>
<i:out><i:scalarref identifier="the_shape" displayname="the shape" ref="size.result"/><i:vectorref identifier="place" ref="inputs.pos"/></i:out></i:implicitfunction>
<v:volumedata id="50" x:a="b"><v:composite basematerialid="90"><v:materialmapping functionid="60" channel="the_shape"/>
<v:materialmapping functionid="70" channel="red" transform="1 0 0 0 1 0 0 0 1 0.1 0 0"/></v:composite>
<v:color functionid="60" channel="place" minfeaturesize="0.25"/>
<v:property name="x:Density" functionid="60" channel="the_shape" required="true" fallbackvalue="-1e-300"/>
<v:property name="x:Wind" functionid="60" channel="the_shape" required="false"/></v:volumedata>
<object id="40" name="shell &amp; core" type="solidsupport" partnumber="7" p:UUID="00000011-7f4b-4d3a-9c57-52e2a1f0b6c8" pid="91" pindex="0" x:y="z">
<metadatagroup><metadata name="x:Note">n</metadata></metadatagroup>
<mesh v:volumeid="50" x:m="1"><vertices x:list="l"><vertex x="0" y="-0" z="0.1"/><vertex x="4" y="0" z="1e-7" x:id="q"/>
<vertex x="0" y="4" z="0"/><vertex x="0" y="0" z="4.000000000000001"/></vertices><triangles>
<triangle v1="0" v2="2" v3="1" pid="91" p1="0" p2="0" p3="0"/><triangle v1="0" v2="1" v3="3" paint_color="4C"/>
<triangle v1="1" v2="2" v3="3" pid="90" p1="1"/><triangle v1="2" v2="0" v3="3"/></triangles>
<b:beamlattice radius="0.5" minlength="0.001"><b:beams><b:beam v1="0" v2="1"/></b:beams></b:beamlattice></mesh></object>
<object id="30" type="model" p:UUID="00000000-7f4b-4d3a-9c57-52e2a1f0b6c8"><components><component objectid="40" p:UUID="00000001-7f4b-4d3a-9c57-52e2a1f0b6c8"/>
<component objectid="40" p:UUID="00000014-7f4b-4d3a-9c57-52e2a1f0b6c8" transform="0 1 0 -1 0 0 0 0 1 5 6 7.25"/></components></object>
<object id="20" type="surface" name="foot" p:UUID="00000012-7f4b-4d3a-9c57-52e2a1f0b6c8"><v:levelset functionid="60" channel="the_shape" meshid="40" meshbboxonly="true"
 transform="2 0 0 0 2 0 0 0 2 0 0 0" minfeaturesize="0.5" fallbackvalue="3" volumeid="50" x:q="1"/></object>
<x:thing id="10"><x:part/></x:thing>
</resources>
<build p:UUID="00000002-7f4b-4d3a-9c57-52e2a1f0b6c8"><item objectid="20" transform="1 0 0 0 1 0 0 0 1 -15.2786 0 0" partnumber="p" p:UUID="00000003-7f4b-4d3a-9c57-52e2a1f0b6c8"/>
<item objectid="30" p:UUID="00000013-7f4b-4d3a-9c57-52e2a1f0b6c8"><metadatagroup><metadata name="x:Of">item</metadata></metadatagroup></item></build>
<x:after of="a q:one">q:text</x:after>
</model>"##;

/// A sheet of 3 columns and 2 rows.
fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[0, 50, 100, 150, 200, 250])
        .unwrap();
    writer.finish().unwrap();
    bytes
}

fn package(model: &str) -> Vec<u8> {
    let sheet = png();
    crate::archive::archive(&[
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/_rels/3dmodel.model.rels", OF_MODEL.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
        ("volume/a.png", &sheet),
        ("Metadata/Größe 1.png", &sheet),
        ("3D/notes.txt", b"notes"),
    ])
}

/// A function that asks the mesh, its beams, and the image; and one node of each kind that 3MF does not have.
fn asks() -> FunctionData {
    let point = |node: NodeData, name: &str| node.link(name, NodeId(4), "pos");
    let node = |id: u32, kind: &str| NodeData::new(NodeId(id), kind);
    let resource = node(9, "Resource").value("resourceid", 40);
    let nodes = vec![
        resource,
        point(node(8, "SignedDistanceToMesh"), "pos").link("mesh", NodeId(9), "value"),
        point(node(7, "UnsignedDistanceToMesh"), "pos").value("mesh", 40),
        point(node(6, "SignedDistanceToBeamLattice"), "pos")
            .value("beamlattice", 40)
            .value("accuraterange", 0.1),
        point(node(5, "SignedDistanceToBeamLattice"), "pos").value("beamlattice", 40),
        point(node(11, "ImageSampler"), "uvw")
            .value("resourceid", 80)
            .value("filter", 0)
            .value("tilestyle_v", 0),
        node(12, "ImageSampler")
            .value("resourceid", 80)
            .value("uvw", json!([0.5, 0.5, 0.5])),
        point(node(13, "BoxMinMax"), "pos")
            .value("min", json!([0, 0, 0]))
            .link("max", NodeId(11), "color"),
        node(14, "ConstantVector")
            .link("y", NodeId(13), "shape")
            .value("z", -0.0),
        node(15, "FunctionCall")
            .value("functionID", 60)
            .link("pos", NodeId(14), "vector"),
        node(16, "FunctionCall")
            .value("functionID", 70)
            .link("pos", NodeId(15), "place"),
        node(17, "ConstantScalar").link("value", NodeId(15), "the shape"),
    ];
    let mut end = node(0, "End")
        .link("a", NodeId(17), "value")
        .link("b", NodeId(16), "alpha");
    end.display_name = Some("the <end>".to_owned());
    end.position = Some([1.0, 2.5]);
    let mut begin = node(4, "Begin");
    begin.position = Some([-3.0, 0.0]);
    FunctionData {
        function_id: Some(FunctionId(3)),
        name: "asks".to_owned(),
        inputs: vec![PortSpec::new("pos", Type::Float3)],
        outputs: vec![
            PortSpec::new("a", Type::Float),
            PortSpec::new("b", Type::Float),
        ],
        nodes: [vec![end, begin], nodes].concat(),
    }
}

/// The project without what lib3mf refuses or drops: extensions that it does not know, and attributes of slicers.
pub(crate) fn understood() -> (Model, Document) {
    let plain = MODEL
        .replace("v i m x", "v i m")
        .replace(" paint_color=\"4C\"", "");
    made(&plain)
}

fn everything() -> (Model, Document) {
    made(MODEL)
}

fn made(text: &str) -> (Model, Document) {
    let model = read(&package(text));
    assert!(model.repairs.is_empty(), "{:?}", model.repairs);
    assert!(model.left_out.is_empty(), "{:?}", model.left_out);
    let mut document = world::document(&model);
    document.insert(&asks()).unwrap();
    (model, document)
}

#[test]
fn everything_comes_back() {
    let (model, before) = everything();
    for dialect in [Dialect::Lib3mf, Dialect::Specification] {
        let options = WriteOptions { dialect };
        let (package, written) = world::write(&before, &model.contents, options);
        assert_eq!(written.notes, []);
        // Two samplers of one image ask in two ways.
        assert_eq!((written.functions, written.image_functions), (2, 3));
        let counts = (written.objects, written.images, written.volumes);
        assert_eq!(counts, (3, 1, 1));
        assert_eq!((written.foreign, written.items, written.parts), (3, 2, 3));
        // The schema requires it, whatever its value.
        assert!(xml(&package).contains("required=\"false\""));
        let again = read(&package);
        let codes: Vec<_> = again.repairs.iter().map(|one| &one.message).collect();
        assert!(codes.is_empty(), "{codes:?}\n{}", xml(&package));
        assert_eq!(again.left_out, []);
        let after = world::document(&again);
        world::assert_same(&before, &after, &xml(&package));
        assert_eq!(before.hash(), after.hash());
        for (hash, bytes) in &again.contents {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(model.contents.get(hash), Some(bytes), "{text}");
        }
        let (twice, _) = world::write(&after, &again.contents, options);
        assert!(twice == package, "the same project gave other bytes");
    }
}

#[test]
fn references_that_are_only_kept_point_back_as_well() {
    let model = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" xmlns:q="urn:q" requiredextensions="s"><resources>
 <s:slicestack id="9"><s:slice ztop="1"/></s:slicestack>
 <s:slicestack id="8"><s:slice ztop="1"/></s:slicestack>
 <object id="1" s:slicestackid="9"><mesh><vertices/><triangles/></mesh></object>
 <object id="2" q:slicestackid="9"><components><component objectid="1"><s:of slicestackid="8"/></component></components></object>
 </resources><build><item objectid="2"/></build></model>"#;
    let first = read(&packed(model));
    assert_eq!(first.repairs, []);
    let document = world::document(&first);
    let (package, _) = world::write(&document, &first.contents, WriteOptions::default());
    assert_eq!(read(&package).repairs, [], "{}", xml(&package));
    let text = xml(&package);
    let places = [9, 8, 1, 2].map(|id| text.find(&format!(" id=\"{id}\"")).unwrap());
    assert!(places.is_sorted(), "{text}");
    // Objects before their slices are found, and written in order.
    let object =
        r#" <object id="1" s:slicestackid="9"><mesh><vertices/><triangles/></mesh></object>"#;
    let stack = r#" <s:slicestack id="9"><s:slice ztop="1"/></s:slicestack>"#;
    let late = model
        .replace(object, "")
        .replace(stack, object)
        .replace(" <object id=\"2\"", &format!("{stack} <object id=\"2\""));
    let codes: Vec<_> = read(&packed(&late))
        .repairs
        .iter()
        .map(|one| one.code)
        .collect();
    assert_eq!(codes, ["forward_reference"]);
}

#[test]
fn resources_stand_after_what_they_need() {
    let (model, document) = everything();
    let (package, _) = world::write(&document, &model.contents, WriteOptions::default());
    let text = xml(&package);
    let place = |id: u32| text.find(&format!(" id=\"{id}\"")).unwrap();
    for (later, earlier) in [
        (3, 40),
        (3, 60),
        (3, 70),
        (40, 50),
        (40, 91),
        (50, 60),
        (50, 90),
        (30, 40),
        (20, 40),
        (70, 80),
        (92, 80),
    ] {
        assert!(place(later) > place(earlier), "{later} {earlier}");
    }
    assert_contains!(text => "requiredextensions=\"v i m x\"");
    assert_eq!(text.matches("xmlns").count(), 9, "{text}");
    // Nothing but a value and a text has this prefix.
    assert_contains!(text => " xmlns:q=\"urn:q\"");
    assert_contains!(text => "<x:after of=\"a q:one\">q:text</x:after>");
}
