//! `fibula functions`: the functions of a file, as tables, diagrams, pictures and shaders.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fibula_core::graph::{NodeData, Setting};
use fibula_nodes::FunctionType;
use fibula_service::{
    AtomicFile, FunctionInfo, FunctionShown, GetFunction, GetFunctionPicture, GetFunctionText,
    GraphFormat, JsonFloat, PictureFormat, Refusal, Service, TextFormat,
};

use super::convert::{ending, unknown_ending};
use super::files;
use super::output::{Failure, OutputArgs, print, print_json, table, table_with_head};
use super::progress::{Unit, with_progress};

#[derive(Debug, Args)]
pub(super) struct Functions {
    /// The 3MF or .vm file.
    file: PathBuf,
    /// The name or id of a function to show whole.
    function: Option<String>,
    /// Write the function as a diagram, picture or shader.
    #[arg(long = "as", value_name = "FORMAT", requires = "function")]
    form: Option<FunctionFormat>,
    /// Write it to a file, whose extension determines the format without --as: .svg, .png, .dot, .mmd or .glsl.
    #[arg(short = 'o', long, value_name = "FILE", requires = "function")]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    overwrite: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Output format of a function.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FunctionFormat {
    /// A picture of the graph, of any size
    Svg,
    /// A picture of the graph, in pixels; it needs a file
    Png,
    /// A graph for Graphviz
    Dot,
    /// A flowchart for Mermaid
    Mermaid,
    /// A function of GLSL ES 3.00, with its constants in uniform blocks
    Glsl,
}

impl FunctionFormat {
    /// Returns the format for the extension of a file.
    fn of(path: &Path) -> Result<FunctionFormat, Refusal> {
        Ok(match ending(path).as_str() {
            "svg" => FunctionFormat::Svg,
            "png" => FunctionFormat::Png,
            "dot" | "gv" => FunctionFormat::Dot,
            "mmd" | "mermaid" => FunctionFormat::Mermaid,
            "glsl" => FunctionFormat::Glsl,
            _ => {
                let hint = "use a name that ends in .svg, .png, .dot, .mmd or .glsl, or give --as";
                return Err(unknown_ending(path, "format of functions", hint));
            }
        })
    }
}

impl Functions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (service, _) = files::open(&self.file)?;
        let functions = files::functions(&service)?;
        let Some(name) = &self.function else {
            return self.output.print(&functions[..], overview);
        };
        let function = files::find(functions, name)?;
        let form = match (self.form, &self.out) {
            (Some(form), _) => Some(form),
            (None, Some(path)) => Some(FunctionFormat::of(path)?),
            (None, None) => None,
        };
        if let Some(form) = form {
            return self.write(&service, &function, form);
        }
        let shown = show(&service, &function)?;
        if self.output.json {
            return print_json(&shown);
        }
        let mut text = describe(&shown);
        let request = GetFunction {
            format: GraphFormat::Expression,
            ..request(&function)
        };
        // Some functions have no expression; the nodes are shown in any case.
        if let Ok(FunctionShown {
            expression: Some(expression),
            ..
        }) = service.get_function(&request)
        {
            let _ = write!(text, "\nAs an expression:\n{expression}\n");
        }
        print(&text)
    }

    fn write(
        &self,
        service: &Service,
        function: &FunctionInfo,
        form: FunctionFormat,
    ) -> Result<(), Failure> {
        let format = match form {
            FunctionFormat::Dot => TextFormat::Dot,
            FunctionFormat::Mermaid => TextFormat::Mermaid,
            FunctionFormat::Glsl => TextFormat::Glsl,
            FunctionFormat::Svg => return self.draw(service, function, PictureFormat::Svg),
            FunctionFormat::Png => return self.draw(service, function, PictureFormat::Png),
        };
        let written = service.function_text(&GetFunctionText {
            project: None,
            function_id: function.function_id,
            format,
            revision: None,
        })?;
        if self.output.json {
            if self.out.is_some() {
                let message = "--json cannot be combined with --out";
                let refusal = Refusal::new("invalid_arguments", message);
                return Err(refusal.hint("omit --json or --out").into());
            }
            return print_json(&written);
        }
        let mut text = String::new();
        for (block, numbers) in written.constants.iter().flatten() {
            let numbers: Vec<String> = numbers.iter().map(JsonFloat::to_string).collect();
            let _ = writeln!(text, "// {block}: {}", numbers.join(", "));
        }
        text.push_str(&written.text);
        match &self.out {
            Some(path) => {
                let mut file = AtomicFile::create(path, self.overwrite)?;
                file.write_all(text.as_bytes())?;
                file.finish()?;
                print(&format!("{}\n", path.display()))
            }
            None => print(&text),
        }
    }

    fn draw(
        &self,
        service: &Service,
        function: &FunctionInfo,
        format: PictureFormat,
    ) -> Result<(), Failure> {
        if self.output.json {
            let refusal = Refusal::new("invalid_arguments", "--json does not apply to pictures");
            return Err(refusal.hint("omit --json").into());
        }
        let file = match &self.out {
            Some(path) => Some((path, AtomicFile::create(path, self.overwrite)?)),
            None => None,
        };
        if file.is_none() && format == PictureFormat::Png {
            let refusal = Refusal::new(
                "invalid_arguments",
                "a PNG file cannot be written to a terminal",
            );
            return Err(refusal.hint("name a file: -o graph.png").into());
        }
        let request = GetFunctionPicture {
            project: None,
            function_id: function.function_id,
            format,
            revision: None,
        };
        let picture = with_progress(Unit::Parts, |progress| {
            service.function_picture(&request, progress)
        })?;
        let Some((path, mut file)) = file else {
            return print(&String::from_utf8_lossy(&picture.bytes));
        };
        file.write_all(&picture.bytes)?;
        file.finish()?;
        let [width, height] = picture.size;
        print(&format!("{}: {width} x {height} pixels\n", path.display()))
    }
}

