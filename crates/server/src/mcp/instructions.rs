//! Instructions for agents: the workflow in numbered steps, with the tools that the server lists.

use std::fmt::Write as _;

use super::skills;
use crate::address::SKILL;

/// Tools that a text names, and the text.
type Step = (&'static [&'static str], &'static str);

const ABOUT: &str = "\
Fibula edits function graphs as in the 3MF implicit extension, mostly signed distance \
fields (negative inside, lengths in the project's unit (mm), angles in radians).";

/// The steps, each with its forms: the first one whose tools are all listed is told.
const STEPS: [&[Step]; 8] = [
    &[
        (
            &["create_project", "summarize"],
            "Project: one per part (create_project); every tool has `project`, default \"default\". summarize lists what is in \
             it.",
        ),
        (
            &["summarize"],
            "Project: every tool has `project`, default \"default\". summarize lists what is in it.",
        ),
    ],
    &[(
        &["list_functions"],
        "Library: list_functions {\"library\":true,\"search\":\"gyroid\"} finds shapes, lattices, operators.",
    )],
    &[
        (
            &[
                "create_function_from_expression",
                "set_parameter_value",
                "list_node_types",
                "create_node",
                "create_link",
                "apply_edits",
            ],
            "Create: create_function_from_expression {\"name\":\"Plate\",\"expression\":\"let wall = 2; box(pos, vec3(40, 20, \
             wall))\"}. A `let` of a number is a parameter: set_parameter_value sets it by name. Node by node: \
             list_node_types, create_node, create_link; the outputs are parameters of node 0. apply_edits does many, all or \
             none.",
        ),
        (
            &["get_function"],
            "Functions: get_function returns one as a graph or as an expression; the outputs are parameters of node 0.",
        ),
    ],
    &[
        (
            &["measure", "evaluate"],
            "Measure: measure {\"function_id\":1}; evaluate points, \"why\":true explains a value.",
        ),
        (&["measure"], "Measure: measure {\"function_id\":1}."),
        (
            &["evaluate"],
            "Evaluate: evaluate points, \"why\":true explains a value.",
        ),
    ],
    &[(
        &["render", "slice"],
        "Look: render {\"function_id\":1,\"view\":\"sheet\"}; `section` cuts it open, slice takes areas.",
    )],
    &[
        (
            &["export", "import"],
            "Export: export {\"function_id\":1,\"format\":\"stl\",\"path\":\"plate.stl\"}; then check the file: import with path \
             and \"check\":true.",
        ),
        (
            &["export"],
            "Export: export {\"function_id\":1,\"format\":\"stl\",\"path\":\"plate.stl\"}.",
        ),
    ],
    &[
        (
            &["undo", "get_history"],
            "Undo: undo reverts your last change; get_history lists all.",
        ),
        (&["get_history"], "History: get_history lists all changes."),
    ],
    &[
        (
            &["search_nodes", "add_nodes", "render", "update"],
            "Knowledge graph: search_nodes, add_nodes; edges may end at functions (\"fn:1/3\", \"fn:1#wall\"). Nodes of type \
             mark are what people ask for: render {\"mark\":\"n6\"} shows one; answer with update.",
        ),
        (
            &["search_nodes", "add_nodes", "update"],
            "Knowledge graph: search_nodes, add_nodes; edges may end at functions (\"fn:1/3\", \"fn:1#wall\"). Nodes of type \
             mark are what people ask for: answer with update.",
        ),
        (
            &["search_nodes"],
            "Knowledge graph: search_nodes; edges may end at functions (\"fn:1/3\", \"fn:1#wall\"). Nodes of type mark are \
             what people ask for.",
        ),
    ],
];

/// Arguments of most tools, which the list of tools leaves out.
const COMMON: [Step; 2] = [
    (
        &["apply_edits"],
        "dry_run, expected_revision (if others edit) where tools change; revision where they read; limit, cursor in lists. ",
    ),
    (
        &["list_functions"],
        "revision where tools read; limit, cursor in lists. ",
    ),
];

/// What holds for functions and their nodes.
const FUNCTIONS: [Step; 1] = [(
    &["list_functions"],
    "Names are case-insensitive; types never convert. ",
)];

const LAST: &str = "Refused calls change nothing and say what to do.";

/// Returns the instructions for a server with these tools.
pub(super) fn instructions(has_tool: impl Fn(&str) -> bool) -> String {
    let told = |forms: &[Step]| {
        let mut forms = forms.iter();
        forms
            .find(|(tools, _)| tools.iter().all(|tool| has_tool(tool)))
            .map(|(_, text)| *text)
    };
    let mut all = ABOUT.to_owned();
    for (number, text) in (1..).zip(STEPS.into_iter().filter_map(told)) {
        let _ = write!(all, "\n{number}. {text}");
    }
    if skills::tools().all(&has_tool) {
        let _ = write!(all, "\nWorked calls: {SKILL}.");
    }
    if let Some(common) = told(&COMMON) {
        let _ = write!(all, "\nAlso: {common}");
    } else {
        all.push('\n');
    }
    all + told(&FUNCTIONS).unwrap_or_default() + LAST
}
