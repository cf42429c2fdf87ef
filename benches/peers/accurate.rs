//! Meshes that are equally near to the surface: ours of an accuracy, ours as dual contouring leaves them, and fidget's,
//! simplified by meshoptimizer.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::Criterion;
use fibula::edit::Origin;
use fibula::eval::Tape;
use fibula::geometry::{Bounds, MeshSettings, Shape, TriangleMesh, mesh};
use fibula::graph::Document;
use fibula::service::{
    CreateFunctionFromExpression, MakeMesh, ResolvedShape, Service, Subject, make_mesh,
};
use fidget_mesh::{Octree, Settings};
use meshopt::{SimplifyOptions, simplify_decoder};

use crate::fidget::Fidget;
use crate::judge::most_points_within;
use crate::{medians, turns, workloads};

/// The accuracy that is asked for: a thousandth of the side of [-1, 1].
const ACCURACY: f64 = 2e-3;

/// Depths of the peer's octrees that are tried.
const DEPTHS: std::ops::RangeInclusive<u8> = 4..=8;

/// Steps of the search for the error that the peer's simplification may make.
const STEPS: usize = 10;

type Triangle = [[f64; 3]; 3];

/// A machine part: a flange with a hub and bolt holes.
const FLANGE: &str = "let plate = max(max(abs(x) - 0.9, abs(y) - 0.6), abs(z) - 0.15); \
                      let hub = max(sqrt(x * x + y * y) - 0.4, abs(z - 0.2) - 0.35); \
                      let u = abs(x) - 0.7; let v = abs(y) - 0.4; \
                      let holes = min(sqrt(u * u + v * v) - 0.12, sqrt(x * x + y * y) - 0.25); \
                      max(min(plate, hub), -holes)";

/// A part, and its expression.
struct Part {
    name: &'static str,
    expression: String,
    tape: Tape,
}

/// The workloads that are measured and have a closed surface, with the flange if all are.
fn parts() -> Vec<Part> {
    let wanted: Vec<&str> = workloads::all().iter().map(|one| one.name).collect();
    let flange = std::env::var_os("FIBULA_WORKLOADS")
        .is_none()
        .then(|| ("flange", FLANGE.to_owned()));
    let all = fibula::service::workloads().into_iter();
    let all = all.filter(|workload| wanted.contains(&workload.name));
    all.map(|workload| (workload.name, workload.expression))
        .chain(flange)
        .map(|(name, expression)| {
            let mut document = Document::default();
            let function = workloads::add(&mut document, &expression);
            Part {
                name,
                tape: Tape::new(&document, function).expect("the function is whole"),
                expression,
            }
        })
        .collect()
}

fn bounds() -> Bounds {
    Bounds::new([-1.0; 3], [1.0; 3]).expect("a box")
}

/// The part as a service has it.
fn resolved(part: &Part) -> ResolvedShape {
    let service = Service::default();
    let request = CreateFunctionFromExpression::new(part.name, &part.expression);
    let made = service
        .create_function_from_expression(&Origin::program("library", "bench"), request)
        .expect("the expression is right");
    let subject = Subject {
        function_id: Some(made.function_id),
        ..Subject::default()
    };
    let resolved = service.resolve_shape(None, None, &subject);
    resolved.expect("it is a shape")
}

/// Our mesh of the accuracy, as `export` writes it.
fn accurate(shape: &ResolvedShape) -> TriangleMesh {
    let request = MakeMesh {
        bounds: Some(bounds()),
        accuracy: Some(ACCURACY),
        ..MakeMesh::default()
    };
    let made = make_mesh(shape, &request, &mut |_, _| ControlFlow::Continue(()));
    made.expect("it can be meshed").mesh
}

/// Our mesh of cells, not simplified.
fn plain(shape: &Shape<'_>, cell: f64) -> TriangleMesh {
    let settings = MeshSettings::new(bounds(), cell);
    let made = mesh(shape, &settings, &|_, _| ControlFlow::Continue(()));
    made.expect("it is not empty").mesh
}

fn triangles(mesh: &TriangleMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len())
        .map(|place| mesh.corners(place))
        .collect()
}

/// What the peers do: dual contouring in an octree, then half-edge collapses up to an error.
#[derive(Debug, Clone, Copy)]
struct Peers {
    depth: u8,
    /// Relative to the largest extent of the mesh.
    error: f32,
}

impl Peers {
    fn mesh(self, peer: &Fidget) -> Indexed {
        contoured(peer, self.depth).simplified(self.error)
    }

