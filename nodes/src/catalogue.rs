//! Every node kind that the program was linked with.
//!
//! The order in which kinds are registered is the linker's; everything here is sorted by family and name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::names::{self, UnknownName};
use crate::node::{Entry, KindInfo};

struct Catalogue {
    kinds: Vec<&'static KindInfo>,
    by_name: HashMap<&'static str, &'static KindInfo>,
    by_element: HashMap<&'static str, &'static KindInfo>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut kinds: Vec<&'static KindInfo> = inventory::iter::<Entry>
        .into_iter()
        .map(|entry| (entry.0)().info())
        .collect();
    kinds.sort_by_key(|about| (about.family, about.name));
    let by_name = kinds.iter().map(|&about| (about.name, about)).collect();
    let native = kinds.iter().filter(|about| about.native);
    let by_element = native
        .flat_map(|&about| {
            let aliases = about.aliases.iter().map(move |&alias| (alias, about));
            aliases.chain([(about.element, about)])
        })
        .collect();
    Catalogue {
        kinds,
        by_name,
        by_element,
    }
});

/// Every kind, by family and then by name.
pub fn catalogue() -> &'static [&'static KindInfo] {
    &CATALOGUE.kinds
}

/// The kind called `name`: its name, element or an alias, exactly or alone in ignoring ASCII case.
///
/// # Errors
/// [`UnknownName`] with the nearest names of kinds.
pub fn kind(name: &str) -> Result<&'static KindInfo, UnknownName> {
    if let Some(about) = CATALOGUE.by_name.get(name) {
        return Ok(about);
    }
    let kinds = catalogue();
    let all = kinds.iter().enumerate().flat_map(|(index, about)| {
        let aliases = about.aliases.iter().map(move |&alias| (index, alias));
        [(index, about.name), (index, about.element)]
            .into_iter()
            .chain(aliases)
    });
    match names::find(name, all) {
        Ok(index) => Ok(kinds[index]),
        Err(unknown) => {
            let mut nearest: Vec<String> = Vec::new();
            for near in unknown.nearest {
                let about = kinds.iter().find(|about| {
                    about.name == near
                        || about.element == near
                        || about.aliases.contains(&near.as_str())
                });
                let name = about.map_or(near.clone(), |about| about.name.to_owned());
                if !nearest.contains(&name) {
                    nearest.push(name);
                }
            }
            Err(UnknownName { nearest })
        }
    }
}

/// The native kind of a 3MF element, in either dialect (`asin` or `arcsin`).
pub fn by_element(element: &str) -> Option<&'static KindInfo> {
    CATALOGUE.by_element.get(element).copied()
}
