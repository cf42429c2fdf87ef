//! Warnings about expressions that compute, but hardly what is meant: differences of distances, shapes at a fixed place
//! instead of the point, walls along what is no distance or in what is too thin, and constants beyond the limits of a function.

mod surface;
#[cfg(test)]
mod tests;
mod walls;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::f64::consts::TAU;

use fibula_nodes::node::Family;
use fibula_nodes::{PortSpec, Type, Value};

use super::{LibraryFunction, LibraryInput, Unit, find};
use crate::eval::Tape;
use crate::graph::model::Unit as LengthUnit;
use crate::graph::{
    Argument, Document, Function, FunctionData, FunctionId, NodeData, NodeId, NodeView, Setting,
    SourceData,
};

/// Maximum number of nodes that are examined to find out whether a value is a distance.
const MOST_NODES: usize = 1_000;
/// Maximum number of nodes from which a constant is computed.
const MOST_FOLDED: usize = 32;
/// Maximum number of warnings.
const MOST_WARNINGS: usize = 10;

/// Returns warnings about functions: inputs whose unit converts nothing, subtractions of two signed distances, shapes of the
/// library that do not get the point, walls and offsets of values that are no distances or of shapes that are too thin for them, and
/// constants beyond the limits of the functions that it calls. At most ten of each; how many walls are examined is limited for all
/// together.
pub fn warnings(
    document: &Document,
    functions: impl IntoIterator<Item = FunctionId>,
) -> impl Iterator<Item = String> {
    let mut budget = surface::Budget::default();
    let functions = functions.into_iter();
    functions.flat_map(move |function| function_warnings(document, function, &mut budget))
}

fn function_warnings(
    document: &Document,
    function: FunctionId,
    budget: &mut surface::Budget,
) -> Vec<String> {
    let Ok(function) = document.function(function) else {
        return Vec::new();
    };
    let of_node = |node: NodeView<'_>| match node.kind().info().name {
        "Subtraction" => difference_of_distances(document, function, node)
            .into_iter()
            .collect(),
        "FunctionCall" => {
            let mut all = beyond_limits(document, function, node);
            all.extend(fixed_point(document, function, node));
            all.extend(walls::wall_warning(document, function, node, budget));
            all
        }
        _ => Vec::new(),
    };
    let inputs = function.inputs();
    let labels = inputs
        .iter()
        .filter_map(|input| other_unit(input, document.model().info().unit));
    labels
        .chain(function.nodes().flat_map(of_node))
        .take(MOST_WARNINGS)
        .collect()
}

/// Warning of an input whose unit is not that in which its numbers are taken.
fn other_unit(input: &PortSpec, own: LengthUnit) -> Option<String> {
    let unit = input.details.as_ref()?.unit.as_ref()?;
    if ["deg", "degree", "degrees", "°"].contains(&&*unit.to_lowercase()) {
        return Some(format!(
            "the unit {unit} of {} is a label and converts nothing, and angles are in radians: multiply by pi / 180 where it is used",
            input.name
        ));
    }
    let is_spelling = |spelling: &&str| spelling.eq_ignore_ascii_case(unit);
    let mut units = LengthUnit::ALL.into_iter();
    let length = units.find(|length| length.spellings().iter().any(is_spelling))?;
    (length != own).then(|| {
        format!(
            "the unit {unit} of {} is a label and converts nothing: its numbers are in the unit of the project, {}",
            input.name,
            own.name()
        )
    })
}

fn difference_of_distances(
    document: &Document,
    function: &Function,
    node: NodeView<'_>,
) -> Option<String> {
    if node.port_type(0) != Type::Float {
        return None;
    }
    let (first, second) = (node.link(0)?, node.link(1)?);
    let are_distances =
        is_distance(document, function, first) && is_distance(document, function, second);
    if !are_distances || !is_used_as_distance(function, node.id()) {
        return None;
    }
    let name = |(id, _): (NodeId, usize), otherwise: &str| {
        let callee = function
            .node(id)
            .ok()
            .and_then(|node| callee(document, node));
        callee.map_or_else(|| otherwise.to_owned(), |callee| callee.name().to_owned())
    };
    Some(format!(
        "{} - {} subtracts two distances, which is not the difference of the shapes and mostly has no end; write \
         difference(a, b), which is max(a, -b)",
        name(first, "a"),
        name(second, "b")
    ))
}

