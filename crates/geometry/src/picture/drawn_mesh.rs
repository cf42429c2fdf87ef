//! A triangle mesh that is drawn: its depth and normal buffer, by [rasterisation](super::rasterizer).
//!
//! Where a ray begins at a clipping plane, it is inside of the material if the mesh winds around that point. Ambient
//! occlusion computes [distances](super::distance_lattice) of points from the triangles; where shells cross each other, their signs
//! may be wrong, and the shading with them.

use std::sync::atomic::AtomicU64;

use fibula_core::vector::Vector;
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::PictureError;
use super::camera::Frame;
use super::clipping::Clip;
use super::depth_normal_buffer::DepthNormalBuffer;
use super::packed_hit::{Hit, NOTHING, packed};
use super::rasterizer::Rasterizer;
use crate::measure::{Bvh, winding};
use crate::{TriangleMesh, Watch};

/// A closed mesh to be drawn, with a bounding volume hierarchy for distances from it and for what is inside of it.
///
/// Building takes O(n log n) time, about a microsecond per triangle.
#[derive(Debug)]
pub struct DrawnMesh<'a> {
    mesh: &'a TriangleMesh,
    pub(super) hierarchy: Bvh<'a>,
}

impl<'a> DrawnMesh<'a> {
    /// Builds the hierarchy.
    pub fn new(mesh: &'a TriangleMesh) -> DrawnMesh<'a> {
        DrawnMesh {
            mesh,
            hierarchy: Bvh::new(mesh),
        }
    }

    /// The low and the high corner.
    pub(super) fn bounding_box(&self) -> [Vector; 2] {
        self.mesh.bounding_box().unwrap_or_default()
    }

    /// Finds what is visible at all samples, so many along each side of a pixel.
    pub(super) fn buffer(
        &self,
        frame: &Frame,
        clip: &Clip,
        samples: usize,
        watch: &Watch<'_>,
    ) -> Result<DepthNormalBuffer, PictureError> {
        let [width, height] = frame.size.map(|side| side * samples);
        let planes = clip.cutting(self.bounding_box());
        let mut hits: Vec<AtomicU64> = Vec::new();
        hits.resize_with(width * height, || AtomicU64::new(NOTHING));
        let rasterizer = Rasterizer {
            mesh: self.mesh,
            frame,
            clip,
            planes: &planes,
            samples,
            hits: &hits,
        };
        // What is cut open is the second half.
        let halves = 1 + u64::from(!planes.is_empty());
        rasterizer.draw(&|done, total| watch(done, halves * total))?;
        let mut hits: Vec<u64> = hits.into_iter().map(AtomicU64::into_inner).collect();
        if !planes.is_empty() {
            let second = |done: u64, total: u64| watch(total + done, 2 * total);
            let progress = Progress::new(height as u64, &second);
            let place = |index: usize| (index as f64 + 0.5) / samples as f64;
            hits.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
                if progress.is_ended() {
                    return;
                }
                for (x, hit) in row.iter_mut().enumerate() {
                    let at = frame.at([place(x), place(y)]);
                    *hit = self.face(frame, clip, &planes, at).unwrap_or(*hit);
                }
                progress.add(1);
            });
            progress.finish(())?;
        }
        Ok(DepthNormalBuffer::from_hits(samples, width, height, hits))
    }

    /// Returns the hit at a plane that clips the ray at picture coordinates, if the ray begins in the material there.
    fn face(&self, frame: &Frame, clip: &Clip, planes: &[u16], at: [f64; 2]) -> Option<u64> {
        let span = clip.span(planes, at);
        let start = f64::from(span.from);
        if span.from > span.to || start <= 0.0 {
            return None;
        }
        let (from, along) = frame.ray(at);
        let is_inside = winding(&self.hierarchy, self.mesh, from, along, start, u32::MAX) > 0;
        is_inside.then(|| {
            let (normal, material) = clip.face(span.plane);
            packed(Hit {
                depth: span.from,
                normal,
                material,
            })
        })
    }
}
