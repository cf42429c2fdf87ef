//! Files made to break a reader: every one is refused soon, within the limits, and without a panic.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::archive::{Entry, archive, spaces};
use super::*;
use crate::Severity;

/// Reads bytes that are refused with this code; what that may take is generous, for slow machines.
fn check(bytes: &[u8], code: &str) -> String {
    let start = Instant::now();
    let error = super::super::read(bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    error.to_string()
}

/// An archive with relationships, this model, and more.
fn with(model: Entry, more: &[Entry]) -> Vec<u8> {
    let mut entries = vec![
        Entry::stored("_rels/.rels", RELATIONSHIPS.as_bytes()),
        model,
    ];
    entries.extend_from_slice(more);
    archive(&entries)
}

fn stored(text: &str) -> Entry {
    Entry::stored("3D/3dmodel.model", text.as_bytes())
}

#[test]
fn the_archives_made_here_are_read() {
    let bytes = with(stored(&model(&function(3, &length(), SHAPE))), &[]);
    assert_eq!(
        super::super::read(&bytes, &Limits::default())
            .unwrap()
            .functions
            .len(),
        1
    );
    // The bomb below is a deflate stream that is read: its spaces in front of a model are no harm by themselves.
    let data = spaces(10_000);
    let file = archive(&[Entry {
        method: 8,
        size: 1 << 30,
        crc: 0,
        data,
        ..Entry::stored("a", b"")
    }]);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(file)).unwrap();
    let mut text = String::new();
    let error =
        std::io::Read::read_to_string(&mut zip.by_index(0).unwrap(), &mut text).unwrap_err();
    assert!(
        error.to_string().to_lowercase().contains("checksum"),
        "{error}"
    );
}

#[test]
fn bombs() {
    let bomb = |name: &str, size: usize, says: u32| {
        let data = spaces(size);
        Entry {
            method: 8,
            crc: 0,
            size: says,
            data,
            ..Entry::stored(name, b"")
        }
    };
    // One entry of a little more than 1 GiB, needed or not; several that are too much together.
    let giant = (1 << 30) + 1;
    check(
        &with(bomb("3D/3dmodel.model", giant, giant as u32), &[]),
        "too_large",
    );
    check(
        &with(
            stored(&model("")),
            &[bomb("Metadata/thumbnail.png", giant, giant as u32)],
        ),
        "too_large",
    );
    let half: Vec<Entry> = (0..3)
        .map(|at| bomb(&format!("{at}"), 1 << 20, 1 << 29))
        .collect();
    check(&with(stored(&model("")), &half), "too_large");
    // An entry that is larger than it says, and one of whitespace within the limits.
    check(&with(bomb("3D/3dmodel.model", giant, 1000), &[]), "damaged");
    let text = model("").replace("<build>", &(" ".repeat(1 << 16) + "<build>"));
    check(
        &with(
            Entry {
                size: 1000,
                ..stored(&text)
            },
            &[],
        ),
        "damaged",
    );
    check(
        &with(bomb("3D/3dmodel.model", 100 << 20, 100 << 20), &[]),
        "damaged",
    );
    // Real zeros, a thousand times smaller.
    let zeros = "\0".repeat(8 << 20);
    check(
        &package(&[("_rels/.rels", RELATIONSHIPS), ("a", &zeros)]),
        "too_large",
    );
}

#[test]
fn limits_are_those_that_are_given() {
    let text = model(&function(3, &length(), SHAPE));
    let check = |limits: Limits, code: Option<&str>| {
        let error = super::super::read(&file(&text), &limits).err();
        assert_eq!(error.as_ref().map(ReadError::code), code, "{error:?}");
    };
    let default = Limits::default();
    check(
        Limits {
            package: 10_000,
            unpacked: 10_000,
            entries: 2,
            depth: 6,
            attributes: 5,
            nodes: 5,
            ..default
        },
        None,
    );
    check(
        Limits {
            package: 100,
            ..default
        },
        Some("too_large"),
    );
    check(
        Limits {
            unpacked: 900,
            ..default
        },
        Some("too_large"),
    );
    check(
        Limits {
            entries: 1,
            ..default
        },
        Some("too_many_entries"),
    );
    check(
        Limits {
            depth: 4,
            ..default
        },
        Some("too_deep"),
    );
    check(
        Limits {
            attributes: 4,
            ..default
        },
        Some("too_large"),
    );
    check(
        Limits {
            token: 100,
            ..default
        },
        Some("too_large"),
    );
    check(
        Limits {
            nodes: 4,
            ..default
        },
        Some("too_large"),
    );
}

