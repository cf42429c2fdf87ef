//! Names that have a meaning in other languages.

/// Names that points have in other languages.
pub(crate) const POINTS: [&str; 11] = [
    "p", "P", "point", "position", "pt", "coord", "coords", "xyz", "Pos", "pnt", "points",
];

/// Modules, which the shapes that they move or combine follow.
pub(crate) const SCAD_MODULES: [&str; 15] = [
    "union",
    "difference",
    "intersection",
    "translate",
    "rotate",
    "scale",
    "mirror",
    "color",
    "minkowski",
    "hull",
    "linear_extrude",
    "rotate_extrude",
    "offset",
    "render",
    "group",
];

/// True if shapes may follow a call of this name.
pub(crate) fn is_scad_module(name: &str) -> bool {
    SCAD_MODULES.contains(&name)
}

/// Libraries of solids and meshes.
const LIBRARIES: [&str; 14] = [
    "cadquery",
    "build123d",
    "trimesh",
    "bpy",
    "pyvista",
    "solid",
    "FreeCAD",
    "Part",
    "open3d",
    "vtk",
    "OCC",
    "manifold3d",
    "meshlib",
    "pymesh",
];

/// Hint for solids without a translation.
pub(crate) const SOLIDS_HINT: &str = "solids are distances, without faces and edges: write them with functions of the library, as in \
    max(rounded_box(pos, vec3(10, 20, 30), 1), -cylinder(pos, 3, 40)); sizes are whole lengths, the middle is at 0";

/// A library of solids or meshes of this name.
pub(crate) fn solids_library(text: &str) -> Option<&'static str> {
    LIBRARIES.into_iter().find(|library| *library == text)
}
