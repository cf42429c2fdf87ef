//! Colours and properties that volume data says: of a place, in pictures and in files of meshes.

#![expect(clippy::float_cmp, reason = "what is only handed on has the same bits")]

mod parts;

use std::collections::BTreeMap;

use approx::assert_relative_eq;
use fibula::edit::Edit;
use fibula::eval::{Materials, NO_COLOR, Paint, Solid, SolidError};
use fibula::expression;
use fibula::format::mesh::MeshFormat;
use fibula::geometry::Bounds;
use fibula::geometry::picture::{Camera, SURFACE, View};
use fibula::graph::model::Transform;
use fibula::graph::{ContentHash, Document};
use fibula::service::{
    MakeMesh, Refusal, Render, ResolvedShape, Service, Subject, make_mesh, render,
};
use fibula_nodes::ResourceId;
use serde_json::{Value as Json, json};

use crate::calls::{apply, on};

/// Adds a resource of the model.
fn add(document: &mut Document, id: u32, resource: &Json) {
    let edit = json!({"model": {"set_resource": {"resource_id": id, "resource": resource}}});
    let edit: Edit = serde_json::from_value(edit).unwrap();
    edit.apply(document)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// A box as a mesh, of which the box is known.
fn add_box(document: &mut Document, id: u32, low: [f64; 3], high: [f64; 3]) {
    let hash = ContentHash::digest(format!("{low:?} {high:?}").as_bytes());
    let body =
        json!({"content": hash, "size": 4, "vertices": 8, "triangles": 12, "bounds": [low, high]});
    let object = json!({"object": {"name": "box", "body": {"mesh": body}}});
    add(document, id, &object);
}

/// A level set with the inside of function 1 in box 10.
fn add_level_set(document: &mut Document, id: u32, volume: Option<u32>) {
    let field = json!({"function_id": 1, "channel": "shape"});
    let body = json!({"field": field, "mesh": 10, "mesh_bbox_only": true, "volume": volume});
    let object = json!({"object": {"name": "ball", "body": {"level_set": body}}});
    add(document, id, &object);
}

/// A ball of radius 5 as function 1, a colour and a float as functions 2 and 3, and a box around the ball as mesh 10.
fn start() -> Document {
    let mut document = Document::default();
    for (name, text) in [
        ("Ball", "shape = length(pos) - 5"),
        ("Colour", "color = vec3(x / 10 + 0.5, y, 0.25)"),
        ("Heat", "heat = x + 100; flow = vec3(x, y, z)"),
    ] {
        expression::add_function(&mut document, name, text).unwrap();
    }
    add_box(&mut document, 10, [-6.0; 3], [6.0; 3]);
    document
}

/// A shift, and a transform that turns x to y and makes everything twice as large.
fn shift(by: [f64; 3]) -> [f64; 12] {
    let mut rows = Transform::IDENTITY.0;
    rows[9..].copy_from_slice(&by);
    rows
}

const TURN: [f64; 12] = [0.0, 2.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 7.0, -3.0, 1.0];

fn painted(document: &Document, objects: &[(u32, [f64; 12])], paint: Paint<'_>) -> Solid {
    let objects: Vec<(ResourceId, Transform)> = objects
        .iter()
        .map(|(id, rows)| (ResourceId(*id), Transform(*rows)))
        .collect();
    Solid::painted(document, &objects, paint).unwrap_or_else(|error| panic!("{error}"))
}

fn color_at(solid: &Solid, at: [f64; 3]) -> [f64; 3] {
    let [_, red, green, blue] = solid.tape.at(at)[..] else {
        panic!("a shape and a colour");
    };
    [red, green, blue]
}

#[test]
fn a_colour_is_what_its_function_says_at_the_place_in_the_object() {
    let mut document = start();
    let field_transform = TURN;
    let color = json!({"function_id": 2, "channel": "color", "transform": field_transform});
    add(&mut document, 20, &json!({"volume_data": {"color": color}}));
    add_level_set(&mut document, 11, Some(20));
    let none = Materials::new();
    for item in [Transform::IDENTITY.0, shift([1.0, 2.0, 3.0]), TURN] {
        let solid = painted(&document, &[(11, item)], Paint::Color(&none));
        for at in [[0.5, 0.25, 0.0], [-2.0, 1.0, 4.0], [3.0, -4.0, 0.5]] {
            // Where the item puts the place of the object, the colour is that of the place that the field asks.
            let placed = Transform(item).apply(at);
            let [x, y, _] = Transform(field_transform).apply(at);
            let says = [x / 10.0 + 0.5, y, 0.25].map(|part: f64| part.clamp(0.0, 1.0));
            for (found, says) in color_at(&solid, placed).into_iter().zip(says) {
                assert_relative_eq!(found, says, epsilon = 1e-12);
            }
        }
    }
}

#[test]
fn of_parts_that_overlap_the_last_one_counts() {
    let mut document = start();
    for (id, text) in [
        (20, "red = vec3(1, 0, 0) + pos * 0"),
        (21, "green = vec3(0, 1, 0) + pos * 0"),
    ] {
        let function = expression::add_function(&mut document, "Plain", text).unwrap();
        let channel = text.split(' ').next().unwrap();
        let color = json!({"function_id": function, "channel": channel});
        add(&mut document, id, &json!({"volume_data": {"color": color}}));
    }
    add_level_set(&mut document, 11, Some(20));
    add_level_set(&mut document, 12, Some(21));
    add_level_set(&mut document, 13, None);
    let materials = Materials::new();
    let paint = Paint::Color(&materials);
    let (red, green, none) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [NO_COLOR; 3]);
    // Balls of radius 5 around 0, 6 and 12 on x.
    let row = [
        (11, shift([0.0; 3])),
        (12, shift([6.0, 0.0, 0.0])),
        (13, shift([12.0, 0.0, 0.0])),
    ];
    let solid = painted(&document, &row, paint);
    let along = |x: f64| color_at(&solid, [x, 0.0, 0.0]);
    assert_eq!([along(-4.9), along(-5.1), along(0.9)], [red; 3]);
    // In the first two, in the second, and in the last two.
    assert_eq!([along(1.1), along(4.9), along(6.9)], [green; 3]);
    assert_eq!([along(7.1), along(16.9), along(17.5)], [none; 3]);
    let turned: Vec<_> = row.into_iter().rev().collect();
    let solid = painted(&document, &turned, paint);
    assert_eq!(color_at(&solid, [3.0, 0.0, 0.0]), red);
    assert_eq!(color_at(&solid, [10.0, 0.0, 0.0]), green);
    // Parts at one place: the later one, inside, on the surface and outside.
    for (pair, last) in [([11, 12], green), ([12, 11], red), ([11, 13], none)] {
        let pair = pair.map(|id| (id, shift([0.0; 3])));
        let solid = painted(&document, &pair, paint);
        for x in [4.9, 5.0, 5.1] {
            assert_eq!(color_at(&solid, [x, 0.0, 0.0]), last, "{x}");
        }
    }
    // Without a colour there is no output.
    let plain = painted(&document, &[(13, shift([0.0; 3]))], paint);
    assert_eq!(plain.tape.outputs().len(), 1);
    // In an assembly parts keep their colours.
    let part = |id: u32, x: f64| json!({"object": id, "transform": shift([x, 0.0, 0.0])});
    let body = json!({"components": [part(11, 0.0), part(12, 20.0)]});
    add(&mut document, 14, &json!({"object": {"body": body}}));
    let solid = painted(&document, &[(14, TURN)], paint);
    assert_eq!(color_at(&solid, Transform(TURN).apply([0.0; 3])), red);
    let turned = Transform(TURN).apply([20.0, 0.0, 0.0]);
    assert_eq!(color_at(&solid, turned), green);
}

