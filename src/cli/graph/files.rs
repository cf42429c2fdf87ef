//! Import and export of graphs, and pictures of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use fibula_graph_formats::{Format, detect};
use fibula_service::{
    AtomicFile, ExportGraph, GraphImported, ImportGraph, LayoutMethod, OnConflict, Refusal,
    RenderGraph, SketchFormat,
};

use super::named;
use crate::cli::convert::{ending, unknown_ending};
use crate::cli::data::{Data, StoreAccess};
use crate::cli::files::{in_new_project, origin, unreadable};
use crate::cli::output::{Failure, OutputArgs, print};
use crate::cli::progress::{Unit, with_progress};

#[derive(Debug, Args)]
pub(super) struct Import {
    /// The project; created if it does not exist.
    project: String,
    /// The file.
    file: PathBuf,
    /// The table of edges, if the file is a table of nodes in CSV.
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// The format, if it cannot be detected.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Handling of existing nodes and edges: skip, merge, replace, error or add.
    #[arg(long, value_name = "WHAT", default_value = "skip", value_parser = named::<OnConflict>)]
    on_conflict: OnConflict,
    /// Dry run: only report what would change.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Import {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let read = |file: &Path| -> Result<String, Failure> {
            let bytes = std::fs::read(file).map_err(unreadable(file))?;
            Ok(text(file, bytes)?)
        };
        let content = read(&self.file)?;
        let format = self.format.or_else(|| detected(&self.file, &content));
        let edges = self.edges.as_deref().map(read).transpose()?;
        if edges.is_some() && !matches!(format, None | Some(Format::Csv)) {
            let message = format!("{} is not a table in CSV", self.file.display());
            let hint = "--edges is for tables; other formats have nodes and edges in one file";
            let refusal = Refusal::new("invalid_arguments", message).hint(hint);
            return Err(refusal.into());
        }
        let request = ImportGraph {
            project: Some(self.project.clone()),
            format,
            content: Some(content),
            on_conflict: self.on_conflict,
            dry_run: self.dry_run,
            ..ImportGraph::default()
        };
        let service = data.service(StoreAccess::Make)?;
        let origin = origin("graph import");
        let import = || {
            with_progress(Unit::Bytes, |progress| match &edges {
                Some(edges) => service.import_tables(&origin, &request, edges, progress),
                None => service.import_graph(&origin, &request, progress),
            })
        };
        let done = if self.dry_run {
            import()?
        } else {
            in_new_project(&service, &self.project, import)?
        };
        self.output.print(&done, imported_text)
    }
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// The project.
    project: String,
    /// The file; - writes to standard output.
    file: PathBuf,
    /// The format, if the extension does not determine it: json, node-link, graphml, gexf, csv, cytoscape, dot,
    /// mermaid,
    /// memory-jsonl or json-ld.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Write the table of edges into this file, and that of nodes into the other, for CSV.
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// Name the list of edges of node-link "links", as d3 reads it.
    #[arg(long)]
    links: bool,
    /// Only nodes of this type; may be given several times.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Overwrite an existing file.
    #[arg(long)]
    overwrite: bool,
}

impl Export {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let format = self.format.map_or_else(|| by_extension(&self.file), Ok)?;
        let request = ExportGraph {
            project: Some(self.project),
            format,
            links: self.links,
            types: self.types,
            path: None,
            overwrite: self.overwrite,
            revision: None,
        };
        let service = data.service(StoreAccess::Read)?;
        let told = if self.file == Path::new("-") && self.edges.is_none() {
            let mut out = std::io::stdout().lock();
            service.write_graph(&request, &mut out)?
        } else if let Some(edges) = &self.edges {
            let mut tables = tables(&self.file, edges, self.overwrite)?;
            let [nodes, edges] = &mut tables;
            let told = service.write_graph_tables(&request, nodes, edges)?;
            for table in tables {
                table.finish()?;
            }
            told
        } else {
            let mut whole = AtomicFile::create(&self.file, self.overwrite)?;
            let told = service.write_graph(&request, &mut whole)?;
            whole.finish()?;
            told
        };
        for left in &told.left_out {
            let (format, count) = (format.name(), left.count);
            eprintln!("{format} cannot express {count} {}", left.name);
        }
        Ok(())
    }
}

/// Creates the files of a table of nodes and one of edges.
fn tables(nodes: &Path, edges: &Path, overwrite: bool) -> Result<[AtomicFile; 2], Failure> {
    let wrong = |message: String| {
        let refusal = Refusal::new("invalid_arguments", message);
        refusal.hint("name one file for the nodes, and after --edges another one for the edges")
    };
    if [nodes, edges].contains(&Path::new("-")) {
        let message = "standard output has no room for two tables; name a file for the nodes and one for the edges";
        return Err(wrong(message.to_owned()).into());
    }
    // A file that is not there yet is known by its folder.
    let real = |file: &Path| {
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let there = file.canonicalize();
        there.or_else(|_| folder.map(|folder| folder.join(file.file_name().unwrap_or_default())))
    };
    if real(nodes).map_err(unreadable(nodes))? == real(edges).map_err(unreadable(edges))? {
        let message = format!("{} and {} are one file", nodes.display(), edges.display());
        return Err(wrong(message).into());
    }
    let create = |file| AtomicFile::create(file, overwrite);
    Ok([create(nodes)?, create(edges)?])
}

