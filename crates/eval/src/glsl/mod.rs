//! GLSL: a [`Code`] written as one function of GLSL ES 3.00, which WebGL 2 compiles.
//!
//! The text depends on the instructions only. The constants are uniforms, so that a page that changes one sends the
//! numbers anew and keeps the program; whether the text is still the same is one comparison of strings. (A constant
//! that becomes equal to another, or one that the optimiser knows, 0 or 1 as the case may be, does change the text.)
//!
//! Each operation has the semantics of the kernel, as far as a graphics processor allows: GLSL promises no accuracy for
//! sine, cosine and the other elementary functions and 2.5 ulp for a division, may contract a product with a sum,
//! whether [`Rounding`](crate::Rounding) is exact or not, and may take numbers below 2^-126 for 0. GLSL leaves more
//! open: rounding of ties, powers of negative numbers, angles on the axes. This is written out in functions,
//! of which a text contains those that it needs. What it leaves open about NaN is up to [`NanHandling`].
//!
//! ```
//! use fibula_eval::glsl::{self, GlslSettings};
//! use fibula_eval::{Code, Rounding};
//! use fibula_nodes::Kernel;
//!
//! let mut kernel = Kernel::new();
//! let (x, number) = (kernel.variable(0), kernel.constant(2.5));
//! let value = kernel.add(x, number);
//! let code = Code::new(kernel.operations(), &[value], 3, kernel.oracles(), Rounding::Fast);
//!
//! let shader = glsl::write(&code, &GlslSettings::default())?;
//! assert!(shader.source.contains("float fibula_value(vec3 pos) {"));
//! assert_eq!(shader.blocks[0].name, "fibula_Constants0");
//! assert_eq!(shader.blocks[0].values, [2.5, 0.0, 0.0, 0.0]);
//! assert!(shader.fragment().is_some());
//! # Ok::<(), glsl::GlslError>(())
//! ```

mod body;
mod supplements;

use fibula_nodes::{ResourceId, ResourceKind};

use crate::code::{Code, Instruction};

/// The instructions that a text may have. What drivers compile in reasonable time is less, some thousands: some of
/// them take more than linear time.
pub const MOST_INSTRUCTIONS: usize = 1 << 16;

/// The constants that a text may have: all that the uniform blocks take.
pub const MOST_CONSTANTS: usize = BLOCKS * BLOCK;

/// The constants in a uniform block: 16 384 bytes, which every WebGL 2 has.
const BLOCK: usize = 4096;

/// The uniform blocks for constants: of the 12 that every WebGL 2 provides to a fragment shader, four are left to the
/// page.
const BLOCKS: usize = 8;

/// Settings of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlslSettings {
    /// Prefix of all names in the text, so that several texts fit in one shader: Latin letters and digits.
    pub prefix: String,
    /// Passing of the scalar arguments.
    pub arguments: Arguments,
    /// Handling of undefined numbers.
    pub undefined: NanHandling,
}

impl Default for GlslSettings {
    /// `float fibula_value(vec3 pos)`, undefined numbers kept.
    fn default() -> Self {
        GlslSettings {
            prefix: "fibula".to_owned(),
            arguments: Arguments::Point,
            undefined: NanHandling::Kept,
        }
    }
}

/// Passing of scalar arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// The first three as one `vec3 pos`, all others as a `float` each.
    Point,
    /// As a `float` each.
    Scalars,
    /// The first three as one `vec3 pos`, all others from the uniform block `Parameters` (with the prefix), an array of
    /// `vec4` in the layout `std140`. Their number does not show in the function's head.
    Uniforms,
}

/// Handling of numbers that are not defined, like the root of -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NanHandling {
    /// They are NaN, and minimum and maximum ignore them, as everywhere else; NaN is detected by its bits, since
    /// drivers may take it that there is none. This costs three operations more for each minimum.
    Kept,
    /// They are what the driver makes of them. Where there are none, the result is the same.
    Ignored,
}

/// A function of GLSL ES 3.00, and the numbers that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Shader {
    /// Declarations and functions, without a `#version` line. The last function is the one that is [named](Self::name).
    pub source: String,
    /// The function's name: the prefix and `_value`. It returns the output if there is one; several are its last
    /// parameters, `out float`.
    pub name: String,
    /// The contents of the uniform blocks.
    pub blocks: Vec<UniformBlock>,
    settings: GlslSettings,
    inputs: usize,
    outputs: usize,
}

/// A uniform block and what it contains.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UniformBlock {
    /// The block's name.
    pub name: String,
    /// Its contents in the layout `std140`: an array of `vec4`. The last one is filled up with zeros.
    pub values: Vec<f32>,
}

