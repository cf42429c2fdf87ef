//! `fibula mesh`: triangle meshes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fibula_formats::mesh::{MeshFormat, enumerated};
use fibula_geometry::Bounds;
use fibula_service::{
    AtomicFile, MakeMesh, MakeTriangles, MeshFile, MeshFilePart, MeshInfo, PartSeparation,
    PartsMade, Refusal, Removable, Simplify, TriangleSource, removal,
};
use serde::Serialize;

use super::convert::{ending, unknown_ending};
use super::limits::LimitArgs;
use super::output::{Failure, OutputArgs, number, print, print_json, warn};
use super::progress::{Unit, with_progress};
use super::subject::{LocatedSubject, SubjectArgs};

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(super) struct Mesh {
    #[command(flatten)]
    look: SubjectArgs,
    /// Maximum deviation of the surface: cells and simplification follow from it. Default: a thousandth of the longest side,
    /// unless a cell or a simplification is given, or the mesh has colours.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, conflicts_with_all = ["simplify", "triangles"])]
    accuracy: Option<f64>,
    /// Longest edge of a cell; smaller details are lost. Default: a hundredth of the longest side, less for thin walls and
    /// for the accuracy. Without it, parts that are meshes are used as they are.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// Maximum number of triangles.
    #[arg(long, value_name = "COUNT")]
    most_triangles: Option<u64>,
    /// Without the colours of the volume data.
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Simplify: use as few triangles as possible with a deviation of at most this.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    simplify: Option<f64>,
    /// Leave no more triangles than these, as near to the surface as may be; with --simplify only as far as that allows.
    #[arg(long, value_name = "COUNT")]
    triangles: Option<u64>,
    /// Remove what is not connected with the largest piece (loose-pieces), or fill hollows without a way out (cavities).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    remove: Vec<RemoveArg>,
    /// One file for each part of the build: the part's name goes before the ending.
    #[arg(long, requires = "out", conflicts_with = "union")]
    parts: bool,
    /// One mesh of all that is built, in a format that could keep the parts apart.
    #[arg(long)]
    union: bool,
    #[arg(short = 'o', long, value_name = "FILE", help = format!(
        "Output file, with the format as its extension: {}. Without it the mesh is only measured",
        endings(MeshFile::all())
    ))]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    overwrite: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RemoveArg {
    #[value(alias = "loose_pieces")]
    LoosePieces,
    Cavities,
}

impl RemoveArg {
    fn removable(self) -> Removable {
        match self {
            RemoveArg::LoosePieces => Removable::LoosePieces,
            RemoveArg::Cavities => Removable::Cavities,
        }
    }
}

/// Files of a mesh.
enum Target<'a> {
    None,
    One(MeshFile, &'a Path, AtomicFile),
    /// Each piece into a file of its own.
    Pieces(MeshFormat, Vec<(PathBuf, MeshFilePart)>),
}

/// Output in JSON.
#[derive(Serialize)]
struct MeshJson<'a, T> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    files: &'a [PathBuf],
    #[serde(flatten)]
    info: &'a T,
}

impl Mesh {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let kind = self.out.as_deref().map(kind).transpose()?;
        if self.parts && kind == Some(MeshFile::Package) {
            let message = "--parts does not apply to 3MF, which keeps all parts in one file";
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!(
                    "omit --parts, or use a name that ends in {}",
                    endings(MeshFormat::ALL.into_iter().map(MeshFile::Triangles))
                ))
                .into());
        }
        let LocatedSubject {
            service,
            project,
            subject,
            bounds,
        } = self.look.locate(None, self.plain)?;
        let how = self.settings(bounds, kind);
        let seen = service.resolve_triangles(project.as_deref(), None, &subject, &how)?;
        // Fails before the work if a file cannot be written.
        let target = self.target(&seen, kind)?;
        let made = with_progress(Unit::Cells, |progress| seen.make(&how.mesh, progress))?;
        let files = match target {
            Target::None => Vec::new(),
            Target::One(kind, path, mut file) => {
                made.write_file(kind, &mut file)?;
                file.finish()?;
                vec![path.to_owned()]
            }
            Target::Pieces(format, pieces) => {
                for (path, piece) in &pieces {
                    let mut file = AtomicFile::create(path, self.overwrite)?;
                    made.write_piece(piece, format, &mut file)?;
                    file.finish()?;
                }
                pieces.into_iter().map(|(path, _)| path).collect()
            }
        };
        self.print(&files, &made)
    }

    /// Returns the files; fails if one cannot be written.
    fn target(&self, seen: &TriangleSource, kind: Option<MeshFile>) -> Result<Target<'_>, Refusal> {
        let (Some(out), Some(kind)) = (&self.out, kind) else {
            return Ok(Target::None);
        };
        match (kind, seen) {
            (MeshFile::Triangles(format), TriangleSource::Parts(parts)) if self.parts => {
                let stem = out.file_stem().unwrap_or_default().to_string_lossy();
                let mut pieces = Vec::new();
                for piece in parts.pieces() {
                    let name = format!("{stem}-{}.{}", piece.name, format.name());
                    let path = out.with_file_name(name);
                    // There may be more than can be open at once.
                    drop(AtomicFile::create(&path, self.overwrite)?);
                    pieces.push((path, piece));
                }
                Ok(Target::Pieces(format, pieces))
            }
            _ => Ok(Target::One(
                kind,
                out,
                AtomicFile::create(out, self.overwrite)?,
            )),
        }
    }

    fn simplified(&self) -> Option<Simplify> {
        let is_wanted = self.simplify.is_some() || self.triangles.is_some();
        is_wanted.then_some(Simplify {
            tolerance: self.simplify,
            triangles: self.triangles,
        })
    }

    fn settings(&self, bounds: Option<Bounds>, file: Option<MeshFile>) -> MakeTriangles {
        MakeTriangles {
            mesh: MakeMesh {
                bounds,
                cell: self.cell,
                accuracy: self.accuracy,
                most_triangles: self.most_triangles,
                simplify: self.simplified(),
                remove: removal(
                    &self
                        .remove
                        .iter()
                        .map(|what| what.removable())
                        .collect::<Vec<_>>(),
                ),
                limits: self.limits.limits(),
            },
            apart: match (self.parts, self.union) {
                (true, _) => PartSeparation::Always,
                (false, true) => PartSeparation::Never,
                (false, false) => PartSeparation::WhereKept,
            },
            file,
        }
    }

    fn print(&self, files: &[PathBuf], made: &PartsMade) -> Result<(), Failure> {
        warn(&made.warnings());
        let mut text = String::new();
        for file in files {
            let _ = writeln!(text, "{}", file.display());
        }
        match &made.info.parts[..] {
            [one] if self.output.json => {
                let info = &one.mesh;
                return print_json(&MeshJson { files, info });
            }
            _ if self.output.json => {
                let info = &made.info;
                return print_json(&MeshJson { files, info });
            }
            [one] => text.push_str(&mesh_text(&one.mesh, made.unit())),
            parts => {
                for part in parts {
                    let times = match part.places {
                        0 | 1 => String::new(),
                        places => format!(", placed {places} times"),
                    };
                    let text_of_part = mesh_text(&part.mesh, made.unit());
                    let _ = writeln!(text, "\n{}{times}\n{}", part.name, text_of_part.trim_end());
                }
            }
        }
        print(&text)
    }
}

