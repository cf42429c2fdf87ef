//! Round trips, file layouts, and errors with their positions.

use super::write::IDENTITY;
use super::*;

const VERTICES: [[f64; 3]; 5] = [
    [0.0, 0.0, -0.0],
    [1.25, 0.0, 0.0],
    [0.0, 1.1, 0.0],
    [0.5, 0.25, 1e-3],
    [7.0, 8.0, 9.0],
];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn written(format: MeshFormat) -> Vec<u8> {
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

#[test]
fn stl_comes_back_in_single_precision_with_shared_corners() {
    let file = written(MeshFormat::Stl);
    assert_eq!(file.len(), 84 + 4 * 50);
    let found = read(&file, &Limits::default()).unwrap();
    assert_eq!(found.vertices.len(), 4);
    let rounded = Triangles {
        vertices: VERTICES
            .map(|at| at.map(|x| f64::from(x as f32) + 0.0))
            .to_vec(),
        triangles: TRIANGLES.to_vec(),
        ..Triangles::new(MeshFormat::Stl)
    };
    assert_eq!(corners(&found), corners(&rounded));
    // The normal of the first triangle is -z.
    assert_eq!(file[84 + 8..84 + 12], (-1.0_f32).to_le_bytes());
}

#[test]
fn obj_comes_back_as_it_was() {
    let found = read(&written(MeshFormat::Obj), &Limits::default()).unwrap();
    assert_eq!(found.vertices, VERTICES);
    assert_eq!(found.triangles, TRIANGLES);
}

#[test]
fn ply_is_written_as_its_head_says() {
    let file = written(MeshFormat::Ply);
    let end = b"end_header\n";
    let mut starts = file.windows(end.len());
    let start = starts.position(|part| part == end).unwrap() + end.len();
    let head = std::str::from_utf8(&file[..start]).unwrap();
    assert!(head.contains("element vertex 5\n") && head.contains("element face 4\n"));
    assert_eq!(file.len(), start + 5 * 24 + 4 * 13);
    assert_eq!(file[start + 24..start + 32], 1.25_f64.to_le_bytes());
    assert_eq!(file[start + 120..start + 125], [3, 0, 0, 0, 0]);
    assert_eq!(file[start + 125..start + 129], 2_u32.to_le_bytes());
}

#[test]
fn gltf_is_written_as_its_head_says() {
    let file = written(MeshFormat::Glb);
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&file[..4], b"glTF");
    assert_eq!((number(4), number(8)), (2, file.len()));
    assert_eq!(&file[16..20], b"JSON");
    let start = 20 + number(12);
    let head = head(&file);
    assert_eq!(&file[start + 4..start + 8], b"BIN\0");
    let bytes = head["buffers"][0]["byteLength"].as_u64().unwrap() as usize;
    assert_eq!((number(start), file.len()), (bytes, start + 8 + bytes));
    assert_eq!(bytes, 4 * 12 + 5 * 12);
    assert_eq!(numbers(&head["accessors"][1]["max"]), [7.0, 8.0, 9.0]);
    assert_eq!(head["nodes"][0]["matrix"][6], -0.001);
    let view = &head["bufferViews"][1]["byteOffset"];
    let at = start + 8 + view.as_u64().unwrap() as usize + 12;
    assert_eq!(file[at..at + 4], 1.25_f32.to_le_bytes());
    let mut empty = Vec::new();
    write(MeshFormat::Glb, &[], &[], 1.0, &mut empty).unwrap();
    assert_eq!(empty.len() % 4, 0);
}

