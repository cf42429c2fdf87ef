//! Hostile files: each is rejected in time, within the limits, and without a panic.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::archive::{Entry, archive, spaces};
use super::*;
use crate::Severity;

/// Reads bytes that are rejected with this code; the time limit is generous, for slow machines.
#[track_caller]
fn check(bytes: &[u8], code: &str) -> String {
    let start = Instant::now();
    let error = crate::read(bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    error.to_string()
}

/// Checks the archive of relationships and this model part.
#[track_caller]
fn check_part(model: Entry, code: &str) -> String {
    check(&with(model, &[]), code)
}

/// Checks the archive of an empty model and these entries.
#[track_caller]
fn check_entries(entries: &[Entry], code: &str) {
    check(&with(stored(&model("")), entries), code);
}

/// Checks the model part with this text.
#[track_caller]
fn check_text(text: &str, code: &str) -> String {
    check(&file(text), code)
}

/// Archive of relationships, this model part, and more entries.
fn with(model: Entry, more: &[Entry]) -> Vec<u8> {
    let relationships = Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes());
    archive(&[&[relationships, model], more].concat())
}

fn stored(text: &str) -> Entry {
    Entry::stored("3D/3dmodel.model", text.as_bytes())
}

#[test]
fn the_archives_made_here_are_read() {
    let bytes = with(stored(&model(&function(3, &length(), SHAPE))), &[]);
    let model = crate::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(model.functions.len(), 1);
    // The bomb below is a valid deflate stream.
    let file = archive(&[bomb("a", 10_000, 1 << 30)]);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(file)).unwrap();
    let mut text = String::new();
    let error =
        std::io::Read::read_to_string(&mut zip.by_index(0).unwrap(), &mut text).unwrap_err();
    let error = error.to_string();
    assert!(error.to_lowercase().contains("checksum"), "{error}");
}

/// Deflated entry of this many spaces, which states another size.
fn bomb(name: &str, count: usize, size: u32) -> Entry {
    Entry {
        method: 8,
        crc: 0,
        size,
        data: spaces(count),
        ..Entry::stored(name, b"")
    }
}

#[test]
fn bombs() {
    const MODEL: &str = "3D/3dmodel.model";
    // One entry of a little more than 1 GiB, needed or not; several that are too much together.
    let giant = (1 << 30) + 1;
    check_part(bomb(MODEL, giant, giant as u32), "too_large");
    let thumbnail = bomb("Metadata/thumbnail.png", giant, giant as u32);
    check_entries(&[thumbnail], "too_large");
    let half = ["0", "1", "2"].map(|name| bomb(name, 1 << 20, 1 << 29));
    check_entries(&half, "too_large");
    // An entry that is larger than it says, and one of whitespace within the limits.
    check_part(bomb(MODEL, giant, 1000), "damaged");
    let text = model("").replace("<build>", &(" ".repeat(1 << 16) + "<build>"));
    let size = 1000;
    let small = Entry {
        size,
        ..stored(&text)
    };
    check_part(small, "damaged");
    check_part(bomb(MODEL, 100 << 20, 100 << 20), "damaged");
    // Real zeros, a thousand times smaller.
    let zeros = "\0".repeat(8 << 20);
    let parts = [("_rels/.rels", RELATIONSHIPS), ("a", &zeros)];
    check(&package(&parts), "too_large");
}

