//! Stored contents as objects that evaluators query: meshes with their beams, and images.
//!
//! Nothing is unpacked before its size is known to fit: an image takes columns x rows x sheets x channels samples, and at
//! most [`MAX_IMAGE_BYTES`].

use std::io::Cursor;
use std::sync::Arc;

use fibula_core::graph::model::{ImageStack, Sheet};
use fibula_core::graph::{Content, ContentHash};
use fibula_core::oracle::{BeamLattice, Channels, Image3d, ImageError, Mesh, MeshError, Samples};
use fibula_nodes::{Oracle, Query, ResourceKind};
use png::{BitDepth, ColorType, Decoder, Transformations};

use crate::beam_lattice;
pub use crate::beam_lattice::LatticeError;
use crate::error::brief;
use crate::mesh::{MeshData, MeshDataError};

/// Maximum number of bytes of the samples of an image, unpacked.
pub const MAX_IMAGE_BYTES: u64 = 1 << 30;

/// Error returned when stored content cannot be queried.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The bytes are not a stored mesh.
    #[error(transparent)]
    Stored(#[from] MeshDataError),
    /// The mesh has no inside and no outside.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The beam lattice is invalid.
    #[error(transparent)]
    Lattice(#[from] LatticeError),
    /// The bytes of a sheet are missing.
    #[error("sheet {path} of the image is not stored; import its file again")]
    MissingSheet {
        /// Name of its part.
        path: String,
    },
    /// A sheet is not a PNG file, or a damaged one.
    #[error("sheet {path} of the image cannot be decoded: {problem}; save it again as a PNG file")]
    Png {
        /// Name of its part.
        path: String,
        /// Message of the decoder.
        problem: String,
    },
    /// A sheet has another size or other channels than the image.
    #[error(
        "sheet {path} has {actual}, but the image has {expected}; all sheets of an image must have the same size"
    )]
    MismatchedSheet {
        /// Name of its part.
        path: String,
        /// Size or channels of the sheet.
        actual: String,
        /// Size or channels of the image.
        expected: String,
    },
    /// The image takes more than [`MAX_IMAGE_BYTES`].
    #[error(
        "the image has {columns} columns, {rows} rows and {sheets} sheets, which take more than {MAX_IMAGE_BYTES} \
         bytes; reduce its resolution"
    )]
    TooLarge {
        /// Voxels along u.
        columns: u32,
        /// Voxels along v.
        rows: u32,
        /// Voxels along w.
        sheets: usize,
    },
    /// The image is empty or invalid.
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl ContentError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            ContentError::Stored(error) => error.code(),
            ContentError::Mesh(error) => error.code(),
            ContentError::Lattice(error) => error.code(),
            ContentError::MissingSheet { .. } => "content_missing",
            ContentError::Png { .. } => "damaged",
            ContentError::MismatchedSheet { .. } => "invalid_size",
            ContentError::TooLarge { .. } => "too_large",
            ContentError::Image(error) => error.code(),
        }
    }
}

/// A mesh and its beams: distances are those to the triangles, and beams have their own query.
#[derive(Debug)]
struct MeshWithBeams {
    mesh: Mesh,
    lattice: BeamLattice,
}

impl Content for MeshWithBeams {
    fn kind(&self) -> ResourceKind {
        ResourceKind::Mesh
    }

    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>> {
        let mesh = self.mesh.oracle(query);
        mesh.or_else(|| self.lattice.oracle(query))
    }

    fn extent(&self) -> Option<[[f64; 3]; 2]> {
        let union = |[low, high]: [[f64; 3]; 2], [other, above]: [[f64; 3]; 2]| {
            [
                std::array::from_fn(|axis| low[axis].min(other[axis])),
                std::array::from_fn(|axis| high[axis].max(above[axis])),
            ]
        };
        let boxes = [self.mesh.extent(), self.lattice.extent()];
        boxes.into_iter().flatten().reduce(union)
    }

    fn axis_aligned_box(&self) -> Option<[[f64; 3]; 2]> {
        self.mesh.axis_aligned_box()
    }
}

/// Loads a [stored](MeshData::to_bytes) mesh: its triangles, its beams, or both.
///
/// # Errors
/// [`ContentError`]: the bytes are not a stored mesh, or it has neither area nor beams.
pub fn load_mesh(bytes: &[u8]) -> Result<Arc<dyn Content>, ContentError> {
    mesh_content(MeshData::from_bytes(bytes)?)
}

