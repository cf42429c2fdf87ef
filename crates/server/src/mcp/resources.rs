//! Resources: reading them by address, listing them, and completion of the addresses.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::graph::FunctionId;
use fibula_core::library;
use fibula_core::quote::quoted;
use fibula_graph_formats::Format;
use fibula_nodes::names;
use fibula_service::{
    Analyze, EntityPage, ExportGraph, GetFunctionPicture, GetSchema, LARGEST_RESOURCE,
    ListProjects, MakePart, NameCount, PartFormat, PictureFormat, Refusal, Service, Summarize,
    edit_kinds,
};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, JsonObject, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{schema, skills};
use crate::address::{
    Address, CAD_TERMS, EDIT_SCHEMA, FUNCTION, GRAPH, GRAPH_SCHEMA, KIND_SCHEMA, NODE_TYPE,
    PACKAGE, PART, PICTURE, PROJECTS, SCHEMA, SKILL, STRUCTURE, SUMMARY, VIEW, encoded, missing,
    refused, unknown,
};
use crate::http::GRAPHQL_SCHEMA;
use crate::operation::Progress;

const JSON: &str = "application/json";
const JSON_SCHEMA: &str = "application/schema+json";
const MODEL: &str = "model/3mf";
const SVG: &str = "image/svg+xml";
const TEXT: &str = "text/plain";
const GRAPHQL: &str = "application/graphql";
const MARKDOWN: &str = "text/markdown";

/// Lists a page of the resources without parameters; `more` are those of toolsets. Returns the cursor of the next page, too.
///
/// # Errors
/// If the cursor is no number, or the store cannot be read.
pub(super) fn list(
    service: &Service,
    more: impl Iterator<Item = Resource>,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    /// Projects of a page.
    const PAGE: usize = 100;
    let broken = |refusal: Refusal| ErrorData::internal_error(refusal.to_string(), None);
    let mut all = service.project_numbers().map_err(broken)?;
    all.sort_unstable_by_key(|(_, number)| *number);
    let start = match cursor {
        None => 0,
        Some(text) => {
            let after: u64 = text.parse().map_err(|_| unknown_cursor(text))?;
            all.partition_point(|(_, number)| *number <= after)
        }
    };
    let page = &all[start..all.len().min(start + PAGE)];
    let is_last = start + page.len() == all.len();
    let next = page.last().filter(|_| !is_last);
    let next = next.map(|(_, number)| number.to_string());
    let projects = Resource::new(PROJECTS, "projects")
        .with_title("Projects")
        .with_description("Every project with its revision")
        .with_mime_type(JSON);
    let edits = Resource::new(EDIT_SCHEMA, "edits")
        .with_title("Edits of apply_edits")
        .with_description("Arguments of each kind of edit, as a JSON Schema")
        .with_mime_type(JSON_SCHEMA);
    let terms = Resource::new(CAD_TERMS, "CAD terms")
        .with_title("CAD terms")
        .with_description(
            "Expressions for terms of OpenSCAD, CadQuery, build123d, fogleman/sdf and nTop",
        )
        .with_mime_type(MARKDOWN)
        .with_size(library::CAD_TERMS.len() as u64);
    let summary = |name: String| {
        let address = SUMMARY.replace("{project}", &encoded(&name));
        Resource::new(address, format!("{name}/summary"))
            .with_title(format!("Project {name}"))
            .with_description("Its functions and last changes")
            .with_mime_type(JSON)
    };
    let summaries = page.iter().map(|(name, _)| summary(name.clone()));
    let fixed = [projects, edits, terms].into_iter().chain(more);
    let fixed = fixed.filter(|_| cursor.is_none());
    Ok((fixed.chain(summaries).collect(), next))
}

/// Error for what is no cursor of a list.
pub(super) fn unknown_cursor(cursor: &str) -> ErrorData {
    let message = format!(
        "{} is no cursor of this list; pass nextCursor of the previous page, or none",
        quoted(cursor)
    );
    ErrorData::invalid_params(message, None)
}