#[test]
fn limits_are_those_that_are_given() {
    let text = model(&function(3, &length(), SHAPE));
    let check = |change: fn(&mut Limits), code: Option<&str>| {
        let mut limits = Limits::default();
        change(&mut limits);
        let error = crate::read(&file(&text), &limits).err();
        assert_eq!(error.as_ref().map(ReadError::code), code, "{error:?}");
    };
    let sufficient = |limits: &mut Limits| {
        (limits.package, limits.unpacked, limits.entries) = (10_000, 10_000, 2);
        (limits.depth, limits.attributes, limits.nodes) = (6, 5, 5);
    };
    check(sufficient, None);
    check(|limits| limits.package = 100, Some("too_large"));
    check(|limits| limits.unpacked = 900, Some("too_large"));
    check(|limits| limits.entries = 1, Some("too_many_entries"));
    check(|limits| limits.depth = 4, Some("too_deep"));
    check(|limits| limits.attributes = 4, Some("too_large"));
    check(|limits| limits.token = 100, Some("too_large"));
    check(|limits| limits.nodes = 4, Some("too_large"));
}

#[test]
fn too_many_entries() {
    let entries = (0..100_000).map(|at| Entry::stored(&format!("e{at}"), b""));
    check(&archive(&entries.collect::<Vec<_>>()), "too_many_entries");
}

#[test]
fn paths_that_lead_out() {
    for name in [
        "../evil",
        "a/../../evil",
        "Metadata/what?.png",
        "Metadata/a|b.png",
        "Metadata/ends.",
        "_rels/thumbnail.png",
        "3D/_RELS/a.png",
        "/etc/passwd",
        "..\\evil",
        "C:/evil",
        "a//b",
        "./a",
        "",
        "a\0b",
        "%2e%2e/a",
        "a%2Fb",
    ] {
        check_entries(&[Entry::stored(name, b"")], "bad_path");
    }
    let raw = Entry {
        name: vec![0xff, 0xfe],
        ..Entry::stored("", b"")
    };
    check_entries(&[raw], "bad_path");
    check_entries(&[Entry::stored(&"a".repeat(2000), b"")], "bad_path");
}

#[test]
fn entries_that_programs_would_disagree_about() {
    check_entries(&[Entry::stored("3d/3DModel.Model", b"")], "duplicate_part");
    check_entries(&[stored("other")], "duplicate_part");
    let flags = 1;
    let encrypted = |entry: Entry| Entry { flags, ..entry };
    check_part(encrypted(stored(&model(""))), "encrypted");
    check_entries(&[encrypted(Entry::stored("a", b""))], "encrypted");
    let mut part = stored(&model(""));
    part.method = 12;
    check_part(part, "unsupported_method");
}

#[test]
fn wrong_checksums() {
    let crc = 7;
    let damaged = |text: &str| Entry {
        crc,
        ..stored(text)
    };
    let message = check_part(damaged(&model("")), "damaged");
    assert!(message.starts_with("3D/3dmodel.model"), "{message}");
    // Mistakes in a damaged part are not reported.
    let broken = model("").replace("</resources>", "</resourcez>");
    check_part(damaged(&broken), "damaged");
    check_part(stored(&broken), "xml");
}

#[test]
fn entities() {
    let bomb = format!(
        "<!DOCTYPE lolz [<!ENTITY e0 \"ha\">{}]>",
        many(1..10, |at| format!(
            "<!ENTITY e{at} \"{}\">",
            format!("&e{};", at - 1).repeat(10)
        ))
    );
    let text = model("").replacen("<model", &(bomb + "<model"), 1);
    let message = check_text(&text, "entity");
    assert!(message.contains("document type"), "{message}");
    check_text(&model("").replace("A &amp; B", "&j;"), "entity");
    check_text(&model("").replace("\"Title\"", "\"&j;\""), "entity");
    let external = "<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>";
    check_text(external, "entity");
    let relationships = ("_rels/.rels", "<!DOCTYPE a><a/>");
    let parts = [relationships, ("3D/3dmodel.model", "")];
    check(&package(&parts), "entity");
}

