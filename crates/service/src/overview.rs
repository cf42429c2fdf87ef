//! Overview of a project: functions, objects, the build, resources and knowledge in brief, with warnings and next steps.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use fibula_core::graph::model::{BuildItem, ModelResource};
use fibula_core::graph::{Document, Function, FunctionId, Resource};
use fibula_core::library;
use fibula_nodes::{PortSpec, ResourceId, names};
use serde::Serialize;
use serde_json::Value as Json;

use crate::background::ProgressFn;
use crate::digits::seven_digits;
use crate::domain_cuts::build_cut_warnings;
use crate::functions::definitions::{self, FunctionEntry};
use crate::knowledge::{Summarize, Summary, SummaryShown, open_marks, stale_distances};
use crate::model::{needed, unused};
use crate::paging::Paging;
use crate::project::change::Snapshot;
use crate::refusal::{Refusal, Result};
use crate::resource_brief::ResourceBrief;
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::DEFAULT_TIME_LIMIT;
use crate::validation::graph_fault;

/// Maximum number of functions and of other items of a list.
const SHOWN: usize = 50;
/// Maximum bytes of JSON of the functions, objects, build items and other resources.
const BUDGETS: [usize; 4] = [8 << 10, 5 << 10, 3 << 10, 2 << 10];
/// Maximum number of inputs or outputs of a function.
const SHOWN_PORTS: usize = 16;
/// Maximum characters of a warning or error.
const LONGEST_TEXT: usize = 300;
/// Maximum number of warnings about functions, and of names in a warning.
const WARNED: usize = 6;
/// Maximum number of parameters of a function.
const SHOWN_PARAMETERS: usize = 16;
/// Maximum characters of a name.
const LONGEST_NAME: usize = 80;
/// Seconds after which no further function is checked.
const MOST_CHECKING: f64 = 2.0;
/// Maximum time limit in seconds.
const MOST_TIME: u32 = 3600;

json_structs! {
    /// Project to describe.
    pub request(Default) struct GetOverview {
        project,
        revision,
        /// true measures the box and volume of each object.
        pub measures: bool,
        /// Seconds for measures, 1 to 3600; default 45.
        pub time_limit: Option<u32>,
    }

    /// Contents of a project. Lists have at most 50 items, fewer if they are long; the counts are of all.
    pub answer struct Overview {
        pub success: bool,
        pub project: String,
        pub revision: u64,
        /// Unit of all lengths.
        pub unit: &'static str,
        pub functions: Vec<FunctionBrief>,
        pub function_count: usize,
        pub objects: Vec<ResourceBrief>,
        pub object_count: usize,
        /// Items of the build.
        pub build: Vec<BuildItemBrief>,
        pub build_item_count: usize,
        /// Images, volume data, files and others.
        pub resources: Vec<ResourceBrief>,
        pub resource_count: usize,
        pub knowledge: KnowledgeCounts,
        /// True if a list was truncated.
        pub truncated: Option<bool>,
        pub warnings: Vec<String>,
        /// Suggested next steps.
        pub next: String,
    }

    /// A function in brief.
    pub answer struct FunctionBrief {
        pub function_id: FunctionId,
        pub name: String,
        /// Such as "pos: float3".
        pub inputs: Vec<String>,
        pub outputs: Vec<String>,
        /// Named constants with their values.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(with = "Option<ObjectForm>")]
        pub parameters: BTreeMap<String, Json>,
        /// Number of named constants that parameters lacks.
        pub more_parameters: Option<usize>,
        /// The image that it reads, if it is not a graph.
        pub image: Option<u32>,
    }

    /// An item of the build in brief.
    pub answer(PartialEq) struct BuildItemBrief {
        pub item_id: u32,
        pub object_id: u32,
        /// Left out if the object is built where it is.
        pub transform: Option<[f64; 12]>,
    }

    /// Size of the knowledge graph.
    pub answer(PartialEq, Eq) struct KnowledgeCounts {
        pub nodes: usize,
        pub edges: usize,
        /// Requests of people that are not answered.
        pub open_marks: Option<usize>,
    }

    /// A summary of the knowledge graph, and the other contents of the project.
    pub answer struct ProjectSummarized {
        #[serde(flatten)]
        pub summary: SummaryShown,
        /// Functions, objects, build, resources, warnings and next steps, unless only some nodes are summarized.
        #[schemars(with = "Option<ObjectForm>")]
        pub contents: Option<Overview>,
        /// Numbers of its other contents, where the format has no more of them.
        pub counts: Option<ContentCounts>,
    }

    /// Numbers of contents of a project.
    pub answer(PartialEq, Eq) struct ContentCounts {
        pub functions: usize,
        pub objects: usize,
        pub build_items: usize,
        /// Images, volume data, files and others.
        pub resources: usize,
    }
}

