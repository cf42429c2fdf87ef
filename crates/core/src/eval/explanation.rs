//! Explanations: what decides the value of an output at one point, from the output down to inputs and constants.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use fibula_nodes::node::Family;
use fibula_nodes::{Value, catalogue};

use super::error::EvalError;
use super::trace::{Trace, TracedInput, trace};
use crate::graph::{Document, Function, FunctionId, NodeLabel};

/// Maximum number of nodes that are followed, with those that are not shown.
const MOST_VISITED: usize = 10_000;

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
    /// False if the node chooses another input, so that this one has no influence at this point.
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
/// `is_opaque` is true, there is one reason with all inputs, of which only those that decide are followed. `values` has
/// one value per input; there are at most `most` reasons.
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
        opaque_calls: Vec::new(),
        used: HashSet::new(),
    };
    let mut pending: Vec<Place> = walk.output(0, output, None).into_iter().collect();
    let mut seen = HashSet::new();
    let mut is_truncated = false;
    while let Some(place) = pending.pop() {
        if !seen.insert(place) {
            continue;
        }
        is_truncated = walk.reasons.len() >= most || seen.len() > MOST_VISITED;
        if is_truncated {
            break;
        }
        pending.extend(walk.visit(place)?.into_iter().rev());
    }
    walk.decide_opaque();
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
    /// The component that decides, of a vector in a function that is not shown; `None` for the whole value.
    component: Option<usize>,
}

/// A traced call.
struct Frame {
    function: (FunctionId, String),
    trace: Rc<Trace>,
    /// Indexes of the calling frame and node; `None` for the function that is explained.
    caller: Option<(usize, usize)>,
    /// True within a function that is not shown.
    is_hidden: bool,
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
            is_hidden: false,
        })
    }
}

struct Walk<'d> {
    document: &'d Document,
    is_opaque: &'d dyn Fn(&Function) -> bool,
    frames: Vec<Frame>,
    reasons: Vec<Reason>,
    /// Indexes of the reasons of calls that are not entered, and of their frames.
    opaque_calls: Vec<(usize, usize)>,
    /// Inputs that decide, by frame and name.
    used: HashSet<(usize, String)>,
}

