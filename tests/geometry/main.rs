//! Meshes, measures and pictures.

#[path = "../samples/mod.rs"]
mod samples;
#[path = "../space/mod.rs"]
mod space;

mod colours;
mod measure;
mod mesh;
mod parts;
mod pictures;
