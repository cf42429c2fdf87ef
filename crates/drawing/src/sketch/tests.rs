//! Snapshots of pictures, laws over random graphs, and hostile texts.

use std::ops::ControlFlow;

use fibula_knowledge::{Edge, Knowledge, Node};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::*;
use crate::scene::{LINE, RasterError, Scene, Segment, Shape};

pub(super) fn node(id: &str, label: &str, ty: &str, order: u64) -> Node {
    Node {
        id: id.to_owned(),
        label: label.to_owned(),
        types: vec![ty.to_owned()],
        data: Map::new(),
        observations: Vec::new(),
        position: None,
        creator: "ann".to_owned(),
        created: 1,
        modified: 1,
        version: 1,
        order,
    }
}

pub(super) fn edge(id: usize, source: &str, target: &str, ty: &str) -> Edge {
    Edge {
        id: format!("e{id}"),
        source: source.to_owned(),
        target: target.to_owned(),
        ty: ty.to_owned(),
        label: None,
        data: Map::new(),
        weight: None,
        valid_from: None,
        valid_to: None,
        creator: "ann".to_owned(),
        created: 1,
        modified: 1,
        order: id as u64,
    }
}

/// Genes and diseases, with a loop, two edges between the same nodes, and a function.
fn genes() -> Knowledge {
    let mut graph = Knowledge::default();
    let nodes = [
        ("g1", "TP53", "Gene"),
        ("g2", "TCF7L2", "gene"),
        ("d1", "Type 2 Diabetes", "Disease"),
        ("d2", "Li-Fraumeni syndrome", "Disease"),
        ("p1", "", "Paper"),
    ];
    for ((id, label, ty), order) in nodes.into_iter().zip(0..) {
        graph.put_node(node(id, label, ty, order));
    }
    let edges = [
        ("g2", "d1", "raises risk of"),
        ("g1", "d2", "causes"),
        ("d2", "g1", "is tested by"),
        ("g1", "g1", "regulates"),
        ("p1", "g1", "cites"),
        ("p1", "fn:3/7", "constrains"),
    ];
    for (id, (source, target, ty)) in edges.into_iter().enumerate() {
        graph.put_edge(edge(id, source, target, ty));
    }
    graph
}

pub(super) fn seen(graph: &Knowledge) -> Subject<'_> {
    Subject::new(&graph.sorted_nodes(), &graph.sorted_edges()).unwrap()
}

fn go_on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(super) fn scene(subject: &Subject<'_>, method: Method, options: &Options) -> Scene {
    let positions = subject
        .plan(options.marks)
        .lay_out(&method, &go_on)
        .unwrap();
    draw(subject, &positions, options, &go_on).unwrap()
}

#[test]
fn a_picture_of_genes() {
    let graph = genes();
    let options = Options {
        size: Some([640, 400]),
        show_edge_labels: true,
        ..Options::default()
    };
    insta::assert_snapshot!("discs", scene(&seen(&graph), Method::Grid, &options).svg());
    let options = Options {
        theme: Theme::Dark,
        marks: Marks::Boxes,
        highlight: vec!["g1".to_owned(), "e0".to_owned()],
        title: "Genes & diseases".to_owned(),
        ..options
    };
    let layered = Method::Layered(Flow::Right);
    insta::assert_snapshot!("boxes", scene(&seen(&graph), layered, &options).svg());
}

#[test]
fn a_subject_has_functions_and_only_edges_between_its_vertices() {
    let graph = genes();
    let mut nodes = graph.sorted_nodes();
    nodes.retain(|node| node.id() != "d2");
    let twice = [&nodes[..], &nodes[..1]].concat();
    let subject = Subject::new(&twice, &graph.sorted_edges()).unwrap();
    let ids: Vec<&str> = subject.vertices().iter().map(Vertex::id).collect();
    assert_eq!(ids, ["g1", "g2", "d1", "p1", "fn:3/7"]);
    let ends: Vec<[usize; 2]> = subject.edges().map(|(ends, _)| ends).collect();
    assert_eq!(ends, [[1, 2], [0, 0], [3, 0], [3, 4]]);
    assert_eq!(subject.plan(Marks::Discs).groups, [2, 2, 0, 3, 1]);
    assert_eq!(subject.vertices()[3].label(), "p1");
}

