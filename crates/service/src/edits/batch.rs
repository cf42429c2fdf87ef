//! A batch of edits on a stage: how each is read, applied and told.

use std::ops::ControlFlow;

use fibula_core::edit::{Change, Edit, FunctionEdit, NodeEdit, Stage};
use fibula_core::expression;
use fibula_core::graph::{Document, Function, FunctionId, NodeId};
use fibula_core::refactor::{NodeBudget, Refactoring};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::background::ProgressFn;
use crate::dependents::ChangedValues;
use crate::edits::alias::{AliasTarget, Aliases};
use crate::edits::apply_edits::EditsApplied;
use crate::edits::checked_definitions::CheckedDefinitions;
use crate::edits::edit_json::{kind_and_body, malformed, strip_listing_fields, with_index};
use crate::edits::edit_request::{Definition, EditRequest, created_id, has_default_function};
use crate::edits::function_names;
use crate::edits::results::EditResult;
use crate::effects::Effects;
use crate::functions::call_notes::{inferred_signature, unused_bindings, unused_inputs};
use crate::functions::definitions::CreateFunctionFromExpression;
use crate::functions::next_step::suggest_inputs_of_all;
use crate::functions::node_parameters::parameter_edits;
use crate::functions::{library, parameters};
use crate::knowledge::{self, AffectedIntent};
use crate::model;
use crate::model::{ModelEditForm, RemovedInfo};
use crate::paging::Paging;
use crate::refusal::{Refusal, Result, quoted};

/// Maximum number of edits of a call.
const MOST: usize = 20_000;
/// Maximum number of warnings of unused names, but for those of one expression.
const MOST_UNUSED: usize = 100;
/// Maximum number of aliases and of results in an answer.
const SHOWN: u32 = 300;

/// Edits on a stage, with their aliases and results.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) stage: Stage,
    /// Bytes that the edits need.
    pub(super) contents: Vec<Vec<u8>>,
    aliases: Aliases,
    results: Vec<EditResult>,
    applied: usize,
    /// The function of the last edit that named one.
    function: Option<u32>,
    /// Nodes visited by refactorings.
    budget: NodeBudget,
    /// Summary of the first refactoring.
    refactored: Option<String>,
    /// The first nodes that were created one by one.
    created: Vec<(FunctionId, NodeId)>,
    pub(super) checked: CheckedDefinitions,
}