/// Builds the content of a mesh: its triangles, its beams, or both.
///
/// # Errors
/// [`ContentError`]: the mesh has neither area nor beams.
pub fn mesh_content(data: MeshData) -> Result<Arc<dyn Content>, ContentError> {
    let lattice = beam_lattice::parse_lattice(&data.vertices, &data.extra.elements)?;
    let mesh = Mesh::new(data.vertices, data.triangles);
    Ok(match (mesh, lattice) {
        (Ok(mesh), Some(lattice)) => Arc::new(MeshWithBeams { mesh, lattice }),
        (Ok(mesh), None) => Arc::new(mesh),
        // Lattices may stand alone.
        (Err(MeshError::NoArea { .. }), Some(lattice)) => Arc::new(lattice),
        (Err(error), _) => return Err(error.into()),
    })
}

/// Loads an image from its sheets; `sheet` returns the bytes of one.
///
/// # Errors
/// [`ContentError`]: a sheet is missing, not a PNG file or unlike the others, or the image is too large.
pub fn load_image<B: AsRef<[u8]>>(
    stack: &ImageStack,
    mut sheet: impl FnMut(&ContentHash) -> Option<B>,
) -> Result<Arc<Image3d>, ContentError> {
    let (columns, rows) = (stack.columns, stack.rows);
    let mut decoder: Option<ImageDecoder> = None;
    for one in &stack.sheets {
        let bytes = sheet(&one.content).ok_or_else(|| ContentError::MissingSheet {
            path: brief(&one.path),
        })?;
        let bytes = bytes.as_ref();
        let mut reader = open_sheet(one, bytes)?;
        let found = (reader.info().width, reader.info().height);
        if found != (columns, rows) {
            let size = |(columns, rows): (u32, u32)| format!("{columns} columns and {rows} rows");
            return Err(ContentError::MismatchedSheet {
                path: brief(&one.path),
                actual: size(found),
                expected: size((columns, rows)),
            });
        }
        let decoder = match &mut decoder {
            Some(decoder) => decoder,
            None => decoder.insert(ImageDecoder::new(stack, reader.output_color_type())?),
        };
        let kind = reader.output_color_type();
        if kind != decoder.kind {
            return Err(ContentError::MismatchedSheet {
                path: brief(&one.path),
                actual: describe(kind),
                expected: describe(decoder.kind),
            });
        }
        decoder.add(one, &mut reader, bytes.len())?;
    }
    let size = [columns, rows, stack.sheets.len() as u32];
    let Some(ImageDecoder { kind, samples, .. }) = decoder else {
        return Err(ImageError::Empty { size }.into());
    };
    Ok(Arc::new(Image3d::new(size, channels(kind.0), samples)?))
}

/// Columns and rows of a PNG file, from its header; `None` if it is not a PNG file.
pub(crate) fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    let size = decoder.read_header_info().ok()?.size();
    (size.0 > 0 && size.1 > 0).then_some(size)
}

/// Decodes the sheets of an image into its samples.
struct ImageDecoder {
    kind: (ColorType, BitDepth),
    samples: Samples,
    /// Bytes of a sheet of 16 bits.
    sheet: Vec<u8>,
}

impl ImageDecoder {
    fn new(stack: &ImageStack, kind: (ColorType, BitDepth)) -> Result<ImageDecoder, ContentError> {
        let channels = channels(kind.0).count() as u128;
        let sheet = u128::from(stack.columns) * u128::from(stack.rows) * channels;
        let all = sheet * stack.sheets.len() as u128;
        let wide = kind.1 == BitDepth::Sixteen;
        if all * if wide { 2 } else { 1 } > u128::from(MAX_IMAGE_BYTES) {
            return Err(ContentError::TooLarge {
                columns: stack.columns,
                rows: stack.rows,
                sheets: stack.sheets.len(),
            });
        }
        // Memory is reserved sheet by sheet, so it never exceeds that of the sheets that could be unpacked.
        Ok(ImageDecoder {
            kind,
            samples: if wide {
                Samples::U16(Vec::new())
            } else {
                Samples::U8(Vec::new())
            },
            sheet: Vec::new(),
        })
    }

