//! Pictures of graphs of functions: one that docs/parts.md shows, and what they cost.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::calls::{add, on};
use crate::large_graph::large_graph;
use fibula::format::diagram::layout::{Spacing, lay_out};
use fibula::service::{FunctionPicture, GetFunctionPicture, PictureFormat, Service};

/// The pixels of a PNG file, with its width and height.
fn read(bytes: &[u8]) -> ([usize; 2], Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("it is PNG");
    let mut data = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut data).expect("it has pixels");
    ([info.width as usize, info.height as usize], data)
}

fn picture(expression: &str, format: PictureFormat) -> FunctionPicture {
    let service = Service::default();
    let request = GetFunctionPicture {
        project: None,
        function_id: add(&service, "bracket", expression),
        format,
        revision: None,
    };
    let drawn = service.function_picture(&request, &mut on);
    drawn.expect("it can be drawn")
}

/// The picture that docs/parts.md shows is as it is drawn now; `FIBULA_BLESS=1 cargo test --test geometry pictures` draws it anew.
#[test]
fn the_kept_picture_of_a_graph_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pictures/graph.png");
    let path = PathBuf::from(path);
    let expression = "max(sqrt(pos.x * pos.x + pos.y * pos.y) - radius, abs(pos.z) - 4)";
    let drawn = picture(expression, PictureFormat::Png);
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, &drawn.bytes).expect("the picture can be written");
    }
    let (size, pixels) = read(&drawn.bytes);
    assert_eq!(size, drawn.size);
    let (kept_size, kept) = read(&std::fs::read(&path).expect("the picture is kept"));
    let hint = "docs/pictures/graph.png is out of date: FIBULA_BLESS=1 cargo test --test geometry pictures";
    assert_eq!(size, kept_size, "{hint}");
    let far = pixels
        .iter()
        .zip(&kept)
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = far.sum::<f64>() / pixels.len() as f64;
    assert!(mean < 0.05, "{hint}: {mean}");
    let white = pixels.iter().filter(|part| **part > 250).count();
    assert!(white * 100 < pixels.len() * 98, "something is drawn");
}

/// The layout asks whether to go on once a round of its work; rounds grow no faster than the graph does, which is the
/// count behind the times that `benches/graph.rs` measures.
#[test]
fn large_graphs_are_laid_out_in_rounds_that_grow_as_the_graph() {
    let rounds = [1_000, 10_000].map(|count| {
        let mut rounds = 0;
        let places = lay_out(&large_graph(count), &Spacing::default(), &mut || {
            rounds += 1;
            ControlFlow::Continue(())
        });
        let places = places.expect("it is not too large");
        assert!(places.crossings <= places.crossings_before);
        rounds
    });
    println!("{rounds:?} rounds");
    assert!(rounds[1] <= 12 * rounds[0], "{rounds:?}");
}
