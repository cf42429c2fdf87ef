//! The functions of the library: listed for whoever looks, put into projects that call them.

use fibula_core::edit::{Change, Edit, Stage};
use fibula_core::expression;
use fibula_core::graph::{Document, FunctionId, GraphError};
use fibula_core::library::{self, Distance, Group, LibraryFunction};
use fibula_nodes::names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::form::ObjectForm;
use super::page::{Page, Paging};
use super::refusal::{Refusal, did_you_mean, quoted};
use super::written::malformed;

/// No function of the library has more nodes.
pub(super) const MOST_NODES: usize = 50;
/// Up to so many functions are told whole.
const WHOLE: usize = 3;

/// A function of the library.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LibraryInfo {
    pub name: String,
    /// Inputs with the values to begin with, and outputs.
    pub signature: String,
    pub about: String,
    pub group: Group,
    /// How good a distance the value is.
    pub distance: Distance,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// What the inputs say, and what they are measured in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<ObjectForm>>")]
    pub inputs: Vec<LibraryInputInfo>,
}

/// An input of a function of the library.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LibraryInputInfo {
    pub name: String,
    pub unit: library::Unit,
    pub about: String,
}

/// A function of the library that was put into a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Inserted {
    #[schemars(with = "u32")]
    pub function_id: FunctionId,
    pub name: String,
}

/// The functions of the library whose name, group or description has all words of a search, the one that it names first.
/// Those are told whole of which there are few, or which are named.
pub(super) fn listed(search: &str, paging: Paging) -> (Page<LibraryInfo>, usize) {
    let search = search.to_lowercase();
    let words: Vec<&str> = search.split_whitespace().collect();
    let is_named = |function: &LibraryFunction| function.name == search.trim();
    let matches = |function: &&LibraryFunction| {
        let text = [&*function.name, function.group.title(), &function.about];
        let text = text.join(" ").to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let mut found: Vec<&LibraryFunction> = library::functions().iter().filter(matches).collect();
    found.sort_by_key(|function| !is_named(function));
    let (total, few) = (found.len(), found.len() <= WHOLE);
    let page = paging.page((1..).zip(found), |function| {
        info(function, few || is_named(function))
    });
    (page, total)
}

fn info(function: &LibraryFunction, whole: bool) -> LibraryInfo {
    let inputs = function.inputs.iter().filter(|_| whole);
    let inputs = inputs.map(|input| LibraryInputInfo {
        name: input.name.clone(),
        unit: input.unit,
        about: input.about.clone(),
    });
    LibraryInfo {
        name: function.name.clone(),
        signature: function.signature(),
        about: function.about.clone(),
        group: function.group,
        distance: function.distance,
        expression: whole.then(|| function.expression.clone()),
        example: whole.then(|| function.example.clone()),
        inputs: inputs.collect(),
    }
}

/// A function of the library that is to be put into a project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Insertion {
    name: String,
    function_id: Option<FunctionId>,
}

/// The edit that puts a function of the library into a project.
///
/// # Errors
/// A [`Refusal`]: there is no such function, with the nearest names, or the id is taken.
pub(super) fn insertion(document: &Document, body: Json) -> Result<Edit, Refusal> {
    let Insertion { name, function_id } =
        serde_json::from_value(body).map_err(|error| malformed("insert_function", &error))?;
    let Some(function) = library::find(&name) else {
        let all = library::functions().iter().map(|function| &*function.name);
        let message = format!("the library has no function {}", quoted(&name));
        return Err(
            Refusal::new("unknown_function_name", message).hint(did_you_mean(
                &names::nearest(&name, all),
                "list_functions with library: true tells what there is",
            )),
        );
    };
    if let Some(id) = function_id.filter(|&id| document.has(id.into())) {
        let (what, id) = ("resource", id.to_string());
        return Err(GraphError::DuplicateId { what, id }.into());
    }
    let mut data = function.data().clone();
    data.function_id = function_id;
    Ok(Edit::SetFunction(data))
}

/// Puts the function that an expression says on a stage, after those of the library that it calls.
///
/// # Errors
/// A [`Refusal`]: the expression is wrong, its name or id cannot be.
pub(super) fn put_expression(
    stage: &mut Stage,
    wanted: &expression::Request,
    function_id: Option<FunctionId>,
) -> Result<(Change, Vec<Inserted>), Refusal> {
    let mut inserted = Vec::new();
    for called in library::called(stage.document(), &wanted.expression) {
        let mut data = called.data().clone();
        // Any but the one that is wanted for the function itself.
        data.function_id = Some(stage.document().next_id_beside(function_id)?);
        let change = stage.push(&Edit::SetFunction(data))?;
        inserted.push(Inserted {
            function_id: change.function_id.expect("a function was set"),
            name: called.name.clone(),
        });
    }
    let mut data = expression::function(stage.document(), wanted)?;
    data.function_id = function_id;
    Ok((stage.push(&Edit::SetFunction(data))?, inserted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_has_more_nodes_than_is_counted() {
        let nodes = library::functions()
            .iter()
            .map(|function| function.data().nodes.len());
        let most = nodes.max().expect("there are functions");
        assert!(most <= MOST_NODES && most > MOST_NODES / 2, "{most}");
    }
}
