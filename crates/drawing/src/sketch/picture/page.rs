//! A graph as a page of HTML: one file that asks nobody for anything, in which it is moved, searched and filtered.
//!
//! What is of the graph stands in one element of JSON, in which no `<` is written as such, so that nothing in it ends the
//! element; the script puts texts into the page as texts only. The script and the style are `page.html`.

use fibula_core::escape::escaped;
use fibula_knowledge::progress::{Progress, Watch};
use serde_json::json;

use super::compose::{check, heading};
use super::frame::Frame;
use super::kinds::{Inks, kinds};
use super::letters::shown;
use super::svg::hex;
use super::{Options, Theme};
use crate::sketch::error::SketchError;
use crate::sketch::subject::{Subject, Vertex};

/// The most bytes of a page.
pub const LARGEST_PAGE: usize = 64 << 20;
/// The most characters of a label, and of the data of a node, that the page has.
const LABEL: usize = 400;
const DATA: usize = 2_000;

const PAGE: &str = include_str!("page.html");

/// Writes the page of a subject whose vertices are at places. Of the options it takes the title and the theme; what a
/// reader types and clicks there does the rest. Long data of nodes are cut off.
///
/// # Errors
/// [`SketchError`]: there is not one finite place for each vertex, the page would be too large, or `watch` ended it.
pub fn page(
    subject: &Subject<'_>,
    places: &[[f64; 2]],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<String, SketchError> {
    let options = Options {
        size: Some([1_600, 1_200]),
        highlight: Vec::new(),
        ..options.clone()
    };
    check(subject, places, &options)?;
    let progress = Progress::new(2, watch);
    let title = heading(subject, &options);
    let (kinds, kind_of) = kinds(subject);
    let inks = Inks::of(options.theme);
    let frame = Frame::new(subject, places, &options, &kinds);
    let short = |length: f64| (length * 10.0).round() / 10.0;
    progress.add(1);
    let nodes: Vec<_> = subject
        .vertices()
        .iter()
        .enumerate()
        .map(|(vertex, own)| {
            let (creator, data) = match own {
                Vertex::Node(node) => (node.creator(), node.data()),
                Vertex::Function(_) => ("", None),
            };
            let ([x, y], radius) = (frame.places[vertex], frame.marks[vertex][1] / 2.0);
            json!([
                own.id(),
                shown(own.label(), LABEL),
                kind_of[vertex],
                shown(&own.types(), LABEL),
                shown(creator, LABEL),
                data.map(|data| shown(data, DATA)),
                short(x),
                short(y),
                short(radius)
            ])
        })
        .collect();
    let edges: Vec<_> = subject
        .edges()
        .map(|([source, target], edge)| match edge.label() {
            Some(label) => json!([source, target, edge.ty(), shown(label, LABEL)]),
            None => json!([source, target, edge.ty()]),
        })
        .collect();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|kind| {
            let [fill, line] = kind.colours(&inks).map(hex);
            json!([kind.name, kind.count, fill, line])
        })
        .collect();
    let data = json!({ "title": title, "kinds": kinds, "nodes": nodes, "edges": edges });
    let data = data.to_string().replace('<', "\\u003c");
    let theme = match options.theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let page = filled(&[
        ("@THEME@", theme),
        ("@TITLE@", &escaped(&title)),
        ("@DATA@", &data),
    ]);
    if page.len() > LARGEST_PAGE {
        return Err(SketchError::PageTooLarge);
    }
    progress.add(1);
    Ok(progress.finish(page)?)
}

/// The page, with texts at marks that stand in this order; what texts contain is no mark.
fn filled(texts: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(PAGE.len() + texts.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut rest = PAGE;
    for (mark, text) in texts {
        let (before, after) = rest
            .split_once(mark)
            .expect("page.html has every mark, in this order");
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}
