//! Files of values: CSV, `NumPy`'s .npy, and raw little-endian numbers.
//!
//! Values come in [`Block`]s, as they are computed, and are written at once: memory does not grow with the points.
//!
//! ```
//! use fibula_formats::values::{Block, Format, Head, Writer};
//!
//! let head = Head {
//!     shape: vec![2],
//!     inputs: vec!["x".to_owned()],
//!     values: vec!["shape".to_owned()],
//! };
//! let mut writer = Writer::<f64, _>::new(Format::Csv, &head, Vec::new())?;
//! writer.write(&Block { inputs: &[vec![0.0, 1.0]], values: &[vec![-0.5, 0.25]] })?;
//! assert_eq!(writer.finish()?, b"x,shape\n0.0,-0.5\n1.0,0.25\n");
//! # Ok::<(), std::io::Error>(())
//! ```

mod csv;
mod npy;

use std::fmt::Debug;
use std::io::{self, Write};
use std::marker::PhantomData;

use fibula_eval::Float;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use npy::MAGIC;

/// A format that values are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A line per point, with its coordinates; the first line has the names.
    Csv,
    /// An array of `NumPy`, version 1.0.
    Npy,
    /// Numbers of 4 bytes, the lowest first.
    F32,
    /// Numbers of 8 bytes, the lowest first.
    F64,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Csv, Format::Npy, Format::F32, Format::F64];

    /// Name in requests, which is the extension of files, too.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Npy => "npy",
            Format::F32 => "f32",
            Format::F64 => "f64",
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Csv => "text/csv; charset=utf-8",
            Format::Npy | Format::F32 | Format::F64 => "application/octet-stream",
        }
    }

    /// True for texts.
    pub fn is_text(self) -> bool {
        self == Format::Csv
    }
}

/// Shape and names of the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Number of points on each axis, the slowest first.
    pub shape: Vec<usize>,
    /// Names of the coordinates.
    pub inputs: Vec<String>,
    /// Names of the values of a point.
    pub values: Vec<String>,
}

/// Some points in their order, with a list for each coordinate and value. Formats without coordinates ignore them.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, T> {
    /// The coordinates.
    pub inputs: &'a [Vec<T>],
    /// The values.
    pub values: &'a [Vec<T>],
}

/// Writes values block by block.
#[derive(Debug)]
pub struct Writer<T, W> {
    format: Format,
    to: W,
    bytes: Vec<u8>,
    numbers: PhantomData<T>,
}

impl<T: Float + Debug, W: Write> Writer<T, W> {
    /// Creates a writer and writes the head.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn new(format: Format, head: &Head, mut to: W) -> io::Result<Self> {
        match format {
            Format::Csv => to.write_all(csv::head(head).as_bytes())?,
            Format::Npy => to.write_all(&npy::head::<T>(head))?,
            Format::F32 | Format::F64 => {}
        }
        Ok(Writer {
            format,
            to,
            bytes: Vec::new(),
            numbers: PhantomData,
        })
    }

    /// Writes the next points.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write(&mut self, block: &Block<'_, T>) -> io::Result<()> {
        self.bytes.clear();
        match self.format {
            Format::Csv => csv::lines(block, &mut self.bytes),
            Format::Npy if size_of::<T>() == size_of::<f32>() => self.numbers(block, single),
            Format::F32 => self.numbers(block, single),
            Format::Npy | Format::F64 => self.numbers(block, double),
        }
        self.to.write_all(&self.bytes)
    }

    /// Flushes and returns the destination.
    ///
    /// # Errors
    /// The errors of the destination.
    pub fn finish(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }

    /// Encodes the values, point by point.
    fn numbers<const N: usize>(&mut self, block: &Block<'_, T>, bytes: impl Fn(T) -> [u8; N]) {
        let points = block.values.first().map_or(0, Vec::len);
        self.bytes.reserve(points * block.values.len() * N);
        if let [only] = block.values {
            self.bytes
                .extend(only.iter().flat_map(|number| bytes(*number)));
            return;
        }
        for point in 0..points {
            for column in block.values {
                self.bytes.extend(bytes(column[point]));
            }
        }
    }
}

