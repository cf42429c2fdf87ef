//! Ways by their place, for the search of one beside another.

use fibula_core::vector::{Vector, length, sub};
use rustc_hash::FxHashMap;

use super::thickness::Way;

/// Ways in a grid of cubes as wide as the distance at which two are beside each other.
#[derive(Debug)]
pub(super) struct NearbyWays {
    distance: f64,
    cubes: FxHashMap<[i64; 3], Vec<Way>>,
}

impl NearbyWays {
    /// Ways are beside each other up to a distance.
    pub(super) fn new(distance: f64) -> Self {
        NearbyWays {
            distance,
            cubes: FxHashMap::default(),
        }
    }

    pub(super) fn insert(&mut self, way: Way) {
        self.cubes.entry(self.cube(way[0])).or_default().push(way);
    }

    /// True if a way begins beside this point.
    pub(super) fn begins_beside(&self, at: Vector) -> bool {
        self.any(at, |_| true)
    }

    /// True if a way begins and ends beside this one.
    pub(super) fn is_beside(&self, [from, to]: Way) -> bool {
        self.any(from, |way| length(sub(way[1], to)) <= self.distance)
    }

    fn any(&self, at: Vector, fits: impl Fn(&Way) -> bool) -> bool {
        let [x, y, z] = self.cube(at);
        (0..27).any(|index| {
            let cube = [x + index % 3 - 1, y + index / 3 % 3 - 1, z + index / 9 - 1];
            let ways = self.cubes.get(&cube).into_iter().flatten();
            let mut near = ways.filter(|way| length(sub(way[0], at)) <= self.distance);
            near.any(&fits)
        })
    }

    fn cube(&self, at: Vector) -> [i64; 3] {
        at.map(|coordinate| (coordinate / self.distance).floor() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_found_up_to_the_distance() {
        let mut ways = NearbyWays::new(3.0);
        ways.insert([[2.9, 0.0, 0.0], [2.9, 9.0, 0.0]]);
        assert!(ways.begins_beside([5.8, 0.0, 0.0]) && ways.begins_beside([0.0, 0.0, -0.5]));
        assert!(!ways.begins_beside([6.0, 0.0, 0.0]));
        assert!(ways.is_beside([[4.0, 1.0, 1.0], [4.0, 10.0, 1.0]]));
        assert!(!ways.is_beside([[4.0, 1.0, 1.0], [4.0, 13.0, 1.0]]));
    }
}
