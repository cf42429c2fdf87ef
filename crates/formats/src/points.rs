//! Files of points: numbers in lines of text, or a `NumPy` array with a row per point.
//!
//! ```
//! use fibula_formats::points;
//!
//! let points = points::read(b"x,y\n0,1\n2,3\n4,5\n")?;
//! assert_eq!(points.columns(), [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]);
//! # Ok::<(), points::ReadError>(())
//! ```
//!
//! In a text, numbers are separated by commas, semicolons or blanks; lines that are blank or begin with `#` are
//! ignored, and so is a first line that begins with no number. Arrays may have integers or floats of 4 or 8 bytes, of
//! either byte order, in C or Fortran order.

use crate::values::MAGIC;

/// Maximum numbers of a file.
const MOST: usize = 1 << 28;

/// Points of equal dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    columns: Vec<Vec<f64>>,
}

/// Error returned when points cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file has no points.
    #[error("the file has no points")]
    Empty,
    /// The file has too many numbers.
    #[error("the file has more than {MOST} numbers")]
    TooLarge,
    /// The file is neither a text nor an array.
    #[error("the file is neither text nor a NumPy array")]
    NotText,
    /// A word of a line is no finite number.
    #[error("line {line}: '{word}' is not a finite number")]
    NotANumber {
        /// Line, from 1 on.
        line: usize,
        /// The word.
        word: String,
    },
    /// A line has another count of numbers than those before.
    #[error("line {line} has {got} numbers, but the lines above have {expected}")]
    Uneven {
        /// Line, from 1 on.
        line: usize,
        /// Count of its numbers.
        got: usize,
        /// Count of those above.
        expected: usize,
    },
    /// The array is invalid or unsupported.
    #[error("the array {0}")]
    Array(String),
}

impl ReadError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ReadError::TooLarge => "too_large",
            ReadError::NotANumber { .. } => "invalid_value",
            ReadError::Empty
            | ReadError::NotText
            | ReadError::Uneven { .. }
            | ReadError::Array(_) => "invalid_content",
        }
    }

    /// Suggested remedy.
    pub fn hint(&self) -> &'static str {
        match self {
            ReadError::TooLarge => "split it into several files",
            ReadError::Array(_) => {
                "write it with numpy.save, as a numeric array with one row per point"
            }
            ReadError::Empty
            | ReadError::NotText
            | ReadError::NotANumber { .. }
            | ReadError::Uneven { .. } => {
                "write a line of numbers for each point, such as 1,2.5,-3"
            }
        }
    }
}

impl Points {
    /// Creates points from one list per coordinate.
    ///
    /// # Panics
    /// If the lists differ in length.
    pub fn new(columns: Vec<Vec<f64>>) -> Points {
        let first = columns.first().map_or(0, Vec::len);
        assert!(
            columns.iter().all(|column| column.len() == first),
            "one number per point in each list"
        );
        Points { columns }
    }

    /// The coordinates: those of the first axis, then those of the second, and so on.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads a file of points.
///
/// # Errors
/// [`ReadError`] if the file is invalid, or too large.
pub fn read(bytes: &[u8]) -> Result<Points, ReadError> {
    let points = if bytes.starts_with(MAGIC) {
        array(bytes)?
    } else {
        text(bytes)?
    };
    if points.is_empty() {
        Err(ReadError::Empty)
    } else {
        Ok(points)
    }
}

fn text(bytes: &[u8]) -> Result<Points, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut first = true;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let numbers: Result<Vec<f64>, &str> =
            words(text).map(|word| finite(word).ok_or(word)).collect();
        let begins = words(text)
            .next()
            .is_some_and(|word| finite(word).is_some());
        if std::mem::take(&mut first) && !begins {
            continue;
        }
        let numbers = numbers.map_err(|word| ReadError::NotANumber {
            line,
            word: fibula_nodes::names::visible(word, 40),
        })?;
        if columns.is_empty() {
            columns = vec![Vec::new(); numbers.len()];
        }
        if numbers.len() != columns.len() {
            let (got, expected) = (numbers.len(), columns.len());
            return Err(ReadError::Uneven {
                line,
                got,
                expected,
            });
        }
        if columns.len() * (columns[0].len() + 1) > MOST {
            return Err(ReadError::TooLarge);
        }
        for (column, number) in columns.iter_mut().zip(numbers) {
            column.push(number);
        }
    }
    Ok(Points { columns })
}

