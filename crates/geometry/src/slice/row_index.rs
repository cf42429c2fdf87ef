//! Index of segments by rows of heights, and segment intersection.

use rayon::prelude::*;

use super::Point;

/// Minimum rows per thread.
const ROWS: usize = 256;

pub(super) type Segment = [Point; 2];

/// Returns the segments of a closed line.
pub(super) fn segments(points: &[Point]) -> impl Iterator<Item = Segment> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| [*a, *b])
}

/// Returns the lower and the upper coordinate of a segment's ends.
fn range(segment: &Segment, axis: usize) -> [f64; 2] {
    let (a, b) = (segment[0][axis], segment[1][axis]);
    [a.min(b), a.max(b)]
}

/// Returns the x at which a segment passes a height, if it does.
pub(super) fn passes([a, b]: Segment, y: f64) -> Option<f64> {
    let (low, high) = (a[1].min(b[1]), a[1].max(b[1]));
    (low <= y && y < high).then(|| a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1])))
}

/// Segments by the rows that they pass.
pub(super) struct Rows {
    low: f64,
    height: f64,
    /// Index of each row's first segment in the list, and the end of the last row.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Rows {
    /// Chooses rows such that each has a few segments, and each segment a few rows.
    pub(super) fn new(segments: &[Segment]) -> Rows {
        let ranges = || segments.iter().map(|segment| range(segment, 1));
        let low = ranges().fold(f64::INFINITY, |low, range| low.min(range[0]));
        let high = ranges().fold(f64::NEG_INFINITY, |high, range| high.max(range[1]));
        let climbed: f64 = ranges().map(|[low, high]| high - low).sum();
        let count = segments.len().max(1) as f64;
        let height = ((high - low) * 4.0 / count).max(climbed / (2.0 * count));
        let mut rows = Rows {
            low,
            height: height.max(f64::MIN_POSITIVE),
            starts: Vec::new(),
            all: Vec::new(),
        };
        let last = if segments.is_empty() {
            0
        } else {
            rows.row(high)
        };
        let mut starts = vec![0_u32; last + 2];
        for [low, high] in ranges() {
            for count in &mut starts[rows.row(low) + 1..=rows.row(high) + 1] {
                *count += 1;
            }
        }
        for row in 0..=last {
            starts[row + 1] += starts[row];
        }
        let mut free = starts.clone();
        rows.all = vec![0; starts[last + 1] as usize];
        for (number, [low, high]) in (0..).zip(ranges()) {
            for place in &mut free[rows.row(low)..=rows.row(high)] {
                rows.all[*place as usize] = number;
                *place += 1;
            }
        }
        rows.starts = starts;
        rows
    }

    /// Returns the row of a height that is not below the lowest segment.
    fn row(&self, y: f64) -> usize {
        ((y - self.low) / self.height) as usize
    }

    /// Returns the segments that may pass a height within the range of all.
    pub(super) fn at(&self, y: f64) -> &[u32] {
        self.row_segments(self.row(y))
    }

    fn row_segments(&self, row: usize) -> &[u32] {
        &self.all[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// Range of a segment within a row.
struct RowRange {
    x: [f64; 2],
    segment: u32,
}

/// Returns the pairs of segments that intersect, each without its ends; each pair once.
pub(super) fn crossings(segments: &[Segment]) -> Vec<[u32; 2]> {
    let rows = Rows::new(segments);
    let count = rows.starts.len() - 1;
    let found = (0..count)
        .into_par_iter()
        .with_min_len(ROWS)
        .fold(
            || (Vec::new(), Vec::new()),
            |(mut parts, mut found), row| {
                rows.cross(row, segments, &mut parts, &mut found);
                (parts, found)
            },
        )
        .map(|(_, found)| found);
    let mut all: Vec<[u32; 2]> = found.flatten_iter().collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Rows {
    /// Adds the pairs that intersect in a row, and possibly some that intersect in others.
    fn cross(
        &self,
        row: usize,
        segments: &[Segment],
        parts: &mut Vec<RowRange>,
        found: &mut Vec<[u32; 2]>,
    ) {
        let sides = [row, row + 1].map(|row| self.low + self.height * row as f64);
        parts.clear();
        parts.extend(self.row_segments(row).iter().map(|&segment| RowRange {
            x: within(&segments[segment as usize], sides),
            segment,
        }));
        parts.sort_unstable_by(|one, other| one.x[0].total_cmp(&other.x[0]));
        for (place, one) in parts.iter().enumerate() {
            let others = parts[place + 1..].iter();
            for other in others.take_while(|other| other.x[0] <= one.x[1]) {
                let pair = [one, other].map(|part| segments[part.segment as usize]);
                if cross(pair) {
                    let [a, b] = [one.segment, other.segment];
                    found.push([a.min(b), a.max(b)]);
                }
            }
        }
    }
}

/// Returns a range of x that contains a segment between two heights.
fn within(segment: &Segment, sides: [f64; 2]) -> [f64; 2] {
    let ([low, high], [left, right]) = (range(segment, 1), range(segment, 0));
    let [a, b] = *segment;
    let slope = (b[0] - a[0]) / (b[1] - a[1]);
    if high - low <= 2.0 * (sides[1] - sides[0]) || !slope.is_finite() {
        return [left, right];
    }
    let [from, to] = sides.map(|y| a[0] + (y.clamp(low, high) - a[1]) * slope);
    let slack = 1e-9 * (right - left);
    [from.min(to) - slack, from.max(to) + slack]
}

/// True if two segments intersect, each without its ends.
fn cross([a, b]: [Segment; 2]) -> bool {
    let side = |[from, to]: Segment, at: Point| {
        (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
    };
    side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment() -> impl Strategy<Value = Segment> {
        let number = || prop_oneof![(-4..5_i32).prop_map(f64::from), -1.0..1.0, -100.0..100.0];
        let short = -0.5..0.5_f64;
        let at = (number(), number()).prop_map(|(x, y)| [x, y]);
        let end = prop_oneof![
            (number(), number()).prop_map(|(x, y)| (false, [x, y])),
            (short.clone(), short).prop_map(|(x, y)| (true, [x, y])),
        ];
        (at, end).prop_map(|(a, (is_near, b))| {
            let near = [a[0] + b[0], a[1] + b[1]];
            [a, if is_near { near } else { b }]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn crossings_are_those_of_all_pairs(segments in prop::collection::vec(segment(), 0..200)) {
            let mut expected = Vec::new();
            for (a, one) in (0..).zip(&segments) {
                for (b, other) in (0..).zip(&segments[..a as usize]) {
                    if cross([*one, *other]) {
                        expected.push([b, a]);
                    }
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(crossings(&segments), expected);
        }
    }
}
