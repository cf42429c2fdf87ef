//! `fibula mesh`: a file of triangles.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::convert::ending;
use super::limits::Bounded;
use super::look::{Found, Look, Looked};
use super::output::{Failure, print, print_json};
use super::progress::{Unit, watched};
use crate::format::mesh::Format;
use crate::service::{
    MakeMesh, MakeParts, MeshInfo, MeshMade, PartsMade, Refusal, Simplify, Whole, make_mesh,
    make_parts,
};

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(super) struct Mesh {
    #[command(flatten)]
    look: Look,
    /// The longest edge of a cell; details that are smaller are lost. A hundredth of the longest side if left out.
    /// Meshes that are built as parts, or alone, are taken as they are without it.
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
    /// Leave as few triangles as there can be while the surface moves no farther than this.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    simplify: Option<f64>,
    /// Leave no more triangles than these, as near to the surface as may be; with --simplify only as far as that allows.
    #[arg(long, value_name = "COUNT")]
    triangles: Option<u64>,
    /// One file for each part of the build: the part's name goes before the ending.
    #[arg(long, requires = "out", conflicts_with = "union")]
    parts: bool,
    /// One mesh of all that is built, in a format that could keep the parts apart.
    #[arg(long)]
    union: bool,
    /// The file; its ending says the format: .stl, .obj, .ply, .glb or .3mf. Without it the mesh is only measured.
    #[arg(short = 'o', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Triangles(Format),
    Package,
}

/// What was made.
enum Made {
    Union(MeshMade),
    Parts(PartsMade),
}

impl Mesh {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let target = self.out.as_deref().map(target).transpose()?;
        if self.parts && target == Some(Target::Package) {
            let message = "a 3MF file has all parts, so it is one file";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("leave --parts out, or give a name that ends in .stl, .obj, .ply or .glb")
                .into());
        }
        if let Some(simplify) = self.simplified() {
            simplify.check()?;
        }
        let has_colors = match target {
            Some(Target::Triangles(format)) => format.has_colors(),
            Some(Target::Package) | None => false,
        };
        let found = self.look.found(None, self.plain || !has_colors)?;
        // That the file cannot be written is told before the work is done.
        let file = match &self.out {
            Some(path) if !self.parts => Some(Whole::begin(path, self.overwrite)?),
            Some(_) | None => None,
        };
        let made = self.made(&found, target)?;
        let mut files = Vec::new();
        match (file, target) {
            (Some(mut file), Some(target)) => {
                write(&made, target, &mut file)?;
                file.finish()?;
                files.extend(self.out.clone());
            }
            (None, Some(Target::Triangles(format))) => files = self.write_pieces(&made, format)?,
            (None, Some(Target::Package)) | (_, None) => {}
        }
        self.tell(&files, &made)
    }

    fn simplified(&self) -> Option<Simplify> {
        let is_wanted = self.simplify.is_some() || self.triangles.is_some();
        is_wanted.then_some(Simplify {
            tolerance: self.simplify,
            triangles: self.triangles,
        })
    }

    fn made(&self, found: &Found, target: Option<Target>) -> Result<Made, Failure> {
        let is_whole = found.bounds.is_none() && self.cell.is_none();
        let keeps_parts = match target {
            Some(Target::Package | Target::Triangles(Format::Obj | Format::Glb)) => {
                found.bounds.is_none()
            }
            Some(Target::Triangles(Format::Stl | Format::Ply)) | None => false,
        };
        let as_parts = self.parts || keeps_parts && !self.union;
        if as_parts || is_whole && found.is_one_mesh()? {
            let seen = found.parts(self.cell.is_some())?;
            let request = MakeParts {
                bounds: found.bounds,
                cell: self.cell,
                most_triangles: self.most_triangles,
                simplify: self.simplified(),
                limits: self.limits.limits(),
            };
            let made = watched(Unit::Cells, |watch| make_parts(seen, &request, watch))?;
            return Ok(Made::Parts(made));
        }
        let Looked { seen, bounds } = found.seen()?;
        let request = MakeMesh {
            bounds,
            cell: self.cell,
            most_triangles: self.most_triangles,
            simplify: self.simplified(),
            limits: self.limits.limits(),
        };
        let made = watched(Unit::Cells, |watch| make_mesh(&seen, &request, watch))?;
        Ok(match target {
            Some(Target::Package) => Made::Parts(PartsMade::of(&seen.label, made)),
            Some(Target::Triangles(_)) | None => Made::Union(made),
        })
    }

    /// Writes every part into a file of its own; gives their names.
    fn write_pieces(&self, made: &Made, format: Format) -> Result<Vec<PathBuf>, Failure> {
        let (Made::Parts(made), Some(out)) = (made, &self.out) else {
            return Ok(Vec::new());
        };
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let mut files = Vec::new();
        for piece in made.pieces() {
            let name = format!("{stem}-{}.{}", piece.name, format.name());
            let path = out.with_file_name(name);
            let mut file = Whole::begin(&path, self.overwrite)?;
            made.write_piece(&piece, format, &mut file)?;
            file.finish()?;
            files.push(path);
        }
        Ok(files)
    }

    fn tell(&self, files: &[PathBuf], made: &Made) -> Result<(), Failure> {
        let (parts, warnings) = match made {
            Made::Union(made) => (vec![("", 1, &made.info)], &[][..]),
            Made::Parts(made) => {
                let parts = made.info.parts.iter();
                let parts = parts.map(|one| (one.name.as_str(), one.places, &one.mesh));
                (parts.collect(), &made.info.warnings[..])
            }
        };
        for warning in warnings {
            eprintln!("fibula: {warning}");
        }
        for (name, _, info) in &parts {
            for warning in &info.warnings {
                let of = if parts.len() > 1 {
                    format!("{name}: ")
                } else {
                    String::new()
                };
                eprintln!("fibula: {of}{warning}");
            }
        }
        let mut text = String::new();
        for file in files {
            let _ = writeln!(text, "{}", file.display());
        }
        match (made, &parts[..]) {
            (Made::Parts(made), [_, _, ..]) if self.json => return print_json(&made.info),
            (_, [(.., info)]) if self.json => return print_json(info),
            (_, [(.., info)]) => text.push_str(&told(info)),
            (_, parts) => {
                for (name, places, info) in parts {
                    let times = if *places > 1 {
                        format!(", placed {places} times")
                    } else {
                        String::new()
                    };
                    let _ = writeln!(text, "\n{name}{times}\n{}", told(info).trim_end());
                }
            }
        }
        print(&text)
    }
}

