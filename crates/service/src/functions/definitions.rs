//! Functions: creation from an expression, listing, and reading.

use fibula_core::edit::{Origin, Stage, State};
use fibula_core::expression;
use fibula_core::graph::{
    Document, Function, FunctionId, ImageFunction, NodeData, NodeView, Resource,
};
use fibula_nodes::{PortSpec, ResourceId};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::effects::Effects;
use crate::following_values::FollowingValues;
use crate::functions::call_notes::{call_form, inferred_signature, unused_bindings, unused_inputs};
use crate::functions::library::{self, InsertedFunction, LibraryInfo};
use crate::functions::next_step;
use crate::functions::parameters::ParameterValue;
use crate::functions::put_function::PutFunction;
use crate::knowledge::{self, AffectedIntent, ChangeSource, DistanceField, Intent, MovedEdge};
use crate::name_lookup;
use crate::paging::Paging;
use crate::project::change::{CommitOptions, Committed, PendingEdit, Snapshot};
use crate::refusal::{Refusal, Result};
use crate::schema_types::{NodeForm, ObjectForm, PortForm, ShownPort};
use crate::service::Service;

/// Maximum bytes of an expression in an answer.
const LONGEST_EXPRESSION: usize = 24 << 10;
/// Bytes of an expression that parses within some milliseconds.
pub(crate) const QUICK_EXPRESSION: usize = 20_000;

json_structs! {
    /// Function to create.
    pub request(Default) struct CreateFunctionFromExpression {
        project,
        /// The function's name.
        pub name: String,
        /// Such as "let d = length(pos); shape = d - 5; color = vec3(d, 0, 0)".
        pub expression: String,
        /// Inputs in order, each {name, type: float | float3 | ..., default, unit, min, max}; default: those of the
        /// expression.
        #[schemars(with = "Option<Vec<PortForm>>")]
        pub arguments: Option<Vec<PortSpec>>,
        /// Required outputs in order, each {name, type}.
        #[schemars(with = "Option<Vec<PortForm>>")]
        pub outputs: Option<Vec<PortSpec>>,
        /// A function to replace, or a free id.
        pub function_id: Option<FunctionId>,
        expected_revision,
        dry_run,
    }

    /// The created function.
    pub answer struct FunctionCreated {
        pub success: bool,
        pub function_id: FunctionId,
        pub name: String,
        #[schemars(with = "Vec<ShownPort>")]
        pub inputs: Vec<PortSpec>,
        #[schemars(with = "Vec<ShownPort>")]
        pub outputs: Vec<PortSpec>,
        /// Named constants, at most 50.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub parameters: Vec<ParameterValue> = [],
        /// Number of others.
        pub more_parameters: Option<usize>,
        pub signature: Option<String>,
        pub calls: Vec<String> = [],
        pub node_count: usize,
        pub link_count: usize,
        pub revision: u64,
        pub dry_run: Option<bool>,
        /// Library functions that were inserted with it.
        #[schemars(with = "Option<Vec<InsertedFunction>>")]
        pub library: Vec<InsertedFunction> = [],
        /// Effects, if a function was replaced.
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph whose nodes the new graph lacks.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub dangling: Vec<Intent> = [],
        /// Edges of the knowledge graph that follow parameters which are inputs or constants now.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub moved: Vec<MovedEdge> = [],
        /// Edges of the knowledge graph at what was changed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        pub warnings: Vec<String> = [],
        pub next: Option<String>,
    }

    /// Filter of functions.
    pub request(Default) struct ListFunctions {
        project,
        /// Part of a name; in the library, words of names and descriptions.
        pub search: Option<String>,
        /// true: list the library.
        pub library: bool,
        revision,
        limit,
        cursor,
    }

    /// The functions, by id.
    pub answer struct FunctionsListed {
        pub success: bool,
        pub functions: Vec<FunctionInfo>,
        pub library: Option<Vec<LibraryInfo>>,
        pub total: usize,
        pub revision: u64,
        pub truncated: Option<bool>,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
    }

    /// Summary of a function. `Begin` and `End` are not counted.
    pub answer struct FunctionInfo {
        pub function_id: FunctionId,
        pub name: String,
        #[schemars(with = "Vec<ShownPort>")]
        pub inputs: Vec<PortSpec>,
        #[schemars(with = "Vec<ShownPort>")]
        pub outputs: Vec<PortSpec>,
        /// Named constants, at most 50.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub parameters: Vec<ParameterValue> = [],
        /// Number of others.
        pub more_parameters: Option<usize>,
        pub node_count: usize,
        pub link_count: usize,
        /// The image that this function reads, if it is not a graph.
        #[schemars(with = "Option<u32>")]
        pub image: Option<ResourceId>,
    }

    /// Function to read.
    pub request struct GetFunction {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Default graph.
        pub format: GraphFormat = default,
        revision,
        /// Nodes per page.
        pub limit: Option<u32>,
        cursor,
    }

    /// A function in full. `apply_edits` accepts a whole graph as `set_function`.
    pub answer struct FunctionShown {
        pub success: bool,
        #[serde(flatten)]
        pub function: FunctionInfo,
        #[schemars(with = "Option<Vec<NodeForm>>")]
        pub nodes: Option<Vec<NodeData>>,
        pub expression: Option<String>,
        /// Edges of the knowledge graph at the function.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Distances of shapes that have changed since; for expressions also constants beyond the limits of inputs of functions
        /// that it calls.
        pub warnings: Vec<String> = [],
        pub revision: u64,
        /// All nodes, `Begin` and `End` included.
        pub total: Option<usize>,
        pub truncated: Option<bool>,
        pub next_cursor: Option<String>,
        /// Suggested use of a function without a graph.
        pub next: Option<String>,
    }
}