/// Bounding boxes of marks or texts.
pub(super) fn boxes(scene: &Scene, are_texts: bool) -> Vec<[[f64; 2]; 2]> {
    let shapes = scene.groups.iter().flat_map(|group| &group.shapes);
    let boxes = shapes.filter_map(|shape| match shape {
        Shape::Disc { at, radius, .. } if !are_texts => {
            Some([at.map(|part| part - radius), at.map(|part| part + radius)])
        }
        Shape::Plate { at, size, .. } if !are_texts => {
            Some([*at, [at[0] + size[0], at[1] + size[1]]])
        }
        Shape::Text { at, width, .. } if are_texts => Some([*at, [at[0] + width, at[1] + LINE]]),
        Shape::Disc { .. }
        | Shape::Plate { .. }
        | Shape::Panel { .. }
        | Shape::Path { .. }
        | Shape::Text { .. } => None,
    });
    boxes.collect()
}

pub(super) fn check(scene: &Scene) {
    let size = scene.size.map(f64::from);
    let texts = boxes(scene, true);
    for own in texts.iter().chain(&boxes(scene, false)) {
        let is_inside = (0..2).all(|axis| own[0][axis] >= -0.5 && own[1][axis] <= size[axis] + 0.5);
        assert!(is_inside, "{own:?} in {size:?}");
    }
    for (number, one) in texts.iter().enumerate() {
        for other in &texts[number + 1..] {
            let meets = (0..2).all(|axis| {
                one[0][axis] + 0.01 < other[1][axis] && other[0][axis] + 0.01 < one[1][axis]
            });
            assert!(!meets, "{one:?} {other:?}");
        }
    }
    for shape in scene.groups.iter().flat_map(|group| &group.shapes) {
        let is_finite = match shape {
            Shape::Path {
                start, segments, ..
            } => {
                let points = segments.iter().flat_map(|segment| match *segment {
                    Segment::Level(end) | Segment::Line(end) => vec![end],
                    Segment::Curve(points) => points.to_vec(),
                });
                let mut points = points.chain([*start]);
                points.all(|point| point.iter().all(|part| part.is_finite()))
            }
            Shape::Disc { .. } | Shape::Plate { .. } | Shape::Panel { .. } | Shape::Text { .. } => {
                true
            }
        };
        assert!(is_finite, "{shape:?}");
    }
}

const LABELS: [&str; 8] = [
    "TP53",
    "</script><script>alert(1)</script>",
    "]]> --> <!-- \"quoted\" 'too' & so on",
    "controls \u{202e}\t and\nlines",
    "論文：遺伝子 🧬 метформин",
    "",
    "@DATA@ @TITLE@ \\u003c \\",
    "a label that is far too long to be written anywhere in a picture, however large that picture may be made",
];

fn knowledge() -> impl Strategy<Value = Knowledge> {
    let nodes = prop::collection::vec((0..LABELS.len(), 0..20_u8), 0..40);
    let edges = prop::collection::vec((0..44_usize, 0..44_usize, 0..LABELS.len()), 0..80);
    (nodes, edges).prop_map(|(nodes, edges)| {
        let mut graph = Knowledge::default();
        let count = nodes.len();
        for (number, (label, ty)) in nodes.into_iter().enumerate() {
            graph.put_node(node(
                &format!("n{number}"),
                LABELS[label],
                &format!("Type {ty}"),
                number as u64,
            ));
        }
        let end = |number: usize| match number {
            0..40 if count > 0 => format!("n{}", number % count),
            _ => format!("fn:{number}"),
        };
        for (id, (source, target, label)) in edges.into_iter().enumerate() {
            let label = (!LABELS[label].is_empty()).then(|| LABELS[label].to_owned());
            let made = edge(id, &end(source), &end(target), "related to");
            graph.put_edge(Edge { label, ..made });
        }
        graph
    })
}

