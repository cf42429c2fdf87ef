//! Interactive HTML pages: one self-contained file that makes no requests, to pan, search and filter a graph.
//!
//! The data of the graph is one element of JSON, in which every `<` is escaped, so that nothing in it ends the element; the
//! script adds texts to the page as text nodes only. The script and the style are `page.html`.

use fibula_core::escape::escaped;
use fibula_knowledge::progress::{Progress, Watch};
use serde_json::json;

use super::compose::{check, heading};
use super::frame::Frame;
use super::palette::{Palette, assign_colours};
use super::{Options, Theme};
use crate::scene::hex;
use crate::scene::text::tooltip;
use crate::sketch::error::SketchError;
use crate::sketch::subject::{Subject, Vertex};

/// Maximum number of bytes of a page.
pub const MAX_PAGE_BYTES: usize = 64 << 20;
/// Maximum number of characters of a label, and of the data of a node.
const LABEL: usize = 400;
const DATA: usize = 2_000;

const PAGE: &str = include_str!("page.html");

/// Writes the page of a subject with a position of each vertex. Of the options it uses the title and the theme; the reader
/// controls the rest in the page. Long data of nodes is truncated.
///
/// # Errors
/// [`SketchError`]: there is not one finite position for each vertex, the page would be too large, or `watch` cancelled it.
pub fn page(
    subject: &Subject<'_>,
    positions: &[[f64; 2]],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<String, SketchError> {
    let options = Options {
        size: Some([1_600, 1_200]),
        highlight: Vec::new(),
        ..options.clone()
    };
    check(subject, positions, &options)?;
    let progress = Progress::new(2, watch);
    let title = heading(subject, &options);
    let (kinds, kind_of) = assign_colours(subject);
    let palette = Palette::new(options.theme);
    let frame = Frame::new(subject, positions, &options, &kinds);
    let short = |length: f64| (length * 10.0).round() / 10.0;
    progress.add(1);
    let nodes: Vec<_> = subject
        .vertices()
        .iter()
        .enumerate()
        .map(|(vertex, own)| {
            let (creator, data) = match own {
                Vertex::Node(node) => (node.creator(), node.data()),
                Vertex::Function(_) | Vertex::DeletedFunction(_) => ("", None),
            };
            let ([x, y], radius) = (frame.positions[vertex], frame.marks[vertex][1] / 2.0);
            json!([
                own.id(),
                tooltip(own.label(), LABEL),
                kind_of[vertex],
                tooltip(&own.types(), LABEL),
                tooltip(creator, LABEL),
                data.map(|data| tooltip(data, DATA)),
                short(x),
                short(y),
                short(radius)
            ])
        })
        .collect();
    let edges: Vec<_> = subject
        .edges()
        .map(|([source, target], edge)| match edge.label() {
            Some(label) => json!([source, target, edge.ty(), tooltip(label, LABEL)]),
            None => json!([source, target, edge.ty()]),
        })
        .collect();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|kind| {
            let [fill, line] = kind.colours(&palette).map(hex);
            json!([kind.name, kind.count, fill, line])
        })
        .collect();
    let data = json!({ "title": title, "kinds": kinds, "nodes": nodes, "edges": edges });
    let data = data.to_string().replace('<', "\\u003c");
    let theme = match options.theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let page = fill_template(&[
        ("@THEME@", theme),
        ("@TITLE@", &escaped(&title)),
        ("@DATA@", &data),
    ]);
    if page.len() > MAX_PAGE_BYTES {
        return Err(SketchError::PageTooLarge);
    }
    progress.add(1);
    Ok(progress.finish(page)?)
}

/// Replaces the placeholders of the template, which are in this order, by texts. Placeholders within texts stay.
fn fill_template(texts: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(PAGE.len() + texts.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut rest = PAGE;
    for (placeholder, text) in texts {
        let (before, after) = rest
            .split_once(placeholder)
            .expect("page.html has every placeholder, in this order");
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}
