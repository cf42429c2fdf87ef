//! Clipping: everything outside the bounds, and before the sections.

use fibula_core::vector::{Vector, dot};

use super::Section;
use super::camera::Frame;
use super::packed_hit::Material;
use crate::Bounds;

/// Bounds and sections, as half spaces.
#[derive(Debug, Clone)]
pub(super) struct Clip {
    planes: Vec<ClipPlane>,
}

/// A plane, in ray coordinates: its value is `before + w along`, both linear in 1, u and v.
#[derive(Debug, Clone, Copy)]
struct ClipPlane {
    normal: Vector,
    offset: f64,
    before: [f64; 3],
    along: [f64; 3],
    /// Normal, by its components to the right, up and forward.
    turned: [f32; 3],
    material: Material,
}

/// The part of a ray that is not clipped.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaySpan {
    pub(super) from: f32,
    pub(super) to: f32,
    /// The plane where it begins.
    pub(super) plane: u16,
}

impl RaySpan {
    pub(super) const ALL: RaySpan = RaySpan {
        from: f32::NEG_INFINITY,
        to: f32::INFINITY,
        plane: 0,
    };
    pub(super) const NONE: RaySpan = RaySpan {
        from: f32::INFINITY,
        to: f32::NEG_INFINITY,
        plane: 0,
    };
}

impl Clip {
    pub(super) fn new(bounds: &Bounds, sections: &[Section], frame: &Frame) -> Clip {
        let (low, high) = (bounds.low(), bounds.high());
        let mut planes = Vec::with_capacity(6 + sections.len());
        for axis in 0..3 {
            let mut normal = [0.0; 3];
            normal[axis] = 1.0;
            planes.push(ClipPlane::new(normal, high[axis], Material::Cut, frame));
            normal[axis] = -1.0;
            planes.push(ClipPlane::new(normal, -low[axis], Material::Cut, frame));
        }
        let sections = sections.iter();
        planes.extend(sections.map(|section| {
            ClipPlane::new(section.normal, section.offset, Material::Section, frame)
        }));
        Clip { planes }
    }

    /// Returns the half spaces: their unit normals and offsets.
    pub(super) fn half_spaces(&self) -> impl Iterator<Item = (Vector, f64)> + '_ {
        self.planes.iter().map(|plane| (plane.normal, plane.offset))
    }

    /// Returns the planes that clip a part of a box, given by its low and its high corner.
    pub(super) fn cutting(&self, corners: [Vector; 2]) -> Vec<u16> {
        let is_cut = |plane: &ClipPlane| {
            let farthest =
                [0, 1, 2].map(|axis| corners[usize::from(plane.normal[axis] > 0.0)][axis]);
            dot(plane.normal, farthest) > plane.offset
        };
        let planes = (0..).zip(&self.planes);
        planes
            .filter(|(_, plane)| is_cut(plane))
            .map(|(index, _)| index)
            .collect()
    }

    /// Lists the planes that cut a cell, given by its limits in u, v and w; returns false if one clips all of it.
    pub(super) fn is_left(&self, limits: [[f64; 2]; 3], across: &mut Vec<u16>) -> bool {
        let [[u, to_u], [v, to_v], [near, far]] = limits;
        let centre = [1.0, f64::midpoint(u, to_u), f64::midpoint(v, to_v)];
        let reach = [0.0, (to_u - u).abs() / 2.0, (to_v - v).abs() / 2.0];
        across.clear();
        for (index, plane) in self.planes.iter().enumerate() {
            // One of both is constant, so these limits are those of the sum.
            let [before, along] = [plane.before, plane.along].map(|parts| {
                let middle: f64 = (0..3).map(|part| parts[part] * centre[part]).sum();
                let away: f64 = (1..3).map(|part| parts[part].abs() * reach[part]).sum();
                [middle - away, middle + away]
            });
            if before[0] + f64::min(along[0] * near, along[0] * far) > 0.0 {
                return false;
            }
            if before[1] + f64::max(along[1] * near, along[1] * far) >= 0.0 {
                across.push(index as u16);
            }
        }
        true
    }

    /// Clips the ray at picture coordinates by some of the planes.
    pub(super) fn span(&self, across: &[u16], [u, v]: [f64; 2]) -> RaySpan {
        let (mut from, mut to, mut first) = (0.0, f64::INFINITY, 0);
        for &index in across {
            let plane = &self.planes[usize::from(index)];
            let before = plane.before[0] + plane.before[1] * u + plane.before[2] * v;
            let along = plane.along[0] + plane.along[1] * u + plane.along[2] * v;
            if along.abs() < 1e-12 {
                if before > 0.0 {
                    return RaySpan::NONE;
                }
                continue;
            }
            let depth = -before / along;
            if along > 0.0 {
                to = f64::min(to, depth);
            } else if depth > from {
                from = depth;
                first = index;
            }
        }
        if from < to {
            RaySpan {
                from: from as f32,
                to: to as f32,
                plane: first,
            }
        } else {
            RaySpan::NONE
        }
    }

    /// Returns the half space that a plane leaves: its unit normal and offset.
    pub(super) fn half_space(&self, plane: u16) -> (Vector, f64) {
        let plane = &self.planes[usize::from(plane)];
        (plane.normal, plane.offset)
    }

    /// Returns the normal of the plane where a span begins, by its components to the right, up and forward, and its
    /// material.
    pub(super) fn face(&self, plane: u16) -> ([f32; 3], Material) {
        let plane = &self.planes[usize::from(plane)];
        (plane.turned, plane.material)
    }
}

impl ClipPlane {
    fn new(normal: Vector, offset: f64, material: Material, frame: &Frame) -> ClipPlane {
        let (right, up) = (dot(normal, frame.right), dot(normal, frame.up));
        let (eye, forward) = (dot(normal, frame.eye) - offset, dot(normal, frame.forward));
        let across = [0.0, right, up];
        let (before, along) = if frame.is_perspective {
            ([eye, 0.0, 0.0], [forward, across[1], across[2]])
        } else {
            ([eye, across[1], across[2]], [forward, 0.0, 0.0])
        };
        ClipPlane {
            normal,
            offset,
            before,
            along,
            turned: frame.turned(normal),
            material,
        }
    }
}
