//! Index of references: for each function or resource, its referrers.
//!
//! It is derived from the functions, resources and build items and maintained incrementally, so that edits need not
//! search all of them. It is neither serialized nor hashed.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::ResourceId;

use super::document::Document;
use super::function::Function;
use super::ids::FunctionId;
use super::model::BuildItem;
use super::resource::Resource;

/// Source of a reference to a function or resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Referrer {
    /// Nodes of a function.
    Function(FunctionId),
    /// An image function, an object or another resource of the model.
    Resource(ResourceId),
    /// An item of the build.
    Item(u32),
}

impl Referrer {
    const FIRST: Referrer = Referrer::Function(FunctionId(0));
    const LAST: Referrer = Referrer::Item(u32::MAX);
}

/// All references of a document.
#[derive(Debug, Clone, Default)]
pub(super) struct ReferenceIndex {
    /// Pairs of a target and its referrer.
    all: BTreeSet<(ResourceId, Referrer)>,
    /// Targets of each function: updates know only the new ones.
    functions: BTreeMap<FunctionId, BTreeSet<ResourceId>>,
}

impl ReferenceIndex {
    /// Updates the references of a function; `None` if it was removed.
    pub(super) fn set_function(&mut self, id: FunctionId, function: Option<&Function>) {
        let references = function.into_iter().flat_map(Function::references);
        let now: BTreeSet<ResourceId> = references.map(|(id, _, _)| id).collect();
        let before = self.functions.remove(&id).unwrap_or_default();
        self.change(&before, &now, Referrer::Function(id));
        if !now.is_empty() {
            self.functions.insert(id, now);
        }
    }

    pub(super) fn add_resource(&mut self, id: ResourceId, resource: &Resource) {
        self.change(
            &BTreeSet::new(),
            &needed_by(resource),
            Referrer::Resource(id),
        );
    }

    pub(super) fn remove_resource(&mut self, id: ResourceId, resource: &Resource) {
        self.change(
            &needed_by(resource),
            &BTreeSet::new(),
            Referrer::Resource(id),
        );
    }

    /// Replaces the reference of a build item.
    pub(super) fn set_item(
        &mut self,
        id: u32,
        before: Option<&BuildItem>,
        now: Option<&BuildItem>,
    ) {
        let built = |item: Option<&BuildItem>| {
            let item = item.filter(|item| !item.is_external());
            item.map(|item| item.object).into_iter().collect()
        };
        self.change(&built(before), &built(now), Referrer::Item(id));
    }

    fn change(
        &mut self,
        before: &BTreeSet<ResourceId>,
        now: &BTreeSet<ResourceId>,
        user: Referrer,
    ) {
        for id in before.difference(now) {
            self.all.remove(&(*id, user));
        }
        self.all
            .extend(now.difference(before).map(|id| (*id, user)));
    }
}

/// References of a resource.
fn needed_by(resource: &Resource) -> BTreeSet<ResourceId> {
    match resource {
        Resource::Model(resource) => resource.references(),
        Resource::ImageFunction(image) => BTreeSet::from([image.image]),
        Resource::Content(_) | Resource::File(_) => BTreeSet::new(),
    }
}

impl Document {
    /// Referrers of a function or resource, which need not exist: functions, resources, build items, each in ascending
    /// order of ids. Time is linear in the result.
    pub fn referrers(&self, id: ResourceId) -> impl Iterator<Item = Referrer> {
        let range = (id, Referrer::FIRST)..=(id, Referrer::LAST);
        self.reference_index()
            .all
            .range(range)
            .map(|(_, user)| *user)
    }

    /// All references as pairs of target and referrer, sorted.
    pub fn uses(&self) -> impl Iterator<Item = (ResourceId, Referrer)> {
        self.reference_index().all.iter().copied()
    }
}
