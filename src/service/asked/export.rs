//! Files of parts, as they are asked for in JSON: the project, a mesh or slices of what is looked at.

use std::io::{self, Cursor, Write};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::looking::Looking;
use super::slice::heights;
use crate::format::mesh::Format;
use crate::service::{
    MakeMesh, MakeSlices, MeshMade, PackageWritten, Refusal, Service, SliceFormat, SlicesMade,
    WritePackage, make_mesh, make_slices,
};

/// What a file of a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum PartFormat {
    #[serde(rename = "3mf")]
    ThreeMf,
    Stl,
    Obj,
    Ply,
    Glb,
    Svg,
    Cli,
    Json,
}

/// What a format is written from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    Project,
    Mesh(Format),
    Slices(SliceFormat),
}

impl PartFormat {
    /// Every format.
    pub const ALL: [PartFormat; 8] = [
        PartFormat::ThreeMf,
        PartFormat::Stl,
        PartFormat::Obj,
        PartFormat::Ply,
        PartFormat::Glb,
        PartFormat::Svg,
        PartFormat::Cli,
        PartFormat::Json,
    ];

    fn means(self) -> Means {
        match self {
            PartFormat::ThreeMf => Means::Project,
            PartFormat::Stl => Means::Mesh(Format::Stl),
            PartFormat::Obj => Means::Mesh(Format::Obj),
            PartFormat::Ply => Means::Mesh(Format::Ply),
            PartFormat::Glb => Means::Mesh(Format::Glb),
            PartFormat::Svg => Means::Slices(SliceFormat::Svg),
            PartFormat::Cli => Means::Slices(SliceFormat::Cli),
            PartFormat::Json => Means::Slices(SliceFormat::Json),
        }
    }

    /// The ending of its files.
    pub fn name(self) -> &'static str {
        match self.means() {
            Means::Project => "3mf",
            Means::Mesh(format) => format.name(),
            Means::Slices(format) => format.name(),
        }
    }

    /// The format with this ending.
    pub fn named(name: &str) -> Option<PartFormat> {
        PartFormat::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Its media type (IANA, and for PLY and CLI what is common).
    pub fn media_type(self) -> &'static str {
        match self {
            PartFormat::ThreeMf => "model/3mf",
            PartFormat::Stl => "model/stl",
            PartFormat::Obj => "model/obj",
            PartFormat::Ply | PartFormat::Cli => "application/octet-stream",
            PartFormat::Glb => "model/gltf-binary",
            PartFormat::Svg => "image/svg+xml",
            PartFormat::Json => "application/json",
        }
    }
}

/// What is written, and how finely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Making {
    /// 3mf is the project, svg, cli and json are slices.
    pub format: PartFormat,
    /// What is smaller may be lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f64>,
    /// Of slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<f64>>,
    /// Or in the middle of layers so thick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<f64>,
    /// How far contours may be off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

/// A file of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakePart {
    /// What is looked at.
    #[serde(flatten)]
    pub look: Looking,
    /// What is written of it.
    #[serde(flatten)]
    pub making: Making,
}

/// A file of a part, and where it goes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportPart {
    /// What is looked at.
    #[serde(flatten)]
    pub look: Looking,
    /// What is written of it.
    #[serde(flatten)]
    pub making: Making,
    /// Below a folder of the server; left out, uri is where it can be read.
    pub path: Option<String>,
    /// true replaces a file that is there.
    #[serde(default)]
    pub overwrite: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PartExported {
    pub success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    pub revision: u64,
}

/// What a file is written from.
#[derive(Debug)]
enum Made {
    /// The project, as bytes.
    Project(Vec<u8>, PackageWritten),
    Mesh(Box<MeshMade>, Format),
    Slices(SlicesMade, SliceFormat),
}

/// What is ready to be written.
#[derive(Debug)]
pub struct PartMade {
    made: Made,
    revision: u64,
}

impl PartMade {
    /// Writes it.
    ///
    /// # Errors
    /// What `to` fails with.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut to = to;
        match &self.made {
            Made::Project(bytes, _) => to.write_all(bytes),
            Made::Mesh(mesh, format) => mesh.write(*format, &mut to),
            Made::Slices(slices, format) => slices.write(*format, to),
        }
    }

    /// What is told of it, written to so many bytes.
    fn told(self, bytes: u64) -> PartExported {
        let mut told = PartExported {
            success: true,
            path: None,
            uri: None,
            bytes,
            triangles: None,
            slices: None,
            warnings: Vec::new(),
            revision: self.revision,
        };
        match self.made {
            Made::Project(_, written) => {
                let notes = written.notes.into_iter();
                told.warnings = notes
                    .map(|note| format!("{}: {}", note.place, note.message))
                    .collect();
            }
            Made::Mesh(mesh, _) => {
                told.triangles = Some(mesh.info.triangles);
                told.warnings = mesh.info.warnings;
            }
            Made::Slices(slices, _) => {
                told.slices = Some(slices.slices.len());
                told.warnings = slices.warnings;
            }
        }
        told
    }
}

