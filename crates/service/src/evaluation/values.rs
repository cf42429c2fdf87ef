//! Request and answer of an evaluation.

use std::collections::BTreeMap;

use fibula_core::graph::FunctionId;
use serde_json::Value as Json;

use crate::edits;
use crate::evaluation::point_trace::TracedNode;
use crate::evaluation::sampling::{Bound, Region, Statistics, Steepness};
use crate::paging::Paging;
use crate::schema_types::{ObjectForm, OneOrMany, ValueForm};

json_structs! {
    /// Function and points of an evaluation.
    pub request struct Evaluate {
        project,
        /// Its id or name.
        pub function_id: FunctionId,
        /// {INPUT: value}, such as {"pos": [0, 0, 5]}, or a list of such objects for many points.
        #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
        pub arguments: Option<Json>,
        /// Line, plane, grid or box `{from: [-1,-1,0], to: [1,1,0], counts: [9,9,1], input}`; arguments has the other
        /// inputs.
        pub region: Option<Region>,
        /// Names of the outputs; default all.
        pub outputs: Option<Vec<String>>,
        /// true adds derivatives by the inputs.
        pub gradient: bool,
        /// true adds bounds over the region.
        pub bounds: bool,
        /// true adds bounds of their slope there.
        pub lipschitz: bool,
        /// true adds the inputs and outputs of every node, for one point.
        pub trace: bool,
        /// true explains the values at one point.
        pub why: bool,
        /// Edits as of apply_edits, to try: nothing is written.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub edits: Vec<Json> = default,
        revision,
    }

    /// The values of a function.
    #[schemars(rename = "Evaluated")]
    pub answer(Default) struct EvaluationResult {
        pub success: bool,
        /// {OUTPUT: value}; a list of such objects for a list of points; {OUTPUT: [values, x fastest]} for a region.
        /// "NaN", "Infinity" and "-Infinity" are texts.
        #[schemars(with = "OneOrMany<BTreeMap<String, ValueForm>>")]
        pub values: Json,
        /// {OUTPUT: {INPUT: derivative}}
        #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
        pub gradients: Option<Json>,
        #[schemars(with = "Option<ObjectForm>")]
        pub statistics: Option<BTreeMap<String, Statistics>>,
        #[schemars(with = "Option<ObjectForm>")]
        pub bounds: Option<BTreeMap<String, Bound>>,
        #[schemars(with = "Option<ObjectForm>")]
        pub lipschitz: Option<BTreeMap<String, Steepness>>,
        /// The nodes that the outputs need, in the order of evaluation.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub trace: Option<Vec<TracedNode>>,
        /// A line per node that decides an output, from the output down.
        pub why: Vec<String> = [],
        pub warnings: Vec<String>,
        pub revision: u64,
        /// Number of edits that were tried: they are not written.
        pub tried_edits: Option<usize>,
        pub truncated: Option<bool>,
        pub total: Option<usize>,
        /// The call that requests the other values.
        pub next: Option<String>,
    }
}

impl Evaluate {
    /// True if trying its edits takes a few milliseconds at most.
    pub fn is_quick_to_read(&self) -> bool {
        edits::is_quick(&self.edits)
    }

    /// Request for all outputs of a function of the default project.
    pub fn new(function_id: FunctionId, arguments: impl Into<Json>) -> Self {
        Evaluate {
            project: None,
            function_id,
            arguments: Some(arguments.into()),
            region: None,
            outputs: None,
            gradient: false,
            bounds: false,
            lipschitz: false,
            trace: false,
            why: false,
            edits: Vec::new(),
            revision: None,
        }
    }
}

impl EvaluationResult {
    /// An answer without values.
    pub(crate) fn new(revision: u64) -> Self {
        EvaluationResult {
            success: true,
            values: Json::Object(serde_json::Map::new()),
            revision,
            ..EvaluationResult::default()
        }
    }

    pub(crate) fn cut(&mut self, shown: usize, total: usize, next: &str) {
        self.truncated = Some(true);
        self.total = Some(total);
        self.next = Some(format!(
            "these are the values of the first {shown} of {total} points; {next}"
        ));
    }

    /// Truncates the answer to the first values if it would be too long for an agent.
    pub(crate) fn shortened(mut self) -> Self {
        let (Json::Array(values), Ok(paging)) = (&mut self.values, Paging::new(None, None)) else {
            return self;
        };
        let total = values.len();
        let gradients = match self.gradients.take() {
            Some(Json::Array(gradients)) => gradients.into_iter().map(Some).collect(),
            Some(_) | None => vec![None; total],
        };
        let both = values.drain(..).zip(gradients);
        let page = paging.page((0..).zip(both), |both| both);
        let shown = page.items.len();
        let (shown_values, shown_gradients): (Vec<Json>, Vec<Option<Json>>) =
            page.items.into_iter().unzip();
        *values = shown_values;
        let gradients: Option<Vec<Json>> = shown_gradients.into_iter().collect();
        self.gradients = gradients
            .filter(|gradients| !gradients.is_empty())
            .map(Json::Array);
        if shown < total {
            let next = format!(
                "repeat the call with the points from {shown} (from 0) on, at most {shown} at a \
                 time"
            );
            self.cut(shown, total, &next);
        }
        self
    }
}
