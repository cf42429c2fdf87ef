use std::ops::ControlFlow;

use super::*;
use crate::image::Image;

fn rasterised(shapes: Vec<Shape>) -> Image {
    let title = String::new();
    let scene = Scene {
        size: [60, 50],
        title: title.clone(),
        background: [255; 3],
        groups: vec![Group { title, shapes }],
        spelling: SvgSpelling::LinePerGroup,
    };
    let image = scene.image(1, &|_, _| ControlFlow::Continue(()));
    image.expect("the scene is small")
}

/// Area that is covered with black, in pixels.
fn ink(image: &Image) -> f64 {
    let dark = |pixel: &[u8; 3]| 1.0 - f64::from(pixel[0]) / 255.0;
    image.pixels().iter().map(dark).sum()
}

#[test]
fn texts_have_pixels() {
    let text = |text: &str, bold: bool| Shape::text([4.0, 4.0], text, bold, [0; 3]);
    let of = |text: Shape| ink(&rasterised(vec![text]));
    assert!(of(text("ä", false)) > 12.0);
    assert!(of(text("ä", true)) > 1.2 * of(text("ä", false)));
    assert!(of(text("ä", false)) > of(text("a", false)));
}

#[test]
fn shapes_that_are_not_finite_are_not_drawn() {
    let stroke = Stroke {
        colour: [0; 3],
        width: 2.0,
    };
    for x in [f64::NAN, f64::INFINITY, -f64::INFINITY, 2_f64.powi(32)] {
        let shapes = vec![
            Shape::text([x, 4.0], "a…", false, [0; 3]),
            Shape::polyline(&[[x, 4.0], [x, 9.0]], stroke),
        ];
        assert!(ink(&rasterised(shapes)) <= 0.0, "{x}");
    }
}

/// A path has the same pixels as the polyline of its points.
#[test]
fn paths_are_flattened() {
    let stroke = Stroke {
        colour: [0; 3],
        width: 3.0,
    };
    let straight = |segment: Segment| {
        rasterised(vec![Shape::Path {
            start: [5.0, 20.5],
            segments: vec![segment],
            stroke,
        }])
    };
    let end = [55.0, 20.5];
    let level = straight(Segment::Level(end));
    assert_eq!(level, straight(Segment::Line(end)));
    let curve = straight(Segment::Curve([[20.0, 20.5], [40.0, 20.5], end]));
    let difference = (ink(&level) - ink(&curve)).abs();
    assert!(difference < 0.1, "{difference}");
    let caps = std::f64::consts::PI * 1.5 * 1.5;
    assert!((ink(&level) - 150.0 - caps).abs() < 3.0, "{}", ink(&level));
}
