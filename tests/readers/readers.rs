//! Every reader of files and texts, by name.

use std::fmt::Debug;
use std::io::BufRead;
use std::ops::ControlFlow;

use fibula::expression::{self, Request};
use fibula::format::threemf;
use fibula::format::threemf::contents::{load_image, load_mesh};
use fibula::format::{mesh, network, points, vm};
use fibula::graph::model::{Extra, ImageStack, Sheet};
use fibula::graph::{ContentHash, Document};
use fibula::service::{ImportProject, Service};

use super::archive;

/// Reads bytes, or says why not.
type Read = dyn Fn(&[u8]) -> Result<(), String> + Send + Sync;

/// A reader.
pub struct Reader {
    /// Its name, which is that of the folder of its samples.
    pub name: &'static str,
    /// Maximum number of bytes that it may allocate at once for a small file.
    pub max_memory: usize,
    read: Box<Read>,
}

impl Reader {
    fn new(
        name: &'static str,
        read: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Reader {
            name,
            max_memory: 32 << 20,
            read: Box::new(read),
        }
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// The message of the reader.
    pub fn read(&self, bytes: &[u8]) -> Result<(), String> {
        (self.read)(bytes)
    }
}

/// Returns the readers.
pub fn all() -> Vec<Reader> {
    let of_graphs = network::Format::ALL.into_iter().map(|format| {
        let read = move |bytes: &[u8]| outcome(network::read(format, bytes, &watch));
        Reader::new(format.name(), read)
    });
    let meshes = mesh::Limits::default();
    let formulas = vm::Limits::default();
    let others = [
        Reader::new("csv-tables", tables),
        Reader::new("3mf", package),
        Reader::new("model", |bytes| package(&archive::package(bytes))),
        Reader::new("stored-mesh", |bytes| outcome(load_mesh(bytes))),
        Reader {
            // Deflate compresses pixels of one colour to a 1032nd, and a pixel of one bit becomes four bytes.
            max_memory: 640 << 20,
            ..Reader::new("image", image)
        },
        Reader::new("mesh", move |bytes| outcome(mesh::read(bytes, &meshes))),
        Reader::new("points", |bytes| outcome(points::read(bytes))),
        Reader::new("vm", move |bytes| outcome(vm::read(bytes, "vm", &formulas))),
        Reader::new("expression", formula),
        Reader::new("project", project),
    ];
    of_graphs.chain(others).collect()
}

fn outcome<T, E: Debug>(read: Result<T, E>) -> Result<(), String> {
    read.map(drop).map_err(|error| format!("{error:?}"))
}

fn watch(_done: u64, _total: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reads a table of nodes and one of edges, with an empty line between them.
fn tables(bytes: &[u8]) -> Result<(), String> {
    let between = bytes.windows(2).position(|pair| pair == b"\n\n");
    let (nodes, edges) = bytes.split_at(between.map_or(bytes.len(), |at| at + 1));
    outcome(network::read_tables(Some(nodes), edges.get(1..), &watch))
}

/// Reads and checks a package, which have to agree.
fn package(bytes: &[u8]) -> Result<(), String> {
    let limits = threemf::Limits::default();
    let read = threemf::read(bytes, &limits);
    assert_eq!(threemf::check(bytes, &limits).is_readable(), read.is_ok());
    outcome(read)
}

/// Reads a PNG file as an image stack of one sheet, of the size that the file names. Checksums are corrected before, or
/// little that is changed would be read.
fn image(bytes: &[u8]) -> Result<(), String> {
    let mut bytes = bytes.to_vec();
    let mut at = 8;
    while let Some(end) =
        number(&bytes, at).and_then(|length| (at + 8).checked_add(length as usize))
        && end + 4 <= bytes.len()
    {
        let sum = crc32fast::hash(&bytes[at + 4..end]);
        bytes[end..end + 4].copy_from_slice(&sum.to_be_bytes());
        at = end + 4;
    }
    let size = |at: usize| number(&bytes, at).unwrap_or(1);
    let stack = ImageStack {
        name: String::new(),
        columns: size(16),
        rows: size(20),
        sheets: vec![Sheet {
            path: "volume/a.png".to_owned(),
            content: ContentHash::digest(&bytes),
            size: bytes.len() as u64,
        }],
        extra: Extra::default(),
    };
    outcome(load_image(&stack, |_| Some(&bytes)))
}

/// Returns the number of four bytes, the highest first.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let number = bytes.get(at..at + 4)?;
    number.try_into().ok().map(u32::from_be_bytes)
}

/// Parses an expression; what is accepted is printed, and parsed again.
fn formula(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut document = Document::default();
    let data = expression::function(&document, &Request::new("f", text))
        .map_err(|error| error.to_string())?;
    let id = document.insert(&data).map_err(|error| error.to_string())?;
    // Not all has a spelling: infinite constants, for example.
    if let Ok(printed) = expression::print(&document, id) {
        let mut again = Request::new("f", &printed);
        again.arguments = Some(data.inputs);
        let again = expression::function(&Document::default(), &again);
        again.unwrap_or_else(|error| panic!("{error}\n{printed}"));
    }
    Ok(())
}

/// Imports an exported project into an empty store.
fn project(bytes: &[u8]) -> Result<(), String> {
    let service = Service::default();
    let mut bytes = bytes;
    let from: &mut dyn BufRead = &mut bytes;
    outcome(service.import_project(&ImportProject::default(), from))
}
