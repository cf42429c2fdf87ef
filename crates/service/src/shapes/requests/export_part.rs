//! Requests in JSON for files of a subject: the project, a mesh, or slices.

use std::borrow::Cow;
use std::io::{self, Cursor, Write};

use fibula_formats::mesh::MeshFormat;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::export_time::{ExportTime, importable_package};
use super::shape_query::ShapeQuery;
use super::slice_part::heights;
use crate::background::ProgressFn;
use crate::digits::seven_digits;
use crate::domain_cuts::build_cut_warnings;
use crate::exchange::WritePackage;
use crate::files::bounded_buffer::BoundedBuffer;
use crate::files::roots::LARGEST;
use crate::knowledge::stale_distances;
use crate::named_formats::deserialize_named;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::figures::round_to_error;
use crate::shapes::limits::Limits;
use crate::shapes::meshing::{MakeMesh, MeshInfo};
use crate::shapes::parts::{MakeTriangles, MeshFile, PartSeparation, PartsMade};
use crate::shapes::removal::{Removable, RemovedShells, removal};
use crate::shapes::simplification::Simplify;
use crate::shapes::slicing::{AREA_POINTS, MakeSlices, SliceFormat, SlicesMade, make_slices};

/// Maximum bytes of a file returned as a resource: clients hold it in memory, in base64.
pub const LARGEST_RESOURCE: u64 = 8 << 20;

/// File format of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFormat {
    /// The project as a 3MF package.
    ThreeMf,
    /// Triangles.
    Mesh(MeshFormat),
    /// Slices.
    Slices(SliceFormat),
}

/// Triangles of the largest STL file that import reads: 50 bytes each, after 84.
const MOST_STL_TRIANGLES: u64 = (LARGEST - 84) / 50;

/// Source of a file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormatSource {
    Project,
    Mesh(MeshFile),
    Slices(SliceFormat),
}

impl PartFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = PartFormat> {
        let meshes = MeshFormat::ALL.into_iter().map(PartFormat::Mesh);
        let slices = SliceFormat::ALL.into_iter().map(PartFormat::Slices);
        [PartFormat::ThreeMf]
            .into_iter()
            .chain(meshes)
            .chain(slices)
    }

    fn source(self) -> FormatSource {
        match self {
            PartFormat::ThreeMf => FormatSource::Project,
            PartFormat::Mesh(format) => FormatSource::Mesh(MeshFile::Triangles(format)),
            PartFormat::Slices(format) => FormatSource::Slices(format),
        }
    }

    /// File extension.
    pub fn name(self) -> &'static str {
        match self {
            PartFormat::ThreeMf => "3mf",
            PartFormat::Mesh(format) => format.name(),
            PartFormat::Slices(format) => format.name(),
        }
    }

    /// Returns the format with this extension.
    pub fn named(name: &str) -> Option<PartFormat> {
        PartFormat::all().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Media type (IANA; for PLY and CLI the common one).
    pub fn media_type(self) -> &'static str {
        match self {
            PartFormat::ThreeMf => "model/3mf",
            PartFormat::Mesh(format) => format.media_type(),
            PartFormat::Slices(SliceFormat::Svg) => "image/svg+xml",
            PartFormat::Slices(SliceFormat::Cli) => "application/octet-stream",
            PartFormat::Slices(SliceFormat::Json) => "application/json",
        }
    }
}

impl Serialize for PartFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for PartFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let formats = PartFormat::all().map(|format| (format.name(), format));
        deserialize_named(deserializer, "PartFormat", formats)
    }
}

impl JsonSchema for PartFormat {
    fn schema_name() -> Cow<'static, str> {
        "PartFormat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = PartFormat::all().map(PartFormat::name).collect();
        json_schema!({
            "description": "File format of a part.",
            "type": "string",
            "enum": names,
        })
    }
}

/// Format and resolution of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Making")]
pub struct ExportSettings {
    /// 3mf is the project, with cell meshes; svg, cli, json are slices.
    pub format: PartFormat,
    /// Cell size in the project's unit; smaller features may be lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f64>,
    /// Maximum deviation of the surface or of contours; cells follow. Default: a thousandth of the size, for contours a 5000th.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Simplifies meshes within this length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplify: Option<f64>,
    /// Removes from meshes what is not connected with the largest piece, or fills hollows without a way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<Vec<Removable>>,
    /// Heights of slices, in the project's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<f64>>,
    /// Or the thickness of layers in this unit, sliced in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<f64>,
    /// Maximum deviation of contours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

/// A file of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakePart {
    /// The subject.
    #[serde(flatten)]
    pub look: ShapeQuery,
    /// Format and resolution.
    #[serde(flatten)]
    pub making: ExportSettings,
}

