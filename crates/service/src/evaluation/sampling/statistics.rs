//! Statistics of sampled values.

use serde_json::{Value as Json, json};

use super::sample_points::PointSet;

json_structs! {
    /// Statistics of an output over all points. Values that are not finite count for `not_finite` only.
    pub answer struct Statistics {
        pub min: Option<f64>,
        pub min_at: Option<Json>,
        pub max: Option<f64>,
        pub max_at: Option<Json>,
        pub mean: Option<f64>,
        pub not_finite: u64,
    }
}

/// Accumulator of statistics.
#[derive(Debug, Clone)]
pub(super) struct StatisticsBuilder {
    min: (f64, usize),
    max: (f64, usize),
    sum: f64,
    finite: u64,
    not_finite: u64,
    /// The first non-finite value, and its point.
    non_finite: Option<(f64, usize)>,
}

impl StatisticsBuilder {
    pub(super) fn new() -> Self {
        StatisticsBuilder {
            min: (f64::INFINITY, 0),
            max: (f64::NEG_INFINITY, 0),
            sum: 0.0,
            finite: 0,
            not_finite: 0,
            non_finite: None,
        }
    }

    /// Adds the values from point `first` on.
    pub(super) fn add(&mut self, first: usize, values: impl Iterator<Item = f64>) {
        for (number, value) in (first..).zip(values) {
            if !value.is_finite() {
                self.not_finite += 1;
                self.non_finite.get_or_insert((value, number));
                continue;
            }
            self.finite += 1;
            self.sum += value;
            if value < self.min.0 {
                self.min = (value, number);
            }
            if value > self.max.0 {
                self.max = (value, number);
            }
        }
    }

    /// The first non-finite value, its point, and their number.
    pub(super) fn non_finite(&self) -> Option<(f64, usize, u64)> {
        self.non_finite
            .map(|(value, number)| (value, number, self.not_finite))
    }

    pub(super) fn statistics(&self, space: &PointSet) -> Statistics {
        let some = self.finite > 0;
        let at = |number: usize| some.then(|| place(space, number));
        Statistics {
            min: some.then_some(self.min.0),
            min_at: at(self.min.1),
            max: some.then_some(self.max.0),
            max_at: at(self.max.1),
            mean: some
                .then(|| self.sum / self.finite as f64)
                .filter(|mean| mean.is_finite()),
            not_finite: self.not_finite,
        }
    }
}

/// A point as JSON: a number or a list.
pub(super) fn place(space: &PointSet, number: usize) -> Json {
    match &space.point(number)[..] {
        [only] => json!(only),
        several => json!(several),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_points::Axis;
    use super::*;

    #[test]
    fn non_finite_values_do_not_affect_statistics() {
        let axis = Axis {
            from: 0.0,
            to: 5.0,
            count: 6,
        };
        let space = PointSet::Grid(vec![axis]);
        let mut counting = StatisticsBuilder::new();
        counting.add(0, [2.0, f64::NAN, -1.0].into_iter());
        counting.add(3, [f64::INFINITY, 5.0, -1.0].into_iter());
        let found = serde_json::to_value(counting.statistics(&space)).expect("JSON");
        assert_eq!(
            found,
            json!({ "min": -1.0, "min_at": 2.0, "max": 5.0, "max_at": 4.0, "mean": 1.25, "not_finite": 2 })
        );
        let (value, number, count) = counting.non_finite().expect("two are strange");
        assert!(value.is_nan() && number == 1 && count == 2);
        let nothing =
            serde_json::to_value(StatisticsBuilder::new().statistics(&space)).expect("JSON");
        assert_eq!(nothing, json!({ "not_finite": 0 }));
    }
}
