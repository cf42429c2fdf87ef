//! Oracles: meshes, beam lattices and images, which nodes query at points in space.
//!
//! A [`Mesh`], a [`BeamLattice`] or an [`Image3d`] is added to a document, and nodes query it:
//!
//! ```
//! use fibula_core::{eval::Tape, expression, graph::Document, oracle::Mesh};
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let mesh = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
//!
//! let mut document = Document::default();
//! let id = document.add(mesh)?;
//! let around = expression::add_function(&mut document, "around", &format!("mesh({id}, pos) - 0.5"))?;
//! let tape = Tape::new(&document, around)?;
//! assert_eq!(tape.at([0.25, 0.25, -2.0]), [1.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Closest points are found in a bounding volume hierarchy of our own. That of parry3d takes as long for the signed
//! distance of a point near the surface, two to five times as long on grids and far away, requires meshes without
//! self-intersections, and would add some thirty crates.

mod axis;
mod beam;
mod beams;
mod bounding_box;
mod bvh;
mod frame;
mod image;
mod mesh;
mod orientation;
mod packet;
mod surface;
mod triangle;
mod voxels;
mod winding_number;

pub use beam::Cap;
pub use beams::{Ball, Beam, BeamError, BeamLattice, End, MOST_BEAMS};
pub use image::{Channels, Image3d, ImageError, Samples};
pub use mesh::{EdgeDefects, MOST_TRIANGLES, Mesh, MeshError};
pub use triangle::offset_from_triangle;
