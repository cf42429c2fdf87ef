//! Constructs that expressions cannot have, with what to write in their place.

/// Constructs without translation.
pub(super) const IMPOSSIBLE: [(&str, &str); 21] = [
    (
        "for",
        "it needs values in the text, at most 64, as in for i in range(6) or for c in [a, b]; repeat(pos, spacing) repeats a shape",
    ),
    ("while", "write the steps one by one, as let bindings"),
    (
        "class",
        "there are no objects: write the value of the method for the point, as in let r = 5; length(pos) - r",
    ),
    (
        "struct",
        "there are no structures: name each value, as in let r = 5; length(pos) - r",
    ),
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
        "it takes the point, and a profile is evaluated there: rectangle(revolve(pos) - vec3(8, 0, 0), 3, 6)",
    ),
    ("try", "clamp(a, min, max) keeps a value in a range"),
    (
        "with",
        "there are no blocks: combine solids as values, as in max(box(pos, vec3(10, 20, 30)), -cylinder(pos, 2, 30))",
    ),
    (
        "resize",
        "the size of a shape is not known: box(pos, vec3(10, 20, 30)) and ellipsoid(pos, vec3(5, 10, 15)) have sizes, and scale([2, 1, 1]) is translated",
    ),
    (
        "projection",
        "a section at z = 0 is the shape at the point vec3(x, y, 0)",
    ),
    (
        "multmatrix",
        "translate, rotate, scale and mirror are translated; transform(pos, matrix) takes the inverse of the matrix",
    ),
    (
        "children",
        "the shapes that follow a module of the text are not known in it: write them in its place",
    ),
    (
        "roof",
        "there are no roofs: intersect half spaces, as in max(plane(pos, vec3(1, 0, 1), 5), -z)",
    ),
    (
        "einsum",
        "dot(a, b) is the sum of the products of the components",
    ),
    (
        "surface",
        "import an image, and call its function by its name",
    ),
];

const NOISE: &str = "there is no noise; products of sines make a surface uneven, as in sphere(pos, 9) + 0.2 * sin(3 * x) * sin(3 * y) * sin(3 * z)";
const HALF_SPACES: &str =
    "intersect half spaces, as in max(plane(pos, vec3(1, 0, 0), 5), plane(pos, vec3(0, 1, 0), 5))";
