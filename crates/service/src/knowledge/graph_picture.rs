//! Layout and pictures of a knowledge graph.

use std::collections::BTreeSet;

use fibula_core::edit::Origin;
use fibula_core::graph::Document;
use fibula_drawing::sketch::{self, Flow, Force, Marks, Method, Options, Subject, Theme};
use fibula_graph_formats::{self as network, Format, Graph};
use fibula_knowledge::network::{Filter, NeighbourhoodQuery, Network};
use fibula_knowledge::progress::Watch;
use fibula_knowledge::{EdgeRef, Knowledge, NodeRef};
use schemars::JsonSchema;
use serde::Deserialize;

use super::add::KnowledgeChange;
use super::graph_export::part;
use super::node_lookup;
use super::writer::Writer;
use crate::background::{ProgressFn, run_watched};
use crate::paging::Paging;
use crate::project::change::CommitOptions;
use crate::project::names::DEFAULT_PROJECT;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum number of positions of a page.
const MOST_LISTED: u32 = 500;
/// Maximum number of nodes drawn around a node.
const MOST_AROUND: usize = 2_000;
/// Progress steps.
const PARTS: u64 = 100;

/// Layout algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayoutMethod {
    /// linked nodes near each other
    #[default]
    Force,
    /// in layers along edges
    Layered,
    /// on rings around a node
    Radial,
    /// in rows, by type
    Grid,
    /// on one circle
    Circle,
}

json_structs! {
    /// Layout of a graph.
    pub request(Default) struct LayOut {
        project,
        /// Default force.
        #[schemars(with = "Option<LayoutMethod>")]
        pub method: LayoutMethod = default,
        /// For layered: down or right.
        #[schemars(with = "Option<Flow>")]
        pub flow: Flow = default,
        /// For radial: the node in the middle; default: the one with most edges.
        pub center: Option<String>,
        /// Only nodes of these types.
        pub types: Vec<String> = default,
        /// true stores the positions.
        pub write: bool,
        expected_revision,
        /// Validate only.
        pub dry_run: bool,
        /// Maximum number of positions per page.
        pub limit: Option<u32>,
        /// next_cursor of the last page; not with write.
        pub cursor: Option<String>,
    }

    /// Layout to compute, for viewers.
    pub request(Default) struct GetGraphLayout {
        project,
        /// Default force.
        #[schemars(with = "Option<LayoutMethod>")]
        pub method: LayoutMethod = default,
        /// For layered: down or right.
        #[schemars(with = "Option<Flow>")]
        pub flow: Flow = default,
        /// For radial: the node in the middle; default: the one with most edges.
        pub center: Option<String>,
        revision,
    }

    /// Result of a layout.
    #[schemars(rename = "LaidOut")]
    pub answer struct LayoutResult {
        pub success: bool,
        pub method: &'static str,
        /// x is to the right, y down.
        pub positions: Vec<NodePlace>,
        pub total: usize,
        /// True if the positions were stored.
        pub written: bool,
        pub dry_run: Option<bool>,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// Position of a node.
    pub answer(PartialEq) struct NodePlace {
        pub id: String,
        pub position: [f64; 2],
    }

    /// Picture to draw.
    pub request(Default) struct RenderGraph {
        project,
        /// Default png.
        pub format: SketchFormat = default,
        /// Draw the neighbourhood of this node.
        pub node: Option<String>,
        /// Its depth in edges; default 2.
        pub depth: Option<u32>,
        /// Only nodes of these types.
        pub types: Vec<String> = default,
        /// Default: stored positions, else force.
        pub layout: Option<LayoutMethod>,
        /// Ids of nodes and edges to highlight.
        pub highlight: Vec<String> = default,
        /// true labels edges with their types.
        pub edge_labels: bool,
        /// true draws nodes as boxes with labels.
        pub boxes: bool,
        /// true for a dark background.
        pub dark: bool,
        /// [width, height] in pixels.
        pub size: Option<[u32; 2]>,
        revision,
    }
}

/// Format of a picture of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SketchFormat {
    /// an image
    #[default]
    Png,
    /// of any size, with full texts as tooltips
    Svg,
    /// an interactive page
    Html,
    /// text
    Mermaid,
    /// text
    Dot,
}

/// Picture of a graph.
#[derive(Debug, Clone)]
pub struct GraphPicture {
    /// Format of the bytes.
    pub format: SketchFormat,
    /// Contents of the file.
    pub bytes: Vec<u8>,
    /// Number of nodes and edges shown.
    pub counts: [usize; 2],
    /// Ends of edges that are functions or nodes that no longer exist.
    pub dangling: Vec<String>,
    /// Revision of the project.
    pub revision: u64,
}

