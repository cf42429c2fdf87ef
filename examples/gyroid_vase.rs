//! A part from a few formulas: a vase whose wall is a gyroid, with its picture, its measures, its mesh and its slices.
//!
//! `cargo run --release --example gyroid_vase [CELL]` writes six files into the current folder. CELL is the longest
//! edge of the cells in which the surface is looked for, in millimetres: 1 if it is left out; 0.4 is smooth.

use std::error::Error;
use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;

use fibula::edit::Origin;
use fibula::format::mesh::MeshFormat;
use fibula::geometry::picture::{Camera, Section};
use fibula::service::{
    AREA_POINTS, ApplyEdits, DrawSlices, Heights, Limits, MakeMesh, MakeSlices, Measure, Refusal,
    Render, Service, SliceFormat, Subject, WritePackage, draw_slices, make_mesh, make_slices,
    measure, render,
};
use serde_json::json;

/// The radius at every height: a belly 29 mm above the ground, a neck at 71, a lip at 90.
const PROFILE: &str = "23 + 7 * sin(0.075 * z - 0.6)";

/// Below 0 is inside. The profile rises by 7 * 0.075 = 0.525 per millimetre at most, so the way out along the radius is
/// at most 1.13 times as long as the shortest one, and divided by that it never exceeds the distance.
/// The gyroid is blended with the skin that it lies in, which leaves no slivers where they graze each other.
/// `gyroid`, `shell`, `smooth_union` and their like come from the library: docs/library.md.
const VASE: &str = "
    let out = (length(vec3(x, y, 0)) - profile(pos)) / 1.13;
    let skin = shell(offset(out, -2.5), 5);
    let lace = smooth_intersection(skin, gyroid(twist(pos, 300), 15, 2.4), 1.5);
    let foot = intersection(out, z - 4);
    let lip = intersection(skin, 87 - z);
    shape = intersection(abs(z - 45) - 45, smooth_union(lace, union(foot, lip), 2));
    color = mix(vec3(0.02, 0.14, 0.3), vec3(0.66, 0.86, 0.68), vec3(1, 1, 1) * clamp(z / 90, 0, 1))";

/// Told how far the work is; it may end it. This one never does.
fn go_on(_done: u64, _total: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A project in memory with the vase: two functions, an object that is filled and coloured by them, and the build.
pub(crate) fn project() -> Result<Service, Refusal> {
    let edits = json!([
        { "create_function_from_expression": { "name": "profile", "expression": PROFILE } },
        { "create_function_from_expression": { "name": "vase", "expression": VASE, "alias": "$vase" } },
        { "set_volume_data": { "alias": "$glaze", "color": { "function_id": "$vase", "channel": "color" } } },
        { "create_level_set": {
            "name": "Gyroid vase", "function_id": "$vase", "channel": "shape", "volume_id": "$glaze",
            "bounds": [[-31, -31, -1], [31, 31, 91]], "build": true } },
    ]);
    let service = Service::default();
    let request = ApplyEdits {
        edits: edits.as_array().cloned().unwrap_or_default(),
        ..ApplyEdits::default()
    };
    // All of them or none, and one step of the project's history.
    service.apply_edits(&Origin::program("library", "gyroid_vase"), request)?;
    Ok(service)
}

fn main() -> Result<(), Box<dyn Error>> {
    let cell: f64 = std::env::args()
        .nth(1)
        .map_or(Ok(1.0), |text| text.parse())?;
    let service = project()?;
    let mut file = Cursor::new(Vec::new());
    service.write_package(&WritePackage::default(), &mut file)?;
    write("gyroid-vase.3mf", file.get_ref(), "its functions")?;

    // The build as one function of space, which everything below evaluates.
    let seen = service.resolve_shape(None, None, &Subject::default())?;

    let from = Camera::orbit((-60.0_f64).to_radians(), 20.0_f64.to_radians());
    let mut request = Render::of(from, [240, 300]);
    let drawn = render(&seen, &request, &mut go_on)?;
    write("gyroid-vase.png", &drawn.png, "all of it")?;
    request.sections = vec![Section::new([0.0, 1.0, 0.0], 0.0)?];
    let drawn = render(&seen, &request, &mut go_on)?;
    write("gyroid-vase-open.png", &drawn.png, "cut open")?;

    let request = Measure {
        cell: Some(cell),
        ..Measure::default()
    };
    let found = measure(&seen, &request, &mut go_on)?.measures;
    let (volume, area) = (found.volume, found.area);
    println!(
        "volume   {:.0} mm3, give or take {:.0}",
        volume.value, volume.error
    );
    println!(
        "area     {:.0} mm2, give or take {:.0}",
        area.value, area.error
    );
    let (pieces, holes) = (found.components.value, found.genus.value);
    println!("pieces   {pieces}, with {holes} holes through them");

    let request = MakeMesh {
        cell: Some(cell),
        ..MakeMesh::default()
    };
    let made = make_mesh(&seen, &request, &mut go_on)?;
    let mut file = Vec::new();
    made.write(MeshFormat::Stl, &mut file)?;
    let triangles = format!("{} triangles", made.info.triangles);
    write("gyroid-vase.stl", &file, &triangles)?;
    assert!(made.info.closed && made.info.manifold && made.info.oriented);

    // Contours are looked for in cells of their own, which are flat and cost little.
    let request = MakeSlices {
        bounds: None,
        heights: Heights::At(vec![2.0, 20.0, 45.0, 70.0]),
        cell: Some(cell / 4.0),
        tolerance: None,
        accuracy: None,
        area_points: AREA_POINTS,
        limits: Limits::default(),
    };
    let slices = make_slices(&seen, &request, &mut go_on)?;
    for slice in &slices.slices {
        let (z, area, contours) = (slice.z, slice.area(), slice.contours.len());
        println!("z = {z:<4} {area:.1} mm2 in {contours} contours");
    }
    let mut file = Vec::new();
    slices.write(SliceFormat::Svg, &mut file)?;
    write("gyroid-vase.svg", &file, "these slices, for a cutter")?;
    let request = DrawSlices {
        size: [640, 640],
        field: false,
        limits: Limits::default(),
        begun: None,
    };
    let drawn = draw_slices(&seen, &slices, &request, &mut go_on)?;
    write("gyroid-vase-slices.png", &drawn.png, "and for you")?;
    Ok(())
}

fn write(name: &str, bytes: &[u8], what: &str) -> std::io::Result<()> {
    fs::write(name, bytes)?;
    println!("{name}: {what}, {} kB", bytes.len().div_ceil(1000));
    Ok(())
}
