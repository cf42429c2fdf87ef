//! Pictures of shapes: silhouettes, light, cuts, sections, sides, and what has none.

mod gallery;
mod graphs;
mod meshes;
mod page;
mod parts;

use std::f64::consts::PI;
use std::ops::ControlFlow;

use fibula::eval::Tape;
use fibula::geometry::picture::{
    Camera, Colouring, Image, Picture, PictureError, PixelSamples, Plot, Section, Sheet, View,
};
use fibula::geometry::{Bounds, Shape, ShapeError};
use fibula::graph::Document;
use fibula::library;

fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let id = library::add_function(&mut document, "made", text).expect("it is right");
    Tape::new(&document, id).expect("it is whole")
}

fn cube(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).expect("it is a box")
}

/// A picture without a grid, scale and axes.
fn plain(camera: impl Into<Camera>, side: usize) -> Picture {
    Picture {
        size: [side; 2],
        marks: false,
        ..Picture::new(camera)
    }
}

fn drawn(text: &str, bounds: &Bounds, picture: &Picture) -> Image {
    let tape = tape(text);
    let shape = Shape::new(&tape).expect("it is a shape");
    picture.draw(&shape, bounds).expect("it can be drawn")
}

/// Number of pixels of a picture that are not background.
fn covered(image: &Image) -> usize {
    let ground = image.at(0, 0);
    let differs = |pixel: &&[u8; 3]| **pixel != ground;
    image.pixels().iter().filter(differs).count()
}

fn bluish([red, _, blue]: [u8; 3]) -> bool {
    blue > red
}

#[test]
fn a_ball_covers_a_disc_from_all_sides() {
    let bounds = cube(5.0);
    for view in [View::Isometric, View::Front, View::Top] {
        let image = drawn("sphere(pos, 4)", &bounds, &plain(view, 64));
        let frame = if view == View::Isometric {
            // The corners of the box are farther from the middle than its sides.
            5.0 * (1.0 + 1.0 + 2.0) / 6.0_f64.sqrt()
        } else {
            5.0
        };
        let radius = 4.0 / frame * 32.0 * 0.86;
        let (found, expected) = (covered(&image) as f64, PI * radius * radius);
        // Half of the pixels on the rim, which are counted whole.
        let rim = PI * radius;
        let off = (found - expected - rim).abs();
        assert!(off < rim, "{view:?}: {found} {expected}");
    }
}

#[test]
fn light_comes_from_the_upper_left() {
    let image = drawn("sphere(pos, 4)", &cube(5.0), &plain(View::Front, 64));
    let bright = |x: usize, y: usize| {
        image
            .at(x, y)
            .iter()
            .map(|part| u32::from(*part))
            .sum::<u32>()
    };
    assert!(bright(24, 22) > bright(32, 32), "the upper left");
    assert!(bright(32, 32) > bright(44, 46), "the lower right");
    // The same ball as a field that is no distance at all looks the same.
    let text = "(x*x + y*y + z*z - 16) * 1000";
    let steep = drawn(text, &cube(5.0), &plain(View::Front, 64));
    let steep = steep.pixels().iter().flatten();
    let pairs = image.pixels().iter().flatten().zip(steep);
    let far: u32 = pairs.map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    let mean = f64::from(far) / (64.0 * 64.0 * 3.0);
    assert!(mean < 1.0, "{mean}");
}

