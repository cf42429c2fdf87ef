//! Tests of the reader, and the packages in memory that they read.

mod archive;
mod bounds;
mod damage;
mod everything;
mod findings;
mod hostile;
mod quirks;
mod refusals;
mod rules;
mod swarms;

use std::io::{Cursor, Write};

use fibula_core::graph::{FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{Filter, TileStyle};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::{Limits, Model, ReadError};

pub(super) const RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model" Id="r"/>
</Relationships>"#;

/// A model with these resources.
pub(super) fn model(resources: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12" xmlns:x="urn:unknown">
<metadata name="Title">A &amp; B</metadata>
<resources>{resources}</resources>
<build></build>
</model>"#
    )
}

/// A function `f` of `pos` with these nodes and outputs.
pub(super) fn function(id: u32, nodes: &str, outputs: &str) -> String {
    format!(
        r#"<i:implicitfunction id="{id}" displayname="f"><i:in><i:vector identifier="pos"/></i:in>
{nodes}<i:out>{outputs}</i:out></i:implicitfunction>"#
    )
}

/// A node with these inputs and outputs.
pub(super) fn node(
    element: &str,
    identifier: &str,
    inputs: &[(&str, &str, &str)],
    outputs: &[(&str, &str)],
) -> String {
    let input = |(ty, name, reference): &(&str, &str, &str)| {
        format!(r#"<i:{ty}ref identifier="{name}" ref="{reference}"/>"#)
    };
    let output = |(ty, name): &(&str, &str)| format!(r#"<i:{ty} identifier="{name}"/>"#);
    let inputs: String = inputs.iter().map(input).collect();
    let outputs: String = outputs.iter().map(output).collect();
    format!(
        "<i:{element} identifier=\"{identifier}\"><i:in>{inputs}</i:in><i:out>{outputs}</i:out></i:{element}>\n"
    )
}

/// One text after the other.
pub(super) fn many(range: std::ops::Range<usize>, text: impl FnMut(usize) -> String) -> String {
    range.map(text).collect::<Vec<_>>().concat()
}

/// The length of `pos`, as a node called `length`.
pub(super) fn length() -> String {
    let inputs = [("vector", "A", "inputs.pos")];
    node("length", "length", &inputs, &[("scalar", "result")])
}

pub(super) const SHAPE: &str = r#"<i:scalarref identifier="shape" ref="length.result"/>"#;

/// A packed file of these parts.
pub(super) fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let parts = parts.iter().map(|(name, text)| (*name, text.as_bytes()));
    packed(&parts.collect::<Vec<_>>())
}

/// A packed file of these parts.
pub(super) fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A grey PNG file.
pub(super) fn png(columns: u32, rows: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    let pixels: Vec<u8> = (0..columns * rows).map(|at| at as u8).collect();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

/// An image of two columns and one row, whose only sheet is the part `volume/a.png`.
pub(super) fn image(id: u32) -> String {
    format!(
        r#"<v:image3d id="{id}"><v:imagestack columncount="2" rowcount="1" sheetcount="1"><v:imagesheet
path="/volume/a.png"/></v:imagestack></v:image3d>"#
    )
}

/// A further model part with the objects 77 and 99.
const OTHER_PART: &[u8] =
    br#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="77"><mesh><vertices/><triangles/></mesh></object><object id="99"><mesh><vertices/><triangles/></mesh></object>
</resources><build/></model>"#;

/// The file with this model part, the sheet of its image and its further model part if it has one.
pub(super) fn file(model: &str) -> Vec<u8> {
    let png = png(2, 1);
    let mut parts = vec![
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
    ];
    if model.contains("/volume/a.png") {
        parts.push(("volume/a.png", &png));
    }
    if model.contains("/3D/other.model") {
        parts.push(("3D/other.model", OTHER_PART));
    }
    packed(&parts)
}

pub(super) fn read(resources: &str) -> Result<Model, ReadError> {
    crate::read(&file(&model(resources)), &Limits::default())
}

/// The function with this id in the file.
pub(super) fn only(model: &Model, id: u32) -> &FunctionData {
    let mut all = model.functions.iter();
    all.find(|one| one.function_id == Some(FunctionId(id)))
        .unwrap()
}

/// The node that a person calls by this name.
pub(super) fn named<'a>(function: &'a FunctionData, name: &str) -> &'a NodeData {
    let mut nodes = function.nodes.iter();
    nodes
        .find(|node| node.display_name.as_deref() == Some(name))
        .unwrap()
}

/// Source of a parameter's value.
pub(super) fn source<'a>(node: &'a NodeData, parameter: &str) -> Option<(NodeId, &'a str)> {
    match node.parameters.get(parameter)? {
        Setting::Source(source) => Some((source.node_id, &source.port)),
        Setting::Value(_) => None,
    }
}

