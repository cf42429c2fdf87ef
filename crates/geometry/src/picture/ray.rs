//! Rays of a picture: from a pixel to the surface that is visible there.
//!
//! The function is evaluated at equal steps along the ray, as for a picture, and the entry is refined by bisection.

use fibula_core::vector::dot;

use super::camera::Frame;
use super::{Picture, PictureError, Section, check_size};
use crate::Bounds;

/// Steps along the part of a ray in the bounds. What is thinner than one may be missed.
const STEPS: usize = 4_096;
/// Halvings of a step, down to the precision of the numbers.
const HALVINGS: usize = 60;

/// A ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Its first point.
    pub origin: [f64; 3],
    /// Unit vector.
    pub direction: [f64; 3],
}

/// Kind of face that a ray meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// The surface of the shape.
    Surface,
    /// Material that a section cuts.
    Section,
    /// Material that the bounds cut.
    Bounds,
}

/// First point of a ray in the material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// The point.
    pub point: [f64; 3],
    /// Distance from the origin of the ray.
    pub distance: f64,
    /// The face.
    pub face: Face,
    /// Unit normal of the face, away from the material; `None` where the function has no gradient.
    pub normal: Option<[f64; 3]>,
}

impl Picture {
    /// Returns the ray through a pixel of the picture: [0, 0] is the upper left corner of the picture, and [0.5, 0.5] the
    /// centre of its first pixel.
    ///
    /// # Errors
    /// [`PictureError`]: the size or the camera is invalid.
    pub fn ray(&self, bounds: &Bounds, pixel: [f64; 2]) -> Result<Ray, PictureError> {
        check_size(self.size)?;
        let frame = Frame::new(&self.camera, bounds, self.size)?;
        let across = (pixel[0] - self.size[0] as f64 / 2.0) * frame.pixel;
        let up = (self.size[1] as f64 / 2.0 - pixel[1]) * frame.pixel;
        let moved = |from: [f64; 3]| {
            std::array::from_fn(|axis| {
                from[axis] + across * frame.right[axis] + up * frame.up[axis]
            })
        };
        let (origin, direction): ([f64; 3], [f64; 3]) = if frame.is_perspective {
            (frame.eye, moved(frame.forward))
        } else {
            (moved(frame.eye), frame.forward)
        };
        let length = dot(direction, direction).sqrt();
        Ok(Ray {
            origin,
            direction: direction.map(|part| part / length),
        })
    }
}

impl Ray {
    /// The point at a distance.
    pub fn at(&self, distance: f64) -> [f64; 3] {
        std::array::from_fn(|axis| self.origin[axis] + distance * self.direction[axis])
    }

    /// Returns the first point in the bounds, behind all sections, where `value` is negative.
    pub fn cast(
        &self,
        bounds: &Bounds,
        sections: &[Section],
        mut value: impl FnMut([f64; 3]) -> f64,
    ) -> Option<RayHit> {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        let mut entered: Option<(Face, [f64; 3])> = None;
        let (low, high) = (bounds.low(), bounds.high());
        let faces = (0..3).flat_map(|axis| {
            let unit = |sign: f64| std::array::from_fn(|own| if own == axis { sign } else { 0.0 });
            [
                (unit(1.0), high[axis], Face::Bounds),
                (unit(-1.0), -low[axis], Face::Bounds),
            ]
        });
        let cuts = sections
            .iter()
            .map(|cut| (cut.normal, cut.offset, Face::Section));
        // What is kept is the intersection of half spaces: dot(normal, point) <= offset.
        for (normal, offset, face) in faces.chain(cuts) {
            let speed = dot(normal, self.direction);
            let left = offset - dot(normal, self.origin);
            if speed > 0.0 {
                to = to.min(left / speed);
            } else if speed < 0.0 {
                let begin = left / speed;
                if begin >= from {
                    (from, entered) = (begin, Some((face, normal)));
                }
            } else if left < 0.0 {
                return None;
            }
        }
        if !(from < to && to.is_finite()) {
            return None;
        }
        if value(self.at(from)) < 0.0 {
            let (face, normal) =
                entered.map_or((Face::Bounds, None), |(face, normal)| (face, Some(normal)));
            return Some(RayHit {
                point: self.at(from),
                distance: from,
                face,
                normal,
            });
        }
        let step = (to - from) / STEPS as f64;
        let first = (1..=STEPS).find(|&index| value(self.at(from + step * index as f64)) < 0.0)?;
        let (mut outside, mut inside) =
            (from + step * (first - 1) as f64, from + step * first as f64);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(outside, inside);
            if value(self.at(middle)) < 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        let point = self.at(inside);
        Some(RayHit {
            point,
            distance: inside,
            face: Face::Surface,
            normal: normal(point, 1e-5 * (to - from), value),
        })
    }
}

