//! What has the same neighbours, and may be the same.
//!
//! Jaccard's coefficient (Étude comparative de la distribution florale, 1901) is the part of all neighbours of two
//! vertices that is common to them; Adamic and Adar's (Friends and neighbors on the web, 2003) sums the common ones,
//! each by 1 / ln of how many neighbours it has. Edges count in both directions, several between two vertices once, and
//! no vertex is its own neighbour.

use rustc_hash::FxHashMap;

use super::error::NetworkError;
use super::part::Part;
use super::simple::Simple;

/// How vertices are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Likeness {
    /// The part of all neighbours of both that are common, from 0 to 1.
    #[default]
    Jaccard,
    /// The sum over common neighbours of 1 / ln of how many neighbours each has.
    AdamicAdar,
}

/// A vertex that is like another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// Its number.
    pub vertex: u32,
    /// How alike it is.
    pub likeness: f64,
    /// How many neighbours are common.
    pub common: u32,
}

impl Part<'_> {
    /// How alike the vertices of each of these pairs are, in the order of the pairs.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`], or [`NetworkError::Invalid`] if the filter leaves one out.
    pub fn likeness(
        &self,
        pairs: &[(&str, &str)],
        likeness: Likeness,
    ) -> Result<Vec<f64>, NetworkError> {
        let simple = self.adjacency().simple();
        let one = |&(one, other): &(&str, &str)| {
            let [one, other] = [self.place(one)?, self.place(other)?];
            let (fewer, more) = if simple.degree(one) <= simple.degree(other) {
                (one, other)
            } else {
                (other, one)
            };
            let more = simple.of(more);
            let common = simple.of(fewer).iter();
            let common = common.filter(|vertex| more.binary_search(vertex).is_ok());
            let (count, sum) = common.fold((0, 0.0), |(count, sum), &vertex| {
                (count + 1, sum + rarity(simple, vertex))
            });
            Ok(likeness.of(simple, [one, other], count, sum))
        };
        pairs.iter().map(one).collect()
    }

    /// The vertices that have neighbours in common with one, the most alike first, at most so many; and how many there
    /// are. O(the neighbours of its neighbours).
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`], or [`NetworkError::Invalid`] if the filter leaves it out.
    pub fn similar(
        &self,
        id: &str,
        likeness: Likeness,
        limit: usize,
    ) -> Result<(Vec<Alike>, usize), NetworkError> {
        let simple = self.adjacency().simple();
        let own = self.place(id)?;
        let mut shared: FxHashMap<u32, (u32, f64)> = FxHashMap::default();
        for &common in simple.of(own) {
            let rarity = rarity(simple, common);
            for &other in simple.of(common).iter().filter(|&&other| other != own) {
                let (count, sum) = shared.entry(other).or_default();
                *count += 1;
                *sum += rarity;
            }
        }
        let alike = shared.into_iter().map(|(other, (common, sum))| Alike {
            vertex: self.number(other),
            likeness: likeness.of(simple, [own, other], common, sum),
            common,
        });
        let mut alike: Vec<Alike> = alike.collect();
        let total = alike.len();
        let by = |one: &Alike, other: &Alike| {
            let more = other.likeness.total_cmp(&one.likeness);
            more.then(one.vertex.cmp(&other.vertex))
        };
        if limit < total {
            alike.select_nth_unstable_by(limit, by);
            alike.truncate(limit);
        }
        alike.sort_unstable_by(by);
        Ok((alike, total))
    }
}

/// What a common neighbour counts; it has two neighbours at least, unless a vertex is compared with itself.
fn rarity(simple: &Simple, vertex: u32) -> f64 {
    match simple.degree(vertex) {
        0 | 1 => 0.0,
        degree => (degree as f64).ln().recip(),
    }
}

impl Likeness {
    /// Of two vertices with so many common neighbours, which are so rare.
    fn of(self, simple: &Simple, pair: [u32; 2], common: u32, rarity: f64) -> f64 {
        let [one, other] = pair.map(|vertex| simple.degree(vertex));
        match self {
            Likeness::Jaccard if common == 0 => 0.0,
            Likeness::Jaccard => f64::from(common) / (one + other - common as usize) as f64,
            Likeness::AdamicAdar => rarity,
        }
    }
}
