//! Constructs that expressions cannot have, with what to write in their place.

/// Constructs without translation.
pub(super) const IMPOSSIBLE: [(&str, &str); 16] = [
    (
        "for",
        "it needs values in the text, at most 64, as in for i in range(6) or for c in [a, b]; repeat(pos, spacing) repeats a shape",
    ),
    ("while", "write the steps one by one, as let bindings"),
    (
        "class",
        "end with a value, as in let d = length(pos); d - 5",
    ),
    (
        "struct",
        "name each value, as in let d = length(pos); d - 5",
    ),
    ("polygon", HALF_SPACES),
    ("polyhedron", HALF_SPACES),
    ("text", "letters are made of shapes such as box and sphere"),
    (
        "import",
        "import the file with the tool import, and call the function that it becomes",
    ),
    ("noise", NOISE),
    ("perlin", NOISE),
    ("snoise", NOISE),
    ("fbm", NOISE),
    (
        "revolve",
        "a profile turns about z at the point vec3(length(vec3(x, y, 0)), z, 0); torus, cylinder and cone are such shapes",
    ),
    ("try", "clamp(a, min, max) keeps a value in a range"),
    ("with", "name values, as in let d = length(pos); d - 5"),
    (
        "surface",
        "import an image, and call its function by its name",
    ),
];

const NOISE: &str = "there is no noise; products of sines make a surface uneven, as in sphere(pos, 9) + 0.2 * sin(3 * x) * sin(3 * y) * sin(3 * z)";
const HALF_SPACES: &str =
    "intersect half spaces, as in max(plane(pos, vec3(1, 0, 0), 5), plane(pos, vec3(0, 1, 0), 5))";
