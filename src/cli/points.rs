//! Options for the points of an evaluation: lines, planes, grids, boxes and files of points.

use std::path::{Path, PathBuf};

use clap::Args;
use fibula_formats::points::{self, Points};
use fibula_service::{Refusal, Region};

use super::eval::numbers;
use super::files;

/// Maximal size of a file of points in bytes.
const MAX_FILE_BYTES: u64 = 4 << 30;

#[derive(Debug, Args)]
pub(super) struct PointArgs {
    /// Points on the line between two corners, such as 0,0,0 10,0,0 100.
    #[arg(long, num_args = 3, value_names = ["FROM", "TO", "COUNT"], allow_hyphen_values = true, group = "where")]
    line: Option<Vec<String>>,
    /// Points on a plane at right angles to an axis, such as -5,-5,0 5,5,0 200,200.
    #[arg(long, num_args = 3, value_names = ["FROM", "TO", "COUNTS"], allow_hyphen_values = true, group = "where")]
    plane: Option<Vec<String>>,
    /// Points on a grid, such as -5,-5,-5 5,5,5 64,64,64, or 64 for all axes.
    #[arg(long, num_args = 3, value_names = ["FROM", "TO", "COUNTS"], allow_hyphen_values = true, group = "where")]
    grid: Option<Vec<String>>,
    /// Bounds of the outputs, everywhere between two corners.
    #[arg(long = "box", num_args = 2, value_names = ["FROM", "TO"], allow_hyphen_values = true, group = "where")]
    bounds: Option<Vec<String>>,
    /// Points from a file: numbers in lines, or a .npy array with a row per point.
    #[arg(long, value_name = "FILE", group = "where")]
    points: Option<PathBuf>,
    /// The input that varies; the first float3 if it is not given.
    #[arg(
        long,
        value_name = "NAME",
        requires = "where",
        conflicts_with = "points"
    )]
    input: Option<String>,
}

impl PointArgs {
    /// Returns true if any option is given.
    pub(super) fn are_given(&self) -> bool {
        let regions = [&self.line, &self.plane, &self.grid, &self.bounds];
        regions.iter().any(|region| region.is_some()) || self.has_file()
    }

    /// Returns true if the points are in a file.
    pub(super) fn has_file(&self) -> bool {
        self.points.is_some()
    }

    /// Reads the points of the file, if there is one.
    pub(super) fn points(&self) -> Result<Option<Points>, Refusal> {
        self.points.as_deref().map(read).transpose()
    }

    /// Returns the line, plane, grid or box, if there is one.
    pub(super) fn region(&self) -> Result<Option<Region>, Refusal> {
        let region = |corners: &[String], counts: Option<Vec<u64>>| -> Result<Region, Refusal> {
            Ok(Region {
                input: self.input.clone(),
                from: numbers(&corners[0])?,
                to: numbers(&corners[1])?,
                counts,
            })
        };
        Ok(if let Some(line) = &self.line {
            let counts = counts(&line[2])?;
            if counts.len() != 1 {
                let message = format!("--line takes one count, but got {}", line[2]);
                return Err(Refusal::new("invalid_arguments", message));
            }
            Some(region(line, Some(counts))?)
        } else if let Some(plane) = &self.plane {
            let mut region = region(plane, None)?;
            region.counts = Some(on_plane(&region, &counts(&plane[2])?)?);
            Some(region)
        } else if let Some(grid) = &self.grid {
            let mut region = region(grid, None)?;
            region.counts = Some(on_axes(&region, counts(&grid[2])?));
            Some(region)
        } else if let Some(corners) = &self.bounds {
            Some(region(corners, None)?)
        } else {
            None
        })
    }
}

/// Returns the counts of a grid; a single count applies to all axes on which the corners differ.
fn on_axes(region: &Region, counts: Vec<u64>) -> Vec<u64> {
    if let ([only], false) = (&counts[..], region.from.len() == 1) {
        let differ = is_long(region).into_iter();
        return differ.map(|it| if it { *only } else { 1 }).collect();
    }
    counts
}

/// Returns the counts of a plane from those of its two axes.
fn on_plane(region: &Region, counts: &[u64]) -> Result<Vec<u64>, Refusal> {
    let differ = is_long(region);
    if differ.iter().filter(|differs| **differs).count() != 2 || differ.len() != 3 {
        let message = "the corners of a plane differ on two of three axes";
        return Err(Refusal::new("invalid_arguments", message)
            .hint("such as --plane -5,-5,0 5,5,0 200,200"));
    }
    let (first, second) = match counts {
        [only] => (*only, *only),
        [first, second] => (*first, *second),
        _ => return Ok(counts.to_vec()),
    };
    let mut both = [first, second].into_iter();
    let count = |differs: bool| if differs { both.next().unwrap_or(1) } else { 1 };
    Ok(differ.into_iter().map(count).collect())
}

/// Returns for each axis whether the corners differ on it.
fn is_long(region: &Region) -> Vec<bool> {
    let corners = region.from.iter().zip(&region.to);
    corners.map(|(from, to)| (from - to).abs() > 0.0).collect()
}

fn counts(text: &str) -> Result<Vec<u64>, Refusal> {
    let count = |part: &str| {
        part.trim().parse().map_err(|_| {
            Refusal::new("invalid_value", format!("'{part}' is not a count"))
                .hint("write whole numbers, such as 64 or 64,64,1")
        })
    };
    text.split(',').map(count).collect()
}

/// Reads the points of a file.
fn read(path: &Path) -> Result<Points, Refusal> {
    let unreadable = files::unreadable(path);
    let size = path.metadata().map_err(unreadable)?.len();
    if size > MAX_FILE_BYTES {
        let path = path.display();
        let message = format!("{path} has {size} bytes, more than the limit of {MAX_FILE_BYTES}");
        return Err(Refusal::new("too_large", message).hint("split it into several files"));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    points::read(&bytes).map_err(|error| {
        Refusal::new(error.code(), format!("{}: {error}", path.display())).hint(error.hint())
    })
}
