//! Cameras: direction, projection and framing of a picture.

use fibula_core::vector::{Vector, add, cross, dot, finite, scale, sub, unit};

use super::PictureError;
use crate::Bounds;

/// Margin around the framed bounds, as a fraction of the picture's sides.
const MARGIN: f64 = 0.07;

/// A named view. The z axis points up, and the front is where y is smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// From the front, the right and above, with all axes equally foreshortened.
    Isometric,
    /// Along y; x points to the right.
    Front,
    /// Against y; x points to the left.
    Back,
    /// Along x; y points to the left.
    Left,
    /// Against x; y points to the right.
    Right,
    /// From above; y points up.
    Top,
    /// From below; y points down.
    Bottom,
}

impl View {
    /// All views.
    pub const ALL: [View; 7] = [
        View::Isometric,
        View::Front,
        View::Back,
        View::Left,
        View::Right,
        View::Top,
        View::Bottom,
    ];

    /// Name: `iso`, `front`, `back`, `left`, `right`, `top` or `bottom`.
    pub fn name(self) -> &'static str {
        match self {
            View::Isometric => "iso",
            View::Front => "front",
            View::Back => "back",
            View::Left => "left",
            View::Right => "right",
            View::Top => "top",
            View::Bottom => "bottom",
        }
    }
}

/// A camera. It frames the bounds, whatever the direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Viewing direction, of any length but 0.
    pub forward: [f64; 3],
    /// Direction that points up in the picture, not parallel to the viewing direction.
    pub up: [f64; 3],
    /// Vertical field of view in radians, above 0 and below pi; `None` for a parallel projection, which keeps lengths.
    pub perspective: Option<f64>,
    /// Magnification relative to a picture that shows the bounds completely, above 0.
    pub zoom: f64,
    /// Point in the middle of the picture; `None` for the centre of the bounds.
    pub target: Option<[f64; 3]>,
}

impl From<View> for Camera {
    fn from(view: View) -> Camera {
        let (forward, up) = match view {
            View::Isometric => ([-1.0, 1.0, -1.0], [0.0, 0.0, 1.0]),
            View::Front => ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
            View::Back => ([0.0, -1.0, 0.0], [0.0, 0.0, 1.0]),
            View::Left => ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            View::Right => ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            View::Top => ([0.0, 0.0, -1.0], [0.0, 1.0, 0.0]),
            View::Bottom => ([0.0, 0.0, 1.0], [0.0, -1.0, 0.0]),
        };
        Camera {
            forward,
            up,
            perspective: None,
            zoom: 1.0,
            target: None,
        }
    }
}

impl Camera {
    /// Returns a camera that looks at the centre from an azimuth, from x towards y, and an elevation above the plane of
    /// both, in radians.
    pub fn orbit(azimuth: f64, elevation: f64) -> Camera {
        let (flat, rise) = (elevation.cos(), elevation.sin());
        let (along, across) = (azimuth.cos(), azimuth.sin());
        Camera {
            forward: [-flat * along, -flat * across, -rise],
            // It leads to z, and is also valid from directly above.
            up: [-rise * along, -rise * across, flat],
            perspective: None,
            zoom: 1.0,
            target: None,
        }
    }
}

/// A camera for certain bounds and a picture size.
///
/// A ray of the picture is `eye(u, v) + w direction(u, v)`: `w` is the depth, and `u` and `v` are picture coordinates:
/// lengths in a parallel projection, tangents in perspective.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) right: Vector,
    pub(super) up: Vector,
    pub(super) forward: Vector,
    /// Point where u, v and w are 0.
    pub(super) eye: Vector,
    pub(super) is_perspective: bool,
    /// Size of a pixel, in u and v.
    pub(super) pixel: f64,
    /// Picture size in pixels.
    pub(super) size: [usize; 2],
    /// Range of depths of the bounds.
    pub(super) depths: [f64; 2],
}

