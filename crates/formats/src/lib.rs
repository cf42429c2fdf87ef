//! Files of meshes, contours, masks, points, values and formulas.

pub mod contours;
pub mod masks;
pub mod mesh;
pub mod values;
pub mod vm;

pub mod points;