#[test]
fn too_many_entries() {
    let entries: Vec<Entry> = (0..100_000)
        .map(|at| Entry::stored(&format!("e{at}"), b""))
        .collect();
    check(&archive(&entries), "too_many_entries");
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
        check(
            &with(stored(&model("")), &[Entry::stored(name, b"")]),
            "bad_path",
        );
    }
    let raw = Entry {
        name: vec![0xff, 0xfe],
        ..Entry::stored("", b"")
    };
    check(&with(stored(&model("")), &[raw]), "bad_path");
    check(
        &with(stored(&model("")), &[Entry::stored(&"a".repeat(2000), b"")]),
        "bad_path",
    );
}

#[test]
fn entries_that_programs_would_disagree_about() {
    check(
        &with(
            stored(&model("")),
            &[Entry::stored("3d/3DModel.Model", b"")],
        ),
        "duplicate_part",
    );
    check(
        &with(stored(&model("")), &[stored("other")]),
        "duplicate_part",
    );
    check(
        &with(
            Entry {
                flags: 1,
                ..stored(&model(""))
            },
            &[],
        ),
        "encrypted",
    );
    check(
        &with(
            stored(&model("")),
            &[Entry {
                flags: 1,
                ..Entry::stored("a", b"")
            }],
        ),
        "encrypted",
    );
    check(
        &with(
            Entry {
                method: 12,
                ..stored(&model(""))
            },
            &[],
        ),
        "unsupported_method",
    );
}

#[test]
fn wrong_checksums() {
    let message = check(
        &with(
            Entry {
                crc: 7,
                ..stored(&model(""))
            },
            &[],
        ),
        "damaged",
    );
    assert!(message.starts_with("3D/3dmodel.model"), "{message}");
    // What a damaged part seems to say wrongly is not what is wrong with it.
    let broken = model("").replace("</resources>", "</resourcez>");
    check(
        &with(
            Entry {
                crc: 7,
                ..stored(&broken)
            },
            &[],
        ),
        "damaged",
    );
    check(&with(stored(&broken), &[]), "xml");
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
    let message = check(&file(&text), "entity");
    assert!(message.contains("document type"), "{message}");
    check(&file(&model("").replace("A &amp; B", "&j;")), "entity");
    check(&file(&model("").replace("\"Title\"", "\"&j;\"")), "entity");
    check(
        &file("<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>"),
        "entity",
    );
    check(
        &package(&[
            ("_rels/.rels", "<!DOCTYPE a><a/>"),
            ("3D/3dmodel.model", ""),
        ]),
        "entity",
    );
}

#[test]
fn depth_and_width() {
    let deep = "<x:a>".repeat(20_000) + &"</x:a>".repeat(20_000);
    check(&file(&model(&deep)), "too_deep");
    let mesh = format!("<object id=\"1\"><mesh>{deep}</mesh></object>");
    check(&file(&model(&mesh)), "too_deep");
    let attributes: String = many(0..1000, |at| format!(" a{at}=\"\""));
    check(
        &file(&model(&format!("<object id=\"1\"{attributes}/>"))),
        "too_large",
    );
    let spaces: String = many(0..5000, |at| format!(" xmlns:n{at}=\"u\""));
    check(&file(&model(&format!("<x:a{spaces}/>"))), "xml");
    let long = "y".repeat(2 << 20);
    let tag =
        function(3, &length(), "").replace("displayname=\"f\"", &format!("displayname=\"{long}\""));
    check(&with(stored(&model(&tag)), &[]), "too_large");
    check(
        &with(stored(&model("").replace("A &amp; B", &long)), &[]),
        "too_large",
    );
    check(
        &with(
            stored(&model("").replace("A &amp; B", &"<![CDATA[y]]>".repeat(2 << 20))),
            &[],
        ),
        "too_large",
    );
    check(
        &with(stored(&model(&format!("<!--{long}-->"))), &[]),
        "too_large",
    );
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
    check(&file(&model(&text)), "too_large");
    let wider = wide.replace("</i:in>", "<i:scalar identifier=\"one\"/></i:in>");
    check(&file(&model(&wider)), "too_large");
}