/// Writes what was made into one file.
fn write(made: &Made, target: Target, file: &mut Whole) -> Result<(), Failure> {
    match (made, target) {
        (Made::Union(made), Target::Triangles(format)) => made.write(format, file)?,
        (Made::Parts(made), Target::Triangles(format)) => made.write(format, file)?,
        (Made::Parts(made), Target::Package) => {
            // Places in the file are known only when what comes before them is packed, so it is made in memory.
            let mut bytes = Cursor::new(Vec::new());
            made.write_package(&mut bytes)?;
            file.write_all(bytes.get_ref())?;
        }
        (Made::Union(_), Target::Package) => {}
    }
    Ok(())
}

/// The format that a file's ending says.
fn target(path: &Path) -> Result<Target, Refusal> {
    let ending = ending(path);
    if ending == "3mf" {
        return Ok(Target::Package);
    }
    let format = Format::named(&ending).map(Target::Triangles);
    format.ok_or_else(|| {
        let names = Format::ALL.map(|format| format!(".{}", format.name()));
        let names = [&names[..], &[".3mf".to_owned()]].concat();
        let message = format!("the ending of {} names no format of meshes", path.display());
        Refusal::new("unknown_format", message)
            .hint(format!("give a name that ends in {}", names.join(", ")))
    })
}

/// What was made, in words.
fn told(info: &MeshInfo) -> String {
    let mut text = String::new();
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
    if info.cells == [0; 3] {
        let _ = writeln!(
            text,
            "cells      none: the triangles are those that are given"
        );
    } else {
        let _ = writeln!(text, "cells      {x} x {y} x {z}");
    }
    if let Some(deviation) = info.deviation {
        let _ = writeln!(text, "deviation  {deviation:.3e} at most");
    }
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
