//! The package that breaks no rule, and its edits.

use super::Edit::{self, Add, Entry, File, Remove, Replace};
use super::Fixture;

pub(super) const INTRODUCTION: &str = "\
# Rules of 3MF files

`fibula check` knows these rules of the 3MF specifications: core 1.3, materials 1.2, production 1.2, slice 1.0, beam lattice 1.2
and volumetric 0.8 with implicit. Each is a sentence with MUST or MUST NOT that a file can break; sentences about the work of
producers and consumers, which a file does not show, are left out. This list is generated from the table in
`crates/3mf/src/rules.rs`; a test compares both.

- `error`: the file is rejected. `violation`: the file breaks the rule, and is read all the same; a violation is an error where
  the reader needs what is missing or wrong. `warning`: allowed, but probably not intended.
- The last column has the packages of `crates/3mf/src/tests/rules/fixtures.rs` that break the rule and no other.

| code | clause | severity | rule | packages |
| --- | --- | --- | --- | --- |
";

pub(super) const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
<Default Extension="png" ContentType="image/png"/>
<Default Extension="txt" ContentType="text/plain"/>
<Override PartName="/3D/Metadata/pt.xml" ContentType="application/vnd.ms-printing.printticket+xml"/>
</Types>"#;

pub(super) const PACKAGE_RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="/3D/3dmodel.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
<Relationship Id="r2" Target="/Metadata/thumbnail.png" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
<Relationship Id="r3" Target="/Metadata/keep.txt" Type="http://schemas.openxmlformats.org/package/2006/relationships/mustpreserve"/>
</Relationships>"#;

pub(super) const MODEL_RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="/3D/parts.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
<Relationship Id="r2" Target="/2D/slices.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
<Relationship Id="r3" Target="/3D/Textures/a.png" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture"/>
<Relationship Id="r4" Target="/3D/Textures/b.png" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture"/>
<Relationship Id="r5" Target="/3D/volumetric/1.png" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture"/>
<Relationship Id="r6" Target="/3D/volumetric/2.png" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture"/>
<Relationship Id="r7" Target="/Metadata/part.png" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
<Relationship Id="r8" Target="/3D/Metadata/pt.xml" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/printticket"/>
</Relationships>"#;

pub(super) const TETRAHEDRON: &str = r#"<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles>"#;

pub(super) const MODEL: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter" xml:lang="en-US"
 xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
 xmlns:pa="http://schemas.microsoft.com/3dmanufacturing/production/alternatives/2021/04"
 xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
 xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
 xmlns:b2="http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07"
 xmlns:t="http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12"
 xmlns:x="urn:vendor" requiredextensions="p s b v i" recommendedextensions="m">
<metadata name="Title">Base</metadata>
<metadata name="x:note" type="xs:string" preserve="1">text</metadata>
<resources>
<m:texture2d id="1" path="/3D/Textures/a.png" contenttype="image/png" tilestyleu="clamp"/>
<m:texture2d id="2" path="/3D/Textures/b.png" contenttype="image/png"/>
<m:pbmetallicdisplayproperties id="3"><m:pbmetallic name="steel" metallicness="1" roughness="0.5"/></m:pbmetallicdisplayproperties>
<m:translucentdisplayproperties id="4"><m:translucent name="glass" attenuation="1 1 1" refractiveindex="1 1 1"/></m:translucentdisplayproperties>
<m:pbmetallictexturedisplayproperties id="5" name="worn" metallictextureid="2" roughnesstextureid="2"/>
<basematerials id="6"><base name="PLA" displaycolor="#FF0000"/><base name="PETG" displaycolor="#00FF00FF"/></basematerials>
<m:colorgroup id="7"><m:color color="#FF0000"/><m:color color="#0000FF"/></m:colorgroup>
<m:colorgroup id="8" displaypropertiesid="3"><m:color color="#000000"/><m:color color="#FFFFFF"/></m:colorgroup>
<m:texture2dgroup id="9" texid="1" displaypropertiesid="5"><m:tex2coord u="0" v="0"/></m:texture2dgroup>
<m:compositematerials id="10" matid="6" matindices="0 1"><m:composite values="0.5 0.5"/></m:compositematerials>
<m:multiproperties id="11" pids="6 7 9" blendmethods="mix multiply"><m:multi pindices="0 1 0"/></m:multiproperties>
<object id="20" type="model" name="part" pid="6" pindex="0" thumbnail="/Metadata/part.png" p:UUID="00000000-0000-4000-8000-000000000020">
<metadatagroup><metadata name="x:kind">a</metadata></metadatagroup>
<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices>
<triangles><triangle v1="0" v2="2" v3="1" pid="7" p1="0" p2="1" p3="0"/><triangle v1="0" v2="1" v3="3" p1="1" p2="1"/>
<triangle v1="1" v2="2" v3="3" pid="8" p1="1"/><triangle v1="0" v2="3" v3="2"/></triangles>
<t:trianglesets><t:triangleset name="top" identifier="top"><t:ref index="0"/><t:refrange startindex="1" endindex="2"/></t:triangleset>
<t:triangleset name="side" identifier="side"/></t:trianglesets></mesh></object>
<object id="21" pid="6" pindex="0" p:UUID="00000000-0000-4000-8000-000000000021">
<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles/>
<b:beamlattice minlength="0.1" radius="0.2" clippingmode="inside" clippingmesh="20" b2:ballmode="mixed" b2:ballradius="0.3" cap="butt">
<b:beams><b:beam v1="0" v2="1" r1="0.1" r2="0.2" p1="0" p2="0"/><b:beam v1="1" v2="2"/></b:beams>
<b:beamsets><b:beamset name="one" identifier="one"><b:ref index="1"/><b2:ballref index="0"/></b:beamset><b:beamset name="two" identifier="two"/></b:beamsets>
<b2:balls><b2:ball vindex="1" p="1"/></b2:balls></b:beamlattice></mesh></object>
<s:slicestack id="30" zbottom="0"><s:slice ztop="1"><s:vertices><s:vertex x="0" y="0"/><s:vertex x="1" y="0"/><s:vertex x="0" y="1"/></s:vertices>
<s:polygon startv="0"><s:segment v2="1"/><s:segment v2="2" pid="7" p1="0" p2="1"/><s:segment v2="0"/></s:polygon></s:slice><s:slice ztop="2"/></s:slicestack>
<s:slicestack id="31"><s:sliceref slicestackid="1" slicepath="/2D/slices.model"/><s:sliceref slicestackid="2" slicepath="/2D/slices.model"/></s:slicestack>
<object id="22" s:slicestackid="30" s:meshresolution="lowres" p:UUID="00000000-0000-4000-8000-000000000022"><mesh>{tetrahedron}</mesh></object>
<object id="23" s:slicestackid="31" p:UUID="00000000-0000-4000-8000-000000000023"><mesh>{tetrahedron}</mesh></object>
<object id="24" p:UUID="00000000-0000-4000-8000-000000000024"><components>
<component objectid="22" transform="1 0 0 0 1 0 0.0 0. 1.00 5 0 0" p:UUID="00000000-0000-4000-8000-000000000124"/>
<component objectid="1" p:path="/3D/parts.model" p:UUID="00000000-0000-4000-8000-000000000224"/></components></object>
<object id="25" p:UUID="00000000-0000-4000-8000-000000000025"><mesh>{tetrahedron}</mesh><pa:alternatives>
<pa:alternative objectid="2" path="/3D/parts.model" UUID="00000000-0000-4000-8000-000000000125" modelresolution="fullres"/></pa:alternatives></object>
<object id="26" type="other" p:UUID="00000000-0000-4000-8000-000000000026"><mesh>{tetrahedron}</mesh></object>
<v:image3d id="40" name="image"><v:imagestack rowcount="1" columncount="2" sheetcount="2">
<v:imagesheet path="/3D/volumetric/1.png"/><v:imagesheet path="/3D/volumetric/2.png"/></v:imagestack></v:image3d>
<v:functionfromimage3d id="41" displayname="picture" image3did="40"/>
{function}
<v:volumedata id="44"><v:composite basematerialid="6"><v:materialmapping functionid="42" channel="shape"/><v:materialmapping functionid="42" channel="shape"/></v:composite>
<v:color functionid="41" channel="color"/><v:property name="x:density" functionid="42" channel="shape" required="false"/></v:volumedata>
<object id="45" p:UUID="00000000-0000-4000-8000-000000000045"><v:levelset functionid="42" channel="shape" meshid="20" volumeid="44"/></object>
</resources>
<build p:UUID="00000000-0000-4000-8000-000000000000">
<item objectid="24" transform="0 1 0 -1 0 0 0 0 1 5 0 0" p:UUID="00000000-0000-4000-8000-000000000001"/>
<item objectid="20" p:UUID="00000000-0000-4000-8000-000000000002"/>
</build>
</model>"##;

