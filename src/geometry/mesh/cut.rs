//! How a quad becomes triangles: two, in the better of two ways; or four around the crossing of its edge, where the surface is
//! rounder than cells are.

use crate::vector::{Vector, add, cross, dot, scale, sub};

/// Triangles with a smaller altitude, in cells, are kept from being.
const FLAT: f64 = 1e-4;
/// Quads of which one half lies so much closer to the surface, in cells, are cut this way.
const CLOSER: f64 = 1e-3;

/// The surface in the middle of a quad.
pub(super) struct Surface {
    pub(super) at: Vector,
    pub(super) normal: Vector,
    /// The shortest edge of the cell.
    pub(super) cell: f64,
}

/// The triangles of a quad.
pub(super) struct Cut {
    pub(super) halves: [[u32; 3]; 2],
    /// Whether one of them has no area.
    pub(super) is_flat: bool,
}

/// Cuts a quad in two triangles, so that they have areas, face outward, lie on the surface and are not thin.
pub(super) fn cut(quad: [u32; 4], vertices: &[Vector], surface: &Surface) -> Cut {
    let [a, b, c, d] = quad;
    let at = quad.map(|vertex| vertices[vertex as usize]);
    let [ab, bc, cd, da] = [0, 1, 2, 3].map(|place| sub(at[(place + 1) % 4], at[place]));
    let (ac, bd) = (sub(at[2], at[0]), sub(at[3], at[1]));
    let directions = [
        [cross(ab, bc), cross(cd, da)],
        [cross(bc, cd), cross(da, ab)],
    ];
    let [ab, bc, cd, da, ac, bd] = [ab, bc, cd, da, ac, bd].map(|side| dot(side, side));
    let [first, second] = directions;
    let ways = [
        Way::of(first, [[ab, bc, ac], [cd, da, ac]], [at[0], at[2]], surface),
        Way::of(
            second,
            [[bc, cd, bd], [da, ab, bd]],
            [at[1], at[3]],
            surface,
        ),
    ];
    let flat = (FLAT * surface.cell).powi(2);
    let is_other_better = ways[1].is_better(&ways[0], flat, CLOSER * surface.cell);
    let way = &ways[usize::from(is_other_better)];
    Cut {
        halves: if is_other_better {
            [[b, c, d], [b, d, a]]
        } else {
            [[a, b, c], [a, c, d]]
        },
        is_flat: way.altitude <= flat,
    }
}

/// Whether the four triangles around the middle of a quad all have areas and face outward.
pub(super) fn is_fan(quad: [u32; 4], vertices: &[Vector], surface: &Surface) -> bool {
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

/// What is good and bad about a way to cut a quad.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The square of the smaller altitude of the two triangles.
    altitude: f64,
    /// How many of them face outward.
    outward: u8,
    /// How far the middle of the cut is from the surface.
    distance: f64,
}

impl Way {
    /// Of two triangles, by their directions, which have twice their areas as lengths, by the squares of the lengths of their
    /// sides, and by the ends of the cut.
    fn of(
        directions: [Vector; 2],
        sides: [[f64; 3]; 2],
        ends: [Vector; 2],
        surface: &Surface,
    ) -> Way {
        let (mut altitude, mut outward) = (f64::INFINITY, 0);
        for (direction, [a, b, c]) in directions.into_iter().zip(sides) {
            let longest = a.max(b).max(c);
            altitude = if longest > 0.0 {
                altitude.min(dot(direction, direction) / longest)
            } else {
                0.0
            };
            outward += u8::from(dot(direction, surface.normal) > 0.0);
        }
        let middle = scale(add(ends[0], ends[1]), 0.5);
        Way {
            altitude,
            outward,
            distance: dot(surface.normal, sub(middle, surface.at)).abs(),
        }
    }

    /// Whether it is, where triangles are flat whose altitudes have squares that are no larger, and distances that differ
    /// by less are the same.
    fn is_better(&self, other: &Way, flat: f64, closer: f64) -> bool {
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
