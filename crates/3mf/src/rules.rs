//! Table of the rules of the specifications: code, clause, severity and sentence.
//!
//! A rule is a sentence with MUST or MUST NOT of the specifications that a file can break. Rules about the work of producers
//! and consumers, which a file does not show, have no row. Every row has a package in the tests that breaks only it.

/// Consequence of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is rejected.
    Error,
    /// A rule of the specifications is broken; the file is read all the same.
    Violation,
    /// An unambiguous mistake that was repaired.
    Repair,
    /// Allowed, but probably not intended.
    Warning,
}

impl Severity {
    /// Name of the severity.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Violation => "violation",
            Severity::Repair => "repair",
            Severity::Warning => "warning",
        }
    }
}

/// A rule of the specifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable code of its findings.
    pub code: &'static str,
    /// Specification and clause: `core 4.1.4.1`.
    pub clause: &'static str,
    /// Severity of its findings; it is [`Severity::Error`] where the reader cannot go on without what is asked.
    pub severity: Severity,
    /// The rule as a sentence about a file.
    pub sentence: &'static str,
}

const fn must(code: &'static str, clause: &'static str, sentence: &'static str) -> Rule {
    Rule {
        code,
        clause,
        severity: Severity::Violation,
        sentence,
    }
}

const fn fatal(code: &'static str, clause: &'static str, sentence: &'static str) -> Rule {
    Rule {
        code,
        clause,
        severity: Severity::Error,
        sentence,
    }
}

const fn should(code: &'static str, clause: &'static str, sentence: &'static str) -> Rule {
    Rule {
        code,
        clause,
        severity: Severity::Warning,
        sentence,
    }
}