/// Lists the templates of addresses with parameters.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |address: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(address, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        template(
            SUMMARY,
            "project summary",
            "Project",
            "Its functions and last changes",
        ),
        template(
            STRUCTURE,
            "structure",
            "Structure",
            "Objects, images, volume data, the build, metadata",
        ),
        template(
            PACKAGE,
            "package",
            "3MF file",
            "The project as a 3MF file of at most 8 MiB",
        )
        .with_mime_type(MODEL),
        template(
            PART,
            "part",
            "File of a part",
            "A mesh or slices of a part, as export links to them; at most 8 MiB",
        )
        .with_mime_type("application/octet-stream"),
        template(
            FUNCTION,
            "function",
            "Function",
            "The whole graph of a function",
        ),
        template(
            PICTURE,
            "function picture",
            "Picture of a function",
            "The graph of a function, drawn from left to right, with values and the types of links",
        )
        .with_mime_type(SVG),
        template(
            GRAPH,
            "knowledge graph",
            "Knowledge graph",
            "All nodes and edges; at most 8 MiB",
        ),
        template(
            SCHEMA,
            "knowledge schema",
            "Types of the knowledge graph",
            "Types of nodes and edges, with counts",
        ),
        template(
            KIND_SCHEMA,
            "edit",
            "Kind of edit",
            "Arguments of a kind of edit of apply_edits, as a JSON Schema",
        )
        .with_mime_type(JSON_SCHEMA),
        template(
            NODE_TYPE,
            "node type",
            "Node type",
            "Parameters, ports, overloads and examples of a kind",
        ),
    ]
}

/// Parses an address, with functions by id or by name.
fn parse(service: &Service, address: &str) -> Result<Address, ErrorData> {
    Address::parse(address, |project, name| {
        service.function_named(Some(project), None, name)
    })
}

/// Returns true if reading a resource may take long.
pub(super) fn is_made(service: &Service, address: &str) -> bool {
    matches!(
        parse(service, address),
        Ok(Address::Part(_)
            | Address::Picture(..)
            | Address::Graph(_)
            | Address::Entities
            | Address::GraphSummary)
    )
}

/// Returns true for a resource that is fixed for the process.
pub(super) fn is_fixed(address: &str) -> bool {
    address.starts_with("fibula://schemas/")
        || [CAD_TERMS, SKILL, VIEW, GRAPH_SCHEMA].contains(&address)
}

/// Reads a resource. That of a damaged project has a second content, with a warning.
pub(super) fn read(
    service: &Service,
    address: &str,
    progress: &mut Progress<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let parsed = parse(service, address)?;
    let project = parsed.project().map(str::to_owned);
    let mut result = read_sound(service, address, parsed, progress)?;
    if let Some(project) = project {
        for found in service.found_damage(Some(&project)) {
            let warning = format!("warning: {found}");
            let warning = ResourceContents::text(warning, address).with_mime_type(TEXT);
            result.contents.push(warning);
        }
    }
    Ok(result)
}