/// Style of a picture.
#[derive(Debug, Clone, Copy, Args)]
struct SketchArgs {
    /// Boxes with labels in them.
    #[arg(long)]
    boxes: bool,
    /// Light on dark.
    #[arg(long)]
    dark: bool,
    /// Write the types of edges at them.
    #[arg(long)]
    edge_labels: bool,
}

#[derive(Debug, Args)]
pub(super) struct Draw {
    /// The project.
    project: String,
    /// The file.
    #[arg(short = 'o', long, value_name = "FILE")]
    out: PathBuf,
    /// Draw only the neighbourhood of this node.
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Radius of the neighbourhood in edges.
    #[arg(long, value_name = "N", default_value_t = 2)]
    depth: u32,
    /// force, layered, radial, grid or circle; where nodes are kept if left out.
    #[arg(long, value_name = "METHOD", value_parser = named::<LayoutMethod>)]
    layout: Option<LayoutMethod>,
    #[command(flatten)]
    look: SketchArgs,
    /// Overwrite an existing file.
    #[arg(long)]
    overwrite: bool,
}

impl Draw {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        let (out, look) = (&self.out, self.look);
        let request = RenderGraph {
            project: Some(self.project),
            format: sketch(out)?,
            node: self.node,
            depth: Some(self.depth),
            layout: self.layout,
            boxes: look.boxes,
            dark: look.dark,
            edge_labels: look.edge_labels,
            ..RenderGraph::default()
        };
        let service = data.reader(request.project.as_deref())?;
        let drawn = with_progress(Unit::Parts, |progress| {
            service.render_graph(&request, progress)
        })?;
        let mut whole = AtomicFile::create(out, self.overwrite)?;
        std::io::Write::write_all(&mut whole, &drawn.bytes)
            .map_err(|error| Refusal::unwritable("the file", &error))?;
        whole.finish()?;
        let [nodes, edges] = drawn.counts;
        let out = out.display();
        print(&format!("{out}: {nodes} nodes, {edges} edges\n"))
    }
}

fn format(word: &str) -> Result<Format, String> {
    let names = || Format::ALL.map(Format::name).join(", ");
    Format::parse(word).ok_or_else(|| format!("unknown format; the formats are {}", names()))
}

/// Decodes the text of a file.
pub(in crate::cli) fn text(file: &Path, bytes: Vec<u8>) -> Result<String, Refusal> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    // Without a length, the error is at the end: the writer was interrupted.
    if error.utf8_error().error_len().is_none() {
        eprintln!("{} ends in the middle of a character", file.display());
        return Ok(String::from_utf8_lossy(error.as_bytes()).into_owned());
    }
    let message = format!("{} is not UTF-8 text", file.display());
    Err(Refusal::new("invalid_content", message))
}

/// Detects the format of a text by its content and the name of its file.
pub(in crate::cli) fn detected(file: &Path, text: &str) -> Option<Format> {
    let name = file.file_name()?.to_str();
    detect(name, text.as_bytes())
}

/// Returns the format for the extension of a file.
fn by_extension(file: &Path) -> Result<Format, Refusal> {
    let ending = ending(file);
    let mut all = Format::ALL.into_iter();
    let found = all.find(|format| format.extension() == ending);
    found.ok_or_else(|| unknown_ending(file, "format of graphs", "say --format"))
}

/// Returns the format of a picture for the extension of a file.
fn sketch(file: &Path) -> Result<SketchFormat, Refusal> {
    Ok(match ending(file).as_str() {
        "png" => SketchFormat::Png,
        "svg" => SketchFormat::Svg,
        "html" => SketchFormat::Html,
        "mmd" => SketchFormat::Mermaid,
        "dot" => SketchFormat::Dot,
        _ => {
            let hint = "use a name that ends in .png, .svg, .html, .mmd or .dot";
            return Err(unknown_ending(file, "picture", hint));
        }
    })
}

/// Describes an import.
fn imported_text(done: &GraphImported) -> String {
    let mut text = format!(
        "{}: {} nodes, {} edges; {} made, {} merged, {} replaced, {} skipped\n",
        done.format.name(),
        done.node_count,
        done.edge_count,
        done.counts.made,
        done.counts.merged,
        done.counts.replaced,
        done.counts.skipped
    );
    for repair in &done.repairs {
        let (count, place) = (repair.count, &repair.place);
        let _ = writeln!(
            text,
            "repaired {count} times, first at {place}: {}",
            repair.message
        );
    }
    for warning in &done.warnings {
        let _ = writeln!(text, "{warning}");
    }
    text
}
