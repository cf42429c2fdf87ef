//! Message of a call of a tool that is not there: the tool of this server, or the edit of `apply_edits`, that is meant.

use fibula_core::library;
use fibula_nodes::names;
use fibula_service::edit_kinds;

use super::absent_tools::AbsentTools;
use crate::address::truncate;

/// Verbs that names begin with; each is tried in the place of another of its line.
const VERBS: [&[&str]; 4] = [
    &["create", "add", "new", "make", "insert", "put"],
    &["delete", "remove", "erase", "drop"],
    &["get", "show", "read", "describe", "list", "find", "search"],
    &["set", "update", "change", "edit", "modify"],
];

/// Other names of tools and edits: names, and what they are here.
const SYNONYMS: [(&str, &str); 22] = [
    // Of the graph of a function where there is no knowledge graph.
    ("add_edge create_edge", "add_edges"),
    (
        "connect connect_nodes link link_nodes wire add_edge create_edge",
        "create_link",
    ),
    ("disconnect disconnect_nodes unlink", "delete_link"),
    (
        "set_value set_parameter set_param set_input set_node_value",
        "set_parameter_value",
    ),
    (
        "create_function add_function new_function define_function create_shape create_sdf create expression \
         create_box create_sphere create_cylinder create_part make_part make add_shape union boolean_union \
         boolean_difference boolean_intersection boolean set_expression run_code execute",
        "create_function_from_expression",
    ),
    (
        "eval sample compute evaluate_function evaluate_points call_function trace why explain",
        "evaluate",
    ),
    (
        "mesh export_stl export_mesh export_3mf save save_project write_file to_stl generate_mesh download",
        "export",
    ),
    (
        "volume mass bounds bounding_box measure_volume get_bounds get_volume thickness wall_thickness compare distance \
         analyze_shape analyze_part",
        "measure",
    ),
    (
        "picture screenshot preview image draw view render_image",
        "render",
    ),
    ("cross_section section contour slice_function", "slice"),
    (
        "node_types kinds list_kinds search_node_types list_nodes operators",
        "list_node_types",
    ),
    (
        "library list_library search_library functions",
        "list_functions",
    ),
    (
        "edit batch transaction edits apply apply_edit",
        "apply_edits",
    ),
    ("revert rollback redo undo_edit", "undo"),
    ("history log get_log list_revisions", "get_history"),
    (
        "open load import_file open_file open_document load_3mf import_3mf load_file upload read_file check validate \
         validate_file validate_model check_model check_file",
        "import",
    ),
    ("list_parameters get_parameters", "get_function"),
    (
        "overview summary get_summary project_summary describe status inspect get_project show_project list_objects \
         list_resources list_parameters get_parameters get_structure read_graph get_graph",
        "summarize",
    ),
    (
        "create_entities create_entity add_entity add_entities add_knowledge remember memorize",
        "add_nodes",
    ),
    (
        "create_relations create_relation add_relation add_relations relate",
        "add_edges",
    ),
    ("open_nodes read_nodes get_entity get_entities", "get_nodes"),
    (
        "add_observations add_observation update_nodes update_edges annotate",
        "update",
    ),
];

/// Returns the message; `served` are the tools that are offered, and `absent` are Fibula's own that are not.
pub(super) fn message<'a>(
    name: &str,
    served: impl Iterator<Item = &'a str> + Clone,
    absent: &AbsentTools,
) -> String {
    /// Longer names are not slips of the pen.
    const LONGEST: usize = 64;
    let shown = truncate(name, 80);
    let is_served = |tool: &str| served.clone().any(|served| served == tool);
    if name.len() <= LONGEST {
        let tool = folded(name);
        if is_served(&tool) {
            return format!("unknown tool {shown}, did you mean {tool}?");
        }
        if let Some(reason) = absent.reason(&tool) {
            let elsewhere = format!("{shown} is {reason}");
            let mut here = synonyms(&tool);
            here.retain(|tool| is_served(tool));
            return match &here[..] {
                [] => format!("unknown tool {shown}: {elsewhere}"),
                here => format!(
                    "unknown tool {shown}: {elsewhere}; try {}",
                    here.join(" or ")
                ),
            };
        }
        for meant in candidates(&tool) {
            if is_served(&meant) {
                return format!("unknown tool {shown}, did you mean {meant}?");
            }
            let is_meant = |kind: &&str| kind.replace('_', "") == meant.replace('_', "");
            if let Some(kind) = edit_kinds().find(is_meant)
                && is_served("apply_edits")
            {
                return format!(
                    "unknown tool {shown}; it is an edit: apply_edits {{\"edits\": [{{\"{kind}\": {{...}}}}]}}"
                );
            }
        }
    }
    let mut meant = candidates(&folded(name)).into_iter();
    let found = meant.find_map(|tool| absent.reason(&tool).map(|reason| (tool, reason)));
    if let Some((tool, reason)) = found {
        return format!("unknown tool {shown}: {tool} is {reason}");
    }
    if is_served("create_function_from_expression") && name.len() <= LONGEST {
        let own = library::find(&folded(name)).map(|function| &*function.name);
        let forms: Vec<&str> = own
            .into_iter()
            .chain(fibula_dialects::synonyms(name))
            .collect();
        if let Some(form) = forms.first() {
            return format!(
                "unknown tool {shown}; expressions have {form}: create_function_from_expression calls it"
            );
        }
    }
    let nearest = names::nearest(name, served);
    match nearest.iter().find(|near| is_slip(name, near)) {
        Some(near) => format!("unknown tool {shown}, did you mean {near}?"),
        None => format!("unknown tool {shown}; tools/list names the tools"),
    }
}