#[test]
fn depth_and_width() {
    let deep = "<x:a>".repeat(20_000) + &"</x:a>".repeat(20_000);
    check_text(&model(&deep), "too_deep");
    let mesh = format!("<object id=\"1\"><mesh>{deep}</mesh></object>");
    check_text(&model(&mesh), "too_deep");
    let attributes = many(0..1000, |at| format!(" a{at}=\"\""));
    let object = format!("<object id=\"1\"{attributes}/>");
    check_text(&model(&object), "too_large");
    let spaces = many(0..5000, |at| format!(" xmlns:n{at}=\"u\""));
    check_text(&model(&format!("<x:a{spaces}/>")), "xml");
    let long = "y".repeat(2 << 20);
    let name = format!("displayname=\"{long}\"");
    let tag = function(3, &length(), "").replace("displayname=\"f\"", &name);
    let title = |text: &str| model("").replace("A &amp; B", text);
    for text in [
        model(&tag),
        title(&long),
        title(&"<![CDATA[y]]>".repeat(2 << 20)),
        model(&format!("<!--{long}-->")),
    ] {
        check_part(stored(&text), "too_large");
    }
}

#[test]
fn calls_that_multiply() {
    // A few hundred thousand bytes, but 1000 inputs in each of 1000 calls.
    let inputs = many(0..1000, |at| format!("<i:scalar identifier=\"i{at}\"/>"));
    let wide = format!("<i:implicitfunction id=\"3\"><i:in>{inputs}</i:in></i:implicitfunction>");
    let resource = r#"<i:constresourceid identifier="r" value="3"/>"#;
    let calls = many(0..1000, |at| {
        let input = [("resource", "functionID", "r.value")];
        node("functioncall", &format!("c{at}"), &input, &[])
    });
    let text = wide.clone() + &function(4, &(resource.to_owned() + &calls), "");
    check_text(&model(&text), "too_large");
    let wider = wide.replace("</i:in>", "<i:scalar identifier=\"one\"/></i:in>");
    check_text(&model(&wider), "too_large");
}

#[test]
fn xml_that_is_none() {
    for text in [
        "",
        "text",
        "<model",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>",
        "<model CORE/><model/>",
        "<model CORE/>text",
        "<model CORE><a b=\"1\" b=\"2\"/></model>",
        "<model CORE><a b=1/></model>",
        "<model CORE><metadata name=\"a\">",
    ] {
        let core = "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"";
        check_text(&text.replace("CORE", core), "xml");
    }
    check_part(Entry::stored("3D/3dmodel.model", b"\xff\xfe<\0m\0"), "xml");
}