pub(super) const PARTS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
 xmlns:pa="http://schemas.microsoft.com/3dmanufacturing/production/alternatives/2021/04" requiredextensions="p">
<resources>
<object id="1" p:UUID="00000000-0000-4000-8000-000000000301"><mesh>{tetrahedron}</mesh></object>
<object id="2" p:UUID="00000000-0000-4000-8000-000000000302"><mesh>{tetrahedron}</mesh></object>
<object id="3" p:UUID="00000000-0000-4000-8000-000000000303"><components><component objectid="1" p:UUID="00000000-0000-4000-8000-000000000313"/></components></object>
</resources>
<build/>
</model>"#;

pub(super) const SLICES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter"
 xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" requiredextensions="s">
<resources>
<s:slicestack id="1"><s:slice ztop="1"><s:vertices><s:vertex x="0" y="0"/><s:vertex x="1" y="0"/><s:vertex x="0" y="1"/></s:vertices>
<s:polygon startv="0"><s:segment v2="1"/><s:segment v2="2"/><s:segment v2="0"/></s:polygon></s:slice></s:slicestack>
<s:slicestack id="2" zbottom="1"><s:slice ztop="2"/></s:slicestack>
</resources>
<build/>
</model>"#;

const MODEL_PART: &str = "3D/3dmodel.model";
const PARTS_PART: &str = "3D/parts.model";
const SLICES_PART: &str = "2D/slices.model";
const ROOT_RELS: &str = "_rels/.rels";
const RELS: &str = "3D/_rels/3dmodel.model.rels";
const TYPES_PART: &str = "[Content_Types].xml";

const fn fixture(name: &'static str, code: &'static str, edits: &'static [Edit]) -> Fixture {
    Fixture { name, code, edits }
}

/// A package that one replacement in the root model part makes.
macro_rules! model {
    ($name:literal, $code:literal, $from:expr, $to:expr) => {
        fixture($name, $code, &[Replace(MODEL_PART, $from, $to)])
    };
}

/// A package that one replacement in another part makes.
macro_rules! part {
    ($name:literal, $code:literal, $part:expr, $from:expr, $to:expr) => {
        fixture($name, $code, &[Replace($part, $from, $to)])
    };
}

/// Has the thumbnail of the package be a JPEG image.
const JPEG_TYPE: Edit = Replace(
    TYPES_PART,
    "<Override",
    "<Override PartName=\"/Metadata/thumbnail.png\" ContentType=\"image/jpeg\"/><Override",
);

/// End of relationships.
const END: &str = "</Relationships>";
/// Place between resources.
const LAST_OBJECT: &str = "<v:image3d id=\"40\"";

