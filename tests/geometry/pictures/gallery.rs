//! Pictures of the library's functions, one of each example, that docs/library.md shows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;

use fibula::eval::Tape;
use fibula::geometry::picture::{Camera, Image, Picture};
use fibula::geometry::{Bounds, Shape, search_bounds};
use fibula::graph::Document;
use fibula::graph::model::Unit;
use fibula::library::{self, LibraryFunction};

/// The size of the pictures that are kept.
pub(crate) const SIZE: [usize; 2] = [320, 240];

/// Path of the picture of a function.
fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/docs/pictures/library"
    ));
    folder.join(format!("{name}.png"))
}

fn tape(function: &LibraryFunction) -> Tape {
    let mut document = Document::default();
    let id = library::add_function(&mut document, "example", &function.example);
    Tape::new(&document, id.expect("it is right")).expect("it is whole")
}

/// Region of each function's example that is shown, and whether it cuts the shape, as it does if that is unbounded.
static SHOWN: LazyLock<BTreeMap<&str, (Bounds, bool)>> = LazyLock::new(|| {
    let cut = |[low, high]: [[f64; 3]; 2]| (Bounds::new(low, high).expect("it is a box"), true);
    let shown = |function: &LibraryFunction| {
        if let Some(corners) = function.shown.bounds {
            return cut(corners);
        }
        let tape = tape(function);
        let shape = Shape::new(&tape).expect("examples are shapes");
        search_bounds(&shape, &|_, _| ControlFlow::Continue(()))
            .map_or_else(|_| cut([[-10.0; 3], [10.0; 3]]), |found| (found, false))
    };
    let all = library::functions().iter();
    all.map(|function| (&*function.name, shown(function)))
        .collect()
});

/// The box that cuts a function's example off, if it is not all shown.
pub(crate) fn cut_off(function: &LibraryFunction) -> Option<Bounds> {
    let (bounds, is_cut) = SHOWN[&*function.name];
    is_cut.then_some(bounds)
}

/// The picture of a function's example.
pub(crate) fn picture(function: &LibraryFunction, size: [usize; 2], marks: bool) -> Image {
    let tape = tape(function);
    let shape = Shape::new(&tape).expect("examples are shapes");
    let (bounds, _) = SHOWN[&*function.name];
    let [azimuth, elevation] = function.shown.from.map(f64::to_radians);
    let picture = Picture {
        size,
        marks,
        unit: Some(Unit::Millimeter),
        ..Picture::new(Camera::orbit(azimuth, elevation))
    };
    picture.draw(&shape, &bounds).expect("it can be drawn")
}

/// A kept picture, a quarter as large.
fn kept(name: &str) -> Option<Vec<[f64; 3]>> {
    let file = std::fs::File::open(path(name)).ok()?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut data = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut data).ok()?;
    if [info.width as usize, info.height as usize] != SIZE {
        return None;
    }
    let mean = |place: usize| {
        let (x, y) = (place % SMALL[0] * 4, place / SMALL[0] * 4);
        let sum = |part: usize| {
            let all = (0..16).map(|at| ((y + at / 4) * SIZE[0] + x + at % 4) * 3 + part);
            all.map(|at| f64::from(data[at])).sum::<f64>()
        };
        [sum(0) / 16.0, sum(1) / 16.0, sum(2) / 16.0]
    };
    Some((0..SMALL[0] * SMALL[1]).map(mean).collect())
}

/// The size in which pictures are compared.
const SMALL: [usize; 2] = [SIZE[0] / 4, SIZE[1] / 4];

/// Mean distance of a picture from one that is kept, in steps of 255, without the lower corners, where the marks are.
fn distance(function: &LibraryFunction, from: &str) -> f64 {
    let Some(kept) = kept(from) else {
        return f64::INFINITY;
    };
    let drawn = picture(function, SMALL, false);
    let is_shape = |place: &usize| {
        let (x, y) = (place % SMALL[0], place / SMALL[0]);
        y < SMALL[1] * 3 / 4 || (x > SMALL[0] / 3 && x < SMALL[0] * 3 / 4)
    };
    let places: Vec<usize> = (0..drawn.pixels().len()).filter(is_shape).collect();
    let far = |&place: &usize| {
        let parts = drawn.pixels()[place].iter().zip(kept[place]);
        parts.map(|(a, b)| (f64::from(*a) - b).abs()).sum::<f64>() / 3.0
    };
    places.iter().map(far).sum::<f64>() / places.len() as f64
}

/// The pictures that are kept look as they are drawn now; `FIBULA_BLESS=1 cargo test --test geometry pictures` draws those anew
/// that do not.
#[test]
fn kept_pictures_are_up_to_date() {
    /// Edges are less smooth in small pictures; lattices, which are all edges, differ by 4.
    const TOLERANCE: f64 = 6.0;
    let bless = std::env::var_os("FIBULA_BLESS").is_some();
    let mut wrong = Vec::new();
    for function in library::functions() {
        let mut far = distance(function, &function.name);
        if far > TOLERANCE && bless {
            let png = picture(function, SIZE, true).small_png();
            std::fs::write(path(&function.name), png).expect("the picture can be written");
            far = distance(function, &function.name);
        }
        if far > TOLERANCE {
            wrong.push((function.name.clone(), far));
        }
    }
    for function in library::functions() {
        let kept = std::fs::metadata(path(&function.name)).map_or(0, |kept| kept.len());
        assert!(kept < 25_000, "{}: {kept} bytes", function.name);
    }
    let torus = library::find("torus").expect("it is there");
    assert!(distance(torus, "tube") > 3.0 * TOLERANCE, "others are far");
    assert!(
        wrong.is_empty(),
        "docs/pictures/library is out of date: FIBULA_BLESS=1 cargo test --test geometry pictures; {wrong:?}"
    );
}
