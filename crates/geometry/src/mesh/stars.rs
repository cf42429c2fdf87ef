//! Stars of vertices: the triangles around each.
//!
//! Seen along a direction, the triangles of a star lie side by side if all have the same orientation, each begins where another
//! ends, and together they turn around the vertex once. No two of them cut each other then.

use fibula_core::vector::{Vector, add, cross, dot, sub};
use rayon::prelude::*;

use super::topology::{Fans, opposite_edge};
use super::triangles::TriangleMesh;

/// Maximum number of triangles of a star that is examined.
const MOST: usize = 16;

/// Relative rounding error of a scalar product of differences, with a large margin.
pub(super) const ROUNDING: f64 = 1e-13;

/// An upper bound of the length of a vector, without a root.
pub(super) fn reach([x, y, z]: Vector) -> f64 {
    x.abs() + y.abs() + z.abs()
}

/// Determines for each vertex whether its triangles are known to lie side by side, seen along some direction.
pub(super) fn plane_stars(mesh: &TriangleMesh) -> Vec<bool> {
    let count = mesh.vertices().len();
    let fans = Fans::new(count, mesh.triangles());
    let vertices = (0..count as u32).into_par_iter().with_min_len(1024);
    vertices
        .map(|vertex| is_plane(mesh, &fans, vertex))
        .collect()
}

/// A triangle of a star: the other corners, in order, and their offsets from the vertex.
#[derive(Clone, Copy, Default)]
struct Wedge {
    ends: [u32; 2],
    from: Vector,
    to: Vector,
}

fn is_plane(mesh: &TriangleMesh, fans: &Fans, vertex: u32) -> bool {
    let own = fans.triangles_at(vertex);
    if !(3..=MOST).contains(&own.len()) {
        return false;
    }
    let middle = mesh.vertices()[vertex as usize];
    let offset = |corner: u32| sub(mesh.vertices()[corner as usize], middle);
    let mut wedges = [Wedge::default(); MOST];
    let mut direction = [0.0; 3];
    for (wedge, &triangle) in wedges.iter_mut().zip(own) {
        let [from, to] = opposite_edge(mesh.triangles()[triangle as usize], vertex);
        *wedge = Wedge {
            ends: [from, to],
            from: offset(from),
            to: offset(to),
        };
        direction = add(direction, cross(wedge.from, wedge.to));
    }
    let wedges = &wedges[..own.len()];
    // True if the turn from one offset to another is clearly to the left.
    let is_left = |from: Vector, to: Vector| {
        let turn = dot(direction, cross(from, to));
        let error = ROUNDING * reach(direction) * reach(from) * reach(to);
        // Neither overflown nor so small that the relative bound does not hold.
        turn > error && turn.is_finite() && error >= f64::MIN_POSITIVE
    };
    if !wedges.iter().all(|wedge| is_left(wedge.from, wedge.to)) {
        return false;
    }
    // One wedge begins and one ends where each ends, so that they form cycles.
    let is_closed = |wedge: &Wedge| {
        let touching = |end: usize| {
            let all = wedges.iter();
            all.filter(|other| other.ends[end] == wedge.ends[1]).count()
        };
        touching(0) == 1 && touching(1) == 1
    };
    // They turn around once if no other wedge contains the middle of the first one.
    let inside = add(wedges[0].from, wedges[0].to);
    let is_elsewhere = |wedge: &Wedge| is_left(inside, wedge.from) || is_left(wedge.to, inside);
    wedges.iter().all(is_closed) && wedges[1..].iter().all(is_elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fan around the origin, with or without a triangle from the last to the first.
    fn is_plane_fan(around: &[Vector], closed: bool) -> bool {
        let vertices = [&[[0.0; 3]], around].concat();
        let count = around.len() as u32;
        let last = if closed { count } else { count - 1 };
        let triangles = (0..last).map(|number| [0, number + 1, (number + 1) % count + 1]);
        let mesh = TriangleMesh::new(vertices, triangles.collect()).unwrap();
        plane_stars(&mesh)[0]
    }

    /// Offsets that turn around the axis by so many degrees each.
    fn turning(count: u32, degrees: f64, height: impl Fn(u32) -> f64) -> Vec<Vector> {
        let corner = |number: u32| {
            let angle = (f64::from(number) * degrees).to_radians();
            [angle.cos(), angle.sin(), height(number)]
        };
        (0..count).map(corner).collect()
    }

    #[test]
    fn stars_turn_once() {
        let flat = |_| 0.0;
        assert!(is_plane_fan(&turning(6, 60.0, flat), true));
        assert!(is_plane_fan(&turning(3, 120.0, |_| -5.0), true), "a spike");
        let folded = |number| f64::from(number % 2);
        assert!(is_plane_fan(&turning(8, 45.0, folded), true), "a ruffle");
        assert!(!is_plane_fan(&turning(6, 60.0, flat), false), "a gap");
        assert!(
            !is_plane_fan(&turning(10, 72.0, |number| 0.1 * f64::from(number)), true),
            "twice around"
        );
        let mut back = turning(6, 60.0, flat);
        back.swap(2, 3);
        assert!(!is_plane_fan(&back, true), "a fold");
        assert!(!is_plane_fan(&turning(20, 18.0, flat), true), "many");
        assert!(is_plane_fan(&turning(6, -60.0, flat), true), "from below");
        for scale in [1e-100, 1e120] {
            let fan = turning(6, 60.0, flat).into_iter();
            let fan: Vec<Vector> = fan.map(|at| at.map(|x| x * scale)).collect();
            assert!(!is_plane_fan(&fan, true), "{scale}");
        }
    }

    #[test]
    fn a_tail_into_a_cycle_is_no_star() {
        // From 200 degrees to the first corner; it lies over two others.
        let around = turning(3, 120.0, |_| 0.0);
        let vertices = [&[[0.0; 3]], &around[..], &[[-0.94, -0.34, 0.2]]].concat();
        let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [0, 4, 1]];
        let mesh = TriangleMesh::new(vertices, triangles).unwrap();
        assert!(!plane_stars(&mesh)[0]);
    }
}
