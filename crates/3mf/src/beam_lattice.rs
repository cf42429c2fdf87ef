//! Beam lattices of meshes, parsed from the XML that a mesh keeps.
//!
//! By the beam lattice extension 1.2: beams shorter than `minlength` do not count, a beam's second radius is its first
//! where it is left out, and that of the lattice where both are. Lattices are taken as they are without being clipped.

use std::collections::BTreeMap;

use fibula_core::oracle::{Ball, Beam, BeamError, BeamLattice, Cap, End};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use crate::error::brief;
use crate::numbers::{finite, index};
use crate::xml::unescape_namespace;

/// The namespaces of lattices and of their balls.
const SPACES: [&str; 2] = [
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
];

/// Error returned when the XML of a mesh has no valid beam lattice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// The XML is invalid.
    #[error("the beam lattice cannot be read: {0}")]
    Invalid(String),
    /// The beams are invalid.
    #[error(transparent)]
    Beams(#[from] BeamError),
}

impl LatticeError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            LatticeError::Invalid(_) => "invalid_content",
            LatticeError::Beams(error) => error.code(),
        }
    }
}

/// A lattice while it is read.
#[derive(Debug, Default)]
struct LatticeParser {
    min_length: f64,
    radius: Option<f64>,
    cap: Cap,
    mode: BallMode,
    ball_radius: Option<f64>,
    beams: Vec<Beam>,
    balls: BTreeMap<u32, f64>,
}

/// Vertices that have balls.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum BallMode {
    #[default]
    None,
    /// Those that `<ball>` elements name.
    Mixed,
    /// Those at which beams end.
    All,
}

/// Number of beams in the elements of a mesh.
pub(crate) fn count_beams(elements: &[String]) -> u32 {
    let mut count = 0_u32;
    for xml in elements.iter().filter(|xml| is_lattice(xml)) {
        let mut reader = NsReader::from_str(xml);
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    count = count.saturating_add(u32::from(is_element(&reader, &start, "beam")));
                }
                Event::Eof => break,
                _ => {}
            }
        }
    }
    count
}