/// Splits a line at commas or semicolons, if it has any, else at blanks.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let listed = line.contains([',', ';']);
    line.split(move |c: char| {
        if listed {
            c == ',' || c == ';'
        } else {
            c.is_whitespace()
        }
    })
    .map(str::trim)
    .filter(move |word| listed || !word.is_empty())
}

fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses a .npy file of format 1, 2 or 3.
fn array(bytes: &[u8]) -> Result<Points, ReadError> {
    let wrong = |what: &str| ReadError::Array(what.to_owned());
    let cut = || wrong("is truncated");
    let version = *bytes.get(MAGIC.len()).ok_or_else(cut)?;
    let rest = bytes.get(MAGIC.len() + 2..).ok_or_else(cut)?;
    let width = if version == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(width).ok_or_else(cut)?;
    let length = length
        .iter()
        .rev()
        .fold(0, |length, byte| length << 8 | usize::from(*byte));
    let (head, numbers) = rest.split_at_checked(length).ok_or_else(cut)?;
    let head = std::str::from_utf8(head).map_err(|_| wrong("has an invalid header"))?;
    let entry = |key: &str| {
        let (_, after) = head.split_once(&format!("'{key}':"))?;
        Some(after.trim_start())
    };
    let unsaid = || wrong("has an invalid header");
    let descr = entry("descr").ok_or_else(unsaid)?;
    let descr = descr
        .strip_prefix('\'')
        .and_then(|descr| Some(descr.split_once('\'')?.0));
    let kind = descr.ok_or_else(|| wrong("has records instead of numbers"))?;
    let in_columns = entry("fortran_order")
        .ok_or_else(unsaid)?
        .starts_with("True");
    let shape = entry("shape").and_then(|shape| Some(shape.strip_prefix('(')?.split_once(')')?.0));
    let shape: Option<Vec<usize>> = shape
        .ok_or_else(unsaid)?
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().ok())
        .collect();
    let (rows, columns) = match shape.as_deref() {
        Some([rows]) => (*rows, 1),
        Some([rows, columns]) => (*rows, *columns),
        Some(_) | None => return Err(wrong("does not have one row of numbers per point")),
    };
    let total = rows
        .checked_mul(columns)
        .filter(|total| *total <= MOST)
        .ok_or(ReadError::TooLarge)?;
    let (size, number) = reader(kind)
        .ok_or_else(|| ReadError::Array(format!("has the unsupported element type '{kind}'")))?;
    let numbers = numbers.get(..total * size).ok_or_else(cut)?;
    let numbers: Vec<f64> = numbers.chunks_exact(size).map(number).collect();
    if let Some(place) = numbers.iter().position(|number| !number.is_finite()) {
        let row = if in_columns {
            place % rows
        } else {
            place / columns
        };
        return Err(ReadError::Array(format!(
            "has the non-finite number {} in row {row}",
            numbers[place]
        )));
    }
    let column = |column: usize| -> Vec<f64> {
        let place = |row: usize| {
            if in_columns {
                column * rows + row
            } else {
                row * columns + column
            }
        };
        (0..rows).map(|row| numbers[place(row)]).collect()
    };
    Ok(Points {
        columns: (0..columns).map(column).collect(),
    })
}

type Reader = fn(&[u8]) -> f64;