    /// The peers' fewest triangles that are as near to the surface as ours: of the first two depths that are near enough,
    /// with the largest error that is.
    fn best(peer: &Fidget, is_near: impl Fn(&[Triangle]) -> bool) -> Option<Peers> {
        let near_enough = DEPTHS.filter_map(|depth| {
            let mesh = contoured(peer, depth);
            let is_near = |error: f32| is_near(&mesh.simplified(error).triangles());
            let (mut near, mut far) = (1e-7_f32, 1e-2_f32);
            if !is_near(near) {
                return None;
            }
            for _ in 0..STEPS {
                let error = (near * far).sqrt();
                if is_near(error) {
                    near = error;
                } else {
                    far = error;
                }
            }
            let count = mesh.simplified(near).corners.len();
            Some((count, Peers { depth, error: near }))
        });
        let fewest = near_enough.take(2).min_by_key(|(count, _)| *count)?;
        Some(fewest.1)
    }
}

/// A mesh as the peers have it.
struct Indexed {
    vertices: Vec<[f32; 3]>,
    corners: Vec<u32>,
}

fn contoured(peer: &Fidget, depth: u8) -> Indexed {
    let settings = Settings {
        depth,
        threads: None,
        ..Settings::default()
    };
    let octree = Octree::build(&peer.shape(), &settings).expect("nobody cancels it");
    let mesh = octree.walk_dual();
    let corners = mesh.triangles.iter().flat_map(|triangle| triangle.iter());
    Indexed {
        vertices: mesh.vertices.iter().map(|at| [at.x, at.y, at.z]).collect(),
        corners: corners.map(|place| *place as u32).collect(),
    }
}

impl Indexed {
    fn simplified(&self, error: f32) -> Indexed {
        let options = SimplifyOptions::None;
        Indexed {
            vertices: self.vertices.clone(),
            corners: simplify_decoder(&self.corners, &self.vertices, 0, error, options, None),
        }
    }

    fn triangles(&self) -> Vec<Triangle> {
        let at = |place: u32| self.vertices[place as usize].map(f64::from);
        let (all, _) = self.corners.as_chunks::<3>();
        all.iter().map(|three| three.map(at)).collect()
    }
}

/// The largest cells whose mesh is near enough.
fn cell(shape: &Shape<'_>, is_near: impl Fn(&[Triangle]) -> bool) -> Option<f64> {
    let cells = (0..10).map(|step| 0.125 / 2.0_f64.powf(f64::from(step) / 2.0));
    cells
        .into_iter()
        .find(|cell| is_near(&triangles(&plain(shape, *cell))))
}

/// Time and triangles of meshes that are equally near to the surface.
pub(crate) fn accurate_meshes(_: &mut Criterion) {
    let one = turns::pool(1);
    println!(
        "\nMeshes that are equally near to the surface: 99.9 % of their points within the distance that ours of accuracy \
         {ACCURACY} reaches"
    );
    for part in parts() {
        let resolved = resolved(&part);
        let ours = triangles(&one.install(|| accurate(&resolved)));
        let reached = most_points_within(&part.tape, &ours);
        let is_near = |triangles: &[Triangle]| most_points_within(&part.tape, triangles) <= reached;
        println!("  {}: within {reached:.2e}", part.name);
        let told = |who: &str, count: usize, time: f64| {
            println!("    {who:34} {count:8} triangles {time:9.1} ms");
        };
        let shape = Shape::new(&part.tape).expect("the workloads are shapes");
        let peer = Fidget::new(part.tape.operations());
        let cell = cell(&shape, is_near);
        let best = Peers::best(&peer, is_near);
        let [own, before, theirs] = medians([
            Box::new(|| {
                black_box(one.install(|| accurate(&resolved)));
            }),
            Box::new(|| {
                if let Some(cell) = cell {
                    black_box(one.install(|| plain(&shape, cell)));
                }
            }),
            Box::new(|| {
                if let Some(best) = best {
                    black_box(best.mesh(&peer));
                }
            }),
        ]);
        told("ours", ours.len(), own);
        match cell {
            Some(cell) => {
                let count = plain(&shape, cell).triangles().len();
                told(&format!("ours, cells of {cell:.4} alone"), count, before);
            }
            None => println!("    ours, cells alone: not so near with 362 along an axis"),
        }
        match best {
            Some(best) => {
                let count = best.mesh(&peer).triangles().len();
                told(
                    &format!(
                        "fidget ({}), meshoptimizer ({:.1e})",
                        best.depth, best.error
                    ),
                    count,
                    theirs,
                );
            }
            None => println!(
                "    fidget: not so near with {} cells along an axis",
                1 << DEPTHS.end()
            ),
        }
    }
}
