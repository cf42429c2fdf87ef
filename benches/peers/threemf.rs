//! Reading and writing 3MF files beside lib3mf, the official library, in the same run.
//!
//! `cargo bench -p fibula-peers --bench threemf`; lib3mf is measured where the Python that `FIBULA_LIB3MF` names has it
//! (`pip install lib3mf==2.5.0`), by turns with ours so that a busy machine disturbs both alike. Ours is the whole way
//! between a file and a project: what is read was checked, has a history and could be edited; lib3mf's is between a file and
//! its own model, unchecked. Times of both include the file system.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fibula::edit::Origin;
use fibula::graph::Document;
use fibula::service::{Import, Options, Service, WritePackage};

/// Turns that each gets.
const TURNS: usize = 9;

/// A file that is read and written.
struct Workload {
    name: &'static str,
    path: PathBuf,
}

/// The model part of a file with one long function and one large mesh.
fn model(nodes: usize, side: usize) -> String {
    let mut xml = String::from(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="millimeter"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12"><resources>
"#,
    );
    let mut write = |text: std::fmt::Arguments<'_>| {
        xml.write_fmt(text).expect("a string can grow");
    };
    if nodes > 0 {
        write(format_args!(
            r#"<i:implicitfunction id="1" displayname="long"><i:in><i:scalar identifier="x"/></i:in>"#
        ));
        let mut before = String::from("inputs.x");
        for node in 0..nodes {
            let kind = ["sin", "cos"][node % 2];
            write(format_args!(
                "<i:{kind} identifier=\"n{node}\"><i:in><i:scalarref identifier=\"A\" ref=\"{before}\"/></i:in>\
                 <i:out><i:scalar identifier=\"result\"/></i:out></i:{kind}>\n"
            ));
            before = format!("n{node}.result");
        }
        write(format_args!(
            r#"<i:out><i:scalarref identifier="y" ref="{before}"/></i:out></i:implicitfunction>"#
        ));
    }
    // A hilly surface over a square.
    write(format_args!(
        "<object id=\"2\" type=\"model\"><mesh><vertices>\n"
    ));
    for place in 0..side * side {
        let (x, y) = (place % side, place / side);
        let height = ((x * 7 + y * 13) % 97) as f64 * 0.01;
        write(format_args!(
            "<vertex x=\"{}\" y=\"{}\" z=\"{height}\"/>\n",
            x as f64 / 10.0,
            y as f64 / 10.0
        ));
    }
    write(format_args!("</vertices><triangles>\n"));
    for corner in (0..side * (side - 1)).filter(|corner| corner % side < side - 1) {
        let (right, above) = (corner + 1, corner + side);
        write(format_args!(
            "<triangle v1=\"{corner}\" v2=\"{right}\" v3=\"{above}\"/>\
             <triangle v1=\"{right}\" v2=\"{}\" v3=\"{above}\"/>\n",
            above + 1
        ));
    }
    write(format_args!(
        r#"</triangles></mesh></object></resources><build><item objectid="2"/></build></model>"#
    ));
    xml
}

/// A package with this model part, which has the other parts of one that is empty.
fn packed(model: &str) -> Vec<u8> {
    let mut empty = Cursor::new(Vec::new());
    fibula::format::threemf::write(
        &Document::default(),
        &|_| Ok(None),
        &fibula::format::threemf::WriteOptions::default(),
        &mut empty,
    )
    .expect("an empty project can be written");
    let mut from = zip::ZipArchive::new(empty).expect("a package is an archive");
    let mut to = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..from.len() {
        let part = from.by_index_raw(index).expect("it has this part");
        let name = part.name().expect("its name is text").into_owned();
        if name != "3D/3dmodel.model" {
            to.raw_copy_file(part).expect("memory can be written");
            continue;
        }
        drop(part);
        to.start_file(name, zip::write::SimpleFileOptions::default())
            .expect("memory can be written");
        to.write_all(model.as_bytes())
            .expect("memory can be written");
    }
    to.finish().expect("memory can be written").into_inner()
}

/// The files: two that are made here, and those of the field where they are.
fn workloads(folder: &Path) -> Vec<Workload> {
    let made = |name, nodes, side| {
        let path = folder.join(format!("{name}.3mf"));
        fs::write(&path, packed(&model(nodes, side))).expect("the folder can be written");
        Workload { name, path }
    };
    let mut all = vec![
        made("nodes-10000", 10_000, 2),
        made("triangles-1000000", 0, 708),
    ];
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/3mf");
    // Files are read below folders without detours.
    let samples = samples.canonicalize().unwrap_or(samples);
    for name in ["ImplicitGyroid", "SphereInACage", "RadialRadiator"] {
        let path = samples.join(name).with_extension("3mf");
        if path.is_file() {
            all.push(Workload { name, path });
        } else {
            println!("SKIPPED: {name}. There is no file {}", path.display());
        }
    }
    all
}

