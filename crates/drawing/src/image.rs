//! Images: pixels, how they are written as PNG, and how images are put together.

use std::collections::BTreeMap;
use std::convert::Infallible;

use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Size};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};

/// Rows of pixels, from above; red, green and blue of each are in the sRGB colour space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Image {
        Image {
            width,
            height,
            pixels: vec![colour; width * height],
        }
    }

    /// How many pixels a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The pixels, row by row, from above and from the left.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// The pixel at a place from the left and from above.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width, "a place in the row");
        self.pixels[y * self.width + x]
    }

    /// The pixels for writing, in the order of [`pixels`](Self::pixels).
    pub fn rows_mut(&mut self) -> &mut [[u8; 3]] {
        &mut self.pixels
    }

    /// Puts a colour over a pixel, as far as `cover` (0 to 1) says, if it is a number. Places beyond the image are left
    /// alone.
    pub fn cover(&mut self, x: i64, y: i64, colour: [u8; 3], cover: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x >= self.width || y >= self.height || cover.is_nan() {
            return;
        }
        for (part, over) in self.pixels[y * self.width + x].iter_mut().zip(colour) {
            let (below, over) = (f64::from(*part), f64::from(over));
            *part = (below + (over - below) * cover.clamp(0.0, 1.0)).round() as u8;
        }
    }

    /// Puts an image over this one, its upper left corner at a place.
    pub fn put(&mut self, image: &Image, x: usize, y: usize) {
        let width = image.width.min(self.width.saturating_sub(x));
        let rows = image.pixels.chunks_exact(image.width.max(1)).enumerate();
        for (row, pixels) in rows.take(self.height.saturating_sub(y)) {
            let start = (y + row) * self.width + x;
            self.pixels[start..start + width].copy_from_slice(&pixels[..width]);
        }
    }

    /// The image as a PNG file, without loss.
    pub fn png(&self) -> Vec<u8> {
        self.written(None, self.pixels.as_flattened())
    }

    /// The image as a small PNG file: the colours are brought down to 256 of them.
    pub fn small_png(&self) -> Vec<u8> {
        let palette = Palette::new(&self.pixels);
        let places: Vec<u8> = self
            .pixels
            .iter()
            .map(|&colour| palette.place(colour))
            .collect();
        self.written(Some(&palette), &places)
    }

    fn written(&self, palette: Option<&Palette>, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        if let Some(palette) = palette {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette.colours.as_flattened().to_vec());
            encoder.set_compression(png::Compression::High);
            // Places in a palette are no amounts, so their differences say nothing.
            encoder.set_filter(png::Filter::NoFilter);
        } else {
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_compression(png::Compression::Balanced);
        }
        let mut writer = encoder
            .write_header()
            .expect("a list of bytes can be written, and the size is not 0");
        writer
            .write_image_data(data)
            .expect("the data are as long as the size says");
        writer.finish().expect("a list of bytes can be written");
        bytes
    }
}

impl OriginDimensions for Image {
    fn size(&self) -> Size {
        Size::new(self.width as u32, self.height as u32)
    }
}

/// Letters are drawn by embedded-graphics.
impl DrawTarget for Image {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        for Pixel(place, colour) in pixels {
            let colour = [colour.r(), colour.g(), colour.b()];
            self.cover(i64::from(place.x), i64::from(place.y), colour, 1.0);
        }
        Ok(())
    }
}

/// Up to 256 colours that stand for all.
struct Palette {
    colours: Vec<[u8; 3]>,
    /// Which one stands for a colour.
    places: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    /// The colours of an image, cut into boxes at the mean of their widest part, the box with the largest error first
    /// (Wu, "Color quantization by dynamic programming and principal analysis", 1992, in its simplest form).
    fn new(pixels: &[[u8; 3]]) -> Palette {
        let mut counts: BTreeMap<[u8; 3], u64> = BTreeMap::new();
        for &pixel in pixels {
            *counts.entry(pixel).or_default() += 1;
        }
        let mut boxes = vec![Part::new(counts.into_iter().collect())];
        while boxes.len() < 256 {
            let worst = (0..boxes.len()).max_by(|&a, &b| boxes[a].error.total_cmp(&boxes[b].error));
            let Some(worst) = worst.filter(|&worst| boxes[worst].error > 0.0) else {
                break;
            };
            let [first, second] = boxes.swap_remove(worst).halves();
            boxes.extend([first, second]);
        }
        let mut palette = Palette {
            colours: Vec::with_capacity(boxes.len()),
            places: BTreeMap::new(),
        };
        // From dark to bright, so that neighbours in the image are neighbours here.
        boxes.sort_by_key(|part| part.mean.map(|part| part as u32).iter().sum::<u32>());
        for (place, part) in boxes.iter().enumerate() {
            palette
                .colours
                .push(part.mean.map(|part| part.round() as u8));
            let of = part.colours.iter();
            palette
                .places
                .extend(of.map(|&(colour, _)| (colour, place as u8)));
        }
        palette
    }

    fn place(&self, colour: [u8; 3]) -> u8 {
        self.places[&colour]
    }
}

/// Some of the colours of an image, and how often each is there.
struct Part {
    colours: Vec<([u8; 3], u64)>,
    mean: [f64; 3],
    /// Of red, green or blue, that which differs most.
    widest: usize,
    /// The sum of its squares from the mean.
    error: f64,
}

impl Part {
    fn new(colours: Vec<([u8; 3], u64)>) -> Part {
        let total: u64 = colours.iter().map(|(_, count)| count).sum();
        let sum = |of: &dyn Fn([u8; 3]) -> f64| -> f64 {
            let each = colours.iter();
            each.map(|&(colour, count)| of(colour) * count as f64).sum()
        };
        let mean: [f64; 3] = std::array::from_fn(|part| {
            sum(&|colour| f64::from(colour[part])) / total.max(1) as f64
        });
        let errors: [f64; 3] = std::array::from_fn(|part| {
            sum(&|colour| (f64::from(colour[part]) - mean[part]).powi(2))
        });
        let widest = (0..3)
            .max_by(|&a, &b| errors[a].total_cmp(&errors[b]))
            .expect("three parts");
        Part {
            mean,
            widest,
            error: errors[widest],
            colours,
        }
    }

    /// Both sides of the mean.
    fn halves(self) -> [Part; 2] {
        let (widest, mean) = (self.widest, self.mean[self.widest]);
        let (low, high) = self
            .colours
            .into_iter()
            .partition(|(colour, _)| f64::from(colour[widest]) <= mean);
        [low, high].map(Part::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Vec<u8>, png::OutputInfo) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        (data, info)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut image = Image::new(40, 30, [250, 251, 252]);
        for x in 0..40 {
            for y in 0..30 {
                image.cover(x, y, [x as u8 * 6, y as u8 * 8, 90], 0.5);
            }
        }
        image.cover(-1, 3, [0; 3], 1.0);
        image.cover(3, 30, [0; 3], 1.0);
        let (data, info) = read(&image.png());
        assert_eq!((info.width, info.height), (40, 30));
        assert_eq!(data, image.pixels().as_flattened());
        let (data, _) = read(&image.small_png());
        let far = data.iter().zip(image.pixels().as_flattened());
        let most = far.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!((1..=12).contains(&most), "{most}");
        let plain = Image::new(3, 2, [1, 2, 3]);
        assert_eq!(read(&plain.small_png()).0, [1, 2, 3].repeat(6));
    }
}
