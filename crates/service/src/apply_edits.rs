//! Any edits of any kind in one step: all of them, or none.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::edit::{Change, Edit, LinkData, Origin, Stage, State};
use fibula_core::graph::{self, Document, FunctionId, NodeId};
use fibula_nodes::{PortSpec, ResourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::alias::{Aliases, Named};
use super::form::ObjectForm;
use super::functions::QUICK_EXPRESSION;
use super::knowledge::{self, Intent};
use super::library::{self, Inserted};
use super::model::{self, RemovedInfo};
use super::page::Paging;
use super::project::{Condition, Step};
use super::refusal::{Refusal, quoted};
use super::reshape::{self, Reading, Reshape, Reshaped};
use super::written::{kind_and_body, malformed, setting_edit, whole_function};
use super::{CreateFunctionFromExpression, Service};

/// The most edits of one call.
const MOST: usize = 20_000;
/// The most aliases, and the most results, that an answer names.
const SHOWN: u32 = 300;
/// The most nodes that the result of a larger change names.
const SHOWN_NODES: usize = 50;
/// Up to this many edits, and nodes that they spell out, are checked in some milliseconds.
const QUICK: usize = 2_000;

/// Edits that are to be made as one.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyEdits {
    /// Left out: "default".
    pub project: Option<String>,
    /// Each {"KIND": {arguments}}. create_node, delete_node, create_link, delete_link, set_parameter_value and
    /// create_function_from_expression as their tools. Others: set_function (as get_function gives it),
    /// insert_function {name} of the library, delete_function, rename_function, rename_node, move_node {position:
    /// [x, y]}, set_overload, add_port {side: input | output, name, type}, remove_port, rename_port {new_name},
    /// retype_port, move_port {index}, extract_function {node_ids, name}, inline_call, remove_unused_nodes,
    /// create_missing_constants, normalize_function. Objects: create_level_set, modify_level_set, set_mesh, set_assembly,
    /// set_volume_data, modify_object, remove_resource, remove_unused_resources, create_build_item, set_unit and others.
    #[schemars(with = "Vec<ObjectForm>")]
    pub edits: Vec<Json>,
    /// true tries the edits and changes nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// What the history calls them.
    pub label: Option<String>,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
}

/// What came of edits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct EditsApplied {
    pub success: bool,
    pub revision: u64,
    pub applied: usize,
    /// What each alias stands for.
    pub ids: BTreeMap<String, u32>,
    /// What came of edits where that is not plain.
    #[schemars(with = "Vec<ObjectForm>")]
    pub results: Vec<EditResult>,
    /// What the knowledge graph ties to what was removed; it now ends nowhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<ObjectForm>>")]
    pub dangling: Vec<Intent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Whether ids or results name only the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// What came of one edit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct EditResult {
    /// The edit's place, from 0.
    pub index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_id: Option<FunctionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
    /// The item of the build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<u32>,
    /// The converting node that was put into a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion_node_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted_links: Vec<LinkData>,
    /// The resources that went because nothing needed them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<RemovedInfo>,
    /// The functions of the library that an expression calls, now in the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub library: Vec<Inserted>,
    /// How many nodes were moved to a function, written out in place of a call, removed or added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_count: Option<usize>,
    /// The first of these nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_ids: Vec<NodeId>,
    /// How many more are unused, or are missing what no constant can give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<usize>,
    /// The inputs of the function that nodes became.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PortSpec>,
    /// The outputs of that function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<PortSpec>,
}

