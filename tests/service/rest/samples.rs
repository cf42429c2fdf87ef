//! Regions in answers, and files of values while they are made.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value as Json, json};

use super::{ball, encoded, send};
use crate::talk::Http;

const EVALUATE: &str = "/api/projects/p/functions/1/evaluate";
const SAMPLES: &str = "/api/projects/p/functions/1/samples";

/// Sends a request; the connection is closed after the answer.
fn begin(http: &Http, body: &Json) -> TcpStream {
    begin_any(http, "POST", SAMPLES, &body.to_string())
}

fn begin_any(http: &Http, method: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&http.address).expect("it listens");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        http.address,
        body.len()
    );
    stream
        .write_all((head + body).as_bytes())
        .expect("it reads");
    stream
}

/// The head of a file and its bytes; `None` in their place if they are not whole.
fn file(http: &Http, body: &Json) -> (String, Option<Vec<u8>>) {
    received(begin(http, body))
}

/// The head of a file and its bytes; `None` in their place if they are not whole.
fn received(mut stream: TcpStream) -> (String, Option<Vec<u8>>) {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, rest) = answer.split_at(end.expect("a head") + 4);
    let head = String::from_utf8(head.to_vec())
        .expect("a head is text")
        .to_lowercase();
    assert_contains!(head => "transfer-encoding: chunked");
    (head, whole(rest))
}

/// The bytes of a body in chunks, if its end is there.
fn whole(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
        let length = std::str::from_utf8(&rest[..end]).ok()?;
        let length = usize::from_str_radix(length, 16).ok()?;
        if length == 0 {
            return Some(bytes);
        }
        bytes.extend(rest.get(end + 2..end + 2 + length)?);
        rest = rest.get(end + 4 + length..)?;
    }
}

#[test]
fn regions_are_answered_whole() {
    let http = ball();
    let region = json!({ "from": [-8, 0, 0], "to": [8, 0, 0], "counts": [1001, 1, 1] });
    let body = json!({ "region": region, "gradient": true, "bounds": true, "lipschitz": true });
    let answer = done!(http, "POST", EVALUATE, &body);
    let values = answer["values"]["shape"].as_array().expect("a list");
    assert_each_eq! {
        (values.len(), &values[0], &values[500]) => (1001, &json!(3.0), &json!(-5.0));
        answer["gradients"]["shape"]["pos"][1000] => json!([1.0, 0.0, 0.0]);
        answer["statistics"]["shape"]["min_at"] => json!([0.0, 0.0, 0.0]);
        answer["bounds"]["shape"]["undefined"] => false;
        answer["lipschitz"]["shape"]["may_jump"] => false;
    }
    assert!(answer.get("total").is_none() && answer.get("truncated").is_none());
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [1000, 1000, 1000] });
    refused!(http, "POST", EVALUATE, { "region": region } => 413, "too_large");
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "count": 2 });
    let refusal =
        refused!(http, "POST", EVALUATE, { "region": region } => 400, "invalid_arguments");
    let message = refusal["message"].as_str();
    assert!(message.unwrap().contains("count"), "{refusal}");
}

#[test]
fn values_are_sent_as_files() {
    let http = ball();
    let region = json!({ "from": [0, 0, 0], "to": [0, 0, 10], "counts": [1, 1, 3] });
    let (head, text) = file(&http, &json!({ "region": region, "format": "csv" }));
    assert_starts!(head => "http/1.1 200");
    assert_contains!(head => "content-type: text/csv");
    assert_contains!(head => "content-disposition: attachment; filename=\"values.csv\"");
    assert_contains!(head => "x-content-type-options: nosniff");
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let expected = "pos.x,pos.y,pos.z,shape\n0.0,0.0,0.0,-5.0\n0.0,0.0,5.0,0.0\n0.0,0.0,10.0,5.0\n";
    assert_eq!(text.as_deref(), Some(expected));
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [100, 100, 100] });
    let (head, array) = file(
        &http,
        &json!({ "region": region, "format": "npy", "precision": "f32" }),
    );
    assert_contains!(head => "content-type: application/octet-stream");
    let array = array.expect("it is whole");
    assert!(array.starts_with(b"\x93NUMPY"));
    assert_eq!(array.len(), 128 + 4_000_000);
    let list = json!([{ "pos": [8, 0, 0] }, { "pos": [0, 3, 4] }]);
    let (_, raw) = file(&http, &json!({ "arguments": list, "format": "f64" }));
    assert_eq!(raw, Some([3.0_f64, 0.0].map(f64::to_le_bytes).concat()));
}

#[test]
fn what_cannot_be_sent_is_refused_before_it_begins() {
    let http = ball();
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [100, 100, 100] });
    let check = |body: Json, status: u16, code: &str| {
        refused!(http, "POST", SAMPLES, &body => status, code);
    };
    check_each! { check;
        json!({ "region": region }) => 400, "invalid_arguments";
        json!({ "region": region, "format": "stl" }) => 400, "invalid_arguments";
        json!({ "region": region, "format": "csv", "precision": "f16" }) => 400, "invalid_arguments";
        json!({ "format": "csv" }) => 422, "missing_argument";
        json!({ "format": "csv", "arguments": [] }) => 400, "invalid_arguments";
        json!({ "region": region, "format": "csv", "outputs": ["x"] }) => 422, "unknown_output";
    }
    let large = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [100_000, 100_000, 100] });
    let csv = json!({ "region": large, "format": "csv" });
    check(csv, 413, "too_large");
    let nowhere = "/api/projects/p/functions/9/samples";
    refused!(http, "POST", nowhere, { "format": "csv" } => 404, "unknown_function");
}

