//! Budget of items, bytes and nodes that are kept of a file.

use super::element::{Element, Schema};
use crate::error::Problem;
use crate::limits::Limits;

/// Remainder of one limit.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    left: u64,
    limit: u64,
    /// Quantity, for the message.
    what: &'static str,
}

impl Allowance {
    fn new(limit: u64, what: &'static str) -> Allowance {
        let left = limit;
        Allowance { left, limit, what }
    }

    fn charge(&mut self, count: usize) -> Result<(), Problem> {
        let Allowance { left, limit, what } = *self;
        let rest = left.checked_sub(count as u64);
        self.left = rest.ok_or(Problem::TooLarge { what, limit })?;
        Ok(())
    }
}

/// Remainder of the limits on what is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    items: Allowance,
    bytes: Allowance,
    nodes: Allowance,
    /// Maximum number of inputs, and of outputs, of one function or node.
    max_ports: usize,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Budget {
        let items = "the number of objects, components, items, sheets, and preserved attributes and elements";
        let nodes = "the number of nodes, inputs and outputs";
        Budget {
            items: Allowance::new(limits.items as u64, items),
            bytes: Allowance::new(limits.kept, "the size of preserved elements in bytes"),
            nodes: Allowance::new(limits.nodes as u64, nodes),
            max_ports: limits.ports,
        }
    }

    pub(crate) fn charge_items(&mut self, count: usize) -> Result<(), Problem> {
        self.items.charge(count)
    }

    pub(crate) fn charge_bytes(&mut self, count: usize) -> Result<(), Problem> {
        self.bytes.charge(count)
    }

    /// Charges an item, with its tag.
    pub(crate) fn charge_item(&mut self, element: &Element) -> Result<(), Problem> {
        self.charge_items(1)?;
        self.charge_tag(element)
    }

    /// Charges nodes, inputs and outputs.
    pub(crate) fn charge_nodes(&mut self, count: usize) -> Result<(), Problem> {
        self.nodes.charge(count)
    }

    /// Charges a node, with its tag.
    pub(crate) fn charge_node(&mut self, element: &Element) -> Result<(), Problem> {
        self.charge_nodes(1)?;
        self.charge_tag(element)
    }

    /// Charges an input or output of a function or node that has `count` of them.
    pub(crate) fn charge_port(&mut self, element: &Element, count: usize) -> Result<(), Problem> {
        if count >= self.max_ports {
            return Err(Problem::too_large(
                "the number of inputs or outputs",
                self.max_ports as u64,
            ));
        }
        self.charge_node(element)
    }

    fn charge_tag(&mut self, element: &Element) -> Result<(), Problem> {
        let namespace = match element.schema {
            // The namespace is kept with unknown elements.
            Schema::Other => element.namespace.len(),
            Schema::Core
            | Schema::Volumetric
            | Schema::Implicit
            | Schema::Relationships
            | Schema::ContentTypes => 0,
        };
        self.charge_bytes(namespace + element.tag.len())
    }
}
