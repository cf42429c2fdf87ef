//! Edits of whole functions, and of images that are called like functions.

use fibula_nodes::{ResourceId, ResourceKind};

use super::check::{Step, planned, steps};
use super::{Change, Checked, Edit, EditError, Plan, ports};
use crate::graph::{
    self, Document, Function, FunctionData, FunctionId, GraphError, ImageFunction, Resource,
};

pub(super) fn set(document: &Document, data: &FunctionData) -> Result<Checked, EditError> {
    let mut function = document.build(data)?;
    let (id, facts) = (function.id(), function.data());
    let inverse = match document.find_function(id) {
        Some(before) => {
            function.keep_used_ids(before);
            Edit::SetFunction(before.data())
        }
        None if document.has(id.into()) => {
            let id = id.to_string();
            return Err(GraphError::DuplicateId {
                what: "resource",
                id,
            }
            .into());
        }
        None => {
            let kind = ResourceKind::Function;
            document.check_new(id.into(), kind, |wants| wants == kind)?;
            Edit::DeleteFunction { function_id: id }
        }
    };
    let ty = function.ty();
    document.check_field_types(id.into(), Some(&ty))?;
    let plan = if document.callers(id).is_empty() {
        Plan::Function(Box::new(function))
    } else {
        let mut staged = document.clone();
        staged.put(function);
        ports::follow_callers(&mut staged, id.into(), &ty, &|_, _| None)?;
        Plan::Staged(staged)
    };
    let change = Change {
        function_id: Some(id),
        ..Change::default()
    };
    Ok(Checked {
        edit: Edit::SetFunction(facts),
        inverse,
        change,
        plan,
    })
}

pub(super) fn delete(document: &Document, function_id: FunctionId) -> Result<Checked, EditError> {
    let function = document.function(function_id)?;
    ports::check_uncalled(document, function_id.into(), function.name())?;
    document.check_field_types(function_id.into(), None)?;
    document.check_unused(function_id.into(), format!("function {function_id}"))?;
    let inverse = Edit::SetFunction(function.data());
    Ok(planned(
        Edit::DeleteFunction { function_id },
        inverse,
        Plan::DeleteFunction(function_id),
    ))
}

pub(super) fn rename(function: &Function, name: &str) -> Result<Checked, EditError> {
    graph::check_name("a function's name", name)?;
    let to = |name: &str| Edit::RenameFunction {
        function_id: function.id(),
        name: name.to_owned(),
    };
    let step = Step::Rename(name.to_owned());
    Ok(steps(
        to(name),
        to(function.name()),
        function.id(),
        vec![step],
    ))
}

pub(super) fn add_image(
    document: &Document,
    resource_id: ResourceId,
    image: &ImageFunction,
) -> Result<Checked, EditError> {
    image.check()?;
    document.check_reference(image.image, ResourceKind::Image, &image.end("image"))?;
    let resource = Resource::ImageFunction(image.clone());
    document.check_insert(resource_id, &resource)?;
    let facts = Edit::AddImageFunction {
        resource_id,
        image: image.clone(),
    };
    Ok(planned(
        facts,
        Edit::RemoveImageFunction { resource_id },
        Plan::Add(resource_id, resource),
    ))
}

pub(super) fn remove_image(
    document: &Document,
    resource_id: ResourceId,
) -> Result<Checked, EditError> {
    let Some(Resource::ImageFunction(image)) = document.resource(resource_id) else {
        return Err(EditError::UnknownResource(resource_id));
    };
    ports::check_uncalled(document, resource_id, &image.name)?;
    document.check_field_types(resource_id, None)?;
    document.check_unused(resource_id, format!("image function {resource_id}"))?;
    let inverse = Edit::AddImageFunction {
        resource_id,
        image: image.clone(),
    };
    Ok(planned(
        Edit::RemoveImageFunction { resource_id },
        inverse,
        Plan::Remove(resource_id),
    ))
}
