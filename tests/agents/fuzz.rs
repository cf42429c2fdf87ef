//! Random calls of every tool: arguments that are made of its schema, and calls of the tour that are changed. Each is answered as the
//! tool's output schema says, or refused with a code.
//!
//! The calls are the same in each run. `FIBULA_FUZZ_SECONDS=600` makes more of them, for about as long.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use jsonschema::Validator;
use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Map, Value as Json, json};

use crate::talk::Pipe;
use crate::tour;

/// Calls for each part of the tour.
const CALLS: usize = 500;
/// Time limit that is given to tools that have one, in seconds.
const TIME_LIMIT: u32 = 2;
/// What no tool may take longer than, on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(60);

const NUMBERS: [f64; 10] = [0.0, 1.0, -1.0, 3.0, 99.0, 1e-9, 1e9, 1e300, 1.8e19, -9.3e18];
const TEXTS: [&str; 16] = [
    "",
    "a",
    "Ball",
    "default",
    "n1",
    "e1",
    "fn:1",
    "../x",
    "stl",
    "\u{202e}\0",
    "digraph{a->b}",
    "{}",
    "sin(x) * length(pos)",
    "2026-01-01T00:00:00Z",
    "(",
    "nothing of this name",
];

struct Random(TestRng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    fn number(&mut self) -> Json {
        let number = NUMBERS[self.below(NUMBERS.len())];
        if number.abs() < 1e18 && number.fract() == 0.0 {
            json!(number as i64)
        } else {
            json!(number)
        }
    }

    fn text(&mut self) -> Json {
        match self.below(20) {
            0 => json!("x".repeat(5_000)),
            _ => json!(TEXTS[self.below(TEXTS.len())]),
        }
    }

    /// A value that has nothing to do with a schema.
    fn any(&mut self) -> Json {
        match self.below(8) {
            0 => Json::Null,
            1 => json!(self.percent(50)),
            2 => json!([self.any()]),
            3 => json!({ "a": self.any() }),
            4 => json!([1e300, 0, -1]),
            5 => json!({}),
            6 => self.text(),
            _ => self.number(),
        }
    }

    /// A value that mostly fits a schema.
    fn value(&mut self, schema: &Json) -> Json {
        if self.percent(8) {
            return self.any();
        }
        for key in ["enum", "anyOf"] {
            if let Some(list) = schema[key].as_array() {
                let one = &list[self.below(list.len())];
                return if key == "enum" {
                    one.clone()
                } else {
                    self.value(one)
                };
            }
        }
        match schema["type"].as_str() {
            Some("integer" | "number") => self.number(),
            Some("string") => self.text(),
            Some("boolean") => json!(self.percent(50)),
            Some("array") => (0..self.below(4))
                .map(|_| self.value(&schema["items"]))
                .collect(),
            Some("object") => Json::Object(self.members(schema)),
            _ => self.any(),
        }
    }

    fn members(&mut self, schema: &Json) -> Map<String, Json> {
        let required = |name: &str| {
            let names = schema["required"].as_array();
            names.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut members = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required(name) || self.percent(30) {
                members.insert(name.clone(), self.value(property));
            }
        }
        members
    }

    /// Changes a value at one place.
    fn change(&mut self, value: &mut Json) {
        let whole = self.percent(20);
        match value {
            Json::Object(members) if !whole && !members.is_empty() => {
                let at = self.below(members.len());
                let name = members.keys().nth(at).expect("it is there").clone();
                match self.below(8) {
                    0 => drop(members.remove(&name)),
                    1 => drop(members.insert(format!("{name}_"), json!(1))),
                    _ => self.change(&mut members[&name]),
                }
            }
            Json::Array(items) if !whole && !items.is_empty() => {
                let at = self.below(items.len());
                match self.below(8) {
                    0 => drop(items.remove(at)),
                    1 => items.extend(vec![items[at].clone(); 100]),
                    _ => self.change(&mut items[at]),
                }
            }
            Json::String(text) if !whole => {
                let end = text.char_indices().map(|(place, _)| place);
                let places: Vec<usize> = end.chain([text.len()]).collect();
                let place = places[self.below(places.len())];
                let piece = TEXTS[self.below(TEXTS.len())];
                text.insert_str(place, piece);
            }
            _ => *value = self.any(),
        }
    }
}

