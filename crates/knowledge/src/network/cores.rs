//! How deep vertices are in what is dense: k-cores.

use super::part::Part;

/// For each vertex the highest k of a k-core that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cores {
    /// For each vertex.
    pub of: Vec<u32>,
    /// The highest of all.
    pub most: u32,
}

impl Part<'_> {
    /// The core number of each vertex: the highest k such that it is among vertices of which each has k neighbours
    /// among them. Several edges between two vertices make them neighbours once, and none of itself.
    ///
    /// O(n + m), by taking the vertex with the fewest neighbours away again and again (Batagelj and Zaveršnik, An O(m)
    /// algorithm for cores decomposition of networks, 2003).
    pub fn cores(&self) -> Cores {
        let simple = self.adjacency().simple();
        let vertices = simple.vertices();
        let mut degrees: Vec<u32> = (0..vertices as u32)
            .map(|vertex| simple.degree(vertex) as u32)
            .collect();
        let most = degrees.iter().max().map_or(0, |&most| most as usize);
        // Vertices by degree, where those of each degree begin, and where each vertex is.
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
            for &other in simple.of(vertex) {
                let degree = degrees[other as usize];
                if degree <= own {
                    continue;
                }
                // It changes places with the first of its degree, which then is the last of the degree below.
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
        Cores { of: degrees, most }
    }
}