/// True if an output, a called function, or the minimum or maximum with another value uses the value of a node, scaled or
/// offset by constants; false if only such as its amount or sign is used, as in smooth minima.
fn is_used_as_distance(function: &Function, start: NodeId) -> bool {
    let (mut pending, mut visited) = (vec![start], HashSet::from([start]));
    while let Some(node) = pending.pop().and_then(|id| function.node(id).ok()) {
        if visited.len() > MOST_NODES {
            return true;
        }
        for (_, consumer, parameter) in node.consumers() {
            let Ok(consumer) = function.node(consumer) else {
                continue;
            };
            let has_constant = || {
                (0..2).any(|other| {
                    other != parameter && constant(function, consumer, other).is_some()
                })
            };
            let keeps = match consumer.kind().info().name {
                "End" | "FunctionCall" => return true,
                "Min" | "Max" => true,
                "Addition" | "Subtraction" | "Multiplication" | "Division" => has_constant(),
                _ => false,
            };
            if keeps && visited.insert(consumer.id()) {
                pending.push(consumer.id());
            }
        }
    }
    false
}

/// True if a value is a signed distance: that of a library function, a length less an offset, or the minimum or maximum
/// of such, here or in the functions that are called.
fn is_distance(document: &Document, function: &Function, source: (NodeId, usize)) -> bool {
    // A length alone is a distance in a function that is called for it; elsewhere it needs an offset.
    let mut pending = vec![(function, source, false)];
    let mut visited = HashSet::new();
    while let Some((function, (id, port), is_offset)) = pending.pop() {
        if !visited.insert((function.id(), id, port)) {
            continue;
        }
        let Ok(node) = function.node(id) else {
            return false;
        };
        if visited.len() > MOST_NODES || node.port_type(port) != Type::Float {
            return false;
        }
        match node.kind().info().name {
            "Length" if is_offset => {}
            "Min" | "Max" => match (node.link(0), node.link(1)) {
                (Some(one), Some(other)) => {
                    pending.extend([(function, one, is_offset), (function, other, is_offset)]);
                }
                (Some(_) | None, None) | (None, Some(_)) => return false,
            },
            "Addition" | "Subtraction" => {
                let varying = |parameter| {
                    node.link(parameter)
                        .filter(|_| constant(function, node, parameter).is_none())
                };
                match (varying(0), varying(1)) {
                    (Some(one), None) => pending.push((function, one, true)),
                    (None | Some(_), Some(_)) | (None, None) => return false,
                }
            }
            "FunctionCall" => {
                let Some(callee) = callee(document, node) else {
                    return false;
                };
                if library_function(callee).is_some() {
                    continue;
                }
                let name = &node.signature().ports[port].name;
                let source = callee.node(NodeId::END).ok().and_then(|end| {
                    let parameters = &end.signature().parameters;
                    let output = parameters.iter().position(|one| one.name == *name)?;
                    end.link(output)
                });
                match source {
                    Some(source) => pending.push((callee, source, true)),
                    None => return false,
                }
            }
            _ => return false,
        }
    }
    true
}

/// Warning of a shape of the library that gets a place that is the same everywhere instead of the point.
fn fixed_point(document: &Document, function: &Function, node: NodeView<'_>) -> Option<String> {
    let shape = library_function(callee(document, node)?)?;
    let is_distance = shape.outputs().first().map(|output| output.ty) == Some(Type::Float);
    if !shape.takes_point() || !is_distance {
        return None;
    }
    let mut parameters = node.signature().parameters.iter();
    let point = parameters.position(|parameter| &*parameter.name == "pos")?;
    let is_fixed = match node.argument(point) {
        Argument::Value(_) => true,
        Argument::Link { node, .. } => is_fixed(function, node),
        Argument::Unset | Argument::Default(_) => false,
    };
    let name = &shape.name;
    is_fixed.then(|| {
        format!(
            "{name} gets a fixed place instead of the point, so that its value is the same everywhere: its first argument is \
             pos, or pos - vec3(6, 0, 0) to move it"
        )
    })
}