#[test]
fn long_chains_take_no_stack_and_little_time() {
    let abs = |at: usize| {
        let input = match at {
            0 => "length.result".to_owned(),
            at => format!("n{}.result", at - 1),
        };
        let inputs = [("scalar", "A", input.as_str())];
        node("abs", &format!("n{at}"), &inputs, &[("scalar", "result")])
    };
    let nodes: String = (0..20_000).map(abs).collect();
    let model = read(&function(3, &(length() + &nodes), SHAPE)).unwrap();
    assert_eq!(model.functions[0].nodes.len(), 20_003);
    let call = |id: u32| {
        let resource = format!(r#"<i:constresourceid identifier="r" value="{id}"/>"#);
        let inputs = [
            ("resource", "functionID", "r.value"),
            ("vector", "pos", "inputs.pos"),
        ];
        let call = node("functioncall", "c", &inputs, &[]);
        function(id - 1, &(resource + &call), "")
    };
    let functions: String = (2..3000).map(call).collect::<String>() + &function(2999, "", "");
    assert_eq!(read(&functions).unwrap().functions.len(), 2999);
}

/// A file with something of everything, large enough to be cut and flipped in many places.
fn good() -> String {
    let nodes: String = (0..40)
        .map(|at| length().replace("\"length\"", &format!("\"n{at}\"")))
        .collect();
    let image = image(8) + r#"<v:functionfromimage3d id="7" image3did="8"/>"#;
    model(
        &(function(3, &(length() + &nodes), SHAPE)
            + &image
            + r#"<object id="9" pid="5"><metadatagroup><metadata name="x:a">b</metadata></metadatagroup>
<mesh v:volumeid="4">
<vertices><vertex x="0" y="0" z="0"/><vertex x='1' y="1" z="&#49;" x:a="b"/>
<vertex x="1e3" y="-.5" z="2"></vertex></vertices>
<triangles><triangle v1="0" v2="1" v3="2" pid="5" p1="0"/><triangle v1="2" v2="1" v3="0" paint="4"/></triangles>
<x:more xmlns:y="urn:y"><![CDATA[<]]>&amp;<y:one/></x:more></mesh></object><x:group id="5">t</x:group>
<v:volumedata id="4"><v:color functionid="7" channel="color"/></v:volumedata>
<object id="10"><components><component objectid="9" transform="1 0 0 0 1 0 0 0 1 0 0 0"/></components></object>
<object id="11"><v:levelset functionid="3" meshid="9" channel="shape"/></object>"#),
    )
    .replace("<build>", r#"<build x:a="b"><item objectid="10" partnumber="p"/>"#)
}

#[test]
fn files_that_are_cut_off() {
    let sheet = Entry::stored("volume/a.png", &png(2, 1));
    for bytes in [file(&good()), with(stored(&good()), &[sheet])] {
        for end in (0..bytes.len()).step_by(if bytes.len() > 4000 { 1000 } else { 100 }) {
            let error = crate::read(&bytes[..end], &Limits::default()).unwrap_err();
            let expected = if end < 2 { "not_a_zip" } else { "truncated" };
            assert_eq!(error.code(), expected, "at {end}");
        }
    }
    let text = good();
    let whole = crate::read(&file(&text), &Limits::default());
    whole.expect("what is cut and flipped here is sound");
    for end in (0..text.len()).step_by(7) {
        check_part(stored(&text[..end]), "xml");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        xml in any::<bool>(),
    ) {
        let flip = |mut bytes: Vec<u8>| {
            for (at, byte) in &flips {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            bytes
        };
        let start = Instant::now();
        let bytes = if xml {
            with(Entry::stored("3D/3dmodel.model", &flip(good().into_bytes())), &[])
        } else {
            flip(file(&good()))
        };
        let report = crate::check(&bytes, &Limits::default());
        let errors = report.count(Severity::Error);
        match crate::read(&bytes, &Limits::default()) {
            Err(error) => {
                prop_assert!(error.to_string().len() < 2000);
                let _ = error.hint();
                prop_assert!(errors > 0);
                prop_assert_eq!(&report.findings[0].message, &error.problem.to_string());
            }
            Ok(model) => {
                prop_assert_eq!(errors, 0);
                // Some repairs are violations in a report.
                prop_assert!(report.count(Severity::Repair) <= model.repairs.len());
            }
        }
        prop_assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = crate::read(&bytes, &Limits::default());
        let _ = crate::read(&[b"PK\x03\x04".as_slice(), &bytes].concat(), &Limits::default());
    }
}

#[test]
fn characters_that_no_xml_has_are_refused_wherever_they_stand() {
    for text in [
        "<x:a\u{0}b id=\"1\"/>",
        "<x:a id=\"1\" note=\"\u{1}\"/>",
        "<x:a id=\"1\">\u{b}</x:a>",
        "<x:a id=\"1\"><![CDATA[\u{fffe}]]></x:a>",
        "<x:a id=\"1\">&#31;</x:a>",
        "<object id=\"1\" name=\"&#1;\"><mesh><vertices/><triangles/></mesh></object>",
    ] {
        let error = check_text(&model(text), "xml");
        assert!(
            error.contains("which XML does not allow"),
            "{text:?}: {error}"
        );
    }
    let allowed = "<x:a id=\"1\">\t\n\r\u{85}\u{fffd}</x:a>";
    crate::read(&file(&model(allowed)), &Limits::default()).expect("these are allowed");
}
