//! Bounding boxes: those of known shapes are within their stated errors.

use fibula::geometry::Bounds;

use super::measured;

/// Shapes with their cells and the corners of their bounding boxes. They lie in a box from -7 to 7.
const KNOWN: [(&str, f64, [[f64; 3]; 2]); 9] = [
    // A gyroid wall cut by a cube: where slivers meet the edges of the cube, vertices lie outside of it.
    (
        "max(max(max(abs(x), abs(y)), abs(z)) - 6, abs(sin(2*x)*cos(2*y) + sin(2*y)*cos(2*z) + sin(2*z)*cos(2*x)) - 0.35)",
        0.31,
        [[-6.0; 3], [6.0; 3]],
    ),
    (
        "length(pos - vec3(0.3, 0, 0)) - 5",
        0.5,
        [[-4.7, -5.0, -5.0], [5.3, 5.0, 5.0]],
    ),
    (
        "length(vec3(length(vec3(x, y, 0)) - 5, z, 0)) - 1",
        0.4,
        [[-6.0, -6.0, -1.0], [6.0, 6.0, 1.0]],
    ),
    // Tips: an octahedron, and two cones base to base.
    ("abs(x) + abs(y) + abs(z) - 5", 0.4, [[-5.0; 3], [5.0; 3]]),
    (
        "length(vec3(x, y, 0)) + 0.2 * abs(z) - 1",
        0.2,
        [[-1.0, -1.0, -5.0], [1.0, 1.0, 5.0]],
    ),
    // Edges, straight and round.
    (
        "max(max(abs(x + y), abs(x - y)) - 6, abs(z) - 1)",
        0.5,
        [[-6.0, -6.0, -1.0], [6.0, 6.0, 1.0]],
    ),
    (
        "max(length(pos - vec3(0, 0, 3)), length(pos + vec3(0, 0, 3))) - 5",
        0.3,
        [[-4.0, -4.0, -2.0], [4.0, 4.0, 2.0]],
    ),
    // No distance, and a function that has none of the known slopes.
    (
        "x*x/9 + y*y/4 + z*z*z*z - 1",
        0.25,
        [[-3.0, -2.0, -1.0], [3.0, 2.0, 1.0]],
    ),
    // A thin inclined plate; the bounds cut it off at x = 7.
    (
        "max(max(x - 9, -4 - x), max(abs(y) - 2, abs(z - 0.2 * x) - 0.2))",
        0.3,
        [[-4.0, -2.0, -1.0], [7.0, 2.0, 1.6]],
    ),
];

#[test]
fn bounding_boxes_hold() {
    let bounds = Bounds::new([-7.0; 3], [7.0; 3]).unwrap();
    for (text, cell, truth) in KNOWN {
        let found = measured(text, bounds, cell).bounds;
        let corners = found.value.as_flattened().iter().zip(truth.as_flattened());
        for (side, truth) in corners {
            assert!((side - truth).abs() <= found.error, "{text}: {found:?}");
        }
        assert!(found.error < 1e-3, "{text}: {found:?}");
    }
}
