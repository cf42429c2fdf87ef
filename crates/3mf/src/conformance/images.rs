//! Images of packages: their formats and channels by their first bytes, and the structure of their files.
//!
//! Pixels are not decoded. The chunks of PNG images are those of the PNG specification, second edition, 5.2 to 5.6, and the
//! markers of JPEG images those of ITU-T T.81, B.1. Files are streamed, in time linear in their size.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use super::facts::PartPath;
use super::packaging::{Directory, TEXTURE_TYPE};
use crate::error::{Location, brief};
use crate::findings::Findings;
use crate::package::Package;

/// Maximum bytes of an image that are searched for its colour space.
const IMAGE_HEAD: u64 = 1 << 20;
/// First bytes of a PNG file.
pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// First bytes of a JPEG file.
const JPEG: &[u8] = b"\xff\xd8\xff";

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

impl Directory {
    /// Checks the format and the content type of a thumbnail.
    pub(super) fn check_thumbnail(
        &self,
        package: &mut Package<'_>,
        part: &str,
        place: &Location,
        findings: &mut Findings,
    ) {
        let head = image_head(package, part);
        let is_image = head.starts_with(PNG) || head.starts_with(JPEG);
        let typed = self
            .media_type(part)
            .is_none_or(|found| matches!(found, "image/png" | "image/jpeg" | "image/jpg"));
        if !is_image || !typed {
            let message = format!("the thumbnail {} is not a JPEG or PNG image", brief(part));
            findings.violate(
                "thumbnail_format",
                place.clone(),
                message,
                "replace it by a JPEG or PNG image",
            );
        }
        let other = match self.media_type(part) {
            Some("image/png") if head.starts_with(JPEG) => "a JPEG image",
            Some("image/jpeg" | "image/jpg") if head.starts_with(PNG) => "a PNG image",
            _ => "",
        };
        if !other.is_empty() {
            let (part, declared) = (brief(part), self.media_type(part).unwrap_or_default());
            let message =
                format!("the thumbnail {part} is {other}, but its content type is {declared}");
            findings.violate(
                "thumbnail_format",
                place.clone(),
                message,
                "correct its content type in [Content_Types].xml",
            );
        }
        check_jpeg(part, &head, findings);
    }

    /// Checks the format and the content types of a texture.
    pub(super) fn check_texture(
        &self,
        part: &str,
        path: &PartPath,
        head: &[u8],
        place: Location,
        findings: &mut Findings,
    ) {
        let stated = path.content_type.as_deref().unwrap_or_default();
        let declared = self.media_type(part).unwrap_or(stated);
        let is_typed = [stated, TEXTURE_TYPE, "image/jpg"].contains(&declared);
        let is_right = match stated {
            "image/png" => head.starts_with(PNG),
            "image/jpeg" => head.starts_with(JPEG),
            // Other values are reported as such.
            _ => return,
        };
        if !is_typed || !is_right {
            let message = format!(
                "contenttype is {stated}, but the part {} is of another",
                brief(part)
            );
            findings.violate(
                "texture_content_type",
                place,
                message,
                "correct contenttype, or save the texture in that format",
            );
        }
        check_jpeg(part, head, findings);
    }
}

/// Reports a JPEG image of four channels.
fn check_jpeg(part: &str, bytes: &[u8], findings: &mut Findings) {
    if jpeg_channels(bytes) == Some(4) {
        let message = "the JPEG image is CMYK: it has four channels".to_owned();
        findings.violate("cmyk_jpeg", Location::part(part), message, "save it in RGB");
    }
}

/// Fault of the file of an image.
#[derive(Debug, PartialEq, Eq)]
enum ImageFault {
    /// It ends before its last chunk or marker.
    Truncated,
    Malformed(String),
    /// The part cannot be unpacked, or is no sheet.
    ReportedByReader,
}

impl From<io::Error> for ImageFault {
    fn from(error: io::Error) -> ImageFault {
        match error.kind() {
            ErrorKind::UnexpectedEof => ImageFault::Truncated,
            _ => ImageFault::ReportedByReader,
        }
    }
}

/// Reports a PNG or JPEG image that is damaged. The reader rejects sheets that are not PNG images, or without a header.
pub(super) fn check_structure(
    package: &mut Package<'_>,
    part: &str,
    is_sheet: bool,
    findings: &mut Findings,
) {
    let Ok(input) = package.open_part(part) else {
        return;
    };
    let (mut input, mut head) = (BufReader::new(input), Vec::new());
    if (&mut input).take(8).read_to_end(&mut head).is_err() {
        return;
    }
    let mut input = head.chain(input);
    let (format, fault, last) = if head.starts_with(PNG) {
        ("PNG", check_chunks(&mut input, is_sheet), "chunk IEND")
    } else if head.starts_with(JPEG) && !is_sheet {
        ("JPEG", check_markers(&mut input), "marker EOI")
    } else {
        return;
    };
    let fault = match fault {
        Ok(()) | Err(ImageFault::ReportedByReader) => return,
        Err(ImageFault::Truncated) => format!("it ends before its {last}"),
        Err(ImageFault::Malformed(fault)) => fault,
    };
    let message = format!("the {format} image {} is damaged: {fault}", brief(part));
    findings.violate(
        "damaged_image",
        Location::part(part),
        message,
        "replace it by an image that is complete",
    );
}

