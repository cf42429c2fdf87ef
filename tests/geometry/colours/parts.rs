//! Colours of parts that are kept apart, and of meshes that are simplified.

use fibula::format::mesh::MeshFormat;
use fibula::geometry::picture::SURFACE;
use fibula::service::{
    GetStructure, MakeMesh, PartsMade, Service, Simplify, Subject, make_mesh, make_parts,
};
use serde_json::{Value as Json, json};

use super::{seen, service};
use crate::calls::{apply, on};

const FEWER: Option<Simplify> = Some(Simplify {
    tolerance: Some(0.5),
    triangles: None,
});

/// A ball that is built twice, once mirrored, a box of the same colours, and a box without one.
fn built() -> Service {
    let service = service("color = vec3(x / 10 + 0.5, y / 10 + 0.5, 0.25); heat = x");
    let structure = service.get_structure(&GetStructure::default()).unwrap();
    let ball = structure.build_items[0].object_id;
    let mut resources = structure.resources.iter();
    let volume = resources.find(|one| one.kind == "volume data");
    let volume = volume.unwrap().resource_id;
    let edits = json!([
        {"create_build_item": {"object_id": ball, "transform": [-1, 0, 0, 0, 1, 0, 0, 0, 1, 40, 0, 0]}},
        {"set_mesh": {"bounds": [[0, 0, 0], [4, 3, 2]], "alias": "$box"}},
        {"modify_object": {"resource_id": "$box", "volume_id": volume}},
        {"create_build_item": {"object_id": "$box"}},
        {"set_mesh": {"bounds": [[9, 0, 0], [10, 3, 2]], "alias": "$bare"}},
        {"create_build_item": {"object_id": "$bare"}},
    ]);
    apply(&service, edits).unwrap_or_else(|refusal| panic!("{refusal}"));
    service
}

fn made(plain: bool, simplify: Option<Simplify>) -> PartsMade {
    let subject = with_defaults!(Subject, plain);
    let seen = built().resolve_parts(None, None, &subject, false).unwrap();
    let request = with_defaults!(MakeMesh, cell: Some(1.0), simplify);
    make_parts(seen, &request, &mut on).unwrap()
}

