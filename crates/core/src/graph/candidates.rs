//! Candidates of a link: the ends to which a port or parameter may be linked, and why not the others.

use fibula_nodes::FunctionType;
use fibula_nodes::node::Family;
use fibula_nodes::{KindInfo, Parameter, Signature, Type, catalogue};

use super::document::Document;
use super::error::{GraphError, bridges, implied_conversion};
use super::function::{Function, Input, NodeKey};
use super::ids::{FunctionId, NodeId};

/// End at which a link begins that has no other end yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkStart<'a> {
    /// A port of a node; candidates are parameters.
    Port(NodeId, &'a str),
    /// A parameter of a node; candidates are ports.
    Parameter(NodeId, &'a str),
}

/// Another end of the link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkCandidate {
    /// Its node.
    pub node_id: NodeId,
    /// Its parameter or port.
    pub name: String,
    /// The port to which the parameter is linked now; the link replaces it.
    pub replaces: Option<(NodeId, String)>,
    /// The conversion that has to be inserted, if one has to be, or the reason why the link is not possible.
    pub conversion: Result<Option<&'static str>, GraphError>,
}

/// An end of a node that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNodeCandidate {
    /// The first parameter or port that fits.
    pub name: String,
    /// The conversion that has to be inserted, if one has to be.
    pub conversion: Option<&'static str>,
}

/// The start of a link, looked up.
struct Start<'a> {
    function: &'a Function,
    node: NodeKey,
    place: usize,
    side: StartSide,
}

enum StartSide {
    /// A port of this type.
    Port(Type),
    /// A parameter that takes these types.
    Parameter(Vec<Type>),
}

impl Document {
    /// Returns every end of the function to which a link from `start` could lead, in the order of node ids; those of the
    /// same node are left out. Time is that of a plan for each.
    ///
    /// # Errors
    /// [`GraphError`] if the function, node, port or parameter is unknown.
    pub fn link_candidates(
        &self,
        function: FunctionId,
        start: LinkStart<'_>,
    ) -> Result<Vec<LinkCandidate>, GraphError> {
        let start = self.start(function, start)?;
        let function = start.function;
        let mut candidates = Vec::new();
        for node in function
            .nodes()
            .filter(|node| node.id() != function.stored(start.node).id)
        {
            let key = function.key(node.id())?;
            let stored = function.stored(key);
            let signature = node.signature();
            let count = match start.side {
                StartSide::Port(_) => signature.parameters.len(),
                StartSide::Parameter(_) => signature.ports.len(),
            };
            for place in 0..count {
                let here = (key, place);
                let (source, target, name) = match start.side {
                    StartSide::Port(_) => (
                        (start.node, start.place),
                        here,
                        &signature.parameters[place].name,
                    ),
                    StartSide::Parameter(_) => (
                        here,
                        (start.node, start.place),
                        &signature.ports[place].name,
                    ),
                };
                let replaces = match (&start.side, stored.inputs.get(place)) {
                    (StartSide::Port(_), Some(&Input::Link { source, port })) => {
                        let source = function.stored(source);
                        Some((source.id, source.signature.ports[port].name.to_string()))
                    }
                    (StartSide::Port(_) | StartSide::Parameter(_), _) => None,
                };
                candidates.push(LinkCandidate {
                    node_id: node.id(),
                    name: name.to_string(),
                    replaces,
                    conversion: self.conversion(function, source, target),
                });
            }
        }
        Ok(candidates)
    }

    /// Returns the type of the port at which a link starts, or the types that the parameter takes.
    ///
    /// # Errors
    /// As [`link_candidates`](Self::link_candidates).
    pub fn link_types(
        &self,
        function: FunctionId,
        start: LinkStart<'_>,
    ) -> Result<Vec<Type>, GraphError> {
        Ok(match self.start(function, start)?.side {
            StartSide::Port(ty) => vec![ty],
            StartSide::Parameter(types) => types,
        })
    }

    /// Returns, for every node kind that can be created, in the order of the catalogue, its end to which a link from
    /// `start` could lead, or `None` if no type fits.
    ///
    /// # Errors
    /// As [`link_candidates`](Self::link_candidates).
    pub fn kind_candidates(
        &self,
        function: FunctionId,
        start: LinkStart<'_>,
    ) -> Result<Vec<(&'static KindInfo, Option<NewNodeCandidate>)>, GraphError> {
        let start = self.start(function, start)?;
        let kinds = catalogue::catalogue().iter().copied();
        let kinds = kinds.filter(|kind| kind.family != Family::Boundary);
        Ok(kinds
            .map(|kind| {
                let own = (kind.make)().with_callee(&FunctionType::default());
                let own = own.map(|node| node.signature().into_owned());
                (
                    kind,
                    start.side.end_of(own.as_ref().unwrap_or(&kind.signature)),
                )
            })
            .collect())
    }

