//! Meshes, measures and pictures.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[path = "../large_graph/mod.rs"]
mod large_graph;
#[path = "../samples/mod.rs"]
mod samples;
#[path = "../solids/mod.rs"]
mod solids;
#[path = "../space/mod.rs"]
mod space;

mod colours;
mod measure;
mod mesh;
mod parts;
mod pictures;
