//! Stands in for `crate::geometry` until it is there.

use std::ops::ControlFlow;
use std::sync::Arc;

use fibula_eval::{Code, Float, Point, Settings};

pub(super) type Watch<'a> = dyn Fn(u64, u64) -> ControlFlow<()> + Sync + 'a;

pub(super) struct Cancelled;

pub(super) struct Lattice<'a, T> {
    pub(super) axes: &'a [(usize, &'a [T])],
    pub(super) others: &'a [T],
}

pub(super) struct Sampler<T> {
    point: Point,
    numbers: std::marker::PhantomData<T>,
}

impl<T: Float> Sampler<T> {
    pub(super) fn of(code: &Arc<Code>, settings: Settings) -> Self {
        Sampler {
            point: Point::new(code, settings),
            numbers: std::marker::PhantomData,
        }
    }

    pub(super) fn points(
        &self,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        let total = outputs.first().map_or(0, |output| output.len());
        let mut evaluator = self.point.evaluator();
        let mut results = vec![0.0; outputs.len()];
        for point in 0..total {
            if point % 256 == 0 && watch(point as u64, total as u64).is_break() {
                return Err(Cancelled);
            }
            let arguments: Vec<f64> = inputs.iter().map(|input| input[point].wide()).collect();
            evaluator.run(&arguments, &mut results);
            for (output, result) in outputs.iter_mut().zip(&results) {
                output[point] = T::of(*result);
            }
        }
        Ok(())
    }

    pub(super) fn grid(
        &self,
        lattice: &Lattice<'_, T>,
        outputs: &mut [&mut [T]],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        let total = outputs.first().map_or(0, |output| output.len());
        let count = lattice.axes.len() + lattice.others.len();
        let mut others = lattice.others.iter();
        let mut inputs: Vec<Vec<T>> = Vec::new();
        for input in 0..count {
            let mut faster = 1;
            let mut column = None;
            for (axis, numbers) in lattice.axes {
                if *axis == input {
                    let number = |place: usize| numbers[place / faster % numbers.len()];
                    column = Some((0..total).map(number).collect());
                }
                faster *= numbers.len();
            }
            inputs.push(column.unwrap_or_else(|| vec![*others.next().expect("x"); total]));
        }
        let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
        self.points(&inputs, outputs, watch)
    }
}

pub(super) fn with_gradient(code: &Code, directions: &[usize]) -> Code {
    let _ = directions;
    code.clone()
}

pub(super) fn bounds(code: &Code, limits: &[(f64, f64)]) -> Vec<(f64, f64, bool)> {
    let _ = limits;
    vec![(f64::NEG_INFINITY, f64::INFINITY, true); code.outputs().len()]
}

pub(super) fn lipschitz(code: &Code, directions: &[usize], limits: &[(f64, f64)]) -> Vec<f64> {
    let _ = (directions, limits);
    vec![f64::INFINITY; code.outputs().len()]
}
