//! Points at which a function is sampled, numbered and cut into chunks that fit in memory.

use std::collections::BTreeMap;
use std::ops::Range;

use fibula_eval::Float;
use fibula_formats::points::Points;
use fibula_nodes::{PortSpec, Type, Value};

/// Maximum number of points of a chunk.
const CHUNK: usize = 1 << 18;

/// Points at which a function is sampled, with the arguments that do not vary.
#[derive(Debug, Clone)]
pub(super) struct SamplePoints {
    pub(super) space: PointSet,
    /// Varying scalar inputs, by index, with their names.
    pub(super) varying: Vec<(usize, String)>,
    /// The other scalar inputs, in order.
    pub(super) others: Vec<f64>,
    /// Inputs that must be known before evaluation, by name.
    pub(super) statics: BTreeMap<String, Value>,
}

/// A numbered set of points.
#[derive(Debug, Clone)]
pub(super) enum PointSet {
    /// A grid; the first coordinate varies fastest.
    Grid(Vec<Axis>),
    /// A line; every coordinate has the same number of steps.
    Line(Vec<Axis>),
    /// A list of points.
    Listed(Points),
    /// No points; only the box matters.
    Box(Vec<Axis>),
}

/// A coordinate that varies between two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Number of its values.
    pub(super) count: usize,
}

/// A range of consecutive points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) first: usize,
    pub(super) length: usize,
    /// For a grid, the steps on each axis.
    pub(super) steps: Vec<Range<usize>>,
}

impl Axis {
    /// True if it has a single value.
    pub(super) fn is_flat(self) -> bool {
        self.from.total_cmp(&self.to).is_eq()
    }

    /// Value at a step. The ends are exact.
    pub(super) fn at(self, step: usize) -> f64 {
        let Axis { from, to, count } = self;
        let last = count - 1;
        if step == 0 || self.is_flat() {
            from
        } else if step == last {
            to
        } else {
            // Both weights are whole numbers, which preserves symmetry.
            let sum = from * (last - step) as f64 + to * step as f64;
            let mean = sum / last as f64;
            if mean.is_finite() {
                mean
            } else {
                let part = step as f64 / last as f64;
                from * (1.0 - part) + to * part
            }
        }
    }

    fn numbers<T: Float>(self, steps: Range<usize>) -> Vec<T> {
        steps.map(|step| T::from_f64(self.at(step))).collect()
    }
}

impl PointSet {
    /// The box between two corners.
    pub(super) fn region(from: &[f64], to: &[f64]) -> PointSet {
        let axis = |(from, to): (&f64, &f64)| Axis {
            from: *from,
            to: *to,
            count: 1,
        };
        PointSet::Box(from.iter().zip(to).map(axis).collect())
    }

    /// Number of points on each axis, slowest first.
    pub(super) fn shape(&self) -> Vec<usize> {
        match self {
            PointSet::Grid(axes) => axes.iter().rev().map(|axis| axis.count).collect(),
            PointSet::Line(axes) => vec![axes[0].count],
            PointSet::Listed(points) => vec![points.len()],
            PointSet::Box(_) => vec![0],
        }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Minimum and maximum of each coordinate.
    pub(super) fn limits(&self) -> Vec<(f64, f64)> {
        match self {
            PointSet::Grid(axes) | PointSet::Line(axes) | PointSet::Box(axes) => axes
                .iter()
                .map(|axis| (axis.from.min(axis.to), axis.from.max(axis.to)))
                .collect(),
            PointSet::Listed(points) => {
                let limits = |column: &Vec<f64>| {
                    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
                    let greatest = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    (least, greatest)
                };
                points.columns().iter().map(limits).collect()
            }
        }
    }

    /// Coordinates of a point.
    pub(super) fn point(&self, number: usize) -> Vec<f64> {
        match self {
            PointSet::Grid(axes) => {
                let mut rest = number;
                let coordinate = |axis: &Axis| {
                    let step = rest % axis.count;
                    rest /= axis.count;
                    axis.at(step)
                };
                axes.iter().map(coordinate).collect()
            }
            PointSet::Line(axes) => axes.iter().map(|axis| axis.at(number)).collect(),
            PointSet::Listed(points) => points
                .columns()
                .iter()
                .map(|column| column[number])
                .collect(),
            PointSet::Box(axes) => axes.iter().map(|axis| axis.from).collect(),
        }
    }

    /// All points in order, in chunks of at most `most`.
    pub(super) fn chunks(&self) -> impl Iterator<Item = Chunk> + '_ {
        let axes: &[Axis] = match self {
            PointSet::Grid(axes) => axes,
            PointSet::Line(_) | PointSet::Listed(_) | PointSet::Box(_) => &[],
        };
        let count = |axis: usize| axes.get(axis).map_or(1, |axis| axis.count);
        let (row, plane) = (count(0), count(0) * count(1));
        // Whole planes, or else whole rows, or else parts of a row.
        let strides = [
            row.min(CHUNK),
            (CHUNK / row).clamp(1, count(1)),
            (CHUNK / plane).clamp(1, count(2)),
        ];
        let total = self.len();
        let mut first = 0;
        std::iter::from_fn(move || {
            if first >= total {
                return None;
            }
            let chunk = if axes.is_empty() {
                Chunk {
                    first,
                    length: CHUNK.min(total - first),
                    steps: Vec::new(),
                }
            } else {
                let mut rest = first;
                let steps = (0..axes.len()).map(|axis| {
                    let step = rest % count(axis);
                    rest /= count(axis);
                    step..(step + strides[axis]).min(count(axis))
                });
                let steps: Vec<Range<usize>> = steps.collect();
                Chunk {
                    first,
                    length: steps.iter().map(Range::len).product(),
                    steps,
                }
            };
            first += chunk.length;
            Some(chunk)
        })
    }