impl Service {
    /// Makes edits as one: one revision, one step of undo.
    ///
    /// # Errors
    /// The [`Refusal`] of the first edit that cannot be, with its place; nothing is changed then.
    pub fn apply_edits(
        &self,
        origin: &Origin,
        request: ApplyEdits,
    ) -> Result<EditsApplied, Refusal> {
        self.apply_edits_watched(origin, request, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`apply_edits`](Self::apply_edits). `watch` is told how many edits of how many are checked, and may end it
    /// while nothing is changed.
    ///
    /// # Errors
    /// As [`apply_edits`](Self::apply_edits), and when `watch` ended it.
    pub fn apply_edits_watched(
        &self,
        origin: &Origin,
        request: ApplyEdits,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<EditsApplied, Refusal> {
        let ApplyEdits {
            project,
            edits,
            dry_run,
            label,
            expected_revision,
        } = request;
        if edits.len() > MOST {
            let message = format!("{} edits are too many for one call", edits.len());
            return Err(
                Refusal::new("too_large", message).hint(format!("send at most {MOST} at a time"))
            );
        }
        if let Some(label) = &label {
            graph::check_name("the label", label)?;
        }
        let project = self.project(project.as_deref())?;
        let condition = Condition::new(expected_revision, dry_run);
        let decide = |state: &State| {
            let mut batch = Batch::of(state.document(), &edits, watch)?;
            if !dry_run {
                // The bytes are there before anything names them.
                for bytes in std::mem::take(&mut batch.contents) {
                    self.store.put_content(project.id, &bytes)?;
                }
            }
            let stage = std::mem::replace(&mut batch.stage, Stage::new(state.document()));
            let label = label.clone().or_else(|| batch.label());
            Ok((Step::labelled(stage.finish(), label), batch))
        };
        project.change_apart(origin, condition, decide, |document, done, batch| {
            batch.answer(document, done.revision, dry_run)
        })
    }
}

impl ApplyEdits {
    /// Whether checking these takes some milliseconds at most.
    pub fn is_quick(&self) -> bool {
        if self.edits.len() > QUICK {
            return false;
        }
        let mut size = Size::default();
        self.edits.iter().for_each(|edit| size.add(edit));
        self.edits.len() + size.nodes <= QUICK && size.expressions <= QUICK_EXPRESSION
    }
}

/// What came of an edit; what has an alias is `named`, and told there.
fn result(index: usize, change: Change, named: bool) -> EditResult {
    EditResult {
        index,
        function_id: change.function_id.filter(|_| !named),
        node_id: change.node_id.filter(|_| !named),
        resource_id: change.resource_id.filter(|_| !named),
        item_id: change
            .item_id
            .filter(|_| !named || change.resource_id.is_some()),
        conversion_node_id: change.conversion,
        deleted_links: change.deleted_links,
        ..EditResult::default()
    }
}

/// What came of a larger change; what has an alias is told there.
fn reshaped_result(
    index: usize,
    reshaped: Reshaped,
    function_named: bool,
    node_named: bool,
) -> EditResult {
    // A function that is made of no nodes has none to tell of.
    let node_count = reshaped.nodes.len();
    let is_told = node_count > 0 || reshaped.made.is_none();
    let mut node_ids = reshaped.nodes;
    node_ids.truncate(SHOWN_NODES);
    EditResult {
        index,
        function_id: reshaped.made.filter(|_| !function_named),
        node_id: reshaped.node.filter(|_| !node_named),
        node_count: is_told.then_some(node_count),
        node_ids,
        left: Some(reshaped.left).filter(|&left| left > 0),
        inputs: reshaped.inputs,
        outputs: reshaped.outputs,
        ..EditResult::default()
    }
}

/// What an edit spells out: nodes, and bytes of expressions.
#[derive(Debug, Default)]
struct Size {
    nodes: usize,
    expressions: usize,
}

impl Size {
    fn add(&mut self, edit: &Json) {
        for (name, member) in edit.as_object().into_iter().flatten() {
            match member {
                Json::Array(list)
                    if matches!(name.as_str(), "nodes" | "vertices" | "triangles") =>
                {
                    self.nodes += list.len();
                }
                Json::Object(_) if name == "remove_unused_resources" => {
                    self.nodes += graph::MOST_NODES;
                }
                Json::String(text) if name == "expression" => self.expressions += text.len(),
                Json::Object(_) if name == "insert_function" => self.nodes += library::MOST_NODES,
                Json::String(text) if text == "insert_function" => {
                    self.nodes += library::MOST_NODES;
                }
                // It may move as many nodes as its function has.
                Json::Object(_) if reshape::KINDS.contains(&name.as_str()) => {
                    self.nodes += graph::MOST_NODES;
                }
                Json::String(text) if reshape::KINDS.contains(&text.as_str()) => {
                    self.nodes += graph::MOST_NODES;
                }
                other => self.add(other),
            }
        }
    }
}

/// Edits on a stage, with what they named and made.
#[derive(Debug)]
struct Batch {
    stage: Stage,
    /// The bytes that the edits need.
    contents: Vec<Vec<u8>>,
    aliases: Aliases,
    results: Vec<EditResult>,
    applied: usize,
    /// The function of the last edit that named one.
    function: Option<u32>,
    /// What the larger changes have looked at.
    reading: Reading,
    /// The first larger change, in words.
    reshaped: Option<String>,
}

impl Batch {
    fn of(
        document: &Document,
        edits: &[Json],
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Batch, Refusal> {
        let mut watch = |done: usize| match watch(done as u64, edits.len() as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Refusal::cancelled()),
        };
        let mut batch = Batch {
            stage: Stage::new(document),
            contents: Vec::new(),
            aliases: Aliases::default(),
            results: Vec::new(),
            applied: 0,
            function: None,
            reading: Reading::default(),
            reshaped: None,
        };
        for (index, edit) in edits.iter().enumerate() {
            watch(index)?;
            let mut summary = String::new();
            batch
                .push(index, edit.clone(), &mut summary)
                .map_err(|refusal| at(index, &summary, refusal))?;
            batch.applied += 1;
        }
        watch(edits.len())?;
        Ok(batch)
    }

    /// Does one edit; `summary` is what a refusal calls it.
    fn push(&mut self, index: usize, edit: Json, summary: &mut String) -> Result<(), Refusal> {
        let (kind, mut body) = kind_and_body(edit)?;
        summary.push_str(&kind);
        let makes = match kind.as_str() {
            "create_node" => Some("node_id"),
            "set_function" | "create_function_from_expression" | "insert_function" => {
                Some("function_id")
            }
            "create_level_set" | "set_mesh" | "set_assembly" | "set_volume_data" => {
                Some("resource_id")
            }
            "create_build_item" => Some("item_id"),
            "extract_function" | "normalize_function" => Some("new_function_id"),
            _ => None,
        };
        let alias = match makes {
            Some(id) => self.aliases.take(&mut body, id)?,
            None => None,
        };
        if reshape::KINDS.contains(&kind.as_str()) {
            return self.reshape(index, &kind, body, alias.as_deref(), summary);
        }
        if kind == "set_function" {
            whole_function(&mut body)?;
        }
        let parameters = if kind == "create_node" {
            body.remove("parameters")
        } else {
            None
        };
        let mut body = Json::Object(body);
        self.aliases.resolve("", &mut body)?;
        self.same_function(&kind, &mut body);
        let (mut library, mut removed) = (Vec::new(), Vec::new());
        let (function, change) = if kind == "create_function_from_expression" {
            let (change, inserted) = self.written(body)?;
            library = inserted;
            (None, change)
        } else if model::KINDS.contains(&kind.as_str()) {
            let change;
            (change, removed) = self.model(&kind, body, summary)?;
            (None, change)
        } else {
            let edit = if kind == "insert_function" {
                library::insertion(self.stage.document(), body)?
            } else {
                let mut whole = Map::new();
                whole.insert(kind.clone(), body);
                serde_json::from_value::<Edit>(Json::Object(whole))
                    .map_err(|error| malformed(&kind, &error))?
            };
            *summary = edit.summary();
            (edit.function_id(), self.stage.push(&edit)?)
        };
        if let Some(name) = &alias {
            let named = if let Some(id) = change.node_id {
                Named::Node(id.0)
            } else if let Some(id) = change.function_id {
                Named::Function(id.0)
            } else if let Some(id) = change.resource_id {
                Named::Resource(id.0)
            } else {
                Named::Item(
                    change
                        .item_id
                        .expect("only edits that make something take an alias"),
                )
            };
            self.aliases.define(name.clone(), named);
        }
        self.function = function
            .or(change.function_id)
            .map(|id| id.0)
            .or(self.function);
        if let (Some(parameters), Some(function), Some(node)) =
            (parameters, function, change.node_id)
        {
            self.parameters(function, node, parameters, summary)?;
        }
        self.note(EditResult {
            removed,
            library,
            ..result(index, change, alias.is_some())
        });
        Ok(())
    }

    /// Does one larger change; `alias` is that of the function which it makes.
    fn reshape(
        &mut self,
        index: usize,
        kind: &str,
        mut body: Map<String, Json>,
        alias: Option<&str>,
        summary: &mut String,
    ) -> Result<(), Refusal> {
        let call_alias = if kind == "extract_function" {
            self.aliases.take(&mut body, "call_node_id")?
        } else {
            None
        };
        if let (Some(name), true) = (alias, alias == call_alias.as_deref()) {
            let message = format!("{} names both the function and the call", quoted(name));
            return Err(Refusal::new("duplicate_alias", message).hint("give each its own"));
        }
        let mut body = Json::Object(body);
        self.aliases.resolve("", &mut body)?;
        self.same_function(kind, &mut body);
        let change = Reshape::read(kind, body)?;
        *summary = change.summary();
        let reshaped = change.push(&mut self.stage, &mut self.reading)?;
        if let (Some(alias), Some(id)) = (alias, reshaped.made) {
            self.aliases.define(alias.to_owned(), Named::Function(id.0));
        }
        if let (Some(alias), Some(id)) = (&call_alias, reshaped.node) {
            self.aliases.define(alias.clone(), Named::Node(id.0));
        }
        self.function = Some(change.function_id().0);
        self.reshaped.get_or_insert_with(|| summary.clone());
        self.note(reshaped_result(
            index,
            reshaped,
            alias.is_some(),
            call_alias.is_some(),
        ));
        Ok(())
    }

    /// What the history calls the edits if nobody says; `None` leaves that to them.
    fn label(&self) -> Option<String> {
        let first = self.reshaped.as_ref()?;
        Some(match self.applied {
            0 | 1 => first.clone(),
            2 => format!("{first} and another edit"),
            count => format!("{first} and {} more edits", count - 1),
        })
    }

    /// An edit without a function is about the function of the edit before.
    fn same_function(&self, kind: &str, body: &mut Json) {
        let of_function = !matches!(
            kind,
            "set_function"
                | "create_function_from_expression"
                | "insert_function"
                | "add_image_function"
                | "remove_image_function"
        ) && !model::KINDS.contains(&kind);
        if let (true, Some(function), Some(body)) =
            (of_function, self.function, body.as_object_mut())
        {
            body.entry("function_id").or_insert_with(|| json!(function));
        }
    }

    /// Does what an edit of objects or the build stands for.
    fn model(
        &mut self,
        kind: &str,
        body: Json,
        summary: &mut String,
    ) -> Result<(Change, Vec<RemovedInfo>), Refusal> {
        let made = model::model_edits(self.stage.document(), kind, body)?;
        let mut all = Change::default();
        for edit in made.edits {
            *summary = edit.summary();
            let change = self.stage.push(&edit)?;
            // The last resource is what the edit is about; a box comes before its level set.
            all.resource_id = change.resource_id.or(all.resource_id);
            all.item_id = change.item_id.or(all.item_id);
        }
        self.contents.extend(made.contents);
        if !made.removed.is_empty() {
            all = Change::default();
        }
        Ok((all, made.removed))
    }

    /// Makes a function of an expression.
    fn written(&mut self, body: Json) -> Result<(Change, Vec<Inserted>), Refusal> {
        let request: CreateFunctionFromExpression = serde_json::from_value(body)
            .map_err(|error| malformed("create_function_from_expression", &error))?;
        let function_id = request.function_id;
        let wanted = request.wanted();
        library::put_expression(&mut self.stage, &wanted, function_id)
    }

    /// Sets and links the parameters of a node that was just made: `{NAME: {"value": ..}}`,
    /// `{NAME: {"source": {"node_id": .., "port": ..}}}`, or `{NAME: literal}`.
    fn parameters(
        &mut self,
        function_id: FunctionId,
        node_id: NodeId,
        mut parameters: Json,
        summary: &mut String,
    ) -> Result<(), Refusal> {
        self.aliases.resolve("parameters", &mut parameters)?;
        let Json::Object(parameters) = parameters else {
            return Err(Refusal::new("invalid_edit", "parameters must be an object")
                .hint("as in {\"A\": {\"value\": 5}, \"B\": {\"source\": {\"node_id\": 1, \"port\": \"result\"}}}"));
        };
        let mut parameters: Vec<(String, Json)> = parameters.into_iter().collect();
        // The reference decides which other parameters a call has.
        parameters
            .sort_by_key(|(name, _)| !name.eq_ignore_ascii_case(fibula_nodes::call::FUNCTION_ID));
        for (name, setting) in parameters {
            let edit = setting_edit(function_id, node_id, name, setting)?;
            *summary = edit.summary();
            self.stage.push(&edit)?;
        }
        Ok(())
    }

    /// Keeps what came of an edit, unless that is plain.
    fn note(&mut self, result: EditResult) {
        let is_plain = result.function_id.is_none()
            && result.node_id.is_none()
            && result.resource_id.is_none()
            && result.item_id.is_none()
            && result.conversion_node_id.is_none()
            && result.deleted_links.is_empty()
            && result.library.is_empty()
            && result.node_count.is_none()
            && result.removed.is_empty();
        if !is_plain {
            self.results.push(result);
        }
    }

    /// What came of it, by which the document is so now.
    fn answer(self, now: &Document, revision: u64, dry_run: bool) -> EditsApplied {
        let paging = Paging::new(Some(SHOWN), None).expect("the limit is not 0");
        let results = paging.page((0..).zip(self.results), |result| result);
        let ids = paging.page((0..).zip(self.aliases.ids()), |(name, id)| {
            (name.to_owned(), id)
        });
        let truncated = results.next_cursor.is_some() || ids.next_cursor.is_some();
        EditsApplied {
            success: true,
            revision,
            applied: self.applied,
            ids: ids.items.into_iter().collect(),
            results: results.items,
            // The stage was left as it was before.
            dangling: knowledge::lost(self.stage.document(), now),
            dry_run: dry_run.then_some(true),
            truncated: truncated.then_some(true),
        }
    }
}

/// The refusal of one edit among others.
fn at(index: usize, summary: &str, refusal: Refusal) -> Refusal {
    let Refusal {
        code,
        message,
        hint,
        details,
    } = refusal;
    let place = if summary.is_empty() {
        format!("edit {index}")
    } else {
        format!("edit {index} ({summary})")
    };
    let hint = hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
    Refusal::new(code, format!("{place}: {message}"))
        .hint(format!(
            "{hint}nothing was changed: mend this edit and send them all again"
        ))
        .details(json!({ "index": index, "edit": summary, "error": details }))
}