/// Returns the bytes of a number of this type, and their parser.
fn reader(kind: &str) -> Option<(usize, Reader)> {
    macro_rules! number {
        ($number:ty, $from:ident) => {
            (size_of::<$number>(), |bytes| {
                <$number>::$from(bytes.try_into().expect("chunks are as long as a number")) as f64
            })
        };
    }
    Some(match kind {
        "<f8" => number!(f64, from_le_bytes),
        ">f8" => number!(f64, from_be_bytes),
        "<f4" => number!(f32, from_le_bytes),
        ">f4" => number!(f32, from_be_bytes),
        "<i8" => number!(i64, from_le_bytes),
        ">i8" => number!(i64, from_be_bytes),
        "<i4" => number!(i32, from_le_bytes),
        ">i4" => number!(i32, from_be_bytes),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Block, Format, Head, Writer};

    #[test]
    fn texts_are_read() {
        let check = |text: &str| {
            let points = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(points.columns(), [[1.0, -3.5], [2.0, 4e3]], "{text}");
        };
        check("1,2\n-3.5,4000");
        check("\u{feff}x,y\r\n1,2\r\n\r\n-3.5,4e3\r\n");
        check("# points\n1 2\n  -3.5\t4000  \n");
        check("1; 2\n-3.5; 4000\n");
    }

    fn check_error(bytes: &[u8], expected: &str) {
        assert_eq!(read(bytes).expect_err(expected).to_string(), expected);
    }

    #[test]
    fn errors_name_the_line() {
        check_error(b"", "the file has no points");
        check_error(b"x,y\n# nothing\n", "the file has no points");
        check_error(b"1,2\n3,\n", "line 2: '' is not a finite number");
        check_error(b"1,2\n3,four\n", "line 2: 'four' is not a finite number");
        check_error(b"1,nan\n", "line 1: 'nan' is not a finite number");
        let uneven = "line 3 has 1 numbers, but the lines above have 2";
        check_error(b"1,2\n\n3\n", uneven);
        let binary = "the file is neither text nor a NumPy array";
        check_error(b"PK\x03\x04\xff\xfe", binary);
    }

    fn npy(kind: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let head = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((head.len() as u16).to_le_bytes());
        bytes.extend(head.into_bytes());
        bytes.extend(numbers);
        bytes
    }

    #[test]
    fn arrays_are_read_whatever_their_numbers() {
        let check = |kind: &str, order: &str, numbers: &[u8]| {
            let points = read(&npy(kind, order, "(3, 2)", numbers));
            let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
            assert_eq!(points.expect(kind).columns(), expected);
        };
        let rows = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
        for (kind, numbers) in [
            ("<f8", rows.map(f64::to_le_bytes).concat()),
            (">f8", rows.map(f64::to_be_bytes).concat()),
            ("<f4", rows.map(|n| (n as f32).to_le_bytes()).concat()),
            (">f4", rows.map(|n| (n as f32).to_be_bytes()).concat()),
            ("<i8", rows.map(|n| (n as i64).to_le_bytes()).concat()),
            (">i4", rows.map(|n| (n as i32).to_be_bytes()).concat()),
        ] {
            check(kind, "False", &numbers);
        }
        let columns = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64];
        let columns = columns.map(f64::to_le_bytes).concat();
        check("<f8", "True", &columns);
        let line = read(&npy("<f8", "False", "(6,)", &columns)).expect("a list of numbers");
        assert_eq!(line.columns().len(), 1);
    }

    #[test]
    fn what_is_written_is_read() {
        let columns = [vec![1.0, 2.0], vec![-0.5, 1e-300], vec![3.0, 4.0]];
        let head = Head {
            shape: vec![2],
            inputs: Vec::new(),
            values: ["a", "b", "c"].map(str::to_owned).to_vec(),
        };
        for format in [Format::Csv, Format::Npy] {
            let block = Block {
                inputs: &[],
                values: &columns,
            };
            let mut writer = Writer::<f64, _>::new(format, &head, Vec::new()).unwrap();
            writer.write(&block).unwrap();
            let bytes = writer.finish().unwrap();
            assert_eq!(read(&bytes).unwrap().columns(), columns);
        }
    }

    #[test]
    fn broken_arrays_are_refused() {
        let numbers = [1.0, 2.0].map(f64::to_le_bytes).concat();
        let whole = npy("<f8", "False", "(1, 2)", &numbers);
        assert!(read(&whole).is_ok());
        for end in 6..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        let check = |kind: &str, shape: &str, numbers: &[u8], expected: &str| {
            check_error(&npy(kind, "False", shape, numbers), expected);
        };
        let no_rows = "the array does not have one row of numbers per point";
        let complex = "the array has the unsupported element type '<c16'";
        check("<c16", "(1, 1)", &numbers, complex);
        check("<f8", "(1, 1, 2)", &numbers, no_rows);
        check("<f8", "()", &numbers, no_rows);
        check("<f8", "(0, 3)", &[], "the file has no points");
        check("<f8", "(99999999999999999999,)", &[], no_rows);
        let too_many = "the file has more than 268435456 numbers";
        check("<f8", "(4294967296, 4294967296)", &[], too_many);
        let undefined = [1.0, f64::NAN].map(f64::to_le_bytes).concat();
        let no_number = "the array has the non-finite number NaN in row 1";
        check("<f8", "(2, 1)", &undefined, no_number);
    }
}
