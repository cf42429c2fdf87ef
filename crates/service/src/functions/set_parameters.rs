//! Values of parameters: one of a node, a named constant, or several at once, all or none.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{self, Checked, Edit, LinkEdit, Origin, Stage, State};
use fibula_core::graph::{Argument, Document, FunctionId, NodeId};
use fibula_core::library;
use fibula_nodes::{Value, names};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::dependents::ChangedValues;
use crate::effects;
use crate::following_values::FollowingValues;
use crate::functions::node_parameters::resolve_reference;
use crate::functions::{next_step, parameters};
use crate::knowledge::{self, Intent};
use crate::name_lookup::{self, Parameter};
use crate::project::change::{CommitOptions, Committed, PendingEdit};
use crate::refusal::{Refusal, Result, quoted};
use crate::schema_types::{ObjectForm, ValueForm};
use crate::service::Service;

json_structs! {
    /// Parameters and values to set.
    pub request struct SetParameterValue {
        project,
        /// Its function.
        #[serde(alias = "function")]
        pub function_id: FunctionId,
        /// Omit it for a named constant.
        pub node_id: Option<NodeId>,
        /// Such as "value"; or the constant's name.
        #[serde(alias = "parameter")]
        pub parameter_name: Option<String>,
        /// float 5, float3 `[1,2,3]`, matrix4x4 16 numbers row by row, integer 2, string "a", resource_id 7; null clears.
        #[serde(default, deserialize_with = "present")]
        pub value: Option<Json>,
        /// Or several, all or none.
        #[schemars(with = "Option<ObjectForm>")]
        #[serde(alias = "parameters")]
        pub values: Option<Map<String, Json>>,
        expected_revision,
        dry_run,
    }

    /// Result of setting values.
    pub answer struct ValueSet {
        pub success: bool,
        /// Value before; an object with that of each name if several are set.
        #[schemars(with = "Option<ValueForm>")]
        pub previous: Option<Json>,
        /// Value now, likewise.
        #[schemars(with = "Option<ValueForm>")]
        pub value: Option<Json>,
        /// Callers, objects and build items whose value follows.
        pub affects: Vec<String> = [],
        /// Edges of the knowledge graph at the node and its function.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Constants beyond the limits of inputs of functions that it calls; bounds that cut level sets now.
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
        pub next: Option<String>,
    }
}

/// Maximum number of edges of the knowledge graph in an answer.
const MOST_INTENT: usize = 20;

/// Deserializes a field that is present, so that null differs from a field that is left out.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

/// A value that was set.
struct SetValue {
    name: String,
    node_id: NodeId,
    previous: Option<Json>,
}

impl SetParameterValue {
    /// The names with their values.
    fn pairs(self) -> Result<Vec<(String, Json)>> {
        match (self.parameter_name, self.value, self.values) {
            (Some(name), Some(value), None) => Ok(vec![(name, value)]),
            (None, None, Some(values)) if !values.is_empty() => Ok(values.into_iter().collect()),
            (None, None, Some(_)) => {
                let refusal = Refusal::new("invalid_arguments", "values is empty");
                Err(refusal.hint("pass names with values: {\"wall\": 2, \"hole\": 5}"))
            }
            (_, _, None) => {
                let message = "parameter_name and value are needed";
                Err(Refusal::new("invalid_arguments", message).hint(
                    "pass both (value: null clears the parameter of a node_id), or values for several: {\"wall\": 2, \"hole\": 5}",
                ))
            }
            (_, _, Some(_)) => {
                let message =
                    "values sets all parameters, so parameter_name and value do not apply";
                Err(Refusal::new("invalid_arguments", message).hint("omit them, or omit values"))
            }
        }
    }
}

