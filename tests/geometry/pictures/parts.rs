//! The level sets of the sample files: pictures that are kept, meshes that are sound, and slices.

use std::path::{Path, PathBuf};

use fibula::geometry::Shape;
use fibula::geometry::picture::View;
use fibula::service::{
    Heights, Import, MakeMesh, MakeSlices, Options, Render, ResolvedShape, Service, Subject,
    make_mesh, make_slices, render,
};

use crate::calls::{on, origin};
use crate::samples::samples;

/// The side of the pictures that are kept.
const SIDE: usize = 192;

/// The samples that are looked at, and the volume and the parts of their meshes with 40 cells along the longest side, in
/// which thin walls are torn.
const LOOKED_AT: [(&str, f64, usize); 9] = [
    ("2x_tpu_attachablefoot", 16_602.0, 1),
    ("F360", 64_933.0, 3),
    ("ImplicitGyroid", 30_182.0, 18),
    ("RadialRadiator", 118_692.0, 1499),
    ("SimpleGyroid", 18.47, 1877),
    ("SphereInACage", 55_454.0, 2),
    ("SphereInACage_small.imagestack", 539.24, 1),
    ("foundation", 324_665.0, 1),
    ("gladius_3mf-implicit", 5549.0, 660),
];

/// Subject that a sample builds.
fn seen(folder: &Path, name: &str) -> ResolvedShape {
    let service = Service::new(&with_defaults!(Options, roots: vec![folder.to_owned()]));
    let request = with_defaults!(Import, path: Some(format!("{name}.3mf")));
    let imported = service.import(&origin(), request);
    imported.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    let seen = service.resolve_shape(None, None, &Subject::default());
    seen.unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures/samples");
    folder.join(format!("{name}.png"))
}

/// The bytes of a picture's pixels.
fn pixels(png: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut data = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut data).ok()?;
    ([info.width, info.height] == [SIDE as u32; 2]).then_some(data)
}

/// Mean distance of two pictures, in steps of 255.
fn distance(one: &[u8], other: &[u8]) -> f64 {
    if one.len() != other.len() {
        return f64::INFINITY;
    }
    let pairs = one.iter().zip(other);
    let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / one.len() as f64
}

/// The pictures that are kept look as they are drawn now; `FIBULA_BLESS=1 cargo test --test geometry pictures` draws those anew
/// that do not.
#[test]
fn pictures_of_the_samples_are_up_to_date() {
    /// Other processors round differently, which moves edges by less than a pixel.
    const TOLERANCE: f64 = 1.0;
    let Some((folder, _)) = samples() else {
        return;
    };
    let bless = std::env::var_os("FIBULA_BLESS").is_some();
    let (mut wrong, mut all, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    for (name, ..) in LOOKED_AT {
        let request = Render::of(View::Isometric, [SIDE; 2]);
        let rendered = render(&seen(&folder, name), &request, &mut on);
        let rendered = rendered.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        // Lattices that fill a box are cut by it.
        let is_cut = |text: &String| text.contains("cut its shape");
        let (cuts, warnings): (Vec<_>, Vec<_>) = rendered.warnings.into_iter().partition(is_cut);
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        if !cuts.is_empty() {
            cut.push(name);
        }
        let drawn = pixels(&rendered.png).expect("it is a picture");
        let kept = || pixels(&std::fs::read(path(name)).unwrap_or_default());
        let far =
            |kept: Option<Vec<u8>>| kept.map_or(f64::INFINITY, |kept| distance(&drawn, &kept));
        let mut now = far(kept());
        if now > TOLERANCE && bless {
            std::fs::write(path(name), &rendered.png).expect("the picture can be written");
            now = far(kept());
        }
        if now > TOLERANCE {
            wrong.push((name, now));
        }
        all.push(drawn);
    }
    assert!(
        wrong.is_empty(),
        "docs/pictures/samples is out of date: FIBULA_BLESS=1 cargo test --test geometry pictures; {wrong:?}"
    );
    assert_eq!(cut, ["F360", "gladius_3mf-implicit"]);
    for (place, one) in all.iter().enumerate() {
        for other in &all[..place] {
            assert!(distance(one, other) > 2.0 * TOLERANCE, "others are far");
        }
    }
}

#[test]
fn meshes_of_the_samples_are_sound_and_as_large_as_their_slices() {
    let Some((folder, _)) = samples() else {
        return;
    };
    let mut others = Vec::new();
    for (name, volume, components) in LOOKED_AT {
        let seen = seen(&folder, name);
        let shape = Shape::new(&seen.tape).expect("it is a shape");
        let bounds = seen.bounds_or(None, &shape, &mut on);
        let bounds = bounds.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let side = bounds.size().into_iter().fold(0.0, f64::max);
        let request = with_defaults!(MakeMesh, bounds: Some(bounds), cell: Some(side / 40.0));
        let made = make_mesh(&seen, &request, &mut on);
        let info = made
            .unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
            .info;
        assert!(info.closed && info.manifold && info.oriented, "{name}");
        assert_eq!(info.degenerate_triangles, 0, "{name}");
        let parts = (info.components + info.cavities) as f64 / components as f64;
        if (info.volume / volume - 1.0).abs() > 0.01 || (parts - 1.0).abs() > 0.02 {
            others.push((name, info.volume, info.components + info.cavities));
        }
        let cell = side / 100.0;
        let height = info.bounds[1][2] - info.bounds[0][2];
        let heights = [0.25, 0.5, 0.75].map(|part| info.bounds[0][2] + part * height);
        let request = MakeSlices {
            bounds: Some(bounds),
            heights: Heights::At(heights.into()),
            cell: Some(cell),
            tolerance: None,
            accuracy: None,
            area_points: 0,
            limits: fibula::service::Limits::default(),
        };
        let made = make_slices(&seen, &request, &mut on);
        let made = made.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        for slice in &made.slices {
            assert!(slice.area() > 0.0, "{name}: {}", slice.z);
            assert_eq!(slice.undefined, 0, "{name}: {}", slice.z);
            for contour in &slice.contours {
                assert!(contour.points.len() > 2, "{name}");
                // What is thinner than the tolerance may be turned over.
                let is_thin = contour.area().abs() < 0.1 * cell * cell;
                let is_outer = contour.depth % 2 == 0;
                assert!(is_thin || (contour.area() > 0.0) == is_outer, "{name}");
            }
        }
    }
    assert!(others.is_empty(), "other volumes or parts: {others:?}");
}