/// Most boxes have room, and two of them overlap.
#[test]
fn texts_of_boxes_that_overlap_do_not_meet() {
    let mut graph = Knowledge::default();
    for number in 0..50 {
        graph.put_node(node(&format!("n{number}"), "long", "Gene", number));
    }
    let mut positions: Vec<[f64; 2]> = (0..50)
        .map(|number| [f64::from(number % 7), f64::from(number / 7)])
        .collect();
    positions[8] = [0.95, 0.0];
    let options = Options {
        size: Some([1200, 800]),
        marks: Marks::Boxes,
        ..Options::default()
    };
    let drawn = draw(&seen(&graph), &positions, &options, &go_on).unwrap();
    check(&drawn);
    let shapes = drawn.groups.iter().flat_map(|group| &group.shapes);
    let texts = shapes.filter(|shape| matches!(shape, Shape::Text { text, .. } if text == "long"));
    assert_eq!(texts.count(), 49);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn everything_is_inside_and_no_texts_meet(graph in knowledge(), is_boxed in any::<bool>(), side in 200..900_u32) {
        let subject = seen(&graph);
        let options = Options {
            size: (side % 3 > 0).then_some([side, 1_000 - side]).filter(|size| size[1] >= 200),
            marks: if is_boxed { Marks::Boxes } else { Marks::Discs },
            show_edge_labels: true,
            ..Options::default()
        };
        for method in [Method::Force(Force { rounds: Some(20), ..Force::default() }), Method::Layered(Flow::Down)] {
            let drawn = scene(&subject, method, &options);
            check(&drawn);
            prop_assert_eq!(&drawn, &scene(&subject, method, &options));
            well_formed(&drawn.svg());
            let positions = vec![[0.5, -3.0]; subject.vertices().len()];
            harmless(&page(&subject, &positions, &options, &go_on).unwrap(), &subject);
        }
    }

    #[test]
    fn any_finite_places_are_drawn(positions in prop::collection::vec([-1e308..1e308, -1e-300..1e-300], 6)) {
        let graph = genes();
        check(&draw(&seen(&graph), &positions, &Options::default(), &go_on).unwrap());
    }
}

/// Reads an SVG as XML; nothing in it is a script, a link or style of others.
fn well_formed(svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    let known = ["svg", "title", "rect", "g", "circle", "path", "text"];
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                assert!(known.contains(&name.as_str()), "{name}");
                for attribute in tag.attributes() {
                    let key = attribute.unwrap().key.as_ref().to_owned();
                    assert!(!key.starts_with("on") && !key.ends_with("href") && key != "style");
                }
            }
            quick_xml::events::Event::Eof => break,
            _ => (),
        }
    }
}

/// The scripts of a page are its own, and its data are those of the subject.
fn harmless(page: &str, subject: &Subject<'_>) {
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--") && !page.contains("http://") && !page.contains("https://"));
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Json = serde_json::from_str(data).unwrap();
    let nodes = data["nodes"].as_array().unwrap();
    let ids: Vec<&str> = nodes.iter().map(|node| node[0].as_str().unwrap()).collect();
    let vertices: Vec<_> = subject.vertices().iter().map(Vertex::id).collect();
    assert_eq!(ids, vertices);
    let edges = data["edges"].as_array().unwrap();
    assert_eq!(edges.len(), subject.edges().len());
}

