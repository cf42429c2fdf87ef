//! Routes whose work may take long.

use axum::http::Method;
use fibula_core::edit::Origin;
use fibula_service::{Refusal, Service};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::api::job::{Watch, Work};
use crate::http::api::route::{Call, Route};

/// A route that reads what may take long.
pub(super) fn later<R, A>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    answer: impl Fn(&Service, R) -> Result<A, Refusal> + Copy + Send + Sync + 'static,
) -> Route
where
    R: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
{
    Route::work(method, path, id, summary, move |call: &Call, request: R| {
        let service = call.service.clone();
        Ok(Work::Later(Box::new(move |_| answer(&service, request))))
    })
}

/// A route that reads, which is watched and may be ended.
pub(super) fn watched<R, A>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    answer: impl Fn(&Service, R, &mut Watch<'_>) -> Result<A, Refusal> + Copy + Send + Sync + 'static,
) -> Route
where
    R: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
{
    let work = move |call: &Call, request: R| {
        let service = call.service.clone();
        let long = move |watch: &mut Watch<'_>| answer(&service, request, watch);
        Ok(Work::Later(Box::new(long)))
    };
    Route::work(Method::POST, path, id, summary, work).reads()
}

/// A route that changes, which is watched and may be ended.
pub(super) fn watched_for<R, A>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    answer: impl Fn(&Service, &Origin, R, &mut Watch<'_>) -> Result<A, Refusal>
    + Copy
    + Send
    + Sync
    + 'static,
) -> Route
where
    R: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
{
    let work = move |call: &Call, request: R| {
        let (service, origin) = (call.service.clone(), call.origin.clone());
        let long = move |watch: &mut Watch<'_>| answer(&service, &origin, request, watch);
        Ok(Work::Later(Box::new(long)))
    };
    Route::work(Method::POST, path, id, summary, work)
}

/// A route that changes what may take long.
pub(super) fn later_for<R, A>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    answer: impl Fn(&Service, &Origin, R) -> Result<A, Refusal> + Copy + Send + Sync + 'static,
) -> Route
where
    R: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
{
    Route::work(method, path, id, summary, move |call: &Call, request: R| {
        let (service, origin) = (call.service.clone(), call.origin.clone());
        Ok(Work::Later(Box::new(move |_| {
            answer(&service, &origin, request)
        })))
    })
}