impl SketchFormat {
    fn names(self) -> (&'static str, &'static str) {
        let of = |format: Format| (format.media_type(), format.extension());
        match self {
            SketchFormat::Png => ("image/png", "png"),
            SketchFormat::Svg => ("image/svg+xml", "svg"),
            SketchFormat::Html => ("text/html", "html"),
            SketchFormat::Mermaid => of(Format::Mermaid),
            SketchFormat::Dot => of(Format::Dot),
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        self.names().0
    }

    /// File extension.
    pub fn extension(self) -> &'static str {
        self.names().1
    }
}

impl LayoutMethod {
    fn name(self) -> &'static str {
        match self {
            LayoutMethod::Force => "force",
            LayoutMethod::Layered => "layered",
            LayoutMethod::Radial => "radial",
            LayoutMethod::Grid => "grid",
            LayoutMethod::Circle => "circle",
        }
    }

    fn method(self, flow: Flow, centre: Option<usize>) -> Method {
        match self {
            LayoutMethod::Force => Method::Force(Force::default()),
            LayoutMethod::Layered => Method::Layered(flow),
            LayoutMethod::Radial => Method::Radial { centre },
            LayoutMethod::Grid => Method::Grid,
            LayoutMethod::Circle => Method::Circle,
        }
    }
}

impl Service {
    /// Lays out a graph, and stores the positions if requested. `watch` may cancel it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or node, there are too many nodes, or `watch` cancelled it.
    pub fn lay_out(
        &self,
        origin: &Origin,
        request: &LayOut,
        watch: ProgressFn<'_>,
    ) -> Result<LayoutResult> {
        let limit = request.limit.unwrap_or(MOST_LISTED).min(MOST_LISTED);
        let paging = Paging::new(Some(limit), request.cursor.as_deref())?;
        if request.write && request.cursor.is_some() {
            let message = "a cursor continues a list of positions that are not stored";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("omit write or cursor; get_nodes returns stored positions"));
        }
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = request.project.as_deref();
        let snapshot = {
            let project = self.project(project)?;
            project.check_options(condition)?;
            project.at(None)?
        };
        let placed = placed(snapshot.document.knowledge(), request, watch)?;
        let page = paging.page((0..).zip(&placed), NodePlace::clone);
        let mut laid_out = LayoutResult {
            success: true,
            method: request.method.name(),
            positions: page.items,
            total: placed.len(),
            written: false,
            dry_run: request.dry_run.then_some(true),
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        };
        if !request.write {
            return Ok(laid_out);
        }
        let work = |writer: &mut Writer<'_>| {
            for NodePlace { id, position } in &placed {
                // A node that was removed meanwhile gets no position.
                let node = writer.graph().find(id);
                if node.is_some_and(|node| node.position() != Some(*position)) {
                    writer.place(id, Some(*position))?;
                }
            }
            Ok(())
        };
        laid_out.next_cursor = None;
        let written = self.write(
            KnowledgeChange::new(origin, project, condition, "lay out", placed.len()),
            work,
            |(), written| written,
        )?;
        laid_out.written = written.dry_run.is_none();
        laid_out.revision = written.revision;
        Ok(laid_out)
    }

    /// Returns the positions of all nodes at once, for viewers: pages would compute them anew. `watch` may cancel it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, there are too many nodes, or `watch` cancelled it.
    pub fn get_layout(
        &self,
        request: &GetGraphLayout,
        watch: ProgressFn<'_>,
    ) -> Result<LayoutResult> {
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let layout = LayOut {
            method: request.method,
            flow: request.flow,
            center: request.center.clone(),
            ..LayOut::default()
        };
        let positions = placed(snapshot.document.knowledge(), &layout, watch)?;
        Ok(LayoutResult {
            success: true,
            method: request.method.name(),
            total: positions.len(),
            positions,
            written: false,
            dry_run: None,
            revision: snapshot.head.revision,
            next_cursor: None,
        })
    }

    /// Draws a graph, or a part of it. `watch` may cancel it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, there are too many nodes, or `watch` cancelled it.
    pub fn render_graph(
        &self,
        request: &RenderGraph,
        watch: ProgressFn<'_>,
    ) -> Result<GraphPicture> {
        let name = request.project.as_deref();
        let project = self.project(name)?;
        let snapshot = project.at(request.revision)?;
        let graph = snapshot.document.knowledge();
        let (mut nodes, mut edges) = part(graph, &request.types);
        if let Some(text) = &request.node {
            let around = neighbourhood_ids(
                &project.network(graph),
                &snapshot.document,
                text,
                request.depth,
            )?;
            nodes.retain(|node| around.contains(node.id()));
            let kept: BTreeSet<&str> = nodes.iter().map(NodeRef::id).collect();
            let is_kept =
                |id: &str| kept.contains(id) || (graph.find(id).is_none() && around.contains(id));
            edges.retain(|edge| is_kept(edge.source()) && is_kept(edge.target()));
        }
        let title = name.unwrap_or(DEFAULT_PROJECT);
        let bytes = run_watched(PARTS, watch, |progress| {
            let watch: &Watch<'_> = &|done, total| progress.report(done * PARTS / total.max(1));
            draw(request, &snapshot.document, (&nodes, &edges), title, watch)
        })?;
        Ok(GraphPicture {
            format: request.format,
            bytes,
            counts: [nodes.len(), edges.len()],
            dangling: node_lookup::dangling_ends(&snapshot.document, &edges),
            revision: snapshot.head.revision,
        })
    }
}

