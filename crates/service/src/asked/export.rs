//! Files of parts, as they are asked for in JSON: the project, a mesh or slices of what is looked at.

use std::io::{self, Cursor, Write};
use std::ops::ControlFlow;

use fibula_formats::mesh::Format;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::looking::Looking;
use super::slice::heights;
use crate::counted::Counted;
use crate::package::Bounded;
use crate::{
    Apart, MakeMesh, MakeSlices, MakeTriangles, MeshFile, PartsMade, Refusal, Service, Simplify,
    SliceFormat, SlicesMade, WritePackage, make_slices,
};

/// The most bytes of a file that is given as a resource: clients hold it in memory, as base64.
pub const LARGEST_RESOURCE: u64 = 8 << 20;

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
    Mesh(MeshFile),
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
            PartFormat::Stl => Means::Mesh(MeshFile::Triangles(Format::Stl)),
            PartFormat::Obj => Means::Mesh(MeshFile::Triangles(Format::Obj)),
            PartFormat::Ply => Means::Mesh(MeshFile::Triangles(Format::Ply)),
            PartFormat::Glb => Means::Mesh(MeshFile::Triangles(Format::Glb)),
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
    pub const fn media_type(self) -> &'static str {
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
    /// 3mf is the project, with cell meshes; svg, cli, json are slices.
    pub format: PartFormat,
    /// What is smaller may be lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f64>,
    /// Fewer triangles, off by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplify: Option<f64>,
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
    /// The file itself.
    Bytes(Vec<u8>),
    Triangles(PartsMade, Format),
    Slices(SlicesMade, SliceFormat),
}

/// What is ready to be written.
#[derive(Debug)]
pub struct PartMade {
    made: Made,
    /// What is told of it once it is written.
    told: PartExported,
}

impl PartMade {
    fn new(made: Made, revision: u64, warnings: Vec<String>) -> Self {
        PartMade {
            made,
            told: PartExported {
                success: true,
                path: None,
                uri: None,
                bytes: 0,
                triangles: None,
                slices: None,
                warnings,
                revision,
            },
        }
    }

    /// The revision that it was made of.
    pub fn revision(&self) -> u64 {
        self.told.revision
    }

    /// What should be known of it.
    pub fn warnings(&self) -> &[String] {
        &self.told.warnings
    }

    /// Writes it.
    ///
    /// # Errors
    /// What `to` fails with.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut to = to;
        match &self.made {
            Made::Bytes(bytes) => to.write_all(bytes),
            Made::Triangles(parts, format) => parts.write(*format, &mut to),
            Made::Slices(slices, format) => slices.write(*format, to),
        }
    }
}

impl Service {
    /// Makes what a file is written from. `watch` is told how much of how much is done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`], as [`see_triangles`](Self::see_triangles) and its [`make`](crate::SeenTriangles::make),
    /// [`see`](Self::see) and [`make_slices`], [`write_package`](Self::write_package).
    pub fn make_part(
        &self,
        request: &MakePart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<PartMade, Refusal> {
        let MakePart { look, making } = request;
        match request.means()? {
            Means::Project => {
                let mut file = Cursor::new(Vec::new());
                let written = self.write_package(&request.package(), &mut file)?;
                let made = Made::Bytes(file.into_inner());
                Ok(PartMade::new(made, written.revision, written.warnings()))
            }
            Means::Mesh(file) => {
                let how = MakeTriangles {
                    mesh: MakeMesh {
                        bounds: look.bounds()?,
                        cell: making.cell,
                        most_triangles: None,
                        simplify: making.simplify.map(|tolerance| Simplify {
                            tolerance: Some(tolerance),
                            triangles: None,
                        }),
                        limits: look.limits()?,
                    },
                    apart: Apart::WhereKept,
                    file: Some(file),
                };
                let (project, subject) = (look.project.as_deref(), look.subject());
                let seen = self.see_triangles(project, look.revision, &subject, &how)?;
                let parts = seen.make(&how.mesh, watch)?;
                let (info, warnings) = (&parts.info, parts.warnings());
                let (triangles, revision) = (info.triangles, info.revision);
                let made = match file {
                    MeshFile::Triangles(format) => Made::Triangles(parts, format),
                    MeshFile::Package => {
                        let mut bytes = Vec::new();
                        parts.write_file(file, &mut bytes)?;
                        Made::Bytes(bytes)
                    }
                };
                let mut made = PartMade::new(made, revision, warnings);
                made.told.triangles = Some(triangles);
                Ok(made)
            }
            Means::Slices(format) => {
                let how = MakeSlices {
                    bounds: look.bounds()?,
                    heights: heights(making.heights.as_ref(), making.layer)?,
                    cell: making.cell,
                    tolerance: making.tolerance,
                    limits: look.limits()?,
                };
                let seen = look.see(self, None, true)?;
                let slices = make_slices(&seen, &how, watch)?;
                let (count, warnings) = (slices.slices.len(), slices.warnings.clone());
                let made = Made::Slices(slices, format);
                let mut made = PartMade::new(made, seen.revision, warnings);
                made.told.slices = Some(count);
                Ok(made)
            }
        }
    }

    /// Writes a file of a part below the folders that may be written; without a path says how large a resource it is.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `forbidden_path` or `unwritable_file` for the path; `too_large`
    /// for a resource.
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
        let request = MakePart::from(request);
        let means = request.means()?;
        let made = self.make_part(&request, watch)?;
        let mut told = made.told.clone();
        if let Some((path, mut file)) = file {
            let mut counted = Counted::new(&mut file);
            made.write(&mut counted)
                .map_err(|error| Refusal::unwritable("the file", &error))?;
            told.bytes = counted.count;
            file.finish()?;
            told.path = Some(path.display().to_string());
        } else {
            let mut counted = Counted::new(io::sink());
            made.write(&mut counted)
                .map_err(|error| Refusal::unwritable("the file", &error))?;
            told.bytes = counted.count;
            if told.bytes > LARGEST_RESOURCE {
                return Err(no_resource(means).details(json!({ "bytes": told.bytes })));
            }
        }
        Ok(told)
    }

