//! `fibula mesh`: a file of triangles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::convert::ending;
use super::limits::Bounded;
use super::look::{Look, Looked};
use super::output::{Failure, print, print_json};
use super::progress::{Unit, watched};
use crate::format::mesh::Format;
use crate::service::{MakeMesh, MeshInfo, Refusal, Whole, make_mesh};

#[derive(Debug, Args)]
pub(super) struct Mesh {
    #[command(flatten)]
    look: Look,
    /// The longest edge of a cell; details that are smaller are lost. A hundredth of the longest side if left out.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// The most triangles.
    #[arg(long, value_name = "COUNT")]
    most_triangles: Option<u64>,
    /// Without the colours of the volume data.
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    limits: Bounded,
    /// The file; its ending says the format: .stl, .obj, .ply or .glb. Without it the mesh is only measured.
    #[arg(short = 'o', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

impl Mesh {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let format = self.out.as_deref().map(format).transpose()?;
        let plain = self.plain || !format.is_some_and(Format::has_colors);
        let Looked { seen, bounds } = self.look.colored(None, plain)?;
        let request = MakeMesh {
            bounds,
            cell: self.cell,
            most_triangles: self.most_triangles,
            limits: self.limits.limits(),
        };
        // That the file cannot be written is told before the work is done.
        let file = self.out.as_deref();
        let file = file.map(|path| Whole::begin(path, self.overwrite));
        let file = file.transpose()?;
        let made = watched(Unit::Cells, |watch| make_mesh(&seen, &request, watch))?;
        if let (Some(mut file), Some(format)) = (file, format) {
            made.write(format, &mut file)?;
            file.finish()?;
        }
        for warning in &made.info.warnings {
            eprintln!("fibula: {warning}");
        }
        if self.json {
            print_json(&made.info)
        } else {
            print(&told(self.out.as_deref(), &made.info))
        }
    }
}

/// The format that a file's ending says.
fn format(path: &Path) -> Result<Format, Refusal> {
    Format::named(&ending(path)).ok_or_else(|| {
        let names: Vec<String> = Format::ALL
            .map(|format| format!(".{}", format.name()))
            .into();
        let message = format!("the ending of {} names no format of meshes", path.display());
        Refusal::new("unknown_format", message)
            .hint(format!("give a name that ends in {}", names.join(", ")))
    })
}

/// What was made, in words.
fn told(file: Option<&Path>, info: &MeshInfo) -> String {
    let mut text = String::new();
    if let Some(file) = file {
        let _ = writeln!(text, "{}", file.display());
    }
    let [x, y, z] = info.cells;
    let sound = match (info.closed, info.manifold && info.oriented) {
        (true, true) => "closed, manifold, oriented",
        (true, false) => "closed, but no manifold",
        (false, _) => "not closed",
    };
    let _ = writeln!(
        text,
        "triangles  {}, of {} vertices",
        info.triangles, info.vertices
    );
    let _ = writeln!(text, "cells      {x} x {y} x {z}");
    let _ = writeln!(text, "surface    {sound}");
    let genus = info
        .genus
        .map_or_else(String::new, |genus| format!(", holes through it: {genus}"));
    let _ = writeln!(text, "parts      {}{genus}", info.components);
    let _ = writeln!(text, "volume     {:.6}", info.volume);
    let _ = writeln!(text, "area       {:.6}", info.area);
    let corner = |[x, y, z]: [f64; 3]| format!("{x:.6},{y:.6},{z:.6}");
    let [low, high] = info.bounds;
    let _ = writeln!(text, "box        {} {}", corner(low), corner(high));
    let _ = writeln!(text, "centre     {}", corner(info.centre));
    text
}
