//! A scene of a subject: edges below, marks above them, labels on top.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fibula_knowledge::progress::{Progress, Watch};
use fibula_nodes::names::visible;

use super::curves::{self, Way};
use super::frame::{self, Frame, MARGIN};
use super::kinds::{Inks, Kind, kinds};
use super::labels::{Box2, Label, Taken};
use super::letters::{self, LETTER, LINE};
use super::scene::{Group, Scene, Shape, between};
use super::{Marks, Options};
use crate::sketch::error::SketchError;
use crate::sketch::layout::check_places;
use crate::sketch::subject::{Subject, Vertex};

/// Marks and edges that stand back, beside what is to be seen.
const BACK: f64 = 0.62;
/// Edges beyond this number have no texts beside the pointer.
const MOST_TITLES: usize = 10_000;
/// Labels beyond this number are not tried.
const MOST_LABELS: usize = 4_000;
/// So many labels are written even over other marks.
const SURE: usize = 10;
/// The most characters beside the pointer.
const LONGEST: usize = 400;

impl Scene {
    /// Draws a subject whose vertices are at places, whatever those measure: they are brought to the size of the picture.
    /// The same subject is always drawn in the same way. Labels for which there is no room are left out, the least linked
    /// first; every mark has its label in full as a title. `watch` may end it.
    ///
    /// # Errors
    /// [`SketchError`]: the options cannot be, there is not one finite place for each vertex, or `watch` ended it.
    pub fn new(
        subject: &Subject<'_>,
        places: &[[f64; 2]],
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Scene, SketchError> {
        check(subject, places, options)?;
        let chosen = Chosen::new(subject, options)?;
        let progress = Progress::new(4, watch);
        let (kinds, kind_of) = kinds(subject);
        let composer = Composer {
            subject,
            options,
            frame: Frame::new(subject, places, options, &kinds),
            kinds,
            kind_of,
            inks: Inks::of(options.theme),
            chosen,
        };
        progress.add(1);
        let scene = Scene {
            size: composer.frame.size,
            title: heading(subject, options),
            ground: composer.inks.ground,
            groups: composer.groups(&progress),
        };
        Ok(progress.finish(scene)?)
    }
}

/// Refuses what cannot be drawn.
pub(super) fn check(
    subject: &Subject<'_>,
    places: &[[f64; 2]],
    options: &Options,
) -> Result<(), SketchError> {
    let nodes = subject.vertices().len();
    options.check()?;
    if places.len() != nodes {
        let (what, count) = ("places", places.len());
        return Err(SketchError::Length { what, count, nodes });
    }
    check_places(places.iter().copied().enumerate())
}

/// What is written above: the title, or how much there is.
pub(super) fn heading(subject: &Subject<'_>, options: &Options) -> String {
    if options.title.is_empty() {
        let [nodes, edges] = [subject.vertices().len(), subject.edges().len()];
        let plural = |count: usize, noun: &str| {
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        format!("{}, {}", plural(nodes, "node"), plural(edges, "edge"))
    } else {
        letters::shown(&options.title, LONGEST)
    }
}

/// What stands out.
struct Chosen<'a> {
    is_any: bool,
    vertices: Vec<bool>,
    edges: BTreeSet<&'a str>,
}

impl<'a> Chosen<'a> {
    fn new(subject: &Subject<'_>, options: &'a Options) -> Result<Chosen<'a>, SketchError> {
        let mut wanted: BTreeSet<&str> = options.highlight.iter().map(String::as_str).collect();
        let all = wanted.clone();
        let vertices = subject.vertices().iter().map(|vertex| {
            wanted.remove(vertex.id());
            all.contains(vertex.id())
        });
        let vertices = vertices.collect();
        let edges: BTreeSet<&str> = subject
            .edges()
            .filter_map(|(_, edge)| all.get(edge.id()).copied())
            .collect();
        match wanted.difference(&edges).next() {
            Some(id) => Err(SketchError::Unknown(visible(id, 80))),
            None => Ok(Chosen {
                is_any: !all.is_empty(),
                vertices,
                edges,
            }),
        }
    }
}

