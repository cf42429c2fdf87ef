//! `fibula mesh`: from a function to a file of triangles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::convert::ending;
use super::eval::numbers;
use super::files;
use super::output::{Failure, print, print_json};
use super::progress::{Unit, watched};
use super::whole::Whole;
use crate::format::mesh::Format;
use crate::geometry::Bounds;
use crate::service::{
    CreateFunctionFromExpression, FunctionInfo, MakeMesh, MeshInfo, Refusal, Service,
};

#[derive(Debug, Args)]
pub(super) struct Mesh {
    /// A 3MF or .vm file, or an expression of pos, such as 'length(pos) - 5'.
    #[arg(allow_hyphen_values = true, value_name = "FILE_OR_EXPRESSION")]
    from: String,
    /// The function's name or id; may be left out if there is only one.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// The output that is negative inside; the first if it is not given.
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Two opposite corners, such as -5,-5,-5 5,5,5: what is beyond is cut off.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], allow_hyphen_values = true)]
    bounds: Vec<String>,
    /// The longest edge of a cell; details that are smaller are lost.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    cell: f64,
    /// The most triangles.
    #[arg(long, value_name = "COUNT")]
    most_triangles: Option<u64>,
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
        let bounds = self.box_of_it()?;
        let (service, function) = self.read()?;
        let request = MakeMesh {
            project: None,
            function_id: function.function_id,
            output: self.output.clone(),
            bounds,
            cell: self.cell,
            most_triangles: self.most_triangles,
            revision: None,
        };
        // That the file cannot be written is told before the work is done.
        let file = self.out.as_deref();
        let file = file.map(|path| Whole::begin(path, self.overwrite));
        let file = file.transpose()?;
        let made = watched(Unit::Cells, |watch| service.make_mesh(&request, watch))?;
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

    fn box_of_it(&self) -> Result<Bounds, Refusal> {
        let hint = "give two corners, such as --bounds -5,-5,-5 5,5,5";
        let refused = |message: String| Refusal::new("invalid_arguments", message).hint(hint);
        let corner = |text: &String| -> Result<[f64; 3], Refusal> {
            let corner = numbers(text)?.try_into();
            corner.map_err(|_| refused(format!("'{text}' has not three numbers, for x, y and z")))
        };
        let [low, high] = &self.bounds[..] else {
            return Err(refused(
                "a mesh needs the bounds of what is looked at".into(),
            ));
        };
        let bounds = Bounds::new(corner(low)?, corner(high)?);
        bounds.map_err(|error| Refusal::new("invalid_arguments", error.to_string()))
    }

    /// A service that holds the function.
    fn read(&self) -> Result<(Service, FunctionInfo), Refusal> {
        let path = Path::new(&self.from);
        let is_file = path.is_file() || matches!(&ending(path)[..], "3mf" | "vm");
        if is_file {
            let (service, _) = files::open(path)?;
            let function = files::only_or_named(&service, self.function.as_deref())?;
            return Ok((service, function));
        }
        let service = Service::new(&files::unlimited());
        let request = CreateFunctionFromExpression::new("expression", &self.from);
        let created = service.create_function_from_expression(&files::origin("mesh"), request)?;
        let name = created.function_id.to_string();
        let function = files::find(files::functions(&service)?, &name)?;
        Ok((service, function))
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
