//! Triangulation of quads: two triangles, by the better of two diagonals; or a fan of four around the crossing of the
//! edge, where the surface is rounder than cells are.

use fibula_core::vector::{Vector, add, cross, dot, scale, sub};

/// Triangles with a smaller altitude, in cells, are avoided.
const FLAT: f64 = 1e-4;
/// A diagonal wins if it is nearer to the surface by this distance, in cells.
const CLOSER: f64 = 1e-3;

/// The surface in the middle of a quad.
pub(super) struct QuadSurface {
    pub(super) at: Vector,
    pub(super) normal: Vector,
    /// Shortest edge of the cell.
    pub(super) cell: f64,
}

pub(super) struct QuadSplit {
    /// True for the diagonal from the second corner to the last, not from the first to the third.
    is_other: bool,
    /// True if a triangle has no area.
    pub(super) is_flat: bool,
}

/// Splits a quad in two triangles that have areas, face outward, lie on the surface and are not thin.
pub(super) fn split(quad: [u32; 4], vertices: &[Vector], surface: &QuadSurface) -> QuadSplit {
    let vertex = |number: u32| vertices[number as usize];
    let [a, b, c, d] = quad;
    let at = [vertex(a), vertex(b), vertex(c), vertex(d)];
    let corners = CornerTriangles::new(&at, surface.normal);
    let diagonals = [
        corners.diagonal(&at, 0, surface),
        corners.diagonal(&at, 1, surface),
    ];
    let flat = (FLAT * surface.cell).powi(2);
    let is_other = diagonals[1].is_better(&diagonals[0], flat, CLOSER * surface.cell);
    QuadSplit {
        is_other,
        is_flat: diagonals[usize::from(is_other)].altitude <= flat,
    }
}

impl QuadSplit {
    /// Returns the two triangles of a quad.
    #[inline]
    pub(super) fn halves(&self, [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
        if self.is_other {
            [[b, c, d], [b, d, a]]
        } else {
            [[a, b, c], [a, c, d]]
        }
    }
}

/// The triangles of two adjacent sides of a quad at its four corners, as structure of arrays for vector instructions.
struct CornerTriangles {
    /// Squares of their smallest altitudes.
    altitudes: [f64; 4],
    /// Positive if they face outward.
    outward: [f64; 4],
}

impl CornerTriangles {
    #[inline]
    fn new(at: &[Vector; 4], [u, v, w]: Vector) -> CornerTriangles {
        let [a, b, c, d] = *at;
        let x = [a[0], b[0], c[0], d[0]];
        let y = [a[1], b[1], c[1], d[1]];
        let z = [a[2], b[2], c[2], d[2]];
        let side = |x: [f64; 4]| [x[1] - x[0], x[2] - x[1], x[3] - x[2], x[0] - x[3]];
        let next = |x: [f64; 4]| [x[1], x[2], x[3], x[0]];
        let across = |x: [f64; 4]| {
            let (first, second) = (x[2] - x[0], x[3] - x[1]);
            [first, second, first, second]
        };
        let square = |x: [f64; 4], y: [f64; 4], z: [f64; 4]| {
            each(|place| x[place] * x[place] + y[place] * y[place] + z[place] * z[place])
        };
        let (ax, ay, az) = (side(x), side(y), side(z));
        let (bx, by, bz) = (next(ax), next(ay), next(az));
        // Twice their areas are the lengths of these.
        let cx = each(|place| ay[place] * bz[place] - az[place] * by[place]);
        let cy = each(|place| az[place] * bx[place] - ax[place] * bz[place]);
        let cz = each(|place| ax[place] * by[place] - ay[place] * bx[place]);
        let sides = square(ax, ay, az);
        let diagonals = square(across(x), across(y), across(z));
        let areas = square(cx, cy, cz);
        let following = next(sides);
        let longest =
            each(|place| larger(larger(sides[place], following[place]), diagonals[place]));
        CornerTriangles {
            altitudes: each(|place| areas[place] / larger(longest[place], f64::MIN_POSITIVE)),
            outward: each(|place| u * cx[place] + v * cy[place] + w * cz[place]),
        }
    }

