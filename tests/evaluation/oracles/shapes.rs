//! Meshes to test with, and the plain model of the distance to one.

use fibula::oracle::Mesh;

use super::laws::{cross, dot, length, sub};

/// Vertices and triangles.
pub(crate) type Soup = (Vec<[f64; 3]>, Vec<[u32; 3]>);

pub(crate) fn mesh((vertices, triangles): Soup) -> Mesh {
    Mesh::new(vertices, triangles).expect("it is a mesh")
}

/// A grid of quadrilaterals over (u, v) in [0, 1), each cut in two; `around` says which directions close.
fn sheet(columns: u32, rows: u32, around: [bool; 2], at: impl Fn(f64, f64) -> [f64; 3]) -> Soup {
    let wide = columns + u32::from(!around[0]);
    let high = rows + u32::from(!around[1]);
    let vertices = (0..wide * high).map(|k| {
        let (i, j) = (k % wide, k / wide);
        at(
            f64::from(i) / f64::from(columns),
            f64::from(j) / f64::from(rows),
        )
    });
    let mut triangles = Vec::new();
    for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
        let corner = |i: u32, j: u32| (i % wide) + (j % high) * wide;
        let [a, b, c, d] = [
            corner(i, j),
            corner(i + 1, j),
            corner(i + 1, j + 1),
            corner(i, j + 1),
        ];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    (vertices.collect(), triangles)
}

/// A sphere of radius 1 by meridians and parallels; its poles are many vertices at one place.
pub(crate) fn sphere(columns: u32, rows: u32) -> Soup {
    sheet(columns, rows, [true, false], |u, v| {
        let (turn, lift) = (u * std::f64::consts::TAU, (v - 0.5) * std::f64::consts::PI);
        // The poles are exactly on the axis.
        let out = if (v - 0.5).abs() >= 0.5 {
            0.0
        } else {
            lift.cos()
        };
        [out * turn.cos(), out * turn.sin(), lift.sin()]
    })
}

/// A torus around the z axis.
pub(crate) fn torus(large: f64, small: f64, columns: u32, rows: u32) -> Soup {
    sheet(columns, rows, [true, true], |u, v| {
        let (turn, roll) = (u * std::f64::consts::TAU, v * std::f64::consts::TAU);
        let out = large + small * roll.cos();
        [out * turn.cos(), out * turn.sin(), small * roll.sin()]
    })
}

/// An upright box.
pub(crate) fn block(low: [f64; 3], high: [f64; 3]) -> Soup {
    let vertices = (0..8).map(|k: usize| {
        std::array::from_fn(|axis| {
            if k >> axis & 1 == 0 {
                low[axis]
            } else {
                high[axis]
            }
        })
    });
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = faces
        .into_iter()
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    (vertices.collect(), triangles.collect())
}

/// A pyramid over a star with as many points: sharp edges and re-entrant ones, and a top where they all meet.
pub(crate) fn star(points: u32, height: f64) -> Soup {
    let rim = 2 * points;
    let mut vertices: Vec<[f64; 3]> = (0..rim)
        .map(|k| {
            let turn = f64::from(k) / f64::from(rim) * std::f64::consts::TAU;
            let out = if k % 2 == 0 { 1.0 } else { 0.3 };
            [out * turn.cos(), out * turn.sin(), 0.0]
        })
        .collect();
    vertices.extend([[0.0, 0.0, height], [0.0, 0.0, -0.05]]);
    let sides = (0..rim).flat_map(|k| {
        let next = (k + 1) % rim;
        [[k, next, rim], [next, k, rim + 1]]
    });
    (vertices, sides.collect())
}

/// Two meshes as one.
pub(crate) fn both(mut first: Soup, second: Soup) -> Soup {
    let offset = first.0.len() as u32;
    first.0.extend(second.0);
    first.1.extend(
        second
            .1
            .iter()
            .map(|corners| corners.map(|corner| corner + offset)),
    );
    first
}

/// The mesh with its triangles turned inside out.
pub(crate) fn inverted(mut soup: Soup) -> Soup {
    for [_, b, c] in &mut soup.1 {
        std::mem::swap(b, c);
    }
    soup
}

/// The mesh with every vertex moved.
pub(crate) fn moved(mut soup: Soup, by: impl Fn([f64; 3]) -> [f64; 3]) -> Soup {
    for at in &mut soup.0 {
        *at = by(*at);
    }
    soup
}

fn corners(soup: &Soup) -> impl Iterator<Item = [[f64; 3]; 3]> {
    soup.1
        .iter()
        .map(|corners| corners.map(|corner| soup.0[corner as usize]))
}

/// The distance to the nearest triangle.
pub(crate) fn distance(soup: &Soup, at: [f64; 3]) -> f64 {
    corners(soup)
        .map(|triangle| to_triangle(triangle, at))
        .fold(f64::INFINITY, f64::min)
}

/// The sum of the solid angles of all triangles: 1 inside of a closed mesh.
pub(crate) fn winding(soup: &Soup, at: [f64; 3]) -> f64 {
    let angle = |triangle: [[f64; 3]; 3]| {
        let [a, b, c] = triangle.map(|corner| sub(corner, at));
        let [x, y, z] = [a, b, c].map(length);
        let rest = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y;
        dot(a, cross(b, c)).atan2(rest) / std::f64::consts::TAU
    };
    corners(soup).map(angle).sum()
}

fn to_triangle([a, b, c]: [[f64; 3]; 3], at: [f64; 3]) -> f64 {
    let normal = cross(sub(b, a), sub(c, a));
    let above = |from: [f64; 3], to: [f64; 3]| dot(cross(normal, sub(to, from)), sub(at, from));
    if [above(a, b), above(b, c), above(c, a)]
        .iter()
        .all(|&side| side > 0.0)
    {
        return (dot(normal, sub(at, a)) / length(normal)).abs();
    }
    let to_line = |from: [f64; 3], to: [f64; 3]| {
        let line = sub(to, from);
        let share = (dot(sub(at, from), line) / dot(line, line)).clamp(0.0, 1.0);
        length(std::array::from_fn(|k| at[k] - from[k] - line[k] * share))
    };
    to_line(a, b).min(to_line(b, c)).min(to_line(c, a))
}