/// The tools that a name is a synonym of.
fn synonyms(name: &str) -> Vec<&'static str> {
    let meant = SYNONYMS
        .iter()
        .filter(|(names, _)| names.split_whitespace().any(|own| own == name));
    meant.map(|(_, meant)| *meant).collect()
}

/// False if two names begin with different verbs, so that one is hardly meant by the other.
fn is_slip(name: &str, near: &str) -> bool {
    let verb = |name: &str| {
        let name = folded(name);
        let (verb, _) = name.split_once('_')?;
        VERBS.iter().position(|verbs| verbs.contains(&verb))
    };
    match (verb(name), verb(near)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// The name in lower case with `_` between its words.
fn folded(name: &str) -> String {
    let mut folded = String::new();
    for (index, c) in name.chars().enumerate() {
        match c {
            '-' | ' ' | '.' => folded.push('_'),
            c if c.is_ascii_uppercase() && index > 0 && !folded.ends_with('_') => {
                folded.push('_');
                folded.push(c.to_ascii_lowercase());
            }
            c => folded.push(c.to_ascii_lowercase()),
        }
    }
    folded
}

/// Names that a name may stand for: itself, a synonym, or itself with another verb, and without the plural.
fn candidates(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    all.extend(synonyms(name).into_iter().map(str::to_owned));
    if let Some((verb, rest)) = name.split_once('_') {
        let others = VERBS
            .iter()
            .filter(|verbs| verbs.contains(&verb))
            .copied()
            .flatten();
        for other in others {
            all.push(format!("{other}_{rest}"));
            all.extend(rest.strip_suffix('s').map(|one| format!("{other}_{one}")));
            all.push(format!("{other}_{rest}s"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{Options, Toolset};

    #[test]
    fn every_synonym_is_of_a_tool() {
        let operations = Toolset::DEFAULT
            .iter()
            .flat_map(|toolset| (toolset.operations)());
        // A tool that is off by default is called by its name where it is on.
        let is_default = |name: &str| Toolset::DEFAULT.iter().any(|set| set.name() == name);
        let tools = operations.filter_map(|operation| operation.tool);
        let tools = tools.filter(|tool| is_default(tool.toolset));
        let tools: Vec<&str> = tools.map(|tool| tool.name).collect();
        for (names, meant) in SYNONYMS {
            assert!(tools.contains(&meant), "{meant}");
            assert!(
                names.split_whitespace().all(|name| !tools.contains(&name)),
                "{names}"
            );
        }
    }

    #[test]
    fn tools_and_edits_are_named_that_are_there() {
        let core = [
            "apply_edits",
            "create_node",
            "create_link",
            "delete_node",
            "evaluate",
            "undo",
        ];
        let small = ["evaluate", "undo"];
        let no_toolsets = Options {
            toolsets: Vec::new(),
            ..Options::default()
        };
        for (name, served, expected) in [
            ("creat_node", &core[..], ", did you mean create_node?"),
            ("add_node", &core, ", did you mean create_node?"),
            ("addNode", &core, ", did you mean create_node?"),
            ("removeNode", &core, ", did you mean delete_node?"),
            ("connect_nodes", &core, ", did you mean create_link?"),
            ("add_edge", &core, ", did you mean create_link?"),
            (
                "add_edge",
                &["create_link", "add_edges"],
                ", did you mean add_edges?",
            ),
            (
                "create_levelset",
                &core,
                "; it is an edit: apply_edits {\"edits\": [{\"create_level_set\": {...}}]}",
            ),
            (
                "delete_function",
                &core,
                "; it is an edit: apply_edits {\"edits\": [{\"delete_function\": {...}}]}",
            ),
            (
                "remove_function",
                &core,
                "; it is an edit: apply_edits {\"edits\": [{\"delete_function\": {...}}]}",
            ),
            ("delete_function", &small, "; tools/list names the tools"),
            (
                "delete_project",
                &core,
                ": delete_project is in the toolset project-extra, which is not offered here",
            ),
            (
                "delete_projects",
                &core,
                ": delete_project is in the toolset project-extra, which is not offered here",
            ),
            (
                "list_parameters",
                &["get_function", "summarize", "evaluate"],
                ": list_parameters is in the toolset project-extra, which is not offered here; try get_function \
                 or summarize",
            ),
            (
                "get_parameters",
                &["get_function", "summarize"],
                ", did you mean get_function?",
            ),
            ("create_undo", &core, ", did you mean create_node?"),
            ("trace", &core, ", did you mean evaluate?"),
            (
                "connect",
                &small,
                ": create_link is in the toolset function, which is not offered here",
            ),
            ("rollback", &small, ", did you mean undo?"),
            ("zzz", &core, "; tools/list names the tools"),
            (
                "smoothUnion",
                &["create_function_from_expression"],
                "; expressions have smooth_union: create_function_from_expression calls it",
            ),
        ] {
            let absent = AbsentTools::of(|tool| served.contains(&tool), &no_toolsets);
            let message = message(name, served.iter().copied(), &absent);
            assert_eq!(message, format!("unknown tool {name}{expected}"));
        }
    }
}
