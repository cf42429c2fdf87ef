//! Oracles hold to what they promise: laws against plain models, and oracles in documents.

mod beams;
mod laws;
mod mesh;
mod shapes;