/// What is known of a tool.
struct Listed {
    input: Json,
    output: Option<Validator>,
    has_time_limit: bool,
}

impl Listed {
    fn new(tool: &Json) -> Listed {
        let output = tool.get("outputSchema");
        let description = tool["description"].as_str().expect("a description");
        Listed {
            input: tool["inputSchema"].clone(),
            output: output.map(|schema| jsonschema::validator_for(schema).expect("a schema")),
            // Few schemas list it.
            has_time_limit: description.contains("time_limit"),
        }
    }
}

/// A server with the tools of a part of the tour, after its calls.
struct Toured {
    pipe: Pipe,
    tools: BTreeMap<String, Listed>,
    calls: Vec<Json>,
}

impl Toured {
    fn new(part: &Json, folder: &Path) -> Toured {
        let mut pipe = Pipe::new(&tour::options(part), folder);
        let listed = pipe.ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        let name = |tool: &Json| tool["name"].as_str().expect("a name").to_owned();
        let tools = tools.map(|tool| (name(tool), Listed::new(tool))).collect();
        let calls = part["calls"].as_array().expect("calls").clone();
        for call in &calls {
            let params = json!({ "name": call[0], "arguments": call[1] });
            pipe.ask("tools/call", &params);
        }
        Toured { pipe, tools, calls }
    }

    /// Makes a call; returns true if it is answered, and not refused.
    fn call(&mut self, random: &mut Random) -> bool {
        let (name, mut arguments) = if random.percent(50) {
            let at = random.below(self.tools.len());
            let (name, tool) = self.tools.iter().nth(at).expect("it is there");
            (name.clone(), Json::Object(random.members(&tool.input)))
        } else {
            let call = &self.calls[random.below(self.calls.len())];
            let (name, mut arguments) = (call[0].as_str().expect("a tool"), call[1].clone());
            for _ in 0..=random.below(3) {
                random.change(&mut arguments);
            }
            (name.to_owned(), arguments)
        };
        let tool = &self.tools[&name];
        if let Some(members) = arguments.as_object_mut()
            && tool.has_time_limit
        {
            members.insert("time_limit".to_owned(), json!(TIME_LIMIT));
        }
        let begun = Instant::now();
        let params = json!({ "name": name, "arguments": arguments });
        let answer = self.pipe.ask("tools/call", &params);
        let about = || format!("{params}\n{answer}");
        assert!(begun.elapsed() < MOST_TIME, "{}", about());
        let Some(result) = answer.get("result") else {
            // Arguments that are no object.
            assert_eq!(answer["error"]["code"], -32602, "{}", about());
            return false;
        };
        if result["isError"] == true {
            let code = result["_meta"]["code"].as_str();
            assert!(code.is_some_and(|code| code != "internal"), "{}", about());
            return false;
        }
        if let Some(output) = &tool.output {
            let fields = &result["structuredContent"];
            let fault = output.validate(fields).err().map(|fault| fault.to_string());
            assert_eq!(fault, None, "{}", about());
        }
        true
    }
}

#[test]
fn random_calls_are_answered_or_refused() {
    let parts = tour::parts();
    let seconds = std::env::var("FIBULA_FUZZ_SECONDS");
    let seconds = seconds.map_or(0, |seconds| seconds.parse().expect("a number of seconds"));
    let each = Duration::from_secs(seconds) / parts.len() as u32;
    let mut answered = 0;
    let mut random = Random(TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for part in &parts {
        let folder = tempfile::tempdir().expect("a folder");
        let mut toured = Toured::new(part, folder.path());
        let begun = Instant::now();
        let mut count = 0;
        while count < CALLS || begun.elapsed() < each {
            answered += usize::from(toured.call(&mut random));
            count += 1;
        }
    }
    assert!(answered > CALLS / 2, "only {answered} calls are answered");
}
