//! The text: declarations of the uniforms, the supplements that are needed, and a line for each instruction.

use std::fmt::Write;

use super::supplements::{self, SUPPLEMENTS};
use super::{Arguments, BLOCK, GlslSettings};
use crate::code::{Arg, ArgSource, Code, Fused, Instruction};

/// Scalars of the point.
const POINT: usize = 3;
/// Names of the components of a `vec4`.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

pub(super) fn block_name(settings: &GlslSettings, index: usize) -> String {
    format!("{}_Constants{index}", settings.prefix)
}

pub(super) fn parameter_block_name(settings: &GlslSettings) -> String {
    format!("{}_Parameters", settings.prefix)
}

pub(super) fn source(code: &Code, settings: &GlslSettings) -> String {
    let prefix = &settings.prefix;
    let (body, used) = body(code, settings);
    let mut text = String::from("precision highp float;\nprecision highp int;\n\n");
    for (index, constants) in code.constants().chunks(BLOCK).enumerate() {
        let vectors = constants.len().div_ceil(4);
        let name = block_name(settings, index);
        line(
            &mut text,
            format_args!(
                "layout(std140) uniform {name} {{\n    vec4 {prefix}_constants{index}[{vectors}];\n}};\n"
            ),
        );
    }
    if settings.arguments == Arguments::Uniforms && code.inputs() > POINT {
        let vectors = (code.inputs() - POINT).div_ceil(4);
        let name = parameter_block_name(settings);
        line(
            &mut text,
            format_args!(
                "layout(std140) uniform {name} {{\n    vec4 {prefix}_parameters[{vectors}];\n}};\n"
            ),
        );
    }
    for (supplement, _) in SUPPLEMENTS.iter().zip(used).filter(|(_, used)| *used) {
        text.push_str(&supplement.replace('$', prefix));
        text.push('\n');
    }
    text.push_str(&body);
    text
}

/// The function, and which supplements it needs.
fn body(code: &Code, settings: &GlslSettings) -> (String, [bool; SUPPLEMENTS.len()]) {
    let prefix = &settings.prefix;
    let mut used = [false; SUPPLEMENTS.len()];
    let mut text = format!("{} {{\n", head(code, settings));
    let name = |arg: Arg| match arg.source() {
        ArgSource::Value(index) => format!("v{index}"),
        ArgSource::Constant(index) => {
            let (block, index) = (index / BLOCK, index % BLOCK);
            let part = COMPONENTS[index % 4];
            format!("{prefix}_constants{block}[{}].{part}", index / 4)
        }
    };
    for (index, instruction) in code.instructions().iter().enumerate() {
        let value = match *instruction {
            Instruction::Input(input) => input_name(settings, input as usize),
            Instruction::Unary(operation, a) => {
                let pattern = supplements::unary(operation, settings.undefined);
                filled(pattern, &name(a), "", prefix, &mut used)
            }
            Instruction::Binary(operation, a, b) => {
                let pattern = supplements::binary(operation, settings.undefined);
                filled(pattern, &name(a), &name(b), prefix, &mut used)
            }
            Instruction::Fused(operation, a, b, c) => {
                let (a, b, c) = (name(a), name(b), name(c));
                match operation {
                    Fused::MulAdd => format!("{a} * {b} + {c}"),
                    Fused::MulSub => format!("{a} * {b} - {c}"),
                    Fused::NegMulAdd => format!("{c} - {a} * {b}"),
                }
            }
            Instruction::Select(args) => {
                let [a, b, then, otherwise] = args.map(name);
                format!("mix({otherwise}, {then}, {a} < {b})")
            }
            Instruction::Oracle { .. } => unreachable!("functions that ask oracles are refused"),
        };
        line(&mut text, format_args!("    float v{index} = {value};"));
    }
    match code.outputs() {
        [output] => line(&mut text, format_args!("    return {};", name(*output))),
        outputs => {
            for (index, &output) in outputs.iter().enumerate() {
                line(&mut text, format_args!("    r{index} = {};", name(output)));
            }
        }
    }
    text.push_str("}\n");
    // Supplements call earlier ones.
    for index in (0..SUPPLEMENTS.len()).rev() {
        if used[index] {
            for name in supplements::names(SUPPLEMENTS[index]) {
                used[supplements::index(name)] = true;
            }
        }
    }
    (text, used)
}

/// The type, name and parameters of the function.
fn head(code: &Code, settings: &GlslSettings) -> String {
    let own = match settings.arguments {
        Arguments::Point => POINT..code.inputs(),
        Arguments::Scalars => 0..code.inputs(),
        Arguments::Uniforms => 0..0,
    };
    let mut parameters = Vec::new();
    if settings.arguments != Arguments::Scalars {
        parameters.push("vec3 pos".to_owned());
    }
    parameters.extend(own.map(|input| format!("float p{input}")));
    let outputs = code.outputs().len();
    if outputs != 1 {
        parameters.extend((0..outputs).map(|output| format!("out float r{output}")));
    }
    let result = if outputs == 1 { "float" } else { "void" };
    let (prefix, parameters) = (&settings.prefix, parameters.join(", "));
    format!("{result} {prefix}_value({parameters})")
}

fn input_name(settings: &GlslSettings, input: usize) -> String {
    match (settings.arguments, input) {
        (Arguments::Point | Arguments::Uniforms, 0..POINT) => format!("pos.{}", COMPONENTS[input]),
        (Arguments::Uniforms, _) => {
            let (prefix, index) = (&settings.prefix, input - POINT);
            format!(
                "{prefix}_parameters[{}].{}",
                index / 4,
                COMPONENTS[index % 4]
            )
        }
        (Arguments::Point | Arguments::Scalars, _) => format!("p{input}"),
    }
}

/// A pattern with names in it; the function that it calls is marked.
fn filled(
    pattern: &str,
    a: &str,
    b: &str,
    prefix: &str,
    used: &mut [bool; SUPPLEMENTS.len()],
) -> String {
    for name in supplements::names(pattern) {
        used[supplements::index(name)] = true;
    }
    let mut text = String::with_capacity(pattern.len() + 16);
    for each in pattern.chars() {
        match each {
            '#' => text.push_str(a),
            '%' => text.push_str(b),
            '$' => text.push_str(prefix),
            other => text.push(other),
        }
    }
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a string takes all text");
}
