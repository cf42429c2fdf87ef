//! Files of meshes, contours, masks, points, sampled values and formulas.
//!
//! Each module reads or writes one sort of data, with plain slices and structs: vertices are `[f64; 3]`, triangles are
//! indexes, contours are lists of points. So the crate serves programs that have such data from anywhere, and knows
//! neither projects nor solids.
//!
//! | module | data | formats | directions |
//! |---|---|---|---|
//! | [`mesh`] | triangle meshes, with parts and colours | STL, OBJ, PLY, glTF | all are written, STL and OBJ read |
//! | [`contours`] | polygons of slices | SVG, CLI (Common Layer Interface) | written |
//! | [`masks`] | layers of pixels | PNG, ZIP of PNG | written |
//! | [`values`] | values of functions at many points | CSV, NPY, raw numbers | written as a stream |
//! | [`points`] | points at which to evaluate | text, NPY | read |
//! | [`vm`] | formulas | `.vm` | read |
//!
//! It is **not** the place of 3MF packages (`fibula-3mf`), of knowledge graphs (`fibula-graph-formats`) or of projects
//! (`fibula-store`), and it opens no files: readers take bytes, writers take an [`io::Write`](std::io::Write).
//!
//! # Tour
//!
//! The points of a spreadsheet become a mesh, which is written and read again:
//!
//! ```
//! use fibula_formats::mesh::{self, Limits, MeshFormat};
//! use fibula_formats::points;
//!
//! let table = points::read(b"x,y,z\n0,0,0\n10,0,0\n0,10,0\n0,0,10\n")?;
//! let [x, y, z] = table.columns() else { panic!("three columns") };
//! let vertices: Vec<[f64; 3]> = (0..table.len()).map(|row| [x[row], y[row], z[row]]).collect();
//! let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
//!
//! // The unit is a millimetre: glTF stores metres.
//! for format in MeshFormat::ALL {
//!     let mut file = Vec::new();
//!     mesh::write(format, &vertices, &triangles, 0.001, &mut file)?;
//!     if format.is_readable() {
//!         let read = mesh::read(&file, &Limits::default())?;
//!         assert_eq!((read.format, read.vertices.len()), (format, 4));
//!     }
//! }
//! // Errors name the line or the byte.
//! let error = mesh::read(b"v 0 0 zero\n", &Limits::default()).unwrap_err();
//! assert_eq!(error.to_string(), "line 1: 'zero' is not a finite number");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! 1. Readers accept untrusted bytes: they never panic, and fail beyond their `Limits` before memory is used up.
//! 2. An error has a stable `code()`, and a message with the line or the byte.
//! 3. Coordinates and values are written exactly, in the shortest text or in the precision of the format. A coordinate
//!    that the format cannot hold is an error, never infinity.
//! 4. The bytes of a file depend on its contents only: there are no times and no random numbers in them.
//!
//! # Costs
//!
//! Reading and writing take linear time. Meshes and points are in memory as a whole; [`values`] and [`masks`] are written
//! piece by piece.
//!
//! # Where to read on
//!
//! `mesh/mod.rs` has the table of mesh formats, to which a new one is added; `vm/mod.rs` documents the meaning of `.vm`
//! operations.

pub mod contours;
pub mod masks;
pub mod mesh;
pub mod values;
pub mod vm;

pub mod points;
