//! A document that is written as a 3MF package is read back unchanged.

mod everything;
mod field;
mod kinds;
mod official;
mod whole;
mod world;

use std::io::{Cursor, Read, Write as _};

use fibula::format::threemf::{self, Limits, Model, WriteOptions, WriteSummary};
use fibula::graph::{Document, Function, FunctionData, Resource};

pub(crate) use official::strict_problems;

/// The package, and what was said of it.
pub(crate) fn written(document: &Document, options: WriteOptions) -> (Vec<u8>, WriteSummary) {
    let mut file = Cursor::new(Vec::new());
    let written = threemf::write(document, &|_| Ok(None), &options, &mut file);
    let written = written.unwrap_or_else(|error| panic!("{error}"));
    (file.into_inner(), written)
}

/// The model part of a package.
pub(crate) fn xml(package: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut text = String::new();
    let mut part = archive.by_name("3D/3dmodel.model").unwrap();
    part.read_to_string(&mut text).unwrap();
    text
}

/// A package with this model part.
pub(crate) fn packed(model: &str) -> Vec<u8> {
    let (package, _) = written(&Document::default(), WriteOptions::default());
    let mut from = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut to = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..from.len() {
        let mut part = from.by_index(index).unwrap();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        let name = part.name().unwrap().into_owned();
        let own = name == "3D/3dmodel.model";
        to.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        to.write_all(if own { model } else { &text }.as_bytes())
            .unwrap();
    }
    to.finish().unwrap().into_inner()
}

/// Model that is read from a package; the text of the model is shown if that fails.
pub(crate) fn read(package: &[u8]) -> Model {
    threemf::read(package, &Limits::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", xml(package)))
}

/// The functions of a document, written out.
pub(crate) fn functions(document: &Document) -> Vec<FunctionData> {
    document.functions().map(Function::data).collect()
}

/// The document of what was read.
pub(crate) fn document(model: &Model) -> Document {
    let mut document = Document::default();
    for (id, image) in &model.image_functions {
        let image = Resource::ImageFunction(image.clone());
        document.insert_resource(*id, image).unwrap();
    }
    for function in &model.functions {
        document.insert(function).unwrap();
    }
    document
}

/// Writes and reads a document; gives the notes' codes.
pub(crate) fn check_functions(before: &Document, options: WriteOptions) -> Vec<&'static str> {
    let (package, written) = written(before, options);
    let model = read(&package);
    let after = document(&model);
    assert_eq!(functions(&after), functions(before), "{}", xml(&package));
    // Numbers are equal bit for bit, which NaN and -0 do not show otherwise.
    let found = format!("{:?}", functions(&after));
    assert_eq!(found, format!("{:?}", functions(before)));
    written.notes.iter().map(|note| note.code).collect()
}