impl Service {
    /// Sets or clears the value of a parameter of a node, or sets a named constant; or several of them, all or none.
    ///
    /// # Errors
    /// A [`Refusal`] if an id or name is unknown, a value has another type, a parameter is linked, or a name and a value
    /// are given beside several or are missing.
    pub fn set_parameter_value(
        &self,
        origin: &Origin,
        request: SetParameterValue,
    ) -> Result<ValueSet> {
        let (function_id, node_id) = (request.function_id, request.node_id);
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = self.project(request.project.as_deref())?;
        let pairs = request.pairs()?;
        let clears = pairs.iter().any(|(_, value)| value.is_null());
        let decide = |state: &State| decide(state.document(), function_id, node_id, &pairs);
        let answer = |document: &Document, done: &Committed, set: Vec<SetValue>| {
            let values = changed_values(document, function_id, &set);
            let answer = ValueSet {
                affects: effects::affected(document, &values),
                ..answer(document, done, function_id, node_id.is_some(), &set)
            };
            let following = if clears {
                FollowingValues::of(document, &values, &[])
            } else {
                FollowingValues::without_callers(document, &values)
            };
            (answer, following)
        };
        let (mut answer, following) = project.change(origin, condition, decide, answer)?;
        answer.warnings.extend(following.warnings());
        Ok(answer)
    }
}

/// Checks the edits that set all values.
fn decide(
    document: &Document,
    function_id: FunctionId,
    node_id: Option<NodeId>,
    pairs: &[(String, Json)],
) -> Result<(PendingEdit, Vec<SetValue>)> {
    if let [(name, value)] = pairs {
        let (checked, set) = match node_id {
            Some(node) => checked_parameter(document, function_id, node, name, value)?,
            None => checked_constant(document, function_id, name, value)?,
        };
        let label = format!("set parameter '{name}' of function {function_id}");
        let label = node_id.is_none().then_some(label);
        return Ok((PendingEdit::labelled(checked, label), vec![set]));
    }
    let mut stage = Stage::new(document);
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, value) in pairs {
        let document = stage.document();
        let checked = match node_id {
            Some(node) => checked_parameter(document, function_id, node, name, value),
            None => checked_constant(document, function_id, name, value),
        };
        let (checked, set) = checked.map_err(|refusal| {
            let hint = refusal.hint.clone().map(|hint| format!("{hint}; "));
            let hint = hint.unwrap_or_default();
            refusal.hint(format!("{hint}none of the values was set"))
        })?;
        // Names of another case may mean the same parameter.
        let key = (set.node_id, set.name.to_lowercase());
        if !seen.insert(key) {
            let message = format!("{} is given twice", quoted(name));
            return Err(Refusal::new("invalid_arguments", message).hint("give each name once"));
        }
        stage.push(checked.edit())?;
        all.push(set);
    }
    let count = all.len();
    let label = match node_id {
        Some(node) => format!("set {count} parameters of node {node} of function {function_id}"),
        None => format!("set {count} parameters of function {function_id}"),
    };
    Ok((PendingEdit::labelled(stage.finish(), Some(label)), all))
}

/// Checks the edit that sets a named constant.
fn checked_constant(
    document: &Document,
    function_id: FunctionId,
    name: &str,
    value: &Json,
) -> Result<(Checked, SetValue)> {
    // Some hosts send numbers and lists as strings.
    let value = unquoted(value).unwrap_or_else(|| value.clone());
    let set = parameters::set_parameter(document, function_id, name, &value)?;
    let checked = edit::check(document, &set.edit)?;
    let set = SetValue {
        name: name.to_owned(),
        node_id: set.node_id,
        previous: Some(set.previous.to_json()),
    };
    Ok((checked, set))
}

/// Checks the edit that sets a parameter of a node.
fn checked_parameter(
    document: &Document,
    function_id: FunctionId,
    node_id: NodeId,
    name: &str,
    value: &Json,
) -> Result<(Checked, SetValue)> {
    let edit = |value: Json| {
        Edit::Link(LinkEdit::SetValue {
            function_id,
            node_id,
            parameter_name: name.to_owned(),
            value,
        })
    };
    let resolved = resolve_reference(document, name, value.clone())?;
    // Some hosts send numbers and lists as strings.
    let held = unquoted(value).map(edit);
    let checked = edit::check(document, &edit(resolved)).or_else(|refused| match &held {
        Some(held) if refused.code() == "invalid_value" => {
            edit::check(document, held).map_err(|_| refused)
        }
        Some(_) | None => Err(refused),
    })?;
    let set = SetValue {
        name: name.to_owned(),
        node_id,
        previous: literal(document, function_id, node_id, name),
    };
    Ok((checked, set))
}

