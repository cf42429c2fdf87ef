use super::*;
use crate::library::add_function;

/// Warnings about the last of some functions, joined.
fn found(texts: &[(&str, &str)]) -> String {
    let mut document = Document::default();
    let mut last = None;
    for (name, text) in texts {
        let added = add_function(&mut document, name, text);
        last = Some(added.unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    warnings(&document, last).collect::<Vec<_>>().join("; ")
}

#[test]
fn shapes_at_a_fixed_place_are_found() {
    let is_found = |text: &str| found(&[("F", text)]).contains("fixed place");
    for text in [
        "union(sphere(pos, 5), sphere(vec3(6, 0, 0), 2))",
        "box(vec3(1, 2, 3))",
        "let centre = vec3(6, 0, 0) * 2; min(sphere(pos), sphere(centre + 1, 2))",
    ] {
        assert!(is_found(text), "{text}");
    }
    for text in [
        "union(sphere(pos, 5), sphere(pos - vec3(6, 0, 0), 2))",
        "sphere(vec3(x, 2, 3), 5)",
        "dot(pos, rotate_z(vec3(1, 0, 0), 0.3)) - 5",
    ] {
        assert!(!is_found(text), "{text}");
    }
}

#[test]
fn differences_of_distances_are_found() {
    let ball = ("Ball", "length(pos) - 5");
    let bare = ("Bare", "length(pos)");
    for (before, text, expected) in [
        (
            None,
            "subtract(sphere(pos, 8), sphere(pos, 5))",
            "sphere - sphere",
        ),
        (
            None,
            "sphere(pos, 8) - box(pos, vec3(4, 4, 4))",
            "sphere - box",
        ),
        (
            None,
            "let a = min(sphere(pos, 8), sphere(pos, 2)); a - sphere(pos, 5)",
            "a - sphere",
        ),
        (Some(ball), "sphere(pos, 8) - Ball(pos)", "sphere - Ball"),
        (Some(bare), "(Bare(pos) - 8) - sphere(pos, 1)", "a - sphere"),
        (None, "(length(pos) - 8) - sphere(pos, 5)", "a - sphere"),
        (
            None,
            "0.5 * max(sphere(pos, 8) - box(pos, vec3(4, 4, 4)), x) + 1",
            "sphere - box",
        ),
        // Polynomial and circular smooth minima, and a comparison.
        (
            None,
            "let a = sphere(pos, 8); let b = box(pos, vec3(4, 4, 4)); let h = max(2 - abs(a - b), 0) / 2; \
             min(a, b) - h * h * 0.5",
            "",
        ),
        (
            None,
            "let a = sphere(pos, 8); let b = box(pos, vec3(4, 4, 4)); let h = clamp(0.5 + 0.5 * (b - a) / 2, 0, 1); \
             mix(b, a, h) - 2 * h * (1 - h)",
            "",
        ),
        // Offsets, displacements and plain arithmetic.
        (None, "sphere(pos, 8) - 2", ""),
        (None, "let wall = 2; sphere(pos, 8) - wall", ""),
        (None, "sphere(pos, 8) - 0.1 * sphere(pos, 5)", ""),
        (None, "length(pos) - length(vec3(x, y, 0))", ""),
        (None, "difference(sphere(pos, 8), sphere(pos, 5))", ""),
    ] {
        let all: Vec<_> = before.into_iter().chain([("Part", text)]).collect();
        let warned = found(&all);
        assert_eq!(warned.is_empty(), expected.is_empty(), "{text}: {warned}");
        assert!(warned.starts_with(expected), "{text}: {warned}");
    }
}

#[test]
fn constants_beyond_limits_are_found() {
    for (text, expected) in [
        (
            "rounded_box(pos, vec3(10, 20, 6), 4)",
            "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 4",
        ),
        (
            "let height = 6; let r = 4; rounded_box(pos, vec3(10, 20, height), r)",
            "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 4",
        ),
        ("rounded_box(pos, vec3(10, 20, 6), 3)", ""),
        ("rounded_box(pos, vec3(10, 20, 6), r)", ""),
        (
            "torus(pos, 4, 5)",
            "torus: minor_radius must be at most the smallest number of major_radius, 4, not 5",
        ),
        (
            "ellipsoid(pos, vec3(1, 0, 2))",
            "ellipsoid: radii must be above 0, not 0",
        ),
        ("sphere(pos, -3)", "sphere: radius must be above 0, not -3"),
        (
            "box(pos, vec3(20, -20, 5))",
            "box: size must be above 0, not -20",
        ),
        (
            "cylinder(pos, 30, 0)",
            "cylinder: height must be above 0, not 0",
        ),
        (
            "rounded_box(pos, vec3(10, 20, 6), -1)",
            "rounded_box: radius must be at least 0, not -1",
        ),
        ("rounded_box(pos, vec3(10, 20, 6), 0)", ""),
        (
            "smooth_union(sphere(pos, 3), sphere(pos, 4), -1)",
            "smooth_union: radius must be at least 0, not -1",
        ),
        (
            "rounded_rectangle(pos, 20, 6, 4)",
            "rounded_rectangle: radius must be at most 0.5 times the smallest number of width and height, 3, not 4",
        ),
        (
            "gyroid(pos, 10, gyroid_thickness(10, 0.95))",
            "gyroid_thickness: fraction must be at most 0.9, not 0.95",
        ),
        (
            "repeat_polar(pos, 0).x",
            "repeat_polar: count must be at least 1, not 0",
        ),
        // Constants that are computed.
        (
            "rounded_box(pos, vec3(10, 20, 6), 10 / 2)",
            "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 5",
        ),
        (
            "let h = 2; rounded_box(pos, vec3(10, 20, h * 3), 2 + 2)",
            "rounded_box: radius must be at most 0.5 times the smallest number of size, 3, not 4",
        ),
        (
            "let w = 4; box(pos, vec3(w, 5, w) - vec3(0, 5, 0))",
            "box: size must be above 0, not 0",
        ),
        (
            "let r = 1; sphere(pos, cos(pi) * r)",
            "sphere: radius must be above 0, not -1",
        ),
        ("sphere(pos, r - 3)", ""),
        ("sphere(pos, x)", ""),
    ] {
        assert_eq!(found(&[("Part", text)]), expected, "{text}");
    }
}

#[test]
fn walls_along_what_is_no_distance_are_found() {
    let tilted = "rotate(pos - vec3(40, 5, 0), vec3(1, 2, 3), 0.7)";
    for (text, expected) in [
        (
            "hollow(ellipsoid(pos, vec3(30, 10, 5)), 2)",
            "hollow gets a value that is no distance",
        ),
        (
            "hollow(x^2 + y^2 + z^2 - 100, 2)",
            "what should be 2 is between 0.1 and 0.1",
        ),
        ("hollow(sphere(pos / 2, 10), 2)", "between 4 and 4"),
        (
            "let r = 20; offset(2 * (length(pos) - r), -0.1 * r)",
            "offset gets",
        ),
        ("shell(gyroid(pos, 10, 1), 0.5)", "shell gets"),
        (
            "thicken(box(pos / vec3(1, 2, 3), vec3(10, 10, 10)), 1)",
            "thicken gets",
        ),
    ] {
        let warned = found(&[("F", text)]);
        assert!(warned.contains(expected), "{text}: {warned}");
    }
    for text in [
        "hollow(sphere(pos, 10), 2)",
        &format!("hollow(box({tilted}, vec3(100, 60, 3)), 1)"),
        &format!(
            "hollow(union(box({tilted}, vec3(30, 20, 20)), sphere(pos - vec3(30, 5, 0), 15)), 1)"
        ),
        "hollow(difference(box(pos, vec3(40, 40, 20)), cylinder(pos, 8, 30)), 2)",
        "hollow(hexagonal_prism(pos, 20, 30), 4)",
        "offset(torus(pos, 20, 5), -1)",
        "thicken(cone(pos, 10, 2, 20), 0.5)",
        "shell(extrude(pos, polygon(pos, 0, 0, 20, 0, 5, 5, 0, 20), 10), 1)",
        "let t = 2; hollow(rounded_box(pos, vec3(30, 30, 30), 4), t)",
    ] {
        assert_eq!(found(&[("F", text)]), "", "{text}");
    }
    // Only so many walls are examined.
    let walls: Vec<String> = (1..300)
        .map(|number| format!("hollow(sphere(pos / 2, {number}), 2)"))
        .collect();
    let mut document = Document::default();
    let ids: Vec<_> = walls
        .iter()
        .map(|text| add_function(&mut document, "F", text).unwrap())
        .collect();
    let count = warnings(&document, ids).count();
    assert!((20..200).contains(&count), "{count}");
    // What is not known is not judged.
    let ball = ("Wall", "hollow(distance, 2)");
    assert_eq!(found(&[ball]), "");
}

#[test]
fn shapes_that_are_thinner_than_what_is_taken_from_them_are_found() {
    let tilted = "rotate(pos - vec3(40, 5, 0), vec3(1, 2, 3), 0.7)";
    let corner = "union(box(pos, vec3(40, 8, 8)), box(pos - vec3(16, 16, 0), vec3(8, 40, 8)))";
    for (text, expected) in [
        ("hollow(box(pos, vec3(20, 20, 8)), 4)", "no cavity is left"),
        (
            "hollow(sphere(pos, 5), 5)",
            "no cavity is left, since the wall is 5 and its distance is nowhere below -5,",
        ),
        (
            "infill(box(pos, vec3(14, 14, 10)), gyroid(pos, 6, 0.8), 6)",
            "no room is left for the lattice",
        ),
        ("offset(torus(pos, 20, 5), -5)", "nothing is left"),
        (
            "extrude_tapered(pos, rectangle(pos, 14, 10), 9, 0.6)",
            "they meet below the upper end",
        ),
        (
            "extrude_rounded(pos, circle(pos, 2), 10, 3)",
            "lower than the height",
        ),
        (
            "extrude_chamfered(pos, regular_polygon(pos, 6, 4), 10, 4)",
            "lower than the height",
        ),
    ] {
        let warned = found(&[("F", text)]);
        assert!(warned.contains(expected), "{text}: {warned}");
    }
    for text in [
        "hollow(box(pos, vec3(20, 20, 8)), 3.9)",
        &format!("hollow(box({tilted}, vec3(30, 30, 30)), 14.8)"),
        &format!("hollow({corner}, 3.9)"),
        "hollow(union(sphere(pos, 3), sphere(pos - vec3(60, 20, 5), 12)), 10)",
        "hollow(cone(pos, 10, 0.5, 20), 5)",
        "hollow(sphere(pos, 5), 4.95)",
        "infill(box(pos, vec3(14, 14, 10)), gyroid(pos, 6, 0.8), 4.9)",
        "infill(box(pos, vec3(14, 14, 10)), gyroid(pos, 6, 0.8), 0)",
        "offset(torus(pos, 20, 5), 5)",
        "offset(torus(pos, 20, 5), -4.9)",
        "extrude_tapered(pos, rectangle(pos, 14, 10), 9, 0.5)",
        "extrude_tapered(pos, rectangle(pos, 14, 10), 9, -0.9)",
        "extrude_rounded(pos, circle(pos, 4), 10, 3)",
        "extrude_chamfered(pos, regular_polygon(pos, 6, 4), 10, 3.4)",
    ] {
        assert_eq!(found(&[("F", text)]), "", "{text}");
    }
}
