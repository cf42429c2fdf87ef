//! Composition of a scene: edges below, marks above them, labels on top.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fibula_knowledge::progress::{Progress, Watch};
use fibula_nodes::names::visible;

use super::curves;
use super::frame::{self, Frame, MARGIN};
use super::labels::{Box2, Label, Obstacles, OccupancyGrid};
use super::palette::{Palette, TypeColour, assign_colours};
use super::{Marks, Options};
use crate::scene::bezier::{self, Cubic};
use crate::scene::text::{self, LETTER};
use crate::scene::{Colour, Group, LINE, Scene, Segment, Shape, Stroke, SvgSpelling, blend};
use crate::sketch::error::SketchError;
use crate::sketch::layout::check_positions;
use crate::sketch::subject::{Subject, Vertex};

/// Share of the background in the colours of marks and edges that are not highlighted, if others are.
const FADE: f64 = 0.62;
/// Maximum number of edges with tooltips.
const MAX_TITLED_EDGES: usize = 10_000;
/// Maximum number of vertices, and of edges, whose labels are tried.
const MAX_LABELS: usize = 4_000;
/// Number of labels that are placed before the other marks are occupied.
const PRIORITY_LABELS: usize = 10;
/// Maximum number of vertices, and of edges, for which edges go around marks and labels.
const MAX_DETOURS: usize = 2_000;
/// Maximum number of characters of a part of a tooltip.
const MAX_TOOLTIP_CHARS: usize = 400;

/// Draws a subject with a position of each vertex; positions are scaled to the size of the picture. The same subject always
/// yields the same scene. Labels without room are left out, those of the least linked vertices first; the tooltip of a mark
/// has its label in full. `watch` may cancel it.
///
/// # Errors
/// [`SketchError`]: an option is out of range, there is not one finite position for each vertex, or `watch` cancelled it.
pub fn draw(
    subject: &Subject<'_>,
    positions: &[[f64; 2]],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Scene, SketchError> {
    check(subject, positions, options)?;
    let highlights = Highlights::new(subject, options)?;
    let progress = Progress::new(4, watch);
    let (kinds, kind_of) = assign_colours(subject);
    let composer = Composer {
        subject,
        options,
        frame: Frame::new(subject, positions, options, &kinds),
        kinds,
        kind_of,
        palette: Palette::new(options.theme),
        highlights,
    };
    progress.add(1);
    let scene = Scene {
        size: composer.frame.size,
        title: heading(subject, options),
        background: composer.palette.background,
        groups: composer.groups(&progress),
        spelling: SvgSpelling::LinePerGroup,
    };
    Ok(progress.finish(scene)?)
}

/// Checks positions and options.
pub(super) fn check(
    subject: &Subject<'_>,
    positions: &[[f64; 2]],
    options: &Options,
) -> Result<(), SketchError> {
    let nodes = subject.vertices().len();
    options.check()?;
    if positions.len() != nodes {
        let (what, count) = ("places", positions.len());
        return Err(SketchError::Length { what, count, nodes });
    }
    check_positions(positions.iter().copied().enumerate())
}

/// Heading of a picture: the title, or the numbers of nodes and edges.
pub(super) fn heading(subject: &Subject<'_>, options: &Options) -> String {
    if options.title.is_empty() {
        let [nodes, edges] = [subject.vertices().len(), subject.edges().len()];
        let plural = |count: usize, noun: &str| {
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        format!("{}, {}", plural(nodes, "node"), plural(edges, "edge"))
    } else {
        text::tooltip(&options.title, MAX_TOOLTIP_CHARS)
    }
}

/// Vertices and edges that are highlighted.
struct Highlights<'a> {
    exist: bool,
    vertices: Vec<bool>,
    edges: BTreeSet<&'a str>,
}

impl<'a> Highlights<'a> {
    fn new(subject: &Subject<'_>, options: &'a Options) -> Result<Highlights<'a>, SketchError> {
        let mut unknown: BTreeSet<&str> = options.highlight.iter().map(String::as_str).collect();
        let all = unknown.clone();
        let vertices = subject.vertices().iter().map(|vertex| {
            unknown.remove(vertex.id());
            all.contains(vertex.id())
        });
        let vertices = vertices.collect();
        let edges: BTreeSet<&str> = subject
            .edges()
            .filter_map(|(_, edge)| all.get(edge.id()).copied())
            .collect();
        match unknown.difference(&edges).next() {
            Some(id) => Err(SketchError::Unknown(visible(id, 80))),
            None => Ok(Highlights {
                exist: !all.is_empty(),
                vertices,
                edges,
            }),
        }
    }
}