/// Error returned when a function cannot be written in GLSL.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GlslError {
    /// It samples an oracle.
    #[error(
        "the function samples {kind} {resource}, but GLSL can only be generated from formulas; remove the node that \
         refers to it, or evaluate on the CPU"
    )]
    UsesOracle {
        /// Resource behind the oracle.
        resource: ResourceId,
        /// Kind of the resource.
        kind: ResourceKind,
    },
    /// It is too long.
    #[error(
        "the function has {instructions} instructions, but GLSL is generated for at most {MOST_INSTRUCTIONS}; evaluate \
         on the CPU"
    )]
    TooManyInstructions {
        /// Number of its instructions.
        instructions: usize,
    },
    /// It has too many constants.
    #[error(
        "the function has {constants} constants, but WebGL 2 guarantees uniform blocks for only {MOST_CONSTANTS}; \
         evaluate on the CPU"
    )]
    TooManyConstants {
        /// Number of its constants.
        constants: usize,
    },
    /// A name in the text would not be one.
    #[error(
        "{prefix:?} is not a valid prefix for names in GLSL; use Latin letters and digits, a letter first, and neither \
         `gl` nor `webgl`"
    )]
    InvalidPrefix {
        /// The prefix.
        prefix: String,
    },
}

/// Writes a function, in time and space in proportion to its instructions.
///
/// # Errors
/// If the function samples an oracle, if it has too many instructions or too many constants, or if the prefix is none.
pub fn write(code: &Code, settings: &GlslSettings) -> Result<Shader, GlslError> {
    check(code, settings)?;
    Ok(Shader {
        source: body::source(code, settings),
        name: format!("{}_value", settings.prefix),
        blocks: blocks(code, settings),
        settings: settings.clone(),
        inputs: code.inputs(),
        outputs: code.outputs().len(),
    })
}

impl Shader {
    /// The name of the uniform block with the arguments after the first three, if they are passed so and there are some.
    pub fn parameter_block(&self) -> Option<String> {
        let is_passed = self.settings.arguments == Arguments::Uniforms && self.inputs > 3;
        is_passed.then(|| body::parameter_block_name(&self.settings))
    }

    /// A complete fragment shader that answers on a plane: the fragment at (x, y) becomes the outputs at the point
    /// `origin + x right + y up`, of which the uniform block `View` (with the prefix) holds each as a `vec4`.
    ///
    /// There is none for functions with other arguments than a point and uniforms, or with more than four outputs.
    pub fn fragment(&self) -> Option<String> {
        let is_plane = match self.settings.arguments {
            Arguments::Point => self.inputs <= 3,
            Arguments::Uniforms => true,
            Arguments::Scalars => false,
        };
        if !is_plane || !(1..=4).contains(&self.outputs) {
            return None;
        }
        let (prefix, name, source) = (&self.settings.prefix, &self.name, &self.source);
        let parts = ["result.x", "result.y", "result.z", "result.w"];
        let call = if self.outputs == 1 {
            format!("result.x = {name}(pos);")
        } else {
            format!("{name}(pos, {});", parts[..self.outputs].join(", "))
        };
        Some(format!(
            "#version 300 es\n\
             {source}\n\
             layout(std140) uniform {prefix}_View {{\n    vec4 {prefix}_origin;\n    vec4 {prefix}_right;\n    vec4 {prefix}_up;\n}};\n\n\
             layout(location = 0) out vec4 {prefix}_result;\n\n\
             void main() {{\n    \
                 vec3 pos = {prefix}_origin.xyz + gl_FragCoord.x * {prefix}_right.xyz + gl_FragCoord.y * {prefix}_up.xyz;\n    \
                 vec4 result = vec4(0.0);\n    \
                 {call}\n    \
                 {prefix}_result = result;\n\
             }}\n"
        ))
    }
}

fn check(code: &Code, settings: &GlslSettings) -> Result<(), GlslError> {
    let prefix = &settings.prefix;
    let is_name = prefix.starts_with(|first: char| first.is_ascii_alphabetic())
        && prefix.chars().all(|each| each.is_ascii_alphanumeric());
    if !is_name || ["gl", "webgl"].contains(&prefix.as_str()) {
        return Err(GlslError::InvalidPrefix {
            prefix: prefix.clone(),
        });
    }
    let mut asked = code.instructions().iter();
    if let Some(asked) = asked.find_map(|instruction| match instruction {
        Instruction::Oracle { oracle, .. } => Some(&code.oracles()[*oracle as usize]),
        Instruction::Input(_)
        | Instruction::Unary(..)
        | Instruction::Binary(..)
        | Instruction::Fused(..)
        | Instruction::Select(_) => None,
    }) {
        return Err(GlslError::UsesOracle {
            resource: asked.resource,
            kind: asked.query.resource_kind(),
        });
    }
    let (instructions, constants) = (code.instructions().len(), code.constants().len());
    if instructions > MOST_INSTRUCTIONS {
        Err(GlslError::TooManyInstructions { instructions })
    } else if constants > MOST_CONSTANTS {
        Err(GlslError::TooManyConstants { constants })
    } else {
        Ok(())
    }
}

fn blocks(code: &Code, settings: &GlslSettings) -> Vec<UniformBlock> {
    let blocks = code.constants().chunks(BLOCK).enumerate();
    blocks
        .map(|(index, constants)| {
            let mut values: Vec<f32> = constants.iter().map(|&constant| constant as f32).collect();
            values.resize(values.len().next_multiple_of(4), 0.0);
            UniformBlock {
                name: body::block_name(settings, index),
                values,
            }
        })
        .collect()
}
