//! Pictures of solids, beside fidget's.
//!
//! Ours is the whole picture: surfaces found between samples and with their directions, light, how open each place is
//! by the function itself, a grid, axes and a scale. The peer's is heights to a whole voxel, and directions, at one place
//! of each pixel, and as a second figure the same with its light and its openness, which it takes from the heights.
//!
//! So that both look at as many places, our picture with four samples of each pixel stands beside the peer's of twice as
//! many voxels on a side, which would still have to be brought down to the size of the smooth picture; and our picture
//! with one sample of each pixel beside the peer's of the same size.

use std::fmt::Write;
use std::hint::black_box;

use criterion::Criterion;
use fibula::geometry::picture::{Picture, PixelSamples, View};
use fibula::geometry::{Bounds, Shape};
use fidget_core::render::VoxelSize;
use fidget_raster::{effects, voxel};

use crate::fidget::Fidget;
use crate::{medians, turns, workloads};

/// The pixels on a side.
const SIDE: u32 = 512;
/// Half of what is seen on each axis: ours is framed so, that a margin of 7 percent is left around the corners of the box.
const HALF: f64 = 1.9;

/// The peer's heights and directions of so many voxels on a side, seen from where ours is.
fn theirs(peer: &Fidget, side: u32) -> voxel::Image {
    let mut config = voxel::RenderConfig::from_size(VoxelSize::from(side));
    // To the right, up, and to the viewer, who looks along (-1, 1, -1).
    let axes = [
        [1.0, 1.0, 0.0].map(|part| part / 2_f64.sqrt()),
        [-1.0, 1.0, 2.0].map(|part| part / 6_f64.sqrt()),
        [1.0, -1.0, 1.0].map(|part| part / 3_f64.sqrt()),
    ];
    for (column, axis) in axes.into_iter().enumerate() {
        for (row, part) in axis.into_iter().enumerate() {
            config.world_to_model[(row, column)] = (part * HALF) as f32;
        }
    }
    let settings = voxel::EvalConfig {
        threads: None,
        ..voxel::EvalConfig::default()
    };
    voxel::render(peer.shape(), &config, &settings).expect("nobody cancels it")
}

/// Pictures of the functions in [-1, 1] on each axis, from a corner.
pub(crate) fn pictures(criterion: &mut Criterion) {
    println!(
        "\nPictures of solids, {SIDE} x {SIDE} pixels: ms (times faster than fidget's heights, and its light too, \
         of as many places)"
    );
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    let one = turns::pool(1);
    for workload in workloads::all() {
        if workload.name == "prospero" {
            continue;
        }
        let peer = Fidget::new(workload.tape.operations());
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let mut row = format!("  {:22}", workload.name);
        for (samples, side, about) in [
            (PixelSamples::Four, 2 * SIDE, "4 samples a pixel"),
            (PixelSamples::One, SIDE, "1 sample a pixel"),
        ] {
            let picture = Picture {
                size: [SIDE as usize; 2],
                samples,
                ..Picture::new(View::Isometric)
            };
            let draw = || {
                let image = one.install(|| picture.draw(&shape, &bounds));
                black_box(image.expect("it can be drawn"));
            };
            let what = format!("view, {about}");
            crate::ours(criterion, &what, workload.name, SIDE as usize, draw);
            let [heights, lit, ours] = medians([
                Box::new(|| {
                    black_box(theirs(&peer, side));
                }),
                Box::new(|| {
                    black_box(effects::apply_shading(&theirs(&peer, side), true, None));
                }),
                Box::new(draw),
            ]);
            let _ = write!(
                row,
                "\n    {about:17} ours {ours:8.2}  fidget, {side:4} voxels: heights {heights:8.2} ({:4.1} x)  lit \
                 {lit:8.2} ({:4.1} x)",
                heights / ours,
                lit / ours
            );
        }
        let seen = theirs(&peer, SIDE);
        let seen = seen.iter().filter(|pixel| pixel.depth > 0).count();
        println!(
            "{row}\n    fidget sees something in {:.0} percent of the pixels",
            seen as f64 * 100.0 / f64::from(SIDE * SIDE)
        );
    }
}
