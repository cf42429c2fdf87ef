//! Oracles hold to what they promise: laws against plain models, and oracles in documents.

mod beams;
mod document;
mod image;
mod laws;
mod mesh;
mod shapes;
