//! Beam lattices of meshes: from the XML that a mesh keeps to what is asked for distances.
//!
//! By the beam lattice extension 1.2: beams shorter than `minlength` do not count, a beam's second radius is its first
//! where it is left out, and that of the lattice where both are. Lattices are taken as they are without being clipped.

use std::collections::BTreeMap;

use fibula_core::oracle::{Ball, Beam, BeamLattice, Cap, End};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::contents::ContentError;
use super::error::brief;
use super::numbers::{finite, index};
use super::xml::plain;

/// The namespaces of lattices and of their balls.
const SPACES: [&str; 2] = [
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
];

/// A lattice while it is read.
#[derive(Debug, Default)]
struct Lattice {
    least: f64,
    radius: Option<f64>,
    cap: Cap,
    mode: BallMode,
    ball_radius: Option<f64>,
    beams: Vec<Beam>,
    balls: BTreeMap<u32, f64>,
}

/// Which vertices have balls.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum BallMode {
    #[default]
    None,
    /// Those that are named.
    Mixed,
    /// Those at which beams end.
    All,
}

/// How many beams the elements of a mesh have.
pub(super) fn count(elements: &[String]) -> u32 {
    let mut count = 0_u32;
    for xml in elements.iter().filter(|xml| is_lattice(xml)) {
        let mut reader = NsReader::from_str(xml);
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    count = count.saturating_add(u32::from(is(&reader, &start, "beam")));
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
/// [`ContentError`]: the XML says no lattice, or the lattice cannot be.
pub(super) fn lattice(
    vertices: &[[f64; 3]],
    elements: &[String],
) -> Result<Option<BeamLattice>, ContentError> {
    let Some(xml) = elements.iter().find(|xml| is_lattice(xml)) else {
        return Ok(None);
    };
    let mut lattice = Lattice::default();
    let mut reader = NsReader::from_str(xml);
    loop {
        let event = reader.read_event();
        match event.map_err(|error| ContentError::Lattice(brief(&error.to_string())))? {
            Event::Start(start) | Event::Empty(start) => {
                if is(&reader, &start, "beamlattice") {
                    lattice.start(&start)?;
                } else if is(&reader, &start, "beam") {
                    lattice.beam(&start, vertices)?;
                } else if is(&reader, &start, "ball") {
                    lattice.ball(&start)?;
                }
            }
            Event::DocType(_) => {
                return Err(ContentError::Lattice(
                    "it declares a document type".to_owned(),
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

/// Whether the element, whatever its prefix, is a lattice.
fn is_lattice(xml: &str) -> bool {
    let mut reader = NsReader::from_str(xml);
    match reader.read_event() {
        Ok(Event::Start(start) | Event::Empty(start)) => is(&reader, &start, "beamlattice"),
        _ => false,
    }
}

fn is(reader: &NsReader<&[u8]>, start: &BytesStart<'_>, name: &str) -> bool {
    start.local_name().as_ref() == name
        && match reader.resolver().resolve_element(start.name()).0 {
            ResolveResult::Bound(space) => SPACES.contains(&&*plain(space)),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => false,
        }
}

impl Lattice {
    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), ContentError> {
        self.least = real(start, "minlength")?.unwrap_or(0.0);
        self.radius = real(start, "radius")?;
        self.cap = cap(start, "cap")?.unwrap_or_default();
        self.ball_radius = real(start, "ballradius")?;
        self.mode = match value(start, "ballmode").as_deref() {
            None | Some("none") => BallMode::None,
            Some("mixed") => BallMode::Mixed,
            Some("all") => BallMode::All,
            Some(other) => return Err(wrong("ballmode", other, "none, mixed or all")),
        };
        Ok(())
    }

    fn beam(&mut self, start: &BytesStart<'_>, at: &[[f64; 3]]) -> Result<(), ContentError> {
        let vertices = [needed(start, "v1")?, needed(start, "v2")?];
        let first = real(start, "r1")?.or(self.radius);
        let first = first.ok_or_else(|| missing("beam", "r1"))?;
        let radii = [first, real(start, "r2")?.unwrap_or(first)];
        let caps = [cap(start, "cap1")?, cap(start, "cap2")?].map(|cap| cap.unwrap_or(self.cap));
        // A vertex that is not there is told of by the lattice.
        if let [Some(a), Some(b)] = vertices.map(|vertex| at.get(vertex as usize)) {
            let apart = a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum::<f64>();
            if apart.sqrt() < self.least {
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

    fn ball(&mut self, start: &BytesStart<'_>) -> Result<(), ContentError> {
        let vertex = needed(start, "vindex")?;
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

fn real(start: &BytesStart<'_>, name: &'static str) -> Result<Option<f64>, ContentError> {
    let Some(text) = value(start, name) else {
        return Ok(None);
    };
    let number = finite(&text).filter(|&number| number >= 0.0);
    let number = number.ok_or_else(|| wrong(name, &text, "a number that is not negative"))?;
    Ok(Some(number))
}

fn cap(start: &BytesStart<'_>, name: &'static str) -> Result<Option<Cap>, ContentError> {
    Ok(match value(start, name).as_deref() {
        None => None,
        Some("sphere") => Some(Cap::Sphere),
        Some("hemisphere") => Some(Cap::Hemisphere),
        Some("butt") => Some(Cap::Butt),
        Some(other) => return Err(wrong(name, other, "sphere, hemisphere or butt")),
    })
}

fn needed(start: &BytesStart<'_>, name: &'static str) -> Result<u32, ContentError> {
    let text = value(start, name).ok_or_else(|| missing(start.local_name().as_ref(), name))?;
    index(&text).ok_or_else(|| wrong(name, &text, "the index of a vertex"))
}

fn missing(element: &str, name: &str) -> ContentError {
    ContentError::Lattice(format!("a {element} has no {name}"))
}

fn wrong(name: &str, got: &str, wants: &str) -> ContentError {
    ContentError::Lattice(format!("{name}={:?}, but it takes {wants}", brief(got)))
}
