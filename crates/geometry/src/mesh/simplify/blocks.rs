//! The first steps of the simplification of a large mesh, in blocks of neighbouring triangles at once.
//!
//! A block is simplified by itself. The vertices that it shares with others stay, so steps of different blocks do not
//! touch each other, and are possible one after the other in the whole mesh, too. Only cheap steps are taken, which
//! come first in any case: then the borders between blocks are simplified like the rest.

use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use super::{EdgeCollapse, KnownMesh, STEPS, Step};
use crate::{Cancelled, TriangleMesh, Watch};

/// Triangles of a block: their corners fit into the cache of a core.
const BLOCK: usize = 32_768;
/// Triangles from which on there are blocks.
pub(super) const LEAST_IN_BLOCKS: usize = 2 * BLOCK;
/// Part of the tolerance up to which steps are taken.
const SHARE: f64 = 0.5;

/// Returns steps within blocks, in an order that does not depend on threads. Calls `watch` with the triangles of complete blocks.
pub(super) fn steps_in_blocks(
    known: &KnownMesh<'_>,
    tolerance: f64,
    watch: &Watch<'_>,
) -> Result<Vec<Step>, Cancelled> {
    let progress = Progress::new(known.mesh.triangles().len() as u64, watch);
    let order = known.mesh.morton_order();
    let steps: Result<Vec<Vec<Step>>, Cancelled> = order
        .par_chunks(BLOCK)
        .map(|block| {
            let steps = steps_in_block(known, block, tolerance * SHARE, &progress)?;
            progress.advance(block.len() as u64)?;
            Ok(steps)
        })
        .collect();
    Ok(steps?.concat())
}

fn steps_in_block(
    known: &KnownMesh<'_>,
    block: &[u32],
    tolerance: f64,
    progress: &Progress<'_>,
) -> Result<Vec<Step>, Cancelled> {
    let all = known.mesh.triangles();
    let corners = block.iter().map(|&triangle| all[triangle as usize]);
    let mut numbers: Vec<u32> = corners.clone().flatten().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let own = |vertex: u32| numbers.partition_point(|&number| number < vertex) as u32;
    let vertices = numbers
        .iter()
        .map(|&vertex| known.mesh.vertices()[vertex as usize]);
    let triangles = corners.map(|corners| corners.map(own)).collect();
    let mesh = TriangleMesh::new(vertices.collect(), triangles);
    let mesh = mesh.expect("the vertices of the block are there");
    let deviations: Vec<f64> = block
        .iter()
        .map(|&triangle| known.deviations[triangle as usize])
        .collect();
    let part = KnownMesh {
        mesh: &mesh,
        deviations: &deviations,
        tracked: &[],
        tracked_triangles: &[],
    };
    let mut work = EdgeCollapse::new(&part, &[], tolerance, &|_, _| progress.flow())?;
    work.fill_queue(&|| progress.advance(0))?;
    let mut number = 0;
    while let Some(candidate) = work.queue.pop() {
        if usize::is_multiple_of(number, STEPS) {
            progress.advance(0)?;
        }
        number += 1;
        work.take(candidate);
    }
    let steps = work.steps.into_iter();
    Ok(steps
        .map(|step| step.map(|vertex| numbers[vertex as usize]))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::{SimplifySettings, collapse};
    use super::*;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape};

    #[test]
    fn steps_of_blocks_are_possible_in_the_whole_mesh() {
        let watch = |_, _| ControlFlow::Continue(());
        let tape = tape("max(length(pos) - 5, 2 - length(vec3(pos.x, pos.y, 0)))");
        let bounds = Bounds::new([-6.0; 3], [6.0; 3]).unwrap();
        let settings = MeshSettings::new(bounds, 0.07);
        let mesh = crate::mesh(&Shape::new(&tape).unwrap(), &settings, &watch);
        let mesh = mesh.unwrap().mesh;
        let total = mesh.triangles().len();
        assert!(total >= LEAST_IN_BLOCKS, "{total}");
        let known = KnownMesh {
            mesh: &mesh,
            deviations: &vec![0.0; total],
            tracked: &[],
            tracked_triangles: &[],
        };
        let tolerance = 0.01;
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let steps = || steps_in_blocks(&known, tolerance, &watch).unwrap();
            pool.unwrap().install(steps)
        };
        let mut steps = with(1);
        assert_eq!(steps, with(3));
        let mut whole = EdgeCollapse::new(&known, &[], tolerance, &watch).unwrap();
        for step in &steps {
            whole.repeat(*step);
        }
        assert_eq!(whole.steps, steps);
        assert!(whole.off.iter().all(|off| *off <= SHARE * tolerance));
        // Most of what there is to do, and all of it is about as good as without blocks.
        assert!(whole.gone * 10 > total * 8, "{} of {total}", whole.gone);
        let how = SimplifySettings::within(tolerance);
        let [blocks, alone] = [&mut steps, &mut Vec::new()].map(|steps| {
            let simple = collapse(&known, &how, &vec![false; total], steps, &watch).unwrap();
            assert!(simple.mesh.topology().is_closed() && simple.deviation <= tolerance);
            simple.mesh.triangles().len()
        });
        assert!(blocks * 20 < alone * 21, "{blocks} {alone}");
    }
}
