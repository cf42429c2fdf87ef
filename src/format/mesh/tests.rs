//! What is written is read again, and what is broken is refused with its place.

use super::*;

const VERTICES: [[f64; 3]; 5] = [
    [0.0, 0.0, -0.0],
    [1.25, 0.0, 0.0],
    [0.0, 1.1, 0.0],
    [0.5, 0.25, 1e-3],
    [7.0, 8.0, 9.0],
];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn written(format: Format) -> Vec<u8> {
    let mut file = Vec::new();
    write(format, &VERTICES, &TRIANGLES, 0.001, &mut file).unwrap();
    file
}

fn refused(file: &[u8]) -> String {
    read(file, &Limits::default()).unwrap_err().to_string()
}

/// The corners of the triangles, whatever their numbers.
fn corners(triangles: &Triangles) -> Vec<[[f64; 3]; 3]> {
    let at = |&corner: &u32| triangles.vertices[corner as usize];
    let corners = triangles.triangles.iter();
    corners.map(|t| [at(&t[0]), at(&t[1]), at(&t[2])]).collect()
}

fn as_given(rounded: bool) -> Vec<[[f64; 3]; 3]> {
    let vertices =
        VERTICES.map(|at| at.map(|x| if rounded { f64::from(x as f32) } else { x } + 0.0));
    let triangles = TRIANGLES.to_vec();
    corners(&Triangles {
        vertices: vertices.to_vec(),
        triangles,
        left_out: 0,
    })
}

