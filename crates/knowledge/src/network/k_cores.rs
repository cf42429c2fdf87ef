//! k-core decomposition.

use super::subgraph::Subgraph;

/// Core number of each vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cores {
    /// Core number of each vertex.
    pub numbers: Vec<u32>,
    /// The highest core number (degeneracy).
    pub most: u32,
}

impl Subgraph<'_> {
    /// Returns the core number of each vertex: the highest k such that it is in a subgraph in which every vertex has k
    /// neighbours, ignoring direction, parallel edges and self-loops.
    ///
    /// O(n + m), by repeatedly removing a vertex of least degree (Batagelj and Zaveršnik, An O(m) algorithm for cores
    /// decomposition of networks, 2003).
    pub fn cores(&self) -> Cores {
        let simple = self.adjacency().simple();
        let vertices = simple.vertices();
        let degree = |vertex| simple.degree(vertex) as u32;
        let mut degrees: Vec<u32> = (0..vertices as u32).map(degree).collect();
        let most = degrees.iter().max().map_or(0, |&most| most as usize);
        // Vertices sorted by degree, the offset of each degree, and the position of each vertex.
        let mut starts = vec![0_u32; most + 2];
        for &degree in &degrees {
            starts[degree as usize + 1] += 1;
        }
        for degree in 0..=most {
            starts[degree + 1] += starts[degree];
        }
        let mut free = starts.clone();
        let mut order = vec![0_u32; vertices];
        let mut places = vec![0_u32; vertices];
        for (vertex, &degree) in (0..).zip(&degrees) {
            let place = &mut free[degree as usize];
            order[*place as usize] = vertex;
            places[vertex as usize] = *place;
            *place += 1;
        }
        for place in 0..vertices {
            let vertex = order[place];
            let own = degrees[vertex as usize];
            for &other in simple.neighbours(vertex) {
                let degree = degrees[other as usize];
                if degree <= own {
                    continue;
                }
                // It is swapped with the first vertex of its degree, which makes it the last of the degree below.
                let first = starts[degree as usize];
                let moved = order[first as usize];
                let at = places[other as usize];
                order.swap(first as usize, at as usize);
                places[moved as usize] = at;
                places[other as usize] = first;
                starts[degree as usize] += 1;
                degrees[other as usize] -= 1;
            }
        }
        let most = degrees.iter().max().copied().unwrap_or(0);
        let numbers = degrees;
        Cores { numbers, most }
    }
}
