//! Kinds that 3MF does not have, in terms of those that it has.
//!
//! Each is a short list of native nodes. The writer writes them, and marks each as a part of the node that it stands
//! for; the reader takes them for that node again only if all of them are as they were written.
//!
//! For finite numbers the values are the same, except that a zero may lose its sign in `DecomposeMatrix`.

use std::sync::LazyLock;

/// What a kind is written as.
#[derive(Debug)]
pub(super) struct Template {
    /// The kind.
    pub(super) kind: &'static str,
    /// Native nodes, each after its sources.
    pub(super) parts: Vec<Part>,
    /// The part and the port of it that each port of the kind is.
    pub(super) ports: Vec<(usize, &'static str)>,
}

/// One of the nodes that a kind is written as.
#[derive(Debug)]
pub(super) struct Part {
    /// The native kind.
    pub(super) kind: &'static str,
    /// The index of its overload.
    pub(super) overload: usize,
    /// The parameters that are linked, and what to.
    pub(super) inputs: Vec<(&'static str, Source)>,
    /// Values of the parameters of a constant.
    pub(super) values: Vec<f64>,
}

/// What a parameter of a part is linked to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Source {
    /// What a parameter of the kind has.
    Parameter(&'static str),
    /// A port of another part.
    Part(usize, &'static str),
}

use Source::{Parameter, Part as From};

/// What a kind without an element of its own is written as.
pub(super) fn template(kind: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.kind == kind)
}

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    vec![
        transformation(),
        box_distance(),
        decomposed_matrix(),
        unsigned_distance(),
        constant_scalar(),
        constant("ConstantVector", "ComposeVector", &["x", "y", "z"]),
        constant("ConstantMatrix", "ComposeMatrix", &ELEMENTS),
    ]
});

/// The elements of a matrix, row by row.
pub(super) const ELEMENTS: [&str; 16] = [
    "m00", "m01", "m02", "m03", "m10", "m11", "m12", "m13", "m20", "m21", "m22", "m23", "m30",
    "m31", "m32", "m33",
];

/// The index of the overload of numbers, and of that of vectors and matrices, where there are several.
const FLOAT: usize = 0;
const FLOAT3: usize = 1;
const MATRIX: usize = 2;