impl Frame {
    pub(super) fn new(
        camera: &Camera,
        bounds: &Bounds,
        size: [usize; 2],
    ) -> Result<Frame, PictureError> {
        let wrong = || PictureError::Camera(*camera);
        let zoom = camera.zoom;
        // Beyond that a pixel is smaller than single precision resolves.
        let is_moderate = (1e-3..=1e3).contains(&zoom);
        let is_finite = camera.target.is_none_or(finite);
        if !(finite(camera.forward) && finite(camera.up) && is_finite && is_moderate) {
            return Err(wrong());
        }
        let forward = unit(camera.forward).ok_or_else(wrong)?;
        let up = unit(camera.up).ok_or_else(wrong)?;
        let sideways = cross(forward, up);
        let right = unit(sideways)
            .filter(|_| dot(sideways, sideways) > 1e-12)
            .ok_or_else(wrong)?;
        let up = cross(right, forward);
        let centre = bounds.centre();
        let corners = bounds.corners().map(|corner| {
            let from = sub(corner, centre);
            [dot(from, right), dot(from, up), dot(from, forward)]
        });
        let half = [0, 1].map(|axis| size[axis] as f64 / 2.0 * (1.0 - 2.0 * MARGIN));
        let most = |of: &dyn Fn(&Vector) -> f64| corners.iter().map(of).fold(0.0, f64::max);
        // Slightly more, so that rounding hides no corner.
        let reach = most(&|corner| corner[2]) * (1.0 + 1e-6);
        let (pixel, distance, reach) = if let Some(angle) = camera.perspective {
            if !(angle > 0.0 && angle < std::f64::consts::PI) {
                return Err(wrong());
            }
            let pixel = (angle / 2.0).tan() / (size[1] as f64 / 2.0);
            let need = |corner: &Vector| {
                let across = (corner[0].abs() / half[0]).max(corner[1].abs() / half[1]);
                across / pixel - corner[2]
            };
            // The eye is in front of all corners, however near the zoom brings it.
            let distance = most(&need).max(reach * 1.01) / zoom;
            (pixel, distance.max(reach * 1.01), reach)
        } else {
            let pixel = [0, 1].map(|axis| most(&|corner| corner[axis].abs()) / half[axis]);
            let pixel = pixel[0].max(pixel[1]) / zoom;
            // One more on both sides, so that faces across the view are within the depths.
            (pixel, reach + pixel, reach + pixel)
        };
        // The target moves the camera across the view only, so that the depths stay those of the bounds.
        let centre = camera.target.map_or(centre, |target| {
            let shift = sub(target, centre);
            add(centre, sub(shift, scale(forward, dot(shift, forward))))
        });
        Ok(Frame {
            right,
            up,
            forward,
            eye: sub(centre, scale(forward, distance)),
            is_perspective: camera.perspective.is_some(),
            pixel,
            size,
            depths: [distance - reach, distance + reach],
        })
    }

    /// Returns the origin and the direction of the ray at picture coordinates.
    pub(super) fn ray(&self, [u, v]: [f64; 2]) -> (Vector, Vector) {
        let across = add(scale(self.right, u), scale(self.up, v));
        if self.is_perspective {
            (self.eye, add(self.forward, across))
        } else {
            (add(self.eye, across), self.forward)
        }
    }

    /// Returns the point with these picture coordinates and depth.
    pub(super) fn point(&self, [u, v, w]: [f64; 3]) -> Vector {
        let (from, along) = self.ray([u, v]);
        add(from, scale(along, w))
    }

    /// Returns the picture coordinates of a point, and its depth.
    pub(super) fn place(&self, point: Vector) -> [f64; 3] {
        let [u, v, w] = self.components(point);
        if self.is_perspective {
            [u / w, v / w, w]
        } else {
            [u, v, w]
        }
    }

    /// Returns the components of a point to the right, up and forward from the eye.
    pub(super) fn components(&self, point: Vector) -> Vector {
        let from = sub(point, self.eye);
        [self.right, self.up, self.forward].map(|axis| dot(from, axis))
    }

