//! `POST /graphql`: read-only GraphQL queries on knowledge graphs.
//!
//! The cost of a query is limited: its depth and number of fields, with fragments expanded, before it is executed; its
//! duration and the size of its answer while it is. src/graph.graphql is the schema; a test compares it.

mod field_count;
mod graph;

use std::sync::Arc;

use async_graphql::{EmptyMutation, EmptySubscription, Request, Response, Schema, ServerError};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{Extensions, HeaderMap};
use axum::routing::post;
use fibula_service::Service;

use field_count::{MAX_DOCUMENT_DEPTH, count_fields};
use graph::{Budget, Query};

use crate::http::PermitOfRequest;
use crate::metrics::{self, Metrics};
use crate::request_id;
use crate::slots::Slots;

/// Surface of the queries in metrics.
const SURFACE: &str = "graphql";
/// Maximum depth of a query.
const MAX_DEPTH: usize = 12;
/// Maximum number of fields of an answer.
const MAX_FIELDS: usize = 20_000;
/// Maximum number of concurrent queries.
const MAX_CONCURRENT: usize = 2;

/// The executable schema.
type GraphSchema = Schema<Query, EmptyMutation, EmptySubscription>;

/// Builds the schema of a service.
fn schema(service: Arc<Service>) -> GraphSchema {
    Schema::build(Query::new(service), EmptyMutation, EmptySubscription)
        .limit_depth(MAX_DEPTH)
        .limit_complexity(MAX_FIELDS)
        .finish()
}

/// State of the route.
#[derive(Clone)]
struct GraphqlState {
    service: Arc<Service>,
    schema: GraphSchema,
    metrics: Arc<Metrics>,
    slots: Arc<Slots>,
}

/// Returns the route.
pub(super) fn routes(service: Arc<Service>, metrics: Arc<Metrics>) -> Router {
    let slots = Slots::new(MAX_CONCURRENT);
    metrics.observe(SURFACE, &slots);
    let state = GraphqlState {
        schema: schema(service.clone()),
        service,
        metrics,
        slots,
    };
    Router::new()
        .route("/graphql", post(answer))
        // The guard limits bodies.
        .layer(DefaultBodyLimit::disable())
        .with_state(state)
}

/// Executes on a thread that may block, since a query may scan the whole graph.
async fn answer(
    State(state): State<GraphqlState>,
    headers: HeaderMap,
    extensions: Extensions,
    axum::Json(request): axum::Json<Request>,
) -> axum::Json<Response> {
    let id = request_id::get(&headers);
    let mut running = state.metrics.begin(SURFACE, &"query".into(), &id);
    let broken = |message: &str| Response::from_errors(vec![ServerError::new(message, None)]);
    let Ok(slot) = state.slots.acquire().await else {
        return axum::Json(broken("the server is shutting down"));
    };
    let runtime = tokio::runtime::Handle::current();
    let held = (slot, PermitOfRequest::hold(&extensions));
    let answer = move || {
        let answer = runtime.block_on(execute(&state.schema, request));
        drop(held);
        let found = state.service.found_damage(None);
        if found.is_empty() {
            return answer;
        }
        let texts = found
            .iter()
            .map(|found| async_graphql::Value::from(found.to_string()));
        answer.extension("warnings", async_graphql::Value::List(texts.collect()))
    };
    let answered = tokio::task::spawn_blocking(answer).await;
    running.end(match &answered {
        Ok(answer) if answer.is_ok() => metrics::OK,
        Ok(_) => "query_error",
        Err(_) => "internal",
    });
    axum::Json(answered.unwrap_or_else(|_| broken("the query panicked")))
}

