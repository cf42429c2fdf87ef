//! A tour of all tools: `tour.json` has calls with the options of a server each, which are answered, or refused with the code that
//! follows them. The official SDKs run it too (`.ci/clients`); they hold every answer against the schema of its tool.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// There is nothing to give it, so nothing to refuse.
const NEVER_REFUSED: [&str; 1] = ["get_current_time"];

#[test]
fn every_tool_is_called_and_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for part in parts() {
        let mut agent = Agent::new(&options(&part), folder.path());
        let (mut answered, mut refused) = (BTreeSet::new(), BTreeSet::new());
        for call in part["calls"].as_array().expect("calls") {
            let (tool, arguments) = (call[0].as_str().expect("a tool"), &call[1]);
            let params = json!({ "name": tool, "arguments": arguments });
            let answer = agent.ask("tools/call", &params);
            let code = &answer["result"]["_meta"]["code"];
            assert_eq!(code, &call[2], "{tool} {arguments}: {answer}");
            let seen = if code.is_null() {
                &mut answered
            } else {
                &mut refused
            };
            seen.insert(tool.to_owned());
        }
        refused.extend(NEVER_REFUSED.map(str::to_owned));
        for tool in agent.tools() {
            assert!(answered.contains(&tool), "{tool} is not called");
            assert!(refused.contains(&tool), "{tool} is not refused");
        }
    }
}

/// The parts of the tour, of a server each.
pub(crate) fn parts() -> Vec<Json> {
    serde_json::from_str(include_str!("tour.json")).expect("a list")
}

/// The options of the server of a part.
pub(crate) fn options(part: &Json) -> Vec<&str> {
    let options = part["options"].as_array().expect("a list").iter();
    options.map(|text| text.as_str().expect("a text")).collect()
}
