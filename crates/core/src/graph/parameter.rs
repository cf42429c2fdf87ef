//! Parameters of a function: constant nodes with a name, whose values people change.

use fibula_nodes::node::Family;
use fibula_nodes::{Type, Value};

use super::function::Function;
use super::view::{Argument, NodeView};

/// A constant node with a display name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedConstant<'a> {
    /// The display name of the node.
    pub name: &'a str,
    /// The node.
    pub node: NodeView<'a>,
    /// Its value.
    pub value: Value,
}

impl Function {
    /// Returns the named constants by node id. Several may have the same name.
    pub fn named_constants(&self) -> impl Iterator<Item = NamedConstant<'_>> {
        let constants = self
            .nodes()
            .filter(|node| node.kind().info().family == Family::Constant);
        constants.filter_map(|node| {
            Some(NamedConstant {
                name: node.display_name().filter(|name| !name.is_empty())?,
                node,
                value: node.constant()?,
            })
        })
    }
}

impl NodeView<'_> {
    /// Value of a node of constants or a resource whose parameters are all literals.
    pub(crate) fn constant(self) -> Option<Value> {
        let value = |parameter| match self.argument(parameter) {
            Argument::Value(value) | Argument::Default(value) => Some(value),
            Argument::Link { .. } | Argument::Unset => None,
        };
        if self.port_type(0) == Type::ResourceId {
            return value(0).cloned();
        }
        let scalars: Option<Vec<f64>> = (0..self.signature().parameters.len())
            .map(|parameter| value(parameter)?.scalars().first().copied())
            .collect();
        Value::from_scalars(self.port_type(0), &scalars?)
    }
}