#[test]
fn depths_decide_what_is_in_front() {
    // A small ball before a large one, and the other way round.
    let text = "min(length(pos - vec3(0, 6, 0)) - 3, length(pos + vec3(0, 6, 0)) - 1)";
    let bounds = cube(10.0);
    let field = Picture {
        colouring: Some(Colouring {
            output: 0,
            range: Some([-1.0, 1.0]),
            title: String::new(),
        }),
        ..plain(View::Front, 48)
    };
    // On the surface the value is 0, the middle of the colours, wherever it is.
    let colours = drawn(text, &bounds, &field);
    let [red, green, blue] = colours.at(24, 24);
    assert!(green > red && green > blue, "{:?}", colours.at(24, 24));
    // The small ball's rim is seen before the large one, and not from behind.
    let front = drawn(text, &bounds, &plain(View::Front, 96));
    let back = drawn(text, &bounds, &plain(View::Back, 96));
    let rim = |image: &Image| {
        let row: Vec<u32> = (48..60).map(|x| u32::from(image.at(x, 48)[0])).collect();
        row.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max()
    };
    let [back, front] = [rim(&back), rim(&front)];
    assert!(front > back.map(|rim| rim * 2), "{front:?}");
}

#[test]
fn what_the_bounds_cut_is_capped_and_has_its_own_colour() {
    let solid = "sphere(pos, 8)";
    let image = drawn(solid, &cube(5.0), &plain(View::Front, 48));
    assert!(!bluish(image.at(24, 24)), "the cut face");
    // A box whose faces lie on the bounds is not cut.
    let text = "box(pos, vec3(10, 10, 10))";
    let touched = drawn(text, &cube(5.0), &plain(View::Front, 48));
    assert!(bluish(touched.at(24, 24)) && bluish(touched.at(10, 10)));
    // A wall of a gyroid is cut in lines, between which one sees in.
    let wall = drawn("gyroid(pos, 10, 1)", &cube(5.0), &plain(View::Front, 48));
    let cut = wall
        .pixels()
        .iter()
        .filter(|pixel| !bluish(**pixel))
        .count();
    let seen = covered(&wall);
    assert!(cut > seen / 10 && cut < seen * 2 / 3, "{cut} of {seen}");
}

#[test]
fn a_section_shows_what_is_inside() {
    let hollow = "shell(sphere(pos, 4), 1)";
    let whole = drawn(hollow, &cube(5.0), &plain(View::Front, 64));
    assert!(whole.pixels().iter().all(|pixel| bluish(*pixel)));
    let camera = Camera::from(View::Front);
    let cut = |normal| Picture {
        sections: vec![Section::new(normal, 0.0).expect("a plane").facing(&camera)],
        ..plain(View::Front, 64)
    };
    for normal in [[0.0, 1.0, 0.0], [0.0, -3.0, 0.0]] {
        let image = drawn(hollow, &cube(5.0), &cut(normal));
        let caps = image
            .pixels()
            .iter()
            .filter(|pixel| !bluish(**pixel))
            .count() as f64;
        let unit = 32.0 * 0.86 / 5.0;
        let ring = PI * (4.5 * 4.5 - 3.5 * 3.5) * unit * unit;
        assert!((caps / ring - 1.0).abs() < 0.15, "{caps} {ring}");
        assert!(bluish(image.at(32, 32)), "the inner side");
    }
    // Half of the ball is gone.
    let half = drawn(hollow, &cube(5.0), &cut([1.0, 0.0, 0.0]));
    let (half, whole) = (covered(&half), covered(&whole));
    assert!(half.abs_diff(whole / 2) < whole / 20, "{half} {whole}");
}

#[test]
fn each_view_sees_its_own_side() {
    // A bar along x, a ball at its positive end, a smaller one above.
    let text = "min(min(length(vec3(max(abs(x) - 6, 0), y, z)) - 1, length(pos - vec3(6, 0, 0)) - 3), \
                length(pos - vec3(0, 0, 5)) - 1.5)";
    let bounds = cube(10.0);
    let weight = |camera: Camera| {
        let image = drawn(text, &bounds, &plain(camera, 48));
        let ground = image.at(0, 0);
        let side = |keep: &dyn Fn(usize, usize) -> bool| {
            let all = (0..48 * 48).map(|place| (place % 48, place / 48));
            let seen = all.filter(|&(x, y)| keep(x, y) && image.at(x, y) != ground);
            seen.count() as i64
        };
        let right = side(&|x, _| x >= 24) - side(&|x, _| x < 24);
        let up = side(&|_, y| y < 24) - side(&|_, y| y >= 24);
        (right, up)
    };
    let of = |view: View| weight(view.into());
    assert!(of(View::Front).0 > 20 && of(View::Front).1 > 10);
    assert!(of(View::Back).0 < -20 && of(View::Back).1 > 10);
    assert!(of(View::Top).0 > 20);
    assert!(of(View::Left).0.abs() < 3 && of(View::Left).1 > 10);
    assert!(of(View::Bottom).0 > 20);
    // Turned by a right angle: from y, the bar's end points at the left; perspective changes no side.
    let turned = Camera::orbit(PI / 2.0, 0.3);
    assert!(weight(turned).0 < -20);
    let near = Camera {
        perspective: Some(0.8),
        ..View::Front.into()
    };
    assert!(weight(near).0 > 20 && weight(near).1 > 10);
}

