//! Quadric error function: the vertex of a piece of surface is as near as it can be to the tangent planes at the
//! crossings of a cell's edges, so that it lies on the edge or the corner in which planes meet (Ju, Losasso, Schaefer
//! and Warren, Dual Contouring of Hermite Data, 2002).
//!
//! The sum of squared distances is minimal in a point, a line or a plane; the minimiser nearest to the mean of the
//! crossings follows from the eigenvalues of its matrix. It is restricted to the cell.

use fibula_core::vector::{Vector, add, aside, cross, dot, scale, sub, unit};

/// Directions whose eigenvalue is below this fraction of the trace are flat: planes that differ by a few degrees do not
/// determine where they meet.
const FLAT: f64 = 1e-3;

/// No eigenvalue dominates where the sum of their squares is a smaller fraction of the square of their sum.
const UNEVEN: f64 = 0.6;

/// A point where the surface crosses an edge.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Crossing {
    pub(super) at: Vector,
    /// Unit normal outward; 0 if unknown.
    pub(super) normal: Vector,
}

/// The vertex of a piece of surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) at: Vector,
    /// Offset from the mean of the crossings.
    pub(super) offset: Vector,
    /// Sum of the normals at the crossings.
    pub(super) normals: Vector,
}

/// Returns the vertex for some crossings of a cell's edges, restricted to a box.
pub(super) fn vertex<'a>(
    crossings: impl Iterator<Item = &'a Crossing> + Clone,
    [low, high]: [Vector; 2],
) -> Vertex {
    let (mut count, mut sum, mut normals, mut trace) = (0.0, [0.0; 3], [0.0; 3], 0.0);
    for crossing in crossings.clone() {
        count += 1.0;
        sum = add(sum, sub(crossing.at, low));
        normals = add(normals, crossing.normal);
        trace += dot(crossing.normal, crossing.normal);
    }
    let middle = add(low, scale(sum, 1.0 / count));
    if trace <= 0.0 {
        return Vertex {
            at: middle,
            offset: [0.0; 3],
            normals,
        };
    }
    let (least, most) = (sub(low, middle), sub(high, middle));
    let flat = least_of_flat(crossings.clone(), middle, normals, trace);
    let flat =
        flat.filter(|at| (0..3).all(|axis| least[axis] <= at[axis] && at[axis] <= most[axis]));
    let offset = flat.unwrap_or_else(|| {
        let quadric = Quadric::around(middle, crossings);
        quadric.least_within(least, most, trace, [None; 3]).0
    });
    let at = add(middle, offset);
    Vertex {
        // Rounding must not move it out of the cell.
        at: std::array::from_fn(|axis| at[axis].clamp(low[axis], high[axis])),
        offset,
        normals,
    }
}

/// Returns the minimiser's offset along the sum of the normals, if all other directions are flat. The eigenvector of
/// the largest eigenvalue differs from that direction by less than the normals do among each other.
#[inline]
fn least_of_flat<'a>(
    crossings: impl Iterator<Item = &'a Crossing>,
    middle: Vector,
    normals: Vector,
    trace: f64,
) -> Option<Vector> {
    let (mut squares, mut pull) = (0.0, 0.0);
    for crossing in crossings {
        let along = dot(crossing.normal, normals);
        squares += along * along;
        pull += along * dot(crossing.normal, sub(crossing.at, middle));
    }
    let most = trace * dot(normals, normals);
    // The rest for the other directions.
    let rest = most - squares;
    (most > 0.0 && rest <= FLAT * most).then(|| scale(normals, pull / squares))
}

/// The quadric around the mean: x' squares x - 2 pull x, without its constant.
struct Quadric {
    squares: [[f64; 3]; 3],
    pull: Vector,
}

