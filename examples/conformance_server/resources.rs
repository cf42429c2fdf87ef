//! The resources, and the template.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::samples::PNG;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

pub(crate) fn list() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "static text").with_mime_type("text/plain"),
        Resource::new(BINARY, "static binary").with_mime_type("image/png"),
        Resource::new(WATCHED, "watched resource").with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("test://template/{id}/data", "data of an id");
    vec![template.with_mime_type("application/json")]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = |text: &str| ResourceContents::text(text, uri).with_mime_type("text/plain");
    let contents = match uri {
        TEXT => text("This is the content of the static text resource."),
        BINARY => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        WATCHED => text("Nothing has happened yet."),
        _ => {
            let id = uri.strip_prefix("test://template/");
            let Some(id) = id.and_then(|rest| rest.strip_suffix("/data")) else {
                let message = format!("there is no resource {uri}");
                let data = json!({ "uri": uri });
                return Err(ErrorData::resource_not_found(message, Some(data)));
            };
            let data = format!("Data for ID: {id}");
            let data = json!({ "id": id, "templateTest": true, "data": data });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
