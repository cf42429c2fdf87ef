//! Lowering templates: kinds that 3MF does not have, in terms of native kinds.
//!
//! Each template is a short list of native nodes. The writer tags each as a part of the node that it stands for; the reader
//! lifts them to that node only if all of them are unchanged.
//!
//! For finite numbers the values are the same, except that a zero may lose its sign in `DecomposeMatrix`.

use std::sync::LazyLock;

/// Native nodes that a kind is lowered to.
#[derive(Debug)]
pub(crate) struct Template {
    /// Name of the kind.
    pub(crate) kind: &'static str,
    /// Native nodes, each after its sources.
    pub(crate) parts: Vec<TemplateNode>,
    /// Node and port of the template that each port of the kind stands for.
    pub(crate) ports: Vec<(usize, &'static str)>,
}

/// Native node of a template.
#[derive(Debug)]
pub(crate) struct TemplateNode {
    /// Name of the native kind.
    pub(crate) kind: &'static str,
    /// Index of its overload.
    pub(crate) overload: usize,
    /// Linked parameters, and their sources.
    pub(crate) inputs: Vec<(&'static str, TemplateSource)>,
    /// Values of the parameters of a constant.
    pub(crate) values: Vec<f64>,
}

/// Source of a parameter of a template node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TemplateSource {
    /// Argument of a parameter of the kind.
    Parameter(&'static str),
    /// A port of another node of the template.
    Node(usize, &'static str),
}

use TemplateSource::{Node as From, Parameter};

/// Returns the template of a kind that has no element of its own.
pub(crate) fn template(kind: &str) -> Option<&'static Template> {
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
        constant("ConstantMatrix", "ComposeMatrix", &MATRIX_ELEMENTS),
    ]
});

/// Names of the elements of a matrix, row by row.
pub(crate) const MATRIX_ELEMENTS: [&str; 16] = [
    "m00", "m01", "m02", "m03", "m10", "m11", "m12", "m13", "m20", "m21", "m22", "m23", "m30",
    "m31", "m32", "m33",
];

/// Index of the overload of numbers, and of that of vectors and matrices, where there are several.
const FLOAT: usize = 0;
const FLOAT3: usize = 1;
const MATRIX: usize = 2;

/// Collects the nodes of a template.
#[derive(Default)]
struct TemplateBuilder(Vec<TemplateNode>);

