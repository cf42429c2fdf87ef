//! Elements of core.

use super::super::values::Target::{Display, Object, SliceStack, Volume};
use super::super::values::Value::{
    self, Boolean, Color, Index, Matrix, Number, OneOf, Reference, Text,
};
use super::Namespace::{Alternatives, Core, Materials, Slice, Volumetric};
use super::{
    DISPLAY, ElementType, ID, MANY, PATH, PID, RESOLUTIONS, TYPES, UNITS, UUID, child, closed,
    open, optional, prefixed, reference, required,
};

/// The root of a model part.
pub(in crate::conformance) static MODEL: ElementType = open(
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
        // Its text names it (slice 1), its XSD does not.
        prefixed(Slice, "slicepath", Value::Path),
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
