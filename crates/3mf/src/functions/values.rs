//! Values of parameters that attributes set.

use fibula_core::graph::{NodeData, Setting};
use fibula_nodes::call::{SCALAR_OUTPUT, VECTOR_INPUT};
use fibula_nodes::{Family, Type};
use serde_json::{Value as Json, json};

use super::FunctionReader;
use super::parsed::RESOURCE;
use crate::error::{Locate, Problem, ReadError, brief};
use crate::numbers::{finite, invalid};

impl FunctionReader<'_, '_> {
    /// Sets the parameters that have attributes.
    pub(crate) fn set_values(&mut self, at: usize, data: &mut NodeData) -> Result<(), ReadError> {
        let node = &self.scope.function.nodes[at];
        let place = self.scope.place(at);
        let signature = self.kinds[at].signature.clone();
        let mut unknown = Vec::new();
        for (name, text) in &node.element.attributes {
            match name.as_str() {
                "identifier" | "displayname" | "tag" => {}
                "matrix" if signature.parameter("m00").is_ok() => {
                    let numbers = matrix(text).at(&place)?;
                    for (parameter, number) in signature.parameters.iter().zip(numbers) {
                        let name = parameter.name.to_string();
                        data.parameters.insert(name, Setting::Value(json!(number)));
                    }
                }
                _ => {
                    let Ok(parameter) = signature.parameter(name) else {
                        unknown.push(brief(name));
                        continue;
                    };
                    let ty = signature.overloads[0].inputs[parameter];
                    let value = self.value(at, name, text, ty).at(&place)?;
                    let parameter = signature.parameters[parameter].name.to_string();
                    data.parameters.insert(parameter, Setting::Value(value));
                }
            }
        }
        if node.element.name == RESOURCE && node.element.attribute("value").is_none() {
            let message =
                "the attribute resourceid is from a draft of the specification: read as value"
                    .to_owned();
            self.repair("resourceid_attribute", place.clone(), message);
        }
        if !unknown.is_empty() {
            let (element, unknown) = (&node.element.name, unknown.join(", "));
            let message = format!("unknown attribute {unknown} of {element}: ignored");
            self.repair("unknown_attribute", place, message);
        }
        Ok(())
    }

    fn value(&self, at: usize, name: &str, text: &str, ty: Type) -> Result<Json, Problem> {
        let node = &self.scope.function.nodes[at];
        match ty {
            Type::ResourceId => self.scope.resource(node).map(Json::from),
            Type::String => Ok(json!(self.port_name(at, name, text))),
            Type::Float => finite(text)
                .map(Json::from)
                .ok_or_else(|| invalid(name, text, "a finite number")),
            Type::Float3 | Type::Matrix4x4 | Type::Integer => Err(invalid(name, text, ty.form())),
        }
    }

    /// Name of the port that a gradient names by its identifier.
    fn port_name<'t>(&'t self, at: usize, attribute: &str, identifier: &'t str) -> &'t str {
        let names = &self.kinds[at].names;
        match attribute {
            SCALAR_OUTPUT => names.output(identifier),
            VECTOR_INPUT => names.input(identifier),
            _ => identifier,
        }
    }

    /// Requires that a constant has its value.
    pub(crate) fn check_values(&self, at: usize, data: &NodeData) -> Result<(), ReadError> {
        let kind = &self.kinds[at];
        let element = kind.about.element;
        if kind.about.family != Family::Constant && element != RESOURCE {
            return Ok(());
        }
        let unset = kind
            .signature
            .parameters
            .iter()
            .find(|&one| !data.parameters.contains_key(one.name.as_ref()));
        let Some(unset) = unset else {
            return Ok(());
        };
        let attribute = match unset.name.as_ref() {
            name if name.starts_with('m') => "matrix",
            "resourceid" => "value",
            name => name,
        };
        let problem = Problem::MissingAttribute {
            element: element.to_owned(),
            attribute: attribute.to_owned(),
        };
        Err(problem.at(self.scope.place(at)))
    }
}

/// Parses sixteen numbers, row by row.
fn matrix(text: &str) -> Result<Vec<f64>, Problem> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().take(17).map(finite).collect();
    let sixteen = numbers.filter(|numbers| numbers.len() == 16);
    sixteen.ok_or_else(|| invalid("matrix", text, "16 finite numbers, row by row"))
}