impl TemplateBuilder {
    /// Adds a node, and returns its index.
    fn add(
        &mut self,
        kind: &'static str,
        overload: usize,
        inputs: &[(&'static str, TemplateSource)],
    ) -> usize {
        self.0.push(TemplateNode {
            kind,
            overload,
            inputs: inputs.to_vec(),
            values: Vec::new(),
        });
        self.0.len() - 1
    }

    /// Adds a constant, and returns its index.
    fn constant(&mut self, kind: &'static str, values: &[f64]) -> usize {
        let at = self.add(kind, 0, &[]);
        self.0[at].values = values.to_vec();
        at
    }

    /// Template of a kind whose only port is the result of this node.
    fn finish(self, kind: &'static str, result: usize) -> Template {
        Template {
            kind,
            parts: self.0,
            ports: vec![(result, "result")],
        }
    }

    /// Adds a binary operation.
    fn binary(
        &mut self,
        kind: &'static str,
        overload: usize,
        a: TemplateSource,
        b: TemplateSource,
    ) -> usize {
        self.add(kind, overload, &[("A", a), ("B", b)])
    }
}

fn transformation() -> Template {
    let mut parts = TemplateBuilder::default();
    let (matrix, point) = (Parameter("Transformation"), Parameter("pos"));
    let moved = parts.binary("MatrixVectorMultiplication", 0, matrix, point);
    parts.finish("Transformation", moved)
}

/// In the dialect of lib3mf, which drops the element `unsignedmesh`.
fn unsigned_distance() -> Template {
    let mut parts = TemplateBuilder::default();
    let inputs = [("mesh", Parameter("mesh")), ("pos", Parameter("pos"))];
    let signed = parts.add("SignedDistanceToMesh", 0, &inputs);
    let size = parts.add("Abs", FLOAT, &[("A", From(signed, "distance"))]);
    parts.finish("UnsignedDistanceToMesh", size)
}

/// A constant whose value is linked is an identity: the minimum of a number and itself.
fn constant_scalar() -> Template {
    let mut parts = TemplateBuilder::default();
    let value = Parameter("value");
    let same = parts.binary("Min", FLOAT, value, value);
    parts.finish("ConstantScalar", same)
}

/// A constant of which some element is linked is composed.
fn constant(kind: &'static str, compose: &'static str, names: &[&'static str]) -> Template {
    let mut parts = TemplateBuilder::default();
    let inputs: Vec<_> = names.iter().map(|&name| (name, Parameter(name))).collect();
    let composed = parts.add(compose, 0, &inputs);
    parts.finish(kind, composed)
}

/// Operations of `BoxMinMax` in its own order.
fn box_distance() -> Template {
    let mut parts = TemplateBuilder::default();
    let (pos, min, max) = (Parameter("pos"), Parameter("min"), Parameter("max"));
    let low = parts.binary("Subtraction", FLOAT3, min, pos);
    let high = parts.binary("Subtraction", FLOAT3, pos, max);
    let beyond = parts.binary("Max", FLOAT3, From(low, "result"), From(high, "result"));
    let zeros = parts.constant("ConstantVector", &[0.0; 3]);
    let beyond = From(beyond, "result");
    let out = parts.binary("Max", FLOAT3, beyond, From(zeros, "vector"));
    let outside = parts.add("Length", 0, &[("A", From(out, "result"))]);
    let each = parts.add("DecomposeVector", 0, &[("A", beyond)]);
    let largest = parts.binary("Max", FLOAT, From(each, "y"), From(each, "z"));
    let largest = parts.binary("Max", FLOAT, From(each, "x"), From(largest, "result"));
    let zero = parts.constant("ConstantScalar", &[0.0]);
    let inside = parts.binary("Min", FLOAT, From(largest, "result"), From(zero, "value"));
    let (outside, inside) = (From(outside, "result"), From(inside, "result"));
    let sum = parts.binary("Addition", FLOAT, outside, inside);
    parts.finish("BoxMinMax", sum)
}

/// Matrix with ones at these indexes, and zeros elsewhere.
fn ones(places: &[usize]) -> [f64; 16] {
    std::array::from_fn(|place| f64::from(places.contains(&place)))
}

/// A point times a matrix gives the sum of the matrix's rows, without their last numbers; so with all rows but one
/// masked it gives that row. The last column comes from the transpose in the same way. The last number of all is out of
/// reach of that, so it is moved by an inverse: that of the block (0 1; 1 a) is (-a 1; 1 0).
fn decomposed_matrix() -> Template {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let mut parts = TemplateBuilder::default();
    let matrix = Parameter("matrix");
    let all = parts.constant("ConstantVector", &[1.0; 3]);
    let mut found = vec![(0, ""); 16];
    // The numbers of a row whose other rows are masked.
    let row = |parts: &mut TemplateBuilder, matrix: TemplateSource, mask: &[usize]| {
        let mask = parts.constant("ConstantMatrix", &ones(mask));
        let only = parts.binary("Multiplication", MATRIX, matrix, From(mask, "matrix"));
        let (only, all) = (From(only, "result"), From(all, "vector"));
        let sum = parts.binary("MatrixVectorMultiplication", 0, only, all);
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
    let last = parts.binary("Multiplication", MATRIX, matrix, From(mask, "matrix"));
    let frame = parts.constant("ConstantMatrix", &ones(&[0, 5, 11, 14]));
    let (last, frame) = (From(last, "result"), From(frame, "matrix"));
    let block = parts.binary("Addition", MATRIX, last, frame);
    let inverse = parts.add("Inverse", 0, &[("A", From(block, "result"))]);
    let each = row(&mut parts, From(inverse, "result"), &[10]);
    let minus = parts.constant("ConstantScalar", &[-1.0]);
    let (negative, minus) = (From(each, "z"), From(minus, "value"));
    let corner = parts.binary("Multiplication", FLOAT, negative, minus);
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
            let (name, ports) = (kind.name, kind.signature.ports.len());
            assert_eq!(template.ports.len(), ports, "{name}");
            for (at, part) in template.parts.iter().enumerate() {
                let about = catalogue::kind(part.kind).unwrap();
                assert!(about.native && part.overload < about.signature.overloads.len());
                let values = part.values.len();
                let wanted = if values == 0 {
                    part.inputs.len()
                } else {
                    values
                };
                assert_eq!(about.signature.parameters.len(), wanted, "{name} {at}");
                for (input, source) in &part.inputs {
                    let place = about.signature.parameter(input).unwrap();
                    let ty = about.signature.overloads[part.overload].inputs[place];
                    let from = match source {
                        Parameter(name) => {
                            let place = kind.signature.parameter(name).unwrap();
                            kind.signature.overloads[0].inputs[place]
                        }
                        From(other, port) => {
                            assert!(*other < at, "{name} {at}");
                            let other = &template.parts[*other];
                            let signature = &catalogue::kind(other.kind).unwrap().signature;
                            signature.overloads[other.overload].outputs
                                [signature.port(port).unwrap()]
                        }
                    };
                    assert_eq!(ty, from, "{name} {at} {input}");
                }
            }
        }
    }
}