/// Checks the chunks of a PNG image and their checksums.
fn check_chunks(input: &mut impl Read, is_sheet: bool) -> Result<(), ImageFault> {
    let malformed = |text: String| Err(ImageFault::Malformed(text));
    let mut buffer = [0; 4096];
    input.read_exact(&mut buffer[..PNG.len()])?;
    let mut position = PNG.len() as u64;
    let (mut is_first, mut has_data, mut before) = (true, false, [0; 4]);
    loop {
        let (mut length, mut kind, mut stated) = ([0; 4], [0; 4], [0; 4]);
        input.read_exact(&mut length)?;
        input.read_exact(&mut kind)?;
        let length = u32::from_be_bytes(length);
        if length > i32::MAX as u32 || !kind.iter().all(u8::is_ascii_alphabetic) {
            return malformed(format!("its bytes from {position} on are not a chunk"));
        }
        let name = String::from_utf8_lossy(&kind);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&kind);
        let mut rest = length as usize;
        while rest > 0 {
            let piece = &mut buffer[..rest.min(4096)];
            input.read_exact(piece)?;
            checksum.update(piece);
            rest -= piece.len();
        }
        input.read_exact(&mut stated)?;
        let is_sound = checksum.finalize() == u32::from_be_bytes(stated);
        if is_first && is_sheet && !(is_sound && kind == *b"IHDR") {
            return Err(ImageFault::ReportedByReader);
        }
        if !is_sound {
            return malformed(format!(
                "the checksum of its chunk {name} at byte {position} is not that of its data"
            ));
        }
        if is_first != (kind == *b"IHDR") {
            return malformed(format!(
                "its chunk at byte {position} is {name}, but IHDR is the first"
            ));
        }
        match &kind {
            b"IDAT" if has_data && before != kind => {
                return malformed("there are other chunks between its chunks IDAT".to_owned());
            }
            b"IDAT" => has_data = true,
            b"IEND" if !has_data => return malformed("it has no chunk IDAT".to_owned()),
            b"IEND" if input.read(&mut buffer)? > 0 => {
                return malformed("there are bytes after its chunk IEND".to_owned());
            }
            b"IEND" => return Ok(()),
            _ => {}
        }
        (is_first, before) = (false, kind);
        position += 12 + u64::from(length);
    }
}

/// Checks that the markers of a JPEG image lead to its last one, EOI.
fn check_markers(input: &mut impl BufRead) -> Result<(), ImageFault> {
    loop {
        // In a scan, FF is followed by 00.
        input.skip_until(0xff)?;
        let mut marker = [0xff];
        while marker == [0xff] {
            input.read_exact(&mut marker)?;
        }
        match marker[0] {
            0xd9 => return Ok(()),
            // Markers without a segment.
            0x00 | 0x01 | 0xd0..=0xd8 => {}
            marker => {
                let mut length = [0; 2];
                input.read_exact(&mut length)?;
                let Some(length) = u16::from_be_bytes(length).checked_sub(2) else {
                    let text = format!("the segment of its marker {marker:02X} has no length");
                    return Err(ImageFault::Malformed(text));
                };
                io::copy(&mut input.take(length.into()), &mut io::sink())?;
            }
        }
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

    /// Fault of an image.
    fn fault(bytes: &[u8]) -> Result<(), ImageFault> {
        if bytes.starts_with(PNG) {
            check_chunks(&mut &bytes[..], false)
        } else {
            check_markers(&mut &bytes[..])
        }
    }

    #[test]
    fn images_are_whole_or_damaged() {
        let chunk = |kind: &[u8; 4], data: &[u8]| {
            let mut bytes = (data.len() as u32).to_be_bytes().to_vec();
            bytes.extend_from_slice(kind);
            bytes.extend_from_slice(data);
            bytes.extend_from_slice(&crc32fast::hash(&bytes[4..]).to_be_bytes());
            bytes
        };
        let image = |kinds: &[&[u8; 4]]| {
            let chunks = kinds.iter().flat_map(|kind| chunk(kind, &[0; 5000]));
            PNG.iter().copied().chain(chunks).collect::<Vec<u8>>()
        };
        let png = image(&[b"IHDR", b"tEXt", b"IDAT", b"IDAT", b"IEND"]);
        let jpeg =
            b"\xff\xd8\xff\xe1\x00\x06\xff\xd9ab\xff\xda\x00\x02a\xff\x00\xff\xd0b\xff\xff\xd9";
        for whole in [&png[..], jpeg] {
            assert_eq!(fault(whole), Ok(()));
            for end in 8..whole.len() {
                assert_eq!(fault(&whole[..end]), Err(ImageFault::Truncated), "{end}");
            }
        }
        // A change of a byte of a chunk is found, its checksum included.
        for at in (8..png.len()).step_by(7) {
            let mut changed = png.clone();
            changed[at] ^= 0x20;
            assert!(fault(&changed).is_err(), "{at}");
        }
        for (bytes, expected) in [
            (image(&[b"IDAT", b"IEND"]), "IHDR is the first"),
            (image(&[b"IHDR", b"IHDR"]), "IHDR is the first"),
            (image(&[b"IHDR", b"IEND"]), "no chunk IDAT"),
            (
                image(&[b"IHDR", b"IDAT", b"tEXt", b"IDAT"]),
                "between its chunks IDAT",
            ),
            ([&png[..], b"x"].concat(), "after its chunk IEND"),
            ([PNG, &[0; 8]].concat(), "not a chunk"),
            (b"\xff\xd8\xff\xe0\x00\x01".to_vec(), "no length"),
        ] {
            let found = fault(&bytes);
            assert!(
                matches!(&found, Err(ImageFault::Malformed(text)) if text.contains(expected)),
                "{expected}: {found:?}"
            );
        }
    }

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
