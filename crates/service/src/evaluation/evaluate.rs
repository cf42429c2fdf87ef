//! Evaluation of a function at points or over a region, with derivatives, interval bounds and Lipschitz constants.

use std::ops::ControlFlow;

use fibula_formats::values::Format;

use crate::background::ProgressFn;
use crate::edits::tried;
use crate::evaluation::point_list::PointEvaluation;
use crate::evaluation::sampling::{Precision, Region, Sample, Sampling};
use crate::evaluation::values::{Evaluate, EvaluationResult};
use crate::functions::written::hint_arguments;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum numbers of an answer about a region; files may have more.
const MOST_NUMBERS: usize = 2_000_000;
/// Maximum numbers of a region in an answer to an agent.
const SHOWN_NUMBERS: usize = 400;
/// Operations that take about a millisecond.
const QUICK_WORK: u64 = 1_000_000;

/// An evaluation on a snapshot, with parsed arguments.
#[derive(Debug)]
pub struct Evaluation {
    what: EvaluationKind,
    /// True if the answer is for an agent, and is truncated to the first values.
    brief: bool,
    /// Number of edits that are tried.
    tried: Option<usize>,
}

#[derive(Debug)]
enum EvaluationKind {
    Points(PointEvaluation),
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
    pub fn evaluate(&self, request: Evaluate) -> Result<EvaluationResult> {
        self.evaluation(request)?
            .run(&mut |_, _| ControlFlow::Continue(()))
    }

    /// Parses the arguments of an evaluation.
    ///
    /// # Errors
    /// A [`Refusal`] if the function is unknown, or arguments are missing (all are named), unknown or invalid.
    pub fn evaluation(&self, request: Evaluate) -> Result<Evaluation> {
        let (project, revision) = (request.project.clone(), request.revision);
        let function_id = request.function_id;
        let tried = tried(&request.edits);
        let what = match &request.region {
            Some(region) => self.region(&request, region),
            None => self.point_evaluation(request).map(EvaluationKind::Points),
        };
        match what {
            Ok(what) => Ok(Evaluation {
                what,
                brief: false,
                tried,
            }),
            Err(refusal) => Err(match self.snapshot_at(project.as_deref(), revision) {
                Ok(snapshot) => hint_arguments(&snapshot.document, function_id, refusal),
                Err(_) => refusal,
            }),
        }
    }

    fn region(&self, request: &Evaluate, region: &Region) -> Result<EvaluationKind> {
        let invalid = |message: &str| Refusal::new("invalid_arguments", message);
        if request.trace || request.why {
            return Err(invalid("trace and why evaluate one point, not a region")
                .hint("pass the point in arguments and no region, or omit them"));
        }
        if region.counts.is_none() && !request.bounds && !request.lipschitz {
            return Err(invalid("the region has no counts, so it has no points")
                .hint("pass region.counts, such as [64, 64, 1], or request bounds or lipschitz"));
        }
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.tried_at(request.revision, &request.edits)?;
        let sample = Sample {
            project: request.project.clone(),
            function_id: request.function_id,
            arguments: request.arguments.clone(),
            region: Some(region.clone()),
            outputs: request.outputs.clone(),
            gradient: request.gradient,
            format: Format::F64,
            precision: Precision::F64,
            revision: request.revision,
        };
        let sampling = self.sampling_of(project, snapshot, sample, None)?;
        Ok(EvaluationKind::Region {
            sampling,
            bounds: request.bounds,
            lipschitz: request.lipschitz,
        })
    }
}

impl Evaluation {
    /// Truncates the answer to the first values if it would be too long for an agent.
    #[must_use]
    pub fn brief(self) -> Self {
        Evaluation {
            brief: true,
            ..self
        }
    }

    /// True if it takes less time than waking a thread.
    pub fn is_quick(&self) -> bool {
        match &self.what {
            EvaluationKind::Points(listed) => listed.is_quick(),
            EvaluationKind::Region {
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

    /// Runs the evaluation. Calls `watch` with the points done and their total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if inputs of nodes are unset (all are named), a resource is missing, the work is too large, or
    /// `watch` cancelled it.
    pub fn run(&self, watch: ProgressFn<'_>) -> Result<EvaluationResult> {
        let evaluated = match &self.what {
            EvaluationKind::Points(listed) => {
                let evaluated = listed.run(watch)?;
                if self.brief {
                    evaluated.shortened()
                } else {
                    evaluated
                }
            }
            EvaluationKind::Region {
                sampling,
                bounds,
                lipschitz,
            } => {
                let mut evaluated = self.values(sampling, watch)?;
                if *bounds {
                    evaluated.bounds = Some(sampling.bounds()?);
                }
                evaluated.warnings.extend(sampling.stale_distances());
                if *lipschitz {
                    evaluated.lipschitz = Some(sampling.steepness(watch)?);
                }
                evaluated
            }
        };
        Ok(EvaluationResult {
            tried_edits: self.tried,
            ..evaluated
        })
    }

    /// Evaluates the points of a region.
    fn values(&self, sampling: &Sampling, watch: ProgressFn<'_>) -> Result<EvaluationResult> {
        let mut evaluated = EvaluationResult::new(sampling.revision());
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
                    "request at most {most} points at a time; files of values may have any number"
                )));
            }
            most
        };
        let gathered = sampling.collect(most, watch)?;
        evaluated.values = gathered.values();
        evaluated.gradients = gathered.gradients();
        let shown = gathered.points();
        if shown < total {
            evaluated.cut(
                shown,
                total,
                "request a part of the region, or smaller counts, for the others",
            );
        }
        evaluated.warnings = gathered.warnings;
        evaluated.statistics = Some(gathered.statistics.into_iter().collect());
        Ok(evaluated)
    }
}