fn single<T: Float>(number: T) -> [u8; 4] {
    (number.to_f64() as f32).to_le_bytes()
}

fn double<T: Float>(number: T) -> [u8; 8] {
    number.to_f64().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written<T: Float + Debug>(format: Format, blocks: &[Block<'_, T>]) -> Vec<u8> {
        let head = Head {
            shape: vec![2, 1, 2],
            inputs: vec!["pos.x".to_owned(), "a, \"b\"".to_owned()],
            values: ["shape", "color.x"].map(str::to_owned).to_vec(),
        };
        let mut writer = Writer::new(format, &head, Vec::new()).unwrap();
        for block in blocks {
            writer.write(block).unwrap();
        }
        writer.finish().unwrap()
    }

    fn example<T: Float + Debug>(format: Format) -> Vec<u8> {
        let column = |numbers: &[f64]| numbers.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
        let inputs = [column(&[0.0, 1.0, 0.1]), column(&[1e-7, -2e20, 3.0])];
        let values = [
            column(&[0.5, f64::NAN, -0.0]),
            column(&[1.0 / 3.0, f64::INFINITY, 2.0]),
        ];
        let last = [column(&[4.0]), column(&[5.0])];
        let first = Block {
            inputs: &inputs,
            values: &values,
        };
        let last = Block {
            inputs: &last,
            values: &last,
        };
        written(format, &[first, last])
    }

    #[test]
    fn csv_is_read_everywhere() {
        let text = String::from_utf8(example::<f64>(Format::Csv)).unwrap();
        let expected = "pos.x,\"a, \"\"b\"\"\",shape,color.x\n\
                        0.0,1e-7,0.5,0.3333333333333333\n\
                        1.0,-2e20,NaN,inf\n\
                        0.1,3.0,-0.0,2.0\n\
                        4.0,5.0,4.0,5.0\n";
        assert_eq!(text, expected);
        let text = String::from_utf8(example::<f32>(Format::Csv)).unwrap();
        assert!(text.contains("0.0,1e-7,0.5,0.33333334\n"), "{text}");
    }

    #[test]
    fn raw_numbers_stand_point_by_point() {
        let expected = [0.5, 1.0 / 3.0, f64::NAN, f64::INFINITY, -0.0, 2.0, 4.0, 5.0];
        let singles = expected
            .map(|number| (number as f32).to_le_bytes())
            .concat();
        let doubles = expected.map(f64::to_le_bytes).concat();
        assert_eq!(example::<f64>(Format::F64), doubles);
        assert_eq!(example::<f64>(Format::F32), singles);
        assert_eq!(example::<f32>(Format::F32), singles);
        for (format, numbers) in [(Format::Npy, &doubles), (Format::F64, &doubles)] {
            assert!(example::<f64>(format).ends_with(numbers));
        }
        assert!(example::<f32>(Format::Npy).ends_with(&singles));
    }

    #[test]
    fn arrays_say_what_they_are() {
        let check = |bytes: &[u8], numbers: usize, expected: &str| {
            let head = &bytes[..bytes.len() - numbers];
            assert_eq!(head.len() % 64, 0, "numbers are aligned");
            assert_eq!(&head[..8], b"\x93NUMPY\x01\x00");
            let length = usize::from(u16::from_le_bytes([head[8], head[9]]));
            assert_eq!(head.len(), 10 + length);
            let text = std::str::from_utf8(&head[10..]).expect("ASCII");
            assert!(text.ends_with('\n'));
            assert_eq!(text.trim_end(), expected);
        };
        let text = |size: u32, shape: &str| {
            format!("{{'descr': '<f{size}', 'fortran_order': False, 'shape': {shape}, }}")
        };
        let shape = "(2, 1, 2, 2)";
        check(&example::<f64>(Format::Npy), 64, &text(8, shape));
        check(&example::<f32>(Format::Npy), 32, &text(4, shape));
        let head = Head {
            shape: vec![7],
            inputs: Vec::new(),
            values: vec!["shape".to_owned()],
        };
        let line = Writer::<f32, _>::new(Format::Npy, &head, Vec::new()).unwrap();
        check(&line.finish().unwrap(), 0, &text(4, "(7,)"));
    }
}
