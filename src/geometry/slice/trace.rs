//! Closed lines made of pieces.

use super::cells::{Finder, Piece, Point};

/// The closed lines that pieces make, each beginning with the crossing of the lowest edge.
pub(super) fn loops(found: Vec<Finder<'_>>) -> Vec<Vec<Point>> {
    let (mut crossings, mut pieces) = (Vec::new(), Vec::new());
    for finder in found {
        crossings.extend(finder.crossings);
        pieces.extend(finder.pieces);
    }
    // Edges between two parts of the grid were found in both, at the same place.
    crossings.sort_unstable_by_key(|crossing| crossing.edge);
    crossings.dedup_by_key(|crossing| crossing.edge);
    pieces.sort_unstable_by_key(|piece: &Piece| piece.from);
    let place = |edge: u64| pieces.binary_search_by_key(&edge, |piece| piece.from);
    let mut done = vec![false; pieces.len()];
    let mut loops = Vec::new();
    for start in 0..pieces.len() {
        let mut points = Vec::new();
        let mut next = start;
        while !done[next] {
            done[next] = true;
            let piece = &pieces[next];
            let crossing = crossings.binary_search_by_key(&piece.from, |crossing| crossing.edge);
            points.extend(crossing.ok().map(|found| crossings[found].at));
            points.extend(piece.corner);
            let Ok(found) = place(piece.to) else {
                break;
            };
            next = found;
        }
        if !points.is_empty() {
            loops.push(points);
        }
    }
    loops
}

/// The area that a closed line encloses; negative if it goes with the clock.
pub(super) fn area(points: &[Point]) -> f64 {
    let Some(&origin) = points.first() else {
        return 0.0;
    };
    let from = |at: Point| [at[0] - origin[0], at[1] - origin[1]];
    let pairs = points.iter().zip(points.iter().cycle().skip(1));
    let twice: f64 = pairs
        .map(|(&a, &b)| {
            let ([ax, ay], [bx, by]) = (from(a), from(b));
            ax * by - ay * bx
        })
        .sum();
    twice / 2.0
}
