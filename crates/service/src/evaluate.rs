//! Evaluating a function: at points, in a region, with what is known of its slopes and bounds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::graph::{FunctionId, NodeId};
use fibula_formats::values::Format;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::form::{ObjectForm, OneOrMany, ValueForm};
use super::listed::Listed;
use super::page::Paging;
use super::refusal::Refusal;
use super::sampling::{Bound, Precision, Region, Sample, Sampling, Statistics, Steepness};
use super::{DEFAULT_PROJECT, Service};

/// The most numbers of an answer about a region. More are written to files.
const MOST_NUMBERS: usize = 2_000_000;
/// The most numbers that an agent is shown of a region.
const SHOWN_NUMBERS: usize = 400;
/// Up to this many operations a region takes less than a millisecond or so.
const QUICK_WORK: u64 = 1_000_000;

/// What is to be evaluated, and where.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a member of the request that may be true"
)]
pub struct Evaluate {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function.
    #[schemars(with = "u32")]
    pub function_id: FunctionId,
    /// {INPUT: value}, such as {"pos": [0, 0, 5]}, or a list of such for many points.
    #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
    pub arguments: Option<Json>,
    /// A line, plane, grid or box, such as {"from": [-1, -1, 0], "to": [1, 1, 0], "counts": [9, 9, 1]}; arguments has the
    /// other inputs.
    pub region: Option<Region>,
    /// Names of the outputs wanted; all if left out.
    pub outputs: Option<Vec<String>>,
    /// true adds derivatives by the inputs.
    #[serde(default)]
    pub gradient: bool,
    /// true bounds the outputs everywhere in the region.
    #[serde(default)]
    pub bounds: bool,
    /// true bounds how fast they change there.
    #[serde(default)]
    pub lipschitz: bool,
    /// true also gives what every node takes and yields, for one point.
    #[serde(default)]
    pub trace: bool,
    /// As of this revision.
    pub revision: Option<u64>,
}

impl Evaluate {
    /// A request for all outputs of a function of the default project.
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
            revision: None,
        }
    }
}

/// The values of a function.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Evaluated {
    pub success: bool,
    /// {OUTPUT: value}; a list of such for a list of points; {OUTPUT: [values, x fastest]} for a region. "NaN", "Infinity"
    /// and "-Infinity" are texts.
    #[schemars(with = "OneOrMany<BTreeMap<String, ValueForm>>")]
    pub values: Json,
    /// {OUTPUT: {INPUT: derivative}}
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOrMany<ObjectForm>>")]
    pub gradients: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectForm>")]
    pub statistics: Option<BTreeMap<String, Statistics>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectForm>")]
    pub bounds: Option<BTreeMap<String, Bound>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ObjectForm>")]
    pub lipschitz: Option<BTreeMap<String, Steepness>>,
    /// The nodes that the outputs need, in the order of evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<ObjectForm>>")]
    pub trace: Option<Vec<TracedNode>>,
    pub warnings: Vec<String>,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// How to get the other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What a node takes and yields.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TracedNode {
    pub node_id: NodeId,
    pub node_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub inputs: BTreeMap<String, Json>,
    pub outputs: BTreeMap<String, Json>,
}

/// An evaluation whose arguments were read, on a snapshot.
#[derive(Debug)]
pub struct Evaluation {
    what: What,
    /// Whether the answer is for an agent, who is shown the first values only.
    brief: bool,
}

#[derive(Debug)]
enum What {
    Listed(Listed),
    Region {
        sampling: Sampling,
        bounds: bool,
        lipschitz: bool,
    },
}

impl Service {
    /// Evaluates a function, however long it takes.
    ///
    /// # Errors
    /// As [`evaluation`](Self::evaluation) and [`Evaluation::run`].
    pub fn evaluate(&self, request: Evaluate) -> Result<Evaluated, Refusal> {
        self.evaluation(request)?
            .run(&mut |_, _| ControlFlow::Continue(()))
    }

    /// Reads the arguments of an evaluation.
    ///
    /// # Errors
    /// A [`Refusal`]: the function is unknown, arguments are missing (all are named), unknown or no values.
    pub fn evaluation(&self, request: Evaluate) -> Result<Evaluation, Refusal> {
        let what = match &request.region {
            Some(region) => self.region(&request, region)?,
            None => What::Listed(self.listed(request)?),
        };
        Ok(Evaluation { what, brief: false })
    }

