//! Names that have a meaning in other languages.

/// Names that points have in other languages.
pub(crate) const POINTS: [&str; 11] = [
    "p", "P", "point", "position", "pt", "coord", "coords", "xyz", "Pos", "pnt", "points",
];

/// Modules of `OpenSCAD`, which the shapes that they move or combine follow.
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

/// Libraries of Python for solids and meshes.
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

/// A library of solids or meshes of this name.
pub(crate) fn solids_library(text: &str) -> Option<&'static str> {
    LIBRARIES.into_iter().find(|library| *library == text)
}
