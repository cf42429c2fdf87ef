//! The nodes of a function, each with all that is known of it.

use fibula_core::graph::FunctionId;

use super::Service;
use super::functions::{self, FunctionInfo};
use super::nodes::{NodeInfo, node_info};
use super::page::Paging;
use super::project::Snapshot;
use super::refusal::Refusal;

/// Which nodes are wanted.
#[derive(Debug, Clone)]
pub struct ListNodes {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function.
    pub function_id: FunctionId,
    /// As of this revision.
    pub revision: Option<u64>,
    /// Whether all of them are wanted at once, however many there are.
    pub whole: bool,
    /// Most nodes of a page.
    pub limit: Option<u32>,
    /// The last page's next_cursor.
    pub cursor: Option<String>,
}

/// The nodes of a function, by id.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NodesListed {
    pub function: FunctionInfo,
    /// Each with the place where it is drawn.
    pub nodes: Vec<(NodeInfo, Option<[f64; 2]>)>,
    /// `Begin` and `End` included.
    pub total: usize,
    pub revision: u64,
    pub next_cursor: Option<String>,
}

impl ListNodes {
    /// A request for all nodes of a function.
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
    /// A [`Refusal`]: there is no such function, `limit` or `cursor` are wrong.
    pub fn list_nodes(&self, request: &ListNodes) -> Result<NodesListed, Refusal> {
        let paging = if request.whole {
            Paging::whole()
        } else {
            Paging::new(request.limit, request.cursor.as_deref())?
        };
        let project = self.project(request.project.as_deref())?;
        let Snapshot { document, head } = project.at(request.revision)?;
        let function = document.function(request.function_id)?;
        let nodes = function.nodes().map(|node| (u64::from(node.id().0), node));
        let page = paging.page(nodes, |node| {
            let mut info = node_info(function, node);
            info.revision = head.revision;
            (info, node.position())
        });
        Ok(NodesListed {
            function: functions::info(function),
            nodes: page.items,
            total: function.node_ids().len(),
            revision: head.revision,
            next_cursor: page.next_cursor,
        })
    }
}
