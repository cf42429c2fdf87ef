//! Shaders for previews: a function as GLSL whose numbers are uniforms, so that another number needs no other shader.

use std::collections::BTreeMap;

use fibula_core::edit::{Edit, LinkEdit, PortEdit, Stage};
use fibula_core::eval::{self, Tape};
use fibula_core::graph::{Document, FunctionId, NodeId, Side};
use fibula_eval::Rounding;
use fibula_eval::glsl::{self, Arguments, GlslSettings};
use fibula_geometry::{Shape, search_bounds, tight_bounds};
use fibula_nodes::{PortSpec, Type, Value};
use serde_json::Value as Json;

use crate::background::{ProgressFn, run_watched};
use crate::functions::JsonFloat;
use crate::functions::link_candidates::end;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

json_structs! {
    /// Function, or port of one of its nodes, that a preview shows.
    pub request struct GetFunctionShader {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Output that is shown; default: the first float.
        pub output: Option<String>,
        /// Or port of a node, such as "3.result", as if it were the output.
        pub port: Option<String>,
        /// true adds the bounds of the shape, which takes longer.
        pub bounds: bool,
        revision,
    }

    /// A function of GLSL ES 3.00 (WebGL 2) of a point, and the numbers that it needs.
    pub answer struct FunctionShader {
        pub success: bool,
        pub function_id: FunctionId,
        /// Declarations and functions, without #version.
        pub source: String,
        /// Name of the function: float NAME(vec3 pos).
        pub name: String,
        /// Uniform block of the parameters, an array of vec4 in the layout std140.
        pub parameter_block: Option<String>,
        /// Numbers of the function, each from its place among the scalars of the block.
        pub parameters: Vec<ShaderParameter>,
        /// Number of scalars of the block, filled up to a multiple of 4.
        pub parameter_scalars: usize,
        /// Other uniform blocks with their values, in the layout std140.
        pub constants: BTreeMap<String, Vec<JsonFloat>>,
        /// Corners of the shape's bounding box.
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Reason why there are no bounds, though they were requested.
        pub unbounded: Option<String>,
        pub unit: &'static str,
        pub revision: u64,
    }

    /// A number, vector or matrix of a shader.
    pub answer struct ShaderParameter {
        /// Index of its first scalar in the block.
        pub offset: usize,
        /// Number of its scalars.
        pub width: usize,
        /// Input of the function, whose value is its default.
        pub input: Option<String>,
        /// Or function of the node that has the value.
        pub function_id: Option<FunctionId>,
        pub node_id: Option<NodeId>,
        pub parameter_name: Option<String>,
        pub value: Option<Json>,
    }
}

/// Scalars of the point.
const POINT: usize = 3;

impl Service {
    /// Writes a function as GLSL whose numbers are uniforms. Calls `watch` while it searches for bounds; it may cancel that.
    ///
    /// # Errors
    /// A [`Refusal`] if the function, output or port is unknown, the first input is no point, inputs of nodes are unset, or
    /// GLSL cannot compute it: because of a mesh, a beam lattice, an image, or its length.
    pub fn function_shader(
        &self,
        request: &GetFunctionShader,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionShader> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let function_id = request.function_id;
        let document = project.with_content(&snapshot, [function_id.into()])?;
        let (document, output) = shown_output(document, request)?;
        let options = eval::Request {
            outputs: Some(vec![output.clone()]),
            ..eval::Request::default()
        };
        let (tape, literals) = Tape::tunable(&document, function_id, &options)?;
        let inputs = &tape.inputs()[..tape.inputs().len() - literals.len()];
        check_inputs(inputs)?;
        let [
            PortSpec {
                ty: Type::Float, ..
            },
        ] = tape.outputs()
        else {
            let message = format!("the output {output} is no float, so it has no inside");
            return Err(
                Refusal::new("no_field", message).hint("choose an output or port that is a float")
            );
        };
        let settings = GlslSettings {
            arguments: Arguments::Uniforms,
            ..GlslSettings::default()
        };
        let shader = glsl::write(tape.code(Rounding::Fast), &settings)?;
        let parameter_block = shader.parameter_block();
        let mut offset = 0;
        let mut place = |ty: Type| {
            offset += ty.width();
            (offset - ty.width(), ty.width())
        };
        // Three floats or one float3 are the point.
        let point = if inputs[0].ty == Type::Float3 {
            1
        } else {
            POINT
        };
        let mut parameters = Vec::new();
        for input in &inputs[point..] {
            let (offset, width) = place(input.ty);
            parameters.push(ShaderParameter {
                offset,
                width,
                input: Some(input.name.clone()),
                function_id: None,
                node_id: None,
                parameter_name: None,
                value: input.default_value().map(Value::to_json),
            });
        }
        for literal in literals {
            let (offset, width) = place(literal.value.ty());
            parameters.push(ShaderParameter {
                offset,
                width,
                input: None,
                function_id: Some(literal.function_id),
                node_id: Some(literal.node_id),
                parameter_name: Some(literal.parameter),
                value: Some(literal.value.to_json()),
            });
        }
        let blocks = shader.blocks.into_iter();
        let numbers = |values: Vec<f32>| values.into_iter().map(JsonFloat::of).collect();
        let (bounds, unbounded) = if request.bounds {
            match bounds(&document, function_id, &output, watch) {
                Ok(bounds) => (Some(bounds), None),
                Err(refusal) if refusal.code == "cancelled" => return Err(refusal),
                Err(refusal) => (None, Some(refusal.message)),
            }
        } else {
            (None, None)
        };
        Ok(FunctionShader {
            success: true,
            function_id,
            source: shader.source,
            name: shader.name,
            parameter_block,
            parameters,
            parameter_scalars: offset.next_multiple_of(4),
            constants: blocks
                .map(|block| (block.name, numbers(block.values)))
                .collect(),
            bounds,
            unbounded,
            unit: document.model().info().unit.name(),
            revision: snapshot.head.revision,
        })
    }
}