impl CreateFunctionFromExpression {
    /// Request for a function in the default project.
    pub fn new(name: impl Into<String>, expression: impl Into<String>) -> Self {
        CreateFunctionFromExpression {
            name: name.into(),
            expression: expression.into(),
            ..CreateFunctionFromExpression::default()
        }
    }

    /// True if parsing takes less time than waking a thread.
    pub fn is_quick(&self) -> bool {
        self.expression.len() <= QUICK_EXPRESSION
    }

    /// The request to the parser.
    pub(crate) fn into_request(self) -> expression::Request {
        expression::Request {
            name: self.name,
            expression: self.expression,
            arguments: self.arguments,
            outputs: self.outputs,
        }
    }
}

/// Representation of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphFormat {
    /// nodes with values, links and positions
    #[default]
    #[serde(alias = "Graph", alias = "GRAPH")]
    Graph,
    /// text that create_function_from_expression accepts
    #[serde(alias = "Expression", alias = "EXPRESSION")]
    Expression,
}

impl Service {
    /// Creates a function from an expression, or replaces one.
    ///
    /// # Errors
    /// A [`Refusal`] if the expression is invalid (with the position), the name is invalid, or callers do not allow
    /// it.
    pub fn create_function_from_expression(
        &self,
        origin: &Origin,
        request: CreateFunctionFromExpression,
    ) -> Result<FunctionCreated> {
        let (created, _) = self.create_function(origin, request, None)?;
        Ok(created)
    }

    /// As [`create_function_from_expression`](Self::create_function_from_expression), or the function returns the distance to a
    /// mesh, whose id is returned too.
    ///
    /// # Errors
    /// As [`create_function_from_expression`](Self::create_function_from_expression); with a mesh also if the schema of the
    /// knowledge graph does not allow a distance field.
    pub(crate) fn create_function(
        &self,
        origin: &Origin,
        request: CreateFunctionFromExpression,
        distance: Option<&DistanceField>,
    ) -> Result<(FunctionCreated, Option<ResourceId>)> {
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let function_id = request.function_id;
        let request = request.into_request();
        let (is_inferred, text) = (request.arguments.is_none(), request.expression.clone());
        let unused = unused_bindings(&text);
        let decide = |state: &State| {
            let stage = Stage::new(state.document());
            let put = match distance {
                Some(field) => {
                    let by = ChangeSource {
                        origin,
                        revision: state.revision(),
                    };
                    let put = PutFunction::distance(stage, field, &request, function_id, by)?;
                    if !condition.dry_run {
                        // The bytes are stored before anything refers to them.
                        self.store.put_content(project.id, &field.bytes)?;
                    }
                    put
                }
                None => PutFunction::expression(stage, &request, function_id)?,
            };
            let before = state.document().clone();
            let pending = PendingEdit::labelled(put.checked, Some(put.label));
            Ok((pending, (before, put.inserted, put.mesh, put.warnings)))
        };
        let answer = |document: &Document, done: &Committed, decided| {
            let (before, inserted, mesh, warned): (Document, _, _, Vec<String>) = decided;
            let affected = AffectedIntent::between(&before, document);
            let created = created(document, done, inserted);
            let is_replaced = before.find_function(created.function_id).is_some();
            let (effects, values) = if is_replaced {
                Effects::between(&before, document)
            } else {
                <_>::default()
            };
            let following = FollowingValues::of(document, &values, &[]);
            let signature = || inferred_signature(document, created.function_id);
            let previous = before.find_function(created.function_id);
            let previous = previous.map(Function::inputs).unwrap_or_default();
            let inputs = unused_inputs(document, created.function_id, &previous);
            let unused = unused.iter().cloned().chain(inputs);
            let created = FunctionCreated {
                signature: is_inferred.then(signature).flatten(),
                calls: expression::positional_calls(document, &text),
                effects,
                dangling: affected.dangling,
                moved: affected.moved,
                intent: affected.intent,
                warnings: unused.chain(warned).chain(created.warnings).collect(),
                ..created
            };
            (created, mesh, following)
        };
        let (mut created, mesh, following) =
            project.change_optimistically(origin, condition, decide, answer)?;
        created.warnings.extend(following.warnings());
        Ok((created, mesh))
    }

