//! Explanations: what decides the value of an output at one point, from the output down to inputs and constants.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use fibula_nodes::node::Family;
use fibula_nodes::{Value, catalogue};

use super::error::EvalError;
use super::sensitivity::{Components, deciding_components};
use super::trace::{Trace, TracedInput, TracedNode, trace};
use crate::graph::{Document, Function, FunctionId, NodeLabel};

/// Reasons for the value of an output, from the output down.
///
/// Its display form has one line per reason, with six digits of each number.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The reasons; each is named as a source before its own line.
    pub reasons: Vec<Reason>,
    /// True if there are more reasons than were wanted.
    pub is_truncated: bool,
}

/// A node on the way to a value, or the output itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reason {
    /// Function that the node is in, with its name.
    pub function: (FunctionId, String),
    /// The node; `None` for an output of the function.
    pub node: Option<NodeLabel>,
    /// Name of the port or output, and its value.
    pub port: (String, Value),
    /// Name of the function that a call calls.
    pub callee: Option<String>,
    /// The inputs; for an output, itself with its source; none for a call that is entered, which the output of the called
    /// function follows.
    pub inputs: Vec<ReasonInput>,
}

/// An input of a node on the way to a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReasonInput {
    /// Name of the parameter.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Its source in words, such as `node 3 (Length)` or `input pos`; empty for a literal.
    pub source: String,
    /// False if the node chooses another input, or the called function does not change with this one, so that it has no
    /// influence at this point.
    pub decides: bool,
}

impl Reason {
    /// True for a call, and for the output of a called function that a node of it has decided: the reasons before and
    /// after it say the same.
    pub fn is_passed_on(&self) -> bool {
        match &self.node {
            Some(node) => node.node_type == "FunctionCall" && self.inputs.is_empty(),
            None => self
                .inputs
                .iter()
                .all(|input| input.source.starts_with("node ")),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, name) = &self.function;
        let (port, value) = (&self.port.0, Shown(&self.port.1));
        let Some(node) = &self.node else {
            write!(f, "function {id} '{name}': {port} = {value}")?;
            let source = self.inputs.first().map_or("", |input| &*input.source);
            return match source {
                "" => Ok(()),
                source => write!(f, " from {source}"),
            };
        };
        write!(f, "function {id} '{name}', ")?;
        match &self.callee {
            Some(callee) => write!(f, "node {} (call of '{callee}')", node.node_id)?,
            None => write!(f, "{node}")?,
        }
        write!(f, ": {port} = {value}")?;
        let chooses = self.inputs.iter().any(|input| !input.decides);
        for (index, input) in self.inputs.iter().enumerate() {
            let between = if index == 0 { " from " } else { ", " };
            write!(f, "{between}{} = {}", input.name, Shown(&input.value))?;
            let decides = if chooses && input.decides {
                "decides"
            } else {
                ""
            };
            match (&*input.source, decides) {
                ("", "") => {}
                (source, "") => write!(f, " ({source})")?,
                ("", decides) => write!(f, " ({decides})")?,
                (source, decides) => write!(f, " ({source}, {decides})")?,
            }
        }
        Ok(())
    }
}

/// A value in a reason, with six digits of each number.
struct Shown<'a>(&'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |number: f64| {
            let short: f64 = format!("{number:.5e}").parse().unwrap_or(number);
            if short == 0.0 { 0.0 } else { short }
        };
        match self.0 {
            Value::Float(number) if number.is_finite() => write!(f, "{:?}", short(*number)),
            Value::Float3(numbers) if numbers.iter().all(|number| number.is_finite()) => {
                let [x, y, z] = numbers.map(short);
                write!(f, "[{x:?},{y:?},{z:?}]")
            }
            other => write!(f, "{}", other.to_json()),
        }
    }
}

