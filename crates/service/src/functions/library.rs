//! The library of functions: search, and insertion into projects that call them.

use fibula_core::edit::{Change, Edit, FunctionEdit, Stage};
use fibula_core::expression::{self, ShapeForm};
use fibula_core::graph::{Document, FunctionId, GraphError};
use fibula_core::library::{self, CadTerm, Distance, Group, LibraryFunction};
use fibula_core::refactor;
use fibula_nodes::{PortSpec, names};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::functions::node_types;
use crate::knowledge;
use crate::paging::{Page, Paging};
use crate::refusal::{Refusal, Result, did_you_mean, quoted};
use crate::schema_types::ObjectForm;

/// Maximum number of nodes of a library function.
pub(crate) const MOST_NODES: usize = 120;
/// Number of matches up to which functions are described in full.
const MOST_IN_FULL: usize = 3;
/// First id of the copies of library functions that come with a function, so that those that are written have low ids.
const FIRST_COPY: u32 = 1001;
/// Maximum number of words of a search.
const MOST_WORDS: usize = 16;

json_structs! {
    /// A function of the library.
    pub answer struct LibraryInfo {
        pub name: String,
        /// Inputs with default values, and outputs.
        pub signature: String,
        pub about: String,
        pub group: Group,
        /// Quality of the value as a distance.
        pub distance: Distance,
        pub expression: Option<String>,
        pub example: Option<String>,
        /// Meaning and units of the inputs.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub inputs: Vec<LibraryInputInfo> = [],
    }

    /// Input of a library function.
    pub data struct LibraryInputInfo {
        pub name: String,
        pub unit: library::Unit,
        pub about: String,
    }

    /// A library function that was inserted into a project.
    #[schemars(rename = "Inserted")]
    pub answer(PartialEq, Eq) struct InsertedFunction {
        pub function_id: FunctionId,
        pub name: String,
    }
}

/// Searches the library functions by name, synonym, group and description; a function with the searched name comes
/// first, then those that are called so elsewhere. Few matches, and the named function, are described in full.
pub(crate) fn search(search: &str, paging: Paging) -> (Page<LibraryInfo>, usize) {
    let search = search.trim().to_lowercase();
    let mut synonyms = fibula_dialects::synonyms(&search);
    for term in search_cad_terms(&search) {
        synonyms.extend(term.functions().iter().map(|function| &*function.name));
    }
    let words: Vec<(&str, Vec<&str>)> = search
        .split_whitespace()
        .take(MOST_WORDS)
        .map(|word| (word, fibula_dialects::synonyms(word)))
        .collect();
    // `smoothUnion` is written by others.
    let is_named = |function: &LibraryFunction| {
        function.name == search || function.name.replace('_', "") == search
    };
    let rank = |function: &LibraryFunction| {
        let place = synonyms.iter().position(|name| *name == function.name);
        (!is_named(function), place.unwrap_or(usize::MAX))
    };
    let matches = |function: &&LibraryFunction| {
        let text = [&*function.name, function.group.title(), &function.about];
        let text = text.join(" ").to_lowercase();
        let has = |(word, synonyms): &(&str, Vec<&str>)| {
            text.contains(word) || synonyms.contains(&&*function.name)
        };
        is_named(function) || words.iter().all(has) || synonyms.contains(&&*function.name)
    };
    let mut found: Vec<&LibraryFunction> = library::functions().iter().filter(matches).collect();
    found.sort_by_key(|function| rank(function));
    let (total, few) = (found.len(), found.len() <= MOST_IN_FULL);
    let page = paging.page((1..).zip(found), |function| {
        info(function, few || is_named(function))
    });
    (page, total)
}

/// Finds the CAD terms that a search means: by their names in other systems, by their meaning, or by a form of the language, such as
/// `polygon`, that it means. The name of a function of the library means only that.
pub fn search_cad_terms(search: &str) -> Vec<&'static CadTerm> {
    if library::find(search).is_some() {
        return Vec::new();
    }
    let mut forms: Vec<&str> = fibula_dialects::synonyms(search);
    forms.retain(|name| expression::is_shape_form(name));
    forms.extend(searched_form(search).map(|form| form.name));
    let is_meant = |term: &&CadTerm| {
        let has_form = |form: &&str| term.expressions.iter().any(|text| calls(text, form));
        term.matches(search) || forms.iter().any(has_form)
    };
    library::cad_terms().iter().filter(is_meant).collect()
}

/// The form of the language whose name a search is.
fn searched_form(search: &str) -> Option<ShapeForm> {
    let name = search.trim_end_matches('(').to_lowercase();
    expression::SHAPE_FORMS
        .into_iter()
        .find(|form| form.name == name)
}

/// True if an expression calls a name.
fn calls(expression: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = expression.match_indices(name);
    found.any(|(at, _)| {
        let (before, after) = (&expression[..at], &expression[at + name.len()..]);
        !before.ends_with(is_word) && after.starts_with('(')
    })
}