    fn add(
        &mut self,
        sheet: &Sheet,
        reader: &mut Reader<'_>,
        stored: usize,
    ) -> Result<(), ContentError> {
        let broken = |problem: String| damaged_sheet(sheet, &problem);
        let size = reader.output_buffer_size();
        let size = size.ok_or_else(|| broken("it is too large".to_owned()))?;
        // The compression ratio of Deflate is at most 1032.
        if reader.info().raw_bytes() / 1032 > stored {
            return Err(broken("its data is too short for its size".to_owned()));
        }
        let mut decode = |pixels: &mut [u8]| {
            let frame = reader.next_frame(pixels);
            frame.map_err(|error| broken(error.to_string()))
        };
        match &mut self.samples {
            // In place: a small file may have many pixels.
            Samples::U8(samples) => {
                let start = samples.len();
                if start == 0 {
                    samples.reserve_exact(size);
                }
                samples.resize(start + size, 0);
                let frame = decode(&mut samples[start..])?;
                samples.truncate(start + frame.buffer_size());
            }
            Samples::U16(samples) => {
                self.sheet.resize(size, 0);
                let frame = decode(&mut self.sheet)?;
                let pairs = self.sheet[..frame.buffer_size()].chunks_exact(2);
                samples.extend(pairs.map(|pair| u16::from_be_bytes([pair[0], pair[1]])));
            }
            Samples::F32(_) => {}
        }
        Ok(())
    }
}

type Reader<'a> = png::Reader<Cursor<&'a [u8]>>;

/// Opens a sheet and reads its header.
fn open_sheet<'a>(sheet: &Sheet, bytes: &'a [u8]) -> Result<Reader<'a>, ContentError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let reader = decoder.read_info();
    let reader = reader.map_err(|error| damaged_sheet(sheet, &error.to_string()))?;
    // Decoding would panic: https://github.com/image-rs/image-png/issues/694.
    let palette = reader.info().palette.as_ref();
    if let Some(bytes) = palette
        .map(|palette| palette.len())
        .filter(|bytes| bytes % 3 != 0)
    {
        let problem = format!("its palette has {bytes} bytes, which are not three for each colour");
        return Err(damaged_sheet(sheet, &problem));
    }
    Ok(reader)
}

fn damaged_sheet(sheet: &Sheet, problem: &str) -> ContentError {
    ContentError::Png {
        path: brief(&sheet.path),
        problem: brief(problem),
    }
}

/// Channels of a pixel; palettes are expanded.
fn channels(color: ColorType) -> Channels {
    match color {
        ColorType::Grayscale => Channels::Grey,
        ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        ColorType::Rgb | ColorType::Indexed => Channels::Rgb,
        ColorType::Rgba => Channels::Rgba,
    }
}

fn describe((color, depth): (ColorType, BitDepth)) -> String {
    let channels = match channels(color) {
        Channels::Grey => "grey",
        Channels::GreyAlpha => "grey and alpha",
        Channels::Rgb => "red, green and blue",
        Channels::Rgba => "red, green, blue and alpha",
    };
    format!("{channels} of {} bits", depth as u8)
}

#[cfg(test)]
mod tests {
    use fibula_nodes::{Filter, TileStyle};

    use super::*;
    use fibula_core::graph::model::{Attribute, Extra};

