//! docs/gallery.md: finished parts and the whole library, each with the command that draws it. The commands are run,
//! and what they draw is compared with the pictures that are kept.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fibula::library::{self, Group};
use fibula::service::WritePackage;

use super::gallery::{cut_off, picture};

#[expect(dead_code, reason = "only the project of the example is taken")]
#[path = "../../../examples/gyroid_vase.rs"]
mod gyroid_vase;

/// A finished part: the title, what there is to see, and the command, which writes the picture of this name.
struct Shown {
    title: &'static str,
    about: &'static str,
    command: &'static str,
}

const PARTS: [Shown; 10] = [
    Shown {
        title: "A vase",
        about: "Its wall is a gyroid, and its colour a function of the height.",
        command: "fibula render gyroid-vase.3mf --orbit=-60,20 --size 240x300 -o vase.png",
    },
    Shown {
        title: "The vase, cut open",
        about: "The wall is as thick as the lip, the foot is solid, and a section shows the colours inside.",
        command: "fibula render gyroid-vase.3mf --orbit=-75,20 --section y=0 --size 240x300 -o vase-open.png",
    },
    Shown {
        title: "Slices of the vase",
        about: "Foot, belly, belly and neck, as a machine would build them.",
        command: "fibula slice gyroid-vase.3mf --at 2,20,45,70 --cell 0.5 --size 384x384 -o vase-slices.png",
    },
    Shown {
        title: "The graph of the vase's profile",
        about: "An expression becomes a graph of typed nodes: this one says the radius at every height.",
        command: "fibula functions gyroid-vase.3mf profile -o vase-profile.png",
    },
    Shown {
        title: "A flange, from four sides",
        about: "Cylinders, of which others are taken away.",
        command: "fibula render --view sheet --size 400x400 -o flange.png -e '
  let hub = union(cylinder(pos, 20, 6), cylinder(pos - vec3(0, 0, 8), 10, 16));
  let screws = cylinder(repeat_polar(pos, 6) - vec3(15, 0, 0), 2, 20);
  difference(smooth_union(cylinder(pos, 20, 6), hub, 2), union(cylinder(pos, 6, 60), screws))'",
    },
    Shown {
        title: "A helical gear",
        about: "Teeth are a wave around the axis, and the whole is twisted.",
        command: "fibula render --orbit=-60,40 --size 288x240 -o gear.png -e '
  let c = to_cylindrical(twist(pos, 110));
  let teeth = c.x - 15 - 1.6 * clamp(2 * sin(c.y * 18), -1, 1);
  let body = max(teeth, abs(z) - 5);
  difference(difference(body, cylinder(pos - vec3(0, 0, 7), 11, 8)), cylinder(pos, 4, 20))'",
    },
    Shown {
        title: "A handle",
        about: "A rectangle swept along a polyline with rounded corners, and feet with fillets.",
        command: "fibula render --orbit=-55,25 --size 320x200 -o handle.png -e '
  let bar = sweep_polyline(rounded_rectangle(pos, 5, 10, 2), -30,0,0, -22,0,24, 22,0,24, 30,0,0, radius = 8);
  let feet = cylinder(mirror(pos, vec3(1, 0, 0)) - vec3(30, 0, -1), 9, 6);
  fillet_union(feet, bar, 1.5)'",
    },
    Shown {
        title: "A hull with a gyroid inside, cut open",
        about: "A wall along the gyroid splits the inside in two; in perspective.",
        command: "fibula render --section y=0 --orbit=-62,24 --perspective 35 --zoom 1.2 --size 320x240 \\
  -o hull.png -e '
  let hull = rounded_box(pos, vec3(48, 26, 26), 6);
  let pipes = min(cylinder(rotate_y(pos - vec3(26, 0, 6), pi / 2), 4, 10),
                  cylinder(rotate_y(pos + vec3(26, 0, 6), pi / 2), 4, 10));
  let inside = min(offset(hull, -1.6), offset(pipes, -1.2));
  difference(smooth_union(hull, pipes, 2), max(inside, -gyroid(pos, 12, 1)))'",
    },
    Shown {
        title: "A heat sink in the colours of its temperature",
        about: "Another output of the same function, with a legend.",
        command: "fibula render --color temperature --orbit=-50,28 --zoom 0.85 --size 320x256 -o sink.png -e '
  let fins = box(repeat_limited(pos - vec3(0, 0, 12), vec3(5, 99, 99), vec3(8, 1, 1)), vec3(1.6, 40, 20));
  shape = union(box(pos, vec3(40, 40, 4)), fins);
  temperature = 30 + 50 * exp(-(z + 2) / 14 - length(vec3(x, y, 0)) / 60)'",
    },
    Shown {
        title: "What a distance looks like",
        about: "The values of a function in a plane, blue inside and orange outside, with lines at equal steps.",
        command: "fibula slice --at 0 --field --bounds -14,-11,-4 18,11,4 --size 384x300 -o field.png -e '
  let plate = smooth_union(sphere(pos, 8), box(pos - vec3(8, 0, 0), vec3(10, 8, 8)), 3);
  difference(plate, cylinder(pos - vec3(8, 0, 0), 2.2, 30))'",
    },
];

const HEAD: &str = "# Gallery

Every picture here is drawn by Fibula, with the command beside it. `gyroid-vase.3mf` is written by
`cargo run --example gyroid_vase`; everything else is in the command. What the words mean is in [parts.md](parts.md).

This page is generated: do not edit it. Tests run the commands of the parts, and those of every fourth function.
";

const LIBRARY_HEAD: &str = "
## The library

The example of each function of the library; what they do is in [library.md](library.md). Shapes without an end are cut
off by `--bounds`, and what is cut is brown.
";