impl Walk<'_> {
    /// Tells which inputs of calls that are not entered decide.
    fn decide_opaque(&mut self) {
        for &(reason, frame) in &self.opaque_calls {
            for input in &mut self.reasons[reason].inputs {
                input.decides = self.used.contains(&(frame, input.name.clone()));
            }
        }
    }

    /// Adds the reason of an output of a frame; returns the source of its value, or of a component.
    fn output(&mut self, frame: usize, output: usize, component: Option<usize>) -> Option<Place> {
        let trace = Rc::clone(&self.frames[frame].trace);
        let result = &trace.outputs[output];
        let source = self.resolve(frame, result, component);
        if !self.frames[frame].is_hidden {
            self.reasons.push(Reason {
                function: self.frames[frame].function.clone(),
                node: None,
                port: (result.name.clone(), result.value.clone()),
                callee: None,
                inputs: self.inputs(frame, [(result, true)].into_iter()),
            });
        }
        source
    }

    /// Adds the reason of a port; returns the sources of the inputs that decide.
    fn visit(&mut self, place: Place) -> Result<Vec<Place>, EvalError> {
        let Place {
            frame,
            node,
            port,
            component,
        } = place;
        let trace = Rc::clone(&self.frames[frame].trace);
        let traced = &trace.nodes[node];
        let (name, value) = &traced.outputs[port];
        let reason = |callee, inputs, frame: &Frame| Reason {
            function: frame.function.clone(),
            node: Some(traced.node.clone()),
            port: (name.clone(), value.clone()),
            callee,
            inputs,
        };
        if let Some((callee, arguments)) = traced.call(self.document) {
            let is_opaque = (self.is_opaque)(callee);
            let is_hidden = self.frames[frame].is_hidden;
            if !is_hidden {
                let inputs = traced.inputs.iter().filter(|_| is_opaque);
                let shown = self.inputs(frame, inputs.map(|input| (input, true)));
                let name = Some(callee.name().to_owned());
                if is_opaque {
                    self.opaque_calls
                        .push((self.reasons.len(), self.frames.len()));
                }
                self.reasons.push(reason(name, shown, &self.frames[frame]));
            }
            let called = Frame::new(self.document, callee.id(), &arguments, Some((frame, node)))?;
            self.frames.push(Frame {
                is_hidden: is_hidden || is_opaque,
                ..called
            });
            return Ok(self
                .output(self.frames.len() - 1, port, component)
                .into_iter()
                .collect());
        }
        let kind = traced.node.node_type;
        if !self.frames[frame].is_hidden {
            let chosen = chosen(kind, &traced.inputs, value, None);
            let inputs = traced.inputs.iter().enumerate();
            let inputs: Vec<(&TracedInput, bool)> = inputs
                .map(|(index, input)| (input, chosen.is_none_or(|chosen| chosen == index)))
                .collect();
            let shown = self.inputs(frame, inputs.iter().copied());
            self.reasons.push(reason(None, shown, &self.frames[frame]));
            let followed = inputs.into_iter().filter(|(_, decides)| *decides);
            let sources = followed.filter_map(|(input, _)| self.resolve(frame, input, None));
            return Ok(sources.collect());
        }
        let components = match (component, value) {
            (None, Value::Float3(_)) if is_component_wise(kind) => vec![Some(0), Some(1), Some(2)],
            (component, _) => vec![component],
        };
        let mut sources = Vec::new();
        for component in components {
            let chosen = chosen(kind, &traced.inputs, value, component);
            for (index, input) in traced.inputs.iter().enumerate() {
                let component = match (kind, component) {
                    ("DecomposeVector", _) => Some(port),
                    ("ComposeVector", Some(wanted)) if wanted != index => continue,
                    _ if !is_component_wise(kind) => None,
                    _ if !matches!(input.value, Value::Float3(_)) => None,
                    (_, component) => component,
                };
                if chosen.is_none_or(|chosen| chosen == index) {
                    sources.extend(self.resolve(frame, input, component));
                }
            }
        }
        Ok(sources)
    }

    fn inputs<'i>(
        &self,
        frame: usize,
        inputs: impl Iterator<Item = (&'i TracedInput, bool)>,
    ) -> Vec<ReasonInput> {
        let shown = |(input, decides): (&TracedInput, bool)| ReasonInput {
            name: input.name.clone(),
            value: input.value.clone(),
            source: self.source(frame, input),
            decides,
        };
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
        &mut self,
        mut frame: usize,
        input: &TracedInput,
        component: Option<usize>,
    ) -> Option<Place> {
        let (mut node, mut port) = input.source?;
        loop {
            let current = &self.frames[frame];
            let traced = &current.trace.nodes[node];
            if is_constant(&traced.node) {
                return None;
            }
            if traced.node.node_type != "Begin" {
                let component = component.filter(|_| current.is_hidden);
                return Some(Place {
                    frame,
                    node,
                    port,
                    component,
                });
            }
            let name = traced.outputs[port].0.clone();
            let argument = self.argument(frame, &name);
            let source = argument.and_then(|(caller, argument)| Some((caller, argument.source?)));
            self.used.insert((frame, name));
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

/// Index of the only input that a node chooses for a component, or for the whole value; `None` if it chooses none, or
/// different ones for different components.
fn chosen(
    kind: &str,
    inputs: &[TracedInput],
    value: &Value,
    component: Option<usize>,
) -> Option<usize> {
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
    let count = value.scalars().len();
    if let Some(component) = component.filter(|&component| component < count) {
        return choice(component);
    }
    let first = choice(0)?;
    (1..count)
        .all(|place| choice(place) == Some(first))
        .then_some(first)
}