/// Parts while they are gathered.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    /// Adds a part, and gives its place.
    fn add(
        &mut self,
        kind: &'static str,
        overload: usize,
        inputs: &[(&'static str, Source)],
    ) -> usize {
        self.0.push(Part {
            kind,
            overload,
            inputs: inputs.to_vec(),
            values: Vec::new(),
        });
        self.0.len() - 1
    }

    /// Adds a constant, and gives its place.
    fn constant(&mut self, kind: &'static str, values: &[f64]) -> usize {
        let at = self.add(kind, 0, &[]);
        self.0[at].values = values.to_vec();
        at
    }

    /// Adds a sum, product or the like of two ports.
    fn two(&mut self, kind: &'static str, overload: usize, a: Source, b: Source) -> usize {
        self.add(kind, overload, &[("A", a), ("B", b)])
    }
}

fn transformation() -> Template {
    let mut parts = Parts::default();
    let (matrix, point) = (Parameter("Transformation"), Parameter("pos"));
    let moved = parts.two("MatrixVectorMultiplication", 0, matrix, point);
    Template {
        kind: "Transformation",
        parts: parts.0,
        ports: vec![(moved, "result")],
    }
}

/// In the dialect of lib3mf, which drops the element `unsignedmesh`.
fn unsigned_distance() -> Template {
    let mut parts = Parts::default();
    let inputs = [("mesh", Parameter("mesh")), ("pos", Parameter("pos"))];
    let signed = parts.add("SignedDistanceToMesh", 0, &inputs);
    let size = parts.add("Abs", FLOAT, &[("A", From(signed, "distance"))]);
    Template {
        kind: "UnsignedDistanceToMesh",
        parts: parts.0,
        ports: vec![(size, "result")],
    }
}

/// A constant whose value is linked passes that on: the smaller of a number and itself is that number.
fn constant_scalar() -> Template {
    let mut parts = Parts::default();
    let value = Parameter("value");
    let same = parts.two("Min", FLOAT, value, value);
    Template {
        kind: "ConstantScalar",
        parts: parts.0,
        ports: vec![(same, "result")],
    }
}

/// A constant of which some number is linked is put together.
fn constant(kind: &'static str, compose: &'static str, names: &[&'static str]) -> Template {
    let mut parts = Parts::default();
    let inputs: Vec<_> = names.iter().map(|&name| (name, Parameter(name))).collect();
    let composed = parts.add(compose, 0, &inputs);
    Template {
        kind,
        parts: parts.0,
        ports: vec![(composed, "result")],
    }
}

/// The operations of `BoxMinMax` in its own order.
fn box_distance() -> Template {
    let mut parts = Parts::default();
    let (pos, min, max) = (Parameter("pos"), Parameter("min"), Parameter("max"));
    let low = parts.two("Subtraction", FLOAT3, min, pos);
    let high = parts.two("Subtraction", FLOAT3, pos, max);
    let beyond = parts.two("Max", FLOAT3, From(low, "result"), From(high, "result"));
    let zeros = parts.constant("ConstantVector", &[0.0; 3]);
    let beyond = From(beyond, "result");
    let out = parts.two("Max", FLOAT3, beyond, From(zeros, "vector"));
    let outside = parts.add("Length", 0, &[("A", From(out, "result"))]);
    let each = parts.add("DecomposeVector", 0, &[("A", beyond)]);
    let largest = parts.two("Max", FLOAT, From(each, "y"), From(each, "z"));
    let largest = parts.two("Max", FLOAT, From(each, "x"), From(largest, "result"));
    let zero = parts.constant("ConstantScalar", &[0.0]);
    let inside = parts.two("Min", FLOAT, From(largest, "result"), From(zero, "value"));
    let (outside, inside) = (From(outside, "result"), From(inside, "result"));
    let sum = parts.two("Addition", FLOAT, outside, inside);
    Template {
        kind: "BoxMinMax",
        parts: parts.0,
        ports: vec![(sum, "result")],
    }
}

/// A matrix that is 1 at these places, and 0 elsewhere.
fn ones(places: &[usize]) -> [f64; 16] {
    std::array::from_fn(|place| f64::from(places.contains(&place)))
}

/// A point times a matrix gives the sum of the matrix's rows, without their last numbers; so with all rows but one
/// masked it gives that row. The last column comes from the transpose in the same way. The last number of all is out of
/// reach of that, so it is moved by an inverse: that of the block (0 1; 1 a) is (-a 1; 1 0).
fn decomposed_matrix() -> Template {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let mut parts = Parts::default();
    let matrix = Parameter("matrix");
    let all = parts.constant("ConstantVector", &[1.0; 3]);
    let mut found = vec![(0, ""); 16];
    // The numbers of a row whose other rows are masked.
    let row = |parts: &mut Parts, matrix: Source, mask: &[usize]| {
        let mask = parts.constant("ConstantMatrix", &ones(mask));
        let only = parts.two("Multiplication", MATRIX, matrix, From(mask, "matrix"));
        let (only, all) = (From(only, "result"), From(all, "vector"));
        let sum = parts.two("MatrixVectorMultiplication", 0, only, all);
        parts.add("DecomposeVector", 0, &[("A", From(sum, "result"))])
    };
    for index in 0..4 {
        let first = 4 * index;
        let each = row(&mut parts, matrix, &[first, first + 1, first + 2]);
        for (column, axis) in AXES.into_iter().enumerate() {
            found[first + column] = (each, axis);
        }
    }
    let turned = parts.add("Transpose", 0, &[("A", matrix)]);
    let each = row(&mut parts, From(turned, "result"), &[12, 13, 14]);
    for (line, axis) in AXES.into_iter().enumerate() {
        found[4 * line + 3] = (each, axis);
    }
    let mask = parts.constant("ConstantMatrix", &ones(&[15]));
    let last = parts.two("Multiplication", MATRIX, matrix, From(mask, "matrix"));
    let frame = parts.constant("ConstantMatrix", &ones(&[0, 5, 11, 14]));
    let (last, frame) = (From(last, "result"), From(frame, "matrix"));
    let block = parts.two("Addition", MATRIX, last, frame);
    let inverse = parts.add("Inverse", 0, &[("A", From(block, "result"))]);
    let each = row(&mut parts, From(inverse, "result"), &[10]);
    let minus = parts.constant("ConstantScalar", &[-1.0]);
    let (negative, minus) = (From(each, "z"), From(minus, "value"));
    let corner = parts.two("Multiplication", FLOAT, negative, minus);
    found[15] = (corner, "result");
    Template {
        kind: "DecomposeMatrix",
        parts: parts.0,
        ports: found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibula_nodes::catalogue;

    #[test]
    fn every_kind_without_an_element_has_a_template_or_is_written_otherwise() {
        let helpers = catalogue::catalogue().iter().filter(|about| !about.native);
        let without: Vec<&str> = helpers
            .map(|about| about.name)
            .filter(|name| template(name).is_none())
            .collect();
        assert_eq!(without, ["Begin", "End", "ImageSampler"]);
    }

    #[test]
    fn templates_use_what_their_kinds_have() {
        for template in TEMPLATES.iter() {
            let kind = catalogue::kind(template.kind).unwrap();
            assert_eq!(
                template.ports.len(),
                kind.signature.ports.len(),
                "{}",
                kind.name
            );
            for (at, part) in template.parts.iter().enumerate() {
                let about = catalogue::kind(part.kind).unwrap();
                assert!(about.native && part.overload < about.signature.overloads.len());
                let wanted = if part.values.is_empty() {
                    part.inputs.len()
                } else {
                    part.values.len()
                };
                assert_eq!(
                    about.signature.parameters.len(),
                    wanted,
                    "{} {at}",
                    kind.name
                );
                for (name, source) in &part.inputs {
                    let place = about.signature.parameter(name).unwrap();
                    let ty = about.signature.overloads[part.overload].inputs[place];
                    let from = match source {
                        Parameter(name) => {
                            let place = kind.signature.parameter(name).unwrap();
                            kind.signature.overloads[0].inputs[place]
                        }
                        From(other, port) => {
                            assert!(*other < at, "{} {at}", kind.name);
                            let other = &template.parts[*other];
                            let signature = &catalogue::kind(other.kind).unwrap().signature;
                            signature.overloads[other.overload].outputs
                                [signature.port(port).unwrap()]
                        }
                    };
                    assert_eq!(ty, from, "{} {at} {name}", kind.name);
                }
            }
        }
    }
}