    /// Returns, for every other function, the end of its call to which a link from `start` could lead, or `None` if no
    /// type fits, or the error if the call would be recursive.
    ///
    /// # Errors
    /// As [`link_candidates`](Self::link_candidates).
    #[expect(
        clippy::type_complexity,
        reason = "a list of pairs, each with its two kinds of failure"
    )]
    pub fn call_candidates(
        &self,
        function: FunctionId,
        start: LinkStart<'_>,
    ) -> Result<Vec<(FunctionId, Result<Option<NewNodeCandidate>, GraphError>)>, GraphError> {
        let start = self.start(function, start)?;
        let others = self.functions().filter(|other| other.id() != function);
        Ok(others
            .map(|other| {
                let candidate = self.check_call(function, other.id()).map(|()| {
                    let ports = match start.side {
                        StartSide::Port(_) => other.inputs(),
                        StartSide::Parameter(_) => other.outputs(),
                    };
                    start
                        .side
                        .best(ports.iter().map(|port| (port.name.as_str(), vec![port.ty])))
                });
                (other.id(), candidate)
            })
            .collect())
    }

    fn start(&self, function: FunctionId, start: LinkStart<'_>) -> Result<Start<'_>, GraphError> {
        let function = self.function(function)?;
        let (id, name) = match start {
            LinkStart::Port(id, name) | LinkStart::Parameter(id, name) => (id, name),
        };
        let node = function.key(id)?;
        let stored = function.stored(node);
        let (place, side) = match start {
            LinkStart::Port(..) => {
                let place = stored.find_port(name)?;
                (place, StartSide::Port(stored.port_type(place)))
            }
            LinkStart::Parameter(..) => {
                let place = stored.find_parameter(name)?;
                (place, StartSide::Parameter(function.takes(node, place)))
            }
        };
        Ok(Start {
            function,
            node,
            place,
            side,
        })
    }

    /// Plans a link, and if the types differ, one with a conversion.
    fn conversion(
        &self,
        function: &Function,
        source: (NodeKey, usize),
        target: (NodeKey, usize),
    ) -> Result<Option<&'static str>, GraphError> {
        let Err(error) = self.plan_link(function, source, target, true) else {
            return Ok(None);
        };
        match error.conversion() {
            Some(conversion) => {
                // A conversion opens no way around a cycle.
                function.reorder(source.0, target.0)?;
                Ok(Some(conversion))
            }
            None => Err(error),
        }
    }
}

impl StartSide {
    /// Returns the end of a new node of this signature.
    fn end_of(&self, signature: &Signature) -> Option<NewNodeCandidate> {
        let overloads = || signature.overloads.iter();
        match self {
            StartSide::Port(_) => {
                let name = |parameter: &Parameter| parameter.name.to_string();
                let names: Vec<String> = signature.parameters.iter().map(name).collect();
                self.best(names.iter().enumerate().map(|(place, name)| {
                    let types = overloads().map(|overload| overload.inputs[place]);
                    (name.as_str(), types.collect())
                }))
            }
            StartSide::Parameter(_) => {
                self.best(signature.ports.iter().enumerate().map(|(place, port)| {
                    let types = overloads().map(|overload| overload.outputs[place]);
                    (port.name.as_ref(), types.collect())
                }))
            }
        }
    }

    /// Returns the first end that fits, before one that needs a conversion; each has a name and its possible types.
    fn best<'n>(
        &self,
        ends: impl Iterator<Item = (&'n str, Vec<Type>)>,
    ) -> Option<NewNodeCandidate> {
        let mut converted = None;
        for (name, types) in ends {
            let is_direct = types.iter().any(|ty| match self {
                StartSide::Port(own) => own == ty,
                StartSide::Parameter(takes) => takes.contains(ty),
            });
            if is_direct {
                return Some(NewNodeCandidate {
                    name: name.to_owned(),
                    conversion: None,
                });
            }
            let kinds = types.iter().flat_map(|&ty| match self {
                StartSide::Port(own) => bridges(*own, ty).to_vec(),
                StartSide::Parameter(takes) => takes
                    .iter()
                    .flat_map(|&taken| bridges(ty, taken))
                    .copied()
                    .collect(),
            });
            let conversion = implied_conversion(&kinds.collect::<Vec<_>>());
            if converted.is_none() && conversion.is_some() {
                converted = Some(NewNodeCandidate {
                    name: name.to_owned(),
                    conversion,
                });
            }
        }
        converted
    }
}
