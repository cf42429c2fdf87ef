//! Listing the nodes of a function.

use fibula_core::graph::FunctionId;

use crate::functions::definitions::{self, FunctionInfo};
use crate::functions::nodes::{NodeInfo, node_info};
use crate::paging::Paging;
use crate::project::change::Snapshot;
use crate::refusal::Result;
use crate::service::Service;

/// Selection of nodes.
#[derive(Debug, Clone)]
pub struct ListNodes {
    /// Default "default".
    pub project: Option<String>,
    /// The function.
    pub function_id: FunctionId,
    /// State at this revision.
    pub revision: Option<u64>,
    /// True for all nodes at once, whatever their number.
    pub whole: bool,
    /// Maximum number of nodes per page.
    pub limit: Option<u32>,
    /// next_cursor of the last page.
    pub cursor: Option<String>,
}

/// Nodes of a function, by id.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NodesListed {
    pub function: FunctionInfo,
    /// Each node with its position in drawings.
    pub nodes: Vec<(NodeInfo, Option<[f64; 2]>)>,
    /// Total number of nodes, including `Begin` and `End`.
    pub total: usize,
    pub revision: u64,
    pub next_cursor: Option<String>,
}

impl ListNodes {
    /// Request for all nodes of a function.
    pub fn whole(project: Option<String>, function_id: FunctionId) -> Self {
        ListNodes {
            project,
            function_id,
            revision: None,
            whole: true,
            limit: None,
            cursor: None,
        }
    }
}

impl Service {
    /// Lists the nodes of a function with their parameters and ports.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such function, or `limit` or `cursor` is invalid.
    pub fn list_nodes(&self, request: &ListNodes) -> Result<NodesListed> {
        let paging = if request.whole {
            Paging::whole()
        } else {
            Paging::new(request.limit, request.cursor.as_deref())?
        };
        let project = self.project(request.project.as_deref())?;
        let Snapshot { document, head, .. } = project.at(request.revision)?;
        let function = document.function(request.function_id)?;
        let nodes = function.nodes().map(|node| (u64::from(node.id().0), node));
        let page = paging.page(nodes, |node| {
            let mut info = node_info(function, node);
            info.revision = head.revision;
            (info, node.position())
        });
        Ok(NodesListed {
            function: definitions::info(function),
            nodes: page.items,
            total: function.node_ids().len(),
            revision: head.revision,
            next_cursor: page.next_cursor,
        })
    }
}