/// The lattice of a mesh with these vertices and elements; `None` if there is none.
///
/// # Errors
/// [`LatticeError`]: the XML or the lattice is invalid.
pub(crate) fn parse_lattice(
    vertices: &[[f64; 3]],
    elements: &[String],
) -> Result<Option<BeamLattice>, LatticeError> {
    let Some(xml) = elements.iter().find(|xml| is_lattice(xml)) else {
        return Ok(None);
    };
    let mut lattice = LatticeParser::default();
    let mut reader = NsReader::from_str(xml);
    loop {
        let event = reader.read_event();
        match event.map_err(|error| LatticeError::Invalid(brief(&error.to_string())))? {
            Event::Start(start) | Event::Empty(start) => {
                if is_element(&reader, &start, "beamlattice") {
                    lattice.start(&start)?;
                } else if is_element(&reader, &start, "beam") {
                    lattice.beam(&start, vertices)?;
                } else if is_element(&reader, &start, "ball") {
                    lattice.ball(&start)?;
                }
            }
            Event::DocType(_) => {
                return Err(LatticeError::Invalid(
                    "it has a document type declaration".to_owned(),
                ));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let balls = lattice.balls();
    if lattice.beams.is_empty() && balls.is_empty() {
        return Ok(None);
    }
    Ok(Some(BeamLattice::new(
        vertices.to_vec(),
        &lattice.beams,
        &balls,
    )?))
}

/// True if the element is a lattice, whatever its prefix.
fn is_lattice(xml: &str) -> bool {
    let mut reader = NsReader::from_str(xml);
    match reader.read_event() {
        Ok(Event::Start(start) | Event::Empty(start)) => is_element(&reader, &start, "beamlattice"),
        _ => false,
    }
}

fn is_element(reader: &NsReader<&[u8]>, start: &BytesStart<'_>, name: &str) -> bool {
    start.local_name().as_ref() == name
        && match reader.resolver().resolve_element(start.name()).0 {
            ResolveResult::Bound(space) => SPACES.contains(&&*unescape_namespace(space)),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => false,
        }
}

impl LatticeParser {
    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), LatticeError> {
        self.min_length = real(start, "minlength")?.unwrap_or(0.0);
        self.radius = real(start, "radius")?;
        self.cap = cap(start, "cap")?.unwrap_or_default();
        self.ball_radius = real(start, "ballradius")?;
        self.mode = match value(start, "ballmode").as_deref() {
            None | Some("none") => BallMode::None,
            Some("mixed") => BallMode::Mixed,
            Some("all") => BallMode::All,
            Some(other) => return Err(invalid("ballmode", other, "none, mixed or all")),
        };
        Ok(())
    }

    fn beam(&mut self, start: &BytesStart<'_>, at: &[[f64; 3]]) -> Result<(), LatticeError> {
        let vertices = [required_index(start, "v1")?, required_index(start, "v2")?];
        let first = real(start, "r1")?.or(self.radius);
        let first = first.ok_or_else(|| missing("beam", "r1"))?;
        let radii = [first, real(start, "r2")?.unwrap_or(first)];
        let caps = [cap(start, "cap1")?, cap(start, "cap2")?].map(|cap| cap.unwrap_or(self.cap));
        // `BeamLattice::new` reports vertices that do not exist.
        if let [Some(a), Some(b)] = vertices.map(|vertex| at.get(vertex as usize)) {
            let distance_squared = a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum::<f64>();
            if distance_squared.sqrt() < self.min_length {
                return Ok(());
            }
        }
        let end = |k: usize| End {
            vertex: vertices[k],
            radius: radii[k],
            cap: caps[k],
        };
        self.beams.push(Beam {
            ends: [end(0), end(1)],
        });
        Ok(())
    }

    fn ball(&mut self, start: &BytesStart<'_>) -> Result<(), LatticeError> {
        let vertex = required_index(start, "vindex")?;
        let radius = real(start, "r")?.or(self.ball_radius);
        let radius = radius.ok_or_else(|| missing("ball", "r"))?;
        if self.mode != BallMode::None {
            self.balls.insert(vertex, radius);
        }
        Ok(())
    }

    fn balls(&self) -> Vec<Ball> {
        let mut balls = self.balls.clone();
        if let (BallMode::All, Some(radius)) = (self.mode, self.ball_radius) {
            for end in self.beams.iter().flat_map(|beam| beam.ends) {
                balls.entry(end.vertex).or_insert(radius);
            }
        }
        let ball = |(vertex, radius)| Ball { vertex, radius };
        balls.into_iter().map(ball).collect()
    }
}

fn value(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut all = start.attributes();
    let attribute = all
        .with_checks(false)
        .flatten()
        .find(|one| one.key.local_name().as_ref() == name)?;
    let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?;
    Some(value.into_owned())
}

fn real(start: &BytesStart<'_>, name: &'static str) -> Result<Option<f64>, LatticeError> {
    let Some(text) = value(start, name) else {
        return Ok(None);
    };
    let number = finite(&text).filter(|&number| number >= 0.0);
    let number = number.ok_or_else(|| invalid(name, &text, "a number of at least 0"))?;
    Ok(Some(number))
}

fn cap(start: &BytesStart<'_>, name: &'static str) -> Result<Option<Cap>, LatticeError> {
    Ok(match value(start, name).as_deref() {
        None => None,
        Some("sphere") => Some(Cap::Sphere),
        Some("hemisphere") => Some(Cap::Hemisphere),
        Some("butt") => Some(Cap::Butt),
        Some(other) => return Err(invalid(name, other, "sphere, hemisphere or butt")),
    })
}

fn required_index(start: &BytesStart<'_>, name: &'static str) -> Result<u32, LatticeError> {
    let text = value(start, name).ok_or_else(|| missing(start.local_name().as_ref(), name))?;
    index(&text).ok_or_else(|| invalid(name, &text, "the index of a vertex"))
}

fn missing(element: &str, name: &str) -> LatticeError {
    LatticeError::Invalid(format!("a {element} has no {name}"))
}

fn invalid(name: &str, got: &str, expected: &str) -> LatticeError {
    LatticeError::Invalid(format!("{name}={:?}, but it takes {expected}", brief(got)))
}