/// Executes a query, unless it is too large.
async fn execute(schema: &GraphSchema, mut request: Request) -> Response {
    match request.parsed_query() {
        Err(error) => return Response::from_errors(vec![error]),
        Ok(document) if count_fields(document).is_none() => {
            let message = format!(
                "the query selects more than {MAX_FIELDS} fields and fragments, is more than {MAX_DOCUMENT_DEPTH} \
                 levels deep, or has cyclic fragments"
            );
            return Response::from_errors(vec![ServerError::new(message, None)]);
        }
        Ok(_) => {}
    }
    schema.execute(request.data(Budget::new())).await
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use fibula_core::edit::Origin;
    use fibula_service::AddNodes;

    /// Genes and what they do to each other.
    fn genes() -> GraphSchema {
        let service = Arc::new(Service::default());
        let request: AddNodes = serde_json::from_value(serde_json::json!({
            "nodes": [
                { "id": "a", "label": "TP53", "types": "gene", "observations": ["on 17p13"], "data": { "exons": 11 } },
                { "id": "b", "label": "MDM2", "types": "gene" },
                { "id": "c", "label": "Nutlin-3", "types": "drug", "position": [1, 2] },
            ],
            "edges": [
                { "source": "b", "target": "a", "type": "inhibits", "weight": 2.5 },
                { "source": "c", "target": "b", "type": "inhibits", "valid_from": "2004-01-02" },
            ],
        }))
        .expect("a request");
        let origin = Origin::program("test", "genes");
        service.add_nodes(&origin, request).expect("they are added");
        schema(service)
    }

    fn ask(schema: &GraphSchema, question: &str) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let answer = execute(schema, Request::new(question));
        let answer = runtime.expect("a runtime").block_on(answer);
        serde_json::to_value(answer).expect("JSON")
    }

    #[test]
    fn the_schema_is_the_one_that_is_shown() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/graph.graphql");
        let sdl = genes().sdl();
        if std::env::var_os("FIBULA_BLESS").is_some() {
            std::fs::write(&path, &sdl).expect("the file can be written");
        }
        let shown = std::fs::read_to_string(&path).expect("the file can be read");
        assert!(
            shown == sdl,
            "src/graph.graphql is not the schema; run FIBULA_BLESS=1 cargo test -p fibula-server graphql"
        );
    }

    #[test]
    fn questions_are_answered() {
        let schema = genes();
        let check = |question: &str, expected: Value| {
            let answer = ask(&schema, question);
            assert_eq!(answer["data"]["graph"], expected, "{question}: {answer}");
        };
        check(
            "{ graph { nodeCount edgeCount nodeTypes { name count } } }",
            serde_json::json!({ "nodeCount": 3, "edgeCount": 2,
                "nodeTypes": [{ "name": "drug", "count": 1 }, { "name": "gene", "count": 2 }] }),
        );
        check(
            "{ graph { node(id: \"tp53\") { id types data observations { text } degree
               edges { type weight source { label } } neighbors { label position { x y } } } } }",
            serde_json::json!({ "node": { "id": "a", "types": ["gene"], "data": { "exons": 11 },
                "observations": [{ "text": "on 17p13" }], "degree": 1,
                "edges": [{ "type": "inhibits", "weight": 2.5, "source": { "label": "MDM2" } }],
                "neighbors": [{ "label": "MDM2", "position": null }] } }),
        );
        check(
            "{ graph { nodes(type: \"GENE\", first: 1, offset: 1) { label } edges(type: \"inhibits\") { validFrom } } }",
            serde_json::json!({ "nodes": [{ "label": "MDM2" }],
                "edges": [{ "validFrom": null }, { "validFrom": "2004-01-02T00:00:00.000Z" }] }),
        );
        check(
            "{ graph { search(query: \"17p13\") { node { label } snippet }
               path(source: \"c\", target: \"a\") { label } } }",
            serde_json::json!({ "search": [{ "node": { "label": "TP53" }, "snippet": "on 17p13" }],
                "path": [{ "label": "Nutlin-3" }, { "label": "MDM2" }, { "label": "TP53" }] }),
        );
        check(
            "{ graph { node(id: \"nobody\") { id } } }",
            serde_json::json!({ "node": null }),
        );
    }

    #[test]
    fn what_costs_too_much_is_refused() {
        let schema = genes();
        let errors = |question: &str| ask(&schema, question)["errors"][0].clone();
        let wide = errors("{ graph { nodes(first: 100000) { label } } }");
        assert_eq!(wide["message"], "Query is too complex.");
        let deep = |levels: usize| {
            let inner = "neighbors(first: 1) { ".repeat(levels) + "id" + &" }".repeat(levels);
            errors(&format!("{{ graph {{ nodes(first: 1) {{ {inner} }} }} }}"))
        };
        assert_eq!(deep(8), Value::Null);
        assert_eq!(deep(10)["message"], "Query is nested too deep.");
        // Lists that are wanted empty are looked for all the same.
        let aliases = |count: usize, field: &str| {
            let all: Vec<String> = (0..count).map(|n| format!("a{n}: {field}")).collect();
            format!("{{ graph {{ node(id: \"a\") {{ {} }} }} }}", all.join(" "))
        };
        let many = errors(&aliases(2_000, "neighbors(first: 0) { id }"));
        assert_eq!(many["message"], "Query is too complex.");
        let message = "the query selects more than 20000 fields and fragments";
        let says = |error: &Value| {
            error["message"]
                .as_str()
                .is_some_and(|text| text.starts_with(message))
        };
        assert!(says(&errors(&aliases(20_001, "id"))));
        // Fragments of fragments are counted, not put in; whether something is in the last of them or it is unknown.
        let levels = (0..30).map(|level| {
            let next = format!("...f{} ", level + 1).repeat(20);
            format!(" fragment f{level} on Graph {{ {next} }}")
        });
        let unfinished = "{ graph { ...f0 } }".to_owned() + &levels.collect::<String>();
        let bomb = unfinished.clone() + " fragment f30 on Graph { nodeCount }";
        assert!(says(&errors(&bomb)));
        assert!(says(&errors(&unfinished)));
        let circle = "{ graph { ...a } } fragment a on Graph { ...b } fragment b on Graph { ...a }";
        assert!(says(&errors(circle)));
        let unknown = errors("{ graph(project: \"nowhere\") { nodeCount } }");
        let code = &unknown["extensions"]["code"];
        assert_eq!(code, "unknown_project", "{unknown}");
        assert!(errors("{ graph { nothing } }")["message"].is_string());
    }

    #[test]
    fn answers_have_a_size() {
        let service = Arc::new(Service::default());
        let long = "x".repeat(100_000);
        let nodes: Vec<Value> = (0..300)
            .map(|n| serde_json::json!({ "label": format!("node {n}"), "types": "thing", "data": { "long": long } }))
            .collect();
        let request = serde_json::from_value(serde_json::json!({ "nodes": nodes }));
        let origin = Origin::program("test", "things");
        service
            .add_nodes(&origin, request.expect("a request"))
            .expect("they are added");
        let schema = schema(service);
        let large = ask(&schema, "{ graph { nodes(first: 300) { data } } }");
        let message = large["errors"][0]["message"].as_str().expect("a text");
        assert!(
            message.starts_with("the answer exceeds 8388608 bytes"),
            "{message}"
        );
        let found = ask(
            &schema,
            "{ graph { search(query: \"node\", first: 300) { node { id } } } }",
        );
        let found = found["data"]["graph"]["search"].as_array().map(Vec::len);
        assert_eq!(found, Some(300));
    }
}