impl Service {
    /// Describes the contents of a project in brief. Calls `watch` with the objects measured and their total; it may
    /// cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, the time limit is invalid, or `watch` cancelled it.
    pub fn overview(&self, request: &GetOverview, watch: ProgressFn<'_>) -> Result<Overview> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let seconds = time_limit(request)?;
        let [of_functions, of_objects, of_build, of_resources] = BUDGETS;
        let objects = || document.model_resources().filter(is_object);
        let mut briefs = first(objects(), of_objects, |(id, resource)| {
            ResourceBrief::new(document, id, resource)
        });
        if request.measures {
            let name = Some(&*project.name);
            self.measure_objects(name, &snapshot, &mut briefs, seconds, watch)?;
        }
        let resources = || {
            document
                .resources()
                .filter_map(|item| other_resource(document, item))
        };
        let model = document.model();
        let knowledge = document.knowledge();
        let mut overview = Overview {
            success: true,
            project: project.name.to_string(),
            revision: snapshot.head.revision,
            unit: model.info().unit.name(),
            functions: first(definitions::all(document), of_functions, |(id, entry)| {
                function_brief(document, id, entry)
            }),
            function_count: document.function_count(),
            objects: briefs,
            object_count: objects().count(),
            build: first(model.items(), of_build, build_item),
            build_item_count: model.items().len(),
            resources: first(resources(), of_resources, |brief| brief),
            resource_count: resources().count(),
            knowledge: KnowledgeCounts {
                nodes: knowledge.node_count(),
                edges: knowledge.edge_count(),
                open_marks: Some(open_marks(knowledge)).filter(|&count| count > 0),
            },
            truncated: None,
            warnings: [
                warnings(document, watch)?,
                build_cut_warnings(&project, &snapshot),
            ]
            .concat(),
            next: String::new(),
        };
        let lists = [
            (overview.functions.len(), overview.function_count),
            (overview.objects.len(), overview.object_count),
            (overview.build.len(), overview.build_item_count),
            (overview.resources.len(), overview.resource_count),
        ];
        let is_truncated = lists.iter().any(|(shown, count)| shown < count);
        overview.truncated = is_truncated.then_some(true);
        overview.next = next_steps(&overview, request.measures);
        Ok(overview)
    }

