//! Images: RGB pixels, alpha blending, and PNG files with all colours or with a palette.

use std::collections::BTreeMap;

/// Rows of pixels, from the top; red, green and blue of each are in the sRGB colour space.
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

    /// Number of pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Pixels, row by row from the top, each row from the left.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// Pixel at a column and a row.
    ///
    /// # Panics
    /// If the image has no such column or row.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width, "a column of the image");
        self.pixels[y * self.width + x]
    }

    /// Mutable pixels, in the order of [`pixels`](Self::pixels).
    pub fn rows_mut(&mut self) -> &mut [[u8; 3]] {
        &mut self.pixels
    }

    /// Blends a colour over a pixel with an opacity (alpha, 0 to 1). Pixels outside the image, and an alpha that is NaN, are
    /// ignored.
    pub fn blend(&mut self, x: i64, y: i64, colour: [u8; 3], alpha: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x >= self.width || y >= self.height || alpha.is_nan() {
            return;
        }
        for (channel, over) in self.pixels[y * self.width + x].iter_mut().zip(colour) {
            let (below, over) = (f64::from(*channel), f64::from(over));
            *channel = (below + (over - below) * alpha.clamp(0.0, 1.0)).round() as u8;
        }
    }

    /// Copies an image over this one, its upper left corner at a column and a row; what does not fit is cut off.
    pub fn copy_from(&mut self, image: &Image, x: usize, y: usize) {
        let width = image.width.min(self.width.saturating_sub(x));
        let rows = image.pixels.chunks_exact(image.width.max(1)).enumerate();
        for (row, pixels) in rows.take(self.height.saturating_sub(y)) {
            let start = (y + row) * self.width + x;
            self.pixels[start..start + width].copy_from_slice(&pixels[..width]);
        }
    }

    /// Encodes the image as a PNG file, without loss.
    pub fn png(&self) -> Vec<u8> {
        self.encode(None, self.pixels.as_flattened())
    }

    /// Encodes the image as a small PNG file, quantised to a palette of at most 256 colours.
    pub fn small_png(&self) -> Vec<u8> {
        let palette = Palette::new(&self.pixels);
        let indices: Vec<u8> = self
            .pixels
            .iter()
            .map(|colour| palette.indices[colour])
            .collect();
        self.encode(Some(&palette), &indices)
    }

    fn encode(&self, palette: Option<&Palette>, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        if let Some(palette) = palette {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette.colours.as_flattened().to_vec());
            encoder.set_compression(png::Compression::High);
            // Indices are not amounts, so filters by differences do not help.
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

/// Up to 256 colours, and the one that replaces each colour of an image.
struct Palette {
    colours: Vec<[u8; 3]>,
    indices: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    /// Quantises the colours of an image: boxes of colours are divided at the mean of the channel with the largest variance,
    /// the box with the largest error first (X. Wu, "Color quantization by dynamic programming and principal
    /// analysis", 1992, in its simplest form).
    fn new(pixels: &[[u8; 3]]) -> Palette {
        let mut counts: BTreeMap<[u8; 3], u64> = BTreeMap::new();
        for &pixel in pixels {
            *counts.entry(pixel).or_default() += 1;
        }
        let mut boxes = vec![ColourBox::new(counts.into_iter().collect())];
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
            indices: BTreeMap::new(),
        };
        // From dark to bright, so that neighbours in the image are neighbours here.
        boxes.sort_by_key(|own| own.mean.map(|channel| channel as u32).iter().sum::<u32>());
        for (index, own) in boxes.iter().enumerate() {
            palette
                .colours
                .push(own.mean.map(|channel| channel.round() as u8));
            let replaced = own.colours.iter().map(|&(colour, _)| (colour, index as u8));
            palette.indices.extend(replaced);
        }
        palette
    }
}

/// Box of colours of an image, with the number of pixels of each.
struct ColourBox {
    colours: Vec<([u8; 3], u64)>,
    mean: [f64; 3],
    /// Channel with the largest variance.
    widest: usize,
    /// Sum of squared differences from the mean in that channel.
    error: f64,
}

impl ColourBox {
    fn new(colours: Vec<([u8; 3], u64)>) -> ColourBox {
        let total: u64 = colours.iter().map(|(_, count)| count).sum();
        let sum = |term: &dyn Fn([u8; 3]) -> f64| -> f64 {
            let terms = colours.iter();
            terms
                .map(|&(colour, count)| term(colour) * count as f64)
                .sum()
        };
        let mean: [f64; 3] = std::array::from_fn(|channel| {
            sum(&|colour| f64::from(colour[channel])) / total.max(1) as f64
        });
        let errors: [f64; 3] = std::array::from_fn(|channel| {
            sum(&|colour| (f64::from(colour[channel]) - mean[channel]).powi(2))
        });
        let widest = (0..3)
            .max_by(|&a, &b| errors[a].total_cmp(&errors[b]))
            .expect("three channels");
        ColourBox {
            mean,
            widest,
            error: errors[widest],
            colours,
        }
    }

    /// Divides the box at its mean.
    fn halves(self) -> [ColourBox; 2] {
        let (widest, mean) = (self.widest, self.mean[self.widest]);
        let (low, high) = self
            .colours
            .into_iter()
            .partition(|(colour, _)| f64::from(colour[widest]) <= mean);
        [low, high].map(ColourBox::new)
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
    fn png_files_can_be_decoded() {
        let mut image = Image::new(40, 30, [250, 251, 252]);
        for x in 0..40 {
            for y in 0..30 {
                image.blend(x, y, [x as u8 * 6, y as u8 * 8, 90], 0.5);
            }
        }
        image.blend(-1, 3, [0; 3], 1.0);
        image.blend(3, 30, [0; 3], 1.0);
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