    /// Lists the functions of a project: graphs, and images that can be called.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or `limit` or `cursor` is invalid.
    pub fn list_functions(&self, request: &ListFunctions) -> Result<FunctionsListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let search = request.search.as_deref().unwrap_or("").to_lowercase();
        let Snapshot { document, head, .. } = project.at(request.revision)?;
        let (functions, library, total, next_cursor) = if request.library {
            let (page, total) = library::search(&search, paging);
            (Vec::new(), Some(page.items), total, page.next_cursor)
        } else {
            let found = |listed: &FunctionEntry<'_>| listed.name().to_lowercase().contains(&search);
            let list = || all(&document).filter(|(_, listed)| found(listed));
            let numbered = list().map(|(id, listed)| (u64::from(id), listed));
            let page = paging.page(numbered, FunctionEntry::info);
            (page.items, None, list().count(), page.next_cursor)
        };
        let next = match (request.library, total) {
            (true, 0) => {
                library::expressions(&search).or_else(|| Some(library::elsewhere(&search)))
            }
            (true, _) => library::expressions(&search),
            (false, 0) => Some(next_step::suggest_functions(&search)),
            (false, _) => None,
        };
        Ok(FunctionsListed {
            success: true,
            functions,
            library,
            total,
            revision: head.revision,
            truncated: next_cursor.is_some().then_some(true),
            next_cursor,
            next,
        })
    }

    /// Returns a function, as a graph or as an expression.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, or it has no expression because it is unfinished or too long.
    pub fn get_function(&self, request: &GetFunction) -> Result<FunctionShown> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let id = request.function_id;
        if let Some(image) = snapshot.document.image_function(id.into()) {
            return Ok(image_shown(&snapshot, id, image));
        }
        match request.format {
            GraphFormat::Graph => graph(&snapshot, id, paging),
            GraphFormat::Expression => {
                let text = expression::print(&snapshot.document, id)?;
                if text.len() > LONGEST_EXPRESSION {
                    let message = format!(
                        "the expression has {} bytes, more than an answer can have",
                        text.len()
                    );
                    return Err(Refusal::new("too_large", message)
                        .hint("read the function as a graph, which is paginated"));
                }
                let function = info(snapshot.document.function(id)?);
                let (intent, cut) = knowledge::whole_intent(&snapshot.document, id);
                let mut warnings = warnings(&snapshot.document, id);
                warnings.extend(cut);
                Ok(FunctionShown {
                    expression: Some(text),
                    intent,
                    warnings,
                    ..function_shown(function, snapshot.head.revision)
                })
            }
        }
    }

    /// Checks that a function exists.
    ///
    /// # Errors
    /// A [`Refusal`] if it does not.
    pub fn has_function(&self, project: Option<&str>, id: FunctionId) -> Result<()> {
        let found = self.project(project)?.read(|state| {
            let document = state.document();
            let found = all(document).any(|(other, _)| other == id.0);
            if found {
                Ok(())
            } else {
                document.function(id).map(|_| ())
            }
        })?;
        Ok(found?)
    }

    /// Finds a function graph or image function by name: one of this very name, else the only one of this name in another
    /// case; in the current state or that of a revision.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, with the nearest names, or several, with their ids.
    pub fn function_named(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        name: &str,
    ) -> Result<FunctionId> {
        name_lookup::function(&self.project(project)?.at(revision)?.document, name)
    }

    /// Returns a whole function as a graph, whatever its size.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function.
    pub fn whole_function(&self, project: Option<&str>, id: FunctionId) -> Result<FunctionShown> {
        graph(&self.project(project)?.snapshot()?, id, Paging::whole())
    }
}

fn created(
    document: &Document,
    done: &Committed,
    library: Vec<InsertedFunction>,
) -> FunctionCreated {
    let id = done.change.function_id.expect("a function was set");
    let info = info(document.function(id).expect("the function was just set"));
    let next = call_form(document, id, &info.name);
    FunctionCreated {
        success: true,
        function_id: id,
        name: info.name,
        inputs: info.inputs,
        outputs: info.outputs,
        parameters: info.parameters,
        more_parameters: info.more_parameters,
        signature: None,
        calls: Vec::new(),
        node_count: info.node_count,
        link_count: info.link_count,
        revision: done.revision,
        dry_run: done.dry_run,
        library,
        effects: Effects::default(),
        dangling: Vec::new(),
        moved: Vec::new(),
        intent: Vec::new(),
        warnings: warnings(document, id),
        next,
    }
}