    /// Coordinates of a chunk's points, by coordinate.
    pub(super) fn coordinates<T: Float>(&self, chunk: &Chunk) -> Vec<Vec<T>> {
        let numbers = chunk.first..chunk.first + chunk.length;
        match self {
            PointSet::Grid(axes) => {
                let coordinates = self.axes::<T>(chunk);
                let mut faster = 1;
                let column = |(axis, _): (usize, &Axis)| {
                    let own: &[T] = &coordinates[axis];
                    let column = (0..chunk.length).map(|place| own[place / faster % own.len()]);
                    let column = column.collect();
                    faster *= own.len();
                    column
                };
                axes.iter().enumerate().map(column).collect()
            }
            PointSet::Line(axes) => axes
                .iter()
                .map(|axis| axis.numbers(numbers.clone()))
                .collect(),
            PointSet::Listed(points) => {
                let column = |column: &Vec<f64>| {
                    column[numbers.clone()]
                        .iter()
                        .map(|number| T::from_f64(*number))
                        .collect()
                };
                points.columns().iter().map(column).collect()
            }
            PointSet::Box(axes) => vec![Vec::new(); axes.len()],
        }
    }

    /// Values of a grid's coordinates in a chunk; none for other sets.
    pub(super) fn axes<T: Float>(&self, chunk: &Chunk) -> Vec<Vec<T>> {
        match self {
            PointSet::Grid(axes) => {
                let axes = axes.iter().zip(&chunk.steps);
                axes.map(|(axis, steps)| axis.numbers(steps.clone()))
                    .collect()
            }
            PointSet::Line(_) | PointSet::Listed(_) | PointSet::Box(_) => Vec::new(),
        }
    }
}

impl SamplePoints {
    /// Points at which some inputs vary; the others have the given values.
    pub(super) fn new(
        inputs: &[PortSpec],
        values: &[Value],
        varied: &[usize],
        space: PointSet,
    ) -> SamplePoints {
        let (mut varying, mut others) = (Vec::new(), Vec::new());
        let mut statics = BTreeMap::new();
        let mut scalar = 0;
        for (place, (input, value)) in inputs.iter().zip(values).enumerate() {
            let scalars = value.scalars();
            if scalars.is_empty() {
                statics.insert(input.name.clone(), value.clone());
            } else if varied.contains(&place) {
                let names = components(input).into_iter();
                varying.extend((scalar..).zip(names));
            } else {
                others.extend(scalars);
            }
            scalar += scalars.len();
        }
        SamplePoints {
            space,
            varying,
            others,
            statics,
        }
    }

    /// Minimum and maximum of each scalar input.
    pub(super) fn limits(&self) -> Vec<(f64, f64)> {
        let mut limits: Vec<(f64, f64)> =
            self.others.iter().map(|other| (*other, *other)).collect();
        for ((place, _), own) in self.varying.iter().zip(self.space.limits()) {
            limits.insert(*place, own);
        }
        limits
    }

    /// Scalar inputs at a chunk's points, by input.
    pub(super) fn inputs<T: Float>(&self, chunk: &Chunk) -> Vec<Vec<T>> {
        let mut inputs: Vec<Vec<T>> = self
            .others
            .iter()
            .map(|other| vec![T::from_f64(*other); chunk.length])
            .collect();
        for ((place, _), own) in self.varying.iter().zip(self.space.coordinates(chunk)) {
            inputs.insert(*place, own);
        }
        inputs
    }
}

