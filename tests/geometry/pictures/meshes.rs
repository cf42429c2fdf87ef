//! Pictures of meshes, which are rasterised: those of the same shape as a function.

use std::ops::ControlFlow;

use fibula::geometry::picture::{Camera, DrawnMesh, Image, Picture, Section, View};
use fibula::geometry::{Bounds, Shape, TriangleMesh};

use super::{cube, plain, tape};

/// A hollow block.
const BLOCK: &str = "max(max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1), 0 - max(max(abs(x) - 2, abs(y) - 1), abs(z) - 0.5))";

/// The same as triangles.
fn block() -> TriangleMesh {
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (half, is_outer) in [([3.0, 2.0, 1.0], true), ([2.0, 1.0, 0.5], false)] {
        let first = vertices.len() as u32;
        vertices.extend((0..8_usize).map(|corner| {
            [0, 1, 2].map(|axis: usize| {
                let half: f64 = half[axis];
                if corner >> axis & 1 == 0 { -half } else { half }
            })
        }));
        for [a, b, c, d] in quads {
            let halves = [[a, b, c], [a, c, d]].map(|corners| corners.map(|corner| first + corner));
            let turned = halves.map(|[a, b, c]| [a, c, b]);
            triangles.extend(if is_outer { halves } else { turned });
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Share of the pixels that differ by more than rounding.
fn different(one: &Image, other: &Image) -> f64 {
    assert_eq!((one.width(), one.height()), (other.width(), other.height()));
    let pairs = one.pixels().iter().zip(other.pixels());
    let is_apart = |(one, other): &(&[u8; 3], &[u8; 3])| {
        let channels = one.iter().zip(*other);
        channels.map(|(a, b)| a.abs_diff(*b)).max() > Some(12)
    };
    pairs.filter(is_apart).count() as f64 / one.pixels().len() as f64
}

#[test]
fn meshes_look_like_the_functions_of_the_same_shape() {
    let tape = tape(BLOCK);
    let shape = Shape::new(&tape).unwrap();
    let mesh = block();
    let drawn = DrawnMesh::new(&mesh);
    let near = Camera {
        perspective: Some(0.6),
        ..View::Isometric.into()
    };
    let cut = Bounds::new([-2.5, -4.0, -4.0], [4.0, 4.0, 0.2]).unwrap();
    // Far smaller than the mesh, and across one of its corners.
    let near_by = Bounds::new([2.99, 1.99, 0.99], [3.01, 2.01, 1.01]).unwrap();
    let section = |axis, place| vec![Section::across(axis, place).unwrap()];
    let isometric: Camera = View::Isometric.into();
    for (camera, bounds, sections) in [
        (isometric, cube(4.0), Vec::new()),
        (View::Front.into(), cube(4.0), Vec::new()),
        (near, cube(4.0), Vec::new()),
        (isometric, cut, Vec::new()),
        (isometric, near_by, Vec::new()),
        (isometric, cube(4.0), section(2, 0.3)),
        (near, cube(4.0), section(1, -0.4)),
    ] {
        let picture = Picture {
            sections: sections
                .into_iter()
                .map(|one: Section| one.facing(&camera))
                .collect(),
            ..plain(camera, 96)
        };
        let watch = |_, _| ControlFlow::Continue(());
        let of_mesh = picture.draw_surface(&shape, Some(&drawn), &bounds, &watch);
        let of_function = picture.draw(&shape, &bounds).unwrap();
        let apart = different(&of_mesh.unwrap().image, &of_function);
        assert!(
            apart < 0.03,
            "{apart} of the pixels differ: {picture:?} {bounds:?}"
        );
        let ended =
            picture.draw_surface(
                &shape,
                Some(&drawn),
                &bounds,
                &|_, _| ControlFlow::Break(()),
            );
        assert!(ended.is_err_and(|error| error.code() == "cancelled"));
    }
}
