//! The command line: commands on projects, files and expressions, and the two servers.
//!
//! Every command makes one or two calls of the [`Service`](fibula_service::Service). Exit codes: 0 for success, 1 for a
//! refusal, 2 for an error of the command line.

/// Runs the command that a variant holds.
macro_rules! run_command {
    ($command:expr, $commands:ident, $arguments:tt: $($name:ident),*) => {
        match $command { $($commands::$name(command) => command.run $arguments,)* }
    };
}

mod attachments;
mod backup;
mod bench;
mod check;
mod convert;
mod data;
mod doctor;
mod eval;
#[cfg(feature = "opentelemetry")]
mod export;
mod files;
mod functions;
mod graph;
mod heights;
mod interrupt;
mod library;
mod limits;
mod mask;
mod measure;
mod mesh;
mod nodes;
mod open;
mod output;
mod points;
mod portable;
mod progress;
mod project;
mod projects;
mod recover;
mod render;
mod sample;
mod servers;
mod slice;
mod subject;
mod telemetry;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use data::default_store;
use output::Failure;

/// Typed node-graph function editor: a service for agents (MCP) and a tool for 3MF functions and expressions.
#[derive(Debug, Parser)]
#[command(name = "fibula", version, about, max_term_width = 100)]
struct Arguments {
    /// Command; default: `serve`.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP over HTTP at /mcp and REST at /api, for any number of agents and programs.
    Serve(servers::Serve),
    /// Serve MCP over standard input and output, for the one agent that started this process.
    Mcp(servers::Mcp),
    /// List the projects.
    Projects(projects::Projects),
    /// Show the history of a project, newest change first.
    #[command(after_help = "Example: fibula history bracket --limit 5 --changes")]
    History(projects::History),
    /// Change a project, or the list of projects: undo, checkpoint, restore, files, rename, copy, delete, compact,
    /// redact.
    #[command(
        after_help = "Examples:\n  fibula project checkpoint bracket 'before the holes'\n  \
        fibula project restore bracket --checkpoint 'before the holes'\n  \
        fibula project files add bracket drawing.pdf\n  \
        fibula project delete old-bracket"
    )]
    Project(project::Project),
    /// Write a whole project, with its history, to a file that any Fibula can import, or as a 3MF file.
    #[command(after_help = "Examples:\n  fibula export bracket bracket.jsonl\n  \
        fibula export bracket bracket.3mf\n  \
        fibula export bracket --without-history | gzip > bracket.jsonl.gz")]
    Export(portable::Export),
    #[command(about = portable::import_about(), long_about = format!(
        "{}.\n\nThe format is detected from the content. A project that was exported becomes a new project, with its \
         history. The content of a 3MF file (functions, objects, images, the build, and preserved data of other \
         programs), or the formula of a .vm file, is imported into the project that --project names; without it the \
         file is only read, and its functions, repairs and omissions are listed.",
        portable::import_about()
    ))]
    #[command(after_help = "Examples:\n  fibula import bracket.jsonl\n  \
        fibula import bracket.jsonl --as bracket-2\n  \
        fibula import part.3mf\n  \
        fibula import part.3mf --project bracket\n  \
        fibula import prospero.vm --project bracket")]
    Import(portable::Import),
    #[command(about = convert::about())]
    #[command(after_help = "Examples:\n  fibula convert part.3mf clean.3mf\n  \
        fibula convert part.3mf part.jsonl\n  fibula convert prospero.vm prospero.3mf --dialect specification")]
    Convert(convert::Convert),
    #[command(about = check::about(), long_about = format!(
        "{}.\n\nErrors are rejected by Fibula, while other programs differ: cycles, type mismatches, dangling \
         references, duplicate identifiers. Repairs are wrong but unambiguous. Warnings are allowed, but probably \
         unintended.",
        check::about()
    ))]
    #[command(
        after_help = "Exit codes: 0 without errors, 1 with errors (--strict: with any finding) or if a file \
        cannot be read, 2 for a wrong command line\n\nExamples:\n  fibula check part.3mf\n  \
        fibula check --strict --quiet *.3mf\n  fibula check part.3mf --json"
    )]
    Check(check::Check),
    /// Copy the store into a new file, while others work.
    #[command(
        after_help = "Example: fibula backup fibula-2026-01-31.db\n\nThe copy is a store itself: fibula projects --data fibula-2026-01-31.db"
    )]
    Backup(backup::Backup),
    /// Replay every project, and report damage and how to save the rest; changes nothing.
    Verify(backup::Verify),
    /// Write what is left of a damaged store into a new one, and report what is lost; the damaged one is not changed.
    ///
    /// The history of each project is copied up to the damage; later changes are taken from the next snapshot, or
    /// applied again where that is possible.
    #[command(after_help = "Example: fibula recover recovered.db")]
    Recover(recover::Recover),
    /// List the functions of a 3MF or .vm file, or show one of them.
    #[command(
        after_help = "Examples:\n  fibula functions part.3mf\n  fibula functions part.3mf sphere\n  \
        fibula functions part.3mf sphere --as dot | dot -Tsvg > sphere.svg"
    )]
    Functions(functions::Functions),
    /// Evaluate a function of a 3MF or .vm file.
    #[command(after_help = "Examples:\n  fibula eval part.3mf sphere --at 1,2,3\n  \
        fibula eval part.3mf sphere --at 1,2,3 --arg radius=5 --trace\n  \
        fibula eval part.3mf sphere --arg radius=5 --grid -5,-5,-5 5,5,5 64 --out sphere.npy\n  \
        fibula eval prospero.vm --plane -1,-1,0 1,1,0 1024 --precision f32 --out prospero.f32\n  \
        fibula eval part.3mf sphere --arg radius=5 --points sensors.csv --gradient --format csv")]
    Eval(eval::Eval),
    /// Evaluate an expression, or show its function.
    #[command(after_help = "Examples:\n  fibula expr 'length(pos)-5' --at 8,0,0\n  \
        fibula expr 'a^2 + b' --arg a=3 --arg b=1\n  fibula expr 'sin(x)*cos(y)' --graph\n  \
        fibula expr 'length(pos)-5' --box 0,0,0 1,1,1 --lipschitz\n  \
        fibula expr 'sin(x)' --line 0,0,0 3.14,0,0 100 --format csv")]
    Expr(eval::Expr),
    /// Render the build of a file or project, an object, a function or an expression as a PNG file.
    ///
    /// A function's shape is where it is below 0. Clipped faces are shown in another colour.
    #[command(after_help = "Examples:\n  fibula render part.3mf --out part.png\n  \
        fibula render part.3mf --function bracket --out bracket.png\n  \
        fibula render part.3mf --view sheet --size 1024x1024 --out part.png\n  \
        fibula render --library gyroid --bounds -10,-10,-10 10,10,10 --out gyroid.png\n  \
        fibula render -e 'shell(sphere(pos, 8), 1)' --section x=0 --orbit=-30,20 --out shell.png")]
    Render(Box<render::Render>),
    #[command(about = mesh::about(), long_about = mesh::long_about())]
    #[command(after_help = "Examples:\n  fibula mesh part.3mf -o part.stl\n  \
        fibula mesh part.3mf --object 5 --cell 0.2 -o foot.stl\n  \
        fibula mesh -e 'sphere(pos, 5)' --cell 0.2 -o ball.stl\n  \
        fibula mesh part.3mf --function bracket --bounds 0,0,0 80,40,20 --cell 0.5 -o bracket.glb\n  \
        fibula mesh part.3mf -o plain.3mf\n  \
        fibula mesh part.3mf --parts -o part.stl\n  \
        fibula mesh scan.stl --simplify 0.05 -o smaller.stl")]
    Mesh(Box<mesh::Mesh>),
    /// Measure the build, an object, a function or an expression, or compare two of them.
    ///
    /// Volume, area, centre of mass, inertia, pieces, holes, walls, gaps and overhangs, each with its error; of two things
    /// how near they are, what they have in common, and how far their surfaces are apart.
    #[command(after_help = "Examples:\n  fibula measure part.3mf\n  \
        fibula measure part.3mf --function bracket --cell 0.2 --overhang 50 --json\n  \
        fibula measure part.3mf --function shaft --to-function hole\n  \
        fibula measure part.3mf --to changed.3mf\n  \
        fibula measure -e 'sphere(pos, 5)' --to-expression 'box(pos, vec3(8, 8, 8))'")]
    Measure(Box<measure::Measure>),
    /// Slice the build, an object, a function or an expression into closed contours: SVG, CLI or JSON.
    #[command(
        after_help = "Examples:\n  fibula slice part.3mf --at 2.5 -o part.svg\n  \
        fibula slice part.3mf --layer 0.2 -o part.cli\n  \
        fibula slice -e 'max(gyroid(pos, 8, 1), box(pos, vec3(20, 20, 20)))' --at -5,0,5 -o gyroid.json"
    )]
    Slice(slice::Slice),
    /// Rasterize layers for printers that expose whole layers (resin printers): PNG images, several in a ZIP file.
    #[command(
        after_help = "Examples:\n  fibula mask part.3mf --layer 0.05 --pixel 0.05 -o layers.zip\n  \
        fibula mask part.3mf --at 2.5 --pixel 0.05 -o layer.png"
    )]
    Mask(mask::Mask),
    /// Search, show, traverse, analyse, draw, import and export the knowledge graph of a project.
    #[command(after_help = "Examples:\n  fibula graph import notes memory.jsonl\n  \
        fibula graph search notes 'tumor supressor'\n  fibula graph show notes TP53\n  \
        fibula graph path notes TP53 'Type 2 Diabetes'\n  \
        fibula graph analyze notes communities\n  \
        fibula graph draw notes -o notes.html\n  \
        fibula graph export notes notes.graphml")]
    Graph(graph::Graph),
    /// Benchmark evaluation on this machine, with known functions and one from a file.
    #[command(after_help = "Examples:\n  fibula bench\n  fibula bench prospero.vm")]
    Bench(bench::Bench),
    /// List the functions that come with Fibula, for shapes, lattices and operators, or show one of them.
    #[command(
        after_help = "Examples:\n  fibula library\n  fibula library gyroid\n  fibula library smooth"
    )]
    Library(library::Library),
    /// Find faults of the set-up: the program, the store, the port, and the configurations of MCP clients.
    #[command(
        after_help = "Exit codes: 0 without errors, 1 with errors. Configurations of Claude Desktop, Claude Code, Cursor, VS \
        Code, Windsurf, Codex, Gemini CLI, LM Studio and Zed are read.\n\nExamples:\n  fibula doctor\n  \
        fibula doctor --listen 0.0.0.0:7878 --json"
    )]
    Doctor(doctor::Doctor),
    /// List the kinds of nodes, or describe those that match.
    #[command(
        after_help = "Examples:\n  fibula nodes\n  fibula nodes Sine\n  fibula nodes 'matrix vector'"
    )]
    Nodes(nodes::Nodes),
}

/// Runs the program on the arguments after its name; `serve` if there are none. Asked for help or called wrongly, it prints
/// and ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words = vec![OsString::from("fibula")];
    words.extend(arguments);
    if words.len() == 1 {
        words.push("serve".into());
    }
    let arguments = Arguments::parse_from(words);
    let done = run_command!(arguments.command, Command, (): Serve, Mcp, Projects, History, Project,
        Export, Import, Convert, Check, Backup, Verify, Recover, Functions, Eval, Expr, Render, Mesh, Measure,
        Slice, Mask, Graph, Bench, Doctor, Library, Nodes);
    match done {
        // A reader that stops reading is no error.
        Ok(()) | Err(Failure::Closed) => ExitCode::SUCCESS,
        // The findings are printed already.
        Err(Failure::Found) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("fibula: {failure}");
            ExitCode::FAILURE
        }
    }
}