#[test]
fn invalid_meshes_are_refused() {
    for format in [MeshFormat::Stl, MeshFormat::Glb] {
        let far = [[1e300; 3], [0.0; 3], [1.0; 3]];
        let error = write(format, &far, &[[0, 1, 2]], 1.0, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
    for format in MeshFormat::ALL {
        let refused = |vertices: &[[f64; 3]], triangle: [u32; 3]| {
            let written = write(format, vertices, &[triangle], 1.0, &mut Vec::new());
            assert_eq!(written.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        };
        refused(&[[0.0; 3], [f64::NAN; 3], [1.0; 3]], [0, 1, 2]);
        refused(&VERTICES, [0, 1, 5]);
    }
    for format in [MeshFormat::Obj, MeshFormat::Glb] {
        let mut transform = IDENTITY;
        transform[0] = 1e308;
        let part = MeshPart {
            transform,
            ..part("far", &VERTICES)
        };
        let written = write_parts(format, &[part], 1e3, &mut Vec::new());
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
    assert_eq!(MeshFormat::named("STL"), Some(MeshFormat::Stl));
    assert_eq!(MeshFormat::named("step"), None);
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
        "line 6: 'one' is not a finite number"
    );
    assert_eq!(
        refused(TEXT.replacen("   vertex 1 0 0\n", "", 1).as_bytes()),
        "line 7: expected 'vertex' with three numbers, but found ' endfacet'"
    );
    assert_eq!(
        refused(&TEXT.as_bytes()[..60]),
        "line 4: the file ends within a triangle; expected 'vertex' with three numbers"
    );
    let few = Limits {
        triangles: 1,
        ..Limits::default()
    };
    assert_eq!(read(TEXT.as_bytes(), &few).unwrap_err().code(), "too_large");
}

#[test]
fn stl_that_is_broken_is_refused() {
    let mut file = written(MeshFormat::Stl);
    assert_eq!(
        refused(&file[..200]),
        "byte 200: the file declares 4 triangles, but ends within triangle 3, counted from 1"
    );
    file[84 + 50 + 12 + 8..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(refused(&file), "byte 154: 'NaN' is not a finite number");
    // A binary file may begin as a text does.
    let mut file = written(MeshFormat::Stl);
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
    // Lines end with semicolons.
    let cases = "\
        v 0 0;f 1 1 1; | line 1: '' is not a finite number
        v 0 0 0;f 1 2 3; | line 2: the face refers to vertex 2, but there are 1 vertices before it, counted from 1
        v 0 0 0;f 0 1 1; | line 2: the face refers to vertex 0, but there are 1 vertices before it, counted from 1
        v 0 0 0;f 1 1; | line 2: the face has 2 corners, but needs at least three
        hello; | line 1: this is no STL and no OBJ file, or has no triangles
        v 0 0 inf; | line 1: 'inf' is not a finite number
        a\0 | line 1: not a mesh file: it is not text, as OBJ is, and its length is not that of a binary STL";
    for case in cases.lines() {
        let (text, expected) = case.trim_start().split_once(" | ").unwrap();
        assert_eq!(refused(text.replace(';', "\n").as_bytes()), expected);
    }
    let few = Limits {
        vertices: 3,
        ..Limits::default()
    };
    assert_eq!(read(text.as_bytes(), &few).unwrap_err().code(), "too_large");
}

#[test]
fn comments_of_obj_end_with_their_lines() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for text in [
        format!("# from C:\\parts\\\n{vertices}f 1 2 3\n"),
        format!("{vertices}f 1 \\ # goes on\n2 3 # the last \\"),
        // What would go on behind the end is a line.
        format!("{vertices}f 1 2 3 \\"),
        format!("{vertices}f 1 2 3 \\\n"),
    ] {
        let found = read(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(found.vertices.len(), 3, "{text}");
        assert_eq!(found.triangles, [[0, 1, 2]], "{text}");
    }
}

#[test]
fn texts_may_begin_with_a_byte_order_mark() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (text, format) in [(obj, MeshFormat::Obj), (TEXT, MeshFormat::Stl)] {
        let marked = ["\u{FEFF}", text].concat();
        assert_eq!(format_of(marked.as_bytes()), Some(format));
        let found = read(marked.as_bytes(), &Limits::default());
        assert_eq!(found, read(text.as_bytes(), &Limits::default()));
        assert_eq!(found.unwrap().format, format);
    }
    // The head of a binary file is not looked at, and all of its bytes count.
    let mut file = written(MeshFormat::Stl);
    file[..3].copy_from_slice("\u{FEFF}".as_bytes());
    assert_eq!(read(&file, &Limits::default()).unwrap().triangles.len(), 4);
}

#[test]
fn first_bytes_and_the_length_say_what_a_file_is() {
    let file = written(MeshFormat::Stl);
    let length = file.len() as u64;
    assert_eq!(format_of(&file), Some(MeshFormat::Stl));
    assert_eq!(format_of_start(&file[..100], length), Some(MeshFormat::Stl));
    assert_eq!(format_of_start(&file[..100], length + 1), None);
    assert_eq!(format_of(&file[..100]), None);
    let file = written(MeshFormat::Obj);
    assert_eq!(format_of_start(&file[..60], 1 << 40), Some(MeshFormat::Obj));
    // What is read says what it was read as, also where something follows.
    let mut file = written(MeshFormat::Stl);
    file.extend([0; 7]);
    let found = read(&file, &Limits::default()).unwrap();
    assert_eq!((found.format, found.triangles.len()), (MeshFormat::Stl, 4));
}

#[test]
fn files_without_triangles_are_refused_whatever_their_format() {
    let mut empty = Vec::new();
    write(MeshFormat::Stl, &[], &[], 1.0, &mut empty).unwrap();
    for (file, place) in [
        (&empty[..], "byte 0"),
        (b"solid a\nendsolid a\n", "line 1"),
        (b"v 0 0 0\n", "line 1"),
    ] {
        let expected = format!("{place}: this is no STL and no OBJ file, or has no triangles");
        assert_eq!(refused(file), expected);
    }
}

fn part<'a>(name: &'a str, vertices: &'a [[f64; 3]]) -> MeshPart<'a> {
    MeshPart {
        name,
        vertices,
        triangles: &TRIANGLES,
        colors: None,
        transform: IDENTITY,
    }
}

#[test]
fn names_of_parts_are_escaped() {
    for name in ["lid\\", "#1", "lid\nv", "a\\#"] {
        let mut file = Vec::new();
        let parts = [part(name, &VERTICES), part("other", &VERTICES)];
        write_parts(MeshFormat::Obj, &parts, 1.0, &mut file).unwrap();
        let found = read(&file, &Limits::default()).unwrap();
        assert_eq!(found.vertices.len(), 10, "{name}");
        assert_eq!(found.triangles.len(), 8, "{name}");
        let text = String::from_utf8(file).unwrap();
        let kept: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let line = format!("o {}", kept.replace("lidv", "lid v"));
        let mut lines = text.lines();
        assert!(lines.any(|one| one.trim_end() == line.trim_end()), "{text}");
    }
}

/// The head of a glTF file.
fn head(file: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

fn numbers(list: &serde_json::Value) -> Vec<f64> {
    let numbers = list.as_array().unwrap().iter();
    numbers.map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn sheared_parts_of_gltf_are_transformed() {
    // Turned, mirrored and of another size along each axis: what a node may say.
    let (s, c) = 0.7_f64.sin_cos();
    let rows = [
        [2.0 * c, 2.0 * s, 0.0],
        [3.0 * s, -3.0 * c, 0.0],
        [0.0, 0.0, 0.5],
    ];
    let mut turned = [1.0, 2.0, 3.0].repeat(4);
    turned[..9].copy_from_slice(rows.as_flattened());
    let mut sheared = IDENTITY;
    // x leans to z, and y is turned round.
    (sheared[2], sheared[4], sheared[9]) = (0.25, -1.0, 10.0);
    let placed = |transform| MeshPart {
        transform,
        ..part("a", &VERTICES)
    };
    let mut file = Vec::new();
    let parts = [
        placed(turned.try_into().unwrap()),
        placed(sheared),
        placed(IDENTITY),
    ];
    write_parts(MeshFormat::Glb, &parts, 0.5, &mut file).unwrap();
    let head = head(&file);
    let meshes = [0, 1, 2].map(|node| head["nodes"][node]["mesh"].as_u64().unwrap());
    assert_eq!(meshes, [0, 1, 0]);
    let matrix = |node: usize| numbers(&head["nodes"][node]["matrix"]);
    assert_eq!(matrix(0)[..3], [c, 0.0, -s]);
    assert_eq!(matrix(1), matrix(2));
    // x + 10 goes from 10 to 17, y from -8 to 0, and z rises by a quarter of x.
    let [low, high] = ["min", "max"].map(|end| numbers(&head["accessors"][3][end]));
    assert_eq!(low[..], [10.0, -8.0, 0.0]);
    assert_eq!(high[..], [17.0, 0.0, 10.75]);
    // The mirror image goes round the other way.
    let bytes = &file[file.len() - head["buffers"][0]["byteLength"].as_u64().unwrap() as usize..];
    let view = |accessor: usize| {
        let view = head["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        head["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize
    };
    let corners = |accessor: usize| {
        let at = view(accessor);
        [0, 4, 8].map(|byte| u32::from_le_bytes(bytes[at + byte..][..4].try_into().unwrap()))
    };
    assert_eq!([corners(0), corners(2)], [[0, 2, 1], [0, 1, 2]]);
}
