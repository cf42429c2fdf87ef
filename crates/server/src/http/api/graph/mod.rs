//! The knowledge graph of a project.

mod one;
mod whole;
mod work;

use super::route::Route;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = one::nodes();
    routes.extend(one::edges());
    routes.extend(whole::routes());
    routes
}
