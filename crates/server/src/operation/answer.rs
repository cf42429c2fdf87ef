//! Answers of operations: JSON of any type, content blocks of a tool, or a file.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_service::Refusal;
use rmcp::model::ContentBlock;
use serde::Serialize;
use serde_json::{Value, json};

use super::Progress;

/// The answer of a tool as content blocks, for tools whose answer is not one JSON object: prose, pictures, links.
#[derive(Debug, Clone, Default)]
pub struct ToolAnswer {
    /// The blocks, in their order.
    pub content: Vec<ContentBlock>,
    /// The same as JSON, if the tool has a schema of its answer.
    pub structured: Option<Value>,
}

impl ToolAnswer {
    /// An answer of one block of text.
    pub fn text(text: impl Into<String>) -> Self {
        ToolAnswer {
            content: vec![ContentBlock::text(text.into())],
            structured: None,
        }
    }

    /// An answer of one block of JSON with line breaks.
    ///
    /// # Errors
    /// A [`Refusal`] `internal` if the value cannot be written as JSON.
    pub fn pretty(value: &impl Serialize) -> Result<Self, Refusal> {
        let text = serde_json::to_string_pretty(value);
        text.map(ToolAnswer::text)
            .map_err(|error| Refusal::new("internal", error.to_string()))
    }

    /// The answer with `structuredContent`.
    #[must_use]
    pub fn with_structured(self, structured: Value) -> Self {
        ToolAnswer {
            structured: Some(structured),
            ..self
        }
    }

    /// An answer of JSON; with a picture, the picture and then the JSON as text: clients would show
    /// `structuredContent` instead.
    ///
    /// # Errors
    /// A [`Refusal`] `internal` if the value cannot be written as JSON.
    pub(crate) fn with_picture(
        value: &impl Serialize,
        png: Option<Vec<u8>>,
    ) -> Result<Self, Refusal> {
        let json = serde_json::to_value(value)
            .map_err(|error| Refusal::new("internal", error.to_string()))?;
        let text = ToolAnswer::text(json.to_string());
        let Some(png) = png else {
            return Ok(text.with_structured(json));
        };
        let mut answer =
            ToolAnswer::default().with_block(ContentBlock::image(BASE64.encode(png), PNG));
        answer.content.extend(text.content);
        Ok(answer)
    }

    /// The answer with one more block.
    #[must_use]
    pub fn with_block(mut self, block: ContentBlock) -> Self {
        self.content.push(block);
        self
    }
}

/// Media types of a body or a file that is only bytes.
pub(crate) const BYTES: [&str; 2] = ["application/octet-stream", "model/3mf"];

/// Media type of pictures of shapes.
pub(crate) const PNG: &str = "image/png";

/// An answer that is a file, sent while it is written.
pub(crate) struct Download {
    pub(crate) media: &'static str,
    /// File name proposed to the client.
    pub(crate) name: String,
    pub(crate) headers: DownloadHeaders,
    pub(crate) write: Box<WriteFile>,
}

/// Writes a file.
pub(crate) type WriteFile =
    dyn FnOnce(&mut (dyn Write + Send), &mut Progress<'_>) -> Result<(), Refusal> + Send;

/// Metadata of a file that is sent in headers of its response.
#[derive(Debug, Default)]
pub(crate) struct DownloadHeaders {
    /// Revision that the file shows, in `fibula-revision`.
    pub(crate) revision: Option<u64>,
    /// Warnings, in `fibula-warnings`: a JSON list of texts.
    pub(crate) warnings: Vec<String>,
}

impl Download {
    /// A file whose bytes are already known.
    pub(crate) fn from_bytes(media: &'static str, name: String, bytes: Vec<u8>) -> Self {
        Download {
            media,
            name,
            headers: DownloadHeaders::default(),
            write: Box::new(move |to, _| to.write_all(&bytes).map_err(|_| Refusal::cancelled())),
        }
    }

    /// The file with the revision that it shows and warnings in its headers.
    pub(crate) fn with_headers(mut self, revision: u64, warnings: Vec<String>) -> Self {
        let revision = Some(revision);
        self.headers = DownloadHeaders { revision, warnings };
        self
    }
}

/// The answer of an operation.
pub(crate) enum Answer {
    /// An answer of any type: tools take it as a [`Value`], routes as text in the order of the type's fields.
    Json(Box<dyn erased_serde::Serialize + Send>),
    Tool(ToolAnswer),
    File(Download),
}

impl Answer {
    /// The answer with more `warnings`: in its JSON object, in blocks of text after the others, or in the headers of the
    /// file.
    pub(crate) fn with_warnings(self, warnings: Vec<String>) -> Self {
        match self {
            Answer::Json(answer) => match serde_json::to_value(&answer) {
                Ok(mut json) => {
                    append_warnings(&mut json, &warnings);
                    Answer::Json(Box::new(json))
                }
                // Whoever sends it reports the error.
                Err(_) => Answer::Json(answer),
            },
            Answer::Tool(mut answer) => {
                if let Some(json) = &mut answer.structured {
                    append_warnings(json, &warnings);
                }
                let texts = warnings.into_iter();
                let texts = texts.map(|text| ContentBlock::text(format!("warning: {text}")));
                answer.content.extend(texts);
                Answer::Tool(answer)
            }
            Answer::File(mut file) => {
                file.headers.warnings.extend(warnings);
                Answer::File(file)
            }
        }
    }
}

/// Appends to the member `warnings` of an object.
fn append_warnings(json: &mut Value, warnings: &[String]) {
    let Value::Object(members) = json else {
        return;
    };
    let list = members.entry("warnings").or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        list.extend(warnings.iter().map(|text| json!(text)));
    }
}