fn origin() -> Origin {
    Origin::program("bench", "import")
}

/// A new project with the contents of the file.
fn read(path: &Path) -> Service {
    let folder = path.parent().expect("a file is in a folder");
    let service = Service::new(&Options {
        roots: vec![folder.to_path_buf()],
        ..Options::default()
    });
    let request = Import {
        path: path.to_str().map(str::to_owned),
        ..Import::default()
    };
    service
        .import(&origin(), request)
        .unwrap_or_else(|refusal| panic!("{}: {refusal:?}", path.display()));
    service
}

/// Writes the project to a file.
fn write(service: &Service, path: &Path) {
    let mut bytes = Cursor::new(Vec::new());
    service
        .write_package(&WritePackage::default(), &mut bytes)
        .unwrap_or_else(|refusal| panic!("{refusal:?}"));
    fs::write(path, bytes.get_ref()).expect("the folder can be written");
}

/// A Python with lib3mf, which answers how long it takes.
struct Peer {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts it.
    ///
    /// # Errors
    /// Why there is none.
    fn start() -> Result<Peer, String> {
        let python = std::env::var("FIBULA_LIB3MF")
            .map_err(|_| "FIBULA_LIB3MF names no Python that has it".to_owned())?;
        let mut child = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/official.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python} does not start: {error}"))?;
        let mut peer = Peer {
            asked: child.stdin.take().expect("it is piped"),
            answers: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
        };
        println!("lib3mf {}", peer.line()?);
        Ok(peer)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("lib3mf ended; its Python says why above".to_owned()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(format!("lib3mf does not answer: {error}")),
        }
    }

    fn time(&mut self, paths: &[&Path]) -> Duration {
        let paths: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        writeln!(self.asked, "{}", paths.join("\t")).expect("lib3mf listens");
        let seconds = self.line().unwrap_or_else(|why| panic!("{why}"));
        Duration::from_secs_f64(seconds.parse().expect("it answers seconds"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It waits for lines that do not come; how it ends is nobody's concern.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn timed<R>(work: impl FnOnce() -> R) -> Duration {
    let begun = Instant::now();
    let result = work();
    let time = begun.elapsed();
    drop(result);
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn files(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("fibula-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a place for temporary files");
    let (ours, theirs) = (folder.join("ours.3mf"), folder.join("theirs.3mf"));
    let mut peer = Peer::start();
    if let Err(why) = &peer {
        println!("SKIPPED: lib3mf. {why}");
    }
    println!("\n3MF files: ms of ours, ms of lib3mf (times faster)");
    for Workload { name, path } in workloads(&folder) {
        let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let service = read(&path);
        let mut group = criterion.benchmark_group(format!("3mf/{name}"));
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(2))
            .throughput(Throughput::Bytes(size));
        group.bench_function("read", |b| b.iter(|| read(&path)));
        group.bench_function("write", |b| b.iter(|| write(&service, &ours)));
        group.finish();
        let Ok(peer) = &mut peer else {
            continue;
        };
        let mut times: [Vec<Duration>; 4] = std::array::from_fn(|_| Vec::with_capacity(TURNS));
        for _ in 0..TURNS {
            times[0].push(timed(|| read(&path)));
            times[1].push(peer.time(&[&path]));
        }
        for _ in 0..TURNS {
            times[2].push(timed(|| write(&service, &ours)));
            times[3].push(peer.time(&[&path, &theirs]));
        }
        let [read_ours, read_theirs, write_ours, write_theirs] =
            times.map(|times| median(times).as_secs_f64() * 1e3);
        let kilobytes = |path: &Path| fs::metadata(path).map_or(0, |file| file.len() / 1000);
        println!(
            "  {name:20} read {read_ours:9.2} {read_theirs:9.2} ({:.1} x)  write {write_ours:9.2} {write_theirs:9.2} ({:.1} x), \
             {} kB, {} kB",
            read_theirs / read_ours,
            write_theirs / write_ours,
            kilobytes(&ours),
            kilobytes(&theirs)
        );
    }
    let _ = fs::remove_dir_all(&folder);
}

criterion_group!(benches, files);
criterion_main!(benches);