/// Names of a value's scalars: `pos.x`, `pos.y` and so on; a float has its own name.
pub(super) fn components(port: &PortSpec) -> Vec<String> {
    let name = &port.name;
    match port.ty {
        Type::Float => vec![name.clone()],
        Type::Float3 => ["x", "y", "z"]
            .map(|axis| format!("{name}.{axis}"))
            .to_vec(),
        Type::Matrix4x4 => (0..16)
            .map(|place| format!("{name}.m{}{}", place / 4, place % 4))
            .collect(),
        Type::Integer | Type::String | Type::ResourceId => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(from: f64, to: f64, count: usize) -> Axis {
        Axis { from, to, count }
    }

    #[test]
    fn steps_are_even_and_ends_exact() {
        let check = |axis: Axis, expected: &[f64]| {
            let found: Vec<f64> = axis.numbers(0..axis.count);
            assert_eq!(found, expected, "{axis:?}");
        };
        check(axis(-1.0, 1.0, 5), &[-1.0, -0.5, 0.0, 0.5, 1.0]);
        check(axis(0.3, 0.1, 3), &[0.3, 0.2, 0.1]);
        check(axis(0.1, 0.1, 4), &[0.1; 4]);
        check(axis(2.0, 5.0, 1), &[2.0]);
        check(axis(0.0, 0.7, 2), &[0.0, 0.7]);
        let wide = axis(-f64::MAX, f64::MAX, 3);
        check(wide, &[-f64::MAX, 0.0, f64::MAX]);
        let many = axis(-1.0, 1.0, 1001);
        for step in 0..=500 {
            let mirrored = -many.at(1000 - step) + 0.0;
            assert_eq!(many.at(step).to_bits(), mirrored.to_bits());
        }
    }

    /// Chunks have all points, each once, in order, and know their coordinates.
    #[test]
    fn chunks_cover_all_points_once() {
        let check = |space: &PointSet| {
            let mut next = 0;
            for chunk in space.chunks() {
                assert_eq!(chunk.first, next);
                assert!((1..=CHUNK).contains(&chunk.length));
                let coordinates = space.coordinates::<f64>(&chunk);
                for place in [0, chunk.length / 3, chunk.length - 1] {
                    let point: Vec<f64> = coordinates.iter().map(|column| column[place]).collect();
                    let expected = space.point(chunk.first + place);
                    assert_eq!(point, expected, "{place} of {chunk:?}");
                }
                let mut columns = coordinates.iter();
                assert!(columns.all(|column| column.len() == chunk.length));
                next += chunk.length;
            }
            assert_eq!(next, space.len());
        };
        let counts: [&[usize]; 8] = [
            &[5, 4, 3],
            &[1, 1, 1],
            &[7],
            &[1_000_000],
            &[1_000, 1_000, 3],
            &[100, 100, 100],
            &[300_000, 2, 2],
            &[1, 1, 600_000],
        ];
        for counts in counts {
            let axes = counts.iter().map(|count| axis(-1.0, 2.0, *count)).collect();
            check(&PointSet::Grid(axes));
        }
        check(&PointSet::Line(vec![
            axis(0.0, 1.0, 300_000),
            axis(4.0, -1.0, 300_000),
        ]));
        let column: Vec<f64> = (0..300_000).map(f64::from).collect();
        check(&PointSet::Listed(Points::new(vec![column.clone(), column])));
        check(&PointSet::region(&[0.0], &[1.0]));
    }

    #[test]
    fn fixed_inputs_do_not_vary() {
        let inputs = [
            PortSpec::new("a", Type::Float),
            PortSpec::new("mode", Type::Integer),
            PortSpec::new("pos", Type::Float3),
            PortSpec::new("b", Type::Float),
        ];
        let values = [
            Value::Float(10.0),
            Value::Integer(1),
            Value::Float3([0.0; 3]),
            Value::Float(20.0),
        ];
        let space = PointSet::Grid(vec![
            axis(0.0, 1.0, 2),
            axis(5.0, 6.0, 2),
            axis(9.0, 8.0, 1),
        ]);
        let places = SamplePoints::new(&inputs, &values, &[2], space);
        let names: Vec<(usize, &str)> = places
            .varying
            .iter()
            .map(|(place, name)| (*place, name.as_str()))
            .collect();
        assert_eq!(names, [(1, "pos.x"), (2, "pos.y"), (3, "pos.z")]);
        let statics = BTreeMap::from([("mode".to_owned(), Value::Integer(1))]);
        assert_eq!(places.statics, statics);
        let chunk = places.space.chunks().next().expect("there are points");
        assert_eq!(
            places.inputs::<f64>(&chunk),
            [
                [10.0; 4],
                [0.0, 1.0, 0.0, 1.0],
                [5.0, 5.0, 6.0, 6.0],
                [9.0; 4],
                [20.0; 4]
            ]
        );
        assert_eq!(
            places.limits(),
            [
                (10.0, 10.0),
                (0.0, 1.0),
                (5.0, 6.0),
                (8.0, 9.0),
                (20.0, 20.0)
            ]
        );
    }
}