/// True if the values of a node are the same everywhere: no input of the function leads to it.
fn is_fixed(function: &Function, start: NodeId) -> bool {
    let (mut pending, mut visited) = (vec![start], HashSet::from([start]));
    while let Some(node) = pending.pop().and_then(|id| function.node(id).ok()) {
        if node.kind().info().name == "Begin" || visited.len() > MOST_NODES {
            return false;
        }
        let count = node.signature().parameters.len();
        let sources = (0..count).filter_map(|parameter| node.link(parameter));
        pending.extend(sources.map(|(id, _)| id).filter(|id| visited.insert(*id)));
    }
    true
}

/// The function graph that a node calls.
fn callee<'d>(document: &'d Document, node: NodeView<'_>) -> Option<&'d Function> {
    document.function(FunctionId(node.callee()?.0)).ok()
}

/// The function of the library that a function is a copy of, by its name and inputs.
fn library_function(function: &Function) -> Option<&'static LibraryFunction> {
    let found = find(function.name())?;
    let inputs = function.inputs();
    let is_same = inputs.len() == found.inputs.len()
        && inputs
            .iter()
            .zip(&found.inputs)
            .all(|(input, own)| input.name == own.name && input.ty == own.ty);
    is_same.then_some(found)
}

/// True if a function has the name, the inputs and the nodes of a function of the library.
pub fn is_copy(function: &Function) -> bool {
    let Some(original) = library_function(function) else {
        return false;
    };
    let mut fresh = Document::default();
    let Ok(id) = fresh.insert(original.data()) else {
        return false;
    };
    let nodes = |function: &Function| function.data().nodes;
    fresh.find_function(id).map(nodes) == Some(nodes(function))
}

/// Returns warnings about constants, and defaults of its inputs, beyond the limits of inputs of the functions that a function
/// calls. At most ten.
pub fn limit_warnings(document: &Document, function: FunctionId) -> Vec<String> {
    // Without this, a large function would be read after each of its edits.
    if !document.has_calls(function) {
        return Vec::new();
    }
    let Ok(function) = document.function(function) else {
        return Vec::new();
    };
    let calls = function.nodes();
    let beyond = calls.flat_map(|node| beyond_limits(document, function, node));
    beyond.take(MOST_WARNINGS).collect()
}

fn beyond_limits(document: &Document, function: &Function, node: NodeView<'_>) -> Vec<String> {
    let Some(callee) = callee(document, node) else {
        return Vec::new();
    };
    let has_defaults = Cell::new(false);
    let value = |name: &str| {
        let parameters = &node.signature().parameters;
        let parameter = parameters.iter().position(|one| one.name == name)?;
        let found = constant(function, node, parameter);
        if found.is_some() {
            return found;
        }
        let folded = folded(
            function,
            node.link(parameter)?,
            node.parameter_type(parameter),
        )?;
        has_defaults.set(has_defaults.get() || folded.has_defaults);
        Some(folded.value)
    };
    let told = |why: Option<String>| {
        let defaults = if has_defaults.take() {
            format!(", for the defaults of the inputs of {}", function.name())
        } else {
            String::new()
        };
        why.map(|why| why + &defaults)
    };
    let name = callee.name();
    let has_limit = |input: &PortSpec| {
        let details = input.details.as_ref();
        details.is_some_and(|details| details.min.is_some() || details.max.is_some())
    };
    let limited = callee.inputs().into_iter().filter(has_limit);
    let own = limited.filter_map(|input| {
        let why = value(&input.name).and_then(|value| input.violation(&value));
        told(why.map(|why| format!("{name}.{}: {why}", input.name)))
    });
    let original = library_function(callee);
    let inputs = original.into_iter().flat_map(|original| &original.inputs);
    let limited = inputs.filter(|input| input.is_limited());
    let copied = limited.filter_map(|input| {
        let why = value(&input.name).and_then(|own| beyond(input, &own, value));
        told(why.map(|why| format!("{name}: {why}")))
    });
    own.chain(copied).collect()
}