json_structs! {
    /// File of a part, and its destination.
    pub request struct ExportPart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Format and resolution.
        #[serde(flatten)]
        pub making: ExportSettings,
        /// Below a folder of the server; if left out, the answer has a uri to read.
        pub path: Option<String>,
        /// true replaces an existing file.
        pub overwrite: bool,
    }

    /// Result of an export.
    pub answer(Default, PartialEq) struct PartExported {
        pub success: bool,
        pub path: Option<String>,
        pub uri: Option<String>,
        pub bytes: u64,
        pub triangles: Option<usize>,
        /// Longest edge of a cell.
        pub cell: Option<f64>,
        /// Maximum deviation of the surface, measured at samples of the mesh.
        pub deviation: Option<f64>,
        /// True if a reader that merges vertices at one place finds no holes.
        pub closed: Option<bool>,
        /// True if it finds every point of the surface to have a neighbourhood like a disc.
        pub manifold: Option<bool>,
        /// Pairs of triangles that cut each other.
        pub cutting_pairs: Option<usize>,
        pub components: Option<usize>,
        /// Hollows without a way out.
        pub cavities: Option<usize>,
        /// In the cube of the unit.
        pub volume: Option<f64>,
        /// Of all cavities, which the volume does not include.
        pub cavity_volume: Option<f64>,
        /// What remove removed.
        pub removed: Option<RemovedShells>,
        pub unit: Option<&'static str>,
        pub slices: Option<usize>,
        pub warnings: Vec<String> = [],
        pub revision: u64,
    }
}

/// Contents to be written.
#[derive(Debug)]
enum ExportContents {
    /// The finished file.
    Bytes(Vec<u8>),
    Triangles(PartsMade, MeshFormat),
    Slices(SlicesMade, SliceFormat),
}

/// A file ready to be written.
#[derive(Debug)]
pub struct PartMade {
    made: ExportContents,
    time: ExportTime,
    /// The answer once it is written.
    answer: PartExported,
}

impl PartMade {
    fn new(made: ExportContents, time: ExportTime, revision: u64, warnings: Vec<String>) -> Self {
        PartMade {
            made,
            time,
            answer: PartExported {
                success: true,
                warnings,
                revision,
                ..PartExported::default()
            },
        }
    }

    /// Revision of the project.
    pub fn revision(&self) -> u64 {
        self.answer.revision
    }

    /// Warnings.
    pub fn warnings(&self) -> &[String] {
        &self.answer.warnings
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut to = to;
        match &self.made {
            ExportContents::Bytes(bytes) => to.write_all(bytes),
            ExportContents::Triangles(parts, format) => parts.write(*format, &mut to),
            ExportContents::Slices(slices, format) => slices.write(*format, to),
        }
    }
}

impl PartExported {
    /// Properties of the meshes of a file.
    fn reached(parts: &PartsMade) -> PartExported {
        let all = || parts.info.parts.iter().map(|part| &part.mesh);
        let places = || parts.info.parts.iter();
        let count =
            |of: fn(&MeshInfo) -> usize| places().map(|part| part.places * of(&part.mesh)).sum();
        let most = |of: fn(&MeshInfo) -> Option<f64>| all().filter_map(of).reduce(f64::max);
        let largest = most(|mesh| mesh.removed?.largest);
        let is_less = all().any(|mesh| mesh.removed.is_some());
        let removed = is_less.then(|| RemovedShells {
            pieces: count(|mesh| mesh.removed.map_or(0, |removed| removed.pieces)),
            cavities: count(|mesh| mesh.removed.map_or(0, |removed| removed.cavities)),
            volume: seven_digits(parts.removed_volume()),
            largest: largest.map(seven_digits),
        });
        PartExported {
            triangles: Some(parts.info.triangles),
            cell: most(|mesh| mesh.cell).map(seven_digits),
            deviation: most(|mesh| mesh.deviation).map(|length| round_to_error(length, length)),
            closed: Some(all().all(|mesh| mesh.closed)),
            manifold: Some(all().all(|mesh| mesh.manifold)),
            cutting_pairs: Some(all().map(|mesh| mesh.cutting_pairs).sum()),
            components: Some(count(|mesh| mesh.components)),
            cavities: Some(count(|mesh| mesh.cavities)),
            volume: Some(seven_digits(parts.volume())),
            cavity_volume: Some(seven_digits(parts.cavity_volume())),
            removed,
            unit: Some(parts.unit()),
            ..PartExported::default()
        }
    }
}

