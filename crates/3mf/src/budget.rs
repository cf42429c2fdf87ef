//! Budget of kept elements, bytes and nodes, derived from the limits.

use super::Limits;
use super::element::{Element, Space};
use super::error::Problem;

/// What is left of the limits on what is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    things: usize,
    most_things: usize,
    bytes: u64,
    most_bytes: u64,
    nodes: usize,
    most_nodes: usize,
    /// The most inputs, or outputs, of one thing.
    most_ports: usize,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Budget {
        Budget {
            things: limits.things,
            most_things: limits.things,
            bytes: limits.kept,
            most_bytes: limits.kept,
            nodes: limits.nodes,
            most_nodes: limits.nodes,
            most_ports: limits.ports,
        }
    }

    /// Takes so many things off.
    pub(super) fn things(&mut self, count: usize) -> Result<(), Problem> {
        let too_large = || Problem::TooLarge {
            what: "the number of objects, components, items, sheets, and attributes and elements that are kept",
            limit: self.most_things as u64,
        };
        self.things = self.things.checked_sub(count).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes so many bytes off.
    pub(super) fn bytes(&mut self, count: usize) -> Result<(), Problem> {
        let too_large = || Problem::TooLarge {
            what: "what is kept of the file in bytes",
            limit: self.most_bytes,
        };
        self.bytes = self.bytes.checked_sub(count as u64).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes a thing off, with all that its element says.
    pub(super) fn thing(&mut self, element: &Element) -> Result<(), Problem> {
        self.things(1)?;
        self.says(element)
    }

    /// Takes so many nodes, inputs and outputs off.
    pub(super) fn nodes(&mut self, count: usize) -> Result<(), Problem> {
        let too_large = || Problem::TooLarge {
            what: "the number of nodes, inputs and outputs",
            limit: self.most_nodes as u64,
        };
        self.nodes = self.nodes.checked_sub(count).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes a node off, with all that its element says.
    pub(super) fn node(&mut self, element: &Element) -> Result<(), Problem> {
        self.nodes(1)?;
        self.says(element)
    }

    /// Takes one more input or output off, of something that has so many.
    pub(super) fn port(&mut self, element: &Element, there: usize) -> Result<(), Problem> {
        if there >= self.most_ports {
            return Err(Problem::TooLarge {
                what: "the number of inputs or outputs",
                limit: self.most_ports as u64,
            });
        }
        self.node(element)
    }

    fn says(&mut self, element: &Element) -> Result<(), Problem> {
        let namespace = match element.space {
            // It is kept with what is not understood.
            Space::Other => element.namespace.len(),
            Space::Core
            | Space::Volumetric
            | Space::Implicit
            | Space::Relationships
            | Space::Types => 0,
        };
        self.bytes(namespace + element.tag.len())
    }
}