/// The words of a command, as a shell takes them: what is in single quotes is one, and lines go on after a `\`.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            let is_word = |word: &&str| *word != "\\";
            words.extend(part.split_whitespace().filter(is_word).map(str::to_owned));
        }
    }
    words
}

/// The name of the file that a command writes.
fn file(command: &str) -> String {
    let words = words(command);
    let place = words.iter().position(|word| word == "-o");
    words[place.expect("every command writes a file") + 1].clone()
}

/// Runs a command in a folder, and gives the file that it wrote.
fn run(folder: &Path, command: &str) -> Vec<u8> {
    let words = words(command);
    assert_eq!(words[0], "fibula");
    let mut program = Command::new(env!("CARGO_BIN_EXE_fibula"));
    program.args(&words[1..]).arg("--overwrite");
    let output = program.current_dir(folder).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {errors}");
    assert!(errors.is_empty(), "{command}: {errors}");
    std::fs::read(folder.join(file(command))).expect("it was written")
}

/// The size and the red, green and blue of all pixels of a PNG file.
fn pixels(png: &[u8]) -> Option<([u32; 2], Vec<u8>)> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut data = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut data).ok()?;
    Some(([info.width, info.height], data))
}

/// Mean distance of two pictures, in steps of 255.
fn distance(one: &[u8], other: &[u8]) -> f64 {
    let (Some((size, one)), Some((other_size, other))) = (pixels(one), pixels(other)) else {
        return f64::INFINITY;
    };
    if size != other_size || one.len() != other.len() {
        return f64::INFINITY;
    }
    let pairs = one.iter().zip(&other);
    let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / one.len() as f64
}

fn kept(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures/gallery");
    folder.join(name)
}

/// The command that draws the example of a function of the library, in some size.
fn example(function: &library::LibraryFunction, size: [usize; 2]) -> String {
    let name = &function.name;
    let mut command = format!("fibula render --library {name}");
    if let Some(bounds) = cut_off(function) {
        let [low, high] = [bounds.low(), bounds.high()].map(|[x, y, z]| format!("{x},{y},{z}"));
        let _ = write!(command, " --bounds {low} {high}");
    }
    let [azimuth, elevation] = function.shown.from;
    let [width, height] = size;
    let _ = write!(
        command,
        " --orbit={azimuth},{elevation} --size {width}x{height} -o {name}.png"
    );
    command
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for Shown {
        title,
        about,
        command,
    } in &PARTS
    {
        let name = file(command);
        let _ = write!(
            page,
            "\n## {title}\n\n{about}\n\n![{title}](pictures/gallery/{name})\n\n```console\n$ {command}\n```\n"
        );
    }
    page.push_str(LIBRARY_HEAD);
    for group in Group::ALL {
        let _ = write!(page, "\n### {}\n\n| | |\n|---|---|\n", group.title());
        for function in library::functions().iter().filter(|one| one.group == group) {
            let name = &function.name;
            let command = example(function, super::gallery::SIZE);
            let _ = writeln!(
                page,
                "| ![{name}](pictures/library/{name}.png) | [{name}](library.md#{name})<br>`{command}` |"
            );
        }
    }
    page
}

#[test]
fn gallery_md_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gallery.md");
    let page = page();
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == page,
        "docs/gallery.md is out of date: FIBULA_BLESS=1 cargo test --test geometry pictures"
    );
}

/// The pictures of finished parts look as their commands draw them; `FIBULA_BLESS=1 cargo test --test geometry pictures` draws
/// those anew that do not.
#[test]
fn commands_of_the_gallery_draw_its_pictures() {
    /// Other processors round differently, which moves edges by less than a pixel.
    const TOLERANCE: f64 = 1.0;
    let folder = tempfile::tempdir().expect("a folder");
    let mut package = std::io::Cursor::new(Vec::new());
    let vase = gyroid_vase::project().expect("the vase is made");
    let written = vase.write_package(&WritePackage::default(), &mut package);
    written.expect("it can be written");
    let path = folder.path().join("gyroid-vase.3mf");
    std::fs::write(path, package.get_ref()).expect("a new file");
    let bless = std::env::var_os("FIBULA_BLESS").is_some();
    let (mut wrong, mut all) = (Vec::new(), Vec::new());
    for Shown { command, .. } in &PARTS {
        let path = kept(&file(command));
        let drawn = run(folder.path(), command);
        let far = || distance(&drawn, &std::fs::read(&path).unwrap_or_default());
        let mut now = far();
        if now > TOLERANCE && bless {
            std::fs::write(&path, &drawn).expect("the picture can be written");
            now = far();
        }
        if now > TOLERANCE {
            wrong.push((path, now));
        }
        assert!(drawn.len() < 120_000, "{command}: {} bytes", drawn.len());
        all.push(drawn);
    }
    assert!(
        wrong.is_empty(),
        "docs/pictures/gallery is out of date: FIBULA_BLESS=1 cargo test --test geometry pictures; {wrong:?}"
    );
    for (place, one) in all.iter().enumerate() {
        for other in &all[..place] {
            assert!(distance(one, other) > 3.0 * TOLERANCE, "others are far");
        }
    }
}

/// The commands of the page draw the examples as the pictures are drawn that are kept, here in a smaller size.
#[test]
fn commands_draw_the_examples_of_the_library() {
    const SIZE: [usize; 2] = [64, 48];
    let folder = tempfile::tempdir().expect("a folder");
    // All commands are made alike; each group has some.
    for function in library::functions().iter().step_by(4) {
        let command = example(function, SIZE);
        let own = picture(function, SIZE, true).png();
        let found = pixels(&run(folder.path(), &command));
        assert_eq!(found, pixels(&own), "{command}");
    }
}