impl Quadric {
    /// Builds the quadric of some crossings around their mean.
    fn around<'a>(middle: Vector, crossings: impl Iterator<Item = &'a Crossing>) -> Quadric {
        let mut quadric = Quadric {
            squares: [[0.0; 3]; 3],
            pull: [0.0; 3],
        };
        for &Crossing { at, normal } in crossings {
            let away = dot(normal, sub(at, middle));
            for axis in 0..3 {
                let row = scale(normal, normal[axis]);
                quadric.squares[axis] = add(quadric.squares[axis], row);
            }
            quadric.pull = add(quadric.pull, scale(normal, away));
        }
        quadric
    }

    /// Returns the minimiser in a box with some coordinates given, and the minimum.
    ///
    /// If the unrestricted minimiser lies beyond some sides, the restricted one lies on one of these.
    fn least_within(
        &self,
        low: Vector,
        high: Vector,
        trace: f64,
        given: [Option<f64>; 3],
    ) -> (Vector, f64) {
        let at = self.least(trace, given);
        let mut best = None;
        for axis in 0..3 {
            let side = if at[axis] < low[axis] {
                low[axis]
            } else if at[axis] > high[axis] {
                high[axis]
            } else {
                continue;
            };
            if given[axis].is_some() {
                continue;
            }
            let mut given = given;
            given[axis] = Some(side);
            let found = self.least_within(low, high, trace, given);
            if best.is_none_or(|(_, least)| found.1 < least) {
                best = Some(found);
            }
        }
        best.unwrap_or_else(|| (at, self.sum(at)))
    }

    fn sum(&self, at: Vector) -> f64 {
        dot(at, sub(self.times(at), scale(self.pull, 2.0)))
    }

    fn times(&self, at: Vector) -> Vector {
        self.squares.map(|row| dot(row, at))
    }

    /// Returns the minimiser with some coordinates given that is nearest to the mean.
    fn least(&self, trace: f64, given: [Option<f64>; 3]) -> Vector {
        let fixed = given.map(|number| number.unwrap_or(0.0));
        let mut pull = sub(self.pull, self.times(fixed));
        let mut squares = self.squares;
        for axis in 0..3 {
            if given[axis].is_some() {
                pull[axis] = 0.0;
                squares[axis] = [0.0; 3];
                for row in &mut squares {
                    row[axis] = 0.0;
                }
            }
        }
        let (values, vectors) = eigen(squares);
        let mut at = fixed;
        for (value, vector) in values.into_iter().zip(vectors) {
            if value > FLAT * trace {
                at = add(at, scale(vector, dot(vector, pull) / value));
            }
        }
        at
    }
}

/// Returns the eigenvalues and eigenvectors of a symmetric positive semidefinite matrix.
fn eigen(matrix: [[f64; 3]; 3]) -> (Vector, [Vector; 3]) {
    power_iteration(&matrix).unwrap_or_else(|| jacobi(matrix))
}

/// Power iteration: returns the eigenvalues and eigenvectors if one eigenvalue dominates, as it does where the surface
/// is nearly flat. High powers of the matrix have its direction, and the rest is a matrix of two rows.
fn power_iteration(matrix: &[[f64; 3]; 3]) -> Option<(Vector, [Vector; 3])> {
    let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    let squares: f64 = matrix.iter().map(|row| dot(*row, *row)).sum();
    if squares < UNEVEN * trace * trace {
        return None;
    }
    let mut power = matrix.map(|row| scale(row, 1.0 / trace));
    for _ in 0..4 {
        let [a, b, c] = power;
        let (ab, ac, bc) = (dot(a, b), dot(a, c), dot(b, c));
        power = [
            [dot(a, a), ab, ac],
            [ab, dot(b, b), bc],
            [ac, bc, dot(c, c)],
        ];
    }
    let largest = (0..3).max_by(|&a, &b| power[a][a].total_cmp(&power[b][b]))?;
    let first = unit(power[largest])?;
    let times = |at: Vector| matrix.map(|row| dot(row, at));
    let stretched = times(first);
    let most = dot(first, stretched);
    let rest = sub(stretched, scale(first, most));
    // Where it does not dominate, the powers have another direction.
    let is_found = dot(rest, rest) <= (1e-10 * trace) * (1e-10 * trace);
    if !is_found {
        return None;
    }
    let u = unit(cross(first, aside(first)))?;
    let v = cross(first, u);
    let (by_u, by_v) = (times(u), times(v));
    let (a, b, c) = (dot(u, by_u), dot(u, by_v), dot(v, by_v));
    let JacobiRotation { tangent, cosine } = JacobiRotation::new(a, b, c);
    let sine = tangent * cosine;
    let second = sub(scale(u, cosine), scale(v, sine));
    let third = add(scale(u, sine), scale(v, cosine));
    Some((
        [most, a - tangent * b, c + tangent * b],
        [first, second, third],
    ))
}

/// The Jacobi rotation that diagonalises `[[a, b], [b, c]]`.
struct JacobiRotation {
    tangent: f64,
    cosine: f64,
}

impl JacobiRotation {
    fn new(a: f64, b: f64, c: f64) -> JacobiRotation {
        if b.abs() <= 1e-15 * (a.abs() + c.abs()) {
            return JacobiRotation {
                tangent: 0.0,
                cosine: 1.0,
            };
        }
        let slope = (c - a) / (2.0 * b);
        let tangent = slope.signum() / (slope.abs() + (slope * slope + 1.0).sqrt());
        JacobiRotation {
            tangent,
            cosine: 1.0 / (tangent * tangent + 1.0).sqrt(),
        }
    }
}

