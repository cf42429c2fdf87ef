//! Files attached to a project, such as drawings and source packages; nothing refers to them.
//!
//! The document has only their metadata. Their bytes are stored elsewhere, under their content hashes.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::build::check_name;
use super::error::GraphError;

/// Maximum length of a media type, in bytes.
const LONGEST_MEDIA_TYPE: usize = 128;

/// A file that a project keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Display name, usually with an extension: "bracket.3mf".
    pub name: String,
    /// Media type: "model/3mf".
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// Under which hash its bytes lie.
    pub content: ContentHash,
}

impl File {
    /// Rejects an invalid name or media type.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`].
    pub(crate) fn check(&self) -> Result<(), GraphError> {
        check_name("a file's name", &self.name)?;
        let text = &self.media_type;
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        let parts = text.split_once('/').is_some_and(|(kind, name)| {
            !kind.is_empty() && !name.is_empty() && !name.contains('/')
        });
        let problem = if text.len() > LONGEST_MEDIA_TYPE {
            format!(
                "has {} bytes; at most {LONGEST_MEDIA_TYPE} are allowed",
                text.len()
            )
        } else if !visible || !parts {
            "is not a media type; use visible ASCII characters with one slash, such as model/3mf"
                .to_owned()
        } else {
            return Ok(());
        };
        Err(GraphError::InvalidName {
            what: "a file's media type",
            problem,
        })
    }
}

/// The BLAKE3 hash of some bytes; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
#[schemars(extend("pattern" = "^[0-9a-fA-F]{64}$"))]
pub struct ContentHash(#[schemars(with = "String")] pub [u8; 32]);

impl ContentHash {
    /// Hashes bytes.
    pub fn digest(bytes: &[u8]) -> Self {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// The first 8 bytes as a little-endian number.
    pub fn short(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// Error returned when a text is not a content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a content hash: expected 64 hexadecimal digits instead of these {0} bytes")]
pub struct ParseContentHashError(usize);

impl FromStr for ContentHash {
    type Err = ParseContentHashError;

    /// Parses 64 hexadecimal digits of either case.
    fn from_str(text: &str) -> Result<Self, ParseContentHashError> {
        match blake3::Hash::from_hex(text) {
            Ok(hash) => Ok(ContentHash(*hash.as_bytes())),
            Err(_) => Err(ParseContentHashError(text.len())),
        }
    }
}

/// Hexadecimal digits in human-readable formats, bytes in others.
impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; 32]>::deserialize(deserializer).map(ContentHash);
        }
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_they_are_shown() {
        let hash = ContentHash::digest(b"");
        let text = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
        assert_eq!(text.to_uppercase().parse(), Ok(hash));
        for wrong in ["", &text[1..], &text.replace('f', "g"), &format!("{text}0")] {
            let error = ParseContentHashError(wrong.len());
            assert_eq!(wrong.parse::<ContentHash>(), Err(error));
        }
    }

    #[test]
    fn names_and_media_types_are_checked() {
        let check = |name: &str, media_type: &str, sound: bool| {
            let file = File {
                name: name.to_owned(),
                media_type: media_type.to_owned(),
                size: 0,
                content: ContentHash::digest(b""),
            };
            assert_eq!(file.check().is_ok(), sound, "{name} {media_type}");
        };
        check("a.3mf", "model/3mf", true);
        check("Größe 5", "application/vnd.x+json", true);
        check(" ", "model/3mf", false);
        check("a\u{200b}", "model/3mf", false);
        for wrong in [
            "", "/", "model/", "/3mf", "model", "a/b/c", "a/b c", "a/ö", "a/b\n",
        ] {
            check("a", wrong, false);
        }
        check("a", &format!("a/{}", "b".repeat(LONGEST_MEDIA_TYPE)), false);
    }
}
