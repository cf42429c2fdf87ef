//! Images of packages: their formats and channels, by their first bytes.

use std::io::Read;

use crate::error::Location;
use crate::findings::Findings;
use crate::package::Package;

/// Maximum bytes of an image that are searched for its colour space.
const IMAGE_HEAD: u64 = 1 << 20;
/// First bytes of a PNG file.
pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// First bytes of a JPEG file.
pub(super) const JPEG: &[u8] = b"\xff\xd8\xff";

/// First bytes of a part; none if it cannot be unpacked.
pub(super) fn image_head(package: &mut Package<'_>, part: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Ok(part) = package.open_part(part) else {
        return bytes;
    };
    // A damaged part is reported by the reader.
    let _ = part.take(IMAGE_HEAD).read_to_end(&mut bytes);
    bytes
}

/// Reports a JPEG image of four channels.
pub(super) fn check_jpeg(part: &str, bytes: &[u8], findings: &mut Findings) {
    if jpeg_channels(bytes) == Some(4) {
        let message = "the JPEG image is CMYK: it has four channels".to_owned();
        findings.violate("cmyk_jpeg", Location::part(part), message, "save it in RGB");
    }
}

/// Number of the channels of a JPEG image, by its start of frame (ITU-T T.81, B.2.2).
fn jpeg_channels(bytes: &[u8]) -> Option<u8> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, ..] = *rest else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        // C4, C8 and CC are tables.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            return rest.get(9).copied();
        }
        rest = rest.get(2 + length.max(2)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_a_jpeg_image_are_found_behind_its_tables() {
        let frame = |channels: u8| {
            let mut bytes =
                b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc2\x00\x11\x08\x00\x01\x00\x01".to_vec();
            bytes.push(channels);
            bytes
        };
        assert_eq!(jpeg_channels(&frame(4)), Some(4));
        assert_eq!(jpeg_channels(&frame(3)), Some(3));
        assert_eq!(jpeg_channels(&frame(3)[..12]), None);
        assert_eq!(jpeg_channels(b"\xff\xd8\xff\xe0\xff\xff"), None);
        assert_eq!(jpeg_channels(PNG), None);
    }
}