#[test]
fn a_plain_file_is_read_without_repairs() {
    let text = model(&(function(3, &length(), SHAPE) + r#"<object id="9"><mesh/></object>"#))
        .replace("<build>", r#"<build><item objectid="9"/>"#);
    let model = crate::read(&file(&text), &Limits::default()).unwrap();
    assert_eq!(model.repairs, []);
    let title = &model.metadata[0];
    assert_eq!([&*title.name, &*title.value], ["Title", "A & B"]);
    let function = only(&model, 3);
    assert_eq!(function.name, "f");
    assert_eq!(function.nodes[0].node_id, Some(NodeId::END));
    assert_eq!(function.nodes[1].node_type, "Begin");
    let node = named(function, "length");
    assert_eq!(node.node_id, Some(NodeId(2)));
    assert_eq!(node.node_type, "Length");
    assert_eq!(source(node, "A"), Some((NodeId(1), "pos")));
    let shape = source(&function.nodes[0], "shape");
    assert_eq!(shape, Some((NodeId(2), "result")));
    assert_eq!((model.objects[0].0.0, model.items[0].object.0), (9, 9));
    assert_eq!(model.left_out, []);
}

#[test]
fn a_file_is_recognised_by_its_relationship() {
    assert!(crate::is_3mf(&file(&model(""))));
    let alone = package(&[("3D/3dmodel.model", &model(""))]);
    assert!(!crate::is_3mf(&alone));
    assert!(!crate::is_3mf(b"solid cube"));
    assert!(!crate::is_3mf(b""));
}

#[test]
fn names_of_parts_ignore_case_and_prefixes_do_not_matter() {
    let text = model(&function(3, &length(), SHAPE))
        .replace("i:", "zz:")
        .replace("xmlns:i=", "xmlns:zz=");
    let bytes = package(&[("_RELS/.rels", RELATIONSHIPS), ("3d/3DMODEL.model", &text)]);
    let model = crate::read(&bytes, &Limits::default()).unwrap();
    assert_eq!((model.functions.len(), model.repairs.len()), (1, 0));
}

#[test]
fn callees_come_before_callers_and_images_are_called_like_functions() {
    let call = |id: u32, input: &str, output: &str| {
        let resource = format!(
            r#"<i:constresourceid identifier="callee" value="{id}"><i:out><i:resourceid identifier="value"/></i:out></i:constresourceid>"#
        );
        let inputs = [
            ("resource", "functionID", "callee.value"),
            ("vector", input, "inputs.pos"),
        ];
        resource + &node("functioncall", "call", &inputs, &[("scalar", output)])
    };
    let result = |output: &str| format!(r#"<i:scalarref identifier="shape" ref="call.{output}"/>"#);
    let resources = [
        function(1, &call(2, "pos", "shape"), &result("shape")),
        function(2, &call(7, "pos", "red"), &result("red")),
        image(8),
        r#"<v:functionfromimage3d id="7" displayname="picture" image3did="8" valuescale="2"
            valueoffset="-0.5" tilestyleu="mirror" tilestylew="none" filter="nearest"/>"#
            .to_owned(),
    ];
    let model = read(&resources.concat()).unwrap();
    let functions = model.functions.iter();
    let ids: Vec<u32> = functions.map(|one| one.function_id.unwrap().0).collect();
    assert_eq!(ids, [2, 1]);
    let (id, image) = &model.image_functions[0];
    assert_eq!((id.0, image.image.0), (7, 8));
    assert_eq!(image.name, "picture");
    assert_eq!((image.scale, image.offset), (2.0, -0.5));
    assert_eq!(image.filter, Filter::Nearest);
    let tiles = [TileStyle::Mirror, TileStyle::Wrap, TileStyle::None];
    assert_eq!(image.tiles, tiles);
}

#[test]
fn constants_keep_their_values_bit_for_bit() {
    let constants = r#"<i:constant identifier="c" value="0.30000000000000004"><i:out><i:scalar identifier="value"/></i:out></i:constant>
        <i:constvec identifier="v" x="1e-320" y="-0" z=" +2.5 "><i:out><i:vector identifier="vector"/></i:out></i:constvec>
        <i:constmat identifier="m" matrix="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"><i:out><i:matrix identifier="matrix"/></i:out></i:constmat>"#;
    let model = read(&function(3, constants, "")).unwrap();
    let function = only(&model, 3);
    let number = |name: &str, parameter: &str| match &named(function, name).parameters[parameter] {
        Setting::Value(json) => json.as_f64().unwrap().to_bits(),
        Setting::Source(_) => panic!("{name}.{parameter} is linked"),
    };
    assert_eq!(number("c", "value"), (0.1_f64 + 0.2).to_bits());
    let position = [number("v", "x"), number("v", "y"), number("v", "z")];
    assert_eq!(position, [1e-320, -0.0, 2.5].map(f64::to_bits));
    assert_eq!(
        [number("m", "m00"), number("m", "m13"), number("m", "m30")],
        [1.0, 8.0, 13.0].map(f64::to_bits)
    );
}