fn request(function: &FunctionInfo) -> GetFunction {
    GetFunction {
        project: None,
        function_id: function.function_id,
        revision: None,
        format: GraphFormat::Graph,
        limit: None,
        cursor: None,
    }
}

/// Returns a function with all its nodes.
pub(super) fn show(service: &Service, function: &FunctionInfo) -> Result<FunctionShown, Failure> {
    let mut request = request(function);
    let mut shown = service.get_function(&request)?;
    while let Some(cursor) = shown.next_cursor.take() {
        request.cursor = Some(cursor);
        let page = service.get_function(&request)?;
        let nodes = shown.nodes.get_or_insert_default();
        nodes.extend(page.nodes.unwrap_or_default());
        shown.next_cursor = page.next_cursor;
    }
    shown.truncated = None;
    Ok(shown)
}

/// Formats functions as a table.
pub(super) fn overview(functions: &[FunctionInfo]) -> String {
    if functions.is_empty() {
        return "no functions\n".to_owned();
    }
    let row = |function: &FunctionInfo| {
        vec![
            function.function_id.to_string(),
            function.node_count.to_string(),
            function.link_count.to_string(),
            signature(function),
        ]
    };
    let head = ["id", "nodes", "links", "function"];
    table_with_head(&head, functions.iter().map(row))
}

fn signature(function: &FunctionInfo) -> String {
    let ty = FunctionType::new(function.inputs.clone(), function.outputs.clone());
    format!("{}{ty}", function.name)
}

/// Formats a function and its nodes, a line each.
pub(super) fn describe(shown: &FunctionShown) -> String {
    let mut text = format!("{}\n\n", signature(&shown.function));
    let nodes = shown.nodes.as_deref().unwrap_or_default();
    text.push_str(&table(&nodes.iter().map(node_row).collect::<Vec<_>>()));
    text
}

fn node_row(node: &NodeData) -> Vec<String> {
    let id = node.node_id.map(|id| id.to_string()).unwrap_or_default();
    let name = node.display_name.as_ref();
    let name = name.map_or_else(String::new, |name| format!("'{name}'"));
    let setting = |(parameter, setting): (&String, &Setting)| match setting {
        Setting::Value(value) => format!("{parameter} = {}", super::output::value_text(value)),
        Setting::Source(source) => format!("{parameter} <- {}.{}", source.node_id, source.port),
    };
    let settings: Vec<String> = node.parameters.iter().map(setting).collect();
    vec![id, node.node_type.clone(), name, settings.join(", ")]
}