/// Returns the document with the output that is shown: that of the request, that of its port, or the first float.
fn shown_output(document: Document, request: &GetFunctionShader) -> Result<(Document, String)> {
    match (&request.port, &request.output) {
        (Some(_), Some(_)) => {
            let refusal = Refusal::new("invalid_arguments", "output and port are both given");
            Err(refusal.hint("pass one of them"))
        }
        (Some(port), None) => previewed(&document, request.function_id, port),
        (None, Some(output)) => Ok((document, output.clone())),
        (None, None) => {
            let output = first_float(&document, request.function_id)?;
            Ok((document, output))
        }
    }
}

/// Returns the document in which a new output of the function is linked to a port, and the name of that output.
fn previewed(
    document: &Document,
    function_id: FunctionId,
    port: &str,
) -> Result<(Document, String)> {
    let (source_node_id, source_port_name) = end(port)?;
    let function = document.function(function_id)?;
    let outputs = function.outputs();
    let is_taken = |name: &String| outputs.iter().any(|output| output.name == *name);
    let mut names = (0..=outputs.len()).map(|index| format!("preview{index}"));
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    let mut stage = Stage::new(document);
    stage.push(&Edit::Port(PortEdit::Add {
        function_id,
        side: Side::Output,
        name: name.clone(),
        ty: Type::Float,
        index: None,
        begin_id: None,
        default: None,
        unit: None,
        min: None,
        max: None,
    }))?;
    stage.push(&Edit::Link(LinkEdit::Create {
        function_id,
        source_node_id,
        source_port_name: source_port_name.to_owned(),
        target_node_id: NodeId::END,
        target_parameter_name: name.clone(),
        replace: false,
        insert_conversion: false,
    }))?;
    Ok((stage.document().clone(), name))
}

/// Returns the name of the first output that is a float.
fn first_float(document: &Document, function_id: FunctionId) -> Result<String> {
    let outputs = document.function(function_id)?.outputs().into_iter();
    let mut floats = outputs.filter(|output| output.ty == Type::Float);
    floats.next().map(|output| output.name).ok_or_else(|| {
        let message = "the function has no float output, so it does not define an inside";
        Refusal::new("no_field", message).hint("add an output that is negative inside")
    })
}

/// Refuses inputs of which the first is no point.
fn check_inputs(inputs: &[PortSpec]) -> Result<()> {
    let types: Vec<Type> = inputs.iter().map(|input| input.ty).collect();
    if matches!(
        types[..],
        [Type::Float3, ..] | [Type::Float, Type::Float, Type::Float, ..]
    ) {
        return Ok(());
    }
    let message =
        "the first input of the function is no point, so there is nothing to show in space";
    Err(Refusal::new("no_position", message)
        .hint("make a float3, or three floats, the first input; move_port changes the order"))
}

/// Corners of the bounding box of an output.
fn bounds(
    document: &Document,
    function_id: FunctionId,
    output: &str,
    watch: ProgressFn<'_>,
) -> Result<[[f64; 3]; 2]> {
    let function = document.function(function_id)?;
    let inputs = function.inputs();
    let others = if inputs[0].ty == Type::Float3 {
        1
    } else {
        POINT
    };
    let rest = &inputs[others..];
    let unknown = rest.iter().filter(|input| input.default_value().is_none());
    let unknown: Vec<&str> = unknown.map(|input| input.name.as_str()).collect();
    if !unknown.is_empty() {
        let message = format!("the bounds depend on {}", unknown.join(", "));
        return Err(Refusal::new("missing_argument", message));
    }
    let known = rest.iter().filter_map(PortSpec::default_value);
    let known: Vec<Value> = known.cloned().collect();
    let outputs = function.outputs();
    let output = outputs.iter().position(|one| one.name == output);
    let tape = Tape::in_space(
        document,
        function_id,
        0,
        &known,
        &[output.unwrap_or_default()],
    )?;
    let shape = Shape::new(&tape)?;
    let bounds = run_watched(1, watch, |progress| {
        let watch = |_, _| progress.report(0);
        let around = search_bounds(&shape, &watch)?;
        tight_bounds(&shape, &around, &watch).map_err(|_| Refusal::cancelled())
    })?;
    Ok([bounds.low(), bounds.high()])
}