    /// Summarizes the knowledge graph, and the other contents of the project unless only some nodes are selected or
    /// another format is requested. Calls `watch` as [`overview`](Self::overview).
    ///
    /// # Errors
    /// As [`summarize`](Self::summarize) and [`overview`](Self::overview).
    pub fn summarize_project(
        &self,
        request: &Summarize,
        watch: ProgressFn<'_>,
    ) -> Result<ProjectSummarized> {
        let is_whole = request.nodes.is_empty() && request.types.is_empty();
        let is_default = request.format == Summary::default();
        if request.measures && !(is_whole && is_default) {
            let message = "measures applies to the whole project in the format detailed";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("omit nodes, types and format, or omit measures"));
        }
        let contents = (is_whole && is_default).then(|| {
            let request = GetOverview {
                project: request.project.clone(),
                revision: request.revision,
                measures: request.measures,
                time_limit: None,
            };
            self.overview(&request, watch)
        });
        let contents = contents.transpose()?;
        let revision = contents.as_ref().map(|contents| contents.revision);
        let summary = self.summarize(&Summarize {
            revision: revision.or(request.revision),
            ..request.clone()
        })?;
        let counts = (is_whole && !is_default).then(|| {
            let project = request.project.as_deref();
            let snapshot = self.snapshot_at(project, Some(summary.revision))?;
            let document = &snapshot.document;
            Ok::<_, Refusal>(ContentCounts {
                functions: document.function_count(),
                objects: document.model_resources().filter(is_object).count(),
                build_items: document.model().items().len(),
                resources: document
                    .resources()
                    .filter_map(|item| other_resource(document, item))
                    .count(),
            })
        });
        Ok(ProjectSummarized {
            summary,
            contents,
            counts: counts.transpose()?,
        })
    }

    /// Measures the objects, until the time is over.
    fn measure_objects(
        &self,
        project: Option<&str>,
        snapshot: &Snapshot,
        objects: &mut [ResourceBrief],
        seconds: f64,
        watch: ProgressFn<'_>,
    ) -> Result<()> {
        let (started, total) = (Instant::now(), objects.len() as u64);
        for (done, brief) in (0..).zip(objects) {
            if watch(done, total).is_break() {
                return Err(Refusal::cancelled());
            }
            let Some(id) = brief.object_id else {
                continue;
            };
            let left = seconds - started.elapsed().as_secs_f64();
            if left <= 0.0 {
                brief.error = Some(format!(
                    "not measured within {seconds} s; use measure {{\"object_id\": {id}}}"
                ));
                continue;
            }
            let mut is_cancelled = false;
            let mut watch = |_, _| {
                let step = watch(done, total);
                is_cancelled |= step.is_break();
                step
            };
            let id = ResourceId(id);
            let outcome = self.measure_object(project, snapshot, id, left, &mut watch);
            if is_cancelled {
                return Err(Refusal::cancelled());
            }
            match outcome {
                Ok(measures) => {
                    brief.bounds = Some(measures.bounds.map(|corner| corner.map(seven_digits)));
                    brief.volume = Some(seven_digits(measures.volume));
                }
                Err(refusal) => brief.error = Some(names::visible(&refusal.message, LONGEST_TEXT)),
            }
        }
        Ok(())
    }
}

/// Time limit of measures in seconds.
fn time_limit(request: &GetOverview) -> Result<f64> {
    let seconds = request.time_limit.unwrap_or(DEFAULT_TIME_LIMIT);
    if (1..=MOST_TIME).contains(&seconds) {
        return Ok(seconds.into());
    }
    let message = format!("time_limit is 1 to {MOST_TIME} seconds, not {seconds}");
    Err(Refusal::new("invalid_value", message))
}

/// Returns the first items that fit in a number of bytes, and at least one.
fn first<I, T: Serialize>(
    list: impl Iterator<Item = I>,
    budget: usize,
    make: impl FnMut(I) -> T,
) -> Vec<T> {
    let paging = Paging::whole().of_size(budget);
    paging.page((0..).zip(list.take(SHOWN)), make).items
}

fn function_brief(document: &Document, id: u32, entry: FunctionEntry<'_>) -> FunctionBrief {
    let id = FunctionId(id);
    let info = entry.info();
    let ports = |ports: &[PortSpec]| {
        let shown = ports.iter().take(SHOWN_PORTS);
        shown
            .map(|port| {
                format!(
                    "{}: {}",
                    names::visible(&port.name, LONGEST_NAME),
                    port.form()
                )
            })
            .chain((ports.len() > SHOWN_PORTS).then(|| format!("... {} in all", ports.len())))
            .collect()
    };
    let constants = document.function(id).into_iter();
    let constants = constants.flat_map(Function::named_constants);
    let all: Vec<_> = constants.collect();
    let parameters = all.iter().take(SHOWN_PARAMETERS);
    let parameters: BTreeMap<String, Json> = parameters
        .map(|constant| (constant.name.to_owned(), constant.value.to_json()))
        .collect();
    let more = all.len() - parameters.len();
    FunctionBrief {
        function_id: id,
        name: names::visible(&info.name, LONGEST_NAME),
        inputs: ports(&info.inputs),
        outputs: ports(&info.outputs),
        parameters,
        more_parameters: (more > 0).then_some(more),
        image: info.image.map(|id| id.0),
    }
}