/// Jacobi eigenvalue algorithm: returns the eigenvalues and eigenvectors of any symmetric matrix; few rotations
/// suffice.
fn jacobi(mut matrix: [[f64; 3]; 3]) -> (Vector, [Vector; 3]) {
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    for _ in 0..10 {
        let rest = matrix[0][1].abs() + matrix[0][2].abs() + matrix[1][2].abs();
        if rest <= 1e-12 * trace {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let corner = matrix[p][q];
            let JacobiRotation { tangent, cosine } =
                JacobiRotation::new(matrix[p][p], corner, matrix[q][q]);
            let sine = tangent * cosine;
            let r = 3 - p - q;
            matrix[p][p] -= tangent * corner;
            matrix[q][q] += tangent * corner;
            matrix[p][q] = 0.0;
            let (along, across) = (matrix[p.min(r)][p.max(r)], matrix[q.min(r)][q.max(r)]);
            matrix[p.min(r)][p.max(r)] = cosine * along - sine * across;
            matrix[q.min(r)][q.max(r)] = sine * along + cosine * across;
            let (first, second) = (vectors[p], vectors[q]);
            vectors[p] = sub(scale(first, cosine), scale(second, sine));
            vectors[q] = add(scale(first, sine), scale(second, cosine));
        }
    }
    ([matrix[0][0], matrix[1][1], matrix[2][2]], vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibula_core::vector::length;

    fn crossing(at: Vector, normal: Vector) -> Crossing {
        let normal = unit(normal).unwrap();
        Crossing { at, normal }
    }

    #[test]
    fn planes_meet_in_the_vertex() {
        // Three planes through one point, each known where it crosses an edge of the cell.
        let corner = [0.3, 0.6, 0.7];
        let normals = [[1.0, 0.2, 0.1], [-0.1, 1.0, 0.3], [0.2, -0.3, 1.0]];
        let crossings: Vec<Crossing> = normals
            .iter()
            .enumerate()
            .map(|(axis, normal)| {
                let mut at = corner;
                let side = (axis + 1) % 3;
                at[side] = 0.0;
                at[axis] += normal[side] * corner[side] / normal[axis];
                crossing(at, *normal)
            })
            .collect();
        let found = vertex(crossings.iter(), [[0.0; 3], [1.0; 3]]).at;
        assert!(length(sub(found, corner)) < 1e-12, "{found:?}");
        // In a smaller cell it is on the sides, no farther from the planes than any other point there.
        let found = vertex(crossings.iter(), [[0.0; 3], [0.5; 3]]).at;
        let distance = |at: Vector| {
            let squares = crossings
                .iter()
                .map(|c| dot(c.normal, sub(at, c.at)).powi(2));
            squares.sum::<f64>()
        };
        let least = distance(found);
        for step in 0..9 * 9 * 9 {
            let other = [step % 9, step / 9 % 9, step / 81].map(|step| f64::from(step) / 16.0);
            assert!(least <= distance(other) + 1e-12, "{found:?} {other:?}");
        }
        assert!(found.iter().any(|x| *x >= 0.5) && found.iter().all(|x| *x <= 0.5));
    }

    #[test]
    fn a_plane_leaves_the_middle() {
        let normal = [1.0, 2.0, -1.0];
        let crossings = [
            crossing([0.0, 0.5, 0.0], normal),
            crossing([1.0, 0.0, 0.0], normal),
            crossing([0.5, 0.5, 0.5], normal),
        ];
        let found = vertex(crossings.iter(), [[0.0; 3], [1.0; 3]]).at;
        assert!(length(sub(found, [0.5, 1.0 / 3.0, 1.0 / 6.0])) < 1e-12);
    }

    #[test]
    fn eigenvectors_are_what_they_are_called() {
        // One eigenvalue dominates, one nearly does, and some are similar.
        let plane = [0.36, 0.48, -0.8];
        let flat = [0, 1, 2].map(|row| scale(plane, plane[row]));
        let mut bent = flat;
        bent[0][0] += 0.01;
        bent[1][1] += 0.02;
        let mut cut = flat;
        cut[0][0] += 0.35;
        let round = [[2.0, -1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, 0.25, 1.0]];
        let even = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
        let all = [
            (flat, true),
            (bent, true),
            (cut, false),
            (round, false),
            (even, false),
        ];
        for (matrix, is_dominated) in all {
            assert_eq!(power_iteration(&matrix).is_some(), is_dominated);
            for (values, vectors) in [eigen(matrix), jacobi(matrix)] {
                for (value, vector) in values.into_iter().zip(vectors) {
                    let stretched = matrix.map(|row| dot(row, vector));
                    assert!(length(sub(stretched, scale(vector, value))) < 1e-9);
                    assert!((length(vector) - 1.0).abs() < 1e-12);
                }
                assert!(dot(vectors[0], vectors[1]).abs() < 1e-12);
                assert!(dot(vectors[0], vectors[2]).abs() < 1e-12);
            }
        }
    }
}