impl Service {
    /// Computes the contents of a file. Calls `watch` with the progress and its total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`resolve_triangles`](Self::resolve_triangles) and its [`make`](crate::TriangleSource::make),
    /// [`resolve_shape`](Self::resolve_shape) and [`make_slices`], [`write_package`](Self::write_package).
    pub fn make_part(&self, request: &MakePart, watch: ProgressFn<'_>) -> Result<PartMade> {
        let MakePart { look, making } = request;
        let source = request.source()?;
        self.project(look.project.as_deref())?
            .require_sound(look.revision)?;
        let limits = match source {
            FormatSource::Project if look.time_limit.is_none() => Limits::default(),
            FormatSource::Project | FormatSource::Mesh(_) | FormatSource::Slices(_) => {
                look.limits()?
            }
        };
        let time = ExportTime::start(limits)?;
        match source {
            FormatSource::Project => {
                let mut file = Cursor::new(Vec::new());
                let package = request.package();
                let (written, _) = time.write(&mut file, None, watch, |to| {
                    self.write_package(&package, to)
                })?;
                let bytes = importable_package(file)?;
                let mut warnings = written.warnings();
                let project = self.project(look.project.as_deref())?;
                let snapshot = project.at(Some(written.revision))?;
                warnings.extend(build_cut_warnings(&project, &snapshot));
                let items = snapshot.document.model().items();
                let objects = items.map(|(_, item)| item.object);
                warnings.extend(stale_distances(&snapshot.document, objects));
                let made = ExportContents::Bytes(bytes);
                Ok(PartMade::new(made, time, written.revision, warnings))
            }
            FormatSource::Mesh(file) => {
                let is_stl = file == MeshFile::Triangles(MeshFormat::Stl);
                let is_final =
                    making.simplify.is_none() && making.cell.is_some() && making.accuracy.is_none();
                let settings = MakeTriangles {
                    mesh: MakeMesh {
                        bounds: look.bounds()?,
                        cell: making.cell,
                        accuracy: making.accuracy,
                        most_triangles: (is_stl && is_final).then_some(MOST_STL_TRIANGLES),
                        simplify: making.simplify.map(|tolerance| Simplify {
                            tolerance: Some(tolerance),
                            triangles: None,
                        }),
                        remove: removal(making.remove.as_deref().unwrap_or_default()),
                        limits,
                    },
                    apart: PartSeparation::WhereKept,
                    file: Some(file),
                };
                let (project, subject) = (look.project.as_deref(), look.subject());
                let resolved =
                    self.resolve_triangles(project, look.revision, &subject, &settings)?;
                let parts = resolved.make(&settings.mesh, watch)?;
                let warnings = parts.warnings();
                let (revision, reached) = (parts.info.revision, PartExported::reached(&parts));
                let made = match file {
                    MeshFile::Triangles(format) => ExportContents::Triangles(parts, format),
                    MeshFile::Package => {
                        let mut file = Cursor::new(Vec::new());
                        time.write(&mut file, None, watch, |to| parts.write_package(to))?;
                        ExportContents::Bytes(importable_package(file)?)
                    }
                };
                Ok(PartMade {
                    answer: PartExported {
                        success: true,
                        warnings,
                        revision,
                        ..reached
                    },
                    made,
                    time,
                })
            }
            FormatSource::Slices(format) => {
                let settings = MakeSlices {
                    bounds: look.bounds()?,
                    heights: heights(making.heights.as_ref(), making.layer)?,
                    cell: making.cell,
                    tolerance: making.tolerance,
                    accuracy: making.accuracy,
                    area_points: AREA_POINTS,
                    limits,
                };
                settings.check()?;
                let resolved = look.resolve(self, None, true, &[])?;
                let slices = make_slices(&resolved, &settings, watch)?;
                let (count, warnings) = (slices.slices.len(), slices.warnings.clone());
                let made = ExportContents::Slices(slices, format);
                let mut made = PartMade::new(made, time, resolved.revision, warnings);
                made.answer.slices = Some(count);
                Ok(made)
            }
        }
    }

