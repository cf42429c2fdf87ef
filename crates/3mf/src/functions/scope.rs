//! Scope of the references in a function: its inputs, its nodes, and the resources of the file.

use std::collections::{BTreeMap, HashMap};

use fibula_core::graph::{LONGEST_NAME, check_name};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{Family, FunctionType, KindInfo, PortSpec, catalogue, names};

use super::parsed::{ParsedFunction, ParsedNode, ParsedPort, RESOURCE};
use super::port_names::{PortNames, sanitize};
use crate::error::{Locate, Location, Problem, ReadError, brief};
use crate::findings::Repair;
use crate::numbers::{invalid, resource_id};
use crate::references::ResourceClass;
use crate::roundtrip::end_attributes::EndAttributes;

/// Functions and resources of the file, by their ids.
#[derive(Clone, Copy)]
pub(crate) struct FileIndex<'a> {
    /// Types of the functions.
    pub(crate) types: &'a BTreeMap<u32, FunctionType>,
    /// Names of their inputs and outputs, where those are not their identifiers.
    pub(crate) names: &'a BTreeMap<u32, PortNames>,
    /// Class of each resource.
    pub(crate) resources: &'a BTreeMap<u32, ResourceClass>,
}

/// Names in a function.
pub(crate) struct Scope<'a> {
    pub(crate) function: &'a ParsedFunction,
    pub(crate) known: FileIndex<'a>,
    nodes: HashMap<&'a str, usize>,
}

/// Source that a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceSource<'a> {
    /// Input of the function, by its name in the file.
    Input(&'a str),
    /// Output of a node: the index of the node, and the output's name in the file.
    Node(usize, &'a str),
}

impl<'a> Scope<'a> {
    /// Collects the names of a function.
    ///
    /// # Errors
    /// When two nodes have one identifier, or one has a reserved identifier.
    pub(crate) fn new(
        function: &'a ParsedFunction,
        known: &FileIndex<'a>,
    ) -> Result<Self, ReadError> {
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
                Problem::DuplicateId(format!("duplicate node identifier '{}'", brief(identifier)))
            } else {
                continue;
            };
            return Err(problem.at(scope.place(at)));
        }
        Ok(scope)
    }

    /// Location of a node.
    pub(crate) fn place(&self, node: usize) -> Location {
        let node = &self.function.nodes[node];
        Location {
            node: Some(brief(&node.identifier)),
            ..self.function.place.at_line(node.element.line)
        }
    }

    /// Resolves a reference.
    ///
    /// # Errors
    /// When there is no such node. The port is not checked.
    pub(crate) fn source(&self, reference: &'a str) -> Result<ReferenceSource<'a>, Problem> {
        let dangling =
            |what: String| Problem::DanglingReference(format!("ref={:?} {what}", brief(reference)));
        // Identifiers have no dots; if one has, the split that leads to a node applies.
        let splits = [reference.rsplit_once('.'), reference.split_once('.')];
        let [Some((owner, _)), _] = splits else {
            let text = "is not an output; use the form node.output, or inputs.name";
            return Err(dangling(text.to_owned()));
        };
        let mut splits = splits.into_iter().flatten();
        let found = splits.find_map(|(owner, port)| {
            if owner == "inputs" {
                return Some(ReferenceSource::Input(port));
            }
            let node = self.nodes.get(owner)?;
            Some(ReferenceSource::Node(*node, port))
        });
        found.ok_or_else(|| {
            let nearest = suggestions(&names::nearest(owner, self.nodes.keys().copied()));
            let owner = brief(owner);
            dangling(format!(
                "refers to node '{owner}', which is not in the function{nearest}"
            ))
        })
    }

    /// Functions that the nodes refer to.
    pub(crate) fn callees(&self) -> Result<Vec<u32>, ReadError> {
        let mut callees = Vec::new();
        for (at, node) in self.function.nodes.iter().enumerate() {
            let is_call = find_kind(node).is_some_and(|about| about.family == Family::Call);
            if is_call && let Some(callee) = self.callee(at)? {
                callees.push(callee);
            }
        }
        Ok(callees)
    }

    /// Function that a node refers to by its input `functionID`; `None` if that is unset, or could not be read.
    pub(crate) fn callee(&self, at: usize) -> Result<Option<u32>, ReadError> {
        let mut inputs = self.function.nodes[at].inputs.iter();
        let Some(input) = inputs.find(|input| {
            input.identifier.eq_ignore_ascii_case(FUNCTION_ID) && !input.reference.is_empty()
        }) else {
            return Ok(None);
        };
        self.callee_at(&input.reference)
            .at(&self.place(at).at_line(input.line))
    }

    /// Function that a reference names; `None` if it could not be read, which is reported at the function.
    fn callee_at(&self, reference: &'a str) -> Result<Option<u32>, Problem> {
        let constant = match self.source(reference)? {
            ReferenceSource::Node(node, _) => {
                Some(&self.function.nodes[node]).filter(|node| node.element.name == RESOURCE)
            }
            ReferenceSource::Input(_) => None,
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
        let actual = match self.known.resources.get(&id) {
            Some(ResourceClass::Broken) => return Ok(None),
            kind => kind.map_or("no function", |kind| kind.label()),
        };
        Err(Problem::WrongResource {
            from: FUNCTION_ID.to_owned(),
            id,
            actual: actual.to_owned(),
            expected: "a function",
        })
    }

    /// Resource that a `constresourceid` names.
    pub(crate) fn resource(&self, constant: &ParsedNode) -> Result<u32, Problem> {
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
            "{name}={text:?} is not a resource of the file"
        )))
    }
}

