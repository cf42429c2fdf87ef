//! What references in a function can name: its inputs, its nodes, and the resources of the file.

use std::collections::{BTreeMap, HashMap};

use fibula_core::graph::{LONGEST_NAME, check_name};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{Family, FunctionType, KindInfo, PortSpec, Type, catalogue, names};

use super::Repair;
use super::error::{Location, Problem, ReadError, brief};
use super::numbers::{invalid, resource_id};
use super::ports::PortNames;
use super::raw::{Function, Node};
use super::resources::Kind;

/// What is known of the file when a function is understood.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// What the functions take and give, by their ids.
    pub(super) types: &'a BTreeMap<u32, FunctionType>,
    /// The names of their inputs and outputs, where those are not their identifiers.
    pub(super) names: &'a BTreeMap<u32, PortNames>,
    /// What each id stands for.
    pub(super) resources: &'a BTreeMap<u32, Kind>,
}

/// The names in a function.
pub(super) struct Scope<'a> {
    pub(super) function: &'a Function,
    pub(super) known: Known<'a>,
    nodes: HashMap<&'a str, usize>,
}

/// What a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source<'a> {
    /// An input of the function, by its name in the file.
    Input(&'a str),
    /// An output of a node: the place of the node, and the output's name in the file.
    Node(usize, &'a str),
}

impl<'a> Scope<'a> {
    /// Collects the names of a function.
    ///
    /// # Errors
    /// When two nodes have one identifier, or one has a reserved identifier.
    pub(super) fn new(function: &'a Function, known: &Known<'a>) -> Result<Self, ReadError> {
        let mut scope = Scope {
            function,
            known: *known,
            nodes: HashMap::new(),
        };
        for (at, node) in function.nodes.iter().enumerate() {
            let identifier = node.identifier.as_str();
            let problem = if matches!(identifier, "inputs" | "outputs") {
                Problem::ReservedIdentifier(identifier.to_owned())
            } else if identifier.is_empty() {
                invalid("identifier", "", "a name")
            } else if scope.nodes.insert(identifier, at).is_some() {
                Problem::DuplicateId(format!(
                    "two nodes have the identifier '{}'",
                    brief(identifier)
                ))
            } else {
                continue;
            };
            return Err(problem.at(scope.place(at)));
        }
        Ok(scope)
    }

    /// The place of a node.
    pub(super) fn place(&self, node: usize) -> Location {
        let node = &self.function.nodes[node];
        Location {
            node: Some(brief(&node.identifier)),
            ..self.function.place.at_line(node.element.line)
        }
    }

    /// What a reference names.
    ///
    /// # Errors
    /// When there is no such node. Whether the port is there is another question.
    pub(super) fn source(&self, reference: &'a str) -> Result<Source<'a>, Problem> {
        let dangling =
            |what: String| Problem::DanglingReference(format!("ref={:?} {what}", brief(reference)));
        // Identifiers have no dots; where one has, the split at which there is such a node is meant.
        let splits = [reference.rsplit_once('.'), reference.split_once('.')];
        let [Some((owner, _)), _] = splits else {
            return Err(dangling(
                "names no output: it takes the form node.output, or inputs.name".to_owned(),
            ));
        };
        let found = splits
            .into_iter()
            .flatten()
            .find_map(|(owner, port)| match owner {
                "inputs" => Some(Source::Input(port)),
                _ => self.nodes.get(owner).map(|&node| Source::Node(node, port)),
            });
        found.ok_or_else(|| {
            let nearest = names::nearest(owner, self.nodes.keys().copied());
            dangling(format!(
                "refers to node '{}', which is not in the function{}",
                brief(owner),
                or(&nearest)
            ))
        })
    }

    /// The functions that the nodes refer to.
    pub(super) fn callees(&self) -> Result<Vec<u32>, ReadError> {
        let mut callees = Vec::new();
        for (at, node) in self.function.nodes.iter().enumerate() {
            let is_call = kind(node).is_some_and(|about| about.family == Family::Call);
            if is_call && let Some(callee) = self.callee(at)? {
                callees.push(callee);
            }
        }
        Ok(callees)
    }

    /// The function that a node refers to by its input `functionID`; `None` when that is unset, or could not be read.
    pub(super) fn callee(&self, at: usize) -> Result<Option<u32>, ReadError> {
        let inputs = &self.function.nodes[at].inputs;
        let named = |identifier: &str| identifier.eq_ignore_ascii_case(FUNCTION_ID);
        let Some(input) = inputs
            .iter()
            .find(|input| named(&input.identifier) && !input.reference.is_empty())
        else {
            return Ok(None);
        };
        self.callee_at(&input.reference)
            .map_err(|problem| problem.at(self.place(at).at_line(input.line)))
    }

    /// The function that a reference names; `None` when that could not be read, which is told where it stands.
    fn callee_at(&self, reference: &'a str) -> Result<Option<u32>, Problem> {
        let constant = match self.source(reference)? {
            Source::Node(node, _) => {
                Some(&self.function.nodes[node]).filter(|node| node.element.name == RESOURCE)
            }
            Source::Input(_) => None,
        };
        let Some(constant) = constant else {
            let text = format!(
                "functionID refers to {}, but it must refer to a {RESOURCE}",
                brief(reference)
            );
            return Err(Problem::DanglingReference(text));
        };
        let id = self.resource(constant)?;
        if self.known.types.contains_key(&id) {
            return Ok(Some(id));
        }
        let is = match self.known.resources.get(&id) {
            Some(Kind::Broken) => return Ok(None),
            kind => kind.map_or("no function", |kind| kind.label()),
        };
        Err(Problem::WrongResource {
            from: FUNCTION_ID.to_owned(),
            id,
            is: is.to_owned(),
            wants: "a function",
        })
    }

    /// The resource that a `constresourceid` names.
    pub(super) fn resource(&self, constant: &Node) -> Result<u32, Problem> {
        let attribute = ["value", "resourceid"].into_iter().find_map(|name| {
            let value = constant.element.attribute(name)?;
            Some((name, value))
        });
        let Some((name, text)) = attribute else {
            return Err(Problem::MissingAttribute {
                element: RESOURCE.to_owned(),
                attribute: "value".to_owned(),
            });
        };
        let id = resource_id(text).ok_or_else(|| invalid(name, text, "the id of a resource"))?;
        if self.known.resources.contains_key(&id) {
            return Ok(id);
        }
        Err(Problem::DanglingReference(format!(
            "{name}={text:?} names no resource of the file"
        )))
    }
}

/// The element that names a resource.
pub(super) const RESOURCE: &str = "constresourceid";

/// The kind of a node, if there is one.
pub(super) fn kind(node: &Node) -> Option<&'static KindInfo> {
    catalogue::by_element(&node.element.name)
}

/// What a function takes and gives; what is strange about the function as a whole is reported.
///
/// # Errors
/// When two inputs or two outputs have one name.
pub(super) fn ends(
    function: &Function,
    repairs: &mut Vec<Repair>,
) -> Result<FunctionType, ReadError> {
    let mut report = |code, message: String| {
        repairs.push(Repair {
            code,
            place: function.place.clone(),
            message,
        });
    };
    if function.old_tag {
        report(
            "old_function_tag",
            "<function> is the tag of a draft: read as <implicitfunction>".to_owned(),
        );
    }
    if function.after_outputs > 0 {
        let message = format!(
            "<out> stands before {} nodes; it belongs after them",
            function.after_outputs
        );
        report("outputs_before_nodes", message);
    }
    let inputs = function
        .inputs
        .iter()
        .map(|port| (port.identifier.as_str(), port.ty, port.line));
    let outputs = function
        .outputs
        .iter()
        .map(|input| (input.identifier.as_str(), input.ty, input.line));
    let names = PortNames::of(function);
    let mut side = |ports: Vec<(&str, Type, u64)>, what: &str| {
        let mut specs: Vec<PortSpec> = Vec::new();
        let mut taken: HashMap<String, &str> = HashMap::new();
        for (identifier, ty, line) in ports {
            let name = sanitised(identifier);
            let problem = match taken.insert(name.clone(), identifier) {
                _ if name.is_empty() => invalid("identifier", identifier, "a name"),
                Some(other) => {
                    let names = format!("'{}' and '{}'", brief(other), brief(identifier));
                    Problem::DuplicateId(format!(
                        "two {what}s have the name '{}': {names}",
                        brief(&name)
                    ))
                }
                None => {
                    if name != identifier {
                        let message = format!(
                            "the {what} '{}' is read as '{}'",
                            brief(identifier),
                            brief(&name)
                        );
                        report("renamed_identifier", message);
                    }
                    let name = match what {
                        "input" => names.input(&name),
                        _ => names.output(&name),
                    };
                    specs.push(PortSpec::new(name, ty));
                    continue;
                }
            };
            return Err(problem.at(function.place.at_line(line)));
        }
        Ok(specs)
    };
    Ok(FunctionType {
        inputs: side(inputs.collect(), "input")?,
        outputs: side(outputs.collect(), "output")?,
    })
}

/// An identifier with every character outside of `[A-Za-z0-9_]` as `_`.
pub(super) fn sanitised(identifier: &str) -> String {
    identifier
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// A name as the graph takes it: without control and invisible characters, not too long, and not empty.
pub(super) fn cleaned(
    name: &str,
    otherwise: &str,
    place: &Location,
    repairs: &mut Vec<Repair>,
) -> String {
    let Err(error) = check_name("the name", name) else {
        return name.to_owned();
    };
    let allowed = |c: &char| check_name("", &format!("x{c}")).is_ok();
    let mut clean = String::new();
    for c in name.chars().filter(allowed) {
        if clean.len() + c.len_utf8() > LONGEST_NAME {
            break;
        }
        clean.push(c);
    }
    if clean.trim().is_empty() {
        otherwise.clone_into(&mut clean);
    }
    let message = format!("{error}: read as '{}'", brief(&clean));
    repairs.push(Repair {
        code: "cleaned_name",
        place: place.clone(),
        message,
    });
    clean
}

/// "; there is a, b" or nothing.
pub(super) fn or(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; there is {}", nearest.join(", "))
    }
}
