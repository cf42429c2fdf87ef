//! Scenes: pictures as shapes, texts and strokes, before they are files.
//!
//! Both `diagram::draw` and `sketch::draw` produce a [`Scene`]. Each kind of file has one writer: `svg` writes vectors,
//! `raster` draws pixels. `text` measures texts for both, so that a text is as wide in the file as the layout expects, and
//! `bezier` evaluates curves.

pub(crate) mod bezier;
mod raster;
mod svg;
pub(crate) mod text;

#[cfg(test)]
mod tests;

pub use raster::{MAX_PIXELS, MAX_SCALE, RasterError};
pub(crate) use svg::hex;
pub use text::LINE;

/// Red, green and blue, in the sRGB colour space.
pub type Colour = [u8; 3];

/// A picture as shapes, in pixels; the origin is the upper left corner, x points to the right and y down.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width and height.
    pub size: [u32; 2],
    /// Title of the picture.
    pub title: String,
    /// Colour behind all shapes.
    pub background: Colour,
    /// Groups, in painter's order: later ones cover earlier ones.
    pub groups: Vec<Group>,
    /// Spelling of the SVG file.
    pub spelling: SvgSpelling,
}

/// Spelling of an SVG file, which is stable for each source of scenes, so that versions of a file can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SvgSpelling {
    /// A line per shape, and texts are declared to run from left to right: for diagrams of functions.
    LinePerShape,
    /// A line per group: for sketches of knowledge graphs, which may have many shapes.
    LinePerGroup,
}

/// Shapes that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// Tooltip; none if it is empty.
    pub title: String,
    /// Shapes, in painter's order.
    pub shapes: Vec<Shape>,
}

/// Colour and width of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width.
    pub width: f64,
}

/// A shape of a scene.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A disc.
    Disc {
        /// Centre.
        at: [f64; 2],
        /// Radius.
        radius: f64,
        /// Colour of the inside.
        fill: Colour,
        /// Outline, inside the edge.
        outline: Stroke,
    },
    /// A box with round corners.
    Plate {
        /// Upper left corner.
        at: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// Radius of the corners.
        radius: f64,
        /// Colour of the inside.
        fill: Colour,
        /// Outline, inside the edge.
        outline: Stroke,
    },
    /// A box whose upper corners and lower corners have radii of their own, with an outline one pixel wide. As pixels it is
    /// aligned to whole ones, so that its lines are sharp.
    Panel {
        /// Upper left corner.
        at: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// Radii of the upper and of the lower corners.
        radii: [f64; 2],
        /// Colour of the inside.
        fill: Colour,
        /// Colour of the outline.
        outline: Colour,
    },
    /// An open path of lines and curves.
    Path {
        /// Start.
        start: [f64; 2],
        /// Segments, each from the end of the one before.
        segments: Vec<Segment>,
        /// Colour and width.
        stroke: Stroke,
    },
    /// A line of text.
    Text {
        /// Upper left corner of a line of the height [`LINE`].
        at: [f64; 2],
        /// Text.
        text: String,
        /// Width.
        width: f64,
        /// True if the letters are bold.
        bold: bool,
        /// Colour.
        colour: Colour,
        /// Colour of a halo, which separates the text from the shapes below.
        halo: Option<Colour>,
    },
}

/// A segment of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// A horizontal line to this point.
    Level([f64; 2]),
    /// A line to this point.
    Line([f64; 2]),
    /// A cubic Bézier curve: two control points, then the end.
    Curve([[f64; 2]; 3]),
}

impl Group {
    pub(crate) fn untitled(shapes: Vec<Shape>) -> Group {
        let title = String::new();
        Group { title, shapes }
    }
}

impl Shape {
    /// Straight lines through two or more points.
    pub(crate) fn polyline(points: &[[f64; 2]], stroke: Stroke) -> Shape {
        Shape::Path {
            start: points[0],
            segments: points[1..].iter().copied().map(Segment::Line).collect(),
            stroke,
        }
    }

    /// A line of text without a halo.
    pub(crate) fn text(at: [f64; 2], text: impl Into<String>, bold: bool, colour: Colour) -> Shape {
        let text = text.into();
        Shape::Text {
            at,
            width: text::width(&text),
            text,
            bold,
            colour,
            halo: None,
        }
    }
}

impl Segment {
    /// End of the segment.
    pub fn end(self) -> [f64; 2] {
        match self {
            Segment::Level(end) | Segment::Line(end) | Segment::Curve([_, _, end]) => end,
        }
    }
}

/// Blends two colours: the result is the first for `share` 0 and the second for 1.
pub(crate) fn blend(first: Colour, second: Colour, share: f64) -> Colour {
    std::array::from_fn(|channel| {
        let [first, second] = [first, second].map(|colour| f64::from(colour[channel]));
        (first + (second - first) * share).round() as u8
    })
}