#[test]
fn xml_that_is_none() {
    let texts = [
        "",
        "text",
        "<model",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>",
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"/><model/>",
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"/>text",
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><a b=\"1\" b=\"2\"/></model>",
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><a b=1/></model>",
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><metadata name=\"a\">",
    ];
    for text in texts {
        check(&file(text), "xml");
    }
    check(
        &with(Entry::stored("3D/3dmodel.model", b"\xff\xfe<\0m\0"), &[]),
        "xml",
    );
}

#[test]
fn long_chains_take_no_stack_and_little_time() {
    let abs = |at: usize| {
        let input = if at == 0 {
            "length.result".to_owned()
        } else {
            format!("n{}.result", at - 1)
        };
        node(
            "abs",
            &format!("n{at}"),
            &[("scalar", "A", &input)],
            &[("scalar", "result")],
        )
    };
    let nodes: String = (0..20_000).map(abs).collect();
    assert_eq!(
        read(&function(3, &(length() + &nodes), SHAPE))
            .unwrap()
            .functions[0]
            .nodes
            .len(),
        20_003
    );
    let call = |id: u32| {
        let resource = format!(r#"<i:constresourceid identifier="r" value="{id}"/>"#);
        let inputs = [
            ("resource", "functionID", "r.value"),
            ("vector", "pos", "inputs.pos"),
        ];
        function(
            id - 1,
            &(resource + &node("functioncall", "c", &inputs, &[])),
            "",
        )
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
            let code = super::super::read(&bytes[..end], &Limits::default())
                .unwrap_err()
                .code();
            assert_eq!(
                code,
                if end < 2 { "not_a_zip" } else { "truncated" },
                "at {end}"
            );
        }
    }
    let text = good();
    let whole = super::super::read(&file(&text), &Limits::default());
    whole.expect("what is cut and flipped here is sound");
    for end in (0..text.len()).step_by(7) {
        assert_eq!(
            super::super::read(&with(stored(&text[..end]), &[]), &Limits::default())
                .unwrap_err()
                .code(),
            "xml"
        );
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
        let report = super::super::check(&bytes, &Limits::default());
        let errors = report.count(Severity::Error);
        match super::super::read(&bytes, &Limits::default()) {
            Err(error) => {
                prop_assert!(error.to_string().len() < 2000);
                let _ = error.hint();
                prop_assert!(errors > 0);
                prop_assert_eq!(&report.findings[0].message, &error.problem.to_string());
            }
            Ok(model) => {
                prop_assert_eq!(errors, 0);
                prop_assert_eq!(report.count(Severity::Repair), model.repairs.len());
            }
        }
        prop_assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = super::super::read(&bytes, &Limits::default());
        let _ = super::super::read(&[b"PK\x03\x04".as_slice(), &bytes].concat(), &Limits::default());
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
        let error = super::super::read(&file(&model(text)), &Limits::default()).expect_err(text);
        assert_eq!(error.code(), "xml", "{text:?}: {error}");
        assert!(
            error.to_string().contains("which XML cannot have"),
            "{error}"
        );
    }
    let allowed = "<x:a id=\"1\">\t\n\r\u{85}\u{fffd}</x:a>";
    super::super::read(&file(&model(allowed)), &Limits::default()).expect("these are allowed");
}