fn is_object((_, resource): &(ResourceId, &ModelResource)) -> bool {
    match resource {
        ModelResource::Object(_) => true,
        ModelResource::Image(_) | ModelResource::VolumeData(_) | ModelResource::Foreign(_) => false,
    }
}

/// Describes a resource that is neither a function nor an object.
fn other_resource(
    document: &Document,
    (id, resource): (ResourceId, &Resource),
) -> Option<ResourceBrief> {
    match resource {
        Resource::Model(ModelResource::Object(_)) => None,
        other => ResourceBrief::of_resource(document, id, other),
    }
}

fn build_item((item_id, item): (u32, &BuildItem)) -> BuildItemBrief {
    BuildItemBrief {
        item_id,
        object_id: item.object.0,
        transform: (!item.transform.is_identity()).then_some(item.transform.0),
    }
}

/// Warnings about functions that cannot be evaluated, an empty build, and what the build does not need.
fn warnings(document: &Document, watch: ProgressFn<'_>) -> Result<Vec<String>> {
    let mut warnings = faults(document, watch)?;
    let functions = document.functions().map(Function::id);
    let advice = library::warnings(document, functions);
    let mut advice: Vec<String> = advice.take(WARNED + 1).collect();
    if advice.len() > WARNED {
        advice.truncate(WARNED);
        advice.push("there are more warnings; get_function shows those of a function".to_owned());
    }
    warnings.extend(advice);
    let functions = document.functions().map(|function| function.id().into());
    let mut stale = stale_distances(document, functions);
    if stale.len() > WARNED {
        let more = stale.len() - WARNED;
        stale.truncate(WARNED);
        stale.push(format!(
            "{more} more distances are of shapes that have changed; get_function shows the warning of one"
        ));
    }
    warnings.extend(stale);
    let objects = document.model_resources().filter(is_object).count();
    if objects > 0 && needed(document).is_none() {
        let build = if document.model().items().next().is_none() {
            "the build is empty"
        } else {
            "the build has no object of this project"
        };
        warnings.push(format!(
            "{build}, so none of the {objects} objects is built"
        ));
    }
    let unused = unused(document).removed;
    if !unused.is_empty() {
        let labels = unused
            .iter()
            .take(WARNED)
            .map(|one| match one.name.as_str() {
                "" => format!("{} {}", one.kind, one.resource_id),
                name => format!("{} {} '{name}'", one.kind, one.resource_id),
            });
        let more = if unused.len() > WARNED { ", ..." } else { "" };
        warnings.push(format!(
            "the build does not need {} functions and resources: {}{more}",
            unused.len(),
            labels.collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(warnings)
}

/// Names the first functions that cannot be evaluated.
fn faults(document: &Document, watch: ProgressFn<'_>) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let (started, total) = (Instant::now(), document.functions().len());
    for (done, function) in document.functions().enumerate() {
        if watch(0, 1) == ControlFlow::Break(()) {
            return Err(Refusal::cancelled());
        }
        if warnings.len() == WARNED || started.elapsed().as_secs_f64() > MOST_CHECKING {
            warnings.push(format!("only {done} of {total} functions were checked"));
            break;
        }
        if let Some(refusal) = graph_fault(document, function) {
            let name = names::visible(function.name(), LONGEST_NAME);
            warnings.push(format!(
                "function {} ({name}) cannot be evaluated: {}",
                function.id(),
                names::visible(&refusal.message, LONGEST_TEXT)
            ));
        }
    }
    Ok(warnings)
}

/// Next steps in words.
fn next_steps(overview: &Overview, measured: bool) -> String {
    let mut steps = Vec::new();
    let has_faults = overview
        .warnings
        .iter()
        .any(|text| text.contains("cannot be evaluated"));
    if has_faults {
        steps.push("set or link what the warnings name".to_owned());
    }
    if let Some(first) = overview.functions.first() {
        steps.push(format!(
            "get_function, evaluate and render take a function_id, such as {}",
            first.function_id
        ));
    }
    match (overview.object_count, overview.build_item_count) {
        (0, _) if overview.function_count == 0 && overview.resource_count == 0 => {
            let start = "the project has no functions or objects: import a file, or use \
                         create_function_from_expression";
            steps.push(start.to_owned());
        }
        (0, _) => steps.push(
            "apply_edits with create_level_set makes a function an object, and builds it"
                .to_owned(),
        ),
        (_, 0) => {
            steps.push("apply_edits with create_build_item adds an object to the build".to_owned());
        }
        (_, _) => steps.push(
            "render and measure without an id show the whole build, export writes it".to_owned(),
        ),
    }
    if overview.object_count > 0 && !measured {
        steps.push("measures: true adds the box and volume of each object".to_owned());
    }
    if overview.functions.len() < overview.function_count {
        steps.push("lists are truncated; list_functions has all functions".to_owned());
    }
    if let Some(count) = overview.knowledge.open_marks {
        let marks = if count == 1 { "mark" } else { "marks" };
        steps.push(format!(
            "render with mark draws what people point at, get_nodes tells it ({count} open {marks})"
        ));
    }
    if overview.knowledge.nodes > 0 {
        steps.push("search_nodes searches the knowledge graph".to_owned());
    }
    steps.join("; ")
}

#[cfg(test)]
mod tests {
    use fibula_core::edit::Origin;
    use serde_json::json;

    use super::*;

    fn service() -> Service {
        let service = Service::default();
        let edits = json!({ "edits": [
            { "create_function_from_expression": { "name": "Ball", "expression": "length(pos) - 5" } },
            { "create_level_set": { "function_id": 1, "bounds": [[-6, -6, -6], [6, 6, 6]] } },
        ] });
        let request = serde_json::from_value(edits).unwrap();
        let origin = Origin::program("test", "test");
        service.apply_edits(&origin, request).unwrap();
        service
    }

    #[test]
    fn measures_end_with_their_time() {
        let service = service();
        let snapshot = service.snapshot_at(None, None).unwrap();
        let mut briefs: Vec<ResourceBrief> = snapshot
            .document
            .model_resources()
            .filter(is_object)
            .map(|(id, resource)| ResourceBrief::new(&snapshot.document, id, resource))
            .collect();
        let watch = &mut |_, _| ControlFlow::Continue(());
        let measured = service.measure_objects(None, &snapshot, &mut briefs, 0.0, watch);
        measured.unwrap();
        for brief in briefs {
            assert_eq!(brief.volume, None);
            let error = brief.error.unwrap();
            assert!(error.starts_with("not measured within 0 s"), "{error}");
        }
    }

    #[test]
    fn measures_are_cancelled() {
        let service = service();
        let request = GetOverview {
            measures: true,
            ..GetOverview::default()
        };
        let mut calls = 0;
        let overview = service.overview(&request, &mut |_, _| {
            calls += 1;
            ControlFlow::Continue(())
        });
        assert!(
            overview
                .unwrap()
                .objects
                .iter()
                .all(|one| one.volume.is_some())
        );
        for last in 0..calls.min(4) {
            let mut left = last;
            let cancelled = service.overview(&request, &mut |_, _| {
                left -= 1;
                if left < 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!(
                cancelled.unwrap_err().code,
                "cancelled",
                "after {last} calls"
            );
        }
    }
}
