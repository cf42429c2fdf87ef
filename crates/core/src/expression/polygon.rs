//! Planar polygons: the signed distance to an outline of straight edges and arcs, as nodes.
//!
//! The distance is the least of those to all edges. It is negative where the winding number is not 0: the sum of the
//! angles under which the chords are seen, and a turn for each circular segment between an arc and its chord that
//! contains the point. Unlike the parity of crossings of a ray, interval arithmetic bounds this sum well, so that boxes
//! beside the outline are proven to be empty.

use std::f64::consts::{PI, TAU};

use fibula_nodes::Type;

use super::ast::CallArgument;
use super::builder::Operand;
use super::callee::CornerFormat;
use super::composition::Composition;
use super::error::{Diagnostic, ErrorCode};

/// Minimum bulge of an arc: the radius is about 2500 times the chord.
const MIN_BULGE: f64 = 1e-4;

impl CornerFormat {
    fn numbers_per_corner(self) -> usize {
        match self {
            CornerFormat::Pairs => 2,
            CornerFormat::Bulges => 3,
        }
    }

    fn min_corners(self) -> usize {
        match self {
            CornerFormat::Pairs => 3,
            CornerFormat::Bulges => 2,
        }
    }

    fn usage(self) -> &'static str {
        match self {
            CornerFormat::Pairs => {
                "the point, then x and y of at least 3 corners: polygon(pos, 0,0, 20,0, 0,10)"
            }
            CornerFormat::Bulges => {
                "the point, then x, y and bulge of at least 2 corners: arc_polygon(pos, 0,0,0, 20,0,1, 20,10,0)"
            }
        }
    }
}

/// An edge, relative to the point at which the distance is evaluated.
struct Edge {
    /// The point, relative to the first and to the second corner.
    points: [Operand; 2],
    /// From the first corner to the second.
    along: Operand,
    squared_length: Operand,
    /// `along`, rotated by a right angle counterclockwise.
    left: Operand,
    /// From the origin to the middle of the chord.
    middle: Operand,
    /// -1 if the point is on the right of the chord, else 1.
    side: Operand,
    /// Angle under which the chord is seen, positive on its left.
    angle: Operand,
}

/// Expands the call of a polygon.
pub(super) fn polygon(
    form: Composition<'_, '_, '_>,
    format: CornerFormat,
    arguments: &[CallArgument<'_>],
) -> Result<Operand, Diagnostic> {
    Outline { form }.distance(format, arguments)
}

struct Outline<'c, 'a, 't> {
    form: Composition<'c, 'a, 't>,
}