impl Batch {
    /// Applies edits to a copy of a document.
    pub(super) fn of(document: &Document, edits: &[Json], watch: ProgressFn<'_>) -> Result<Batch> {
        if edits.len() > MOST {
            let message = format!("{} edits are too many for one call", edits.len());
            return Err(
                Refusal::new("too_large", message).hint(format!("send at most {MOST} at a time"))
            );
        }
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
            budget: NodeBudget::default(),
            refactored: None,
            created: Vec::new(),
            checked: CheckedDefinitions::default(),
        };
        for (index, edit) in edits.iter().enumerate() {
            watch(index)?;
            let mut summary = String::new();
            batch
                .push(index, edit.clone(), &mut summary)
                .map_err(|refusal| with_index(index, &summary, refusal))?;
            batch.applied += 1;
        }
        watch(edits.len())?;
        Ok(batch)
    }

    /// Applies one edit; `summary` names it in a refusal.
    fn push(&mut self, index: usize, edit: Json, summary: &mut String) -> Result<()> {
        let (kind, mut body) = kind_and_body(edit)?;
        summary.push_str(&kind);
        if !body.contains_key("function_id")
            && let Some(function) = body.remove("function")
        {
            body.insert("function_id".to_owned(), function);
        }
        let alias = match created_id(&kind) {
            Some(id) => self.aliases.take(&mut body, id)?,
            None => None,
        };
        let call_alias = match kind.as_str() {
            "extract_function" => self.aliases.take(&mut body, "call_node_id")?,
            _ => None,
        };
        if let (Some(name), true) = (&alias, alias == call_alias) {
            let message = format!("{} names both the function and the call", quoted(name));
            return Err(
                Refusal::new("duplicate_alias", message).hint("give them different aliases")
            );
        }
        let parameters = match kind.as_str() {
            "create_node" => body.remove("parameters"),
            "set_function" => {
                strip_listing_fields(&mut body)?;
                None
            }
            _ => None,
        };
        for (key, value) in &mut body {
            self.aliases.resolve(key, value)?;
        }
        function_names::resolve(self.stage.document(), &kind, &mut body)?;
        if let (true, Some(function)) = (has_default_function(&kind), self.function) {
            body.entry("function_id").or_insert_with(|| json!(function));
        }
        let mut result = EditResult::new(index);
        if kind == "set_parameter_value" && !body.contains_key("node_id") {
            let (function, change) = self.set_named(body, summary)?;
            self.checked.with_values.extend(function);
            self.function = function.map(|id| id.0);
            self.record(result.with_change(change, false));
            return Ok(());
        }
        let request = EditRequest::parse(&kind, Json::Object(body))
            .map_err(|error| malformed(&kind, &error))?;
        let (function, change) = match request {
            EditRequest::Refactoring(refactoring) => {
                return self.refactor(index, &refactoring, alias, call_alias, summary);
            }
            EditRequest::Definition(Definition::CreateFunctionFromExpression(request)) => {
                (None, self.expression(*request, &mut result)?)
            }
            EditRequest::Definition(Definition::InsertFunction(request)) => {
                let edit = library::insertion(self.stage.document(), request)?;
                self.document_edit(edit, summary)?
            }
            EditRequest::Model(form) => {
                let (change, removed) = self.model(form, summary)?;
                result.removed = removed;
                (None, change)
            }
            EditRequest::Document(edit) => {
                use FunctionEdit::{Rename, Set};
                let names_function = matches!(edit, Edit::Function(Set(_) | Rename { .. }));
                let (function, change) = self.document_edit(edit, summary)?;
                let named = change.function_id.or(function);
                self.checked.called.extend(named.filter(|_| names_function));
                (function, change)
            }
        };
        if let Some(name) = &alias {
            self.aliases.define(name.clone(), alias_target(&change));
        }
        self.function = function
            .or(change.function_id)
            .map(|id| id.0)
            .or(self.function);
        if kind == "create_node" && self.created.len() < SHOWN as usize {
            self.created.extend(function.zip(change.node_id));
        }
        if let (Some(parameters), Some(function), Some(node)) =
            (parameters, function, change.node_id)
        {
            self.parameters(function, node, parameters, summary)?;
        }
        self.record(result.with_change(change, alias.is_some()));
        Ok(())
    }

    /// The function that an edit replaces, if knowledge is tied to parts of it.
    fn replaced_by(&self, edit: &Edit) -> Option<Function> {
        let Edit::Function(FunctionEdit::Set(data)) = edit else {
            return None;
        };
        let (id, document) = (data.function_id?, self.stage.document());
        let before = document.find_function(id)?;
        knowledge::has_tied_parts(document, id).then(|| before.clone())
    }

    /// The id that an edit gives to a new function.
    fn new_function(&self, edit: &Edit) -> Option<FunctionId> {
        let Edit::Function(FunctionEdit::Set(data)) = edit else {
            return None;
        };
        let is_new = |id: &FunctionId| self.stage.document().find_function(*id).is_none();
        data.function_id.filter(is_new)
    }

    /// Sets a named constant, or several.
    fn set_named(
        &mut self,
        body: Map<String, Json>,
        summary: &mut String,
    ) -> Result<(Option<FunctionId>, Change)> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct SetNamed {
            function_id: FunctionId,
            #[serde(alias = "parameter")]
            parameter_name: String,
            value: Json,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct SetSeveral {
            function_id: FunctionId,
            values: Map<String, Json>,
        }
        let (function_id, values) = if body.contains_key("values") {
            let set: SetSeveral = serde_json::from_value(Json::Object(body))
                .map_err(|error| malformed("set_parameter_value", &error))?;
            (set.function_id, set.values)
        } else {
            let set: SetNamed = serde_json::from_value(Json::Object(body))
                .map_err(|error| malformed("set_parameter_value", &error))?;
            let one = Map::from_iter([(set.parameter_name, set.value)]);
            (set.function_id, one)
        };
        let mut change = Change::default();
        for (name, value) in &values {
            let document = self.stage.document();
            let set = parameters::set_parameter(document, function_id, name, value)?;
            (_, change) = self.push_edit(&set.edit, summary)?;
        }
        Ok((Some(function_id), change))
    }

    /// Applies an edit that was asked for; knowledge follows the nodes of a function that it replaces.
    fn document_edit(
        &mut self,
        mut edit: Edit,
        summary: &mut String,
    ) -> Result<(Option<FunctionId>, Change)> {
        if let Edit::Node(NodeEdit::Create {
            function_id,
            node_id,
            ..
        }) = &mut edit
        {
            let document = self.stage.document();
            *node_id = knowledge::untied_id(document, *function_id, *node_id)?;
        }
        if let Edit::Function(FunctionEdit::Set(data)) = &mut edit {
            knowledge::number_nodes(self.stage.document(), data);
        }
        let (replaced, set) = (self.replaced_by(&edit), self.new_function(&edit));
        let renamed = knowledge::renamed_input(self.stage.document(), &edit);
        let pushed = self.push_edit(&edit, summary)?;
        if let (Some(function), Some(conversion)) = (pushed.0, pushed.1.conversion) {
            knowledge::check_untied(self.stage.document(), function, conversion)?;
        }
        knowledge::follow(&mut self.stage, renamed)?;
        if matches!(edit, Edit::Link(_)) {
            self.checked.with_values.extend(pushed.0);
        }
        let named = match edit {
            Edit::Node(NodeEdit::Rename { node_id, .. }) => Some(node_id),
            Edit::Node(NodeEdit::Create { .. }) => pushed.1.node_id,
            _ => None,
        };
        if let Some((function, node)) = pushed.0.zip(named) {
            self.checked.named.entry(function).or_default().insert(node);
        }
        if let Some(function) = set {
            knowledge::check_untied_function(self.stage.document(), function)?;
        }
        if let Some(before) = replaced {
            knowledge::follow_replaced(&mut self.stage, &before)?;
        }
        Ok(pushed)
    }

    /// Applies an edit of the document.
    fn push_edit(
        &mut self,
        edit: &Edit,
        summary: &mut String,
    ) -> Result<(Option<FunctionId>, Change)> {
        *summary = edit.summary();
        Ok((edit.function_id(), self.stage.push(edit)?))
    }

    /// Applies a refactoring; `alias` is that of the new function, `call_alias` that of its call.
    fn refactor(
        &mut self,
        index: usize,
        refactoring: &Refactoring,
        alias: Option<String>,
        call_alias: Option<String>,
        summary: &mut String,
    ) -> Result<()> {
        *summary = refactoring.summary();
        let outcome = refactoring.push(&mut self.stage, &mut self.budget)?;
        if let Some(function) = outcome.function {
            knowledge::check_untied_function(self.stage.document(), function)?;
        }
        if let (Refactoring::ExtractFunction(request), Some(to)) = (refactoring, outcome.function) {
            let (stage, from) = (&mut self.stage, request.function_id);
            knowledge::follow_extracted(stage, from, to, &outcome.nodes)?;
        }
        if let (Refactoring::InlineCall(request), Some(result)) = (refactoring, outcome.node) {
            let (function, call) = (request.function_id, request.node_id);
            knowledge::follow_inlined(&mut self.stage, function, call, result)?;
        }
        let named = (alias.is_some(), call_alias.is_some());
        if let (Some(alias), Some(id)) = (alias, outcome.function) {
            self.aliases.define(alias, AliasTarget::Function(id.0));
        }
        if let (Some(alias), Some(id)) = (call_alias, outcome.node) {
            self.aliases.define(alias, AliasTarget::Node(id.0));
        }
        self.function = Some(refactoring.function_id().0);
        self.refactored.get_or_insert_with(|| summary.clone());
        self.record(EditResult::of_refactoring(index, outcome, named.0, named.1));
        Ok(())
    }

    /// Label of the batch in the history; `None` for that of the edits.
    pub(super) fn label(&self) -> Option<String> {
        let first = self.refactored.as_ref()?;
        Some(match self.applied {
            0 | 1 => first.clone(),
            2 => format!("{first} and 1 more edit"),
            count => format!("{first} and {} more edits", count - 1),
        })
    }

    /// Applies an edit of objects or the build.
    fn model(
        &mut self,
        form: ModelEditForm,
        summary: &mut String,
    ) -> Result<(Change, Vec<RemovedInfo>)> {
        let is_level_set = matches!(
            form,
            ModelEditForm::CreateLevelSet(_) | ModelEditForm::ModifyLevelSet(_)
        );
        let made = model::model_edits(self.stage.document(), form)?;
        let mut all = Change::default();
        for edit in made.edits {
            *summary = edit.summary();
            let change = self.stage.push(&edit)?;
            // The last resource is the subject of the edit; a box precedes its level set.
            all.resource_id = change.resource_id.or(all.resource_id);
            all.item_id = change.item_id.or(all.item_id);
        }
        if is_level_set {
            self.checked.level_sets.extend(all.resource_id);
        }
        self.contents.extend(made.contents);
        if !made.removed.is_empty() {
            all = Change::default();
        }
        Ok((all, made.removed))
    }

    /// Sets and links the parameters of a new node.
    fn parameters(
        &mut self,
        function_id: FunctionId,
        node_id: NodeId,
        mut parameters: Json,
        summary: &mut String,
    ) -> Result<()> {
        self.aliases.resolve("parameters", &mut parameters)?;
        let document = self.stage.document();
        for edit in parameter_edits(document, function_id, node_id, parameters)? {
            *summary = edit.summary();
            self.stage.push(&edit)?;
        }
        Ok(())
    }

    /// Creates or replaces the function of an expression.
    fn expression(
        &mut self,
        request: CreateFunctionFromExpression,
        result: &mut EditResult,
    ) -> Result<Change> {
        let function_id = request.function_id;
        let request = request.into_request();
        let previous = function_id.and_then(|id| self.stage.document().find_function(id));
        let previous = previous.map(Function::inputs).unwrap_or_default();
        let (change, inserted) = library::put_expression(&mut self.stage, &request, function_id)?;
        result.library = inserted;
        if self.results.len() < SHOWN as usize {
            let document = self.stage.document();
            result.calls = expression::positional_calls(document, &request.expression);
            let made = change.function_id.filter(|_| request.arguments.is_none());
            result.signature = made.and_then(|id| inferred_signature(document, id));
        }
        if self.checked.unused.len() < MOST_UNUSED {
            let unused = unused_bindings(&request.expression);
            self.checked.unused.extend(unused);
            let inputs = |id| unused_inputs(self.stage.document(), id, &previous);
            let inputs = change.function_id.map(inputs);
            self.checked.unused.extend(inputs.into_iter().flatten());
        }
        self.checked.functions.extend(change.function_id);
        self.checked.called.extend(change.function_id);
        Ok(change)
    }

    /// Keeps the result of an edit unless it is trivial.
    fn record(&mut self, result: EditResult) {
        let is_plain = result.function_id.is_none()
            && result.node_id.is_none()
            && result.resource_id.is_none()
            && result.item_id.is_none()
            && result.conversion_node_id.is_none()
            && result.deleted_links.is_empty()
            && result.signature.is_none()
            && result.calls.is_empty()
            && result.library.is_empty()
            && result.node_count.is_none()
            && result.removed.is_empty();
        if !is_plain {
            self.results.push(result);
        }
    }

    /// The answer, and the values that changed; `now` is the document after the batch.
    pub(super) fn answer(
        self,
        now: &Document,
        revision: u64,
        dry_run: bool,
    ) -> (EditsApplied, ChangedValues) {
        let paging = Paging::new(Some(SHOWN), None).expect("the limit is not 0");
        let results = paging.page((0..).zip(self.results), |result| result);
        let ids = paging.page((0..).zip(self.aliases.ids()), |(name, id)| {
            (name.to_owned(), id)
        });
        // The stage still has the document before the batch.
        let affected = AffectedIntent::between(self.stage.document(), now);
        let (effects, values) = Effects::between(self.stage.document(), now);
        let truncated = results.next_cursor.is_some() || ids.next_cursor.is_some();
        let answer = EditsApplied {
            success: true,
            revision,
            applied: self.applied,
            ids: ids.items.into_iter().collect(),
            results: results.items,
            effects,
            dangling: affected.dangling,
            moved: affected.moved,
            intent: affected.intent,
            warnings: Vec::new(),
            dry_run: dry_run.then_some(true),
            truncated: truncated.then_some(true),
            next: suggest_inputs_of_all(now, &self.created),
        };
        (answer, values)
    }
}

/// Returns what an alias of an edit stands for.
fn alias_target(change: &Change) -> AliasTarget {
    if let Some(id) = change.node_id {
        AliasTarget::Node(id.0)
    } else if let Some(id) = change.function_id {
        AliasTarget::Function(id.0)
    } else if let Some(id) = change.resource_id {
        AliasTarget::Resource(id.0)
    } else {
        let item = change.item_id;
        AliasTarget::Item(item.expect("only edits that create something can have an alias"))
    }
}