    /// True if numbers are the same, bit for bit.
    fn same(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()) && a.len() == b.len()
    }

    /// A PNG file, all of whose bytes are given.
    fn png(size: [u32; 2], color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
        png_of_palette(&[255, 0, 0, 0, 51, 0], size, color, depth, data)
    }

    fn png_of_palette(
        palette: &[u8],
        size: [u32; 2],
        color: ColorType,
        depth: BitDepth,
        data: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            encoder.set_palette(palette.to_vec());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn stack(columns: u32, rows: u32, sheets: &[Vec<u8>]) -> ImageStack {
        let sheet = |bytes: &Vec<u8>| Sheet {
            path: "volume/a.png".to_owned(),
            content: ContentHash::digest(bytes),
            size: bytes.len() as u64,
        };
        ImageStack {
            name: String::new(),
            columns,
            rows,
            sheets: sheets.iter().map(sheet).collect(),
            extra: Extra::default(),
        }
    }

    fn made(columns: u32, rows: u32, sheets: &[Vec<u8>]) -> Result<Arc<Image3d>, ContentError> {
        load_image(&stack(columns, rows, sheets), |hash| {
            let found = sheets
                .iter()
                .find(|bytes| ContentHash::digest(bytes) == *hash);
            found.map(Vec::as_slice)
        })
    }

    /// Each channel in the middle of the upper left pixel of the first sheet of two columns and one row.
    fn first(image: &Image3d) -> [f64; 4] {
        let query = Query::Image {
            filter: Filter::Nearest,
            tiles: [TileStyle::Clamp; 3],
        };
        let oracle = image.oracle(query).unwrap();
        std::array::from_fn(|channel| oracle.sample([0.25, 0.5, 0.0], channel as u8))
    }

    #[test]
    fn pixels_of_every_kind_are_unpacked() {
        use BitDepth::{Eight, Four, One, Sixteen, Two};
        use ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
        let check = |color, depth, data: &[u8], expected: [f64; 4]| {
            let image = made(2, 1, &[png([2, 1], color, depth, data)]).unwrap();
            assert_eq!(image.size(), [2, 1, 1]);
            let got = first(&image);
            assert!(same(&got, &expected), "{color:?} {depth:?}: {got:?}");
        };
        let grey = |value: f64| [value, value, value, 1.0];
        check(Grayscale, One, &[0b1000_0000], grey(1.0));
        check(Grayscale, Two, &[0b1000_0000], grey(2.0 / 3.0));
        check(Grayscale, Four, &[0x30], grey(0.2));
        check(Grayscale, Eight, &[51, 0], grey(0.2));
        check(Grayscale, Sixteen, &[0, 1, 0, 0], grey(1.0 / 65535.0));
        let read = [0.2, 0.2, 0.2, 0.4];
        check(GrayscaleAlpha, Eight, &[51, 102, 0, 0], read);
        check(Rgb, Eight, &[51, 102, 255, 0, 0, 0], [0.2, 0.4, 1.0, 1.0]);
        let rgba = [0, 0, 255, 255, 0, 1, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let half = f64::from(0x8000) / 65535.0;
        check(Rgba, Sixteen, &rgba, [0.0, 1.0, 1.0 / 65535.0, half]);
        check(Indexed, One, &[0b1000_0000], [0.0, 0.2, 0.0, 1.0]);
    }

    #[test]
    fn palettes_are_whole_colours() {
        for length in 3..=7 {
            let palette = vec![51; length];
            let (color, depth) = (ColorType::Indexed, BitDepth::One);
            let file = png_of_palette(&palette, [2, 1], color, depth, &[0]);
            let read = made(2, 1, &[file]);
            match (length % 3, read) {
                (0, read) => assert!(read.is_ok(), "{length}: {read:?}"),
                (_, read) => assert_eq!(read.unwrap_err().code(), "damaged", "{length}"),
            }
        }
    }

    #[test]
    fn sheets_must_be_alike_and_there() {
        let grey = |size: [u32; 2], value: u8| {
            let data = vec![value; (size[0] * size[1]) as usize];
            png(size, ColorType::Grayscale, BitDepth::Eight, &data)
        };
        let (dark, light) = (grey([2, 1], 0), grey([2, 1], 255));
        let colored = png([2, 1], ColorType::Rgb, BitDepth::Eight, &[0; 6]);
        let image = made(2, 1, &[dark.clone(), light.clone()]).unwrap();
        assert_eq!(image.size(), [2, 1, 2]);
        let code =
            |columns, rows, sheets: &[Vec<u8>]| made(columns, rows, sheets).unwrap_err().code();
        assert_eq!(code(2, 1, &[dark.clone(), colored]), "invalid_size");
        assert_eq!(code(2, 1, &[dark.clone(), grey([1, 1], 0)]), "invalid_size");
        assert_eq!(code(2, 2, std::slice::from_ref(&dark)), "invalid_size");
        assert_eq!(code(2, 1, &[]), "empty_image");
        assert_eq!(code(2, 1, &[b"no image".to_vec()]), "damaged");
        for end in 0..dark.len() {
            // What follows the last row may be missing.
            if let Err(error) = made(2, 1, &[dark[..end].to_vec()]) {
                assert_eq!(error.code(), "damaged", "{end}");
            }
        }
        let error = load_image(&stack(2, 1, &[dark]), |_| None::<&[u8]>).unwrap_err();
        assert_eq!(error.code(), "content_missing");
    }

    const LATTICE: &str = r#"<b:beamlattice xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
        xmlns:c="http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07"
        radius="1" minlength="0.5" cap="butt" c:ballmode="MODE" c:ballradius="2"><b:beams>
        <b:beam v1="0" v2="1"/><b:beam v1="1" v2="2" r1="0.5" cap2="sphere"/><b:beam v1="2" v2="3"/></b:beams>
        <c:balls><c:ball vindex="2" r="3"/></c:balls></b:beamlattice>"#;

    fn beams(change: impl Fn(&str) -> String) -> Result<Arc<dyn Content>, ContentError> {
        let data = MeshData {
            vertices: vec![
                [0.0; 3],
                [10.0, 0.0, 0.0],
                [20.0, 0.0, 0.0],
                [20.0, 0.1, 0.0],
            ],
            extra: Extra {
                attributes: vec![Attribute::new("", "a", "b")],
                elements: vec!["<x/>".to_owned(), change(LATTICE)],
            },
            ..MeshData::default()
        };
        load_mesh(&data.to_bytes())
    }

    #[test]
    fn beams_follow_the_lattice() {
        let query = Query::BeamLattice {
            accurate_range: -1.0,
        };
        let check = |mode: &str, at: [f64; 3], expected: f64| {
            let content = beams(|xml| xml.replace("MODE", mode)).unwrap();
            let got = content.oracle(query).unwrap().sample(at, 0);
            assert!((got - expected).abs() < 1e-12, "{mode} at {at:?}: {got}");
        };
        // A flat end, the thin beam, its round end, and no beam that is too short.
        check("none", [-3.0, 0.0, 0.0], 3.0);
        check("none", [5.0, 3.0, 0.0], 2.0);
        check("none", [15.0, 3.0, 0.0], 2.5);
        check("none", [23.0, 0.0, 0.0], 2.5);
        check("mixed", [25.0, 0.0, 0.0], 2.0);
        check("mixed", [-3.0, 0.0, 0.0], 3.0);
        check("all", [-3.0, 0.0, 0.0], 1.0);
        let content = beams(|xml| xml.replace("MODE", "all")).unwrap();
        assert!(content.oracle(Query::SignedDistance).is_none());
    }

    #[test]
    fn invalid_lattices_are_rejected() {
        let check = |from: &str, to: &str, code: &str| {
            let error = beams(|xml| xml.replace("MODE", "none").replace(from, to)).unwrap_err();
            assert_eq!(error.code(), code, "{to}: {error}");
        };
        check("v1=\"0\"", "v1=\"9\"", "unknown_vertex");
        check("v1=\"0\"", "", "invalid_content");
        check("radius=\"1\"", "radius=\"-1\"", "invalid_content");
        check("cap=\"butt\"", "cap=\"flat\"", "invalid_content");
        check("none", "some", "invalid_content");
        check("</b:beams>", "", "invalid_content");
        check("<b:beam ", "<b:beams ", "empty_mesh");
    }

    #[test]
    fn a_mesh_with_beams_answers_for_both() {
        let vertices = vec![[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mut data = MeshData::new(vertices, triangles);
        let beams = Query::BeamLattice {
            accurate_range: -1.0,
        };
        let alone = load_mesh(&data.to_bytes()).unwrap();
        assert!(alone.oracle(beams).is_none());
        data.extra.elements = vec![LATTICE.replace("MODE", "none")];
        let both = load_mesh(&data.to_bytes()).unwrap();
        assert_eq!(both.kind(), ResourceKind::Mesh);
        let at = |query, at| both.oracle(query).unwrap().sample(at, 0);
        assert!(same(&[at(Query::SignedDistance, [1.0, 1.0, -2.0])], &[2.0]));
        assert!(same(&[at(beams, [2.0, 0.0, -3.0])], &[2.0]));
        data.triangles.clear();
        data.extra.elements.clear();
        let error = load_mesh(&data.to_bytes()).unwrap_err();
        assert_eq!(error.code(), "empty_mesh");
    }
}
