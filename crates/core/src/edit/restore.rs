//! Going back to an earlier state by one edit.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::ResourceId;

use super::{Checked, Edit, EditError, FunctionEdit, ModelEdit, ResourceEdit, Stage, knowledge};
use crate::graph::model::ModelResource;
use crate::graph::{Document, FunctionData, FunctionId, Resource};

/// The edit that leads from one document to another of the same project, checked against the first.
///
/// Functions that differ are emptied first, so that none of them calls another, and then filled as they were, the
/// called before their callers. One that calls a function whose inputs or outputs change is taken apart as well. So are
/// objects and what is beside them: first those that are used by none that is left, then added, parts before wholes.
///
/// # Errors
/// [`EditError`] when it would be too large for one step.
pub fn restoring(now: &Document, then: &Document) -> Result<Checked, EditError> {
    let mut stage = Stage::new(now);
    let old = |id: FunctionId| then.function(id).ok();
    let loose = loose(now, then);
    let mut apart: BTreeSet<FunctionId> = BTreeSet::new();
    for function in now.functions() {
        let id = function.id();
        if old(id).is_some_and(|old| old.hash() == function.hash()) {
            continue;
        }
        apart.insert(id);
        if old(id).is_none_or(|old| old.ty() != function.ty()) {
            apart.extend(now.callers(id));
        }
    }
    for &id in &apart {
        let function = now.function(id)?;
        stage.push(&Edit::Function(FunctionEdit::Set(FunctionData {
            function_id: Some(id),
            name: function.name().to_owned(),
            inputs: function.inputs(),
            outputs: function.outputs(),
            nodes: Vec::new(),
        })))?;
    }
    remove_model(&mut stage, now, then, &loose)?;
    for &function_id in apart.iter().filter(|&&id| old(id).is_none()) {
        stage.push(&Edit::Function(FunctionEdit::Delete { function_id }))?;
    }
    replace_resources(&mut stage, now, then)?;
    let missing = then.functions().map(crate::graph::Function::id);
    let missing = missing.filter(|&id| now.function(id).is_err() || apart.contains(&id));
    for id in callees_first(then, &missing.collect()) {
        stage.push(&Edit::Function(FunctionEdit::Set(
            then.function(id)?.data(),
        )))?;
    }
    add_model(&mut stage, now, then, &loose)?;
    knowledge::restore(&mut stage, now.knowledge(), then.knowledge())?;
    Ok(stage.finish())
}

/// The resources of the model that are taken away first: those that differ, those that ask what changes, and those
/// that refer to any of them.
fn loose(now: &Document, then: &Document) -> BTreeSet<ResourceId> {
    let function = |document: &Document, id: ResourceId| {
        let graph = document
            .function(id.into())
            .ok()
            .map(crate::graph::Function::ty);
        graph.or_else(|| match document.resource(id) {
            Some(Resource::ImageFunction(image)) => Some(image.ty()),
            Some(Resource::Content(_) | Resource::File(_) | Resource::Model(_)) | None => None,
        })
    };
    let image = |document: &Document, id| match document.resource(id) {
        Some(Resource::ImageFunction(image)) => Some(image.clone()),
        Some(Resource::Content(_) | Resource::File(_) | Resource::Model(_)) | None => None,
    };
    let changes = |id| function(now, id) != function(then, id) || image(now, id) != image(then, id);
    let differs = |id, resource: &ModelResource| {
        then.model_resource(id) != Some(resource) || resource.references().into_iter().any(changes)
    };
    let differ = now.model_resources();
    let differ = differ.filter(|(id, resource)| differs(*id, resource));
    let mut loose: BTreeSet<ResourceId> = differ.map(|(id, _)| id).collect();
    let mut open: Vec<ResourceId> = loose.iter().copied().collect();
    while let Some(id) = open.pop() {
        let users = now.model_users(id).map(|(user, _)| user);
        open.extend(users.filter(|user| loose.insert(*user)));
    }
    loose
}

fn remove_model(
    stage: &mut Stage,
    now: &Document,
    then: &Document,
    loose: &BTreeSet<ResourceId>,
) -> Result<(), EditError> {
    for (item_id, item) in now.model().items() {
        if then.model().item(item_id) != Some(item) || loose.contains(&item.object) {
            stage.push(&Edit::Model(ModelEdit::RemoveBuildItem { item_id }))?;
        }
    }
    let mut order = parts_first(now, loose);
    order.reverse();
    for resource_id in order {
        stage.push(&Edit::Model(ModelEdit::RemoveResource { resource_id }))?;
    }
    for metadata in now.model().metadata() {
        let name = metadata.name.clone();
        if then.model().metadata_by_name(&name).is_none() {
            stage.push(&Edit::Model(ModelEdit::RemoveMetadata { name }))?;
        }
    }
    for (name, _) in now.model().parts() {
        if then.model().part(name).is_none() {
            let name = name.to_owned();
            stage.push(&Edit::Model(ModelEdit::RemovePart { name }))?;
        }
    }
    Ok(())
}