/// Positions of the nodes that a layout includes.
fn placed(graph: &Knowledge, request: &LayOut, watch: ProgressFn<'_>) -> Result<Vec<NodePlace>> {
    let (nodes, edges) = part(graph, &request.types);
    let centre = request
        .center
        .as_deref()
        .map(|text| node_lookup::node(graph, text));
    let centre = centre.transpose()?;
    let centre = centre.map(|centre| {
        let found = nodes.iter().position(|node| node.id() == centre.id());
        found.ok_or_else(|| {
            let message = format!(
                "the center '{}' is not among the nodes of the layout",
                centre.id()
            );
            Refusal::new("unknown_node", message).hint("omit types, or choose another center")
        })
    });
    let method = request.method.method(request.flow, centre.transpose()?);
    let found = run_watched(PARTS, watch, |progress| {
        let subject = Subject::new(&nodes, &edges)?;
        let watch: &Watch<'_> = &|done, total| progress.report(done * PARTS / total.max(1));
        subject.plan(Marks::Discs).lay_out(&method, watch)
    })?;
    let both = nodes.iter().zip(found);
    Ok(both
        .map(|(node, place)| NodePlace {
            id: node.id().to_owned(),
            position: place.map(|at| (at * 10.0).round() / 10.0),
        })
        .collect())
}

/// Ids of the neighbourhood of a node, including its own.
fn neighbourhood_ids(
    network: &Network,
    document: &Document,
    text: &str,
    depth: Option<u32>,
) -> Result<BTreeSet<String>> {
    let start = node_lookup::end_id(document, text)?;
    let near = network.neighbours(&NeighbourhoodQuery {
        starts: node_lookup::ends_within(document.knowledge(), &start),
        depth: depth.unwrap_or(2),
        filter: Filter::default(),
        cut: false,
        edges: 0,
        offset: 0,
        limit: MOST_AROUND,
    })?;
    let mut ids: BTreeSet<String> = near
        .reached
        .iter()
        .map(|reached| network.id(reached.vertex).to_owned())
        .collect();
    ids.insert(start);
    Ok(ids)
}

fn draw(
    request: &RenderGraph,
    document: &Document,
    (nodes, edges): (&[NodeRef<'_>], &[EdgeRef<'_>]),
    title: &str,
    watch: &Watch<'_>,
) -> Result<Vec<u8>> {
    let text = |format: Format| {
        let whole = Graph {
            nodes,
            edges,
            schema: document.knowledge().schema(),
            title,
        };
        let mut bytes = Vec::new();
        network::write(format, &whole, &mut bytes)?;
        Ok(bytes)
    };
    let format = match request.format {
        SketchFormat::Mermaid => return text(Format::Mermaid),
        SketchFormat::Dot => return text(Format::Dot),
        format @ (SketchFormat::Png | SketchFormat::Svg | SketchFormat::Html) => format,
    };
    let options = Options {
        size: request.size,
        theme: if request.dark {
            Theme::Dark
        } else {
            Theme::Light
        },
        marks: if request.boxes {
            Marks::Boxes
        } else {
            Marks::Discs
        },
        show_edge_labels: request.edge_labels,
        highlight: request.highlight.clone(),
        title: title.to_owned(),
    };
    let mut subject = Subject::new(nodes, edges)?;
    subject.mark_deleted(|id| node_lookup::is_dangling(document, id).is_some());
    let plan = subject.plan(options.marks);
    let kept: Option<Vec<[f64; 2]>> = plan.start.iter().copied().collect();
    let places = match (request.layout, kept) {
        (None, Some(kept)) if !kept.is_empty() => kept,
        (method, _) => {
            let method = method.unwrap_or_default().method(Flow::default(), None);
            plan.lay_out(&method, watch)?
        }
    };
    if format == SketchFormat::Html {
        return Ok(sketch::page(&subject, &places, &options, watch)?.into_bytes());
    }
    let scene = sketch::draw(&subject, &places, &options, watch)?;
    Ok(match format {
        SketchFormat::Svg => scene.svg().into_bytes(),
        SketchFormat::Png | SketchFormat::Html | SketchFormat::Mermaid | SketchFormat::Dot => {
            scene.png(1, watch)?
        }
    })
}