    /// A file of a part as bytes, if it has at most [`LARGEST_RESOURCE`] of them.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `too_large`, naming what gives it at any size.
    pub fn part_bytes(
        &self,
        request: &MakePart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Vec<u8>, Refusal> {
        let mut file = Bounded::new(LARGEST_RESOURCE);
        let means = request.means()?;
        let written = match means {
            Means::Project => self
                .write_package(&request.package(), &mut file)
                .map(|_| ()),
            Means::Mesh(_) | Means::Slices(_) => {
                let made = self.make_part(request, watch)?;
                made.write(&mut file)
                    .map_err(|error| Refusal::unwritable("the file", &error))
            }
        };
        let Some(bytes) = file.into_bytes() else {
            return Err(no_resource(means));
        };
        written.map(|()| bytes)
    }
}

fn no_resource(means: Means) -> Refusal {
    let message = format!("the file has more than the {LARGEST_RESOURCE} bytes of a resource");
    Refusal::new("too_large", message).hint(match means {
        Means::Project => {
            "GET /api/projects/{project}/export.3mf gives it at any size, export with a path and `fibula export PROJECT \
             FILE.3mf` write it"
        }
        Means::Mesh(_) | Means::Slices(_) => {
            "give a path, or take POST /api/projects/{project}/export, which have no such limit; a larger cell makes \
             it smaller, and simplify a mesh"
        }
    })
}

impl MakePart {
    /// A whole project as a 3MF file.
    pub fn project(name: String) -> Self {
        MakePart {
            look: Looking {
                project: Some(name),
                ..Looking::default()
            },
            making: Making {
                format: PartFormat::ThreeMf,
                cell: None,
                simplify: None,
                heights: None,
                layer: None,
                tolerance: None,
            },
        }
    }

    fn package(&self) -> WritePackage {
        WritePackage {
            project: self.look.project.clone(),
            revision: self.look.revision,
            dialect: None,
        }
    }

    /// What the file is written from; refuses what is not of its format.
    fn means(&self) -> Result<Means, Refusal> {
        let Making {
            format,
            cell,
            simplify,
            heights: at,
            layer,
            tolerance,
        } = &self.making;
        let means = match format.means() {
            Means::Project if cell.is_some() => Means::Mesh(MeshFile::Package),
            means => means,
        };
        let is_sliced = at.is_some() || layer.is_some() || tolerance.is_some();
        let (wrong, hint) = match means {
            Means::Project if is_sliced || simplify.is_some() || self.look.names_something() => (
                "3mf without a cell is the whole project: it takes project and revision only",
                "give a cell for meshes of what is looked at, or take another format",
            ),
            Means::Mesh(_) if is_sliced => (
                "heights, layer and tolerance are of slices, not of a mesh",
                "leave them out, or take another format",
            ),
            Means::Slices(_) if simplify.is_some() => (
                "simplify is of meshes, not of slices",
                "leave it out, or give a tolerance",
            ),
            Means::Slices(_) => return heights(at.as_ref(), *layer).map(|_| means),
            Means::Project | Means::Mesh(_) => return Ok(means),
        };
        Err(Refusal::new("invalid_arguments", wrong).hint(hint))
    }
}

impl From<ExportPart> for MakePart {
    fn from(ExportPart { look, making, .. }: ExportPart) -> Self {
        MakePart { look, making }
    }
}