    /// Converts pixels from the upper left corner to picture coordinates.
    pub(super) fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [width, height] = self.size.map(|side| side as f64 / 2.0);
        [(x - width) * self.pixel, (height - y) * self.pixel]
    }

    /// Converts picture coordinates to pixels from the upper left corner.
    pub(super) fn pixels(&self, [u, v]: [f64; 2]) -> [f64; 2] {
        let [width, height] = self.size.map(|side| side as f64 / 2.0);
        [u / self.pixel + width, height - v / self.pixel]
    }

    /// Returns the size of a pixel at a depth.
    pub(super) fn pixel_at(&self, depth: f64) -> f64 {
        if self.is_perspective {
            self.pixel * depth
        } else {
            self.pixel
        }
    }

    /// Converts the gradient by `u`, `v` and `w` to one by lengths to the right, up and forward.
    pub(super) fn gradient(&self, [u, v, w]: [f32; 3], by: [f32; 3]) -> [f32; 3] {
        if !self.is_perspective {
            return by;
        }
        let (right, up) = (by[0] / w, by[1] / w);
        [right, up, by[2] - u * right - v * up]
    }

    /// Converts a direction to its components to the right, up and forward.
    pub(super) fn turned(&self, direction: Vector) -> [f32; 3] {
        [self.right, self.up, self.forward].map(|axis| dot(direction, axis) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vector, b: Vector) -> bool {
        fibula_core::vector::length(sub(a, b)) < 1e-9
    }

    #[test]
    fn places_and_points_are_inverse() {
        let bounds = Bounds::new([1.0, 2.0, 3.0], [4.0, 8.0, 5.0]).unwrap();
        for perspective in [None, Some(0.7)] {
            for view in View::ALL {
                let camera = Camera {
                    perspective,
                    ..view.into()
                };
                let frame = Frame::new(&camera, &bounds, [64, 48]).unwrap();
                for corner in bounds.corners() {
                    let place = frame.place(corner);
                    assert!(close(frame.point(place), corner), "{view:?}");
                    assert!(place[2] >= frame.depths[0] && place[2] <= frame.depths[1]);
                    let [x, y] = frame.pixels([place[0], place[1]]);
                    assert!(x > 2.0 && x < 62.0 && y > 2.0 && y < 46.0, "{view:?}");
                    let [u, v] = frame.at([x, y]);
                    assert!(close([u, v, 0.0], [place[0], place[1], 0.0]));
                }
            }
        }
    }

    #[test]
    fn a_target_is_in_the_middle() {
        let bounds = Bounds::new([1.0, 2.0, 3.0], [4.0, 8.0, 5.0]).unwrap();
        for perspective in [None, Some(0.7)] {
            for view in View::ALL {
                let target = Some([1.5, 7.0, 3.5]);
                let camera = Camera {
                    perspective,
                    target,
                    ..view.into()
                };
                let frame = Frame::new(&camera, &bounds, [64, 48]).unwrap();
                let [u, v, w] = frame.place([1.5, 7.0, 3.5]);
                assert!(u.abs() < 1e-9 && v.abs() < 1e-9, "{view:?}");
                assert!(w >= frame.depths[0] && w <= frame.depths[1]);
            }
        }
    }

    #[test]
    fn views_have_their_axes_where_they_say() {
        let bounds = Bounds::new([-1.0; 3], [1.0; 3]).unwrap();
        let frame = |camera: Camera| Frame::new(&camera, &bounds, [10, 10]).unwrap();
        assert!(close(frame(View::Front.into()).right, [1.0, 0.0, 0.0]));
        assert!(close(frame(View::Back.into()).right, [-1.0, 0.0, 0.0]));
        assert!(close(frame(View::Left.into()).right, [0.0, -1.0, 0.0]));
        assert!(close(frame(View::Right.into()).right, [0.0, 1.0, 0.0]));
        assert!(close(frame(View::Top.into()).right, [1.0, 0.0, 0.0]));
        assert!(close(frame(View::Bottom.into()).up, [0.0, -1.0, 0.0]));
        let above = Camera::orbit(-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2);
        assert!(close(frame(above).up, [0.0, 1.0, 0.0]));
        let changes: [fn(&mut Camera); 6] = [
            |camera| camera.forward = [0.0; 3],
            |camera| camera.up = [0.0, 3.0, 0.0],
            |camera| camera.zoom = 0.0,
            |camera| camera.zoom = f64::NAN,
            |camera| camera.perspective = Some(4.0),
            |camera| camera.target = Some([0.0, f64::INFINITY, 0.0]),
        ];
        for change in changes {
            let mut camera = View::Front.into();
            change(&mut camera);
            let frame = Frame::new(&camera, &bounds, [10, 10]);
            assert!(frame.is_err(), "{camera:?}");
        }
    }
}