fn read_sound(
    service: &Service,
    address: &str,
    parsed: Address,
    progress: &mut Progress<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let text = match parsed {
        Address::Projects => projects_text(service),
        Address::Summary(project) => text(service.project_summary(Some(&project))),
        Address::Structure(project) => text(service.whole_structure(Some(&project))),
        Address::Part(make) => return part(service, address, &make, progress),
        Address::Picture(project, id) => return picture(service, address, project, id, progress),
        Address::Function(project, id) => text(service.whole_function(Some(&project), id)),
        Address::NodeType(name) => text(service.node_type(&name)),
        Address::Graph(project) => return whole_graph(service, address, project),
        Address::Entities => return entities(service, address),
        Address::Schema(project) => text(service.get_schema(&GetSchema {
            project: Some(project),
            ..GetSchema::default()
        })),
        Address::GraphSummary => {
            let summary = graph_summary(service, progress);
            let summary = summary.map_err(|refusal| refused(address, &refusal))?;
            return Ok(contents(summary, address, TEXT));
        }
        Address::GraphSchema => return Ok(contents(GRAPHQL_SCHEMA, address, GRAPHQL)),
        Address::CadTerms => return Ok(contents(library::CAD_TERMS, address, MARKDOWN)),
        Address::Skill => return Ok(contents(skills::TEXT, address, MARKDOWN)),
        Address::EditSchema => {
            return Ok(contents(json!(edits()?).to_string(), address, JSON_SCHEMA));
        }
        Address::KindSchema(kind) => {
            let schema = kind_schema(address, &kind)?;
            return Ok(contents(schema.to_string(), address, JSON_SCHEMA));
        }
    };
    let text = text.map_err(|refusal| missing(address, &refusal))?;
    Ok(contents(text, address, JSON))
}

/// Schema of the edits of `apply_edits`.
fn edits() -> Result<JsonObject, ErrorData> {
    schema::of_edit().map_err(|fault| ErrorData::internal_error(fault, None))
}

/// Schema of the arguments of a kind of edit.
fn kind_schema(address: &str, kind: &str) -> Result<Value, ErrorData> {
    let mut edits = edits()?;
    let kinds = edits.get_mut("properties");
    let found = kinds.and_then(|kinds| kinds.get_mut(kind)).map(Value::take);
    found.ok_or_else(|| {
        let nearest = names::nearest(kind, edit_kinds());
        let kinds = match &nearest[..] {
            [] => edit_kinds().collect::<Vec<_>>().join(", "),
            nearest => nearest.join(", "),
        };
        unknown(address, &format!("kinds of edits are {kinds}"))
    })
}

fn contents(text: impl Into<String>, address: &str, media: &str) -> ReadResourceResult {
    let contents = ResourceContents::text(text, address).with_mime_type(media);
    ReadResourceResult::new(vec![contents])
}

fn too_large_or_missing(address: &str, refusal: &Refusal) -> ErrorData {
    match refusal.code {
        "too_large" => refused(address, refusal),
        _ => missing(address, refusal),
    }
}

/// Reads all nodes and edges, as `export_graph` writes them.
fn whole_graph(
    service: &Service,
    address: &str,
    project: String,
) -> Result<ReadResourceResult, ErrorData> {
    let request = ExportGraph {
        project: Some(project),
        format: Format::Json,
        links: false,
        types: Vec::new(),
        path: None,
        overwrite: false,
        revision: None,
    };
    let bytes = service.graph_bytes(&request, LARGEST_RESOURCE);
    let bytes = bytes.map_err(|refusal| too_large_or_missing(address, &refusal))?;
    Ok(contents(String::from_utf8_lossy(&bytes), address, JSON))
}

/// Reads all entities and relations of the default project, as memory servers write them.
fn entities(service: &Service, address: &str) -> Result<ReadResourceResult, ErrorData> {
    let graph = service.read_entities(None, EntityPage::default());
    let graph = graph.map_err(|refusal| missing(address, &refusal))?;
    let text = serde_json::to_string_pretty(&graph);
    let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    if text.len() as u64 > LARGEST_RESOURCE {
        let message = format!(
            "the graph has {} bytes, more than the {LARGEST_RESOURCE} of a resource",
            text.len()
        );
        let refusal = Refusal::new("too_large", message).hint("read_graph returns it by pages");
        return Err(refused(address, &refusal));
    }
    Ok(contents(text, address, JSON))
}

