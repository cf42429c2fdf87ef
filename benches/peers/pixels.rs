//! Flat pictures of what is inside, computed where it matters only: ours and fidget's.

use std::sync::Arc;

use fibula_eval::prune::{Axis, Cell, Cells, Leaf, Next, Pruner, Region, Tape, Visitor};
use fibula_eval::{Interval, Rounding, Settings};
use fidget_raster::pixel;

use crate::fidget::Fidget;
use crate::workloads::Workload;

/// Pixels that are kept together, as wide as the finest cells.
const WORD: usize = 16;

/// Draws the picture of [-1, 1] x [-1, 1] where z is 0, pruned, on one thread, and says how many of its pixels are inside.
pub(crate) fn inside(peer: &Fidget, side: u32) -> usize {
    let settings = pixel::EvalConfig {
        threads: None,
        ..pixel::EvalConfig::default()
    };
    let picture = pixel::render(
        peer.shape(),
        &pixel::RenderConfig::from_size(side.into()),
        &settings,
    );
    let picture = picture.expect("nobody cancels it");
    picture.iter().filter(|pixel| pixel.inside()).count()
}

/// Draws the same picture with our own pruner.
pub(crate) struct Filling {
    pruner: Pruner<f32>,
    /// The centres of pixels, y upwards, as the peer has them.
    x: Vec<f32>,
    y: Vec<f32>,
    picture: Picture,
}

impl Filling {
    pub(crate) fn new(workload: &Workload, side: usize) -> Filling {
        let tape = Tape::<f32>::new(workload.tape.code(Rounding::Fast));
        let tape: Arc<Tape<f32>> = tape.expect("the workloads are not too wide");
        let pixel = 2.0 / side as f32;
        let x: Vec<f32> = (0..side)
            .map(|column| (column as f32 + 0.5) * pixel - 1.0)
            .collect();
        Filling {
            pruner: Pruner::new(tape, Settings::default().instructions),
            y: x.iter().rev().copied().collect(),
            x,
            picture: Picture {
                side,
                inside: vec![0; side * side.div_ceil(WORD)],
            },
        }
    }

    /// Fills the picture in.
    pub(crate) fn fill(&mut self) {
        let axis = |input, samples| Axis {
            input,
            samples,
            backwards: false,
        };
        let region = Region {
            axes: &[axis(0, &self.x), axis(1, &self.y)],
            inputs: &[0.0; 3],
            sides: &[128, WORD],
            cells: Cells::Samples,
        };
        self.pruner
            .explore(&region, 0..region.roots(), &mut self.picture);
    }

    /// How many pixels are inside.
    pub(crate) fn count(&self) -> usize {
        let words = self.picture.inside.iter();
        words.map(|word| word.count_ones() as usize).sum()
    }
}

/// A picture of [-1, 1] x [-1, 1] that is filled in, a bit for each pixel, row by row.
struct Picture {
    side: usize,
    inside: Vec<u16>,
}

impl Picture {
    /// The words of a row from a column on, which begins one.
    fn words(&mut self, column: usize, row: usize) -> &mut [u16] {
        let width = self.side.div_ceil(WORD);
        &mut self.inside[row * width..][column / WORD..width]
    }
}

impl Visitor<f32> for Picture {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f32>) -> Next {
        if bounds.contains(0.0) || bounds.may_be_undefined() {
            return Next::Divide;
        }
        // All are outside until it is said otherwise.
        if bounds.high() < 0.0 {
            let [x, y, _] = cell.start;
            let [width, height, _] = cell.size;
            for row in y..y + height {
                let words = self.words(x, row);
                words[..width / WORD].fill(u16::MAX);
                if width % WORD > 0 {
                    words[width / WORD] = !(u16::MAX << (width % WORD));
                }
            }
        }
        Next::Done
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
        let [x, y, _] = leaf.cell().start;
        let [width, _, _] = leaf.counts();
        for (row, values) in leaf.samples().chunks_exact(width).enumerate() {
            let bits = values.iter().enumerate();
            let word = bits.fold(0, |word, (column, value)| {
                word | u16::from(*value < 0.0) << column
            });
            self.words(x, y + row)[0] = word;
        }
    }
}