#[test]
fn texts_are_escaped() {
    let mut graph = Knowledge::default();
    for (number, label) in LABELS.iter().enumerate() {
        let mut node = node(
            &format!("<b>{number}"),
            label,
            "</title><script>",
            number as u64,
        );
        node.data
            .insert("</script>".to_owned(), json!("<!-- <script>"));
        node.creator = "\"><img src=x onerror=alert(1)>".to_owned();
        graph.put_node(node);
        let target = format!("<b>{}", number / 2);
        graph.put_edge(edge(
            number,
            &format!("<b>{number}"),
            &target,
            "<script>\"&",
        ));
    }
    let subject = seen(&graph);
    let options = Options {
        show_edge_labels: true,
        title: "</title><script>alert('@DATA@')</script>".to_owned(),
        ..Options::default()
    };
    let positions = subject
        .plan(options.marks)
        .lay_out(&Method::default(), &go_on)
        .unwrap();
    let svg = draw(&subject, &positions, &options, &go_on).unwrap().svg();
    well_formed(&svg);
    assert!(!svg.contains("<script") && !svg.contains("<img") && svg.contains("&lt;script&gt;"));
    assert!(!svg.contains('\u{202e}'));
    let html = page(&subject, &positions, &options, &go_on).unwrap();
    harmless(&html, &subject);
    assert!(html.contains("<title>&lt;/title&gt;&lt;script&gt;"));
    assert!(include_str!("picture/page.html").len() <= 64 << 10);
    let own = include_str!("picture/page.html");
    assert!(
        ![
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval("
        ]
        .iter()
        .any(|word| own.contains(word))
    );
}

#[test]
fn an_image_shows_what_the_scene_has() {
    let graph = genes();
    let subject = seen(&graph);
    for theme in [Theme::Light, Theme::Dark] {
        let options = Options {
            size: Some([400, 300]),
            theme,
            ..Options::default()
        };
        let drawn = scene(&subject, Method::default(), &options);
        for scale in [1, 2] {
            let image = drawn.image(scale, &go_on).unwrap();
            let size = [400, 300].map(|side| side * scale as usize);
            assert_eq!([image.width(), image.height()], size);
            let marks = drawn
                .groups
                .iter()
                .filter(|group| group.title.contains("by ann"));
            let mut count = 0;
            for shape in marks.flat_map(|group| &group.shapes) {
                let Shape::Disc { at, fill, .. } = shape else {
                    panic!("marks are discs")
                };
                let [x, y] = at.map(|part| (part * f64::from(scale)) as usize);
                assert_eq!(image.at(x, y), *fill);
                count += 1;
            }
            assert_eq!(count, 5);
            let background = image
                .pixels()
                .iter()
                .filter(|&&pixel| pixel == drawn.background)
                .count();
            let all = image.pixels().len();
            assert!(background > all * 3 / 5, "{background} of {all}");
            assert!(background < all * 97 / 100, "{background} of {all}");
        }
        assert!(drawn.png(1, &go_on).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn highlighted_labels_are_bold() {
    let graph = genes();
    let subject = seen(&graph);
    let options = Options {
        highlight: vec!["d1".to_owned()],
        ..Options::default()
    };
    let drawn = scene(&subject, Method::default(), &options);
    let bold: Vec<&str> = drawn
        .groups
        .iter()
        .flat_map(|group| &group.shapes)
        .filter_map(|shape| match shape {
            Shape::Text {
                text, bold: true, ..
            } => Some(text.as_str()),
            Shape::Text { .. }
            | Shape::Disc { .. }
            | Shape::Plate { .. }
            | Shape::Panel { .. }
            | Shape::Path { .. } => None,
        })
        .collect();
    assert_eq!(bold, ["Type 2 Diabetes", "6 nodes, 6 edges"]);
}

#[test]
fn invalid_pictures_are_rejected() {
    let graph = genes();
    let subject = seen(&graph);
    let positions = vec![[0.0; 2]; 6];
    let refused = |positions: &[[f64; 2]], change: &dyn Fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        let refused = draw(&subject, positions, &options, &go_on).unwrap_err();
        format!("{}: {refused}", refused.code())
    };
    let drawn = draw(&subject, &positions, &Options::default(), &go_on).unwrap();
    let large = Options {
        size: Some([8_000, 8_000]),
        ..Options::default()
    };
    let large = draw(&subject, &positions, &large, &go_on).unwrap();
    let unseen = |error: RasterError| format!("{}: {error}", error.code());
    let messages = [
        refused(&positions[1..], &|_| ()),
        refused(&[[f64::INFINITY; 2]; 6], &|_| ()),
        refused(&positions, &|options| options.size = Some([199, 300])),
        refused(&positions, &|options| options.size = Some([300, 8_193])),
        refused(&positions, &|options| {
            options.highlight = vec!["g1".to_owned(), "g9".to_owned()];
        }),
        unseen(drawn.image(0, &go_on).unwrap_err()),
        unseen(large.image(2, &go_on).unwrap_err()),
        unseen(drawn.image(1, &|_, _| ControlFlow::Break(())).unwrap_err()),
    ];
    insta::assert_snapshot!(messages.join("\n"));
    let ended = draw(&subject, &positions, &Options::default(), &|_, _| {
        ControlFlow::Break(())
    });
    assert_eq!(ended.unwrap_err().code(), "cancelled");
    let ended = page(&subject, &positions, &Options::default(), &|_, _| {
        ControlFlow::Break(())
    });
    assert_eq!(ended.unwrap_err().code(), "cancelled");
}

#[test]
fn an_empty_graph_has_a_picture() {
    let graph = Knowledge::default();
    let subject = seen(&graph);
    let drawn = scene(&subject, Method::default(), &Options::default());
    assert_eq!(drawn.title, "0 nodes, 0 edges");
    check(&drawn);
}