/// Lists the extensions of some formats.
fn endings(files: impl Iterator<Item = MeshFile>) -> String {
    enumerated(files.map(|file| format!(".{}", file.name())), "or")
}

/// Describes the command, with the formats that are written.
pub(super) fn about() -> String {
    let formats = enumerated(MeshFile::all().map(MeshFile::label), "or");
    format!("Mesh the build, an object, a function or an expression: {formats}")
}

/// Describes the command at length.
pub(super) fn long_about() -> String {
    let [apart, together] = [true, false].map(|apart| {
        let some = MeshFile::all().filter(|file| file.has_parts() == apart);
        enumerated(some.map(MeshFile::label), "or")
    });
    format!(
        "{}.\n\nThe mesh is closed and a manifold, and its edges are sharp where the shape's are. It is clipped at the \
         bounds. A file of {apart} keeps the parts of the build apart; one of {together} is their union.",
        about()
    )
}

/// Returns the format of a file by its extension.
fn kind(path: &Path) -> Result<MeshFile, Refusal> {
    MeshFile::named(&ending(path)).ok_or_else(|| {
        let names = MeshFile::all().map(|file| format!(".{}", file.name()));
        let names: Vec<String> = names.collect();
        let hint = format!("give a name that ends in {}", names.join(", "));
        unknown_ending(path, "format of meshes", hint)
    })
}

/// Describes whether a surface is closed and a manifold.
pub(super) fn soundness(closed: bool, manifold: bool) -> &'static str {
    match (closed, manifold) {
        (true, true) => "closed, manifold, oriented",
        (true, false) => "closed, but not a manifold",
        (false, _) => "not closed",
    }
}

/// Describes a mesh, with lengths in a unit.
fn mesh_text(info: &MeshInfo, unit: &str) -> String {
    let mut text = String::new();
    let sound = soundness(info.closed, info.manifold && info.oriented);
    let (triangles, vertices) = (info.triangles, info.vertices);
    let _ = writeln!(text, "triangles  {triangles}, of {vertices} vertices");
    let _ = match info.cells {
        [0, 0, 0] => writeln!(
            text,
            "cells      none: the triangles are those that are given"
        ),
        [x, y, z] => {
            let size = info
                .cell
                .map_or_else(String::new, |cell| format!(", of {} {unit}", number(cell)));
            writeln!(text, "cells      {x} x {y} x {z}{size}")
        }
    };
    if let Some(deviation) = info.deviation {
        let _ = writeln!(text, "deviation  {deviation:.3e} {unit} at most");
    }
    let cuts = match info.cutting_pairs {
        0 => String::new(),
        pairs => format!(", {pairs} pairs of triangles cut each other"),
    };
    let _ = writeln!(text, "surface    {sound}{cuts}");
    let genus = info
        .genus
        .map_or_else(String::new, |genus| format!(", holes through it: {genus}"));
    let _ = writeln!(text, "pieces     {}{genus}", info.components);
    if info.cavities > 0 {
        let volume = number(info.cavity_volume);
        let _ = writeln!(
            text,
            "cavities   {}, of {volume} {unit}^3, not in the volume",
            info.cavities
        );
    }
    if let Some(removed) = &info.removed {
        let largest = removed.largest.map_or_else(String::new, |volume| {
            format!(", the largest of {} {unit}^3", number(volume))
        });
        let counted = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let pieces = counted(removed.pieces, "piece", "pieces");
        let cavities = counted(removed.cavities, "cavity", "cavities");
        let volume = number(removed.volume);
        let _ = writeln!(
            text,
            "removed    {pieces}{largest}, and {cavities}: {volume} {unit}^3 less"
        );
    }
    let _ = writeln!(text, "volume     {} {unit}^3", number(info.volume));
    let _ = writeln!(text, "area       {} {unit}^2", number(info.area));
    let corner = |corner: [f64; 3]| corner.map(number).join(",");
    let [low, high] = info.bounds;
    let _ = writeln!(text, "box        {} {} {unit}", corner(low), corner(high));
    let _ = writeln!(text, "centre     {} {unit}", corner(info.centre));
    text
}