/// Summarizes the knowledge graph of the default project as text.
fn graph_summary(service: &Service, progress: &mut Progress<'_>) -> Result<String, Refusal> {
    let summary = service.summarize(&Summarize::default())?;
    let counts = |all: &[NameCount]| {
        let line = |one: &NameCount| format!("  {}: {}", one.name, one.count);
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let (nodes, edges) = (summary.node_count, summary.edge_count);
    let mut text = format!("Nodes: {nodes}\nEdges: {edges}");
    if nodes > 0 {
        let found = service.analyze(&Analyze::default(), progress)?;
        if let Some(structure) = found.structure {
            let (density, components) = (structure.density, structure.components);
            let _ = write!(text, "\nDensity: {density:.4}\nComponents: {components}");
        }
    }
    for (title, all) in [
        ("Node types", &summary.node_types),
        ("Edge types", &summary.edge_types),
    ] {
        if !all.is_empty() {
            let _ = write!(text, "\n{title}:\n{}", counts(all));
        }
    }
    Ok(text)
}

/// Reads the graph of a function as a picture.
fn picture(
    service: &Service,
    address: &str,
    project: String,
    function_id: FunctionId,
    progress: &mut Progress<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let request = GetFunctionPicture {
        project: Some(project),
        function_id,
        format: PictureFormat::Svg,
        revision: None,
    };
    let picture = service.function_picture(&request, progress);
    let picture = picture.map_err(|refusal| too_large_or_missing(address, &refusal))?;
    let text = String::from_utf8_lossy(&picture.bytes).into_owned();
    Ok(contents(text, address, SVG))
}

/// Reads a file: the project, a mesh or slices.
fn part(
    service: &Service,
    address: &str,
    make: &MakePart,
    progress: &mut Progress<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let bytes = service.part_bytes(make, progress);
    let bytes = bytes.map_err(|refusal| match refusal.code {
        "unknown_project" => missing(address, &refusal),
        _ => refused(address, &refusal),
    })?;
    let media = make.making.format.media_type();
    let contents = ResourceContents::blob(BASE64.encode(bytes), address).with_mime_type(media);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Parses the address of a resource that exists.
pub(super) fn find(service: &Service, text: &str) -> Result<Address, ErrorData> {
    let address = parse(service, text)?;
    let exists = match &address {
        Address::Projects
        | Address::GraphSchema
        | Address::EditSchema
        | Address::CadTerms
        | Address::Skill => Ok(()),
        Address::Summary(project)
        | Address::Structure(project)
        | Address::Graph(project)
        | Address::Schema(project) => service.project_summary(Some(project)).map(drop),
        Address::GraphSummary | Address::Entities => service.project_summary(None).map(drop),
        Address::Part(make) => service
            .project_summary(make.look.project.as_deref())
            .map(drop),
        Address::Function(project, id) | Address::Picture(project, id) => {
            service.has_function(Some(project), *id)
        }
        Address::NodeType(name) => service.node_type(name).map(drop),
        Address::KindSchema(kind) => return kind_schema(text, kind).map(|_| address),
    };
    exists.map_err(|refusal| missing(text, &refusal))?;
    Ok(address)
}

/// Reads `fibula://projects`.
pub(super) fn projects_text(service: &Service) -> Result<String, Refusal> {
    text(projects(service))
}

/// Lists the first projects, with the call that lists the others.
fn projects(service: &Service) -> Result<Value, Refusal> {
    let listed = service.list_projects(&ListProjects::default())?;
    let mut answer = json!(listed);
    if let Some(cursor) = &listed.next_cursor {
        let (shown, total) = (listed.projects.len(), listed.total);
        answer["next"] = json!(format!(
            "these are the first {shown} of {total} projects; list_projects with cursor: {cursor:?} lists the rest"
        ));
    }
    Ok(answer)
}

fn text<T: Serialize>(answer: Result<T, Refusal>) -> Result<String, Refusal> {
    let answer = answer?;
    serde_json::to_string(&answer).map_err(|error| Refusal::new("internal", error.to_string()))
}

/// Completes an argument of an address or a prompt.
pub(super) fn complete(service: &Service, request: &CompleteRequestParams) -> Vec<String> {
    let start = request.argument.value.as_str();
    let context = request.context.as_ref();
    let known = context.and_then(|context| context.arguments.as_ref());
    let project = known.and_then(|arguments| arguments.get("project"));
    let project = project.map(String::as_str);
    let is_known = match &request.r#ref {
        Reference::Resource(template) => [
            SUMMARY,
            STRUCTURE,
            PACKAGE,
            PART,
            FUNCTION,
            PICTURE,
            GRAPH,
            SCHEMA,
            NODE_TYPE,
            KIND_SCHEMA,
        ]
        .contains(&template.uri.as_str()),
        Reference::Prompt(_) => true,
        _ => false,
    };
    let mut values = match request.argument.name.as_str() {
        _ if !is_known => Vec::new(),
        "project" => service.project_names(start),
        "id" | "function_id" => service.function_keys(project, start),
        "name" => service.node_type_names(start),
        "kind" => {
            let kinds = edit_kinds().filter(|kind| kind.starts_with(start));
            kinds.map(str::to_owned).collect()
        }
        "format" => formats(start),
        _ => Vec::new(),
    };
    values.truncate(100);
    values
}

/// Lists the formats of parts with a prefix.
fn formats(start: &str) -> Vec<String> {
    let names = PartFormat::all().map(PartFormat::name);
    names
        .filter(|name| name.starts_with(start))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};
    use std::ops::ControlFlow;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;
    use fibula_core::edit::Origin;
    use fibula_service::Import;

    #[test]
    fn a_package_that_is_too_large_is_to_be_fetched_elsewhere() {
        // What cannot be packed any smaller.
        let mut state = 1_u64;
        let mut noise = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 56) as u8
        };
        let size = usize::try_from(LARGEST_RESOURCE).expect("it is small");
        let attachment: Vec<u8> = (0..size).map(|_| noise()).collect();
        let related = |target: &str, relation: &str| {
            format!(
                r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r" Target="{target}" Type="{relation}"/></Relationships>"#
            )
        };
        let model = related(
            "/3D/3dmodel.model",
            "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel",
        );
        let noise = related("/Metadata/noise.bin", "http://example.com/noise");
        let xml = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="1"><components/></object></resources><build/></model>"#;
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in [
            ("_rels/.rels", model.as_bytes()),
            ("3D/3dmodel.model", xml.as_bytes()),
            ("3D/_rels/3dmodel.model.rels", noise.as_bytes()),
            ("Metadata/noise.bin", &attachment),
        ] {
            let options = SimpleFileOptions::default();
            writer.start_file(name, options).expect("an entry");
            writer.write_all(bytes).expect("its bytes");
        }
        let package = writer.finish().expect("a package").into_inner();
        let service = Service::default();
        let import = Import {
            content: Some(BASE64.encode(package)),
            ..Import::default()
        };
        let imported = service.import(&Origin::program("test", "package"), import);
        imported.expect("it is a package");
        let refused = read(
            &service,
            "fibula://projects/default/package.3mf",
            &mut |_, _| ControlFlow::Continue(()),
        );
        let refused = refused.expect_err("it is too large");
        let text = "too_large: the file exceeds the 8388608 bytes of a resource; export with a path writes it at any \
                    size, and GET /api/projects/{project}/export.3mf returns it";
        assert!(refused.message.starts_with(text), "{}", refused.message);
    }

    #[test]
    fn a_page_of_projects_says_that_there_are_more() {
        use fibula_service::CreateProject;
        let service = Service::default();
        assert_eq!(projects(&service).expect("a list").get("next"), None);
        for number in 0..2_000 {
            let project = format!("p{number}");
            service
                .create_project(CreateProject { project })
                .expect("a project");
        }
        let answer = projects(&service).expect("a list");
        let next = answer["next"].as_str().expect("a text");
        assert!(next.contains("of 2001 projects; list_projects"), "{next}");
    }
}