/// The numbers of each vertex of the OBJ file: where it is, and its red, green and blue.
fn vertices(parts: &PartsMade) -> Vec<Vec<f64>> {
    let mut file = Vec::new();
    parts.write(MeshFormat::Obj, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
    lines.map(numbers).collect()
}

/// The head of the glTF file.
fn head(parts: &PartsMade) -> Json {
    let mut file = Vec::new();
    parts.write(MeshFormat::Glb, &mut file).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let head: Json = serde_json::from_slice(&file[20..20 + length]).unwrap();
    let bytes = head["buffers"][0]["byteLength"].as_u64().unwrap();
    assert_eq!(file.len() as u64, 28 + length as u64 + bytes);
    head
}

fn srgb(light: f64) -> f64 {
    let light = light.clamp(0.0, 1.0);
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

#[test]
fn parts_keep_their_colours_where_they_are_placed_and_simplified() {
    let (whole, fewer) = (made(false, None), made(false, FEWER));
    assert!(fewer.info.triangles < whole.info.triangles / 2);
    for parts in [&whole, &fewer] {
        let counts: Vec<usize> = parts.info.parts.iter().map(|p| p.mesh.vertices).collect();
        let [ball, boxed, bare] = counts[..] else {
            panic!("three parts: {counts:?}");
        };
        let found = vertices(parts);
        assert_eq!(found.len(), 2 * ball + boxed + bare);
        for (number, vertex) in found.into_iter().enumerate() {
            let (x, y) = (vertex[0], vertex[1]);
            // The colour is that of the place in the part, also in the mirror image.
            let is_mirrored = (ball..2 * ball).contains(&number);
            let x = if is_mirrored { 40.0 - x } else { x };
            let expected = if number < 2 * ball + boxed {
                [x / 10.0 + 0.5, y / 10.0 + 0.5, 0.25]
            } else {
                SURFACE.map(f64::from)
            };
            for (found, light) in vertex[3..].iter().zip(expected) {
                assert!((found - srgb(light)).abs() < 1e-4, "{number}: {vertex:?}");
            }
            assert_eq!(vertex.len(), 6);
        }
    }
}

#[test]
fn each_mesh_of_a_gltf_file_has_its_colours() {
    let fewer = made(false, FEWER);
    let glb = head(&fewer);
    let meshes = glb["meshes"].as_array().unwrap();
    // The ball has two nodes.
    let nodes = glb["nodes"].as_array().unwrap();
    assert_eq!((meshes.len(), nodes.len()), (3, 4));
    let mut end = 0;
    for (mesh, part) in meshes.iter().zip(&fewer.info.parts) {
        let primitive = &mesh["primitives"][0];
        assert_eq!(primitive["material"], 0);
        let attributes = &primitive["attributes"];
        for (accessor, bytes, count) in [
            (&primitive["indices"], 4, 3 * part.mesh.triangles),
            (&attributes["POSITION"], 12, part.mesh.vertices),
            (&attributes["COLOR_0"], 16, part.mesh.vertices),
        ] {
            let accessor = &glb["accessors"][accessor.as_u64().unwrap() as usize];
            let view = accessor["bufferView"].as_u64().unwrap() as usize;
            let view = &glb["bufferViews"][view];
            assert_eq!(accessor["count"], count);
            assert_eq!(view["byteOffset"], end);
            assert_eq!(view["byteLength"], bytes * count);
            end += bytes * count;
        }
    }
    assert_eq!(glb["buffers"][0]["byteLength"], end);
}

#[test]
fn files_of_triangles_and_pieces_have_colours_unless_they_are_plain() {
    let fewer = made(false, FEWER);
    let mut together = Vec::new();
    fewer.write(MeshFormat::Ply, &mut together).unwrap();
    let mut piece = Vec::new();
    let seen = built().resolve_parts(None, None, &Subject::default(), false);
    let pieces = seen.unwrap().pieces();
    fewer
        .write_piece(&pieces[2], MeshFormat::Ply, &mut piece)
        .unwrap();
    for file in [together, piece] {
        let red = b"property uchar red\n";
        assert!(file.windows(red.len()).any(|some| some == red));
    }
    let plain = made(true, None);
    assert!(head(&plain)["materials"].is_null());
    assert!(vertices(&plain).iter().all(|vertex| vertex.len() == 3));
}

#[test]
fn one_mesh_keeps_its_colours_where_it_is_simplified() {
    let seen = seen(&built(), &Subject::default()).unwrap();
    let mut request = with_defaults!(MakeMesh, cell: Some(1.0));
    let whole = make_mesh(&seen, &request, &mut on).unwrap();
    request.simplify = FEWER;
    let made = make_mesh(&seen, &request, &mut on).unwrap();
    assert!(made.mesh.vertices().len() < whole.mesh.vertices().len() / 2);
    let colors = made.colors.unwrap();
    assert_eq!(colors.len(), made.mesh.vertices().len());
    let told = whole.colors.unwrap();
    for (at, color) in made.mesh.vertices().iter().zip(colors) {
        let mut places = whole.mesh.vertices().iter();
        let before = places.position(|one| one == at).unwrap();
        assert_eq!(color, told[before]);
    }
}

#[test]
fn parts_take_no_longer_than_their_time() {
    let parts = built().resolve_parts(None, None, &Subject::default(), false);
    let mut request = with_defaults!(MakeMesh, cell: Some(0.01));
    request.limits.time = Some(1e-6);
    let refusal = make_parts(parts.unwrap(), &request, &mut on).unwrap_err();
    assert_eq!(refusal.code, "timed_out");
}
