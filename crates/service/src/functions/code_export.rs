//! Export of functions as text: Graphviz and Mermaid diagrams, and GLSL.

use std::collections::BTreeMap;
use std::fmt;

use fibula_core::graph::FunctionId;
use fibula_drawing::diagram;
use fibula_eval::Rounding;
use fibula_eval::glsl::{self, GlslSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::project::tape_cache::TapeKey;
use crate::refusal::Result;
use crate::service::Service;

json_structs! {
    /// Function and format of an export as text.
    pub request struct GetFunctionText {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Format of the text; default dot.
        pub format: TextFormat = default,
        revision,
    }

    /// A function as text.
    pub answer struct FunctionText {
        pub success: bool,
        pub function_id: FunctionId,
        pub format: TextFormat,
        pub text: String,
        /// For GLSL, the uniform blocks with their values, in the layout std140.
        pub constants: Option<BTreeMap<String, Vec<JsonFloat>>>,
        pub revision: u64,
    }
}

/// Format of an export as text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Graphviz diagram.
    #[default]
    Dot,
    /// Mermaid diagram, which sites with Markdown show.
    Mermaid,
    /// A function of GLSL ES 3.00 (WebGL 2) that computes the function.
    Glsl,
}

/// A number in single precision; one that JSON cannot represent is "Infinity", "-Infinity" or
/// "NaN".
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Single")]
pub enum JsonFloat {
    /// A number that JSON can represent.
    Finite(f32),
    /// Another one, by its name.
    Other(&'static str),
}

impl JsonFloat {
    pub(crate) fn of(number: f32) -> Self {
        if number.is_finite() {
            JsonFloat::Finite(number)
        } else if number.is_nan() {
            JsonFloat::Other("NaN")
        } else if number > 0.0 {
            JsonFloat::Other("Infinity")
        } else {
            JsonFloat::Other("-Infinity")
        }
    }
}

impl fmt::Display for JsonFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonFloat::Finite(number) => write!(f, "{number}"),
            JsonFloat::Other(name) => f.write_str(name),
        }
    }
}

impl Service {
    /// Writes a function as a diagram or shader.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such function or it has no graph; for GLSL, if inputs of nodes are
    /// unset or GLSL cannot compute it.
    pub fn function_text(&self, request: &GetFunctionText) -> Result<FunctionText> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let (function_id, format) = (request.function_id, request.format);
        let mut constants = None;
        let text = match format {
            TextFormat::Dot => diagram::dot(snapshot.document.function(function_id)?),
            TextFormat::Mermaid => diagram::mermaid(snapshot.document.function(function_id)?),
            TextFormat::Glsl => {
                let key = TapeKey {
                    head: snapshot.head,
                    function: function_id,
                    outputs: None,
                    statics: BTreeMap::new(),
                };
                let tape = project.tape(&snapshot, &key)?;
                let shader = glsl::write(tape.code(Rounding::Fast), &GlslSettings::default())?;
                let blocks = shader.blocks.into_iter();
                let numbers = |values: Vec<f32>| values.into_iter().map(JsonFloat::of).collect();
                let blocks = blocks.map(|block| (block.name, numbers(block.values)));
                constants = Some(blocks.collect());
                shader.source
            }
        };
        Ok(FunctionText {
            success: true,
            function_id,
            format,
            text,
            constants,
            revision: snapshot.head.revision,
        })
    }
}
