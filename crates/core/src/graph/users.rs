//! Who refers to what in a document.
//!
//! It follows from the functions, resources and build items, and is kept beside them so that an edit need not look
//! through all of them: it is neither written out nor hashed, and comes to be again as a document is put back.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::ResourceId;

use super::document::Document;
use super::function::Function;
use super::ids::FunctionId;
use super::model::BuildItem;
use super::resource::Resource;

/// Something that refers to a function or resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum User {
    /// Nodes of a function.
    Function(FunctionId),
    /// An image function, an object or another resource of the model.
    Resource(ResourceId),
    /// An item of the build.
    Item(u32),
}

impl User {
    const FIRST: User = User::Function(FunctionId(0));
    const LAST: User = User::Item(u32::MAX);
}

/// Who refers to what.
#[derive(Debug, Clone, Default)]
pub(super) struct Users {
    /// What is referred to, and by whom.
    all: BTreeSet<(ResourceId, User)>,
    /// What the nodes of each function refer to: they change in steps that do not say what was there before.
    functions: BTreeMap<FunctionId, BTreeSet<ResourceId>>,
}

impl Users {
    /// Brings what the nodes of a function refer to up to date; `None` for one that is not there any more.
    pub(super) fn set_function(&mut self, id: FunctionId, function: Option<&Function>) {
        let references = function.into_iter().flat_map(Function::references);
        let now: BTreeSet<ResourceId> = references.map(|(id, _, _)| id).collect();
        let before = self.functions.remove(&id).unwrap_or_default();
        self.change(&before, &now, User::Function(id));
        if !now.is_empty() {
            self.functions.insert(id, now);
        }
    }

    /// Counts in what a resource refers to.
    pub(super) fn add_resource(&mut self, id: ResourceId, resource: &Resource) {
        self.change(&BTreeSet::new(), &needed_by(resource), User::Resource(id));
    }

    /// Counts out what a resource refers to.
    pub(super) fn remove_resource(&mut self, id: ResourceId, resource: &Resource) {
        self.change(&needed_by(resource), &BTreeSet::new(), User::Resource(id));
    }

    /// Counts in what an item of the build refers to, in place of what the one before it did.
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
        self.change(&built(before), &built(now), User::Item(id));
    }

    fn change(&mut self, before: &BTreeSet<ResourceId>, now: &BTreeSet<ResourceId>, user: User) {
        for id in before.difference(now) {
            self.all.remove(&(*id, user));
        }
        self.all
            .extend(now.difference(before).map(|id| (*id, user)));
    }
}

/// What a resource refers to.
fn needed_by(resource: &Resource) -> BTreeSet<ResourceId> {
    match resource {
        Resource::Model(resource) => resource.references(),
        Resource::ImageFunction(image) => BTreeSet::from([image.image]),
        Resource::Content(_) | Resource::File(_) => BTreeSet::new(),
    }
}

impl Document {
    /// What refers to a function or resource, which need not be there: functions first, then resources, then items of
    /// the build, each by id. Takes time in proportion to what it gives.
    pub fn users_of(&self, id: ResourceId) -> impl Iterator<Item = User> {
        let range = (id, User::FIRST)..=(id, User::LAST);
        self.user_index().all.range(range).map(|(_, user)| *user)
    }

    /// Every function or resource that is referred to, with each that refers to it, sorted.
    pub fn uses(&self) -> impl Iterator<Item = (ResourceId, User)> {
        self.user_index().all.iter().copied()
    }
}