/// Evaluates a function at one point and follows what decides an output: at a minimum, maximum, clamp or select only the
/// input that is chosen, at other nodes all inputs, and through the functions that are called. Of functions for which
/// `is_opaque` is true, there is one reason with all inputs, of which only those are followed with which its value changes.
/// `values` has one value per input; there are at most `most` reasons.
///
/// # Errors
/// [`EvalError`], as for a [`Tape`](super::Tape).
///
/// # Panics
/// If `output` is not the index of an output.
///
/// ```
/// use fibula_core::eval::explain;
/// use fibula_core::{expression, graph::Document};
/// use fibula_nodes::Value;
///
/// let mut doc = Document::default();
/// let text = "let wall = 2; max(length(pos) - 5, pos.z - wall)";
/// let part = expression::add_function(&mut doc, "part", text)?;
/// let why = explain(&doc, part, &[Value::Float3([0.0, 3.0, 1.0])], 0, 20, &|_| false)?.to_string();
/// assert_eq!(why.lines().nth(1), Some(
///     "function 1 'part', node 8 (Max): result = -1.0 from A = -1.83772 (node 4 (Subtraction)), \
///      B = -1.0 (node 7 (Subtraction), decides)"));
/// assert!(why.contains("B = 2.0 (parameter wall)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(
    document: &Document,
    function: FunctionId,
    values: &[Value],
    output: usize,
    most: usize,
    is_opaque: &dyn Fn(&Function) -> bool,
) -> Result<Explanation, EvalError> {
    let mut walk = Walk {
        document,
        is_opaque,
        frames: vec![Frame::new(document, function, values, None)?],
        reasons: Vec::new(),
    };
    let mut pending: Vec<Place> = walk
        .output(0, output, Components::ALL)
        .into_iter()
        .collect();
    let mut seen = HashSet::new();
    let mut is_truncated = false;
    while let Some(place) = pending.pop() {
        if !seen.insert(place) {
            continue;
        }
        is_truncated = walk.reasons.len() >= most;
        if is_truncated {
            break;
        }
        pending.extend(walk.visit(place)?.into_iter().rev());
    }
    // A call adds two reasons.
    is_truncated |= walk.reasons.len() > most;
    walk.reasons.truncate(most);
    Ok(Explanation {
        reasons: walk.reasons,
        is_truncated,
    })
}

/// A port of a node of a traced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    frame: usize,
    node: usize,
    port: usize,
    /// The components that decide.
    components: Components,
}

/// A traced call.
struct Frame {
    function: (FunctionId, String),
    trace: Rc<Trace>,
    /// Indexes of the calling frame and node; `None` for the function that is explained.
    caller: Option<(usize, usize)>,
}

impl Frame {
    fn new(
        document: &Document,
        function: FunctionId,
        values: &[Value],
        caller: Option<(usize, usize)>,
    ) -> Result<Self, EvalError> {
        Ok(Frame {
            function: (function, document.function(function)?.name().to_owned()),
            trace: Rc::new(trace(document, function, values)?),
            caller,
        })
    }
}

struct Walk<'d> {
    document: &'d Document,
    is_opaque: &'d dyn Fn(&Function) -> bool,
    frames: Vec<Frame>,
    reasons: Vec<Reason>,
}