    /// Returns the diagonal from a corner to the opposite one.
    #[inline]
    fn diagonal(&self, at: &[Vector; 4], from: usize, surface: &QuadSurface) -> Diagonal {
        let middle = scale(add(at[from], at[from + 2]), 0.5);
        let [a, b] = [self.altitudes[from], self.altitudes[from + 2]];
        Diagonal {
            altitude: if a < b { a } else { b },
            outward: u8::from(self.outward[from] > 0.0) + u8::from(self.outward[from + 2] > 0.0),
            distance: dot(surface.normal, sub(middle, surface.at)).abs(),
        }
    }
}

#[inline]
fn each(of: impl Fn(usize) -> f64) -> [f64; 4] {
    [of(0), of(1), of(2), of(3)]
}

/// Returns the larger number, in one instruction, since no coordinate is NaN.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// True if the four triangles around the middle of a quad all have areas and face outward.
pub(super) fn is_fan(quad: [u32; 4], vertices: &[Vector], surface: &QuadSurface) -> bool {
    let flat = (FLAT * surface.cell).powi(2);
    let at = quad.map(|vertex| vertices[vertex as usize]);
    (0..4).all(|place| {
        let (a, b) = (at[place], at[(place + 1) % 4]);
        let sides = [sub(b, a), sub(surface.at, b), sub(a, surface.at)];
        let direction = cross(sides[0], sides[1]);
        let longest = sides
            .map(|side| dot(side, side))
            .into_iter()
            .fold(0.0, f64::max);
        dot(direction, surface.normal) > 0.0 && dot(direction, direction) > flat * longest
    })
}

/// Quality of a diagonal.
#[derive(Debug, Clone, Copy)]
struct Diagonal {
    /// Square of the smaller altitude of the two triangles.
    altitude: f64,
    /// Number of triangles that face outward.
    outward: u8,
    /// Distance of the diagonal's middle from the surface.
    distance: f64,
}

impl Diagonal {
    /// True if this diagonal is better. Triangles are flat if the squares of their altitudes are at most `flat`;
    /// distances that differ by at most `closer` are equal.
    fn is_better(&self, other: &Diagonal, flat: f64, closer: f64) -> bool {
        let (is_flat, is_other_flat) = (self.altitude <= flat, other.altitude <= flat);
        if is_flat != is_other_flat {
            return is_other_flat;
        }
        if self.outward != other.outward {
            return self.outward > other.outward;
        }
        if (self.distance - other.distance).abs() > closer {
            return self.distance < other.distance;
        }
        self.altitude > other.altitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_of(vertices: [Vector; 4], at: Vector) -> (QuadSplit, [[u32; 3]; 2]) {
        let surface = QuadSurface {
            at,
            normal: [0.0, 0.0, 1.0],
            cell: 1.0,
        };
        let quad = [0, 1, 2, 3];
        let cut = split(quad, &vertices, &surface);
        let halves = cut.halves(quad);
        (cut, halves)
    }

    #[test]
    fn the_cut_lies_on_the_surface_and_faces_outward() {
        let square = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ];
        // The first and the third corner are above the others.
        let mut saddle = square;
        (saddle[0][2], saddle[2][2]) = (0.5, 0.5);
        for (height, halves) in [(0.5, [[0, 1, 2], [0, 2, 3]]), (0.0, [[1, 2, 3], [1, 3, 0]])] {
            let (cut, found) = cut_of(saddle, [0.5, 0.5, height]);
            assert_eq!((cut.is_flat, found), (false, halves));
        }
        // One corner is drawn in, so that one half of the other split faces inward, whatever is nearer to the surface.
        let mut arrow = square;
        arrow[2] = [0.2, 0.2, 0.0];
        let (cut, found) = cut_of(arrow, [0.5, 0.5, 0.0]);
        assert_eq!((cut.is_flat, found), (false, [[0, 1, 2], [0, 2, 3]]));
    }

    #[test]
    fn triangles_without_areas_are_flat() {
        let point = [0.25, 0.5, 0.75];
        assert!(cut_of([point; 4], point).0.is_flat);
        let line = [0.0, 1.0, 2.0, 3.0].map(|x| [x, 0.0, 0.0]);
        assert!(cut_of(line, [1.5, 0.0, 0.0]).0.is_flat);
        // Two corners coincide: one triangle has no area, whatever the diagonal.
        let triangle = [
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
        ];
        assert!(cut_of(triangle, [0.3, 0.3, 0.0]).0.is_flat);
    }
}
