//! The OpenAPI 3.1 document, generated from the routes and the schemas of their requests and answers.
//!
//! Schemas of OpenAPI 3.1 are JSON Schema, so those of schemars are used directly, except for what utoipa's model does
//! not support: a schema without a type gets all types, a constant becomes an enumeration of one value.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::body::Bytes;
use axum::http::Method;
use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem,
    PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr,
    Required, ResponseBuilder, Schema,
};

use super::fields::FieldLocation;
use super::route::{ResponseForm, Route};
use super::routes;
use crate::http::refusal::Refused;
use crate::operation::{BYTES, SchemaOf};

/// JSON pointer of the definitions.
const DEFINITIONS: &str = "/components/schemas";

const ABOUT: &str = "\
Projects of function graphs: the same requests, answers and refusals as those of the MCP tools.

The conditions of a write are in the query: with `expected_revision` it fails with 409 unless the project is at that \
revision, with `dry_run=true` it is only validated. Everything else is in the path and in a JSON body. A refused \
request changes nothing; its answer has a stable `code`, a `message`, a `hint` and `details`. The history names the \
client by the header `X-Fibula-Client`, or else by its User-Agent; `page` is a person.";

/// Returns the document of all routes.
pub fn document() -> OpenApi {
    let mut schemas = Schemas::new();
    let mut paths = PathsBuilder::new();
    for route in routes() {
        let operation = schemas.operation(&route);
        let item = PathItem::new(method(&route.spec.method), operation);
        paths = paths.path(route.spec.path, item);
    }
    let refused = schemas.answers.subschema_for::<Refused<'_>>();
    let refused = ResponseBuilder::new()
        .description("The request was refused; nothing was changed.")
        .content("application/json", content(refused.to_value()))
        .build();
    let mut components = ComponentsBuilder::new().response("Refused", refused);
    for (name, definition) in schemas.definitions() {
        components = components.schema(name, model(definition));
    }
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let components = components.security_scheme("token", token).build();
    let license = LicenseBuilder::new()
        .name("MIT OR Apache-2.0")
        .identifier(Some("MIT OR Apache-2.0"))
        .build();
    let info = InfoBuilder::new()
        .title("Fibula")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(license))
        .build();
    let no_scopes: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info)
        .paths(paths.build())
        .components(Some(components))
        .security(Some([
            SecurityRequirement::default(),
            SecurityRequirement::new("token", no_scopes),
        ]))
        .build()
}

/// Returns the document as JSON; it is generated once.
pub(super) fn text() -> Bytes {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let write = || serde_json::to_vec(&document()).unwrap_or_default().into();
    TEXT.get_or_init(write).clone()
}

/// Generators of the schemas of requests and of answers, which differ: a field with a default is optional in a request
/// and always present in an answer.
struct Schemas {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
    bodies: BTreeMap<String, Value>,
}

impl Schemas {
    fn new() -> Self {
        let generator = |contract: Contract| {
            let set = |settings: &mut SchemaSettings| {
                settings.definitions_path = DEFINITIONS.into();
                settings.contract = contract;
            };
            SchemaSettings::draft2020_12().with(set).into_generator()
        };
        Schemas {
            requests: generator(Contract::Deserialize),
            answers: generator(Contract::Serialize),
            bodies: BTreeMap::new(),
        }
    }

    /// Returns every definition by name, in the form that utoipa's model supports.
    fn definitions(&mut self) -> BTreeMap<String, Value> {
        let requests = self.requests.take_definitions(true).into_iter();
        let answers = self.answers.take_definitions(true).into_iter();
        let bodies = std::mem::take(&mut self.bodies).into_iter();
        let all = requests.chain(answers).chain(bodies);
        all.map(|(name, schema)| (name, simplify(schema))).collect()
    }

    fn operation(&mut self, route: &Route) -> Operation {
        let mut request = (route.request)(&mut self.requests).to_value();
        let properties = request.get_mut("properties").map(Value::take);
        let Some(Value::Object(mut properties)) = properties else {
            return self.answered(route, OperationBuilder::new());
        };
        let mut operation = OperationBuilder::new();
        for field in &route.fields.list {
            let Some(schema) = properties.get(&field.name) else {
                continue;
            };
            let location = match field.location {
                FieldLocation::Path => ParameterIn::Path,
                FieldLocation::Query => ParameterIn::Query,
                FieldLocation::Body => continue,
            };
            let (name, required) = (&field.name, field.required);
            operation = operation.parameter(parameter(name, location, required, schema.clone()));
        }
        let body: Vec<_> = route.fields.at(FieldLocation::Body).collect();
        if !body.is_empty() {
            let required = body.iter().filter(|field| field.required);
            let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
            let needed = !required.is_empty();
            request["required"] = json!(required);
            properties.retain(|name, _| body.iter().any(|field| field.name == *name));
            request["properties"] = Value::Object(properties);
            let name = format!("{}Body", pascal(route.spec.id));
            let reference = json!({ "$ref": format!("#{DEFINITIONS}/{name}") });
            self.bodies.insert(name, request);
            operation = operation.request_body(Some(request_body(route, reference, needed)));
        }
        self.answered(route, operation)
    }