impl Walk<'_> {
    /// Adds the reason of an output of a frame, or of components; returns its source.
    fn output(&mut self, frame: usize, output: usize, components: Components) -> Option<Place> {
        let trace = Rc::clone(&self.frames[frame].trace);
        let result = &trace.outputs[output];
        self.reasons.push(Reason {
            function: self.frames[frame].function.clone(),
            node: None,
            port: part(&result.name, &result.value, components),
            callee: None,
            inputs: self.inputs(frame, &[(result, components)]),
        });
        self.resolve(frame, result, components)
    }

    /// Adds the reason of a port, or of components; returns the sources of the inputs that decide.
    fn visit(&mut self, place: Place) -> Result<Vec<Place>, EvalError> {
        let Place {
            frame,
            node,
            port,
            components,
        } = place;
        let trace = Rc::clone(&self.frames[frame].trace);
        let traced = &trace.nodes[node];
        let (name, value) = &traced.outputs[port];
        let call = traced.call(self.document);
        let (inputs, entered) = match &call {
            None => (deciding_inputs(traced, port, components), None),
            Some((callee, arguments)) if (self.is_opaque)(callee) => {
                let deciding =
                    deciding_components(self.document, callee, arguments, port, components)?;
                (deciding_arguments(traced, callee, &deciding), None)
            }
            Some((callee, arguments)) => (Vec::new(), Some((callee.id(), arguments))),
        };
        self.reasons.push(Reason {
            function: self.frames[frame].function.clone(),
            node: Some(traced.node.clone()),
            port: part(name, value, components),
            callee: call.as_ref().map(|(callee, _)| callee.name().to_owned()),
            inputs: self.inputs(frame, &inputs),
        });
        if let Some((callee, arguments)) = entered {
            let inner = Frame::new(self.document, callee, arguments, Some((frame, node)))?;
            self.frames.push(inner);
            let source = self.output(self.frames.len() - 1, port, components);
            return Ok(source.into_iter().collect());
        }
        let sources = inputs
            .into_iter()
            .filter(|(_, influence)| !influence.is_empty())
            .filter_map(|(input, influence)| self.resolve(frame, input, influence));
        Ok(sources.collect())
    }

    fn inputs(&self, frame: usize, inputs: &[(&TracedInput, Components)]) -> Vec<ReasonInput> {
        let shown = |&(input, influence): &(&TracedInput, Components)| {
            let (name, value) = part(&input.name, &input.value, influence);
            ReasonInput {
                name,
                value,
                source: self.source(frame, input),
                decides: !influence.is_empty(),
            }
        };
        let inputs = inputs.iter();
        let inputs = inputs.filter(|(input, _)| !matches!(input.value, Value::ResourceId(_)));
        inputs.map(shown).collect()
    }

    /// Source of an input in words.
    fn source(&self, frame: usize, input: &TracedInput) -> String {
        let Some((node, port)) = input.source else {
            return String::new();
        };
        let traced = &self.frames[frame].trace.nodes[node];
        if traced.node.node_type == "Begin" {
            let name = &traced.outputs[port].0;
            let outer = self.argument(frame, name);
            let outer = outer.map(|(caller, argument)| self.source(caller, argument));
            return match outer.as_deref() {
                None | Some("") => format!("input {name}"),
                Some(outer) => format!("input {name} from {outer}"),
            };
        }
        match &traced.node.display_name {
            Some(name) if is_constant(&traced.node) => format!("parameter {name}"),
            None if is_constant(&traced.node) => format!("constant node {}", traced.node.node_id),
            Some(_) | None => match traced.call(self.document) {
                Some((callee, _)) => {
                    format!("node {} (call of '{}')", traced.node.node_id, callee.name())
                }
                None => traced.node.to_string(),
            },
        }
    }

    /// Port with a reason of its own that an input has its value from: that of the caller's argument for an input of a
    /// called function; `None` for constants, literals and inputs of the function that is explained.
    fn resolve(
        &self,
        mut frame: usize,
        input: &TracedInput,
        components: Components,
    ) -> Option<Place> {
        let (mut node, mut port) = input.source?;
        loop {
            let current = &self.frames[frame];
            let traced = &current.trace.nodes[node];
            if is_constant(&traced.node) {
                return None;
            }
            if traced.node.node_type != "Begin" {
                return Some(Place {
                    frame,
                    node,
                    port,
                    components,
                });
            }
            let argument = self.argument(frame, &traced.outputs[port].0);
            let source = argument.and_then(|(caller, argument)| Some((caller, argument.source?)));
            (frame, (node, port)) = source?;
        }
    }

    /// Argument of a called function, with the frame of the caller.
    fn argument(&self, frame: usize, name: &str) -> Option<(usize, &TracedInput)> {
        let (caller, call) = self.frames[frame].caller?;
        let call = &self.frames[caller].trace.nodes[call];
        let argument = call.inputs.iter().find(|input| input.name == name)?;
        Some((caller, argument))
    }
}

