//! The offer of a server: its tools, resources, prompts and instructions, as options choose them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fibula_service::Refusal;
use rmcp::ErrorData;
use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::model::{CallToolResult, Resource, Tool};

use super::absent_tools::AbsentTools;
use super::{
    Options, Server, Toolset, instructions, listing, prompts, reply, schema, skills, views,
};
use crate::operation::{Answer, AnswerForm, Effect, Operation, ToolSpec};

/// A tool and the operation that it calls.
pub(super) struct ToolEntry {
    /// The tool with all descriptions.
    pub(super) tool: Tool,
    /// Its name, for metrics.
    pub(super) name: Arc<str>,
    pub(super) operation: Operation,
    /// True if refusals are worded like those of another system's server.
    pub(super) is_profile: bool,
}

/// What a server offers.
pub(super) struct Offer {
    pub(super) tools: BTreeMap<String, ToolEntry>,
    /// The tools in listing order: by toolset, then by name.
    pub(super) list: Vec<Tool>,
    /// The tools that only views inside of hosts call.
    pub(super) called_by_views: BTreeMap<String, ToolEntry>,
    /// The list for clients that show views.
    pub(super) list_with_views: Vec<Tool>,
    pub(super) absent: AbsentTools,
    pub(super) prompts: PromptRouter<Server>,
    pub(super) instructions: String,
    /// True if a tool has a view.
    pub(super) has_view: bool,
    /// True if the skill's tools are offered.
    pub(super) has_skill: bool,
    /// The resources of the toolsets.
    pub(super) resources: Vec<Resource>,
}

impl Offer {
    /// Collects what options choose.
    ///
    /// # Panics
    /// If the schemas of a tool are not accepted by clients.
    pub(super) fn new(options: &Options) -> Self {
        let mut tools = BTreeMap::new();
        let mut list = Vec::new();
        let (mut resources, mut prompts) = (Vec::new(), prompts::prompts());
        for toolset in &options.toolsets {
            let own = tools_of(toolset, options);
            list.extend(own.values().map(listed_tool));
            tools.extend(own);
            resources.extend((toolset.resources)());
            prompts.extend((toolset.prompts)());
        }
        for (name, entry) in single_tools(options) {
            tools.entry(name).or_insert_with(|| {
                list.push(listed_tool(&entry));
                entry
            });
        }
        let called_by_views = tools_of_views(&tools, options);
        let list_with_views = views::with_views(&list, called_by_views.values().map(listed_tool));
        Offer {
            prompts: prompts::router(prompts, |name| tools.contains_key(name)),
            instructions: instructions::instructions(|name| tools.contains_key(name)),
            absent: AbsentTools::of(|name| tools.contains_key(name), options),
            has_view: list_with_views.iter().any(|tool| tool.meta.is_some()),
            has_skill: skills::tools().all(|name| {
                let entry: Option<&ToolEntry> = tools.get(name);
                entry.is_some_and(|entry| !entry.is_profile)
            }),
            tools,
            list,
            called_by_views,
            list_with_views,
            resources,
        }
    }

    /// Writes the result of a call. Refusals of a profile are worded like those of another system's server.
    pub(super) fn result(
        &self,
        outcome: Result<Answer, Refusal>,
        is_profile: bool,
    ) -> Result<CallToolResult, ErrorData> {
        match outcome {
            Ok(answer) => reply::success(answer, &self.absent),
            Err(refusal) if is_profile => Ok(reply::refused_by_message(refusal)),
            Err(refusal) => Ok(self.refused(refusal)),
        }
    }

    /// Writes a refusal, with a note on tools of its hint that are not offered.
    pub(super) fn refused(&self, refusal: Refusal) -> CallToolResult {
        reply::refused(self.absent.note_refusal(refusal))
    }
}

/// Returns the tools that are chosen by name, of whatever toolset.
fn single_tools(options: &Options) -> BTreeMap<String, ToolEntry> {
    if options.tools.is_empty() {
        return BTreeMap::new();
    }
    let all = Toolset::OWN.iter();
    let all = all.flat_map(|toolset| tools_of(toolset, options));
    all.filter(|(name, _)| options.tools.contains(name))
        .collect()
}