    /// Adds texts and responses to an operation.
    fn answered(&mut self, route: &Route, operation: OperationBuilder) -> Operation {
        const JSON: &[&str] = &["application/json"];
        let mut schema = |schema: SchemaOf| schema(&mut self.answers).to_value();
        let (description, media, schema) = match route.response {
            ResponseForm::Json(answer) => ("The result.".to_owned(), JSON, schema(answer)),
            ResponseForm::Events(name, event) => (
                format!("The events; the schema describes the data of a `{name}`."),
                &["text/event-stream"][..],
                schema(event),
            ),
            ResponseForm::File(media) => ("The file, streamed.".to_owned(), media, binary()),
            ResponseForm::Document => {
                let any = json!({ "type": "object" });
                ("The document.".to_owned(), JSON, any)
            }
        };
        let response = ResponseBuilder::new().description(description);
        let response = media.iter().fold(response, |response, media| {
            response.content(*media, content(schema.clone()))
        });
        let refused = || RefOr::Ref(Ref::from_response_name("Refused"));
        operation
            .operation_id(Some(route.spec.id))
            .summary(Some(route.spec.summary))
            .description((!route.spec.description.is_empty()).then_some(route.spec.description))
            .tag(route.group)
            .response("200", response.build())
            .response("4XX", refused())
            .response("5XX", refused())
            .build()
    }
}

fn method(method: &Method) -> HttpMethod {
    match *method {
        Method::POST => HttpMethod::Post,
        Method::PUT => HttpMethod::Put,
        Method::PATCH => HttpMethod::Patch,
        Method::DELETE => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

/// Converts "create_node" to "CreateNode".
fn pascal(id: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    id.split('_').map(word).collect()
}

fn parameter(name: &str, location: ParameterIn, required: bool, schema: Value) -> Parameter {
    let mut schema = simplify(schema);
    let members = schema.as_object_mut();
    let described = members.and_then(|members| members.remove("description"));
    let description = match (name, &described) {
        ("project", _) => Some("The project's name."),
        ("expected_revision", _) => Some("Fail with 409 unless the project is at this revision."),
        ("dry_run", _) => Some("Validate only; change nothing."),
        (_, Some(Value::String(text))) => Some(text.as_str()),
        (_, Some(_) | None) => None,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(location)
        .required(required_if(required))
        .description(description)
        .schema(Some(model(without_null(schema))))
        .build()
}

fn required_if(is_required: bool) -> Required {
    if is_required {
        Required::True
    } else {
        Required::False
    }
}

fn request_body(route: &Route, schema: Value, needed: bool) -> RequestBody {
    let mut body = RequestBodyBuilder::new()
        .content("application/json", content(schema))
        .required(Some(required_if(needed)));
    for file in BYTES.iter().filter(|_| route.spec.takes_files) {
        body = body.content(*file, content(binary()));
    }
    body.build()
}

/// Returns the schema of a file.
fn binary() -> Value {
    json!({ "type": "string", "format": "binary" })
}

fn content(schema: Value) -> Content {
    Content::new(Some(model(simplify(schema))))
}

/// Converts a plain schema to utoipa's model. A test checks that it loses nothing.
fn model(schema: Value) -> RefOr<Schema> {
    serde_json::from_value(schema).unwrap_or_else(|_| RefOr::T(Schema::default()))
}

/// Converts a schema to the form that utoipa's model supports.
fn simplify(schema: Value) -> Value {
    const SINGLE: [&str; 2] = ["items", "additionalProperties"];
    const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
    const KINDS: [&str; 6] = ["object", "array", "string", "number", "boolean", "null"];
    let mut members = match schema {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    members.remove("$schema");
    members.remove("title");
    members.retain(|name, value| name != "default" || !value.is_null());
    if let Some(constant) = members.remove("const") {
        members.insert("enum".to_owned(), json!([constant]));
    }
    if let Some(Value::String(text)) = members.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for property in properties.values_mut() {
            *property = simplify(property.take());
        }
    }
    for name in SINGLE {
        match members.get_mut(name) {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) if name == "additionalProperties" => {}
            Some(schema) => *schema = simplify(schema.take()),
        }
    }
    for name in LISTS {
        if let Some(Value::Array(list)) = members.get_mut(name) {
            for schema in list {
                *schema = simplify(schema.take());
            }
        }
    }
    let says = ["type", "$ref", "enum", "anyOf", "oneOf", "allOf"];
    if !says.iter().any(|name| members.contains_key(*name)) {
        members.insert("type".to_owned(), json!(KINDS));
    }
    Value::Object(members)
}

/// Removes null, which a query cannot express.
fn without_null(mut schema: Value) -> Value {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    }
    if let Some(Value::Array(list)) = schema.get_mut("anyOf") {
        list.retain(|member| member.get("type") != Some(&json!("null")));
        if let [only] = &list[..] {
            return only.clone();
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_loses_nothing_of_a_schema() {
        let mut schemas = Schemas::new();
        for route in routes() {
            schemas.operation(&route);
        }
        let asked = schemas.requests.definitions().clone();
        for (name, answered) in schemas.answers.definitions() {
            if let Some(asked) = asked.get(name) {
                assert_eq!(asked, answered, "{name} is both asked and answered");
            }
            assert!(!schemas.bodies.contains_key(name), "{name} is a body, too");
        }
        let definitions = schemas.definitions();
        assert!(definitions.len() > 40, "{}", definitions.len());
        for (name, plain) in definitions {
            let held = serde_json::to_value(model(plain.clone())).expect("it is JSON");
            assert_eq!(held, bare(plain), "{name}");
        }
    }

    /// Removes empty lists, which the model leaves out.
    fn bare(schema: Value) -> Value {
        match schema {
            Value::Object(members) => members
                .into_iter()
                .filter(|(name, value)| name != "required" || *value != json!([]))
                .map(|(name, value)| (name, bare(value)))
                .collect(),
            other => other,
        }
    }
}
