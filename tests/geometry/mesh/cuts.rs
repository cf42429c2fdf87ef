//! Pairs of triangles that cut each other, by an exact test.

use super::ON;
use crate::solids::SOLIDS;

/// Parts whose meshes cut themselves where surfaces meet or are closer than a cell, and their most pairs.
const CUT: [(&str, usize); 13] = [
    ("thin rim", 1_300),
    ("gyroid in a cube", 700),
    ("gyroid wall", 30),
    ("graded Schwarz P", 6_500),
    ("Schwarz D in a ball", 250),
    ("cubic lattice", 100),
    ("twisted bar", 80),
    ("fast twisted bar", 20),
    ("twisted star", 70),
    ("turned boxes that touch in an edge", 40),
    ("checkerboard", 300),
    ("balls that touch", 30),
    ("cylinder on a plate", 10),
];

/// No part is worse than it is known to be, and most have no cut at all.
#[test]
fn cuts_are_counted() {
    for solid in SOLIDS.iter().filter(|solid| solid.name != "noise") {
        let mesh = solid.mesh().unwrap().mesh;
        let pairs = mesh.cutting_pairs(ON).unwrap().len();
        let known = CUT.iter().find(|(name, _)| *name == solid.name);
        let most = known.map_or(0, |(_, most)| *most);
        assert!(pairs <= most, "{}: {pairs} pairs, not {most}", solid.name);
        assert!(
            pairs > 0 || known.is_none(),
            "{} has none any more",
            solid.name
        );
    }
}
