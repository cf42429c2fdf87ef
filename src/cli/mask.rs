//! `fibula mask`: layers as images, for printers that expose whole layers.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use fibula_formats::masks::{Layer, Stack};
use fibula_service::{AtomicFile, Heights, Limits, MakeMasks, MasksMade, Refusal, make_masks};

use super::convert::{ending, unknown_ending};
use super::heights::HeightArgs;
use super::output::{Failure, head_and_tail, number, print, warn};
use super::progress::{Unit, with_progress};
use super::subject::SubjectArgs;

#[derive(Debug, Args)]
pub(super) struct Mask {
    #[command(flatten)]
    look: SubjectArgs,
    #[command(flatten)]
    heights: HeightArgs,
    /// Side of a pixel of the printer; a pixel is white if its middle is inside. --bounds says what the image
    /// shows, such as a build plate.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pixel: f64,
    /// Stop after this many seconds, and report the progress.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,
    /// The file; its extension determines the format: .zip for PNG images of all heights with a list of them, or .png for the image of
    /// one. Without it pixels are only counted.
    #[arg(short = 'o', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    overwrite: bool,
}

/// Files of masks.
enum MaskTarget {
    Nowhere,
    One(AtomicFile),
    Stack(Box<Stack<AtomicFile>>),
}

impl Mask {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let is_stack = self.out.as_deref().map(is_stack).transpose()?;
        let heights = self.heights.read()?;
        let is_one = matches!(&heights, Heights::At(heights) if heights.len() == 1);
        if is_stack == Some(false) && !is_one {
            let message = "a PNG image shows a single height, but --at has another number of them";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("give one height with --at, or a name that ends in .zip")
                .into());
        }
        let (seen, bounds) = self.look.resolve_plain()?;
        let request = MakeMasks {
            bounds,
            heights,
            pixel: self.pixel,
            limits: Limits {
                time: self.time_limit,
                memory: None,
            },
        };
        // Fails before the work if the file cannot be written.
        let begin = |path: &Path| AtomicFile::create(path, self.overwrite);
        let mut to = match (&self.out, is_stack) {
            (Some(path), Some(true)) => MaskTarget::Stack(Box::new(Stack::begin(begin(path)?))),
            (Some(path), _) => MaskTarget::One(begin(path)?),
            (None, _) => MaskTarget::Nowhere,
        };
        let mut failed = None;
        let mut take = |layer: Layer<'_>| {
            let written = match &mut to {
                MaskTarget::Nowhere => Ok(()),
                MaskTarget::One(file) => file.write_all(layer.png),
                MaskTarget::Stack(stack) => stack.push(layer),
            };
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let made = with_progress(Unit::Parts, |progress| {
            make_masks(&seen, &request, &mut take, progress)
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let made = made?;
        match to {
            MaskTarget::Nowhere => {}
            MaskTarget::One(file) => file.finish()?,
            MaskTarget::Stack(stack) => stack.finish(&made.sheet())?.finish()?,
        }
        warn(&made.warnings);
        print(&masks_text(self.out.as_deref(), &made))
    }
}

/// Returns true if a file has many images, by its extension.
fn is_stack(path: &Path) -> Result<bool, Refusal> {
    match ending(path).as_str() {
        "zip" => Ok(true),
        "png" => Ok(false),
        _ => {
            let hint = "give a name that ends in .zip, or in .png for one height";
            Err(unknown_ending(path, "format of masks", hint))
        }
    }
}

/// Describes the masks; if there are many, the first and the last ones.
fn masks_text(file: Option<&Path>, made: &MasksMade) -> String {
    let mut text = String::new();
    if let Some(file) = file {
        let _ = writeln!(text, "{}", file.display());
    }
    let [width, height] = made.size;
    let _ = writeln!(text, "{width} x {height} pixels of {}", made.pixel);
    let all = made.layers.iter().map(|(z, pixels)| {
        let [z, area] = [*z, *pixels as f64 * made.pixel * made.pixel].map(number);
        format!("z = {z}: {pixels} pixels inside, area {area}")
    });
    head_and_tail(&mut text, all);
    text
}