/// Returns the unit vector along the gradient of `value` at a point, from central differences over `reach`; `None` where
/// there is no gradient.
pub fn normal(
    point: [f64; 3],
    reach: f64,
    mut value: impl FnMut([f64; 3]) -> f64,
) -> Option<[f64; 3]> {
    let slope = std::array::from_fn(|axis| {
        let moved =
            |by: f64| std::array::from_fn(|own| point[own] + if own == axis { by } else { 0.0 });
        (value(moved(reach)) - value(moved(-reach))) / (2.0 * reach)
    });
    let size = dot(slope, slope).sqrt();
    (size > 0.0 && size.is_finite()).then(|| slope.map(|part: f64| part / size))
}

#[cfg(test)]
mod tests {
    use super::super::{Camera, View};
    use super::*;

    fn ball([x, y, z]: [f64; 3]) -> f64 {
        (x * x + y * y + z * z).sqrt() - 5.0
    }

    fn is_close(one: [f64; 3], other: [f64; 3], most: f64) -> bool {
        one.iter()
            .zip(other)
            .all(|(one, other)| (one - other).abs() <= most)
    }

    fn bounds() -> Bounds {
        Bounds::new([-6.0; 3], [6.0; 3]).unwrap()
    }

    #[test]
    fn a_pixel_leads_to_the_surface_that_it_shows() {
        let perspective = Camera {
            perspective: Some(0.6),
            ..View::Front.into()
        };
        for camera in [View::Front.into(), perspective] {
            let picture = Picture {
                size: [100, 80],
                ..Picture::new(camera)
            };
            let ray = picture.ray(&bounds(), [50.0, 40.0]).unwrap();
            let hit = ray.cast(&bounds(), &[], ball).unwrap();
            // The front looks along y. The bisection ends at the precision of the numbers, the normal is a difference.
            assert!(is_close(hit.point, [0.0, -5.0, 0.0], 1e-9), "{hit:?}");
            assert!(
                is_close(hit.normal.unwrap(), [0.0, -1.0, 0.0], 1e-6),
                "{hit:?}"
            );
            assert_eq!(hit.face, Face::Surface);
            let left = picture.ray(&bounds(), [40.0, 30.0]).unwrap();
            let hit = left.cast(&bounds(), &[], ball).unwrap();
            assert!(hit.point[0] < -0.5 && hit.point[2] > 0.5, "{hit:?}");
            let corner = picture.ray(&bounds(), [0.0, 0.0]).unwrap();
            assert_eq!(corner.cast(&bounds(), &[], ball), None);
        }
    }

    #[test]
    fn sections_and_bounds_are_faces_of_material() {
        let ray = Ray {
            origin: [0.0, -20.0, 0.0],
            direction: [0.0, 1.0, 0.0],
        };
        let section = Section::new([0.0, -1.0, 0.0], 2.0).unwrap();
        let hit = ray.cast(&bounds(), &[section], ball).unwrap();
        assert_eq!(
            (hit.face, hit.normal),
            (Face::Section, Some([0.0, -1.0, 0.0]))
        );
        assert!((hit.point[1] + 2.0).abs() < 1e-12, "{hit:?}");
        let small = Bounds::new([-1.0; 3], [1.0; 3]).unwrap();
        let hit = ray.cast(&small, &[], ball).unwrap();
        assert_eq!(
            (hit.face, hit.normal),
            (Face::Bounds, Some([0.0, -1.0, 0.0]))
        );
        let behind = Ray {
            origin: [0.0, 20.0, 0.0],
            ..ray
        };
        assert_eq!(behind.cast(&bounds(), &[], ball), None);
        let inside = Ray {
            origin: [0.0; 3],
            ..ray
        };
        assert_eq!(inside.cast(&bounds(), &[], ball).unwrap().normal, None);
        let beside = Ray {
            origin: [9.0, -20.0, 0.0],
            ..ray
        };
        assert_eq!(beside.cast(&bounds(), &[], ball), None);
    }
}