#[test]
fn what_is_no_number_is_outside() {
    let bounds = cube(5.0);
    let empty = drawn("length(pos) + 1", &bounds, &plain(View::Isometric, 32));
    assert_eq!(covered(&empty), 0);
    let undefined = drawn("sqrt(0 - 1 - x*x)", &bounds, &plain(View::Isometric, 32));
    assert_eq!(covered(&undefined), 0);
    // Material where x is above 0 only.
    let text = "sqrt(x) - 10 + length(pos) - 4";
    let half = drawn(text, &bounds, &plain(View::Front, 32));
    assert_eq!(half.at(12, 16), half.at(0, 0));
    assert_ne!(half.at(19, 16), half.at(0, 0));
}

#[test]
fn marks_are_drawn_around_the_shape() {
    let picture = Picture {
        size: [96, 80],
        caption: Some("ball".to_owned()),
        unit: Some(fibula::graph::model::Unit::Millimeter),
        ..Picture::new(View::Isometric)
    };
    let image = drawn("sphere(pos, 4)", &cube(5.0), &picture);
    let dark = |x0: usize, y0: usize, x1: usize, y1: usize| {
        let places = (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y)));
        places.filter(|&(x, y)| image.at(x, y)[1] < 150).count()
    };
    assert!(dark(0, 60, 40, 80) > 30, "the scale");
    assert!(dark(0, 0, 40, 20) > 20, "the caption");
    assert!(dark(60, 50, 96, 80) > 10, "the axes");
}

#[test]
fn threads_and_samples_change_little() {
    let text = "max(gyroid(pos, 5, 0.7), sphere(pos, 4.5))";
    let drawn_by = |threads: usize, samples: PixelSamples| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        // So large that there are several roots on each axis.
        let picture = Picture {
            samples,
            ..plain(View::Isometric, 300)
        };
        let draw = || drawn(text, &cube(5.0), &picture);
        pool.build().expect("threads").install(draw)
    };
    let [one, four] = [PixelSamples::One, PixelSamples::Four].map(|samples| {
        let alone = drawn_by(1, samples);
        assert!(alone == drawn_by(3, samples), "{samples:?}");
        alone
    });
    let pairs = one.pixels().iter().zip(four.pixels());
    let far = |(a, b): (&[u8; 3], &[u8; 3])| u64::from(a[1].abs_diff(b[1]));
    let mean = pairs.map(far).sum::<u64>() as f64 / 9e4;
    // Edges are jagged.
    assert!(mean > 0.5 && mean < 12.0, "{mean}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let ball = tape("sphere(pos, 4)");
    let shape = Shape::new(&ball).expect("a shape");
    let bounds = cube(5.0);
    let refused = |picture: &Picture| picture.draw(&shape, &bounds).expect_err("it is refused");
    for size in [[0, 10], [10, 5_000]] {
        let picture = Picture {
            size,
            ..Picture::new(View::Top)
        };
        assert_eq!(refused(&picture), PictureError::Size(size));
    }
    let colouring = Colouring {
        output: 3,
        range: None,
        title: String::new(),
    };
    let picture = Picture {
        colouring: Some(colouring),
        ..plain(View::Top, 16)
    };
    assert_eq!(refused(&picture), PictureError::Colouring(3, 1));
    assert!(Section::new([0.0; 3], 1.0).is_err());
    assert!(Section::new([1.0, 0.0, 0.0], f64::NAN).is_err());
    let two = tape("sphere(pos, 4) + other");
    assert!(matches!(Shape::new(&two), Err(ShapeError::Inputs(_))));
    assert!(Shape::with(&two, 0, &[0.0, 0.0, 0.0, -1.0]).is_ok());
    let point = tape("pos * 2");
    assert!(matches!(Shape::new(&point), Err(ShapeError::Output(_))));
}