/// Says why a value is beyond the limits of an input; `other` returns the values of other inputs that are constant.
fn beyond(
    input: &LibraryInput,
    value: &Value,
    other: impl Fn(&str) -> Option<Value>,
) -> Option<String> {
    let scalars = value.scalars().iter().copied();
    let (name, least) = (&input.name, scalars.clone().fold(f64::INFINITY, f64::min));
    if let Some(limit) = input.above.filter(|&limit| least <= limit) {
        return Some(format!("{name} must be above {limit}, not {least}"));
    }
    if let Some(limit) = input.at_least.filter(|&limit| least < limit) {
        return Some(format!("{name} must be at least {limit}, not {least}"));
    }
    let is_beyond_turn = |scalar: &f64| scalar.abs() > TAU && input.unit == Unit::Angle;
    if let Some(angle) = scalars.clone().find(is_beyond_turn) {
        return Some(format!(
            "{name} is in radians, of which a turn has 6.283, and {angle} are more; {angle} degrees are {angle} * pi / 180"
        ));
    }
    let is_fractional = |scalar: &f64| scalar.fract() != 0.0 && input.unit == Unit::Count;
    if let Some(number) = scalars.clone().find(is_fractional) {
        return Some(format!("{name} must be a whole number, not {number}"));
    }
    let largest = scalars.fold(f64::NEG_INFINITY, f64::max);
    let (most, of) = input.at_most.as_ref()?.most(other);
    (largest > most).then(|| format!("{name} must be at most {of}{most}, not {largest}"))
}

/// Value of a parameter that is a literal, a constant, or a vector of such.
fn constant(function: &Function, node: NodeView<'_>, parameter: usize) -> Option<Value> {
    let direct = |node: NodeView<'_>, parameter| match node.argument(parameter) {
        Argument::Value(value) | Argument::Default(value) => Some(value.clone()),
        Argument::Unset => None,
        Argument::Link { node, .. } => {
            let source = function.node(node).ok()?;
            match source.kind().info().family {
                Family::Constant => source.constant(),
                _ => None,
            }
        }
    };
    let found = direct(node, parameter);
    if found.is_some() {
        return found;
    }
    let source = function.node(node.link(parameter)?.0).ok()?;
    let scalar = |parameter| direct(source, parameter)?.scalars().first().copied();
    match source.kind().info().name {
        "ComposeVector" => Some(Value::Float3([scalar(0)?, scalar(1)?, scalar(2)?])),
        "VectorFromScalar" => Some(Value::Float3([scalar(0)?; 3])),
        _ => None,
    }
}

/// A value that constants, and defaults of inputs, determine.
struct FoldedValue {
    value: Value,
    /// True if it depends on defaults of inputs.
    has_defaults: bool,
}

/// Value of a port that constants and defaults of inputs alone determine, through at most [`MOST_FOLDED`] nodes and no calls.
fn folded(function: &Function, source: (NodeId, usize), ty: Type) -> Option<FoldedValue> {
    let mut inputs = function.inputs();
    let mut used_inputs = BTreeSet::new();
    let (mut pending, mut visited) = (vec![source], BTreeSet::new());
    let mut nodes = Vec::new();
    while let Some((id, port)) = pending.pop() {
        let node = function.node(id).ok()?;
        if node.kind().info().name == "Begin" {
            let input = inputs.get(port)?;
            input.default_value()?;
            used_inputs.insert(input.name.clone());
        }
        if !visited.insert(id) {
            continue;
        }
        let parameters = 0..node.signature().parameters.len();
        let refers = |parameter| node.parameter_type(parameter) == Type::ResourceId;
        if visited.len() > MOST_FOLDED || parameters.clone().any(refers) {
            return None;
        }
        pending.extend(parameters.filter_map(|parameter| node.link(parameter)));
        nodes.push(node.data());
    }
    let port = &function.node(source.0).ok()?.signature().ports[source.1].name;
    let output = (
        "value".to_owned(),
        Setting::Source(SourceData::new(source.0, &**port)),
    );
    nodes.push(NodeData {
        parameters: BTreeMap::from([output]),
        ..NodeData::new(NodeId::END, "End")
    });
    inputs.retain(|input| used_inputs.contains(&input.name));
    let defaults = inputs.iter().filter_map(PortSpec::default_value);
    let arguments: Vec<Value> = defaults.cloned().collect();
    let mut document = Document::default();
    let id = document.insert(&FunctionData {
        function_id: None,
        name: "constant".to_owned(),
        inputs,
        outputs: vec![PortSpec::new("value", ty)],
        nodes,
    });
    let tape = Tape::new(&document, id.ok()?).ok()?;
    Some(FoldedValue {
        value: tape.values(&arguments).ok()?.pop()?,
        has_defaults: !arguments.is_empty(),
    })
}