#[rustfmt::skip]
pub(super) const FIXTURES: &[Fixture] = &[
    // The package.
    fixture("text_for_a_package", "not_a_zip", &[File(b"solid cube")]),
    fixture("unknown_method", "unsupported_method", &[Entry(MODEL_PART, |entry| entry.method = 12)]),
    fixture("encrypted_part", "encrypted", &[Entry("Metadata/keep.txt", |entry| entry.flags = 1)]),
    fixture("part_twice", "duplicate_part", &[Add("METADATA/keep.txt", b"x")]),
    fixture("part_outside", "bad_path", &[Add("../keep.txt", b"x")]),
    fixture("part_with_a_period", "part_name", &[Add("Metadata/.txt", b"x")]),
    part!("no_start_part", "no_model", ROOT_RELS, "2013/01/3dmodel", "2013/01/model"),
    part!("two_start_parts", "no_model", ROOT_RELS, END, "<Relationship Id=\"r9\" Target=\"/3D/parts.model\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>"),
    part!("start_part_missing", "no_model", ROOT_RELS, "/3D/3dmodel.model", "/3D/model.model"),
    fixture("part_without_type", "unknown_type", &[Add("Metadata/keep.bin", b"x")]),
    part!("relationships_without_type", "unknown_type", TYPES_PART, "<Default Extension=\"rels\"", "<Override PartName=\"/_rels/.rels\""),
    part!("model_without_type", "unknown_type", TYPES_PART, "<Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>", "<Override PartName=\"/3D/parts.model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/><Override PartName=\"/2D/slices.model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>"),
    part!("two_types_of_an_extension", "duplicate_content_type", TYPES_PART, "</Types>", "<Default Extension=\"PNG\" ContentType=\"image/png\"/></Types>"),
    part!("model_of_another_type", "model_content_type", TYPES_PART, "<Override", "<Override PartName=\"/3D/parts.model\" ContentType=\"text/xml\"/><Override"),
    part!("external_texture", "external_relationship", RELS, END, "<Relationship Id=\"r9\" Target=\"http://example.org/a.png\" TargetMode=\"External\" Type=\"urn:a\"/></Relationships>"),
    part!("relationship_twice", "duplicate_relationship", RELS, END, "<Relationship Id=\"r9\" Target=\"Textures/a.png\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture\"/></Relationships>"),
    part!("relationship_id_twice", "relationship_id", RELS, "Id=\"r2\"", "Id=\"r1\""),
    part!("relationship_without_id", "relationship_id", RELS, "Id=\"r2\"", ""),
    fixture("thumbnail_missing", "missing_related_part", &[Remove("Metadata/thumbnail.png")]),
    fixture("print_ticket_missing", "missing_related_part", &[Remove("3D/Metadata/pt.xml")]),
    fixture("two_print_tickets", "print_ticket_count", &[
        Replace(RELS, END, "<Relationship Id=\"r9\" Target=\"/3D/Metadata/pt2.xml\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/printticket\"/></Relationships>"),
        Replace(TYPES_PART, "<Override", "<Override PartName=\"/3D/Metadata/pt2.xml\" ContentType=\"application/vnd.ms-printing.printticket+xml\"/><Override"),
        Add("3D/Metadata/pt2.xml", b"<ticket/>"),
    ]),
    part!("print_ticket_of_the_package", "print_ticket_source", ROOT_RELS, END, "<Relationship Id=\"r9\" Target=\"/3D/Metadata/pt.xml\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/printticket\"/></Relationships>"),
    part!("print_ticket_of_another_type", "print_ticket_type", TYPES_PART, "application/vnd.ms-printing.printticket+xml", "text/xml"),
    part!("preserved_by_the_model", "must_preserve_source", RELS, END, "<Relationship Id=\"r9\" Target=\"/Metadata/keep.txt\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/mustpreserve\"/></Relationships>"),
    fixture("thumbnail_of_text", "thumbnail_format", &[Add("Metadata/thumbnail.png", b"text")]),
    part!("thumbnail_of_another_type", "thumbnail_format", TYPES_PART, "<Override", "<Override PartName=\"/Metadata/thumbnail.png\" ContentType=\"image/gif\"/><Override"),
    part!("object_thumbnail_unrelated", "thumbnail_relationship", RELS, "/Metadata/part.png", "/Metadata/thumbnail.png"),
    fixture("thumbnail_of_the_other_type", "thumbnail_format", &[Add("Metadata/thumbnail.png", b"\xff\xd8\xff\xfe\x00\x04ab\xff\xd9")]),
    fixture("cmyk_thumbnail", "cmyk_jpeg", &[Add("Metadata/thumbnail.png", b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x04\x01\x11\x00\xff\xd9"), JPEG_TYPE]),
    fixture("texture_cut_off", "damaged_image", &[Add("3D/Textures/b.png", b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1I V\x00\x00\x00\x0bIDATx\xdac``\x04\x00\x00\x04\x00\x02,\xdeH\xad")]),
    fixture("texture_with_a_wrong_checksum", "damaged_image", &[Add("3D/Textures/b.png", b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1I V\x00\x00\x00\x0bIDATx\xdac`a\x04\x00\x00\x04\x00\x02,\xdeH\xad\x00\x00\x00\x00IEND\xaeB`\x82")]),
    fixture("sheet_cut_off", "damaged_image", &[Add("3D/volumetric/1.png", b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1I V\x00\x00\x00\x0bIDATx\xdac``\x04\x00\x00\x04")]),
    fixture("thumbnail_without_end", "damaged_image", &[Add("Metadata/thumbnail.png", b"\xff\xd8\xff\xfe\x00\x04ab"), JPEG_TYPE]),
    // XML.
    model!("element_not_closed", "xml", "</build>", ""),
    model!("encoding_utf_16", "xml", "UTF-8", "UTF-16"),
    model!("document_type", "entity", "<model ", "<!DOCTYPE a><model "),
    model!("space_before_declaration", "xml_declaration", "<?xml", "\n<?xml"),
    model!("prefix_of_an_attribute", "undeclared_prefix", "name=\"part\"", "name=\"part\" ms:a=\"1\""),
    model!("prefix_of_an_element", "undeclared_prefix", LAST_OBJECT, "<ms:a/><v:image3d id=\"40\""),
    model!("xml_space", "reserved_attribute", "<build ", "<build xml:space=\"preserve\" "),
    model!("xsi_type", "reserved_attribute", "<build ", "<build xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"1\" "),
    model!("material_in_the_build", "unexpected_element", "</build>", "<basematerials id=\"99\"/></build>"),
    model!("vendor_element_in_the_build", "unexpected_element", "</build>", "<x:a/></build>"),
    model!("colour_in_resources", "unexpected_element", "<m:color color=\"#FF0000\"/>", "<m:colour/><m:color color=\"#FF0000\"/>"),
    model!("unknown_attribute", "unexpected_attribute", "name=\"part\"", "name=\"part\" colour=\"red\""),
    model!("unknown_attribute_of_a_color", "unexpected_attribute", "color=\"#0000FF\"", "color=\"#0000FF\" name=\"blue\""),
    model!("attribute_of_no_specification", "unknown_name", "<object id=\"22\"", "<object id=\"22\" m:shade=\"1\""),
    model!("attribute_of_another_element", "unknown_name", "<t:trianglesets>", "<t:trianglesets p:UUID=\"00000000-0000-4000-8000-000000000999\">"),
    model!("volume_data_of_an_object_with_a_mesh", "unknown_name", "</resources>", "<object id=\"99\" v:volumeid=\"44\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"1\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\"/><triangle v1=\"1\" v2=\"2\" v3=\"3\"/><triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles></mesh></object></resources>"),
    model!("element_of_no_specification", "unknown_name", LAST_OBJECT, "<m:shades id=\"99\"/><v:image3d id=\"40\""),
    model!("model_without_build", "missing_element", "<build p:UUID=\"00000000-0000-4000-8000-000000000000\">\n<item objectid=\"24\" transform=\"0 1 0 -1 0 0 0 0 1 5 0 0\" p:UUID=\"00000000-0000-4000-8000-000000000001\"/>\n<item objectid=\"20\" p:UUID=\"00000000-0000-4000-8000-000000000002\"/>\n</build>", ""),
    part!("part_without_resources_and_build", "missing_element", PARTS_PART, "<build/>", ""),
    model!("color_group_without_colors", "missing_element", LAST_OBJECT, "<m:colorgroup id=\"99\"/><v:image3d id=\"40\""),
    model!("base_materials_without_base", "missing_element", LAST_OBJECT, "<basematerials id=\"99\"/><v:image3d id=\"40\""),
    model!("components_without_component", "missing_element", LAST_OBJECT, "<object id=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><components/></object><v:image3d id=\"40\""),
    model!("mesh_without_triangles", "missing_element", LAST_OBJECT, "<object id=\"99\" type=\"surface\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles/></mesh></object><v:image3d id=\"40\""),
    model!("two_builds", "repeated_element", "</build>", "</build><build p:UUID=\"00000000-0000-4000-8000-000000000999\"/>"),
    model!("two_lattices", "repeated_element", "<b2:balls><b2:ball vindex=\"1\" p=\"1\"/></b2:balls></b:beamlattice>", "<b2:balls><b2:ball vindex=\"1\" p=\"1\"/></b2:balls></b:beamlattice><b:beamlattice minlength=\"1\" radius=\"1\"><b:beams/></b:beamlattice>"),
    model!("metadata_at_the_end", "element_order", "</build>", "</build><metadata name=\"Designer\">a</metadata>"),
    model!("text_in_resources", "unexpected_text", "<resources>", "<resources>text"),
    model!("color_without_value", "missing_attribute", "<m:color color=\"#0000FF\"/>", "<m:color/>"),
    model!("texture_group_without_texture", "missing_attribute", "texid=\"1\"", ""),
    model!("composite_without_materials", "missing_attribute", "matid=\"6\"", ""),
    model!("composite_without_indices", "missing_attribute", "matindices=\"0 1\"", ""),
    model!("composite_without_values", "missing_attribute", "values=\"0.5 0.5\"", ""),
    model!("multi_without_indices", "missing_attribute", "pindices=\"0 1 0\"", ""),
    model!("texture_without_path", "missing_attribute", "path=\"/3D/Textures/b.png\"", ""),
    model!("texture_without_type", "missing_attribute", "contenttype=\"image/png\"", ""),
    model!("base_without_color", "missing_attribute", "displaycolor=\"#FF0000\"", ""),
    model!("metadata_without_name", "missing_attribute", "name=\"Title\"", ""),
    model!("item_without_object", "missing_attribute", "<item objectid=\"20\"", "<item"),
    model!("lattice_without_radius", "missing_attribute", "radius=\"0.2\" ", ""),
    model!("slice_without_height", "missing_attribute", "ztop=\"2\"", ""),
    model!("alternative_without_uuid", "missing_attribute", "UUID=\"00000000-0000-4000-8000-000000000125\"", ""),
    model!("unit_with_space", "invalid_value", "unit=\"millimeter\"", "unit=\" millimeter\""),
    model!("radius_with_a_no_break_space", "invalid_value", "radius=\"0.2\"", "radius=\"\u{a0}0.2\""),
    model!("function_of_an_image_without_tiles", "invalid_value", "image3did=\"40\"", "image3did=\"40\" tilestyleu=\"none\""),
    model!("color_with_name", "invalid_value", "color=\"#0000FF\"", "color=\"blue\""),
    model!("path_without_slash", "invalid_value", "path=\"/3D/Textures/b.png\"", "path=\"3D/Textures/b.png\""),
    model!("texture_of_a_gif", "invalid_value", "contenttype=\"image/png\"", "contenttype=\"image/gif\""),
    model!("metadata_without_local_name", "invalid_value", "name=\"x:note\"", "name=\"x:\""),
    model!("metadata_with_an_empty_prefix", "invalid_value", "name=\"x:note\"", "name=\":note\""),
    model!("property_without_local_name", "invalid_value", "name=\"x:density\"", "name=\"x:\""),
    model!("triangle_set_with_spaces", "invalid_value", "identifier=\"side\"", "identifier=\"left side\""),
    model!("numbers_with_bare_points", "invalid_value", "<vertex x=\"0\" y=\"1\" z=\"0\"/>", "<vertex x=\"0.\" y=\"1.\" z=\"0\"/>"),
    model!("uuid_without_hyphens", "invalid_value", "00000000-0000-4000-8000-000000000020", "00000000000040008000000000000020"),
    model!("pids_with_commas", "invalid_value", "pids=\"6 7 9\" blendmethods=\"mix multiply\"", "pids=\"6,7,9\""),
    model!("blend_method_add", "invalid_value", "mix multiply", "mix add"),
    model!("radius_negative", "invalid_value", "radius=\"0.2\"", "radius=\"-0.2\""),
    part!("child_part_not_closed", "xml", PARTS_PART, "<build/>", "<build>"),
    fixture("part_of_no_use_not_closed", "broken_part", &[Add("3D/other.model", b"<model>")]),
    // Model.
    model!("required_extension_undeclared", "unknown_extension", "\"p s b v i\"", "\"p s b v i q\""),
    part!("extension_of_a_part_undeclared", "unknown_extension", PARTS_PART, "requiredextensions=\"p\"", "requiredextensions=\"p q\""),
    model!("required_and_recommended", "required_and_recommended", "recommendedextensions=\"m\"", "recommendedextensions=\"m p\""),
    fixture("color_group_after_its_use", "forward_reference", &[
        Replace(MODEL_PART, "pid=\"7\" p1=\"0\" p2=\"1\" p3=\"0\"", "pid=\"99\" p1=\"0\""),
        Replace(MODEL_PART, LAST_OBJECT, "<m:colorgroup id=\"99\"><m:color color=\"#000000\"/></m:colorgroup><v:image3d id=\"40\""),
    ]),
    model!("texture_missing", "dangling_reference", "texid=\"1\"", "texid=\"99\""),
    model!("display_properties_missing", "dangling_reference", "displaypropertiesid=\"3\"", "displaypropertiesid=\"99\""),
    model!("layer_missing", "dangling_reference", "pids=\"6 7 9\"", "pids=\"6 7 99\""),
    model!("clipping_mesh_missing", "dangling_reference", "clippingmesh=\"20\"", "clippingmesh=\"99\""),
    model!("slice_stack_missing", "dangling_reference", "s:slicestackid=\"30\"", "s:slicestackid=\"99\""),
    model!("object_of_a_part_missing", "dangling_reference", "objectid=\"1\" p:path", "objectid=\"9\" p:path"),
    model!("texture_for_a_color_group", "resource_kind_mismatch", "texid=\"1\"", "texid=\"7\""),
    model!("composite_of_colors", "resource_kind_mismatch", "matid=\"6\"", "matid=\"7\""),
    model!("properties_of_a_texture", "resource_kind_mismatch", "pid=\"8\" p1=\"1\"", "pid=\"1\""),
    model!("slices_of_colors", "resource_kind_mismatch", "s:slicestackid=\"30\"", "s:slicestackid=\"7\""),
    model!("metadata_of_no_specification", "metadata_name", "name=\"Title\"", "name=\"Subject\""),
    model!("metadata_prefix_undeclared", "metadata_prefix", "name=\"x:note\"", "name=\"y:note\""),
    model!("metadata_prefix_of_core", "metadata_prefix", "<metadata name=\"x:note\"", "<metadata xmlns:y=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" name=\"y:note\""),
    model!("metadata_prefix_of_metadata", "metadata_prefix", "<metadata name=\"x:note\"", "<metadata xmlns:y=\"urn:other\" name=\"y:note\""),
    model!("metadata_prefix_of_a_group", "metadata_prefix", "<metadatagroup><metadata name=\"x:kind\"", "<metadatagroup xmlns:y=\"urn:other\"><metadata name=\"y:kind\""),
    model!("metadata_type_unknown", "metadata_type", "xs:string", "xs:text"),
    model!("metadata_twice", "duplicate_metadata", "<metadata name=\"Title\">", "<metadata name=\"Title\">A</metadata><metadata name=\"Title\">"),
    model!("metadata_twice_in_a_group", "duplicate_metadata", "<metadata name=\"x:kind\">", "<metadata name=\"x:kind\">A</metadata><metadata name=\"x:kind\">"),
    model!("id_twice", "duplicate_id", LAST_OBJECT, "<m:colorgroup id=\"7\"><m:color color=\"#000000\"/></m:colorgroup><v:image3d id=\"40\""),
    part!("id_twice_in_a_part", "duplicate_id", PARTS_PART, "<object id=\"3\"", "<object id=\"2\""),
    model!("component_of_type_other", "not_buildable", "<object id=\"22\"", "<object id=\"22\" type=\"other\""),
    model!("item_of_type_other", "not_buildable", "<item objectid=\"20\"", "<item objectid=\"26\""),
    // Objects.
    model!("object_without_shape", "invalid_structure", LAST_OBJECT, "<object id=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000099\"/><v:image3d id=\"40\""),
    model!("index_without_group", "pindex_without_pid", "<object id=\"22\"", "<object id=\"22\" pindex=\"0\""),
    model!("components_with_group", "components_with_properties", "<object id=\"24\"", "<object id=\"24\" pid=\"6\" pindex=\"0\""),
    model!("no_default_index", "no_default_property", "pid=\"6\" pindex=\"0\" thumbnail", "pid=\"6\" thumbnail"),
    model!("object_index_too_large", "property_index", "pid=\"6\" pindex=\"0\" thumbnail", "pid=\"6\" pindex=\"2\" thumbnail"),
    model!("triangle_index_too_large", "property_index", "p1=\"0\" p2=\"1\" p3=\"0\"", "p1=\"0\" p2=\"2\" p3=\"0\""),
    model!("layer_index_too_large", "property_index", "pindices=\"0 1 0\"", "pindices=\"0 2 0\""),
    model!("segment_index_too_large", "property_index", "pid=\"7\" p1=\"0\" p2=\"1\"/><s:segment", "pid=\"7\" p1=\"0\" p2=\"2\"/><s:segment"),
    model!("triangle_missing", "open_edge", "<triangle v1=\"1\" v2=\"2\" v3=\"3\" pid=\"8\" p1=\"1\"/>", ""),
    part!("triangle_missing_in_a_part", "open_edge", PARTS_PART, "<triangle v1=\"1\" v2=\"2\" v3=\"3\"/>", ""),
    model!("triangle_reversed", "orientation", "<triangle v1=\"1\" v2=\"2\" v3=\"3\" pid", "<triangle v1=\"1\" v2=\"3\" v3=\"2\" pid"),
    model!("mesh_inside_out", "inverted_mesh", "<vertex x=\"0\" y=\"0\" z=\"1\"/></vertices>\n", "<vertex x=\"0\" y=\"0\" z=\"-1\"/></vertices>\n"),
    model!("vertex_missing", "unknown_vertex", "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles>\n", "<triangle v1=\"0\" v2=\"4\" v3=\"2\"/></triangles>\n"),
    part!("vertex_missing_in_a_part", "unknown_vertex", PARTS_PART, "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/>", "<triangle v1=\"0\" v2=\"4\" v3=\"2\"/>"),
    model!("triangle_of_two_vertices", "degenerate_triangle", "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles>\n", "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/><triangle v1=\"0\" v2=\"0\" v3=\"1\"/></triangles>\n"),
    model!("gradient_of_materials", "material_gradient", "p1=\"1\" p2=\"1\"", "p1=\"1\" p2=\"0\""),
    model!("triangle_set_twice", "triangle_set_identifier", "identifier=\"side\"", "identifier=\"top\""),
    model!("triangle_set_without_name", "triangle_set_identifier", "name=\"side\"", "name=\"\""),
    model!("triangle_of_a_set_missing", "triangle_reference", "<t:ref index=\"0\"/>", "<t:ref index=\"4\"/>"),
    model!("range_of_triangles_reversed", "triangle_reference", "startindex=\"1\" endindex=\"2\"", "startindex=\"2\" endindex=\"1\""),
    model!("component_of_itself", "recursive_object", LAST_OBJECT, "<object id=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><components><component objectid=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000199\"/></components></object><v:image3d id=\"40\""),
    // Materials.
    model!("composite_of_a_missing_material", "composite_index", "matindices=\"0 1\"", "matindices=\"0 2\""),
    fixture("two_materials", "multi_materials", &[
        Replace(MODEL_PART, "pids=\"6 7 9\"", "pids=\"6 10 9\""),
        Replace(MODEL_PART, "pindices=\"0 1 0\"", "pindices=\"0 0 0\""),
    ]),
    model!("material_second", "multi_material_first", "pids=\"6 7 9\"", "pids=\"7 6 9\""),
    model!("two_color_groups", "multi_colors", "pids=\"6 7 9\"", "pids=\"6 7 8\""),
    model!("multiproperties_in_multiproperties", "multi_nested", LAST_OBJECT, "<m:multiproperties id=\"99\" pids=\"11\"><m:multi pindices=\"0\"/></m:multiproperties><v:image3d id=\"40\""),
    model!("blend_method_of_the_first_layer", "blend_methods", "mix multiply", "mix mix multiply"),
    fixture("texture_part_missing", "missing_part", &[
        Replace(MODEL_PART, "path=\"/3D/Textures/b.png\"", "path=\"/3D/Textures/c.png\""),
    ]),
    model!("object_thumbnail_missing", "missing_part", "thumbnail=\"/Metadata/part.png\"", "thumbnail=\"/Metadata/none.png\""),
    model!("path_to_nothing", "missing_part", "path=\"/3D/parts.model\" p:UUID", "path=\"/3D/none.model\" p:UUID"),
    part!("texture_unrelated", "texture_relationship", RELS, "Target=\"/3D/Textures/b.png\"", "Target=\"/Metadata/keep.txt\""),
    part!("sheet_unrelated", "texture_relationship", RELS, "Target=\"/3D/volumetric/1.png\"", "Target=\"/Metadata/keep.txt\""),
    model!("texture_of_another_type", "texture_content_type", "contenttype=\"image/png\"", "contenttype=\"image/jpeg\""),
    fixture("texture_of_text", "texture_content_type", &[Add("3D/Textures/b.png", b"text")]),
    model!("texture_of_a_metal", "display_properties_kind", "texid=\"1\" displaypropertiesid=\"5\"", "texid=\"1\" displaypropertiesid=\"3\""),
    model!("color_of_glass", "display_properties_kind", "displaypropertiesid=\"3\"", "displaypropertiesid=\"4\""),
    model!("gradient_of_metals", "display_gradient", "pid=\"8\" p1=\"1\"", "pid=\"8\" p1=\"1\" p2=\"0\""),
    model!("tiles_of_the_roughness", "texture_addressing", "path=\"/3D/Textures/b.png\"", "path=\"/3D/Textures/b.png\" tilestyleu=\"wrap\""),
    // Production.
    model!("build_without_uuid", "missing_uuid", "<build p:UUID=\"00000000-0000-4000-8000-000000000000\"", "<build"),
    model!("item_without_uuid", "missing_uuid", "<item objectid=\"20\" p:UUID=\"00000000-0000-4000-8000-000000000002\"", "<item objectid=\"20\""),
    model!("object_without_uuid", "missing_uuid", " p:UUID=\"00000000-0000-4000-8000-000000000020\"", ""),
    model!("component_without_uuid", "missing_uuid", " p:UUID=\"00000000-0000-4000-8000-000000000124\"", ""),
    part!("object_of_a_part_without_uuid", "missing_uuid", PARTS_PART, " p:UUID=\"00000000-0000-4000-8000-000000000301\"", ""),
    part!("uuid_twice", "duplicate_uuid", PARTS_PART, "00000000-0000-4000-8000-000000000301", "00000000-0000-4000-8000-000000000020"),
    model!("production_not_required", "required_extension", "\"p s b v i\"", "\"s b v i\""),
    model!("slices_not_required", "required_extension", "\"p s b v i\"", "\"p b v i\""),
    model!("lattice_not_required", "required_extension", "\"p s b v i\"", "\"p s v i\""),
    model!("level_set_not_required", "required_extension", "\"p s b v i\"", "\"p s b i\""),
    part!("path_in_a_part", "path_in_child_part", PARTS_PART, "<component objectid=\"1\"", "<component objectid=\"2\" p:path=\"/3D/parts.model\""),
    part!("part_unrelated", "model_relationship", RELS, "/3D/parts.model\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel", "/3D/parts.model\" Type=\"urn:other"),
    part!("part_of_the_package", "model_relationship", ROOT_RELS, END, "<Relationship Id=\"r9\" Target=\"/3D/parts.model\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/mustpreserve\"/></Relationships>"),
    part!("alternative_with_alternatives", "nested_alternative", PARTS_PART, "</mesh></object>\n<object id=\"3\"", "</mesh><pa:alternatives><pa:alternative objectid=\"1\" UUID=\"00000000-0000-4000-8000-000000000333\"/></pa:alternatives></object>\n<object id=\"3\""),
    part!("items_in_a_part", "build_in_child_part", PARTS_PART, "<build/>", "<build><item objectid=\"1\"/></build>"),
    // Slices.
    model!("stack_of_slices_and_stacks", "slice_stack_content", "slicepath=\"/2D/slices.model\"/></s:slicestack>", "slicepath=\"/2D/slices.model\"/><s:slice ztop=\"9\"/></s:slicestack>"),
    fixture("stack_of_stacks_of_stacks", "slice_reference", &[
        Replace(SLICES_PART, "<s:slice ztop=\"2\"/>", "<s:sliceref slicestackid=\"30\" slicepath=\"/3D/3dmodel.model\"/>"),
        Add("2D/_rels/slices.model.rels", b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" Target=\"/3D/3dmodel.model\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>"),
    ]),
    model!("stack_of_its_own_part", "slice_reference", "<s:sliceref slicestackid=\"2\" slicepath=\"/2D/slices.model\"/>", "<s:sliceref slicestackid=\"30\" slicepath=\"/3D/3dmodel.model\"/>"),
    model!("stack_of_a_part_missing", "slice_reference", "slicestackid=\"2\"", "slicestackid=\"9\""),
    model!("slices_descend", "slice_order", "ztop=\"2\"", "ztop=\"0.5\""),
    model!("slice_below_the_bottom", "slice_order", "zbottom=\"0\"", "zbottom=\"1.5\""),
    part!("stacks_overlap", "slice_order", SLICES_PART, "zbottom=\"1\"><s:slice ztop=\"2\"/>", "zbottom=\"0\"><s:slice ztop=\"1\"/>"),
    model!("vertices_without_polygon", "slice_content", "<s:slice ztop=\"2\"/>", "<s:slice ztop=\"2\"><s:vertices><s:vertex x=\"0\" y=\"0\"/><s:vertex x=\"1\" y=\"0\"/></s:vertices></s:slice>"),
    model!("polygon_without_vertices", "slice_content", "<s:slice ztop=\"2\"/>", "<s:slice ztop=\"2\"><s:polygon startv=\"0\"><s:segment v2=\"1\"/><s:segment v2=\"0\"/></s:polygon></s:slice>"),
    model!("polygon_of_a_missing_vertex", "slice_vertex", "<s:segment v2=\"1\"/>", "<s:segment v2=\"3\"/>"),
    model!("segment_of_one_vertex", "slice_segment", "<s:segment v2=\"1\"/>", "<s:segment v2=\"1\"/><s:segment v2=\"1\"/>"),
    model!("polygon_not_closed", "open_polygon", "<s:segment v2=\"0\"/>", ""),
    part!("polygon_of_a_part_not_closed", "open_polygon", SLICES_PART, "<s:segment v2=\"0\"/>", ""),
    model!("segment_with_texture", "slice_texture", "pid=\"7\" p1=\"0\" p2=\"1\"/><s:segment", "pid=\"9\" p1=\"0\" p2=\"0\"/><s:segment"),
    model!("segment_with_a_layer_of_texture", "slice_texture", "pid=\"7\" p1=\"0\" p2=\"1\"/><s:segment", "pid=\"11\" p1=\"0\" p2=\"0\"/><s:segment"),
    model!("sliced_object_tilted", "nonplanar_transform", "1 0 0 0 1 0 0.0 0. 1.00 5 0 0", "1 0 0.1 0 1 0 0.0 0. 1.00 5 0 0"),
    model!("sliced_object_scaled", "nonplanar_transform", "1 0 0 0 1 0 0.0 0. 1.00 5 0 0", "1 0 0 0 1 0 0 0 1.5 5 0 0"),
    model!("sliced_object_with_a_sign", "nonplanar_transform", "0 1 0 -1 0 0 0 0 1 5 0 0", "0 1 -0 -1 0 0 0 0 1 5 0 0"),
    // Beam lattices.
    model!("lattice_of_a_support", "lattice_object_type", "<object id=\"21\"", "<object id=\"21\" type=\"support\""),
    model!("clipped_by_nothing", "clipping_mesh", "clippingmesh=\"20\" ", ""),
    model!("clipped_by_itself", "recursive_object", "clippingmesh=\"20\"", "clippingmesh=\"21\""),
    fixture("clipped_by_a_surface", "lattice_mesh", &[Replace(MODEL_PART, "<object id=\"20\" type=\"model\"", "<object id=\"20\" type=\"surface\"")]),
    model!("no_default_of_beams", "no_default_beam_property", "<object id=\"21\" pid=\"6\" pindex=\"0\"", "<object id=\"21\" pid=\"6\""),
    model!("balls_without_radius", "ball_radius", " b2:ballradius=\"0.3\"", ""),
    model!("second_radius_alone", "beam_radius", "r1=\"0.1\" ", ""),
    model!("beam_of_one_vertex", "beam_vertex", "<b:beam v1=\"1\" v2=\"2\"/>", "<b:beam v1=\"1\" v2=\"2\"/><b:beam v1=\"2\" v2=\"2\"/>"),
    model!("beam_of_a_missing_vertex", "beam_vertex", "<b:beam v1=\"1\" v2=\"2\"/>", "<b:beam v1=\"1\" v2=\"3\"/>"),
    model!("beam_of_two_materials", "beam_gradient", "p1=\"0\" p2=\"0\"", "p1=\"0\" p2=\"1\""),
    model!("ball_at_no_beam", "ball_vertex", "<b:beam v1=\"0\" v2=\"1\" r1=\"0.1\" r2=\"0.2\" p1=\"0\" p2=\"0\"/><b:beam v1=\"1\" v2=\"2\"/>", "<b:beam v1=\"0\" v2=\"2\" p1=\"0\"/><b:beam v1=\"2\" v2=\"0\"/>"),
    model!("beam_set_twice", "beam_set_identifier", "identifier=\"two\"", "identifier=\"one\""),
    model!("beam_of_a_set_missing", "beam_reference", "<b:ref index=\"1\"/>", "<b:ref index=\"2\"/>"),
    model!("ball_of_a_set_missing", "beam_reference", "<b2:ballref index=\"0\"/>", "<b2:ballref index=\"1\"/>"),
    // Volumetric and implicit.
    fixture("sheet_of_text", "invalid_image", &[Add("3D/volumetric/1.png", b"text")]),
    model!("sheet_of_another_size", "image_size", "rowcount=\"1\" columncount=\"2\"", "rowcount=\"2\" columncount=\"2\""),
    fixture("function_without_position", "no_position", &[
        Replace(MODEL_PART, "<v:volumedata", "<i:implicitfunction id=\"46\" displayname=\"g\"><i:in><i:scalar identifier=\"q\"/></i:in><i:out><i:scalarref identifier=\"shape\" ref=\"inputs.q\"/></i:out></i:implicitfunction><v:volumedata"),
        Replace(MODEL_PART, "functionid=\"42\" channel=\"shape\" meshid", "functionid=\"46\" channel=\"shape\" meshid"),
    ]),
    model!("node_without_an_input", "missing_input", "<v:volumedata", "<i:implicitfunction id=\"46\" displayname=\"g\"><i:in><i:scalar identifier=\"q\"/></i:in><i:subtraction identifier=\"s\"><i:in><i:scalarref identifier=\"A\" ref=\"inputs.q\"/></i:in><i:out><i:scalar identifier=\"result\"/></i:out></i:subtraction><i:out/></i:implicitfunction><v:volumedata"),
    model!("call_without_an_input", "missing_input", "<v:volumedata", "<i:implicitfunction id=\"46\" displayname=\"g\"><i:in/><i:constresourceid identifier=\"r\" value=\"42\"><i:out><i:resourceid identifier=\"value\"/></i:out></i:constresourceid><i:functioncall identifier=\"call\"><i:in><i:resourceref identifier=\"functionID\" ref=\"r.value\"/></i:in><i:out/></i:functioncall><i:out/></i:implicitfunction><v:volumedata"),
    model!("function_that_calls_itself", "recursive_call", "<v:volumedata", "<i:implicitfunction id=\"46\" displayname=\"g\"><i:in><i:vector identifier=\"pos\"/></i:in><i:constresourceid identifier=\"r\" value=\"46\"><i:out><i:resourceid identifier=\"value\"/></i:out></i:constresourceid><i:functioncall identifier=\"call\"><i:in><i:resourceref identifier=\"functionID\" ref=\"r.value\"/><i:vectorref identifier=\"pos\" ref=\"inputs.pos\"/></i:in><i:out/></i:functioncall><i:out/></i:implicitfunction><v:volumedata"),
    model!("node_of_itself", "cycle", "<v:volumedata", "<i:implicitfunction id=\"46\" displayname=\"g\"><i:in><i:vector identifier=\"pos\"/></i:in><i:abs identifier=\"a\"><i:in><i:scalarref identifier=\"A\" ref=\"a.result\"/></i:in><i:out><i:scalar identifier=\"result\"/></i:out></i:abs><i:out/></i:implicitfunction><v:volumedata"),
    fixture("sheet_of_other_channels", "image_layout", &[Add("3D/volumetric/2.png", b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00\x7b\x40\xe8\xdd\x00\x00\x00\x0f\x49\x44\x41\x54\x78\x9c\x63\x60\x64\x62\x66\x61\x65\x03\x00\x00\x3f\x00\x16\x21\xba\xd4\x54\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82")]),
    fixture("no_content_types", "no_content_types", &[Remove(TYPES_PART)]),
    model!("channel_missing", "unknown_channel", "channel=\"shape\" meshid", "channel=\"other\" meshid"),
    model!("level_set_of_a_color", "type_mismatch", "functionid=\"42\" channel=\"shape\" meshid", "functionid=\"41\" channel=\"color\" meshid"),
    model!("volume_data_of_an_object", "volume_data_owner", "</resources>", "<object id=\"99\" v:volumeid=\"44\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><components><component objectid=\"22\" p:UUID=\"00000000-0000-4000-8000-000000000199\"/></components></object></resources>"),
    model!("volume_data_of_components", "volume_data_owner", "</resources>", "<object id=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><components v:volumeid=\"44\"><component objectid=\"22\" p:UUID=\"00000000-0000-4000-8000-000000000199\"/></components></object></resources>"),
    model!("volume_data_of_a_component", "volume_data_owner", "</resources>", "<object id=\"99\" p:UUID=\"00000000-0000-4000-8000-000000000099\"><components><component objectid=\"22\" v:volumeid=\"44\" p:UUID=\"00000000-0000-4000-8000-000000000199\"/></components></object></resources>"),
    model!("material_not_mapped", "material_mapping_count", "<v:materialmapping functionid=\"42\" channel=\"shape\"/>", ""),
    model!("property_with_a_prefix_of_its_own", "property_name", "<v:property name=\"x:density\"", "<v:property xmlns:y=\"urn:other\" name=\"y:density\""),
    model!("property_without_prefix", "property_name", "x:density", "density"),
];
