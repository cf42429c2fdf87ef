//! Files of masks: a PNG image of one bit per pixel, white inside and black outside, and a ZIP archive of many,
//! described in JSON, for printers that expose a layer at once.
//!
//! The images are `00000.png` and so on from the lowest; `masks.json` is `{"of", "unit", "pixel", "size", "corner",
//! "layers": [{"file", "z", "pixels"}]}`: lengths in `unit`, the corner of the image with the lowest x and y, and the
//! numbers of white pixels.

use std::io::{self, Seek, Write};

use serde::Serialize;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A mask as an image.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// Height.
    pub z: f64,
    /// Number of pixels inside.
    pub pixels: u64,
    /// The PNG file.
    pub png: &'a [u8],
}

/// Description of all masks.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Sheet<'a> {
    /// Name of the subject.
    pub of: &'a str,
    /// Unit of lengths.
    pub unit: &'a str,
    /// Edge of a pixel.
    pub pixel: f64,
    /// Numbers of pixels along x and y.
    pub size: [usize; 2],
    /// Corner of the image with the lowest x and y.
    pub corner: [f64; 2],
}

/// Encodes rows of bits as a PNG image; each row begins a byte, the highest bit on the left. Stores the number of
/// pixels per metre, if the format can hold it.
///
/// # Errors
/// The format cannot hold the size: no pixels, or more than 2^31 - 1 along a side.
pub fn png([width, height]: [usize; 2], bits: &[u8], a_metre: f64) -> io::Result<Vec<u8>> {
    let side = |count: usize| u32::try_from(count).map_err(|_| io::ErrorKind::InvalidInput);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(width)?, side(height)?);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let a_metre = a_metre.round();
    if (1.0..=f64::from(i32::MAX)).contains(&a_metre) {
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: a_metre as u32,
            yppu: a_metre as u32,
            unit: png::Unit::Meter,
        }));
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bits)?;
    writer.finish()?;
    Ok(bytes)
}

/// A ZIP archive that is written mask by mask.
pub struct Stack<W: Write + Seek> {
    zip: ZipWriter<W>,
    layers: Vec<LayerInfo>,
}

#[derive(Debug, Serialize)]
struct LayerInfo {
    file: String,
    z: f64,
    pixels: u64,
}

impl<W: Write + Seek> Stack<W> {
    /// Begins the archive.
    pub fn begin(to: W) -> Stack<W> {
        Stack {
            zip: ZipWriter::new(to),
            layers: Vec::new(),
        }
    }

    /// Adds the next mask.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn push(&mut self, layer: Layer<'_>) -> io::Result<()> {
        let file = format!("{:05}.png", self.layers.len());
        // PNG is compressed already.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.zip.start_file(&file, options)?;
        self.zip.write_all(layer.png)?;
        self.layers.push(LayerInfo {
            file,
            z: layer.z,
            pixels: layer.pixels,
        });
        Ok(())
    }

    /// Ends the archive with the description of all masks.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn finish(mut self, sheet: &Sheet<'_>) -> io::Result<W> {
        #[derive(Serialize)]
        struct Contents<'a> {
            #[serde(flatten)]
            sheet: &'a Sheet<'a>,
            layers: &'a [LayerInfo],
        }
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.zip.start_file("masks.json", options)?;
        let layers = &self.layers;
        serde_json::to_writer(&mut self.zip, &Contents { sheet, layers })?;
        Ok(self.zip.finish()?)
    }
}