impl Outline<'_, '_, '_> {
    fn distance(
        &mut self,
        format: CornerFormat,
        arguments: &[CallArgument<'_>],
    ) -> Result<Operand, Diagnostic> {
        let width = format.numbers_per_corner();
        let is_complete = arguments.len() > width * format.min_corners()
            && (arguments.len() - 1).is_multiple_of(width)
            && arguments.iter().all(|argument| argument.name.is_none());
        if !is_complete {
            let message = format!("{} takes {}", self.form.name, format.usage());
            return Err(ErrorCode::WrongArguments.error(self.form.at, message));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.form.check.value(argument.value)?);
        }
        let (pos, mut numbers) = (values[0], &values[1..]);
        self.form.of_type(Type::Float3, &[pos])?;
        self.form.of_type(Type::Float, numbers)?;
        // An outline may end where it began.
        let last = &numbers[numbers.len() - width..];
        let is_closed = (0..2).all(|axis| {
            let both = self
                .form
                .constant(numbers[axis])
                .zip(self.form.constant(last[axis]));
            both.is_some_and(|(first, last)| (first - last).abs() <= 0.0)
        });
        if is_closed && numbers.len() > width * format.min_corners() {
            numbers = &numbers[..numbers.len() - width];
        }
        let [x, y] = [0, 1].map(|axis| self.form.check.component(pos, axis));
        let flat = self.flat_vector(x, y)?;
        let mut outline = Vec::new();
        for corner in numbers.chunks(width) {
            outline.push(self.flat_vector(corner[0], corner[1])?);
        }
        let (mut squares, mut angles) = (Vec::new(), Vec::new());
        for (index, corner) in numbers.chunks(width).enumerate() {
            let next = (index + 1) % outline.len();
            let edge = self.edge(flat, [outline[index], outline[next]], [index, next])?;
            let bulge = match corner.get(2) {
                Some(&bulge) => self.bulge(bulge, index)?,
                None => 0.0,
            };
            angles.push(edge.angle);
            if bulge == 0.0 {
                squares.push(self.straight(&edge)?);
            } else {
                let (square, turn) = self.arc(&edge, flat, bulge)?;
                squares.push(square);
                angles.push(turn);
            }
        }
        let square = self.fold("Min", &squares)?;
        let distance = self.form.apply("Sqrt", &[square])?;
        let winding = self.fold("Addition", &angles)?;
        let winding = self.form.apply("Abs", &[winding])?;
        let [half_turn, minus, plus] = [PI, -1.0, 1.0].map(|number| self.form.number(number));
        let sign = self
            .form
            .apply("Select", &[half_turn, winding, minus, plus])?;
        self.form.apply("Multiplication", &[distance, sign])
    }

    /// Joins values by a node of two operands.
    fn fold(&mut self, kind: &str, values: &[Operand]) -> Result<Operand, Diagnostic> {
        let mut joined = values[0];
        for &value in &values[1..] {
            joined = self.form.apply(kind, &[joined, value])?;
        }
        Ok(joined)
    }

    fn edge(
        &mut self,
        flat: Operand,
        [from, to]: [Operand; 2],
        corners: [usize; 2],
    ) -> Result<Edge, Diagnostic> {
        let along = self.form.difference(to, from)?;
        let squared_length = self.form.dot(along, along)?;
        if self.form.constant(squared_length) == Some(0.0) {
            let [one, other] = corners.map(|corner| corner + 1);
            let message = format!(
                "corners {one} and {other} of {} are the same point",
                self.form.name
            );
            let error = ErrorCode::WrongArguments.error(self.form.at, message);
            return Err(error.hint("leave one out; the last corner is joined to the first"));
        }
        let [x, y] = [0, 1].map(|axis| self.form.check.component(along, axis));
        let down = self.form.scaled(y, -1.0)?;
        let left = self.flat_vector(down, x)?;
        let points = [
            self.form.apply("Subtraction", &[flat, from])?,
            self.form.apply("Subtraction", &[flat, to])?,
        ];
        let sum = self.form.sum(from, to)?;
        let middle = self.form.scaled(sum, 0.5)?;
        let height = self.form.apply("DotProduct", &[points[0], left])?;
        let [zero, minus, plus] = [0.0, -1.0, 1.0].map(|number| self.form.number(number));
        let side = self.form.apply("Select", &[height, zero, minus, plus])?;
        let ahead = self.form.apply("DotProduct", &points)?;
        let angle = self.form.apply("ArcTan2", &[height, ahead])?;
        Ok(Edge {
            points,
            along,
            squared_length,
            left,
            middle,
            side,
            angle,
        })
    }

    /// The squared distance to the straight edge.
    fn straight(&mut self, edge: &Edge) -> Result<Operand, Diagnostic> {
        let along = self
            .form
            .apply("DotProduct", &[edge.points[0], edge.along])?;
        let share = self.form.apply("Division", &[along, edge.squared_length])?;
        let (zero, one) = (self.form.number(0.0), self.form.number(1.0));
        let share = self.form.apply("Clamp", &[share, zero, one])?;
        let foot = self.form.apply("Multiplication", &[edge.along, share])?;
        let rest = self.form.apply("Subtraction", &[edge.points[0], foot])?;
        self.form.apply("DotProduct", &[rest, rest])
    }

    /// The squared distance to the arc over the chord, and a turn in its sense if the point is between them, else 0.
    fn arc(
        &mut self,
        edge: &Edge,
        flat: Operand,
        bulge: f64,
    ) -> Result<(Operand, Operand), Diagnostic> {
        let square = bulge * bulge;
        let rise = self
            .form
            .scaled(edge.left, (1.0 - square) / (4.0 * bulge))?;
        let centre = self.form.sum(edge.middle, rise)?;
        let spoke = self.form.apply("Subtraction", &[flat, centre])?;
        let far = self.form.apply("Length", &[spoke])?;
        let chord = self.form.root(edge.squared_length)?;
        let radius = self
            .form
            .scaled(chord, (1.0 + square) / (4.0 * bulge.abs()))?;
        // Within the sector of the arc the circle is nearest, else one of its ends.
        let outwards = self.form.scaled(edge.left, -bulge.signum())?;
        let ahead = self.form.apply("DotProduct", &[spoke, outwards])?;
        let side = self.form.scaled(chord, (1.0 - square) / (1.0 + square))?;
        let limit = self.form.apply("Multiplication", &[far, side])?;
        let ring = self.form.apply("Subtraction", &[far, radius])?;
        let ring = self.form.apply("Multiplication", &[ring, ring])?;
        let [one, other] = edge.points;
        let one = self.form.apply("DotProduct", &[one, one])?;
        let other = self.form.apply("DotProduct", &[other, other])?;
        let ends = self.form.apply("Min", &[one, other])?;
        let squared = self.form.apply("Select", &[limit, ahead, ring, ends])?;
        let [minus, plus, limit, turn, none] =
            [-1.0, 1.0, 1.5, TAU * bulge.signum(), 0.0].map(|number| self.form.number(number));
        let in_disc = self.form.apply("Select", &[far, radius, plus, minus])?;
        let behind = self.form.scaled(edge.side, -bulge.signum())?;
        let both = self.form.apply("Addition", &[in_disc, behind])?;
        Ok((
            squared,
            self.form.apply("Select", &[limit, both, turn, none])?,
        ))
    }

    fn flat_vector(&mut self, x: Operand, y: Operand) -> Result<Operand, Diagnostic> {
        let zero = self.form.number(0.0);
        self.form
            .composed(Type::Float3, "ComposeVector", &[x, y, zero])
    }

    fn bulge(&self, operand: Operand, corner: usize) -> Result<f64, Diagnostic> {
        let bulge = self.form.constant(operand);
        bulge
            .filter(|bulge| *bulge == 0.0 || bulge.abs() >= MIN_BULGE)
            .ok_or_else(|| {
                let message = format!(
                    "the bulge of corner {} must be written as a number, 0 or at least {MIN_BULGE} in size",
                    corner + 1
                );
                let error = ErrorCode::WrongArguments.error(self.form.at, message);
                error.hint("it is tan(angle of the arc / 4): 1 for half a circle, 0.414213562373095 for a quarter")
            })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;
    use std::fmt::Write;

    use proptest::prelude::*;

    use crate::expression::fixtures::{assert_refused, tape};

    /// Points of an edge or arc.
    const SAMPLES: usize = 400;

    /// Points along an outline, by rotation about the centres of its arcs.
    fn traced(corners: &[[f64; 3]]) -> Vec<[f64; 2]> {
        let mut places = Vec::new();
        for (index, &[x, y, bulge]) in corners.iter().enumerate() {
            let [next_x, next_y, _] = corners[(index + 1) % corners.len()];
            for sample in 0..SAMPLES {
                let share = sample as f64 / SAMPLES as f64;
                places.push(if bulge == 0.0 {
                    [x + share * (next_x - x), y + share * (next_y - y)]
                } else {
                    let sweep = 4.0 * bulge.atan();
                    let up = 1.0 / (sweep / 2.0).tan() / 2.0;
                    let centre = [
                        f64::midpoint(x, next_x) - up * (next_y - y),
                        f64::midpoint(y, next_y) + up * (next_x - x),
                    ];
                    let (s, c) = (share * sweep).sin_cos();
                    let spoke = [x - centre[0], y - centre[1]];
                    [
                        centre[0] + c * spoke[0] - s * spoke[1],
                        centre[1] + s * spoke[0] + c * spoke[1],
                    ]
                });
            }
        }
        places
    }

    /// The least distance to points of the outline, and true if it winds around the point.
    fn brute_force(outline: &[[f64; 2]], [x, y]: [f64; 2]) -> (f64, bool) {
        let to = |place: &[f64; 2]| f64::hypot(place[0] - x, place[1] - y);
        let nearest = outline.iter().map(to).fold(f64::INFINITY, f64::min);
        let mut winding = 0;
        for (index, from) in outline.iter().enumerate() {
            let to = outline[(index + 1) % outline.len()];
            let share = (y - from[1]) / (to[1] - from[1]);
            if (from[1] > y) != (to[1] > y) && x < from[0] + share * (to[0] - from[0]) {
                winding += if to[1] > y { 1 } else { -1 };
            }
        }
        (nearest, winding != 0)
    }

    fn text(corners: &[[f64; 3]], has_bulges: bool) -> String {
        let mut text = if has_bulges {
            "arc_polygon(pos"
        } else {
            "polygon(pos"
        }
        .to_owned();
        for [x, y, bulge] in corners {
            write!(text, ", {x}, {y}").unwrap();
            if has_bulges {
                write!(text, ", {bulge}").unwrap();
            }
        }
        text + ")"
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Outlines of any corners, which may cross themselves, against the closest of many points.
        #[test]
        fn distances_are_those_of_the_closest_point(
            corners in prop::collection::vec((0.0..1.0, 2.0..9.0, -1.6..1.6_f64), 3..9),
            scattered: bool,
            has_bulges: bool,
            places in prop::collection::vec([-12.0..12.0, -12.0..12.0_f64], 24),
        ) {
            let count = corners.len() as f64;
            let corner = |(index, (turn, radius, bulge)): (usize, (f64, f64, f64))| {
                let turn = if scattered { turn } else { (index as f64 + 0.8 * turn) / count };
                let (s, c) = (TAU * turn).sin_cos();
                let bulge = if has_bulges && bulge.abs() > 0.3 { bulge } else { 0.0 };
                [radius * c, radius * s, bulge]
            };
            let corners: Vec<[f64; 3]> = corners.into_iter().enumerate().map(corner).collect();
            let (tape, outline) = (tape(&text(&corners, has_bulges)), traced(&corners));
            for [x, y] in places {
                let value = tape.at([x, y, 7.0])[0];
                let (distance, is_inside) = brute_force(&outline, [x, y]);
                prop_assert!((value.abs() - distance).abs() < 0.1, "{value} for {distance} at {x}, {y}");
                if distance > 0.1 {
                    prop_assert_eq!(value < 0.0, is_inside, "{} at {}, {}", value, x, y);
                }
            }
        }
    }

    #[test]
    fn known_outlines_have_exact_distances() {
        let triangle = tape("polygon(pos, 0,0, 6,0, 0,8)");
        for ([x, y], distance) in [
            ([2.0, 2.0], -2.0),
            ([-3.0, -4.0], 5.0),
            ([3.0, -1.0], 1.0),
            ([9.0, 0.0], 3.0),
            ([3.0 + 0.8, 4.0 + 0.6], 1.0),
            // On a corner, and at the height of one.
            ([0.0, 0.0], 0.0),
            ([-1.0, 8.0], 1.0),
            ([7.0, 8.0], 5.6),
        ] {
            let value = triangle.at([x, y, 3.0])[0];
            assert!((value - distance).abs() < 1e-12, "{value} for {distance}");
        }
        let closed = tape("polygon(pos, 0,0, 6,0, 0,8, 0,0)");
        assert!((closed.at([2.0, 2.0, 3.0])[0] + 2.0).abs() < 1e-12);
        // A stadium, and a disc of two halves: clockwise and counterclockwise.
        let stadium = tape("arc_polygon(pos, -4,-2,0, 4,-2,1, 4,2,0, -4,2,1)");
        let disc = tape("arc_polygon(pos, -3,0,-1, 3,0,-1)");
        for place in [[0.5, 0.3], [5.0, 1.0], [-8.0, 0.0], [3.9, -7.0], [0.0, 2.0]] {
            let [x, y]: [f64; 2] = place;
            let expected = f64::hypot((x.abs() - 4.0).max(0.0), y) - 2.0;
            let value = stadium.at([x, y, 0.0])[0];
            assert!(
                (value - expected).abs() < 1e-12,
                "{value} for {expected} at {place:?}"
            );
            let (value, expected) = (disc.at([x, y, 0.0])[0], f64::hypot(x, y) - 3.0);
            assert!(
                (value - expected).abs() < 1e-12,
                "{value} for {expected} at {place:?}"
            );
        }
    }

    /// Corners that depend on parameters give the same outline as numbers.
    #[test]
    fn corners_may_be_computed() {
        let computed = tape(
            "let w = 8; let h = 3; arc_polygon(pos, -w/2,-h,0, w/2,-h,0.5, w/2,h,0, -w/2,h,-0.5)",
        );
        let written = tape("arc_polygon(pos, -4,-3,0, 4,-3,0.5, 4,3,0, -4,3,-0.5)");
        for index in 0..400 {
            let index = f64::from(index);
            let place =
                [0.754_877_666, 0.569_840_291].map(|step| (index * step).fract() * 20.0 - 10.0);
            let [one, other] =
                [&computed, &written].map(|tape| tape.at([place[0], place[1], 0.0])[0]);
            assert!(
                (one - other).abs() < 1e-12,
                "{one} and {other} at {place:?}"
            );
        }
    }

    #[test]
    fn what_is_no_outline_is_refused() {
        assert_refused(&[
            ("polygon(pos)", "x and y of at least 3 corners"),
            ("polygon(pos, 0,0, 1,0)", "x and y of at least 3 corners"),
            ("polygon(pos, 0,0, 1,0, 1)", "x and y of at least 3 corners"),
            ("polygon(0,0, 1,0, 1,1)", "x and y of at least 3 corners"),
            (
                "polygon(pos, 0,0, 1,0, x = 1, 1)",
                "x and y of at least 3 corners",
            ),
            (
                "arc_polygon(pos, 0,0,0, 1,0,0, 1,1)",
                "x, y and bulge of at least 2 corners",
            ),
            (
                "polygon(pos, 0,0, 1,0, 1,0)",
                "corners 2 and 3 of polygon are the same point",
            ),
            (
                "polygon(pos, 0,0, 1,0, 0,0)",
                "corners 3 and 1 of polygon are the same point",
            ),
            ("polygon(pos, pos,0, 1,0, 1,1)", "polygon"),
            (
                "arc_polygon(pos, 0,0,x, 1,0,0, 1,1,0)",
                "the bulge of corner 1 must be written as a number",
            ),
            (
                "arc_polygon(pos, 0,0,1e-5, 1,0,0, 1,1,0)",
                "0 or at least 0.0001",
            ),
        ]);
    }
}