/// Kind of a node, if there is one.
pub(crate) fn find_kind(node: &ParsedNode) -> Option<&'static KindInfo> {
    catalogue::by_element(&node.element.name)
}

/// Returns the type of a function, and records repairs of the function as a whole.
///
/// # Errors
/// When two inputs or two outputs have one name.
pub(crate) fn function_type(
    function: &ParsedFunction,
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
        let message = "<function> is from a draft of the specification: read as <implicitfunction>";
        report("old_function_tag", message.to_owned());
    }
    let after = function.nodes_after_outputs;
    if after > 0 {
        let message = format!("<out> precedes {after} nodes, but must follow them");
        report("outputs_before_nodes", message);
    }
    let names = PortNames::new(&function.inputs, &function.outputs);
    let mut side = |ports: &[ParsedPort], what: &str| {
        let mut specs: Vec<PortSpec> = Vec::new();
        let mut taken: HashMap<String, &str> = HashMap::new();
        for port in ports {
            let identifier = port.identifier.as_str();
            let name = sanitize(identifier);
            let problem = match taken.insert(name.clone(), identifier) {
                _ if name.is_empty() => invalid("identifier", identifier, "a name"),
                Some(other) => {
                    let (name, other, own) = (brief(&name), brief(other), brief(identifier));
                    let text =
                        format!("two {what}s have the same name '{name}': '{other}' and '{own}'");
                    Problem::DuplicateId(text)
                }
                None => {
                    if name != identifier {
                        report("renamed_identifier", read_as(what, identifier, &name));
                    }
                    let name = match what {
                        "input" => names.input(&name),
                        _ => names.output(&name),
                    };
                    specs.push(PortSpec::new(name, port.ty));
                    continue;
                }
            };
            return Err(problem.at(function.place.at_line(port.line)));
        }
        Ok(specs)
    };
    let mut inputs = side(&function.inputs, "input")?;
    EndAttributes::parse(&function.attributes).apply_details(&mut inputs);
    let outputs = side(&function.outputs, "output")?;
    Ok(FunctionType { inputs, outputs })
}

/// Message of a repair: `the input 'a-b' is read as 'a_b'`.
pub(crate) fn read_as(what: &str, written: &str, name: &str) -> String {
    let (written, name) = (brief(written), brief(name));
    format!("the {what} '{written}' is read as '{name}'")
}

/// Cleans a name for the graph: removes control and invisible characters, truncates it, and replaces it if it is empty.
pub(crate) fn clean_name(
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
pub(crate) fn suggestions(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; there is {}", nearest.join(", "))
    }
}