    fn region(&self, request: &Evaluate, region: &Region) -> Result<What, Refusal> {
        let invalid = |message: &str| Refusal::new("invalid_arguments", message);
        if request.trace {
            return Err(invalid("a trace is of one point, not of a region")
                .hint("give the point in arguments, or leave trace out"));
        }
        if region.counts.is_none() && !request.bounds && !request.lipschitz {
            return Err(
                invalid("the region has no counts, so there are no points in it").hint(
                    "give region.counts, such as [64, 64, 1], or ask for bounds or lipschitz",
                ),
            );
        }
        let sampling = self.sampling(Sample {
            project: Some(
                request
                    .project
                    .as_deref()
                    .unwrap_or(DEFAULT_PROJECT)
                    .to_owned(),
            ),
            function_id: request.function_id,
            arguments: request.arguments.clone(),
            region: Some(region.clone()),
            outputs: request.outputs.clone(),
            gradient: request.gradient,
            format: Format::F64,
            precision: Precision::F64,
            revision: request.revision,
        })?;
        Ok(What::Region {
            sampling,
            bounds: request.bounds,
            lipschitz: request.lipschitz,
        })
    }
}

impl Evaluation {
    /// The evaluation whose answer shows the first values only, if all would be too long for an agent.
    #[must_use]
    pub fn brief(self) -> Self {
        Evaluation {
            brief: true,
            ..self
        }
    }

    /// Whether this takes no longer than a thread takes to be woken.
    pub fn is_quick(&self) -> bool {
        match &self.what {
            What::Listed(listed) => listed.is_quick(),
            What::Region {
                sampling,
                lipschitz,
                ..
            } => {
                let quick = |operations: usize| {
                    sampling.points() as u64 * (operations as u64 + 1) <= QUICK_WORK
                };
                let tape = sampling.known_tape();
                !lipschitz && tape.is_some_and(|tape| quick(tape.operations().len()))
            }
        }
    }

    /// Does it. `watch` is told how many points of how many are done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`]: inputs of nodes are not set (all are named), a resource is missing, there is too much to do,
    /// `watch` ended it.
    pub fn run(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Evaluated, Refusal> {
        match &self.what {
            What::Listed(listed) => {
                let evaluated = listed.run(watch)?;
                Ok(if self.brief {
                    evaluated.shortened()
                } else {
                    evaluated
                })
            }
            What::Region {
                sampling,
                bounds,
                lipschitz,
            } => {
                let mut evaluated = self.values(sampling, watch)?;
                if *bounds {
                    evaluated.bounds = Some(sampling.bounds()?);
                }
                if *lipschitz {
                    evaluated.lipschitz = Some(sampling.steepness(watch)?);
                }
                Ok(evaluated)
            }
        }
    }

    /// The values at a region's points.
    fn values(
        &self,
        sampling: &Sampling,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Evaluated, Refusal> {
        let mut evaluated = Evaluated::new(sampling.revision());
        let total = sampling.points();
        if total == 0 {
            return Ok(evaluated);
        }
        let width = sampling
            .columns(fibula_eval::Rounding::Exact)?
            .names()
            .len();
        let most = if self.brief {
            (SHOWN_NUMBERS / width).max(1)
        } else {
            let most = MOST_NUMBERS / width;
            if total > most {
                let message =
                    format!("the answer would have {total} points with {width} numbers each");
                return Err(Refusal::new("too_large", message).hint(format!(
                    "ask for at most {most} points at a time; files of values may have any number"
                )));
            }
            most
        };
        let gathered = sampling.gather(most, watch)?;
        evaluated.values = gathered.values();
        evaluated.gradients = gathered.gradients();
        let shown = gathered.points();
        if shown < total {
            evaluated.cut(
                shown,
                total,
                "ask for a part of the region, or for fewer counts, to see others",
            );
        }
        evaluated.warnings = gathered.warnings;
        evaluated.statistics = Some(gathered.statistics.into_iter().collect());
        Ok(evaluated)
    }
}

impl Evaluated {
    /// An answer without values.
    pub(super) fn new(revision: u64) -> Self {
        Evaluated {
            success: true,
            values: Json::Object(serde_json::Map::new()),
            gradients: None,
            statistics: None,
            bounds: None,
            lipschitz: None,
            trace: None,
            warnings: Vec::new(),
            revision,
            truncated: None,
            total: None,
            next: None,
        }
    }

    fn cut(&mut self, shown: usize, total: usize, next: &str) {
        self.truncated = Some(true);
        self.total = Some(total);
        self.next = Some(format!(
            "these are the values of the first {shown} of {total} points; {next}"
        ));
    }

    /// The answer with the first values only, if all would be too long for an agent.
    fn shortened(mut self) -> Self {
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
                "call again with the points from {shown} (from 0) on, at most {shown} at a time"
            );
            self.cut(shown, total, &next);
        }
        self
    }
}