/// Inputs of a node that is no call, with those of their components that have an influence on components of a port.
fn deciding_inputs(
    traced: &TracedNode,
    port: usize,
    components: Components,
) -> Vec<(&TracedInput, Components)> {
    let kind = traced.node.node_type;
    let inputs = traced.inputs.iter();
    match kind {
        // Each component is an input of its own.
        "ComposeVector" => {
            let inputs = inputs.enumerate();
            let deciding = inputs.filter(|(index, _)| components.contains(*index));
            return deciding
                .map(|(_, input)| (input, Components::ALL))
                .collect();
        }
        "DecomposeVector" => {
            let own = Components::from_iter([port]);
            return inputs.map(|input| (input, own)).collect();
        }
        _ => {}
    }
    let chosen = chosen(kind, &traced.inputs, &traced.outputs[port].1, components);
    let influence = |(index, input): (usize, _)| {
        let own = match &chosen {
            Some(chosen) => chosen[index],
            None if is_component_wise(kind) => components,
            None => Components::ALL,
        };
        (input, of_value(own, input))
    };
    inputs.enumerate().map(influence).collect()
}

/// Components that have an influence, of an input that may be a scalar.
fn of_value(components: Components, input: &TracedInput) -> Components {
    if components.is_empty() || matches!(input.value, Value::Float3(_)) {
        components
    } else {
        Components::ALL
    }
}

/// Inputs of a call that is not entered, with their influence by the components that decide of each input of the function.
fn deciding_arguments<'t>(
    traced: &'t TracedNode,
    callee: &Function,
    deciding: &[Components],
) -> Vec<(&'t TracedInput, Components)> {
    let names = callee.inputs();
    let influence = |input: &TracedInput| {
        let place = names.iter().position(|own| own.name == input.name);
        place.map_or(Components::ALL, |place| of_value(deciding[place], input))
    };
    let inputs = traced.inputs.iter();
    inputs.map(|input| (input, influence(input))).collect()
}

/// Name and value of a port, or of a component of a vector: `size.z`.
fn part(name: &str, value: &Value, components: Components) -> (String, Value) {
    match (value, components.only()) {
        (Value::Float3(numbers), Some(component)) => {
            let axis = ["x", "y", "z"][component];
            (format!("{name}.{axis}"), Value::Float(numbers[component]))
        }
        _ => (name.to_owned(), value.clone()),
    }
}

fn is_constant(node: &NodeLabel) -> bool {
    catalogue::kind(node.node_type).is_ok_and(|kind| kind.family == Family::Constant)
}

/// True if each component of a node's vector depends only on the same component of its inputs.
fn is_component_wise(kind: &str) -> bool {
    catalogue::kind(kind).is_ok_and(|kind| {
        matches!(
            kind.family,
            Family::Arithmetic
                | Family::Trigonometry
                | Family::Exponential
                | Family::Rounding
                | Family::Choice
        )
    })
}

/// For each input of a node that chooses between its inputs, the components for which it chooses that one; `None` for other
/// nodes, and if the value is that of no input.
fn chosen(
    kind: &str,
    inputs: &[TracedInput],
    value: &Value,
    components: Components,
) -> Option<Vec<Components>> {
    if catalogue::kind(kind).ok()?.family != Family::Choice {
        return None;
    }
    let scalar = |input: usize, place: usize| inputs[input].value.scalars()[place];
    let choice = |place: usize| match kind {
        "Select" if scalar(0, place) < scalar(1, place) => Some(2),
        "Select" => Some(3),
        _ => (0..inputs.len())
            .find(|&input| scalar(input, place).to_bits() == value.scalars()[place].to_bits()),
    };
    let width = value.scalars().len();
    let places = (0..width).filter(|&place| components.contains(place));
    let choices: Option<Vec<(usize, usize)>> =
        places.map(|place| Some((place, choice(place)?))).collect();
    let choices = choices?;
    let of_input = |input: usize| -> Components {
        let own = choices.iter().filter(|(_, choice)| *choice == input);
        let own: Vec<usize> = own.map(|(place, _)| *place).collect();
        if own.len() == width {
            Components::ALL
        } else {
            own.into_iter().collect()
        }
    };
    Some((0..inputs.len()).map(of_input).collect())
}