/// All rules, by specification and clause.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // The package.
    fatal("not_a_zip", "core 1.1", "A file is a ZIP archive."),
    fatal("unsupported_method", "core 1.1", "Parts are deflated or stored."),
    fatal("encrypted", "core 1.1", "Parts are not encrypted by the archive."),
    fatal("duplicate_part", "core 1.1", "The names of two parts differ in more than case."),
    fatal("bad_path", "core 2.2.3", "Names of parts are those of the Open Packaging Conventions."),
    must("part_name", "core 2.2.3", "The last segment of a part's name does not begin with a period."),
    fatal("no_model", "core 2.1.1", "One StartPart relationship of the package leads to its 3D model part."),
    must("no_content_types", "core 1.1", "A package has the part [Content_Types].xml."),
    must("unknown_type", "core 2.1.1", "Each part has a content type."),
    must("duplicate_content_type", "core 1.1", "An extension or part has one content type."),
    must("model_content_type", "core C.1", "The content type of a 3D model part is application/vnd.ms-package.3dmanufacturing-3dmodel+xml."),
    must("external_relationship", "core 2.1.1", "Nothing outside of the package is referred to."),
    must("duplicate_relationship", "core 2.1.1", "There is one relationship of a type from one part to another."),
    must("relationship_id", "core 1.1", "Each relationship of a part has an Id of its own."),
    must("missing_related_part", "core 2.1.1", "The parts that StartPart, Thumbnail, PrintTicket, MustPreserve and 3D Texture relationships lead to are in the package."),
    must("print_ticket_count", "core 2.1.4", "A 3D model part has at most one PrintTicket."),
    must("print_ticket_source", "core 2.1.4", "PrintTickets belong to 3D model parts."),
    must("print_ticket_type", "core C.1", "The content type of a PrintTicket is application/vnd.ms-printing.printticket+xml."),
    must("must_preserve_source", "core 2.1.5", "MustPreserve relationships are those of the package."),
    must("thumbnail_format", "core 2.1.3, 6.1", "Thumbnails are JPEG or PNG images, and have the content type of their format."),
    must("thumbnail_relationship", "core 2.1.3", "The model part has a Thumbnail relationship to each object thumbnail."),
    must("cmyk_jpeg", "core 6.1.1", "JPEG images are not CMYK."),
    must("damaged_image", "core 6.1.1, 6.1.2", "Thumbnails, textures and image sheets are whole: PNG images have their chunks, with right checksums, from IHDR over IDAT to IEND and nothing after it, JPEG images their end."),
    // XML.
    fatal("xml", "core 2.3.2", "XML is well-formed and encoded as UTF-8."),
    fatal("entity", "core 2.3.2", "XML has no document type declaration."),
    must("xml_declaration", "core 2.3.2", "Nothing precedes the XML declaration."),
    must("undeclared_prefix", "core 2.3.3.1", "The prefixes of elements and attributes are declared."),
    must("reserved_attribute", "core 2.3.2, 2.3.4", "There are no attributes xml:space or of the namespaces xml and xsi, except for xml:lang of <model>."),
    must("unexpected_element", "core 2.3.2", "Elements stand where their schema allows them."),
    must("unexpected_attribute", "core 2.3.2, 2.3.3.1", "Attributes without a prefix are those of the schema of their element."),
    should("unknown_name", "core 2.3.2", "Elements and attributes of the namespace of an extension are those that it defines there; others are ignored."),
    must("missing_element", "core 2.3.2", "Elements that the schema requires are there, as often as it requires."),
    must("repeated_element", "core 2.3.2", "Elements are there at most as often as the schema allows."),
    must("element_order", "core 2.3.2", "Elements have the order of their schema."),
    must("unexpected_text", "core 2.3.2", "Text stands only where the schema allows it."),
    must("missing_attribute", "core 2.3.2", "Attributes that the schema requires are there."),
    must("invalid_value", "core 2.3.2", "The value of an attribute is of the type of its schema."),
    must("broken_part", "core 2.3.2", "Every 3D model part of the package can be read."),
    // Model.
    must("unknown_extension", "core 3.4", "The prefixes of requiredextensions and recommendedextensions are declared."),
    must("required_and_recommended", "core 3.4", "A required extension is not recommended at the same time."),
    must("forward_reference", "core 3.4", "What is referred to precedes the reference."),
    must("dangling_reference", "core 3.4", "What is referred to is in the part."),
    must("resource_kind_mismatch", "core 3.4", "A reference leads to a resource of the kind that its attribute takes."),
    must("metadata_name", "core 3.4.1", "Metadata without a prefix has a name that the specification defines."),
    must("metadata_prefix", "core 3.4.1", "The prefix of a metadata name is declared on <model>, and not for its default namespace."),
    must("metadata_type", "core 3.4.1", "The type of metadata is a built-in simple type of XML Schema."),
    must("duplicate_metadata", "core 3.4.1", "Metadata of one place has different names."),
    fatal("duplicate_id", "core 3.4.2", "The ids of resources are unique."),
    must("not_buildable", "core 3.4.3.1", "Objects of the type other are not built, directly or as components."),
    // Objects.
    fatal("invalid_structure", "core 4", "An object has one shape."),
    must("pindex_without_pid", "core 4", "An object with pindex has pid."),
    must("components_with_properties", "core 4", "An object of components has neither pid nor pindex."),
    must("no_default_property", "core 4", "An object with triangles that have properties has pid and pindex."),
    must("property_index", "core 4.1.4.1", "The index of a property is less than the number of properties of its group."),
    must("open_edge", "core 4.1", "Each edge of the mesh of a model or solidsupport belongs to two triangles."),
    must("orientation", "core 4.1", "Triangles at an edge of such a mesh run along it in opposite directions."),
    must("inverted_mesh", "core 4.1", "The triangles of such a mesh face outwards."),
    fatal("unknown_vertex", "core 4.1.4.1", "Vertices of triangles are in the mesh."),
    must("degenerate_triangle", "core 4.1.4.1", "The vertices of a triangle are distinct."),
    must("material_gradient", "core 4.1.4.1", "The properties of a triangle, of a group of base materials, are equal."),
    must("triangle_set_identifier", "core 4.1.5.1", "The identifiers of triangle sets are unique in the mesh, and neither they nor names are empty."),
    must("triangle_reference", "core 4.1.5.2", "Triangle sets refer to triangles of their mesh."),
    fatal("recursive_object", "core 4.2", "No object is a component of itself."),
    // Materials.
    must("composite_index", "materials 4", "The indices of a composite are those of materials in its group."),
    must("multi_materials", "materials 5", "Multiproperties have at most one group of materials."),
    must("multi_material_first", "materials 5", "The group of materials is the first of multiproperties."),
    must("multi_colors", "materials 5", "Multiproperties have at most one colour group."),
    must("multi_nested", "materials 5", "Multiproperties have no multiproperties as a layer."),
    must("blend_methods", "materials 5", "Multiproperties have fewer blend methods than layers."),
    must("missing_part", "materials 6, core 4, production 3.1", "A path leads to a part of the package."),
    must("texture_relationship", "materials 6, volumetric 3.2.2", "The model part has a 3D Texture relationship to each of its textures and image sheets."),
    must("texture_content_type", "materials 6", "The content type of a texture is that of its part, and its bytes are of it."),
    must("display_properties_kind", "materials 7, 7.5, 3", "Texture groups have display properties of textures, other groups those without textures; translucent ones belong to materials."),
    must("display_gradient", "materials 7", "The properties of a triangle, of a group with display properties, are equal."),
    must("texture_addressing", "materials 7.3, 7.4", "The textures of display properties leave out tile styles and filter, or have those of the texture of the group."),
    // Production.
    must("missing_uuid", "production 4.1, 4.1.1, 4.2, 4.2.1", "If the production extension is required, the build, items, objects and components have a UUID."),
    must("duplicate_uuid", "production 4", "UUIDs are unique."),
    must("required_extension", "production 1, slice 2, beam lattice 1, volumetric 1", "Extensions are required that a file cannot be read without: production for paths, slice for meshes of low resolution, beam lattices and level sets."),
    must("path_in_child_part", "production 2, 3.2, 4.2.2.1", "Only the root model part has paths to others."),
    must("model_relationship", "production 3.3, slice 1", "A model part has a relationship to each model part that it refers to, and every model part is the target of one; those of the package lead to no other than the root."),
    must("nested_alternative", "production 4.2.2.1", "An alternative has no alternatives."),
    should("build_in_child_part", "production 2", "The build of another model part than the root is empty, since it is ignored."),
    // Slices.
    must("slice_stack_content", "slice 2", "A slice stack has slices or references to slice stacks, not both."),
    must("slice_reference", "slice 2", "A reference to a slice stack leads to one of another part, which has slices."),
    must("slice_order", "slice 2, 3", "ztop increases through a slice stack and the stacks that it refers to."),
    must("slice_content", "slice 3", "A slice with vertices or polygons has both."),
    must("slice_vertex", "slice 3", "Vertices of polygons are in their slice."),
    must("slice_segment", "slice 3", "Consecutive vertices of a polygon are distinct."),
    must("open_polygon", "slice 3", "The polygons of a model or solidsupport are closed."),
    must("slice_texture", "slice 3", "Segments have no texture coordinates, nor multiproperties with them."),
    must("nonplanar_transform", "slice 1", "The transforms of sliced objects keep z up: m02, m12, m20 and m21 are 0, and m22 is 1."),
    // Beam lattices.
    must("lattice_object_type", "beam lattice 2", "Beam lattices belong to objects of the type model or solidsupport."),
    must("clipping_mesh", "beam lattice 2.1", "A lattice that is clipped has a clippingmesh."),
    must("lattice_mesh", "beam lattice 2.1", "Clipping and representation meshes are meshes of the type model without a lattice, and other objects than that of the lattice."),
    must("no_default_beam_property", "beam lattice 2.1", "A lattice of beams or balls with properties, or its object, has pid and pindex."),
    must("ball_radius", "beam lattice 2.1", "A lattice with balls has ballradius."),
    must("beam_radius", "beam lattice 2.1.1.1", "A beam with r2 has r1."),
    must("beam_vertex", "beam lattice 2.1.1.1", "The vertices of beams are distinct and in the mesh."),
    must("beam_gradient", "beam lattice 2.1.1.1", "The properties of a beam, of materials or a group with display properties, are equal."),
    must("ball_vertex", "beam lattice 2.1.2.1", "The vertex of a ball is an end of a beam."),
    must("beam_set_identifier", "beam lattice 2.1.4", "The identifiers of beam sets are unique in their lattice."),
    must("beam_reference", "beam lattice 2.1.4.1, 2.1.4.2", "Beam sets refer to beams and balls of their lattice."),
    // Volumetric and implicit.
    fatal("invalid_image", "volumetric 3.2", "The sheets of an image are PNG files of its size."),
    must("image_layout", "volumetric 3.2", "The sheets of an image have the same channels and depth."),
    must("image_size", "volumetric 3.2", "Sheets have the number of rows and columns that their image states."),
    fatal("no_position", "volumetric 4.1.1", "The function of a field has an input pos of the type vector."),
    fatal("unknown_channel", "volumetric 4.1.1", "A channel is an output of its function."),
    fatal("type_mismatch", "volumetric 4.1.1", "The channel of a level set is a scalar, that of a colour a vector."),
    must("volume_data_owner", "volumetric 5.2", "Only meshes and level sets have volume data, not components or objects of components."),
    must("material_mapping_count", "volumetric 5.2.2", "A composite maps as many materials as its group has."),
    must("property_name", "volumetric 5.2.4", "The name of a property has a prefix that is declared on <model>."),
    must("missing_input", "implicit 5", "Nodes have a source for each input that their kind requires."),
    fatal("recursive_call", "implicit 6.1", "No function calls itself."),
    fatal("cycle", "implicit 6.1", "The nodes of a function form no cycle."),
];

/// Rule of a code.
pub(crate) fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}
