//! Groups of base materials: the colours in which their materials are shown.

use fibula_core::colour::light;
use quick_xml::XmlVersion;
use quick_xml::events::Event;
use quick_xml::reader::Reader;

/// Returns the display colours of a group of base materials, in the order of the materials, in linear sRGB. `None` if the
/// XML is not such a group, or a material has no colour.
pub fn display_colors(xml: &[u8]) -> Option<Vec<[f64; 3]>> {
    let mut reader = Reader::from_reader(xml);
    let mut colors = Vec::new();
    let mut is_group = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => match start.local_name().as_ref() {
                "basematerials" => is_group = true,
                "base" if is_group => {
                    let shown = start.try_get_attribute("displaycolor").ok()??;
                    let shown = shown.normalized_value(XmlVersion::Explicit1_0).ok()?;
                    colors.push(color(shown.trim())?);
                }
                _ => {}
            },
            Event::Eof => return is_group.then_some(colors),
            _ => {}
        }
    }
}

/// Parses a colour of the form `#RRGGBB` or `#RRGGBBAA`.
fn color(text: &str) -> Option<[f64; 3]> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    if !matches!(digits.len(), 6 | 8) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(&digits[..6], 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue].map(|byte| light(f64::from(byte) / 255.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_the_colours_of_its_materials() {
        let group = |bases: &str| {
            let xml =
                format!(r#"<m:basematerials id="5" xmlns:m="core">{bases}</m:basematerials>"#);
            display_colors(xml.as_bytes())
        };
        let two = r##"<m:base name="a" displaycolor="#FF0000"/><m:base name="b" displaycolor="#00ff80A0"/>"##;
        let [red, green] = group(two).unwrap()[..] else {
            panic!("two colours");
        };
        let near = |color: [f64; 3], other: [f64; 3]| {
            let mut pairs = color.into_iter().zip(other);
            pairs.all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(near(red, [1.0, 0.0, 0.0]), "{red:?}");
        assert!(near(green, [0.0, 1.0, 0.215_860_5]), "{green:?}");
        assert_eq!(group(""), Some(Vec::new()));
        for wrong in ["red", "#12345", "#\u{e9}\u{e9}\u{e9}"] {
            assert_eq!(group(&format!(r#"<m:base displaycolor="{wrong}"/>"#)), None);
        }
        assert_eq!(group(r#"<m:base name="a"/>"#), None);
        assert_eq!(display_colors(b"<colorgroup/>"), None);
        assert_eq!(display_colors(b"<basematerials"), None);
    }
}
