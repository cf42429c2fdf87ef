//! Stands in until the real forms are there.
use super::{Document, GraphError};
use serde::{Deserialize, Serialize};
use std::fmt;
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);
#[allow(missing_docs)]
impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        ContentHash(bytes)
    }
}
impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for b in self.0 {
            write!(f, "{b:02x}")?;
        }
        Ok(())
    }
}
#[allow(missing_docs)]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compact(Vec<String>);
#[allow(missing_docs)]
impl Compact {
    pub fn document(self) -> Result<Document, GraphError> {
        let mut document = Document::default();
        for text in &self.0 {
            document.insert(&serde_json::from_str(text).expect("stub"))?;
        }
        Ok(document)
    }
}
#[allow(missing_docs)]
impl Document {
    pub fn compact(&self) -> Compact {
        Compact(
            self.functions()
                .map(|f| serde_json::to_string(&f.data()).expect("stub"))
                .collect(),
        )
    }
}
