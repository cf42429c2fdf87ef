//! Stand-in for the JIT on processors that it has no encoder for.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::code::Code;
use crate::cpu::InstructionSet;
use crate::lane::Float;

/// Machine code, which cannot exist here.
#[derive(Debug)]
pub(crate) struct Machine<T: Float> {
    none: Infallible,
    number: PhantomData<fn(T)>,
}

/// The memory of one thread for a [`Machine`].
#[derive(Debug)]
pub(crate) struct Scratch<T: Float> {
    none: Infallible,
    number: PhantomData<T>,
}

impl<T: Float> Machine<T> {
    /// Returns `None`: other backends have to compute the values.
    pub(crate) fn write(_: &Code, _: usize, _: InstructionSet) -> Option<Machine<T>> {
        None
    }

    pub(crate) fn scratch(&self) -> Scratch<T> {
        match self.none {}
    }

    /// Runs over points.
    #[must_use]
    pub(crate) fn run(
        &self,
        scratch: &mut Scratch<T>,
        _: &[&[T]],
        _: &[T],
        _: &mut [&mut [T]],
    ) -> bool {
        match scratch.none {}
    }
}
