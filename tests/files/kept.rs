//! Content of vendors anywhere in a 3MF file, and the order of its resources, are kept, or said to be lost.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula::format::threemf::{self, Limits, Severity};
use fibula::service::{Import, ImportResult, Service, WritePackage};

use crate::archive::archive;
use crate::calls::origin;
use crate::threemf_write::{packed, strict_problems, xml};

/// A model of every element of core, materials, production, slices, beam lattices, volumes and functions. `@` is a place for
/// an attribute, and `#` one for an element.
const MODEL: &str = r##"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
 xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
 xmlns:t="http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01" xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12"
 xmlns:y="urn:y" requiredextensions="v i" @>
<metadata name="Title" @>a title#</metadata>
#<resources @>
<basematerials id="1" @><base name="a" displaycolor="#FF0000" @>#</base>#</basematerials>
<m:colorgroup id="2" @><m:color color="#00FF00" @>#</m:color>#</m:colorgroup>
<m:texture2d id="3" path="/t.png" contenttype="image/png" @>#</m:texture2d>
<m:texture2dgroup id="4" texid="3" @><m:tex2coord u="0" v="0" @>#</m:tex2coord>#</m:texture2dgroup>
<m:compositematerials id="5" matid="1" matindices="0" @><m:composite values="1" @>#</m:composite>#</m:compositematerials>
<m:multiproperties id="6" pids="1 2" @><m:multi pindices="0 0" @>#</m:multi>#</m:multiproperties>
<s:slicestack id="7" zbottom="0" @><s:slice ztop="1" @><s:vertices @><s:vertex x="0" y="0" @>#</s:vertex><s:vertex x="1" y="0"/>
<s:vertex x="0" y="1"/>#</s:vertices><s:polygon startv="0" @><s:segment v2="1" @>#</s:segment><s:segment v2="2"/><s:segment v2="0"/>#</s:polygon>#</s:slice>#</s:slicestack>
#<v:image3d id="8" @><v:imagestack rowcount="1" columncount="1" sheetcount="1" @><v:imagesheet path="/t.png" @>#</v:imagesheet>#</v:imagestack>#</v:image3d>
<v:functionfromimage3d id="9" image3did="8" @>#</v:functionfromimage3d>
<i:implicitfunction id="10" displayname="f" @><i:in @><i:vector identifier="pos" @>#</i:vector>#</i:in>
<i:length identifier="l" @><i:in @><i:vectorref identifier="A" ref="inputs.pos" @>#</i:vectorref>#</i:in>
<i:out @><i:scalar identifier="result" @>#</i:scalar>#</i:out>#</i:length>#
<i:out @><i:scalarref identifier="shape" ref="l.result" @>#</i:scalarref>#</i:out></i:implicitfunction>
<v:volumedata id="11" @><v:composite basematerialid="1" @><v:materialmapping functionid="10" channel="shape" @>#</v:materialmapping>#</v:composite>
<v:color functionid="9" channel="color" @>#</v:color><v:property name="y:heat" functionid="10" channel="shape" @>#</v:property>#</v:volumedata>
<object id="12" @><metadatagroup @><metadata name="y:a" @>b#</metadata>#</metadatagroup><mesh @>
<vertices @><vertex x="0" y="0" z="0" @>#</vertex><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/>#</vertices>
<triangles @><triangle v1="0" v2="2" v3="1" @>#</triangle><triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/>#</triangles>
<b:beamlattice radius="0.1" minlength="0.01" @><b:beams @><b:beam v1="0" v2="1" @>#</b:beam>#</b:beams>
<b:beamsets @><b:beamset name="n" @><b:ref index="0" @>#</b:ref>#</b:beamset>#</b:beamsets>#</b:beamlattice>
<t:trianglesets @><t:triangleset name="n" identifier="n" @><t:ref index="0" @>#</t:ref>#</t:triangleset>#</t:trianglesets>#</mesh>#</object>
<object id="13" @><components @><component objectid="12" @>#</component>#</components>#</object>
<object id="14" @><v:levelset functionid="10" channel="shape" meshid="12" @>#</v:levelset>#</object>
#</resources><build @><item objectid="13" @><metadatagroup @><metadata name="y:a" @>b#</metadata>#</metadatagroup>#</item>#</build>#
</model>"##;

/// Texts that are a mark.
const ATTRIBUTE: &str = "y:mark=\"found &lt;it&gt;\"";
const ELEMENT: &str = "<y:mark a=\"found &lt;it&gt;\">it</y:mark>";

/// The element that has the mark as an attribute, or contains it as an element.
fn holder(model: &str, mark: &str) -> Option<String> {
    let at = model.find(mark)?;
    let before = &model[..at];
    let mut open: Vec<&str> = Vec::new();
    for tag in before.split('<').skip(1) {
        let name = tag.split([' ', '\n', '>', '/']).next().unwrap_or_default();
        let is_closed = tag.split('>').next().unwrap_or_default().ends_with('/');
        match tag.strip_prefix('/') {
            Some(_) => drop(open.pop()),
            None if !tag.starts_with('?') && !is_closed => open.push(name),
            None => {}
        }
    }
    open.last()
        .map(|name| name.rsplit(':').next().unwrap_or_default().to_owned())
}