struct Composer<'a> {
    subject: &'a Subject<'a>,
    options: &'a Options,
    frame: Frame,
    kinds: Vec<Kind>,
    kind_of: Vec<usize>,
    inks: Inks,
    chosen: Chosen<'a>,
}

impl Composer<'_> {
    fn groups(&self, progress: &Progress<'_>) -> Vec<Group> {
        let ends: Vec<[usize; 2]> = self.subject.edges().map(|(ends, _)| ends).collect();
        let ways = curves::ways(&self.frame, &ends, self.options.marks);
        let mut groups = self.edges(&ways);
        progress.add(1);
        let mut order: Vec<usize> = (0..self.kind_of.len()).collect();
        // What stands out is drawn last, and its label first.
        order.sort_by_key(|&vertex| {
            (
                self.chosen.vertices[vertex],
                self.subject.degree(vertex),
                Reverse(vertex),
            )
        });
        let texts = self.texts_in_boxes(&order);
        groups.extend(
            order
                .iter()
                .map(|&vertex| self.mark(vertex, texts[vertex].as_ref())),
        );
        progress.add(1);
        order.reverse();
        if !progress.is_ended() {
            groups.extend(self.labels(&order, &ways));
        }
        groups.extend([self.header(), self.legend()]);
        progress.add(1);
        groups
    }

    fn header(&self) -> Group {
        let widest = f64::from(self.frame.size[0]) - 2.0 * MARGIN;
        let text = letters::fitted(&heading(self.subject, self.options), widest);
        Group {
            title: String::new(),
            shapes: vec![Shape::Text {
                at: [MARGIN, MARGIN - 4.0],
                width: letters::width(&text),
                text,
                bold: true,
                colour: self.inks.ink,
                seam: None,
            }],
        }
    }

    fn legend(&self) -> Group {
        let entries = self.kinds.iter().zip(&self.frame.legend);
        let shapes = entries.flat_map(|(kind, &[x, y])| {
            let [fill, line] = kind.colours(&self.inks);
            let text = frame::entry(kind);
            [
                Shape::Disc {
                    at: [x + 6.0, y + LINE / 2.0],
                    radius: 5.5,
                    fill,
                    line: (line, if kind.is_ring { 2.2 } else { 1.0 }),
                },
                Shape::Text {
                    at: [x + 17.0, y],
                    width: letters::width(&text),
                    text,
                    bold: false,
                    colour: self.inks.pale,
                    seam: None,
                },
            ]
        });
        Group {
            title: String::new(),
            shapes: shapes.collect(),
        }
    }

    /// The edges, those that stand out last.
    fn edges(&self, ways: &[Option<Way>]) -> Vec<Group> {
        let zoom = self.frame.zoom;
        let width = (1.3 * zoom.sqrt()).max(0.65);
        // Many thin lines are as light as few wide ones.
        let thin = between(self.inks.edge, self.inks.ground, 0.3 * (1.0 - zoom));
        let has_titles = ways.len() <= MOST_TITLES;
        let mut groups = [Vec::new(), Vec::new()];
        for (([source, target], edge), way) in self.subject.edges().zip(ways) {
            let Some(way) = way else {
                continue;
            };
            let is_chosen = self.chosen.edges.contains(edge.id())
                || self.chosen.vertices[source] && self.chosen.vertices[target];
            let (colour, width) = match (self.chosen.is_any, is_chosen) {
                (true, true) => (self.inks.accent, width.max(1.0) + 0.6),
                (true, false) => (between(thin, self.inks.ground, BACK * 0.8), width),
                (false, _) => (thin, width),
            };
            let mut shapes = vec![if curves::is_straight(way) {
                let points = vec![way[0], way[3]];
                Shape::Line {
                    points,
                    colour,
                    width,
                }
            } else {
                let points = *way;
                Shape::Curve {
                    points,
                    colour,
                    width,
                }
            }];
            let tip = if zoom >= 0.3 {
                curves::tip(way, 3.0 + 5.0 * zoom)
            } else {
                None
            };
            shapes.extend(tip.map(|points| Shape::Line {
                points,
                colour,
                width,
            }));
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
            groups[usize::from(is_chosen)].push(Group { title, shapes });
        }
        groups.into_iter().flatten().collect()
    }

    fn is_back(&self, vertex: usize) -> bool {
        self.chosen.is_any && !self.chosen.vertices[vertex]
    }

    /// The texts in boxes, as much of each as fits: those of the marks that are drawn last first, and none that meets one of
    /// these or their boxes, as boxes may overlap where there is little room.
    fn texts_in_boxes(&self, order: &[usize]) -> Vec<Option<Label>> {
        let mut texts = vec![None; order.len()];
        if self.options.marks == Marks::Discs {
            return texts;
        }
        let mut taken = Taken::new([[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]]);
        for &vertex in order.iter().rev() {
            let (place, size) = (self.frame.places[vertex], self.frame.marks[vertex]);
            let text = letters::fitted(self.subject.vertices()[vertex].label(), size[0] - 6.0);
            let width = letters::width(&text);
            let is_legible = !text.ends_with('…') || width >= 4.0 * LETTER;
            if size[1] >= LINE && is_legible {
                let at = [place[0] - width / 2.0, place[1] - LINE / 2.0];
                texts[vertex] = taken.put_at(Label { at, text, width });
            }
            let half = size.map(|side| side / 2.0);
            taken.take([-1.0, 1.0].map(|side| [0, 1].map(|axis| place[axis] + side * half[axis])));
        }
        texts
    }

    fn mark(&self, vertex: usize, text: Option<&Label>) -> Group {
        let own = &self.subject.vertices()[vertex];
        let kind = &self.kinds[self.kind_of[vertex]];
        let (place, size) = (self.frame.places[vertex], self.frame.marks[vertex]);
        let back = if self.is_back(vertex) { BACK } else { 0.0 };
        let [fill, line] = kind
            .colours(&self.inks)
            .map(|colour| between(colour, self.inks.ground, back));
        let is_chosen = self.chosen.vertices[vertex];
        let wide = if kind.is_ring { 2.2 } else { 1.0 } * self.frame.zoom.max(0.4);
        let line = if is_chosen {
            (self.inks.accent, 2.5)
        } else {
            (line, wide)
        };
        let shapes = match self.options.marks {
            Marks::Discs => vec![Shape::Disc {
                at: place,
                radius: size[0] / 2.0,
                fill,
                line,
            }],
            Marks::Boxes => self.boxed(text, place, size, line, back, kind),
        };
        let mut title = format!(
            "{}\n{}\n{}",
            letters::shown(own.label(), LONGEST),
            visible(&own.types(), LONGEST),
            own.id()
        );
        if let Vertex::Node(node) = own {
            title = format!("{title}\nby {}", visible(node.creator(), LONGEST));
        }
        Group { title, shapes }
    }

    /// A box, and the text in it.
    fn boxed(
        &self,
        text: Option<&Label>,
        place: [f64; 2],
        size: [f64; 2],
        line: ([u8; 3], f64),
        back: f64,
        kind: &Kind,
    ) -> Vec<Shape> {
        let tint: f64 = if kind.is_ring { 0.94 } else { 0.8 };
        let fill = between(kind.colour, self.inks.ground, tint.max(back));
        let line = if line.0 == self.inks.accent {
            line
        } else {
            (
                between(kind.colour, self.inks.ground, back),
                1.6 * self.frame.zoom.max(0.5),
            )
        };
        let mut shapes = vec![Shape::Plate {
            at: [0, 1].map(|axis| place[axis] - size[axis] / 2.0),
            size,
            radius: 6.0 * self.frame.zoom,
            fill,
            line,
        }];
        shapes.extend(text.map(|label| Shape::Text {
            at: label.at,
            text: label.text.clone(),
            width: label.width,
            bold: false,
            colour: between(self.inks.ink, self.inks.ground, back),
            seam: None,
        }));
        shapes
    }

    /// The labels of marks, in order, then those of edges.
    fn labels(&self, order: &[usize], ways: &[Option<Way>]) -> Vec<Group> {
        let mut taken = Taken::new(self.frame.inside);
        let mark = |vertex: usize| -> Box2 {
            let (place, size) = (self.frame.places[vertex], self.frame.marks[vertex]);
            [-0.5, 0.5].map(|side| [0, 1].map(|axis| place[axis] + size[axis] * side))
        };
        let mut groups = Vec::new();
        let mut written = vec![false; order.len()];
        if self.options.marks == Marks::Discs {
            // Where there is a crowd, the best known are written over others, since they would find no room.
            if self.frame.zoom < 0.6 {
                for &vertex in order
                    .iter()
                    .take(SURE)
                    .filter(|&&vertex| self.subject.degree(vertex) > 2)
                {
                    taken.take(mark(vertex));
                }
                for &vertex in order
                    .iter()
                    .take(SURE)
                    .filter(|&&vertex| self.subject.degree(vertex) > 2)
                {
                    if let Some(label) = self.beside(&mut taken, vertex) {
                        groups.push(self.text(label, vertex, true));
                        written[vertex] = true;
                    }
                }
            }
            (0..order.len()).for_each(|vertex| taken.take(mark(vertex)));
            for &vertex in order
                .iter()
                .take(MOST_LABELS)
                .filter(|&&vertex| !written[vertex])
            {
                if let Some(label) = self.beside(&mut taken, vertex) {
                    groups.push(self.text(label, vertex, false));
                }
            }
        } else {
            (0..order.len()).for_each(|vertex| taken.take(mark(vertex)));
        }
        if self.options.show_edge_labels {
            groups.extend(self.edge_labels(&mut taken, ways));
        }
        groups
    }

    fn beside(&self, taken: &mut Taken, vertex: usize) -> Option<Label> {
        let label = self.subject.vertices()[vertex].label();
        taken.put_beside(label, self.frame.places[vertex], self.frame.marks[vertex])
    }

    fn text(&self, label: Label, vertex: usize, is_sure: bool) -> Group {
        let back = if self.is_back(vertex) {
            BACK * 0.7
        } else {
            0.0
        };
        Group {
            title: String::new(),
            shapes: vec![Shape::Text {
                at: label.at,
                text: label.text,
                width: label.width,
                bold: is_sure || self.chosen.vertices[vertex],
                colour: between(self.inks.ink, self.inks.ground, back),
                seam: Some(self.inks.ground),
            }],
        }
    }

    fn edge_labels(&self, taken: &mut Taken, ways: &[Option<Way>]) -> Vec<Group> {
        let edges = self.subject.edges().zip(ways).take(MOST_LABELS);
        let found = edges.filter_map(|(([source, target], edge), way)| {
            let way = way.as_ref()?;
            let far = (way[3][0] - way[0][0]).hypot(way[3][1] - way[0][1]);
            let widest = if edge.is_loop() { f64::INFINITY } else { far };
            let points = [0.5, 0.4, 0.6, 0.3, 0.7].map(|at| curves::point(way, at));
            let label = taken.put_on(edge.label().unwrap_or(edge.ty()), &points, widest)?;
            let is_back = self.is_back(source) || self.is_back(target);
            let back = if is_back && !self.chosen.edges.contains(edge.id()) {
                BACK
            } else {
                0.0
            };
            Some(Group {
                title: String::new(),
                shapes: vec![Shape::Text {
                    at: label.at,
                    text: label.text,
                    width: label.width,
                    bold: false,
                    colour: between(self.inks.pale, self.inks.ground, back),
                    seam: Some(self.inks.ground),
                }],
            })
        });
        found.collect()
    }
}
