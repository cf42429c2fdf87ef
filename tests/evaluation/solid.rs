//! Objects of the model as functions of space: level sets in their domains, meshes, assemblies, and what is none.

use std::sync::Arc;

use approx::assert_relative_eq;
use fibula::edit::Edit;
use fibula::eval::{EvalError, Solid, SolidError, Tape};
use fibula::expression;
use fibula::format::threemf::MeshData;
use fibula::graph::model::{Field, Transform};
use fibula::graph::{ContentHash, Document};
use fibula::oracle::{Ball, BeamLattice, Mesh};
use fibula_nodes::{PortSpec, ResourceId, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Adds a resource of the model.
fn add(document: &mut Document, id: u32, object: &Json) {
    let edit =
        json!({"model": {"set_resource": {"resource_id": id, "resource": {"object": object}}}});
    let edit: Edit = serde_json::from_value(edit).unwrap();
    edit.apply(document)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// The corners and triangles of a box, whose edges are along the axes.
fn box_of(low: [f64; 3], high: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let MeshData {
        vertices,
        triangles,
        ..
    } = MeshData::cuboid(low, high);
    (vertices, triangles)
}

/// Adds a mesh, which answers.
fn add_mesh(document: &mut Document, id: u32, vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) {
    let of = |choose: fn(f64, f64) -> f64| -> [f64; 3] {
        std::array::from_fn(|axis| vertices.iter().map(|at| at[axis]).reduce(choose).unwrap())
    };
    let hash = ContentHash::digest(format!("{vertices:?}").as_bytes());
    let body = json!({"content": hash, "size": 4, "vertices": vertices.len(), "triangles": triangles.len(),
        "bounds": [of(f64::min), of(f64::max)]});
    let mesh = json!({"name": "mesh", "body": {"mesh": body}});
    add(document, id, &mesh);
    document.load(
        ResourceId(id),
        Arc::new(Mesh::new(vertices, triangles).unwrap()),
    );
}

fn solid(document: &Document, id: u32) -> Solid {
    Solid::new(document, ResourceId(id)).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(document: &Document, id: u32) -> SolidError {
    Solid::new(document, ResourceId(id)).expect_err("it is no solid")
}

/// A ball of radius 5 as function 1, and a box from -4 to 6 as mesh 2.
fn start() -> Document {
    let mut document = Document::default();
    expression::add_function(&mut document, "Ball", "length(pos) - 5").unwrap();
    let (vertices, triangles) = box_of([-4.0; 3], [6.0; 3]);
    add_mesh(&mut document, 2, vertices, triangles);
    document
}

fn level_set(field: &Json, more: &Json) -> Json {
    let mut body = json!({"mesh": 2, "field": field});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({"name": "part", "body": {"level_set": body}})
}

/// The level set of function 1 in its mesh.
fn ball() -> Json {
    level_set(&json!({"function_id": 1, "channel": "shape"}), &json!({}))
}

#[test]
fn a_level_set_is_its_function_within_its_domain() {
    let mut document = start();
    add(&mut document, 3, &ball());
    let part = solid(&document, 3);
    assert_eq!(part.extent, [[-4.0; 3], [6.0; 3]]);
    // Inside, outside of the ball, and inside of the ball but outside of the box.
    assert_relative_eq!(part.tape.at([1.0, 0.0, 0.0])[0], -4.0);
    assert_relative_eq!(part.tape.at([5.5, 0.0, 0.0])[0], 0.5);
    assert_relative_eq!(part.tape.at([-4.5, 0.0, 0.0])[0], 0.5);
    // No triangle is asked for a box.
    assert_eq!(part.tape.oracles().len(), 0);
}

#[test]
fn a_field_is_asked_where_its_transform_leads_and_has_a_value_everywhere() {
    let mut document = start();
    expression::add_function(&mut document, "Root", "sqrt(pos.x) - 1").unwrap();
    // The object's (x, y, z) is (2 x + 1, y, z) for the function.
    let field = |id: u32| {
        json!({"function_id": id, "channel": "shape", "fallback_value": 7.5,
        "transform": [2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]})
    };
    let boxed = level_set(&field(1), &json!({"mesh_bbox_only": true}));
    add(&mut document, 4, &boxed);
    assert_relative_eq!(solid(&document, 4).tape.at([-2.0, 0.0, 0.0])[0], -2.0);
    let root = ResourceId(3);
    add(&mut document, 5, &level_set(&field(3), &json!({})));
    let root = Field {
        fallback_value: 7.5,
        ..Field::new(root, "shape")
    };
    let root = Tape::field(&document, &root).unwrap();
    assert_relative_eq!(root.at([4.0, 0.0, 0.0])[0], 1.0);
    assert_relative_eq!(root.at([-4.0, 0.0, 0.0])[0], 7.5);
    let part = solid(&document, 5).tape;
    assert_relative_eq!(part.at([-2.0, 0.0, 0.0])[0], 7.5);
    assert_relative_eq!(part.at([-0.5, 0.0, 0.0])[0], -1.0);
}

#[test]
fn a_domain_is_a_mesh_or_the_box_around_it() {
    let mut document = start();
    // A pyramid over the box's floor: the corner (6, 6, 6) is outside of it.
    let vertices = vec![
        [-4.0; 3],
        [6.0, -4.0, -4.0],
        [-4.0, 6.0, -4.0],
        [-4.0, -4.0, 6.0],
    ];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    add_mesh(&mut document, 3, vertices, triangles);
    for (id, whole_box, inside) in [(4, false, false), (5, true, true)] {
        let field = json!({"function_id": 1, "channel": "shape"});
        let domain = json!({"mesh": 3, "mesh_bbox_only": whole_box});
        add(&mut document, id, &level_set(&field, &domain));
        let part = solid(&document, id);
        assert_eq!(part.tape.at([2.0, 2.0, 2.0])[0] < 0.0, inside);
        assert!(part.tape.at([-1.0, -1.0, -1.0])[0] < 0.0);
        assert_eq!(part.tape.oracles().len(), usize::from(!whole_box));
    }
}

#[test]
fn an_assembly_is_its_parts_where_they_are_placed() {
    let mut document = start();
    add(&mut document, 3, &ball());
    let shifted = |object: u32, x: f64| json!({"object": object, "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0]});
    // A quarter turn about z, to twice the size.
    let turned = json!({"object": 2, "transform": [0, 2, 0, -2, 0, 0, 0, 0, 2, 0, 0, 100]});
    let parts = json!({"body": {"components": [shifted(3, 20.0), turned]}});
    add(&mut document, 4, &parts);
    let parts = json!({"body": {"components": [shifted(4, 1000.0), shifted(3, 0.0)]}});
    add(&mut document, 5, &parts);
    let all = solid(&document, 5);
    assert_eq!(all.extent, [[-4.0, -8.0, -4.0], [1026.0, 12.0, 112.0]]);
    for (at, inside) in [
        ([0.0, 0.0, 0.0], true),
        ([1020.0, 0.0, 0.0], true),
        ([1026.0, 5.9, 5.9], false),
        ([20.0, 0.0, 0.0], false),
        ([1000.0 - 11.9, 11.9, 111.9], true),
        ([1000.0 + 7.9, -7.9, 92.1], true),
        ([1000.0 + 8.1, -7.9, 92.1], false),
    ] {
        assert_eq!(all.tape.at(at)[0] < 0.0, inside, "{at:?}");
    }
    let [ball, id] = [3, 2].map(ResourceId);
    let there = Transform([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 50.0, 0.0]);
    let both = Solid::union(&document, &[(ball, Transform::IDENTITY), (id, there)]).unwrap();
    assert_eq!(both.extent, [[-4.0; 3], [6.0, 56.0, 6.0]]);
    assert!(both.tape.at([5.9, 55.9, 5.9])[0] < 0.0 && both.tape.at([5.9, 5.9, 5.9])[0] > 0.0);
}

#[test]
fn beams_belong_to_their_mesh() {
    let mut document = Document::default();
    let body = json!({"content": ContentHash::digest(b"balls"), "size": 4, "vertices": 2, "triangles": 0, "beams": 1});
    add(&mut document, 1, &json!({"body": {"mesh": body}}));
    let balls = [0, 1].map(|vertex| Ball {
        vertex,
        radius: 1.5,
    });
    let balls = BeamLattice::new(vec![[0.0; 3], [10.0, 0.0, 0.0]], &[], &balls).unwrap();
    document.load(ResourceId(1), Arc::new(balls));
    let part = solid(&document, 1);
    assert_relative_eq!(part.tape.at([10.0, 2.0, 0.0])[0], 0.5);
    assert_eq!(part.extent, [[-1.5; 3], [11.5, 1.5, 1.5]]);
}

#[test]
fn what_has_no_inside_is_told() {
    let mut document = start();
    let flat = json!({"object": 2, "transform": [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]});
    let mesh = |content: &[u8], triangles: u32| {
        let mesh = json!({"content": ContentHash::digest(content), "size": 4, "vertices": 3, "triangles": triangles});
        json!({"body": {"mesh": mesh}})
    };
    check_each! { add(&mut document);
        3 => &json!({"body": {"components": [flat]}});
        4 => &json!({"body": {"components": []}});
        5 => &mesh(b"lost", 1);
        6 => &mesh(b"", 0);
    }
    let told: Vec<String> = [3, 4, 5, 6, 1, 99]
        .into_iter()
        .map(|id| {
            let error = refused(&document, id);
            format!("{}: {error}", error.code())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    let refused = Solid::union(&document, &[]).unwrap_err();
    assert_eq!(refused, SolidError::Nothing);
}

#[test]
fn a_function_that_cannot_be_evaluated_names_its_level_set() {
    let mut document = Document::default();
    let edit = json!({"set_function": {"function_id": 1, "name": "F",
        "inputs": [{"name": "pos", "type": "float3"}], "outputs": [{"name": "shape", "type": "float"}]}});
    let edit: Edit = serde_json::from_value(edit).unwrap();
    edit.apply(&mut document).unwrap();
    let (vertices, triangles) = box_of([0.0; 3], [1.0; 3]);
    add_mesh(&mut document, 2, vertices, triangles);
    add(&mut document, 3, &ball());
    let error = refused(&document, 3);
    assert_eq!(error.code(), "missing_input");
    assert_starts!(error.to_string() => "level set 3 'part': ");
}

#[test]
fn assemblies_within_assemblies_are_counted() {
    let mut document = start();
    let twice =
        |object: u32| json!({"body": {"components": [{"object": object}, {"object": object}]}});
    for id in 3..40 {
        add(&mut document, id, &twice(id - 1));
    }
    assert!(solid(&document, 12).tape.at([0.0; 3])[0] < 0.0);
    assert_eq!(refused(&document, 39), SolidError::TooManyParts);
}

#[test]
fn only_whole_boxes_are_boxes() {
    let upright = |(vertices, triangles)| {
        let mesh = Mesh::new(vertices, triangles).unwrap();
        fibula::graph::Content::axis_aligned_box(&mesh)
    };
    let (vertices, triangles) = box_of([1.0, 2.0, 3.0], [2.0, 5.0, 4.0]);
    let turned = upright((vertices.clone(), triangles.clone()));
    assert_eq!(turned, Some([[1.0, 2.0, 3.0], [2.0, 5.0, 4.0]]));
    let inside_out = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(upright((vertices.clone(), inside_out)), None);
    assert_eq!(upright((vertices.clone(), triangles[1..].to_vec())), None);
    let mut moved = vertices.clone();
    moved[7] = [1.9, 5.0, 4.0];
    assert_eq!(upright((moved, triangles.clone())), None);
    // A tenth of a turn about x.
    let (sin, cos) = 0.6_f64.sin_cos();
    let turned = vertices
        .iter()
        .map(|&[x, y, z]| [x, cos * y - sin * z, sin * y + cos * z])
        .collect();
    assert_eq!(upright((turned, triangles)), None);
}

#[test]
fn a_function_of_space_has_its_other_inputs_fixed() {
    let mut document = Document::default();
    let text = "length(pos) * scale - radius";
    let id = expression::add_function(&mut document, "Ball", text).unwrap();
    let inputs = document.function(id).unwrap().inputs();
    let place = |name: &str| inputs.iter().position(|input| input.name == name).unwrap();
    let value = |input: &PortSpec| match input.name.as_str() {
        "scale" => Some(Value::Float(3.0)),
        "radius" => Some(Value::Float(5.0)),
        _ => None,
    };
    let others: Vec<Value> = inputs.iter().filter_map(value).collect();
    let at = |position, others: &[Value], output| {
        let tape = Tape::in_space(&document, id, position, others, &[output])?;
        Ok::<_, EvalError>(tape.at([0.0, 4.0, 3.0]))
    };
    assert_eq!(at(place("pos"), &others, 0), Ok(vec![10.0]));
    // No point, a value too few, and no such output.
    assert!(at(place("scale"), &others, 0).is_err());
    assert!(at(place("pos"), &others[1..], 0).is_err());
    assert!(at(place("pos"), &others, 1).is_err());
    // Three floats are a point too.
    let id = expression::add_function(&mut document, "Sum", "x + 10 * y + 100 * z").unwrap();
    let sum = Tape::in_space(&document, id, 0, &[], &[0, 0]).unwrap();
    assert_eq!(sum.at([1.0, 2.0, 3.0]), [321.0, 321.0]);
}

proptest! {
    /// There and back is where it was, and two maps in turn are one.
    #[test]
    fn transforms_have_inverses(
        numbers in proptest::array::uniform12(-3.0..3.0_f64),
        more in proptest::array::uniform12(-3.0..3.0_f64),
        at in proptest::array::uniform3(-10.0..10.0_f64),
    ) {
        let (first, second) = (Transform(numbers), Transform(more));
        let [x, y, z] = first.then(&second).apply(at);
        let expected = second.apply(first.apply(at));
        for (got, expected) in [x, y, z].into_iter().zip(expected) {
            prop_assert!((got - expected).abs() < 1e-9);
        }
        prop_assume!(first.determinant().abs() > 0.1);
        let back = first.inverse().unwrap().apply(first.apply(at));
        for (got, expected) in back.into_iter().zip(at) {
            prop_assert!((got - expected).abs() < 1e-8, "{back:?}");
        }
    }
}