fn add_model(
    stage: &mut Stage,
    now: &Document,
    then: &Document,
    loose: &BTreeSet<ResourceId>,
) -> Result<(), EditError> {
    let missing = then.model_resources().map(|(id, _)| id);
    let missing = missing.filter(|id| loose.contains(id) || now.model_resource(*id).is_none());
    for id in parts_first(then, &missing.collect()) {
        let resource = then.model_resource(id).expect("it is one of them").clone();
        stage.push(&Edit::Model(ModelEdit::SetResource {
            resource_id: Some(id),
            resource,
        }))?;
    }
    for (id, item) in then.model().items() {
        if stage.document().model().item(id) != Some(item) {
            stage.push(&Edit::Model(ModelEdit::SetBuildItem {
                item_id: Some(id),
                item: item.clone(),
            }))?;
        }
    }
    for metadata in then.model().metadata() {
        if now.model().metadata_by_name(&metadata.name) != Some(metadata) {
            stage.push(&Edit::Model(ModelEdit::SetMetadata(metadata.clone())))?;
        }
    }
    for (name, part) in then.model().parts() {
        if now.model().part(name) != Some(part) {
            stage.push(&Edit::Model(ModelEdit::SetPart {
                name: name.to_owned(),
                part: part.clone(),
            }))?;
        }
    }
    if now.model().info() != then.model().info() {
        let info = then.model().info().clone();
        stage.push(&Edit::Model(ModelEdit::SetInfo(info)))?;
    }
    Ok(())
}

/// Some resources of the model in an order in which each comes after those that it refers to.
fn parts_first(document: &Document, some: &BTreeSet<ResourceId>) -> Vec<ResourceId> {
    let refers = |id: ResourceId| {
        let resource = document.model_resource(id);
        let all = resource.map(ModelResource::references).unwrap_or_default();
        all.into_iter()
            .filter(move |other| *other != id && some.contains(other))
    };
    topological_order(some, refers)
}

fn replace_resources(stage: &mut Stage, now: &Document, then: &Document) -> Result<(), EditError> {
    let same = |id: ResourceId, one: &Resource| {
        let other = then.resource(id).map(|other| format!("{other:?}"));
        other.as_ref() == Some(&format!("{one:?}"))
    };
    for (resource_id, resource) in now.resources() {
        let edit = match resource {
            Resource::ImageFunction(_) => {
                Edit::Resource(ResourceEdit::RemoveImageFunction { resource_id })
            }
            Resource::File(_) => Edit::Resource(ResourceEdit::RemoveFile { resource_id }),
            // Nothing that an edit makes, and what is on its own way.
            Resource::Content(_) | Resource::Model(_) => continue,
        };
        if !same(resource_id, resource) {
            stage.push(&edit)?;
        }
    }
    for (resource_id, resource) in then.resources() {
        let edit = match resource {
            Resource::ImageFunction(image) => Edit::Resource(ResourceEdit::AddImageFunction {
                resource_id,
                image: image.clone(),
            }),
            Resource::File(file) => Edit::Resource(ResourceEdit::AddFile {
                resource_id: Some(resource_id),
                file: file.clone(),
            }),
            Resource::Content(_) | Resource::Model(_) => continue,
        };
        if !now
            .resource(resource_id)
            .is_some_and(|one| same(resource_id, one))
        {
            stage.push(&edit)?;
        }
    }
    Ok(())
}

/// The functions in an order in which each comes after those that it calls.
fn callees_first(document: &Document, functions: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
    let mut calls = BTreeMap::<FunctionId, Vec<FunctionId>>::new();
    for &callee in functions {
        for caller in document.callers(callee) {
            calls.entry(caller).or_default().push(callee);
        }
    }
    topological_order(functions, |id| {
        let callees = calls.get(&id).into_iter().flatten().copied();
        callees.collect::<Vec<_>>().into_iter()
    })
}

/// All of them in an order in which each comes after those that it needs, which are among them; the smallest first
/// where there is a choice. What needs itself through others comes last.
pub fn topological_order<T: Copy + Ord, I: Iterator<Item = T>>(
    all: &BTreeSet<T>,
    needs: impl Fn(T) -> I,
) -> Vec<T> {
    let mut needed_by = BTreeMap::<T, Vec<T>>::new();
    let mut open = BTreeMap::<T, usize>::new();
    let mut ready = all.clone();
    for &one in all {
        for other in needs(one) {
            needed_by.entry(other).or_default().push(one);
            *open.entry(one).or_default() += 1;
            ready.remove(&one);
        }
    }
    let mut order = Vec::with_capacity(all.len());
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for user in needed_by.remove(&next).unwrap_or_default() {
            if let Some(count) = open.get_mut(&user) {
                *count -= 1;
                if *count == 0 {
                    open.remove(&user);
                    ready.insert(user);
                }
            }
        }
    }
    order.extend(open.into_keys());
    order
}
