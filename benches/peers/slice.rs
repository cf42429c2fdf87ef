//! Slices, beside fidget's pictures of the same plane and scikit-image's contours.
//!
//! Ours are closed contours in double precision, nested, each crossing found to many digits and corners where tangents
//! meet, and points where the contour leaves the line between them. The peers do less: fidget's picture is which pixels are
//! inside, in single precision, which is beside our masks, too; scikit-image's contours are straight between crossings
//! that it takes from a line between two values.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::Criterion;
use fibula::geometry::{Bounds, Shape, Slice, SliceSettings, Slicer};

use crate::fidget::Fidget;
use crate::{medians, pixels, scikit, turns, workloads};

/// Cells along an axis.
const CELLS: usize = 1024;

fn slice(shape: &Shape<'_>) -> Slice {
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    // The cells at both ends are shorter: there is one more than the size of the others asks for.
    let slicing = SliceSettings::new(bounds, 2.0 / (CELLS - 1) as f64);
    let slicer = Slicer::new(shape, slicing).expect("they are not too large");
    let made = slicer.slice(&[0.0], &|_, _| ControlFlow::Continue(()));
    made.expect("nobody ends it").remove(0)
}

/// Slices of the functions in [-1, 1] on each axis, where z is 0.
pub(crate) fn slices(criterion: &mut Criterion) {
    println!("\nSlices of {CELLS} x {CELLS} cells, one thread: ms (times faster)");
    let all = workloads::all();
    let found = match scikit::found("slice", CELLS, &all) {
        Ok(found) => found,
        Err(why) => {
            println!("SKIPPED: scikit-image. {why}");
            Vec::new()
        }
    };
    let one = turns::pool(1);
    for workload in &all {
        let peer = Fidget::new(workload.tape.operations());
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let ours = || one.install(|| slice(&shape));
        let make = || {
            black_box(ours());
        };
        let masker = pixels::masker(&shape, CELLS);
        let fill = || {
            black_box(one.install(|| pixels::masked(&masker)));
        };
        crate::ours(criterion, "slice", workload.name, CELLS, make);
        crate::ours(criterion, "mask", workload.name, CELLS, fill);
        let [theirs, time, filled] = medians([
            Box::new(|| {
                black_box(pixels::inside(&peer, CELLS as u32));
            }),
            Box::new(make),
            Box::new(fill),
        ]);
        // The same pixels are inside, but for some that the surface goes through.
        let counts = [
            pixels::inside(&peer, CELLS as u32),
            pixels::masked(&masker).count() as usize,
        ];
        assert!(counts[0].abs_diff(counts[1]) <= CELLS, "{counts:?}");
        let contours = ours().contours;
        let points: usize = contours.iter().map(|contour| contour.points.len()).sum();
        println!(
            "  {:22} ours {time:8.2} ({} contours, {points} points)  fidget's picture {theirs:8.2} ({:.1} x), our mask \
             {filled:.2} ({:.1} x)",
            workload.name,
            contours.len(),
            theirs / time,
            theirs / filled
        );
        if let Some(scikit) = found.iter().find(|found| found.name == workload.name) {
            println!(
                "  {:22} scikit-image {:.1}, after {:.1} for the values ({:.1} x; {:.1} x without them), {} contours",
                "",
                scikit.extract,
                scikit.evaluate,
                (scikit.evaluate + scikit.extract) / time,
                scikit.extract / time,
                scikit.count
            );
        }
    }
}