#[test]
fn a_picture_can_be_ended_at_any_time() {
    let lattice = tape("gyroid(pos, 4, 0.5)");
    let shape = Shape::new(&lattice).expect("a shape");
    let picture = plain(View::Isometric, 64);
    for end in [0, 400, 500, 700] {
        let ended = picture.draw_watched(&shape, &cube(5.0), &|done, total| {
            assert_eq!(total, 1_000);
            crate::calls::stop_if(done >= end)
        });
        assert!(matches!(ended, Err(PictureError::Cancelled(_))), "{end}");
    }
}

#[test]
fn a_plot_has_both_sides_and_a_line_between() {
    let tape = tape("sqrt(z + 4) * 0 + length(pos) - 4");
    let shape = Shape::new(&tape).expect("a shape");
    let watch = |_, _| ControlFlow::Continue(());
    let plot = |axis: usize, place: f64| Plot {
        size: [80; 2],
        ..Plot::across(axis, place)
    };
    let drawn = |plot: &Plot| plot.draw(&shape, &cube(6.0), &watch).expect("a plot");
    let image = drawn(&plot(2, 0.0));
    assert!(bluish(image.at(40, 43)) && !bluish(image.at(40, 4)));
    let dark = |image: &Image, x: usize, y: usize| image.at(x, y).iter().all(|part| *part < 110);
    // The line is where the circle is: 4 of 6 from the middle.
    let edge = 40 - (40.0 * 0.92 * 4.0 / 6.0) as usize;
    assert!((edge - 2..=edge + 1).any(|x| dark(&image, x, 40)));
    assert!(!dark(&image, 30, 43));
    // Upwards is z, and below -4 there is no number.
    let image = drawn(&plot(1, 0.0));
    let [red, green, blue] = image.at(40, 77);
    assert!(red == green && green == blue, "{:?}", image.at(40, 77));
    assert!(!bluish(image.at(40, 3)));
    assert!(plot(3, 0.0).draw(&shape, &cube(6.0), &watch).is_err());
    assert!(plot(0, f64::NAN).draw(&shape, &cube(6.0), &watch).is_err());
}

#[test]
fn a_sheet_has_its_pictures_beside_each_other() {
    let tape = tape("capsule(pos, vec3(0, 0, 0), vec3(0, 0, 4), 1)");
    let shape = Shape::new(&tape).expect("a shape");
    let views = [View::Front, View::Right, View::Top];
    let sheet = Sheet {
        pictures: views.map(|view| plain(view, 24)).into(),
        columns: 2,
    };
    let watch = |_, _| ControlFlow::Continue(());
    let image = sheet.draw(&shape, &cube(5.0), &watch).expect("a sheet");
    assert_eq!((image.width(), image.height()), (49, 49));
    for (place, view) in views.into_iter().enumerate() {
        let own = plain(view, 24).draw(&shape, &cube(5.0)).expect("a picture");
        let (left, top) = (place % 2 * 25, place / 2 * 25);
        for y in 0..24 {
            for x in 0..24 {
                assert_eq!(image.at(left + x, top + y), own.at(x, y), "{view:?}");
            }
        }
    }
    let none = Sheet {
        pictures: Vec::new(),
        columns: 2,
    };
    assert!(none.draw(&shape, &cube(5.0), &watch).is_err());
}
