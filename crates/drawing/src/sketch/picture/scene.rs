//! A picture as shapes.

/// Red, green and blue.
pub type Colour = [u8; 3];

/// A picture as shapes, in pixels; the upper left corner is 0, x rises to the right and y down.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The width and height.
    pub size: [u32; 2],
    /// What it is of.
    pub title: String,
    /// What everything is drawn on.
    pub ground: Colour,
    /// What is drawn, from below to above.
    pub groups: Vec<Group>,
}

/// Shapes that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// What they are, in full; nothing if there is nothing to say.
    pub title: String,
    /// The shapes, from below to above.
    pub shapes: Vec<Shape>,
}

/// Something that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A disc, with a line inside its edge.
    Disc {
        /// The middle.
        at: [f64; 2],
        /// The radius.
        radius: f64,
        /// The colour inside.
        fill: Colour,
        /// The colour and width of the line.
        line: (Colour, f64),
    },
    /// A box with round corners, with a line inside its edge.
    Plate {
        /// The upper left corner.
        at: [f64; 2],
        /// The width and height.
        size: [f64; 2],
        /// The radius of the corners.
        radius: f64,
        /// The colour inside.
        fill: Colour,
        /// The colour and width of the line.
        line: (Colour, f64),
    },
    /// Straight lines through points.
    Line {
        /// The points.
        points: Vec<[f64; 2]>,
        /// The colour.
        colour: Colour,
        /// The width.
        width: f64,
    },
    /// A cubic curve.
    Curve {
        /// Where it begins, its two control points, and where it ends.
        points: [[f64; 2]; 4],
        /// The colour.
        colour: Colour,
        /// The width.
        width: f64,
    },
    /// A line of text.
    Text {
        /// The upper left corner of a line of the height [`LINE`](super::LINE).
        at: [f64; 2],
        /// The text.
        text: String,
        /// The width.
        width: f64,
        /// Whether it is bold.
        bold: bool,
        /// The colour.
        colour: Colour,
        /// The colour of a seam around it, which parts it from what is below.
        seam: Option<Colour>,
    },
}

/// A colour between two: `share` 0 is the first, 1 the second.
pub(super) fn between(one: Colour, other: Colour, share: f64) -> Colour {
    std::array::from_fn(|part| {
        let [one, other] = [one[part], other[part]].map(f64::from);
        (one + (other - one) * share).round() as u8
    })
}
