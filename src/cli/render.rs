//! `fibula render`: PNG pictures.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use fibula_geometry::picture::{PixelSamples, Section};
use fibula_service::{
    AtomicFile, Extent, Refusal, Render as Request, RenderResult, ViewName, Views, render,
};

use super::convert::ending;
use super::eval::numbers;
use super::limits::LimitArgs;
use super::output::{Failure, print, warn};
use super::progress::{Unit as Counted, with_progress};
use super::subject::SubjectArgs;

#[derive(Debug, Args)]
pub(super) struct Render {
    #[command(flatten)]
    look: SubjectArgs,
    /// From where: iso, which is so if left out, front, back, left, right, top, bottom, or a sheet of four.
    #[arg(long, conflicts_with = "orbit")]
    view: Option<String>,
    /// From where: the angle from x towards y, and the one above the ground, in degrees.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true)]
    orbit: Option<String>,
    /// In perspective: the angle of the picture's height, in degrees.
    #[arg(long, value_name = "ANGLE")]
    perspective: Option<f64>,
    /// Zoom factor.
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    zoom: Option<f64>,
    /// The picture's size in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "512x512")]
    size: String,
    /// A plane that cuts it open, such as x=0; may be given several times.
    #[arg(long, value_name = "AXIS=PLACE", allow_hyphen_values = true)]
    section: Vec<String>,
    /// Faster: looks at one place of each pixel instead of four, so that edges are jagged.
    #[arg(long)]
    fast: bool,
    /// Colour by another output of the function, or a property of the volume data, with a legend.
    #[arg(long, visible_alias = "colour", value_name = "NAME")]
    color: Option<String>,
    /// Without the colours of the volume data.
    #[arg(long, conflicts_with = "color")]
    plain: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// The PNG file that is made.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    overwrite: bool,
}

impl Render {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if ending(&self.out) != "png" {
            let message = format!("{} does not end in .png", self.out.display());
            return Err(Refusal::new("unknown_format", message)
                .hint("pictures must be PNG files")
                .into());
        }
        let (views, size, sections) = (self.views()?, size(&self.size)?, self.sections()?);
        let (seen, bounds) = self.look.resolve(self.color.as_deref(), self.plain)?;
        let request = Request {
            bounds,
            views,
            size,
            sections,
            pin: None,
            samples: if self.fast {
                PixelSamples::One
            } else {
                PixelSamples::Four
            },
            limits: self.limits.limits(),
        };
        // Fails before the work if the file cannot be written.
        let mut file = AtomicFile::create(&self.out, self.overwrite)?;
        let rendered = with_progress(Counted::Parts, |progress| render(&seen, &request, progress))?;
        file.write_all(&rendered.png)?;
        file.finish()?;
        warn(&rendered.warnings);
        print(&rendered_text(&self.out, &rendered))
    }

    fn views(&self) -> Result<Views, Refusal> {
        let view = |text: &String| {
            ViewName::named(text).ok_or_else(|| {
                let all = ViewName::ALL.map(ViewName::name).join(", ");
                let message = format!("unknown view '{text}'");
                Refusal::new("invalid_value", message)
                    .hint(format!("use one of {all}; --orbit takes angles"))
            })
        };
        let orbit = |text: &String| {
            <[f64; 2]>::try_from(numbers(text)?).map_err(|_| {
                let message = format!("--orbit {text} must be two angles");
                Refusal::new("invalid_value", message)
                    .hint("use two numbers in degrees, such as -60,30")
            })
        };
        let view = self.view.as_ref().map(view).transpose()?;
        let orbit = self.orbit.as_ref().map(orbit).transpose()?;
        Views::of(view, orbit, self.perspective, self.zoom)
    }

    fn sections(&self) -> Result<Vec<Section>, Refusal> {
        let section = |text: &String| {
            let wrong = || {
                let message = format!("--section {text} is not a plane");
                Refusal::new("invalid_value", message).hint("use x, y or z and a coordinate: x=0")
            };
            let (axis, place) = text.split_once('=').ok_or_else(wrong)?;
            let axis = ["x", "y", "z"].iter().position(|name| *name == axis.trim());
            let place: f64 = place.trim().parse().map_err(|_| wrong())?;
            Ok(Section::across(axis.ok_or_else(wrong)?, place)?)
        };
        self.section.iter().map(section).collect()
    }
}

/// Parses the size of a picture.
pub(super) fn size(text: &str) -> Result<[usize; 2], Refusal> {
    let pixels = |text: &str| text.trim().parse().ok();
    let parts = text.split_once('x');
    let parts = parts.and_then(|(width, height)| Some([pixels(width)?, pixels(height)?]));
    parts.ok_or_else(|| {
        let message = format!("--size {text} is not a size");
        Refusal::new("invalid_size", message).hint("use pixels, such as 800x600")
    })
}

fn rendered_text(path: &Path, rendered: &RenderResult) -> String {
    let corner = |corner: [f64; 3]| {
        let parts = corner.map(|part| ((part * 1e4).round() / 1e4 + 0.0).to_string());
        format!("[{}]", parts.join(", "))
    };
    let [width, height] = rendered.size;
    let place = rendered.extent.map(|Extent { bounds, .. }| {
        let (low, high) = (corner(bounds.low()), corner(bounds.high()));
        format!(", from {low} to {high}")
    });
    let (path, place) = (path.display(), place.unwrap_or_default());
    format!("{path}: {width} x {height} pixels{place}\n")
}