/// Returns the tools of a toolset by name. Those of a profile beside other toolsets have its name as a prefix.
fn tools_of(toolset: &Toolset, options: &Options) -> BTreeMap<String, ToolEntry> {
    let is_profile = toolset.is_profile();
    let is_prefixed = is_profile && options.toolsets.len() > 1;
    let operations = (toolset.operations)();
    let names = operations
        .iter()
        .filter_map(|operation| operation.tool.as_ref());
    let names: Vec<&str> = names.map(|spec| spec.name).collect();
    let mut tools = BTreeMap::new();
    for operation in operations {
        let Some(spec) = operation.tool.clone() else {
            continue;
        };
        let is_offered = !options.read_only || spec.effect == Effect::Read;
        if spec.toolset != toolset.name() || !is_offered {
            continue;
        }
        let (name, description) = if is_prefixed {
            let prefix = toolset.name();
            (
                format!("{prefix}_{}", spec.name),
                with_prefix(spec.description, &names, prefix),
            )
        } else {
            (spec.name.to_owned(), spec.description.to_owned())
        };
        let is_excluded = |name: &str| options.excluded_tools.iter().any(|other| other == name);
        if is_excluded(&toolset.full_name(spec.name)) {
            continue;
        }
        let tool = tool(name.clone(), description, &operation, &spec);
        let mut tool = tool.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        if options.project_header {
            schema::add_project_header(Arc::make_mut(&mut tool.input_schema));
        }
        let entry = ToolEntry {
            tool,
            name: name.as_str().into(),
            operation,
            is_profile,
        };
        tools.insert(name, entry);
    }
    tools
}

/// Returns the tools that views call and that are not listed anyway.
fn tools_of_views(
    tools: &BTreeMap<String, ToolEntry>,
    options: &Options,
) -> BTreeMap<String, ToolEntry> {
    let called = views::CALLED.iter().filter(|(name, _, shown)| {
        !tools.contains_key(*name) && tools.get(*shown).is_some_and(|entry| !entry.is_profile)
    });
    let entries = called.filter_map(|(name, toolset, _)| {
        let toolset = Toolset::OWN.iter().find(|own| own.name() == *toolset)?;
        tools_of(toolset, options).remove_entry(*name)
    });
    entries.collect()
}

/// Returns a description that names tools by their names with a prefix. Names that are words of English are left as they are.
fn with_prefix(description: &str, names: &[&str], prefix: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = |name: &str| name.chars().all(|c| c.is_ascii_lowercase());
    let words = description.split_inclusive(|c| !is_part(c));
    let words = words.map(|word| {
        let name = word.trim_end_matches(|c| !is_part(c));
        if !is_word(name) && names.contains(&name) {
            format!("{prefix}_{word}")
        } else {
            word.to_owned()
        }
    });
    words.collect()
}

fn tool(
    name: String,
    description: String,
    operation: &Operation,
    spec: &ToolSpec,
) -> Result<Tool, String> {
    let arguments = schema::arguments(operation.request)?;
    let answer = match operation.answer {
        AnswerForm::Json(answer) | AnswerForm::Tool(Some(answer)) => Some(schema::answer(answer)?),
        AnswerForm::Tool(None) => None,
        AnswerForm::File(_) => return Err("only routes answer with files".to_owned()),
    };
    let mut tool = Tool::new(name, description, arguments)
        .with_title(spec.title.as_str())
        .with_annotations(spec.effect.annotations());
    tool.output_schema = answer.map(Arc::new);
    Ok(tool)
}

/// Returns a tool as clients see it.
fn listed_tool(entry: &ToolEntry) -> Tool {
    let spec = entry.operation.tool.as_ref();
    let has_picture = spec.is_some_and(|tool| tool.has_picture);
    listing::listed(&entry.tool, entry.is_profile, has_picture)
}
