//! Schemas of the model part as tables: the XSDs of core 1.3, materials 1.2, production 1.2, slice, beam lattice 1.2 and
//! volumetric 0.8. Functions of the implicit extension are left to the reader, which knows the two dialects.
//!
//! The order of resources is not that of the XSD of core, which no program follows: references state it (core 3.4).

use super::values::Target::{
    self, BaseMaterials, Display, Function, Image, Object, Properties, SliceStack, Texture, Volume,
};
use super::values::Value::{self, *};

/// Namespace with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Namespace {
    Core,
    TriangleSets,
    Materials,
    Production,
    Alternatives,
    Slice,
    BeamLattice,
    Balls,
    Volumetric,
    Implicit,
}

use Namespace::{
    Alternatives, Balls, BeamLattice, Core, Materials, Production, Slice, TriangleSets, Volumetric,
};

const URIS: [(Namespace, &str); 10] = [
    (
        Core,
        "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    ),
    (
        TriangleSets,
        "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    ),
    (
        Materials,
        "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    ),
    (
        Production,
        "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    ),
    (
        Alternatives,
        "http://schemas.microsoft.com/3dmanufacturing/production/alternatives/2021/04",
    ),
    (
        Slice,
        "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    ),
    (
        BeamLattice,
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    ),
    (
        Balls,
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    ),
    (
        Volumetric,
        "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    ),
    (
        Namespace::Implicit,
        "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    ),
];

impl Namespace {
    /// Namespace of a URI; `None` if it has no schema here.
    pub(super) fn from_uri(uri: &str) -> Option<Namespace> {
        URIS.iter()
            .find(|(_, known)| *known == uri)
            .map(|(namespace, _)| *namespace)
    }

    /// URI of the namespace.
    pub(super) fn uri(self) -> &'static str {
        URIS[self as usize].1
    }
}

/// Type of an element.
#[derive(Debug)]
pub(super) struct ElementType {
    pub(super) namespace: Namespace,
    pub(super) name: &'static str,
    pub(super) attributes: &'static [AttributeType],
    /// Children of its own namespace, in their order.
    pub(super) children: &'static [Child],
    /// True if elements of other namespaces may follow.
    pub(super) is_open: bool,
}

/// Type of an attribute.
#[derive(Debug)]
pub(super) struct AttributeType {
    /// Namespace of its prefix; `None` if it has none.
    pub(super) namespace: Option<Namespace>,
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) value: Value,
}

/// Child of an element, and how often it stands there.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) element: &'static ElementType,
    pub(super) min: usize,
    pub(super) max: usize,
}

const MANY: usize = usize::MAX;

const fn required(name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: None,
        name,
        is_required: true,
        value,
    }
}

const fn optional(name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: None,
        name,
        is_required: false,
        value,
    }
}

const fn prefixed(namespace: Namespace, name: &'static str, value: Value) -> AttributeType {
    AttributeType {
        namespace: Some(namespace),
        name,
        is_required: false,
        value,
    }
}

const fn reference(name: &'static str, target: Target) -> AttributeType {
    optional(name, Reference(target))
}

const fn child(element: &'static ElementType, min: usize, max: usize) -> Child {
    Child { element, min, max }
}

const fn open(
    namespace: Namespace,
    name: &'static str,
    attributes: &'static [AttributeType],
    children: &'static [Child],
) -> ElementType {
    ElementType {
        namespace,
        name,
        attributes,
        children,
        is_open: true,
    }
}

const fn closed(
    namespace: Namespace,
    name: &'static str,
    attributes: &'static [AttributeType],
    children: &'static [Child],
) -> ElementType {
    ElementType {
        namespace,
        name,
        attributes,
        children,
        is_open: false,
    }
}

const UUID: AttributeType = prefixed(Production, "UUID", Uuid);
const PATH: AttributeType = prefixed(Production, "path", Value::Path);
const ID: AttributeType = required("id", Id);
const DISPLAY: AttributeType = reference("displaypropertiesid", Display);
const PID: AttributeType = reference("pid", Properties);
const RESOLUTIONS: Value = OneOf(&["fullres", "lowres", "obfuscated"]);
const CAPS: Value = OneOf(&["hemisphere", "sphere", "butt"]);
const TILES: Value = OneOf(&["clamp", "wrap", "mirror", "none"]);
const UNITS: Value = OneOf(&[
    "micron",
    "millimeter",
    "centimeter",
    "inch",
    "foot",
    "meter",
]);
const TYPES: Value = OneOf(&["model", "solidsupport", "support", "surface", "other"]);

/// The root of a model part.
pub(super) static MODEL: ElementType = open(
    Core,
    "model",
    &[
        optional("unit", UNITS),
        optional("requiredextensions", Text),
        optional("recommendedextensions", Text),
    ],
    &[
        child(&METADATA, 0, MANY),
        child(&RESOURCES, 1, 1),
        child(&BUILD, 1, 1),
    ],
);

static METADATA: ElementType = closed(
    Core,
    "metadata",
    &[
        required("name", Text),
        optional("preserve", Boolean),
        optional("type", Text),
    ],
    &[],
);

static RESOURCES: ElementType = open(
    Core,
    "resources",
    &[],
    &[child(&BASE_MATERIALS, 0, MANY), child(&OBJECT, 0, MANY)],
);

static BUILD: ElementType = closed(Core, "build", &[UUID], &[child(&ITEM, 0, MANY)]);

static ITEM: ElementType = open(
    Core,
    "item",
    &[
        required("objectid", Reference(Object)),
        optional("transform", Matrix),
        optional("partnumber", Text),
        UUID,
        PATH,
    ],
    &[child(&METADATA_GROUP, 0, 1)],
);

static METADATA_GROUP: ElementType =
    closed(Core, "metadatagroup", &[], &[child(&METADATA, 1, MANY)]);

static BASE_MATERIALS: ElementType = closed(
    Core,
    "basematerials",
    &[
        ID,
        DISPLAY,
        prefixed(Materials, "displaypropertiesid", Reference(Display)),
    ],
    &[child(&BASE, 1, MANY)],
);

static BASE: ElementType = closed(
    Core,
    "base",
    &[required("name", Text), required("displaycolor", Color)],
    &[],
);

static OBJECT: ElementType = open(
    Core,
    "object",
    &[
        ID,
        optional("type", TYPES),
        optional("thumbnail", Value::Path),
        optional("partnumber", Text),
        optional("name", Text),
        PID,
        optional("pindex", Index),
        UUID,
        prefixed(Alternatives, "modelresolution", RESOLUTIONS),
        prefixed(Slice, "slicestackid", Reference(SliceStack)),
        prefixed(Slice, "meshresolution", OneOf(&["fullres", "lowres"])),
    ],
    &[
        child(&METADATA_GROUP, 0, 1),
        child(&MESH, 0, 1),
        child(&COMPONENTS, 0, 1),
    ],
);

static MESH: ElementType = open(
    Core,
    "mesh",
    // The XSD of volumetric has volumeid without a prefix in a core element: both are read.
    &[
        prefixed(Volumetric, "volumeid", Reference(Volume)),
        reference("volumeid", Volume),
    ],
    &[child(&VERTICES, 1, 1), child(&TRIANGLES, 1, 1)],
);

static VERTICES: ElementType = closed(Core, "vertices", &[], &[child(&VERTEX, 3, MANY)]);

static VERTEX: ElementType = closed(
    Core,
    "vertex",
    &[
        required("x", Number),
        required("y", Number),
        required("z", Number),
    ],
    &[],
);

static TRIANGLES: ElementType = closed(Core, "triangles", &[], &[child(&TRIANGLE, 1, MANY)]);

static TRIANGLE: ElementType = closed(
    Core,
    "triangle",
    &[
        required("v1", Index),
        required("v2", Index),
        required("v3", Index),
        optional("p1", Index),
        optional("p2", Index),
        optional("p3", Index),
        PID,
    ],
    &[],
);

static COMPONENTS: ElementType = closed(Core, "components", &[], &[child(&COMPONENT, 1, MANY)]);

static COMPONENT: ElementType = open(
    Core,
    "component",
    &[
        required("objectid", Reference(Object)),
        optional("transform", Matrix),
        UUID,
        PATH,
    ],
    &[],
);

static TRIANGLE_SET: ElementType = open(
    TriangleSets,
    "triangleset",
    &[required("name", Text), required("identifier", Text)],
    &[
        child(
            &closed(TriangleSets, "ref", &[required("index", Index)], &[]),
            0,
            MANY,
        ),
        child(
            &closed(
                TriangleSets,
                "refrange",
                &[required("startindex", Index), required("endindex", Index)],
                &[],
            ),
            0,
            MANY,
        ),
    ],
);

static SEGMENT: ElementType = closed(
    Slice,
    "segment",
    &[
        required("v2", Index),
        optional("p1", Index),
        optional("p2", Index),
        PID,
    ],
    &[],
);

static SLICE: ElementType = open(
    Slice,
    "slice",
    &[required("ztop", Number)],
    &[
        child(
            &closed(
                Slice,
                "vertices",
                &[],
                &[child(
                    &closed(
                        Slice,
                        "vertex",
                        &[required("x", Number), required("y", Number)],
                        &[],
                    ),
                    2,
                    MANY,
                )],
            ),
            0,
            1,
        ),
        child(
            &closed(
                Slice,
                "polygon",
                &[required("startv", Index)],
                &[child(&SEGMENT, 1, MANY)],
            ),
            0,
            MANY,
        ),
    ],
);

static BEAM: ElementType = open(
    BeamLattice,
    "beam",
    &[
        required("v1", Index),
        required("v2", Index),
        optional("r1", NonNegative),
        optional("r2", NonNegative),
        optional("p1", Index),
        optional("p2", Index),
        PID,
        optional("cap1", CAPS),
        optional("cap2", CAPS),
    ],
    &[],
);

static BEAM_SET: ElementType = open(
    BeamLattice,
    "beamset",
    &[optional("name", Text), optional("identifier", Text)],
    &[child(
        &closed(BeamLattice, "ref", &[required("index", Index)], &[]),
        0,
        MANY,
    )],
);

static FIELD: [AttributeType; 5] = [
    required("functionid", Reference(Function)),
    required("channel", Text),
    optional("transform", Matrix),
    optional("minfeaturesize", NonNegative),
    optional("fallbackvalue", Number),
];

/// Elements that stand in open elements of other namespaces, with the name of these.
pub(super) static EXTENSIONS: &[(&str, ElementType)] = &[
    (
        "mesh",
        closed(
            TriangleSets,
            "trianglesets",
            &[],
            &[child(&TRIANGLE_SET, 0, MANY)],
        ),
    ),
    (
        "resources",
        open(
            Materials,
            "texture2d",
            &[
                ID,
                required("path", Value::Path),
                required("contenttype", OneOf(&["image/jpeg", "image/png"])),
                optional("tilestyleu", TILES),
                optional("tilestylev", TILES),
                optional("filter", OneOf(&["auto", "linear", "nearest"])),
            ],
            &[],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "colorgroup",
            &[ID, DISPLAY],
            &[child(
                &closed(Materials, "color", &[required("color", Color)], &[]),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "texture2dgroup",
            &[ID, required("texid", Reference(Texture)), DISPLAY],
            &[child(
                &closed(
                    Materials,
                    "tex2coord",
                    &[required("u", Number), required("v", Number)],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "compositematerials",
            &[
                ID,
                required("matid", Reference(BaseMaterials)),
                required("matindices", Indices),
                DISPLAY,
            ],
            &[child(
                &closed(
                    Materials,
                    "composite",
                    &[required("values", Fractions)],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "multiproperties",
            &[
                ID,
                required("pids", Ids),
                optional("blendmethods", BlendMethods),
            ],
            &[child(
                &closed(Materials, "multi", &[required("pindices", Indices)], &[]),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "pbspeculardisplayproperties",
            &[ID],
            &[child(
                &closed(
                    Materials,
                    "pbspecular",
                    &[
                        required("name", Text),
                        optional("specularcolor", Color),
                        optional("glossiness", Fraction),
                    ],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "pbmetallicdisplayproperties",
            &[ID],
            &[child(
                &closed(
                    Materials,
                    "pbmetallic",
                    &[
                        required("name", Text),
                        optional("metallicness", Fraction),
                        optional("roughness", Fraction),
                    ],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        open(
            Materials,
            "pbspeculartexturedisplayproperties",
            &[
                ID,
                required("name", Text),
                required("speculartextureid", Reference(Texture)),
                required("glossinesstextureid", Reference(Texture)),
                optional("diffusefactor", Color),
                optional("specularfactor", Color),
                optional("glossinessfactor", Number),
            ],
            &[],
        ),
    ),
    (
        "resources",
        open(
            Materials,
            "pbmetallictexturedisplayproperties",
            &[
                ID,
                required("name", Text),
                required("metallictextureid", Reference(Texture)),
                required("roughnesstextureid", Reference(Texture)),
                optional("metallicfactor", Number),
                optional("roughnessfactor", Number),
            ],
            &[],
        ),
    ),
    (
        "resources",
        closed(
            Materials,
            "translucentdisplayproperties",
            &[ID],
            &[child(
                &closed(
                    Materials,
                    "translucent",
                    &[
                        required("name", Text),
                        required("attenuation", Triple),
                        optional("refractiveindex", Triple),
                        optional("roughness", Number),
                    ],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "object",
        closed(
            Alternatives,
            "alternatives",
            &[],
            &[child(
                &open(
                    Alternatives,
                    "alternative",
                    &[
                        required("objectid", Reference(Object)),
                        required("UUID", Uuid),
                        optional("path", Value::Path),
                        optional("modelresolution", RESOLUTIONS),
                    ],
                    &[],
                ),
                0,
                MANY,
            )],
        ),
    ),
    (
        "resources",
        closed(
            Slice,
            "slicestack",
            &[ID, optional("zbottom", Number)],
            &[
                child(&SLICE, 0, MANY),
                child(
                    &closed(
                        Slice,
                        "sliceref",
                        &[
                            required("slicestackid", Id),
                            required("slicepath", Value::Path),
                        ],
                        &[],
                    ),
                    0,
                    MANY,
                ),
            ],
        ),
    ),
    (
        "mesh",
        open(
            BeamLattice,
            "beamlattice",
            &[
                required("minlength", NonNegative),
                required("radius", NonNegative),
                optional("clippingmode", OneOf(&["none", "inside", "outside"])),
                reference("clippingmesh", Object),
                reference("representationmesh", Object),
                PID,
                optional("pindex", Index),
                optional("cap", CAPS),
                prefixed(Balls, "ballmode", OneOf(&["none", "mixed", "all"])),
                prefixed(Balls, "ballradius", NonNegative),
            ],
            &[
                child(
                    &open(BeamLattice, "beams", &[], &[child(&BEAM, 0, MANY)]),
                    1,
                    1,
                ),
                child(
                    &open(BeamLattice, "beamsets", &[], &[child(&BEAM_SET, 0, MANY)]),
                    0,
                    1,
                ),
            ],
        ),
    ),
    (
        "beamlattice",
        open(
            Balls,
            "balls",
            &[],
            &[child(
                &open(
                    Balls,
                    "ball",
                    &[
                        required("vindex", Index),
                        optional("r", NonNegative),
                        optional("p", Index),
                        PID,
                    ],
                    &[],
                ),
                1,
                MANY,
            )],
        ),
    ),
    (
        "beamset",
        open(Balls, "ballref", &[required("index", Index)], &[]),
    ),
];

/// Elements of the volumetric extension that the reader checks, with what is added to that.
pub(super) static VOLUMETRIC: &[ElementType] = &[
    open(
        Volumetric,
        "volumedata",
        &[ID],
        &[
            child(
                &open(
                    Volumetric,
                    "composite",
                    &[required("basematerialid", Reference(BaseMaterials))],
                    &[child(
                        &open(Volumetric, "materialmapping", &FIELD, &[]),
                        1,
                        MANY,
                    )],
                ),
                0,
                1,
            ),
            child(&open(Volumetric, "color", &FIELD, &[]), 0, 1),
            child(&PROPERTY, 0, MANY),
        ],
    ),
    open(
        Volumetric,
        "image3d",
        &[ID, optional("name", Text)],
        &[child(&IMAGE_STACK, 0, 1)],
    ),
    open(
        Volumetric,
        "functionfromimage3d",
        &[
            ID,
            optional("displayname", Text),
            required("image3did", Reference(Image)),
            optional("filter", OneOf(&["linear", "nearest"])),
            optional("valueoffset", Number),
            optional("valuescale", Number),
            optional("tilestyleu", TILES),
            optional("tilestylev", TILES),
            optional("tilestylew", TILES),
        ],
        &[],
    ),
    open(
        Volumetric,
        "levelset",
        &[
            required("functionid", Reference(Function)),
            required("channel", Text),
            optional("transform", Matrix),
            optional("minfeaturesize", NonNegative),
            optional("meshbboxonly", Boolean),
            optional("fallbackvalue", Number),
            required("meshid", Reference(Object)),
            reference("volumeid", Volume),
        ],
        &[],
    ),
];

static PROPERTY: ElementType = open(
    Volumetric,
    "property",
    &[
        required("functionid", Reference(Function)),
        required("channel", Text),
        optional("transform", Matrix),
        required("name", Text),
        required("required", Boolean),
        optional("minfeaturesize", NonNegative),
        optional("fallbackvalue", Number),
    ],
    &[],
);

static IMAGE_STACK: ElementType = open(
    Volumetric,
    "imagestack",
    &[
        required("rowcount", Count),
        required("columncount", Count),
        required("sheetcount", Count),
    ],
    &[child(
        &open(
            Volumetric,
            "imagesheet",
            &[required("path", Value::Path)],
            &[],
        ),
        1,
        MANY,
    )],
);

/// Type of an element in an open element; `None` if it has none here.
pub(super) fn find(parent: &str, namespace: Namespace, name: &str) -> Option<&'static ElementType> {
    let of_parent = EXTENSIONS
        .iter()
        .filter(|(of, _)| *of == parent)
        .map(|(_, element)| element);
    let volumetric = VOLUMETRIC
        .iter()
        .filter(|_| matches!(parent, "resources" | "object"));
    of_parent
        .chain(volumetric)
        .find(|element| element.namespace == namespace && element.name == name)
}

/// True if a namespace has an element of this name that stands elsewhere than in an element of that name.
pub(super) fn is_misplaced(parent: &str, namespace: Namespace, name: &str) -> bool {
    let mut known = EXTENSIONS.iter();
    known.any(|(of, element)| {
        element.namespace == namespace && element.name == name && *of != parent
    })
}
