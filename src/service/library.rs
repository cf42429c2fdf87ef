//! The functions of the library: listed for whoever looks, put into projects that call them.

use fibula_nodes::names;
use schemars::JsonSchema;
use serde::Serialize;

use super::form::ObjectForm;
use super::page::{Page, Paging};
use super::refusal::{Refusal, did_you_mean, quoted};
use crate::edit::{Change, Edit, Stage};
use crate::expression;
use crate::graph::{FunctionData, FunctionId};
use crate::library::{self, Distance, Group, LibraryFunction};

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

/// The functions of the library whose name or description has all words of a search; told whole if they are few, or named.
pub(super) fn listed(search: &str, paging: Paging) -> (Page<LibraryInfo>, usize) {
    let words: Vec<String> = search
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let matches = |function: &&LibraryFunction| {
        let text =
            format!("{} {:?} {}", function.name, function.group, function.about).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let named = library::find(search.trim());
    let found: Vec<&LibraryFunction> = match named {
        Some(named) => vec![named],
        None => library::library().iter().filter(matches).collect(),
    };
    let whole = found.len() <= WHOLE;
    let total = found.len();
    (
        paging.page((1..).zip(found), |function| info(function, whole)),
        total,
    )
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

/// The function of the library with a name.
///
/// # Errors
/// A [`Refusal`] with the nearest names.
pub(super) fn named(name: &str) -> Result<FunctionData, Refusal> {
    if let Some(function) = library::find(name) {
        return Ok(function.data().clone());
    }
    let all = || library::library().iter().map(|function| &*function.name);
    let message = format!("the library has no function {}", quoted(name));
    Err(
        Refusal::new("unknown_function_name", message).hint(did_you_mean(
            &names::nearest(name, all()),
            "list_functions with library: true tells what there is",
        )),
    )
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
        let next = stage.document().next_id()?;
        if function_id == Some(FunctionId(next)) {
            // That id is wanted for the function itself.
            let mut after = (next..).skip(1).map(FunctionId);
            data.function_id = after.find(|&id| !stage.document().has(id.into()));
        }
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