/// The label of a mark, at its place.
struct MarkLabel {
    vertex: usize,
    label: Label,
    /// True if other marks may be below it.
    covers_marks: bool,
}

struct Composer<'a> {
    subject: &'a Subject<'a>,
    options: &'a Options,
    frame: Frame,
    kinds: Vec<TypeColour>,
    kind_of: Vec<usize>,
    palette: Palette,
    highlights: Highlights<'a>,
}

impl Composer<'_> {
    fn groups(&self, progress: &Progress<'_>) -> Vec<Group> {
        let mut order: Vec<usize> = (0..self.kind_of.len()).collect();
        // Highlighted marks are drawn last, and labelled first.
        order.sort_by_key(|&vertex| {
            (
                self.highlights.vertices[vertex],
                self.subject.degree(vertex),
                Reverse(vertex),
            )
        });
        let texts = self.texts_in_boxes(&order);
        let ends: Vec<[usize; 2]> = self.subject.edges().map(|(ends, _)| ends).collect();
        let marks = self.options.marks;
        let mut occupied = OccupancyGrid::new(self.frame.inside);
        // Among more, no detour would be seen.
        let has_detours = ends.len() <= MAX_DETOURS && order.len() <= MAX_DETOURS;
        if has_detours {
            let direct = curves::route(&self.frame, &ends, marks, None, progress);
            direct
                .iter()
                .flatten()
                .for_each(|curve| occupied.avoid(curve));
        }
        let first: Vec<usize> = order.iter().rev().copied().collect();
        let labels = self.labels(&first, &texts, &mut occupied);
        progress.add(1);
        let obstacles = has_detours.then(|| self.obstacles(&labels));
        let curves = curves::route(&self.frame, &ends, marks, obstacles.as_ref(), progress);
        let mut groups = self.edges(&curves);
        groups.extend(
            order
                .iter()
                .map(|&vertex| self.mark(vertex, texts[vertex].as_ref())),
        );
        progress.add(1);
        groups.extend(labels.into_iter().map(|own| self.label(own)));
        if self.options.show_edge_labels && !progress.is_ended() {
            groups.extend(self.edge_labels(&mut occupied, &curves));
        }
        groups.extend([self.header(), self.legend()]);
        progress.add(1);
        groups
    }

    /// What edges go around: the marks of all vertices, and labels.
    fn obstacles(&self, labels: &[MarkLabel]) -> Obstacles {
        let mut obstacles = Obstacles::new(self.frame.inside);
        for vertex in 0..self.kind_of.len() {
            obstacles.add(vertex, self.mark_box(vertex));
        }
        for own in labels {
            obstacles.add(own.vertex, own.label.bounds());
        }
        obstacles
    }

    fn header(&self) -> Group {
        let max_width = f64::from(self.frame.size[0]) - 2.0 * MARGIN;
        let text = text::first_line(&heading(self.subject, self.options), max_width);
        let at = [MARGIN, MARGIN - 4.0];
        Group::untitled(vec![Shape::text(at, text, true, self.palette.ink)])
    }

    fn legend(&self) -> Group {
        let entries = self.kinds.iter().zip(&self.frame.legend);
        let shapes = entries.flat_map(|(kind, &[x, y])| {
            let [fill, colour] = kind.colours(&self.palette);
            let width = if kind.is_ring { 2.2 } else { 1.0 };
            [
                Shape::Disc {
                    at: [x + 6.0, y + LINE / 2.0],
                    radius: 5.5,
                    fill,
                    outline: Stroke { colour, width },
                },
                Shape::text(
                    [x + 17.0, y],
                    frame::entry(kind),
                    false,
                    self.palette.secondary,
                ),
            ]
        });
        Group::untitled(shapes.collect())
    }

    /// Edges, the highlighted ones last.
    fn edges(&self, curves: &[Option<Cubic>]) -> Vec<Group> {
        let (zoom, background) = (self.frame.zoom, self.palette.background);
        let width = (1.3 * zoom.sqrt()).max(0.65);
        // Many thin lines are as light as few wide ones.
        let thin = blend(self.palette.edge, background, 0.3 * (1.0 - zoom));
        let has_titles = curves.len() <= MAX_TITLED_EDGES;
        let mut groups = [Vec::new(), Vec::new()];
        for (([source, target], edge), curve) in self.subject.edges().zip(curves) {
            let Some(curve) = curve else {
                continue;
            };
            let is_highlighted = self.highlights.edges.contains(edge.id())
                || self.highlights.vertices[source] && self.highlights.vertices[target];
            let (colour, width) = match (self.highlights.exist, is_highlighted) {
                (true, true) => (self.palette.accent, width.max(1.0) + 0.6),
                (true, false) => (blend(thin, background, FADE * 0.8), width),
                (false, _) => (thin, width),
            };
            let stroke = Stroke { colour, width };
            let [start, first, second, end] = *curve;
            let segment = if curves::is_straight(curve) {
                Segment::Line(end)
            } else {
                Segment::Curve([first, second, end])
            };
            let mut shapes = vec![Shape::Path {
                start,
                segments: vec![segment],
                stroke,
            }];
            if zoom >= 0.3 {
                let arrowhead = curves::arrowhead(curve, 3.0 + 5.0 * zoom);
                shapes.extend(arrowhead.map(|points| Shape::polyline(&points, stroke)));
            }
            let title = if has_titles {
                let [source, target] =
                    [source, target].map(|end| visible(self.subject.vertices()[end].label(), 80));
                let label = edge
                    .label()
                    .map_or_else(String::new, |label| format!(": {}", visible(label, 200)));
                format!(
                    "{source} \u{2192} {target}\n{}{label}",
                    visible(edge.ty(), 200)
                )
            } else {
                String::new()
            };
            groups[usize::from(is_highlighted)].push(Group { title, shapes });
        }
        groups.into_iter().flatten().collect()
    }

    /// Fades a colour, if vertices or edges are highlighted and this one is not.
    fn faded(&self, colour: Colour, is_highlighted: bool, share: f64) -> Colour {
        let share = if self.highlights.exist && !is_highlighted {
            share
        } else {
            0.0
        };
        blend(colour, self.palette.background, share)
    }

    /// Texts in boxes, truncated to them. The marks that are drawn last come first, and no text meets an earlier one or its box,
    /// as boxes may overlap where there is little room.
    fn texts_in_boxes(&self, order: &[usize]) -> Vec<Option<Label>> {
        let mut texts = vec![None; order.len()];
        if self.options.marks == Marks::Discs {
            return texts;
        }
        let mut occupied = OccupancyGrid::new([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]);
        for &vertex in order.iter().rev() {
            let (position, size) = (self.frame.positions[vertex], self.frame.marks[vertex]);
            let text = text::first_line(self.subject.vertices()[vertex].label(), size[0] - 6.0);
            let width = text::width(&text);
            let is_legible = !text.ends_with('…') || width >= 4.0 * LETTER;
            if size[1] >= LINE && is_legible {
                let at = [position[0] - width / 2.0, position[1] - LINE / 2.0];
                texts[vertex] = occupied.place_at(Label { at, text, width });
            }
            occupied.occupy(self.mark_box(vertex));
        }
        texts
    }

    /// Bounding box of a mark.
    fn mark_box(&self, vertex: usize) -> Box2 {
        let (position, size) = (self.frame.positions[vertex], self.frame.marks[vertex]);
        [-0.5, 0.5].map(|side| [0, 1].map(|axis| position[axis] + size[axis] * side))
    }

    fn mark(&self, vertex: usize, text: Option<&Label>) -> Group {
        let own = &self.subject.vertices()[vertex];
        let kind = &self.kinds[self.kind_of[vertex]];
        let size = self.frame.marks[vertex];
        let is_highlighted = self.highlights.vertices[vertex];
        let shapes = match self.options.marks {
            Marks::Discs => {
                let colours = kind.colours(&self.palette);
                let [fill, colour] = colours.map(|own| self.faded(own, is_highlighted, FADE));
                let width = if kind.is_ring { 2.2 } else { 1.0 } * self.frame.zoom.max(0.4);
                vec![Shape::Disc {
                    at: self.frame.positions[vertex],
                    radius: size[0] / 2.0,
                    fill,
                    outline: self.outline(is_highlighted, Stroke { colour, width }),
                }]
            }
            Marks::Boxes => self.labelled_box(vertex, text, kind),
        };
        let mut title = format!(
            "{}\n{}\n{}",
            text::tooltip(own.label(), MAX_TOOLTIP_CHARS),
            visible(&own.types(), MAX_TOOLTIP_CHARS),
            own.id()
        );
        if let Vertex::Node(node) = own {
            let creator = visible(node.creator(), MAX_TOOLTIP_CHARS);
            title = format!("{title}\nby {creator}");
        }
        Group { title, shapes }
    }

    /// Outline of a mark: the given one, unless the mark is highlighted.
    fn outline(&self, is_highlighted: bool, usual: Stroke) -> Stroke {
        if is_highlighted {
            Stroke {
                colour: self.palette.accent,
                width: 2.5,
            }
        } else {
            usual
        }
    }

    /// A box, and the text in it.
    fn labelled_box(&self, vertex: usize, text: Option<&Label>, kind: &TypeColour) -> Vec<Shape> {
        let size = self.frame.marks[vertex];
        let is_highlighted = self.highlights.vertices[vertex];
        let fade = if self.highlights.exist && !is_highlighted {
            FADE
        } else {
            0.0
        };
        let tint: f64 = if kind.is_ring { 0.94 } else { 0.8 };
        let usual = Stroke {
            colour: blend(kind.colour, self.palette.background, fade),
            width: 1.6 * self.frame.zoom.max(0.5),
        };
        let mut shapes = vec![Shape::Plate {
            at: self.mark_box(vertex)[0],
            size,
            radius: 6.0 * self.frame.zoom,
            fill: blend(kind.colour, self.palette.background, tint.max(fade)),
            outline: self.outline(is_highlighted, usual),
        }];
        let colour = blend(self.palette.ink, self.palette.background, fade);
        shapes.extend(text.map(|label| label.clone().shape(false, colour, None)));
        shapes
    }

    /// Places the labels of marks, in order.
    fn labels(
        &self,
        order: &[usize],
        texts: &[Option<Label>],
        occupied: &mut OccupancyGrid,
    ) -> Vec<MarkLabel> {
        let mut labels = Vec::new();
        let mut is_labelled: Vec<bool> = texts.iter().map(Option::is_some).collect();
        let is_disc = self.options.marks == Marks::Discs;
        let hub = self.hub().filter(|&hub| !is_labelled[hub]);
        if let Some(own) = hub.and_then(|hub| self.hub_label(hub, occupied)) {
            is_labelled[own.vertex] = true;
            occupied.occupy(own.label.bounds());
            labels.push(own);
        }
        // In a crowd the labels of the best linked vertices cover other marks, since they would find no room.
        if is_disc && self.frame.zoom < 0.6 {
            let first = order.iter().take(PRIORITY_LABELS).copied();
            let first =
                first.filter(|&vertex| self.subject.degree(vertex) > 2 && !is_labelled[vertex]);
            let first: Vec<usize> = first.collect();
            for &vertex in &first {
                occupied.occupy(self.mark_box(vertex));
            }
            for vertex in first {
                let label = self.place_beside(occupied, vertex, true);
                is_labelled[vertex] = label.is_some();
                labels.extend(label);
            }
        }
        self.occupy_marks(occupied);
        if is_disc {
            let others = order.iter().take(MAX_LABELS);
            for &vertex in others.filter(|&&vertex| !is_labelled[vertex]) {
                labels.extend(self.place_beside(occupied, vertex, false));
            }
        }
        labels
    }

    fn occupy_marks(&self, occupied: &mut OccupancyGrid) {
        (0..self.kind_of.len()).for_each(|vertex| occupied.occupy(self.mark_box(vertex)));
    }

    /// The vertex with the most edges, if it has more than two.
    fn hub(&self) -> Option<usize> {
        let vertices = 0..self.kind_of.len();
        let hub = vertices.max_by_key(|&vertex| (self.subject.degree(vertex), Reverse(vertex)));
        hub.filter(|&hub| self.subject.degree(hub) > 2)
    }

    /// The label of the hub in an empty grid. It covers other marks rather than being left out.
    fn hub_label(&self, hub: usize, empty: &OccupancyGrid) -> Option<MarkLabel> {
        let mut beside_marks = empty.clone();
        self.occupy_marks(&mut beside_marks);
        if self.options.marks == Marks::Discs
            && let Some(label) = self.place_beside(&mut beside_marks, hub, false)
        {
            return Some(label);
        }
        let mut beside_it = empty.clone();
        beside_it.occupy(self.mark_box(hub));
        self.place_beside(&mut beside_it, hub, true).or_else(|| {
            let text = self.subject.vertices()[hub].label();
            let label = beside_it.place_over(text, self.frame.positions[hub])?;
            Some(MarkLabel {
                vertex: hub,
                label,
                covers_marks: true,
            })
        })
    }

    /// Places the label of a mark beside it.
    fn place_beside(
        &self,
        occupied: &mut OccupancyGrid,
        vertex: usize,
        covers_marks: bool,
    ) -> Option<MarkLabel> {
        let (position, size) = (self.frame.positions[vertex], self.frame.marks[vertex]);
        let text = self.subject.vertices()[vertex].label();
        let label = occupied.place_beside(text, position, size)?;
        Some(MarkLabel {
            vertex,
            label,
            covers_marks,
        })
    }

    /// The label of a mark.
    fn label(&self, own: MarkLabel) -> Group {
        let is_highlighted = self.highlights.vertices[own.vertex];
        let colour = self.faded(self.palette.ink, is_highlighted, FADE * 0.7);
        let bold = own.covers_marks || is_highlighted;
        let halo = Some(self.palette.background);
        Group::untitled(vec![own.label.shape(bold, colour, halo)])
    }

    fn edge_labels(&self, occupied: &mut OccupancyGrid, curves: &[Option<Cubic>]) -> Vec<Group> {
        let edges = self.subject.edges().zip(curves).take(MAX_LABELS);
        let found = edges.filter_map(|((ends, edge), curve)| {
            let curve = curve.as_ref()?;
            let length = (curve[3][0] - curve[0][0]).hypot(curve[3][1] - curve[0][1]);
            let max_width = if edge.is_loop() {
                f64::INFINITY
            } else {
                length
            };
            let points = [0.5, 0.4, 0.6, 0.3, 0.7].map(|at| bezier::point(curve, at));
            let label = occupied.place_on(edge.label().unwrap_or(edge.ty()), &points, max_width)?;
            let is_highlighted = ends.iter().all(|&end| self.highlights.vertices[end])
                || self.highlights.edges.contains(edge.id());
            let colour = self.faded(self.palette.secondary, is_highlighted, FADE);
            let halo = Some(self.palette.background);
            Some(Group::untitled(vec![label.shape(false, colour, halo)]))
        });
        found.collect()
    }
}
