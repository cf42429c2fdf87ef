//! Elements of the extensions.

use super::super::values::Target::{BaseMaterials, Function, Image, Object, Texture, Volume};
use super::super::values::Value::{
    self, BlendMethods, Boolean, Color, Count, Fraction, Fractions, Id, Ids, Index, Indices,
    Matrix, NonNegative, Number, OneOf, Reference, Text, Triple, Uuid,
};
use super::Namespace::{
    Alternatives, Balls, BeamLattice, Materials, Slice, TriangleSets, Volumetric,
};
use super::{
    AttributeType, CAPS, DISPLAY, ElementType, FUNCTION_TILES, ID, MANY, PID, RESOLUTIONS, TILES,
    child, closed, open, optional, prefixed, reference, required,
};

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
            optional("tilestyleu", FUNCTION_TILES),
            optional("tilestylev", FUNCTION_TILES),
            optional("tilestylew", FUNCTION_TILES),
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
