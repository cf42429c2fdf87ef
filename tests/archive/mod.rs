//! Zip archives, and 3MF packages with a given model, as other programs pack them.

use std::io::{Cursor, Write as _};

use zip::write::{SimpleFileOptions, ZipWriter};

/// The relationships of a package whose model is `3D/3dmodel.model`.
pub(crate) const RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;

/// An archive of these entries.
pub(crate) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = SimpleFileOptions::default();
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(bytes).expect("its bytes");
    }
    writer.finish().expect("a directory").into_inner()
}

/// A package with this model.
pub(crate) fn package(model: impl AsRef<[u8]>) -> Vec<u8> {
    archive(&[
        ("_rels/.rels", RELATIONSHIPS.as_bytes()),
        ("3D/3dmodel.model", model.as_ref()),
    ])
}