#[test]
fn a_mixture_has_the_mean_of_its_materials() {
    let mut document = start();
    let shares = "a = x; b = y; c = 0 * z";
    let function = expression::add_function(&mut document, "Shares", shares).unwrap();
    let group = json!({"namespace": "m", "element": "basematerials", "content": ContentHash::digest(b"x"), "size": 1});
    add(&mut document, 30, &json!({"foreign": group}));
    let materials: Vec<Json> = ["a", "b", "c"]
        .map(|channel| json!({"function_id": function, "channel": channel}))
        .into();
    let composite = json!({"base_materials": 30, "materials": materials});
    let volume = json!({"volume_data": {"composite": composite}});
    add(&mut document, 20, &volume);
    add_level_set(&mut document, 11, Some(20));
    let three = vec![[1.0, 0.0, 0.0], [0.0, 0.5, 1.0], [0.25; 3]];
    let colors: Materials = BTreeMap::from([(ResourceId(30), three.clone())]);
    let solid = painted(&document, &[(11, shift([0.0; 3]))], Paint::Color(&colors));
    for (at, says) in [
        ([0.5, 0.5, 0.0], [0.5, 0.25, 0.5]),
        ([0.25, 0.75, 0.0], [0.25, 0.375, 0.75]),
        // Shares are cut off at 0 and 1, and relative to their sum.
        ([3.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
        ([3.0, 1.0, 0.0], [0.5, 0.25, 0.5]),
        ([0.1, 0.1, 0.0], [0.5, 0.25, 0.5]),
        ([-1.0, -1.0, 0.0], [NO_COLOR; 3]),
    ] {
        for (found, says) in color_at(&solid, at).into_iter().zip(says) {
            assert_relative_eq!(found, says, epsilon = 1e-12);
        }
    }
    // Without the colours of all materials it has none.
    let two: Materials = BTreeMap::from([(ResourceId(30), three[..2].to_vec())]);
    for colors in [two, Materials::new()] {
        let solid = painted(&document, &[(11, shift([0.0; 3]))], Paint::Color(&colors));
        assert_eq!(solid.tape.outputs().len(), 1);
    }
}

#[test]
fn properties_are_floats_or_lengths() {
    let mut document = start();
    let property = |name: &str, channel: &str| {
        let field = json!({"function_id": 3, "channel": channel, "transform": TURN});
        json!({"name": name, "field": field})
    };
    let properties = [
        property("{http://a}Heat", "heat"),
        property("{http://a}Flow", "flow"),
    ];
    let volume = json!({"volume_data": {"properties": properties}});
    add(&mut document, 20, &volume);
    add_level_set(&mut document, 11, Some(20));
    add_level_set(&mut document, 12, None);
    let row = [(11, shift([0.0; 3])), (12, shift([20.0, 0.0, 0.0]))];
    let at = [1.0, 2.0, 3.0];
    let [x, y, z] = Transform(TURN).apply(at);
    let heat = painted(&document, &row, Paint::Property("{http://a}Heat"));
    assert_eq!(heat.tape.outputs()[1].name, "Heat");
    assert_relative_eq!(heat.tape.at(at)[1], x + 100.0, epsilon = 1e-12);
    assert!(heat.tape.at([20.0, 0.0, 0.0])[1].is_nan());
    let flow = painted(&document, &row, Paint::Property("{http://a}Flow"));
    let length = (x * x + y * y + z * z).sqrt();
    assert_relative_eq!(flow.tape.at(at)[1], length, epsilon = 1e-12);
}

/// A service with a ball of radius 5 whose right half is red and whose left half is blue, and what it is asked for.
fn service(colour: &str) -> Service {
    let service = Service::default();
    let edits = json!([
        {"create_function_from_expression": {"alias": "$ball", "name": "ball", "expression": "length(pos) - 5"}},
        {"create_function_from_expression": {"alias": "$says", "name": "says", "expression": colour}},
        {"set_volume_data": {"alias": "$volume", "color": {"function_id": "$says", "channel": "color"},
            "properties": [{"name": "{http://a}Heat", "field": {"function_id": "$says", "channel": "heat"}}]}},
        {"create_level_set": {"alias": "$part", "function_id": "$ball", "bounds": [[-6, -6, -6], [6, 6, 6]],
            "name": "Ball", "volume_id": "$volume", "build": true}},
    ]);
    apply(&service, edits).unwrap_or_else(|refusal| panic!("{refusal}"));
    service
}

/// Red where x is above 0, and else a blue that is below and above what colours may be.
const HALVES: &str = "let right = select(0, x, 1, 0); \
    color = vec3(right * 3, 0 - 1, select(0, x, 0, 0.5)); heat = x";

fn seen(service: &Service, subject: &Subject) -> Result<ResolvedShape, Refusal> {
    service.resolve_shape(None, None, subject)
}

fn middle_row(seen: &ResolvedShape) -> [[u8; 3]; 2] {
    let rendered = render(seen, &Render::of(View::Front, [48, 48]), &mut on).unwrap();
    let decoder = png::Decoder::new(std::io::Cursor::new(rendered.png));
    let mut reader = decoder.read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut data).unwrap();
    let at = |x: usize| std::array::from_fn(|part| data[(24 * 48 + x) * 3 + part]);
    [at(15), at(33)]
}

#[test]
fn pictures_show_colours_and_properties() {
    let service = service(HALVES);
    let colored = seen(&service, &Subject::default()).unwrap();
    assert_eq!((colored.red(), colored.scale()), (Some(1), None));
    let [left, right] = middle_row(&colored);
    assert!(right[0] > 3 * right[2].max(10) / 2, "red: {right:?}");
    assert!(left[2] > 2 * left[0], "blue: {left:?}");
    // Without colours both sides are alike but for their light.
    let plain = with_defaults!(Subject, plain: true);
    let plain = seen(&service, &plain).unwrap();
    assert_eq!(plain.tape.outputs().len(), 1);
    assert!(middle_row(&plain).iter().all(|[red, _, blue]| blue > red));
    // A property, with or without its namespace, has a legend.
    for name in ["Heat", "{http://a}Heat"] {
        let subject = with_defaults!(Subject, color: Some(name.to_owned()));
        let heat = seen(&service, &subject).unwrap();
        assert_eq!((heat.red(), heat.scale()), (None, Some("Heat")));
        let [cold, hot] = middle_row(&heat);
        assert!(cold[2] > cold[0] && hot[0] > hot[2], "{cold:?} {hot:?}");
    }
    let subject = with_defaults!(Subject, color: Some("Cold".to_owned()));
    let refusal = seen(&service, &subject).unwrap_err();
    assert_eq!(refusal.code, "unknown_output");
    assert!(refusal.to_string().contains("{http://a}Heat"), "{refusal}");
    // A function's float3 is a colour, its float a scale.
    for (name, is_color) in [("color", true), ("heat", false)] {
        let subject = Subject {
            function_id: Some(serde_json::from_value(json!(2)).unwrap()),
            output: Some("heat".to_owned()),
            color: Some(name.to_owned()),
            ..Subject::default()
        };
        let seen = seen(&service, &subject).unwrap();
        assert_eq!(seen.red().is_some(), is_color);
        assert_eq!(seen.scale().is_some(), !is_color);
    }
}

#[test]
fn a_colour_that_cannot_be_evaluated_is_left_out_and_told() {
    let service = service(HALVES);
    let edits = json!([
        {"create_node": {"function_id": 2, "node_type": "ComposeVector", "node_id": "$v"}},
        {"create_link": {"function_id": 2, "source_node_id": "$v", "source_port_name": "result",
            "target_node_id": 0, "target_parameter_name": "color", "replace": true}},
    ]);
    apply(&service, edits).unwrap_or_else(|refusal| panic!("{refusal}"));
    let color = |name: &str| with_defaults!(Subject, color: Some(name.to_owned()));
    let plain = seen(&service, &Subject::default()).unwrap();
    assert_eq!(plain.tape.outputs().len(), 1);
    let [warning] = &plain.warnings[..] else {
        panic!("a warning: {:?}", plain.warnings);
    };
    assert_starts!(warning => "the colour is omitted: color of volume data");
    let rendered = render(&plain, &Render::of(View::Top, [8, 8]), &mut on).unwrap();
    assert_eq!(rendered.warnings, plain.warnings);
    // The property does not need it.
    let heat = seen(&service, &color("Heat")).unwrap();
    assert!(heat.warnings.is_empty());
    let document = start();
    let wrong = Solid::painted(&document, &[], Paint::Property("a"));
    assert!(matches!(wrong, Err(SolidError::Nothing)));
}

#[test]
fn meshes_have_the_colours_of_their_vertices() {
    let service = service("color = vec3(x / 10 + 0.5, y / 10 + 0.5, 0.25); heat = x");
    let colored = seen(&service, &Subject::default()).unwrap();
    let request = with_defaults!(MakeMesh, cell: Some(1.0));
    let made = make_mesh(&colored, &request, &mut on).unwrap();
    let colors = made.colors.as_ref().expect("it has colours");
    assert_eq!(colors.len(), made.mesh.vertices().len());
    for ([x, y, _], [red, green, blue]) in made.mesh.vertices().iter().zip(colors) {
        assert!(((x / 10.0 + 0.5).clamp(0.0, 1.0) - f64::from(*red)).abs() < 1e-6);
        assert!(((y / 10.0 + 0.5).clamp(0.0, 1.0) - f64::from(*green)).abs() < 1e-6);
        assert!((blue - 0.25).abs() < 1e-6);
    }
    let mut glb = Vec::new();
    made.write(MeshFormat::Glb, &mut glb).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let head: Json = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let attributes = &head["meshes"][0]["primitives"][0]["attributes"];
    assert_eq!(attributes["COLOR_0"], json!(2));
    let from = 28 + length + head["bufferViews"][2]["byteOffset"].as_u64().unwrap() as usize;
    let number = |place: usize| {
        let at = from + place * 4;
        f32::from_le_bytes(glb[at..at + 4].try_into().unwrap())
    };
    assert_each_eq! {
        [number(0), number(1), number(2), number(3)] => [colors[0][0], colors[0][1], colors[0][2], 1.0];
        glb.len() => from + colors.len() * 16;
        glb.len() => u32::from_le_bytes(glb[8..12].try_into().unwrap()) as usize;
    }
    // sRGB in the others: 0.25 is 0.5371, or 137 of 255.
    let mut obj = Vec::new();
    made.write(MeshFormat::Obj, &mut obj).unwrap();
    let obj = String::from_utf8(obj).unwrap();
    let vertex = obj.lines().find(|line| line.starts_with("v ")).unwrap();
    assert!(vertex.ends_with(" 0.5371"), "{vertex}");
    assert_eq!(vertex.split(' ').count(), 7, "{vertex}");
    let mut ply = Vec::new();
    made.write(MeshFormat::Ply, &mut ply).unwrap();
    let end = b"end_header\n";
    let start = ply.windows(end.len()).position(|some| some == end).unwrap() + end.len();
    assert_eq!(ply[start + 26], 137);
    let faces = made.mesh.triangles().len() * 13;
    assert_eq!(ply.len(), start + made.mesh.vertices().len() * 27 + faces);
    // Without a colour there is none, and where none is said vertices are as plain surfaces are.
    let plain = with_defaults!(Subject, plain: true);
    let plain = seen(&service, &plain).unwrap();
    let made = make_mesh(&plain, &request, &mut on).unwrap();
    assert!(made.colors.is_none());
    let none = service_without_color();
    let made = make_mesh(&none, &request, &mut on).unwrap();
    assert!(made.colors.unwrap().iter().all(|color| *color == SURFACE));
}

/// A function whose colour is none.
fn service_without_color() -> ResolvedShape {
    let service = service("color = vec3(0 - 1, 0 - 1, 0 - 1); heat = length(pos) - 3");
    let subject = Subject {
        function_id: Some(serde_json::from_value(json!(2)).unwrap()),
        color: Some("color".to_owned()),
        ..Subject::default()
    };
    seen(&service, &subject).unwrap()
}

#[test]
fn time_and_memory_have_limits_that_say_what_passes() {
    let service = service(HALVES);
    let seen = seen(&service, &Subject::default()).unwrap();
    let mut picture = Render {
        bounds: Some(Bounds::new([-6.0; 3], [6.0; 3]).unwrap()),
        ..Render::of(Camera::orbit(0.5, 0.5), [400, 200])
    };
    picture.limits.memory = Some(1_000_000);
    let refusal = render(&seen, &picture, &mut on).unwrap_err();
    assert_eq!(refusal.code, "too_large");
    let size: [usize; 2] = serde_json::from_value(refusal.details["size"].clone()).unwrap();
    assert!(size[0] > 100 && size[0] < 400, "{size:?}");
    picture.size = size;
    assert_eq!(render(&seen, &picture, &mut on).unwrap().size, size);
    let mut mesh = with_defaults!(MakeMesh, cell: Some(0.1));
    mesh.limits.memory = Some(1_000_000);
    let refusal = make_mesh(&seen, &mesh, &mut on).unwrap_err();
    assert_eq!(refusal.code, "too_large");
    mesh.cell = refusal.details["cell"].as_f64();
    make_mesh(&seen, &mesh, &mut on).unwrap();
    mesh.cell = Some(0.02);
    mesh.limits.time = Some(0.05);
    mesh.limits.memory = None;
    let begun = std::time::Instant::now();
    let refusal = make_mesh(&seen, &mesh, &mut on).unwrap_err();
    assert_eq!(refusal.code, "timed_out");
    // It took as long as allowed and not for ever; other work on the machine may slow it down.
    assert!(begun.elapsed().as_secs_f64() < 10.0);
    assert!(refusal.details["done"].as_f64().unwrap() < 1.0, "{refusal}");
}