impl Service {
    /// Makes what a file is written from. `watch` is told how much of how much is done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`], as [`see`](Self::see), [`make_mesh`], [`make_slices`] and [`write_package`](Self::write_package).
    pub fn make_part(
        &self,
        request: &MakePart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<PartMade, Refusal> {
        let MakePart { look, making } = request;
        let means = making.format.means();
        request.fits(means)?;
        let (made, revision) = match means {
            Means::Project => {
                let package = WritePackage {
                    project: look.project.clone(),
                    revision: look.revision,
                    dialect: None,
                };
                let mut file = Cursor::new(Vec::new());
                let written = self.write_package(&package, &mut file)?;
                let revision = written.revision;
                (Made::Project(file.into_inner(), written), revision)
            }
            Means::Mesh(format) => {
                let mesh = MakeMesh {
                    bounds: look.bounds()?,
                    cell: making.cell,
                    limits: look.limits(),
                    ..MakeMesh::default()
                };
                let seen = look.see(self, None, false)?;
                let mesh = make_mesh(&seen, &mesh, watch)?;
                (Made::Mesh(Box::new(mesh), format), seen.revision)
            }
            Means::Slices(format) => {
                let slices = MakeSlices {
                    bounds: look.bounds()?,
                    heights: heights(making.heights.as_ref(), making.layer)?,
                    cell: making.cell,
                    tolerance: making.tolerance,
                    limits: look.limits(),
                };
                let seen = look.see(self, None, true)?;
                (
                    Made::Slices(make_slices(&seen, &slices, watch)?, format),
                    seen.revision,
                )
            }
        };
        Ok(PartMade { made, revision })
    }

    /// Writes a file of a part below the folders that may be written, or says how large it would be.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `forbidden_path` or `unwritable_file` for the path.
    pub fn export_part(
        &self,
        request: ExportPart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<PartExported, Refusal> {
        // That the file cannot be written is told before the work is done.
        let file = request.path.as_deref();
        let ending = request.making.format.name();
        let file = file.map(|path| self.files.begin(path, ending, request.overwrite));
        let file = file.transpose()?;
        let made = self.make_part(&request.into(), watch)?;
        let unwritable = |error: io::Error| {
            Refusal::new(
                "unwritable_file",
                format!("the file cannot be written: {error}"),
            )
        };
        let Some((path, mut file)) = file else {
            let mut counted = Counted::new(io::sink());
            made.write(&mut counted).map_err(unwritable)?;
            return Ok(made.told(counted.count));
        };
        let mut counted = Counted::new(&mut file);
        made.write(&mut counted).map_err(unwritable)?;
        let bytes = counted.count;
        file.finish()?;
        Ok(PartExported {
            path: Some(path.display().to_string()),
            ..made.told(bytes)
        })
    }

    /// A file of a part as bytes, if it has at most `most` of them.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `too_large`.
    pub fn part_bytes(
        &self,
        request: &MakePart,
        most: u64,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Vec<u8>, Refusal> {
        let made = self.make_part(request, watch)?;
        let mut counted = Counted::new(io::sink());
        // A sink takes everything.
        drop(made.write(&mut counted));
        if counted.count > most {
            let message = format!(
                "the file has {} bytes, and a resource has {most} at most",
                counted.count
            );
            return Err(Refusal::new("too_large", message)
                .hint("export it to a path, or take POST /api/projects/{project}/export"));
        }
        let mut bytes = Vec::new();
        made.write(&mut bytes)
            .map_err(|error| Refusal::new("internal", error.to_string()))?;
        Ok(bytes)
    }
}

impl MakePart {
    /// Refuses what is not of the format.
    fn fits(&self, means: Means) -> Result<(), Refusal> {
        let Making {
            cell,
            heights: at,
            layer,
            tolerance,
            ..
        } = &self.making;
        let is_sliced = at.is_some() || layer.is_some() || tolerance.is_some();
        let wrong = match means {
            Means::Project if is_sliced || cell.is_some() || self.look.names_something() => {
                "3mf is the whole project: it takes project and revision only"
            }
            Means::Mesh(_) if is_sliced => {
                "heights, layer and tolerance are of slices, not of a mesh"
            }
            Means::Slices(_) => return heights(at.as_ref(), *layer).map(drop),
            Means::Project | Means::Mesh(_) => return Ok(()),
        };
        Err(Refusal::new("invalid_arguments", wrong).hint("leave them out, or take another format"))
    }
}

impl From<ExportPart> for MakePart {
    fn from(ExportPart { look, making, .. }: ExportPart) -> Self {
        MakePart { look, making }
    }
}

/// Counts what is written.
struct Counted<W> {
    to: W,
    count: u64,
}

impl<W: Write> Counted<W> {
    fn new(to: W) -> Self {
        Counted { to, count: 0 }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