fn file(model: &str) -> Vec<u8> {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 1, 1);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[1]).expect("a pixel");
    drop(writer);
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="png" ContentType="image/png"/></Types>"#;
    archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", crate::archive::RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model.as_bytes()),
        ("t.png", &png),
    ])
}

/// What an import says, and the model that is written then.
fn converted(file: &[u8]) -> (ImportResult, String) {
    let service = Service::default();
    let request = with_defaults!(Import, content: Some(STANDARD.encode(file)));
    let imported = service.import(&origin(), request);
    let imported = imported.unwrap_or_else(|refusal| panic!("{refusal}"));
    let mut written = Cursor::new(Vec::new());
    let request = WritePackage::default();
    service
        .write_package(&request, &mut written)
        .expect("a package");
    let model = xml(written.get_ref());
    (imported, model)
}

#[test]
fn content_of_vendors_is_kept_or_said_to_be_lost() {
    let places: Vec<usize> = MODEL.match_indices(['@', '#']).map(|(at, _)| at).collect();
    // Colours begin with a hash.
    let places: Vec<usize> = places
        .into_iter()
        .filter(|&at| {
            !MODEL[at + 1..].starts_with("FF0000") && !MODEL[at + 1..].starts_with("00FF00")
        })
        .collect();
    assert_eq!(places.len(), 132);
    let (mut lost, mut wrong) = (Vec::new(), Vec::new());
    for place in &places {
        let mut model = String::new();
        let mut from = 0;
        let is_attribute = MODEL.as_bytes()[*place] == b'@';
        let mark = if is_attribute { ATTRIBUTE } else { ELEMENT };
        for other in &places {
            model.push_str(&MODEL[from..*other]);
            if other == place {
                model.push_str(mark);
            }
            from = other + 1;
        }
        model.push_str(&MODEL[from..]);
        let holder_before = holder(&model, mark).expect("the mark is there");
        let file = file(&model);
        let (imported, written) = converted(&file);
        let report = threemf::check(&file, &Limits::default());
        assert_eq!(report.count(Severity::Error), 0, "{report:?}");
        let is_said = report.findings.iter().any(|one| one.code == "not_kept");
        // The mark may have another prefix.
        let start = written
            .find("found &lt;it&gt;")
            .map(|at| match written[..at].rfind('<') {
                Some(start) if !is_attribute => start,
                Some(_) | None => at,
            });
        let is_kept = start.and_then(|at| holder(&written, &written[at..]));
        let label = format!(
            "{} of {holder_before}",
            if is_attribute { "attribute" } else { "element" }
        );
        match is_kept {
            Some(found) if found == holder_before => {
                if is_said || !imported.left_out.is_empty() {
                    wrong.push(format!("{label}: kept, but said to be lost"));
                }
            }
            Some(found) => wrong.push(format!("{label}: moved to {found}")),
            None if is_said && imported.left_out.len() == 1 => lost.push(label),
            None => wrong.push(format!(
                "{label}: lost, check: {is_said}, import: {:?}",
                imported.left_out
            )),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Functions and metadata have no place for them.
    let expected = [
        "element of metadata",
        "attribute of functionfromimage3d",
        "element of functionfromimage3d",
        "attribute of implicitfunction",
        "attribute of in",
        "attribute of vector",
        "element of vector",
        "element of in",
        "attribute of length",
        "attribute of in",
        "attribute of vectorref",
        "element of vectorref",
        "element of in",
        "attribute of out",
        "attribute of scalar",
        "element of scalar",
        "element of out",
        "element of length",
        "element of implicitfunction",
        "attribute of out",
        "attribute of scalarref",
        "element of scalarref",
        "element of out",
        "element of metadata",
        "element of metadata",
    ];
    assert_eq!(lost, expected);
}

#[test]
fn metadata_of_one_name_is_said_to_be_lost() {
    let model = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><metadata name="Title">a</metadata>
<metadata name="Title">b</metadata><resources><object id="1"><mesh><vertices/><triangles/></mesh></object></resources>
<build><item objectid="1"/></build></model>"#;
    let (imported, written) = converted(&packed(model));
    assert!(
        written.contains(">a</metadata>") && !written.contains(">b</metadata>"),
        "{written}"
    );
    let said: Vec<(&str, &str)> = imported
        .left_out
        .iter()
        .map(|one| (&*one.what, &*one.why))
        .collect();
    let why = "the file has this name twice, and the first value counts";
    assert_eq!(said, [("metadata Title = \"b\"", why)]);
    let report = threemf::check(&packed(model), &Limits::default());
    assert!(
        report.findings.iter().any(|one| one.code == "not_kept"),
        "{report:?}"
    );
}

/// The ids of resources in a model, and `*` for an element without one, in their order.
fn order(model: &str) -> String {
    let resources = model
        .split("<resources>")
        .nth(1)
        .and_then(|rest| rest.split("</resources>").next());
    let tags = resources
        .expect("resources")
        .split('<')
        .skip(1)
        .filter(|tag| !tag.starts_with('/'));
    let ids = tags.filter_map(|tag| {
        let name = tag.split([' ', '/', '>']).next().unwrap_or_default();
        let inner = [
            "mesh",
            "vertex",
            "triangle",
            "vertices",
            "triangles",
            "components",
            "component",
            "levelset",
            "length",
            "in",
            "out",
            "vector",
            "vectorref",
            "scalar",
            "scalarref",
            "slice",
            "base",
        ];
        if inner.contains(&name.rsplit(':').next().unwrap_or_default()) {
            return None;
        }
        let id = tag
            .split(" id=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        Some(id.unwrap_or("*").to_owned())
    });
    ids.collect::<Vec<_>>().join(" ")
}

#[test]
fn resources_keep_the_order_of_the_file() {
    const SPACES: &str = r#"xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:y="urn:y"
 xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01" xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12""#;
    const MESH: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh>"#;
    let object = |id: u32, more: &str| format!("<object id=\"{id}\" {more}>{MESH}</object>");
    let stack = |id: u32| format!("<s:slicestack id=\"{id}\" zbottom=\"0\"/>");
    let function = |id: u32| {
        format!(
            r#"<i:implicitfunction id="{id}"><i:in><i:vector identifier="pos"/></i:in><i:length identifier="l"><i:in>
<i:vectorref identifier="A" ref="inputs.pos"/></i:in><i:out><i:scalar identifier="result"/></i:out></i:length>
<i:out><i:scalarref identifier="shape" ref="l.result"/></i:out></i:implicitfunction>"#
        )
    };
    let level = |id: u32, function: u32, mesh: u32| {
        format!(
            "<object id=\"{id}\"><v:levelset functionid=\"{function}\" channel=\"shape\" meshid=\"{mesh}\"/></object>"
        )
    };
    let vendor = "<y:thing/>".to_owned();
    let known = |id: u32| format!("<y:thing id=\"{id}\"/>");
    for (resources, expected) in [
        (vec![object(1, ""), object(2, ""), object(3, "")], "1 2 3"),
        (vec![object(3, ""), object(1, ""), object(2, "")], "3 1 2"),
        // A stack of slices is before the object that names it, whatever their ids.
        (
            vec![stack(9), object(1, "s:slicestackid=\"9\""), object(2, "")],
            "9 1 2",
        ),
        (
            vec![object(1, ""), stack(9), object(2, "s:slicestackid=\"9\"")],
            "1 9 2",
        ),
        // Where the file was wrong, only that moves.
        (
            vec![
                object(5, "s:slicestackid=\"9\""),
                object(3, ""),
                stack(9),
                object(4, ""),
            ],
            "9 5 3 4",
        ),
        // Nobody knows what refers to vendors' content, with an id or without.
        (
            vec![known(8), object(2, "y:of=\"8\""), object(1, "")],
            "8 2 1",
        ),
        (
            vec![object(2, ""), vendor.clone(), object(1, ""), vendor.clone()],
            "2 * 1 *",
        ),
        (vec![vendor, object(2, "")], "* 2"),
        (
            vec![function(7), object(4, ""), level(2, 7, 4), function(3)],
            "7 4 2 3",
        ),
    ] {
        let model = format!(
            "<model {SPACES}><resources>{}</resources><build><item objectid=\"2\"/></build></model>",
            resources.concat()
        );
        let has_second = resources.iter().any(|one| one.contains("id=\"2\""));
        let built = if has_second { "2" } else { "5" };
        let model = model.replace("objectid=\"2\"", &format!("objectid=\"{built}\""));
        let (_, first) = converted(&packed(&model));
        assert_eq!(order(&first), expected, "{first}");
        let (_, second) = converted(&packed(&first));
        assert_eq!(second, first);
        let problems = strict_problems(&packed(&first));
        let is_vendors = model.contains("<y:");
        assert!(is_vendors || problems.is_empty(), "{problems:?}\n{first}");
        // Beside other resources the file keeps its order, with other ids.
        let service = Service::default();
        for _ in 0..2 {
            let request = with_defaults!(Import, content: Some(STANDARD.encode(packed(&model))));
            service
                .import(&origin(), request)
                .unwrap_or_else(|refusal| panic!("{refusal}"));
        }
        let mut twice = Cursor::new(Vec::new());
        service
            .write_package(&WritePackage::default(), &mut twice)
            .expect("a package");
        let found = order(&xml(twice.get_ref()));
        assert_eq!(
            found.split(' ').count(),
            2 * expected.split(' ').count(),
            "{found}"
        );
        let report = threemf::check(twice.get_ref(), &Limits::default());
        assert!(
            report
                .findings
                .iter()
                .all(|one| one.severity == Severity::Warning),
            "{report:?}"
        );
    }
}
