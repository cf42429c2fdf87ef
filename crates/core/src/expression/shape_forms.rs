//! Forms of the language that are shapes: what they take, and what they are.

/// A form of the language that is a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShapeForm {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, as they are written.
    pub arguments: &'static str,
    /// Description, without a full stop.
    pub about: &'static str,
}

/// The forms of the language that are shapes.
pub const SHAPE_FORMS: [ShapeForm; 3] = [
    ShapeForm {
        name: "polygon",
        arguments: "point, x1, y1, x2, y2, ...",
        about: "a profile, the exact distance to the outline through these corners",
    },
    ShapeForm {
        name: "arc_polygon",
        arguments: "point, x1, y1, bulge1, x2, y2, bulge2, ...",
        about: "a polygon with arcs; a bulge is that of the edge after its corner: the tangent of a quarter of the angle of the arc, \
                positive counterclockwise, 0 for a straight edge, 1 for half a circle",
    },
    ShapeForm {
        name: "sweep_polyline",
        arguments: "profile, x1, y1, z1, x2, y2, z2, ..., radius = 0, at = pos",
        about: "a profile along the path through these corners, mitred, or with arcs of the radius, closed if the last corner is the \
                first. In the profile, an expression of pos, z is the length along the path, y points upwards and x to the left where \
                the path begins (along z, x points along x), and both go along without rotation about it",
    },
];

/// True if a name is that of a form of the language that is a shape.
pub fn is_shape_form(name: &str) -> bool {
    SHAPE_FORMS.iter().any(|form| form.name == name)
}