/// Whoever goes away takes no place of those who come.
#[test]
fn a_reader_may_go_away() {
    let http = ball();
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [2000, 2000, 1000] });
    for _ in 0..64 {
        let mut stream = begin(&http, &json!({ "region": region, "format": "f64" }));
        let mut start = [0; 12];
        stream.read_exact(&mut start).expect("it begins");
        assert_eq!(&start, b"HTTP/1.1 200");
    }
    let region = json!({ "from": [0, 0, 0], "to": [1, 1, 1], "counts": [64, 64, 64] });
    let (_, raw) = file(&http, &json!({ "region": region, "format": "f64" }));
    assert_eq!(raw.map(|raw| raw.len()), Some(8 << 18));
}

#[test]
fn pictures_and_meshes_are_sent_as_files() {
    let http = ball();
    let sent = |path: &str, body: &Json, media: &str| {
        let path = format!("/api/projects/p/{path}");
        let (head, file) = received(begin_any(&http, "POST", &path, &body.to_string()));
        assert_starts!(head => "http/1.1 200");
        assert_contains!(head => &format!("content-type: {media}\r\n"));
        file.expect("it is whole")
    };
    // Files tell what they show.
    let coarse = json!({ "function_id": 1, "format": "obj", "cell": 20, "bounds": [[-9, -9, -9], [9, 9, 9]] });
    let (head, _) = received(begin_any(
        &http,
        "POST",
        "/api/projects/p/export",
        &coarse.to_string(),
    ));
    assert_contains!(head => "fibula-revision: 1\r\n");
    let small = json!({ "function_id": 1, "size": [64, 64] });
    assert!(sent("render", &small, "image/png").starts_with(b"\x89PNG"));
    let stl = json!({ "function_id": 1, "format": "stl", "cell": 1 });
    let stl = sent("export", &stl, "model/stl");
    assert_eq!((stl.len() - 84) % 50, 0);
    let svg = json!({ "function_id": 1, "format": "svg", "heights": [0] });
    assert!(sent("export", &svg, "image/svg+xml").starts_with(b"<svg"));
    for (path, body, status, code) in cases![
        "render" => json!({ "function_id": 7 }), 404, "unknown_function";
        "render" => json!({ "function_id": 1, "path": "a.png" }), 400, "invalid_arguments";
        "export" => json!({ "function_id": 1, "format": "stl", "path": "a.stl" }), 400, "invalid_arguments";
        "export" => json!({ "function_id": 1, "format": "stl", "cell": 1e-9 }), 413, "too_large";
        "slice" => json!({ "function_id": 1 }), 400, "invalid_arguments";
    ] {
        let path = format!("/api/projects/p/{path}");
        refused!(http, "POST", &path, &body => status, code);
    }
}

#[test]
fn a_project_is_sent_as_a_3mf_file() {
    let http = ball();
    let name = "a \"b\"; größe";
    done!(http, "POST", "/api/projects/p/duplicate", { "name": name });
    let path = format!("/api/projects/{}/export.3mf", encoded(name));
    let (head, package) = received(begin_any(&http, "GET", &path, ""));
    assert_starts!(head => "http/1.1 200");
    assert_contains!(head => "content-type: model/3mf\r\n");
    let named = "content-disposition: attachment; filename=\"a _b__ gr__e.3mf\"\r\n";
    assert_contains!(head => named);
    let package = package.expect("it is whole");
    assert!(package.starts_with(b"PK"), "it is a package");
    done!(http, "POST", "/api/projects", { "project": "again" });
    let (status, imported) = send(
        &http,
        "POST",
        "/api/projects/again/import",
        &[("Content-Type", "model/3mf")],
        &package,
    );
    assert_eq!(status, 200, "{imported}");
    let graph = |project: &str| {
        let path = format!("/api/projects/{}/functions/1/graph", encoded(project));
        let mut graph = done!(http, "GET", &path);
        graph.as_object_mut().expect("an object").remove("revision");
        graph
    };
    assert_eq!(graph("again"), graph(name));

    done!(http, "POST", "/api/projects/p/functions", { "name": "Angle", "expression": "asin(pos.x)" });
    let model = |query: &str| {
        let path = format!("/api/projects/p/export.3mf{query}");
        let (head, package) = received(begin_any(&http, "GET", &path, ""));
        let package = package.unwrap_or_else(|| panic!("{query}: {head}"));
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(package)).expect("a package");
        let mut model = archive.by_name("3D/3dmodel.model").expect("a model");
        let mut text = String::new();
        model.read_to_string(&mut text).expect("XML");
        text
    };
    assert!(model("").contains("<i:asin "));
    assert!(model("?dialect=lib3mf").contains("<i:asin "));
    assert!(model("?dialect=specification").contains("<i:arcsin "));
    assert!(!model("?revision=1").contains("asin"));
    let refuse = |path: &str, status: u16, code: &str| {
        refused!(http, "GET", path => status, code);
    };
    refuse("/api/projects/none/export.3mf", 404, "unknown_project");
    let strange = "/api/projects/p/export.3mf?dialect=latin";
    refuse(strange, 400, "invalid_arguments");
    let mesh = json!({ "edits": [{ "set_mesh": { "resource_id": 2_147_483_648_u32,
        "bounds": [[0, 0, 0], [1, 2, 3]] } }] });
    done!(http, "POST", "/api/projects/p/edits", &mesh);
    refuse("/api/projects/p/export.3mf", 422, "invalid_id");
}
