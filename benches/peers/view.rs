//! Pictures of solids, beside fidget's.
//!
//! Ours is the whole picture: surfaces found between samples and with their directions at four places of each pixel, light,
//! how open each place is by the function itself, a grid, axes and a scale. The peer's is heights and directions, at one
//! place of each pixel and to a whole voxel, and as a second figure the same with its light and its openness, which it
//! takes from the heights.

use std::hint::black_box;

use criterion::Criterion;
use fibula::geometry::picture::{Picture, View};
use fibula::geometry::{Bounds, Shape};
use fidget_core::render::VoxelSize;
use fidget_raster::{effects, voxel};

use crate::fidget::Fidget;
use crate::{medians, turns, workloads};

/// The pixels on a side.
const SIDE: u32 = 512;
/// Half of what is seen on each axis: ours is framed so, that a margin of 7 percent is left around the corners of the box.
const HALF: f64 = 1.9;

/// The peer's heights and directions, seen from where ours is.
fn theirs(peer: &Fidget) -> voxel::Image {
    let mut config = voxel::RenderConfig::from_size(VoxelSize::from(SIDE));
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
        "\nPictures of solids, {SIDE} x {SIDE} pixels: ms (times faster than fidget's heights, and its light too)"
    );
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    let picture = Picture {
        size: [SIDE as usize; 2],
        ..Picture::of(View::Isometric)
    };
    let one = turns::pool(1);
    for workload in workloads::all() {
        if workload.name == "prospero" {
            continue;
        }
        let peer = Fidget::new(workload.tape.operations());
        let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
        let draw = || {
            let image = one.install(|| picture.draw(&shape, &bounds));
            black_box(image.expect("it can be drawn"));
        };
        crate::ours(criterion, "view", workload.name, SIDE as usize, draw);
        let [heights, lit, ours] = medians([
            Box::new(|| {
                black_box(theirs(&peer));
            }),
            Box::new(|| {
                black_box(effects::apply_shading(&theirs(&peer), true, None));
            }),
            Box::new(draw),
        ]);
        println!(
            "  {:22} ours {ours:8.2}  heights {heights:8.2} ({:.1} x)  lit {lit:8.2} ({:.1} x)",
            workload.name,
            heights / ours,
            lit / ours
        );
        let seen = theirs(&peer);
        let seen = seen.iter().filter(|pixel| pixel.depth > 0).count();
        println!(
            "    fidget sees something in {:.0} percent of the pixels",
            seen as f64 * 100.0 / f64::from(SIDE * SIDE)
        );
    }
}
