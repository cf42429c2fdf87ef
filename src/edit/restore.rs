//! Going back to an earlier state by one edit.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::ResourceId;

use super::{Checked, Edit, EditError, Stage};
use crate::graph::{Document, FunctionData, FunctionId, Resource};

/// The edit that leads from one document to another of the same project, checked against the first.
///
/// Functions that differ are emptied first, so that none of them calls another, and then filled as they were, the
/// called before their callers. One that calls a function whose inputs or outputs change is taken apart as well.
///
/// # Errors
/// [`EditError`] when it would be too large for one step.
pub fn restoring(now: &Document, then: &Document) -> Result<Checked, EditError> {
    let mut stage = Stage::new(now);
    let old = |id: FunctionId| then.function(id).ok();
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
        stage.push(&Edit::SetFunction(FunctionData {
            function_id: Some(id),
            name: function.name().to_owned(),
            inputs: function.inputs(),
            outputs: function.outputs(),
            nodes: Vec::new(),
        }))?;
    }
    for &function_id in apart.iter().filter(|&&id| old(id).is_none()) {
        stage.push(&Edit::DeleteFunction { function_id })?;
    }
    replace_resources(&mut stage, now, then)?;
    let missing = then.functions().map(crate::graph::Function::id);
    let missing = missing.filter(|&id| now.function(id).is_err() || apart.contains(&id));
    for id in callees_first(then, &missing.collect()) {
        stage.push(&Edit::SetFunction(then.function(id)?.data()))?;
    }
    Ok(stage.finish())
}

fn replace_resources(stage: &mut Stage, now: &Document, then: &Document) -> Result<(), EditError> {
    let same = |id: ResourceId, one: &Resource| {
        let other = then.resource(id).map(|other| format!("{other:?}"));
        other.as_ref() == Some(&format!("{one:?}"))
    };
    for (resource_id, resource) in now.resources() {
        if same(resource_id, resource) {
            continue;
        }
        let edit = match resource {
            Resource::ImageFunction(_) => Edit::RemoveImageFunction { resource_id },
            Resource::File(_) => Edit::RemoveFile { resource_id },
            // Nothing that an edit makes.
            Resource::Content(_) => continue,
        };
        stage.push(&edit)?;
    }
    for (resource_id, resource) in then.resources() {
        if now
            .resource(resource_id)
            .is_some_and(|one| same(resource_id, one))
        {
            continue;
        }
        let edit = match resource {
            Resource::ImageFunction(image) => Edit::AddImageFunction {
                resource_id,
                image: image.clone(),
            },
            Resource::File(file) => Edit::AddFile {
                resource_id: Some(resource_id),
                file: file.clone(),
            },
            Resource::Content(_) => continue,
        };
        stage.push(&edit)?;
    }
    Ok(())
}

/// The functions in an order in which each comes after those that it calls.
fn callees_first(document: &Document, functions: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
    let mut callers = BTreeMap::<FunctionId, Vec<FunctionId>>::new();
    let mut ready: BTreeSet<FunctionId> = functions.clone();
    let mut open = BTreeMap::<FunctionId, usize>::new();
    for &callee in functions {
        for caller in document.callers(callee) {
            if functions.contains(&caller) {
                callers.entry(callee).or_default().push(caller);
                *open.entry(caller).or_default() += 1;
                ready.remove(&caller);
            }
        }
    }
    let mut order = Vec::with_capacity(functions.len());
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for caller in callers.remove(&next).unwrap_or_default() {
            if let Some(count) = open.get_mut(&caller) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(caller);
                }
            }
        }
    }
    order
}