/// Warnings about a function, and about distances of shapes that have changed since, which it uses.
pub(crate) fn warnings(document: &Document, id: FunctionId) -> Vec<String> {
    let mut warnings: Vec<String> = fibula_core::library::warnings(document, [id]).collect();
    warnings.extend(knowledge::stale_distances(document, [id.into()]));
    warnings
}

fn graph(snapshot: &Snapshot, id: FunctionId, paging: Paging) -> Result<FunctionShown> {
    if let Some(image) = snapshot.document.image_function(id.into()) {
        return Ok(image_shown(snapshot, id, image));
    }
    let function = snapshot.document.function(id)?;
    let nodes = function.nodes().map(|node| (u64::from(node.id().0), node));
    let page = paging.page(nodes, NodeView::data);
    let (intent, cut) = knowledge::whole_intent(&snapshot.document, id);
    let mut warnings = knowledge::stale_distances(&snapshot.document, [id.into()]);
    warnings.extend(cut);
    Ok(FunctionShown {
        nodes: Some(page.items),
        intent,
        total: Some(function.node_ids().len()),
        truncated: page.next_cursor.is_some().then_some(true),
        next_cursor: page.next_cursor,
        warnings,
        ..function_shown(info(function), snapshot.head.revision)
    })
}

/// An image function, which has neither a graph nor an expression.
fn image_shown(snapshot: &Snapshot, id: FunctionId, image: &ImageFunction) -> FunctionShown {
    let next = format!(
        "this function reads image {} and has no graph of nodes; evaluate it, or call it in expressions, as in \
         call({id}, pos).red, where the image fills 0 to 1 on each axis of pos",
        image.image
    );
    let (intent, cut) = knowledge::whole_intent(&snapshot.document, id);
    FunctionShown {
        next: Some(next),
        intent,
        warnings: cut.into_iter().collect(),
        ..function_shown(image_info(id, image), snapshot.head.revision)
    }
}

fn function_shown(function: FunctionInfo, revision: u64) -> FunctionShown {
    FunctionShown {
        success: true,
        function,
        nodes: None,
        expression: None,
        intent: Vec::new(),
        warnings: Vec::new(),
        revision,
        total: None,
        truncated: None,
        next_cursor: None,
        next: None,
    }
}

/// A function: a graph, or an image that can be called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FunctionEntry<'a> {
    Graph(&'a Function),
    Image(FunctionId, &'a ImageFunction),
}

impl<'a> FunctionEntry<'a> {
    pub(crate) fn name(self) -> &'a str {
        match self {
            FunctionEntry::Graph(function) => function.name(),
            FunctionEntry::Image(_, image) => &image.name,
        }
    }

    pub(crate) fn info(self) -> FunctionInfo {
        match self {
            FunctionEntry::Graph(function) => info(function),
            FunctionEntry::Image(id, image) => image_info(id, image),
        }
    }
}

/// Functions by id.
pub(crate) fn all(document: &Document) -> impl Iterator<Item = (u32, FunctionEntry<'_>)> {
    let mut graphs = document
        .functions()
        .map(|function| (function.id().0, FunctionEntry::Graph(function)))
        .peekable();
    let images = document
        .resources()
        .filter_map(|(id, resource)| match resource {
            Resource::ImageFunction(image) => Some((id.0, FunctionEntry::Image(id.into(), image))),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        });
    let mut images = images.peekable();
    std::iter::from_fn(move || match (graphs.peek(), images.peek()) {
        (Some((graph, _)), Some((image, _))) if image < graph => images.next(),
        (Some(_), _) => graphs.next(),
        (None, _) => images.next(),
    })
}

/// Summary of a function.
pub(crate) fn info(function: &Function) -> FunctionInfo {
    const MOST_PARAMETERS: usize = 50;
    let mut parameters: Vec<_> = function
        .named_constants()
        .map(|constant| {
            ParameterValue::new(
                constant.name.to_owned(),
                &constant.value,
                constant.node.id(),
            )
        })
        .collect();
    let more = parameters.len().checked_sub(MOST_PARAMETERS);
    parameters.truncate(MOST_PARAMETERS);
    FunctionInfo {
        parameters,
        more_parameters: more.filter(|&more| more > 0),
        function_id: function.id(),
        name: function.name().to_owned(),
        inputs: function.inputs(),
        outputs: function.outputs(),
        node_count: function.node_count(),
        link_count: function.link_count(),
        image: None,
    }
}

fn image_info(id: FunctionId, image: &ImageFunction) -> FunctionInfo {
    let ty = image.ty();
    FunctionInfo {
        function_id: id,
        name: image.name.clone(),
        inputs: ty.inputs,
        outputs: ty.outputs,
        parameters: Vec::new(),
        more_parameters: None,
        node_count: 0,
        link_count: 0,
        image: Some(image.image),
    }
}
