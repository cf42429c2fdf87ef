//! Peak memory of meshing, beside the size of the result and beside fidget's.
//!
//! `cargo bench -p fibula-peers --bench memory`. All that is allocated is counted, but for machine code. No times: the counting
//! takes some.

mod fidget;
mod workloads;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibula::geometry::{Bounds, MeshSettings, Shape, mesh};
use fidget_mesh::{Octree, Settings};

/// Cells along an axis, as a power of two, from which on the peer is not asked, which takes long.
const PEER_DEPTH: u8 = 7;

/// The system's memory, counted.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static MEMORY: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator is written so")]
// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract.
        unsafe { System.dealloc(place, layout) }
    }

    // A list that grows counts once: the system moves the pages of a large one, and does not hold it twice meanwhile.
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let held = HELD.fetch_add(size, Ordering::Relaxed) + size - layout.size();
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// Returns the peak of the memory held during `work` and the memory held by its result, in MiB above the level before.
fn counted<T>(work: impl FnOnce() -> T) -> (f64, f64, T) {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let made = work();
    let mebibytes = |held: &AtomicUsize| {
        let held = held.load(Ordering::Relaxed).saturating_sub(before);
        held as f64 / f64::from(1 << 20)
    };
    (mebibytes(&MOST), mebibytes(&HELD), made)
}

fn main() {
    println!(
        "Memory while meshes are made, one thread: MiB at most beyond the result + the result, and of fidget"
    );
    let bounds = Bounds::new([-1.0; 3], [1.0; 3]).expect("a box");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("a thread can be started");
    for workload in workloads::all() {
        if workload.name == "prospero" {
            continue;
        }
        let peer = fidget::Fidget::new(workload.tape.operations());
        println!("  {}", workload.name);
        for depth in 6..=9 {
            let cells = 1_u32 << depth;
            let meshing = MeshSettings::new(bounds, 2.0 / f64::from(cells - 1));
            let (most, result, made) = counted(|| {
                let shape = Shape::new(&workload.tape).expect("the workloads are shapes");
                let made =
                    one.install(|| mesh(&shape, &meshing, &|_, _| ControlFlow::Continue(())));
                made.expect("they are not empty")
            });
            let triangles = made.mesh.triangles().len();
            drop(made);
            print!(
                "    {cells:4} cells: ours {:8.1} + {result:7.1} ({triangles} triangles)",
                most - result
            );
            if depth > PEER_DEPTH {
                println!();
                continue;
            }
            let (theirs_most, theirs, _) = counted(|| {
                let settings = Settings {
                    depth,
                    threads: None,
                    ..Settings::default()
                };
                let octree = Octree::build(&peer.shape(), &settings);
                octree.expect("nobody cancels it").walk_dual()
            });
            println!("  fidget {:8.1} + {theirs:7.1}", theirs_most - theirs);
        }
    }
}