/// Parses the number, list or object in a string of JSON.
fn unquoted(value: &Json) -> Option<Json> {
    let parsed: Json = serde_json::from_str(value.as_str()?).ok()?;
    (parsed.is_number() || parsed.is_array() || parsed.is_object()).then_some(parsed)
}

/// Literal or default of a parameter of a node.
fn literal(document: &Document, function: FunctionId, node: NodeId, name: &str) -> Option<Json> {
    let node = document.find_function(function)?.node(node).ok()?;
    let parameters = node.signature().parameters.iter();
    let names = parameters.map(|parameter| &*parameter.name).enumerate();
    let parameter = names::find(name, names).ok()?;
    match node.argument(parameter) {
        Argument::Value(value) | Argument::Default(value) => Some(value.to_json()),
        Argument::Unset | Argument::Link { .. } => None,
    }
}

/// Value of the parameter of a name.
fn named(document: &Document, function: FunctionId, name: &str) -> Option<Json> {
    let parameter = name_lookup::parameter(document.find_function(function)?, name).ok()?;
    parameter.value().map(Value::to_json)
}

/// Values that follow those that were set.
fn changed_values(document: &Document, function: FunctionId, set: &[SetValue]) -> ChangedValues {
    let mut nodes: BTreeMap<NodeId, BTreeSet<String>> = BTreeMap::new();
    for SetValue { name, node_id, .. } in set {
        nodes.entry(*node_id).or_default().insert(name.clone());
    }
    let function = document.find_function(function);
    function.map_or_else(ChangedValues::default, |function| {
        ChangedValues::of_nodes(function, &nodes)
    })
}

fn answer(
    document: &Document,
    done: &Committed,
    function_id: FunctionId,
    is_of_node: bool,
    set: &[SetValue],
) -> ValueSet {
    let now = |set: &SetValue| {
        if is_of_node {
            literal(document, function_id, set.node_id, &set.name)
        } else {
            named(document, function_id, &set.name)
        }
    };
    let object = |value: &dyn Fn(&SetValue) -> Option<Json>| {
        let members = set
            .iter()
            .map(|set| (set.name.clone(), value(set).unwrap_or_default()));
        Some(Json::Object(members.collect()))
    };
    let (previous, value) = match set {
        [one] => (one.previous.clone(), now(one)),
        _ => (object(&|set| set.previous.clone()), object(&now)),
    };
    let mut intent: Vec<Intent> = Vec::new();
    let function = document.find_function(function_id);
    for set in set.iter().filter(|_| !is_of_node) {
        let parameter =
            function.and_then(|function| name_lookup::parameter(function, &set.name).ok());
        if let Some(Parameter::Input(input, _)) = parameter {
            intent.extend(knowledge::input_intent(document, function_id, &input.name));
        }
    }
    let nodes: BTreeSet<NodeId> = set.iter().map(|set| set.node_id).collect();
    for &node in &nodes {
        let own = knowledge::changed_intent(document, function_id, node, &[]).into_iter();
        let new: Vec<Intent> = own.filter(|edge| !intent.contains(edge)).collect();
        intent.extend(new);
    }
    intent.truncate(MOST_INTENT);
    let node = set.first().map(|set| set.node_id).filter(|_| is_of_node);
    ValueSet {
        success: true,
        previous,
        value,
        affects: Vec::new(),
        intent,
        warnings: library::limit_warnings(document, function_id),
        revision: done.revision,
        dry_run: done.dry_run,
        next: node.and_then(|node| next_step::suggest_inputs(document, function_id, node)),
    }
}