#[test]
fn stl_comes_back_in_single_precision_with_shared_corners() {
    let file = written(Format::Stl);
    assert_eq!(file.len(), 84 + 4 * 50);
    let found = read(&file, &Limits::default()).unwrap();
    assert_eq!(found.vertices.len(), 4);
    assert_eq!(corners(&found), as_given(true));
    // The normal of the first triangle.
    let normal: Vec<u8> = [0.0_f32, 0.0, -1.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    assert_eq!(file[84 + 8..84 + 12], normal[8..]);
}

#[test]
fn obj_comes_back_as_it_was() {
    let found = read(&written(Format::Obj), &Limits::default()).unwrap();
    assert_eq!(found.vertices, VERTICES);
    assert_eq!(found.triangles, TRIANGLES);
}

#[test]
fn ply_is_written_as_its_head_says() {
    let file = written(Format::Ply);
    let end = b"end_header\n";
    let start = file
        .windows(end.len())
        .position(|part| part == end)
        .unwrap()
        + end.len();
    let head = std::str::from_utf8(&file[..start]).unwrap();
    assert!(head.contains("element vertex 5\n") && head.contains("element face 4\n"));
    assert_eq!(file.len(), start + 5 * 24 + 4 * 13);
    assert_eq!(file[start + 24..start + 32], 1.25_f64.to_le_bytes());
    assert_eq!(file[start + 120..start + 125], [3, 0, 0, 0, 0]);
    assert_eq!(file[start + 125..start + 129], 2_u32.to_le_bytes());
}

#[test]
fn gltf_is_written_as_its_head_says() {
    let file = written(Format::Glb);
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&file[..4], b"glTF");
    assert_eq!((number(4), number(8)), (2, file.len()));
    assert_eq!(&file[16..20], b"JSON");
    let start = 20 + number(12);
    let head: serde_json::Value = serde_json::from_slice(&file[20..start]).unwrap();
    assert_eq!(&file[start + 4..start + 8], b"BIN\0");
    let bytes = head["buffers"][0]["byteLength"].as_u64().unwrap() as usize;
    assert_eq!((number(start), file.len()), (bytes, start + 8 + bytes));
    assert_eq!(bytes, 4 * 12 + 5 * 12);
    assert_eq!(
        head["accessors"][1]["max"],
        serde_json::json!([7.0, 8.0, 9.0])
    );
    assert_eq!(head["nodes"][0]["matrix"][6], -0.001);
    let view = &head["bufferViews"][1]["byteOffset"];
    let at = start + 8 + view.as_u64().unwrap() as usize + 12;
    assert_eq!(file[at..at + 4], 1.25_f32.to_le_bytes());
    let mut empty = Vec::new();
    write(Format::Glb, &[], &[], 1.0, &mut empty).unwrap();
    assert_eq!(empty.len() % 4, 0);
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    for format in [Format::Stl, Format::Glb] {
        let far = [[1e300; 3], [0.0; 3], [1.0; 3]];
        let error = write(format, &far, &[[0, 1, 2]], 1.0, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
    assert_eq!(Format::named("STL"), Some(Format::Stl));
    assert_eq!(Format::named("step"), None);
}

const TEXT: &str = "solid part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  \
    endloop\n endfacet\nFACET NORMAL 0 0 0\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX -0 0 0\nVERTEX 0 0 1\nENDLOOP\nENDFACET\n\
    endsolid part\n";

#[test]
fn stl_as_text_is_read() {
    let found = read(TEXT.as_bytes(), &Limits::default()).unwrap();
    assert_eq!((found.triangles.len(), found.left_out), (1, 1));
    assert_eq!(format!("{:?}", found.vertices[2]), "[0.0, 1.0, 0.0]");
    assert_eq!(
        refused(TEXT.replace("1e0", "one").as_bytes()),
        "line 6: 'one' is no finite number"
    );
    assert_eq!(
        refused(TEXT.replacen("   vertex 1 0 0\n", "", 1).as_bytes()),
        "line 7: ' endfacet' is here, where 'vertex' with three numbers is to come"
    );
    assert_eq!(
        refused(&TEXT.as_bytes()[..60]),
        "line 4: the file ends within a triangle, where 'vertex' with three numbers is to come"
    );
    let few = Limits {
        triangles: 1,
        ..Limits::default()
    };
    assert_eq!(read(TEXT.as_bytes(), &few).unwrap_err().code(), "too_large");
}

#[test]
fn stl_that_is_broken_is_refused() {
    let mut file = written(Format::Stl);
    assert_eq!(
        refused(&file[..200]),
        "byte 200: the file says that it has 4 triangles, and ends within triangle 3, counted from 1"
    );
    file[84 + 50 + 12 + 8..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(refused(&file), "byte 154: 'NaN' is no finite number");
    // A binary file may begin as a text does.
    let mut file = written(Format::Stl);
    file[..5].copy_from_slice(b"solid");
    assert_eq!(read(&file, &Limits::default()).unwrap().triangles.len(), 4);
}

#[test]
fn obj_of_others_is_read() {
    let text = "# quads\r\nmtllib a.mtl\r\no part\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nvn 0 0 1\n\
        f 1//1 2//1 \\\n3//1 4//1 # a square\nf -4/1/1 -2/1/1 -1/1/1\nf 1 1 2\n";
    let found = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(found.triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 3]]);
    assert_eq!(found.left_out, 1);
    for (text, expected) in [
        ("v 0 0\nf 1 1 1\n", "line 1: '' is no finite number"),
        (
            "v 0 0 0\nf 1 2 3\n",
            "line 2: the face has vertex 2, and there are 1 vertices above, counted from 1",
        ),
        (
            "v 0 0 0\nf 0 1 1\n",
            "line 2: the face has vertex 0, and there are 1 vertices above, counted from 1",
        ),
        (
            "v 0 0 0\nf 1 1\n",
            "line 2: the face has 2 corners, and a face has three or more",
        ),
        (
            "hello\n",
            "line 1: this is no STL and no OBJ file: it has no triangles",
        ),
        ("v 0 0 inf\n", "line 1: 'inf' is no finite number"),
        (
            "a\0",
            "line 1: this is no text, so the file is no OBJ; and its length is not that of a binary STL",
        ),
    ] {
        assert_eq!(refused(text.as_bytes()), expected);
    }
    let few = Limits {
        vertices: 3,
        ..Limits::default()
    };
    assert_eq!(read(text.as_bytes(), &few).unwrap_err().code(), "too_large");
}