/// Expressions for the CAD terms that a search means, if any.
pub(crate) fn expressions(search: &str) -> Option<String> {
    let terms = search_cad_terms(search);
    let written = |term: &&CadTerm| format!("{}: {}", term.meaning, term.expressions[0]);
    let found: Vec<String> = terms.iter().take(MOST_IN_FULL).map(written).collect();
    let rest = match terms.len() - found.len() {
        0 => String::new(),
        rest => format!("; {rest} more are in fibula://library/cad"),
    };
    let form = searched_form(search).map_or_else(String::new, |form| {
        let (name, arguments, about) = (form.name, form.arguments, form.about);
        format!("{name}({arguments}) is a form of the language: {about}. ")
    });
    let all = format!(
        "{form}expressions, if d, a and b are shapes: {}{rest}",
        found.join("; ")
    );
    (!found.is_empty()).then_some(all)
}

/// Where to find what a search of the library does not.
pub(crate) fn elsewhere(search: &str) -> String {
    if node_types::finds(search) {
        return format!(
            "list_node_types with search: {} finds nodes",
            quoted(search)
        );
    }
    let all = library::functions().iter().map(|function| &*function.name);
    did_you_mean(
        &names::nearest(search, all),
        "search for another word, or leave search out to see all functions of the library",
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

/// Arguments of the edit *insert function*.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Insertion {
    /// Such as "gyroid".
    name: String,
    function_id: Option<FunctionId>,
}

/// Returns the edit that inserts a library function.
///
/// # Errors
/// A [`Refusal`] if there is no such function, with the nearest names, or the id is taken.
pub(crate) fn insertion(document: &Document, request: Insertion) -> Result<Edit> {
    let Insertion { name, function_id } = request;
    let Some(function) = library::find(&name) else {
        let all = library::functions().iter().map(|function| &*function.name);
        let message = format!("the library has no function {}", quoted(&name));
        return Err(
            Refusal::new("unknown_function_name", message).hint(did_you_mean(
                &names::nearest(&name, all),
                "list_functions with library: true lists them",
            )),
        );
    };
    if let Some(id) = function_id.filter(|&id| document.has(id.into())) {
        let (what, id) = ("resource", id.to_string());
        return Err(GraphError::DuplicateId { what, id }.into());
    }
    let mut data = function.data().clone();
    data.function_id = function_id;
    Ok(Edit::Function(FunctionEdit::Set(data)))
}

/// Pushes a function given by an expression to a stage, after the library functions that it calls, which get high
/// ids. Nodes that the function had before keep their ids, and no other node gets an id to which
/// knowledge is tied.
///
/// # Errors
/// A [`Refusal`] if the expression, its name or its id is invalid.
pub(crate) fn put_expression(
    stage: &mut Stage,
    request: &expression::Request,
    function_id: Option<FunctionId>,
) -> Result<(Change, Vec<InsertedFunction>)> {
    let id = match function_id {
        Some(id) => id,
        None => stage.document().next_id_beside(None)?,
    };
    let mut inserted = Vec::new();
    for called in library::called(stage.document(), &request.expression) {
        let mut data = called.data().clone();
        data.function_id = Some(stage.document().next_id_from(FIRST_COPY, Some(id))?);
        let change = stage.push(&Edit::Function(FunctionEdit::Set(data)))?;
        inserted.push(InsertedFunction {
            function_id: change.function_id.expect("a function was set"),
            name: called.name.clone(),
        });
    }
    let mut data = fibula_dialects::function(stage.document(), request)?;
    data.function_id = Some(id);
    let document = stage.document();
    if let (None, Some(old)) = (&request.arguments, document.find_function(id)) {
        keep_details(&mut data.inputs, &old.inputs());
    }
    let (old, tied) = (
        document.find_function(id),
        knowledge::tied_nodes(document, id),
    );
    if old.is_some() || !tied.is_empty() {
        let new = document.build(&data)?;
        refactor::renumber(&mut data, old, &new, |node| tied.contains(&node))?;
    }
    let is_new = old.is_none();
    let replaced = old
        .filter(|_| knowledge::has_tied_parts(document, id))
        .cloned();
    let change = stage.push(&Edit::Function(FunctionEdit::Set(data)))?;
    if is_new {
        knowledge::check_untied_function(stage.document(), id)?;
    }
    if let Some(before) = replaced {
        knowledge::follow_parameters(stage, &before)?;
    }
    Ok((change, inserted))
}

/// Gives inferred inputs the details of the inputs of the same names and types that they replace.
fn keep_details(inputs: &mut [PortSpec], old: &[PortSpec]) {
    for input in inputs {
        let same = |old: &&PortSpec| old.name == input.name && old.ty == input.ty;
        input.details = old.iter().find(same).and_then(|old| old.details.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_described() {
        for ShapeForm { name, about, .. } in expression::SHAPE_FORMS {
            let found = expressions(name).unwrap_or_default();
            assert!(found.contains(about), "{name}: {found}");
        }
    }

    #[test]
    fn library_functions_are_below_the_node_limit() {
        let nodes = library::functions()
            .iter()
            .map(|function| function.data().nodes.len());
        let most = nodes.max().expect("there are functions");
        assert!(most <= MOST_NODES && most > MOST_NODES / 2, "{most}");
    }
}
