//! Communities: vertices that are joined more to each other than to the rest.
//!
//! Louvain (Blondel, Guillaume, Lambiotte and Lefebvre, Fast unfolding of communities in large networks, 2008) moves
//! vertices to where modularity gains most, makes one vertex of each community, and begins again. Leiden (Traag,
//! Waltman and van Eck, From Louvain to Leiden: guaranteeing well-connected communities, 2019) makes one vertex not of
//! each community but of each of the parts of it that hang together well, so that these can still move apart.

mod moving;
mod refine;
mod weave;

use super::components::{Components, root};
use super::error::NetworkError;
use super::part::Part;
use super::random::Random;
use crate::progress::{Cancelled, Progress, Watch};
use moving::settle;
use refine::refine;
use weave::Weave;

/// How often Leiden begins again with what it found.
const ROUNDS: u64 = 2;

/// How communities are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// Communities that hang together for certain.
    #[default]
    Leiden,
    /// As long known; communities may have parts that are not joined.
    Louvain,
}

/// What communities are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grouping {
    /// How they are found.
    pub method: Method,
    /// How dense they are: the higher, the smaller; 1 is usual.
    pub resolution: f64,
    /// Whether edges count by their weights.
    pub weighted: bool,
    /// What chooses among what is as good: the same for the same seed.
    pub seed: u64,
}

impl Default for Grouping {
    fn default() -> Grouping {
        Grouping {
            method: Method::Leiden,
            resolution: 1.0,
            weighted: false,
            seed: 0,
        }
    }
}

/// Communities.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// Which vertices are together: the largest community first.
    pub groups: Components,
    /// How much more of all edges is within communities than would be by chance, at the resolution that was asked for.
    pub modularity: f64,
}

impl Part<'_> {
    /// Communities, whatever the direction of edges; the weights of several between two vertices are added. Close to
    /// O(n + m), a few times.
    ///
    /// # Errors
    /// [`NetworkError`]: a resolution that is none, weights below 0, or [`Cancelled`].
    pub fn communities(
        &self,
        grouping: &Grouping,
        watch: &Watch<'_>,
    ) -> Result<Communities, NetworkError> {
        if !(grouping.resolution > 0.0 && grouping.resolution.is_finite()) {
            return Err(NetworkError::Invalid {
                what: "the resolution",
                given: grouping.resolution.to_string(),
                needed: "a number above 0, such as 1".to_owned(),
            });
        }
        if grouping.weighted {
            self.check_weights("communities by weights")?;
        }
        let weave = Weave::new(self, grouping.weighted);
        let mut of: Vec<u32> = (0..weave.vertices()).collect();
        let progress = Progress::new(ROUNDS + 1, watch);
        let mut random = Random::new(grouping.seed);
        if weave.all > 0.0 {
            let rounds = match grouping.method {
                Method::Leiden => ROUNDS,
                Method::Louvain => 1,
            };
            for _ in 0..rounds {
                of = round(&weave, of, grouping, &mut random, &progress)?;
                progress.add(1);
            }
        }
        let groups = match grouping.method {
            Method::Leiden => connected(&weave, &of),
            Method::Louvain => Components::new(of.len(), |vertex| of[vertex as usize]),
        };
        let modularity = weave.modularity(&groups.of, grouping.resolution);
        Ok(progress.finish(Communities { groups, modularity })?)
    }
}

/// Makes communities better, from single vertices to ever larger parts.
fn round(
    weave: &Weave,
    of: Vec<u32>,
    grouping: &Grouping,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<Vec<u32>, Cancelled> {
    // What is a vertex at the present level, for each vertex.
    let mut at: Vec<u32> = (0..weave.vertices()).collect();
    let mut own: Option<Weave> = None;
    let mut of = of;
    loop {
        let level = own.as_ref().unwrap_or(weave);
        settle(level, &mut of, grouping.resolution, random, progress)?;
        let count = renumber(&mut of);
        if count == level.vertices() {
            break;
        }
        let mut parts = match grouping.method {
            Method::Leiden => refine(level, &of, grouping.resolution, random, progress)?,
            Method::Louvain => of.clone(),
        };
        let count = renumber(&mut parts);
        if count == level.vertices() {
            break;
        }
        let mut above = vec![0; count as usize];
        for (&part, &community) in parts.iter().zip(&of) {
            above[part as usize] = community;
        }
        for vertex in &mut at {
            *vertex = parts[*vertex as usize];
        }
        let joined = level.joined(&parts, count);
        own = Some(joined);
        of = above;
    }
    Ok(at.into_iter().map(|vertex| of[vertex as usize]).collect())
}

/// Numbers communities in the order of their first vertices; how many there are.
fn renumber(of: &mut [u32]) -> u32 {
    let most = of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut numbers = vec![None; most];
    let mut count = 0;
    for community in of {
        let number = numbers[*community as usize].get_or_insert_with(|| {
            count += 1;
            count - 1
        });
        *community = *number;
    }
    count
}

/// The parts of communities that hang together: mostly the communities themselves.
fn connected(weave: &Weave, of: &[u32]) -> Components {
    let mut above: Vec<u32> = (0..weave.vertices()).collect();
    for vertex in 0..weave.vertices() {
        for (other, _) in weave.steps(vertex) {
            if of[vertex as usize] == of[other as usize] {
                let [one, other] = [vertex, other].map(|end| root(&mut above, end));
                above[one.max(other) as usize] = one.min(other);
            }
        }
    }
    let roots: Vec<u32> = (0..weave.vertices())
        .map(|vertex| root(&mut above, vertex))
        .collect();
    Components::new(roots.len(), |vertex| roots[vertex as usize])
}