    /// Writes a file below the configured folders; without a path, determines the size of the resource.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `forbidden_path` or `unwritable_file` for the path;
    /// `too_large` for a resource, and for a file that [`import`](Self::import) would refuse; `timed_out` if the time
    /// limit ends before the file is written.
    pub fn export_part(&self, request: ExportPart, watch: ProgressFn<'_>) -> Result<PartExported> {
        // Fails early if the file cannot be written.
        let file = request.path.as_deref();
        let ending = request.making.format.name();
        let file = file.map(|path| self.files.create(path, ending, request.overwrite));
        let file = file.transpose()?;
        let request = MakePart::from(request);
        let means = request.source()?;
        let made = self.make_part(&request, watch)?;
        let mut answer = made.answer.clone();
        let (mut nowhere, mut file) = (io::sink(), file);
        let to: &mut dyn Write = match &mut file {
            Some((_, file)) => file,
            None => &mut nowhere,
        };
        let most = is_imported(request.making.format).then_some(LARGEST);
        let written = made.time.write(to, most, watch, |to| {
            made.write(to)
                .map_err(|error| Refusal::unwritable("the file", &error))
        });
        let ((), bytes) = written?;
        answer.bytes = bytes;
        if let Some((path, file)) = file {
            file.finish()?;
            answer.path = Some(path.display().to_string());
        } else if answer.bytes > LARGEST_RESOURCE {
            return Err(no_resource(means).details(json!({ "bytes": answer.bytes })));
        }
        Ok(answer)
    }

    /// Returns a file as bytes, if it has at most [`LARGEST_RESOURCE`] of them.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_part`](Self::make_part); `too_large`, naming a request without that limit.
    pub fn part_bytes(&self, request: &MakePart, watch: ProgressFn<'_>) -> Result<Vec<u8>> {
        let mut file = BoundedBuffer::new(LARGEST_RESOURCE);
        let means = request.source()?;
        let written = match means {
            FormatSource::Project => self
                .write_package(&request.package(), &mut file)
                .map(|_| ()),
            FormatSource::Mesh(_) | FormatSource::Slices(_) => {
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

/// True if [`Service::import`] reads files of a format.
fn is_imported(format: PartFormat) -> bool {
    match format {
        PartFormat::ThreeMf => true,
        PartFormat::Mesh(format) => MeshFormat::readable().any(|other| other == format),
        PartFormat::Slices(_) => false,
    }
}

fn no_resource(means: FormatSource) -> Refusal {
    let message = format!("the file exceeds the {LARGEST_RESOURCE} bytes of a resource");
    Refusal::new("too_large", message).hint(match means {
        FormatSource::Project => {
            "export with a path writes it at any size, and GET /api/projects/{project}/export.3mf returns it"
        }
        FormatSource::Mesh(_) | FormatSource::Slices(_) => {
            "pass a path, or use POST /api/projects/{project}/export, which have no such limit; a larger cell makes it \
             smaller, and simplify a mesh"
        }
    })
}

impl MakePart {
    /// A whole project as a 3MF file.
    pub fn project(name: String) -> Self {
        MakePart {
            look: ShapeQuery {
                project: Some(name),
                ..ShapeQuery::default()
            },
            making: ExportSettings {
                format: PartFormat::ThreeMf,
                cell: None,
                accuracy: None,
                simplify: None,
                remove: None,
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

    /// Returns the source of the file; refuses options of other formats.
    fn source(&self) -> Result<FormatSource> {
        let ExportSettings {
            format,
            cell,
            accuracy,
            simplify,
            remove,
            heights: at,
            layer,
            tolerance,
        } = &self.making;
        let means = match format.source() {
            FormatSource::Project if cell.is_some() || accuracy.is_some() => {
                FormatSource::Mesh(MeshFile::Package)
            }
            means => means,
        };
        let is_sliced = at.is_some() || layer.is_some() || tolerance.is_some();
        let (wrong, hint) = match means {
            FormatSource::Project
                if is_sliced
                    || simplify.is_some()
                    || remove.is_some()
                    || self.look.names_something() =>
            {
                (
                    "3mf without a cell or an accuracy is the whole project, which has only project, revision and \
                     time_limit as arguments",
                    "pass a cell or an accuracy for meshes of the subject, or use another format",
                )
            }
            FormatSource::Mesh(_) if is_sliced => (
                "heights, layer and tolerance apply to slices, not to a mesh",
                "omit them, or use another format",
            ),
            FormatSource::Slices(_) if simplify.is_some() => (
                "simplify applies to meshes, not to slices",
                "omit it, or pass an accuracy",
            ),
            FormatSource::Slices(_) if remove.is_some() => (
                "remove applies to meshes, not to slices",
                "omit it, or export a mesh",
            ),
            FormatSource::Slices(_) => return heights(at.as_ref(), *layer).map(|_| means),
            FormatSource::Project | FormatSource::Mesh(_) => return Ok(means),
        };
        Err(Refusal::new("invalid_arguments", wrong).hint(hint))
    }
}

impl From<ExportPart> for MakePart {
    fn from(ExportPart { look, making, .. }: ExportPart) -> Self {
        MakePart { look, making }
    }
}
